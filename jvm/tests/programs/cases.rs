//! Java programs do the same before and after: each case under `testdata/java/cases` is compiled for several versions of
//! Java, run, optimised for each backend, verified and run again.
//!
//! A case is a file that reads alone. Its first line says what it shows; then may come
//!
//! | line | meaning |
//! |---|---|
//! | `// since: 17` | it needs the language of this version of Java |
//! | `// versions: 50` | it is also tried as class files of this version |
//! | `// differs: 8` | for this version of Java it prints something else, which has a snapshot of its own |
//! | `// absent: CLASS, CLASS` | these are compiled, and are not there when it runs |
//! | `// keep: PATTERN` | fields that are not to be touched |
//!
//! What it prints is a snapshot. A mark behind a line, as in `//> replaced: checks the holder`, says what becomes of the
//! calls that stand there, or of the updater that is made there, and has to agree with the report; `any` agrees with
//! everything. `; 8: kept` behind it says what becomes of it for another version of Java or of class files, `handles: kept`
//! by handles, `whole-program: replaced` where nothing is outside of the program. Every call of an updater has to be marked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use r8lite_jvm::Backend;
use r8lite_passes::plan::PlanOptions;
use r8lite_passes::report::{Place, Report};

use crate::case::{Case, cases};
use crate::java::{self, ClassFile, root};
use crate::optimize::{How, WAYS, optimize};

/// Compiled cases.
struct Program {
    release: &'static str,
    /// The version of its class files, if it is none that javac makes.
    version: Option<&'static str>,
    cases: Vec<Case>,
    folder: tempfile::TempDir,
    files: Vec<ClassFile>,
}

impl Program {
    fn compile(release: &'static str) -> Program {
        let cases = cases(release);
        let folder = tempfile::tempdir().unwrap();
        let support = ["Cases", "Out"].map(|name| root().join(format!("testdata/java/check/{name}.java")));
        let sources = cases.iter().map(|case| case.path.as_path()).chain(support.iter().map(PathBuf::as_path));
        java::compile(sources, release, "", folder.path());
        for absent in cases.iter().flat_map(|case| &case.absent) {
            std::fs::remove_file(folder.path().join(absent.replace('.', "/")).with_extension("class")).unwrap();
        }
        let files = java::class_files(folder.path());
        Program { release, version: None, cases, folder, files }
    }

    /// The cases that are tried as class files of an older version, with that version.
    fn with_version(mut self, name: &'static str) -> Program {
        let version: u16 = name.parse().unwrap();
        self.version = Some(name);
        self.cases.retain(|case| case.versions.contains(&version));
        assert!(!self.cases.is_empty(), "no case for version {version}");
        let folder = tempfile::tempdir().unwrap();
        for file in &mut self.files {
            let name = file.path.with_extension("").to_string_lossy().replace('/', ".");
            if self.cases.iter().any(|case| name == case.class || name.starts_with(&format!("{}$", case.class))) {
                file.bytes[6..8].copy_from_slice(&version.to_be_bytes());
            }
            java::write(folder.path(), &file.path, &file.bytes);
        }
        self.folder = folder;
        self
    }

    fn run(&self, folder: &Path, options: &[&str]) -> String {
        // These are short programs: what takes time is to start.
        let mut command = java::java(&["-XX:TieredStopAtLevel=1"]);
        command.args(options).arg("-cp").arg(folder).arg("check.Cases").arg(folder);
        java::run(command.args(self.cases.iter().filter(|case| case.has_main).map(|case| &case.class)))
    }

    /// Optimises it into another folder; gives the report.
    fn optimize(&self, how: How, options: &PlanOptions, folder: &Path) -> Report {
        let classes: Vec<(String, &[u8])> =
            self.files.iter().map(|file| (file.path.display().to_string(), file.bytes.as_slice())).collect();
        let optimized = optimize(&classes, how, options);
        let mut again: Vec<(String, &[u8])> = Vec::new();
        for (file, new) in self.files.iter().zip(&optimized.classes) {
            let new = new.as_ref().unwrap_or(&file.bytes);
            java::write(folder, &file.path, new);
            again.push((file.path.display().to_string(), new));
        }
        for (name, bytes) in &optimized.added {
            java::write(folder, Path::new(name), bytes);
            again.push((name.clone(), bytes));
        }
        let twice = optimize(&again, how, options);
        let changed: Vec<&str> =
            again.iter().zip(&twice.classes).filter(|(_, new)| new.is_some()).map(|((name, _), _)| &**name).collect();
        assert!(
            changed.is_empty() && twice.added.is_empty(),
            "a second time changes {changed:?} and adds {:?}",
            twice.added
        );
        optimized.report
    }
}

/// What is wrong with the report, by the marks of the cases.
fn check_marks(program: &Program, report: &Report, names: &[&str]) -> Vec<String> {
    let sources: BTreeMap<(&str, String), &Case> = program.cases.iter().map(|case| (case.source(), case)).collect();
    let mut problems = Vec::new();
    let mut found = BTreeSet::new();
    let mut check = |class: &str, place: &Place, what: &str, status: &str, reason: &str, must: bool| {
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        let Some(case) = sources.get(&(package, place.source.clone().unwrap_or_default())) else { return };
        let at = format!("{}:{}", case.path.strip_prefix(root()).unwrap().display(), place.line);
        match case.mark(place.line, names) {
            None if !must => {}
            None => problems.push(format!("{at} {names:?}: {what} has no mark, and is {status}: {reason}")),
            Some(mark) => {
                found.insert((case.class.as_str(), place.line));
                if mark.status != "any" && (mark.status != status || !reason.contains(mark.reason)) {
                    problems.push(format!(
                        "{at} {names:?}: {what} is not {}: {}, but {status}: {reason}",
                        mark.status, mark.reason
                    ));
                }
            }
        }
    };
    for row in &report.calls {
        check(&row.class, &row.place, row.op, row.status, &row.reason, true);
    }
    for row in &report.updaters {
        check(&row.class, &row.place, &row.field, row.status, &row.reason, false);
    }
    for case in &program.cases {
        for (line, mark) in case.marked(names) {
            if mark.status != "kept" && mark.status != "any" && !found.contains(&(case.class.as_str(), line)) {
                let path = case.path.strip_prefix(root()).unwrap().display();
                problems.push(format!("{path}:{line} {names:?}: there is a mark and nothing to it"));
            }
        }
    }
    problems
}

/// What two runs print otherwise.
fn differences(before: &str, after: &str, what: &str) -> Vec<String> {
    let (before, after) = (java::by_class(before), java::by_class(after));
    let found: BTreeMap<&str, &str> = after.iter().copied().collect();
    let mut problems = Vec::new();
    for (class, printed) in before {
        let after = found.get(class).copied().unwrap_or("nothing at all\n");
        if after != printed {
            let line = printed.lines().zip(after.lines()).take_while(|(a, b)| a == b).count();
            let rest = |text: &str| text.lines().skip(line).take(4).collect::<Vec<_>>().join("\n    ");
            problems.push(format!(
                "{what}: {class} prints from line {} on\n    {}\n  before, and\n    {}\n  after",
                line + 1,
                rest(printed),
                rest(after)
            ));
        }
    }
    problems
}

/// Runs a program before and after optimisation in all ways.
fn check(program: &Program) {
    let before = program.run(program.folder.path(), &[]);
    let mut problems = Vec::new();
    let keep: Vec<String> = program.cases.iter().flat_map(|case| case.keep.clone()).collect();
    for whole_program in [false, true] {
        let options = PlanOptions { keep: keep.clone(), whole_program, declares_uids: true, ..PlanOptions::default() };
        for how in WAYS {
            let mut names = vec![program.release];
            names.extend(program.version);
            names.extend((how.0 == Backend::VarHandle).then_some("handles"));
            names.extend(whole_program.then_some("whole-program"));
            let folder = tempfile::tempdir().unwrap();
            let report = program.optimize(how, &options, folder.path());
            problems.extend(check_marks(program, &report, &names));
            // To interpret takes longer, and what is interpreted is hardly other code for a whole program.
            let modes: &[&str] = if whole_program { &["-Xmixed"] } else { &["-Xmixed", "-Xint"] };
            for mode in modes {
                let after = program.run(folder.path(), &[mode]);
                problems.extend(differences(&before, &after, &format!("{how:?} {names:?} {mode}")));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n  "));
}

/// Compares what the original program prints with the snapshots.
fn check_snapshots(program: &Program) {
    let printed = program.run(program.folder.path(), &[]);
    let by_class: BTreeMap<&str, &str> = java::by_class(&printed).into_iter().collect();
    for case in program.cases.iter().filter(|case| case.has_main) {
        let (folder, name) = case.snapshot(program.release);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let printed =
            by_class.get(case.class.as_str()).unwrap_or_else(|| panic!("{} did not run: {printed}", case.class));
        settings.bind(|| insta::assert_snapshot!(name, printed));
    }
}

#[test]
fn cases_for_java_8() {
    let program = Program::compile("8");
    check_snapshots(&program);
    check(&program);
    let program = program.with_version("50");
    check_snapshots(&program);
    check(&program);
}

#[test]
fn cases_for_java_11() {
    let program = Program::compile("11");
    check_snapshots(&program);
    check(&program);
}

#[test]
fn cases_for_java_17() {
    let program = Program::compile("17");
    check_snapshots(&program);
    check(&program);
}
