//! Running commands one after the other, and saying how each went.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Says something to who runs the chore.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints what was asked for.
pub(crate) fn print(text: &str) -> Result<()> {
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write to standard output")
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in the workspace").to_path_buf()
}

/// The cargo that runs this.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = format!("{command:?}");
    let status = command.status().with_context(|| format!("cannot run {line}"))?;
    if status.success() { Ok(()) } else { bail!("{line}: {status}") }
}

/// What was done, and how it went.
#[derive(Default, Debug)]
pub(crate) struct Steps {
    done: Vec<(&'static str, bool, Duration)>,
}

impl Steps {
    /// Does something; what comes after it is done in any case, so that one run shows all that is wrong.
    pub(crate) fn run(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) {
        say(&format!("\n== {name}"));
        let start = Instant::now();
        let result = work();
        if let Err(error) = &result {
            say(&format!("{error:#}"));
        }
        self.done.push((name, result.is_ok(), start.elapsed()));
    }

    pub(crate) fn cargo(&mut self, name: &'static str, args: &[&str], environment: &[(&str, &str)]) {
        self.run(name, || run(cargo().args(args).envs(environment.iter().copied())));
    }

    /// Says how it went; whether all went well.
    pub(crate) fn summary(&self) -> bool {
        say("\n== summary");
        for (name, good, time) in &self.done {
            let word = if *good { "ok" } else { "FAILED" };
            say(&format!("{name:10} {word:8} {:>6.1} s", time.as_secs_f64()));
        }
        self.done.iter().all(|(_, good, _)| *good)
    }
}

fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Makes sure that a part of the Rust toolchain is there.
pub(crate) fn need_component(name: &str, probe: &[&str]) -> Result<()> {
    if works(cargo().args(probe)) {
        return Ok(());
    }
    say(&format!("{name} is missing; installing it: rustup component add {name}"));
    run(Command::new("rustup").args(["component", "add", name]))
        .with_context(|| format!("install {name}, and run this again"))
}

/// Makes sure that a program of the system is there, from this package of Debian's.
pub(crate) fn need_program(program: &str, package: &str) -> Result<()> {
    if works(Command::new(program).arg("--version")) { Ok(()) } else { install(program, package) }
}

/// Makes sure that a file of the system is there, from this package of Debian's.
pub(crate) fn need_file(file: &str, package: &str) -> Result<()> {
    if Path::new(file).exists() { Ok(()) } else { install(file, package) }
}

fn install(what: &str, package: &str) -> Result<()> {
    let root = works(Command::new("test").args(["-w", "/usr/bin"]));
    let apt: &[&str] = if root { &["apt-get"] } else { &["sudo", "-n", "apt-get"] };
    let install = [apt, &["install", "-y", "--no-install-recommends", package]].concat();
    say(&format!("{what} is missing; installing it: {}", install.join(" ")));
    run(Command::new(install[0]).args(&install[1..]).env("DEBIAN_FRONTEND", "noninteractive"))
        .with_context(|| format!("install {package}, and run this again"))
}
