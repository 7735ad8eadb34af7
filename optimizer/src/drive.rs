//! The commands, hop by hop: read, parse, verify, plan, run the passes, write.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use r8lite::explain as explaining;
use r8lite::render::Texts;
use r8lite_ir::text::{self, Source};
use r8lite_ir::{Class, ClassOrigin, File, Module, Verified};
use r8lite_passes::pipeline::{self, Config, Pipeline, Prepared, Schedule};
use r8lite_passes::plan::PlanOptions;
use r8lite_passes::registry;
use r8lite_passes::report::Report;

use crate::classes;
use crate::cli::{self, Emit};
use crate::console::Console;
use crate::failure::{self, Failure};
use crate::input::{self, Input, Inputs};
use crate::observe::{Clock, Observe};
use crate::output::{self, Files};

/// What `optimize` and `explain` are to do, with all defaults filled in.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) emit: Vec<Emit>,
    pub(crate) plan: PlanOptions,
    /// Whether the passes were named, and nothing else is to run, not even what prepares the plan.
    pub(crate) raw: bool,
    /// Whether to stop at what is planned, and change nothing.
    pub(crate) only_plan: bool,
    pub(crate) config: Config,
    pub(crate) observe: Observe,
    pub(crate) explain: bool,
    pub(crate) report: Option<PathBuf>,
    fail_under: Option<f64>,
    pub(crate) time_passes: bool,
    pub(crate) class_files: cli::ClassFiles,
}

impl Options {
    pub(crate) fn of_optimize(args: cli::Optimize) -> Result<Self, Failure> {
        if let Some(kind) = args.emit.iter().find(|kind| matches!(kind, Emit::Clif | Emit::Asm | Emit::Obj)) {
            return Err(failure::not_built(&format!("--emit {}", format!("{kind:?}").to_lowercase())));
        }
        if args.reports.report.as_deref() == Some(Path::new("-")) && args.output.is_none() {
            let message =
                "--report - writes the report to standard output, where the program goes already; name --output";
            return Err(anyhow!(message).into());
        }
        let flags = args.passes;
        let mut config = Config::default();
        if let Some(names) = &flags.passes {
            config.schedule = Schedule::of(names).map_err(anyhow::Error::new)?;
        }
        config.bisect_limit = flags.bisect_limit;
        config.verify_each = flags.verify_each;
        config.check_unchanged = flags.verify_each;
        let bisecting = flags.bisect_limit.is_some();
        Ok(Self {
            inputs: args.inputs.inputs,
            output: args.output.filter(|path| path != Path::new("-")),
            emit: args.emit,
            plan: plan_options(args.scope),
            raw: flags.passes.is_some(),
            only_plan: false,
            config,
            observe: Observe::new(flags.print_before, flags.print_after, flags.dump_dir, bisecting, flags.time_passes)?,
            explain: args.reports.explain,
            report: args.reports.report,
            fail_under: args.reports.fail_under,
            time_passes: flags.time_passes,
            class_files: args.class_files,
        })
    }

    pub(crate) fn of_explain(args: cli::Explain) -> Result<Self, Failure> {
        Ok(Self {
            inputs: args.inputs.inputs,
            output: None,
            // The report is the one thing that is asked for; as JSON it takes the place of the text.
            emit: if args.report.as_deref() == Some(Path::new("-")) { Vec::new() } else { vec![Emit::Report] },
            plan: plan_options(args.scope),
            raw: false,
            only_plan: true,
            config: Config::default(),
            observe: Observe::new(Vec::new(), Vec::new(), None, false, false)?,
            explain: false,
            report: args.report,
            fail_under: None,
            time_passes: false,
            class_files: args.class_files,
        })
    }
}

fn plan_options(scope: cli::Scope) -> PlanOptions {
    let cli::Scope { keep, whole_program, closed_packages } = scope;
    PlanOptions { keep, whole_program, closed_packages, declares_uids: false }
}

/// `r8lite optimize` and `r8lite explain`.
pub(crate) fn optimize(options: &Options, console: &Console) -> Result<(), Failure> {
    let mut clock = Clock::default();
    match clock.time("read", || input::read(&options.inputs))? {
        Inputs::Ir(inputs) => optimize_ir(options, &inputs, console, clock),
        Inputs::Classes(inputs) => classes::optimize(options, &inputs, console, clock),
    }
}

/// The five hops for IR text.
fn optimize_ir(options: &Options, inputs: &[Input], console: &Console, mut clock: Clock) -> Result<(), Failure> {
    if options.class_files.any() {
        console.warning("--backend, --min-api, --min-java, --classpath and --strict have no effect on IR text");
    }
    let module = clock.time("parse", || parse(inputs, console))?;
    let verified = clock.time("verify", || check(module, inputs, console))?;
    let mut prepared = prepare(verified, options, &mut clock)?;
    if options.only_plan {
        // The passes would make the copies; the plan speaks of them only once they are there.
        let specialised = clock.time("plan", || {
            let plan = prepared.decide(&options.plan);
            prepared.specialise(plan, &options.plan)
        });
        (prepared, _) = specialised.map_err(|error| Failure::Bug(error.to_string()))?;
    }
    let mut pipeline = clock
        .time("plan", || Pipeline::deciding(prepared, &options.plan, options.config.clone()))
        .map_err(anyhow::Error::new)?;
    warn_of_idle_patterns(&options.plan, pipeline.module(), console);
    let plan_text = match options.emit.contains(&Emit::Plan) {
        true => pipeline.plan().text(pipeline.module()),
        false => String::new(),
    };
    if !options.only_plan {
        options.observe.run(&mut pipeline, &mut clock)?;
    }
    let finished = clock.time("verify", || pipeline.finish());
    let (module, mut report) = finished.map_err(|error| Failure::Bug(error.to_string()))?;
    report.locate(&sources(inputs));
    clock.time("write", || write(options, inputs, &module, &plan_text, &report))?;
    conclude(options, &report, &clock)
}

/// What is said when all is written, and whether enough was replaced.
pub(crate) fn conclude(options: &Options, report: &Report, clock: &Clock) -> Result<(), Failure> {
    if options.explain {
        output::stderr(&explaining::text(report));
    }
    if options.time_passes {
        output::stderr(&clock.table());
    }
    enough_replaced(options, report)
}

/// What comes before the plan; nothing, where the passes were named.
fn prepare(verified: Verified, options: &Options, clock: &mut Clock) -> Result<Prepared, Failure> {
    options.observe.input(&verified)?;
    if options.raw {
        return Ok(Prepared::raw(verified));
    }
    let mut pipeline = Pipeline::preparation(verified, &options.config);
    options.observe.run(&mut pipeline, clock)?;
    Ok(pipeline.prepared())
}

/// Says which patterns keep nothing: perhaps they are misspelt.
pub(crate) fn warn_of_idle_patterns(plan: &PlanOptions, module: &Module, console: &Console) {
    for pattern in &plan.keep {
        let only = PlanOptions { keep: vec![pattern.clone()], ..PlanOptions::default() };
        let keeps = |class: Class| {
            let data = &module.classes[class];
            let mut names = data.fields.iter().map(|&field| module.name(module.fields[field].name));
            names.any(|name| only.keeps(module.name(data.name), name).is_some())
        };
        if !module.program_classes().any(keeps) {
            console
                .warning(&format!("no field matches `--keep {pattern}`; a pattern is Class.field, with the package"));
        }
    }
}

/// `r8lite verify`.
pub(crate) fn verify(paths: &[PathBuf], console: &Console) -> Result<(), Failure> {
    match input::read(paths)? {
        Inputs::Ir(inputs) => load(&inputs, console).map(drop),
        Inputs::Classes(inputs) => classes::verify(&inputs),
    }
}

/// `r8lite passes`.
pub(crate) fn list_passes() -> Result<(), Failure> {
    let width = registry::PASSES.iter().map(|pass| pass.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for pass in registry::PASSES {
        let required = if pass.required { " (required)" } else { "" };
        out += &format!("{:width$}  {}{required}\n", pass.name, pass.about);
    }
    output::stdout(&out)
}

/// Texts to a verified module; what is wrong with them is said.
pub(crate) fn load(inputs: &[Input], console: &Console) -> Result<Verified, Failure> {
    check(parse(inputs, console)?, inputs, console)
}

fn sources(inputs: &[Input]) -> Vec<Source<'_>> {
    inputs.iter().map(|input| Source { name: &input.name, text: &input.text }).collect()
}

fn parse(inputs: &[Input], console: &Console) -> Result<Module, Failure> {
    let sources = sources(inputs);
    text::parse(&sources).map_err(|error| {
        console.diagnostics(&error.diagnostics, Texts { names: &error.files, sources: &sources });
        Failure::Input(None)
    })
}

fn check(module: Module, inputs: &[Input], console: &Console) -> Result<Verified, Failure> {
    r8lite_ir::verify(module).map_err(|invalid| {
        let texts = Texts { names: &invalid.module.files, sources: &sources(inputs) };
        console.diagnostics(&invalid.diagnostics, texts);
        Failure::Input(None)
    })
}

/// Optimises with everything at its default, for a program that is about to run.
pub(crate) fn optimize_quietly(verified: Verified) -> Result<Verified, Failure> {
    match pipeline::optimize(verified, &PlanOptions::default(), Config::default()) {
        Ok(optimized) => Ok(optimized.module),
        Err(error) => Err(Failure::Bug(error.to_string())),
    }
}

fn enough_replaced(options: &Options, report: &Report) -> Result<(), Failure> {
    let percent = explaining::replaced_percent(&report.summary);
    match options.fail_under {
        Some(limit) if percent < limit => Err(Failure::Input(Some(format!(
            "{percent:.1} % of the updater calls were replaced, which is under the limit of {limit} %"
        )))),
        _ => Ok(()),
    }
}

fn write(
    options: &Options,
    inputs: &[Input],
    module: &Module,
    plan_text: &str,
    report: &Report,
) -> Result<(), Failure> {
    let mut files = Files::default();
    let mut printed = String::new();
    for &kind in &options.emit {
        let text = match kind {
            Emit::Ir => match &options.output {
                Some(folder) if inputs.len() > 1 => {
                    add_each(&mut files, folder, inputs, module)?;
                    continue;
                }
                _ => text::print_module(module),
            },
            Emit::Plan => plan_text.to_string(),
            Emit::Report => explaining::text(report),
            Emit::Clif | Emit::Asm | Emit::Obj => unreachable!("refused with the options"),
        };
        add_text(options, kind, inputs.len() > 1, text, &mut files, &mut printed)?;
    }
    add_json(options, report, &mut files, &mut printed)?;
    files.commit()?;
    output::stdout(&printed)
}

/// Adds one kind of output to the files, or to what is printed if no output was named.
pub(crate) fn add_text(
    options: &Options,
    kind: Emit,
    folder: bool,
    text: String,
    files: &mut Files,
    printed: &mut String,
) -> Result<(), Failure> {
    match &options.output {
        Some(path) => files.add(&beside(path, kind, folder, &options.emit), text)?,
        None => *printed += &text,
    }
    Ok(())
}

/// Adds the report for tools where it was asked for.
pub(crate) fn add_json(
    options: &Options,
    report: &Report,
    files: &mut Files,
    printed: &mut String,
) -> Result<(), Failure> {
    match &options.report {
        Some(path) if path == Path::new("-") => *printed += &explaining::json(report),
        Some(path) => files.add(path, explaining::json(report))?,
        None => {}
    }
    Ok(())
}

/// Where one kind of output goes: to OUTPUT itself if it is the only kind, else beside the IR under a name of its own.
fn beside(output: &Path, kind: Emit, folder: bool, all: &[Emit]) -> PathBuf {
    let name = match kind {
        Emit::Plan => "plan",
        Emit::Report => "report",
        Emit::Ir | Emit::Clif | Emit::Asm | Emit::Obj => return output.to_path_buf(),
    };
    if folder {
        output.join(format!("{name}.txt"))
    } else if all.len() == 1 {
        output.to_path_buf()
    } else {
        let mut path = output.as_os_str().to_os_string();
        path.push(format!(".{name}"));
        PathBuf::from(path)
    }
}

/// One file for each input, with the classes that it declared.
fn add_each(files: &mut Files, folder: &Path, inputs: &[Input], module: &Module) -> Result<(), Failure> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    let mut taken = HashSet::new();
    for (file, name) in module.files.iter() {
        let Some(input) = inputs.iter().find(|input| input.name == *name) else { continue };
        let file_name = input.file_name.clone().unwrap_or_else(|| PathBuf::from("stdin.ir"));
        if !taken.insert(file_name.clone()) {
            let name = file_name.display();
            return Err(anyhow!("two inputs are called `{name}`, and would be one file in the output folder").into());
        }
        files.add(&folder.join(&file_name), print_file(module, file))?;
    }
    Ok(())
}

/// The classes that a text declared.
fn print_file(module: &Module, file: File) -> String {
    let mut part = module.clone();
    for data in part.classes.values_mut() {
        if data.origin == ClassOrigin::Program && data.file != Some(file) {
            data.origin = ClassOrigin::Library;
        }
    }
    text::print_module(&part)
}
