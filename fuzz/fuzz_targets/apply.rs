//! Any bytes as a class file: what becomes of it can be read and lifted, and is left alone by a second time.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| r8lite_jvm::checks::applied_is_in_order(bytes));
