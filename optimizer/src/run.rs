//! `r8lite run`.

use crate::cli::Run;
use crate::console::Console;
use crate::failure::{self, Failure};

/// Runs a program.
pub(crate) fn run(args: &Run, console: &Console) -> Result<(), Failure> {
    let _ = (args, console);
    Err(failure::not_built("`run`"))
}
