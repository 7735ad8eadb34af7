//! The examples of `ir/LANGUAGE.md` are programs, and printing is the inverse of parsing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use r8lite_ir::text::{ParseError, Source, parse, print_module};
use r8lite_ir::{Op, verify};

const LANGUAGE: &str = include_str!("../LANGUAGE.md");

/// The fenced blocks marked `ir`, with the line each starts on.
fn examples() -> Vec<(usize, String)> {
    let mut examples = Vec::new();
    let mut current: Option<(usize, String)> = None;
    for (number, line) in LANGUAGE.lines().enumerate() {
        match &mut current {
            None if line == "```ir" => current = Some((number + 1, String::new())),
            None => {}
            Some(_) if line == "```" => examples.extend(current.take()),
            Some((_, text)) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    examples
}

fn show(error: &ParseError) -> String {
    let lines = error.diagnostics.iter().map(|d| {
        let file = d.file.map_or("", |file| &error.files[file]);
        format!("{file} {:?} {d}\n", d.span)
    });
    lines.collect()
}

/// Names the first line that differs.
fn assert_same_lines(printed: &str, wanted: &str) {
    for (number, (printed, wanted)) in printed.lines().zip(wanted.lines()).enumerate() {
        assert_eq!(printed, wanted, "line {}", number + 1);
    }
    assert_eq!(printed.len(), wanted.len());
}

#[test]
fn examples_are_valid_and_print_as_they_stand() {
    let examples = examples();
    assert!(!examples.is_empty());
    for (line, text) in examples {
        let module = match parse(&[Source { name: "LANGUAGE.md", text: &text }]) {
            Ok(module) => module,
            Err(error) => panic!("the example on line {line}:\n{}", show(&error)),
        };
        let without_comments: String =
            text.lines().filter(|line| !line.trim_start().starts_with(';')).map(|line| format!("{line}\n")).collect();
        assert_same_lines(&print_module(&module), &without_comments);
        if let Err(invalid) = verify(module) {
            panic!("the example on line {line}:\n{:#?}", invalid.diagnostics);
        }
    }
}

/// A file with every construct, in the canonical layout.
#[test]
fn constructs_print_as_they_stand() {
    let text = include_str!("constructs.ir");
    let module = parse(&[Source { name: "constructs.ir", text }]).unwrap_or_else(|error| panic!("{}", show(&error)));
    assert_same_lines(&print_module(&module), text);
    for op in Op::ALL {
        let mnemonic = op.mnemonic();
        let named = |line: &str| line.split([' ', '.']).any(|word| word == mnemonic);
        assert!(text.lines().any(named), "constructs.ir has no `{mnemonic}`");
    }
}

/// Every instruction has a row in a table, and is used in an example.
#[test]
fn every_instruction_is_described_and_shown() {
    let rows: Vec<&str> = LANGUAGE.lines().filter(|line| line.starts_with('|')).collect();
    let examples = examples();
    let lines: Vec<&str> = examples.iter().flat_map(|(_, text)| text.lines()).collect();
    for op in Op::ALL {
        let info = op.info();
        let mnemonic = info.mnemonic;
        let ordering = if info.ordered { ".ORDERING" } else { "" };
        let start = format!("| `{mnemonic}{ordering} ");
        assert_eq!(rows.iter().filter(|row| row.starts_with(&start)).count(), 1, "{start}");
        assert!(lines.iter().any(|line| mnemonic_of(line) == mnemonic), "no example has `{mnemonic}`");
    }
}

/// The mnemonic of a line with an instruction: what stands before the first blank, or behind `NAME = `.
fn mnemonic_of(line: &str) -> &str {
    let inst = line.trim().split_once(" = ").map_or(line.trim(), |(_, inst)| inst);
    inst.split([' ', '.']).next().unwrap_or_default()
}

/// Every error code that the source has is in the tables, and no other.
#[test]
fn the_tables_of_errors_are_complete() {
    let mut sources = Vec::new();
    for folder in ["src/text", "src/text/parser", "src/verify"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_file() {
                sources.push(fs::read_to_string(path).expect("sources are text"));
            }
        }
    }
    let codes: BTreeSet<&str> =
        sources.iter().flat_map(|text| text.split("\"E0").skip(1)).map(|rest| &rest[..3]).collect();
    let rows = LANGUAGE.lines().filter(|line| line.starts_with("| E0"));
    let documented: Vec<&str> = rows
        .flat_map(|row| row.split('|').nth(1).unwrap_or_default().split("E0").skip(1))
        .map(|rest| &rest[..3])
        .collect();
    let unique: BTreeSet<&str> = documented.iter().copied().collect();
    assert_eq!(documented.len(), unique.len(), "a code stands in two rows");
    assert_eq!(codes, unique);
}
