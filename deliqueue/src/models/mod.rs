//! Models for loom: all that two or three threads can do to each other in a few steps, each interleaving, each value that
//! weak memory lets a load have.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --release -p deliqueue --lib models` runs them; `cargo xtask models` runs them with
//! each mutant in turn as well, and demands that some model fails for each.
//!
//! A mutant weakens one ordering by its name (`push`, `gate-leave-acquire` …) or breaks a rule of the protocol (`mutated!`
//! in the code says which). It is chosen by `DELIQUEUE_MUTANT`, so that one build has all.
//!
//! Every role runs on a spawned thread: mutants that fail there have been seen to pass where a role ran on the model's
//! main closure.

use core::cell::Cell;
use core::sync::atomic::Ordering;
use std::string::String;
use std::sync::OnceLock;

#[cfg(test)]
mod parts;
#[cfg(test)]
mod whole;

fn chosen() -> &'static str {
    static CHOSEN: OnceLock<String> = OnceLock::new();
    CHOSEN.get_or_init(|| std::env::var("DELIQUEUE_MUTANT").unwrap_or_default())
}

/// Whether this mutant was chosen.
pub(crate) fn mutated(name: &str) -> bool {
    chosen() == name
}

/// The ordering, or what the chosen mutant makes of it.
pub(crate) fn order(order: Ordering, name: &str) -> Ordering {
    match chosen().strip_prefix(name) {
        Some("") => Ordering::Relaxed,
        Some("-acquire") if order == Ordering::AcqRel => Ordering::Release,
        Some("-release") if order == Ordering::AcqRel => Ordering::Acquire,
        _ => order,
    }
}

std::thread_local! {
    /// How many nodes there are. Loom's threads are all one thread of the system, and the test harness has several.
    static NODES: Cell<isize> = const { Cell::new(0) };
}

fn count_nodes(by: isize) -> isize {
    NODES.with(|nodes| {
        nodes.set(nodes.get() + by);
        nodes.get()
    })
}

/// The life of a node, in place of its memory.
#[derive(Debug)]
pub(crate) struct Life {
    /// Read by who looks at the node, written by who frees it: loom sees it when one of them does not come before the
    /// other.
    watched: loom::cell::UnsafeCell<()>,
    over: Cell<bool>,
}

impl Life {
    pub(crate) fn new() -> Self {
        count_nodes(1);
        Self { watched: loom::cell::UnsafeCell::new(()), over: Cell::new(false) }
    }

    pub(crate) fn visit(&self) {
        assert!(!self.over.get(), "a freed node is looked at");
        self.watched.with(|_| ());
    }

    pub(crate) fn end(&self) {
        assert!(!self.over.replace(true), "a node is freed twice");
        self.watched.with_mut(|_| ());
        count_nodes(-1);
    }
}

/// A thread that has the node to itself may drop it before it was ever pushed.
impl Drop for Life {
    fn drop(&mut self) {
        if !self.over.get() {
            count_nodes(-1);
        }
    }
}

/// Runs a model with at most three preemptions; afterwards all nodes have to be freed.
#[cfg(test)]
pub(crate) fn check(model: impl Fn() + Send + Sync + 'static) {
    check_with(3, model);
}

/// Runs a model with at most so many preemptions.
#[cfg(test)]
pub(crate) fn check_with(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(move || {
        let before = count_nodes(0);
        model();
        assert_eq!(count_nodes(0), before, "nodes are left");
    });
}
