//! Random texts: the parser never panics, and what it accepts comes back from the printer.

use std::time::Duration;

use arbtest::arbtest;
use r8lite_ir::text::fuzzing::check_roundtrip;

const CONSTRUCTS: &str = include_str!("constructs.ir");

#[test]
fn random_bytes() {
    arbtest(|u| {
        let bytes: Vec<u8> = u.arbitrary()?;
        check_roundtrip(&bytes);
        Ok(())
    })
    .budget(Duration::from_millis(300));
}

/// Pieces that random texts are made of, so that more than the first token is reached.
const PIECES: &[&str] = &[
    "class",
    " ",
    "\n",
    "A",
    "B",
    "{",
    "}",
    "(",
    ")",
    ":",
    ",",
    "=",
    "field",
    "method",
    "static ",
    "x",
    "this",
    "i32",
    "i64",
    "String",
    "[]",
    "\"a\\u{d800}\"",
    "`b c`",
    "`",
    "\"",
    ";",
    "@7",
    "-1",
    "5L",
    "1.5f",
    "nan64",
    "class A",
    "null",
    "return",
    "jump b",
    "b:",
    "\n    x = add 1, 2\n",
    "catch *: b",
    "getfield A.x, this",
    "invokestatic A.m(1)",
    " as ",
    "load.volatile i32, this, 5L",
    "switch 1, 1: b, default: b",
    "extends B",
    ".",
    "extern class C\n",
    "implements ",
    "interface I {\n",
    "A.",
    "\\",
    "é",
    "\u{202e}",
    "<init>",
];

#[test]
fn random_pieces() {
    arbtest(|u| {
        let mut text = String::new();
        if u.arbitrary()? {
            text.push_str("class A {\n  static field x: i32\n  method m(a: i32): i32 {\n");
        }
        for _ in 0..u.int_in_range(0..=60)? {
            text.push_str(u.choose(PIECES)?);
        }
        check_roundtrip(text.as_bytes());
        Ok(())
    })
    .budget(Duration::from_millis(500));
}

#[test]
fn random_changes_of_a_program() {
    arbtest(|u| {
        let mut text = CONSTRUCTS.as_bytes().to_vec();
        for _ in 0..u.int_in_range(1..=4)? {
            let start = u.int_in_range(0..=text.len())?;
            let end = u.int_in_range(start..=text.len().min(start + 20))?;
            match u.int_in_range(0..=4)? {
                0 => drop(text.drain(start..end)),
                1 => drop(text.splice(start..start, u.choose(PIECES)?.bytes())),
                2 => drop(text.splice(start..end, u.choose(PIECES)?.bytes())),
                // Lines repeated elsewhere.
                3 => {
                    let lines: Vec<&str> = CONSTRUCTS.lines().collect();
                    let line = u.choose(&lines)?;
                    let at = text[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
                    drop(text.splice(at..at, format!("{line}\n").into_bytes()));
                }
                _ => text.truncate(start.max(text.len() / 2)),
            }
        }
        check_roundtrip(&text);
        Ok(())
    })
    .budget(Duration::from_millis(800));
}
