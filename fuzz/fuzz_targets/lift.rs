//! Any bytes as a class file: lifting never panics, and gives a module that is in order.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| r8lite_jvm::checks::lifted_is_in_order(bytes));
