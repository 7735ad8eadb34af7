//! Drops blocks that nothing reaches, goes straight where a block only jumps on, and joins blocks that follow each
//! other alone.
//!
//! ```text
//!   jump a                      x = add n, 1
//! a:                            return x
//!   x = add n, 1        →
//!   jump b(x)
//! b(y: i32):
//!   return y
//! dead:
//!   return 0
//! ```
//!
//! Holds before: a verified body. Holds after: every block is reachable, handlers stand only where something can throw,
//! no block other than the entry only jumps on (unless a handler does, or its parameters are used further down), and
//! no jump leads to a block that nothing else leads to, unless their handlers differ.
//! Cost: linear, and nothing for a body of one block without handlers.

use r8lite_ir::{Block, Body, Edits, Entity, Func, Inst, Module, Op, SecondaryMap, Target, Value, ValueDef};

use smallvec::{SmallVec, smallvec};

use super::{Pinned, count_edges, restore_order};
use crate::registry::BodyCx;

/// How many blocks that only jump on are skipped for one jump; a ring of them has no end.
const MAX_HOPS: usize = 32;

/// Cleans one body; whether it changed.
pub fn clean(cx: &BodyCx<'_>, _: Func, body: &mut Body) -> bool {
    tidy(cx.module, body)
}

/// The same, for who needs no context for it.
pub(crate) fn tidy(module: &Module, body: &mut Body) -> bool {
    if is_tidy(module, body) {
        return false;
    }
    let mut changed = drop_idle_handlers(module, body);
    changed |= drop_unreachable(body);
    let threaded = thread_jumps(body);
    if threaded {
        drop_unreachable(body);
    }
    let merged = merge_chains(module, body);
    if threaded || merged {
        restore_order(body);
    }
    changed | threaded | merged
}

/// Whether a walk over the blocks shows that there is nothing to do, as in most bodies.
fn is_tidy(module: &Module, body: &Body) -> bool {
    let mut edges: SmallVec<[u32; 16]> = smallvec![0; body.blocks.len()];
    edges[body.entry().index()] = 1;
    for &block in &body.layout {
        let data = &body.blocks[block];
        // To blocks that are reached from above alone, edges lead from blocks that are reached.
        if edges[block.index()] == 0 || is_hop(body, block) || !data.catches.is_empty() && !throws(module, body, block)
        {
            return false;
        }
        data.catches.iter().for_each(|catch| edges[catch.target.block.index()] += 1);
        if let Some(last) = body.terminator(block) {
            body.insts[last].targets().iter().for_each(|target| edges[target.block.index()] += 1);
        }
    }
    !body.layout.iter().any(|&block| {
        body.terminator(block).is_some_and(|last| {
            let data = &body.insts[last];
            data.op == Op::Jump && edges[data.targets()[0].block.index()] == 1
        })
    })
}

/// Takes the handlers from blocks where nothing can throw.
fn drop_idle_handlers(module: &Module, body: &mut Body) -> bool {
    let mut changed = false;
    for index in 0..body.layout.len() {
        let block = body.layout[index];
        if !body.blocks[block].catches.is_empty() && !throws(module, body, block) {
            body.blocks[block].catches.clear();
            changed = true;
        }
    }
    changed
}

fn throws(module: &Module, body: &Body, block: Block) -> bool {
    body.blocks[block].insts.iter().any(|&inst| body.may_throw(module, inst))
}

/// Takes blocks that the entry does not reach out of the layout.
pub(crate) fn drop_unreachable(body: &mut Body) -> bool {
    let mut reached = vec![false; body.blocks.len()];
    let mut work = vec![body.entry()];
    reached[body.entry().index()] = true;
    while let Some(block) = work.pop() {
        let mut reach = |target: &Target| {
            if !std::mem::replace(&mut reached[target.block.index()], true) {
                work.push(target.block);
            }
        };
        body.blocks[block].catches.iter().for_each(|catch| reach(&catch.target));
        if let Some(last) = body.terminator(block) {
            body.insts[last].targets().iter().for_each(reach);
        }
    }
    let before = body.layout.len();
    body.layout.retain(|block| reached[block.index()]);
    body.layout.len() != before
}

/// Lets jumps and branches to blocks that only jump on go straight to the end.
fn thread_jumps(body: &mut Body) -> bool {
    let hops: Vec<Block> = body.layout.iter().copied().filter(|&block| is_hop(body, block)).collect();
    if hops.is_empty() {
        return false;
    }
    // A parameter that is used anywhere else but in the jump itself needs its block.
    let mut hop: SecondaryMap<Block, Option<Inst>> = SecondaryMap::with_len(body.blocks.len(), None);
    for block in hops {
        hop[block] = body.terminator(block);
    }
    let uses_elsewhere = |user: Block, value: Value, hop: &mut SecondaryMap<Block, Option<Inst>>| {
        if let ValueDef::Param(block, _) = body.values[value].def
            && block != user
        {
            hop[block] = None;
        }
    };
    for &block in &body.layout {
        for catch in &body.blocks[block].catches {
            catch.target.args.iter().for_each(|&arg| uses_elsewhere(block, arg, &mut hop));
        }
        for &inst in &body.blocks[block].insts {
            body.insts[inst].for_each_use(|value| uses_elsewhere(block, value, &mut hop));
        }
    }

    let mut changed = false;
    for index in 0..body.layout.len() {
        let Some(last) = body.terminator(body.layout[index]) else { continue };
        for side in 0..body.insts[last].targets().len() {
            let mut target = body.insts[last].targets()[side].clone();
            let mut steps = 0;
            while let Some(jump) = hop[target.block]
                && jump != last
                && steps < MAX_HOPS
            {
                target = through(body, jump, &target);
                steps += 1;
            }
            // A ring without an exit stays as it is.
            if steps > 0 && steps < MAX_HOPS {
                body.insts[last].targets_mut()[side] = target;
                changed = true;
            }
        }
    }
    changed
}

/// Whether a block does nothing but jump to another one.
fn is_hop(body: &Body, block: Block) -> bool {
    let data = &body.blocks[block];
    let &[only] = data.insts.as_slice() else { return false };
    block != body.entry() && body.insts[only].op == Op::Jump && body.insts[only].targets()[0].block != block
}

/// Where a jump ends up that goes to the block of `jump` with these arguments.
pub(crate) fn through(body: &Body, jump: Inst, target: &Target) -> Target {
    let next = &body.insts[jump].targets()[0];
    Target::new(next.block, next.args.iter().map(|&arg| passed(body, target, arg)))
}

/// What `value` is in the target's block, as seen from the edge.
pub(crate) fn passed(body: &Body, target: &Target, value: Value) -> Value {
    match body.values[value].def {
        ValueDef::Param(block, index) if block == target.block => target.args[index as usize],
        _ => value,
    }
}

/// Joins each block with the one it jumps to, where nothing else leads there.
fn merge_chains(module: &Module, body: &mut Body) -> bool {
    let edges = count_edges(body);
    let mut pinned = None;
    let mut gone = vec![false; body.blocks.len()];
    let mut edits = Edits::new();
    let mut changed = false;
    for index in 0..body.layout.len() {
        let first = body.layout[index];
        if gone[first.index()] {
            continue;
        }
        while let Some(last) = body.terminator(first)
            && body.insts[last].op == Op::Jump
        {
            let target = &body.insts[last].targets()[0];
            let second = target.block;
            if second == first
                || second == body.entry()
                || edges[second] != 1
                || !can_merge(module, body, first, target)
            {
                break;
            }
            let pairs = || body.blocks[second].params.iter().copied().zip(target.args.iter().copied());
            if pairs().any(|(param, arg)| body.values[param].ty != body.values[arg].ty) {
                let pinned = pinned.get_or_insert_with(|| Pinned::new(body));
                if !pairs().all(|(param, arg)| pinned.can_replace(body, param, arg)) {
                    break;
                }
                pairs().for_each(|(param, arg)| pinned.replaced(param, arg));
            }
            for (&param, &arg) in body.blocks[second].params.iter().zip(&target.args) {
                edits.alias(param, arg);
            }
            let insts = std::mem::take(&mut body.blocks[second].insts);
            let catches = std::mem::take(&mut body.blocks[second].catches);
            let data = &mut body.blocks[first];
            data.insts.pop();
            data.insts.extend(insts);
            if data.catches.is_empty() {
                data.catches = catches;
            }
            gone[second.index()] = true;
            changed = true;
        }
    }
    if changed {
        body.layout.retain(|block| !gone[block.index()]);
        edits.apply(body);
    }
    changed
}

/// Whether the handlers of two blocks that follow each other allow them to be one. Blocks in which nothing can throw
/// have none.
fn can_merge(module: &Module, body: &Body, first: Block, target: &Target) -> bool {
    let (a, b) = (&body.blocks[first], &body.blocks[target.block]);
    if b.catches.is_empty() {
        // What the second block throws, nothing catches.
        return a.catches.is_empty() || !throws(module, body, target.block);
    }
    let params_passed = b.catches.iter().flat_map(|catch| &catch.target.args).any(|arg| b.params.contains(arg));
    // A handler must not use what the first block computes, so that one has to be empty where it has no handlers.
    a.catches == b.catches && !params_passed || a.catches.is_empty() && a.insts.len() == 1
}
