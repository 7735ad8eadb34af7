//! What only Linux has: waking by descriptor, and the priority, place and speed of threads.

mod event;
pub mod thread;

pub use event::EventSleep;
