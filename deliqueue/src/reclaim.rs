//! When an unlinked node may be freed: two generations of visitors, counted in one word.
//!
//! Threads that walk the stack (to remove, to ask) may stand on a node that the looper's side unlinks. So they enter the
//! gate first and are counted, in the generation of the moment. The looper's side collects what it unlinked; to free it,
//! it begins a new generation and waits until the old one is empty:
//!
//! * Who entered before the new generation is counted in the old one, and is waited for.
//! * Who enters after it has, by the exchange on the same word, seen every unlinking before it. From top and from every
//!   node still linked it gets to linked nodes only, so never to what was unlinked by then.
//!
//! Nobody waits in the sense of standing still: the looper's side asks when it comes by. Generations change only when the
//! one before the old is empty, so two counters are enough, and a traversal that never ends holds up the freeing, not the
//! queue. Entering and changing the generation are exchanges on one word, so there is no gap between reading the
//! generation and being counted in it, which is where schemes with a counter for each go wrong.
//!
//! Why not a collector off the shelf: a post needs no pin here (it never follows top), only traversals do, which are rare
//! and long. So per-thread records, their registration and their fences buy nothing; one shared word is simpler, can be
//! checked by a model to the end, works without `std`, and a second queue's traversals never hold this one's memory.
//!
//! The gate also closes, for the end of the queue: nobody enters any more, and who leaves last (or who closes, if nobody
//! is inside) frees all that is left. Exactly one does.

use core::ptr;

use crate::stack::{self, Node};
use crate::sync::{AcqRel, Acquire, AtomicU64, Relaxed};

const GENERATION: u64 = 1;
const CLOSED: u64 = 2;
const WANTED: u64 = 4;
/// Of each generation 30 bits count who is inside.
const COUNT_BITS: u32 = 30;
const FIRST_SHIFT: u32 = 3;
const COUNT: u64 = (1 << COUNT_BITS) - 1;

fn shift(generation: u64) -> u32 {
    FIRST_SHIFT + COUNT_BITS * generation as u32
}

fn count(word: u64, generation: u64) -> u64 {
    word >> shift(generation) & COUNT
}

/// Counts who is inside.
#[derive(Debug)]
pub(crate) struct Gate {
    word: AtomicU64,
}

/// Somebody is inside, counted in a generation.
#[derive(Debug)]
#[must_use]
pub(crate) struct Pass {
    generation: u64,
}

/// What is to be done by who left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Left {
    Nothing,
    /// The looper sleeps on memory that it can free now: wake it.
    Wanted,
    /// The gate is closed and nobody is inside: free what is left.
    Last,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self { word: AtomicU64::new(0) }
    }

    /// Enters, unless the gate is closed.
    pub(crate) fn enter(&self) -> Option<Pass> {
        // ORDER: relaxed; the value is compared only.
        let mut word = self.word.load(Relaxed);
        loop {
            if word & CLOSED != 0 {
                return None;
            }
            let generation = word & GENERATION;
            assert!(count(word, generation) < COUNT, "a thousand million traversals at once");
            // ORDER: acquire, with the release of `flip`: who is counted in a new generation sees all that was unlinked
            // before it.
            match self.word.compare_exchange_weak(
                word,
                word + (1 << shift(generation)),
                order!(Acquire, "gate-enter"),
                Relaxed,
            ) {
                Ok(_) => return Some(Pass { generation }),
                Err(now) => word = now,
            }
        }
    }

    /// Leaves.
    pub(crate) fn leave(&self, pass: Pass) -> Left {
        let one = 1 << shift(pass.generation);
        // ORDER: release, for who frees: all that was read inside was read before. Acquire, for the last one after the
        // closing, who frees itself: the reads of the others, and what the closer left behind.
        let word = self.word.fetch_sub(one, order!(AcqRel, "gate-leave")) - one;
        let empty = count(word, pass.generation) == 0;
        if word & CLOSED != 0 && empty && count(word, pass.generation ^ GENERATION) == 0 {
            Left::Last
        } else if word & WANTED != 0 && empty {
            Left::Wanted
        } else {
            Left::Nothing
        }
    }

    /// Begins a new generation; true if nobody of the old one is inside. The one before the old must be empty.
    pub(crate) fn flip(&self) -> bool {
        // ORDER: release, with the acquire of `enter`: what was unlinked before is not to be found by who enters from now
        // on. Acquire, with the release of `leave`, for freeing at once if the generation is empty.
        let word = self.word.fetch_xor(GENERATION, order!(AcqRel, "gate-flip"));
        debug_assert_eq!(count(word, word & GENERATION ^ GENERATION), 0, "generations change one at a time");
        count(word, word & GENERATION) == 0
    }

    /// Whether everybody of the generation before this one has left.
    pub(crate) fn old_is_empty(&self) -> bool {
        // ORDER: acquire, with the release of `leave`.
        let word = self.word.load(order!(Acquire, "gate-empty"));
        count(word, word & GENERATION ^ GENERATION) == 0
    }

    /// Asks who empties a generation to wake the looper, or no longer.
    pub(crate) fn want(&self, wanted: bool) {
        // ORDER: relaxed, both; it is only a request. If `leave` comes first and does not see it, then the look at
        // the counts that follows, later in the order of this word, sees that one gone.
        if wanted {
            self.word.fetch_or(WANTED, Relaxed);
        } else {
            self.word.fetch_and(!WANTED, Relaxed);
        }
    }

    /// Closes; true if nobody is inside, and then it is the caller who frees what is left.
    pub(crate) fn close(&self) -> bool {
        // ORDER: release, for the last one to leave, who frees what the closer left behind. Acquire, with the release of
        // `leave`, for freeing at once.
        let word = self.word.fetch_or(CLOSED, order!(AcqRel, "gate-close"));
        mutated!("close-frees") || count(word, 0) == 0 && count(word, 1) == 0
    }
}

/// Nodes in a row, by `prev`, which only the looper's side uses.
#[derive(Debug)]
struct Chain<T> {
    first: *mut Node<T>,
    length: usize,
}

impl<T> Chain<T> {
    const EMPTY: Self = Self { first: ptr::null_mut(), length: 0 };

    /// Frees all.
    ///
    /// # Safety
    /// Nobody can reach the nodes.
    unsafe fn free(self) {
        let mut node = self.first;
        while !node.is_null() {
            // SAFETY: the node is on the chain, so it is not freed yet, and it is the caller's alone.
            unsafe {
                let next = (*node).own(|own| own.prev);
                stack::free(node);
                node = next;
            }
        }
    }
}

/// How many nodes are collected before a generation is changed for them.
const BATCH: usize = if cfg!(any(loom, shuttle)) { 1 } else { 64 };

/// Unlinked nodes that somebody may still stand on.
#[derive(Debug)]
pub(crate) struct Limbo<T> {
    /// Unlinked in this generation.
    current: Chain<T>,
    /// Unlinked before this generation; free once the old generation is empty.
    waiting: Chain<T>,
}

impl<T> Limbo<T> {
    pub(crate) fn new() -> Self {
        Self { current: Chain::EMPTY, waiting: Chain::EMPTY }
    }

    /// Takes a node that is unlinked, and frees a batch if it can.
    ///
    /// # Safety
    /// By the looper's side only. The node is out of the stack, the free list and the heap, and nothing that is linked
    /// leads to it.
    pub(crate) unsafe fn retire(&mut self, node: *mut Node<T>, gate: &Gate) {
        // SAFETY: the looper's side owns `prev`, which an unlinked node needs no more for the stack.
        unsafe { (*node).own(|own| own.prev = self.current.first) };
        self.current.first = node;
        self.current.length += 1;
        if self.current.length % BATCH == 0 {
            self.reclaim(gate);
        }
    }

    /// Frees what nobody can stand on any more.
    pub(crate) fn reclaim(&mut self, gate: &Gate) {
        if !self.waiting.first.is_null() {
            if !gate.old_is_empty() {
                return;
            }
            self.free_waiting();
        }
        if !self.current.first.is_null() {
            self.waiting = core::mem::replace(&mut self.current, Chain::EMPTY);
            if gate.flip() || mutated!("no-grace") {
                self.free_waiting();
            }
        }
    }

    fn free_waiting(&mut self) {
        let chain = core::mem::replace(&mut self.waiting, Chain::EMPTY);
        // SAFETY: they were unlinked before the old generation ended, and that is empty: see the top of this file.
        unsafe { chain.free() };
    }

    /// How many nodes it keeps.
    pub(crate) fn len(&self) -> usize {
        self.current.length + self.waiting.length
    }

    /// All nodes in one row by `prev`, to be freed by who comes last.
    pub(crate) fn into_row(mut self) -> *mut Node<T> {
        let mut row = core::mem::replace(&mut self.waiting, Chain::EMPTY).first;
        let mut node = core::mem::replace(&mut self.current, Chain::EMPTY).first;
        while !node.is_null() {
            // SAFETY: nodes in limbo are not freed, and `prev` is the looper's side's.
            let next = unsafe { (*node).own(|own| core::mem::replace(&mut own.prev, row)) };
            row = node;
            node = next;
        }
        row
    }
}

/// What the end of the queue leaves to whoever comes last.
#[derive(Debug)]
pub(crate) struct Remains<T> {
    /// The rest of the stack, by `next`.
    pub(crate) linked: *mut Node<T>,
    /// What is out of the stack, by `prev`.
    pub(crate) unlinked: *mut Node<T>,
}

impl<T> Remains<T> {
    pub(crate) const NONE: Self = Self { linked: ptr::null_mut(), unlinked: ptr::null_mut() };

    /// Frees all.
    ///
    /// # Safety
    /// The gate is closed and nobody is inside, and no payload is left in the nodes.
    pub(crate) unsafe fn free(self) {
        let mut node = self.linked;
        while !node.is_null() {
            // SAFETY: linked nodes are not freed, and nobody else is left to free or to look at them.
            unsafe {
                let next = (*node).next();
                stack::free(node);
                node = next;
            }
        }
        // SAFETY: as above.
        unsafe { Chain { first: self.unlinked, length: 0 }.free() };
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn who_entered_before_is_waited_for_and_who_enters_after_is_not() {
        let gate = Gate::new();
        let before = gate.enter().expect("it is open");
        assert!(!gate.flip());
        let after = gate.enter().expect("it is open");
        assert!(!gate.old_is_empty());
        assert_eq!(gate.leave(before), Left::Nothing);
        assert!(gate.old_is_empty());
        assert!(!gate.flip());
        assert_eq!(gate.leave(after), Left::Nothing);
        assert!(gate.old_is_empty());
    }

    #[test]
    fn who_empties_a_generation_that_is_waited_for_is_told() {
        let gate = Gate::new();
        let (one, other) = (gate.enter().expect("it is open"), gate.enter().expect("it is open"));
        gate.want(true);
        assert_eq!(gate.leave(one), Left::Nothing);
        assert_eq!(gate.leave(other), Left::Wanted);
        gate.want(false);
        let again = gate.enter().expect("it is open");
        assert_eq!(gate.leave(again), Left::Nothing);
    }

    #[test]
    fn one_party_is_the_last_one() {
        assert!(Gate::new().close());
        let gate = Gate::new();
        let one = gate.enter().expect("it is open");
        assert!(!gate.flip());
        let other = gate.enter().expect("it is open");
        assert!(!gate.close());
        assert!(gate.enter().is_none());
        assert_eq!(gate.leave(other), Left::Nothing);
        assert_eq!(gate.leave(one), Left::Last);
    }
}
