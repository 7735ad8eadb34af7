//! The plan: everything that is decided, before anything is changed.
//!
//! One row per updater and one per call of an updater method, each with its reason. The IR passes carry it out on IR,
//! the class-file side carries the same rows out on bytecode.

use r8lite_ir::{Class, Entity, Field, Func, Inst, Type};

/// The three kinds of field updaters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `AtomicReferenceFieldUpdater`
    Reference,
    /// `AtomicIntegerFieldUpdater`
    Integer,
    /// `AtomicLongFieldUpdater`
    Long,
}

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

/// What is decided for a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Plan {
    /// Every field that has a field updater's type, in the order of classes and fields.
    pub updaters: Vec<UpdaterPlan>,
    /// Every call of an updater method, in the order of classes, methods and layout.
    pub calls: Vec<CallPlan>,
    /// Accessors and bridges that nothing calls once the calls are replaced, and that go.
    pub dead_accessors: Vec<Func>,
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
    /// The name of the offset field to add, if one is.
    pub offset_field: Option<String>,
    /// Whether the updater field and its creation go.
    pub remove: bool,
    /// Why it is not recognised, or why it stays; none if it goes.
    pub reason: Option<Reason>,
}

/// An updater whose creation is certain to succeed, and what it works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// The operations of the three updater classes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operation {
    /// `get`
    Get,
    /// `set`
    Set,
    /// `lazySet`
    LazySet,
    /// `compareAndSet`
    CompareAndSet,
    /// `weakCompareAndSet`
    WeakCompareAndSet,
    /// `getAndSet`
    GetAndSet,
    /// `getAndAdd`
    GetAndAdd,
    /// `getAndIncrement`
    GetAndIncrement,
    /// `getAndDecrement`
    GetAndDecrement,
    /// `addAndGet`
    AddAndGet,
    /// `incrementAndGet`
    IncrementAndGet,
    /// `decrementAndGet`
    DecrementAndGet,
    /// `getAndUpdate`
    GetAndUpdate,
    /// `updateAndGet`
    UpdateAndGet,
    /// `getAndAccumulate`
    GetAndAccumulate,
    /// `accumulateAndGet`
    AccumulateAndGet,
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// As a field, by `getfield` or `putfield`.
    Field,
    /// At the offset.
    Offset,
}

/// What stands in the place of the read of an updater.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Nothing is needed: the updater's class is initialised and the updater assigned whenever the call is reached.
    Proven,
    /// The class is initialised where the updater was read; the updater is certainly assigned once that is done.
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
}
