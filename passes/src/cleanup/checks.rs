//! Removes checks and tests whose outcome is known.
//!
//! ```text
//!   a = getfield Node.next, n              a = getfield Node.next, n
//!   nullcheck n                            b = getfield Node.value, n
//!   isnull = eq n, null              →     return b
//!   branch isnull, none, some
//! some:
//!   …
//! ```
//!
//! The proofs are those of [`Facts`]: an earlier check that completed, the side of a branch, the static class. A check
//! goes only if it certainly succeeds, so no exception moves or changes; the first check always stays.
//!
//! A `checkcast` that succeeds goes if its operand's static type says as much, or if an earlier cast of the same
//! reference to the same type is at hand; otherwise it stays, as it is what gives the reference its type.
//! Holds before: a verified body. Holds after: a verified body with fewer checks; a decided branch has a constant
//! condition, which `fold` turns into a jump.
//! Cost: that of the facts, and nothing for a body without checks.

use r8lite_ir::{
    Answer, Block, Body, Cfg, Constant, Edits, Func, Hierarchy, Inst, InstData, Module, Op, Payload, Type, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Pinned;
use crate::bodies::OpSet;
use crate::facts::{Facts, root};
use crate::registry::BodyCx;

/// How many earlier casts of one reference to one type are remembered.
const MAX_CASTS: usize = 4;

/// What becomes of an instruction.
enum Change {
    /// It goes; it has no result.
    Remove,
    /// It goes, and another value stands for its result.
    Alias(Value),
    /// It goes, and its result is this number.
    Is(i32),
    /// It becomes `ne x, null` of its operand.
    NotNull,
    /// It is a branch that always goes one way.
    Decided(bool),
}

/// Cleans one body; whether it changed.
pub fn clean(cx: &BodyCx<'_>, func: Func, body: &mut Body) -> bool {
    let (module, hierarchy) = (cx.module, cx.hierarchy);
    if !has_candidates(body) {
        return false;
    }
    let changes = find(module, hierarchy, func, body);
    if changes.is_empty() {
        return false;
    }
    let mut edits = Edits::new();
    for (inst, change) in changes {
        let result = body.insts[inst].result;
        match change {
            Change::Remove => edits.remove(inst),
            Change::Alias(value) => {
                edits.remove(inst);
                edits.alias(result.expect("a cast has a result"), value);
            }
            Change::Is(number) => {
                edits.remove(inst);
                let value = body.constant(module, Constant::I32(number));
                edits.alias(result.expect("a test has a result"), value);
            }
            Change::NotNull => {
                let null = body.constant(module, Constant::Null);
                let data = &mut body.insts[inst];
                *data = InstData { op: Op::Ne, payload: Payload::None, ..data.clone() };
                data.args.push(null);
            }
            Change::Decided(taken) => {
                let value = body.constant(module, Constant::I32(i32::from(taken)));
                body.insts[inst].args[0] = value;
            }
        }
    }
    edits.apply(body);
    true
}

/// Opcodes of what a fact may decide: see [`has_candidates`].
pub(crate) const CANDIDATES: OpSet =
    OpSet::of(&[Op::NullCheck, Op::Check, Op::CheckCast, Op::InstanceOf, Op::Eq, Op::Ne, Op::Branch]);

/// Whether a body has an instruction that a fact may decide. Of the branches only those are that test what another one
/// tests.
fn has_candidates(body: &Body) -> bool {
    let mut conditions: SmallVec<[Value; 8]> = SmallVec::new();
    for (_, inst) in body.layout_insts() {
        let data = &body.insts[inst];
        if data.op == Op::Branch {
            conditions.push(data.args[0]);
        } else if matches!(data.op, Op::NullCheck | Op::Check | Op::CheckCast | Op::InstanceOf)
            || is_null_test(data.op) && data.args.iter().any(|&arg| body.as_const(arg) == Some(Constant::Null))
        {
            return true;
        }
    }
    conditions.sort_unstable();
    conditions.windows(2).any(|pair| pair[0] == pair[1])
}

fn is_null_test(op: Op) -> bool {
    matches!(op, Op::Eq | Op::Ne)
}

fn find(module: &Module, hierarchy: &Hierarchy, func: Func, body: &Body) -> Vec<(Inst, Change)> {
    let facts = Facts::new(module, hierarchy, func, body);
    let cfg = facts.cfg();
    let mut casts = Casts { pinned: Pinned::new(body), earlier: FxHashMap::default() };
    let mut changes = Vec::new();
    // The outcomes found so far, for the checks and branches that ask for them.
    let mut outcomes: FxHashMap<Value, bool> = FxHashMap::default();
    for &block in &body.layout {
        if !cfg.is_reachable(block) {
            continue;
        }
        for &inst in &body.blocks[block].insts {
            let data = &body.insts[inst];
            let condition = |outcomes: &FxHashMap<Value, bool>| {
                outcomes.get(&data.args[0]).copied().or_else(|| facts.condition(data.args[0], inst))
            };
            let change = if data.op == Op::NullCheck {
                facts.is_non_null(data.args[0], inst).then_some(Change::Remove)
            } else if data.op == Op::Check {
                (condition(&outcomes) == Some(true)).then_some(Change::Remove)
            } else if data.op == Op::Branch && body.as_const(data.args[0]).is_none() {
                condition(&outcomes).map(Change::Decided)
            } else if data.op == Op::InstanceOf {
                instance_of(module, hierarchy, &facts, data, inst)
            } else if data.op == Op::CheckCast {
                casts.check_cast(module, hierarchy, body, cfg, &facts, (block, inst)).map(Change::Alias)
            } else if is_null_test(data.op) {
                null_test(body, &facts, inst).map(|holds| Change::Is(i32::from(holds)))
            } else {
                None
            };
            if let Some(Change::Is(number)) = change {
                outcomes.extend(data.result.map(|result| (result, number != 0)));
            }
            changes.extend(change.map(|change| (inst, change)));
        }
    }
    changes
}

/// What a comparison with null says, if that is known.
fn null_test(body: &Body, facts: &Facts<'_>, inst: Inst) -> Option<bool> {
    let data = &body.insts[inst];
    let value = match (body.as_const(data.args[0]), body.as_const(data.args[1])) {
        (_, Some(Constant::Null)) => data.args[0],
        (Some(Constant::Null), _) => data.args[1],
        _ => return None,
    };
    if facts.is_null(value, inst) {
        Some(data.op == Op::Eq)
    } else if facts.is_non_null(value, inst) {
        Some(data.op == Op::Ne)
    } else {
        None
    }
}

fn instance_of(
    module: &Module,
    hierarchy: &Hierarchy,
    facts: &Facts<'_>,
    data: &InstData,
    inst: Inst,
) -> Option<Change> {
    let value = data.args[0];
    let ty = data.type_symbol()?;
    if facts.is_null(value, inst) {
        return Some(Change::Is(0));
    }
    if facts.is_null_or_instance(value, ty, inst) {
        return Some(if facts.is_non_null(value, inst) { Change::Is(1) } else { Change::NotNull });
    }
    // A class that is missing is missed even where the answer is no.
    if module.unknown_class(ty).is_some() {
        return None;
    }
    let exact = Type::Class(facts.known_class(value)?);
    (hierarchy.is_subtype(module, exact, ty) == Answer::No).then_some(Change::Is(0))
}

/// The casts met so far, and what may stand for their results.
struct Casts {
    pinned: Pinned,
    earlier: FxHashMap<(Value, Type), Vec<Value>>,
}

impl Casts {
    /// The value that can stand for the result of a cast that certainly succeeds.
    fn check_cast(
        &mut self,
        module: &Module,
        hierarchy: &Hierarchy,
        body: &Body,
        cfg: &Cfg,
        facts: &Facts<'_>,
        (block, inst): (Block, Inst),
    ) -> Option<Value> {
        let data = &body.insts[inst];
        let (value, result, ty) = (data.args[0], data.result?, data.type_symbol()?);
        let from = body.values[value].ty;
        if facts.is_null_or_instance(value, ty, inst)
            && (from == ty || hierarchy.is_subtype(module, from, ty) == Answer::Yes)
            && self.pinned.can_replace(body, result, value)
        {
            self.pinned.replaced(result, value);
            return Some(value);
        }
        let earlier = self.earlier.entry((root(body, value), ty)).or_default();
        let found = earlier.iter().copied().find(|&other| cfg.is_available(body, other, block, inst));
        if found.is_none() && earlier.len() < MAX_CASTS {
            earlier.push(result);
        }
        found
    }
}
