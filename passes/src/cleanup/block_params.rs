//! Removes block parameters that always are one value, and those that nothing uses.
//!
//! ```text
//!   jump loop(n, 0, 7)                     jump loop(0)
//! loop(m: i32, i: i32, unused: i32):     loop(i: i32):
//!   i2 = add i, m                    →     i2 = add i, n
//!   …                                      …
//!   branch more, loop(m, i2, 8), done      branch more, loop(i2), done
//! ```
//!
//! Holds before: a verified body. Holds after: no parameter of a block other than the entry receives one value alone
//! (besides itself) unless the types stand in the way, and each is used for more than to be handed round. The
//! exception that a handler receives stays.
//! Cost: linear for each round; rounds are few, and bounded.

use r8lite_ir::{Body, Edits, Entity, Func, SecondaryMap, Target, Value, ValueDef};

use super::unreachable::drop_unreachable;
use super::{Pinned, restore_order, same_value};
use crate::registry::BodyCx;

/// A round finds what follows from the rounds before; programs need two or three.
const MAX_ROUNDS: usize = 8;

/// Cleans one body; whether it changed.
pub fn clean(_: &BodyCx<'_>, _: Func, body: &mut Body) -> bool {
    if body.layout[1..].iter().all(|&block| body.blocks[block].params.is_empty()) {
        return false;
    }
    let mut removed = Removed::find(body);
    if !removed.any {
        return false;
    }
    // Where nothing comes from, a parameter may seem to be always what is computed from itself.
    let dropped = drop_unreachable(body);
    if dropped {
        removed = Removed::find(body);
    }
    if !removed.any {
        return dropped;
    }
    let aliased = !removed.aliases.is_empty();
    removed.carry_out(body);
    if aliased {
        restore_order(body);
    }
    true
}

/// What is to go.
struct Removed {
    any: bool,
    params: SecondaryMap<Value, bool>,
    aliases: Vec<(Value, Value)>,
}

/// What is known of the arguments that a parameter receives.
#[derive(Clone, Copy, PartialEq)]
enum Received {
    Nothing,
    One(Value),
    Several,
}

/// Finds the parameters that always are one value.
fn find_constant(body: &Body) -> Removed {
    let mut removed = Removed { any: false, params: SecondaryMap::new(), aliases: Vec::new() };
    let mut stands_for: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut pinned = None;
    for _ in 0..MAX_ROUNDS {
        let mut received = SecondaryMap::with_len(body.values.len(), Received::Nothing);
        for_each_edge(body, |target, skip| {
            for (&param, &arg) in body.blocks[target.block].params[skip..].iter().zip(&target.args) {
                let arg = resolve(&mut stands_for, arg);
                received[param] = match received[param] {
                    _ if arg == param => received[param],
                    Received::Nothing => Received::One(arg),
                    Received::One(other) if same_value(body, other, arg) => Received::One(other),
                    Received::One(_) | Received::Several => Received::Several,
                };
            }
            for &exception in &body.blocks[target.block].params[..skip] {
                received[exception] = Received::Several;
            }
        });
        let mut again = false;
        for &block in &body.layout[1..] {
            for &param in &body.blocks[block].params {
                let Received::One(value) = received[param] else { continue };
                if removed.params[param] {
                    continue;
                }
                // In this round another parameter may have come to stand for the value, even this one.
                let value = resolve(&mut stands_for, value);
                let pinned = pinned.get_or_insert_with(|| Pinned::new(body));
                if value == param || !pinned.can_replace(body, param, value) {
                    continue;
                }
                pinned.replaced(param, value);
                stands_for[param] = Some(value);
                removed.params[param] = true;
                removed.aliases.push((param, value));
                removed.any = true;
                again = true;
            }
        }
        if !again {
            break;
        }
    }
    removed
}

/// The value that stands for `value`, with the way there shortened.
fn resolve(stands_for: &mut SecondaryMap<Value, Option<Value>>, value: Value) -> Value {
    let mut end = value;
    while let Some(next) = stands_for[end] {
        end = next;
    }
    let mut at = value;
    while let Some(next) = stands_for[at] {
        stands_for[at] = Some(end);
        at = next;
    }
    end
}

/// Finds the parameters that are only handed to such parameters.
fn find_unused(body: &Body, removed: &mut Removed) {
    let mut stands_for: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for &(param, value) in &removed.aliases {
        stands_for[param] = Some(value);
    }
    let mut used: SecondaryMap<Value, bool> = SecondaryMap::with_len(body.values.len(), false);
    for &block in &body.layout {
        for &inst in &body.blocks[block].insts {
            body.insts[inst].args.iter().for_each(|&arg| used[resolve(&mut stands_for, arg)] = true);
        }
    }
    let params = || body.layout[1..].iter().flat_map(|&block| &body.blocks[block].params).copied();
    let mut work: Vec<Value> = params().filter(|&param| used[param]).collect();
    if work.len() == params().count() {
        return;
    }
    let mut passed: Vec<(Value, Value)> = Vec::new();
    for_each_edge(body, |target, skip| {
        passed.extend(body.blocks[target.block].params[skip..].iter().copied().zip(target.args.iter().copied()));
    });
    passed.sort_unstable();
    while let Some(param) = work.pop() {
        let start = passed.partition_point(|&(to, _)| to < param);
        for &(_, arg) in passed[start..].iter().take_while(|&&(to, _)| to == param) {
            let arg = resolve(&mut stands_for, arg);
            if matches!(body.values[arg].def, ValueDef::Param(..)) && !std::mem::replace(&mut used[arg], true) {
                work.push(arg);
            }
        }
    }
    let mut handlers = vec![false; body.blocks.len()];
    for &block in &body.layout {
        for catch in &body.blocks[block].catches {
            handlers[catch.target.block.index()] = true;
        }
    }
    for &block in &body.layout[1..] {
        for &param in &body.blocks[block].params[usize::from(handlers[block.index()])..] {
            if !used[param] && !removed.params[param] {
                removed.params[param] = true;
                removed.any = true;
            }
        }
    }
}

impl Removed {
    /// Finds what is to go, given that every block can be reached.
    fn find(body: &Body) -> Removed {
        let mut removed = find_constant(body);
        find_unused(body, &mut removed);
        removed
    }

    /// Takes the parameters and their arguments away.
    fn carry_out(self, body: &mut Body) {
        let Body { blocks, layout, insts, values } = body;
        let keeps: SecondaryMap<_, Option<Vec<bool>>> = {
            let mut keeps = SecondaryMap::new();
            for &block in &layout[1..] {
                let params = &blocks[block].params;
                if params.iter().any(|&param| self.params[param]) {
                    keeps[block] = Some(params.iter().map(|&param| !self.params[param]).collect());
                }
            }
            keeps
        };
        let shorten = |target: &mut Target, skip: usize| {
            if let Some(keep) = &keeps[target.block] {
                let mut keep = keep[skip..].iter();
                target.args.retain(|_| *keep.next().expect("a verified edge has an argument for each parameter"));
            }
        };
        for &block in layout.iter() {
            blocks[block].catches.iter_mut().for_each(|catch| shorten(&mut catch.target, 1));
            if let Some(&last) = blocks[block].insts.last() {
                insts[last].targets_mut().iter_mut().for_each(|target| shorten(target, 0));
            }
        }
        for &block in layout.iter() {
            if keeps[block].is_some() {
                blocks[block].params.retain(|param| !self.params[*param]);
                for (index, &param) in blocks[block].params.iter().enumerate() {
                    values[param].def = ValueDef::Param(block, index as u32);
                }
            }
        }
        let mut edits = Edits::new();
        self.aliases.into_iter().for_each(|(param, value)| edits.alias(param, value));
        edits.apply(body);
    }
}

/// Calls `f` with each edge, and with how many of the target's parameters it leaves to the exception.
fn for_each_edge(body: &Body, mut f: impl FnMut(&Target, usize)) {
    for &block in &body.layout {
        body.blocks[block].catches.iter().for_each(|catch| f(&catch.target, 1));
        if let Some(last) = body.terminator(block) {
            body.insts[last].targets().iter().for_each(|target| f(target, 0));
        }
    }
}
