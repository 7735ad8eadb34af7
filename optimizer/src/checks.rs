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

/// What is in order is optimised to what is in order, reads back, and is left alone by a second time.
///
/// # Panics
/// If that does not hold.
pub fn optimized_is_in_order(text: &str) {
    let Some(Ok(verified)) = parse(text).map(verify) else { return };
    // Once with a look at what each pass leaves, once with passes run together, as they are where nobody looks. That
    // what a pass does not own up to is nothing is for tests: to print the module around each takes longer than the rest.
    let mut each = Config::default();
    each.verify_each = true;
    let once = text::print_module(&optimize(verified, each));
    let again = verify(parse_printed(&once)).unwrap_or_else(|invalid| {
        panic!("printed text is not in order: {:?}\n{once}", invalid.diagnostics);
    });
    let twice = text::print_module(&optimize(again, Config::default()));
    assert_eq!(once, twice, "a second time changes the program once more");
}

fn optimize(verified: Verified, config: Config) -> Verified {
    match pipeline::optimize(verified, &PlanOptions::default(), config) {
        Ok(optimized) => optimized.module,
        Err(error) => panic!("{error}"),
    }
}
