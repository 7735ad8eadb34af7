//! Which methods the plan for field updaters looks at.
//!
//! * Methods that mention an updater: in a field or method they use, a class they name, or their own descriptor. An
//!   updater cannot get anywhere else without one: who holds it as another type has to cast it.
//! * Methods that look up fields by name, and in a program that does so, those with the name of an updater field as a
//!   string.
//! * What runs while a class with updaters is initialised: initialisers, those of the superclasses and of classes that are
//!   used on the way, and what they call, a few calls deep. Beyond that, code counts as able to do anything.
//!
//! The constant pool says of most classes that nothing of the first two is in them, so their code is never decoded.

use std::collections::VecDeque;
use std::sync::LazyLock;

use r8lite_classfile::{ClassFile, Constant, Insn, Names, Opcode, PoolIndex, mentions};
use r8lite_ir::{Class, ClassOrigin, FieldRefData, Flags, Func, MethodRefData, Module, SecondaryMap, Type};
use r8lite_passes::plan::Kind;
use rustc_hash::FxHashSet;

use super::exposed::{UPDATERS, mentions_updaters};
use super::headers::Loaded;
use super::loader::Loader;
use crate::names;

/// How deep calls are followed from class initialisers.
const MAX_CALL_DEPTH: u32 = 4;

/// Methods that find fields by name.
pub(crate) const LOOKUPS: [&str; 4] = ["getDeclaredField", "getDeclaredFields", "getField", "getFields"];

static LOOKUP_NAMES: LazyLock<Names> = LazyLock::new(|| Names::whole(LOOKUPS.map(|name| name.as_bytes().to_vec())));

/// The methods that matter, class by class: the number of the class, and that of the method in it. Loads what runs while
/// classes with updaters are initialised.
pub(crate) fn choose(loader: &mut Loader<'_, '_>) -> Vec<(usize, usize)> {
    let (module, loaded) = (&loader.module, &loader.loaded);
    let mut chosen = Chosen { methods: loaded.iter().map(|class| vec![false; class.funcs.len()]).collect() };
    // It was read, so its pool is in order.
    let looks_up_fields = |class: &Loaded<'_>| mentions(class.bytes, &LOOKUP_NAMES).unwrap_or(true);
    let is_program = |class: &Loaded<'_>| module.classes[class.class].origin == ClassOrigin::Program;
    let program: Vec<usize> = (0..loaded.len()).filter(|&number| is_program(&loaded[number])).collect();
    let looks_up = program.iter().any(|&number| looks_up_fields(&loaded[number]));
    let sought = if looks_up { updater_fields(module, loaded) } else { FxHashSet::default() };
    for &number in &program {
        let class = &loaded[number];
        if looks_up || mentions_updaters(class.bytes) {
            let wanted = wanted_constants(&class.file, &sought);
            choose_mentioning(class, &wanted, &mut chosen.methods[number]);
        }
    }
    initialisation(loader, &mut chosen);
    chosen.list()
}

struct Chosen {
    methods: Vec<Vec<bool>>,
}

impl Chosen {
    fn list(self) -> Vec<(usize, usize)> {
        let rows = self.methods.into_iter().enumerate();
        rows.flat_map(|(number, row)| {
            row.into_iter().enumerate().filter(|&(_, chosen)| chosen).map(move |(method, _)| (number, method))
        })
        .collect()
    }
}

/// The names of fields of updaters' types, as bytes.
fn updater_fields(module: &Module, loaded: &[Loaded<'_>]) -> FxHashSet<Vec<u8>> {
    let classes = updater_classes(module);
    let mut names = FxHashSet::default();
    for class in loaded {
        for &field in &module.classes[class.class].fields {
            let data = &module.fields[field];
            if is_updater(&classes, data.ty) {
                names.insert(r8lite_classfile::mutf8::encode(module.name(data.name)).into_owned());
            }
        }
    }
    names
}

fn updater_classes(module: &Module) -> [Option<Class>; 3] {
    Kind::ALL.map(|kind| module.find_class(kind.class_name()))
}

fn is_updater(classes: &[Option<Class>; 3], ty: Type) -> bool {
    matches!(ty, Type::Class(class) if classes.contains(&Some(class)))
}

/// What is known of a text of a constant pool.
const NAMES_UPDATER: u8 = 1;
const LOOKS_UP: u8 = 2;
const IS_SOUGHT: u8 = 4;

/// Which constants make a method matter that uses them.
fn wanted_constants(file: &ClassFile<'_>, sought: &FxHashSet<Vec<u8>>) -> Vec<bool> {
    // Each text is looked at once, however many constants name it.
    let mut texts = vec![0u8; file.pool.len()];
    for (index, constant) in file.pool.iter() {
        let Constant::Utf8(text) = constant else { continue };
        let known = &mut texts[usize::from(index.0)];
        *known |= if UPDATERS.occur_in(text) { NAMES_UPDATER } else { 0 };
        *known |= if LOOKUP_NAMES.occur_in(text) { LOOKS_UP } else { 0 };
        *known |= if !sought.is_empty() && sought.contains(text) { IS_SOUGHT } else { 0 };
    }
    let is = |text: PoolIndex, what: u8| texts.get(usize::from(text.0)).is_some_and(|known| known & what != 0);
    let class_is =
        |class: PoolIndex| matches!(file.pool.get(class), Ok(Constant::Class { name }) if is(name, NAMES_UPDATER));
    let member_is = |index: PoolIndex, what_of_name: u8| match file.pool.get(index) {
        Ok(Constant::NameAndType { name, descriptor }) => is(name, what_of_name) || is(descriptor, NAMES_UPDATER),
        _ => false,
    };
    let mut wanted = vec![false; file.pool.len()];
    for (index, constant) in file.pool.iter() {
        wanted[usize::from(index.0)] = match constant {
            Constant::Class { name } => is(name, NAMES_UPDATER),
            Constant::Fieldref { class, name_and_type }
            | Constant::Methodref { class, name_and_type }
            | Constant::InterfaceMethodref { class, name_and_type } => {
                class_is(class) || member_is(name_and_type, LOOKS_UP)
            }
            Constant::Dynamic { name_and_type, .. } | Constant::InvokeDynamic { name_and_type, .. } => {
                member_is(name_and_type, 0)
            }
            Constant::MethodType { descriptor } => is(descriptor, NAMES_UPDATER),
            Constant::String { text } => is(text, IS_SOUGHT),
            _ => false,
        };
    }
    wanted
}

/// Chooses the methods of a class that use wanted constants, or have an updater in their descriptor.
fn choose_mentioning(class: &Loaded<'_>, wanted: &[bool], chosen: &mut [bool]) {
    let any = wanted.contains(&true);
    for (method, chosen) in chosen.iter_mut().enumerate() {
        let descriptor = class.file.pool.utf8(class.file.methods[method].descriptor).unwrap_or_default();
        *chosen = UPDATERS.occur_in(descriptor)
            || any && constants(class, method).any(|index| wanted.get(usize::from(index.0)) == Some(&true));
    }
}

/// The constants that the instructions of a method name. Of broken code, those before it breaks: it is refused later.
fn constants<'c>(class: &'c Loaded<'_>, method: usize) -> impl Iterator<Item = PoolIndex> + 'c {
    instructions(class, method).into_iter().flatten().filter_map(|insn| match insn {
        Insn::Constant(_, index) | Insn::InvokeInterface { method: index, .. } => Some(index),
        _ => None,
    })
}

fn instructions<'c>(class: &'c Loaded<'_>, method: usize) -> Option<impl Iterator<Item = Insn> + 'c> {
    let code = class.file.code(method).ok()??;
    Some(code.instructions().map_while(|located| Some(located.ok()?.insn)))
}

/// Chooses what runs while classes with updaters are initialised.
fn initialisation(loader: &mut Loader<'_, '_>, chosen: &mut Chosen) {
    let updaters = updater_classes(&loader.module);
    let mut classes = Vec::new();
    for class in &loader.loaded {
        let data = &loader.module.classes[class.class];
        let is_updater = |&field: &r8lite_ir::Field| {
            let field = &loader.module.fields[field];
            field.flags.has(Flags::STATIC) && is_updater(&updaters, field.ty)
        };
        if data.origin == ClassOrigin::Program && data.fields.iter().any(is_updater) {
            classes.push(class.class);
        }
    }
    let mut initialised: FxHashSet<Class> = FxHashSet::default();
    // Nearest calls first, so that each method is met at its least depth.
    let mut funcs: VecDeque<(Func, u32)> = VecDeque::new();
    let mut met: FxHashSet<Func> = FxHashSet::default();
    let mut places = Places::default();
    loop {
        while let Some(class) = classes.pop() {
            if !initialised.insert(class) {
                continue;
            }
            loader.want([class]);
            places.note(loader, chosen);
            if !places.is_loaded(class) {
                continue;
            }
            let data = &loader.module.classes[class];
            classes.extend(data.superclass.iter().chain(&data.interfaces));
            funcs.extend(loader.module.clinit(class).map(|clinit| (clinit, 0)));
        }
        let Some((func, depth)) = funcs.pop_front() else { return };
        let Some((number, method)) = places.of(func).filter(|_| met.insert(func)) else { continue };
        chosen.methods[number][method] = true;
        for used in uses(&mut loader.module, &loader.loaded[number], method) {
            // Whose member it is shows in the supertypes.
            loader.want([used.class()]);
            places.note(loader, chosen);
            let module = &loader.module;
            match used {
                Used::Class(class) => classes.push(class),
                Used::Field(FieldRefData { class, name, .. }) => {
                    let owner = find_up(module, class, |class| {
                        module.classes[class].fields.iter().any(|&field| module.fields[field].name == name)
                    });
                    classes.push(owner.unwrap_or(class));
                }
                Used::Method(MethodRefData { class, name, sig }) => {
                    let declared = |class| module.declared_method(class, name, sig);
                    let owner = find_up(module, class, |class| declared(class).is_some());
                    classes.push(owner.unwrap_or(class));
                    if depth < MAX_CALL_DEPTH {
                        funcs.extend(owner.and_then(declared).map(|callee| (callee, depth + 1)));
                    }
                }
            }
        }
    }
}

/// Where methods are: the number of the class, and that of the method in it.
#[derive(Default)]
struct Places {
    of: SecondaryMap<Func, Option<(usize, usize)>>,
    loaded: FxHashSet<Class>,
    /// How many classes were looked at.
    noted: usize,
}

impl Places {
    /// Looks at classes that were loaded since.
    fn note(&mut self, loader: &Loader<'_, '_>, chosen: &mut Chosen) {
        for (number, class) in loader.loaded.iter().enumerate().skip(self.noted) {
            self.loaded.insert(class.class);
            class.funcs.iter().enumerate().for_each(|(method, &func)| self.of[func] = Some((number, method)));
            if number == chosen.methods.len() {
                chosen.methods.push(vec![false; class.funcs.len()]);
            }
        }
        self.noted = loader.loaded.len();
    }

    fn of(&self, func: Func) -> Option<(usize, usize)> {
        self.of[func]
    }

    fn is_loaded(&self, class: Class) -> bool {
        self.loaded.contains(&class)
    }
}

/// What an instruction uses that may initialise a class, or runs.
enum Used {
    Class(Class),
    Field(FieldRefData),
    Method(MethodRefData),
}

impl Used {
    fn class(&self) -> Class {
        match *self {
            Used::Class(class) => class,
            Used::Field(FieldRefData { class, .. }) => class,
            Used::Method(MethodRefData { class, .. }) => class,
        }
    }
}

/// What the instructions of a method use.
fn uses(module: &mut Module, class: &Loaded<'_>, method: usize) -> Vec<Used> {
    let mut used = Vec::new();
    for insn in instructions(class, method).into_iter().flatten() {
        let Insn::Constant(opcode, index) = insn else { continue };
        match opcode {
            Opcode::New => {
                if let Ok(Type::Class(named)) = names::class_constant(module, &class.file, index) {
                    used.push(Used::Class(named));
                }
            }
            Opcode::Getstatic | Opcode::Putstatic => {
                let field = names::field_ref(module, &class.file, index);
                used.extend(field.map(|field| Used::Field(module.field_ref(field))));
            }
            Opcode::Invokestatic | Opcode::Invokespecial => {
                let method = names::method_ref(module, &class.file, index);
                used.extend(method.map(|method| Used::Method(module.method_ref(method))));
            }
            _ => {}
        }
    }
    used
}

/// The class or the nearest of its superclasses of which something holds.
fn find_up(module: &Module, class: Class, holds: impl Fn(Class) -> bool) -> Option<Class> {
    // Not verified yet: there may be a cycle.
    std::iter::successors(Some(class), |&class| module.classes[class].superclass)
        .take(1 << 10)
        .find(|&class| holds(class))
}
