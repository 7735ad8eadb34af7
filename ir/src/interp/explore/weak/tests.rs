//! The litmus tests of the literature, on the memory alone: every interleaving and every choice of small programs.
//!
//! Sources for what must and must not show: Batty et al. (POPL 2011) and Lahav et al. (RC11, PLDI 2017) for release
//! and acquire, Bender and Palsberg (OOPSLA 2019) for Java's modes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Choose, Sync, WeakMemory};
use crate::interp::heap::Location;
use crate::interp::slot::{Ref, Slot};
use crate::interp::thread::ThreadId;
use crate::types::Ordering::{self, AcqRel, Acquire, Opaque, Plain, Release, Volatile};

/// A step of a litmus thread. Locations are letters.
#[derive(Clone, Copy)]
enum Step {
    Write(char, Ordering, Slot),
    /// Reads into the outcome.
    Read(char, Ordering),
    /// Adds 1; the old value goes into the outcome.
    Increment(char, Ordering),
    /// Compare and swap; whether it succeeded goes into the outcome.
    Cas(char, Ordering, Slot, Slot),
    Lock,
    Unlock,
}
use Step::{Cas, Increment, Lock, Read, Unlock, Write};

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    counters: Vec<usize>,
    reads: Vec<Vec<Slot>>,
    newest: BTreeMap<char, Slot>,
    owner: Option<usize>,
    memory: WeakMemory,
}

impl State {
    fn step(&mut self, thread: usize, step: Step, choose: &mut Choose<'_>) -> bool {
        let id = ThreadId(thread as u32);
        let location = |name: char| Location::Object(Ref(name as u32), 0);
        let newest = |name: char| self.newest.get(&name).copied().unwrap_or(0);
        match step {
            Write(name, ordering, value) => {
                let now = self.memory.write(id, location(name), ordering, newest(name), value, choose);
                self.newest.insert(name, now);
            }
            Read(name, ordering) => {
                let value = self.memory.read(id, location(name), ordering, newest(name), choose);
                self.reads[thread].push(value);
            }
            Increment(name, ordering) => {
                let add = |old| Some(old + 1);
                let (old, now) = self.memory.update(id, location(name), ordering, newest(name), &mut { add }, choose);
                self.newest.insert(name, now);
                self.reads[thread].push(old);
            }
            Cas(name, ordering, expected, value) => {
                let swap = |old| (old == expected).then_some(value);
                let (old, now) = self.memory.update(id, location(name), ordering, newest(name), &mut { swap }, choose);
                self.newest.insert(name, now);
                self.reads[thread].push(Slot::from(old == expected));
            }
            Lock => {
                if self.owner.is_some() {
                    return false;
                }
                self.owner = Some(thread);
                self.memory.acquire(id, Sync::Monitor(Ref(1)));
            }
            Unlock => {
                self.owner = None;
                self.memory.release(id, Sync::Monitor(Ref(1)));
            }
        }
        self.counters[thread] += 1;
        true
    }
}

/// All outcomes: what each thread read, then the final values of the locations that the main thread reads after
/// joining the others, as `1,0 0 | x=1 y=2`.
fn outcomes(threads: &[&[Step]]) -> BTreeSet<String> {
    let main = threads.len();
    let mut memory = WeakMemory::new(ThreadId(main as u32));
    for thread in 0..main {
        memory.start(ThreadId(main as u32), ThreadId(thread as u32));
    }
    let start =
        State { counters: vec![0; main], reads: vec![Vec::new(); main], newest: BTreeMap::new(), owner: None, memory };
    let (mut seen, mut work, mut found) = (HashSet::from([start.clone()]), vec![start], BTreeSet::new());
    while let Some(state) = work.pop() {
        let mut stuck = true;
        for (thread, steps) in threads.iter().enumerate() {
            let Some(&step) = steps.get(state.counters[thread]) else { continue };
            let mut choices: Vec<(usize, usize)> = Vec::new();
            loop {
                let (mut next, mut asked) = (state.clone(), 0);
                let ran = next.step(thread, step, &mut |count| {
                    if asked == choices.len() {
                        choices.push((0, count));
                    }
                    asked += 1;
                    choices[asked - 1].0
                });
                if ran {
                    stuck = false;
                    if seen.insert(next.clone()) {
                        work.push(next);
                    }
                }
                while choices.last().is_some_and(|&(index, count)| index + 1 == count) {
                    choices.pop();
                }
                match choices.last_mut() {
                    Some(last) => last.0 += 1,
                    None => break,
                }
            }
        }
        if stuck {
            found.insert(finish(state, main));
        }
    }
    found
}

/// Ends and joins all threads, and checks that nothing is left to choose then.
fn finish(mut state: State, main: usize) -> String {
    for thread in 0..main {
        let thread = ThreadId(thread as u32);
        state.memory.end(thread);
        state.memory.acquire(ThreadId(main as u32), Sync::End(thread));
    }
    assert!(state.memory.is_alone(), "the main thread knows all after joining all");
    let join = |values: &Vec<Slot>| values.iter().map(Slot::to_string).collect::<Vec<_>>().join(",");
    let reads: Vec<String> = state.reads.iter().filter(|reads| !reads.is_empty()).map(join).collect();
    let finals: Vec<String> = state.newest.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{} | {}", reads.join(" "), finals.join(" ")).trim().to_string()
}

/// Checks what a program can show: `wanted` outcomes are prefixes that must appear, `barred` ones must not.
#[track_caller]
fn check(threads: &[&[Step]], wanted: &[&str], barred: &[&str]) {
    let found = outcomes(threads);
    for prefix in wanted {
        assert!(found.iter().any(|outcome| outcome.starts_with(prefix)), "{prefix} is missing from {found:#?}");
    }
    for prefix in barred {
        assert!(!found.iter().any(|outcome| outcome.starts_with(prefix)), "{prefix} is in {found:#?}");
    }
}

/// Whether a program can show this outcome.
fn shows(threads: &[&[Step]], outcome: &str) -> bool {
    outcomes(threads).iter().any(|found| found.starts_with(outcome))
}

/// The orderings that a read and a write of one strength have.
const STRENGTHS: [(Ordering, Ordering); 4] =
    [(Plain, Plain), (Opaque, Opaque), (Acquire, Release), (Volatile, Volatile)];

#[test]
fn store_buffering_shows_unless_both_sides_are_volatile() {
    for (write, read, weak) in [
        (Plain, Plain, true),
        (Opaque, Opaque, true),
        (Release, Acquire, true),
        // What turning a volatile write into a release, or a read into an acquire, would newly show.
        (Release, Volatile, true),
        (Volatile, Acquire, true),
        (Volatile, Volatile, false),
    ] {
        let threads: &[&[Step]] = &[&[Write('x', write, 1), Read('y', read)], &[Write('y', write, 1), Read('x', read)]];
        assert_eq!(shows(threads, "0 0"), weak, "{write:?} {read:?}");
        check(threads, &["0 1", "1 0", "1 1"], &[]);
    }
}

#[test]
fn message_passing_needs_a_release_and_an_acquire() {
    for (write, read, weak) in [
        (Plain, Plain, true),
        (Opaque, Opaque, true),
        (Release, Opaque, true),
        (Opaque, Acquire, true),
        (Release, Acquire, false),
        (Release, Volatile, false),
        (Volatile, Acquire, false),
        (Volatile, Volatile, false),
    ] {
        let threads: &[&[Step]] =
            &[&[Write('x', Plain, 1), Write('y', write, 1)], &[Read('y', read), Read('x', Plain)]];
        assert_eq!(shows(threads, "1,0"), weak, "{write:?} {read:?}");
        check(threads, &["0,0", "0,1", "1,1"], &[]);
    }
}

#[test]
fn load_buffering_never_shows() {
    for (read, write) in STRENGTHS {
        check(
            &[&[Read('x', read), Write('y', write, 1)], &[Read('y', read), Write('x', write, 1)]],
            &["0 0", "0 1", "1 0"],
            &["1 1"],
        );
    }
}

#[test]
fn independent_readers_agree_on_volatile_writes_only() {
    for (read, write) in STRENGTHS {
        let threads: &[&[Step]] = &[
            &[Write('x', write, 1)],
            &[Write('y', write, 1)],
            &[Read('x', read), Read('y', read)],
            &[Read('y', read), Read('x', read)],
        ];
        assert_eq!(shows(threads, "1,0 1,0"), write != Volatile, "{write:?}");
        check(threads, &["1,1 1,1", "1,0 0,1", "0,0 0,0"], &[]);
    }
}

#[test]
fn writes_go_in_the_middle_of_the_order_unless_volatile() {
    for (_, write) in STRENGTHS {
        let threads: &[&[Step]] =
            &[&[Write('x', write, 1), Write('y', write, 2)], &[Write('y', write, 1), Write('x', write, 2)]];
        assert_eq!(shows(threads, "| x=1 y=1"), write != Volatile, "{write:?}");
        check(threads, &["| x=2 y=2", "| x=1 y=2", "| x=2 y=1"], &[]);
    }
}

#[test]
fn reads_of_one_location_are_coherent_unless_plain() {
    for (read, write) in STRENGTHS {
        let threads: &[&[Step]] = &[&[Write('x', write, 1)], &[Read('x', read), Read('x', read)]];
        assert_eq!(shows(threads, "1,0"), read == Plain, "{read:?}");
        check(threads, &["0,0", "0,1", "1,1"], &[]);
    }
}

#[test]
fn two_readers_see_two_writes_in_one_order_unless_plain() {
    for (read, write) in STRENGTHS {
        let threads: &[&[Step]] = &[
            &[Write('x', write, 1)],
            &[Write('x', write, 2)],
            &[Read('x', read), Read('x', read)],
            &[Read('x', read), Read('x', read)],
        ];
        assert_eq!(shows(threads, "1,2 2,1"), read == Plain, "{read:?}");
        check(threads, &["1,2 1,2", "2,1 2,1"], &[]);
    }
}

#[test]
fn a_thread_sees_its_own_writes_in_order() {
    for (read, write) in STRENGTHS {
        let thread = [Write('x', write, 1), Read('x', read), Write('x', write, 2), Read('x', read)];
        assert_eq!(outcomes(&[&thread]), BTreeSet::from(["1,2 | x=2".to_string()]));
        // Coherence of a write after a read: what was read before cannot be newer.
        check(&[&[Read('x', Opaque), Write('x', write, 1)], &[Write('x', write, 2)]], &["2 | x=1"], &["2 | x=2"]);
    }
}

#[test]
fn coherence_goes_along_with_release_and_acquire() {
    let threads = |read| {
        let reader: &[Step] = &[Read('y', Acquire), Read('x', read)];
        outcomes(&[&[Write('x', Opaque, 1)], &[Read('x', Opaque), Write('y', Release, 1)], reader])
    };
    assert!(!threads(Opaque).contains("1 1,0 | x=1 y=1"));
    assert!(threads(Plain).contains("1 1,0 | x=1 y=1"), "an opaque read orders nothing for plain ones");
}

#[test]
fn updates_are_atomic() {
    for ordering in Ordering::ALL {
        let found = outcomes(&[&[Increment('x', ordering)], &[Increment('x', ordering)], &[Increment('x', ordering)]]);
        assert_eq!(found.len(), 6, "{found:?}");
        assert!(found.iter().all(|outcome| outcome.ends_with("x=3")), "{found:?}");
        let found = outcomes(&[&[Cas('x', ordering, 0, 1)], &[Cas('x', ordering, 0, 2)]]);
        // A volatile compare-and-swap is never late; a weaker one that fails did see the other's value.
        assert_eq!(found, BTreeSet::from(["0 1 | x=2".to_string(), "1 0 | x=1".to_string()]), "{ordering:?}");
    }
}

#[test]
fn a_split_compare_and_swap_shows() {
    let whole: &[Step] = &[Increment('x', Volatile)];
    let split: &[Step] = &[Read('x', Volatile), Write('x', Volatile, 1)];
    assert!(!shows(&[whole, whole], "0 0"));
    assert!(shows(&[split, split], "0 0"));
}

#[test]
fn an_update_between_release_and_acquire_hands_the_release_on() {
    for (middle, weak) in [(Increment('y', Opaque), false), (Write('y', Opaque, 2), true)] {
        let threads: &[&[Step]] =
            &[&[Write('x', Plain, 1), Write('y', Release, 1)], &[middle], &[Read('y', Acquire), Read('x', Plain)]];
        let read_two_then_zero = |outcome: &String| outcome.contains("2,0");
        assert_eq!(
            outcomes(threads).iter().filter(|o| !o.starts_with("0 ")).any(read_two_then_zero),
            weak,
            "{:?}",
            outcomes(threads)
        );
    }
}

#[test]
fn update_orderings_are_those_of_their_halves() {
    for (ordering, publishes, receives) in [
        (Opaque, false, false),
        (Acquire, false, true),
        (Release, true, false),
        (AcqRel, true, true),
        (Volatile, true, true),
    ] {
        let publish: &[Step] = &[Write('x', Plain, 1), Increment('y', ordering)];
        assert_eq!(!shows(&[publish, &[Read('y', Acquire), Read('x', Plain)]], "0 1,0"), publishes, "{ordering:?}");
        let receive: &[Step] = &[Increment('y', ordering), Read('x', Plain)];
        let threads: &[&[Step]] = &[&[Write('x', Plain, 1), Write('y', Release, 1)], receive];
        assert_eq!(!shows(threads, "1,0"), receives, "{ordering:?}");
    }
}

#[test]
fn write_to_read_causality_follows_acquire_and_release() {
    for (read, write) in STRENGTHS {
        let threads: &[&[Step]] =
            &[&[Write('x', write, 1)], &[Read('x', read), Write('y', write, 1)], &[Read('y', read), Read('x', read)]];
        assert_eq!(shows(threads, "1 1,0"), write < Release, "{write:?}");
    }
}

#[test]
fn monitors_order_plain_accesses() {
    let found = outcomes(&[
        &[Lock, Write('x', Plain, 1), Write('y', Plain, 1), Unlock],
        &[Lock, Read('x', Plain), Read('y', Plain), Unlock],
        &[Lock, Read('y', Plain), Read('x', Plain), Unlock],
    ]);
    assert!(found.iter().all(|outcome| !outcome.contains("0,1") && !outcome.contains("1,0")), "{found:?}");
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn a_starting_thread_knows_what_its_parent_did() {
    let mut memory = WeakMemory::new(ThreadId(0));
    let location = Location::Object(Ref(1), 0);
    memory.start(ThreadId(0), ThreadId(1));
    memory.write(ThreadId(0), location, Plain, 0, 7, &mut |_| 0);
    memory.start(ThreadId(0), ThreadId(2));
    let read = |thread: u32, choice: usize| memory.clone().read(ThreadId(thread), location, Plain, 7, &mut |_| choice);
    assert_eq!((read(1, 0), read(1, 1)), (7, 0), "the other thread may not have heard of it");
    assert_eq!((read(2, 0), read(2, 1)), (7, 7));
}

#[test]
fn a_loop_that_writes_one_value_comes_back_to_one_state() {
    // Both threads know the last message by turns, so what lies before it is dropped: a spinning program is finite.
    let mut memory = WeakMemory::new(ThreadId(0));
    memory.start(ThreadId(0), ThreadId(1));
    let location = Location::Object(Ref(1), 0);
    let round = |memory: &mut WeakMemory| {
        memory.write(ThreadId(0), location, Volatile, 1, 1, &mut |_| 0);
        memory.read(ThreadId(1), location, Volatile, 1, &mut |_| 0);
    };
    round(&mut memory);
    let once = memory.clone();
    round(&mut memory);
    assert!(once == memory);
}
