//! Random class files are verified and do the same before and after, by each backend. `R8LITE_RANDOM_SEED` and
//! `R8LITE_RANDOM_CASES` choose others; `R8LITE_LONG` has many more.

#[path = "../command/mod.rs"]
mod command;
mod generate;

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use r8lite_jvm::{ApplyOptions, Backend, Input, Methods, Options, apply, lift};
use r8lite_passes::plan::{self, PlanOptions};

use crate::command::must;
use crate::generate::{Random, class};

/// How many classes are one program.
const PROGRAM: usize = 20;

fn run(folder: &Path, names: &[String]) -> String {
    let mut java = Command::new("java");
    java.args(["-Xverify:all", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash"]);
    must(java.args(["-XX:ErrorFile=/dev/null", "-cp"]).arg(folder).arg("RunAll").args(names))
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

#[test]
fn random_classes_do_the_same() {
    let long = env::var_os("R8LITE_LONG").is_some();
    let cases = number("R8LITE_RANDOM_CASES").unwrap_or(if long { 20_000 } else { 160 });
    let seed = number("R8LITE_RANDOM_SEED").unwrap_or(1);
    let support = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/java/random");
    let files = ["Fns.java", "RunAll.java"].map(|name| sources.join(name));
    must(Command::new("javac").args(["--release", "11", "-nowarn", "-d"]).arg(support.path()).args(files));
    let mut first = seed;
    let mut replaced = 0;
    while first < seed + cases {
        let count = (seed + cases - first).min(400);
        replaced += check(support.path(), first, count);
        first += count;
    }
    assert!(cases < 100 || replaced > cases as usize, "only {replaced} calls were replaced");
}

/// Checks so many classes; says how many calls were replaced.
fn check(support: &Path, first: u64, count: u64) -> usize {
    let names: Vec<String> = (first..first + count).map(|seed| format!("C{seed}")).collect();
    let classes: Vec<Vec<u8>> = names
        .iter()
        .zip(first..)
        .map(|(name, seed)| {
            // The next class of the program, if there is one.
            let next = (seed - first + 1) as usize;
            let other = if next.is_multiple_of(PROGRAM) || next == count as usize { seed } else { seed + 1 };
            let other = format!("C{other}");
            class(&mut Random::new(seed), name, &other)
        })
        .collect();
    let before = run(&folder(support, &names, &classes, &[]), &names);
    let mut replaced = 0;
    for backend in [Backend::Unsafe, Backend::VarHandle] {
        for whole_program in [false, true] {
            let mut new = Vec::new();
            let mut added = Vec::new();
            for (names, classes) in names.chunks(PROGRAM).zip(classes.chunks(PROGRAM)) {
                let inputs: Vec<Input<'_>> =
                    classes.iter().zip(names).map(|(bytes, name)| Input { bytes, name }).collect();
                let lifted = lift(&inputs, &[], &Options::of(Methods::Relevant));
                assert!(lifted.refused.is_empty(), "{}", lifted.refused[0]);
                let mut options = ApplyOptions::default();
                options.backend = backend;
                options.min_api = whole_program.then_some(21);
                options.plan = PlanOptions { whole_program, ..PlanOptions::default() };
                let (lifted, decided) = lifted.specialise(&options.plan).unwrap();
                let applied = apply(&inputs, &lifted, &decided, &options);
                let is_replaced = |call: &&plan::CallPlan| matches!(call.action, plan::Action::Replace(_));
                replaced += applied.plan.calls.iter().filter(is_replaced).count();
                new.extend(classes.iter().zip(applied.classes).map(|(old, new)| new.unwrap_or_else(|| old.clone())));
                added.extend(applied.added.into_iter().map(|added| (added.name, added.bytes)));
            }
            let after = run(&folder(support, &names, &new, &added), &names);
            for (index, (before, after)) in before.lines().zip(after.lines()).enumerate() {
                let program = first + (index / PROGRAM * PROGRAM) as u64;
                assert!(
                    before == after,
                    "{backend:?}, whole program {whole_program}:\n{before}\nand not\n{after}\n\
                     R8LITE_RANDOM_SEED={program} R8LITE_RANDOM_CASES={PROGRAM} cargo test -p r8lite-jvm --test random"
                );
            }
            assert_eq!(before.lines().count(), after.lines().count());
        }
    }
    replaced
}

/// A folder with all that a run needs; it is left behind for who wants to look at a failure.
fn folder(support: &Path, names: &[String], classes: &[Vec<u8>], added: &[(String, Vec<u8>)]) -> std::path::PathBuf {
    let folder = support.join("run");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    for entry in fs::read_dir(support).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "class") {
            fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
        }
    }
    for (name, bytes) in names.iter().zip(classes) {
        fs::write(folder.join(format!("{name}.class")), bytes).unwrap();
    }
    for (name, bytes) in added {
        fs::write(folder.join(format!("{name}.class")), bytes).unwrap();
    }
    folder
}
