//! What each directive tests.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use r8lite::ir::diag::Diagnostic;
use r8lite::ir::interp::explore::{Exploration, MemoryModel};
use r8lite::passes::pipeline::{self, Config, Optimized, Schedule};
use r8lite::passes::plan;
use r8lite::text::{self, Source};
use r8lite::{Module, PlanOptions, Report, Verified, explain, verify};
use similar::TextDiff;

use crate::behaviour::{self, Behaviour};
use crate::case::{Case, Directive, Expected};

/// The tests of a case.
pub(crate) fn trials(case: Case) -> Vec<Trial> {
    let case = Arc::new(case);
    let mut trials = Vec::new();
    for directive in case.directives.clone() {
        let case = Arc::clone(&case);
        let name = format!("{}::{}", case.name, directive.stage());
        trials.push(Trial::test(name, move || test(&case, &directive)));
    }
    trials
}

fn test(case: &Case, directive: &Directive) -> Result<(), Failed> {
    if *directive == Directive::Parse {
        return parse_test(case);
    }
    let module = parse(&case.text)?;
    printing_is_stable(&module)?;
    if *directive == Directive::Verify {
        return verify_test(case, module);
    }
    let verified = verified(module)?;
    match directive {
        Directive::Parse | Directive::Verify => unreachable!("done above"),
        Directive::Optimize => optimize_test(case, directive, verified),
        Directive::Pass(names) => pass_test(case, directive, names, &verified),
        Directive::Run(args) => run_test(case, directive, args, &verified),
        Directive::Explore(memory) => {
            let exploration = behaviour::explore_all(&verified, *memory)?;
            snapshot(case, directive, &exploration.to_string())
        }
        Directive::ExploreOptimized(memory) => explore_optimized_test(case, directive, *memory, verified),
        Directive::ExploreChanged(memory) => explore_changed_test(case, directive, *memory, verified),
    }
}

fn parse_test(case: &Case) -> Result<(), Failed> {
    match text::parse(&[source(&case.text)]) {
        Ok(module) => {
            expect_errors(case, &[])?;
            printing_is_stable(&module)
        }
        Err(error) => expect_errors(case, &error.diagnostics),
    }
}

fn verify_test(case: &Case, module: Module) -> Result<(), Failed> {
    match verify(module) {
        Ok(_) => expect_errors(case, &[]),
        Err(invalid) => expect_errors(case, &invalid.diagnostics),
    }
}

/// Each diagnostic has its comment on its line, and each comment its diagnostic.
fn expect_errors(case: &Case, diagnostics: &[Diagnostic]) -> Result<(), Failed> {
    let line_of = |diagnostic: &Diagnostic| {
        let start = (diagnostic.span.start as usize).min(case.text.len());
        1 + case.text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count()
    };
    let fits = |diagnostic: &Diagnostic, expected: &Expected| {
        line_of(diagnostic) == expected.line && diagnostic.message.contains(&expected.text)
    };
    let mut problems = Vec::new();
    for diagnostic in diagnostics {
        if !case.errors.iter().any(|expected| fits(diagnostic, expected)) {
            problems.push(format!("line {}: not expected: {diagnostic}", line_of(diagnostic)));
        }
    }
    for expected in &case.errors {
        if !diagnostics.iter().any(|diagnostic| fits(diagnostic, expected)) {
            problems.push(format!("line {}: expected, but not found: {}", expected.line, expected.text));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}

fn optimize_test(case: &Case, directive: &Directive, before: Verified) -> Result<(), Failed> {
    let done = optimize(case, before.clone(), Config::checked())?;
    let printed = text::print_module(&done.module);
    let report = explain::text(&done.report);
    printing_is_stable(&done.module)?;
    // Where nobody looks, bodies go through several passes at once.
    let unwatched = optimize(case, before.clone(), Config::default())?;
    same_text("it comes out otherwise when passes run together", &printed, &text::print_module(&unwatched.module))?;
    same_text("the report is another", &report, &explain::text(&unwatched.report))?;
    same_behaviour(case, &before, &done.module)?;
    let again = optimize(case, verified(parse(&printed)?)?, Config::checked())?;
    same_text("a second time changes the program once more", &printed, &text::print_module(&again.module))?;
    let prepared = pipeline::prepare(before, &Config::checked()).map_err(|error| error.to_string())?;
    let plan = done.plan.text(&prepared);
    let plan = if plan.is_empty() { "nothing to do\n" } else { &plan };
    let (plan, report) = (comments(plan), comments(&report));
    snapshot(case, directive, &format!("; The plan:\n;\n{plan}\n{printed}\n; The report:\n;\n{report}"))
}

fn comments(text: &str) -> String {
    text.lines().map(|line| format!("; {line}").trim_end().to_string() + "\n").collect()
}

/// How many seeds of the scheduler a program is run with.
const SEEDS: u64 = 5;

fn behaviours(module: &Verified, args: &[String]) -> Result<BTreeSet<Behaviour>, Failed> {
    let runs = (0..SEEDS).map(|seed| behaviour::run(module, args, seed));
    Ok(runs.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// A program whose threads race ends in more than one way; `explore-optimized` is for those.
fn same_behaviour(case: &Case, before: &Verified, after: &Verified) -> Result<(), Failed> {
    let expected = behaviours(before, &[])?;
    let Some(first) = expected.first() else {
        return if case.prints.is_none() { Ok(()) } else { Err("`; prints:` wants a main method".into()) };
    };
    expect_prints(case, &expected)?;
    let found = behaviours(after, &[])?;
    if expected.len() > 1 || found == expected {
        return Ok(());
    }
    let other = found.iter().find(|other| *other != first).map(Behaviour::to_string).unwrap_or_default();
    same_text("the optimised program does something else", &first.to_string(), &other)
}

fn expect_prints(case: &Case, runs: &BTreeSet<Behaviour>) -> Result<(), Failed> {
    let Some(prints) = &case.prints else { return Ok(()) };
    for run in runs {
        same_text("the program does not print what the file says", prints, &run.stdout)?;
    }
    Ok(())
}

fn run_test(case: &Case, directive: &Directive, args: &[String], module: &Verified) -> Result<(), Failed> {
    let runs = behaviours(module, args)?;
    if args.is_empty() {
        expect_prints(case, &runs)?;
    }
    match runs.first() {
        None => Err("there is no main method to run".into()),
        Some(run) if runs.len() == 1 => snapshot(case, directive, &run.to_string()),
        Some(_) => Err("the program's threads race: it ends otherwise with another seed".into()),
    }
}

fn explore_optimized_test(
    case: &Case,
    directive: &Directive,
    memory: MemoryModel,
    before: Verified,
) -> Result<(), Failed> {
    let (report, expected, found) = explore_both(case, memory, before)?;
    every_call_is_replaced(&report)?;
    let listed = |exploration: &Exploration| -> String {
        behaviour::outcomes(exploration).iter().map(Behaviour::to_string).collect()
    };
    same_text("the optimised program has other outcomes", &listed(&expected), &listed(&found))?;
    snapshot(case, directive, &expected.to_string())
}

/// What `ir/LANGUAGE.md` says that optimising may change: the outcomes before and after.
fn explore_changed_test(
    case: &Case,
    directive: &Directive,
    memory: MemoryModel,
    before: Verified,
) -> Result<(), Failed> {
    let (_, expected, found) = explore_both(case, memory, before)?;
    if behaviour::outcomes(&expected) == behaviour::outcomes(&found) {
        return Err("the optimised program has the same outcomes, so the case shows no change".into());
    }
    snapshot(case, directive, &format!("before\n\n{expected}\nafter\n\n{found}"))
}

/// What optimising reports, and the outcomes before and after.
fn explore_both(
    case: &Case,
    memory: MemoryModel,
    before: Verified,
) -> Result<(Report, Exploration, Exploration), Failed> {
    let after = optimize(case, before.clone(), Config::checked())?;
    let expected = behaviour::explore_all(&before, memory)?;
    let found = behaviour::explore_all(&after.module, memory)?;
    Ok((after.report, expected, found))
}

/// Calls that stay have the same outcomes as before, which would show nothing. A program without any is there for the
/// helping passes.
fn every_call_is_replaced(report: &Report) -> Result<(), Failed> {
    let summary = &report.summary;
    if summary.calls_replaced == summary.calls_total {
        return Ok(());
    }
    Err(format!("not every call is replaced, so its outcomes show little:\n{}", explain::text(report)).into())
}

fn pass_test(case: &Case, directive: &Directive, names: &[String], before: &Verified) -> Result<(), Failed> {
    let mut config = Config::checked();
    config.schedule = Schedule::exactly(names).map_err(|error| error.to_string())?;
    // The same plan serves twice: a new one would speak of what the first run left, and ask for new work.
    let plan = plan::decide(before, &plan_options(case)?);
    let run = |module: &Verified| -> Result<Verified, Failed> {
        Ok(pipeline::run(module.clone(), &plan, config.clone()).map_err(|error| error.to_string())?.0)
    };
    let once = run(before)?;
    let twice = run(&once)?;
    let (before, once) = (text::print_module(before), text::print_module(&once));
    same_text("a second time changes the program once more", &once, &text::print_module(&twice))?;
    let change = if before == once { "unchanged\n".to_string() } else { diff(&before, &once) };
    snapshot(case, directive, &change)
}

/// What `; flags:` says of the program.
fn plan_options(case: &Case) -> Result<PlanOptions, Failed> {
    let mut options = PlanOptions::default();
    let mut words = case.flags.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--whole-program" => options.whole_program = true,
            "--closed-packages" => options.closed_packages = true,
            "--keep" => {
                options.keep.push(words.next().ok_or("`--keep` wants a pattern")?.trim_matches('\'').to_owned())
            }
            other => return Err(format!("`; flags:` knows no `{other}`").into()),
        }
    }
    Ok(options)
}

fn optimize(case: &Case, verified: Verified, config: Config) -> Result<Optimized, Failed> {
    let mut done = pipeline::optimize(verified, &plan_options(case)?, config).map_err(|error| error.to_string())?;
    done.report.locate(&[source(&case.text)]);
    Ok(done)
}

fn source(text: &str) -> Source<'_> {
    Source { name: "case.ir", text }
}

fn parse(text: &str) -> Result<Module, Failed> {
    text::parse(&[source(text)]).map_err(|error| listed("the text does not parse", text, &error.diagnostics))
}

fn verified(module: Module) -> Result<Verified, Failed> {
    verify(module).map_err(|invalid| {
        listed("the program is not in order", &text::print_module(&invalid.module), &invalid.diagnostics)
    })
}

fn listed(what: &str, text: &str, diagnostics: &[Diagnostic]) -> Failed {
    let lines: String = diagnostics.iter().map(|diagnostic| format!("  {diagnostic}\n")).collect();
    format!("{what}:\n{lines}in:\n{text}").into()
}

/// What is printed parses, and prints as the same.
fn printing_is_stable(module: &Module) -> Result<(), Failed> {
    let printed = text::print_module(module);
    same_text("printing, parsing and printing again differs", &printed, &text::print_module(&parse(&printed)?))
}

fn same_text(what: &str, expected: &str, found: &str) -> Result<(), Failed> {
    if expected == found { Ok(()) } else { Err(format!("{what}:\n{}", diff(expected, found)).into()) }
}

fn diff(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).to_string()
}

/// Compares with the file of the same path under `snapshots`.
fn snapshot(case: &Case, directive: &Directive, text: &str) -> Result<(), Failed> {
    let path = Path::new(&case.name);
    let folder = crate::root().join("snapshots").join(path.parent().unwrap_or(Path::new("")));
    let file = path.file_name().expect("a case has a name").to_string_lossy();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let name = format!("{file}.{}", directive.stage());
    let compare = || settings.bind(|| insta::assert_snapshot!(name, text));
    catch_unwind(AssertUnwindSafe(compare)).map_err(|_| {
        let test = format!("{}::{}", case.name, directive.stage());
        let accept = format!("INSTA_UPDATE=always cargo test -p r8lite --test filetests -- --exact '{test}'");
        Failed::from(format!("the snapshot differs (see above); to accept what is found, having read it:\n  {accept}"))
    })
}
