//! A large program, generated: how fast each step is, how much memory it takes, and whether time grows with size.
//!
//! `cargo bench -p r8lite --bench large` prints a table for about 100,000 and 1,000,000 instructions: of each step the
//! median, least and most time of several runs, and the peak of memory while it ran. Each run is a process of its own,
//! and both sizes take turns, so that what else the machine does meets both.
//!
//! A class has about a hundred instructions: two updaters, with calls that can be replaced and one that cannot, a loop
//! around a compare-and-set, a handler, a choice of two values, an array, fields, calls of another class, and arithmetic
//! in loops.

use std::env;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::Command;
use std::time::Instant;

use r8lite::passes::pipeline::{self, Config, Optimized};
use r8lite::passes::plan::PlanOptions;
use r8lite::text::{self, Source};
use r8lite::{Module, verify};

/// As the command has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    writeln!(out, "  private field plain: i32")?;
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
    // Of the same package.
    let other = if n.is_multiple_of(100) { n } else { n - 1 };
    let other = format!("bench.p{}.C{other}", other / 100);
    out.push_str(&METHODS.replace("SELF", &name).replace("OTHER", &other));
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

/// Methods with what programs have besides arithmetic; `SELF` is the class, `OTHER` another one.
const METHODS: &str = "
  public method add(delta: i32): i32 {
    jump retry
  retry:
    u = getstatic SELF.COUNT
    old = invokevirtual AtomicIntegerFieldUpdater.get(u, this)
    new = add old, delta
    done = invokevirtual AtomicIntegerFieldUpdater.compareAndSet(u, this, old, new)
    branch done, out, retry
  out:
    return new
  }

  static method length(value: Object): i32 {
    jump try
  try:
    catch ClassCastException: failed
    text = checkcast String, value
    length = invokevirtual String.length(text)
    return length
  failed(e: ClassCastException):
    return -1
  }

  static method least(a: i32, b: i32): i32 {
    less = lt a, b
    branch less, first, second
  first:
    jump out(a)
  second:
    jump out(b)
  out(least: i32):
    return least
  }

  static method total(items: i32[]): i32 {
    length = arraylength items
    jump loop(0, 0)
  loop(i: i32, sum: i32):
    more = lt i, length
    branch more, body, done
  body:
    item = arrayload items, i
    sum2 = add sum, item
    i2 = add i, 1
    jump loop(i2, sum2)
  done:
    return sum
  }

  method use(other: OTHER): i32 {
    n = invokevirtual OTHER.next(other)
    m = add n, 1
    putfield SELF.plain, this, m
    k = getfield SELF.plain, this
    none = eq other, null
    branch none, yes, no
  yes:
    return 0
  no:
    t = invokestatic SELF.least(k, m)
    return t
  }
";

/// With ten instructions each, they bring a class to a hundred.
const ARITHMETIC_METHODS: usize = 5;

/// How often each size runs.
const RUNS: usize = 7;

/// How many times as long ten times the size may take.
const MAX_RATIO: f64 = 12.0;

fn instructions(module: &Module) -> usize {
    let bodies = module.program_funcs().filter_map(|func| module.funcs[func].body.as_ref());
    bodies.map(|body| body.layout_insts().count()).sum()
}

/// The most memory that this process had since the last call, in MiB; 0 where the system does not say.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024;
    // Sets the peak back to what is in use now; where that is not allowed, later steps show the peak so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    peak
}

/// The steps that are measured, in order.
const STEPS: [&str; 4] = ["parse", "verify", "optimise", "print"];

/// What one run took: seconds and peak of memory, for each step.
type Run = [(f64, u64); STEPS.len()];

fn time<T>(row: &mut (f64, u64), work: impl FnOnce() -> T) -> T {
    peak_mib();
    let start = Instant::now();
    let result = work();
    *row = (start.elapsed().as_secs_f64(), peak_mib());
    result
}

/// Runs each step once over a program of this size.
fn run(classes: usize) -> (usize, Run) {
    let program = program(classes);
    let mut run = Run::default();
    let [parse, check, optimise, print] = &mut run;
    let source = [Source { name: "large.ir", text: &program }];
    let module = time(parse, || text::parse(&source)).expect("the generated program parses");
    let count = instructions(&module);
    let verified = time(check, || verify(module))
        .map_err(|invalid| invalid.diagnostics)
        .expect("the generated program is in order");
    let result = time(optimise, || pipeline::optimize(verified, &PlanOptions::default(), Config::default()));
    let Optimized { module, report, .. } = result.expect("the passes are in order");
    assert_eq!(report.summary.calls_replaced, 4 * classes, "the calls that can be replaced are");
    assert_eq!(report.summary.calls_kept, classes, "the others stay");
    black_box(time(print, || text::print_module(&module)));
    (count, run)
}

/// Runs one size in a process of its own.
fn run_apart(classes: usize) -> (usize, Run) {
    let this = env::current_exe().expect("this program has a path");
    let output = Command::new(this).arg(format!("--classes={classes}")).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("it prints text");
    let mut words = text.split_whitespace();
    let mut next = || words.next().expect("it prints all figures");
    let count = next().parse().expect("a count");
    let mut run = Run::default();
    for row in &mut run {
        *row = (next().parse().expect("seconds"), next().parse().expect("MiB"));
    }
    (count, run)
}

/// The median, the least and the most time of a step.
fn spread(runs: &[Run], step: usize) -> [f64; 3] {
    let mut seconds: Vec<f64> = runs.iter().map(|run| run[step].0).collect();
    seconds.sort_by(f64::total_cmp);
    [seconds[seconds.len() / 2], seconds[0], seconds[seconds.len() - 1]]
}

fn table(sizes: &[(usize, Vec<Run>); 2]) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for (count, runs) in sizes {
        writeln!(out, "{count} instructions, median (least to most) of {RUNS} runs")?;
        for (step, name) in STEPS.iter().enumerate() {
            let [median, least, most] = spread(runs, step);
            let rate = *count as f64 / median / 1e6;
            let peak = runs.iter().map(|run| run[step].1).max().unwrap_or(0);
            writeln!(
                out,
                "  {name:9}{median:>7.3} s ({least:.3} to {most:.3}){rate:>7.2} M instructions/s   peak {peak} MiB"
            )?;
        }
    }
    writeln!(out, "time for ten times the size, at most {MAX_RATIO} wanted")?;
    for (step, name) in STEPS.iter().enumerate() {
        let [small, large] = [0, 1].map(|size| spread(&sizes[size].1, step)[0]);
        writeln!(out, "  {name:9}{:>7.1}", large / small)?;
    }
    Ok(out)
}

fn main() {
    let print = |text: String| std::io::stdout().write_all(text.as_bytes()).expect("standard output is there");
    // `cargo bench` passes `--bench`, `cargo test` passes nothing of use: then a small size shows that all still works.
    let args: Vec<String> = env::args().skip(1).collect();
    if let Some(classes) = args.iter().find_map(|arg| arg.strip_prefix("--classes=")) {
        let (count, run) = run(classes.parse().expect("--classes is a number"));
        let rows: Vec<String> = run.iter().map(|(seconds, peak)| format!("{seconds} {peak}\n")).collect();
        print(format!("{count}\n{}", rows.concat()));
    } else if args.iter().any(|arg| arg == "--bench") {
        let mut sizes = [(0, Vec::new()), (0, Vec::new())];
        for _ in 0..RUNS {
            for ((count, runs), classes) in sizes.iter_mut().zip([1_000, 10_000]) {
                let (instructions, run) = run_apart(classes);
                *count = instructions;
                runs.push(run);
            }
        }
        print(table(&sizes).expect("writing to a string"));
    } else {
        run(10);
    }
}
