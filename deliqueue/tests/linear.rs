//! Recorded histories of real threads are linearizable: for each there is an order of its operations, in which none comes
//! before one that had ended when it began, and in which a sequential queue gives the same results.
//!
//! Found by trying all orders (after Wing and Gong), which for histories this short takes microseconds.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Barrier};
use std::thread;

use deliqueue::{Filter, ManualClock, Message, Next, Receiver, Sender, When};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Post(i32),
    Remove(i32, bool),
    Has(i32, bool),
    /// What was delivered, if anything.
    Next(Option<i32>),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    op: Op,
    began: u64,
    ended: u64,
}

struct Recorder<'a> {
    time: &'a AtomicU64,
    events: Vec<Event>,
}

impl Recorder<'_> {
    fn note(&mut self, work: impl FnOnce() -> Op) {
        let began = self.time.fetch_add(1, SeqCst);
        let op = work();
        self.events.push(Event { op, began, ended: self.time.fetch_add(1, SeqCst) });
    }
}

/// What a sequential queue of messages for one time does.
fn apply(queue: &mut Vec<i32>, op: Op) -> bool {
    match op {
        Op::Post(what) => {
            queue.push(what);
            true
        }
        Op::Remove(what, removed) => {
            let place = queue.iter().position(|other| *other == what);
            if let Some(place) = place {
                queue.remove(place);
            }
            removed == place.is_some()
        }
        Op::Has(what, has) => has == queue.contains(&what),
        Op::Next(None) => queue.is_empty(),
        Op::Next(Some(what)) => queue.first() == Some(&what) && queue.remove(0) == what,
    }
}

fn has_order(history: &[Event], done: u32, queue: &[i32], tried: &mut HashSet<(u32, Vec<i32>)>) -> bool {
    if done.count_ones() as usize == history.len() {
        return true;
    }
    if !tried.insert((done, queue.to_vec())) {
        return false;
    }
    let open = |index: &usize| done & (1 << index) == 0;
    let first_end = (0..history.len()).filter(open).map(|index| history[index].ended).min().unwrap_or(0);
    (0..history.len()).filter(open).any(|index| {
        let mut queue = queue.to_vec();
        history[index].began < first_end
            && apply(&mut queue, history[index].op)
            && has_order(history, done | 1 << index, &queue, tried)
    })
}

fn poster(thread: i32, sender: &Sender<()>, record: &mut Recorder<'_>) {
    let (own, other) = (thread * 10, (1 - thread) * 10);
    for what in [own, own + 1] {
        record.note(|| {
            sender.post(Message::new(()).what(what).at(When::ORIGIN)).expect("it has not quit");
            Op::Post(what)
        });
    }
    record.note(|| Op::Has(other, sender.has(Filter::all().what(other))));
    record.note(|| Op::Remove(other + 1, sender.remove(Filter::all().what(other + 1)) == 1));
    record.note(|| Op::Remove(own, sender.remove(Filter::all().what(own)) == 1));
}

fn looper(receiver: &mut Receiver<()>, record: &mut Recorder<'_>) {
    for _ in 0..4 {
        record.note(|| match receiver.try_next() {
            Next::Message(message) => Op::Next(Some(message.what)),
            Next::Pending(_) | Next::Quit => Op::Next(None),
        });
    }
}

#[test]
fn the_check_finds_what_is_wrong() {
    let event = |op, began, ended| Event { op, began, ended };
    let check = |history: &[Event]| has_order(history, 0, &[], &mut HashSet::new());
    assert!(check(&[event(Op::Post(1), 0, 3), event(Op::Next(None), 1, 2)]));
    assert!(!check(&[event(Op::Post(1), 0, 1), event(Op::Next(None), 2, 3)]));
    let two = [event(Op::Post(1), 0, 1), event(Op::Post(2), 2, 3), event(Op::Next(Some(2)), 4, 5)];
    assert!(!check(&two));
    assert!(!check(&[event(Op::Post(1), 0, 1), event(Op::Remove(1, true), 2, 5), event(Op::Next(Some(1)), 3, 4)]));
}

#[test]
fn recorded_histories_are_linearizable() {
    let rounds: usize = if std::env::var_os("DELIQUEUE_LONG").is_some() { 500_000 } else { 10_000 };
    let time = Arc::new(AtomicU64::new(0));
    let queues: Vec<_> = (0..rounds).map(|_| deliqueue::with_clock::<()>(Arc::new(ManualClock::new()))).collect();
    let (senders, mut receivers): (Vec<_>, Vec<_>) = queues.into_iter().unzip();
    let barrier = Arc::new(Barrier::new(3));
    let posters: Vec<_> = (0..2)
        .map(|thread| {
            let (senders, time, barrier) = (senders.clone(), time.clone(), barrier.clone());
            thread::spawn(move || {
                let mut histories = Vec::new();
                for sender in &senders {
                    barrier.wait();
                    let mut record = Recorder { time: &time, events: Vec::new() };
                    poster(thread, sender, &mut record);
                    histories.push(record.events);
                }
                histories
            })
        })
        .collect();
    let mut all: Vec<Vec<Event>> = Vec::new();
    for receiver in &mut receivers {
        barrier.wait();
        let mut record = Recorder { time: &time, events: Vec::new() };
        looper(receiver, &mut record);
        all.push(record.events);
    }
    for poster in posters {
        for (history, more) in all.iter_mut().zip(poster.join().expect("a poster")) {
            history.extend(more);
        }
    }
    for history in all {
        let good = has_order(&history, 0, &[], &mut HashSet::new());
        assert!(good, "no order explains this history: {history:#?}");
    }
}
