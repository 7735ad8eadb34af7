//! Where the edits of a call go: what reads its updater, and where the arguments begin.

use std::collections::BTreeSet;

use r8lite_classfile::{ConstantPool, Insn, Opcode, stack_effect};

use super::stack::{Flow, Kind};

/// A call of an updater's method on the stack.
pub(crate) struct CallPlace {
    /// The number of the call.
    pub(crate) call: u32,
    /// The slot of the updater; the holder is above it.
    pub(crate) base: usize,
    /// What pushes the updater, if that is one instruction which does so for this call alone.
    pub(crate) read: Option<Read>,
    /// The instructions before which the updater is on the stack.
    pub(crate) region: Vec<u32>,
    /// What the holder is known to be.
    pub(crate) holder: Kind,
    /// What the last argument is known to be.
    pub(crate) last: Kind,
    /// What the one above the holder is known to be.
    pub(crate) first: Kind,
}

/// The instruction that pushes an updater.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    pub(crate) number: u32,
    /// Whether it does nothing but push; else what it pushed is popped after it.
    pub(crate) is_plain: bool,
}

/// The place in the evaluation of a call's arguments where the holder is on the stack and nothing above it.
pub(crate) struct Boundary {
    /// The instruction after which that is; none if it is right before the call.
    pub(crate) after: Option<u32>,
    /// The instructions between there and the call, and the call.
    pub(crate) behind: Vec<u32>,
    /// Whether nothing but local variables was read between the updater and there.
    pub(crate) is_near: bool,
}

impl CallPlace {
    /// Finds the place of a call with so many slots of arguments after the holder.
    pub(crate) fn find(flow: &Flow, pool: &ConstantPool<'_>, call: u32, arguments: usize) -> Option<CallPlace> {
        let stack = flow.stack(call)?;
        let base = stack.len().checked_sub(arguments + 2)?;
        let holder = stack[base + 1].kind.clone();
        let last = stack.last().map_or(Kind::Other, |slot| slot.kind.clone());
        let first = stack.get(base + 2).map_or(Kind::Other, |slot| slot.kind.clone());
        let mut place = CallPlace { call, base, read: None, region: Vec::new(), holder, last, first };
        if let Some(pusher) = stack[base].pusher {
            place.find_read(flow, pool, pusher);
        }
        Some(place)
    }

    fn find_read(&mut self, flow: &Flow, pool: &ConstantPool<'_>, pusher: u32) {
        use Opcode::*;
        let Some(before) = flow.stack(pusher) else { return };
        let Ok((pops, pushes)) = stack_effect(pool, flow.insn(pusher)) else { return };
        let is_plain = match flow.insn(pusher) {
            Insn::Plain(Dup | DupX1 | DupX2 | Dup2 | Dup2X1 | Dup2X2 | Swap) => return,
            Insn::Plain(Aload0 | Aload1 | Aload2 | Aload3) | Insn::Local(Aload, _) => true,
            Insn::Constant(Getstatic | Invokestatic, _) => pops == 0,
            _ => false,
        };
        if pushes != 1 || before.len() - pops as usize != self.base {
            return;
        }
        let base = self.base;
        let holds = |number: &u32| {
            let slot = flow.stack(*number).and_then(|stack| stack.get(base));
            slot.is_some_and(|slot| slot.pusher == Some(pusher))
        };
        let region = reach(flow, flow.successors(pusher), holds, |_| false);
        for &number in &region {
            let Ok((pops, _)) = stack_effect(pool, flow.insn(number)) else { return };
            let is_used = flow.stack(number).is_none_or(|stack| stack.len() - pops as usize <= base);
            if is_used && number != self.call {
                // It is used otherwise as well.
                return;
            }
        }
        self.region = region;
        self.read = Some(Read { number: pusher, is_plain });
    }

    /// Finds where the arguments begin, if that is one place.
    pub(crate) fn boundary(&self, flow: &Flow, pool: &ConstantPool<'_>) -> Option<Boundary> {
        let read = self.read?.number;
        let depth = self.base + 2;
        let near = |last: u32| read < last && (read + 1..=last).all(|number| is_local_load(flow.insn(number)));
        if flow.stack(self.call)?.len() == depth {
            let is_near = self.call.checked_sub(1).is_some_and(near);
            return Some(Boundary { after: None, behind: Vec::new(), is_near });
        }
        let depth_after = |number: u32| {
            let (pops, pushes) = stack_effect(pool, flow.insn(number)).ok()?;
            Some(flow.stack(number)?.len() - pops as usize + pushes as usize)
        };
        // Where an argument has a condition, the stack is as low again after its branch; the right place is further up.
        let candidates = (read + 1..self.call).rev().filter(|&number| depth_after(number) == Some(depth));
        let after =
            candidates.take(MAX_CANDIDATES).find_map(|after| Some((after, self.behind(flow, pool, read, after)?)));
        after.map(|(after, behind)| Boundary { after: Some(after), behind, is_near: near(after) })
    }

    /// The instructions from behind one up to the call, if that one is where the arguments begin.
    fn behind(&self, flow: &Flow, pool: &ConstantPool<'_>, read: u32, after: u32) -> Option<Vec<u32>> {
        let depth = self.base + 2;
        let insn = flow.insn(after);
        if !insn.opcode().is_some_and(Opcode::falls_through) || matches!(insn, Insn::Branch(..)) {
            return None;
        }
        let in_region = |number: &u32| self.region.binary_search(number).is_ok();
        let before = reach(flow, flow.successors(read), in_region, |number| number == self.call || number == after);
        let behind = reach(flow, vec![after + 1], in_region, |number| number == self.call);
        let is_apart = behind.iter().all(|number| before.binary_search(number).is_err());
        let leaves_below = behind.iter().all(|&number| {
            number == self.call
                || stack_effect(pool, flow.insn(number))
                    .is_ok_and(|(pops, _)| flow.stack(number).is_some_and(|stack| stack.len() - pops as usize >= depth))
        });
        let leads_there = behind.binary_search(&self.call).is_ok() && before.binary_search(&after).is_ok();
        (is_apart && leaves_below && leads_there).then_some(behind)
    }
}

/// How many places are tried.
const MAX_CANDIDATES: usize = 16;

/// The instructions that there is a way to from some, by way of such as `within` holds for, but not on from where it
/// stops; ascending.
fn reach(flow: &Flow, starts: Vec<u32>, within: impl Fn(&u32) -> bool, stops: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut found = BTreeSet::new();
    let mut todo = starts;
    while let Some(number) = todo.pop() {
        if within(&number) && found.insert(number) && !stops(number) {
            todo.extend(flow.successors(number));
        }
    }
    found.into_iter().collect()
}

fn is_local_load(insn: &Insn) -> bool {
    use Opcode::*;
    match insn {
        Insn::Local(opcode, _) => (Iload..=Aload).contains(opcode),
        Insn::Plain(opcode) => (Iload0..=Aload3).contains(opcode),
        _ => false,
    }
}
