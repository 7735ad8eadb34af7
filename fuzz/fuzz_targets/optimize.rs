//! Any text: what parses and verifies is optimised to what verifies, and is not changed by a second time.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| r8lite::checks::optimized_is_in_order(text));
