//! The three kinds of field updaters, and their operations.

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

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Reference, Kind::Integer, Kind::Long];

    /// `Reference`, `Integer` or `Long`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Reference => "Reference",
            Kind::Integer => "Integer",
            Kind::Long => "Long",
        }
    }

    /// The full name of the updater class.
    pub fn class_name(self) -> &'static str {
        match self {
            Kind::Reference => "java.util.concurrent.atomic.AtomicReferenceFieldUpdater",
            Kind::Integer => "java.util.concurrent.atomic.AtomicIntegerFieldUpdater",
            Kind::Long => "java.util.concurrent.atomic.AtomicLongFieldUpdater",
        }
    }
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

impl Operation {
    /// All operations.
    pub const ALL: [Operation; 16] = [
        Operation::Get,
        Operation::Set,
        Operation::LazySet,
        Operation::CompareAndSet,
        Operation::WeakCompareAndSet,
        Operation::GetAndSet,
        Operation::GetAndAdd,
        Operation::GetAndIncrement,
        Operation::GetAndDecrement,
        Operation::AddAndGet,
        Operation::IncrementAndGet,
        Operation::DecrementAndGet,
        Operation::GetAndUpdate,
        Operation::UpdateAndGet,
        Operation::GetAndAccumulate,
        Operation::AccumulateAndGet,
    ];

    /// The name of the method.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Get => "get",
            Operation::Set => "set",
            Operation::LazySet => "lazySet",
            Operation::CompareAndSet => "compareAndSet",
            Operation::WeakCompareAndSet => "weakCompareAndSet",
            Operation::GetAndSet => "getAndSet",
            Operation::GetAndAdd => "getAndAdd",
            Operation::GetAndIncrement => "getAndIncrement",
            Operation::GetAndDecrement => "getAndDecrement",
            Operation::AddAndGet => "addAndGet",
            Operation::IncrementAndGet => "incrementAndGet",
            Operation::DecrementAndGet => "decrementAndGet",
            Operation::GetAndUpdate => "getAndUpdate",
            Operation::UpdateAndGet => "updateAndGet",
            Operation::GetAndAccumulate => "getAndAccumulate",
            Operation::AccumulateAndGet => "accumulateAndGet",
        }
    }

    /// The index, among the arguments that follow updater and holder, of the new value, which a reference updater
    /// checks before the access.
    pub fn new_value_arg(self) -> Option<usize> {
        match self {
            Operation::Set | Operation::LazySet | Operation::GetAndSet => Some(0),
            Operation::CompareAndSet | Operation::WeakCompareAndSet => Some(1),
            _ => None,
        }
    }

    /// Whether it calls a function of the program's and retries.
    pub fn takes_function(self) -> bool {
        matches!(
            self,
            Operation::GetAndUpdate
                | Operation::UpdateAndGet
                | Operation::GetAndAccumulate
                | Operation::AccumulateAndGet
        )
    }

    /// The access at an offset that stands for the operation, as the IR writes it.
    pub fn access_name(self) -> &'static str {
        match self {
            Operation::Get => "load.volatile",
            Operation::Set => "store.volatile",
            Operation::LazySet => "store.release",
            Operation::CompareAndSet | Operation::WeakCompareAndSet => "cas.volatile",
            Operation::GetAndSet => "getandset.volatile",
            Operation::GetAndAdd
            | Operation::GetAndIncrement
            | Operation::GetAndDecrement
            | Operation::AddAndGet
            | Operation::IncrementAndGet
            | Operation::DecrementAndGet => "getandadd.volatile",
            Operation::GetAndUpdate
            | Operation::UpdateAndGet
            | Operation::GetAndAccumulate
            | Operation::AccumulateAndGet => "a loop around cas.volatile",
        }
    }
}
