//! The atomics and cells that everything else is written with.
//!
//! They are those of `core`, or those of a model checker under `cfg(loom)` and `cfg(shuttle)`. These are
//! configurations, not features, and no part of what the crate promises.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU64, AtomicU8, AtomicUsize};

#[cfg(shuttle)]
pub(crate) use shuttle::sync::atomic::{AtomicPtr, AtomicU64, AtomicU8, AtomicUsize};

#[cfg(not(any(loom, shuttle)))]
pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicU8, AtomicUsize};

pub(crate) use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

#[cfg(loom)]
pub(crate) use loom::cell::UnsafeCell;

/// A cell with loom's interface, so that loom can watch who reads and who writes.
#[cfg(not(loom))]
#[derive(Debug)]
pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    /// Lends the value for reading.
    #[inline(always)]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    /// Lends the value for writing.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

/// Keeps what is written by different threads on different cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);

impl<T> core::ops::Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
