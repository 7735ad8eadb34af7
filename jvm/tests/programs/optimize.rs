//! Class files through the whole way: lift, decide, apply.

use r8lite_jvm::{ApplyOptions, Backend, Input, Methods, Options, apply, lift};
use r8lite_passes::plan::PlanOptions;
use r8lite_passes::report::Report;

/// An optimised program.
pub(crate) struct Optimized {
    /// The new content of each class, if it has one.
    pub(crate) classes: Vec<Option<Vec<u8>>>,
    /// File names and contents of classes that come in addition.
    pub(crate) added: Vec<(String, Vec<u8>)>,
    pub(crate) report: Report,
}

/// A way to optimise: the backend, and the oldest Android that the result has to run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct How(pub(crate) Backend, pub(crate) Option<u32>);

/// All ways that differ in what they make of a call. Android before API level 24 has no `getAndSetInt` and its like.
pub(crate) const WAYS: [How; 3] =
    [How(Backend::Unsafe, None), How(Backend::Unsafe, Some(21)), How(Backend::VarHandle, None)];

/// Optimises classes, with their file names, as one program.
pub(crate) fn optimize(classes: &[(String, &[u8])], how: How, options: &PlanOptions) -> Optimized {
    let inputs: Vec<Input<'_>> = classes.iter().map(|(name, bytes)| Input { bytes, name }).collect();
    let lifted = lift(&inputs, &[], &Options::of(Methods::Relevant));
    assert!(lifted.refused.is_empty(), "{:?}", lifted.refused);
    let mut apply_options = ApplyOptions::default();
    (apply_options.backend, apply_options.min_api) = (how.0, how.1);
    apply_options.plan = options.clone();
    let (lifted, decided) = lifted.specialise(options).unwrap();
    let applied = apply(&inputs, &lifted, &decided, &apply_options);
    Optimized {
        classes: applied.classes,
        added: applied.added.into_iter().map(|added| (format!("{}.class", added.name), added.bytes)).collect(),
        report: Report::planned(&lifted.module, &applied.plan),
    }
}
