//! Every value is defined before its uses, in the text and on every way to them.

use super::BodyCx;
use super::report::At;
use crate::cfg::Cfg;
use crate::entity::{Block, Entity, Value};
use crate::function::ValueDef;

/// The values that were met so far, kept from body to body so that small bodies cost no allocation.
#[derive(Default)]
pub(super) struct Values {
    // The round in which a value was met, and its block.
    met: Vec<(u32, Block)>,
    round: u32,
}

impl Values {
    fn start(&mut self, count: usize) {
        self.round += 1;
        if self.met.len() < count {
            self.met.resize(count, (0, Block::new(0)));
        }
    }
    fn define(&mut self, value: Value, block: Block) {
        self.met[value.index()] = (self.round, block);
    }
    fn block_of(&self, value: Value) -> Option<Block> {
        let (round, block) = self.met[value.index()];
        (round == self.round).then_some(block)
    }
}

/// Checks a body; `cfg` may be none if it has but one block.
pub(super) fn check(cx: &mut BodyCx<'_, '_>, cfg: Option<&Cfg>) {
    let body = cx.body;
    cx.cx.values.start(body.values.len());
    for &block in &body.layout {
        let data = &body.blocks[block];
        for &param in &data.params {
            cx.cx.values.define(param, block);
        }
        cx.at = At::Block(cx.func, block);
        for catch in &data.catches {
            // The edge leaves before the first instruction; no result of this block has been met yet.
            for &arg in &catch.target.args {
                check_use(cx, cfg, arg, block);
            }
        }
        for &inst in &data.insts {
            cx.at = At::Inst(cx.func, block, inst);
            let data = &body.insts[inst];
            data.for_each_use(|value| check_use(cx, cfg, value, block));
            if let Some(result) = data.result {
                cx.cx.values.define(result, block);
            }
        }
    }
}

fn check_use(cx: &mut BodyCx<'_, '_>, cfg: Option<&Cfg>, value: Value, block: Block) {
    let def = cx.body.values[value].def;
    if matches!(def, ValueDef::Const(_)) {
        return;
    }
    let Some(def_block) = cx.cx.values.block_of(value) else {
        let name = name(cx, value);
        cx.error("E0230", format!("{name} is used before its definition"));
        return;
    };
    if def_block == block {
        return;
    }
    let dominates = cfg.is_none_or(|cfg| match def {
        ValueDef::Param(..) => cfg.dominates(def_block, block),
        ValueDef::Result(_) | ValueDef::Const(_) => cfg.dominates_exit(def_block, block),
    });
    if !dominates {
        let name = name(cx, value);
        cx.error("E0231", format!("{name} is not defined on every way to here"));
    }
}

fn name(cx: &BodyCx<'_, '_>, value: Value) -> String {
    cx.body.values[value].name.map_or_else(|| value.to_string(), |name| cx.cx.module.name(name).to_owned())
}
