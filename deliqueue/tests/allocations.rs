//! How often memory is allocated: once for a post, and on the looper's side not at all once it has what it needs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use deliqueue::{Filter, ManualClock, Message, Next, Receiver, Sender};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = Cell::default();
    static LIVE: Cell<isize> = Cell::default();
}

fn count(allocations: usize, live: isize) {
    // A thread that ends has no locals any more.
    let _ = ALLOCATIONS.try_with(|all| all.set(all.get() + allocations));
    let _ = LIVE.try_with(|all| all.set(all.get() + live));
}

// SAFETY: all is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations something takes on this thread.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

fn live() -> isize {
    LIVE.with(Cell::get)
}

fn queue() -> (Sender<u64>, Receiver<u64>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new());
    let (sender, receiver) = deliqueue::with_clock(clock.clone());
    (sender, receiver, clock)
}

fn run(receiver: &mut Receiver<u64>) -> usize {
    let mut count = 0;
    while let Next::Message(_) = receiver.try_next() {
        count += 1;
    }
    count
}

#[test]
fn a_post_allocates_once_and_the_looper_rarely() {
    let (sender, mut receiver, clock) = queue();
    let mut turn = || {
        let posts = allocations(|| {
            for index in 0..1_000 {
                sender.send_after(Duration::from_nanos(index * 7 % 1_000), index).unwrap();
            }
        });
        clock.advance(Duration::from_micros(1));
        let runs = allocations(|| assert_eq!(run(&mut receiver), 1_000));
        (posts, runs)
    };
    turn();
    for _ in 0..20 {
        let (posts, runs) = turn();
        assert_eq!(posts, 1_000);
        assert!(runs <= 1_000 / 64, "{runs} allocations for 1000 messages");
    }
}

#[test]
fn removing_allocates_nothing() {
    let (sender, mut receiver, _clock) = queue();
    for what in 0..100 {
        sender.post(Message::new(0).what(what)).unwrap();
    }
    assert_eq!(allocations(|| assert_eq!(sender.remove(Filter::all().what(5)), 1)), 0);
    assert_eq!(allocations(|| assert!(sender.has(Filter::all().what(6)))), 0);
    assert_eq!(run(&mut receiver), 99);
}

#[test]
fn memory_follows_what_is_live() {
    let (sender, mut receiver, clock) = queue();
    let before = live();
    for round in 0..3 {
        for index in 0..20_000 {
            sender.send_after(Duration::from_secs(1 + index % 7), index).unwrap();
        }
        // One of them stays.
        assert!(matches!(receiver.try_next(), Next::Pending(_)));
        let mut kept = 0;
        if round == 1 {
            clock.advance(Duration::from_secs(10));
            kept = run(&mut receiver);
        } else {
            sender.remove_if(|_| true);
        }
        assert!(kept == 0 || kept == 20_000, "{kept}");
        let waker = std::task::Waker::from(Arc::new(Nobody));
        assert!(matches!(receiver.poll_with(&waker), Next::Pending(None)));
        let left = live() - before;
        assert!(left < 64 * 1_024, "{left} bytes are left for no message");
    }
}

struct Nobody;

impl std::task::Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}
