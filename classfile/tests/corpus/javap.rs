//! What the JDK's own `javap` prints of real classes is what this reader finds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use r8lite_classfile::jar::{Jar, Limits};
use r8lite_classfile::{ClassFile, Insn, read};

/// The instructions of all methods: offset, name, and the constant, the target or the number that it has.
fn ours(class: &ClassFile<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for method in 0..class.methods.len() {
        let Some(code) = class.code(method).unwrap() else { continue };
        for located in code.instructions().map(Result::unwrap) {
            let name = located.insn.opcode().unwrap().mnemonic();
            // `javap` marks the wide forms; here they are the same instructions.
            let is_wide = code.bytes[located.offset as usize] == 0xc4;
            let operand = match &located.insn {
                Insn::Push(_, value) => value.to_string(),
                Insn::Increment { local, by } => format!("{local}, {by}"),
                Insn::Constant(_, index) => format!("#{}", index.0),
                Insn::InvokeInterface { method, slots } => format!("#{}, {slots}", method.0),
                Insn::MultiNewArray { class, dimensions } => format!("#{}, {dimensions}", class.0),
                Insn::Branch(_, target) => target.to_string(),
                _ if name.contains('_') => String::new(),
                insn => insn.local().map_or(String::new(), |(local, _)| local.to_string()),
            };
            let name = if is_wide { format!("{name}_w") } else { name.to_owned() };
            lines.push(format!("{}: {name} {operand}", located.offset).trim_end().to_owned());
        }
    }
    lines
}

/// The instructions in the text for a class.
fn theirs(text: &str) -> Vec<String> {
    let line = |line: &str| -> Option<String> {
        let (offset, rest) = line.trim_start().split_once(": ")?;
        offset.parse::<u32>().ok()?;
        let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return None;
        }
        let operand = rest.split("//").next().unwrap_or_default().trim();
        // What is behind a switch is on lines of its own, and the type of an array is a word.
        let operand = if name.ends_with("switch") || name == "newarray" { "" } else { operand };
        let operand = operand.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(format!("{offset}: {name} {operand}").trim_end().to_owned())
    };
    text.lines().filter_map(line).collect()
}

#[test]
fn javap_finds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths: Vec<PathBuf> = Vec::new();
    for name in ["jctools-core", "netty-buffer"] {
        let path = Path::new("/usr/share/java").join(format!("{name}.jar"));
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let jar = Jar::read(&bytes, &Limits::default()).unwrap();
        for (index, _) in jar.entries().iter().enumerate().filter(|(_, entry)| entry.name.ends_with(".class")) {
            let path = folder.path().join(format!("{name}-{index}.class"));
            fs::write(&path, jar.content(index).unwrap()).unwrap();
            paths.push(path);
        }
    }
    let output = Command::new("javap").args(["-c", "-p"]).args(&paths).output().unwrap_or_else(|error| {
        panic!("javap: {error}; install openjdk-17-jdk-headless");
    });
    let text = String::from_utf8_lossy(&output.stdout);
    let texts: Vec<&str> = text.split("Compiled from ").skip(1).collect();
    assert_eq!(texts.len(), paths.len(), "each class says what it was compiled from");
    let mut instructions = 0;
    for (path, text) in paths.iter().zip(texts) {
        let bytes = fs::read(path).unwrap();
        let class = read(&bytes).unwrap();
        let found = ours(&class);
        assert_eq!(found, theirs(text), "{}", class.name().unwrap());
        instructions += found.len();
    }
    assert!(instructions > 50_000, "only {instructions} instructions");
}
