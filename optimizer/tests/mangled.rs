//! Cases of testdata, mangled at random: whatever becomes of them, reading and optimising has to cope.
//!
//! The fuzzers do the same for longer and follow what they reach. A failure prints a seed that brings it back.

use std::fs;
use std::path::Path;
use std::time::Duration;

use arbitrary::Unstructured;
use r8lite::checks;
use r8lite::text::fuzzing::check_roundtrip;

/// The texts of all cases.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("testdata can be listed") {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ir") {
                texts.push(fs::read_to_string(path).expect("a case can be read"));
            }
        }
    }
    texts.sort();
    assert!(!texts.is_empty());
    texts
}

/// A case with a few lines and words out of place.
fn mangle(u: &mut Unstructured<'_>, texts: &[String]) -> arbitrary::Result<String> {
    let mut lines: Vec<String> = u.choose(texts)?.lines().map(str::to_string).collect();
    for _ in 0..u.int_in_range(1..=4)? {
        if lines.is_empty() {
            break;
        }
        let at = u.choose_index(lines.len())?;
        match u.int_in_range(0..=5)? {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = u.choose_index(lines.len())?;
                lines.swap(at, other);
            }
            3 => {
                let stranger = u.choose(texts)?;
                let words: Vec<&str> = stranger.split_whitespace().collect();
                lines[at] = replace_word(u, &lines[at], &words)?;
            }
            4 => {
                let from: Vec<&str> = lines[at].split_whitespace().collect();
                let words: Vec<String> = from.into_iter().map(str::to_string).collect();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let other = u.choose_index(lines.len())?;
                lines[other] = replace_word(u, &lines[other], &words)?;
            }
            _ => {
                let mut cut = u.choose_index(lines[at].len() + 1)?;
                while !lines[at].is_char_boundary(cut) {
                    cut -= 1;
                }
                lines[at].insert(cut, u.arbitrary()?);
            }
        }
    }
    Ok(lines.join("\n"))
}

fn replace_word(u: &mut Unstructured<'_>, line: &str, words: &[&str]) -> arbitrary::Result<String> {
    let mut parts: Vec<&str> = line.split(' ').collect();
    if !words.is_empty() {
        let at = u.choose_index(parts.len())?;
        parts[at] = u.choose(words)?;
    }
    Ok(parts.join(" "))
}

fn check(property: fn(&str)) {
    let seconds = if std::env::var_os("R8LITE_LONG").is_some() { 300 } else { 1 };
    let texts = texts();
    arbtest::arbtest(|u| {
        property(&mangle(u, &texts)?);
        Ok(())
    })
    .budget(Duration::from_secs(seconds));
}

#[test]
fn mangled_texts_are_read_or_refused() {
    check(|text| check_roundtrip(text.as_bytes()));
}

#[test]
fn mangled_programs_are_optimised_or_refused() {
    check(checks::optimized_is_in_order);
}

/// Cases that run one pass, or none, go the whole way here; the others do so as what they are.
#[test]
fn every_case_goes_the_whole_way() {
    for text in texts().iter().filter(|text| !text.contains("; test: optimize")) {
        checks::optimized_is_in_order(text);
    }
}
