//! The protocol, in one place, and what both sides share.
//!
//! # Who does what
//!
//! Any thread posts, removes and asks, through a [`Sender`]. One thread at a time, the looper's side, runs the
//! [`Receiver`]: it alone unlinks nodes, owns the heap and sleeps.
//!
//! | operation | linearises at | progress |
//! |---|---|---|
//! | post | the exchange of top (`stack.rs`) | lock-free; two read-modify-writes: top, and the wait word |
//! | remove, take | for each message the exchange of its state | wait-free but for entering the gate, which is lock-free |
//! | has, snapshot, length | each message's state when it is looked at | as removal |
//! | deliver | the exchange of the message's state | lock-free |
//! | nothing is due | the last look at top, or the exchange by which the looper falls asleep | lock-free |
//! | quit | the exchange that puts a bit on top | lock-free |
//!
//! A delivery takes what was first when top was read. What is posted to the front, or for an earlier time, between that
//! and the exchange comes after it, although others may already see it in the queue beside the message that is being
//! delivered. Among messages in the order of time there is no such gap: `tests/linear.rs` checks recorded histories.
//!
//! # States of a message
//!
//! `Queued` until somebody exchanges that, once, for `Removed` or `Delivered`: who does owns the payload, and nobody else
//! touches it. A node is *linked* from its push until the looper's side unlinks it; it is *retired* once it is unlinked
//! and out of the free list and the heap, and freed a grace period later (`reclaim.rs`).
//!
//! A removed message gets onto the free list while its remover is still inside the gate. Only what comes from that list,
//! or was delivered, is unlinked and retired. A sweep that meets a removed node leaves it alone, since its remover may not
//! have put it onto the list yet.
//!
//! # What the looper's side does
//!
//! 1. Reads the wait word, from which it will fall asleep (`wait.rs`).
//! 2. Takes the free list. Only then
//! 3. sweeps: from top down to what it knew, setting the links up; then inserts what is new in the order of the pushes,
//!    giving out sequence numbers: ordinary ones count up, those at the front down. Numbers are given here and not at the
//!    post, since the stack is the order of the posts already; that saves every post a read-modify-write. All that was on
//!    the free list is swept by now, because it was pushed before it was removed.
//! 4. Unlinks what was on the free list.
//! 5. Picks the first message, the first asynchronous one if a barrier is first. Due: exchanges its state, unlinks it and
//!    runs it. Not due: falls asleep, unless the wait word has changed.
//!
//! # The end
//!
//! Quitting puts a bit on top, so a post either comes before it or gets its message back. What was accepted is run, is
//! removed, or is handed back by [`Receiver::undelivered`]. *Safely* runs what is due at the time of the quit. That time
//! is read after the bit is set, so it is no earlier than the time of any post that was accepted as due now.
//!
//! With its receiver the queue ends: what is left is dropped, and the gate closes; who leaves it last frees the nodes.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::ptr;

use crate::clock::Clock;
use crate::message::{Entry, When};
use crate::reclaim::{Gate, Left, Pass, Remains};
use crate::stack::{self, Node, Stack, State};
use crate::sync::{Acquire, Apart, AtomicPtr, AtomicU64, AtomicUsize, Relaxed, Release, UnsafeCell};
use crate::wait::{Change, Wait};
use crate::wake_cell::WakeCell;
use crate::{Message, Receiver, Sender};

/// Past this many removed messages that the looper's side has not unlinked, a sleeping looper is woken to do so.
const TOMBSTONES: usize = if cfg!(any(loom, shuttle)) { 2 } else { 64 };

/// No time of a safe quit yet.
const NO_CUTOFF: u64 = u64::MAX;

/// A new queue on this clock: the end that posts, which may be cloned, and the end that runs.
pub fn with_clock<T>(clock: Arc<dyn Clock>) -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Shared {
        post: Apart(Post { stack: Stack::new(), wait: Wait::new() }),
        removal: Apart(Removed {
            first: AtomicPtr::new(ptr::null_mut()),
            tombstones: AtomicUsize::new(0),
            gate: Gate::new(),
        }),
        cell: WakeCell::new(),
        clock,
        barriers: AtomicU64::new(1),
        cutoff: AtomicU64::new(NO_CUTOFF),
        remains: UnsafeCell::new(Remains::NONE),
    });
    (Sender::new(shared.clone()), Receiver::new(shared))
}

/// A new queue on the system's monotonic clock: the end that posts, which may be cloned, and the end that runs.
///
/// ```
/// let (sender, mut receiver) = deliqueue::queue();
/// sender.send("hello").unwrap();
/// sender.quit_safely();
/// assert_eq!(receiver.recv().unwrap().payload, "hello");
/// assert!(receiver.recv().is_none());
/// ```
#[cfg(feature = "std")]
pub fn queue<T>() -> (Sender<T>, Receiver<T>) {
    with_clock(Arc::new(crate::clock::MonotonicClock::new()))
}

/// What every post changes. On one cache line: who has it for the one has it for the other.
#[derive(Debug)]
pub(crate) struct Post<T> {
    pub(crate) stack: Stack<T>,
    pub(crate) wait: Wait,
}

/// What removals change.
#[derive(Debug)]
pub(crate) struct Removed<T> {
    /// The free list: pushed to by removers, taken whole by the looper's side.
    first: AtomicPtr<Node<T>>,
    /// How many are on it or about to be.
    tombstones: AtomicUsize,
    pub(crate) gate: Gate,
}

/// What both sides of a queue share.
pub(crate) struct Shared<T> {
    pub(crate) post: Apart<Post<T>>,
    pub(crate) removal: Apart<Removed<T>>,
    pub(crate) cell: WakeCell,
    pub(crate) clock: Arc<dyn Clock>,
    /// The number of the next barrier.
    barriers: AtomicU64,
    /// Up to when a safe quit delivers; written once.
    cutoff: AtomicU64,
    /// Written by the looper's side before it closes the gate; read by who is last.
    remains: UnsafeCell<Remains<T>>,
}

// SAFETY: all is atomic but `remains`, which the gate hands from one owner to the next, and the clock, which is `Sync`.
// Payloads go from thread to thread, never shared: `T: Send`.
unsafe impl<T: Send> Sync for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Shared<T> {}

impl<T> Shared<T> {
    /// Pushes a message; gives the payload's node back if the queue has quit.
    pub(crate) fn push(&self, node: Box<Node<T>>) -> Result<(), Box<Node<T>>> {
        let change = if node.is_barrier() {
            Change::Barrier
        } else {
            Change::Post { when: node.when(), passes: node.is_asynchronous() || node.is_front() }
        };
        if mutated!("bump-first") {
            self.notify(change);
            return self.post.stack.push(node);
        }
        self.post.stack.push(node)?;
        self.notify(change);
        Ok(())
    }

    /// Tells the looper's side of a change that was made.
    pub(crate) fn notify(&self, change: Change) {
        if self.post.wait.notify(change) {
            self.cell.wake();
        }
    }

    pub(crate) fn next_barrier(&self) -> u64 {
        // ORDER: relaxed; the numbers only have to differ.
        self.barriers.fetch_add(1, Relaxed)
    }

    /// No more posts; what is later than now is not run any more.
    pub(crate) fn quit_safely(&self) {
        if mutated!("cutoff-early") {
            self.cutoff();
        }
        self.post.stack.quit(stack::QUIT_SAFELY);
        self.cutoff();
        self.notify(Change::Urgent);
    }

    /// No more posts, and nothing is run any more.
    pub(crate) fn quit(&self) {
        self.post.stack.quit(stack::QUIT);
        self.notify(Change::Urgent);
    }

    /// Up to when a safe quit delivers; to be called once the quit bit is seen. Whoever asks first sets it.
    pub(crate) fn cutoff(&self) -> When {
        let now = self.clock.now();
        // ORDER: relaxed; it is a value by itself. That `now` is no earlier than that of accepted posts is by the acquire
        // with which the caller saw or set the bit on top.
        match self.cutoff.compare_exchange(NO_CUTOFF, now.0, Relaxed, Relaxed) {
            Ok(_) => now,
            Err(set) => When(set),
        }
    }

    /// Enters the gate to walk the stack, if it is still open.
    pub(crate) fn visit(&self) -> Option<Visit<'_, T>> {
        let pass = self.removal.gate.enter()?;
        Some(Visit { shared: self, pass: Some(pass) })
    }

    /// Takes the free list: its first node, and how many at most.
    pub(crate) fn take_removed(&self) -> *mut Node<T> {
        let removed = &self.removal.first;
        // ORDER: relaxed; if what was just pushed is missed, the bump of the wait word brings the looper's side back.
        if removed.load(Relaxed).is_null() {
            return ptr::null_mut();
        }
        // ORDER: acquire, with the release of `hand_over`: the links of the chain, and that its nodes were pushed.
        removed.swap(ptr::null_mut(), order!(Acquire, "free-drain"))
    }

    /// Says that so many were taken from the free list.
    pub(crate) fn tombstones_unlinked(&self, count: usize) {
        // ORDER: relaxed; a count that decides when to wake, and nothing else.
        self.removal.tombstones.fetch_sub(count, Relaxed);
    }

    /// Puts a chain of removed nodes onto the free list.
    ///
    /// # Safety
    /// The caller claimed them for removal, is still inside the gate, and linked them by `next_free`.
    unsafe fn hand_over(&self, first: *mut Node<T>, last: *mut Node<T>, count: usize) {
        let Removed { first: list, tombstones, .. } = &*self.removal;
        // Before they are there, so that the count never falls below nothing.
        // ORDER: relaxed, as in `tombstones_unlinked`.
        let waiting = tombstones.fetch_add(count, Relaxed) + count;
        // ORDER: relaxed; the value is compared, and never followed.
        let mut head = list.load(Relaxed);
        loop {
            // SAFETY: the chain is the caller's until the exchange.
            unsafe { (*last).set_next_free(head) };
            // ORDER: release, with the acquire of `take_removed`.
            match list.compare_exchange_weak(head, first, order!(Release, "free-push"), Relaxed) {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        if waiting > TOMBSTONES {
            self.notify(Change::Urgent);
        }
    }

    /// Leaves what is left to whoever comes last, and closes the gate. By the looper's side, as the last that it does.
    pub(crate) fn close(&self, remains: Remains<T>) {
        // SAFETY: nobody reads it before the gate is closed.
        self.remains.with_mut(|place| unsafe { *place = remains });
        if self.removal.gate.close() {
            self.free_remains();
        }
    }

    fn free_remains(&self) {
        // SAFETY: the gate is closed and empty, and it lets exactly one caller know so: see `reclaim.rs`.
        let remains = self.remains.with_mut(|place| unsafe { core::mem::replace(&mut *place, Remains::NONE) });
        // SAFETY: the same, and the looper's side left no payload in it.
        unsafe { remains.free() };
    }
}

/// Somebody inside the gate, walking the stack. Leaves when dropped.
pub(crate) struct Visit<'a, T> {
    shared: &'a Shared<T>,
    pass: Option<Pass>,
}

impl<T> Visit<'_, T> {
    /// Shows the nodes that are still queued, newest first, until `visit` says to stop by `false`.
    fn walk(&self, mut visit: impl FnMut(&Node<T>, *mut Node<T>) -> bool) {
        let mut node = stack::untagged(self.shared.post.stack.top());
        while !node.is_null() {
            // SAFETY: it was reached from top inside the gate: it is not freed before this thread leaves.
            let here = unsafe { &*node };
            here.visit();
            if here.is_queued() && !visit(here, node) {
                return;
            }
            node = here.next();
        }
    }

    /// The first queued message or barrier, newest first, of which this holds.
    pub(crate) fn any(&self, mut holds: impl FnMut(&Entry) -> bool) -> bool {
        let mut found = false;
        self.walk(|node, _| {
            found = holds(&node.entry());
            !found
        });
        found
    }

    /// Shows what is queued, newest first.
    pub(crate) fn each(&self, mut show: impl FnMut(Entry)) {
        self.walk(|node, _| {
            show(node.entry());
            true
        });
    }

    /// Removes the barrier of this number.
    pub(crate) fn remove_barrier(self, number: u64) -> bool {
        let mut claimed = Claimed::new(&self);
        self.walk(|node, pointer| {
            let wanted = node.is_barrier() && node.entry().token.0 == number;
            if wanted && node.claim(State::Removed) {
                claimed.add(pointer);
            }
            !wanted
        });
        let found = claimed.count > 0;
        claimed.cursor = ptr::null_mut();
        drop(claimed);
        if found {
            self.shared.notify(Change::Unblock);
        }
        found
    }

    /// Removes the messages of which this holds and shows them, newest first; how many they were.
    ///
    /// `holds` and `show` are code of others and may panic. Then what was claimed is dropped, and the queue goes on.
    pub(crate) fn remove(self, mut holds: impl FnMut(&Entry) -> bool, mut show: impl FnMut(Message<T>)) -> usize {
        let mut claimed = Claimed::new(&self);
        self.walk(|node, pointer| {
            if !node.is_barrier() && holds(&node.entry()) && node.claim(State::Removed) {
                claimed.add(pointer);
            }
            true
        });
        while let Some(message) = claimed.next_message() {
            show(message);
        }
        claimed.count
    }
}

impl<T> Drop for Visit<'_, T> {
    fn drop(&mut self) {
        if let Some(pass) = self.pass.take() {
            match self.shared.removal.gate.leave(pass) {
                Left::Nothing => {}
                Left::Wanted => self.shared.notify(Change::Urgent),
                Left::Last => self.shared.free_remains(),
            }
        }
    }
}

/// Messages that this thread has claimed for removal. When dropped, drops payloads that are left and hands the nodes over.
struct Claimed<'a, T> {
    shared: &'a Shared<T>,
    first: *mut Node<T>,
    last: *mut Node<T>,
    /// The next one whose payload is still in it.
    cursor: *mut Node<T>,
    count: usize,
}

impl<'a, T> Claimed<'a, T> {
    fn new(visit: &Visit<'a, T>) -> Self {
        Self { shared: visit.shared, first: ptr::null_mut(), last: ptr::null_mut(), cursor: ptr::null_mut(), count: 0 }
    }

    /// Adds a node that the caller has just claimed for removal.
    fn add(&mut self, node: *mut Node<T>) {
        if self.last.is_null() {
            self.first = node;
            self.cursor = node;
        } else {
            // SAFETY: the last one is claimed by this thread and not handed over yet.
            unsafe { (*self.last).set_next_free(node) };
        }
        self.last = node;
        self.count += 1;
    }

    fn next_message(&mut self) -> Option<Message<T>> {
        if self.cursor.is_null() {
            return None;
        }
        // SAFETY: claimed by this thread, and not handed over; the cursor moves on before anything else may happen, so
        // each payload is taken once. The link of the last one is null still.
        unsafe {
            let node = &*self.cursor;
            self.cursor = node.next_free();
            Some(node.take())
        }
    }
}

impl<T> Drop for Claimed<'_, T> {
    fn drop(&mut self) {
        // Only after a panic is there something left.
        while let Some(message) = self.next_message() {
            drop(message);
        }
        if !self.first.is_null() {
            // SAFETY: this thread claimed them, linked them, and is inside the gate, which outlives this.
            unsafe { self.shared.hand_over(self.first, self.last, self.count) };
        }
    }
}
