//! The thread that wakes by the monotonic clock those that cannot sleep by themselves, such as tasks. It starts when it is
//! first asked for, runs a queue of wakers, and lives as long as the process.

use core::task::Waker;
use std::sync::{Mutex, PoisonError};

use crate::message::{Filter, Message, Token, When};
use crate::Sender;

static TIMER: Mutex<Option<Sender<Waker>>> = Mutex::new(None);

/// Has this waker woken when the time comes, in place of what was asked for with this mark before.
pub(crate) fn wake_at(when: When, waker: &Waker, mark: Token) {
    let timer = TIMER.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(start).clone();
    // What was asked for before would otherwise wait here until it is due.
    timer.remove(Filter::all().token(mark));
    if timer.post(Message::new(waker.clone()).at(when).token(mark)).is_err() {
        // Its thread could not be started. Asking again and again is all that is left.
        waker.wake_by_ref();
    }
}

fn start() -> Sender<Waker> {
    let (sender, mut receiver) = crate::queue::<Waker>();
    // If there is no thread the receiver is dropped, and posting says so.
    let _ = std::thread::Builder::new().name("deliqueue-timer".into()).spawn(move || {
        while let Some(message) = receiver.recv() {
            // A waker of others may panic; that is no reason for the rest to sleep on.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| message.payload.wake()));
        }
    });
    sender
}
