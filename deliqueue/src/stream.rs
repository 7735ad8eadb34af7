//! A receiver as a stream of what is due, for executors of any kind.

use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::Stream;

use crate::{Message, Next, Receiver};

impl<T> Receiver<T> {
    /// The next message, once one is due; `None` once the queue has quit and nothing is run any more.
    ///
    /// The clock wakes the task when the time of a message comes.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Message<T>>> {
        match self.poll_with(cx.waker()) {
            Next::Message(message) => Poll::Ready(Some(message)),
            Next::Quit => Poll::Ready(None),
            Next::Pending(deadline) => {
                if let Some(when) = deadline {
                    self.clock().wake_at(when, cx.waker(), self.mark());
                }
                Poll::Pending
            }
        }
    }
}

impl<T> Stream for Receiver<T> {
    type Item = Message<T>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Message<T>>> {
        Receiver::poll_next(self.get_mut(), cx)
    }
}
