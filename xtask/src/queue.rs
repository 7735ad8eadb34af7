//! Checks of the crate `deliqueue` that need more than `cargo test`: models, and mutants that have to fail in them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::step::{self, say};

/// Each mutant, and the model that has to fail with it: an ordering by its name, weakened or without one of its halves,
/// or a broken rule of the protocol.
const MUTANTS: &[(&str, &str)] = &[
    ("push", "whole::push_against_sleep"),
    ("top-load", "whole::quit_is_seen_with_what_came_before"),
    ("quit-acquire", "whole::safe_quit_against_post"),
    ("quit-release", "whole::quit_is_seen_with_what_came_before"),
    ("pop-by-store", "whole::safe_quit_against_post"),
    ("state-load", "whole::a_removal_is_seen_with_what_came_before"),
    ("state-claim", "whole::a_removal_is_seen_with_what_came_before"),
    ("claim-by-store", "whole::remove_against_deliver"),
    ("wait-observe", "parts::change_against_sleep"),
    ("wait-awaken", "parts::awaken_sees_what_was_bumped"),
    ("wait-sleep", "parts::change_against_sleep"),
    ("wait-bump-acquire", "parts::change_against_sleep"),
    ("wait-bump-release", "parts::change_against_sleep"),
    ("bump-only-asleep", "parts::change_against_sleep"),
    ("bump-first", "whole::push_against_sleep"),
    ("observe-late", "whole::quit_is_seen_with_what_came_before"),
    ("cell-register", "parts::each_sleep_has_its_waker"),
    ("cell-registered", "parts::each_sleep_has_its_waker"),
    ("cell-read", "parts::each_sleep_has_its_waker"),
    ("cell-read-done", "parts::each_sleep_has_its_waker"),
    ("free-push", "whole::remove_against_deliver"),
    ("free-drain", "whole::remove_against_deliver"),
    ("sweep-first", "whole::removal_before_the_sweep"),
    ("gate-enter", "whole::remove_against_deliver"),
    ("gate-leave-acquire", "parts::close_against_leave"),
    ("gate-leave-release", "whole::remove_against_deliver"),
    ("gate-flip-acquire", "whole::remove_against_deliver"),
    ("gate-flip-release", "whole::remove_against_deliver"),
    ("gate-empty", "parts::grace_period"),
    ("gate-close-acquire", "parts::close_against_leave"),
    ("gate-close-release", "whole::the_end_against_post_and_removal"),
    ("no-grace", "whole::remove_against_deliver"),
    ("close-frees", "parts::close_against_leave"),
    ("cutoff-early", "whole::safe_quit_against_post"),
];

/// Runs all models, and each mutant in the model that has to fail with it.
pub(crate) fn models() -> Result<()> {
    every_ordering_has_its_mutants()?;
    let tests = build_models()?;
    let mut models = Command::new(&tests);
    models.args(["models", "--test-threads", "2"]).env("RUST_BACKTRACE", "0");
    step::run(&mut models)?;
    // Two at a time.
    let survivors = thread::scope(|scope| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                let tests = &tests;
                scope.spawn(move || {
                    let mine = MUTANTS.iter().skip(half).step_by(2);
                    mine.filter(|(mutant, model)| survives(tests, mutant, model)).collect::<Vec<_>>()
                })
            })
            .collect();
        halves.into_iter().flat_map(|half| half.join().expect("it does not panic")).collect::<Vec<_>>()
    });
    if survivors.is_empty() {
        say(&format!("{} mutants, each found by its model", MUTANTS.len()));
        Ok(())
    } else {
        bail!("mutants that no model finds: {survivors:?}")
    }
}

/// Every ordering that is named in the code is in the table, with both halves if it has two.
fn every_ordering_has_its_mutants() -> Result<()> {
    let mut wanted = BTreeSet::new();
    let folder = step::root().join("deliqueue/src");
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        for part in text.split("order!(").skip(1) {
            let Some((order, rest)) = part.split_once(", \"") else { continue };
            let Some((name, _)) = rest.split_once('"') else { continue };
            match order.trim() {
                "AcqRel" => wanted.extend([format!("{name}-acquire"), format!("{name}-release")]),
                _ => drop(wanted.insert(name.to_string())),
            }
        }
        for part in text.split("mutated!(\"").skip(1) {
            wanted.extend(part.split_once('"').map(|(name, _)| name.to_string()));
        }
    }
    let there: BTreeSet<String> = MUTANTS.iter().map(|(mutant, _)| (*mutant).to_string()).collect();
    if wanted == there {
        Ok(())
    } else {
        bail!("the table of mutants and the code differ in {:?}", wanted.symmetric_difference(&there))
    }
}

/// Builds the models; the program that runs them.
fn build_models() -> Result<PathBuf> {
    let mut build = step::cargo();
    build.args(["test", "--package", "deliqueue", "--lib", "--no-run", "--profile", "models"]);
    build.args(["--message-format", "json", "--target-dir"]).arg(step::root().join("target/loom"));
    build.env("RUSTFLAGS", "--cfg loom").stderr(Stdio::inherit());
    let output = build.output().context("cannot run cargo")?;
    if !output.status.success() {
        bail!("the models do not build");
    }
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let programs = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let program = programs.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
    program.context("cargo names no program")
}

fn survives(tests: &Path, mutant: &str, model: &str) -> bool {
    let mut command = Command::new(tests);
    command.arg(format!("models::{model}")).arg("--exact").env("DELIQUEUE_MUTANT", mutant);
    command.env("RUST_BACKTRACE", "0").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Builds the static library, and a C program against `deliqueue.h` that posts from four threads, and runs that.
pub(crate) fn c_program() -> Result<()> {
    let root = step::root();
    let target = root.join("target/c");
    let mut build = step::cargo();
    build.args(["rustc", "--package", "deliqueue", "--lib", "--features", "ffi", "--crate-type", "staticlib"]);
    step::run(build.arg("--target-dir").arg(&target))?;
    let program = target.join("posts");
    let mut compile = Command::new("cc");
    compile.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    compile.arg(root.join("deliqueue/tests/c/posts.c")).arg(target.join("debug/libdeliqueue.a"));
    step::run(compile.args(["-lpthread", "-ldl", "-lm"]))?;
    step::run(&mut Command::new(program))
}

/// Makes `deliqueue.h` anew.
pub(crate) fn header() -> Result<()> {
    let root = step::root();
    let tools = root.join("target/tools");
    let program = tools.join("bin/cbindgen");
    if !program.exists() {
        step::run(step::cargo().args(["install", "cbindgen", "--version", "^0.29", "--locked", "--root"]).arg(&tools))?;
    }
    let mut make = Command::new(program);
    make.current_dir(root.join("deliqueue")).args(["src/ffi.rs", "--config", "cbindgen.toml"]);
    step::run(make.args(["--output", "include/deliqueue.h"]))
}
