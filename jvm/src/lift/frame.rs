//! What the JVM's stack and local variables hold: values of the IR, one slot a value.

use r8lite_ir::{Module, Type, Value};

/// A slot of the stack, or a local variable. A wide value has one slot here, and as a local variable the next one is
/// unusable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    /// Nothing that may be used.
    Unusable,
    /// A value.
    Value(Value),
    /// Where a subroutine returns to: the number of an instruction.
    Return(u32),
}

/// What is known of a slot where blocks meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Unusable,
    Value(Type),
    Return(u32),
}

/// A row of slots: the stack, and the local variables that a block needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slots<S> {
    pub(crate) stack: Vec<S>,
    /// One for each variable that is live in the block.
    pub(crate) locals: Vec<S>,
}

/// The stack and the local variables while a block is gone through.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub(crate) stack: Vec<Slot>,
    locals: Vec<Slot>,
    /// The variables that were set since the frame was cleared: there may be many that never are.
    touched: Vec<u16>,
}

impl Frame {
    pub(crate) fn new(max_locals: u16) -> Frame {
        Frame { stack: Vec::new(), locals: vec![Slot::Unusable; usize::from(max_locals)], touched: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.stack.clear();
        for local in self.touched.drain(..) {
            self.locals[usize::from(local)] = Slot::Unusable;
        }
    }

    pub(crate) fn local(&self, local: u16) -> Slot {
        self.locals.get(usize::from(local)).copied().unwrap_or(Slot::Unusable)
    }

    /// Sets a variable as it is. There is such a variable.
    pub(crate) fn set_local(&mut self, local: u16, slot: Slot) {
        self.locals[usize::from(local)] = slot;
        self.touched.push(local);
    }

    /// What a block needs of it.
    pub(crate) fn take(&self, live: &[u16]) -> Slots<Slot> {
        Slots { stack: self.stack.clone(), locals: live.iter().map(|&local| self.local(local)).collect() }
    }
}

/// What is known of a slot that is one or the other.
pub(crate) fn merge(module: &Module, a: Kind, b: Kind) -> Kind {
    match (a, b) {
        _ if a == b => a,
        (Kind::Value(x), Kind::Value(y)) if x.is_ref() && y.is_ref() => Kind::Value(module.join(x, y)),
        _ => Kind::Unusable,
    }
}
