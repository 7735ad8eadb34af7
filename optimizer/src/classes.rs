//! The commands for class files, hop by hop: open, lift, plan, apply, write.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use r8lite::explain as explaining;
use r8lite_ir::{Class, Verified, text};
use r8lite_jvm::program::{Content, Given, LiftedProgram, Limits, Obstacle, Program, Written};
use r8lite_jvm::{Applied, ApplyOptions, Backend, Methods, Refused, lift};
use r8lite_passes::plan::PlanOptions;
use r8lite_passes::report::Report;

use crate::cli::{self, Emit};
use crate::console::Console;
use crate::drive::{self, Options};
use crate::failure::Failure;
use crate::input::{self, ClassFiles, ClassInput, Inputs};
use crate::observe::Clock;
use crate::output::{self, Files};
use crate::progress;

/// How many classes that are left as they are get a line on standard error.
const MAX_WARNINGS: usize = 20;

/// The first versions that have `VarHandle`.
const VARHANDLE_JAVA: u32 = 9;
const VARHANDLE_API: u32 = 33;

/// `r8lite optimize` and `r8lite explain`, for class files.
pub(crate) fn optimize(
    options: &Options,
    inputs: &[ClassInput],
    console: &Console,
    mut clock: Clock,
) -> Result<(), Failure> {
    check_usage(options, inputs, console)?;
    let classpath = clock.time("read", || match &options.class_files.classpath {
        Some(classpath) => input::read_classpath(classpath),
        None => Ok(Vec::new()),
    })?;
    let (program, classpath) = clock.time("open", || Ok::<_, Failure>((open(inputs)?, open(&classpath)?)))?;
    let lift = || progress::show("looking at classes", || program.progress(), || program.lift(&classpath));
    let lifted = clock.time("lift", lift);
    if options.class_files.strict && !lifted.refused.is_empty() {
        say_refused(&lifted.refused, console);
        return Err(Failure::Input(Some("--strict wants every class to be read; nothing was written".to_owned())));
    }
    drive::warn_of_idle_patterns(&options.plan, &lifted.views[0].lifted.module, console);
    let plan_options = PlanOptions { declares_uids: true, ..options.plan.clone() };
    let specialised = clock.time("plan", || lifted.specialise(&plan_options));
    let (lifted, decided) = specialised.map_err(|error| Failure::Bug(error.to_string()))?;
    let obstacles = program.obstacles(&lifted);
    let mut how = ApplyOptions::default();
    how.backend = backend(&options.class_files, &obstacles)?;
    how.min_api = options.class_files.min_api;
    how.min_java = options.class_files.min_java;
    how.plan = plan_options;
    let applied = clock.time("apply", || program.apply(&lifted, decided, &how));
    let report = report(&lifted, &applied, how.backend, &obstacles);
    let says_all = options.explain || options.emit.contains(&Emit::Report);
    if !says_all {
        say_refused(&lifted.refused, console);
    }
    let mut files = Files::default();
    if !options.only_plan && options.emit.contains(&Emit::Ir) {
        let written = clock.time("pack", || program.write(&lifted, &applied, how.backend));
        let written = written.map_err(|error| Failure::Input(Some(error.to_string())))?;
        for jar in &written.unsigned {
            console
                .warning(&format!("{jar} was signed, and is not any more: what changed would not fit its signature"));
        }
        clock.time("write", || add_outputs(options, inputs, written.inputs, &mut files))?;
    }
    let bundles = obstacles.iter().filter(|obstacle| matches!(obstacle, Obstacle::Bundle(_)));
    for obstacle in bundles.filter(|_| how.backend == Backend::Unsafe && adds_classes(&applied) && !says_all) {
        console.warning(&way_out(obstacle));
    }
    let printed = add_reports(options, inputs, &lifted, &applied, &report, &mut files)?;
    clock.time("write", || files.commit())?;
    output::stdout(&printed)?;
    drive::conclude(options, &report, &clock)
}

/// Refuses what cannot be meant for class files.
fn check_usage(options: &Options, inputs: &[ClassInput], console: &Console) -> Result<(), Failure> {
    if options.raw || options.observe.is_used() || options.config.bisect_limit.is_some() {
        console.warning(
            "--passes, --print-before, --print-after, --dump-dir and --bisect-limit have no effect on class files",
        );
    }
    if !options.only_plan && options.emit.contains(&Emit::Ir) && options.output.is_none() {
        let name = &inputs[0].name;
        let message = format!("`{name}` is no text, so the result is not printed; name --output (it may be the input)");
        return Err(anyhow!(message).into());
    }
    Ok(())
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

/// The backend that was asked for, or that fits.
fn backend(flags: &cli::ClassFiles, obstacles: &[Obstacle]) -> Result<Backend, Failure> {
    let java = flags.min_java.is_some_and(|version| version >= VARHANDLE_JAVA);
    let too_old = flags.min_java.is_some_and(|version| version < VARHANDLE_JAVA)
        || flags.min_api.is_some_and(|level| level < VARHANDLE_API);
    match flags.backend.unwrap_or(cli::Backend::Auto) {
        cli::Backend::Unsafe => Ok(Backend::Unsafe),
        cli::Backend::Varhandle if too_old => {
            let message =
                format!("VarHandle is there from Java {VARHANDLE_JAVA} and Android's API level {VARHANDLE_API} on");
            Err(anyhow!("--backend varhandle: {message}").into())
        }
        cli::Backend::Varhandle => Ok(Backend::VarHandle),
        cli::Backend::Auto if java && !obstacles.is_empty() => Ok(Backend::VarHandle),
        cli::Backend::Auto => Ok(Backend::Unsafe),
    }
}

fn adds_classes(applied: &[Applied]) -> bool {
    applied.iter().any(|applied| !applied.added.is_empty())
}

fn report(lifted: &LiftedProgram<'_>, applied: &[Applied], backend: Backend, obstacles: &[Obstacle]) -> Report {
    let mut report = Report::default();
    for (view, applied) in lifted.views.iter().zip(applied) {
        let module = &view.lifted.module;
        let rows = Report::planned(module, &applied.plan);
        // What earlier views have too is in the report already.
        let own = |class: Class| view.owns(class);
        let updaters = applied.plan.updaters.iter().zip(rows.updaters);
        let updaters = updaters.filter(|(updater, _)| own(module.fields[updater.field].class));
        report.updaters.extend(updaters.map(|(_, row)| row));
        report.calls.extend(rows.calls.into_iter().filter(|row| module.find_class(&row.class).is_some_and(own)));
        if view.version > 0 {
            let classes: BTreeSet<&str> =
                module.program_classes().filter(|&class| own(class)).map(|class| module.class_name(class)).collect();
            let classes: Vec<&str> = classes.into_iter().collect();
            let (version, classes) = (view.version, classes.join(", "));
            report.remarks.push(format!("for Java {version} and later these have versions of their own: {classes}"));
        }
    }
    // Views share most of their classes.
    report.summary.copied_bytes = applied.iter().map(|applied| applied.copied).max().unwrap_or(0);
    report.count();
    report.remarks.extend(lifted.refused.iter().map(|refused| format!("left as it is: {refused}")));
    let changed = applied.iter().flat_map(|applied| &applied.classes).any(Option::is_some);
    match backend {
        Backend::Unsafe if adds_classes(applied) => {
            let added: BTreeSet<&str> =
                applied.iter().flat_map(|applied| &applied.added).map(|class| &*class.name).collect();
            for name in added {
                let name = name.replace('/', ".");
                report.remarks.push(format!("the class {name} comes in addition, and holds sun.misc.Unsafe"));
            }
            report.remarks.push(
                "sun.misc.Unsafe is in the module jdk.unsupported, for which jars on a module path that are no modules need \
                 --add-modules jdk.unsupported; Java 24 and later warn when it is used, and \
                 --sun-misc-unsafe-memory-access=deny forbids it"
                    .to_owned(),
            );
            report.remarks.extend(obstacles.iter().map(way_out));
        }
        Backend::VarHandle if changed => {
            report.remarks.push(format!(
                "the result needs Java {VARHANDLE_JAVA}, or Android with API level {VARHANDLE_API}, for VarHandle"
            ));
        }
        Backend::Unsafe | Backend::VarHandle => {}
    }
    report
}

/// What is done about an obstacle, or is to be done.
fn way_out(obstacle: &Obstacle) -> String {
    let other = "--min-java 9 allows VarHandle in its place";
    match obstacle {
        Obstacle::Module(jar) => format!("{jar} is a module, which now requires jdk.unsupported; {other}"),
        Obstacle::Bundle(jar) => {
            format!("{jar} is an OSGi bundle, which has to import sun.misc and does not yet; {other}")
        }
        Obstacle::AutomaticModule(jar) => format!(
            "{jar} is an automatic module: on a module path it needs --add-modules jdk.unsupported, unless another module \
             requires that; {other}"
        ),
        _ => format!("sun.misc.Unsafe may not be found; {other}"),
    }
}

fn say_refused(refused: &[Refused], console: &Console) {
    for refused in refused.iter().take(MAX_WARNINGS) {
        console.warning(&format!("left as it is: {refused}"));
    }
    if let Some(more @ 1..) = refused.len().checked_sub(MAX_WARNINGS) {
        console.warning(&format!("{more} more are left as they are; --report lists them"));
    }
}

/// What was printed of plan and report, and the files of both.
fn add_reports(
    options: &Options,
    inputs: &[ClassInput],
    lifted: &LiftedProgram<'_>,
    applied: &[Applied],
    report: &Report,
    files: &mut Files,
) -> Result<String, Failure> {
    let mut printed = String::new();
    for &kind in &options.emit {
        let text = match kind {
            Emit::Plan => {
                let views = lifted.views.iter().zip(applied);
                views.map(|(view, applied)| applied.plan.text(&view.lifted.module)).collect()
            }
            Emit::Report => explaining::text(report),
            Emit::Ir | Emit::Clif | Emit::Asm | Emit::Obj => continue,
        };
        drive::add_text(options, kind, is_folder(inputs), text, files, &mut printed)?;
    }
    drive::add_json(options, report, files, &mut printed)?;
    Ok(printed)
}

/// Whether the output is a folder.
fn is_folder(inputs: &[ClassInput]) -> bool {
    inputs.len() > 1 || matches!(inputs[0].files, ClassFiles::Folder { .. })
}

/// Each input at its place in the output, or as the output if it is the only one.
fn add_outputs(
    options: &Options,
    inputs: &[ClassInput],
    written: Vec<Written>,
    files: &mut Files,
) -> Result<(), Failure> {
    let output = options.output.as_deref().expect("it was asked for before");
    for (input, written) in inputs.iter().zip(written) {
        let target = match inputs.len() {
            1 => output.to_path_buf(),
            _ => output.join(input.path.file_name().unwrap_or(input.path.as_os_str())),
        };
        if inputs.len() > 1 {
            make_folder(output)?;
        }
        add_output(input, written, &target, files)?;
    }
    Ok(())
}

fn add_output(input: &ClassInput, written: Written, target: &Path, files: &mut Files) -> Result<(), Failure> {
    let in_place = same_file(&input.path, target);
    match (&input.files, written) {
        (ClassFiles::File(_), Written::Unchanged) if in_place => Ok(()),
        (ClassFiles::File(_), Written::Unchanged) => files.add_copy(target, &input.path),
        (ClassFiles::File(_), Written::File { bytes, beside }) => {
            files.add_like(target, &input.path, bytes)?;
            beside.into_iter().try_for_each(|(name, bytes)| files.add(&target.with_file_name(name), bytes))
        }
        (ClassFiles::Folder { paths, .. }, written) => {
            let changed = match written {
                Written::Folder(changed) => changed,
                _ => Vec::new(),
            };
            make_folder(target)?;
            for (path, bytes) in &changed {
                let to = target.join(path);
                make_folder(to.parent().unwrap_or(target))?;
                files.add_like(&to, &input.path.join(path), bytes.clone())?;
            }
            let is_changed = |path: &String| changed.binary_search_by(|(other, _)| other.cmp(path)).is_ok();
            for path in paths.iter().filter(|path| !in_place && !is_changed(path)) {
                let to = target.join(path);
                make_folder(to.parent().unwrap_or(target))?;
                files.add_copy(&to, &input.path.join(path))?;
            }
            Ok(())
        }
        (ClassFiles::File(_), _) => unreachable!("a file becomes a file"),
    }
}

fn make_folder(folder: &Path) -> Result<(), Failure> {
    Ok(fs::create_dir_all(folder).with_context(|| format!("cannot make the folder `{}`", folder.display()))?)
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
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
pub(crate) fn dis(paths: &[PathBuf], console: &Console) -> Result<(), Failure> {
    let inputs = match input::read(paths)? {
        Inputs::Classes(inputs) => inputs,
        Inputs::Ir(inputs) => return Err(anyhow!("`{}` is IR text already", inputs[0].name).into()),
    };
    output::stdout(&text::print_module(&*load(&inputs, console)?))
}

/// Class files to a module, with every method; what cannot be lifted is said and left out.
pub(crate) fn load(inputs: &[ClassInput], console: &Console) -> Result<Verified, Failure> {
    let program = open(inputs)?;
    let lifted = lift(&program.inputs(), &[], &r8lite_jvm::Options::of(Methods::All));
    say_refused(&lifted.refused, console);
    Ok(lifted.module)
}
