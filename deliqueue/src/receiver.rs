//! The end of a queue that runs its messages: the looper's side.

use alloc::sync::Arc;
use core::fmt;
use core::task::Waker;

use crate::clock::Clock;
use crate::heap::{Heap, Key};
use crate::message::{Entry, Message, Token, When};
use crate::queue::Shared;
use crate::reclaim::{Limbo, Remains};
use crate::stack::{self, Node, State};
use crate::wait::LAST_DEADLINE;
use crate::Sender;

/// Sequence numbers of ordinary messages count up from here, those of messages at the front down.
const FIRST_SEQUENCE: u64 = 1 << 63;

/// With this much in limbo the looper does not sleep without having itself woken to free it.
const LIMBO: usize = if cfg!(any(loom, shuttle)) { 0 } else { 128 };

/// What a queue has for its looper.
#[derive(Debug)]
#[must_use]
pub enum Next<T> {
    /// A message to run. It is out of the queue.
    Message(Message<T>),
    /// Nothing is due; what is first is due then, if there is anything to wait for.
    Pending(Option<When>),
    /// The queue has quit, and nothing is run any more.
    Quit,
}

/// Runs the messages of a queue. There is one for each queue; it may move from thread to thread.
///
/// When it is dropped the queue ends: posts give their message back, and what waits is dropped.
pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    /// What top was when it was swept last, less what was unlinked since.
    head: *mut Node<T>,
    /// The quit bits of top then.
    quit: usize,
    /// What barriers hold back, and the barriers.
    ordinary: Heap<*mut Node<T>>,
    /// What they let pass.
    asynchronous: Heap<*mut Node<T>>,
    next_sequence: u64,
    next_front: u64,
    limbo: Limbo<T>,
    /// Whether the wait word may say that the looper sleeps.
    asleep: bool,
    /// Whether the gate was asked to wake the looper.
    wanted: bool,
    /// The waker in the cell.
    registered: Option<Waker>,
    /// The last time that was read; time does not run backwards.
    now: When,
    /// By which the clock knows it.
    #[cfg_attr(not(any(feature = "std", feature = "stream")), allow(dead_code))]
    mark: Token,
}

// SAFETY: the pointers are to nodes that this side may use from any one thread; payloads are `Send`.
unsafe impl<T: Send> Send for Receiver<T> {}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

#[derive(Clone, Copy)]
enum Lane {
    Ordinary,
    Asynchronous,
}

struct First<T> {
    message: Option<(Lane, Key, *mut Node<T>)>,
    held_from: Option<When>,
}

enum Choice {
    Due(Lane),
    Later { deadline: Option<When>, held_from: Option<When> },
}

impl<T> Receiver<T> {
    pub(crate) fn new(shared: Arc<Shared<T>>) -> Self {
        Self {
            shared,
            head: core::ptr::null_mut(),
            quit: 0,
            ordinary: Heap::new(),
            asynchronous: Heap::new(),
            next_sequence: FIRST_SEQUENCE,
            next_front: FIRST_SEQUENCE - 1,
            limbo: Limbo::new(),
            asleep: false,
            wanted: false,
            registered: None,
            now: When::ORIGIN,
            mark: Token::unique(),
        }
    }

    /// Another end that posts.
    pub fn sender(&self) -> Sender<T> {
        Sender::new(self.shared.clone())
    }

    /// The queue's clock.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.shared.clock.clone()
    }

    /// The mark by which a clock replaces what this asked it for before.
    #[cfg(any(feature = "std", feature = "stream"))]
    pub(crate) fn mark(&self) -> Token {
        self.mark
    }

    /// The next message, if one is due. Does not wait, and arranges for no wake-up.
    pub fn try_next(&mut self) -> Next<T> {
        self.step(None)
    }

    /// The next message, or a promise to wake: after [`Next::Pending`] the waker is woken once as soon as something changes
    /// that makes it worth asking again. When the time of `Pending` comes, the caller asks by itself.
    pub fn poll_with(&mut self, waker: &Waker) -> Next<T> {
        self.step(Some(waker))
    }

    fn step(&mut self, sleep: Option<&Waker>) -> Next<T> {
        loop {
            // Before anything is looked at, so that what comes later keeps the looper from sleeping.
            let seen = if core::mem::take(&mut self.asleep) {
                self.shared.post.wait.awaken()
            } else {
                self.shared.post.wait.observe()
            };
            if core::mem::take(&mut self.wanted) {
                self.shared.removal.gate.want(false);
            }
            self.settle();
            let seen = if mutated!("observe-late") { self.shared.post.wait.observe() } else { seen };
            if self.quit & stack::QUIT != 0 {
                return Next::Quit;
            }
            let (deadline, held_from) = match self.choose() {
                Choice::Due(lane) => match self.deliver(lane) {
                    Some(message) => return Next::Message(message),
                    None => continue,
                },
                Choice::Later { .. } if self.quit != 0 => return Next::Quit,
                Choice::Later { deadline, held_from } => (deadline.map(|when| when.min(LAST_DEADLINE)), held_from),
            };
            let waker = match sleep {
                Some(waker) => waker,
                // What was first may have been removed since the sweep, and others posted before that: nothing is due only
                // if nothing came since.
                None if stack::untagged(self.shared.post.stack.top()) != self.head => continue,
                None => return Next::Pending(deadline),
            };
            if !self.register(waker) {
                waker.wake_by_ref();
                return Next::Pending(deadline);
            }
            self.limbo.reclaim(&self.shared.removal.gate);
            if self.limbo.len() > LIMBO {
                self.wanted = true;
                self.shared.removal.gate.want(true);
                self.limbo.reclaim(&self.shared.removal.gate);
            }
            if self.shared.post.wait.sleep(seen, deadline, held_from) {
                self.asleep = true;
                return Next::Pending(deadline);
            }
        }
    }

    /// Whether nobody has woken the looper since it got [`Next::Pending`] from [`poll_with`](Self::poll_with).
    pub fn is_asleep(&self) -> bool {
        self.asleep && self.shared.post.wait.is_asleep()
    }

    fn register(&mut self, waker: &Waker) -> bool {
        if matches!(&self.registered, Some(registered) if registered.will_wake(waker)) {
            return true;
        }
        let done = self.shared.cell.register(waker);
        if done {
            self.registered = Some(waker.clone());
        }
        done
    }

    /// The message that is first, whether it is due or not; what a barrier holds back is not.
    pub fn peek(&mut self) -> Option<Entry> {
        self.settle();
        // SAFETY: what is in the heap is not freed.
        self.first().message.map(|(_, _, node)| unsafe { (*node).entry() })
    }

    /// About how many messages wait, at once: messages posted since the last look are not counted, and some that were
    /// removed since may be. [`Sender::len`] counts.
    pub fn known_len(&self) -> usize {
        self.ordinary.live() + self.asynchronous.live()
    }

    /// The messages that were not run, in their order: takes them out of a queue that has quit.
    ///
    /// What is not taken is dropped with the receiver.
    pub fn undelivered(&mut self) -> Undelivered<'_, T> {
        Undelivered { receiver: self }
    }

    /// Takes in what was posted and removed.
    fn settle(&mut self) {
        // In this order: what is on the free list was pushed before, so the sweep finds it.
        if mutated!("sweep-first") {
            self.sweep();
        }
        let mut removed = self.shared.take_removed();
        if !mutated!("sweep-first") {
            self.sweep();
        }
        let mut count = 0;
        while !removed.is_null() {
            let node = removed;
            // SAFETY: the free list was taken, so its links are this side's to read, and none of it is freed.
            removed = unsafe { (*node).next_free() };
            count += 1;
            self.unlink(node);
            // SAFETY: this is the looper's side.
            let in_heap = unsafe { (*node).own(|own| own.in_heap) };
            if in_heap {
                self.bury(node);
            } else {
                // SAFETY: it is out of the stack, the free list and the heap.
                unsafe { self.limbo.retire(node, &self.shared.removal.gate) };
            }
        }
        if count > 0 {
            self.shared.tombstones_unlinked(count);
        }
    }

    /// Finds what was pushed since the last time, and puts it into the heap in the order of the pushes.
    fn sweep(&mut self) {
        let top = self.shared.post.stack.top();
        self.quit = stack::tag(top);
        let newest = stack::untagged(top);
        if newest == self.head {
            return;
        }
        let mut above = core::ptr::null_mut();
        let mut node = newest;
        while node != self.head {
            // SAFETY: linked nodes are not freed, and this is the looper's side.
            node = unsafe {
                (*node).visit();
                (*node).own(|own| own.prev = above);
                above = node;
                (*node).next()
            };
        }
        if !node.is_null() {
            // SAFETY: as above.
            unsafe { (*node).own(|own| own.prev = above) };
        }
        self.head = newest;
        while !above.is_null() {
            // SAFETY: as above.
            let node = unsafe { &*above };
            if node.is_queued() {
                self.insert(node, above);
            }
            // SAFETY: as above.
            above = unsafe { node.own(|own| own.prev) };
        }
    }

    fn insert(&mut self, node: &Node<T>, pointer: *mut Node<T>) {
        let sequence = if node.is_front() {
            self.next_front -= 1;
            self.next_front + 1
        } else {
            self.next_sequence += 1;
            self.next_sequence - 1
        };
        let lane = if node.is_asynchronous() { Lane::Asynchronous } else { Lane::Ordinary };
        // SAFETY: this is the looper's side.
        unsafe { node.own(|own| own.in_heap = true) };
        self.heap(lane).push(Key { when: node.when(), sequence }, pointer);
    }

    /// Takes a node out of the stack. It keeps its `next`.
    fn unlink(&mut self, node: *mut Node<T>) {
        // SAFETY: the node and its neighbours are linked, so not freed; this is the looper's side.
        unsafe {
            let next = (*node).next();
            let mut prev = (*node).own(|own| own.prev);
            if prev.is_null() {
                if self.shared.post.stack.pop(node, next) {
                    self.head = next;
                } else {
                    // Others were pushed on it, and now it gets its link up.
                    self.sweep();
                    prev = (*node).own(|own| own.prev);
                }
            }
            if !prev.is_null() {
                (*prev).set_next(next);
            }
            if !next.is_null() {
                (*next).own(|own| own.prev = prev);
            }
            (*node).own(|own| own.unlinked = true);
        }
    }

    fn heap(&mut self, lane: Lane) -> &mut Heap<*mut Node<T>> {
        match lane {
            Lane::Ordinary => &mut self.ordinary,
            Lane::Asynchronous => &mut self.asynchronous,
        }
    }

    /// Leaves a removed node in the heap, which counts it; once there are too many, all go.
    fn bury(&mut self, node: *mut Node<T>) {
        // SAFETY: what is in the heap is not freed.
        let lane = if unsafe { (*node).is_asynchronous() } { Lane::Asynchronous } else { Lane::Ordinary };
        if !self.heap(lane).one_died() {
            return;
        }
        let Self { shared, limbo, ordinary, asynchronous, .. } = self;
        let heap = match lane {
            Lane::Ordinary => ordinary,
            Lane::Asynchronous => asynchronous,
        };
        heap.sweep_out(|node| {
            // SAFETY: what is in the heap is not freed.
            let live = unsafe { (*node).is_queued() };
            if !live {
                out_of_heap(node, limbo, shared);
            }
            live
        });
    }

    /// The first living entry of a heap. What is dead on top of it goes.
    fn first_of(&mut self, lane: Lane) -> Option<(Key, *mut Node<T>)> {
        loop {
            let (key, node) = self.heap(lane).first()?;
            // SAFETY: what is in the heap is not freed.
            if unsafe { (*node).is_queued() } {
                return Some((key, node));
            }
            self.heap(lane).pop();
            if out_of_heap(node, &mut self.limbo, &self.shared) {
                self.heap(lane).dead_one_popped();
            }
        }
    }

    /// What is first, whenever it is due and if a barrier does not hold it back; and since when one does.
    fn first(&mut self) -> First<T> {
        let asynchronous = self.first_of(Lane::Asynchronous);
        let ordinary = self.first_of(Lane::Ordinary);
        // SAFETY: what is in the heap is not freed.
        let barrier = ordinary.filter(|(_, node)| unsafe { (**node).is_barrier() });
        let message = match (ordinary, asynchronous) {
            (Some((key, node)), None) if barrier.is_none() => Some((Lane::Ordinary, key, node)),
            (Some((key, node)), Some((other, _))) if barrier.is_none() && key.is_before(&other) => {
                Some((Lane::Ordinary, key, node))
            }
            (_, Some((key, node))) => Some((Lane::Asynchronous, key, node)),
            (_, None) => None,
        };
        First { message, held_from: barrier.map(|(key, _)| key.when) }
    }

    fn choose(&mut self) -> Choice {
        let First { message, held_from } = self.first();
        match message {
            Some((lane, key, _)) if self.is_due(key.when) => Choice::Due(lane),
            Some((_, key, _)) => Choice::Later { deadline: Some(key.when), held_from },
            None => Choice::Later { deadline: None, held_from },
        }
    }

    fn is_due(&mut self, when: When) -> bool {
        if self.quit & stack::QUIT_SAFELY != 0 {
            return when <= self.shared.cutoff();
        }
        // The clock is only asked if what is known does not do.
        if when > self.now {
            self.now = self.shared.clock.now();
        }
        when <= self.now
    }

    /// Takes the first message of a heap, unless it is removed at this moment.
    fn deliver(&mut self, lane: Lane) -> Option<Message<T>> {
        let pointer = self.heap(lane).pop()?;
        // SAFETY: it was in the heap, so it is not freed; this is the looper's side.
        let node = unsafe { &*pointer };
        // SAFETY: as above.
        unsafe { node.own(|own| own.in_heap = false) };
        if !node.claim(State::Delivered) {
            // It comes by the free list.
            return None;
        }
        self.unlink(pointer);
        // SAFETY: claimed above, and no barrier, which is never chosen.
        let message = unsafe { node.take() };
        // SAFETY: it is out of stack and heap, and was never on the free list.
        unsafe { self.limbo.retire(pointer, &self.shared.removal.gate) };
        Some(message)
    }

    /// Takes the first message, whenever it is due and whatever holds it back.
    fn take_any(&mut self) -> Option<Message<T>> {
        self.settle();
        loop {
            match self.first() {
                First { held_from: Some(_), .. } => self.discard_barrier(),
                First { message: Some((lane, ..)), .. } => {
                    if let Some(message) = self.deliver(lane) {
                        return Some(message);
                    }
                }
                First { message: None, held_from: None } => return None,
            }
        }
    }

    /// Removes the barrier that is first of the ordinary messages.
    fn discard_barrier(&mut self) {
        if let Some(pointer) = self.ordinary.pop() {
            // SAFETY: it was in the heap, so it is not freed; this is the looper's side.
            let node = unsafe { &*pointer };
            // SAFETY: as above.
            unsafe { node.own(|own| own.in_heap = false) };
            if node.claim(State::Delivered) {
                self.unlink(pointer);
                // SAFETY: it is out of stack and heap, and was never on the free list.
                unsafe { self.limbo.retire(pointer, &self.shared.removal.gate) };
            }
        }
    }

    /// Ends the queue, once no payload is left.
    fn close(&mut self) {
        let limbo = core::mem::replace(&mut self.limbo, Limbo::new());
        self.shared.close(Remains { linked: self.head, unlinked: limbo.into_row() });
    }
}

/// Notes that a removed node is out of the heap; retires it if it is out of the stack as well, which it returns.
fn out_of_heap<T>(node: *mut Node<T>, limbo: &mut Limbo<T>, shared: &Shared<T>) -> bool {
    // SAFETY: it was in the heap until now, so it is not freed; this is the looper's side.
    let unlinked = unsafe {
        (*node).own(|own| {
            own.in_heap = false;
            own.unlinked
        })
    };
    if unlinked {
        // SAFETY: it is out of the heap now, and of the stack and the free list since it was taken from that.
        unsafe { limbo.retire(node, &shared.removal.gate) };
    }
    unlinked
}

/// Goes on ending the queue when dropping a payload panics.
struct Ending<'a, T>(&'a mut Receiver<T>);

impl<T> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        while let Some(message) = self.0.take_any() {
            drop(message);
        }
        self.0.close();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.shared.quit();
        let ending = Ending(self);
        while let Some(message) = ending.0.take_any() {
            drop(message);
        }
        drop(ending);
    }
}

/// Hands back what was not run; from [`Receiver::undelivered`].
#[derive(Debug)]
pub struct Undelivered<'a, T> {
    receiver: &'a mut Receiver<T>,
}

impl<T> Iterator for Undelivered<'_, T> {
    type Item = Message<T>;

    fn next(&mut self) -> Option<Message<T>> {
        self.receiver.take_any()
    }
}
