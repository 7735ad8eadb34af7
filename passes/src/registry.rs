//! The passes there are, and the order they run in.

use std::cell::RefCell;
use std::sync::Arc;

use r8lite_ir::{Body, Class, ClassOrigin, Field, Flags, Func, Hierarchy, Module, Op, SecondaryMap};

use crate::bodies::Bodies;
pub use crate::bodies::OpSet;
use crate::plan::Plan;
use crate::report::Report;
use crate::{branchless, cleanup, instrument, replace, retire, specialise, triggers, unused_args};

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
    /// Takes each body through a row of passes: see [`Bodies::run`].
    pub(crate) fn run_bodies(
        &mut self,
        module: &mut Module,
        passes: &[(&'static str, BodyPass)],
        rounds: u32,
    ) -> Outcome {
        let hierarchy = self.hierarchy(module);
        let changed = self.bodies.run(module, &hierarchy, passes, rounds);
        Outcome { changed, declarations: false }
    }
    /// Says that fields were added under new names.
    pub(crate) fn fields_added(&mut self, module: &Module, fields: impl IntoIterator<Item = Field>) {
        match self.hierarchy.as_mut().and_then(Arc::get_mut) {
            Some(hierarchy) => fields.into_iter().for_each(|field| hierarchy.add_field(module, field)),
            None => self.hierarchy = None,
        }
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
    /// Whether a class, field or method was added, or one removed that something may still name, so that the hierarchy
    /// has to be made anew.
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
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Run {
    /// It works on the module.
    Module(fn(&mut Module, &mut PassCx<'_>) -> Result<Outcome, PassError>),
    /// It works on each body by itself.
    Body(BodyPass),
}

/// The code of a pass that works on each body of the program by itself.
///
/// What it makes of a body must follow from the body and the module's declarations alone. So it need not look again at
/// a body that it left alone, and the pipeline may take one body through several passes before the next.
#[derive(Clone, Copy, Debug)]
pub struct BodyPass {
    /// It has no work in a body without one of these.
    pub ops: OpSet,
    /// If there is a cheap way to see that it has no work in a body, that. It is asked once while the body is at hand.
    pub is_idle: Option<fn(&Body) -> bool>,
    /// Changes a body, and says whether it did.
    pub clean: fn(&BodyCx<'_>, Func, &mut Body) -> bool,
}

/// What a pass over bodies is lent besides the body, which the module lacks meanwhile.
#[derive(Debug)]
#[non_exhaustive]
pub struct BodyCx<'a> {
    /// The module, for its declarations.
    pub module: &'a Module,
    /// Its class hierarchy.
    pub hierarchy: &'a Hierarchy,
    pub(crate) idle: &'a IdleClasses,
    /// Room to note which values are used, kept from body to body; its content means nothing.
    pub(crate) used: &'a RefCell<Vec<bool>>,
}

impl BodyCx<'_> {
    /// Whether a class initialises without any effect: neither it nor what is initialised with it has an initialiser.
    pub(crate) fn initialises_idly(&self, class: Class) -> bool {
        self.idle.contain(self.module, class)
    }
}

/// Which classes initialise without any effect, as far as somebody asked.
#[derive(Debug, Default)]
pub(crate) struct IdleClasses {
    known: RefCell<SecondaryMap<Class, Option<bool>>>,
}

impl IdleClasses {
    fn contain(&self, module: &Module, class: Class) -> bool {
        let mut known = self.known.borrow_mut();
        // Supertypes first, each once, without recursion: a chain of them may be long.
        let mut work = vec![class];
        while let Some(&at) = work.last() {
            let data = &module.classes[at];
            let supers = || data.superclass.iter().chain(&data.interfaces);
            let is_unknown = match data.origin {
                ClassOrigin::Extern | ClassOrigin::Missing => true,
                // What a class does not list may be an initialiser. The class library has what counts.
                ClassOrigin::Program | ClassOrigin::Classpath => data.flags.has(Flags::PARTIAL),
                ClassOrigin::Library => false,
            };
            let is_bare = !is_unknown && module.clinit(at).is_none();
            match supers().find(|&&above| is_bare && known[above].is_none()) {
                Some(&above) => work.push(above),
                None => {
                    known[at] = Some(is_bare && supers().all(|&above| known[above] == Some(true)));
                    work.pop();
                }
            }
        }
        known[class] == Some(true)
    }
}

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
        name: "specialise",
        about: "copies methods for the updaters that their callers pass",
        required: false,
        run: Run::Module(specialise::run),
    },
    Pass {
        name: "instrument",
        about: "adds the offset fields that the plan asks for",
        required: true,
        run: Run::Module(instrument::run),
    },
    Pass {
        name: "replace",
        about: "turns the planned calls into accesses",
        required: true,
        run: Run::Module(replace::run),
    },
    Pass {
        name: "unused-args",
        about: "passes null for parameters that the called method never uses",
        required: false,
        run: Run::Module(unused_args::run),
    },
    Pass {
        name: "triggers",
        about: "keeps of a static read that is unused only the class initialisation that can be seen",
        required: false,
        run: Run::Module(triggers::run),
    },
    Pass {
        name: "retire",
        about: "removes updaters and accessors that nothing uses",
        required: true,
        run: Run::Module(retire::run),
    },
    Pass {
        name: "fold",
        about: "computes what is known, and simplifies by exact rules",
        required: false,
        run: over_bodies(OpSet::ALL, cleanup::fold::clean),
    },
    Pass {
        name: "checks",
        about: "removes checks and tests whose outcome is proven",
        required: false,
        run: over_bodies(cleanup::checks::CANDIDATES, cleanup::checks::clean),
    },
    Pass {
        name: "block-params",
        about: "removes block parameters that always are one value, or that nothing uses",
        required: false,
        run: over_bodies(OpSet::ALL, cleanup::block_params::clean),
    },
    Pass {
        name: "unreachable",
        about: "drops blocks that nothing reaches, and joins those that follow each other",
        required: false,
        run: over_bodies(OpSet::ALL, cleanup::unreachable::clean),
    },
    Pass {
        name: "dce",
        about: "removes instructions whose result nothing uses",
        required: false,
        run: over_bodies(OpSet::ALL, cleanup::dce::clean),
    },
    Pass {
        name: "dead-fields",
        about: "removes private fields that nothing uses",
        required: false,
        run: Run::Module(cleanup::dead_fields::run),
    },
    Pass {
        name: "branchless",
        about: "turns small branches that only choose a value into `select`",
        required: false,
        run: Run::Body(BodyPass {
            ops: OpSet::of(&[Op::Branch]),
            is_idle: Some(branchless::is_idle),
            clean: branchless::clean,
        }),
    },
];

const fn over_bodies(ops: OpSet, clean: fn(&BodyCx<'_>, Func, &mut Body) -> bool) -> Run {
    Run::Body(BodyPass { ops, is_idle: None, clean })
}

/// What runs by default, once, in this order.
pub const SCHEDULE: &[&str] = &["specialise", "instrument", "replace"];

/// What runs after that, again and again until a whole round changes nothing: each pass makes work for others.
pub const ROUND: &[&str] = &[
    "checks",
    "fold",
    "block-params",
    "unreachable",
    "dce",
    "branchless",
    "unused-args",
    "triggers",
    "retire",
    "dead-fields",
];

/// What runs before anything is decided, in rounds too: what it leaves is what the plan speaks of. So a call in code that
/// nothing reaches is not planned, and an updater that passes through a needless block parameter is seen for what it is.
pub const PREPARATION: &[&str] = &["checks", "fold", "block-params", "unreachable", "dce"];

/// What must come before what: `(earlier, later, why)`.
pub const ORDER: &[(&str, &str, &str)] = &[
    ("specialise", "replace", "calls that lead to copies are found where the plan saw them"),
    ("instrument", "replace", "a replaced call reads the offset field"),
    ("replace", "retire", "an offset field that no replaced call reads yet would go"),
    ("replace", "dead-fields", "an offset field that no replaced call reads yet would go"),
];

/// What had better come before what, as in [`ROUND`]; the other way round, less is found in one go.
pub const PREFERENCES: &[(&str, &str, &str)] = &[
    ("unused-args", "triggers", "an argument that is not needed frees the read that made it"),
    ("triggers", "retire", "an unused read of an updater keeps it alive"),
    ("checks", "fold", "a test whose outcome is known leaves a number to compute with"),
    ("fold", "unreachable", "a decided branch leaves blocks that nothing reaches"),
    ("checks", "dce", "a test whose outcome is known frees what it asked"),
    ("dce", "dead-fields", "an unused read keeps a field alive"),
    ("dce", "branchless", "what nothing uses would count as work of a branch's side"),
];

/// Whether a pass is one of the registry, code and all: of those it is known that they tell what they change.
pub(crate) fn is_ours(pass: &Pass) -> bool {
    find(pass.name).is_some_and(|ours| match (ours.run, pass.run) {
        (Run::Module(ours), Run::Module(run)) => std::ptr::fn_addr_eq(ours, run),
        (Run::Body(ours), Run::Body(body_pass)) => std::ptr::fn_addr_eq(ours.clean, body_pass.clean),
        (Run::Module(_), Run::Body(_)) | (Run::Body(_), Run::Module(_)) => false,
    })
}

/// The pass of this name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
