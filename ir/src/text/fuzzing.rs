//! Checks for fuzz targets and random tests.

use crate::verify;

use super::{Source, parse, print_func, print_inst, print_module};

/// Parses any bytes and verifies what parses: that must not panic, and what parses must print to a text that parses and
/// prints to itself.
///
/// # Panics
/// If the parser, the printer or the verifier is wrong.
pub fn check_roundtrip(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let module = match parse(&[Source { name: "fuzz", text: &text }]) {
        Ok(module) => module,
        Err(error) => {
            assert!(!error.diagnostics.is_empty());
            for diagnostic in &error.diagnostics {
                let span = diagnostic.span.start as usize..diagnostic.span.end as usize;
                if diagnostic.file.is_some_and(|file| error.files[file] == "fuzz") {
                    assert!(text.get(span.clone()).is_some(), "{diagnostic} at {span:?}, which is no part of the text");
                }
            }
            return;
        }
    };
    let printed = print_module(&module);
    let again = match parse(&[Source { name: "printed", text: &printed }]) {
        Ok(module) => module,
        Err(error) => panic!("what was printed does not parse: {:?}\n{printed}", error.diagnostics),
    };
    assert_eq!(print_module(&again), printed);
    for func in again.program_funcs() {
        assert!(printed.contains(&print_func(&again, func)));
        if let Some(body) = &again.funcs[func].body {
            for (_, inst) in body.layout_insts() {
                assert!(printed.contains(&print_inst(&again, body, inst)));
            }
        }
    }
    // Whether it is in order is no matter.
    let _ = verify(again);
}
