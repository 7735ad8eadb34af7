//! The Treiber stack that every post goes to, and its nodes.
//!
//! ```text
//! top ─▶ newest ─▶ … ─▶ oldest        by `next`, which anybody may read
//!        newest ◀─ … ◀─ oldest        by `prev`, which the looper's side alone has
//! ```
//!
//! Any thread pushes; the looper's side alone unlinks, anywhere. A push reads top and never what it points to, so it is
//! no matter to it whether a node is freed, nor whether top changed and changed back (the new node sits on what is top
//! now, whichever life of that address it is). A node that is unlinked keeps its `next`: who stands on it gets back to
//! the live list by it. All changes of top are read-modify-writes, so that who acquires it has acquired every push
//! before.
//!
//! The two low bits of top say that the queue has quit; a push that sees one gives up.

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::ptr;

use crate::message::{Due, Entry, Message, Target, Token, When};
use crate::sync::{AcqRel, Acquire, AtomicPtr, AtomicU8, Relaxed, Release, UnsafeCell};

/// What becomes of a message; it leaves `QUEUED` once, for one of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum State {
    Queued = 0,
    Removed = 1,
    Delivered = 2,
}

const ASYNCHRONOUS: u8 = 1;
const FRONT: u8 = 2;
const BARRIER: u8 = 4;

/// A message in the queue.
#[derive(Debug)]
#[repr(align(8))]
pub(crate) struct Node<T> {
    /// Down the stack. Written by its poster before the push, then by the looper's side; read by anybody inside the gate.
    next: AtomicPtr<Node<T>>,
    /// Down the free list. Written by who removed the message; read by the looper's side after it took the free list.
    next_free: UnsafeCell<*mut Node<T>>,
    /// Whether the message is still to be had. Who changes it owns the payload.
    state: AtomicU8,
    /// What only the looper's side reads and writes.
    own: UnsafeCell<Own<T>>,
    // From here on nothing changes after the push.
    flags: u8,
    what: i32,
    when: When,
    target: Target,
    token: Token,
    /// Taken out by who changed `state`. Uninitialised in barriers.
    payload: UnsafeCell<MaybeUninit<T>>,
    #[cfg(loom)]
    life: crate::models::Life,
}

/// The part of a node that belongs to the looper's side.
#[derive(Debug)]
pub(crate) struct Own<T> {
    /// Up the stack, once swept; null at the top. Of a retired node, the next one in limbo.
    pub(crate) prev: *mut Node<T>,
    /// Whether the heap has an entry for it.
    pub(crate) in_heap: bool,
    /// Whether it is out of the stack.
    pub(crate) unlinked: bool,
}

// SAFETY: a node is shared between the threads that post, remove and run. What is not atomic in it is either never
// written after the push or owned as its field says; the payload goes to one thread, which is what `T: Send` is for.
unsafe impl<T: Send> Send for Node<T> {}
// SAFETY: as above; no `&T` is ever made from a shared node.
unsafe impl<T: Send> Sync for Node<T> {}

impl<T> Node<T> {
    /// A node for a message that is due at a time.
    pub(crate) fn message(message: Message<T>, when: When) -> Box<Self> {
        let flags =
            if message.asynchronous { ASYNCHRONOUS } else { 0 } | if message.due == Due::Front { FRONT } else { 0 };
        let Message { payload, target, what, token, .. } = message;
        Self::new(flags, what, when, target, token, MaybeUninit::new(payload))
    }

    /// A node for a barrier.
    pub(crate) fn barrier(number: u64, when: When) -> Box<Self> {
        Self::new(BARRIER, 0, when, Target::NONE, Token(number), MaybeUninit::uninit())
    }

    fn new(flags: u8, what: i32, when: When, target: Target, token: Token, payload: MaybeUninit<T>) -> Box<Self> {
        Box::new(Self {
            next: AtomicPtr::new(ptr::null_mut()),
            next_free: UnsafeCell::new(ptr::null_mut()),
            state: AtomicU8::new(State::Queued as u8),
            own: UnsafeCell::new(Own { prev: ptr::null_mut(), in_heap: false, unlinked: false }),
            flags,
            what,
            when,
            target,
            token,
            payload: UnsafeCell::new(payload),
            #[cfg(loom)]
            life: crate::models::Life::new(),
        })
    }

    pub(crate) fn when(&self) -> When {
        self.when
    }

    pub(crate) fn is_asynchronous(&self) -> bool {
        self.flags & ASYNCHRONOUS != 0
    }

    pub(crate) fn is_front(&self) -> bool {
        self.flags & FRONT != 0
    }

    pub(crate) fn is_barrier(&self) -> bool {
        self.flags & BARRIER != 0
    }

    pub(crate) fn entry(&self) -> Entry {
        Entry {
            when: self.when,
            target: self.target,
            what: self.what,
            token: self.token,
            asynchronous: self.is_asynchronous(),
            front: self.is_front(),
            barrier: self.is_barrier(),
        }
    }

    /// Says that a traversal, or the looper's side, looks at the node; a model checker then knows that it is not freed.
    #[inline(always)]
    pub(crate) fn visit(&self) {
        #[cfg(loom)]
        self.life.visit();
    }

    pub(crate) fn is_queued(&self) -> bool {
        // ORDER: acquire, with the release of `claim`: who sees a message gone sees what was done before it went.
        self.state.load(order!(Acquire, "state-load")) == State::Queued as u8
    }

    /// Takes the message, for removal or delivery; at most one caller ever succeeds, and owns the payload.
    pub(crate) fn claim(&self, state: State) -> bool {
        // ORDER: release for `is_queued` of others. The payload came with the acquire of top, so taking it needs none.
        if mutated!("claim-by-store") {
            let queued = self.is_queued();
            self.state.store(state as u8, Release);
            return queued;
        }
        let claimed =
            self.state.compare_exchange(State::Queued as u8, state as u8, order!(Release, "state-claim"), Relaxed);
        claimed.is_ok()
    }

    /// The message with its payload, due when it was due.
    ///
    /// # Safety
    /// The caller has claimed the node, which is no barrier, and calls this once.
    pub(crate) unsafe fn take(&self) -> Message<T> {
        // SAFETY: the payload was written before the push; only who claimed the node gets here, and once.
        let payload = self.payload.with_mut(|payload| unsafe { (*payload).as_ptr().read() });
        Message {
            payload,
            due: if self.is_front() { Due::Front } else { Due::At(self.when) },
            target: self.target,
            what: self.what,
            token: self.token,
            asynchronous: self.is_asynchronous(),
        }
    }

    /// Down the stack.
    pub(crate) fn next(&self) -> *mut Node<T> {
        // ORDER: relaxed; whatever is down there was pushed earlier, and came with the acquire of top.
        self.next.load(Relaxed)
    }

    /// Relinks over an unlinked node. For the looper's side.
    pub(crate) fn set_next(&self, next: *mut Node<T>) {
        // ORDER: relaxed; readers need no more than one of the values, each of which leads on. That who enters after the
        // grace period began sees this one is by the gate.
        self.next.store(next, Relaxed);
    }

    /// Down the free list.
    ///
    /// # Safety
    /// The caller took the free list that the node is on, or claimed the node for removal.
    pub(crate) unsafe fn next_free(&self) -> *mut Node<T> {
        // SAFETY: the winner of the removal wrote it before it published the chain, and nobody writes it afterwards.
        self.next_free.with(|next| unsafe { *next })
    }

    /// # Safety
    /// The caller claimed the node for removal and has not published it on the free list yet.
    pub(crate) unsafe fn set_next_free(&self, next: *mut Node<T>) {
        // SAFETY: nobody else reads or writes it before it is published.
        self.next_free.with_mut(|place| unsafe { *place = next });
    }

    /// Lends what belongs to the looper's side.
    ///
    /// # Safety
    /// The caller is the looper's side (there is one), or has the node for itself, and no loan is within another.
    #[inline(always)]
    pub(crate) unsafe fn own<R>(&self, with: impl FnOnce(&mut Own<T>) -> R) -> R {
        // SAFETY: the looper's side is one thread at a time, and loans do not nest.
        self.own.with_mut(|own| with(unsafe { &mut *own }))
    }
}

/// Frees a node; its payload is left alone.
///
/// # Safety
/// It came from a box, nobody can reach it any more, and its payload was taken or was never there.
pub(crate) unsafe fn free<T>(node: *mut Node<T>) {
    #[cfg(not(loom))]
    // SAFETY: it came from a box, and this is its only owner.
    drop(unsafe { Box::from_raw(node) });
    // A model keeps the memory, so that a traversal that comes too late is reported instead of reading what is not there.
    #[cfg(loom)]
    // SAFETY: nothing is freed under loom.
    unsafe {
        (*node).life.end();
    }
}

/// No more pushes, and what is due still runs.
pub(crate) const QUIT_SAFELY: usize = 1;
/// No more pushes, and nothing runs any more.
pub(crate) const QUIT: usize = 2;
const TAGS: usize = QUIT_SAFELY | QUIT;

/// Which of the quit bits are in a value of top.
pub(crate) fn tag<T>(top: *mut Node<T>) -> usize {
    top as usize & TAGS
}

/// The node in a value of top.
pub(crate) fn untagged<T>(top: *mut Node<T>) -> *mut Node<T> {
    // By arithmetic on the pointer, so that it keeps what it may point to.
    top.cast::<u8>().wrapping_sub(tag(top)).cast()
}

fn tagged<T>(node: *mut Node<T>, tag: usize) -> *mut Node<T> {
    node.cast::<u8>().wrapping_add(tag).cast()
}

/// The stack: who posts pushes, who removes walks it, and the looper's side unlinks.
#[derive(Debug)]
pub(crate) struct Stack<T> {
    top: AtomicPtr<Node<T>>,
}

impl<T> Stack<T> {
    pub(crate) fn new() -> Self {
        Self { top: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The newest node and the quit bits, to walk on from there.
    pub(crate) fn top(&self) -> *mut Node<T> {
        // ORDER: acquire, with the release of every push, which the read-modify-writes in between hand on.
        self.top.load(order!(Acquire, "top-load"))
    }

    /// Pushes a node, or gives it back if the queue has quit.
    ///
    /// Linearises at the exchange. Lock-free: who fails, fails because another push, unlinking or quit succeeded.
    pub(crate) fn push(&self, node: Box<Node<T>>) -> Result<(), Box<Node<T>>> {
        let node = Box::into_raw(node);
        // ORDER: relaxed; the value is compared, and never followed.
        let mut top = self.top.load(Relaxed);
        loop {
            if tag(top) != 0 {
                // SAFETY: it was never published.
                return Err(unsafe { Box::from_raw(node) });
            }
            // ORDER: relaxed; the exchange publishes it.
            // SAFETY: the node is still this thread's alone.
            unsafe { (*node).next.store(top, Relaxed) };
            // ORDER: release, for all who acquire top. Failure is relaxed: again only a value to compare.
            match self.top.compare_exchange_weak(top, node, order!(Release, "push"), Relaxed) {
                Ok(_) => return Ok(()),
                Err(now) => top = now,
            }
        }
    }

    /// Puts a quit bit on top; the bits that were there before.
    pub(crate) fn quit(&self, how: usize) -> usize {
        // ORDER: relaxed; the value is compared, and only its bits are looked at.
        let mut top = self.top.load(Relaxed);
        loop {
            let with = tagged(untagged(top), tag(top) | how);
            // ORDER: release for what the caller did before, which the looper sees when it sees the bit; one that is there
            // already is written again for that. Acquire for the pushes below: the time of a safe quit is read after
            // the times of all that was accepted.
            match self.top.compare_exchange_weak(top, with, order!(AcqRel, "quit"), Relaxed) {
                Ok(_) => return tag(top),
                Err(now) => top = now,
            }
        }
    }

    /// Unlinks the node on top, unless others were pushed on it. For the looper's side.
    pub(crate) fn pop(&self, node: *mut Node<T>, next: *mut Node<T>) -> bool {
        let mut top = node;
        if mutated!("pop-by-store") && self.top.load(Relaxed) == node {
            self.top.store(next, Relaxed);
            return true;
        }
        loop {
            // ORDER: a read-modify-write, so that later acquires still get all pushes before; by that the release of
            // those is handed on, and needs none here. Nothing is read by it.
            match self.top.compare_exchange_weak(top, tagged(next, tag(top)), Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(now) if untagged(now) != node => return false,
                Err(now) => top = now,
            }
        }
    }
}
