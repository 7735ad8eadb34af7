//! The queues that are compared, behind one interface: a time in nanoseconds since the start, what, and a number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use deliqueue::{Filter, Message, When};

/// The end that posts.
pub trait Post: Clone + Send + 'static {
    fn post(&self, when: u64, what: i32);
    /// Removes what is about this; `None` if the queue cannot.
    fn remove(&self, what: i32) -> Option<usize>;
    fn quit(&self);
    fn now(&self) -> u64;
}

/// The end that runs.
pub trait Run: Send + 'static {
    /// Runs the next message, waiting for it; false after a quit.
    fn next(&mut self) -> bool;
}

pub trait Peer: 'static {
    const NAME: &'static str;
    type Post: Post;
    type Run: Run;
    fn make() -> (Self::Post, Self::Run);
}

pub struct Deliqueue;

impl Peer for Deliqueue {
    const NAME: &'static str = "deliqueue";
    type Post = deliqueue::Sender<u64>;
    type Run = deliqueue::Receiver<u64>;
    fn make() -> (Self::Post, Self::Run) {
        deliqueue::queue()
    }
}

impl Post for deliqueue::Sender<u64> {
    fn post(&self, when: u64, what: i32) {
        let message = Message::new(when).what(what);
        let message = if when == 0 { message.front() } else { message.at(When(when)) };
        self.post(message).expect("it has not quit");
    }
    fn remove(&self, what: i32) -> Option<usize> {
        Some(self.remove(Filter::all().what(what)))
    }
    fn quit(&self) {
        deliqueue::Sender::quit(self);
    }
    fn now(&self) -> u64 {
        deliqueue::Sender::now(self).0
    }
}

impl Run for deliqueue::Receiver<u64> {
    fn next(&mut self) -> bool {
        self.recv().is_some()
    }
}

/// What a locked queue has under its lock.
pub trait Store: Send + 'static {
    const NAME: &'static str;
    const PARKING_LOT: bool = false;
    fn new() -> Self;
    /// Whether it is first now.
    fn insert(&mut self, when: u64, what: i32) -> bool;
    fn first(&self) -> Option<u64>;
    fn pop(&mut self);
    fn remove(&mut self, what: i32) -> usize;
}

/// The legacy queue: a list sorted by time, with a pointer to its tail and a pool of nodes.
pub struct Legacy {
    head: *mut Link,
    tail: *mut Link,
    pool: Vec<Box<Link>>,
}

struct Link {
    when: u64,
    what: i32,
    next: *mut Link,
}

// SAFETY: the list is its owner's alone.
unsafe impl Send for Legacy {}

impl Store for Legacy {
    const NAME: &'static str = "legacy: lock and sorted list";
    fn new() -> Self {
        Self { head: ptr::null_mut(), tail: ptr::null_mut(), pool: Vec::new() }
    }
    fn insert(&mut self, when: u64, what: i32) -> bool {
        let mut link = self.pool.pop().unwrap_or_else(|| Box::new(Link { when: 0, what: 0, next: ptr::null_mut() }));
        *link = Link { when, what, next: ptr::null_mut() };
        let link = Box::into_raw(link);
        // SAFETY: all links are this list's, and live until they are popped.
        unsafe {
            if self.head.is_null() || when == 0 || when < (*self.head).when {
                (*link).next = self.head;
                if self.head.is_null() {
                    self.tail = link;
                }
                self.head = link;
                return true;
            }
            if (*self.tail).when <= when {
                (*self.tail).next = link;
                self.tail = link;
                return false;
            }
            let mut before = self.head;
            while !(*before).next.is_null() && (*(*before).next).when <= when {
                before = (*before).next;
            }
            (*link).next = (*before).next;
            (*before).next = link;
        }
        false
    }
    fn first(&self) -> Option<u64> {
        // SAFETY: as above.
        (!self.head.is_null()).then(|| unsafe { (*self.head).when })
    }
    fn pop(&mut self) {
        // SAFETY: as above; it came from a box.
        let link = unsafe { Box::from_raw(self.head) };
        self.head = link.next;
        if self.head.is_null() {
            self.tail = ptr::null_mut();
        }
        if self.pool.len() < 50 {
            self.pool.push(link);
        }
    }
    fn remove(&mut self, what: i32) -> usize {
        let mut count = 0;
        let mut kept: *mut Link = ptr::null_mut();
        let mut link = self.head;
        while !link.is_null() {
            // SAFETY: as above; what is removed came from a box.
            unsafe {
                let next = (*link).next;
                if (*link).what == what {
                    if kept.is_null() {
                        self.head = next;
                    } else {
                        (*kept).next = next;
                    }
                    let link = Box::from_raw(link);
                    if self.pool.len() < 50 {
                        self.pool.push(link);
                    }
                    count += 1;
                } else {
                    kept = link;
                }
                link = next;
            }
        }
        self.tail = kept;
        count
    }
}

impl Drop for Legacy {
    fn drop(&mut self) {
        while !self.head.is_null() {
            self.pop();
        }
    }
}

/// A heap under a lock.
pub struct LockedHeap<const PARKING_LOT: bool> {
    heap: BinaryHeap<Reverse<(u64, i64, i32)>>,
    next: i64,
}

impl<const PARKING_LOT: bool> Store for LockedHeap<PARKING_LOT> {
    const NAME: &'static str = if PARKING_LOT { "parking_lot and BinaryHeap" } else { "std lock and BinaryHeap" };
    const PARKING_LOT: bool = PARKING_LOT;
    fn new() -> Self {
        Self { heap: BinaryHeap::new(), next: 0 }
    }
    fn insert(&mut self, when: u64, what: i32) -> bool {
        self.next += 1;
        let sequence = if when == 0 { -self.next } else { self.next };
        self.heap.push(Reverse((when, sequence, what)));
        self.heap.peek().map(|first| first.0 .1) == Some(sequence)
    }
    fn first(&self) -> Option<u64> {
        self.heap.peek().map(|first| first.0 .0)
    }
    fn pop(&mut self) {
        self.heap.pop();
    }
    fn remove(&mut self, what: i32) -> usize {
        let before = self.heap.len();
        self.heap.retain(|item| item.0 .2 != what);
        before - self.heap.len()
    }
}

/// A store under a lock, with a condition to wait for.
pub struct Locked<S> {
    origin: Instant,
    state: Mutex<(S, bool)>,
    changed: Condvar,
    other_state: parking_lot::Mutex<(S, bool)>,
    other_changed: parking_lot::Condvar,
}

pub struct Handle<S>(Arc<Locked<S>>);

impl<S> Clone for Handle<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S: Store> Peer for Handle<S> {
    const NAME: &'static str = S::NAME;
    type Post = Handle<S>;
    type Run = Handle<S>;
    fn make() -> (Self::Post, Self::Run) {
        let handle = Handle(Arc::new(Locked {
            origin: Instant::now(),
            state: Mutex::new((S::new(), false)),
            changed: Condvar::new(),
            other_state: parking_lot::Mutex::new((S::new(), false)),
            other_changed: parking_lot::Condvar::new(),
        }));
        (handle.clone(), handle)
    }
}

impl<S: Store> Post for Handle<S> {
    fn post(&self, when: u64, what: i32) {
        if S::PARKING_LOT {
            if self.0.other_state.lock().0.insert(when, what) {
                self.0.other_changed.notify_one();
            }
        } else if self.0.state.lock().unwrap().0.insert(when, what) {
            self.0.changed.notify_one();
        }
    }
    fn remove(&self, what: i32) -> Option<usize> {
        Some(if S::PARKING_LOT {
            self.0.other_state.lock().0.remove(what)
        } else {
            self.0.state.lock().unwrap().0.remove(what)
        })
    }
    fn quit(&self) {
        self.0.other_state.lock().1 = true;
        self.0.state.lock().unwrap().1 = true;
        self.0.changed.notify_all();
        self.0.other_changed.notify_all();
    }
    fn now(&self) -> u64 {
        self.0.origin.elapsed().as_nanos() as u64
    }
}

impl<S: Store> Run for Handle<S> {
    fn next(&mut self) -> bool {
        let wait = |store: &S| match store.first() {
            None => Some(Duration::from_secs(1_000)),
            Some(when) => {
                let now = self.now();
                (when > now).then(|| Duration::from_nanos(when - now))
            }
        };
        if S::PARKING_LOT {
            let mut state = self.0.other_state.lock();
            loop {
                match wait(&state.0) {
                    _ if state.1 => return false,
                    None => break,
                    Some(time) => drop(self.0.other_changed.wait_for(&mut state, time)),
                }
            }
            state.0.pop();
        } else {
            let mut state = self.0.state.lock().unwrap();
            loop {
                match wait(&state.0) {
                    _ if state.1 => return false,
                    None => break,
                    Some(time) => state = self.0.changed.wait_timeout(state, time).unwrap().0,
                }
            }
            state.0.pop();
        }
        true
    }
}

/// crossbeam-channel, and a heap on the side that runs. Cannot remove.
pub struct Crossbeam;

#[derive(Clone)]
pub struct CrossbeamPost(Instant, crossbeam_channel::Sender<(u64, i32)>);

pub struct CrossbeamRun {
    origin: Instant,
    channel: crossbeam_channel::Receiver<(u64, i32)>,
    heap: LockedHeap<false>,
}

impl Peer for Crossbeam {
    const NAME: &'static str = "crossbeam-channel and BinaryHeap";
    type Post = CrossbeamPost;
    type Run = CrossbeamRun;
    fn make() -> (Self::Post, Self::Run) {
        let (send, channel) = crossbeam_channel::unbounded();
        let origin = Instant::now();
        (CrossbeamPost(origin, send), CrossbeamRun { origin, channel, heap: LockedHeap::new() })
    }
}

impl Post for CrossbeamPost {
    fn post(&self, when: u64, what: i32) {
        self.1.send((when, what)).expect("it is open");
    }
    fn remove(&self, _: i32) -> Option<usize> {
        None
    }
    fn quit(&self) {
        self.1.send((0, i32::MIN)).expect("it is open");
    }
    fn now(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

impl Run for CrossbeamRun {
    fn next(&mut self) -> bool {
        loop {
            while let Ok((when, what)) = self.channel.try_recv() {
                if what == i32::MIN {
                    return false;
                }
                self.heap.insert(when, what);
            }
            let now = self.origin.elapsed().as_nanos() as u64;
            let wait = match self.heap.first() {
                Some(when) if when <= now => {
                    self.heap.pop();
                    return true;
                }
                Some(when) => Duration::from_nanos(when - now),
                None => Duration::from_secs(1_000),
            };
            if let Ok((when, what)) = self.channel.recv_timeout(wait) {
                if what == i32::MIN {
                    return false;
                }
                self.heap.insert(when, what);
            }
        }
    }
}

/// tokio-util's DelayQueue behind an mpsc channel. Cannot remove by what.
pub struct Tokio;

#[derive(Clone)]
pub struct TokioPost(Instant, tokio::sync::mpsc::UnboundedSender<(u64, i32)>);

pub struct TokioRun {
    origin: Instant,
    channel: tokio::sync::mpsc::UnboundedReceiver<(u64, i32)>,
    queue: tokio_util::time::DelayQueue<i32>,
    runtime: tokio::runtime::Runtime,
}

impl Peer for Tokio {
    const NAME: &'static str = "tokio mpsc and DelayQueue";
    type Post = TokioPost;
    type Run = TokioRun;
    fn make() -> (Self::Post, Self::Run) {
        let (send, channel) = tokio::sync::mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let queue = runtime.block_on(async { tokio_util::time::DelayQueue::new() });
        let origin = Instant::now();
        (TokioPost(origin, send), TokioRun { origin, channel, queue, runtime })
    }
}

impl Post for TokioPost {
    fn post(&self, when: u64, what: i32) {
        self.1.send((when, what)).expect("it is open");
    }
    fn remove(&self, _: i32) -> Option<usize> {
        None
    }
    fn quit(&self) {
        self.1.send((0, i32::MIN)).expect("it is open");
    }
    fn now(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

impl Run for TokioRun {
    fn next(&mut self) -> bool {
        use std::task::Poll;
        let Self { origin, channel, queue, runtime } = self;
        runtime.block_on(std::future::poll_fn(|cx| {
            while let Poll::Ready(Some((when, what))) = channel.poll_recv(cx) {
                if what == i32::MIN {
                    return Poll::Ready(false);
                }
                let now = origin.elapsed().as_nanos() as u64;
                queue.insert(what, Duration::from_nanos(when.saturating_sub(now)));
            }
            match queue.poll_expired(cx) {
                Poll::Ready(Some(_)) => Poll::Ready(true),
                Poll::Ready(None) | Poll::Pending => Poll::Pending,
            }
        }))
    }
}

/// A push to a bare stack, with its allocation and nothing else: what no queue of this kind can beat.
pub struct Bare;

#[derive(Clone)]
pub struct BarePost(Arc<AtomicPtr<BareNode>>);

pub struct BareNode {
    next: *mut BareNode,
    _payload: [u64; 9],
}

pub struct BareRun;

impl Peer for Bare {
    const NAME: &'static str = "bare Treiber push";
    type Post = BarePost;
    type Run = BareRun;
    fn make() -> (Self::Post, Self::Run) {
        (BarePost(Arc::new(AtomicPtr::new(ptr::null_mut()))), BareRun)
    }
}

impl Post for BarePost {
    fn post(&self, when: u64, what: i32) {
        let mut top = self.0.load(Ordering::Relaxed);
        let node = Box::into_raw(Box::new(BareNode { next: top, _payload: [when ^ what as u64; 9] }));
        while let Err(now) = self.0.compare_exchange_weak(top, node, Ordering::Release, Ordering::Relaxed) {
            top = now;
            // SAFETY: it is not published yet.
            unsafe { (*node).next = now };
        }
    }
    fn remove(&self, _: i32) -> Option<usize> {
        None
    }
    /// Frees all; nobody posts any more.
    fn quit(&self) {
        let mut node = self.0.swap(ptr::null_mut(), Ordering::Acquire);
        while !node.is_null() {
            // SAFETY: nobody else has it.
            node = unsafe { Box::from_raw(node) }.next;
        }
    }
    fn now(&self) -> u64 {
        0
    }
}

impl Run for BareRun {
    fn next(&mut self) -> bool {
        false
    }
}
