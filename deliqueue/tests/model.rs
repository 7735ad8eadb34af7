//! Operations at random on a queue and on a plain sequential model of it, which have to agree after each one.
//!
//! Among them are removals, barriers, posts to the front, quits and leaps of the clock. What is compared: each result, the
//! order, who is woken, and that each payload is dropped at once by whoever got it, and once.
//!
//! `DELIQUEUE_SEED=N DELIQUEUE_CASES=1 cargo test -p deliqueue --test model` runs one sequence again.

use std::cell::Cell;
use std::env;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::Duration;

use deliqueue::{BarrierToken, Due, Filter, ManualClock, Message, Next, Receiver, Sender, Target, Token, When};

/// Numbers that look random and are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A payload that counts how many of its kind are alive. Not `Send`, which one thread does not need.
struct Payload {
    id: u64,
    alive: Rc<Cell<usize>>,
}

impl Payload {
    fn new(id: u64, alive: &Rc<Cell<usize>>) -> Self {
        alive.set(alive.get() + 1);
        Self { id, alive: alive.clone() }
    }
}

impl Drop for Payload {
    fn drop(&mut self) {
        self.alive.set(self.alive.get() - 1);
    }
}

#[derive(Default)]
struct Woken(AtomicU32);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Waiting {
    when: u64,
    order: i64,
    id: u64,
    target: u64,
    what: i32,
    token: u64,
    asynchronous: bool,
    front: bool,
    barrier: Option<BarrierToken>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Quit {
    No,
    Safely(u64),
    Now,
}

/// A filter's target, what and token.
type Parts = (Option<u64>, Option<i32>, Option<u64>);

/// The queue as one would write it for one thread, without a thought to speed.
struct Model {
    waiting: Vec<Waiting>,
    now: u64,
    quit: Quit,
    next: i64,
}

impl Model {
    fn post(&mut self, mut message: Waiting) {
        self.next += 1;
        message.order = if message.front { -self.next } else { self.next };
        let place = self.waiting.iter().position(|other| (other.when, other.order) > (message.when, message.order));
        self.waiting.insert(place.unwrap_or(self.waiting.len()), message);
    }

    /// The first message that no barrier holds back.
    fn first(&self) -> Option<usize> {
        let barrier = self.waiting.iter().position(|message| message.barrier.is_some());
        let free = |(index, message): (usize, &Waiting)| {
            message.barrier.is_none() && (message.asynchronous || barrier.map_or(true, |barrier| index < barrier))
        };
        (0..self.waiting.len()).find(|index| free((*index, &self.waiting[*index])))
    }

    fn due(&self) -> Option<usize> {
        let limit = match self.quit {
            Quit::No => self.now,
            Quit::Safely(cutoff) => cutoff,
            Quit::Now => return None,
        };
        self.first().filter(|index| self.waiting[*index].when <= limit)
    }

    fn matching(&self, filter: Parts) -> Vec<Waiting> {
        let (target, what, token) = filter;
        let matches = |message: &&Waiting| {
            message.barrier.is_none()
                && target.map_or(true, |target| target == message.target)
                && what.map_or(true, |what| what == message.what)
                && token.map_or(true, |token| token == message.token)
        };
        self.waiting.iter().filter(matches).cloned().collect()
    }

    fn remove_all(&mut self, gone: &[Waiting]) {
        self.waiting.retain(|message| !gone.contains(message));
    }
}

struct Case {
    random: Random,
    clock: Arc<ManualClock>,
    sender: Sender<Payload>,
    receiver: Receiver<Payload>,
    model: Model,
    alive: Rc<Cell<usize>>,
    next_id: u64,
    old_barriers: Vec<BarrierToken>,
    woken: Arc<Woken>,
    waker: Waker,
    /// Asleep since a poll that promised to wake for anything before this.
    asleep: Option<u64>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let clock = Arc::new(ManualClock::new());
        let (sender, receiver) = deliqueue::with_clock(clock.clone());
        let woken = Arc::new(Woken::default());
        Self {
            random: Random(seed),
            clock,
            sender,
            receiver,
            model: Model { waiting: Vec::new(), now: 0, quit: Quit::No, next: 0 },
            alive: Rc::default(),
            next_id: 0,
            old_barriers: Vec::new(),
            waker: Waker::from(woken.clone()),
            woken,
            asleep: None,
        }
    }

    fn post(&mut self) {
        let id = self.next_id;
        self.next_id += 1;
        let (target, what, token) = (self.random.below(3), self.random.below(3) as i32, self.random.below(3));
        let mut message = Message::new(Payload::new(id, &self.alive)).target(Target(target)).what(what);
        message = message.token(Token(token));
        let (when, front) = match self.random.below(10) {
            0 | 1 => {
                message = message.front();
                (0, true)
            }
            2..=4 => (self.model.now, false),
            5 => {
                let when = self.random.below(self.model.now + 40_000);
                message = message.at(When(when));
                (when, false)
            }
            6 => {
                message = message.at(When(u64::MAX));
                (u64::MAX, false)
            }
            // A few units of the deadline, so that roundings are met.
            _ => {
                let delay = self.random.below(80_000);
                message = message.after(Duration::from_nanos(delay));
                (self.model.now + delay, false)
            }
        };
        let asynchronous = self.random.chance(25);
        if asynchronous {
            message = message.asynchronous();
        }
        let due = message.due;
        let waiting = Waiting { when, order: 0, id, target, what, token, asynchronous, front, barrier: None };
        match self.sender.post(message) {
            Ok(()) => {
                assert_eq!(self.model.quit, Quit::No, "a post after the quit was accepted");
                self.model.post(waiting);
            }
            Err(error) => {
                assert_ne!(self.model.quit, Quit::No, "a post was refused");
                assert_eq!((error.0.payload.id, error.0.due), (id, due));
            }
        }
    }

    fn post_barrier(&mut self) {
        let when = if self.random.chance(70) { self.model.now } else { self.random.below(self.model.now + 50_000) };
        match self.sender.post_barrier_at(When(when)) {
            Ok(token) => {
                assert_eq!(self.model.quit, Quit::No);
                self.old_barriers.push(token);
                let barrier = Some(token);
                let (id, target, what, token) = (u64::MAX, 0, 0, 0);
                let waiting =
                    Waiting { when, order: 0, id, target, what, token, asynchronous: false, front: false, barrier };
                self.model.post(waiting);
            }
            Err(_) => assert_ne!(self.model.quit, Quit::No),
        }
    }

    fn remove_barrier(&mut self) {
        if self.old_barriers.is_empty() {
            return;
        }
        let index = self.random.below(self.old_barriers.len() as u64) as usize;
        let token = self.old_barriers[index];
        let before = self.model.waiting.len();
        self.model.waiting.retain(|message| message.barrier != Some(token));
        assert_eq!(self.sender.remove_barrier(token), self.model.waiting.len() < before);
    }

    fn filter(&mut self) -> (Filter, Parts) {
        let mut maybe = || if self.random.chance(40) { Some(self.random.below(3)) } else { None };
        let (target, what, token) = (maybe(), maybe().map(|what| what as i32), maybe());
        let mut filter = target.map_or(Filter::all(), |target| Filter::target(Target(target)));
        filter = what.map_or(filter, |what| filter.what(what));
        (token.map_or(filter, |token| filter.token(Token(token))), (target, what, token))
    }

    fn remove(&mut self) {
        let (filter, plain) = self.filter();
        let gone = self.model.matching(plain);
        assert_eq!(self.sender.has(filter), !gone.is_empty());
        match self.random.below(3) {
            0 => assert_eq!(self.sender.remove(filter), gone.len()),
            1 => assert_eq!(self.sender.remove_if(|entry| filter.matches(entry)), gone.len()),
            _ => {
                let taken = self.sender.take(filter);
                let ids: Vec<u64> = taken.iter().map(|message| message.payload.id).collect();
                assert_eq!(ids, gone.iter().map(|message| message.id).collect::<Vec<_>>());
            }
        }
        self.model.remove_all(&gone);
    }

    fn next(&mut self) {
        let sleep = self.random.chance(50);
        let next = if sleep { self.receiver.poll_with(&self.waker) } else { self.receiver.try_next() };
        let woken = self.woken.0.swap(0, Ordering::Relaxed);
        assert!(woken <= u32::from(self.asleep.is_some()), "woken {woken} times");
        self.asleep = None;
        match (next, self.model.due()) {
            (Next::Message(message), Some(index)) => {
                let expected = self.model.waiting.remove(index);
                assert_eq!(message.payload.id, expected.id);
                let due = if expected.front { Due::Front } else { Due::At(When(expected.when)) };
                assert_eq!(
                    (message.due, message.target, message.what, message.token, message.asynchronous),
                    (due, Target(expected.target), expected.what, Token(expected.token), expected.asynchronous)
                );
            }
            (Next::Quit, None) => assert_ne!(self.model.quit, Quit::No),
            (Next::Pending(deadline), None) => {
                assert_eq!(self.model.quit, Quit::No);
                let expected = self.model.first().map(|index| self.model.waiting[index].when);
                // What is later than 73 years is looked at again then.
                assert_eq!(deadline.map(|when| when.0), expected.map(|when| when.min(((1 << 47) - 1) << 14)));
                if sleep {
                    assert!(self.receiver.is_asleep());
                    self.asleep = Some(expected.unwrap_or(u64::MAX));
                }
            }
            (next, due) => panic!("{:?} where the model has {due:?}", Kind::of(&next)),
        }
    }

    fn quit(&mut self) {
        if self.random.chance(50) {
            self.sender.quit();
            self.model.quit = Quit::Now;
        } else {
            self.sender.quit_safely();
            if self.model.quit == Quit::No {
                self.model.quit = Quit::Safely(self.model.now);
            }
        }
    }

    fn undelivered(&mut self) {
        let few = self.random.below(4) as usize;
        let ids: Vec<u64> = self.receiver.undelivered().take(few).map(|message| message.payload.id).collect();
        let mut expected = Vec::new();
        while expected.len() < few && !self.model.waiting.is_empty() {
            // A barrier goes once it is first of what it would hold back.
            let ordinary = self.model.waiting.iter().position(|message| !message.asynchronous);
            match ordinary.filter(|index| self.model.waiting[*index].barrier.is_some()) {
                Some(barrier) => drop(self.model.waiting.remove(barrier)),
                None => expected.push(self.model.waiting.remove(0).id),
            }
        }
        assert_eq!(ids, expected);
        // One who looks for the next may find barriers before nothing.
        if few > 0 && self.model.waiting.iter().all(|message| message.barrier.is_some()) {
            let left: Vec<_> = self.receiver.undelivered().collect();
            assert!(left.is_empty());
            self.model.waiting.clear();
        }
        self.asleep = None;
        self.woken.0.store(0, Ordering::Relaxed);
    }

    fn look(&mut self) {
        let seen: Vec<_> = self
            .sender
            .snapshot()
            .into_iter()
            .map(|entry| (entry.when.0, entry.barrier, entry.front, entry.asynchronous, entry.what))
            .collect();
        let expected: Vec<_> =
            self.model.waiting.iter().map(|m| (m.when, m.barrier.is_some(), m.front, m.asynchronous, m.what)).collect();
        assert_eq!(seen, expected);
        let messages = self.model.waiting.iter().filter(|message| message.barrier.is_none()).count();
        assert_eq!(self.sender.len(), messages);
        assert_eq!(self.sender.is_empty(), messages == 0);
        assert_eq!(self.sender.has_quit(), self.model.quit != Quit::No);
        let first = self.model.first().map(|index| self.model.waiting[index].clone());
        let idle = first.as_ref().map_or(true, |message| message.when > self.model.now);
        assert_eq!(self.sender.is_idle(), idle);
        let head = self.model.waiting.iter().find(|message| !message.asynchronous);
        let passes = self.model.waiting.iter().any(|m| m.asynchronous && m.when <= self.model.now);
        let blocked = head.map_or(false, |message| message.barrier.is_some()) && !passes;
        assert_eq!(self.sender.is_blocked_on_barrier(), blocked);
        let peeked = self.receiver.peek().map(|entry| (entry.when.0, entry.what, entry.token));
        assert_eq!(peeked, first.map(|message| (message.when, message.what, Token(message.token))));
        assert_eq!(self.receiver.known_len(), self.model.waiting.len());
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..=39 => self.post(),
            40..=44 => self.post_barrier(),
            45..=51 => self.remove_barrier(),
            52..=61 => self.remove(),
            62..=67 => {
                let by = if self.random.chance(5) { 1 << 50 } else { self.random.below(60_000) };
                self.model.now += by;
                self.clock.advance(Duration::from_nanos(by));
            }
            68..=94 => self.next(),
            95..=97 => self.look(),
            98 if self.random.chance(30) => self.quit(),
            98 => {}
            _ if self.model.quit != Quit::No => self.undelivered(),
            _ => {}
        }
        let messages = self.model.waiting.iter().filter(|message| message.barrier.is_none()).count();
        assert_eq!(self.alive.get(), messages, "payloads alive");
        if let Some(deadline) = self.asleep {
            // Whatever would run before the looper wakes by itself must have woken it.
            let earliest = match self.model.quit {
                Quit::No => self.model.first().map_or(u64::MAX, |index| self.model.waiting[index].when),
                Quit::Safely(_) | Quit::Now => 0,
            };
            let woken = self.woken.0.load(Ordering::Relaxed);
            assert!(woken > 0 || earliest >= deadline, "a wake-up was lost: {earliest} before {deadline}");
        }
    }
}

#[derive(Debug)]
enum Kind {
    Message(#[allow(dead_code)] u64),
    Pending,
    Quit,
}

impl Kind {
    fn of(next: &Next<Payload>) -> Self {
        match next {
            Next::Message(message) => Self::Message(message.payload.id),
            Next::Pending(_) => Self::Pending,
            Next::Quit => Self::Quit,
        }
    }
}

fn run(seed: u64, steps: u64) {
    let mut case = Case::new(seed);
    for _ in 0..steps {
        case.step();
    }
    let Case { receiver, sender, alive, .. } = case;
    drop(receiver);
    assert_eq!(alive.get(), 0, "payloads outlive the receiver");
    assert!(sender.has_quit());
    assert!(sender.is_empty());
    assert_eq!(sender.remove(Filter::all()), 0);
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn agrees_with_the_model() {
    let first = number("DELIQUEUE_SEED", 0);
    let long = if env::var_os("DELIQUEUE_LONG").is_some() { 50 } else { 1 };
    let cases = number("DELIQUEUE_CASES", 100_000 * long);
    for seed in first..first + cases {
        // Most are short, so that there are many; some are long, so that batches and sweeps are met.
        let steps = if seed % 1_000 == 7 { 3_000 } else { 10 + seed % 50 };
        let result = std::panic::catch_unwind(|| run(seed, steps));
        if result.is_err() {
            panic!("seed {seed} fails: DELIQUEUE_SEED={seed} DELIQUEUE_CASES=1");
        }
    }
}
