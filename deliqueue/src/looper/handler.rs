//! Handlers: who posts to a looper, and finds again what it posted.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::{Callback, Looper, Work};
use crate::message::{Filter, Message, SendError, Target, Token, When};

/// The looper has quit; here is the message back.
#[derive(Clone, PartialEq, Eq)]
pub struct HandlerError<M>(pub M);

impl<M> fmt::Debug for HandlerError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandlerError(..)")
    }
}

impl<M> fmt::Display for HandlerError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the looper has quit and takes no more messages")
    }
}

impl<M> std::error::Error for HandlerError<M> {}

/// What handles the messages of a handler. They are of its type: only it makes them.
pub(super) type Handle = Arc<dyn Fn(Box<dyn Any + Send>) + Send + Sync>;

/// Sends messages of one type to a looper, which handles them there, and posts closures.
///
/// Each handler made by [`new`](Self::new) has a target of its own, so that removing and asking never meets messages of
/// other handlers. Clones are the same handler.
pub struct Handler<M> {
    looper: Looper,
    target: Target,
    asynchronous: bool,
    handle: Handle,
    messages: PhantomData<fn(M)>,
}

impl<M> Clone for Handler<M> {
    fn clone(&self) -> Self {
        Self { looper: self.looper.clone(), handle: self.handle.clone(), ..*self }
    }
}

impl<M> fmt::Debug for Handler<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler").field("looper", &self.looper).field("target", &self.target).finish_non_exhaustive()
    }
}

impl<M: Send + 'static> Handler<M> {
    /// A handler on a looper.
    pub fn new(looper: &Looper, handle: impl Fn(M) + Send + Sync + 'static) -> Self {
        let handle: Handle = Arc::new(move |payload: Box<dyn Any + Send>| handle(of_type(payload)));
        let looper = looper.clone();
        Self { looper, target: Target::unique(), asynchronous: false, handle, messages: PhantomData }
    }

    /// The same handler, whose messages barriers let pass.
    #[must_use]
    pub fn asynchronous(mut self) -> Self {
        self.asynchronous = true;
        self
    }

    /// The looper that it posts to.
    pub fn looper(&self) -> &Looper {
        &self.looper
    }

    /// The target of its messages.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Sends a message that is due now.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn send(&self, payload: M) -> Result<(), HandlerError<M>> {
        self.send_message(Message::new(payload)).map_err(|error| HandlerError(error.0.payload))
    }

    /// Sends a message that is due after this long.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn send_after(&self, delay: Duration, payload: M) -> Result<(), HandlerError<M>> {
        self.send_message(Message::new(payload).after(delay)).map_err(|error| HandlerError(error.0.payload))
    }

    /// Sends a message that is due at this time of the looper's clock.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn send_at(&self, when: When, payload: M) -> Result<(), HandlerError<M>> {
        self.send_message(Message::new(payload).at(when)).map_err(|error| HandlerError(error.0.payload))
    }

    /// Sends a message that is due before all that waits.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn send_front(&self, payload: M) -> Result<(), HandlerError<M>> {
        self.send_message(Message::new(payload).front()).map_err(|error| HandlerError(error.0.payload))
    }

    /// Sends a message, due as it says and about what it says; its target becomes this handler's.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn send_message(&self, message: Message<M>) -> Result<(), HandlerError<Message<M>>> {
        let Message { payload, due, what, token, asynchronous, .. } = message;
        let work = Work::Handle(self.handle.clone(), Box::new(payload));
        let asynchronous = asynchronous || self.asynchronous;
        let message = Message { payload: work, due, target: self.target, what, token, asynchronous };
        self.looper.sender().post(message).map_err(|SendError(back)| {
            let payload = match back.payload {
                Work::Handle(_, payload) => of_type(payload),
                Work::Call(_) => unreachable!("it was made above"),
            };
            HandlerError(Message { payload, due, target: back.target, what, token, asynchronous })
        })
    }

    /// Posts a closure that is due now.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn post(&self, call: impl FnOnce() + Send + 'static) -> Result<(), HandlerError<Callback>> {
        self.post_callback(Message::new(Box::new(call)))
    }

    /// Posts a closure that is due after this long.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn post_after(
        &self,
        delay: Duration,
        call: impl FnOnce() + Send + 'static,
    ) -> Result<(), HandlerError<Callback>> {
        self.post_callback(Message::new(Box::new(call) as Callback).after(delay))
    }

    /// Posts a closure, due as the message says, with the token by which it can be removed.
    ///
    /// # Errors
    /// The looper has quit.
    pub fn post_callback(&self, message: Message<Callback>) -> Result<(), HandlerError<Callback>> {
        let Message { payload, due, what, token, asynchronous, .. } = message;
        let asynchronous = asynchronous || self.asynchronous;
        let message = Message { payload: Work::Call(payload), due, target: self.target, what, token, asynchronous };
        self.looper.sender().post(message).map_err(|SendError(back)| match back.payload {
            Work::Call(call) => HandlerError(call),
            Work::Handle(..) => unreachable!("it was made above"),
        })
    }

    /// Removes messages and callbacks of this handler about this; how many they were.
    pub fn remove(&self, what: i32) -> usize {
        self.looper.sender().remove(Filter::target(self.target).what(what))
    }

    /// Removes messages and callbacks of this handler with this mark; how many they were.
    pub fn remove_token(&self, token: Token) -> usize {
        self.looper.sender().remove(Filter::target(self.target).token(token))
    }

    /// Removes all messages and callbacks of this handler; how many they were.
    pub fn remove_all(&self) -> usize {
        self.looper.sender().remove(Filter::target(self.target))
    }

    /// Whether something of this handler about this waits.
    pub fn has(&self, what: i32) -> bool {
        self.looper.sender().has(Filter::target(self.target).what(what))
    }

    /// Whether something of this handler with this mark waits.
    pub fn has_token(&self, token: Token) -> bool {
        self.looper.sender().has(Filter::target(self.target).token(token))
    }
}

fn of_type<M: 'static>(payload: Box<dyn Any + Send>) -> M {
    *payload.downcast().expect("a handler's messages are of its type")
}
