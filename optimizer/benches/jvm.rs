//! What optimising gains on a JVM: the operations of field updaters, and what programs do with kotlinx.coroutines, before
//! and after, in one process.
//!
//! `cargo bench -p r8lite --bench jvm` compiles `benches/java/Subject.java` with `javac` and optimises it once for each
//! backend; and it compiles `Coroutines.java`, and optimises kotlinx.coroutines, which `cargo xtask bench` fetches. It times
//! each operation in a loop in the interpreter (`-Xint`), in C1 (`-XX:TieredStopAtLevel=1`) and in C2. The variants take
//! turns within one process. A table shows the median nanoseconds before, and how many times faster each variant is; where
//! the quartiles are over 10 % apart, that is marked.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

/// The variants besides the original, with the flags that make them.
const BACKENDS: [(&str, &[&str]); 2] =
    [("unsafe", &["--backend", "unsafe"]), ("varhandle", &["--backend", "varhandle", "--min-java", "9"])];

/// How the JVM runs code, and the flags that make it.
const MODES: [(&str, &[&str]); 3] =
    [("interpreter", &["-Xint"]), ("C1", &["-XX:TieredStopAtLevel=1"]), ("C2", &["-XX:-TieredCompilation"])];

/// Quartiles further apart than this are marked.
const WIDE: f64 = 1.1;

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?} starts: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A class to time, with a class path for each variant: the original, then one for each backend.
struct Subject {
    class: &'static str,
    paths: Vec<OsString>,
}

/// Compiles a Java program into a folder.
fn compile(source: &str, classpath: &OsStr, folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/java").join(source);
    run(Command::new("javac")
        .args(["--release", "11", "-nowarn", "-cp"])
        .arg(classpath)
        .arg("-d")
        .arg(folder)
        .arg(source));
}

fn optimize(input: &Path, output: &Path, flags: &[&str]) {
    let mut optimize = Command::new(env!("CARGO_BIN_EXE_r8lite"));
    run(optimize.arg("optimize").arg(input).arg("-o").arg(output).args(flags));
}

/// The operations themselves, every one of which is optimised.
fn operations(folder: &Path) -> Subject {
    let before = folder.join("before");
    compile("Subject.java", OsStr::new("."), &before);
    let mut paths = vec![before.clone().into_os_string()];
    for (name, flags) in BACKENDS {
        let after = folder.join(name);
        optimize(&before, &after, &[flags, &["--fail-under", "100"]].concat());
        paths.push(after.into_os_string());
    }
    Subject { class: "Subject", paths }
}

/// What programs do with kotlinx.coroutines, which is optimised; the program itself has no updater.
fn coroutines(folder: &Path) -> Subject {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/corpora/kotlin-compiler-2.4.20/package/lib");
    let [before, stdlib] = ["kotlinx-coroutines-core-jvm.jar", "kotlin-stdlib.jar"].map(|jar| corpora.join(jar));
    assert!(before.exists(), "{} is not there: `cargo xtask corpora` fetches it", before.display());
    let program = folder.join("coroutines");
    let path = |jar: &Path| env::join_paths([&program, jar, &stdlib]).expect("no path has a colon");
    compile("Coroutines.java", &path(&before), &program);
    let mut paths = vec![path(&before)];
    for (name, flags) in BACKENDS {
        let after = folder.join(format!("coroutines-{name}.jar"));
        optimize(&before, &after, flags);
        paths.push(path(&after));
    }
    Subject { class: "Coroutines", paths }
}

/// Nanoseconds for one operation: the median and the quartiles.
struct Timing([f64; 3]);

/// The timings of each operation in one mode: of the original, then of each backend.
fn measure(bench: &Path, subject: &Subject, mode: &[&str], rounds: u32, millis: &str) -> Vec<(String, Vec<Timing>)> {
    let mut java = Command::new("java");
    java.args(mode).arg("-cp").arg(bench).args(["Bench", &rounds.to_string(), millis, subject.class]);
    java.args(&subject.paths);
    let output = String::from_utf8(run(&mut java).stdout).expect("it prints text");
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a line begins with the operation").to_owned();
        let figures: Vec<f64> = words.map(|word| word.parse().expect("a figure")).collect();
        let timings = figures.chunks_exact(3).map(|three| Timing([three[0], three[1], three[2]])).collect();
        (name, timings)
    };
    output.lines().map(row).collect()
}

fn table(bench: &Path, subject: &Subject, rounds: u32, millis: &str) -> String {
    let modes = MODES.map(|(_, flags)| measure(bench, subject, flags, rounds, millis));
    let mut out = String::new();
    let mut add = |line: std::fmt::Arguments<'_>| writeln!(out, "{line}").expect("writing to a string");
    let heads = MODES.map(|(name, _)| format!(" {name} | unsafe | varhandle |"));
    add(format_args!("| operation |{}", heads.concat()));
    add(format_args!("|---|{}", "--:|--:|--:|".repeat(MODES.len())));
    for (at, (name, _)) in modes[0].iter().enumerate() {
        let mut line = format!("| {name} |");
        for mode in &modes {
            let timings = &mode[at].1;
            let before = timings[0].0[0];
            for (index, Timing([median, lower, upper])) in timings.iter().enumerate() {
                let mark = if upper / lower > WIDE { "~" } else { "" };
                match index {
                    0 => write!(line, " {mark}{median:.1} |"),
                    _ => write!(line, " {mark}{:.1} |", before / median),
                }
                .expect("writing to a string");
            }
        }
        add(format_args!("{line}"));
    }
    out
}

fn main() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let bench = folder.path().join("bench");
    compile("Bench.java", OsStr::new("."), &bench);
    // `cargo bench` passes `--bench`, `cargo test` passes nothing of use: then one short round shows that all still works.
    let (rounds, millis) = if env::args().any(|arg| arg == "--bench") { (15, "20") } else { (1, "0.01") };
    let mut out = String::from(
        "nanoseconds before, and how many times faster after; ~ where the quartiles are over 10 % apart\n",
    );
    for subject in [operations(folder.path()), coroutines(folder.path())] {
        out += &format!("\n{}", table(&bench, &subject, rounds, millis));
    }
    std::io::stdout().write_all(out.as_bytes()).expect("standard output is there");
}
