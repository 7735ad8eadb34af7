//! The examples of `ir/LANGUAGE.md` are programs, and printing is the inverse of parsing.

use r8lite_ir::Op;
use r8lite_ir::text::{ParseError, Source, parse, print_module};

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
fn examples_parse_and_print_as_they_stand() {
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
