//! Any bytes as a jar: reading and rewriting never panic, and what is written can be read.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| r8lite_classfile::checks::jar_rewrite(bytes));
