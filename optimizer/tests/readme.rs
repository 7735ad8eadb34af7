//! Every command that a page or the help shows is run, and prints what is shown; what a page says of outcomes is so.
//!
//! A `console` block has commands after `$ ` and what they print below; a line `...` stands for any lines. With
//! `R8LITE_UPDATE=1` the pages are rewritten to what is printed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The arguments of the r8lite that a shown command line runs; none for what is not r8lite.
fn r8lite_args(line: &str) -> Option<Vec<&str>> {
    let rest = line.strip_prefix("r8lite ").or_else(|| line.strip_prefix("cargo run --release -- "))?;
    Some(rest.split_whitespace().collect())
}

/// What a command prints, errors after results.
fn printed(args: &[&str]) -> (bool, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_r8lite")).args(args).current_dir(root()).output().expect("the command runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).expect("it prints UTF-8"))
}

/// Whether `shown` is `found`, but for lines `...`.
fn matches(shown: &[&str], found: &[&str]) -> bool {
    match shown {
        [] => found.is_empty(),
        ["...", rest @ ..] => (0..=found.len()).any(|at| matches(rest, &found[at..])),
        [first, rest @ ..] => found.first() == Some(first) && matches(rest, &found[1..]),
    }
}

/// The page as it should be.
fn checked(page: &str, text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    let mut in_block = false;
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        if line.starts_with("```") {
            in_block = line == "```console";
            continue;
        }
        let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) else { continue };
        let mut shown = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```")) {
            shown.push(line);
        }
        let found = match r8lite_args(command) {
            Some(args) => {
                let (good, found) = printed(&args);
                assert!(good, "{page}: `{command}` fails:\n{found}");
                found
            }
            None => {
                assert!(command.starts_with("cargo xtask "), "{page}: `{command}` is nothing that this test can check");
                continue;
            }
        };
        let found: Vec<&str> = found.lines().collect();
        for line in if matches(&shown, &found) { &shown } else { &found } {
            out += line;
            out.push('\n');
        }
    }
    out
}

#[test]
fn pages_show_what_is_printed() {
    for page in ["README.md", "ARCHITECTURE.md", "ir/LANGUAGE.md"] {
        let path = root().join(page);
        let text = fs::read_to_string(&path).expect("the page is there");
        let checked = checked(page, &text);
        if std::env::var_os("R8LITE_UPDATE").is_some() && checked != text {
            fs::write(&path, &checked).expect("the page can be written");
        }
        if checked != text {
            let diff = similar::TextDiff::from_lines(&text, &checked).unified_diff().to_string();
            panic!("{page} is stale:\n{diff}\nR8LITE_UPDATE=1 cargo test -p r8lite --test readme   writes it anew");
        }
    }
}

/// The rows of the table of weak outcomes in `ir/LANGUAGE.md`: how each begins, its cases, and what they print then.
const LITMUS: &[(&str, &str, &str)] = &[
    ("SB:", "store-buffering", "0 0"),
    ("MP:", "message-passing", "1 0"),
    ("LB:", "load-buffering", "1 1"),
    ("IRIW:", "independent-reads", "1 0 1 0"),
    ("2+2W:", "two-plus-two-writes", "1 1"),
    ("CoRR:", "coherence", "1 0"),
];

/// Its columns, as in the names of the cases.
const STRENGTHS: &[&str] =
    &["plain", "opaque", "release-only", "acquire-only", "acquire-release", "by-update-acq-rel", "volatile"];

#[test]
fn the_table_of_weak_outcomes_is_what_is_found() {
    let page = fs::read_to_string(root().join("ir/LANGUAGE.md")).expect("the page is there");
    for (begin, test, outcome) in LITMUS {
        let row = page.lines().find(|line| line.starts_with(&format!("| {begin}"))).expect("the table has the row");
        let cells: Vec<&str> = row.split('|').map(str::trim).skip(2).take(STRENGTHS.len()).collect();
        for (strength, cell) in STRENGTHS.iter().zip(cells) {
            let path = root().join(format!("snapshots/litmus/{test}-{strength}.explore-weak.snap"));
            let found = match fs::read_to_string(&path) {
                Err(_) => "",
                Ok(snapshot) if snapshot.lines().any(|line| line == *outcome) => "shows",
                Ok(_) => "–",
            };
            assert_eq!(cell, found, "{test}, {strength}");
        }
    }
}

#[test]
fn examples_of_the_help_run() {
    let mut count = 0;
    for command in ["optimize", "explain", "run", "verify"] {
        let (_, help) = printed(&[command, "--help"]);
        for line in help.lines().filter_map(|line| line.trim().strip_prefix("$ ")) {
            let args = r8lite_args(line).expect("examples are of r8lite");
            let (good, text) = printed(&args);
            assert!(good, "`{line}` fails:\n{text}");
            count += 1;
        }
    }
    assert!(count > 4, "the help has examples");
}
