//! Which field or method a short reference means: the one rule that parser and printer share.
//!
//! `C.m(args)` means the one signature under which `C` or its supertypes have a method `m` of so many parameters;
//! `C.f` means the type of the first field `f` that is found. Where that is not enough, the text says `as …`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entity::{Class, Field, Func, Sig, Symbol};
use crate::module::{ClassOrigin, Module};
use crate::types::Type;

/// What a short reference to a method means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MethodLookup {
    /// Exactly this signature.
    One(Sig),
    /// One of these; the text has to say which.
    Many(Vec<Sig>),
    /// None is declared.
    None,
    /// None is declared in what is known, but a supertype is known by name only.
    Unknown,
}

/// What a short reference to a field means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FieldLookup {
    /// A field of this type.
    One(Type),
    /// None is declared.
    None,
    /// None is declared in what is known, but a supertype is known by name only.
    Unknown,
}

/// The members of all classes by name. Without it lookups go through the lists of the classes, which is better for a
/// few of them.
pub(crate) struct MemberIndex {
    fields: FxHashMap<(Class, Symbol), Field>,
    funcs: FxHashMap<(Class, Symbol), Vec<Func>>,
}

impl MemberIndex {
    /// Reads all classes.
    pub(crate) fn of(module: &Module) -> Self {
        let mut fields = FxHashMap::default();
        let mut funcs: FxHashMap<_, Vec<Func>> = FxHashMap::default();
        for (class, data) in module.classes.iter() {
            for &field in &data.fields {
                fields.entry((class, module.fields[field].name)).or_insert(field);
            }
            for &func in &data.methods {
                funcs.entry((class, module.funcs[func].name)).or_default().push(func);
            }
        }
        Self { fields, funcs }
    }
}

/// Looks a method up by name and number of parameters.
pub(crate) fn find_method(
    module: &Module,
    index: Option<&MemberIndex>,
    class: Class,
    name: Symbol,
    params: usize,
) -> MethodLookup {
    let mut sigs: Vec<Sig> = Vec::new();
    let mut visit = |class| {
        let mut consider = |func: Func| {
            let sig = module.funcs[func].sig;
            if module.sig(sig).params.len() == params && !sigs.contains(&sig) {
                sigs.push(sig);
            }
        };
        match index {
            Some(index) => {
                index.funcs.get(&(class, name)).into_iter().flatten().copied().for_each(&mut consider);
            }
            None => {
                let methods = module.classes[class].methods.iter().copied();
                methods.filter(|&m| module.funcs[m].name == name).for_each(&mut consider);
            }
        }
        false
    };
    let complete = if module.name(name) == "<init>" {
        // Constructors are not inherited.
        visit(class);
        is_known(module, class)
    } else {
        for_each_super(module, class, visit)
    };
    match (sigs.len(), complete) {
        (1, _) => MethodLookup::One(sigs[0]),
        (0, true) => MethodLookup::None,
        (0, false) => MethodLookup::Unknown,
        _ => MethodLookup::Many(sigs),
    }
}

/// Looks a field up by name.
pub(crate) fn find_field(module: &Module, index: Option<&MemberIndex>, class: Class, name: Symbol) -> FieldLookup {
    let mut found = None;
    let complete = for_each_super(module, class, |class| {
        found = match index {
            Some(index) => index.fields.get(&(class, name)).copied(),
            None => module.declared_field(class, name),
        };
        found.is_some()
    });
    match found {
        Some(field) => FieldLookup::One(module.fields[field].ty),
        None if complete => FieldLookup::None,
        None => FieldLookup::Unknown,
    }
}

/// Whether the members and supertypes of a class are known.
fn is_known(module: &Module, class: Class) -> bool {
    match module.classes[class].origin {
        ClassOrigin::Program | ClassOrigin::Library | ClassOrigin::Classpath => true,
        ClassOrigin::Extern | ClassOrigin::Missing => false,
    }
}

/// Calls `visit` on a class and its supertypes until it says `true`: each class, then its interfaces with theirs, then
/// its superclass. Cycles, which only the verifier reports, do no harm. Whether all that was visited is known.
pub(crate) fn for_each_super(module: &Module, class: Class, mut visit: impl FnMut(Class) -> bool) -> bool {
    let mut complete = is_known(module, class);
    if visit(class) {
        return complete;
    }
    let mut seen = FxHashSet::from_iter([class]);
    // The top of the stack is next, so the superclass goes below the interfaces.
    let mut stack = Vec::new();
    let push_supers = |stack: &mut Vec<Class>, class| {
        let data = &module.classes[class];
        stack.extend(data.superclass);
        stack.extend(data.interfaces.iter().rev());
    };
    push_supers(&mut stack, class);
    while let Some(next) = stack.pop() {
        if seen.insert(next) {
            complete &= is_known(module, next);
            if visit(next) {
                break;
            }
            push_supers(&mut stack, next);
        }
    }
    complete
}
