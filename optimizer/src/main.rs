//! The `r8lite` command.
//!
//! Exit status: 0 done, 1 the input has problems, 2 usage or I/O, 101 a bug of ours.

mod classes;
mod cli;
mod console;
mod drive;
mod failure;
mod input;
mod observe;
mod output;
mod progress;
mod run;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::console::Console;

/// A program's code is hundreds of thousands of small lists, so the time to make and drop them counts.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    console::install_panic_hook();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, errors to standard error; a closed pipe is no matter.
            match error.use_stderr() && console::wants_json(std::env::args_os()) {
                true => console::usage_as_json(&error),
                false => drop(error.print()),
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let console = Console::new(&cli.global);
    let result = match cli.command {
        Command::Optimize(args) => {
            drive::Options::of_optimize(*args).and_then(|options| drive::optimize(&options, &console))
        }
        Command::Explain(args) => {
            drive::Options::of_explain(args).and_then(|options| drive::optimize(&options, &console))
        }
        Command::Verify(args) => drive::verify(&args.inputs.inputs, &console),
        Command::Run(args) => run::run(&args, &console),
        Command::Passes => drive::list_passes(),
        Command::Compile(args) => {
            // The flags are read so that scripts can be checked against them today.
            let _ = (args.inputs, args.output, args.target, args.atomics, args.cpu_features, args.emit);
            let _ = (args.debug, args.no_optimize);
            Err(failure::not_built("`compile`"))
        }
        Command::Dis(args) => classes::dis(&args.inputs, &console),
    };
    ExitCode::from(match result {
        Ok(()) => 0,
        Err(failure) => {
            if let Some(said) = failure.message() {
                console.error(&said);
            }
            failure.status()
        }
    })
}
