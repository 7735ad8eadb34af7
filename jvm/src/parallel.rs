//! Work on many things by themselves, in as many threads as there are processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many things it takes for one thread more.
const LEAST_FOR_A_THREAD: usize = 16;

/// What becomes of each thing, in the order of the things.
pub(crate) fn map<T: Send, R: Send>(things: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, |count| count.get());
    let threads = threads.min(things.len().div_ceil(LEAST_FOR_A_THREAD));
    if threads <= 1 {
        return things.into_iter().map(work).collect();
    }
    let things: Vec<Mutex<Option<T>>> = things.into_iter().map(|thing| Mutex::new(Some(thing))).collect();
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(number) else { return done };
            let thing = thing.lock().expect("nobody panics with it").take().expect("each is taken once");
            done.push((number, work(thing)));
        }
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(some)).collect();
        let mut done = some();
        for other in others {
            done.append(&mut other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// What becomes of each of a few things, in a thread of its own, in the order of the things.
pub(crate) fn in_threads<T: Send, R: Send>(
    mut things: impl Iterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let Some(first) = things.next() else { return Vec::new() };
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> = things.map(|thing| scope.spawn(move || work(thing))).collect();
        let mut done = vec![work(first)];
        done.extend(
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
        );
        done
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order() {
        let squares: Vec<usize> = (0..1000).map(|n| n * n).collect();
        assert_eq!(super::map((0..1000).collect(), |n: usize| n * n), squares);
        assert_eq!(super::map(Vec::new(), |n: usize| n), Vec::<usize>::new());
    }
}
