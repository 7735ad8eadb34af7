//! The examples of `ir/LANGUAGE.md` are programs, and printing is the inverse of parsing.

use std::collections::BTreeSet;

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

/// Every instruction has a row in a table, every error code of the parser one in the last.
#[test]
fn the_tables_are_complete() {
    let rows: Vec<&str> = LANGUAGE.lines().filter(|line| line.starts_with('|')).collect();
    for op in Op::ALL {
        let info = op.info();
        let ordering = if info.ordered { ".ORDERING" } else { "" };
        let start = format!("| `{}{ordering} ", info.mnemonic);
        assert_eq!(rows.iter().filter(|row| row.starts_with(&start)).count(), 1, "{start}");
    }
    let parser = [
        include_str!("../src/text/parser/mod.rs"),
        include_str!("../src/text/parser/decl.rs"),
        include_str!("../src/text/parser/body.rs"),
        include_str!("../src/text/parser/constant.rs"),
    ];
    let codes: BTreeSet<&str> =
        parser.iter().flat_map(|text| text.split("\"E01").skip(1)).map(|rest| &rest[..2]).collect();
    let documented: BTreeSet<&str> = LANGUAGE.split("E01").skip(1).map(|rest| &rest[..2]).collect();
    assert_eq!(codes, documented);
}
