//! The programs of a JDK that tests of this crate run.

use std::process::{Command, Output};

/// What a command says and how it ends. It has to be there.
pub(crate) fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| {
        panic!("{}: {error}; install openjdk-17-jdk-headless", command.get_program().to_string_lossy())
    })
}

/// What a command prints, which has to succeed.
pub(crate) fn must(command: &mut Command) -> String {
    let output = output(command);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}:\n{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}
