//! Lifts jars as one program, verifies them and decides about their updaters: `lift [--relevant] [--dump] JAR…`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::collections::BTreeMap;
use std::time::Instant;

use r8lite_classfile::jar::{Jar, Limits};
use r8lite_jvm::{Input, Methods, Options, lift};
use r8lite_passes::pipeline::{self, Config};
use r8lite_passes::plan::{self, Action, PlanOptions};

fn main() {
    let (flags, paths): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let has = |flag: &str| flags.iter().any(|it| it == flag);
    let mut files = Vec::new();
    for path in &paths {
        if std::path::Path::new(path).is_dir() {
            add_folder(std::path::Path::new(path), &mut files);
            continue;
        }
        let bytes = std::fs::read(path).expect("the jar can be read");
        if path.ends_with(".class") {
            files.push((path.clone(), bytes));
            continue;
        }
        let jar = Jar::read(&bytes, &Limits::default()).expect("it is a jar");
        for (index, entry) in jar.entries().iter().enumerate() {
            if entry.name.ends_with(".class") && !entry.name.starts_with("META-INF/") {
                files.push((entry.name.clone(), jar.content(index).expect("the entry is in order")));
            }
        }
    }
    let inputs: Vec<Input<'_>> = files.iter().map(|(name, bytes)| Input { bytes, name }).collect();
    let start = Instant::now();
    let methods = if has("--relevant") { Methods::Relevant } else { Methods::All };
    let lifted = lift(&inputs, &[], &Options::of(methods));
    let time = start.elapsed();
    let bodies = lifted.module.program_funcs().filter(|&func| lifted.module.funcs[func].body.is_some()).count();
    let insts: usize =
        lifted.module.funcs.values().filter_map(|func| Some(func.body.as_ref()?.layout_insts().count())).sum();
    println!(
        "{} classes, {bodies} bodies, {insts} instructions, {} refused, {time:?}",
        inputs.len(),
        lifted.refused.len()
    );
    for refused in lifted.refused.iter().take(20) {
        println!("  {refused}");
    }
    let module = lifted.module;
    if has("--dump") {
        print!("{}", r8lite_ir::text::print_module(&module));
    }
    let start = Instant::now();
    let module = pipeline::prepare(module, &Config::default()).expect("it can be prepared");
    println!("prepared in {:?}", start.elapsed());
    let start = Instant::now();
    let options = PlanOptions { whole_program: has("--whole-program"), ..PlanOptions::default() };
    let plan = plan::decide(&module, &options);
    let recognised = plan.updaters.iter().filter(|updater| updater.recognised.is_some()).count();
    let removed = plan.updaters.iter().filter(|updater| updater.remove).count();
    println!(
        "decided in {:?}: {} updaters, {recognised} recognised, {removed} go",
        start.elapsed(),
        plan.updaters.len()
    );
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut replaced = 0;
    let mut guards: BTreeMap<String, usize> = BTreeMap::new();
    for call in &plan.calls {
        match &call.action {
            Action::Replace(replacement) => {
                replaced += 1;
                *guards.entry(format!("{:?} {:?}", replacement.access, replacement.guard)).or_default() += 1;
            }
            Action::Keep(reason) => {
                *reasons.entry(reason.code.to_owned()).or_default() += 1;
                if has("--explain") {
                    let func = &module.funcs[call.site.func];
                    println!("  {}.{}: {}", module.class_name(func.class), module.name(func.name), reason.text);
                }
            }
            _ => {}
        }
    }
    println!("{replaced} of {} calls replaced; {guards:?}; kept: {reasons:?}", plan.calls.len());
}

fn add_folder(folder: &std::path::Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            add_folder(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "class") {
            files.push((path.display().to_string(), std::fs::read(&path).expect("it can be read")));
        }
    }
}
