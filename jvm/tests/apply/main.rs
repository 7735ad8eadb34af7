//! Plans carried out on class files, shown: each file of `testdata/assembled` is assembled, optimised, and what became of
//! it is a snapshot, which a JVM verifies, too. That programs do the same is tested by `programs`.
//!
//! The first lines of a file say what it shows, behind `;`. `; flags: varhandle, min-api 21, whole-program` are options.

mod assemble;
#[path = "../command/mod.rs"]
mod command;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use r8lite_classfile::jar::{self, Jar, JarEdits};
use r8lite_classfile::{ClassFile, dump_method, read};
use r8lite_jvm::{Applied, ApplyOptions, Backend, Input, Methods, Options, apply, lift};
use r8lite_passes::report::Report;

use crate::assemble::{Assembled, assemble};
use crate::command::must;

fn options(text: &str) -> ApplyOptions {
    let mut options = ApplyOptions::default();
    let flags = text.lines().filter_map(|line| line.strip_prefix("; flags: "));
    for flag in flags.flat_map(|line| line.split(", ")) {
        match flag {
            "varhandle" => options.backend = Backend::VarHandle,
            "min-api 21" => options.min_api = Some(21),
            "whole-program" => options.plan.whole_program = true,
            other => panic!("no flag is called {other}"),
        }
    }
    options
}

/// Optimises classes as one program.
fn optimize(classes: &[Assembled], options: &ApplyOptions) -> (Applied, Report) {
    let names: Vec<String> = classes.iter().map(|class| format!("{}.class", class.name)).collect();
    let inputs: Vec<Input<'_>> =
        classes.iter().zip(&names).map(|(class, name)| Input { bytes: &class.bytes, name }).collect();
    let lifted = lift(&inputs, &[], &Options::of(Methods::Relevant));
    assert!(lifted.refused.is_empty(), "{}", lifted.refused[0]);
    let (lifted, decided) = lifted.specialise(&options.plan).unwrap();
    let applied = apply(&inputs, &lifted, &decided, options);
    let report = Report::planned(&lifted.module, &applied.plan);
    (applied, report)
}

/// A class with all its members. What the name of an added class ends in depends on every byte of the input.
fn show(out: &mut String, class: &ClassFile<'_>) {
    writeln!(out, "class {}", class.name().unwrap()).unwrap();
    for field in &class.fields {
        let (name, ty) = (class.pool.text_lossy(field.name), class.pool.text_lossy(field.descriptor));
        writeln!(out, "  {:#06x} {name} {ty}", field.access_flags).unwrap();
    }
    for (number, method) in class.methods.iter().enumerate() {
        let text = dump_method(class, number).unwrap();
        write!(out, "  {:#06x} ", method.access_flags).unwrap();
        let is_large = text.len() > 10_000;
        for line in text.lines().filter(|line| !(is_large && line.ends_with(" nop"))) {
            writeln!(out, "{line}").unwrap();
        }
    }
}

fn without_hash(text: &str, added: &Applied) -> String {
    added.added.iter().fold(text.to_owned(), |text, class| {
        let hash = class.name.rsplit_once('$').map_or("", |(_, hash)| hash);
        text.replace(hash, "hash")
    })
}

/// Checks a case, and puts what becomes of it into a jar in a folder.
fn check(path: &Path, jars: &Path) {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).unwrap();
    let options = options(&text);
    let classes = assemble(&text);
    let (applied, report) = optimize(&classes, &options);
    let mut out = String::new();
    for row in &report.updaters {
        writeln!(out, "{}.{}: {}: {}", row.class, row.field, row.status, row.reason).unwrap();
    }
    for row in &report.calls {
        writeln!(out, "{}.{} {}: {}: {}", row.class, row.method, row.op, row.status, row.reason).unwrap();
    }
    for (class, new) in classes.iter().zip(&applied.classes) {
        out.push('\n');
        match new {
            Some(bytes) => show(&mut out, &read(bytes).unwrap()),
            None => writeln!(out, "class {} as it was", class.name).unwrap(),
        }
    }
    for added in &applied.added {
        let class = read(&added.bytes).unwrap();
        assert_eq!(class.name().unwrap(), added.name);
        writeln!(out, "\nadded {}", added.name).unwrap();
        for method in &class.methods {
            let (name, ty) = (class.pool.text_lossy(method.name), class.pool.text_lossy(method.descriptor));
            writeln!(out, "  {name}{ty}").unwrap();
        }
    }
    let out = without_hash(&out, &applied);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(format!("assembled__{name}"), out);
    });
    let again: Vec<Assembled> = classes
        .into_iter()
        .zip(applied.classes)
        .map(|(class, new)| Assembled { bytes: new.unwrap_or(class.bytes), name: class.name })
        .chain(applied.added.into_iter().map(|added| Assembled { name: added.name, bytes: added.bytes }))
        .collect();
    let mut edits = JarEdits::default();
    for class in &again {
        edits.add(&format!("{}.class", class.name), class.bytes.clone(), true);
    }
    fs::write(jars.join(format!("{name}.jar")), jar::write(&Jar::empty(), &edits).unwrap()).unwrap();
    let (twice, report) = optimize(&again, &options);
    let is_same = twice.classes.iter().all(Option::is_none) && twice.added.is_empty();
    assert!(is_same, "{name}: twice is not once: {:?}", report.calls);
}

#[test]
fn assembled_classes_are_as_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/assembled");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 8);
    let jars = tempfile::tempdir().unwrap();
    paths.iter().for_each(|path| check(path, jars.path()));
    // The JVM verifies each by itself: they have classes of the same names.
    let load_all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/java/LoadAll.java");
    let compiled = tempfile::tempdir().unwrap();
    must(Command::new("javac").arg("-d").arg(compiled.path()).arg(load_all));
    for jar in fs::read_dir(&jars).unwrap() {
        let jar = jar.unwrap().path();
        let mut java = Command::new("java");
        java.args(["-Xverify:all", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"]);
        let printed = must(java.arg(compiled.path()).arg("LoadAll").arg(&jar));
        assert!(printed.lines().count() == 1 && printed.ends_with(" classes\n"), "{}: {printed}", jar.display());
    }
}

/// Every byte of a class is changed, to a few values each: nothing panics, and what is written can be read.
#[test]
fn no_input_makes_it_panic() {
    for name in ["receivers", "checks"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../testdata/assembled/{name}.asm"));
        let classes = assemble(&fs::read_to_string(path).unwrap());
        let bytes = &classes[0].bytes;
        let mut changed = 0;
        for at in (10..bytes.len()).step_by(6) {
            let mut broken = bytes.clone();
            broken[at] = broken[at].wrapping_add([1, 0x80, 0x3c, 0xff][at / 6 % 4]);
            let inputs = [Input { bytes: &broken, name: "broken.class" }];
            let lifted = lift(&inputs, &[], &Options::of(Methods::Relevant));
            let options = ApplyOptions::default();
            let (lifted, decided) = lifted.specialise(&options.plan).unwrap();
            let applied = apply(&inputs, &lifted, &decided, &options);
            if let Some(bytes) = &applied.classes[0] {
                read(bytes).unwrap();
                changed += 1;
            }
        }
        assert!(changed > 8, "{name}: {changed}");
    }
}
