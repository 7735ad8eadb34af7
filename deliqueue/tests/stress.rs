//! Many threads post and remove while one runs: each message is run, removed, refused or handed back, exactly once.
//!
//! Checked by count, by checksum, and by a flag for each message. `DELIQUEUE_MESSAGES=100000000 cargo test --release -p
//! deliqueue --test stress` is the long run.

use std::env;
use std::sync::atomic::{AtomicU64, AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use deliqueue::{Filter, Message, Sender, Target};

const POSTERS: u64 = 8;

/// How often each message ended, and how.
struct Ledger {
    ends: Vec<AtomicU8>,
    counts: [AtomicU64; 4],
    sum: AtomicU64,
    alive: AtomicUsize,
}

const RUN: usize = 0;
const REMOVED: usize = 1;
const HANDED_BACK: usize = 2;
const REFUSED: usize = 3;

impl Ledger {
    fn note(&self, id: u64, how: usize) {
        assert_eq!(self.ends[id as usize].fetch_add(1, Relaxed), 0, "message {id} ended twice");
        self.counts[how].fetch_add(1, Relaxed);
        self.sum.fetch_add(id, Relaxed);
    }
}

struct Payload {
    id: u64,
    ledger: Arc<Ledger>,
    noted: bool,
}

impl Payload {
    fn new(id: u64, ledger: &Arc<Ledger>) -> Self {
        ledger.alive.fetch_add(1, Relaxed);
        Self { id, ledger: ledger.clone(), noted: false }
    }

    fn note(mut self, how: usize) {
        self.noted = true;
        self.ledger.note(self.id, how);
    }
}

impl Drop for Payload {
    fn drop(&mut self) {
        self.ledger.alive.fetch_sub(1, Relaxed);
        if !self.noted {
            // Dropped by the queue: by a removal, or with the receiver.
            self.ledger.note(self.id, REMOVED);
        }
    }
}

fn poster(thread: u64, messages: u64, sender: &Sender<Payload>, ledger: &Arc<Ledger>) {
    let mut state = thread + 1;
    let mut random = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    for index in 0..messages {
        let id = thread * messages + index;
        let what = random(64) as i32;
        let mut message = Message::new(Payload::new(id, ledger)).target(Target(thread)).what(what);
        message = match random(20) {
            0 => message.front(),
            1..=3 => message.after(Duration::from_micros(random(300))),
            // Only a removal or the end gets these.
            4 => message.after(Duration::from_secs(3_600)),
            5 => message.asynchronous(),
            _ => message,
        };
        if let Err(error) = sender.post(message) {
            error.0.payload.note(REFUSED);
        }
        match random(400) {
            0 => drop(sender.remove(Filter::target(Target(thread)).what(what))),
            1 => sender.take(Filter::all().what(what)).into_iter().for_each(|message| message.payload.note(REMOVED)),
            2 => drop(sender.remove_if(|entry| entry.what == what && entry.target.0 % 2 == thread % 2)),
            3 => drop(sender.has(Filter::all().what(what))),
            4 => {
                let barrier = sender.post_barrier();
                if let Ok(barrier) = barrier {
                    assert!(sender.remove_barrier(barrier) || sender.has_quit());
                }
            }
            _ => {}
        }
    }
}

/// Runs it all; the looper quits after so many messages were run, or safely once all is posted.
fn stress(messages: u64, quit_after: Option<u64>) {
    let each = messages / POSTERS;
    let total = each * POSTERS;
    let ledger = Arc::new(Ledger {
        ends: (0..total).map(|_| AtomicU8::new(0)).collect(),
        counts: Default::default(),
        sum: AtomicU64::new(0),
        alive: AtomicUsize::new(0),
    });
    let (sender, mut receiver) = deliqueue::queue();
    let posters: Vec<_> = (0..POSTERS)
        .map(|thread| {
            let (sender, ledger) = (sender.clone(), ledger.clone());
            thread::spawn(move || poster(thread, each, &sender, &ledger))
        })
        .collect();
    let quit = sender.clone();
    let looper = thread::spawn(move || {
        let mut run = 0;
        while let Some(message) = receiver.recv() {
            message.payload.note(RUN);
            run += 1;
            if Some(run) == quit_after {
                quit.quit();
            }
        }
        // Half is handed back, half goes with the receiver.
        let mut back = 0;
        for message in receiver.undelivered().take(1_000) {
            message.payload.note(HANDED_BACK);
            back += 1;
        }
        drop(receiver);
        (run, back)
    });
    posters.into_iter().for_each(|poster| poster.join().expect("a poster"));
    sender.quit_safely();
    looper.join().expect("the looper");

    let counts: Vec<u64> = ledger.counts.iter().map(|count| count.load(Relaxed)).collect();
    assert_eq!(counts.iter().sum::<u64>(), total, "{counts:?}");
    assert_eq!(ledger.sum.load(Relaxed), total * (total - 1) / 2);
    assert_eq!(ledger.alive.load(Relaxed), 0);
    assert!(ledger.ends.iter().all(|ends| ends.load(Relaxed) == 1));
    assert!(quit_after.is_some() || counts[REFUSED] == 0, "{counts:?}");
    assert!(sender.is_empty());
}

#[test]
fn each_message_ends_once() {
    let messages = env::var("DELIQUEUE_MESSAGES").map_or(400_000, |text| text.parse().expect("a number"));
    stress(messages, None);
}

#[test]
fn each_message_ends_once_when_the_looper_quits_amid_it() {
    for round in 0..40 {
        stress(8_000, Some(1 + round * 150));
    }
}
