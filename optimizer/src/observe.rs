//! Watching the passes at work: printing, dumping and timing, the same for every pass.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
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
}

impl Observe {
    pub(crate) fn new(
        print_before: Vec<String>,
        print_after: Vec<String>,
        dump_dir: Option<PathBuf>,
        bisecting: bool,
    ) -> Result<Self, Failure> {
        Ok(Self { before: Which::new(print_before)?, after: Which::new(print_after)?, dump_dir, bisecting })
    }

    /// Runs all passes, with everything that is to be seen of them.
    pub(crate) fn run(&self, pipeline: &mut Pipeline<'_>, clock: &mut Clock) -> Result<(), Failure> {
        if let Some(folder) = &self.dump_dir {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        let mut last_dump = self.dump(0, "input", pipeline.module())?;
        while let Some(pass) = pipeline.next_pass() {
            let name = pass.name;
            if self.before.has(name) {
                print("before", name, pipeline.module());
            }
            let guard = PanicGuard { pass: name, input: last_dump.clone() };
            let step = clock.time(name, || pipeline.run_next());
            drop(guard);
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

fn print(when: &str, pass: &str, module: &Module) {
    output::stderr(&format!("; {when} {pass}\n{}", text::print_module(module)));
}

fn bisect_line(step: Step) -> String {
    let what = if step.ran { "ran" } else { "skipped" };
    format!("bisect: {what} pass {} {}\n", step.number, step.pass)
}

/// Says which pass it was if it panics: nothing else is left to ask then.
struct PanicGuard {
    pass: &'static str,
    input: Option<PathBuf>,
}

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let input = match &self.input {
                Some(path) => format!("its input is in {}", path.display()),
                None => "run again with --dump-dir DIR to get its input".to_string(),
            };
            output::stderr(&format!("pass `{}` was running; {input}\n", self.pass));
        }
    }
}

/// How long each step took.
#[derive(Default, Debug)]
pub(crate) struct Clock {
    rows: Vec<(&'static str, Duration)>,
}

impl Clock {
    pub(crate) fn time<T>(&mut self, what: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.rows.push((what, start.elapsed()));
        result
    }

    pub(crate) fn table(&self) -> String {
        let mut out = String::new();
        let total = ("total", self.rows.iter().map(|(_, time)| *time).sum::<Duration>());
        for (what, time) in self.rows.iter().chain([&total]) {
            writeln!(out, "{:>10.3} ms  {what}", time.as_secs_f64() * 1000.0).expect("writing to a string");
        }
        out
    }
}
