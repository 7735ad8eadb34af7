//! The operations of updaters as methods of `sun.misc.Unsafe` and of `java.lang.invoke.VarHandle`.

use r8lite_classfile::{Insn, Opcode, Result};
use r8lite_passes::plan::{Kind, Operation};

use super::asm::{Asm, MemberName};

/// The internal name of the class.
pub(crate) const UNSAFE: &str = "sun/misc/Unsafe";

/// Its descriptor.
pub(crate) const UNSAFE_TYPE: &str = "Lsun/misc/Unsafe;";

/// What values of a kind of updater are, to Unsafe: the name in its methods, and the descriptor.
pub(crate) fn value(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Reference => ("Object", "Ljava/lang/Object;"),
        Kind::Integer => ("Int", "I"),
        Kind::Long => ("Long", "J"),
    }
}

/// What becomes of an operation.
pub(crate) struct Call {
    /// The method of Unsafe that is called with holder and offset below its arguments.
    pub(crate) method: MemberName,
    /// What it adds, where that is no argument of the operation.
    pub(crate) delta: Option<i32>,
    /// Whether what was added has to be added to the result, for the new value.
    pub(crate) returns_new: bool,
    /// Whether it is missing on Android before API level 24.
    pub(crate) since_24: bool,
}

/// The method for an operation; none for those that take a function.
pub(crate) fn call(kind: Kind, op: Operation) -> Option<Call> {
    let (name, ty) = value(kind);
    let (method, descriptor) = match op {
        Operation::Get => (format!("get{name}Volatile"), format!("(Ljava/lang/Object;J){ty}")),
        Operation::Set => (format!("put{name}Volatile"), format!("(Ljava/lang/Object;J{ty})V")),
        Operation::LazySet => (format!("putOrdered{name}"), format!("(Ljava/lang/Object;J{ty})V")),
        Operation::CompareAndSet | Operation::WeakCompareAndSet => {
            (format!("compareAndSwap{name}"), format!("(Ljava/lang/Object;J{ty}{ty})Z"))
        }
        Operation::GetAndSet => (format!("getAndSet{name}"), format!("(Ljava/lang/Object;J{ty}){ty}")),
        Operation::GetAndAdd
        | Operation::GetAndIncrement
        | Operation::GetAndDecrement
        | Operation::AddAndGet
        | Operation::IncrementAndGet
        | Operation::DecrementAndGet => (format!("getAndAdd{name}"), format!("(Ljava/lang/Object;J{ty}){ty}")),
        Operation::GetAndUpdate
        | Operation::UpdateAndGet
        | Operation::GetAndAccumulate
        | Operation::AccumulateAndGet => return None,
    };
    let delta = match op {
        Operation::GetAndIncrement | Operation::IncrementAndGet => Some(1),
        Operation::GetAndDecrement | Operation::DecrementAndGet => Some(-1),
        _ => None,
    };
    let returns_new = matches!(op, Operation::AddAndGet | Operation::IncrementAndGet | Operation::DecrementAndGet);
    let since_24 = method.starts_with("getAnd");
    Some(Call { method: MemberName::new(UNSAFE, method, descriptor), delta, returns_new, since_24 })
}

/// A value's load, store, push of a small number and addition.
pub(crate) struct ValueCode {
    pub(crate) load: Opcode,
    pub(crate) store: Opcode,
    pub(crate) add: Opcode,
    pub(crate) dup: Opcode,
    pub(crate) ret: Opcode,
    pub(crate) slots: u16,
}

/// The instructions for values of a kind.
pub(crate) fn value_code(kind: Kind) -> ValueCode {
    use Opcode::*;
    match kind {
        Kind::Reference => ValueCode { load: Aload, store: Astore, add: Nop, dup: Dup, ret: Areturn, slots: 1 },
        Kind::Integer => ValueCode { load: Iload, store: Istore, add: Iadd, dup: Dup, ret: Ireturn, slots: 1 },
        Kind::Long => ValueCode { load: Lload, store: Lstore, add: Ladd, dup: Dup2, ret: Lreturn, slots: 2 },
    }
}

/// Pushes 1 or -1.
pub(crate) fn push_delta(asm: &mut Asm<'_, '_>, kind: Kind, delta: i32) {
    match (kind, delta) {
        (Kind::Long, 1) => asm.op(Opcode::Lconst1),
        (Kind::Long, _) => {
            asm.op(Opcode::IconstM1);
            asm.op(Opcode::I2l);
        }
        (_, 1) => asm.op(Opcode::Iconst1),
        (..) => asm.op(Opcode::IconstM1),
    }
}

/// The internal name of the class.
pub(crate) const HANDLE: &str = "java/lang/invoke/VarHandle";

/// Its descriptor.
pub(crate) const HANDLE_TYPE: &str = "Ljava/lang/invoke/VarHandle;";

/// The types that a handle works with: those of its methods have to be exactly these.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Handle {
    /// The internal name of the holder class.
    pub(crate) holder: String,
    /// The descriptor of the field.
    pub(crate) value: String,
}

impl Handle {
    fn method(&self, op: Operation) -> MemberName {
        let Handle { holder, value } = self;
        let (name, descriptor) = match op {
            Operation::Get => ("getVolatile", format!("(L{holder};){value}")),
            Operation::Set => ("setVolatile", format!("(L{holder};{value})V")),
            Operation::LazySet => ("setRelease", format!("(L{holder};{value})V")),
            Operation::CompareAndSet | Operation::WeakCompareAndSet => {
                ("compareAndSet", format!("(L{holder};{value}{value})Z"))
            }
            Operation::GetAndSet => ("getAndSet", format!("(L{holder};{value}){value}")),
            Operation::GetAndAdd
            | Operation::GetAndIncrement
            | Operation::GetAndDecrement
            | Operation::AddAndGet
            | Operation::IncrementAndGet
            | Operation::DecrementAndGet => ("getAndAdd", format!("(L{holder};{value}){value}")),
            Operation::GetAndUpdate
            | Operation::UpdateAndGet
            | Operation::GetAndAccumulate
            | Operation::AccumulateAndGet => unreachable!("operations with a function become a loop"),
        };
        MemberName::new(HANDLE, name, descriptor)
    }
}

/// What does an operation at an offset.
#[derive(Clone, Copy)]
pub(crate) enum By<'x> {
    /// Unsafe, or in the place of a method that it lacks, a static one that is given it as well.
    Unsafe { instead: Option<&'x MemberName> },
    /// A handle, which has the offset.
    Handle(&'x Handle),
}

/// The operation, with Unsafe, holder and offset, or handle and holder, and then the operation's arguments on the stack.
/// `spare` is a local variable that nothing uses.
pub(crate) fn perform(asm: &mut Asm<'_, '_>, kind: Kind, op: Operation, by: By<'_>, spare: u16) -> Result<()> {
    let Call { method, delta, returns_new, .. } = call(kind, op).expect("operations with a function become a loop");
    let code = value_code(kind);
    if let Some(delta) = delta {
        push_delta(asm, kind, delta);
    } else if returns_new {
        asm.op(code.dup);
        asm.insn(Insn::store(code.store, spare));
    }
    match by {
        By::Unsafe { instead: Some(helper) } => asm.invoke(Opcode::Invokestatic, helper)?,
        By::Unsafe { instead: None } => asm.invoke(Opcode::Invokevirtual, &method)?,
        By::Handle(handle) => asm.invoke(Opcode::Invokevirtual, &handle.method(op))?,
    }
    if returns_new {
        match delta {
            Some(delta) => push_delta(asm, kind, delta),
            None => asm.insn(Insn::load(code.load, spare)),
        }
        asm.op(code.add);
    }
    Ok(())
}

/// The static method of the holder class that does what a method of Unsafe does which Android lacks before API level 24.
pub(crate) fn substitute(unsafe_class: &str, kind: Kind, op: Operation) -> Option<MemberName> {
    let Call { method, since_24, .. } = call(kind, op)?;
    let descriptor = method.descriptor.replacen('(', &format!("({UNSAFE_TYPE}"), 1);
    since_24.then(|| MemberName::new(unsafe_class, method.name, descriptor))
}
