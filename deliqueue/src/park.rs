//! Sleeping by parking the thread: what a receiver does on any system unless it is told otherwise.

use core::task::Waker;
use core::time::Duration;
use std::sync::Arc;
use std::task::Wake;
use std::thread::{self, Thread};

use crate::message::Message;
use crate::{Next, Receiver};

/// A way in which a thread sleeps until a waker wakes it.
pub trait Sleep {
    /// What ends the sleep.
    fn waker(&self) -> &Waker;

    /// Sleeps until it is woken or so much time has passed; may return earlier. Does not sleep if it was woken since the
    /// last time.
    fn sleep(&mut self, timeout: Option<Duration>);
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Sleeps by parking the thread that made it.
#[derive(Debug)]
pub struct Parking {
    waker: Waker,
}

impl Parking {
    /// For this thread.
    pub fn new() -> Self {
        Self { waker: Arc::new(Unpark(thread::current())).into() }
    }
}

impl Default for Parking {
    fn default() -> Self {
        Self::new()
    }
}

impl Sleep for Parking {
    fn waker(&self) -> &Waker {
        &self.waker
    }

    fn sleep(&mut self, timeout: Option<Duration>) {
        match timeout {
            Some(timeout) => thread::park_timeout(timeout),
            None => thread::park(),
        }
    }
}

thread_local! {
    /// One for each thread, so that a receiver that stays where it is registers once.
    static PARKING: Parking = Parking::new();
}

impl<T> Receiver<T> {
    /// The next message, as soon as one is due; `None` once the queue has quit and nothing is run any more.
    ///
    /// Parks the thread meanwhile.
    pub fn recv(&mut self) -> Option<Message<T>> {
        // A thread that is ending has no locals any more.
        let waker = PARKING.try_with(|parking| parking.waker.clone());
        let mut parking = waker.map_or_else(|_| Parking::new(), |waker| Parking { waker });
        self.recv_with(&mut parking)
    }

    /// The next message, as soon as one is due, sleeping in a way of the caller's meanwhile; `None` once the queue has quit
    /// and nothing is run any more.
    pub fn recv_with(&mut self, sleep: &mut impl Sleep) -> Option<Message<T>> {
        loop {
            let deadline = match self.poll_with(sleep.waker()) {
                Next::Message(message) => return Some(message),
                Next::Quit => return None,
                Next::Pending(deadline) => deadline,
            };
            // Wakes that were meant for others, or that came before, end a sleep early.
            while self.is_asleep() {
                let clock = self.clock();
                let timeout = match deadline {
                    Some(when) if when <= clock.now() => break,
                    Some(when) => {
                        let timeout = clock.sleep_until(when);
                        if timeout.is_none() {
                            clock.wake_at(when, sleep.waker(), self.mark());
                        }
                        timeout
                    }
                    None => None,
                };
                sleep.sleep(timeout);
            }
        }
    }
}
