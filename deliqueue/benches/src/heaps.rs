//! The looper's heap beside an indexed heap and `BinaryHeap`: taking the first of so many at random times and putting
//! one back; and the branch-free comparison beside one with branches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;

use crate::heap::{Heap, Key};
use crate::message::When;
use crate::{random, Row, ROUNDS};

/// A binary heap that keeps in each node where its entry is, as one that removes in logarithmic time at once.
struct Indexed {
    items: Vec<(u64, u64, usize)>,
    positions: Vec<usize>,
}

impl Indexed {
    fn put(&mut self, index: usize, item: (u64, u64, usize)) {
        self.positions[item.2] = index;
        self.items[index] = item;
    }

    fn push(&mut self, item: (u64, u64, usize)) {
        self.items.push(item);
        let mut index = self.items.len() - 1;
        while index > 0 && item < self.items[(index - 1) / 2] {
            self.put(index, self.items[(index - 1) / 2]);
            index = (index - 1) / 2;
        }
        self.put(index, item);
    }

    fn pop(&mut self) -> (u64, u64, usize) {
        let first = self.items[0];
        let last = self.items.pop().expect("it is not empty");
        let mut index = 0;
        if !self.items.is_empty() {
            loop {
                let mut child = 2 * index + 1;
                if child >= self.items.len() {
                    break;
                }
                if child + 1 < self.items.len() && self.items[child + 1] < self.items[child] {
                    child += 1;
                }
                if last <= self.items[child] {
                    break;
                }
                self.put(index, self.items[child]);
                index = child;
            }
            self.put(index, last);
        }
        first
    }
}

const DEPTHS: [usize; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
const TURNS: usize = 200_000;

fn timed(mut turn: impl FnMut()) -> f64 {
    for _ in 0..TURNS / 20 {
        turn();
    }
    let start = Instant::now();
    for _ in 0..TURNS {
        turn();
    }
    start.elapsed().as_nanos() as f64 / TURNS as f64
}

pub fn run(print: impl Fn(&str, &[String], &[Row])) {
    let names = ["deliqueue's heap", "indexed binary heap", "BinaryHeap"];
    let mut rows: Vec<Row> = names.iter().map(|name| (*name, vec![Vec::new(); DEPTHS.len()])).collect();
    for round in 0..ROUNDS {
        for (column, depth) in DEPTHS.into_iter().enumerate() {
            let spread = 1_000 * depth as u64;
            let mut state = 99 + round as u64;

            let mut heap = Heap::<usize>::new();
            let mut sequence = 0;
            for index in 0..depth {
                sequence += 1;
                heap.push(Key { when: When(random(&mut state) % spread), sequence }, index);
            }
            let mut now = 0;
            rows[0].1[column].push(timed(|| {
                let (key, _) = heap.first().expect("it is not empty");
                now = now.max(key.when.0);
                let index = heap.pop().expect("it is not empty");
                sequence += 1;
                heap.push(Key { when: When(now + random(&mut state) % spread), sequence }, black_box(index));
            }));
            drop(heap);

            let mut heap = Indexed { items: Vec::new(), positions: vec![0; depth] };
            for index in 0..depth {
                sequence += 1;
                heap.push((random(&mut state) % spread, sequence, index));
            }
            let mut now = 0;
            rows[1].1[column].push(timed(|| {
                let (when, _, index) = heap.pop();
                now = now.max(when);
                sequence += 1;
                heap.push((now + random(&mut state) % spread, sequence, black_box(index)));
            }));
            drop(heap);

            let mut heap = BinaryHeap::new();
            for index in 0..depth {
                sequence += 1;
                heap.push(Reverse((random(&mut state) % spread, sequence, index)));
            }
            let mut now = 0;
            rows[2].1[column].push(timed(|| {
                let Reverse((when, _, index)) = heap.pop().expect("it is not empty");
                now = now.max(when);
                sequence += 1;
                heap.push(Reverse((now + random(&mut state) % spread, sequence, black_box(index))));
            }));
        }
    }
    let columns: Vec<String> = DEPTHS.iter().map(usize::to_string).collect();
    print("Taking the first of so many and putting one back", &columns, &rows);
}
