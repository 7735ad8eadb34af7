//! How threads see each other's accesses: the interpreter asks a [`Memory`] for each one.
//!
//! A plain run uses [`SequentiallyConsistent`] memory, which goes straight to the heap. A weaker one keeps what it
//! needs (store buffers, older values, views) on its own side and learns of the rest through [`Memory::synchronise`].

use super::heap::{Heap, Location};
use super::slot::{Ref, Slot};
use super::thread::ThreadId;
use crate::entity::Class;
use crate::types::Ordering;

/// Whether an access reads, writes, or does both at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads, and writes depending on what it read, indivisibly.
    Update,
}

/// An access to shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Where.
    pub location: Location,
    /// What.
    pub kind: AccessKind,
    /// In which order with others. Ordinary fields are plain, volatile ones volatile.
    pub ordering: Ordering,
}

/// Something other than an access that orders memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Synchronisation {
    /// The thread entered the monitor of an object.
    Enter(Ref),
    /// The thread left the monitor of an object.
    Exit(Ref),
    /// The thread started another.
    Start(ThreadId),
    /// The thread learnt that another has ended.
    Join(ThreadId),
    /// The thread finished the initialisation of a class.
    Initialised(Class),
    /// The thread found the class initialised.
    SawInitialised(Class),
    /// The thread interrupted another.
    Interrupts(ThreadId),
    /// The thread learnt that this one, perhaps itself, was interrupted.
    Interrupted(ThreadId),
}

/// The shared memory as threads see it.
pub trait Memory {
    /// What `thread` reads from `location`.
    fn read(&mut self, heap: &Heap, thread: ThreadId, location: Location, ordering: Ordering) -> Slot;
    /// `thread` writes `value` to `location`.
    fn write(&mut self, heap: &mut Heap, thread: ThreadId, location: Location, ordering: Ordering, value: Slot);
    /// `thread` reads `location` and, if `change` gives a new value, writes that, indivisibly. Returns what it read.
    fn update(
        &mut self,
        heap: &mut Heap,
        thread: ThreadId,
        location: Location,
        ordering: Ordering,
        change: &mut dyn FnMut(Slot) -> Option<Slot>,
    ) -> Slot;
    /// `thread` did something else that orders memory.
    fn synchronise(&mut self, thread: ThreadId, event: Synchronisation) {
        let _ = (thread, event);
    }
}

/// Every access happens at once and for all threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SequentiallyConsistent;

impl Memory for SequentiallyConsistent {
    fn read(&mut self, heap: &Heap, _: ThreadId, location: Location, _: Ordering) -> Slot {
        heap.get(location)
    }
    fn write(&mut self, heap: &mut Heap, _: ThreadId, location: Location, _: Ordering, value: Slot) {
        heap.set(location, value);
    }
    fn update(
        &mut self,
        heap: &mut Heap,
        _: ThreadId,
        location: Location,
        _: Ordering,
        change: &mut dyn FnMut(Slot) -> Option<Slot>,
    ) -> Slot {
        let old = heap.get(location);
        if let Some(new) = change(old) {
            heap.set(location, new);
        }
        old
    }
}
