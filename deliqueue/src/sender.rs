//! The end of a queue that posts, removes and asks. Any number of threads have it.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use crate::message::{BarrierToken, Due, Entry, Filter, HasQuit, Message, SendError, When};
use crate::queue::Shared;
use crate::stack::{self, Node};

/// Posts messages to a queue, removes them, and looks into it.
///
/// Clones post to the same queue. No operation takes a lock, and none waits for the looper.
pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> Sender<T> {
    pub(crate) fn new(shared: Arc<Shared<T>>) -> Self {
        Self { shared }
    }

    /// The time by the queue's clock.
    pub fn now(&self) -> When {
        self.shared.clock.now()
    }

    /// Posts a message.
    ///
    /// # Errors
    /// The queue has quit, or its receiver is gone; the message comes back, due as before.
    pub fn post(&self, message: Message<T>) -> Result<(), SendError<T>> {
        let due = message.due;
        let when = match due {
            Due::Now => self.now(),
            Due::After(delay) => self.now().after(delay),
            Due::At(when) => when,
            Due::Front => When::ORIGIN,
        };
        // SAFETY: the node was not published, so it is this thread's, with its payload in it.
        self.shared.push(Node::message(message, when)).map_err(|node| unsafe {
            let message = Message { due, ..node.take() };
            SendError(message)
        })
    }

    /// Posts a payload that is due now.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn send(&self, payload: T) -> Result<(), SendError<T>> {
        self.post(Message::new(payload))
    }

    /// Posts a payload that is due after this long.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn send_after(&self, delay: Duration, payload: T) -> Result<(), SendError<T>> {
        self.post(Message::new(payload).after(delay))
    }

    /// Posts a payload that is due at this time of the queue's clock.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn send_at(&self, when: When, payload: T) -> Result<(), SendError<T>> {
        self.post(Message::new(payload).at(when))
    }

    /// Posts a payload that is due before all that waits.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn send_front(&self, payload: T) -> Result<(), SendError<T>> {
        self.post(Message::new(payload).front())
    }

    /// Posts a barrier: what is due after it and not asynchronous is held back until the barrier is removed.
    ///
    /// # Errors
    /// The queue has quit.
    pub fn post_barrier(&self) -> Result<BarrierToken, HasQuit> {
        self.post_barrier_at(self.now())
    }

    /// Posts a barrier among the messages of this time.
    ///
    /// # Errors
    /// The queue has quit.
    pub fn post_barrier_at(&self, when: When) -> Result<BarrierToken, HasQuit> {
        let number = self.shared.next_barrier();
        match self.shared.push(Node::barrier(number, when)) {
            Ok(()) => Ok(BarrierToken(number)),
            Err(_) => Err(HasQuit),
        }
    }

    /// Removes a barrier; whether it was there.
    pub fn remove_barrier(&self, token: BarrierToken) -> bool {
        self.shared.visit().map_or(false, |visit| visit.remove_barrier(token.0))
    }

    /// Removes messages, and drops what they carry; how many they were.
    ///
    /// What others post meanwhile may or may not be among them. Payloads are dropped before this returns. As long as
    /// dropping them takes, memory of messages that have run is kept.
    ///
    /// # Panics
    /// If dropping a payload does; the other messages are removed all the same.
    pub fn remove(&self, filter: Filter) -> usize {
        self.remove_if(|entry| filter.matches(entry))
    }

    /// Removes the messages of which this holds, and drops what they carry; how many they were.
    ///
    /// The predicate sees what is known of a message without its payload, which may be on its way to the looper. It may use
    /// the queue.
    ///
    /// # Panics
    /// If the predicate does, or dropping a payload: what was found so far is removed, and the queue goes on.
    pub fn remove_if(&self, predicate: impl FnMut(&Entry) -> bool) -> usize {
        self.shared.visit().map_or(0, |visit| visit.remove(predicate, drop))
    }

    /// Removes messages and hands them back, in the order in which they would have run.
    pub fn take(&self, filter: Filter) -> Vec<Message<T>> {
        let mut taken = Vec::new();
        if let Some(visit) = self.shared.visit() {
            visit.remove(|entry| filter.matches(entry), |message| taken.push(message));
        }
        // Newest first is right for those at the front, and the other way round for all else.
        let at = |message: &Message<T>| match message.due {
            Due::At(when) => Some(when),
            Due::Now | Due::After(_) | Due::Front => None,
        };
        let first_ordinary = {
            taken.sort_by_key(|message| message.due != Due::Front);
            taken.iter().take_while(|message| message.due == Due::Front).count()
        };
        taken[first_ordinary..].reverse();
        taken[first_ordinary..].sort_by_key(at);
        taken
    }

    /// Whether there is such a message.
    pub fn has(&self, filter: Filter) -> bool {
        self.has_if(|entry| filter.matches(entry))
    }

    /// Whether there is a message of which this holds.
    pub fn has_if(&self, mut predicate: impl FnMut(&Entry) -> bool) -> bool {
        self.shared.visit().map_or(false, |visit| visit.any(|entry| !entry.barrier && predicate(entry)))
    }

    /// How many messages wait, barriers not counted. Walks them all.
    pub fn len(&self) -> usize {
        let mut length = 0;
        if let Some(visit) = self.shared.visit() {
            visit.each(|entry| length += usize::from(!entry.barrier));
        }
        length
    }

    /// Whether no message waits.
    pub fn is_empty(&self) -> bool {
        !self.has(Filter::all())
    }

    /// What waits, barriers included, in the order in which it would run.
    pub fn snapshot(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        if let Some(visit) = self.shared.visit() {
            visit.each(|entry| entries.push(entry));
        }
        let (mut front, mut ordinary): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.front);
        ordinary.reverse();
        ordinary.sort_by_key(|entry| entry.when);
        front.append(&mut ordinary);
        front
    }

    /// Whether nothing is due, or what is due is held back by a barrier.
    pub fn is_idle(&self) -> bool {
        let now = self.now();
        let entries = self.snapshot();
        let barrier = entries.iter().position(|entry| entry.barrier).unwrap_or(entries.len());
        !entries
            .iter()
            .enumerate()
            .any(|(index, entry)| !entry.barrier && entry.when <= now && (index < barrier || entry.asynchronous))
    }

    /// Whether a barrier is first, with nothing due that it lets pass.
    pub fn is_blocked_on_barrier(&self) -> bool {
        let now = self.now();
        let entries = self.snapshot();
        let first = entries.iter().find(|entry| entry.barrier || !entry.asynchronous);
        first.map_or(false, |entry| entry.barrier)
            && !entries.iter().any(|entry| entry.asynchronous && entry.when <= now)
    }

    /// No more posts, and nothing is run any more. What waits is handed back by the receiver, or dropped with it.
    pub fn quit(&self) {
        self.shared.quit();
    }

    /// No more posts; what is due now is run still. What is later is handed back by the receiver, or dropped with it.
    pub fn quit_safely(&self) {
        self.shared.quit_safely();
    }

    /// Whether the queue takes no more messages.
    pub fn has_quit(&self) -> bool {
        stack::tag(self.shared.post.stack.top()) != 0
    }
}
