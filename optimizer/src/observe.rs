//! Watching the passes at work: printing, dumping and timing, the same for every pass.

use std::fmt::Write;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use r8lite_ir::{Module, text};
use r8lite_passes::pipeline::{Pipeline, Step};
use r8lite_passes::registry;

use crate::failure::Failure;
use crate::output;

/// Which passes a flag speaks of.
#[derive(Clone, Debug)]
enum Which {
    All,
    Named(Vec<String>),
}

impl Which {
    fn new(names: Vec<String>) -> Result<Self, Failure> {
        if names.iter().any(|name| name == "all") {
            return Ok(Which::All);
        }
        if let Some(name) = names.iter().find(|name| registry::find(name).is_none()) {
            let valid: Vec<&str> = registry::PASSES.iter().map(|pass| pass.name).collect();
            return Err(anyhow!("there is no pass `{name}`; the passes are: {}, or all", valid.join(", ")).into());
        }
        Ok(Which::Named(names))
    }

    fn has(&self, pass: &str) -> bool {
        match self {
            Which::All => true,
            Which::Named(names) => names.iter().any(|name| name == pass),
        }
    }
}

/// What is to be seen of the passes.
#[derive(Debug)]
pub(crate) struct Observe {
    before: Which,
    after: Which,
    dump_dir: Option<PathBuf>,
    bisecting: bool,
    timing: bool,
}

impl Observe {
    pub(crate) fn new(
        print_before: Vec<String>,
        print_after: Vec<String>,
        dump_dir: Option<PathBuf>,
        bisecting: bool,
        timing: bool,
    ) -> Result<Self, Failure> {
        Ok(Self { before: Which::new(print_before)?, after: Which::new(print_after)?, dump_dir, bisecting, timing })
    }

    /// Whether passes are to be seen at work; that they are timed needs no passes.
    pub(crate) fn is_used(&self) -> bool {
        let none = |which: &Which| matches!(which, Which::Named(names) if names.is_empty());
        !none(&self.before) || !none(&self.after) || self.dump_dir.is_some()
    }

    /// Whether nothing is to be seen.
    fn is_idle(&self) -> bool {
        !self.is_used() && !self.bisecting && !self.timing
    }

    /// Dumps the module before all passes, in place of what an earlier run dumped.
    pub(crate) fn input(&self, module: &Module) -> Result<(), Failure> {
        let Some(folder) = &self.dump_dir else { return Ok(()) };
        fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        let context = || format!("cannot clear `{}` of earlier dumps", folder.display());
        for entry in fs::read_dir(folder).with_context(context)? {
            let path = entry.with_context(context)?.path();
            if is_dump(&path) {
                fs::remove_file(&path).with_context(context)?;
            }
        }
        self.dump(0, "input", module).map(drop)
    }

    /// Runs all passes, with everything that is to be seen of them.
    pub(crate) fn run(&self, pipeline: &mut Pipeline<'_>, clock: &mut Clock) -> Result<(), Failure> {
        if self.is_idle() {
            let result = guarded(pipeline, None, None, Pipeline::run_all);
            return result.map_err(|error| Failure::Bug(error.to_string()));
        }
        let mut last_dump = self.dump_dir.as_ref().map(|folder| folder.join("000-input.ir"));
        while let Some(pass) = pipeline.next_pass() {
            let name = pass.name;
            if self.before.has(name) {
                print("before", name, pipeline.module());
            }
            let step = clock.time(name, || guarded(pipeline, Some(name), last_dump.as_deref(), Pipeline::run_next));
            let step = step.map_err(|error| {
                let broken = self.dump(usize::MAX, "broken", pipeline.module());
                let seen = broken.ok().flatten().map(|path| format!("\nthe module as it is now: {}", path.display()));
                Failure::Bug(format!("{error}{}", seen.unwrap_or_default()))
            })?;
            if self.bisecting {
                output::stderr(&bisect_line(step));
            }
            if step.ran && self.after.has(name) {
                print("after", name, pipeline.module());
            }
            if step.changed {
                last_dump = self.dump(step.number, &format!("after-{name}"), pipeline.module())?;
            }
        }
        Ok(())
    }

    fn dump(&self, number: usize, what: &str, module: &Module) -> Result<Option<PathBuf>, Failure> {
        let Some(folder) = &self.dump_dir else { return Ok(None) };
        let name = if number == usize::MAX { format!("{what}.ir") } else { format!("{number:03}-{what}.ir") };
        let path = folder.join(name);
        let mut files = output::Files::default();
        files.add(&path, text::print_module(module))?;
        files.commit()?;
        Ok(Some(path))
    }
}

/// Whether a file has a name that dumps have.
fn is_dump(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".ir")) else {
        return false;
    };
    let is_numbered = |(number, what): (&str, &str)| {
        number.len() >= 3
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && (what == "input" || what.strip_prefix("after-").is_some_and(|pass| registry::find(pass).is_some()))
    };
    name == "broken" || name.split_once('-').is_some_and(is_numbered)
}

fn print(when: &str, pass: &str, module: &Module) {
    output::stderr(&format!("; {when} {pass}\n{}", text::print_module(module)));
}

fn bisect_line(step: Step) -> String {
    let what = if step.ran { "ran" } else { "skipped" };
    format!("bisect: {what} pass {} {}\n", step.number, step.pass)
}

/// Lets a pass, or all, work; if it panics, says which pass it was, at what, and where its input is.
fn guarded<'a, T>(
    pipeline: &mut Pipeline<'a>,
    pass: Option<&str>,
    input: Option<&Path>,
    work: impl FnOnce(&mut Pipeline<'a>) -> T,
) -> T {
    // After a panic, the pipeline is only asked where it was.
    panic::catch_unwind(AssertUnwindSafe(|| work(pipeline))).unwrap_or_else(|payload| {
        let at = pipeline.panicked_at();
        let place = at.as_ref().map_or(String::new(), |(_, method)| format!(" at {method}"));
        let name = at.map_or(pass.unwrap_or("some"), |(pass, _)| pass);
        let input = match input {
            Some(path) => format!("its input is in {}", path.display()),
            None => "run again with --dump-dir DIR to get its input".to_string(),
        };
        output::stderr(&format!("pass `{name}` was running{place}; {input}\n"));
        panic::resume_unwind(payload)
    })
}

/// How long each step took.
#[derive(Default, Debug)]
pub(crate) struct Clock {
    /// In the order of their first runs, with how often each ran.
    rows: Vec<(&'static str, u32, Duration)>,
}

impl Clock {
    pub(crate) fn time<T>(&mut self, what: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let time = start.elapsed();
        match self.rows.iter_mut().find(|(name, ..)| *name == what) {
            Some((_, runs, sum)) => {
                *runs += 1;
                *sum += time;
            }
            None => self.rows.push((what, 1, time)),
        }
        result
    }

    pub(crate) fn table(&self) -> String {
        let mut out = String::new();
        let total = ("total", 1, self.rows.iter().map(|(_, _, time)| *time).sum::<Duration>());
        for (what, runs, time) in self.rows.iter().chain([&total]) {
            let runs = if *runs > 1 { format!(", {runs} runs") } else { String::new() };
            writeln!(out, "{:>10.3} ms  {what}{runs}", time.as_secs_f64() * 1000.0).expect("writing to a string");
        }
        if let Some(peak) = peak_mib() {
            writeln!(out, "{peak:>10} MiB  peak").expect("writing to a string");
        }
        out
    }
}

/// The most memory that this process had so far, in MiB, where the system says.
fn peak_mib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

/// No input known today has a pass go wrong, so here are passes that do.
#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use r8lite_ir::text::Source;
    use r8lite_ir::{Body, Func, verify};
    use r8lite_passes::pipeline::{Config, Schedule};
    use r8lite_passes::plan::Plan;
    use r8lite_passes::registry::{BodyCx, BodyPass, OpSet, Outcome, Pass, PassCx, PassError, Run};

    use super::*;
    use crate::console::{self, PLEASE_REPORT};

    const TEXT: &str = "class One {\n  static method one(): i32 {\n    return 1\n  }\n}\n";

    /// Set to a folder in a process whose pass is to panic.
    const PANIC: &str = "R8LITE_TEST_PANIC";

    fn run_pass(pass: Pass, folder: &Path) -> Result<(), Failure> {
        let module = text::parse(&[Source { name: "one.ir", text: TEXT }]).expect("the text is right");
        let verified = verify(module).expect("the program is in order");
        let observe = Observe::new(vec![], vec![], Some(folder.to_path_buf()), false, false)?;
        observe.input(&verified)?;
        let mut config = Config::default();
        config.schedule = Schedule::empty().push(pass);
        config.verify_each = true;
        let plan = Plan::default();
        let mut pipeline = Pipeline::new(verified, &plan, config).expect("the schedule can be run");
        observe.run(&mut pipeline, &mut Clock::default())
    }

    fn empty_bodies(module: &mut Module, _: &mut PassCx<'_>) -> Result<Outcome, PassError> {
        let funcs: Vec<_> = module.program_funcs().collect();
        funcs.into_iter().for_each(|func| module.funcs[func].body = None);
        Ok(Outcome { changed: true, declarations: false })
    }

    fn panic(_: &BodyCx<'_>, _: Func, _: &mut Body) -> bool {
        panic!("as the test wants it")
    }

    #[test]
    fn a_pass_that_breaks_the_module_is_a_bug_of_ours() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pass = Pass { name: "breaks", about: "takes all bodies", required: false, run: Run::Module(empty_bodies) };
        let failure = run_pass(pass, folder.path()).expect_err("the module is broken");
        assert_eq!(failure.status(), 101);
        let message = failure.message().expect("there is something to say");
        let broken = folder.path().join("broken.ir").display().to_string();
        for part in ["`breaks`", "the method has no body", &broken, PLEASE_REPORT] {
            assert!(message.contains(part), "`{part}` is not in: {message}");
        }
    }

    #[test]
    fn a_pass_that_panics_is_named_with_its_input() {
        let pass = Pass {
            name: "panics",
            about: "panics",
            required: false,
            run: Run::Body(BodyPass { ops: OpSet::ALL, is_idle: None, clean: panic }),
        };
        if let Some(folder) = std::env::var_os(PANIC) {
            console::install_panic_hook();
            let _ = run_pass(pass, Path::new(&folder));
            unreachable!("the pass panics");
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let itself = std::env::current_exe().expect("the test has a path");
        let test = "observe::tests::a_pass_that_panics_is_named_with_its_input";
        let output = Command::new(itself).args(["--exact", test, "--nocapture"]).env(PANIC, folder.path()).output();
        let output = output.expect("the test runs again");
        // A panic ends the harness with the status that it ends the command with.
        assert_eq!(output.status.code(), Some(101));
        let messages = String::from_utf8_lossy(&output.stderr);
        let input = folder.path().join("000-input.ir");
        let guard = format!("pass `panics` was running at One.one; its input is in {}", input.display());
        for part in ["as the test wants it", PLEASE_REPORT, &guard] {
            assert!(messages.contains(part), "`{part}` is not in: {messages}");
        }
        assert_eq!(fs::read_to_string(input).expect("the input is there"), TEXT);
    }
}
