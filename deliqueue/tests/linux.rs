//! Sleeping on a descriptor: alone, beside other descriptors, and inside an epoll of somebody else.
#![cfg(all(feature = "linux", target_os = "linux"))]

use std::io::{Read, Write};
use std::os::unix::io::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use deliqueue::linux::EventSleep;
use deliqueue::{Handler, Looper, MonotonicClock, Next, Sleep};

const SOON: Duration = Duration::from_millis(10);

#[test]
fn a_looper_sleeps_on_a_descriptor() {
    let (sender, mut receiver) = deliqueue::queue();
    let looper = thread::spawn(move || {
        let mut sleep = EventSleep::new().expect("there are descriptors");
        let mut run = Vec::new();
        while let Some(message) = receiver.recv_with(&mut sleep) {
            run.push((message.payload, Instant::now()));
        }
        run
    });
    let start = Instant::now();
    sender.send_after(SOON, "later").unwrap();
    thread::sleep(SOON / 4);
    sender.send("now").unwrap();
    thread::sleep(2 * SOON);
    sender.quit_safely();
    let run = looper.join().unwrap();
    assert_eq!(run.iter().map(|(text, _)| *text).collect::<Vec<_>>(), ["now", "later"]);
    assert!(run[1].1 - start >= SOON);
}

#[test]
fn handlers_do_not_care_how_their_looper_sleeps() {
    thread::spawn(|| {
        let sleep = EventSleep::new().expect("there are descriptors");
        let looper = Looper::prepare_with(Arc::new(MonotonicClock::new()), sleep).unwrap();
        let quit = looper.clone();
        Handler::new(&looper, move |()| quit.quit()).send_after(SOON, ()).unwrap();
        Looper::run().unwrap();
    })
    .join()
    .unwrap();
}

/// Whether a descriptor can be read, waiting this long at most.
fn readable(sleep: &EventSleep, timeout: Duration) -> bool {
    let mut poll = libc::pollfd { fd: sleep.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which is ours.
    unsafe { libc::poll(&mut poll, 1, timeout.as_millis() as std::os::raw::c_int) == 1 }
}

#[test]
fn the_descriptor_can_be_polled_by_others() {
    let (sender, mut receiver) = deliqueue::queue();
    let mut sleep = EventSleep::new().expect("there are descriptors");
    let waker = sleep.waker().clone();
    let mut turn = |sleep: &mut EventSleep| {
        sleep.clear();
        let mut run = Vec::new();
        loop {
            match receiver.poll_with(&waker) {
                Next::Message(message) => run.push(message.payload),
                Next::Pending(deadline) => {
                    let clock = receiver.clock();
                    sleep.arm(deadline.map(|when| when.since(clock.now())));
                    return run;
                }
                Next::Quit => return run,
            }
        }
    };
    assert!(turn(&mut sleep).is_empty());
    assert!(!readable(&sleep, Duration::ZERO));
    sender.send_after(SOON, "later").unwrap();
    assert!(readable(&sleep, SOON * 100), "a post wakes");
    assert!(turn(&mut sleep).is_empty());
    assert!(!readable(&sleep, Duration::ZERO));
    assert!(readable(&sleep, SOON * 100), "the deadline wakes");
    assert_eq!(turn(&mut sleep), ["later"]);
    assert!(!readable(&sleep, SOON));
    sender.quit();
    assert!(readable(&sleep, Duration::ZERO));
}

#[test]
fn other_descriptors_end_the_sleep() {
    let (mut ours, mut theirs) = UnixStream::pair().unwrap();
    let mut sleep = EventSleep::new().expect("there are descriptors");
    sleep.watch(ours.as_fd()).unwrap();
    assert!(sleep.watch(ours.as_fd()).is_err(), "twice");
    theirs.write_all(b"x").unwrap();
    sleep.sleep(None);
    assert_eq!(sleep.ready(), [ours.as_raw_fd()]);
    ours.read_exact(&mut [0]).unwrap();
    sleep.sleep(Some(Duration::from_millis(1)));
    assert!(sleep.ready().is_empty());
    sleep.unwatch(ours.as_fd()).unwrap();
    theirs.write_all(b"x").unwrap();
    sleep.sleep(Some(Duration::from_millis(1)));
    assert!(sleep.ready().is_empty());
}
