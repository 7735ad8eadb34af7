//! A looper: a thread that runs a queue, and handlers that post to it.
//!
//! A thread gets a looper by [`Looper::prepare`] and becomes it by [`Looper::run`]. A [`Looper`] is a handle, to be had by
//! any thread; what runs the queue stays in the thread. Messages are work: a closure, or a message for a [`Handler`].

mod dispatch;
mod handler;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::{Clock, Entry, Message, MonotonicClock, Next, Parking, Receiver, Sender, Sleep};

pub use dispatch::{Dispatch, Observer, Slow};
pub use handler::{Handler, HandlerError};

use dispatch::Watch;

/// A closure to be run by a looper.
pub type Callback = Box<dyn FnOnce() + Send>;

/// Work for a looper's thread.
pub(crate) enum Work {
    /// A closure.
    Call(Callback),
    /// A message, and what handles it.
    Handle(handler::Handle, Box<dyn std::any::Any + Send>),
}

impl Work {
    fn run(self) {
        match self {
            Self::Call(call) => call(),
            Self::Handle(handle, payload) => handle(payload),
        }
    }
}

/// What is done when there is nothing to run; it is kept as long as it returns true.
type IdleHandler = Box<dyn FnMut() -> bool + Send>;

/// A looper, by which its thread is given work and told to quit.
#[derive(Clone)]
pub struct Looper {
    shared: Arc<Shared>,
}

struct Shared {
    sender: Sender<Work>,
    thread: ThreadId,
    /// Those that came while the looper runs; it takes them in before it looks whether it is idle.
    new_idle: Mutex<Vec<IdleHandler>>,
    watch: Mutex<Watch>,
}

/// What of a looper stays in its thread.
struct Own {
    looper: Looper,
    /// Gone while it runs, and afterwards.
    receiver: Cell<Option<Receiver<Work>>>,
    /// Gone with it.
    sleep: Cell<Option<Box<dyn AnySleep>>>,
}

thread_local! {
    static OWN: RefCell<Option<Own>> = RefCell::default();
}

/// The looper of the process.
static MAIN: Mutex<Option<Looper>> = Mutex::new(None);

/// [`Sleep`], as an object.
trait AnySleep {
    fn next(&mut self, receiver: &mut Receiver<Work>) -> Option<Message<Work>>;
}

impl<S: Sleep> AnySleep for S {
    fn next(&mut self, receiver: &mut Receiver<Work>) -> Option<Message<Work>> {
        receiver.recv_with(self)
    }
}

/// Why a thread cannot prepare or run a looper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LooperError {
    /// The thread has a looper already.
    HasLooper,
    /// The thread has no looper, or it ran already.
    NoLooper,
    /// There is a main looper already.
    HasMain,
}

impl fmt::Display for LooperError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HasLooper => "this thread has a looper already",
            Self::NoLooper => "this thread has no looper to run; prepare one first",
            Self::HasMain => "there is a main looper already",
        })
    }
}

impl std::error::Error for LooperError {}

impl fmt::Debug for Looper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Looper").field("thread", &self.shared.thread).finish_non_exhaustive()
    }
}

impl Looper {
    /// Gives this thread a looper, which is then run by [`run`](Self::run).
    ///
    /// ```
    /// use deliqueue::{Handler, Looper};
    ///
    /// let looper = Looper::prepare().unwrap();
    /// let handler = Handler::new(&looper, |number: u32| assert_eq!(number, 5));
    /// handler.send(5).unwrap();
    /// looper.quit_safely();
    /// Looper::run().unwrap();
    /// ```
    ///
    /// # Errors
    /// The thread has one already.
    pub fn prepare() -> Result<Self, LooperError> {
        Self::prepare_with(Arc::new(MonotonicClock::new()), Parking::new())
    }

    /// Gives this thread a looper with a clock and a way to sleep of the caller's.
    ///
    /// # Errors
    /// The thread has one already.
    pub fn prepare_with(clock: Arc<dyn Clock>, sleep: impl Sleep + 'static) -> Result<Self, LooperError> {
        OWN.with(|own| {
            let mut own = own.borrow_mut();
            if own.is_some() {
                return Err(LooperError::HasLooper);
            }
            let (sender, receiver) = crate::with_clock(clock);
            let looper = Self {
                shared: Arc::new(Shared {
                    sender,
                    thread: thread::current().id(),
                    new_idle: Mutex::default(),
                    watch: Mutex::default(),
                }),
            };
            *own = Some(Own {
                looper: looper.clone(),
                receiver: Cell::new(Some(receiver)),
                sleep: Cell::new(Some(Box::new(sleep))),
            });
            Ok(looper)
        })
    }

    /// Gives this thread a looper that others find by [`main`](Self::main).
    ///
    /// # Errors
    /// The thread has one already, or there is a main looper already.
    pub fn prepare_main() -> Result<Self, LooperError> {
        let mut main = MAIN.lock().unwrap_or_else(PoisonError::into_inner);
        if main.is_some() {
            return Err(LooperError::HasMain);
        }
        let looper = Self::prepare()?;
        *main = Some(looper.clone());
        Ok(looper)
    }

    /// The main looper, once there is one.
    pub fn main() -> Option<Self> {
        MAIN.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The looper of this thread.
    pub fn current() -> Option<Self> {
        OWN.with(|own| own.borrow().as_ref().map(|own| own.looper.clone()))
    }

    /// Starts a thread that is a looper.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn spawn(name: &str) -> std::io::Result<(Self, thread::JoinHandle<()>)> {
        let (tell, hear) = std::sync::mpsc::channel();
        let thread = thread::Builder::new().name(name.into()).spawn(move || {
            let looper = Self::prepare().expect("a new thread has no looper");
            // The other side waits for it.
            let _ = tell.send(looper);
            Self::run().expect("it was prepared");
        })?;
        let looper = hear.recv().expect("the thread tells before it runs");
        Ok((looper, thread))
    }

    /// Runs this thread's looper until it quits. What was not run by then is dropped.
    ///
    /// # Errors
    /// The thread has no looper, or it is running or ran already.
    ///
    /// # Panics
    /// If what it runs does: then the looper has ended.
    pub fn run() -> Result<(), LooperError> {
        let taken = OWN.with(|own| {
            let own = own.borrow();
            let own = own.as_ref()?;
            Some((own.looper.clone(), own.receiver.take()?, own.sleep.take()?))
        });
        let (looper, mut receiver, mut sleep) = taken.ok_or(LooperError::NoLooper)?;
        let mut idle: Vec<IdleHandler> = Vec::new();
        // Idle handlers run once for each sleep.
        let mut was_idle = false;
        loop {
            let message = match receiver.try_next() {
                Next::Message(message) => message,
                Next::Quit => return Ok(()),
                Next::Pending(_) if !was_idle => {
                    was_idle = true;
                    looper.run_idle(&mut idle);
                    continue;
                }
                Next::Pending(_) => match sleep.next(&mut receiver) {
                    Some(message) => message,
                    None => return Ok(()),
                },
            };
            was_idle = false;
            looper.dispatch(message, &*receiver.clock());
        }
    }

    fn run_idle(&self, idle: &mut Vec<IdleHandler>) {
        idle.append(&mut self.shared.new_idle.lock().unwrap_or_else(PoisonError::into_inner));
        idle.retain_mut(|handler| handler());
    }

    fn dispatch(&self, message: Message<Work>, clock: &dyn Clock) {
        let watch = self.shared.watch.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match watch.begin(&message, clock) {
            None => message.payload.run(),
            Some(begun) => {
                message.payload.run();
                watch.end(begun, clock);
            }
        }
    }

    /// No more posts, and nothing is run any more but what runs now.
    pub fn quit(&self) {
        self.shared.sender.quit();
    }

    /// No more posts; what is due now is run still.
    pub fn quit_safely(&self) {
        self.shared.sender.quit_safely();
    }

    /// Whether this is the looper of the thread that asks.
    pub fn is_current(&self) -> bool {
        self.shared.thread == thread::current().id()
    }

    /// The thread that is the looper.
    pub fn thread(&self) -> ThreadId {
        self.shared.thread
    }

    /// Has something done when there is nothing to run, once for each time that the looper would sleep, as long as it
    /// returns true. If the looper sleeps, it is woken for it.
    pub fn add_idle_handler(&self, handler: impl FnMut() -> bool + Send + 'static) {
        self.shared.new_idle.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(handler));
        // A looper that quits runs none.
        let _ = self.shared.sender.post(Message::new(Work::Call(Box::new(|| ()))).front());
    }

    /// What waits, in the order in which it would run, barriers included.
    pub fn snapshot(&self) -> Vec<Entry> {
        self.shared.sender.snapshot()
    }

    /// The queue of the looper: what posts, barriers and questions go to.
    pub(crate) fn sender(&self) -> &Sender<Work> {
        &self.shared.sender
    }

    /// Posts a barrier: what is due after it and not asynchronous is held back until it is removed.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn post_barrier(&self) -> Result<crate::BarrierToken, crate::HasQuit> {
        self.shared.sender.post_barrier()
    }

    /// Removes a barrier; whether it was there.
    pub fn remove_barrier(&self, token: crate::BarrierToken) -> bool {
        self.shared.sender.remove_barrier(token)
    }

    /// Whether nothing is due, or what is due is held back by a barrier.
    pub fn is_idle(&self) -> bool {
        self.shared.sender.is_idle()
    }

    /// Shows what is run to an observer, or no longer.
    pub fn observe(&self, observer: Option<Arc<dyn Observer>>) {
        self.shared.watch.lock().unwrap_or_else(PoisonError::into_inner).observer = observer;
    }

    /// From which time on the observer is told of a dispatch that took long, and of one that began late.
    pub fn set_slow_thresholds(&self, slow: Slow) {
        self.shared.watch.lock().unwrap_or_else(PoisonError::into_inner).slow = slow;
    }
}
