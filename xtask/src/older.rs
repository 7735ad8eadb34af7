//! Deliqueue with the oldest compiler that it promises, which is Debian 12's, on this machine and, under qemu, on aarch64.
//!
//! The compiler is unpacked beside the system and called without cargo, which is too old there to read this workspace.
//! The crate's core has no dependencies, so nothing else is needed; what is behind features with dependencies is left out.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::step;

const COMPILER: &[&str] = &["rustc", "libstd-rust-1.63", "libstd-rust-dev", "libllvm14", "libstd-rust-dev:arm64"];

/// Tests that need nothing but the crate.
const TESTS: &[&str] = &["model", "stress", "looper"];

/// Compiles and runs the tests for both.
pub(crate) fn run() -> Result<()> {
    step::need_program("qemu-aarch64", "qemu-user")?;
    step::need_program("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")?;
    let folder = step::root().join("target/debian-rust");
    if !folder.join("root/usr/bin/rustc").exists() {
        unpack(&folder)?;
    }
    on(&folder, "x86_64-unknown-linux-gnu", "cc", &[])?;
    let qemu = ["qemu-aarch64", "-cpu", "max", "-L", "/usr/aarch64-linux-gnu"];
    on(&folder, "aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc", &qemu)
}

fn unpack(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    step::run(Command::new("dpkg").args(["--add-architecture", "arm64"]))?;
    step::run(Command::new("apt-get").arg("update"))?;
    step::run(Command::new("apt-get").current_dir(folder).arg("download").args(COMPILER))?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            step::run(Command::new("dpkg").current_dir(folder).arg("-x").arg(&path).arg("root"))?;
        }
    }
    Ok(())
}

fn on(folder: &Path, target: &str, linker: &str, runner: &[&str]) -> Result<()> {
    let out = folder.join(target);
    fs::create_dir_all(&out)?;
    let source = step::root().join("deliqueue");
    let compile = |args: &[&str], input: &str, output: &str| {
        let usr = folder.join("root/usr");
        let mut rustc = Command::new(usr.join("bin/rustc"));
        rustc.env("LD_LIBRARY_PATH", format!("{0}/lib:{0}/lib/x86_64-linux-gnu", usr.display()));
        rustc.env("CARGO_PKG_VERSION", env!("CARGO_PKG_VERSION")).current_dir(&source).arg("--sysroot").arg(&usr);
        rustc.args(["--edition", "2021", "-O", "-Cdebug-assertions", "-Awarnings", "--cfg", "feature=\"std\""]);
        rustc.args(["--target", target, &format!("-Clinker={linker}")]).args(args);
        step::run(rustc.arg("-o").arg(out.join(output)).arg(input))
    };
    let start = |program: &str| {
        let program = out.join(program);
        let mut command = match runner {
            [qemu, args @ ..] => {
                let mut command = Command::new(qemu);
                command.args(args).arg(program);
                command
            }
            [] => Command::new(program),
        };
        step::run(command.env("DELIQUEUE_CASES", "20000").env("DELIQUEUE_MESSAGES", "100000"))
    };
    let library = out.join("libdeliqueue.rlib");
    compile(&["--crate-name", "deliqueue", "--crate-type", "rlib"], "src/lib.rs", "libdeliqueue.rlib")?;
    compile(&["--crate-name", "unit", "--test"], "src/lib.rs", "unit")?;
    start("unit")?;
    let uses = format!("deliqueue={}", library.display());
    for test in TESTS {
        compile(&["--crate-name", test, "--test", "--extern", &uses], &format!("tests/{test}.rs"), test)?;
        start(test)?;
    }
    let ffi = ["--crate-name", "deliqueue", "--crate-type", "staticlib", "--cfg", "feature=\"ffi\""];
    compile(&ffi, "src/lib.rs", "libdeliqueue.a")?;
    let mut cc = Command::new(linker);
    cc.current_dir(&source).args(["-std=c11", "-o"]).arg(out.join("posts")).arg("tests/c/posts.c");
    step::run(cc.arg(out.join("libdeliqueue.a")).args(["-lpthread", "-ldl", "-lm"])).context("the C program")?;
    start("posts")
}
