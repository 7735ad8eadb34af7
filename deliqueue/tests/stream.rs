//! A receiver as a stream.
#![cfg(feature = "stream")]

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use futures_core::Stream;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// An executor of one task. It polls when it is woken, and only then.
fn block_on<F: std::future::Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = Box::pin(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        thread::park();
    }
}

#[test]
fn a_stream_has_what_is_due_and_ends_with_the_quit() {
    let (sender, mut receiver) = deliqueue::queue();
    let poster = thread::spawn(move || {
        sender.send_after(Duration::from_millis(20), "later").unwrap();
        sender.send("now").unwrap();
        thread::sleep(Duration::from_millis(40));
        sender.send("last").unwrap();
        sender.quit_safely();
    });
    let mut all = Vec::new();
    while let Some(message) = block_on(poll_fn(|cx| Stream::poll_next(Pin::new(&mut receiver), cx))) {
        all.push(message.payload);
    }
    assert_eq!(all, ["now", "later", "last"]);
    poster.join().unwrap();
}
