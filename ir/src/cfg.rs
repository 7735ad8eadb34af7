//! The control-flow graph, the dominator tree, and availability of values.

use crate::entity::{Block, Inst, Value};
use crate::function::Body;

/// Predecessors, successors, reverse postorder and dominators of a body.
///
/// An exception leaves a block *before* its first instruction, as far as values go: a handler may use the parameters of
/// the blocks it protects, and what dominates them, but no result of an instruction inside. To say that with a plain
/// dominator tree, a block with handlers counts as two nodes, its entry (parameters, exception edges) and its rest.
#[derive(Debug)]
pub struct Cfg {}

#[expect(unused_variables, reason = "in progress")]
impl Cfg {
    /// Reads the blocks of a body.
    pub fn new(body: &Body) -> Self {
        unimplemented!()
    }
    /// The blocks reachable from the entry, in reverse postorder.
    pub fn rpo(&self) -> &[Block] {
        unimplemented!()
    }
    /// Whether a block can be reached from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        unimplemented!()
    }
    /// Blocks that jump, branch, switch or throw to this one; each once, in layout order.
    pub fn preds(&self, block: Block) -> &[Block] {
        unimplemented!()
    }
    /// Blocks this one can go to, handlers included; each once.
    pub fn succs(&self, block: Block) -> &[Block] {
        unimplemented!()
    }
    /// The immediate dominator of a reachable block; none for the entry.
    pub fn idom(&self, block: Block) -> Option<Block> {
        unimplemented!()
    }
    /// Whether every way to the start of `b` enters `a`.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        unimplemented!()
    }
    /// Whether every way to the start of `b` *completes* `a` normally (so `a`'s instruction results are available).
    pub fn dominates_exit(&self, a: Block, b: Block) -> bool {
        unimplemented!()
    }
    /// Whether `value` is available just before `inst` in `block` (same-block order is by position).
    pub fn is_available(&self, body: &Body, value: Value, block: Block, inst: Inst) -> bool {
        unimplemented!()
    }
}
