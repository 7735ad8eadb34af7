//! Explore mode: every schedule of a small program, and the set of its outcomes.
//!
//! A depth-first search over states. A transition runs one thread up to and including its next step that others could
//! notice; steps that concern a thread alone commute with everything and need no choice of their own.
//! States that were met before are recognised by their fingerprint, so that loops that wait come to an end. With
//! weak memory a transition has one successor for each way in which its reads and writes can turn out; the memory asks
//! (`shared::Script`) and the search runs the transition again for every answer.
//!
//! Time passes at will: whenever some thread waits with a limit, one successor is that the limit has come.

mod fingerprint;
mod liveness;
mod shared;
mod weak;

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use self::fingerprint::fingerprint;
use self::liveness::Liveness;
use self::shared::{ExploredMemory, Facts, Script};
use crate::entity::Func;
use crate::interp::machine::{Machine, Step};
use crate::interp::peek::Action;
use crate::interp::prepare::Prepared;
use crate::interp::run::end;
use crate::interp::thread::ThreadId;
use crate::interp::{Config, End, EntryError};
use crate::natives::Native;
use crate::verify::Verified;

/// How accesses of different threads are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryModel {
    /// Sequentially consistent: one access after the other, each seen by all at once.
    #[default]
    Sc,
    /// As weakly as each access's ordering allows; `ir/LANGUAGE.md` gives the rules.
    Weak,
}

/// What to explore and how far.
#[derive(Clone, Debug)]
pub struct ExploreConfig {
    /// The memory.
    pub memory: MemoryModel,
    /// How many states to look at before giving up.
    pub max_states: usize,
    /// How many steps a thread may take that no other could notice before giving up.
    pub max_local_steps: usize,
    /// Whether threads switch only where others could notice. Without that the search takes longer and finds the same
    /// outcomes; the tests check that it does.
    pub reduce: bool,
    /// The bounds of every run, and the program's arguments.
    pub run: Config,
}

impl Default for ExploreConfig {
    fn default() -> Self {
        Self {
            memory: MemoryModel::Sc,
            max_states: 1_000_000,
            max_local_steps: 10_000_000,
            reduce: true,
            run: Config::default(),
        }
    }
}

/// How a run can turn out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Outcome {
    /// What the program wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its error output, without the frames of stack traces.
    pub stderr: String,
    /// How it ended, without stack traces and places: they tell how a program was compiled, not what it means.
    pub end: End,
}

impl fmt::Display for Outcome {
    /// On one line: the lines of the output, those of the error output, and how it ended if not by just returning.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |text: &str| text.lines().collect::<Vec<_>>().join(" | ");
        let mut parts = Vec::new();
        if !self.stdout.is_empty() {
            parts.push(lines(&self.stdout));
        }
        if !self.stderr.is_empty() {
            parts.push(format!("error output: {}", lines(&self.stderr)));
        }
        match &self.end {
            End::Returned(None) => {}
            End::Returned(Some(value)) => parts.push(format!("returned {value}")),
            End::Uncaught { class, message: None, .. } => parts.push(format!("uncaught {class}")),
            End::Uncaught { class, message: Some(message), .. } => parts.push(format!("uncaught {class}: {message}")),
            End::Exit(status) => parts.push(format!("exit {status}")),
            End::Deadlock(_) => parts.push("deadlock".to_owned()),
            End::StepLimit => parts.push("step limit".to_owned()),
            End::Fault(what) => parts.push(format!("fault: {what}")),
        }
        f.write_str(if parts.is_empty() { "(no output)" } else { "" })?;
        f.write_str(&parts.join("; "))
    }
}

/// How a machine has ended that goes no further.
fn outcome(program: &Prepared<'_>, machine: &Machine) -> Outcome {
    let end = match end(program, machine) {
        End::Uncaught { class, message, .. } => End::Uncaught { class, message, trace: Vec::new() },
        End::Deadlock(_) => End::Deadlock(Vec::new()),
        end @ (End::Returned(_) | End::Exit(_) | End::StepLimit | End::Fault(_)) => end,
    };
    let stderr = machine.stderr.split_inclusive('\n').filter(|line| !line.starts_with("\tat ")).collect();
    Outcome { stdout: machine.stdout.clone(), stderr, end }
}

/// All ways in which a program can turn out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exploration {
    /// The outcomes that were found.
    pub outcomes: BTreeSet<Outcome>,
    /// Whether these are all. If not, a bound of the [`ExploreConfig`] was hit.
    pub complete: bool,
    /// How many states were looked at.
    pub states: usize,
}

impl fmt::Display for Exploration {
    /// One outcome a line, sorted, then how many there are and whether these are all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for outcome in &self.outcomes {
            writeln!(f, "{outcome}")?;
        }
        let how = if self.complete { "complete" } else { "incomplete" };
        let plural = if self.outcomes.len() == 1 { "" } else { "s" };
        writeln!(f, "{how}, {} outcome{plural}", self.outcomes.len())
    }
}

/// Runs every schedule of a program.
///
/// # Errors
/// If `entry` cannot be run.
pub fn explore(module: &Verified, entry: Func, config: &ExploreConfig) -> Result<Exploration, EntryError> {
    let program = Prepared::new(module);
    let mut facts = Rc::new(Facts::default());
    loop {
        let memory = ExploredMemory::new(&program, config.memory, Rc::clone(&facts));
        let machine = Machine::new(&program, entry, &config.run)?;
        match search(&program, State { machine, memory }, config) {
            Ok(exploration) => return Ok(exploration),
            // Each round adds at least one of the program's fields or array types.
            Err(noticed) => Rc::make_mut(&mut facts).extend(noticed),
        }
    }
}

#[derive(Clone)]
struct State<'p, 'm> {
    machine: Machine,
    memory: ExploredMemory<'p, 'm>,
}

/// Searches from one state on.
///
/// # Errors
/// What was taken for otherwise than it is.
fn search(program: &Prepared<'_>, start: State<'_, '_>, config: &ExploreConfig) -> Result<Exploration, Facts> {
    let liveness = Liveness::default();
    let mut seen = FxHashSet::default();
    let mut found = Exploration { outcomes: BTreeSet::new(), complete: true, states: 0 };
    let mut work = vec![start];
    while let Some(state) = work.pop() {
        found.states += 1;
        if found.states > config.max_states {
            found.complete = false;
            break;
        }
        let machine = &state.machine;
        let enabled: Vec<ThreadId> = machine.enabled().collect();
        let mut later = machine.clone();
        let waits = machine.halted.is_none() && later.advance_clock();
        if machine.halted.is_some() || enabled.is_empty() && !waits {
            found.outcomes.insert(outcome(program, machine));
            continue;
        }
        if waits {
            let mut next = State { machine: later, memory: state.memory.clone() };
            if seen.insert(fingerprint(program, &liveness, &next.machine, &mut next.memory)) {
                work.push(next);
            }
        }
        for thread in enabled {
            let mut script = Script::default();
            loop {
                let mut next = state.clone();
                next.memory.script = script;
                let finished = next.run(program, thread, config);
                if !next.memory.noticed.is_empty() {
                    return Err(next.memory.noticed);
                }
                script = std::mem::take(&mut next.memory.script);
                if !finished {
                    found.complete = false;
                } else if seen.insert(fingerprint(program, &liveness, &next.machine, &mut next.memory)) {
                    work.push(next);
                }
                if !script.advance() {
                    break;
                }
            }
        }
    }
    Ok(found)
}

impl State<'_, '_> {
    /// Runs a thread up to and including its next step that others could notice; false if it takes too long.
    fn run(&mut self, program: &Prepared<'_>, thread: ThreadId, config: &ExploreConfig) -> bool {
        for _ in 0..config.max_local_steps {
            let Self { machine, memory } = self;
            // Until the first thread is started, nobody is there to notice anything.
            let alone = memory.base.is_none();
            let action = if alone { Action::Local } else { machine.next_action(program, thread) };
            let (threads, found) = (machine.threads.len(), engine_objects(machine));
            let depth = machine.threads[thread.index()].frames.len();
            memory.touched = false;
            let step = machine.step(program, memory, thread);
            memory.allocated(&machine.heap, thread);
            let started = machine.threads.get(threads).map(|started| started.object);
            if let Some(object) = started {
                memory.begin(&machine.heap);
                memory.publish(&machine.heap, object);
            }
            if !alone && engine_objects(machine) > found {
                // The engine hands these to any thread that asks.
                let objects = machine.interned.values().chain(machine.literals.values());
                objects.chain(machine.class_objects.values()).for_each(|&object| memory.publish(&machine.heap, object));
            }
            if machine.has_ended(thread) {
                memory.end(thread);
            }
            let is_shared = match action {
                // An exception on its way out may have left monitors, which others may now enter.
                Action::Local => started.is_some() || !alone && step == Step::Shared,
                Action::Access(_) | Action::Native(Native::Clone | Native::ArrayCopy | Native::FindField) => {
                    memory.touched || machine.threads[thread.index()].frames.len() < depth
                }
                Action::Native(Native::YieldThread) => false,
                Action::Monitor(object) => !memory.is_private(object),
                Action::Native(_) | Action::Initialisation(_) | Action::Scheduling => true,
            };
            let switch = is_shared || !alone && !config.reduce;
            if switch || machine.halted.is_some() || !machine.is_enabled(thread) {
                return true;
            }
        }
        false
    }
}

/// How many objects the engine keeps of its own.
fn engine_objects(machine: &Machine) -> usize {
    machine.interned.len() + machine.literals.len() + machine.class_objects.len()
}
