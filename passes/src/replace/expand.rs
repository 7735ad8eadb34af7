//! The operations that take a function, as a loop around a compare-and-swap.
//!
//! ```text
//!     new = invokevirtual …updateAndGet(u, h, f)          jump retry
//!     return new                                        retry:
//!                                                 ──▶     old = load.volatile T, h, off
//!                                                         new = invokeinterface UnaryOperator.apply(f, old)
//!                                                         done = cas.volatile h, off, old, new
//!                                                         branch done, rest, retry
//!                                                       rest:
//!                                                         return new
//! ```

use r8lite_ir::{
    Block, BlockData, Body, Edits, Inst, InstData, MethodRef, MethodRefData, Module, Op, Ordering, Payload, SigData,
    Target, Type, Value,
};
use smallvec::SmallVec;

use crate::cleanup::Pinned;
use crate::plan::Operation;

/// A call that becomes a loop. Its checks stand before it; its arguments are read from it when it is its turn, since
/// they may be results of calls that were replaced before.
pub(super) struct Loop {
    pub(super) inst: Inst,
    pub(super) op: Operation,
    pub(super) offset: Value,
    pub(super) value_type: Type,
    /// Whether what the function returns is checked against `value_type`.
    pub(super) check_value: bool,
}

/// Makes the calls loops.
pub(super) fn expand_all(module: &mut Module, body: &mut Body, loops: Vec<Loop>) {
    if loops.is_empty() {
        return;
    }
    let pinned = Pinned::new(body);
    let mut edits = Edits::new();
    // From the last to the first, so that what is cut off a block is short.
    for call in loops.into_iter().rev() {
        let (mut result, rest) = expand(module, body, &call);
        let Some(old) = body.insts[call.inst].result else { continue };
        if !pinned.can_replace(body, old, result) {
            let origin = body.insts[call.inst].origin;
            let cast = InstData::new(Op::CheckCast, Payload::Type(body.values[old].ty), [result], origin);
            let cast = body.make_inst(module, cast, None);
            body.blocks[rest].insts.insert(0, cast);
            result = body.insts[cast].result.expect("a cast has a result");
        }
        body.values[result].name = body.values[old].name.or(body.values[result].name);
        edits.alias(old, result);
    }
    edits.apply(body);
}

/// Makes one call a loop; the value that the call yielded, and the block that goes on with it.
fn expand(module: &mut Module, body: &mut Body, call: &Loop) -> (Value, Block) {
    let InstData { origin, args, .. } = body.insts[call.inst].clone();
    let (block, rest) = split_at(body, call.inst);
    let retry = insert_block_after(body, block);
    body.blocks[rest].name = Some(module.symbol("rest"));
    body.blocks[retry].name = Some(module.symbol("retry"));
    let [old_name, new_name, done_name] = ["old", "new", "done"].map(|name| Some(module.symbol(name)));
    let emit = |module: &Module, body: &mut Body, block: Block, op: Op, payload: Payload, args: &[Value], name| {
        let data = InstData::new(op, payload, args.iter().copied(), origin);
        let inst = body.append(module, block, data, name);
        body.insts[inst].result
    };
    emit(module, body, block, Op::Jump, goto(retry), &[], None);

    let holder = args[1];
    let typed = Payload::OrderedType(Ordering::Volatile, call.value_type);
    let old =
        emit(module, body, retry, Op::Load, typed, &[holder, call.offset], old_name).expect("a load has a result");
    let apply = Payload::Method(function_method(module, call.op, call.value_type));
    let args = match args[2..] {
        [function] => vec![function, old],
        [operand, function] => vec![function, old, operand],
        _ => unreachable!("an operation with a function has it alone or after one operand"),
    };
    let mut new =
        emit(module, body, retry, Op::InvokeInterface, apply, &args, new_name).expect("a function has a result");
    if call.check_value {
        let cast = Payload::Type(call.value_type);
        new = emit(module, body, retry, Op::CheckCast, cast, &[new], new_name).expect("a cast has a result");
    }
    let volatile = Payload::Ordering(Ordering::Volatile);
    let args = [holder, call.offset, old, new];
    let done = emit(module, body, retry, Op::Cas, volatile, &args, done_name).expect("a compare-and-swap has a result");
    let targets = Payload::Targets(Box::new([Target::new(rest, []), Target::new(retry, [])]));
    emit(module, body, retry, Op::Branch, targets, &[done], None);
    let result = match call.op {
        Operation::GetAndUpdate | Operation::GetAndAccumulate => old,
        _ => new,
    };
    (result, rest)
}

fn goto(block: Block) -> Payload {
    Payload::Targets(Box::new([Target::new(block, [])]))
}

/// Cuts a block in two at an instruction, which goes: its block, now without an end, and the block with the rest.
fn split_at(body: &mut Body, inst: Inst) -> (Block, Block) {
    let place = body.layout.iter().find_map(|&block| {
        let at = body.blocks[block].insts.iter().position(|&other| other == inst)?;
        Some((block, at))
    });
    let (block, at) = place.expect("the call stands in the body");
    let rest = insert_block_after(body, block);
    let insts = &mut body.blocks[block].insts;
    let tail = SmallVec::from_slice(&insts[at + 1..]);
    insts.truncate(at);
    body.blocks[rest].insts = tail;
    (block, rest)
}

/// Adds a block behind another, with the same handlers: what a handler is handed is there when that block is entered, so
/// it is there in this one too.
fn insert_block_after(body: &mut Body, block: Block) -> Block {
    let BlockData { catches, pos, .. } = body.blocks[block].clone();
    let new = body.blocks.push(BlockData { catches, pos, ..BlockData::default() });
    let at = body.layout.iter().position(|&other| other == block).expect("the block is in the layout");
    body.layout.insert(at + 1, new);
    new
}

/// The method of the functional interface that an operation takes.
fn function_method(module: &mut Module, op: Operation, value_type: Type) -> MethodRef {
    let unary = matches!(op, Operation::GetAndUpdate | Operation::UpdateAndGet);
    let (interface, method) = match (value_type, unary) {
        (Type::I32, true) => ("IntUnaryOperator", "applyAsInt"),
        (Type::I32, false) => ("IntBinaryOperator", "applyAsInt"),
        (Type::I64, true) => ("LongUnaryOperator", "applyAsLong"),
        (Type::I64, false) => ("LongBinaryOperator", "applyAsLong"),
        (_, true) => ("UnaryOperator", "apply"),
        (_, false) => ("BinaryOperator", "apply"),
    };
    let interface = module.symbol(&format!("java.util.function.{interface}"));
    let class = module.class(interface);
    let name = module.symbol(method);
    let ty = match value_type {
        Type::I32 | Type::I64 => value_type,
        _ => {
            let object = module.symbol("java.lang.Object");
            Type::Class(module.class(object))
        }
    };
    let sig = module.intern_sig(SigData { params: vec![ty; if unary { 1 } else { 2 }], ret: Some(ty) });
    module.intern_method_ref(MethodRefData { class, name, sig })
}
