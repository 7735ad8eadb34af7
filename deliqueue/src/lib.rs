//! A lock-free message queue ordered by time, and a looper: many threads post, one thread runs.
//!
//! ```
//! use std::{thread, time::Duration};
//! use deliqueue::{Filter, Message};
//!
//! let (sender, mut receiver) = deliqueue::queue();
//! let poster = thread::spawn(move || {
//!     sender.send("first").unwrap();
//!     sender.send_after(Duration::from_millis(20), "later").unwrap();
//!     sender.post(Message::new("never").what(7).after(Duration::from_secs(60))).unwrap();
//!     assert_eq!(sender.remove(Filter::all().what(7)), 1);
//!     sender.send("second").unwrap();
//! });
//! for expected in ["first", "second", "later"] {
//!     assert_eq!(receiver.recv().unwrap().payload, expected);
//! }
//! poster.join().unwrap();
//! ```
//!
//! A [`Sender`] posts, removes and looks into the queue, from any thread, without a lock. The [`Receiver`] runs what is due, in
//! order of time, and among messages of one time in the order of the posts.
//!
//! The [README](https://github.com/r8lite/r8lite/blob/main/deliqueue/README.md) says when not to use it.
//!
//! The protocol is described at the top of `queue.rs`, and the parts that carry it at the top of theirs: `stack.rs`,
//! `wait.rs`, `reclaim.rs`, `heap.rs`.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(missing_docs)]
#![warn(missing_debug_implementations)]

extern crate alloc;

#[cfg(not(target_has_atomic = "64"))]
compile_error!(
    "deliqueue needs 64-bit atomics: the wait word holds a deadline and a counter, and this target has none"
);

/// An ordering by its name. A model checker may have it weakened, to see that some model fails then.
#[cfg(not(loom))]
macro_rules! order {
    ($order:ident, $name:literal) => {
        $order
    };
}
#[cfg(loom)]
macro_rules! order {
    ($order:ident, $name:literal) => {
        crate::models::order($order, $name)
    };
}

/// Whether a model checker wants a rule of the protocol broken, to see that some model fails then. Never otherwise.
#[cfg(not(loom))]
macro_rules! mutated {
    ($name:literal) => {
        false
    };
}
#[cfg(loom)]
macro_rules! mutated {
    ($name:literal) => {
        crate::models::mutated($name)
    };
}

mod clock;
#[cfg(all(feature = "ffi", not(loom)))]
pub mod ffi;
mod heap;
#[cfg(all(feature = "linux", target_os = "linux", not(loom)))]
pub mod linux;
#[cfg(all(feature = "std", not(loom)))]
mod looper;
mod message;
#[cfg(loom)]
mod models;
#[cfg(feature = "std")]
mod park;
mod queue;
mod receiver;
mod reclaim;
mod sender;
mod stack;
#[cfg(feature = "stream")]
mod stream;
mod sync;
#[cfg(feature = "std")]
mod timer;
mod wait;
mod wake_cell;

pub use clock::Clock;
#[cfg(feature = "std")]
pub use clock::{ManualClock, MonotonicClock};
#[cfg(all(feature = "std", not(loom)))]
pub use looper::{Callback, Dispatch, Handler, HandlerError, Looper, LooperError, Observer, Slow};
pub use message::{BarrierToken, Due, Entry, Filter, HasQuit, Message, SendError, Target, Token, When};
#[cfg(feature = "std")]
pub use park::{Parking, Sleep};
#[cfg(feature = "std")]
pub use queue::queue;
pub use queue::with_clock;
pub use receiver::{Next, Receiver, Undelivered};
pub use sender::Sender;

/// A number that nobody in this process had before.
fn unique() -> u64 {
    use core::sync::atomic::{AtomicU64, Ordering};

    static NEXT: AtomicU64 = AtomicU64::new(1);
    // ORDER: relaxed; the numbers only have to differ.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Runs the example of the README.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
