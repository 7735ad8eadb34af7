//! Programs on libraries that people use (`testdata/java/workloads`) print the same with the optimised jars, compiled and
//! interpreted; and every class of those jars loads and verifies as before.

use std::path::{Path, PathBuf};
use std::process::Command;

use r8lite_jvm::Backend;
use r8lite_passes::plan::PlanOptions;

use crate::command::must;
use crate::jars::{classpath, debian, kotlin, optimize_jars};
use crate::java::{self, root};
use crate::optimize::{WAYS, optimize};

/// A program and the libraries it uses, compiled.
struct Workload {
    main: &'static str,
    jars: Vec<PathBuf>,
    folder: tempfile::TempDir,
}

fn source(name: &str) -> PathBuf {
    root().join("testdata/java/workloads").join(name)
}

impl Workload {
    fn compile(main: &'static str, jars: Vec<PathBuf>) -> Workload {
        let folder = tempfile::tempdir().unwrap();
        java::compile([source(&format!("{main}.java")).as_path()].into_iter(), "17", &classpath(&jars), folder.path());
        Workload { main, jars, folder }
    }

    fn run(&self, jars: &[PathBuf], options: &[&str]) -> String {
        let mut paths = vec![self.folder.path().to_path_buf()];
        paths.extend_from_slice(jars);
        java::run(java::java(options).arg("-cp").arg(classpath(&paths)).arg(self.main))
    }

    /// Runs it with the original jars and the optimised ones. At least so many calls of theirs are replaced, by Unsafe and
    /// by handles.
    fn check(&self, replaced: [usize; 2]) {
        let before = self.run(&self.jars, &[]);
        assert!(before.ends_with("done\n"), "it does not come to its end:\n{before}");
        let loaded = load(&self.jars);
        for how in WAYS {
            let replaced = match how.0 {
                Backend::Unsafe => replaced[0],
                Backend::VarHandle => replaced[1],
            };
            let folder = tempfile::tempdir().unwrap();
            let (jars, report) = optimize_jars(&self.jars, how, folder.path());
            let found = report.summary.calls_replaced;
            assert!(found >= replaced, "{how:?}: {found} calls replaced, not {replaced}");
            for mode in ["-Xmixed", "-Xint"] {
                same_lines(&before, &self.run(&jars, &[mode]), &format!("{} with {how:?} {mode}", self.main));
            }
            same_lines(&loaded, &load(&jars), &format!("loading all for {} with {how:?}", self.main));
        }
    }
}

/// Runs a program before and after its own classes are optimised.
fn check_folder(main: &str, folder: &Path, jars: &[PathBuf]) {
    let run = |folder: &Path| {
        let paths = [&[folder.to_path_buf()], jars].concat();
        java::run(java::java(&[]).arg("-cp").arg(classpath(&paths)).arg(main))
    };
    let before = run(folder);
    assert!(before.ends_with("done\n"), "it does not come to its end:\n{before}");
    let files = java::class_files(folder);
    let files: Vec<_> = files.iter().filter(|file| file.path.extension().is_some_and(|it| it == "class")).collect();
    let classes: Vec<(String, &[u8])> =
        files.iter().map(|file| (file.path.display().to_string(), file.bytes.as_slice())).collect();
    for how in WAYS {
        let optimized = optimize(&classes, how, &PlanOptions::default());
        let found = optimized.report.summary.calls_replaced;
        assert!(found >= 19, "{how:?}: {found} calls replaced");
        let target = tempfile::tempdir().unwrap();
        for (file, new) in files.iter().zip(&optimized.classes) {
            java::write(target.path(), &file.path, new.as_ref().unwrap_or(&file.bytes));
        }
        for (name, bytes) in &optimized.added {
            java::write(target.path(), Path::new(name), bytes);
        }
        same_lines(&before, &run(target.path()), &format!("{main} with {how:?}"));
    }
}

/// Which classes of jars cannot be loaded and verified.
fn load(jars: &[PathBuf]) -> String {
    let command = &mut java::java(&["-XX:TieredStopAtLevel=1"]);
    let printed = java::run(command.arg(root().join("testdata/java/LoadAll.java")).args(jars));
    // The last line has their number, which a class that comes in addition changes.
    let lines: Vec<&str> = printed.lines().collect();
    let (count, refused) = lines.split_last().expect("there is a last line");
    let count: Option<usize> = count.strip_suffix(" classes").and_then(|count| count.parse().ok());
    assert!(count.is_some_and(|count| count > 100), "it does not come to its end:\n{printed}");
    refused.join("\n")
}

#[track_caller]
fn same_lines(before: &str, after: &str, what: &str) {
    let line = before.lines().zip(after.lines()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str| text.lines().skip(line).take(30).collect::<Vec<_>>().join("\n");
    assert!(before == after, "{what}, from line {} on:\n{}\nand not\n{}", line + 1, rest(after), rest(before));
}

#[test]
fn netty() {
    let jars = ["common", "buffer", "transport", "codec", "resolver", "handler"].map(|part| format!("netty-{part}"));
    Workload::compile("Netty", debian(&jars.each_ref().map(String::as_str))).check([50, 50]);
}

#[test]
fn guava() {
    Workload::compile("Guava", debian(&["guava"])).check([0, 0]);
}

#[test]
fn jctools() {
    Workload::compile("JcTools", debian(&["jctools-core"])).check([10, 10]);
}

#[test]
fn kotlin_and_its_coroutines() {
    let jars = vec![kotlin("kotlinx-coroutines-core-jvm"), kotlin("kotlin-stdlib")];
    let folder = tempfile::tempdir().unwrap();
    let mut compiler = Command::new("java");
    compiler.arg("-cp").arg(kotlin("kotlin-preloader")).arg("org.jetbrains.kotlin.preloading.Preloader");
    compiler.arg("-cp").arg(kotlin("kotlin-compiler")).arg("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler");
    compiler.args(["-no-stdlib", "-no-reflect", "-nowarn", "-cp", &classpath(&jars), "-d"]).arg(folder.path());
    must(compiler.args([source("Coroutines.kt"), source("Shapes.kt")]));
    check_folder("ShapesKt", folder.path(), &jars);
    Workload { main: "CoroutinesKt", jars, folder }.check([400, 400]);
}
