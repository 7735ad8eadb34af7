//! What flows into the parameters of blocks.

use r8lite_ir::{Block, Body, Value};

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
