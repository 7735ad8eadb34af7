//! Random programs do the same before and after optimisation: same output, same exceptions, same side effects.
//!
//! The programs are what field updaters are afraid of: several classes, updaters good and bad, nulls, references of the
//! wrong type, reads in initialisers that come too early, handlers, loops. A failure prints the seed and the program.
//!
//! `R8LITE_RANDOM_CASES` sets how many programs are run, `R8LITE_RANDOM_SEED` where they start.

mod generate;

use std::env;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use r8lite::ir::interp::{self, Config, End, Prepared};
use r8lite::ir::text::{self, Source};
use r8lite::passes::pipeline;
use r8lite::passes::report::Summary;
use r8lite::{PlanOptions, Verified, verify};

/// How many programs are run unless the environment says otherwise; `R8LITE_LONG` multiplies them.
const CASES: u64 = 20_000;
const LONG: u64 = 50;

/// No program takes this long; one that does has been given an endless loop.
const MAX_STEPS: u64 = 200_000;

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// What can be seen of a run.
#[derive(PartialEq, Eq, Debug)]
struct Seen {
    stdout: String,
    end: String,
}

fn run(module: &Verified) -> Seen {
    let entry = interp::find_entry(module, Some("Main.main")).expect("every program has a main");
    let mut config = Config::default();
    config.max_steps = MAX_STEPS;
    let result = interp::run_prepared(&Prepared::new(module), entry, &config).expect("the entry can be run");
    let end = match result.end {
        // Where an exception was made is not kept: a replaced call has no frame of its own.
        End::Uncaught { class, message, .. } => format!("uncaught {class}: {message:?}"),
        other => format!("{other:?}"),
    };
    assert_ne!(end, "StepLimit", "the program does not end");
    Seen { stdout: result.stdout, end }
}

fn parse(text: &str) -> Result<Verified, String> {
    let module =
        text::parse(&[Source { name: "random.ir", text }]).map_err(|error| format!("{:?}", error.diagnostics))?;
    verify(module).map_err(|invalid| format!("{:?}", invalid.diagnostics))
}

/// Checks one program; what became of its updaters.
fn check(text: &str, options: &PlanOptions) -> Result<Summary, String> {
    let before = parse(text)?;
    let done = pipeline::optimize(before.clone(), options, pipeline::Config::default()).map_err(|it| it.to_string())?;
    let (expected, found) = (run(&before), run(&done.module));
    if expected != found {
        let printed = text::print_module(&done.module);
        return Err(format!("before: {expected:#?}\nafter: {found:#?}\noptimised:\n{printed}"));
    }
    Ok(done.report.summary)
}

/// The seeds of a test, dealt out to as many threads as the machine has.
fn for_each_seed(cases: u64, check: impl Fn(u64) + Sync) {
    let first = number("R8LITE_RANDOM_SEED", 0);
    let next = AtomicU64::new(first);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    // ORDER: Relaxed, each thread only needs a seed of its own.
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + cases {
                        return;
                    }
                    check(seed);
                }
            });
        }
    });
}

fn cases() -> u64 {
    let default = if env::var_os("R8LITE_LONG").is_some() { CASES * LONG } else { CASES };
    number("R8LITE_RANDOM_CASES", default)
}

#[test]
fn optimised_programs_do_the_same() {
    let cases = cases();
    let total = Mutex::new(Summary::default());
    for_each_seed(cases, |seed| {
        let (text, options) = generate::program(seed);
        let summary = check(&text, &options).unwrap_or_else(|problem| {
            panic!(
                "R8LITE_RANDOM_SEED={seed} R8LITE_RANDOM_CASES=1 fails with {options:?}:\n{problem}\nthe program:\n{text}"
            )
        });
        let mut total = total.lock().expect("no other case has failed");
        total.updaters_found += summary.updaters_found;
        total.updaters_removed += summary.updaters_removed;
        total.calls_total += summary.calls_total;
        total.calls_replaced += summary.calls_replaced;
    });
    let total = total.into_inner().expect("no case has failed");
    // A generator whose programs have nothing to optimise, or nothing to keep, would test nothing.
    assert!(cases < 100 || total.calls_replaced * 4 > total.calls_total, "too little is replaced: {total:?}");
    assert!(cases < 100 || total.calls_replaced * 20 < total.calls_total * 19, "too little is kept: {total:?}");
    assert!(cases < 100 || total.updaters_removed * 20 > total.updaters_found, "too little is removed: {total:?}");
}

/// Twice optimising is the same as once; every pass keeps the module in order, and says so when it changes something.
#[test]
fn optimising_twice_is_the_same_as_once() {
    for_each_seed(cases() / 20, |seed| {
        let (text, options) = generate::program(seed);
        let before = parse(&text).expect("the program is in order");
        let optimize = |module| pipeline::optimize(module, &options, pipeline::Config::checked());
        let once = optimize(before).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let once = text::print_module(&once.module);
        let again = parse(&once).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{once}"));
        let twice = optimize(again).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{once}"));
        let twice = text::print_module(&twice.module);
        assert!(once == twice, "seed {seed}: a second time changes more\n--- once\n{once}\n--- twice\n{twice}");
    });
}
