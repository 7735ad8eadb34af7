//! A large program, generated: how fast each step is, how much memory it takes, and whether time grows with size.
//!
//! `cargo bench -p r8lite --bench large` prints a table for 100,000 and for 1,000,000 instructions, each in a process of
//! its own so that the peak of memory is its own. Every class has two updaters, with calls that can be replaced and
//! calls that cannot, and arithmetic around them.

use std::env;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::Command;
use std::time::Instant;

use r8lite::passes::pipeline::{self, Config};
use r8lite::passes::plan::{self, PlanOptions};
use r8lite::text::{self, Source};
use r8lite::{Module, verify};

/// The program with so many classes.
fn program(classes: usize) -> String {
    let mut text = String::new();
    for n in 0..classes {
        class(&mut text, n).expect("writing to a string");
    }
    text
}

fn class(out: &mut String, n: usize) -> std::fmt::Result {
    writeln!(out, "class bench.p{}.C{n} {{", n / 100)?;
    let name = format!("bench.p{}.C{n}", n / 100);
    writeln!(out, "  private volatile field state: Object")?;
    writeln!(out, "  private volatile field count: i32")?;
    writeln!(out, "  private static final field STATE: AtomicReferenceFieldUpdater")?;
    writeln!(out, "  private static final field COUNT: AtomicIntegerFieldUpdater\n")?;
    writeln!(out, "  static method <clinit>() {{")?;
    writeln!(
        out,
        "    s = invokestatic AtomicReferenceFieldUpdater.newUpdater(class {name}, class Object, \"state\")"
    )?;
    writeln!(out, "    putstatic {name}.STATE, s")?;
    writeln!(out, "    c = invokestatic AtomicIntegerFieldUpdater.newUpdater(class {name}, \"count\")")?;
    writeln!(out, "    putstatic {name}.COUNT, c")?;
    writeln!(out, "    return\n  }}\n")?;
    writeln!(out, "  method <init>() {{\n    invokespecial Object.<init>(this)\n    return\n  }}\n")?;
    writeln!(out, "  public method swap(expected: Object, value: Object): bool {{")?;
    writeln!(out, "    u = getstatic {name}.STATE")?;
    writeln!(out, "    done = invokevirtual AtomicReferenceFieldUpdater.compareAndSet(u, this, expected, value)")?;
    writeln!(out, "    return done\n  }}\n")?;
    writeln!(out, "  public method next(): i32 {{")?;
    writeln!(out, "    u = getstatic {name}.COUNT")?;
    writeln!(out, "    n = invokevirtual AtomicIntegerFieldUpdater.incrementAndGet(u, this)")?;
    writeln!(out, "    return n\n  }}\n")?;
    // An updater that is a parameter of a public method stays unknown.
    writeln!(out, "  public static method foreign(u: AtomicIntegerFieldUpdater, holder: {name}): i32 {{")?;
    writeln!(out, "    n = invokevirtual AtomicIntegerFieldUpdater.get(u, holder)")?;
    writeln!(out, "    return n\n  }}")?;
    for method in 0..ARITHMETIC_METHODS {
        writeln!(out, "\n  static method mix{method}(n: i32, bound: i32): i32 {{")?;
        writeln!(out, "    jump loop(0, n)")?;
        writeln!(out, "  loop(i: i32, x: i32):")?;
        writeln!(out, "    more = lt i, bound")?;
        writeln!(out, "    branch more, body, done")?;
        writeln!(out, "  body:")?;
        writeln!(out, "    a = mul x, 31")?;
        writeln!(out, "    b = xor a, i")?;
        writeln!(out, "    c = shr b, 3")?;
        writeln!(out, "    d = add b, c")?;
        writeln!(out, "    e = add i, 1")?;
        writeln!(out, "    jump loop(e, d)")?;
        writeln!(out, "  done:")?;
        writeln!(out, "    return x\n  }}")?;
    }
    writeln!(out, "}}\n")
}

/// With ten instructions each, they bring a class to a hundred.
const ARITHMETIC_METHODS: usize = 8;

fn instructions(module: &Module) -> usize {
    let bodies = module.program_funcs().filter_map(|func| module.funcs[func].body.as_ref());
    bodies.map(|body| body.layout_insts().count()).sum()
}

/// The most memory that this process has had, in MiB; 0 where the system does not say.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

struct Table {
    instructions: usize,
    rows: Vec<(&'static str, f64, u64)>,
}

impl Table {
    fn time<T>(&mut self, what: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.rows.push((what, start.elapsed().as_secs_f64(), peak_mib()));
        result
    }

    fn print(&self, generated_mib: u64) {
        let mut out = format!("{} instructions ({generated_mib} MiB before the first step)\n", self.instructions);
        for (what, seconds, peak) in &self.rows {
            let rate = self.instructions as f64 / seconds / 1e6;
            writeln!(out, "  {what:10} {seconds:>8.3} s {rate:>8.2} M instructions/s   peak {peak} MiB so far")
                .expect("writing to a string");
        }
        std::io::stdout().write_all(out.as_bytes()).expect("standard output is there");
    }
}

/// Measures one size; prints the table.
fn measure(classes: usize) {
    let program = program(classes);
    let generated = peak_mib();
    let mut table = Table { instructions: 0, rows: Vec::new() };
    let source = [Source { name: "large.ir", text: &program }];
    let module = table.time("parse", || text::parse(&source)).expect("the generated program parses");
    table.instructions = instructions(&module);
    let verified = table.time("verify", || verify(module)).expect("the generated program is in order");
    let plan = table.time("plan", || plan::decide(&verified, &PlanOptions::default()));
    let result = table.time("passes", || pipeline::run(verified, &plan, Config::default()));
    let (optimised, report) = result.expect("the passes are in order");
    assert_eq!(report.summary.calls_replaced, 2 * classes, "the calls that can be replaced are");
    let printed = table.time("print", || text::print_module(&optimised));
    black_box(printed);
    table.print(generated);
}

fn main() {
    // `cargo bench` passes `--bench`, `cargo test` passes nothing of use: then a small size shows that all still works.
    let args: Vec<String> = env::args().skip(1).collect();
    if let Some(classes) = args.iter().find_map(|arg| arg.strip_prefix("--classes=")) {
        measure(classes.parse().expect("--classes is a number"));
    } else if args.iter().any(|arg| arg == "--bench") {
        for classes in [1_000, 10_000] {
            let this = env::current_exe().expect("this program has a path");
            let status = Command::new(this).arg(format!("--classes={classes}")).status().expect("it runs");
            assert!(status.success());
        }
    } else {
        measure(10);
    }
}
