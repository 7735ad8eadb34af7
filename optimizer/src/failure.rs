//! Why the command ends with anything but success, and whose fault it is.

use crate::console::PLEASE_REPORT;

/// Why the command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input has problems: exit status 1. What they are is given here, or was said already.
    Input(Option<String>),
    /// The request cannot be carried out: wrong usage, or the system said no. Exit status 2.
    Usage(anyhow::Error),
    /// Something that must not happen happened: exit status 101.
    Bug(String),
    /// Who read our output has enough. No failure: exit status 0.
    ClosedPipe,
    /// The program that was run ended with this status.
    Program(u8),
}

impl Failure {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Failure::ClosedPipe => 0,
            Failure::Input(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Bug(_) => 101,
            Failure::Program(status) => *status,
        }
    }

    /// What is still to be said.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Failure::Input(said) => said.clone(),
            Failure::Usage(error) => Some(format!("{error:#}")),
            Failure::Bug(what) => Some(format!("{what}\n{PLEASE_REPORT}")),
            Failure::ClosedPipe | Failure::Program(_) => None,
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Usage(error)
    }
}

/// What is on the command line but not in this version.
pub(crate) fn not_built(what: &str) -> Failure {
    anyhow::anyhow!("{what} is not built yet: this version reads IR text, optimises it, prints it and runs it").into()
}
