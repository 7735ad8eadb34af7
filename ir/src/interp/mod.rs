//! The reference interpreter: what a program means, as opposed to how fast it gets there.
//!
//! ```text
//! Verified ──Prepared::new──▶ Prepared ──Machine::new──▶ Machine ──step, step, …──▶ RunResult
//! ```
//!
//! [`run`] does it all with a seeded scheduler on sequentially consistent memory; the same seed gives the same run.
//! [`Machine::step`] is for who wants to choose the schedule: [`Machine::next_action`] says what a thread would do,
//! [`Machine::is_enabled`] whether it can, a copy of the machine brings a state back, and a [`memory::Memory`] decides
//! what a read sees. [`explore`] does so for every schedule.
//!
//! What the JVM leaves open is decided here: the heap never collects, a clock moves only when it is looked at or when
//! every thread waits, `notify` wakes the thread that came first, and there are no spurious wakeups.

mod access;
pub mod arith;
mod call;
mod exception;
mod exec;
pub mod explore;
mod floats;
pub mod heap;
mod init;
pub mod layout;
pub mod machine;
pub mod memory;
mod native;
mod peek;
mod prepare;
mod run;
pub mod slot;
mod sync;
pub mod thread;

pub use heap::{Heap, Location};
pub use machine::{ClassState, Halt, Machine, MainEnd, Monitor, Step};
pub use memory::{Access, AccessKind, Memory, SequentiallyConsistent, Synchronisation};
pub use peek::Action;
pub use prepare::Prepared;
pub use run::{End, RunResult, TraceLine, run, run_prepared};
pub use slot::{Ref, Slot};
pub use thread::{State, Thread, ThreadId};

use crate::entity::Func;
use crate::module::Module;
use crate::types::Type;

/// A program that writes more than this to its consoles is stopped.
const MAX_OUTPUT: usize = 64 << 20;
/// A program cannot start more threads than this.
const MAX_THREADS: usize = 1024;

/// The bounds and inputs of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Decides which thread goes next.
    pub seed: u64,
    /// The run stops after so many instructions.
    pub max_steps: u64,
    /// How many fields and array elements fit the heap; an object counts for two more. Then `OutOfMemoryError`.
    pub max_slots: usize,
    /// How many frames a thread's stack holds. Then `StackOverflowError`.
    pub max_frames: usize,
    /// How many values the frames of a thread hold together. Then `StackOverflowError`.
    pub max_values: usize,
    /// The arguments for an entry method that takes `String[]`.
    pub args: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 0,
            max_steps: 1 << 32,
            max_slots: 1 << 25,
            max_frames: 2048,
            max_values: 1 << 20,
            args: Vec::new(),
        }
    }
}

/// Why a program cannot start.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EntryError {
    /// There is no such class or method.
    NotFound {
        /// What was asked for.
        name: String,
        /// The methods that could start the program, some of them if there are many.
        valid: Vec<String>,
    },
    /// The program has no method to start with.
    NoMain,
    /// Several methods could be the one.
    Ambiguous(Vec<String>),
    /// It is not static, has no code, or takes parameters other than `String[]`.
    NotRunnable(String),
    /// The arguments do not fit the heap.
    NoRoom,
}

impl std::fmt::Display for EntryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EntryError::NotFound { name, valid } if valid.is_empty() => {
                write!(f, "no method `{name}`, and no other static method without parameters or with `String[]`")
            }
            EntryError::NotFound { name, valid } => {
                write!(f, "no method `{name}`; name it as `Class.method`: {}", valid.join(", "))
            }
            EntryError::NoMain => f.write_str("no class has a static method `main()` or `main(String[])`"),
            EntryError::Ambiguous(names) => {
                write!(f, "several methods could be the entry: {}; name one", names.join(", "))
            }
            EntryError::NotRunnable(name) => {
                write!(f, "`{name}` is no static method without parameters or with `String[]`")
            }
            EntryError::NoRoom => f.write_str("the program's arguments do not fit the heap"),
        }
    }
}

impl std::error::Error for EntryError {}

/// The method to start with: the named one (`Class.method`), or the program's only static `main` without parameters or
/// with `String[]`.
///
/// # Errors
/// If there is none, or more than one.
pub fn find_entry(module: &Module, name: Option<&str>) -> Result<Func, EntryError> {
    let mut found: Vec<Func> = match name {
        Some(name) => {
            let missing = || not_found(module, name);
            let (class, method) = name.rsplit_once('.').ok_or_else(missing)?;
            let class = module.find_class(class).ok_or_else(missing)?;
            let methods = &module.classes[class].methods;
            methods.iter().copied().filter(|&func| module.name(module.funcs[func].name) == method).collect()
        }
        None => module.program_funcs().filter(|&func| module.name(module.funcs[func].name) == "main").collect(),
    };
    let any = found.first().copied();
    found.retain(|&func| is_entry(module, func));
    match (found.as_slice(), name, any) {
        (&[func], _, _) => Ok(func),
        ([], Some(_), Some(other)) => Err(EntryError::NotRunnable(describe_func(module, other))),
        ([], Some(name), None) => Err(not_found(module, name)),
        ([], None, _) => Err(EntryError::NoMain),
        (several, ..) => Err(EntryError::Ambiguous(several.iter().map(|&func| describe_func(module, func)).collect())),
    }
}

/// How many methods a message lists.
const MAX_LISTED: usize = 20;

fn not_found(module: &Module, name: &str) -> EntryError {
    let entries = module.program_funcs().filter(|&func| is_entry(module, func));
    let own = entries.filter(|&func| !module.name(module.funcs[func].name).starts_with('<'));
    let valid = own.take(MAX_LISTED).map(|func| describe_func(module, func)).collect();
    EntryError::NotFound { name: name.to_owned(), valid }
}

fn is_entry(module: &Module, func: Func) -> bool {
    let data = &module.funcs[func];
    let params = &module.sig(data.sig).params;
    let strings = |ty: Type| match ty {
        Type::Array(array) => match module.array_element(array) {
            Type::Class(class) => module.class_name(class) == "java.lang.String",
            _ => false,
        },
        _ => false,
    };
    data.is_static() && data.body.is_some() && (params.is_empty() || params.len() == 1 && strings(params[0]))
}

/// `com.acme.Queue.push`.
fn describe_func(module: &Module, func: Func) -> String {
    let data = &module.funcs[func];
    format!("{}.{}", module.class_name(data.class), module.name(data.name))
}

/// `com.acme.Queue.push(Queue.java:12)`.
fn describe_frame(module: &Module, func: Func, line: u32) -> String {
    let place = match (module.classes[module.funcs[func].class].source, line) {
        (None, _) => "Unknown Source".to_owned(),
        (Some(file), 0) => module.name(file).to_owned(),
        (Some(file), line) => format!("{}:{line}", module.name(file)),
    };
    format!("{}({place})", describe_func(module, func))
}

/// A type as the text has it, with full class names.
fn describe_type(module: &Module, ty: Type) -> String {
    match ty {
        Type::Class(class) => module.class_name(class).to_owned(),
        Type::Array(array) => format!("{}[]", describe_type(module, module.array_element(array))),
        primitive => primitive.primitive_name().unwrap_or("null").to_owned(),
    }
}
