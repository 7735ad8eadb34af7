//! What a program does when it runs.

use r8lite::Verified;

/// What can be seen of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Behaviour {
    /// What it printed.
    pub(crate) stdout: String,
    /// How it ended.
    pub(crate) end: String,
}

/// Runs a program's `main`, if it has one.
pub(crate) fn run(module: &Verified, args: &[String], seed: u64) -> Option<Behaviour> {
    let _ = (module, args, seed);
    None
}
