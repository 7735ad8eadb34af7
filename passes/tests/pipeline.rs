//! The pipeline with passes of an embedder's own, good and bad.

use r8lite_ir::text::{self, Source};
use r8lite_ir::{Flags, Module, Verified, verify};
use r8lite_passes::pipeline::{self, Config, ConfigError, Pipeline, PipelineError, RunError, Schedule};
use r8lite_passes::plan::Plan;
use r8lite_passes::registry::{self, Outcome, Pass, PassCx, PassError, Run};

const PROGRAM: &str = "class Counter {
  static field n: i32

  static method one(): i32 {
    return 1
  }
}
";

fn program() -> Verified {
    let module = text::parse(&[Source { name: "Counter.ir", text: PROGRAM }]).expect("it parses");
    verify(module).expect("it is in order")
}

type ModulePass = fn(&mut Module, &mut PassCx<'_>) -> Result<Outcome, PassError>;

fn pass(name: &'static str, run: ModulePass) -> Pass {
    Pass { name, about: "a test's own", required: false, run: Run::Module(run) }
}

fn config(passes: &[Pass]) -> Config {
    let mut config = Config::checked();
    config.schedule = passes.iter().fold(Schedule::empty(), |schedule, &pass| schedule.push(pass));
    config
}

fn make_final(module: &mut Module) {
    let field = module.find_class("Counter").map(|class| module.classes[class].fields[0]);
    module.fields[field.expect("the program has the class")].flags = Flags::STATIC.with(Flags::FINAL);
}

fn idle(_: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    cx.report.remarks.push("idle".to_string());
    Ok(Outcome::default())
}

fn honest(module: &mut Module, _: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    make_final(module);
    Ok(Outcome { changed: true, declarations: true })
}

fn lying(module: &mut Module, _: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    make_final(module);
    Ok(Outcome::default())
}

fn failing(_: &mut Module, _: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    Err(PassError::new("lost"))
}

fn run(config: Config) -> Result<(Verified, r8lite_passes::report::Report), RunError> {
    pipeline::run(program(), &Plan::default(), config)
}

#[test]
fn passes_run_in_order_and_write_the_report() {
    let (module, report) =
        run(config(&[pass("idle", idle), pass("honest", honest), pass("idle", idle)])).expect("good");
    assert_eq!(text::print_module(&module), PROGRAM.replace("static field", "static final field"));
    assert_eq!(report.remarks, ["idle", "idle"]);
}

#[test]
fn a_pass_is_held_to_what_it_says() {
    let error = run(config(&[pass("lying", lying)])).unwrap_err();
    assert_eq!(error, RunError::Pipeline(PipelineError::Unsaid { pass: "lying" }));
}

#[test]
fn a_failing_pass_is_named() {
    let error = run(config(&[pass("idle", idle), pass("failing", failing)])).unwrap_err();
    assert_eq!(error.to_string(), "pass `failing` failed: lost");
}

#[test]
fn the_bisect_limit_counts_passes_that_can_be_skipped() {
    let required = Pass { required: true, ..pass("needed", idle) };
    let mut config = config(&[pass("first", idle), required, pass("second", idle), required]);
    config.bisect_limit = Some(1);
    let plan = Plan::default();
    let mut pipeline = Pipeline::new(program(), &plan, config).expect("the schedule is good");
    let mut ran = Vec::new();
    while pipeline.next_pass().is_some() {
        let step = pipeline.run_next().expect("the passes are good");
        ran.push((step.number, step.pass, step.ran));
    }
    assert_eq!(ran, [(1, "first", true), (2, "needed", true), (3, "second", false), (4, "needed", true)]);
}

#[test]
fn unknown_passes_list_the_known_ones() {
    let error = Schedule::of(&["fly"]).unwrap_err();
    let names: Vec<&str> = registry::PASSES.iter().map(|pass| pass.name).collect();
    assert_eq!(error.to_string(), format!("there is no pass `fly`; the passes are: {}", names.join(", ")));
    assert_eq!(
        Schedule::empty().insert_after("fly", pass("idle", idle)).unwrap_err(),
        ConfigError::Unknown("fly".into())
    );
}

#[test]
fn the_registry_is_consistent() {
    for (index, row) in registry::PASSES.iter().enumerate() {
        assert!(registry::PASSES[..index].iter().all(|other| other.name != row.name), "two passes `{}`", row.name);
        assert!(
            registry::SCHEDULE.iter().chain(registry::ROUND).any(|name| *name == row.name),
            "pass `{}` is in no schedule",
            row.name
        );
    }
    let schedule = Schedule::default();
    let first = |name: &str| schedule.passes().position(|pass| pass.name == name);
    for (earlier, later, why) in registry::ORDER.iter().chain(registry::PREFERENCES) {
        let (Some(earlier_at), Some(later_at)) = (first(earlier), first(later)) else {
            panic!("{earlier} and {later} are passes of the default schedule");
        };
        assert!(earlier_at < later_at, "{earlier} before {later}: {why}");
    }
    Pipeline::new(program(), &Plan::default(), Config::default()).expect("the default schedule keeps the order");
}

#[test]
fn order_and_required_passes_are_checked_before_anything_runs() {
    for &(earlier, later, why) in registry::ORDER {
        let mut config = Config::default();
        config.schedule = Schedule::exactly(&[later, earlier]).expect("the registry has both");
        let error = Pipeline::new(program(), &Plan::default(), config).unwrap_err();
        // Another row may speak of the same two.
        assert!(matches!(error, ConfigError::Order { .. }), "{error}");
        assert!(!why.is_empty());
    }
    let required: Vec<&str> = registry::PASSES.iter().filter(|pass| pass.required).map(|pass| pass.name).collect();
    if let [first, .., _] = required.as_slice() {
        assert!(matches!(Schedule::of(&[first]), Err(ConfigError::Dropped { .. })));
    }
}
