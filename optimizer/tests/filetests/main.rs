//! Runs every file under `testdata`: each of its directives is a test of its own.
//!
//! A case is a file that reads alone:
//!
//! ```text
//! ; What it shows, in a sentence.
//! ; test: optimize
//! ; prints: true
//! ```
//!
//! | directive | what is tested |
//! |---|---|
//! | `; test: parse` | the text parses, or has exactly the errors of its `; error: text` comments |
//! | `; test: verify` | the same for the verifier |
//! | `; test: optimize` | a snapshot of the plan, the optimised program and its report; the program does the same as before, and is left alone by a second time |
//! | `; test: pass NAME…` | a snapshot of what these passes change, alone; a second time changes nothing |
//! | `; test: run [ARGS]` | a snapshot of what the program prints and how it ends |
//! | `; test: explore sc` | a snapshot of all outcomes of the program's interleavings |
//! | `; test: explore weak` | the same where accesses have only the order that their orderings promise |
//! | `; test: explore-optimized sc` | a snapshot of all outcomes; every updater call is replaced, and the optimised program has the same outcomes |
//! | `; test: explore-optimized weak` | the same where accesses have only the order that their orderings promise |
//! | `; test: explore-changed sc` | a snapshot of all outcomes before and after, which are not the same |
//! | `; test: explore-changed weak` | the same where accesses have only the order that their orderings promise |
//! | `; error: TEXT` | behind a line: part of the message of an error in it; for `parse` and `verify` |
//! | `; prints: LINE` | a line that `main` prints, in order; checked by `optimize` and `run` |
//! | `; flags: FLAGS` | `--whole-program`, `--closed-packages`, `--keep PATTERN` for the whole file |
//!
//! Printing what was parsed is tested to be stable for every file that parses. Filter by name as in any test:
//! `cargo test --test filetests -- updaters/holders`.

mod behaviour;
mod case;
mod stages;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use crate::case::Case;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there")
}

fn main() -> ExitCode {
    // Where it panicked is enough; a backtrace through the harness buries the diff above it.
    std::panic::set_hook(Box::new(|info| {
        let _ = writeln!(std::io::stderr().lock(), "{info}");
    }));
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for path in files(&root().join("testdata")) {
        match Case::read(&path) {
            Ok(case) => trials.extend(stages::trials(case)),
            Err(problem) => {
                trials.push(Trial::test(path.display().to_string(), move || Err(problem.into())));
            }
        }
    }
    if trials.is_empty() {
        trials.push(Trial::test("testdata", || Err("there is no case under testdata".into())));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// All `.ir` files under a folder, in the order of their paths.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be listed").path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "ir") {
            found.push(path);
        }
    }
    found
}
