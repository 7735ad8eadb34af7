//! Models of whole queues.

use std::sync::Arc;
use std::task::Waker;

use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use loom::thread;

use super::parts::Woken;
use super::{check, check_with};
use crate::clock::Clock;
use crate::message::{Filter, Message, Token, When};
use crate::{Next, Receiver, Sender};

/// A clock that loom knows of.
struct ModelClock(AtomicU64);

impl Clock for ModelClock {
    fn now(&self) -> When {
        When(self.0.load(Relaxed))
    }

    fn sleep_until(&self, _: When) -> Option<core::time::Duration> {
        None
    }

    fn wake_at(&self, _: When, _: &Waker, _: Token) {}
}

/// A payload that counts its ends.
struct Payload {
    id: usize,
    dropped: Arc<[AtomicUsize; 4]>,
}

impl Drop for Payload {
    fn drop(&mut self) {
        self.dropped[self.id].fetch_add(1, Relaxed);
    }
}

struct Setting {
    sender: Sender<Payload>,
    receiver: Receiver<Payload>,
    clock: Arc<ModelClock>,
    dropped: Arc<[AtomicUsize; 4]>,
}

fn setting() -> Setting {
    let clock = Arc::new(ModelClock(AtomicU64::new(10)));
    let (sender, receiver) = crate::with_clock(clock.clone() as Arc<dyn Clock>);
    Setting { sender, receiver, clock, dropped: Arc::new(std::array::from_fn(|_| AtomicUsize::new(0))) }
}

impl Setting {
    fn message(&self, id: usize) -> Message<Payload> {
        Message::new(Payload { id, dropped: self.dropped.clone() }).what(id as i32)
    }
}

/// All that is due, by one thread after the other.
fn drain(receiver: &mut Receiver<Payload>) -> Vec<usize> {
    let mut ids = Vec::new();
    while let Next::Message(message) = receiver.try_next() {
        ids.push(message.payload.id);
    }
    ids
}

/// Two push while one sweeps: each message is delivered once, those of one thread in their order.
#[test]
fn push_push_sweep() {
    check_with(2, || {
        let mut set = setting();
        let messages = [vec![set.message(0), set.message(1)], vec![set.message(2)]];
        let posters: Vec<_> = IntoIterator::into_iter(messages)
            .map(|messages| {
                let sender = set.sender.clone();
                thread::spawn(move || {
                    for message in messages {
                        sender.post(message.at(When(1))).expect("it has not quit");
                    }
                })
            })
            .collect();
        let looper = thread::spawn(move || {
            let ids = drain(&mut set.receiver);
            (set.receiver, ids)
        });
        posters.into_iter().for_each(|poster| poster.join().expect("a poster"));
        let (mut receiver, mut ids) = looper.join().expect("the looper");
        let last = thread::spawn(move || {
            ids.extend(drain(&mut receiver));
            ids
        });
        let ids = last.join().expect("the last look");
        let first: Vec<_> = ids.iter().filter(|id| **id < 2).collect();
        assert_eq!((ids.len(), first), (3, vec![&0, &1]), "{ids:?}");
    });
}

/// A post against a looper that falls asleep: the message is delivered or the looper is woken.
#[test]
fn push_against_sleep() {
    check(|| {
        let mut set = setting();
        let message = set.message(0);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let sender = set.sender.clone();
        let poster = thread::spawn(move || sender.post(message.at(When(1))).is_ok());
        let looper = thread::spawn(move || {
            let delivered = matches!(set.receiver.poll_with(&waker), Next::Message(_));
            (delivered, set.receiver)
        });
        assert!(poster.join().expect("the poster"));
        let (delivered, receiver) = looper.join().expect("the looper");
        assert_eq!(woken.0.load(Relaxed), usize::from(!delivered), "one wake-up for what was missed");
        drop(receiver);
    });
}

/// Removing a barrier against a looper that falls asleep behind it.
#[test]
fn barrier_removal_against_sleep() {
    check(|| {
        let mut set = setting();
        let token = set.sender.post_barrier().expect("it has not quit");
        set.sender.post(set.message(0).at(When(10))).expect("it has not quit");
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let sender = set.sender.clone();
        let remover = thread::spawn(move || sender.remove_barrier(token));
        let looper = thread::spawn(move || {
            let delivered = matches!(set.receiver.poll_with(&waker), Next::Message(_));
            (delivered, set.receiver)
        });
        assert!(remover.join().expect("the remover"));
        let (delivered, receiver) = looper.join().expect("the looper");
        assert_eq!(woken.0.load(Relaxed), usize::from(!delivered), "one wake-up for what was missed");
        thread::spawn(move || drop(receiver)).join().expect("the end");
    });
}

/// A removal against a delivery: exactly one gets the message.
#[test]
fn remove_against_deliver() {
    check(|| {
        let mut set = setting();
        set.sender.post(set.message(0).at(When(1))).expect("it has not quit");
        let sender = set.sender.clone();
        let remover = thread::spawn(move || sender.take(Filter::all()).len());
        let looper = thread::spawn(move || {
            let delivered = drain(&mut set.receiver).len();
            (delivered, set.receiver)
        });
        let removed = remover.join().expect("the remover");
        let (delivered, receiver) = looper.join().expect("the looper");
        assert_eq!(removed + delivered, 1);
        assert_eq!(set.dropped[0].load(Relaxed), 1, "what is won is dropped at once");
        thread::spawn(move || drop(receiver)).join().expect("the end");
    });
}

/// A removal and a traversal while the looper's side sweeps, unlinks and frees: nobody looks at what is freed.
#[test]
fn remove_against_sweep_and_traversal() {
    check_with(2, || {
        let mut set = setting();
        for id in 0..2 {
            set.sender.post(set.message(id).at(When(1))).expect("it has not quit");
        }
        let (sender, asker) = (set.sender.clone(), set.sender.clone());
        let remover = thread::spawn(move || sender.remove(Filter::all().what(0)));
        let traversal = thread::spawn(move || asker.len());
        let looper = thread::spawn(move || {
            let delivered = drain(&mut set.receiver).len();
            (delivered, set.receiver)
        });
        let removed = remover.join().expect("the remover");
        assert!(traversal.join().expect("the traversal") <= 2);
        let (delivered, receiver) = looper.join().expect("the looper");
        assert_eq!(removed + delivered, 2);
        thread::spawn(move || drop(receiver)).join().expect("the end");
    });
}

/// A post during a removal and a sweep: a node that was pushed and removed before any sweep is unlinked in good order.
#[test]
fn push_remove_sweep() {
    check_with(2, || {
        let mut set = setting();
        set.sender.post(set.message(0).at(When(20))).expect("it has not quit");
        let message = set.message(1).at(When(1));
        let (poster, remover) = (set.sender.clone(), set.sender.clone());
        let poster = thread::spawn(move || poster.post(message).is_ok());
        let remover = thread::spawn(move || remover.remove(Filter::all()));
        let looper = thread::spawn(move || {
            let delivered = drain(&mut set.receiver).len();
            (delivered, set.receiver)
        });
        assert!(poster.join().expect("the poster"));
        let removed = remover.join().expect("the remover");
        let (delivered, mut receiver) = looper.join().expect("the looper");
        let left = thread::spawn(move || receiver.undelivered().count()).join().expect("the end");
        assert_eq!(removed + delivered + left, 2);
    });
}

/// What is removed before any sweep met it, on top of something that waits: the sweep misses neither.
#[test]
fn removal_before_the_sweep() {
    check(|| {
        let mut set = setting();
        let (live, gone) = (set.message(0).at(When(1)), set.message(1).at(When(1)));
        let sender = set.sender.clone();
        let poster = thread::spawn(move || {
            sender.post(live).expect("it has not quit");
            sender.post(gone).expect("it has not quit");
            sender.remove(Filter::all().what(1))
        });
        let looper = thread::spawn(move || {
            let delivered = drain(&mut set.receiver).len();
            (delivered, set.receiver)
        });
        let removed = poster.join().expect("the poster");
        let (delivered, mut receiver) = looper.join().expect("the looper");
        let left = thread::spawn(move || drain(&mut receiver).len()).join().expect("the rest");
        assert_eq!(removed + delivered + left, 2);
    });
}

/// A message is gone: who sees that sees what its remover did before.
#[test]
fn a_removal_is_seen_with_what_came_before() {
    check(|| {
        let set = setting();
        set.sender.post(set.message(0).at(When(1))).expect("it has not quit");
        let before = Arc::new(AtomicUsize::new(0));
        let remover = {
            let (sender, before) = (set.sender.clone(), before.clone());
            thread::spawn(move || {
                before.store(1, Relaxed);
                sender.remove(Filter::all());
            })
        };
        let (sender, asked) = (set.sender.clone(), before);
        let asker = thread::spawn(move || sender.has(Filter::all()) || asked.load(Relaxed) == 1);
        remover.join().expect("the remover");
        assert!(asker.join().expect("who asks"), "the message is gone, and what came before is not there");
        let receiver = set.receiver;
        thread::spawn(move || drop(receiver)).join().expect("the end");
    });
}

/// A safe quit against a post that is due now: if it is accepted it runs.
#[test]
fn safe_quit_against_post() {
    check_with(2, || {
        let mut set = setting();
        let message = set.message(0);
        let (poster, quitter, clock) = (set.sender.clone(), set.sender.clone(), set.clock.clone());
        let poster = thread::spawn(move || {
            // Time goes on between the quitter's look at the clock and the post.
            clock.0.store(20, Relaxed);
            poster.post(message).is_ok()
        });
        let quitter = thread::spawn(move || quitter.quit_safely());
        let looper = thread::spawn(move || {
            let delivered = drain(&mut set.receiver).len();
            (delivered, set.receiver)
        });
        let accepted = poster.join().expect("the poster");
        quitter.join().expect("the quitter");
        let (delivered, mut receiver) = looper.join().expect("the looper");
        let rest = thread::spawn(move || drain(&mut receiver).len()).join().expect("the rest");
        assert_eq!(delivered + rest, usize::from(accepted), "accepted means run");
    });
}

/// Who sees the quit sees what the quitter did before; and a looper that falls asleep is woken by it.
#[test]
fn quit_is_seen_with_what_came_before() {
    check(|| {
        let mut set = setting();
        let before = Arc::new(AtomicUsize::new(0));
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let (quitter, done) = (set.sender.clone(), before.clone());
        let quitter = thread::spawn(move || {
            done.store(1, Relaxed);
            quitter.quit();
        });
        let looper = thread::spawn(move || {
            let quit = matches!(set.receiver.poll_with(&waker), Next::Quit);
            assert!(!quit || before.load(Relaxed) == 1);
            (quit, set.receiver)
        });
        quitter.join().expect("the quitter");
        let (quit, receiver) = looper.join().expect("the looper");
        assert_eq!(woken.0.load(Relaxed), usize::from(!quit));
        thread::spawn(move || drop(receiver)).join().expect("the end");
    });
}

/// The receiver goes while others post, remove and look: each payload is dropped once, and all nodes are freed.
#[test]
fn the_end_against_post_and_removal() {
    check_with(2, || {
        let set = setting();
        set.sender.post(set.message(0).at(When(1))).expect("it has not quit");
        let message = set.message(1).at(When(1));
        let (poster, remover, receiver) = (set.sender.clone(), set.sender.clone(), set.receiver);
        let poster = thread::spawn(move || drop(poster.post(message)));
        let remover = thread::spawn(move || remover.remove(Filter::all()));
        let end = thread::spawn(move || drop(receiver));
        poster.join().expect("the poster");
        remover.join().expect("the remover");
        end.join().expect("the end");
        for id in 0..2 {
            assert_eq!(set.dropped[id].load(Relaxed), 1, "payload {id}");
        }
    });
}

/// Tombstones past the threshold wake a looper that sleeps, so that they do not pile up.
#[test]
fn tombstones_wake() {
    check(|| {
        let mut set = setting();
        for id in 0..3 {
            set.sender.post(set.message(id).at(When(1 << 40))).expect("it has not quit");
        }
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let sender = set.sender.clone();
        let remover = thread::spawn(move || sender.remove(Filter::all()));
        let looper = thread::spawn(move || {
            assert!(matches!(set.receiver.poll_with(&waker), Next::Pending(_)));
            set.receiver
        });
        assert_eq!(remover.join().expect("the remover"), 3);
        let receiver = looper.join().expect("the looper");
        assert!(receiver.known_len() == 0 || woken.0.load(Relaxed) == 1);
        thread::spawn(move || drop(receiver)).join().expect("the end");
    });
}
