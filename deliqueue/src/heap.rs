//! The looper's heap: what waits, ordered by when it is due and by sequence.
//!
//! A heap in a vector, four children to a node, keys inline, so that sifting reads one array and never a node. Keys are
//! compared without branches, since at random times a branch is mispredicted every other time.
//!
//! What is removed is not searched for: its entry stays until it comes up or until the dead outnumber the living, when
//! all of them go at once. That is constant amortised time for a removal, and no position has to be kept up in the nodes,
//! which would cost a write to memory far away for each step of each sift. `cargo run --release -- heaps` in `benches/` has
//! both side by side.
//!
//! Inserting in order is constant time: what comes last in order stays where it is put.

use alloc::vec::Vec;

use crate::message::When;

const ARITY: usize = 4;
/// Below this there is no giving back of memory, and no early sweeping out.
const SMALL: usize = 64;

/// By what messages are ordered: when they are due, then in which order they came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    pub(crate) when: When,
    pub(crate) sequence: u64,
}

impl Key {
    /// Without a branch.
    #[inline(always)]
    pub(crate) fn is_before(&self, other: &Key) -> bool {
        (self.when.0 < other.when.0) | ((self.when.0 == other.when.0) & (self.sequence < other.sequence))
    }
}

#[derive(Clone, Copy, Debug)]
struct Item<V> {
    key: Key,
    value: V,
}

/// The heap; the least key is on top.
#[derive(Debug)]
pub(crate) struct Heap<V> {
    items: Vec<Item<V>>,
    /// How many entries are known to be dead.
    dead: usize,
}

impl<V: Copy> Heap<V> {
    pub(crate) fn new() -> Self {
        Self { items: Vec::new(), dead: 0 }
    }

    /// Entries less those known to be dead.
    pub(crate) fn live(&self) -> usize {
        self.items.len() - self.dead
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<(Key, V)> {
        self.items.first().map(|item| (item.key, item.value))
    }

    pub(crate) fn push(&mut self, key: Key, value: V) {
        self.items.push(Item { key, value });
        self.sift_up(self.items.len() - 1);
    }

    pub(crate) fn pop(&mut self) -> Option<V> {
        let last = self.items.pop()?;
        let value = match self.items.first_mut() {
            Some(first) => {
                let value = core::mem::replace(first, last).value;
                self.sift_down_far(0);
                value
            }
            None => last.value,
        };
        self.give_back();
        Some(value)
    }

    /// Says that an entry is dead; true if it is time for `sweep_out`.
    pub(crate) fn one_died(&mut self) -> bool {
        self.dead += 1;
        self.dead > SMALL + self.items.len() / 2
    }

    /// Says that a dead entry was popped.
    pub(crate) fn dead_one_popped(&mut self) {
        self.dead -= 1;
    }

    /// Removes all entries that are not to be kept.
    pub(crate) fn sweep_out(&mut self, mut keep: impl FnMut(V) -> bool) {
        self.items.retain(|item| keep(item.value));
        self.dead = 0;
        for index in (0..self.items.len() / ARITY + 1).rev() {
            self.sift_down(index);
        }
        self.give_back();
    }

    fn give_back(&mut self) {
        let capacity = self.items.capacity();
        if capacity > SMALL && self.items.len() < capacity / 4 {
            self.items.shrink_to((2 * self.items.len()).max(SMALL));
        }
    }

    fn sift_up(&mut self, mut index: usize) {
        let items = self.items.as_mut_slice();
        let item = items[index];
        while index > 0 {
            let parent = (index - 1) / ARITY;
            if !item.key.is_before(&items[parent].key) {
                break;
            }
            items[index] = items[parent];
            index = parent;
        }
        items[index] = item;
    }

    /// The child with the least key, if there is any.
    #[inline(always)]
    fn least_child(items: &[Item<V>], index: usize) -> Option<usize> {
        let first = index * ARITY + 1;
        if let Some(children) = items.get(first..first + ARITY) {
            // Two pairs, then the winners; each choice is an addition and not a jump.
            let left = usize::from(children[1].key.is_before(&children[0].key));
            let right = 2 + usize::from(children[3].key.is_before(&children[2].key));
            let choice = usize::from(children[right].key.is_before(&children[left].key));
            return Some(first + left + choice * (right - left));
        }
        let children = items.get(first..).filter(|children| !children.is_empty())?;
        let mut least = 0;
        for index in 1..children.len() {
            if children[index].key.is_before(&children[least].key) {
                least = index;
            }
        }
        Some(first + least)
    }

    fn sift_down(&mut self, mut index: usize) {
        let items = self.items.as_mut_slice();
        if index >= items.len() {
            return;
        }
        let item = items[index];
        while let Some(child) = Self::least_child(items, index) {
            if !items[child].key.is_before(&item.key) {
                break;
            }
            items[index] = items[child];
            index = child;
        }
        items[index] = item;
    }

    /// For what belongs near the bottom, as what was last does: down to a leaf without comparing, and up from there.
    fn sift_down_far(&mut self, mut index: usize) {
        let items = self.items.as_mut_slice();
        let item = items[index];
        while let Some(child) = Self::least_child(items, index) {
            items[index] = items[child];
            index = child;
        }
        items[index] = item;
        self.sift_up(index);
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    fn key(when: u64, sequence: u64) -> Key {
        Key { when: When(when), sequence }
    }

    /// Numbers that look random and are the same each time.
    fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    #[test]
    fn comes_out_in_order() {
        for size in (0..70).chain([1_000, 4_097]) {
            let mut next = numbers(size);
            let mut heap = Heap::new();
            let mut expected: Vec<(u64, u64)> = (0..size).map(|sequence| (next(1 + size / 3), sequence)).collect();
            for (when, sequence) in &expected {
                heap.push(key(*when, *sequence), (*when, *sequence));
            }
            expected.sort_unstable();
            let popped: Vec<_> = core::iter::from_fn(|| heap.pop()).collect();
            assert_eq!(popped, expected);
        }
    }

    #[test]
    fn keys_compare_as_pairs_do() {
        let values = [0, 1, 2, u64::MAX / 2, u64::MAX - 1, u64::MAX];
        let keys: Vec<_> = values.iter().flat_map(|when| values.iter().map(move |seq| (*when, *seq))).collect();
        for a in &keys {
            for b in &keys {
                assert_eq!(key(a.0, a.1).is_before(&key(b.0, b.1)), a < b, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn the_dead_go_when_they_are_too_many_and_memory_with_them() {
        let mut heap = Heap::new();
        let mut next = numbers(5);
        for sequence in 0..10_000 {
            heap.push(key(next(500), sequence), sequence);
        }
        let mut swept = 0;
        for dead in 0..9_900_u64 {
            if heap.one_died() {
                heap.sweep_out(|value| value > dead);
                swept += 1;
            }
            assert!(
                heap.items.len() as u64 <= 2 * (9_999 - dead) + 2 * SMALL as u64 + 2,
                "{dead}: {}",
                heap.items.len()
            );
        }
        assert!((3..20).contains(&swept), "{swept}");
        assert!(heap.items.capacity() <= 4 * SMALL.max(heap.items.len()), "{}", heap.items.capacity());
    }
}
