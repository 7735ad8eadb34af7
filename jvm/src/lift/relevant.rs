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

use r8lite_classfile::{ClassFile, Constant, Insn, Names, Opcode, PoolIndex, mentions};
use r8lite_ir::{Class, ClassOrigin, Flags, Func, Module, SecondaryMap, Type};
use r8lite_passes::plan::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::exposed::updater_names;
use super::headers::Loaded;
use crate::names;

/// How deep calls are followed from class initialisers.
const MAX_CALL_DEPTH: u32 = 4;

/// Methods that find fields by name.
const LOOKUPS: [&str; 4] = ["getDeclaredField", "getDeclaredFields", "getField", "getFields"];

/// The methods that matter, class by class: the number of the class, and that of the method in it.
pub(crate) fn choose(module: &mut Module, loaded: &[Loaded<'_>]) -> Vec<(usize, usize)> {
    let mut chosen = Chosen { methods: loaded.iter().map(|class| vec![false; class.funcs.len()]).collect() };
    let updaters = updater_names();
    let updater_names = Names::new(&updaters.each_ref().map(String::as_str));
    let lookup_names = Names::new(&LOOKUPS);
    // It was read, so its pool is in order.
    let bytes_mention = |class: &Loaded<'_>, names: &Names| mentions(class.bytes, names).unwrap_or(true);
    let is_program = |class: &Loaded<'_>| module.classes[class.class].origin == ClassOrigin::Program;
    let program: Vec<usize> = (0..loaded.len()).filter(|&number| is_program(&loaded[number])).collect();
    let looks_up = program.iter().any(|&number| bytes_mention(&loaded[number], &lookup_names));
    let sought = if looks_up { updater_fields(module, loaded) } else { FxHashSet::default() };
    for &number in &program {
        let class = &loaded[number];
        if bytes_mention(class, &updater_names) || looks_up {
            let wanted = wanted_constants(&class.file, &updaters, &sought);
            choose_mentioning(class, &updaters, &wanted, &mut chosen.methods[number]);
        }
    }
    initialisation(module, loaded, &mut chosen);
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

/// Which constants make a method matter that uses them.
fn wanted_constants(file: &ClassFile<'_>, updaters: &[String; 3], sought: &FxHashSet<Vec<u8>>) -> Vec<bool> {
    let names_updater = |text: &str| updaters.iter().any(|updater| text.contains(updater.as_str()));
    let mut wanted = vec![false; file.pool.len()];
    for (index, constant) in file.pool.iter() {
        wanted[usize::from(index.0)] = match constant {
            Constant::Class { name } => file.pool.text(name).is_ok_and(|name| names_updater(&name)),
            Constant::Fieldref { .. } | Constant::Methodref { .. } | Constant::InterfaceMethodref { .. } => {
                file.pool.member_ref(index).is_ok_and(|named| {
                    names_updater(&named.class) || names_updater(&named.descriptor) || LOOKUPS.contains(&&*named.name)
                })
            }
            Constant::Dynamic { name_and_type, .. } | Constant::InvokeDynamic { name_and_type, .. } => {
                file.pool.name_and_type(name_and_type).is_ok_and(|(_, descriptor)| names_updater(&descriptor))
            }
            Constant::MethodType { descriptor } => file.pool.text(descriptor).is_ok_and(|it| names_updater(&it)),
            Constant::String { text } => file.pool.utf8(text).is_ok_and(|text| sought.contains(text)),
            _ => false,
        };
    }
    wanted
}

/// Chooses the methods of a class that use wanted constants, or have an updater in their descriptor.
fn choose_mentioning(class: &Loaded<'_>, updaters: &[String; 3], wanted: &[bool], chosen: &mut [bool]) {
    let any = wanted.contains(&true);
    for (method, chosen) in chosen.iter_mut().enumerate() {
        let descriptor = class.file.pool.text_lossy(class.file.methods[method].descriptor);
        *chosen = updaters.iter().any(|updater| descriptor.contains(updater.as_str()))
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
fn initialisation(module: &mut Module, loaded: &[Loaded<'_>], chosen: &mut Chosen) {
    let numbers: FxHashMap<Class, usize> =
        loaded.iter().enumerate().map(|(number, class)| (class.class, number)).collect();
    let mut places: SecondaryMap<Func, Option<(usize, usize)>> = SecondaryMap::new();
    for (number, class) in loaded.iter().enumerate() {
        class.funcs.iter().enumerate().for_each(|(method, &func)| places[func] = Some((number, method)));
    }
    let updaters = updater_classes(module);
    let mut classes = Vec::new();
    for class in loaded {
        let data = &module.classes[class.class];
        let is_updater = |&field: &r8lite_ir::Field| {
            let field = &module.fields[field];
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
    loop {
        while let Some(class) = classes.pop() {
            if !numbers.contains_key(&class) || !initialised.insert(class) {
                continue;
            }
            let data = &module.classes[class];
            classes.extend(data.superclass.iter().chain(&data.interfaces));
            funcs.extend(module.clinit(class).map(|clinit| (clinit, 0)));
        }
        let Some((func, depth)) = funcs.pop_front() else { return };
        let Some((number, method)) = places[func].filter(|_| met.insert(func)) else { continue };
        chosen.methods[number][method] = true;
        let class = &loaded[number];
        for insn in instructions(class, method).into_iter().flatten() {
            let Insn::Constant(opcode, index) = insn else { continue };
            match opcode {
                Opcode::New => {
                    if let Ok(Type::Class(named)) = names::class_constant(module, &class.file, index) {
                        classes.push(named);
                    }
                }
                Opcode::Getstatic | Opcode::Putstatic => {
                    if let Ok(field) = names::field_ref(module, &class.file, index) {
                        let named = module.field_ref(field);
                        let owner = find_up(module, named.class, |class| {
                            module.classes[class].fields.iter().any(|&field| module.fields[field].name == named.name)
                        });
                        classes.push(owner.unwrap_or(named.class));
                    }
                }
                Opcode::Invokestatic | Opcode::Invokespecial => {
                    if let Ok(method) = names::method_ref(module, &class.file, index) {
                        let named = module.method_ref(method);
                        let declared = |class| module.declared_method(class, named.name, named.sig);
                        let owner = find_up(module, named.class, |class| declared(class).is_some());
                        classes.push(owner.unwrap_or(named.class));
                        if depth < MAX_CALL_DEPTH {
                            funcs.extend(owner.and_then(declared).map(|callee| (callee, depth + 1)));
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The class or the nearest of its superclasses of which something holds.
fn find_up(module: &Module, class: Class, holds: impl Fn(Class) -> bool) -> Option<Class> {
    // Not verified yet: there may be a cycle.
    std::iter::successors(Some(class), |&class| module.classes[class].superclass)
        .take(1 << 10)
        .find(|&class| holds(class))
}
