//! Deliqueue beside other queues. All that is compared takes turns in one process; each figure is the median of the rounds,
//! with the least and the greatest.
//!
//! `cargo run --release` in this folder prints all tables; `cargo run --release -- post` only one.

extern crate alloc;

#[path = "../../src/heap.rs"]
#[allow(dead_code, unreachable_pub)]
mod heap;
mod message {
    pub use deliqueue::When;
}
mod heaps;
mod peers;

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

use peers::{Bare, Crossbeam, Deliqueue, Handle, Legacy, LockedHeap, Peer, Post, Run, Tokio};

const ROUNDS: usize = 9;
const HOUR: u64 = 3_600_000_000_000;

/// Numbers that look random.
pub fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// The results of one row: a name, and for each column the nanoseconds of each round.
type Row = (&'static str, Vec<Vec<f64>>);

fn print(title: &str, columns: &[String], rows: &[Row]) {
    println!("\n### {title}\n");
    println!("| | {} |", columns.join(" | "));
    println!("|---|{}", "--:|".repeat(columns.len()));
    let median = |rounds: &Vec<f64>| {
        let mut sorted = rounds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    };
    for (name, cells) in rows {
        let cell = |(column, rounds): (usize, &Vec<f64>)| {
            let (Some(middle), Some(own)) = (median(rounds), median(&rows[0].1[column])) else { return "—".into() };
            let least = rounds.iter().copied().fold(f64::INFINITY, f64::min);
            let most = rounds.iter().copied().fold(0.0, f64::max);
            let ratio = if *name == rows[0].0 { String::new() } else { format!(", {:.2}×", middle / own) };
            format!("{middle:.0} ({least:.0}–{most:.0}){ratio}")
        };
        println!("| {name} | {} |", cells.iter().enumerate().map(cell).collect::<Vec<_>>().join(" | "));
    }
}

/// Nanoseconds for each of a thread's calls, the mean over threads that start together.
fn together<P: Post>(post: &P, threads: u64, calls: u64, work: impl Fn(&P, u64, u64) + Send + Copy + 'static) -> f64 {
    let barrier = Arc::new(Barrier::new(threads as usize));
    let threads: Vec<_> = (0..threads)
        .map(|thread| {
            let (post, barrier) = (post.clone(), barrier.clone());
            thread::spawn(move || {
                barrier.wait();
                let start = Instant::now();
                for call in 0..calls {
                    work(&post, thread, call);
                }
                start.elapsed().as_nanos() as f64 / calls as f64
            })
        })
        .collect();
    let times: Vec<f64> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    times.iter().sum::<f64>() / times.len() as f64
}

/// With the queue's looper running beside it.
fn with_looper<P: Peer>(measure: impl FnOnce(&P::Post) -> f64) -> f64 {
    let (post, mut run) = P::make();
    let looper = thread::spawn(move || while run.next() {});
    let time = measure(&post);
    post.quit();
    looper.join().unwrap();
    time
}

fn pseudo(thread: u64, call: u64) -> u64 {
    let mut state = (thread + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (call + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    random(&mut state);
    random(&mut state)
}

fn post_into<P: Peer>(depth: u64) -> f64 {
    with_looper::<P>(|post| {
        // In the order of time, so that a list is filled fast; all due in an hour, spread over five seconds.
        for index in 0..depth {
            post.post(HOUR + index * (5_000_000_000 / depth), -1);
        }
        // A list is slow enough to measure with few, and with many it would hold more than the column says.
        let calls = if P::NAME.starts_with("legacy") { (200_000 / (depth + 1_000)).clamp(8, 100) } else { 1_000 };
        together(post, 8, calls, |post, thread, call| post.post(HOUR + pseudo(thread, call) % 5_000_000_000, 0))
    })
}

fn front<P: Peer>() -> f64 {
    with_looper::<P>(|post| together(post, 8, 1_000, |post, _, _| post.post(0, 0)))
}

fn delayed<P: Peer>() -> f64 {
    with_looper::<P>(|post| {
        together(post, 8, 1_000, |post, thread, call| {
            let delay = pseudo(thread, call) % 5_001;
            post.post(if delay == 0 { 0 } else { post.now() + delay * 1_000_000 }, 0);
        })
    })
}

fn removers<P: Peer>() -> Option<f64> {
    P::make().0.remove(0)?;
    Some(with_looper::<P>(|post| {
        together(post, 8, 1_000, |post, thread, call| {
            if thread < 4 {
                post.post(post.now() + 1_000_000_000 + call, thread as i32);
            } else {
                post.remove((thread - 4) as i32);
            }
        })
    }))
}

fn debounce<P: Peer>() -> Option<f64> {
    P::make().0.remove(0)?;
    Some(with_looper::<P>(|post| {
        together(post, 1, 10_000, |post, _, _| {
            post.post(post.now() + 10_000_000_000, 1);
            post.remove(1);
        })
    }))
}

fn throughput<P: Peer>(producers: u64) -> f64 {
    const MESSAGES: u64 = 100_000;
    let (post, mut run) = P::make();
    let start = Instant::now();
    let threads: Vec<_> = (0..producers)
        .map(|_| {
            let post = post.clone();
            thread::spawn(move || {
                for _ in 0..MESSAGES / producers {
                    post.post(post.now(), 0);
                }
            })
        })
        .collect();
    for _ in 0..MESSAGES / producers * producers {
        assert!(run.next());
    }
    let time = start.elapsed().as_nanos() as f64 / MESSAGES as f64;
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    time
}

/// Runs a measurement for all peers, one after the other, in each round.
macro_rules! table {
    ($title:expr, $columns:expr, [$($peer:ty),*], $measure:ident, $args:expr) => {{
        let args = $args;
        let mut rows: Vec<Row> = vec![$((<$peer as Peer>::NAME, vec![Vec::new(); args.len()])),*];
        for _ in 0..ROUNDS {
            for (column, arg) in args.iter().enumerate() {
                let mut row = 0;
                $(
                    if let Some(time) = $measure::<$peer>(*arg) {
                        rows[row].1[column].push(time);
                    }
                    row += 1;
                )*
                let _ = row;
            }
        }
        print($title, &$columns, &rows);
    }};
}

fn post_column<P: Peer>(depth: u64) -> Option<f64> {
    Some(post_into::<P>(depth))
}

fn shape<P: Peer>(which: u64) -> Option<f64> {
    match which {
        0 => Some(front::<P>()),
        1 => Some(delayed::<P>()),
        2 => removers::<P>(),
        _ => debounce::<P>(),
    }
}

fn throughput_column<P: Peer>(producers: u64) -> Option<f64> {
    Some(throughput::<P>(producers))
}

fn main() {
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().map_or(true, |only| only == name);
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    println!("nanoseconds: median of {ROUNDS} rounds (least–greatest), and how many times deliqueue's median it is");
    if wanted("post") {
        table!(
            "A post, 8 threads, into a queue that holds so many",
            names(&["0", "1,000", "8,000", "100,000"]),
            [
                Deliqueue,
                Handle<Legacy>,
                Handle<LockedHeap<false>>,
                Handle<LockedHeap<true>>,
                Crossbeam,
                Tokio,
                Bare
            ],
            post_column,
            [0_u64, 1_000, 8_000, 100_000]
        );
    }
    if wanted("shapes") {
        table!(
            "An operation, in the shapes of Android's benchmarks",
            names(&["8 post at the front", "8 post delayed", "4 post, 4 remove", "1 posts and removes"]),
            [Deliqueue, Handle<Legacy>, Handle<LockedHeap<false>>, Handle<LockedHeap<true>>, Crossbeam, Tokio],
            shape,
            [0_u64, 1, 2, 3]
        );
    }
    if wanted("throughput") {
        table!(
            "A message from post to delivery, by how many threads post",
            names(&["1", "2", "4", "8"]),
            [Deliqueue, Handle<Legacy>, Handle<LockedHeap<false>>, Handle<LockedHeap<true>>, Crossbeam, Tokio],
            throughput_column,
            [1_u64, 2, 4, 8]
        );
    }
    if wanted("heaps") {
        heaps::run(|title, columns, rows| print(title, columns, rows));
    }
}
