//! The plan: everything that is decided, before anything is changed.
//!
//! One row per updater and one per call of an updater method, each with its reason. The IR passes carry it out on IR,
//! the class-file side carries the same rows out on bytecode.

pub use crate::operation::{Kind, Operation};
pub(crate) use crate::updaters::decide_with;
pub use crate::updaters::{decide, decide_but_for};

use std::collections::BTreeMap;

use r8lite_ir::{Class, Entity, Field, Flags, Func, Inst, Module, Type};

/// Where an instruction stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Site {
    /// The method.
    pub func: Func,
    /// The instruction.
    pub inst: Inst,
}

/// The number of an updater in [`Plan::updaters`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct UpdaterId(pub u32);

impl Entity for UpdaterId {
    fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("an updater's number fits 32 bits"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Instructions that must stay as they are, whatever could be proven, with the reasons: calls of updaters' methods, reads
/// of updaters, and the stores that keep them.
pub type Fixed = BTreeMap<Site, Reason>;

/// What is decided for a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Plan {
    /// Every field that has a field updater's type, in the order of classes and fields.
    pub updaters: Vec<UpdaterPlan>,
    /// Every call of an updater method, in the order of classes, methods and layout.
    pub calls: Vec<CallPlan>,
    /// Static methods that do nothing but return an updater, and that go once nothing calls them.
    pub accessors: Vec<Func>,
    /// Copies of methods that are to be made, for callers that pass certain updaters. Then a new plan is due.
    pub copies: Vec<CopyPlan>,
    /// Methods of which only copies are used, and that go.
    pub originals: Vec<Func>,
    /// Fields of the program that are not to be touched, in the order of classes and fields.
    pub kept: Vec<Field>,
}

impl Plan {
    /// Whether a call is to be replaced, a method to be copied, or an updater or a method expected to go.
    pub fn has_work(&self) -> bool {
        !self.copies.is_empty()
            || !self.originals.is_empty()
            || self.calls.iter().any(|call| matches!(call.action, Action::Replace(_)))
            || self.updaters.iter().any(|updater| updater.remove)
    }

    /// The methods that go once nothing calls them.
    pub(crate) fn unused_methods(&self) -> impl Iterator<Item = Func> + '_ {
        self.accessors.iter().chain(&self.originals).copied()
    }
}

/// What the author says about the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlanOptions {
    /// Fields that are not touched: patterns for `Class.field`, in which `*` stands for any characters.
    pub keep: Vec<String>,
    /// Nothing outside the input uses it.
    pub whole_program: bool,
    /// No class outside the input is in a package of the input.
    pub closed_packages: bool,
    /// Who carries the plan out has a class declare the serialVersionUID that was computed for it, where it would be
    /// computed otherwise now: so members may come and go.
    pub declares_uids: bool,
}

impl PlanOptions {
    /// The option that would rule out uses of a member with these flags from outside the input; none if there are none.
    pub fn opening(&self, flags: Flags) -> Option<&'static str> {
        if flags.has(Flags::PRIVATE) || self.whole_program {
            None
        } else if flags.has(Flags::PUBLIC) || flags.has(Flags::PROTECTED) {
            Some("--whole-program")
        } else if self.closed_packages {
            None
        } else {
            Some("--closed-packages")
        }
    }

    /// The first pattern that keeps a field.
    pub fn keeps(&self, class: &str, field: &str) -> Option<&str> {
        let name = format!("{class}.{field}");
        self.keep.iter().map(String::as_str).find(|pattern| matches_pattern(pattern, &name))
    }
}

/// Whether `name` matches a pattern in which `*` stands for any characters. Takes time linear in the product of both.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// What is decided for an updater.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UpdaterPlan {
    /// The field that holds the updater.
    pub field: Field,
    /// Its kind.
    pub kind: Kind,
    /// What it works on, if recognised.
    pub recognised: Option<Recognised>,
    /// The offset field to add, if a call needs one.
    pub offset: Option<OffsetField>,
    /// Whether nothing outside the input can use it, so that it goes once nothing in the program reads it.
    pub hidden: bool,
    /// Whether nobody can tell whether or when its class is initialised, so that reads of it that are of no use go
    /// without a trace. Not known, and false, if it is not recognised.
    pub quiet: bool,
    /// Whether it is expected to go: it is hidden, and all its uses go.
    pub remove: bool,
    /// Why it is not recognised, or why it stays; none if it goes.
    pub reason: Option<Reason>,
}

/// An updater whose creation is certain to succeed, and what it works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Recognised {
    /// The class given to `newUpdater`; holders must be instances of it.
    pub holder: Class,
    /// The volatile field it updates.
    pub target: Field,
    /// The type of the field; new values must be instances of it.
    pub value: Type,
    /// The call of `newUpdater`.
    pub creation: Site,
    /// The `putstatic` that stores it.
    pub store: Site,
}

/// An offset field, in the class of its updater.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OffsetField {
    /// Its name: `updater$offset`.
    pub name: String,
    /// Its flags: private, or as visible as the calls that read it need.
    pub flags: Flags,
}

/// A copy of a method for those of its callers that pass certain updaters, so that in the copy these are known.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CopyPlan {
    /// The method that is copied.
    pub func: Func,
    /// The parameters that receive updaters, by their places among those of the entry block, and the updaters' fields.
    pub updaters: Vec<(usize, Field)>,
    /// What the copy is called.
    pub name: String,
    /// Its flags: private, or as visible as its callers need.
    pub flags: Flags,
    /// The calls that are to lead to the copy.
    pub calls: Vec<Site>,
}

impl CopyPlan {
    /// The copy, if it is there already.
    pub fn made(&self, module: &Module) -> Option<Func> {
        let data = &module.funcs[self.func];
        let declared = module.declared_method(data.class, module.find_symbol(&self.name)?, data.sig)?;
        (module.funcs[declared].copy_of == Some(self.func)).then_some(declared)
    }
}

/// What is decided for a call.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CallPlan {
    /// The call.
    pub site: Site,
    /// The operation.
    pub op: Operation,
    /// The updater it works on, if traced.
    pub updater: Option<UpdaterId>,
    /// What becomes of it, or why it stays.
    pub action: Action,
}

/// What becomes of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Action {
    /// It stays.
    Keep(Reason),
    /// It becomes an access of the target field.
    Replace(Replacement),
}

/// How a replaced call looks. Checks run in the order of these fields, after the arguments were evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Replacement {
    /// How the field is accessed.
    pub access: Access,
    /// How a null updater is told, and its class initialised.
    pub guard: Guard,
    /// Whether the holder has to be checked; it is an instance of the holder class, and not null, otherwise.
    pub check_holder: bool,
    /// Whether a new value has to be checked to be an instance of the field's type; it is proven otherwise.
    pub check_value: bool,
}

/// How a replaced call accesses the target field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Access {
    /// As a field, by `getfield` or `putfield`.
    Field,
    /// At the offset.
    Offset,
}

/// What stands in the place of the read of an updater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Guard {
    /// Nothing is needed: the updater's class is initialised and the updater assigned whenever the call is reached.
    Proven,
    /// The updater is assigned whenever its class is initialised, but that can be seen, and stays where the updater was
    /// read.
    Trigger,
    /// The offset field is read where the updater was read; 0 means a null updater, and throws
    /// `NullPointerException` where the call stood.
    Offset,
}

/// Why an updater or a call stays, in words that tell the author what to change.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reason {
    /// A stable short name: `not-final`, `escapes`.
    pub code: &'static str,
    /// What was found and what would change it.
    pub text: String,
    /// The instruction that it speaks of, where that is another one than the row is about.
    pub at: Option<Site>,
}

impl Reason {
    /// A reason that speaks of what its row is about.
    pub fn new(code: &'static str, text: impl Into<String>) -> Reason {
        Reason { code, text: text.into(), at: None }
    }
}
