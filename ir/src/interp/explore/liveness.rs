//! Which values of a method may still be used, at each of its instructions.
//!
//! A state's fingerprint counts these only: what a thread read and has no more use for tells no states apart, which
//! makes most of the difference in how many there are.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entity::{Block, Func, Value};
use crate::function::{Body, ValueDef};
use crate::interp::prepare::Prepared;

/// The live values of the methods that were asked for.
#[derive(Default)]
pub(super) struct Liveness {
    points: RefCell<FxHashMap<Point, Rc<[Value]>>>,
    blocks: RefCell<FxHashMap<Func, Rc<LiveBlocks>>>,
}

/// The next instruction of a method.
type Point = (Func, Block, u32);

/// What is live when each block is entered, its parameters included.
struct LiveBlocks(FxHashMap<Block, FxHashSet<Value>>);

impl Liveness {
    /// The values that are used by the instruction with this index in its block or by what follows it, in ascending
    /// order; no constants.
    pub(super) fn at(&self, program: &Prepared<'_>, func: Func, block: Block, index: u32) -> Rc<[Value]> {
        if let Some(live) = self.points.borrow().get(&(func, block, index)) {
            return Rc::clone(live);
        }
        let body = program.body(func);
        let blocks = Rc::clone(self.blocks.borrow_mut().entry(func).or_insert_with(|| Rc::new(LiveBlocks::new(body))));
        let mut live: Vec<Value> = blocks.at(body, block, index as usize).into_iter().collect();
        live.sort_unstable();
        let live: Rc<[Value]> = live.into();
        self.points.borrow_mut().insert((func, block, index), Rc::clone(&live));
        live
    }
}

impl LiveBlocks {
    fn new(body: &Body) -> Self {
        let mut this = Self(FxHashMap::default());
        // Later blocks first, until nothing changes: loops take a few rounds.
        loop {
            let mut changed = false;
            for &block in body.layout.iter().rev() {
                let live = this.at(body, block, 0);
                changed |= this.0.get(&block).is_none_or(|before| before.len() != live.len());
                this.0.insert(block, live);
            }
            if !changed {
                return this;
            }
        }
    }

    /// What is live before an instruction, by what is known of the blocks that follow.
    fn at(&self, body: &Body, block: Block, index: usize) -> FxHashSet<Value> {
        let data = &body.blocks[block];
        let mut live = FxHashSet::default();
        let terminator = body.terminator(block);
        let targets = terminator.map_or(&[][..], |inst| body.insts[inst].targets());
        // An exception may leave at any instruction, so what handlers need is live throughout.
        let throughout: Vec<Block> = data.catches.iter().map(|catch| catch.target.block).collect();
        for next in targets.iter().map(|target| target.block).chain(throughout) {
            if let Some(entered) = self.0.get(&next) {
                live.extend(entered.iter().copied().filter(|value| !body.blocks[next].params.contains(value)));
            }
        }
        for &inst in data.insts[index..].iter().rev() {
            if let Some(result) = body.insts[inst].result {
                live.remove(&result);
            }
            body.insts[inst].for_each_use(|value| {
                live.insert(value);
            });
        }
        live.extend(data.catches.iter().flat_map(|catch| catch.target.args.iter().copied()));
        live.retain(|&value| !matches!(body.values[value].def, ValueDef::Const(_)));
        live
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Source, parse};
    use crate::verify::verify;

    #[test]
    fn a_value_lives_until_its_last_use_on_any_way() {
        let text = "class A {\n  static method f(n: i32, m: i32): i32 {\n    k = add n, 1\n    jump loop(k)\n  \
                    loop(i: i32):\n    catch *: bad(i)\n    j = div i, m\n    branch j, loop(j), done\n  \
                    done:\n    return n\n  bad(e: Throwable, q: i32):\n    return q\n  }\n}\n";
        let module = parse(&[Source { name: "a.ir", text }]).expect("it parses");
        let module = verify(module).expect("it verifies");
        let class = module.find_class("A").expect("there is an A");
        let func = module.classes[class].methods[0];
        let program = Prepared::new(&module);
        let liveness = Liveness::default();
        let body = program.body(func);
        let names = |block: usize, index: u32| {
            let live = liveness.at(&program, func, body.layout[block], index);
            let name = |&value: &Value| module.name(body.values[value].name.expect("it has a name")).to_owned();
            live.iter().map(name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(0, 0), "n m");
        assert_eq!(names(0, 1), "n m k");
        // `n` is used behind the loop, `i` by the handler.
        assert_eq!(names(1, 0), "n m i");
        assert_eq!(names(1, 1), "n m i j");
        assert_eq!(names(2, 0), "n");
        assert_eq!(names(3, 0), "q");
    }
}
