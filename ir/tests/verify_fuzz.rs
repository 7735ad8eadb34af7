//! The verifier never panics, whatever the parser lets through.

use arbtest::arbitrary::{Result, Unstructured};
use r8lite_ir::text::{Source, parse};
use r8lite_ir::verify;

/// A program in order that uses every kind of instruction.
const SEED: &str = include_str!("verify_fuzz.ir");

/// Swaps, repeats or removes whole lines, and swaps words, so that much of what comes out still parses.
fn mutate(u: &mut Unstructured<'_>, seed: &str) -> Result<String> {
    let mut lines: Vec<Vec<&str>> = seed.lines().map(|line| line.split_inclusive(' ').collect()).collect();
    for _ in 0..u.int_in_range(1..=2)? {
        let (a, b) = (u.choose_index(lines.len())?, u.choose_index(lines.len())?);
        match u.int_in_range(0..=9)? {
            0 => lines.swap(a, b),
            1 => lines[a] = lines[b].clone(),
            2 => lines[a].clear(),
            _ => {
                if !lines[a].is_empty() && !lines[b].is_empty() {
                    let (i, j) = (u.choose_index(lines[a].len())?, u.choose_index(lines[b].len())?);
                    lines[a][i] = lines[b][j];
                }
            }
        }
    }
    Ok(lines.iter().map(|line| line.concat()).collect::<Vec<_>>().join("\n"))
}

#[test]
fn the_seed_is_in_order() {
    let module = parse(&[Source { name: "seed.ir", text: SEED }]).expect("the seed parses");
    let problems = verify(module).err().map(|invalid| invalid.diagnostics);
    assert!(problems.is_none(), "{problems:?}");
}

#[test]
fn mutated_programs_do_not_panic() {
    let mut parsed = 0;
    arbtest::arbtest(|u| {
        let text = mutate(u, SEED)?;
        if let Ok(module) = parse(&[Source { name: "mutated.ir", text: &text }]) {
            parsed += 1;
            if let Err(invalid) = verify(module) {
                invalid.diagnostics.iter().for_each(|diagnostic| assert!(!diagnostic.message.is_empty()));
            }
        }
        Ok(())
    })
    .budget_ms(1000);
    assert!(parsed > 0, "the mutations are too wild: nothing parses any more");
}
