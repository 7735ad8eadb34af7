//! What optimising gains on a JVM: the operations of field updaters before and after, in one process.
//!
//! `cargo bench -p r8lite --bench jvm` compiles `benches/java/Subject.java` with `javac`, optimises it once for each
//! backend, and times each operation in a loop in the interpreter (`-Xint`), in C1 (`-XX:TieredStopAtLevel=1`) and in C2.
//! The variants take turns within one process. A table shows the median nanoseconds before, and how many times faster
//! each variant is; where the quartiles are over 10 % apart, that is marked.

use std::env;
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

/// Compiles the Java programs into `folder`: `before` with the subject, `bench` with what times it, and one for each
/// backend.
fn prepare(folder: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/java");
    for (source, to) in [("Subject.java", "before"), ("Bench.java", "bench")] {
        run(Command::new("javac").args(["--release", "11", "-d"]).arg(folder.join(to)).arg(sources.join(source)));
    }
    for (name, flags) in BACKENDS {
        let mut optimize = Command::new(env!("CARGO_BIN_EXE_r8lite"));
        optimize.arg("optimize").arg(folder.join("before")).arg("-o").arg(folder.join(name));
        run(optimize.args(flags).args(["--fail-under", "100"]));
    }
}

/// Nanoseconds for one operation: the median and the quartiles.
struct Timing([f64; 3]);

/// The timings of each operation in one mode: of the original, then of each backend.
fn measure(folder: &Path, mode: &[&str], rounds: u32, millis: &str) -> Vec<(String, Vec<Timing>)> {
    let mut java = Command::new("java");
    java.args(mode).arg("-cp").arg(folder.join("bench")).args(["Bench", &rounds.to_string(), millis]);
    java.arg(folder.join("before")).args(BACKENDS.map(|(name, _)| folder.join(name)));
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

fn table(folder: &Path, rounds: u32, millis: &str) -> String {
    let modes = MODES.map(|(_, flags)| measure(folder, flags, rounds, millis));
    let mut out = String::from(
        "nanoseconds before, and how many times faster after; ~ where the quartiles are over 10 % apart\n\n",
    );
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
    prepare(folder.path());
    // `cargo bench` passes `--bench`, `cargo test` passes nothing of use: then one short round shows that all still works.
    let (rounds, millis) = if env::args().any(|arg| arg == "--bench") { (15, "20") } else { (1, "0.01") };
    let table = table(folder.path(), rounds, millis);
    std::io::stdout().write_all(table.as_bytes()).expect("standard output is there");
}
