//! Any text: the parser never panics, and what it prints it reads back as the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| r8lite::checks::text_round_trip(text));
