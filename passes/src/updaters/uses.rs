//! Follow an updater's value from where it is read to all its uses, to know whether it can go.

use r8lite_ir::{Block, Body, Func, Inst, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::trace::Tracer;
use crate::plan::{Recognised, Site};

/// What an updater is used for.
#[derive(Default)]
pub(crate) struct Uses {
    /// How many calls of its methods are not replaced.
    pub(crate) kept_calls: usize,
    /// The first of them.
    pub(crate) kept_call: Option<Site>,
    /// The first instruction that uses it in another way.
    pub(crate) otherwise: Option<Site>,
    /// The accessors that return it.
    pub(crate) accessors: Vec<Func>,
    /// The reads of it, and the calls of those accessors.
    pub(crate) reads: Vec<Site>,
}

/// A place where a value is used.
#[derive(Clone, Copy)]
enum Use {
    /// As the argument of an instruction with this index.
    Arg(Inst, u32),
    /// For the parameter of a block with this index.
    Param(Block, u32),
}

/// Follows updaters. It remembers the uses of values in the methods it went through.
pub(crate) struct UseFinder<'a, 'b> {
    tracer: &'b Tracer<'a>,
    /// The calls that are going to be replaced.
    replaced: &'b FxHashSet<Site>,
    bodies: FxHashMap<Func, Vec<(Value, Use)>>,
}

impl<'a, 'b> UseFinder<'a, 'b> {
    pub(crate) fn new(tracer: &'b Tracer<'a>, replaced: &'b FxHashSet<Site>) -> Self {
        UseFinder { tracer, replaced, bodies: FxHashMap::default() }
    }

    /// All uses of an updater: of what its creation made, and of what was read from its field (`reads`).
    pub(crate) fn uses(&mut self, updater: &Recognised, reads: &[Site]) -> Uses {
        let mut uses = Uses::default();
        let mut todo: Vec<(Func, Value)> = Vec::new();
        let mut seen = FxHashSet::default();
        let result = |site: Site| self.tracer.body(site.func).insts[site.inst].result.expect("it yields an updater");
        todo.push((updater.creation.func, result(updater.creation)));
        let mut sources = reads.to_vec();
        while let Some(site) = sources.pop() {
            uses.reads.push(site);
            if self.tracer.accessors.contains_key(&site.func) {
                if !uses.accessors.contains(&site.func) {
                    uses.accessors.push(site.func);
                    sources.extend_from_slice(self.tracer.index.callers(site.func));
                }
            } else {
                todo.push((site.func, result(site)));
            }
        }
        uses.accessors.sort_unstable();
        while let Some((func, value)) = todo.pop() {
            if !seen.insert((func, value)) {
                continue;
            }
            let known = self.bodies.entry(func).or_insert_with(|| reference_uses(self.tracer.body(func)));
            let start = known.partition_point(|&(used, _)| used < value);
            let found: SmallVec<[Use; 4]> =
                known[start..].iter().take_while(|&&(used, _)| used == value).map(|&(_, at)| at).collect();
            for at in found {
                match at {
                    Use::Param(block, index) => {
                        todo.push((func, self.tracer.body(func).blocks[block].params[index as usize]));
                    }
                    Use::Arg(inst, index) => {
                        let site = Site { func, inst };
                        if site != updater.store {
                            self.follow(site, index, &mut todo, &mut uses);
                        }
                    }
                }
            }
        }
        uses
    }

    fn follow(&self, site: Site, index: u32, todo: &mut Vec<(Func, Value)>, uses: &mut Uses) {
        let body = self.tracer.body(site.func);
        let data = &body.insts[site.inst];
        match data.op {
            Op::CheckCast => todo.push((site.func, data.result.expect("a cast has a result"))),
            Op::Select if index > 0 => todo.push((site.func, data.result.expect("a select has a result"))),
            op if op.is_invoke() => {
                if index == 0 && self.tracer.is_updater_call(data) {
                    // A call that also takes the updater as an argument is met once more for that.
                    if !self.replaced.contains(&site) {
                        uses.kept_calls += 1;
                        uses.kept_call = first(uses.kept_call, site);
                    }
                    return;
                }
                let callee = self.tracer.callee(op, &data.payload);
                match callee.and_then(|callee| Some((callee, self.tracer.module.funcs[callee].body.as_ref()?))) {
                    Some((callee, body)) => todo.push((callee, body.blocks[body.entry()].params[index as usize])),
                    None => uses.otherwise = first(uses.otherwise, site),
                }
            }
            _ => uses.otherwise = first(uses.otherwise, site),
        }
    }
}

/// The earlier one, by methods and instructions.
fn first(a: Option<Site>, b: Site) -> Option<Site> {
    Some(a.map_or(b, |a| a.min(b)))
}

/// The uses of all references of a body, by value: an updater may also go by the type `Object`.
fn reference_uses(body: &Body) -> Vec<(Value, Use)> {
    let mut uses = Vec::new();
    let mut add = |value: Value, at: Use| {
        if body.values[value].ty.is_ref() && body.as_const(value).is_none() {
            uses.push((value, at));
        }
    };
    for &block in &body.layout {
        for catch in &body.blocks[block].catches {
            for (index, &arg) in catch.target.args.iter().enumerate() {
                add(arg, Use::Param(catch.target.block, index as u32 + 1));
            }
        }
        for &inst in &body.blocks[block].insts {
            let data = &body.insts[inst];
            for (index, &arg) in data.args.iter().enumerate() {
                add(arg, Use::Arg(inst, index as u32));
            }
            for target in data.targets() {
                for (index, &arg) in target.args.iter().enumerate() {
                    add(arg, Use::Param(target.block, index as u32));
                }
            }
        }
    }
    // The sort is stable: uses of one value stay in layout order.
    uses.sort_by_key(|&(value, _)| value);
    uses
}
