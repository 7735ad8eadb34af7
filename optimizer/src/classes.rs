//! The commands for class files: open, lift, plan, report.

use anyhow::anyhow;
use r8lite::explain as explaining;
use r8lite_ir::text;
use r8lite_jvm::program::{Content, Given, Limits, Program};
use r8lite_jvm::{Methods, Refused, lift};
use r8lite_passes::plan;
use r8lite_passes::report::Report;

use crate::cli::Emit;
use crate::console::Console;
use crate::drive::{self, Options};
use crate::failure::{self, Failure};
use crate::input::{self, ClassFiles, ClassInput, Inputs};
use crate::observe::Clock;
use crate::output::{self, Files};

/// How many classes that are left as they are get a line on standard error.
const MAX_WARNINGS: usize = 20;

/// `r8lite optimize` and `r8lite explain`, for class files.
pub(crate) fn optimize(
    options: &Options,
    inputs: &[ClassInput],
    console: &Console,
    mut clock: Clock,
) -> Result<(), Failure> {
    if !options.only_plan {
        return Err(failure::not_built("`optimize` for class files"));
    }
    let classpath = clock.time("read", || match &options.class_files.classpath {
        Some(classpath) => input::read_classpath(classpath),
        None => Ok(Vec::new()),
    })?;
    let (program, classpath) = clock.time("open", || Ok::<_, Failure>((open(inputs)?, open(&classpath)?)))?;
    let lifted = clock.time("lift", || program.lift(&classpath));
    let module = &lifted.lifted.module;
    let plan = clock.time("plan", || plan::decide(module, &options.plan));
    drive::warn_of_idle_patterns(&options.plan, module, console);
    let mut report = Report::planned(module, &plan);
    report.remarks.extend(lifted.refused.iter().map(|refused| format!("left as it is: {refused}")));
    write_reports(options, &report)?;
    if options.time_passes {
        output::stderr(&clock.table());
    }
    if options.class_files.strict && !lifted.refused.is_empty() {
        say_refused(&lifted.refused, console);
        return Err(Failure::Input(Some("--strict wants every class to be read".to_owned())));
    }
    drive::enough_replaced(options, &report)
}

fn open(inputs: &[ClassInput]) -> Result<Program<'_>, Failure> {
    let given: Vec<Given<'_>> = inputs
        .iter()
        .map(|input| Given {
            name: &input.name,
            content: match &input.files {
                ClassFiles::File(bytes) => Content::File(bytes),
                ClassFiles::Folder { files, .. } => Content::Folder(files),
            },
        })
        .collect();
    Program::open(&given, &Limits::default()).map_err(|error| Failure::Input(Some(error.to_string())))
}

fn say_refused(refused: &[Refused], console: &Console) {
    for refused in refused.iter().take(MAX_WARNINGS) {
        console.warning(&format!("left as it is: {refused}"));
    }
    if let Some(more @ 1..) = refused.len().checked_sub(MAX_WARNINGS) {
        console.warning(&format!("{more} more are left as they are; --report lists them"));
    }
}

fn write_reports(options: &Options, report: &Report) -> Result<(), Failure> {
    let mut files = Files::default();
    let mut printed = String::new();
    if options.emit.contains(&Emit::Report) {
        printed += &explaining::text(report);
    }
    if let Some(path) = &options.report {
        match path.to_str() {
            Some("-") => printed += &explaining::json(report),
            _ => files.add(path, explaining::json(report))?,
        }
    }
    files.commit()?;
    output::stdout(&printed)
}

/// `r8lite verify`, for class files.
pub(crate) fn verify(inputs: &[ClassInput]) -> Result<(), Failure> {
    let program = open(inputs)?;
    let lifted = lift(&program.inputs(), &[], &r8lite_jvm::Options::of(Methods::All));
    if lifted.refused.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = lifted.refused.iter().map(ToString::to_string).collect();
    Err(Failure::Input(Some(lines.join("\n"))))
}

/// `r8lite dis`.
pub(crate) fn dis(paths: &[std::path::PathBuf], console: &Console) -> Result<(), Failure> {
    let inputs = match input::read(paths)? {
        Inputs::Classes(inputs) => inputs,
        Inputs::Ir(inputs) => return Err(anyhow!("`{}` is IR text already", inputs[0].name).into()),
    };
    let program = open(&inputs)?;
    let lifted = lift(&program.inputs(), &[], &r8lite_jvm::Options::of(Methods::All));
    say_refused(&lifted.refused, console);
    output::stdout(&text::print_module(&lifted.module))
}
