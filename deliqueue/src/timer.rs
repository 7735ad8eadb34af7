//! The thread that wakes by the monotonic clock those that cannot sleep by themselves, such as tasks. It starts when it is
//! first asked for, runs a queue of wakers, and lives as long as the process.

use core::task::Waker;
use std::sync::{Mutex, PoisonError};

use crate::message::{Message, When};
use crate::Sender;

static TIMER: Mutex<Option<Sender<Waker>>> = Mutex::new(None);

/// Has this waker woken when the time comes.
pub(crate) fn wake_at(when: When, waker: &Waker) {
    let timer = TIMER.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(start).clone();
    if timer.post(Message::new(waker.clone()).at(when)).is_err() {
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
