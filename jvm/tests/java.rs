//! Java programs: compiled, lifted, printed for people to read, and run by the interpreter with the same output as by Java.

mod command;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use r8lite_ir::interp::{self, Config};
use r8lite_ir::{Module, Type, Verified, text};
use r8lite_jvm::{Input, Lifted, Methods, Options, lift};
use r8lite_passes::plan::{self, Action, PlanOptions};

use crate::command::must;

/// Compiles `testdata/jvm/NAME.java` into a folder.
fn compile(name: &str, release: &str, folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/jvm").join(format!("{name}.java"));
    must(
        Command::new("javac").args(["-nowarn", "-Xlint:-options", "--release", release, "-d"]).arg(folder).arg(source),
    );
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn lift_files(files: &[(PathBuf, Vec<u8>)], methods: Methods) -> Lifted {
    let names: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    let inputs: Vec<Input<'_>> = files.iter().zip(&names).map(|((_, bytes), name)| Input { bytes, name }).collect();
    let lifted = lift(&inputs, &[], &Options::of(methods));
    assert!(lifted.refused.is_empty(), "{:?}", lifted.refused);
    assert!(lifted.classes.iter().all(Option::is_some));
    lifted
}

/// Lifts a program, for two versions of Java, and compares what it prints. The IR of Java 8 is kept as a snapshot.
fn check(name: &str) {
    for release in ["8", "17"] {
        let folder = tempfile::tempdir().unwrap();
        let files = compile(name, release, folder.path());
        let lifted = lift_files(&files, Methods::All);
        let printed = text::print_module(&lifted.module);
        if release == "8" {
            insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(name, printed) });
        }
        let wanted = must(Command::new("java").args(["-XX:TieredStopAtLevel=1", "-cp"]).arg(folder.path()).arg(name));
        assert_eq!(interpret(&lifted.module, name), wanted, "{name} for Java {release}");
    }
}

/// What `start()` prints, which calls `main`.
fn interpret(module: &Verified, class: &str) -> String {
    let main = interp::find_entry(module, Some(&format!("{class}.start"))).unwrap();
    let result = interp::run(module, main, &Config::default()).unwrap();
    assert!(result.stderr.is_empty(), "{}", result.stderr);
    result.stdout
}

#[test]
fn branches() {
    check("Branches");
}

#[test]
fn handlers() {
    check("Handlers");
}

#[test]
fn objects() {
    check("Objects");
}

#[test]
fn what_matters_for_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let files = compile("Counter", "17", folder.path());
    let lifted = lift_files(&files, Methods::Relevant);
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!("Counter", text::print_module(&lifted.module));
    });
    let all = lift_files(&files, Methods::All);
    let rows = |module: &Verified| -> Vec<String> {
        let plan = plan::decide(module, &PlanOptions::default());
        plan.calls
            .iter()
            .map(|call| {
                let func = &module.funcs[call.site.func];
                let place = format!("{}.{}", module.class_name(func.class), module.name(func.name));
                match &call.action {
                    Action::Replace(_) => format!("{place} {}: replaced", call.op.name()),
                    Action::Keep(reason) => format!("{place} {}: {}", call.op.name(), reason.code),
                    other => format!("{place}: {other:?}"),
                }
            })
            .collect()
    };
    assert_eq!(rows(&lifted.module), rows(&all.module));
    assert_eq!(
        rows(&lifted.module),
        [
            "Counter$Other.reset compareAndSet: replaced",
            "Counter$Other.reset getAndSet: replaced",
            "Counter.hit set: replaced",
            "Counter.hit incrementAndGet: replaced",
            "Counter.given get: replaced",
            "Counter.handled get: exposed",
        ]
    );
}

#[test]
fn a_class_path_is_known_and_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let files = compile("Objects", "17", folder.path());
    let inputs: Vec<(bool, Input<'_>)> = files
        .iter()
        .map(|(path, bytes)| (path.ends_with("Objects$Named.class"), Input { bytes, name: "x.class" }))
        .collect();
    let [program, classpath] = [true, false].map(|in_program| -> Vec<Input<'_>> {
        inputs.iter().filter(|(it, _)| *it == in_program).map(|(_, input)| *input).collect()
    });
    let lifted = lift(&program, &classpath, &Options::default());
    assert!(lifted.refused.is_empty(), "{:?}", lifted.refused);
    let module = &lifted.module;
    let square = module.find_class("Objects$Square").unwrap();
    assert_eq!(module.classes[square].origin, r8lite_ir::ClassOrigin::Classpath);
    assert!(!module.classes[square].methods.is_empty());
    let text = text::print_module(module);
    assert!(text.starts_with("class Objects$Named extends Objects$Square {"), "{text}");
    assert!(!text.contains("class Objects$Square"), "{text}");
    // The class path may name a class of the program once more.
    let twice = lift(&program, &program, &Options::default());
    assert!(twice.refused.is_empty(), "{:?}", twice.refused);
    let broken = lift(&program, &[Input { bytes: &[1, 2, 3], name: "broken.class" }], &Options::default());
    assert_eq!(broken.refused[0].to_string(), "broken.class: byte 0: 4 more bytes wanted, 3 left");
}

#[test]
fn places_lead_back_to_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let files = compile("Counter", "17", folder.path());
    let lifted = lift_files(&files, Methods::All);
    let module: &Module = &lifted.module;
    let mut calls = 0;
    for func in module.program_funcs() {
        let place = lifted.place(func).expect("it was read");
        let file = r8lite_classfile::read(&files[place.input as usize].1).unwrap();
        let member = &file.methods[place.method as usize];
        assert_eq!(file.pool.text(member.name).unwrap(), module.name(module.funcs[func].name));
        let Some(body) = &module.funcs[func].body else { continue };
        let code = file.code(place.method as usize).unwrap().unwrap();
        let insns: Vec<_> = code.instructions().map(Result::unwrap).collect();
        for (_, inst) in body.layout_insts() {
            let data = &body.insts[inst];
            let insn = insns.iter().find(|insn| insn.offset == data.origin.pos).expect("an instruction begins there");
            if let Some(method) = data.method_symbol().map(|method| module.method_ref(method)) {
                let mnemonic = insn.insn.opcode().unwrap().mnemonic();
                let is_dynamic = module.class_name(method.class) == r8lite_jvm::DYNAMIC;
                assert_eq!(mnemonic, if is_dynamic { "invokedynamic" } else { data.op.mnemonic() });
                calls += 1;
            }
            assert!(data.origin.line > 0, "javac gives every instruction a line");
        }
    }
    assert!(calls > 20);
    // A type that the class library does not have is known by name only.
    assert!(module.classes.values().all(|class| class.origin != r8lite_ir::ClassOrigin::Missing));
    assert!(matches!(module.fields.values().next(), Some(field) if field.ty != Type::Null));
}
