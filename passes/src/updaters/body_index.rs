//! Where things stand in a body, and what flows into its block parameters.

use r8lite_ir::{Block, Body, Cfg, Inst, SecondaryMap, Value};

/// The places of a body's instructions, with its graph.
pub(crate) struct BodyIndex {
    cfg: Cfg,
    places: SecondaryMap<Inst, Option<(Block, u32)>>,
}

impl BodyIndex {
    pub(crate) fn new(body: &Body) -> BodyIndex {
        let mut places = SecondaryMap::with_len(body.insts.len(), None);
        for &block in &body.layout {
            for (index, &inst) in body.blocks[block].insts.iter().enumerate() {
                places[inst] = Some((block, index as u32));
            }
        }
        BodyIndex { cfg: Cfg::new(body), places }
    }

    /// The graph.
    pub(crate) fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// Whether every way to `later` completes `earlier` first.
    pub(crate) fn dominates(&self, earlier: Inst, later: Inst) -> bool {
        match (self.places[earlier], self.places[later]) {
            (Some((a, i)), Some((b, j))) => (a == b && i < j) || self.cfg.dominates_exit(a, b),
            _ => false,
        }
    }
}

/// Calls `f` with every value that flows into the parameter with this index of a block (not the entry), from jumps and
/// from handler edges. Whether that is all that flows in: a handler's first parameter also receives exceptions.
pub(crate) fn for_each_incoming(body: &Body, block: Block, index: usize, mut f: impl FnMut(Value)) -> bool {
    let mut complete = true;
    for &from in &body.layout {
        for catch in &body.blocks[from].catches {
            if catch.target.block == block {
                match index.checked_sub(1) {
                    Some(index) => f(catch.target.args[index]),
                    None => complete = false,
                }
            }
        }
        if let Some(end) = body.terminator(from) {
            for target in body.insts[end].targets() {
                if target.block == block {
                    f(target.args[index]);
                }
            }
        }
    }
    complete
}
