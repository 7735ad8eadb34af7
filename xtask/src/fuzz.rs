//! Coverage-guided fuzzing on a stable toolchain.
//!
//! libFuzzer wants the code instrumented. The flags that do that are stable; the sanitizers that `cargo fuzz` turns on
//! by default are not, and code without `unsafe` gains little from them. `cargo fuzz run -s none TARGET` does the same.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::step::{self, run, say};

/// The targets, and how the files under testdata are called that they begin with.
const TARGETS: &[(&str, &str)] =
    &[("parse", "ir"), ("optimize", "ir"), ("class", "class"), ("lift", "class"), ("apply", "class"), ("jar", "jar")];

/// What has libFuzzer see which code an input reaches.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Ccodegen-units=1 --cfg fuzzing";

/// Fuzzes every target for so many seconds, starting from testdata and from what earlier runs found.
pub(crate) fn run_all(seconds: u64) -> Result<()> {
    step::need_program("c++", "g++")?;
    let root = step::root();
    let fuzz = root.join("fuzz");
    let host = host()?;
    // With a target named, build scripts and macros are not instrumented.
    let manifest = fuzz.join("Cargo.toml");
    let target_dir = fuzz.join("target");
    let mut build = step::cargo();
    build.args(["build", "--release", "--target", &host, "--manifest-path"]).arg(&manifest);
    build.arg("--target-dir").arg(&target_dir).env("RUSTFLAGS", COVERAGE);
    run(&mut build)?;

    for (target, extension) in TARGETS {
        let seeds = fuzz.join("corpus/seeds").join(extension);
        copy_seeds(&root.join("testdata"), &seeds, extension)?;
        say(&format!("\nfuzzing `{target}` for {seconds} s"));
        let corpus = fuzz.join("corpus").join(target);
        let artifacts = fuzz.join("artifacts").join(target);
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&artifacts)?;
        let mut fuzzer = Command::new(target_dir.join(&host).join("release").join(target));
        fuzzer.arg(&corpus).arg(&seeds);
        fuzzer.arg(format!("-max_total_time={seconds}")).arg(format!("-artifact_prefix={}/", artifacts.display()));
        fuzzer.args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=1"]);
        run(&mut fuzzer).with_context(|| {
            format!("`{target}` found something; the input is the newest file in {}", artifacts.display())
        })?;
    }
    Ok(())
}

/// The triple of this machine.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_string())
}

/// libFuzzer wants a flat folder.
fn copy_seeds(from: &Path, to: &Path, wanted: &str) -> Result<()> {
    fs::create_dir_all(to)?;
    let mut folders = vec![from.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == wanted) {
                let relative = path.strip_prefix(from).expect("it was listed from there");
                fs::copy(&path, to.join(relative.to_string_lossy().replace(['/', '\\'], "_")))?;
            }
        }
    }
    Ok(())
}
