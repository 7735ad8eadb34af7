//! `r8lite run`: what a program does.

use anyhow::anyhow;
use r8lite_ir::interp::explore::{ExploreConfig, MemoryModel};
use r8lite_ir::interp::{self, End};
use r8lite_ir::{Func, Verified};

use crate::cli::{Engine, Memory, Run};
use crate::console::Console;
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::{classes, drive, input, output};

/// Runs a program; its exit status is ours.
pub(crate) fn run(args: &Run, console: &Console) -> Result<(), Failure> {
    match args.engine {
        Engine::Interp => {}
        Engine::Jit => return Err(failure::not_built("--engine jit")),
    }
    let module = match input::read(&args.inputs.inputs)? {
        Inputs::Ir(inputs) => drive::load(&inputs, console)?,
        Inputs::Classes(inputs) => classes::load(&inputs, console)?,
    };
    let module = if args.no_optimize { module } else { drive::optimize_quietly(module)? };
    let entry = interp::find_entry(&module, args.entry.as_deref()).map_err(anyhow::Error::new)?;
    let mut config = interp::Config::default();
    config.seed = args.seed;
    config.args.clone_from(&args.args);
    if args.explore {
        return explore(&module, entry, config, args);
    }
    let result = interp::run(&module, entry, &config).map_err(anyhow::Error::new)?;
    output::stderr(&result.stderr);
    output::stdout(&result.stdout)?;
    exit_status(result.end)
}

/// Prints every outcome, a line each.
fn explore(module: &Verified, entry: Func, run: interp::Config, args: &Run) -> Result<(), Failure> {
    let memory = match args.memory {
        Memory::Sc => MemoryModel::Sc,
        Memory::Weak => MemoryModel::Weak,
    };
    let mut config = ExploreConfig { memory, run, ..ExploreConfig::default() };
    if let Some(states) = args.max_states {
        config.max_states = usize::try_from(states).unwrap_or(usize::MAX);
    }
    let exploration = interp::explore::explore(module, entry, &config).map_err(anyhow::Error::new)?;
    output::stdout(&exploration.to_string())?;
    if exploration.complete {
        return Ok(());
    }
    let message = format!(
        "the program has more than {} states, so these are not all outcomes; allow more with --max-states, or let it do less",
        config.max_states
    );
    Err(Failure::Input(Some(message)))
}

/// What Java's launcher would exit with; a program that cannot go on counts as one that failed.
fn exit_status(end: End) -> Result<(), Failure> {
    match end {
        End::Returned(_) => Ok(()),
        // The interpreter has printed the stack trace.
        End::Uncaught { .. } => Err(Failure::Program(1)),
        // As the system does with a status that does not fit.
        End::Exit(status) => Err(Failure::Program(status.to_le_bytes()[0])),
        End::Deadlock(waits) => {
            Err(Failure::Input(Some(format!("no thread can ever go on:\n  {}", waits.join("\n  ")))))
        }
        End::StepLimit => Err(Failure::Input(Some("the program did not end within the interpreter's bound".into()))),
        End::Fault(what) => Err(Failure::Input(Some(format!("the program did what has no meaning: {what}")))),
        _ => Err(anyhow!("the program ended in a way that this version does not know").into()),
    }
}
