//! Models of the parts by themselves: the wait word with its waker, the gate, the cell.

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use loom::thread;

use super::check;
use crate::message::When;
use crate::reclaim::{Gate, Left};
use crate::wait::{Change, Wait};
use crate::wake_cell::WakeCell;

/// A waker that notes that it was woken. Relaxed, so that no order comes from it which the queue does not make.
#[derive(Default)]
pub(super) struct Woken(pub(super) AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A poster makes a change and says so, the looper looks and falls asleep: either it saw the change, or it is woken, once.
#[test]
fn change_against_sleep() {
    for change in [Change::Urgent, Change::Unblock, Change::Post { when: When(5), passes: false }] {
        check(move || {
            let wait = Arc::new(Wait::new());
            let cell = Arc::new(WakeCell::new());
            let changed = Arc::new(AtomicBool::new(false));
            let woken = Arc::new(Woken::default());
            let poster = {
                let (wait, cell, changed) = (wait.clone(), cell.clone(), changed.clone());
                thread::spawn(move || {
                    changed.store(true, Relaxed);
                    if wait.notify(change) {
                        cell.wake();
                    }
                })
            };
            let looper = {
                let (wait, waker) = (wait.clone(), Waker::from(woken.clone()));
                thread::spawn(move || {
                    assert!(cell.register(&waker));
                    let mut looks = 0;
                    loop {
                        looks += 1;
                        assert!(looks < 4, "the looper goes round");
                        let seen = wait.observe();
                        if changed.load(Relaxed) {
                            return true;
                        }
                        if wait.sleep(seen, Some(When(1 << 30)), Some(When(7))) {
                            return false;
                        }
                    }
                })
            };
            poster.join().expect("the poster");
            let saw = looper.join().expect("the looper");
            let woken = woken.0.load(Relaxed);
            assert!(woken <= 1);
            assert!(saw || woken == 1, "a wake-up was lost");
        });
    }
}

/// After a sleep that ended by time, the looper sees what came meanwhile without a wake-up.
#[test]
fn awaken_sees_what_was_bumped() {
    check(|| {
        let wait = Arc::new(Wait::new());
        let changed = Arc::new(AtomicBool::new(false));
        assert!(wait.sleep(wait.observe(), Some(When(5)), None));
        let poster = {
            let (wait, changed) = (wait.clone(), changed.clone());
            thread::spawn(move || {
                changed.store(true, Relaxed);
                // Later than the deadline of the first sleep, and earlier than that of the second.
                wait.notify(Change::Post { when: When(1 << 40), passes: false })
            })
        };
        let looper = thread::spawn(move || {
            let seen = wait.awaken();
            changed.load(Relaxed) || !wait.sleep(seen, None, None)
        });
        let woken = poster.join().expect("the poster");
        let up = looper.join().expect("the looper");
        assert!(up || woken, "the looper sleeps on what it has not seen");
    });
}

/// Two posters end one sleep: one of them wakes.
#[test]
fn one_wake_up_for_each_sleep() {
    check(|| {
        let wait = Arc::new(Wait::new());
        let cell = Arc::new(WakeCell::new());
        let woken = Arc::new(Woken::default());
        assert!(cell.register(&woken.clone().into()));
        assert!(wait.sleep(wait.observe(), None, None));
        let posters: Vec<_> = (0..2)
            .map(|_| {
                let (wait, cell) = (wait.clone(), cell.clone());
                thread::spawn(move || {
                    if wait.notify(Change::Urgent) {
                        cell.wake();
                    }
                })
            })
            .collect();
        posters.into_iter().for_each(|poster| poster.join().expect("a poster"));
        assert_eq!(woken.0.load(Relaxed), 1);
    });
}

/// Who ends a sleep wakes by the waker that was registered for it, also if another wake-up is still under way.
#[test]
fn each_sleep_has_its_waker() {
    check(|| {
        let wait = Arc::new(Wait::new());
        let cell = Arc::new(WakeCell::new());
        let wakers: Vec<_> = (0..2).map(|_| Arc::new(Woken::default())).collect();
        let poster = |wait: &Arc<Wait>, cell: &Arc<WakeCell>| {
            let (wait, cell) = (wait.clone(), cell.clone());
            thread::spawn(move || {
                let wakes = wait.notify(Change::Urgent);
                if wakes {
                    cell.wake();
                }
                wakes
            })
        };
        let posters = [poster(&wait, &cell), poster(&wait, &cell)];
        let looper = {
            let (wait, cell, wakers) = (wait.clone(), cell.clone(), wakers.clone());
            thread::spawn(move || {
                let mut sleeps = [false; 2];
                for (slept, waker) in sleeps.iter_mut().zip(wakers) {
                    let seen = wait.awaken();
                    *slept = cell.register(&waker.into()) && wait.sleep(seen, None, None);
                }
                sleeps
            })
        };
        let wakes = posters.map(|poster| usize::from(poster.join().expect("a poster"))).iter().sum::<usize>();
        let sleeps = looper.join().expect("the looper");
        let woken: Vec<usize> = wakers.iter().map(|waker| waker.0.load(Relaxed)).collect();
        assert!(woken.iter().sum::<usize>() <= wakes);
        if sleeps[1] && !wait.is_asleep() {
            assert!(woken[1] >= 1, "the last sleep was ended, and its waker not woken");
        }
    });
}

/// Something that is unlinked is freed only when no visitor can be looking at it.
#[test]
fn grace_period() {
    check(|| {
        struct Place {
            linked: AtomicBool,
            watched: loom::cell::UnsafeCell<u32>,
            gate: Gate,
        }
        // SAFETY: the cell is what the model is about.
        unsafe impl Sync for Place {}
        // SAFETY: as above.
        unsafe impl Send for Place {}

        let place = Arc::new(Place {
            linked: AtomicBool::new(true),
            watched: loom::cell::UnsafeCell::new(1),
            gate: Gate::new(),
        });
        let visitors: Vec<_> = (0..2)
            .map(|_| {
                let place = place.clone();
                thread::spawn(move || {
                    let pass = place.gate.enter().expect("it is open");
                    if place.linked.load(Relaxed) {
                        // SAFETY: that it is one that the model checks.
                        place.watched.with(|value| assert_eq!(unsafe { *value }, 1));
                    }
                    assert_eq!(place.gate.leave(pass), Left::Nothing);
                })
            })
            .collect();
        let owner = {
            let place = place.clone();
            thread::spawn(move || {
                place.linked.store(false, Relaxed);
                if place.gate.flip() || place.gate.old_is_empty() {
                    // SAFETY: as above.
                    place.watched.with_mut(|value| unsafe { *value = 0 });
                }
            })
        };
        visitors.into_iter().for_each(|visitor| visitor.join().expect("a visitor"));
        owner.join().expect("the owner");
    });
}

/// Who waits for a generation either finds it empty or is told.
#[test]
fn wanted_generation() {
    check(|| {
        let gate = Arc::new(Gate::new());
        let pass = gate.enter().expect("it is open");
        assert!(!gate.flip());
        let visitor = {
            let gate = gate.clone();
            thread::spawn(move || gate.leave(pass) == Left::Wanted)
        };
        let owner = {
            let gate = gate.clone();
            thread::spawn(move || {
                gate.want(true);
                gate.old_is_empty()
            })
        };
        let (told, empty) = (visitor.join().expect("the visitor"), owner.join().expect("the owner"));
        assert!(told || empty, "nobody frees what is waited for");
    });
}

/// Closing: of who closes and who leaves exactly one frees, and has seen all that the others did.
#[test]
fn close_against_leave() {
    check(|| {
        struct Place {
            gate: Gate,
            remains: loom::cell::UnsafeCell<u32>,
            freed: AtomicUsize,
        }
        // SAFETY: the cell is what the model is about.
        unsafe impl Sync for Place {}
        // SAFETY: as above.
        unsafe impl Send for Place {}

        fn free(place: &Place) {
            place.freed.fetch_add(1, Relaxed);
            // SAFETY: that it is one that the model checks.
            place.remains.with_mut(|value| unsafe { *value += 1 });
        }
        let place =
            Arc::new(Place { gate: Gate::new(), remains: loom::cell::UnsafeCell::new(0), freed: AtomicUsize::new(0) });
        let visitors: Vec<_> = (0..2)
            .map(|_| {
                let place = place.clone();
                thread::spawn(move || {
                    if let Some(pass) = place.gate.enter() {
                        // SAFETY: as above.
                        place.remains.with(|value| assert!(unsafe { *value } < 2));
                        if place.gate.leave(pass) == Left::Last {
                            free(&place);
                        }
                    }
                })
            })
            .collect();
        let closer = {
            let place = place.clone();
            thread::spawn(move || {
                if place.gate.close() {
                    free(&place);
                }
            })
        };
        visitors.into_iter().for_each(|visitor| visitor.join().expect("a visitor"));
        closer.join().expect("the closer");
        assert_eq!(place.freed.load(Relaxed), 1);
    });
}

/// A waker is read whole, whoever registers meanwhile.
#[test]
fn register_against_wake() {
    check(|| {
        let cell = Arc::new(WakeCell::new());
        let woken = Arc::new(Woken::default());
        assert!(cell.register(&woken.clone().into()));
        let waking: Vec<_> = (0..2)
            .map(|_| {
                let cell = cell.clone();
                thread::spawn(move || cell.wake())
            })
            .collect();
        let looper = {
            let (cell, woken) = (cell.clone(), woken.clone());
            thread::spawn(move || cell.register(&woken.into()))
        };
        waking.into_iter().for_each(|thread| thread.join().expect("a poster"));
        looper.join().expect("the looper");
    });
}
