//! What a program does when it runs.

use std::collections::BTreeSet;
use std::fmt;

use r8lite::Verified;
use r8lite::ir::interp::explore::{Exploration, ExploreConfig, MemoryModel, Outcome, explore};
use r8lite::ir::interp::{self, End, EntryError};

/// What can be seen of a run, and has to stay as it is: what is printed and how it ends, but not the stack traces,
/// which show the calls that are gone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Behaviour {
    /// What it printed.
    pub(crate) stdout: String,
    /// How it ended.
    pub(crate) end: String,
}

impl fmt::Display for Behaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}[{}]", self.stdout, self.end)
    }
}

/// Runs a program's `main`; none if it has none.
pub(crate) fn run(module: &Verified, args: &[String], seed: u64) -> Result<Option<Behaviour>, String> {
    let entry = match interp::find_entry(module, None) {
        Ok(entry) => entry,
        Err(EntryError::NoMain) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut config = interp::Config::default();
    config.seed = seed;
    config.max_steps = 20_000_000;
    config.args = args.to_vec();
    let result = interp::run(module, entry, &config).map_err(|error| error.to_string())?;
    Ok(Some(Behaviour { stdout: result.stdout, end: describe(&result.end) }))
}

/// Runs every interleaving of a program's `main`.
pub(crate) fn explore_all(module: &Verified, memory: MemoryModel) -> Result<Exploration, String> {
    let entry = interp::find_entry(module, None).map_err(|error| error.to_string())?;
    let config = ExploreConfig { memory, ..ExploreConfig::default() };
    let exploration = explore(module, entry, &config).map_err(|error| error.to_string())?;
    if exploration.complete { Ok(exploration) } else { Err("there are too many interleavings".to_string()) }
}

/// What can be seen of all outcomes, and has to stay as it is.
pub(crate) fn outcomes(exploration: &Exploration) -> BTreeSet<Behaviour> {
    let behaviour = |outcome: &Outcome| Behaviour { stdout: outcome.stdout.clone(), end: describe(&outcome.end) };
    exploration.outcomes.iter().map(behaviour).collect()
}

fn describe(end: &End) -> String {
    match end {
        End::Returned(None) => "returned".to_string(),
        End::Returned(Some(value)) => format!("returned {value}"),
        End::Uncaught { class, .. } => format!("uncaught {class}"),
        End::Exit(status) => format!("exit {status}"),
        End::Deadlock(_) => "deadlock".to_string(),
        End::StepLimit => "did not end".to_string(),
        End::Fault(what) => format!("fault: {what}"),
        other => format!("{other:?}"),
    }
}
