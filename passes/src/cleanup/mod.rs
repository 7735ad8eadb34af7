//! The helping passes: they tidy up after the replacement, and sharpen a program before it.
//!
//! Each is small, works on the bodies of the program's classes alone, is safe on any verified module and knows nothing
//! of the plan. What they need in common stands here.

pub mod block_params;
pub mod checks;
pub mod dce;
pub mod dead_fields;
pub mod fold;
pub mod unreachable;

use r8lite_ir::{Block, Body, Cfg, Constant, FieldRef, Flags, Hierarchy, Module, Op, SecondaryMap, Value, ValueDef};
use smallvec::SmallVec;

/// Whether `a` and `b` are one value: the same, or equal constants.
pub(crate) fn same_value(body: &Body, a: Value, b: Value) -> bool {
    a == b || body.as_const(a).is_some_and(|constant| body.as_const(b) == Some(constant))
}

/// The whole number that a value is.
pub(crate) fn as_int(body: &Body, value: Value) -> Option<i64> {
    match body.as_const(value)? {
        Constant::I32(n) => Some(i64::from(n)),
        Constant::I64(n) => Some(n),
        Constant::F32(_) | Constant::F64(_) | Constant::Null | Constant::String(_) | Constant::Class(_) => None,
    }
}

/// Whether a value is 0 or 1 by its definition.
pub(crate) fn is_truth(body: &Body, value: Value) -> bool {
    match body.values[value].def {
        ValueDef::Const(constant) => matches!(constant, Constant::I32(0 | 1)),
        ValueDef::Result(inst) => matches!(
            body.insts[inst].op,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::InstanceOf | Op::Cas
        ),
        ValueDef::Param(..) => false,
    }
}

/// Values whose type another value's type is made from: where one is used, only a value of the very same type can
/// stand. (The arms of `select`, and arrays.)
pub(crate) struct Pinned(SecondaryMap<Value, bool>);

impl Pinned {
    /// Finds them.
    pub(crate) fn new(body: &Body) -> Self {
        let mut pinned = SecondaryMap::with_len(body.values.len(), false);
        for (_, inst) in body.layout_insts() {
            let data = &body.insts[inst];
            if data.op == Op::Select {
                pinned[data.args[1]] = true;
                pinned[data.args[2]] = true;
            } else if matches!(data.op, Op::ArrayLoad | Op::ArrayStore | Op::ArrayLength) {
                pinned[data.args[0]] = true;
            }
        }
        Self(pinned)
    }

    /// Whether `new` can stand wherever `old` is used, given that it can be assigned to `old`'s type.
    pub(crate) fn can_replace(&self, body: &Body, old: Value, new: Value) -> bool {
        body.values[old].ty == body.values[new].ty || !self.0[old]
    }

    /// Says that `new` now stands where `old` did.
    pub(crate) fn replaced(&mut self, old: Value, new: Value) {
        let pinned = self.0[old] || self.0[new];
        self.0[new] = pinned;
    }
}

/// Lays the blocks out anew if a definition no longer stands before all its uses in the text.
///
/// What moves a use to where its definition dominates it may still have moved it above the definition, if the blocks
/// stood in an odd order. Reverse postorder is always in order.
pub(crate) fn restore_order(body: &mut Body) {
    if !is_in_order(body) {
        let cfg = Cfg::new(body);
        let mut layout = SmallVec::from_slice(cfg.rpo());
        layout.extend(body.layout.iter().copied().filter(|&block| !cfg.is_reachable(block)));
        body.layout = layout;
    }
}

fn is_in_order(body: &Body) -> bool {
    let mut seen: SecondaryMap<Value, bool> = SecondaryMap::with_len(body.values.len(), false);
    for &block in &body.layout {
        let data = &body.blocks[block];
        for &param in &data.params {
            seen[param] = true;
        }
        let is_seen = |value: Value, seen: &SecondaryMap<Value, bool>| seen[value] || body.as_const(value).is_some();
        if data.catches.iter().flat_map(|catch| &catch.target.args).any(|&arg| !is_seen(arg, &seen)) {
            return false;
        }
        for &inst in &data.insts {
            let mut in_order = true;
            body.insts[inst].for_each_use(|value| in_order &= is_seen(value, &seen));
            if !in_order {
                return false;
            }
            if let Some(result) = body.insts[inst].result {
                seen[result] = true;
            }
        }
    }
    true
}

/// How many edges lead to each block, exception edges included.
pub(crate) fn count_edges(body: &Body) -> SecondaryMap<Block, u32> {
    let mut edges: SecondaryMap<Block, u32> = SecondaryMap::with_len(body.blocks.len(), 0);
    for &block in &body.layout {
        for catch in &body.blocks[block].catches {
            edges[catch.target.block] += 1;
        }
        if let Some(last) = body.terminator(block) {
            for target in body.insts[last].targets() {
                edges[target.block] += 1;
            }
        }
    }
    edges
}

/// Whether a field is declared, and not with this flag.
pub(crate) fn is_declared_without(module: &Module, hierarchy: &Hierarchy, field: FieldRef, flag: Flags) -> bool {
    hierarchy.resolve_field(module, field).is_some_and(|field| !module.fields[field].flags.has(flag))
}
