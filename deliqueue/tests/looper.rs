//! Loopers, handlers, idle handlers, watching, and what happens when things panic.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{channel, Sender as Channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use deliqueue::{
    Callback, Dispatch, Due, Filter, Handler, Looper, LooperError, ManualClock, Message, Next, Observer, Parking, Slow,
    Target, Token, When,
};

const SOON: Duration = Duration::from_millis(5);
const NEVER: Duration = Duration::from_secs(3_600);

#[test]
fn a_looper_runs_messages_and_closures_in_order() {
    let (looper, thread) = Looper::spawn("orders").expect("a thread starts");
    let (tell, hear) = channel();
    let told = Mutex::new(tell.clone());
    let handler = Handler::new(&looper, move |text: &'static str| told.lock().unwrap().send(text).unwrap());
    handler.send_after(SOON, "later").unwrap();
    handler.send("first").unwrap();
    handler.post(move || tell.send("closure").unwrap()).unwrap();
    let order: Vec<_> = hear.iter().take(3).collect();
    assert_eq!(order, ["first", "closure", "later"]);
    looper.quit_safely();
    thread.join().expect("the looper ends");
    assert_eq!(handler.send("after the quit").unwrap_err().0, "after the quit");
    assert!(handler.post(|| ()).is_err());
}

#[test]
fn each_thread_has_its_looper() {
    thread::spawn(|| {
        assert!(Looper::current().is_none());
        assert_eq!(Looper::run(), Err(LooperError::NoLooper));
        let looper = Looper::prepare().expect("the first");
        assert_eq!(Looper::prepare().unwrap_err(), LooperError::HasLooper);
        assert!(looper.is_current());
        assert!(Looper::current().expect("it is there").is_current());
        let elsewhere = looper.clone();
        thread::spawn(move || assert!(!elsewhere.is_current())).join().unwrap();
        looper.quit();
        Looper::run().expect("once");
        assert_eq!(Looper::run(), Err(LooperError::NoLooper));
    })
    .join()
    .unwrap();
}

#[test]
fn the_main_looper_is_found_by_all() {
    thread::spawn(|| {
        assert!(Looper::main().is_none());
        let main = Looper::prepare_main().expect("the first");
        thread::spawn(|| assert_eq!(Looper::prepare_main().unwrap_err(), LooperError::HasMain)).join().unwrap();
        thread::spawn(|| Looper::main().expect("it is there").quit_safely()).join().unwrap();
        Looper::run().expect("it was prepared");
        assert!(main.is_current());
    })
    .join()
    .unwrap();
}

#[test]
fn handlers_remove_what_is_theirs() {
    let (looper, thread) = Looper::spawn("removals").expect("a thread starts");
    let (one, other) = (Handler::new(&looper, |_: u32| ()), Handler::new(&looper, |_: u32| ()));
    for handler in [&one, &other] {
        handler.send_message(Message::new(1).what(7).after(NEVER)).unwrap();
        let callback: Callback = Box::new(|| ());
        handler.post_callback(Message::new(callback).token(Token(3)).after(NEVER)).unwrap();
        handler.send_after(NEVER, 2).unwrap();
    }
    assert!(one.has(7) && one.has_token(Token(3)) && !one.has(8));
    assert_eq!((one.remove(7), one.remove(7)), (1, 0));
    assert_eq!(one.remove_token(Token(3)), 1);
    assert_eq!(looper.snapshot().len(), 4);
    assert_eq!((one.remove_all(), other.remove_all()), (1, 3));
    looper.quit();
    thread.join().unwrap();
}

#[test]
fn barriers_let_asynchronous_handlers_pass() {
    let (looper, thread) = Looper::spawn("barriers").expect("a thread starts");
    let (tell, hear) = channel();
    let handler = {
        let tell = Mutex::new(tell);
        Handler::new(&looper, move |text: &'static str| tell.lock().unwrap().send(text).unwrap())
    };
    let barrier = looper.post_barrier().unwrap();
    handler.send("held back").unwrap();
    handler.clone().asynchronous().send("passes").unwrap();
    assert_eq!(hear.recv(), Ok("passes"));
    assert_eq!(hear.recv_timeout(SOON).ok(), None);
    assert!(looper.remove_barrier(barrier));
    assert_eq!(hear.recv(), Ok("held back"));
    assert!(!looper.remove_barrier(barrier));
    looper.quit();
    thread.join().unwrap();
}

#[test]
fn idle_handlers_run_once_for_each_sleep_as_long_as_they_like() {
    thread::spawn(|| {
        let looper = Looper::prepare().unwrap();
        let counts: Vec<_> = (0..2).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        for (count, stays) in counts.iter().zip([true, false]) {
            let count = count.clone();
            looper.add_idle_handler(move || {
                count.fetch_add(1, SeqCst);
                stays
            });
        }
        let quit = looper.clone();
        let handler = Handler::new(&looper, move |last: bool| {
            if last {
                quit.quit()
            }
        });
        // Two sleeps: before each of them.
        handler.send_after(SOON, false).unwrap();
        handler.send_after(3 * SOON, true).unwrap();
        Looper::run().unwrap();
        let counts: Vec<_> = counts.iter().map(|count| count.load(SeqCst)).collect();
        assert_eq!(counts, [2, 1]);
    })
    .join()
    .unwrap();
}

#[test]
fn a_looper_that_sleeps_is_woken_for_an_idle_handler() {
    let (looper, thread) = Looper::spawn("idle").expect("a thread starts");
    thread::sleep(SOON);
    let (tell, hear) = channel();
    looper.add_idle_handler(move || tell.send(()).is_err());
    hear.recv().expect("it ran");
    looper.quit();
    thread.join().unwrap();
}

struct Log(Mutex<Channel<String>>);

impl Log {
    fn say(&self, text: String) {
        self.0.lock().unwrap().send(text).unwrap();
    }
}

impl Observer for Log {
    fn began(&self, dispatch: &Dispatch) {
        self.say(format!("began {}", dispatch.what));
    }
    fn ended(&self, dispatch: &Dispatch, took: Duration) {
        self.say(format!("ended {} {took:?}", dispatch.what));
    }
    fn slow_dispatch(&self, dispatch: &Dispatch, took: Duration) {
        self.say(format!("slow {} {took:?}", dispatch.what));
    }
    fn slow_delivery(&self, dispatch: &Dispatch, late: Duration) {
        self.say(format!("late {} {late:?}", dispatch.what));
    }
}

#[test]
fn an_observer_is_told_of_each_dispatch_and_of_slow_ones() {
    thread::spawn(|| {
        let clock = Arc::new(ManualClock::new());
        let looper = Looper::prepare_with(clock.clone(), Parking::new()).unwrap();
        let (tell, hear) = channel();
        looper.observe(Some(Arc::new(Log(Mutex::new(tell)))));
        let slow = Some(Duration::from_secs(2));
        looper.set_slow_thresholds(Slow { dispatch: slow, delivery: slow });
        let working = clock.clone();
        let handler = Handler::new(&looper, move |seconds| working.advance(Duration::from_secs(seconds)));
        for (what, seconds) in [(1, 1), (2, 5), (3, 0), (4, 0)] {
            handler.send_message(Message::new(seconds).what(what)).unwrap();
        }
        looper.quit_safely();
        Looper::run().unwrap();
        looper.observe(None);
        let log: Vec<String> = hear.iter().collect();
        let expected = [
            "began 1",
            "ended 1 1s",
            "began 2",
            "ended 2 5s",
            "slow 2 5s",
            "began 3",
            "late 3 6s",
            "ended 3 0ns",
            "began 4",
            "ended 4 0ns",
        ];
        assert_eq!(log, expected);
    })
    .join()
    .unwrap();
}

#[test]
fn a_sleeper_wakes_by_a_manual_clock() {
    let clock = Arc::new(ManualClock::new());
    let (sender, mut receiver) = deliqueue::with_clock(clock.clone());
    let (tell, hear) = channel();
    let looper = thread::spawn(move || {
        while let Some(message) = receiver.recv() {
            tell.send(message.payload).unwrap();
        }
    });
    sender.send_after(Duration::from_secs(60), "a minute").unwrap();
    assert!(hear.recv_timeout(SOON).is_err());
    clock.advance(Duration::from_secs(59));
    assert!(hear.recv_timeout(SOON).is_err());
    clock.advance(Duration::from_secs(1));
    assert_eq!(hear.recv(), Ok("a minute"));
    sender.quit();
    looper.join().unwrap();
}

/// Panics when dropped, if it is told to, and counts.
struct Fragile {
    panics: bool,
    drops: Arc<AtomicUsize>,
}

impl Drop for Fragile {
    fn drop(&mut self) {
        self.drops.fetch_add(1, SeqCst);
        assert!(!self.panics || thread::panicking(), "dropping panics");
    }
}

fn fragile(panics: bool, drops: &Arc<AtomicUsize>) -> Fragile {
    Fragile { panics, drops: drops.clone() }
}

#[test]
fn panicking_predicates_and_drops_leave_the_queue_whole() {
    let drops = Arc::new(AtomicUsize::new(0));
    let (sender, mut receiver) = deliqueue::queue();
    for what in 0..10 {
        sender.post(Message::new(fragile(what == 4, &drops)).what(what)).unwrap();
    }
    // From the newest: 9 and 8 are claimed, then it panics.
    let result = catch_unwind(AssertUnwindSafe(|| {
        sender.remove_if(|entry| {
            assert!(entry.what > 7, "the predicate panics");
            true
        })
    }));
    assert!(result.is_err());
    assert_eq!((drops.load(SeqCst), sender.len()), (2, 8));
    // All of 7 to 4 are claimed; dropping the last one panics.
    let result = catch_unwind(AssertUnwindSafe(|| sender.remove_if(|entry| entry.what >= 4)));
    assert!(result.is_err());
    assert_eq!((drops.load(SeqCst), sender.len()), (6, 4));
    // Dropping the first of several panics: the others are dropped all the same.
    for what in [20, 21] {
        sender.post(Message::new(fragile(what == 21, &drops)).what(what)).unwrap();
    }
    assert!(catch_unwind(AssertUnwindSafe(|| sender.remove_if(|entry| entry.what >= 20))).is_err());
    assert_eq!((drops.load(SeqCst), sender.len()), (8, 4));
    for what in 0..4 {
        assert!(matches!(receiver.try_next(), Next::Message(message) if message.what == what));
    }
    assert!(matches!(receiver.try_next(), Next::Pending(None)));
    // At the end too.
    for what in 0..5 {
        sender.post(Message::new(fragile(what == 1, &drops))).unwrap();
    }
    assert!(catch_unwind(AssertUnwindSafe(move || drop(receiver))).is_err());
    assert_eq!(drops.load(SeqCst), 12 + 5);
    assert!(sender.has_quit() && sender.is_empty());
    assert_eq!(Arc::strong_count(&drops), 1, "nothing is left");
}

#[test]
fn predicates_and_drops_may_use_the_queue() {
    struct Sends(deliqueue::Sender<Option<Box<Sends>>>);
    impl Drop for Sends {
        fn drop(&mut self) {
            let _ = self.0.post(Message::new(None).what(9));
            self.0.remove(Filter::all().what(5));
        }
    }
    let (sender, mut receiver) = deliqueue::queue();
    for what in 0..8 {
        sender.post(Message::new(Some(Box::new(Sends(sender.clone())))).what(what)).unwrap();
    }
    let removed = sender.remove_if(|entry| {
        sender.remove(Filter::all().what(6));
        entry.what % 2 == 0
    });
    assert_eq!(removed, 3);
    assert!(!sender.has(Filter::all().what(5)) && !sender.has(Filter::all().what(6)));
    assert!(sender.has(Filter::all().what(9)));
    sender.quit_safely();
    let mut run = Vec::new();
    while let Some(message) = receiver.recv() {
        run.push(message.what);
        std::mem::forget(message.payload);
    }
    assert_eq!(run[..3], [1, 3, 7]);
}

#[test]
fn quit_hands_back_what_was_not_run() {
    let (sender, mut receiver) = deliqueue::queue();
    sender.send_after(NEVER, "later").unwrap();
    sender.send("now").unwrap();
    let barrier = sender.post_barrier().unwrap();
    sender.send("behind the barrier").unwrap();
    sender.quit_safely();
    assert_eq!(sender.send("refused").unwrap_err().0.payload, "refused");
    assert_eq!(receiver.recv().map(|message| message.payload), Some("now"));
    assert!(receiver.recv().is_none());
    assert!(sender.has(Filter::all()), "it waits to be handed back");
    let left: Vec<_> = receiver.undelivered().map(|message| message.payload).collect();
    assert_eq!(left, ["behind the barrier", "later"]);
    assert!(!sender.remove_barrier(barrier));
}

#[test]
fn memory_is_bounded_while_the_looper_sleeps() {
    // A debouncer: each post replaces the one before, and none is ever due.
    let (sender, mut receiver) = deliqueue::queue();
    let looper = thread::spawn(move || {
        let run = receiver.recv().map(|message| message.payload);
        (run, receiver.known_len())
    });
    for index in 0..50_000_u64 {
        sender.post(Message::new(index).target(Target(1)).after(NEVER)).unwrap();
        assert_eq!(sender.remove(Filter::target(Target(1))), 1);
    }
    sender.send_at(When::ORIGIN, u64::MAX).unwrap();
    let (run, left) = looper.join().unwrap();
    assert_eq!(run, Some(u64::MAX));
    assert!(left <= 200, "{left} dead entries");
}

#[test]
fn a_message_comes_back_as_it_was() {
    let (sender, receiver) = deliqueue::queue();
    drop(receiver);
    let message = Message::new(5).what(1).token(Token::unique()).target(Target::unique()).after(SOON).asynchronous();
    let back = sender.post(message.clone()).unwrap_err().0;
    assert_eq!(back, message);
    assert_eq!(back.due, Due::After(SOON));
}
