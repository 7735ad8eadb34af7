//! Where the looper leaves the waker by which it wants to be woken.
//!
//! The looper registers before it falls asleep, and who ends the sleep wakes. Who wakes only reads the cell, and any
//! number may at once: one that ended an earlier sleep and was held up in here must not hold up the wake-up of a later
//! one. The looper rarely writes, since its waker stays the same from sleep to sleep. If it has another one while somebody
//! is still reading, it does not wait either: it is told so, and does not sleep.

use core::task::Waker;

use crate::sync::{Acquire, AtomicUsize, Relaxed, Release, UnsafeCell};

const WRITING: usize = 1;
const READER: usize = 2;

/// The cell.
#[derive(Debug)]
pub(crate) struct WakeCell {
    /// How many read, and whether the looper writes.
    state: AtomicUsize,
    /// Written by the looper while nobody reads; read by who is counted in `state`.
    waker: UnsafeCell<Option<Waker>>,
}

// SAFETY: the waker, which is `Send` and `Sync` itself, is written only while `state` says so and nobody reads it.
unsafe impl Sync for WakeCell {}
// SAFETY: as above.
unsafe impl Send for WakeCell {}

impl WakeCell {
    pub(crate) fn new() -> Self {
        Self { state: AtomicUsize::new(0), waker: UnsafeCell::new(None) }
    }

    /// Leaves a waker, or says that it cannot at this moment. By the looper only, while it is awake.
    pub(crate) fn register(&self, waker: &Waker) -> bool {
        let new = Some(waker.clone());
        // ORDER: acquire, with the release of readers: they are done with what is overwritten.
        if self.state.compare_exchange(0, WRITING, order!(Acquire, "cell-register"), Relaxed).is_err() {
            return false;
        }
        // SAFETY: nobody reads before the bit is gone, by `wake`.
        let old = self.waker.with_mut(|place| unsafe { core::mem::replace(&mut *place, new) });
        // ORDER: release, for who reads. A subtraction, since readers that were turned away may be counted for a moment.
        self.state.fetch_sub(WRITING, order!(Release, "cell-registered"));
        // Only now, since dropping it runs code of others.
        drop(old);
        true
    }

    /// Wakes by the waker that was registered last. By who ended a sleep.
    pub(crate) fn wake(&self) {
        // ORDER: acquire, with the release of `register`.
        let state = self.state.fetch_add(READER, order!(Acquire, "cell-read"));
        // Whoever registers is awake, and the sleep that the caller ended is over by itself.
        let waker = if state & WRITING == 0 {
            // SAFETY: while a reader is counted, nothing is written.
            self.waker.with(|waker| unsafe { (*waker).clone() })
        } else {
            None
        };
        // ORDER: release, for the next `register`.
        self.state.fetch_sub(READER, order!(Release, "cell-read-done"));
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[cfg(all(test, feature = "std", not(any(loom, shuttle))))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::Arc;
    use std::task::Wake;

    #[derive(Default)]
    struct Counter(AtomicU32);

    impl Wake for Counter {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    #[test]
    fn the_last_waker_is_woken_each_time() {
        let (first, second) = (Arc::new(Counter::default()), Arc::new(Counter::default()));
        let cell = WakeCell::new();
        cell.wake();
        assert!(cell.register(&first.clone().into()));
        cell.wake();
        cell.wake();
        assert!(cell.register(&second.clone().into()));
        cell.wake();
        assert_eq!((first.0.load(SeqCst), second.0.load(SeqCst)), (2, 1));
        assert_eq!(Arc::strong_count(&first), 1, "what was replaced is dropped");
    }
}
