//! What code may use that is not in the module: members that method handles name, and all that a method or class names
//! which could not be read.

use std::sync::LazyLock;

use r8lite_classfile::{ClassFile, Constant, Member, Names, mentions, read};
use r8lite_ir::{Class, FieldRef, Flags, Hierarchy, MethodRef, Module, Symbol, Type};
use r8lite_passes::plan::Kind;
use rustc_hash::FxHashSet;

use super::headers::Loaded;
use crate::names::{self, Handle};

/// What is to be exposed.
#[derive(Default)]
pub(crate) struct Exposed {
    fields: Vec<FieldRef>,
    methods: Vec<MethodRef>,
    /// Whether a class that was not read may use updaters: whatever is not private to others.
    all_updaters: bool,
    /// Names by which a class may look up fields that is no part of the module.
    names: FxHashSet<Symbol>,
}

/// The internal names of the updater classes.
static UPDATER_NAMES: LazyLock<[String; 3]> =
    LazyLock::new(|| Kind::ALL.map(|kind| kind.class_name().replace('.', "/")));

/// The names of the updater classes, to look for.
pub(crate) static UPDATERS: LazyLock<Names> =
    LazyLock::new(|| Names::new(&UPDATER_NAMES.each_ref().map(String::as_str)));

/// Whether a class may use updaters: its pool mentions them, or cannot be read.
pub(crate) fn mentions_updaters(bytes: &[u8]) -> bool {
    mentions(bytes, &UPDATERS).unwrap_or(true)
}

/// Whether a descriptor is that of a field which holds an updater.
pub(crate) fn is_updater_descriptor(descriptor: &[u8]) -> bool {
    let name = descriptor.strip_prefix(b"L").and_then(|rest| rest.strip_suffix(b";"));
    name.is_some_and(|name| UPDATER_NAMES.iter().any(|updater| updater.as_bytes() == name))
}

impl Exposed {
    /// Notes a class that could not be read.
    pub(crate) fn unread_class(&mut self, bytes: &[u8]) {
        self.all_updaters |= mentions_updaters(bytes);
    }

    /// Notes a class that is no part of the module, and may use what it names.
    pub(crate) fn opaque(&mut self, module: &mut Module, bytes: &[u8]) {
        match read(bytes) {
            Ok(file) => {
                // It may override what others have that returns an updater or takes one.
                let carries =
                    |method: &Member<'_>| file.pool.utf8(method.descriptor).is_ok_and(|it| UPDATERS.occur_in(it));
                self.all_updaters |= file.methods.iter().any(carries);
                self.named_in(module, &file);
                for (_, constant) in file.pool.iter() {
                    if let Constant::String { text } = constant {
                        self.names.extend(file.pool.text(text).map(|text| module.symbol(&text)));
                    }
                }
            }
            Err(_) => self.unread_class(bytes),
        }
    }

    /// Notes all members that a class names, one of whose methods could not be read.
    pub(crate) fn named_in(&mut self, module: &mut Module, file: &ClassFile<'_>) {
        for (index, constant) in file.pool.iter() {
            match constant {
                Constant::Fieldref { .. } => self.fields.extend(names::field_ref(module, file, index)),
                Constant::Methodref { .. } | Constant::InterfaceMethodref { .. } => {
                    self.methods.extend(names::method_ref(module, file, index));
                }
                _ => {}
            }
        }
    }

    /// Notes what the method handles of a class name.
    pub(crate) fn handles(&mut self, module: &mut Module, class: &Loaded<'_>) {
        for (_, constant) in class.file.pool.iter() {
            if let Constant::MethodHandle { kind, reference } = constant {
                match names::handle(module, &class.file, kind, reference) {
                    Ok(Handle::Field(field)) => self.fields.push(field),
                    Ok(Handle::Method(method)) => self.methods.push(method),
                    // It throws when it is used.
                    Err(_) => {}
                }
            }
        }
    }

    /// Marks the members.
    pub(crate) fn mark(mut self, module: &mut Module) {
        if self.fields.is_empty() && self.methods.is_empty() && !self.all_updaters && self.names.is_empty() {
            return;
        }
        let hierarchy = Hierarchy::new(module);
        self.fields.sort_unstable();
        self.fields.dedup();
        self.methods.sort_unstable();
        self.methods.dedup();
        for field in self.fields {
            if let Some(field) = hierarchy.resolve_field(module, field) {
                expose(&mut module.fields[field].flags);
            }
        }
        for method in self.methods {
            if let Some(func) = hierarchy.resolve_method(module, method) {
                expose(&mut module.funcs[func].flags);
            }
        }
        if self.all_updaters {
            expose_updaters(module);
        }
        if !self.names.is_empty() {
            for data in module.fields.values_mut().filter(|data| self.names.contains(&data.name)) {
                expose(&mut data.flags);
            }
        }
    }
}

fn expose(flags: &mut Flags) {
    *flags = flags.with(Flags::EXPOSED);
}

/// Exposes what is not private and has an updater's type, or a signature with one.
fn expose_updaters(module: &mut Module) {
    let classes = Kind::ALL.map(|kind| module.find_class(kind.class_name()));
    let is_updater = |ty: Type| matches!(ty, Type::Class(class) if classes.contains(&Some(class)));
    let classes: Vec<Class> = module.program_classes().collect();
    for class in classes {
        for index in 0..module.classes[class].fields.len() {
            let field = module.classes[class].fields[index];
            let data = &mut module.fields[field];
            if is_updater(data.ty) && !data.flags.has(Flags::PRIVATE) {
                expose(&mut data.flags);
            }
        }
        for index in 0..module.classes[class].methods.len() {
            let func = module.classes[class].methods[index];
            let sig = module.sig(module.funcs[func].sig);
            let carries = sig.params.iter().copied().chain(sig.ret).any(is_updater);
            if carries && !module.funcs[func].flags.has(Flags::PRIVATE) {
                expose(&mut module.funcs[func].flags);
            }
        }
    }
}
