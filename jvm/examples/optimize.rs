//! Optimises classes and jars as one program and writes the classes that changed to a folder, a folder an input jar:
//! `optimize [--whole-program] [--closed-packages] [--min-api N] [--explain] -o FOLDER INPUT…`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use r8lite_classfile::jar::{Jar, Limits};
use r8lite_jvm::{ApplyOptions, Backend, Input, Methods, Options, apply, lift};
use r8lite_passes::plan::{self, Action, PlanOptions};
use r8lite_passes::report::Report;

/// A class, and the number of the jar that it is from.
struct File {
    name: String,
    bytes: Vec<u8>,
    jar: u32,
}

fn main() {
    let mut plan_options = PlanOptions::default();
    let mut options = ApplyOptions::default();
    let (mut output, mut inputs, mut explain) = (None, Vec::new(), false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--whole-program" => plan_options.whole_program = true,
            "--closed-packages" => plan_options.closed_packages = true,
            "--explain" => explain = true,
            "--varhandle" => options.backend = Backend::VarHandle,
            "--min-api" => options.min_api = args.next().and_then(|api| api.parse().ok()),
            "-o" => output = args.next().map(PathBuf::from),
            _ => inputs.push(PathBuf::from(arg)),
        }
    }
    let output = output.expect("-o says where to");
    let mut files = Vec::new();
    for (jar, path) in inputs.iter().enumerate() {
        collect(path, path, jar as u32, &mut files);
    }
    let program: Vec<Input<'_>> = files.iter().map(|file| Input { bytes: &file.bytes, name: &file.name }).collect();
    let start = Instant::now();
    let lifted = lift(&program, &[], &Options::of(Methods::Relevant));
    let lifted_in = start.elapsed();
    let first = plan::decide(&lifted.module, &plan_options);
    options.plan = plan_options;
    options.jars = files.iter().map(|file| file.jar).collect();
    let decided_in = start.elapsed();
    let applied = apply(&program, &lifted, &first, &options);
    println!("lifted in {lifted_in:?}, decided after {decided_in:?}, applied after {:?}", start.elapsed());
    for refused in &lifted.refused {
        println!("refused: {refused}");
    }
    let write = |jar: u32, name: &str, bytes: &[u8]| {
        let stem = inputs[jar as usize].file_stem().expect("an input has a name");
        let path = output.join(stem).join(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        std::fs::write(path, bytes).expect("the class can be written");
    };
    for (file, bytes) in files.iter().zip(&applied.classes) {
        if let Some(bytes) = bytes {
            write(file.jar, &file.name, bytes);
        }
    }
    for added in &applied.added {
        write(added.jar, &format!("{}.class", added.name), &added.bytes);
    }
    let report = Report::planned(&lifted.module, &applied.plan);
    let summary = report.summary;
    println!(
        "{summary:?}, {} classes changed, {} added",
        applied.classes.iter().flatten().count(),
        applied.added.len()
    );
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for (call, row) in applied.plan.calls.iter().zip(&report.calls) {
        let kind = match &call.action {
            Action::Replace(it) => format!("{:?} {:?} {} {}", it.access, it.guard, it.check_holder, it.check_value),
            Action::Keep(reason) => format!("keep {}", reason.code),
            _ => continue,
        };
        *kinds.entry(kind).or_default() += 1;
        if explain {
            println!("{}.{} line {}: {} {}: {}", row.class, row.method, row.place.line, row.op, row.status, row.reason);
        }
    }
    kinds.iter().for_each(|(kind, count)| println!("{count:5} {kind}"));
    if explain {
        for row in &report.updaters {
            println!("{}.{}: {}: {}", row.class, row.field, row.status, row.reason);
        }
    }
}

fn collect(root: &Path, path: &Path, jar: u32, files: &mut Vec<File>) {
    if path.is_dir() {
        let mut entries: Vec<_> =
            std::fs::read_dir(path).expect("it can be listed").map(|it| it.expect("it can be listed").path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| collect(root, entry, jar, files));
        return;
    }
    let bytes = std::fs::read(path).expect("it can be read");
    if path.extension().is_some_and(|extension| extension == "class") {
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let name = if name.is_empty() { path.display().to_string() } else { name };
        files.push(File { name, bytes, jar });
    } else if path.extension().is_some_and(|extension| extension == "jar") {
        let content = Jar::read(&bytes, &Limits::default()).expect("it is a jar");
        for (index, entry) in content.entries().iter().enumerate() {
            if entry.name.ends_with(".class") && !entry.name.starts_with("META-INF/") {
                let bytes = content.content(index).expect("the entry is in order");
                files.push(File { name: entry.name.clone(), bytes, jar });
            }
        }
    }
}
