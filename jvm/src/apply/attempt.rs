//! One attempt to carry out a plan: all edits of all classes, or the instructions that could not be edited, with reasons.

use std::collections::{BTreeMap, BTreeSet};

use r8lite_classfile::{ClassFile, CodeEdits, VerificationType};
use r8lite_ir::{Class, Field, Func, Hierarchy, Inst, Module, Type};
use r8lite_passes::plan::{Action, CallPlan, Fixed, Plan, Reason, Recognised, Site, UpdaterId, UpdaterPlan};

use rustc_hash::{FxHashMap, FxHashSet};

use super::asm::MemberName;
use super::copies::read_with_copies;
use super::helper::Helper;
use super::stack::{Flow, Odd};
use super::unsafe_class::{UnsafeClass, content_hash};
use super::unsafes::HANDLE_TYPE;
use super::{AddedClass, ApplyOptions, Backend, reasons};
use crate::{Input, Lifted, names, parallel};

/// What an attempt that worked out made.
pub(crate) struct Done {
    /// The new contents of classes.
    pub(crate) classes: Vec<Option<Vec<u8>>>,
    /// The classes that come in addition.
    pub(crate) added: Vec<AddedClass>,
    /// The bytes that copies of methods take.
    pub(crate) copied: usize,
}

/// All that is known and done so far.
pub(crate) struct Attempt<'a> {
    pub(crate) program: &'a [Input<'a>],
    pub(crate) lifted: &'a Lifted,
    pub(crate) module: &'a Module,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) plan: &'a Plan,
    /// The updaters of each class, in the plan's order.
    pub(crate) updaters_of: FxHashMap<Class, Vec<&'a UpdaterPlan>>,
    /// The fields of updaters that go.
    pub(crate) gone: FxHashSet<Field>,
    pub(crate) options: &'a ApplyOptions,
    /// The classes that are edited, by input.
    pub(crate) classes: BTreeMap<u32, ClassEdit<'a>>,
    /// The class that is added, by jar.
    pub(crate) unsafe_classes: BTreeMap<u32, UnsafeClass>,
    /// The accessors that go, and the methods of which only copies are used.
    pub(crate) dead_methods: BTreeSet<Func>,
    /// The instructions of a method that may read an updater, by their offsets; calls come method by method.
    pub(crate) readers: Option<(Func, FxHashMap<u32, Inst>)>,
    /// Methods that have no room for more than a call of a helper in the place of each call.
    pub(crate) tight: &'a BTreeSet<Func>,
    pub(crate) failures: Failures,
}

/// What could not be edited.
#[derive(Default)]
pub(crate) struct Failures {
    /// Instructions that have to stay as they are.
    pub(crate) fixed: Fixed,
    /// Methods that became too large, and may not with edits that take less.
    pub(crate) too_large: BTreeSet<Func>,
}

impl Failures {
    pub(crate) fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.too_large.is_empty()
    }
}

/// A class that is edited.
pub(crate) struct ClassEdit<'a> {
    pub(crate) file: ClassFile<'a>,
    pub(crate) class: Class,
    pub(crate) jar: u32,
    /// Its methods that are edited, by number.
    pub(crate) methods: BTreeMap<u32, MethodEdit>,
    /// The helpers that it gets, each with its name.
    pub(crate) helpers: BTreeMap<Helper, MemberName>,
}

/// A method that is edited.
pub(crate) struct MethodEdit {
    pub(crate) func: Func,
    pub(crate) flow: Flow,
    pub(crate) edits: CodeEdits,
    pub(crate) frame_changes: Vec<FrameChange>,
    /// The instructions of the program that are not there any more.
    pub(crate) dropped: BTreeSet<u32>,
}

impl MethodEdit {
    fn new(func: Func, flow: Flow) -> MethodEdit {
        MethodEdit { func, flow, edits: CodeEdits::new(), frame_changes: Vec::new(), dropped: BTreeSet::new() }
    }
}

/// A change of what is on the stack at some instructions.
pub(crate) struct FrameChange {
    /// The numbers of the instructions, ascending.
    pub(crate) at: Vec<u32>,
    /// The slot, as it was before all changes.
    pub(crate) slot: usize,
    /// Whether what is there goes, one slot; else there is more below it.
    pub(crate) replaces: bool,
    pub(crate) by: Vec<VerificationType>,
}

impl<'a> Attempt<'a> {
    /// Carries out a plan.
    ///
    /// # Errors
    /// What could not be edited.
    pub(crate) fn run(
        program: &'a [Input<'a>],
        lifted: &'a Lifted,
        plan: &'a Plan,
        options: &'a ApplyOptions,
        tight: &'a BTreeSet<Func>,
    ) -> Result<Done, Failures> {
        let mut updaters_of: FxHashMap<Class, Vec<&UpdaterPlan>> = FxHashMap::default();
        for updater in &plan.updaters {
            updaters_of.entry(lifted.module.fields[updater.field].class).or_default().push(updater);
        }
        let mut attempt = Attempt {
            program,
            lifted,
            module: &lifted.module,
            hierarchy: Hierarchy::new(&lifted.module),
            plan,
            updaters_of,
            gone: plan.updaters.iter().filter(|updater| updater.remove).map(|updater| updater.field).collect(),
            options,
            classes: BTreeMap::new(),
            unsafe_classes: BTreeMap::new(),
            dead_methods: BTreeSet::new(),
            readers: None,
            tight,
            failures: Failures::default(),
        };
        attempt.name_unsafe_classes();
        attempt.open_all();
        attempt.lead_to_copies();
        for call in &plan.calls {
            if matches!(call.action, Action::Replace(_)) {
                attempt.try_call(call);
            }
        }
        attempt.edit_reads();
        attempt.edit_initialisers();
        if !attempt.failures.is_empty() {
            return Err(attempt.failures);
        }
        attempt.finish()
    }

    /// The jar that an input is in.
    pub(crate) fn jar(&self, input: u32) -> u32 {
        self.options.jars.get(input as usize).copied().unwrap_or(0)
    }

    /// Chooses the names of the classes to be added: in the package of the first class of each jar that has anything to
    /// do with the plan, and never the same for different programs.
    fn name_unsafe_classes(&mut self) {
        let calls = self.plan.calls.iter().filter(|call| matches!(call.action, Action::Replace(_)));
        let stores = self.plan.updaters.iter().filter_map(|updater| updater.recognised);
        let funcs = calls.map(|call| call.site.func).chain(stores.map(|recognised| recognised.store.func));
        let inputs: BTreeSet<u32> = funcs.filter_map(|func| Some(self.lifted.place(func)?.input)).collect();
        let mut jars: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for input in inputs {
            jars.entry(self.jar(input)).or_default().push(input);
        }
        let since_24 = self.options.min_api.is_none_or(|api| api >= 24);
        for (jar, inputs) in jars {
            let name = self.options.unsafe_names.get(&jar).cloned().unwrap_or_else(|| {
                let contents = inputs.iter().map(|&input| self.program[input as usize].bytes);
                let classes = inputs.iter().filter_map(|&input| self.lifted.classes[input as usize]);
                unsafe_class_name(contents, classes.map(|class| (self.module, class)), &[self.module])
            });
            self.unsafe_classes.insert(jar, UnsafeClass::new(name, since_24));
        }
    }

    pub(crate) fn updater(&self, id: UpdaterId) -> (&'a UpdaterPlan, &'a Recognised) {
        let updater = &self.plan.updaters[id.0 as usize];
        (updater, updater.recognised.as_ref().expect("a replaced call has a recognised updater"))
    }

    /// The class whose static initialiser assigns an updater.
    pub(crate) fn owner(&self, updater: &UpdaterPlan) -> Class {
        self.module.fields[updater.field].class
    }

    pub(crate) fn field_name(&self, field: Field) -> MemberName {
        let data = &self.module.fields[field];
        MemberName::new(
            names::internal(self.module, data.class),
            self.module.name(data.name),
            names::descriptor(self.module, data.ty),
        )
    }

    /// The offset field of an updater, or the field with its handle.
    pub(crate) fn offset_name(&self, updater: &UpdaterPlan) -> Option<MemberName> {
        let offset = updater.offset.as_ref()?;
        let class = names::internal(self.module, self.owner(updater));
        match self.options.backend {
            Backend::Unsafe => Some(MemberName::new(class, &offset.name, "J")),
            Backend::VarHandle => Some(MemberName::new(class, handle_name(self.module, updater), HANDLE_TYPE)),
        }
    }

    /// What a `Class` constant calls a type.
    pub(crate) fn constant_name(&self, ty: Type) -> String {
        match ty {
            Type::Class(class) => names::internal(self.module, class),
            _ => names::descriptor(self.module, ty),
        }
    }

    /// The offset of an instruction of the IR in its method's code.
    pub(crate) fn code_offset(&self, site: Site) -> u32 {
        let body = self.module.funcs[site.func].body.as_ref().expect("an instruction stands in a body");
        body.insts[site.inst].origin.pos
    }

    /// Opens all methods that will be edited for sure, in several threads. Those that cannot be are left for later.
    fn open_all(&mut self) {
        let calls = self.plan.calls.iter().filter(|call| matches!(call.action, Action::Replace(_)));
        let changed = self.plan.updaters.iter().filter(|updater| updater.offset.is_some() || updater.remove);
        let stores = changed.filter_map(|updater| Some(updater.recognised?.store));
        let mut by_input: BTreeMap<u32, BTreeMap<u32, Func>> = BTreeMap::new();
        for func in calls.map(|call| call.site.func).chain(stores.map(|store| store.func)) {
            if let Some(place) = self.lifted.place(func) {
                by_input.entry(place.input).or_default().insert(place.method, func);
            }
        }
        let (program, module, lifted) = (self.program, self.module, self.lifted);
        let opened = parallel::map(by_input.into_iter().collect(), |(input, funcs)| {
            let class = module.funcs[*funcs.values().next()?].class;
            let file = read_with_copies(program.get(input as usize)?.bytes, lifted, class).ok()?;
            let edit = |(method, func)| Some((method, MethodEdit::new(func, Flow::new(&file, method as usize).ok()?)));
            let methods: BTreeMap<u32, MethodEdit> = funcs.into_iter().filter_map(edit).collect();
            Some((input, class, file, methods))
        });
        for (input, class, file, methods) in opened.into_iter().flatten() {
            let jar = self.jar(input);
            self.classes.insert(input, ClassEdit { file, class, jar, methods, helpers: BTreeMap::new() });
        }
    }

    /// Opens the method of a function for edits, if it is not yet.
    /// Yields the numbers of input and method.
    pub(crate) fn open(&mut self, func: Func) -> Result<(u32, u32), Reason> {
        let place = self.lifted.place(func).ok_or_else(reasons::unexpected)?;
        let jar = self.jar(place.input);
        if !self.classes.contains_key(&place.input) {
            let input = self.program.get(place.input as usize).ok_or_else(reasons::unexpected)?;
            let class = self.module.funcs[func].class;
            let file = read_with_copies(input.bytes, self.lifted, class);
            let file = file.map_err(|error| reasons::not_written(&error))?;
            let edit = ClassEdit { file, class, jar, methods: BTreeMap::new(), helpers: BTreeMap::new() };
            self.classes.insert(place.input, edit);
        }
        let class = self.classes.get_mut(&place.input).expect("it was just opened");
        if !class.methods.contains_key(&place.method) {
            let flow = Flow::new(&class.file, place.method as usize).map_err(|odd: Odd| reasons::odd_code(&odd))?;
            class.methods.insert(place.method, MethodEdit::new(func, flow));
        }
        Ok((place.input, place.method))
    }

    fn try_call(&mut self, call: &CallPlan) {
        if let Err(reason) = self.edit_call(call) {
            self.failures.fixed.insert(call.site, reason);
        }
    }
}

/// What the class is called that comes to classes with these contents: by what they are, in the first package of one, and
/// as nothing is called in some modules.
pub(crate) fn unsafe_class_name<'c>(
    contents: impl Iterator<Item = &'c [u8]>,
    mut classes: impl Iterator<Item = (&'c Module, Class)>,
    modules: &[&Module],
) -> String {
    let hash = content_hash(contents);
    let package =
        classes.find_map(|(module, class)| Some(format!("{}/", names::internal(module, class).rsplit_once('/')?.0)));
    let mut name = format!("{}R8lite${hash:016x}", package.unwrap_or_default());
    while modules.iter().any(|module| module.find_class(&name.replace('/', ".")).is_some()) {
        name.push('$');
    }
    name
}

/// What the field is called that has the handle of an updater: a name that nothing in the program has.
pub(crate) fn handle_name(module: &Module, updater: &UpdaterPlan) -> String {
    let mut name = format!("{}$VH", module.name(module.fields[updater.field].name));
    while module.find_symbol(&name).is_some() {
        name.push('$');
    }
    name
}
