//! Watching what a looper runs: each dispatch, and those that take long or begin late.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Work;
use crate::message::{Due, Target, When};
use crate::{Clock, Message};

/// A message that is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Dispatch {
    /// The handler that it is for.
    pub target: Target,
    /// What it is about.
    pub what: i32,
    /// When it was due; the clock's origin at the front.
    pub due: When,
    /// When it began.
    pub began: When,
}

/// Is told what a looper runs, on the looper's thread.
pub trait Observer: Send + Sync {
    /// A message begins.
    fn began(&self, dispatch: &Dispatch) {
        let _ = dispatch;
    }

    /// A message has run, for so long.
    fn ended(&self, dispatch: &Dispatch, took: Duration) {
        let _ = (dispatch, took);
    }

    /// A message has run for longer than the threshold.
    fn slow_dispatch(&self, dispatch: &Dispatch, took: Duration) {
        let _ = (dispatch, took);
    }

    /// A message began later after it was due than the threshold. Told once until the looper is in time again.
    fn slow_delivery(&self, dispatch: &Dispatch, late: Duration) {
        let _ = (dispatch, late);
    }
}

/// Thresholds for telling of slowness; none by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slow {
    /// Tell if a message runs for longer.
    pub dispatch: Option<Duration>,
    /// Tell if a message begins later than this after it was due.
    pub delivery: Option<Duration>,
}

/// Who watches.
#[derive(Clone, Default)]
pub(super) struct Watch {
    pub(super) observer: Option<Arc<dyn Observer>>,
    pub(super) slow: Slow,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("slow", &self.slow).finish_non_exhaustive()
    }
}

thread_local! {
    /// Whether this looper was late the last time, and said so.
    static WAS_LATE: std::cell::Cell<bool> = std::cell::Cell::default();
}

impl Watch {
    /// Tells that a message begins; none if nobody watches, and then no clock is read.
    pub(super) fn begin(&self, message: &Message<Work>, clock: &dyn Clock) -> Option<Dispatch> {
        let observer = self.observer.as_ref()?;
        let due = match message.due {
            Due::At(when) => when,
            Due::Front | Due::Now | Due::After(_) => When::ORIGIN,
        };
        let dispatch = Dispatch { target: message.target, what: message.what, due, began: clock.now() };
        observer.began(&dispatch);
        if let (Some(threshold), Due::At(_)) = (self.slow.delivery, message.due) {
            let late = dispatch.began.since(due);
            let is_late = late > threshold;
            if is_late && !WAS_LATE.with(std::cell::Cell::get) {
                observer.slow_delivery(&dispatch, late);
            }
            WAS_LATE.with(|was| was.set(is_late));
        }
        Some(dispatch)
    }

    /// Tells that it has run.
    pub(super) fn end(&self, dispatch: Dispatch, clock: &dyn Clock) {
        if let Some(observer) = &self.observer {
            let took = clock.now().since(dispatch.began);
            observer.ended(&dispatch, took);
            if self.slow.dispatch.map_or(false, |threshold| took > threshold) {
                observer.slow_dispatch(&dispatch, took);
            }
        }
    }
}
