//! A whole run, with a seeded scheduler.

use super::exception::frame_parts;
use super::machine::{ClassState, Halt, Machine, MainEnd, Step};
use super::memory::SequentiallyConsistent;
use super::prepare::Prepared;
use super::slot::{Ref, Slot, to_f32, to_f64, to_i32, to_i64};
use super::thread::{State, ThreadId};
use super::{Config, EntryError, describe_frame, describe_type, floats};
use crate::entity::Func;
use crate::types::Type;
use crate::verify::Verified;

/// What came of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RunResult {
    /// What the program wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its error output; what leaves a thread uncaught is printed here, as `java` does.
    pub stderr: String,
    /// How it ended.
    pub end: End,
    /// How many instructions it took.
    pub steps: u64,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum End {
    /// The entry method returned, with this value in words if it has one, and all threads ended.
    Returned(Option<String>),
    /// An exception left the entry method, and all threads ended.
    Uncaught {
        /// The full name of its class.
        class: String,
        /// Its message.
        message: Option<String>,
        /// Where it was made, innermost frame first.
        trace: Vec<TraceLine>,
    },
    /// The program called `System.exit`.
    Exit(i32),
    /// No thread can ever go on; a line for each says why.
    Deadlock(Vec<String>),
    /// The bound on steps was reached.
    StepLimit,
    /// The program did what has no meaning.
    Fault(String),
}

/// A frame of a stack trace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct TraceLine {
    /// The full name of the class.
    pub class: String,
    /// The name of the method.
    pub method: String,
    /// The source file of the class.
    pub file: Option<String>,
    /// The line in it; 0 if unknown.
    pub line: u32,
}

/// Runs a program from `entry`.
///
/// # Errors
/// If `entry` cannot be started.
pub fn run(module: &Verified, entry: Func, config: &Config) -> Result<RunResult, EntryError> {
    run_prepared(&Prepared::new(module), entry, config)
}

/// The same, for who runs a module several times.
///
/// # Errors
/// If `entry` cannot be started.
pub fn run_prepared(program: &Prepared<'_>, entry: Func, config: &Config) -> Result<RunResult, EntryError> {
    let mut machine = Machine::new(program, entry, config)?;
    let end = drive(program, &mut machine, config);
    Ok(RunResult { stdout: machine.stdout, stderr: machine.stderr, end, steps: machine.steps })
}

/// After a step that others can notice, another thread goes on in one of so many cases.
const SWITCH: u64 = 4;

fn drive(program: &Prepared<'_>, machine: &mut Machine, config: &Config) -> End {
    let mut memory = SequentiallyConsistent;
    let mut random = Random(config.seed);
    let mut current = ThreadId::MAIN;
    let mut switch = false;
    loop {
        if machine.halted.is_some() || machine.steps >= config.max_steps {
            return end(program, machine);
        }
        if switch || !machine.is_enabled(current) {
            let enabled: Vec<ThreadId> = machine.enabled().collect();
            if enabled.is_empty() {
                if machine.is_over() || !machine.advance_clock() {
                    return end(program, machine);
                }
                continue;
            }
            current = enabled[random.below(enabled.len() as u64) as usize];
            switch = false;
        }
        let step = machine.step(program, &mut memory, current);
        if step == Step::Shared && machine.threads.len() > 1 {
            switch = random.below(SWITCH) == 0;
        }
    }
}

/// `SplitMix64`: <https://prng.di.unimi.it/splitmix64.c>.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// How a machine that takes no more steps has ended.
pub(super) fn end(program: &Prepared<'_>, machine: &Machine) -> End {
    match (&machine.halted, machine.main) {
        (Some(Halt::Exit(status)), _) => End::Exit(*status),
        (Some(Halt::Fault(what)), _) => End::Fault(what.clone()),
        (None, Some(main)) if machine.is_over() => match main {
            MainEnd::Returned(value) => End::Returned(value.map(|value| show_result(program, machine, value))),
            MainEnd::Uncaught(exception) => uncaught(program, machine, exception),
        },
        (None, _) if machine.enabled().next().is_some() => End::StepLimit,
        (None, _) => End::Deadlock(waits(program, machine)),
    }
}

fn show_result(program: &Prepared<'_>, machine: &Machine, value: Slot) -> String {
    match machine.result_type {
        Type::I64 => to_i64(value).to_string(),
        Type::F32 => floats::f32_to_string(to_f32(value)),
        Type::F64 => floats::f64_to_string(to_f64(value)),
        Type::Null | Type::Class(_) | Type::Array(_) => {
            let object = Ref::from_slot(value);
            match machine.text(program, object) {
                Some(text) => format!("{:?}", String::from_utf16_lossy(&text)),
                None if object.is_null() => "null".to_owned(),
                None => describe_type(program.module, machine.heap.object(object).ty),
            }
        }
        Type::Bool | Type::I8 | Type::U16 | Type::I16 | Type::I32 => to_i32(value).to_string(),
    }
}

fn uncaught(program: &Prepared<'_>, machine: &Machine, exception: Ref) -> End {
    let field = |name: &str| {
        let field = program.library_field(program.known.throwable, name);
        field.map_or(Ref::NULL, |field| Ref::from_slot(machine.heap.slots(exception)[field.slot as usize]))
    };
    let message = machine.text(program, field("message")).map(|text| String::from_utf16_lossy(&text));
    let frames = field("stackTrace");
    let frames = if frames.is_null() { &[] } else { machine.heap.slots(frames) };
    let module = program.module;
    let line = |&number: &Slot| {
        let (func, line) = frame_parts(number);
        let data = &module.funcs[func];
        TraceLine {
            class: module.class_name(data.class).to_owned(),
            method: module.name(data.name).to_owned(),
            file: module.classes[data.class].source.map(|file| module.name(file).to_owned()),
            line,
        }
    };
    End::Uncaught {
        class: describe_type(module, machine.heap.object(exception).ty),
        message,
        trace: frames.iter().map(line).collect(),
    }
}

/// What each thread that has not ended waits for, and where.
fn waits(program: &Prepared<'_>, machine: &Machine) -> Vec<String> {
    let module = program.module;
    let name = |thread: ThreadId| {
        let object = machine.threads[thread.index()].object;
        let class = module.find_class("java.lang.Thread");
        let field = class.and_then(|class| program.library_field(class, "name"));
        let text = field
            .and_then(|field| machine.text(program, Ref::from_slot(machine.heap.slots(object)[field.slot as usize])));
        text.map_or_else(|| "main".to_owned(), |text| String::from_utf16_lossy(&text))
    };
    let of = |object: Ref| describe_type(module, machine.heap.object(object).ty);
    let held = |object: Ref| machine.owner(object).map_or("nobody".to_owned(), name);
    let mut lines = Vec::new();
    for (index, thread) in machine.threads.iter().enumerate() {
        let what = match thread.state {
            State::Entering(object) => format!("for a monitor of {}, held by {}", of(object), held(object)),
            State::Returning { monitor, .. } => {
                format!("for a monitor of {} after a wait, held by {}", of(monitor), held(monitor))
            }
            State::Initialising(class) => match machine.class_state(class) {
                ClassState::InProgress(by) => {
                    format!("for {} to initialise {}", name(by), module.class_name(class))
                }
                _ => continue,
            },
            State::Waiting { monitor, .. } => format!("for a notification of {}", of(monitor)),
            State::Parked { .. } => "for a permit".to_owned(),
            State::Joining { thread, .. } => format!("for the end of {}", name(thread)),
            State::Running | State::Sleeping { .. } | State::Ended => continue,
        };
        let place = thread.call().map_or_else(String::new, |call| {
            let body = program.body(call.func);
            let inst = body.blocks[call.block].insts.get(call.index as usize);
            let line = inst.map_or(0, |&inst| body.insts[inst].origin.line);
            format!(" at {}", describe_frame(module, call.func, line))
        });
        lines.push(format!("{} waits {what}{place}", name(ThreadId(index as u32))));
    }
    lines
}
