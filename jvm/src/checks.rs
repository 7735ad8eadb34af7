//! What must hold for any bytes whatsoever: called by fuzzers, and by tests with bytes at random.
//!
//! These panic where something is wrong with this crate; that something is wrong with the bytes is no matter.

use r8lite_ir::text;
use r8lite_passes::plan::PlanOptions;

use crate::{Applied, ApplyOptions, Backend, Input, Lifted, Methods, Options, apply, lift};

fn lift_one(bytes: &[u8], methods: Methods) -> Lifted {
    lift(&[Input { bytes, name: "any.class" }], &[], &Options::of(methods))
}

/// Lifting never panics, whatever is lifted, and gives a module that is in order and can be printed: the same each time.
///
/// # Panics
/// If that does not hold.
pub fn lifted_is_in_order(bytes: &[u8]) {
    for methods in [Methods::All, Methods::Relevant] {
        let printed = || text::print_module(&lift_one(bytes, methods).module);
        assert_eq!(printed(), printed(), "lifted otherwise than before");
    }
}

/// What a plan makes of a class can be read, is no worse than it was, and is left alone by a second time.
///
/// # Panics
/// If that does not hold.
pub fn applied_is_in_order(bytes: &[u8]) {
    let refused = lift_one(bytes, Methods::All).refused;
    for backend in [Backend::Unsafe, Backend::VarHandle] {
        let applied = optimize(bytes, backend);
        for added in &applied.added {
            check(&added.bytes, &[]);
        }
        let [Some(once)] = &applied.classes[..] else { continue };
        check(once, &refused);
        assert_eq!(optimize(once, backend).classes, [None], "a second time changes the class once more");
    }
}

fn optimize(bytes: &[u8], backend: Backend) -> Applied {
    let lifted = lift_one(bytes, Methods::Relevant);
    let options = ApplyOptions {
        backend,
        plan: PlanOptions { whole_program: true, declares_uids: true, ..PlanOptions::default() },
        ..ApplyOptions::default()
    };
    let (lifted, plan) = lifted.specialise(&options.plan).unwrap_or_else(|error| panic!("{error}"));
    apply(&[Input { bytes, name: "any.class" }], &lifted, &plan, &options)
}

/// A class that was written reads as it was written, and lifts as far as the one that it was made of.
fn check(written: &[u8], before: &[crate::Refused]) {
    let class = r8lite_classfile::read(written).unwrap_or_else(|error| panic!("what was written is no class: {error}"));
    let again = r8lite_classfile::write(&class);
    assert!(again.is_ok_and(|again| again == written), "written otherwise than read");
    for refused in lift_one(written, Methods::All).refused {
        let is_same = |other: &crate::Refused| other.class == refused.class && other.method == refused.method;
        assert!(before.iter().any(is_same), "what was written cannot be lifted: {refused}");
    }
}
