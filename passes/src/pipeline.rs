//! Running passes over a module, one step at a time.
//!
//! ```text
//! let mut pipeline = Pipeline::new(verified, &plan, config)?;
//! while let Some(pass) = pipeline.next_pass() {      // print, dump, start a clock
//!     let step = pipeline.run_next()?;               // print, dump, stop the clock
//! }
//! let (verified, report) = pipeline.finish()?;
//! ```
//!
//! The caller holds the loop, so whatever touches files, clocks or terminals stays with the caller, and nothing here
//! calls back. [`run`] is the loop for who wants none of that. The module comes in verified and leaves verified: a pass
//! that breaks it is found after that very pass ([`Config::verify_each`]) or at the end.

use std::borrow::Cow;
use std::fmt;

use r8lite_ir::diag::Diagnostic;
use r8lite_ir::verify::verify_changed;
use r8lite_ir::{Module, Verified, text, verify};

use crate::names::func_name;
use crate::plan::{self, Plan, PlanOptions};
use crate::registry::{self, BodyPass, Known, Outcome, Pass, PassCx, PassError, Run};
use crate::report::Report;

/// The passes to run, in order.
///
/// ```
/// use r8lite_ir::text::{self, Source};
/// use r8lite_ir::{Module, verify};
/// use r8lite_passes::pipeline::{self, Config, Schedule};
/// use r8lite_passes::plan::PlanOptions;
/// use r8lite_passes::registry::{Outcome, Pass, PassCx, PassError, Run};
///
/// fn count(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
///     let bodies = module.program_funcs().filter(|&func| module.funcs[func].body.is_some()).count();
///     cx.report.remarks.push(format!("{bodies} methods have a body"));
///     Ok(Outcome::default())
/// }
///
/// let mine = Pass { name: "count", about: "counts the bodies", required: false, run: Run::Module(count) };
/// let mut config = Config::default();
/// config.schedule = Schedule::default().insert_after("replace", mine)?;
///
/// let text = "class One {\n  static method one(): i32 {\n    return 1\n  }\n}\n";
/// let module = text::parse(&[Source { name: "one.ir", text }]).expect("the text is right");
/// let verified = verify(module).expect("the program is in order");
/// let done = pipeline::optimize(verified, &PlanOptions::default(), config)?;
/// assert_eq!(done.report.remarks, ["1 methods have a body"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    passes: Vec<Pass>,
    round: Vec<Pass>,
}

/// The default: [`registry::SCHEDULE`], then rounds of [`registry::ROUND`].
impl Default for Schedule {
    fn default() -> Self {
        let row = |name: &&str| *registry::find(name).expect("the schedule names passes of the registry");
        Self { passes: registry::SCHEDULE.iter().map(row).collect(), round: registry::ROUND.iter().map(row).collect() }
    }
}

/// How many rounds there are at most. Each makes a program smaller or plainer, and all ends well before this; but where
/// each thing that goes frees one other, a chain of fields say, there are as many rounds as links. In a round only what
/// changed is looked at, so a bound this high costs nothing, and one there is for two passes that undo each other.
const MAX_ROUNDS: usize = 1 << 12;

impl Schedule {
    /// No pass.
    pub fn empty() -> Self {
        Self { passes: Vec::new(), round: Vec::new() }
    }

    /// The passes of the registry that these names name, in the order given.
    ///
    /// # Errors
    /// A name that no pass has; or some but not all of the required passes, which would leave the work half done.
    pub fn of(names: &[impl AsRef<str>]) -> Result<Self, ConfigError> {
        let schedule = Self::exactly(names)?;
        let has = |pass: &Pass| schedule.passes().any(|other| other.name == pass.name);
        let required = || registry::PASSES.iter().filter(|pass| pass.required);
        match (required().find(|pass| has(pass)), required().find(|pass| !has(pass))) {
            (Some(named), Some(missing)) => Err(ConfigError::Dropped { named: named.name, missing: missing.name }),
            _ => Ok(schedule),
        }
    }

    /// As [`Schedule::of`], but lets required passes be left out: to look at one pass alone.
    ///
    /// # Errors
    /// A name that no pass has.
    pub fn exactly(names: &[impl AsRef<str>]) -> Result<Self, ConfigError> {
        let row = |name: &str| registry::find(name).copied().ok_or_else(|| ConfigError::Unknown(name.to_string()));
        let passes = names.iter().map(|name| row(name.as_ref())).collect::<Result<_, _>>()?;
        Ok(Self { passes, round: Vec::new() })
    }

    /// The same with one more pass at the end: of each round, if there are rounds.
    #[must_use]
    pub fn push(mut self, pass: Pass) -> Self {
        if self.round.is_empty() {
            self.passes.push(pass)
        } else {
            self.round.push(pass)
        }
        self
    }

    /// The same with one more pass after the last run of `earlier`.
    ///
    /// # Errors
    /// If `earlier` is not in the schedule.
    pub fn insert_after(mut self, earlier: &str, pass: Pass) -> Result<Self, ConfigError> {
        let place = |list: &[Pass]| list.iter().rposition(|other| other.name == earlier);
        if let Some(at) = place(&self.round) {
            self.round.insert(at + 1, pass);
        } else if let Some(at) = place(&self.passes) {
            self.passes.insert(at + 1, pass);
        } else {
            return Err(ConfigError::Unknown(earlier.to_string()));
        }
        Ok(self)
    }

    /// The passes, in order: those that run once, and those of a round.
    pub fn passes(&self) -> impl DoubleEndedIterator<Item = &Pass> {
        self.passes.iter().chain(&self.round)
    }

    /// Checks the registry's order: the first run of `earlier` comes before the first run of `later`.
    fn check_order(&self) -> Result<(), ConfigError> {
        let first = |name: &str| self.passes().position(|pass| pass.name == name);
        for &(earlier, later, why) in registry::ORDER {
            if let (Some(earlier_at), Some(later_at)) = (first(earlier), first(later))
                && earlier_at > later_at
            {
                return Err(ConfigError::Order { earlier, later, why });
            }
        }
        Ok(())
    }
}

/// How a pipeline runs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Config {
    /// The passes.
    pub schedule: Schedule,
    /// How many runs of passes that are not required are allowed; the rest is skipped. Halving it finds the pass that
    /// breaks a program.
    pub bisect_limit: Option<usize>,
    /// Whether the module is verified after each pass that changed it, and not only at the end.
    pub verify_each: bool,
    /// Whether a pass that says it changed nothing is held to it, by comparing printed text. Slow; for tests.
    pub check_unchanged: bool,
}

impl Config {
    /// Every check there is: what tests want.
    pub fn checked() -> Self {
        Self { verify_each: true, check_unchanged: true, ..Self::default() }
    }
}

/// A schedule that cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// No pass has this name.
    Unknown(String),
    /// Some required passes are in, others are not.
    Dropped {
        /// A required pass that is in the schedule.
        named: &'static str,
        /// A required pass that is not.
        missing: &'static str,
    },
    /// Two passes stand the wrong way round.
    Order {
        /// The pass that has to come first.
        earlier: &'static str,
        /// The pass that comes before it.
        later: &'static str,
        /// Why that is wrong.
        why: &'static str,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Unknown(name) => {
                let valid: Vec<&str> = registry::PASSES.iter().map(|pass| pass.name).collect();
                write!(f, "there is no pass `{name}`; the passes are: {}", valid.join(", "))
            }
            ConfigError::Dropped { named, missing } => {
                write!(f, "pass `{missing}` is required where `{named}` runs; name both or neither")
            }
            ConfigError::Order { earlier, later, why } => {
                write!(f, "pass `{earlier}` has to come before `{later}`: {why}")
            }
        }
    }
}

impl std::error::Error for ConfigError {}

/// A pass went wrong. The module was verified, so this is a bug of the pass.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PipelineError {
    /// The pass gave up.
    Pass {
        /// Its name.
        pass: &'static str,
        /// What it said.
        error: PassError,
    },
    /// The module is no longer in order.
    Broken {
        /// The pass that broke it; none where only the end result was verified.
        pass: Option<&'static str>,
        /// What is wrong. Never empty.
        diagnostics: Vec<Diagnostic>,
    },
    /// The pass said that it changed nothing, and changed something.
    Unsaid {
        /// Its name.
        pass: &'static str,
    },
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PipelineError::Pass { pass, error } => write!(f, "pass `{pass}` failed: {error}"),
            PipelineError::Broken { pass, diagnostics } => {
                match pass {
                    Some(pass) => write!(f, "pass `{pass}` left a module that is not in order")?,
                    None => write!(f, "the passes left a module that is not in order (verify each to see which)")?,
                }
                diagnostics.iter().try_for_each(|diagnostic| write!(f, "\n  {diagnostic}"))
            }
            PipelineError::Unsaid { pass } => write!(f, "pass `{pass}` said it changed nothing, and changed something"),
        }
    }
}

impl std::error::Error for PipelineError {}

/// What a step was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Step {
    /// Its place in the schedule, from 1.
    pub number: usize,
    /// The name of the pass.
    pub pass: &'static str,
    /// Whether the pass ran; it did not if the bisect limit was reached.
    pub ran: bool,
    /// Whether it changed anything.
    pub changed: bool,
}

/// A module on its way through the passes.
#[derive(Debug)]
pub struct Pipeline<'a> {
    state: State,
    plan: Cow<'a, Plan>,
    config: Config,
    report: Report,
    again: Option<Again>,
    /// How many passes of the schedule were run or skipped.
    done: usize,
    /// Whether a pass of the round that is under way, or of the last one, changed anything.
    round_changed: bool,
}

/// Deciding anew when all has settled.
#[derive(Debug)]
struct Again {
    options: PlanOptions,
    /// The first plan, and what was reported until the last one was made.
    earlier: Option<(Plan, Report)>,
    /// Whether a pass changed anything since the last plan.
    changed: bool,
}

/// A module, and what stays from pass to pass.
#[derive(Debug)]
struct State {
    module: Module,
    known: Known,
    /// How many passes were run or skipped before this pipeline.
    steps: usize,
    optional_runs: usize,
    /// Whether a pass ran that is not one of the registry.
    foreign: bool,
}

impl State {
    fn new(verified: Verified) -> Self {
        let (module, known) = (verified.into_module(), Known::default());
        Self { module, known, steps: 0, optional_runs: 0, foreign: false }
    }

    /// The module, verified as far as it was changed.
    fn finish(mut self, whole: bool) -> Result<Verified, PipelineError> {
        let hierarchy = self.known.hierarchy(&self.module);
        let changed = self.known.bodies.changed(&self.module, &hierarchy);
        let Self { module, known, foreign, .. } = self;
        // The verifier finds out for itself; the room of what was known serves it as well.
        drop((known, hierarchy));
        let whole = whole || foreign;
        verify_changed(module, |func| whole || changed[func])
            .map_err(|invalid| PipelineError::Broken { pass: None, diagnostics: invalid.diagnostics })
    }
}

/// A module that a plan can be made for, with what was learned on the way there.
///
/// ```
/// # use r8lite_ir::text::{self, Source};
/// use r8lite_passes::pipeline::{Config, Pipeline};
/// use r8lite_passes::plan::PlanOptions;
///
/// # let text = "class A {\n  static method three(): i32 {\n    a = add 1, 2\n    return a\n  }\n}\n";
/// # let module = text::parse(&[Source { name: "a.ir", text }]).unwrap();
/// # let verified = r8lite_ir::verify(module).unwrap();
/// let mut preparation = Pipeline::preparation(verified, &Config::default());
/// while preparation.next_pass().is_some() {
///     preparation.run_next()?;
/// }
/// let mut pipeline = Pipeline::deciding(preparation.prepared(), &PlanOptions::default(), Config::default())?;
/// assert!(pipeline.plan().calls.is_empty());
/// pipeline.run_all()?;
/// let (verified, report) = pipeline.finish()?;
/// # assert_eq!(report.summary.calls_total, 0);
/// # assert!(text::print_module(&verified).contains("return 3"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Prepared(State);

impl Prepared {
    /// A module that nothing is done to before the plan.
    pub fn raw(verified: Verified) -> Self {
        Self(State::new(verified))
    }

    /// The module as it stands.
    pub fn module(&self) -> &Module {
        &self.0.module
    }

    /// Decides what becomes of every updater and every call: see [`plan::decide`].
    pub fn decide(&mut self, options: &PlanOptions) -> Plan {
        plan::decide_with(&self.0.module, &mut self.0.known, options)
    }

    /// Makes the copies of methods that a plan of this module asks for, and those of the plans that follow, until one asks
    /// for no more, and yields that one: see [`crate::specialise`].
    ///
    /// # Errors
    /// If the pass went wrong.
    pub fn specialise(mut self, mut plan: Plan, options: &PlanOptions) -> Result<(Self, Plan), PipelineError> {
        while !plan.copies.is_empty() {
            let schedule = Schedule::exactly(&["specialise"]).expect("it is a pass of the registry");
            let config = Config { schedule, ..Config::default() };
            let mut pipeline = Pipeline::after(self, &plan, config).expect("one pass is in order");
            pipeline.run_all()?;
            self = pipeline.prepared();
            plan = self.decide(options);
        }
        Ok((self, plan))
    }

    /// The module, for who wants no more than that.
    ///
    /// # Errors
    /// If a pass broke the module.
    pub fn finish(self) -> Result<Verified, PipelineError> {
        self.0.finish(false)
    }
}

/// What is planned before the plan.
static NOTHING: Plan = Plan {
    updaters: Vec::new(),
    calls: Vec::new(),
    accessors: Vec::new(),
    copies: Vec::new(),
    originals: Vec::new(),
    kept: Vec::new(),
};

impl<'a> Pipeline<'a> {
    /// A module before the first pass. The plan must be one of this very module.
    ///
    /// # Errors
    /// If the schedule breaks the registry's order.
    pub fn new(verified: Verified, plan: &'a Plan, config: Config) -> Result<Self, ConfigError> {
        Self::after(Prepared::raw(verified), plan, config)
    }

    /// A module before what comes before the plan, [`registry::PREPARATION`]. The passes are counted on from there.
    pub fn preparation(verified: Verified, config: &Config) -> Pipeline<'static> {
        let row = |name: &&str| *registry::find(name).expect("the preparation names passes of the registry");
        let round = registry::PREPARATION.iter().map(row).collect();
        let config = Config { schedule: Schedule { passes: Vec::new(), round }, ..config.clone() };
        Pipeline {
            state: State::new(verified),
            plan: Cow::Borrowed(&NOTHING),
            config,
            report: Report::default(),
            again: None,
            done: 0,
            round_changed: false,
        }
    }

    /// A module that was prepared, and the plan that was made for it, which alone is carried out.
    ///
    /// # Errors
    /// If the schedule breaks the registry's order.
    pub fn after(prepared: Prepared, plan: &'a Plan, config: Config) -> Result<Self, ConfigError> {
        Self::with_plan(prepared, Cow::Borrowed(plan), config)
    }

    /// A module that was prepared, and a plan made for it now. When its passes are done, what they left may prove more
    /// than what there was: while some call stays, and a new plan has work, that one is carried out too.
    ///
    /// # Errors
    /// If the schedule breaks the registry's order.
    pub fn deciding(
        mut prepared: Prepared,
        options: &PlanOptions,
        config: Config,
    ) -> Result<Pipeline<'static>, ConfigError> {
        let plan = copies_last(prepared.decide(options));
        let mut pipeline = Pipeline::with_plan(prepared, Cow::Owned(plan), config)?;
        // Without the phases there is nothing to carry out.
        let has_phases = registry::PASSES
            .iter()
            .filter(|pass| pass.required)
            .all(|phase| pipeline.config.schedule.passes().any(|pass| pass.name == phase.name));
        pipeline.again = has_phases.then(|| Again { options: options.clone(), earlier: None, changed: false });
        Ok(pipeline)
    }

    fn with_plan(prepared: Prepared, plan: Cow<'a, Plan>, config: Config) -> Result<Self, ConfigError> {
        config.schedule.check_order()?;
        let report = Report::rows(prepared.module(), &plan);
        Ok(Self { state: prepared.0, plan, config, report, again: None, done: 0, round_changed: false })
    }

    /// The plan that is being carried out.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The module as the passes so far have left it.
    pub fn prepared(mut self) -> Prepared {
        self.state.steps += self.done;
        Prepared(self.state)
    }

    /// The pass that [`Pipeline::run_next`] would run.
    pub fn next_pass(&self) -> Option<&Pass> {
        let Schedule { passes, round } = &self.config.schedule;
        let Some(after) = self.done.checked_sub(passes.len()) else { return passes.get(self.done) };
        let (rounds, at) = (after.checked_div(round.len())?, after % round.len());
        if at == 0 && rounds > 0 && (!self.round_changed || rounds == MAX_ROUNDS) {
            return None;
        }
        round.get(at)
    }

    /// The module as it stands: after an error, as the pass left it.
    pub fn module(&self) -> &Module {
        &self.state.module
    }

    /// The pass that was at work on a method when it panicked, and that method, `Class.method`: for who catches panics.
    /// None for a pass that works on the module.
    pub fn panicked_at(&self) -> Option<(&'static str, String)> {
        let (pass, func) = self.state.known.bodies.at()?;
        Some((pass, func_name(&self.state.module, func)))
    }

    /// Runs the next pass, or skips it if the bisect limit is reached.
    ///
    /// # Errors
    /// If the pass failed, or broke the module, or changed it without saying so.
    ///
    /// # Panics
    /// If no pass is left.
    pub fn run_next(&mut self) -> Result<Step, PipelineError> {
        let pass = *self.next_pass().expect("a pass is left to run");
        self.start_round();
        self.done += 1;
        let mut step = Step { number: self.state.steps + self.done, pass: pass.name, ran: false, changed: false };
        if !pass.required {
            if self.config.bisect_limit.is_some_and(|limit| self.state.optional_runs >= limit) {
                return Ok(step);
            }
            self.state.optional_runs += 1;
        }
        step.ran = true;
        step.changed = self.run_pass(pass)?.changed;
        self.note_change(step.changed);
        self.decide_again();
        Ok(step)
    }

    /// Notes that a round begins, if one does.
    fn start_round(&mut self) {
        let Schedule { passes, round } = &self.config.schedule;
        if self.done >= passes.len() && (self.done - passes.len()).is_multiple_of(round.len()) {
            self.round_changed = false;
        }
    }

    fn note_change(&mut self, changed: bool) {
        self.round_changed |= changed;
        if let Some(again) = &mut self.again {
            again.changed |= changed;
        }
    }

    /// When all passes are done, goes on with a new plan if that has work and what was done since the last one may be
    /// why. Each plan that is carried out leaves less to the next.
    fn decide_again(&mut self) {
        if self.next_pass().is_some() || self.report.summary.calls_kept == 0 {
            return;
        }
        let Some(again) = self.again.as_mut().filter(|again| again.changed) else { return };
        let State { module, known, .. } = &mut self.state;
        let next = copies_last(plan::decide_with(module, known, &again.options));
        if !next.has_work() {
            return;
        }
        // Passes that found nothing to do by the last plan may find something by this one.
        known.bodies.stir();
        let report = std::mem::replace(&mut self.report, Report::rows(module, &next));
        let plan = std::mem::replace(&mut self.plan, Cow::Owned(next)).into_owned();
        again.earlier = Some(match again.earlier.take() {
            Some((first, earlier)) => {
                let earlier = earlier.followed_by(module, &first, &plan, report);
                (first, earlier)
            }
            None => (plan, report),
        });
        again.changed = false;
        self.state.steps += self.done;
        self.done = 0;
        self.round_changed = false;
    }

    /// Runs what is left. Where nobody looks in between, passes over bodies that follow each other are run together.
    ///
    /// # Errors
    /// As [`Pipeline::run_next`].
    pub fn run_all(&mut self) -> Result<(), PipelineError> {
        let Config { bisect_limit, verify_each, check_unchanged, .. } = self.config;
        let watched = bisect_limit.is_some() || verify_each || check_unchanged;
        while self.next_pass().is_some() {
            let row = if watched { Vec::new() } else { self.body_passes() };
            if row.len() < 2 {
                self.run_next()?;
            } else {
                self.run_together(&row);
            }
        }
        Ok(())
    }

    /// The passes over bodies that come next, up to the end of the round.
    fn body_passes(&self) -> Vec<(&'static str, BodyPass)> {
        let Schedule { passes, round } = &self.config.schedule;
        let left = match self.done.checked_sub(passes.len()) {
            None => &passes[self.done..],
            Some(after) => &round[after % round.len()..],
        };
        let body_pass = |pass: &Pass| match pass.run {
            Run::Body(body_pass) if registry::is_ours(pass) => Some((pass.name, body_pass)),
            Run::Body(_) | Run::Module(_) => None,
        };
        left.iter().map_while(body_pass).collect()
    }

    /// Runs the passes over bodies that come next. If they are a whole round, each body goes through all its rounds.
    fn run_together(&mut self, row: &[(&'static str, BodyPass)]) {
        self.start_round();
        let is_round = row.len() == self.config.schedule.round.len();
        let rounds = if is_round { MAX_ROUNDS as u32 } else { 1 };
        let State { module, known, .. } = &mut self.state;
        let Outcome { changed, .. } = known.run_bodies(module, row, rounds);
        if changed {
            known.bodies.stir();
        }
        self.done += row.len();
        self.note_change(changed);
        // Then a round more would change nothing.
        self.round_changed &= !is_round;
        self.decide_again();
    }

    fn run_pass(&mut self, pass: Pass) -> Result<Outcome, PipelineError> {
        let Self { state, plan, config, report, .. } = self;
        let State { module, known, foreign, .. } = state;
        let before = config.check_unchanged.then(|| text::print_module(module));
        let ours = registry::is_ours(&pass);
        let result = match pass.run {
            Run::Module(_) if ours && known.bodies.is_settled(pass.name) => Ok(Outcome::default()),
            Run::Module(run) => {
                let mut cx = PassCx::resume(&*plan, report, std::mem::take(known));
                cx.known.bodies.start_run(pass.name);
                let result = run(module, &mut cx);
                *known = cx.known;
                result
            }
            Run::Body(body_pass) => Ok(known.run_bodies(module, &[(pass.name, body_pass)], 1)),
        };
        let outcome = result.map_err(|error| PipelineError::Pass { pass: pass.name, error })?;
        if outcome.changed {
            known.bodies.stir();
        }
        if outcome.declarations {
            known.declarations_changed();
        }
        if !ours {
            *foreign = true;
            if outcome.changed {
                known.bodies.forget(module);
            }
        }
        if outcome.changed {
            if config.verify_each {
                verify_whole(module, pass.name)?;
            }
        } else if before.is_some_and(|before| before != text::print_module(module)) {
            return Err(PipelineError::Unsaid { pass: pass.name });
        }
        Ok(outcome)
    }

    /// The module and the report after the last pass.
    ///
    /// Bodies that no pass changed are not verified again, unless it was asked for after each pass, or a pass from
    /// outside of the registry ran.
    ///
    /// # Errors
    /// If the module is not in order.
    pub fn finish(self) -> Result<(Verified, Report), PipelineError> {
        let Optimized { module, report, .. } = self.finish_with_plan()?;
        Ok((module, report))
    }

    fn finish_with_plan(self) -> Result<Optimized, PipelineError> {
        let module = self.state.finish(self.config.verify_each)?;
        let (plan, report) = match self.again.and_then(|again| again.earlier) {
            Some((first, earlier)) => {
                let report = earlier.followed_by(&module, &first, &self.plan, self.report);
                (first, report)
            }
            None => (self.plan.into_owned(), self.report),
        };
        let report = report.fold_copies(&module, &plan);
        Ok(Optimized { module, plan, report })
    }
}

/// The plan without its copies if it has calls to replace: what these leave may prove enough.
fn copies_last(mut plan: Plan) -> Plan {
    if plan.calls.iter().any(|call| matches!(call.action, plan::Action::Replace(_))) {
        plan.copies.clear();
    }
    plan
}

/// Verifies a module after a pass, in its place.
fn verify_whole(module: &mut Module, pass: &'static str) -> Result<(), PipelineError> {
    match verify(std::mem::take(module)) {
        Ok(verified) => {
            *module = verified.into_module();
            Ok(())
        }
        Err(invalid) => {
            *module = invalid.module;
            Err(PipelineError::Broken { pass: Some(pass), diagnostics: invalid.diagnostics })
        }
    }
}

/// Why [`run`] gave up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The request makes no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A pass has a bug.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
}

/// Runs what comes before the plan: see [`registry::PREPARATION`].
///
/// # Errors
/// If a pass went wrong.
pub fn prepare(verified: Verified, config: &Config) -> Result<Verified, RunError> {
    let mut pipeline = Pipeline::preparation(verified, config);
    pipeline.run_all()?;
    Ok(pipeline.finish()?.0)
}

/// What [`optimize`] made.
#[derive(Debug)]
#[non_exhaustive]
pub struct Optimized {
    /// The program as it is now.
    pub module: Verified,
    /// What was decided at first. It speaks of the program as [`prepare`] left it.
    pub plan: Plan,
    /// What was done.
    pub report: Report,
}

/// Prepares, decides, and runs all passes: see [`Pipeline::deciding`].
///
/// # Errors
/// If the schedule cannot be run, or a pass went wrong.
pub fn optimize(verified: Verified, options: &PlanOptions, config: Config) -> Result<Optimized, RunError> {
    let mut pipeline = Pipeline::preparation(verified, &config);
    pipeline.run_all()?;
    // What the plan needs is a module in order, and the passes keep it so; it is verified once, at the end.
    let mut pipeline = Pipeline::deciding(pipeline.prepared(), options, config)?;
    pipeline.run_all()?;
    Ok(pipeline.finish_with_plan()?)
}

/// Runs all passes.
///
/// # Errors
/// If the schedule cannot be run, or a pass went wrong.
pub fn run(verified: Verified, plan: &Plan, config: Config) -> Result<(Verified, Report), RunError> {
    let mut pipeline = Pipeline::new(verified, plan, config)?;
    pipeline.run_all()?;
    Ok(pipeline.finish()?)
}
