//! Optimised jars live together: on one class path and on one module path, with jars that are not optimised and with each
//! other, whether they were optimised one by one or as one program.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| {
        panic!("{}: {error}; install openjdk-17-jdk-headless", command.get_program().to_string_lossy())
    });
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} failed:\n{out}{err}");
    out.into_owned()
}

const NAMES: [&str; 2] = ["first.jar", "second.jar"];

/// The modules of `testdata/java/modules`, compiled and put into jars, with their module descriptors or without.
fn jars(folder: &Path, are_modules: bool) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/java/modules");
    let classes = folder.join("classes");
    let mut javac = Command::new("javac");
    javac.args(["--release", "11", "-d"]).arg(&classes).arg("--module-source-path").arg(sources);
    run(javac.args(["--module", "first,second"]));
    for name in NAMES {
        let module = classes.join(name.trim_end_matches(".jar"));
        if !are_modules {
            std::fs::remove_file(module.join("module-info.class")).unwrap();
        }
        run(Command::new("jar").arg("--create").arg("--file").arg(folder.join(name)).arg("-C").arg(module).arg("."));
    }
}

fn optimize(folder: &Path, inputs: &[&str], flags: &[&str], output: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_r8lite"));
    run(command.arg("optimize").args(inputs).args(flags).args(["-o", output]).current_dir(folder));
}

fn on_class_path(first: &Path, second: &Path) -> String {
    let path = std::env::join_paths([first, second]).unwrap();
    run(Command::new("java").args(["-Xverify:all", "-XX:TieredStopAtLevel=1", "-cp"]).arg(path).arg("second.Main"))
}

fn on_module_path(first: &Path, second: &Path, flags: &[&str]) -> String {
    let path = std::env::join_paths([first, second]).unwrap();
    run(Command::new("java")
        .args(["-Xverify:all", "-XX:TieredStopAtLevel=1"])
        .args(flags)
        .arg("-p")
        .arg(path)
        .args(["-m", "second/second.Main"]))
}

const PRINTED: &str = "1 11 1099511627776\n11 1617 no counter\n1 2 2y 1\n";

/// The two jars as they are used together: optimised one by one, or as one program. A jar that was optimised by itself also
/// goes with one that was not.
fn pairs(folder: &TempDir, flags: &[&str]) -> Vec<[PathBuf; 2]> {
    let original = folder.path();
    let (apart, together) = (original.join("apart"), original.join("together"));
    std::fs::create_dir(&apart).unwrap();
    for name in NAMES {
        optimize(original, &[name], flags, &format!("apart/{name}"));
        let before = std::fs::read(original.join(name)).unwrap();
        assert!(std::fs::read(apart.join(name)).unwrap() != before, "{name} is not optimised");
    }
    optimize(original, &NAMES, flags, "together");
    let pairs = [(original, &*apart), (&apart, original), (&apart, &apart), (&together, &together)];
    pairs.map(|(first, second)| [first.join(NAMES[0]), second.join(NAMES[1])]).to_vec()
}

#[test]
fn on_one_class_path() {
    for are_modules in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        jars(folder.path(), are_modules);
        for [first, second] in pairs(&folder, &[]) {
            let printed = on_class_path(&first, &second);
            assert_eq!(printed, format!("{PRINTED}false\n"), "{} {}", first.display(), second.display());
        }
    }
}

#[test]
fn on_one_module_path() {
    let descriptors = (true, &[][..], &[][..]);
    // By handles, no module of the JDK but `java.base` is needed.
    let handles = (true, &["--min-java", "9"][..], &["--limit-modules", "java.base,first,second"][..]);
    // Jars without a descriptor cannot say what they require, so who runs them has to.
    let automatic = (false, &[][..], &["--add-modules", "jdk.unsupported"][..]);
    for (are_modules, flags, modules) in [descriptors, handles, automatic] {
        let folder = tempfile::tempdir().unwrap();
        jars(folder.path(), are_modules);
        for [first, second] in pairs(&folder, flags) {
            let printed = on_module_path(&first, &second, modules);
            assert_eq!(printed, format!("{PRINTED}true\n"), "{} {} {flags:?}", first.display(), second.display());
        }
    }
}

/// A jar that names its automatic module gets handles where they are granted, and a note where they are not.
#[test]
fn an_automatic_module_needs_nothing_by_handles() {
    let folder = tempfile::tempdir().unwrap();
    jars(folder.path(), false);
    for name in NAMES {
        let manifest = folder.path().join("manifest");
        std::fs::write(&manifest, format!("Automatic-Module-Name: {}\n", name.trim_end_matches(".jar"))).unwrap();
        run(Command::new("jar")
            .arg("--update")
            .arg("--file")
            .arg(folder.path().join(name))
            .arg("--manifest")
            .arg(manifest));
    }
    let mut explain = Command::new(env!("CARGO_BIN_EXE_r8lite"));
    let report = run(explain.args(["explain", NAMES[0]]).current_dir(folder.path()));
    assert!(report.contains("first.jar is an automatic module: on a module path it needs"), "{report}");
    for [first, second] in pairs(&folder, &["--min-java", "9"]) {
        assert_eq!(on_module_path(&first, &second, &[]), format!("{PRINTED}true\n"), "{}", second.display());
    }
}
