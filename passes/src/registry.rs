//! The passes there are, and the order they run in.

use std::sync::Arc;

use r8lite_ir::{Hierarchy, Module};

use crate::bodies::Bodies;
use crate::plan::Plan;
use crate::report::Report;
use crate::{branchless, cleanup, instrument, replace, retire, triggers, unused_args};

/// What a pass is lent.
#[derive(Debug)]
#[non_exhaustive]
pub struct PassCx<'a> {
    /// What was decided.
    pub plan: &'a Plan,
    /// Where a pass says what it did.
    pub report: &'a mut Report,
    pub(crate) known: Known,
}

impl<'a> PassCx<'a> {
    /// A context for running passes by hand.
    pub fn new(plan: &'a Plan, report: &'a mut Report) -> Self {
        Self::resume(plan, report, Known::default())
    }
    /// The class hierarchy of the module; made at the first request and after [`PassCx::invalidate`].
    pub fn hierarchy(&mut self, module: &Module) -> Arc<Hierarchy> {
        self.known.hierarchy(module)
    }
    /// The same, with what an earlier context knew.
    pub(crate) fn resume(plan: &'a Plan, report: &'a mut Report, known: Known) -> Self {
        Self { plan, report, known }
    }
    /// Forgets the hierarchy. The pipeline does so after a pass that says it changed declarations.
    pub fn invalidate(&mut self) {
        self.known.declarations_changed();
    }
}

/// What is known about a module, from pass to pass.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) bodies: Bodies,
    hierarchy: Option<Arc<Hierarchy>>,
}

impl Known {
    /// The class hierarchy, made at the first request.
    pub(crate) fn hierarchy(&mut self, module: &Module) -> Arc<Hierarchy> {
        self.hierarchy.get_or_insert_with(|| Arc::new(Hierarchy::new(module))).clone()
    }
    /// Forgets what no longer holds once a class, field or method was added or removed.
    pub(crate) fn declarations_changed(&mut self) {
        self.hierarchy = None;
    }
}

/// What a pass did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Outcome {
    /// Whether anything changed. Saying no and changing something is a bug that the pipeline's checks catch.
    pub changed: bool,
    /// Whether a class, field or method was added or removed (so that the hierarchy has to be made anew).
    pub declarations: bool,
}

/// A pass could not go on. Always a bug of the pass, or a plan of another module: a verified module is no reason to fail.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct PassError {
    /// What was found, and what was wanted.
    pub message: String,
}

impl PassError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// The code of a pass.
pub type Run = fn(&mut Module, &mut PassCx<'_>) -> Result<Outcome, PassError>;

/// A row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for `r8lite passes`.
    pub about: &'static str,
    /// Whether it always runs: without it the result would be half done.
    pub required: bool,
    /// Its code.
    pub run: Run,
}

/// Every pass.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "instrument",
        about: "adds the offset fields that the plan asks for",
        required: true,
        run: instrument::run,
    },
    Pass { name: "replace", about: "turns the planned calls into accesses", required: true, run: replace::run },
    Pass {
        name: "unused-args",
        about: "passes null for parameters that the called method never uses",
        required: false,
        run: unused_args::run,
    },
    Pass {
        name: "triggers",
        about: "keeps of a static read that is unused only the class initialisation that can be seen",
        required: false,
        run: triggers::run,
    },
    Pass {
        name: "retire",
        about: "removes updaters and accessors that nothing uses",
        required: true,
        run: retire::run,
    },
    Pass {
        name: "fold",
        about: "computes what is known, and simplifies by exact rules",
        required: false,
        run: cleanup::fold::run,
    },
    Pass {
        name: "checks",
        about: "removes checks and tests whose outcome is proven",
        required: false,
        run: cleanup::checks::run,
    },
    Pass {
        name: "block-params",
        about: "removes block parameters that always are one value, or that nothing uses",
        required: false,
        run: cleanup::block_params::run,
    },
    Pass {
        name: "unreachable",
        about: "drops blocks that nothing reaches, and joins those that follow each other",
        required: false,
        run: cleanup::unreachable::run,
    },
    Pass {
        name: "dce",
        about: "removes instructions whose result nothing uses",
        required: false,
        run: cleanup::dce::run,
    },
    Pass {
        name: "dead-fields",
        about: "removes private fields that nothing uses",
        required: false,
        run: cleanup::dead_fields::run,
    },
    Pass {
        name: "branchless",
        about: "turns small branches that only choose a value into `select`",
        required: false,
        run: branchless::run,
    },
];

/// What runs by default, once, in this order.
pub const SCHEDULE: &[&str] = &["instrument", "replace"];

/// What runs after that, again and again until a whole round changes nothing: each pass makes work for others.
pub const ROUND: &[&str] = &[
    "fold",
    "checks",
    "fold",
    "block-params",
    "unreachable",
    "dce",
    "unused-args",
    "triggers",
    "retire",
    "dead-fields",
    "branchless",
];

/// What runs before anything is decided, in rounds too: what it leaves is what the plan speaks of. So a call in code that
/// nothing reaches is not planned, and an updater that passes through a needless block parameter is seen for what it is.
pub const PREPARATION: &[&str] = &["fold", "checks", "fold", "block-params", "unreachable", "dce"];

/// What must come before what: `(earlier, later, why)`.
pub const ORDER: &[(&str, &str, &str)] = &[
    ("instrument", "replace", "a replaced call reads the offset field"),
    ("replace", "retire", "an updater goes when no call is left that reads it"),
    ("unused-args", "triggers", "an argument that is not needed frees the read that made it"),
    ("triggers", "retire", "an unused read of an updater keeps it alive"),
    ("fold", "unreachable", "a decided branch leaves blocks that nothing reaches"),
    ("checks", "dce", "a test whose outcome is known frees what it asked"),
    ("dce", "dead-fields", "an unused read keeps a field alive"),
    ("dce", "branchless", "what nothing uses would count as work of a branch's side"),
];

/// Whether a pass is one of the registry, code and all: only those note which bodies they change.
pub(crate) fn is_ours(pass: &Pass) -> bool {
    find(pass.name).is_some_and(|ours| std::ptr::fn_addr_eq(ours.run, pass.run))
}

/// The pass of this name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
