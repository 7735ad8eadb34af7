//! The wait word: whether the looper sleeps and until when, and the promise that no wake-up is lost.
//!
//! ```text
//! awake:   | counter (62 bits)                             | 0 | 0 |
//! asleep:  | deadline (48 bits) | counter (14 bits) | blocked | 1 |
//! ```
//!
//! Both sides do a read-modify-write on this word. A poster first changes the stack and then bumps the word, in whatever
//! state it is. The looper first reads the word, then looks for work, and falls asleep by an exchange from exactly the
//! value it read. So either the bump comes before the exchange, which then fails, and the looper looks again; or it comes
//! after, and its old value tells the poster that the looper sleeps, and until when. Who turns the word from asleep to
//! awake is the one that wakes: one wake-up for each sleep at most.
//!
//! In the awake state the counter has 62 bits and never comes back to a value that the looper may still hold. In the
//! asleep state it may overflow into the deadline, which makes that later than it is. That is harmless: a later deadline
//! only wakes more often. Deadlines are in units of 16 µs, and are rounded up, what is compared with them down, for the
//! same reason.

use crate::message::When;
use crate::sync::{AcqRel, Acquire, AtomicU64, Relaxed, Release};

const ASLEEP: u64 = 1;
const BLOCKED: u64 = 2;
const BUMP: u64 = 4;
const DEADLINE_SHIFT: u32 = 16;
/// A unit of deadlines is 2^14 ns.
const UNIT_SHIFT: u32 = 14;
/// The deadline of who has nothing to wait for. Far from the top, so that no overflow of the counter gets it round.
const NEVER: u64 = 1 << 47;
/// The last deadline that can be told: 73 years after the clock's origin. Who would sleep longer wakes then.
pub(crate) const LAST_DEADLINE: When = When((NEVER - 1) << UNIT_SHIFT);

/// What of a change decides whether a sleeping looper has to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// A message that is due then; one that is asynchronous, or at the front, passes whatever barrier there is.
    Post { when: When, passes: bool },
    /// A barrier came: whatever the looper waits for, it gets no earlier by that.
    Barrier,
    /// Barriers went.
    Unblock,
    /// Whatever the looper waits for, it has to look.
    Urgent,
}

/// The word, and beside it what belongs to it while the looper sleeps behind a barrier.
#[derive(Debug)]
pub(crate) struct Wait {
    word: AtomicU64,
    /// Since when messages are held back. Written by the looper before it falls asleep blocked; read by who sees it so.
    held_from: AtomicU64,
}

/// A value of the word from which the looper may fall asleep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen(u64);

fn encode(seen: u64, deadline: Option<When>, blocked: bool) -> u64 {
    let units = match deadline {
        Some(when) => ((when.0 >> UNIT_SHIFT) + u64::from(when.0 & ((1 << UNIT_SHIFT) - 1) != 0)).min(NEVER - 1),
        None => NEVER,
    };
    // A part of the counter goes on, so that each sleep has a value of its own.
    let counter = seen & ((1 << DEADLINE_SHIFT) - 1) & !(ASLEEP | BLOCKED);
    units << DEADLINE_SHIFT | counter | if blocked { BLOCKED } else { 0 } | ASLEEP
}

/// Whether a message that is due then is due before what this word waits for.
fn is_earlier(when: When, word: u64) -> bool {
    (when.0 >> UNIT_SHIFT).min(NEVER - 1) < word >> DEADLINE_SHIFT
}

impl Wait {
    pub(crate) fn new() -> Self {
        Self { word: AtomicU64::new(0), held_from: AtomicU64::new(0) }
    }

    /// What the looper reads before it looks for work while it is awake.
    pub(crate) fn observe(&self) -> Seen {
        // ORDER: acquire, with the release of bumps: what was changed before a bump that is in here is seen by the look
        // that follows.
        Seen(self.word.load(order!(Acquire, "wait-observe")))
    }

    /// What the looper does first after it slept.
    pub(crate) fn awaken(&self) -> Seen {
        // ORDER: acquire as in `observe`. Nothing of the looper's is published by it.
        let old = self.word.fetch_and(!(ASLEEP | BLOCKED), order!(Acquire, "wait-awaken"));
        Seen(old & !(ASLEEP | BLOCKED))
    }

    /// Whether nobody woke the looper yet.
    pub(crate) fn is_asleep(&self) -> bool {
        // ORDER: relaxed; the looper's own write, or a later one, upon which it does `awaken`.
        self.word.load(Relaxed) & ASLEEP != 0
    }

    /// Falls asleep until a deadline, unless something changed since `seen`.
    ///
    /// `held_from` is since when a barrier holds back what is not asynchronous.
    pub(crate) fn sleep(&self, seen: Seen, deadline: Option<When>, held_from: Option<When>) -> bool {
        if let Some(when) = held_from {
            // ORDER: relaxed; the exchange publishes it.
            self.held_from.store(when.0, Relaxed);
        }
        let asleep = encode(seen.0, deadline, held_from.is_some());
        // ORDER: release, so that who sees the looper asleep sees its waker and `held_from`. What there is to acquire was
        // acquired with `seen`, and a failure is followed by a new look.
        self.word.compare_exchange(seen.0, asleep, order!(Release, "wait-sleep"), Relaxed).is_ok()
    }

    /// Says that something changed. True if the caller has to wake the looper.
    ///
    /// To be called after every change that may concern the looper, whatever it is doing.
    #[must_use]
    pub(crate) fn notify(&self, change: Change) -> bool {
        if mutated!("bump-only-asleep") && !self.is_asleep() {
            return false;
        }
        // ORDER: release publishes the change to the looper's acquire; acquire gets the waker and `held_from` of a looper
        // that sleeps.
        let old = self.word.fetch_add(BUMP, order!(AcqRel, "wait-bump"));
        if old & ASLEEP == 0 || !self.concerns(old, change) {
            return false;
        }
        let mut word = old.wrapping_add(BUMP);
        while word & ASLEEP != 0 {
            let awake = (word & !(ASLEEP | BLOCKED)).wrapping_add(BUMP);
            // ORDER: acquire for the waker of the sleep that this ends, which may be a later one than that of the bump.
            // The bump has published the change already, and this hands it on. No model shows the need for it: the cell is
            // read by a read-modify-write, and loom has those read what was written last in the order of its own run,
            // where the language would allow an earlier place.
            match self.word.compare_exchange_weak(word, awake, Acquire, Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    fn concerns(&self, word: u64, change: Change) -> bool {
        match change {
            Change::Urgent => true,
            Change::Barrier => false,
            Change::Unblock => word & BLOCKED != 0,
            Change::Post { when, passes } if passes || word & BLOCKED == 0 => is_earlier(when, word),
            // ORDER: relaxed; it came with the acquire of the word. A later value is of a later sleep, before which the
            // looper has seen this change.
            Change::Post { when, .. } => when.0 < self.held_from.load(Relaxed),
        }
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    fn post(when: u64) -> Change {
        Change::Post { when: When(when), passes: false }
    }

    fn asleep(deadline: Option<When>, held_from: Option<When>) -> Wait {
        let wait = Wait::new();
        assert!(wait.sleep(wait.observe(), deadline, held_from));
        wait
    }

    #[test]
    fn who_is_awake_is_not_woken() {
        let wait = Wait::new();
        assert!(!wait.notify(Change::Urgent));
        assert!(!wait.notify(post(0)));
    }

    #[test]
    fn a_bump_keeps_the_looper_from_sleeping() {
        for change in [Change::Urgent, Change::Barrier, Change::Unblock, post(0), post(u64::MAX)] {
            let wait = Wait::new();
            let seen = wait.observe();
            assert!(!wait.notify(change));
            assert!(!wait.sleep(seen, None, None), "{change:?}");
            assert!(wait.sleep(wait.observe(), None, None), "{change:?}");
        }
    }

    #[test]
    fn a_sleep_is_ended_once() {
        let wait = asleep(None, None);
        assert!(wait.notify(post(5)));
        assert!(!wait.notify(post(4)));
        assert!(!wait.is_asleep());
    }

    #[test]
    fn only_what_is_due_earlier_wakes() {
        let unit = 1 << UNIT_SHIFT;
        for deadline in [0, 1, unit - 1, unit, unit + 1, 1_000 * unit, 1_000 * unit + 7, LAST_DEADLINE.0] {
            for difference in [1, 5, unit, 3 * unit] {
                let earlier = asleep(Some(When(deadline)), None);
                assert!(
                    deadline < difference || earlier.notify(post(deadline - difference)),
                    "{deadline} {difference}"
                );
                let later = asleep(Some(When(deadline)), None);
                assert!(!later.notify(post(deadline + unit)), "{deadline}");
            }
        }
    }

    #[test]
    fn whoever_has_nothing_to_wait_for_is_woken_by_anything() {
        assert!(asleep(None, None).notify(post(u64::MAX)));
        assert!(!asleep(None, None).notify(Change::Barrier));
        // What is later than can be told is no deadline to sleep to.
        assert!(!asleep(Some(When(u64::MAX)), None).notify(post(u64::MAX)));
        assert!(asleep(Some(When(u64::MAX)), None).notify(post(LAST_DEADLINE.0 - 1)));
    }

    #[test]
    fn behind_a_barrier_only_what_passes_it_wakes() {
        let behind = |when, passes| {
            let wait = asleep(Some(When(1 << 30)), Some(When(1_000)));
            wait.notify(Change::Post { when: When(when), passes })
        };
        assert!(!behind(1_000, false));
        assert!(behind(999, false), "what is before the barrier");
        assert!(behind(2_000, true));
        assert!(!behind(1 << 31, true));
        assert!(asleep(None, Some(When(1))).notify(Change::Unblock));
        assert!(!asleep(None, None).notify(Change::Unblock));
    }

    #[test]
    fn bumps_without_end_suppress_no_wake_up() {
        let deadline = 77 << UNIT_SHIFT;
        let wait = asleep(Some(When(deadline)), None);
        for _ in 0..100_000 {
            // A hundred units later: even after the counter ran over a few times.
            assert!(!wait.notify(post(deadline + (100 << UNIT_SHIFT))));
        }
        assert!(wait.is_asleep());
        assert!(wait.notify(post(deadline - 1)));
        let never = asleep(None, None);
        for _ in 0..100_000 {
            assert!(!never.notify(Change::Barrier));
        }
        assert!(never.notify(post(u64::MAX)));
    }
}
