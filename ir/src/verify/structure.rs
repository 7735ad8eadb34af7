//! The structure of a body: blocks, terminators, targets, and who owns which instruction and value.
//!
//! What later checks index by, they may rely on once this has passed.

use super::report::At;
use super::{BodyCx, report};
use crate::entity::{Block, Entity, Inst, Value};
use crate::function::ValueDef;
use crate::inst::{Arity, InstData, Op, Payload, SymbolKind};
use crate::types::Type;

/// Whether the structure is in order.
pub(super) fn check(cx: &mut BodyCx<'_, '_>) -> bool {
    let errors = cx.cx.errors.count();
    let body = cx.body;
    if body.layout.is_empty() {
        cx.error("E0220", "the body has no block".to_owned());
        return false;
    }
    let mut in_layout = vec![false; body.blocks.len()];
    for &block in &body.layout {
        if std::mem::replace(&mut in_layout[block.index()], true) {
            cx.at = At::Block(cx.func, block);
            cx.error("E0220", "the block stands in the body twice".to_owned());
        }
    }
    check_entry(cx);
    let mut placed = vec![false; body.insts.len()];
    for &block in &body.layout {
        cx.at = At::Block(cx.func, block);
        check_params(cx, block);
        for catch in &body.blocks[block].catches {
            check_target(cx, &in_layout, catch.target.block);
        }
        if body.blocks[block].insts.is_empty() {
            cx.error("E0221", "the block is empty; it has to end with a terminator".to_owned());
        }
        let last = body.blocks[block].insts.len().wrapping_sub(1);
        for (position, &inst) in body.blocks[block].insts.iter().enumerate() {
            cx.at = At::Inst(cx.func, block, inst);
            if std::mem::replace(&mut placed[inst.index()], true) {
                cx.error("E0220", "the instruction stands in the body twice".to_owned());
            }
            let data = &body.insts[inst];
            match (data.op.is_terminator(), position == last) {
                (true, true) | (false, false) => {}
                (true, false) => cx.error("E0221", "a terminator stands inside a block".to_owned()),
                (false, true) => cx.error("E0221", "the block does not end with a terminator".to_owned()),
            }
            check_inst(cx, inst, data);
            for target in data.targets() {
                check_target(cx, &in_layout, target.block);
            }
        }
    }
    cx.at = At::Func(cx.func);
    cx.cx.errors.count() == errors
}

/// The entry block's parameters are the method's.
fn check_entry(cx: &mut BodyCx<'_, '_>) {
    let (module, body) = (cx.cx.module, cx.body);
    let data = &module.funcs[cx.func];
    let receiver = (!data.is_static()).then_some(Type::Class(cx.class));
    let sig = module.sig(data.sig);
    let wanted = receiver.into_iter().chain(sig.params.iter().map(|ty| ty.value_type()));
    let params = &body.blocks[body.entry()].params;
    if !params.iter().map(|&param| body.values[param].ty).eq(wanted.clone()) {
        let types: Vec<Type> = wanted.collect();
        let wanted = report::types_text(module, &types);
        cx.error("E0222", format!("the entry block's parameters are not the method's: ({wanted})"));
    }
}

fn check_params(cx: &mut BodyCx<'_, '_>, block: Block) {
    let body = cx.body;
    for (index, &param) in body.blocks[block].params.iter().enumerate() {
        if body.values[param].def != ValueDef::Param(block, index as u32) {
            cx.error("E0220", format!("parameter {index} is a value that is defined elsewhere"));
        }
    }
}

fn check_target(cx: &mut BodyCx<'_, '_>, in_layout: &[bool], target: Block) {
    if !in_layout.get(target.index()).is_some_and(|&found| found) {
        cx.error("E0223", format!("the target {target} is no block of the body"));
    } else if target == cx.body.entry() {
        cx.error("E0223", "the target is the entry block, which nothing goes to".to_owned());
    }
}

/// Operand count, symbol and targets, as the opcode's row says; and the result's owner.
fn check_inst(cx: &mut BodyCx<'_, '_>, inst: Inst, data: &InstData) {
    let info = data.op.info();
    let fits = match info.arity {
        Arity::Exactly(count) => data.args.len() == usize::from(count),
        Arity::AtLeast(count) => data.args.len() >= usize::from(count),
    };
    if !fits {
        let wanted = match info.arity {
            Arity::Exactly(count) => format!("{count}"),
            Arity::AtLeast(count) => format!("at least {count}"),
        };
        cx.error("E0225", format!("{} takes {wanted} operands, not {}", info.mnemonic, data.args.len()));
    }
    let fits = match (&data.payload, info.symbol) {
        (Payload::None, SymbolKind::None) => !info.ordered,
        (Payload::Ordering(_), SymbolKind::None) => info.ordered,
        (Payload::Type(_), SymbolKind::Type) => !info.ordered,
        (Payload::OrderedType(..), SymbolKind::Type) => info.ordered,
        (Payload::Class(_), SymbolKind::Class)
        | (Payload::Field(_), SymbolKind::Field)
        | (Payload::Method(_), SymbolKind::Method) => true,
        (Payload::Targets(targets), SymbolKind::Targets) => {
            (data.op == Op::Jump && targets.len() == 1) || (data.op == Op::Branch && targets.len() == 2)
        }
        (Payload::Switch(table), SymbolKind::Targets) => {
            check_switch_keys(cx, &table.keys);
            data.op == Op::Switch && table.targets.len() == table.keys.len() + 1
        }
        // `return` and `throw` are terminators without a symbol, so what is left does not belong together.
        (
            Payload::None
            | Payload::Type(_)
            | Payload::Class(_)
            | Payload::Field(_)
            | Payload::Method(_)
            | Payload::Ordering(_)
            | Payload::OrderedType(..)
            | Payload::Targets(_)
            | Payload::Switch(_),
            _,
        ) => false,
    };
    if !fits {
        cx.error("E0225", format!("{} does not carry the symbol, ordering or targets it takes", info.mnemonic));
    }
    let owns = |value: Value| cx.body.values[value].def == ValueDef::Result(inst);
    if data.result.is_some_and(|value| !owns(value)) {
        cx.error("E0220", "the result is a value that is defined elsewhere".to_owned());
    }
}

fn check_switch_keys(cx: &mut BodyCx<'_, '_>, keys: &[i32]) {
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] >= pair[1]) {
        cx.error("E0224", format!("the key {} stands before {}; keys ascend without repeats", pair[0], pair[1]));
    }
}
