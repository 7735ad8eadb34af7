//! Clocks: what time it is for a queue, and who wakes a sleeper when the time comes.

use core::task::Waker;
use core::time::Duration;

use crate::message::{Token, When};

/// A clock of queues. It never goes back.
pub trait Clock: Send + Sync {
    /// What time it is.
    fn now(&self) -> When;

    /// How long a thread sleeps until then; `None` if that cannot be told, and then [`wake_at`](Self::wake_at) wakes it.
    fn sleep_until(&self, when: When) -> Option<Duration>;

    /// Has this waker woken when the time comes, at least once; it may be woken more often. Replaces what was asked for
    /// with this mark before.
    fn wake_at(&self, when: When, waker: &Waker, mark: Token);
}

#[cfg(feature = "std")]
pub use with_std::{ManualClock, MonotonicClock};

#[cfg(feature = "std")]
mod with_std {
    use super::{Clock, Duration, Token, Waker, When};
    use crate::sync::{AcqRel, Acquire, AtomicU64};
    use alloc::vec::Vec;
    use core::fmt;
    use std::sync::{Mutex, PoisonError};
    use std::time::Instant;

    /// The system's monotonic clock. All in one process have one origin.
    #[derive(Clone, Copy, Debug)]
    pub struct MonotonicClock {
        origin: Instant,
    }

    /// The origin of all monotonic clocks of this process.
    static ORIGIN: Mutex<Option<Instant>> = Mutex::new(None);

    impl MonotonicClock {
        /// The clock.
        pub fn new() -> Self {
            // Nothing panics while it is locked, and what is in there is right in any case.
            let mut origin = ORIGIN.lock().unwrap_or_else(PoisonError::into_inner);
            Self { origin: *origin.get_or_insert_with(Instant::now) }
        }
    }

    impl Default for MonotonicClock {
        fn default() -> Self {
            Self::new()
        }
    }

    impl Clock for MonotonicClock {
        fn now(&self) -> When {
            When::from_origin(self.origin.elapsed())
        }

        fn sleep_until(&self, when: When) -> Option<Duration> {
            Some(when.since(self.now()))
        }

        fn wake_at(&self, when: When, waker: &Waker, mark: Token) {
            crate::timer::wake_at(when, waker, mark);
        }
    }

    /// A clock that stands still until it is told to go on, for tests. Sleepers wake when their time comes by it.
    ///
    /// ```
    /// use std::{sync::Arc, time::Duration};
    /// use deliqueue::{ManualClock, Next};
    ///
    /// let clock = Arc::new(ManualClock::new());
    /// let (sender, mut receiver) = deliqueue::with_clock(clock.clone());
    /// sender.send_after(Duration::from_secs(60), "later").unwrap();
    /// assert!(matches!(receiver.try_next(), Next::Pending(Some(_))));
    /// clock.advance(Duration::from_secs(60));
    /// assert!(matches!(receiver.try_next(), Next::Message(message) if message.payload == "later"));
    /// ```
    pub struct ManualClock {
        now: AtomicU64,
        sleepers: Mutex<Vec<(When, Waker, Token)>>,
    }

    impl ManualClock {
        /// A clock that stands at its origin.
        pub fn new() -> Self {
            Self { now: AtomicU64::new(0), sleepers: Mutex::new(Vec::new()) }
        }

        /// Goes on by this much.
        pub fn advance(&self, by: Duration) {
            self.go_to(self.now().after(by));
        }

        /// Goes on to this time, if it is not past already.
        pub fn go_to(&self, when: When) {
            // ORDER: acquire and release: who sees the new time sees what was done before the clock went on.
            self.now.fetch_max(when.0, AcqRel);
            let now = self.now();
            let mut due = Vec::new();
            self.sleepers().retain(|(at, waker, _)| {
                if *at <= now {
                    due.push(waker.clone());
                }
                *at > now
            });
            // Not under the lock, since waking runs code of others.
            due.into_iter().for_each(Waker::wake);
        }

        fn sleepers(&self) -> std::sync::MutexGuard<'_, Vec<(When, Waker, Token)>> {
            self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl Default for ManualClock {
        fn default() -> Self {
            Self::new()
        }
    }

    impl fmt::Debug for ManualClock {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("ManualClock").field("now", &self.now()).finish_non_exhaustive()
        }
    }

    impl Clock for ManualClock {
        fn now(&self) -> When {
            // ORDER: acquire, with `go_to`.
            When(self.now.load(Acquire))
        }

        fn sleep_until(&self, _: When) -> Option<Duration> {
            None
        }

        fn wake_at(&self, when: When, waker: &Waker, mark: Token) {
            let mut sleepers = self.sleepers();
            sleepers.retain(|(_, _, other)| *other != mark);
            // Under the lock, so that the clock does not go past in between unseen.
            if self.now() < when {
                sleepers.push((when, waker.clone(), mark));
                return;
            }
            drop(sleepers);
            waker.wake_by_ref();
        }
    }
}
