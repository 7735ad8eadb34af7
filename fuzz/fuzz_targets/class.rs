//! Any bytes as a class file: reading never panics, what was read is written as it was, and edits keep it readable.
#![no_main]

use r8lite_classfile::checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    checks::read_write_roundtrip(bytes);
    // What is edited follows from the bytes.
    let mut state = bytes.iter().fold(1u32, |state, byte| state.wrapping_mul(31).wrapping_add(u32::from(*byte)));
    checks::random_edits(bytes, &mut |below| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    });
});
