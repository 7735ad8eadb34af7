//! Editing a body: collect edits by instruction, then apply them in one sweep.
//!
//! Finding and changing are apart: a pass walks the body, notes what is to happen at which instruction, and
//! [`Edits::apply`] rewrites each block once. So a pass never walks what it is changing, and a block with thousands of
//! edits costs one copy.

use smallvec::SmallVec;

use crate::entity::{Inst, SecondaryMap, Value};
use crate::function::{Body, ValueDef};

/// What is to happen to a body. Instructions are made in the body beforehand with `Body::make_inst`.
#[derive(Default, Debug)]
pub struct Edits {
    /// In the order of the calls.
    by_inst: Vec<(Inst, Edit)>,
    aliases: Vec<(Value, Value)>,
}

/// What is to happen at an instruction.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Before(Inst),
    Remove,
    After(Inst),
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
        self.by_inst.push((inst, Edit::Before(new)));
    }

    /// Puts `new` after `inst`; several at one place keep the order of the calls.
    pub fn after(&mut self, inst: Inst, new: Inst) {
        self.by_inst.push((inst, Edit::After(new)));
    }

    /// Takes `inst` out of its block. Its result must have no use left, or an alias.
    pub fn remove(&mut self, inst: Inst) {
        self.by_inst.push((inst, Edit::Remove));
    }

    /// Makes every use of `old` a use of `new`; chains are followed. If `new` has no name, it takes that of `old`.
    pub fn alias(&mut self, old: Value, new: Value) {
        self.aliases.push((old, new));
    }

    /// Carries everything out.
    ///
    /// # Panics
    /// If aliases form a cycle.
    pub fn apply(mut self, body: &mut Body) {
        if !self.by_inst.is_empty() {
            // The sort is stable, so what stands at one place keeps its order.
            self.by_inst.sort_by_key(|&(inst, _)| inst);
            for &block in &body.layout {
                let insts = &body.blocks[block].insts;
                if !insts.iter().any(|&inst| !self.at(inst).is_empty()) {
                    continue;
                }
                let mut new = SmallVec::with_capacity(insts.len());
                for &inst in insts {
                    let edits = self.at(inst);
                    for &(_, edit) in edits {
                        if let Edit::Before(before) = edit {
                            new.push(before);
                        }
                    }
                    if !edits.iter().any(|(_, edit)| matches!(edit, Edit::Remove)) {
                        new.push(inst);
                    }
                    for &(_, edit) in edits {
                        if let Edit::After(after) = edit {
                            new.push(after);
                        }
                    }
                }
                body.blocks[block].insts = new;
            }
        }
        replace_values(body, &self.aliases);
    }

    /// What is to happen at an instruction, once edits are sorted.
    fn at(&self, inst: Inst) -> &[(Inst, Edit)] {
        let from = self.by_inst.partition_point(|&(other, _)| other < inst);
        let edits = &self.by_inst[from..];
        let count = edits.iter().take_while(|&&(other, _)| other == inst).count();
        &edits[..count]
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
