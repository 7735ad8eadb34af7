//! What is edited is put before a JVM: it verifies every class, and programs do the same as before.
#![cfg(feature = "jar")]

mod java;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use java::{compile, java, run};
use r8lite_classfile::checks::random_edits;
use r8lite_classfile::jar::{self, Jar, JarEdits, Limits};
use r8lite_classfile::{CodeEdits, Insn, Opcode, apply, read, write};

/// Numbers that look random and are the same each time.
fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = seed;
    move |below| {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % u64::from(below)) as u32
    }
}

/// A jar with its classes edited at random.
fn edited_jar(bytes: &[u8], seed: u64) -> Vec<u8> {
    let jar = Jar::read(bytes, &Limits::default()).unwrap();
    let mut edits = JarEdits::default();
    for (index, entry) in jar.entries().iter().enumerate() {
        if entry.name.ends_with(".class") {
            let seed = seed << 32 | index as u64;
            let edited = random_edits(&jar.content(index).unwrap(), &mut numbers(seed));
            edits.replace(index, edited.unwrap_or_else(|| panic!("{} cannot be read", entry.name)));
        }
    }
    jar::write(&jar, &edits).unwrap()
}

/// Jars of all ages, each file once: some of Debian's, and all in the folders that `R8LITE_CORPORA` names.
fn jars() -> Vec<PathBuf> {
    let wanted = ["netty-", "guava-", "jctools-", "commons-", "aopalliance", "jsr305", "slf4j-api", "jansi", "guice"];
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "jar")).collect()
    };
    let debian = list(Path::new("/usr/share/java")).into_iter().filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        wanted.iter().any(|wanted| name.starts_with(wanted))
    });
    let folders = std::env::var_os("R8LITE_CORPORA").unwrap_or_default();
    let others = std::env::split_paths(&folders).flat_map(|folder| list(&folder));
    let found: BTreeSet<PathBuf> = debian.chain(others).filter_map(|path| fs::canonicalize(path).ok()).collect();
    assert!(found.len() > 3, "too few jars; install libnetty-java, libguava-java and libjctools-java");
    found.into_iter().collect()
}

#[test]
fn edited_jars_verify() {
    let folder = tempfile::tempdir().unwrap();
    let paths = jars();
    let mut edited = Vec::new();
    for (seed, path) in paths.iter().enumerate() {
        let bytes = edited_jar(&fs::read(path).unwrap(), seed as u64);
        let target = folder.path().join(path.file_name().unwrap());
        fs::write(&target, bytes).unwrap();
        edited.push(target);
    }
    let load = |paths: &[&Path]| {
        let mut command = java();
        command.arg("-Xverify:all").arg(java::source("LoadAll.java"));
        run(command.args(paths))
    };
    let before = load(&paths.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let after = load(&edited.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let (_, count) = before.trim_end().rsplit_once('\n').unwrap_or(("", &before));
    let count: u32 = count.trim_end().trim_end_matches(" classes").parse().unwrap();
    assert!(count > 3_000, "only {count} classes");
    assert_same_lines(&before, &after);
}

#[test]
fn edited_programs_do_the_same() {
    for release in ["8", "11", "17"] {
        let folder = tempfile::tempdir().unwrap();
        let classes = compile(&["Sample.java"], &["--release", release, "-g"], folder.path());
        let before = run(java().arg("-cp").arg(folder.path()).arg("Sample"));
        for seed in 0..4 {
            let target = tempfile::tempdir().unwrap();
            for (index, path) in classes.iter().enumerate() {
                let edited = random_edits(&fs::read(path).unwrap(), &mut numbers(seed << 32 | index as u64)).unwrap();
                fs::write(target.path().join(path.file_name().unwrap()), edited).unwrap();
            }
            let after = run(java().arg("-Xverify:all").arg("-cp").arg(target.path()).arg("Sample"));
            assert_eq!(before, after, "release {release}, seed {seed}");
        }
    }
}

/// Nops before every instruction, so many that hardly a branch keeps its reach.
fn stretched(bytes: &[u8]) -> Vec<u8> {
    let mut class = read(bytes).unwrap();
    for method in 0..class.methods.len() {
        let Some(code) = class.code(method).unwrap() else { continue };
        let offsets: Vec<u32> = code.instructions().map(|located| located.unwrap().offset).collect();
        // Room is left for what branches need when they do not reach.
        let nops = (62_000 - code.bytes.len()) / offsets.len();
        let mut edits = CodeEdits::new();
        for offset in offsets {
            edits.before(offset, vec![Insn::Plain(Opcode::Nop); nops]);
        }
        apply(&mut class, method, &edits).unwrap();
    }
    write(&class).unwrap()
}

#[test]
fn branches_that_lost_their_reach_arrive() {
    for release in ["8", "17"] {
        let (folder, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let classes = compile(&["Sample.java"], &["--release", release, "-g"], folder.path());
        let before = run(java().arg("-cp").arg(folder.path()).arg("Sample"));
        for path in classes {
            fs::write(target.path().join(path.file_name().unwrap()), stretched(&fs::read(&path).unwrap())).unwrap();
        }
        let after = run(java().arg("-Xverify:all").arg("-cp").arg(target.path()).arg("Sample"));
        assert_eq!(before, after, "release {release}");
    }
}

#[test]
fn serial_version_uids_are_those_of_the_jvm() {
    let folder = tempfile::tempdir().unwrap();
    let mut shapes = JarEdits::default();
    for path in compile(&["Uids.java"], &["--release", "8"], folder.path()) {
        shapes.add(&path.file_name().unwrap().to_string_lossy(), fs::read(&path).unwrap(), false);
    }
    let jar_of_shapes = folder.path().join("shapes.jar");
    fs::write(&jar_of_shapes, jar::write(&Jar::empty(), &shapes).unwrap()).unwrap();
    let paths = [PathBuf::from("/usr/share/java/guava.jar"), jar_of_shapes];
    let printed = run(java().arg("-cp").arg(folder.path()).arg("Uids").args(&paths));
    let contents: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let jars: Vec<Jar<'_>> = contents.iter().map(|bytes| Jar::read(bytes, &Limits::default()).unwrap()).collect();
    for line in printed.lines() {
        let (name, wanted) = line.split_once(' ').unwrap();
        let entry = |jar: &&Jar<'_>| jar.find(&format!("{name}.class")).is_some();
        let jar = jars.iter().find(entry).unwrap();
        let content = jar.content(jar.find(&format!("{name}.class")).unwrap()).unwrap();
        let found = read(&content).unwrap().computed_serial_version_uid().unwrap();
        assert_eq!(found.to_string(), wanted, "{name}");
    }
    assert!(printed.lines().count() > 100, "only {} classes", printed.lines().count());
}

/// Only the lines that differ: there are thousands of others.
fn assert_same_lines(before: &str, after: &str) {
    let new: Vec<&str> = after.lines().filter(|line| !before.lines().any(|other| other == *line)).collect();
    assert!(new.is_empty(), "{} lines differ:\n{}", new.len(), new[..new.len().min(30)].join("\n"));
    assert_eq!(before.lines().count(), after.lines().count());
}
