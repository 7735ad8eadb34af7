//! Threads: their frames, and what they wait for.

use super::slot::{Ref, Slot};
use crate::entity::{Block, Class, Func};

/// A thread, counted from 0 (the one that runs the entry method) in the order of starting.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread that runs the entry method.
    pub const MAIN: ThreadId = ThreadId(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// It goes on with its innermost frame.
    Running,
    /// It wants a monitor that another thread is in. The instruction is tried again.
    Entering(Ref),
    /// It wants a class that another thread initialises. Its innermost frame, an `InitFrame`, tries again.
    Initialising(Class),
    /// It is in `Object.wait`, with so many entries of the monitor to restore.
    Waiting {
        /// The object.
        monitor: Ref,
        /// How many times the thread had entered the monitor.
        entries: u32,
        /// When it gives up, if ever.
        deadline: Option<u64>,
    },
    /// Its `Object.wait` is over; it wants the monitor back.
    Returning {
        /// The object.
        monitor: Ref,
        /// How many times the thread had entered the monitor.
        entries: u32,
        /// Whether an interrupt ended the wait.
        interrupted: bool,
    },
    /// It is in `LockSupport.park`.
    Parked {
        /// When it gives up, if ever.
        deadline: Option<u64>,
    },
    /// It is in `Thread.sleep`.
    Sleeping {
        /// When it wakes.
        deadline: u64,
    },
    /// It waits for another thread's end.
    Joining {
        /// The other thread.
        thread: ThreadId,
        /// When it gives up, if ever.
        deadline: Option<u64>,
    },
    /// It has ended.
    Ended,
}

impl State {
    /// When the thread goes on even if nothing else happens.
    pub fn deadline(self) -> Option<u64> {
        match self {
            State::Waiting { deadline, .. } | State::Parked { deadline } | State::Joining { deadline, .. } => deadline,
            State::Sleeping { deadline } => Some(deadline),
            State::Running | State::Entering(_) | State::Initialising(_) | State::Returning { .. } | State::Ended => {
                None
            }
        }
    }
}

/// A thread of the program.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Its `Thread` object.
    pub object: Ref,
    /// What it does next.
    pub state: State,
    /// Whether it was interrupted and has not noticed.
    pub interrupted: bool,
    /// Whether `LockSupport.park` returns at once.
    pub permit: bool,
    pub(super) frames: Vec<Frame>,
    /// The values of all call frames, one after the other.
    pub(super) values: Vec<Slot>,
}

/// An activation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Frame {
    /// A method.
    Call(CallFrame),
    /// The initialisation of a class.
    Init(InitFrame),
}

/// A running method. While it calls another, it stands at the call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct CallFrame {
    pub(super) func: Func,
    pub(super) block: Block,
    /// The next instruction of the block.
    pub(super) index: u32,
    /// Where its values start in [`Thread::values`].
    pub(super) base: u32,
    /// The monitor of a `synchronized` method, else null.
    pub(super) monitor: Ref,
}

/// The procedure of JVMS 5.5 for one class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct InitFrame {
    pub(super) class: Class,
    pub(super) stage: InitStage,
}

/// How far the initialisation of a class has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum InitStage {
    /// Look at the state of the class (steps 1 to 6).
    Look,
    /// Initialise the superclass or superinterface with this index (step 7).
    Supers(u32),
    /// The class's own initialiser has returned (step 10); if it throws, steps 11 and 12 follow.
    Finish,
}

impl Thread {
    pub(super) fn new(object: Ref) -> Self {
        Self {
            object,
            state: State::Running,
            interrupted: false,
            permit: false,
            frames: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The innermost method.
    pub(super) fn call(&self) -> Option<&CallFrame> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Call(call) => Some(call),
            Frame::Init(_) => None,
        })
    }
}
