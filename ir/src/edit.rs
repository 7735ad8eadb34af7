//! Editing a body: collect edits by instruction, then apply them in one sweep.
//!
//! Finding and changing are apart: a pass walks the body, notes what is to happen at which instruction, and
//! [`Edits::apply`] rewrites each block once. So a pass never walks what it is changing, and a block with thousands of
//! edits costs one copy.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::entity::{Inst, SecondaryMap, Value};
use crate::function::{Body, ValueDef};

/// What is to happen to a body. Instructions are made in the body beforehand with `Body::make_inst`.
#[derive(Default, Debug)]
pub struct Edits {
    by_inst: FxHashMap<Inst, Edit>,
    aliases: Vec<(Value, Value)>,
}

#[derive(Default, Debug)]
struct Edit {
    before: SmallVec<[Inst; 2]>,
    after: SmallVec<[Inst; 2]>,
    remove: bool,
}

impl Edits {
    /// No edit.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is to happen.
    pub fn is_empty(&self) -> bool {
        self.by_inst.is_empty() && self.aliases.is_empty()
    }

    /// Puts `new` before `inst`; several at one place keep the order of the calls.
    pub fn before(&mut self, inst: Inst, new: Inst) {
        self.by_inst.entry(inst).or_default().before.push(new);
    }

    /// Puts `new` after `inst`; several at one place keep the order of the calls.
    pub fn after(&mut self, inst: Inst, new: Inst) {
        self.by_inst.entry(inst).or_default().after.push(new);
    }

    /// Takes `inst` out of its block. Its result must have no use left, or an alias.
    pub fn remove(&mut self, inst: Inst) {
        self.by_inst.entry(inst).or_default().remove = true;
    }

    /// Makes every use of `old` a use of `new`; chains are followed. If `new` has no name, it takes that of `old`.
    pub fn alias(&mut self, old: Value, new: Value) {
        self.aliases.push((old, new));
    }

    /// Carries everything out.
    ///
    /// # Panics
    /// If aliases form a cycle.
    pub fn apply(self, body: &mut Body) {
        if !self.by_inst.is_empty() {
            for &block in &body.layout {
                let insts = &body.blocks[block].insts;
                if !insts.iter().any(|inst| self.by_inst.contains_key(inst)) {
                    continue;
                }
                let mut new = SmallVec::with_capacity(insts.len());
                for inst in insts {
                    match self.by_inst.get(inst) {
                        None => new.push(*inst),
                        Some(edit) => {
                            new.extend_from_slice(&edit.before);
                            if !edit.remove {
                                new.push(*inst);
                            }
                            new.extend_from_slice(&edit.after);
                        }
                    }
                }
                body.blocks[block].insts = new;
            }
        }
        replace_values(body, &self.aliases);
    }
}

/// Makes every use of each first value a use of its second; chains are followed. What has no name takes the first one.
fn replace_values(body: &mut Body, aliases: &[(Value, Value)]) {
    if aliases.is_empty() {
        return;
    }
    let mut direct: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for &(old, new) in aliases {
        direct[old] = Some(new);
    }
    let resolve = |value: Value| {
        let mut at = value;
        let mut steps = 0;
        while let Some(next) = direct[at] {
            at = next;
            steps += 1;
            assert!(steps <= aliases.len(), "the aliases form a cycle through {value}");
        }
        at
    };
    let Body { blocks, insts, layout, values, .. } = body;
    for &(old, _) in aliases {
        let (name, stands) = (values[old].name, &mut values[resolve(old)]);
        if stands.name.is_none() && !matches!(stands.def, ValueDef::Const(_)) {
            stands.name = name;
        }
    }
    for &block in layout.iter() {
        for catch in &mut blocks[block].catches {
            for arg in &mut catch.target.args {
                *arg = resolve(*arg);
            }
        }
        for &inst in &blocks[block].insts {
            insts[inst].map_uses(resolve);
        }
    }
}
