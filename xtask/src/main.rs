//! The project's chores: `cargo xtask test [--long]`, `cargo xtask fuzz [SECONDS]`, `cargo xtask bench`, `cargo xtask
//! models`, `cargo xtask corpora`.
//!
//! `test` is what the continuous integration runs, so that a green run here is a green run there.

mod corpora;
mod fuzz;
mod older;
mod queue;
mod step;

use std::env;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::step::Steps;

const USAGE: &str = "\
usage: cargo xtask test [--long]    format, lints, tests, docs; --long adds models, more random cases and fuzzing
       cargo xtask fuzz [SECONDS]   fuzz every target for SECONDS each (60)
       cargo xtask bench            measure parse, verify, optimise and print, and the command on jars
       cargo xtask models           run the models of deliqueue, and the mutants that have to fail in them
       cargo xtask older            test deliqueue with Debian's compiler, and for aarch64 under qemu
       cargo xtask header           make the C header of deliqueue anew
       cargo xtask corpora          fetch real libraries, and print how many of their calls are replaced";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["test"] => test(false),
        ["test", "--long"] => test(true),
        ["fuzz"] => fuzz::run_all(60),
        ["fuzz", seconds] => seconds.parse().context("SECONDS is a whole number").and_then(fuzz::run_all),
        ["bench"] => bench(),
        ["older"] => older::run(),
        ["header"] => queue::header(),
        ["models"] => queue::models(),
        ["corpora"] => corpora::run_all(),
        _ => {
            step::say(USAGE);
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            step::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Jars that tests read, and Debian's packages that have them.
const DEBIAN_JARS: &[(&str, &str)] =
    &[("netty-common", "libnetty-java"), ("guava", "libguava-java"), ("jctools-core", "libjctools-java")];

/// Everything that has to hold before a change lands.
fn test(long: bool) -> Result<()> {
    step::need_component("rustfmt", &["fmt", "--version"])?;
    step::need_component("clippy", &["clippy", "--version"])?;
    // Class files are tested with those of the JDK and of these jars.
    step::need_program("javac", "openjdk-17-jdk-headless")?;
    for (jar, package) in DEBIAN_JARS {
        step::need_file(&format!("/usr/share/java/{jar}.jar"), package)?;
    }
    corpora::fetch_for_tests()?;
    let mut steps = Steps::default();
    steps.cargo("format", &["fmt", "--all", "--check"], &[]);
    steps.cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[]);
    let amount: &[(&str, &str)] = if long { &[("R8LITE_LONG", "1"), ("DELIQUEUE_LONG", "1")] } else { &[] };
    // Snapshots are compared here and never written.
    let environment = [&[("INSTA_UPDATE", "no")], amount].concat();
    steps.cargo("tests", &["test", "--workspace", "--profile", "checked", "--no-fail-fast"], &environment);
    steps.run("C program", queue::c_program);
    steps.cargo("docs", &["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")]);
    if long {
        steps.run("models", queue::models);
        steps.run("older", older::run);
        steps.run("fuzz", || fuzz::run_all(600));
    }
    if steps.summary() { Ok(()) } else { bail!("something failed; see above") }
}

fn bench() -> Result<()> {
    corpora::fetch_for_benches()?;
    let mut steps = Steps::default();
    steps.cargo("bench", &["bench", "--workspace", "--benches"], &[]);
    if steps.summary() { Ok(()) } else { bail!("something failed; see above") }
}
