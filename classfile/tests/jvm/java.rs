//! Running Java's tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file under `testdata/java`.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/java").join(name)
}

pub(crate) fn java() -> Command {
    let mut command = Command::new("java");
    // These are short programs: what takes time is to start.
    command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]);
    command
}

/// Runs a command that has to succeed, and gives what it printed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| {
        panic!("{}: {error}; install openjdk-17-jdk-headless", command.get_program().to_string_lossy())
    });
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} failed:\n{out}{err}");
    out.into_owned()
}

/// Compiles sources into a folder and gives its class files, in order.
pub(crate) fn compile(sources: &[&str], options: &[&str], folder: &Path) -> Vec<PathBuf> {
    let mut command = Command::new("javac");
    command.args(["-Xlint:-options", "-nowarn"]).args(options).arg("-d").arg(folder);
    run(command.args(sources.iter().map(|name| source(name))));
    let mut classes: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    classes.sort();
    classes
}
