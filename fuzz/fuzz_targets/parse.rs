//! Any bytes: the parser and the verifier never panic, and what is printed is read back as the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| r8lite::text::fuzzing::check_roundtrip(bytes));
