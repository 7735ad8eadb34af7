//! What must hold for any text whatsoever: called by fuzzers, and by tests with texts at random.
//!
//! These panic where something is wrong with r8lite; that something is wrong with the text is no matter.

use r8lite_ir::text::{self, Source};
use r8lite_ir::{Module, Verified, verify};
use r8lite_passes::pipeline::{self, Config};
use r8lite_passes::plan::PlanOptions;

fn parse(text: &str) -> Option<Module> {
    text::parse(&[Source { name: "any.ir", text }]).ok()
}

fn parse_printed(printed: &str) -> Module {
    parse(printed).unwrap_or_else(|| panic!("printed text does not parse:\n{printed}"))
}

/// Reading never panics, nor does verifying; and what was read prints as text that reads and prints as the same.
///
/// # Panics
/// If that does not hold.
pub fn text_round_trip(text: &str) {
    let Some(module) = parse(text) else { return };
    let printed = text::print_module(&module);
    assert_eq!(printed, text::print_module(&parse_printed(&printed)), "printing is not stable");
    let _ = verify(module);
}

/// What is in order is optimised to what is in order, reads back, and is left alone by a second time.
///
/// # Panics
/// If that does not hold.
pub fn optimized_is_in_order(text: &str) {
    let Some(Ok(verified)) = parse(text).map(verify) else { return };
    let once = text::print_module(&optimize(verified));
    let again = verify(parse_printed(&once)).unwrap_or_else(|invalid| {
        panic!("printed text is not in order: {:?}\n{once}", invalid.diagnostics);
    });
    assert_eq!(once, text::print_module(&optimize(again)), "a second time changes the program once more");
}

fn optimize(verified: Verified) -> Verified {
    match pipeline::optimize(verified, &PlanOptions::default(), Config::checked()) {
        Ok(optimized) => optimized.module,
        Err(error) => panic!("{error}"),
    }
}
