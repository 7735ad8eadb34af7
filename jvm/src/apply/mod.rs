//! From a plan to class files: what is decided on the IR is carried out as edits of the original bytes.
//!
//! ```text
//!   getstatic C.updater                              getstatic R8lite$….UNSAFE
//!   aload_0                                          aload_0
//!                                          ──▶       getstatic C.updater$offset
//!   aload_1, aload_2                                 aload_1, aload_2
//!   invokevirtual ….compareAndSet                    invokevirtual Unsafe.compareAndSwapObject
//! ```
//!
//! What no edit touches stays byte for byte, and no edit brings a branch into a method: checks that have to stay, and
//! loops, are calls of synthetic helpers. An edit may turn out to be impossible (a method would become too large, say);
//! then the plan is decided again with those instructions left as they are, until all edits work. Nothing is handed out
//! before that, so there is no half state.
//!
//! ```text
//! for each method: copies ─▶ stack ─▶ calls ─▶ reads that are left ─▶ class initialisers ─▶ finish: frames, members, bytes
//! ```

mod asm;
mod attempt;
mod calls;
mod clinit;
pub(crate) mod copies;
mod finish;
mod forms;
mod helper;
mod place;
mod reads;
mod reasons;
mod stack;
mod unsafe_class;
mod unsafes;

use std::collections::{BTreeMap, BTreeSet};

use r8lite_ir::Module;
use r8lite_passes::plan::{Action, Fixed, Plan, PlanOptions, decide_but_for};

pub(crate) use self::attempt::unsafe_class_name;
use self::attempt::{Attempt, Done, handle_name};
use self::unsafe_class::UnsafeClass;
use crate::{Input, Lifted};

/// How to carry a plan out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ApplyOptions {
    /// How replaced calls access fields.
    pub backend: Backend,
    /// The oldest Android version that the result has to run on, as an API level; none if it is not for Android.
    pub min_api: Option<u32>,
    /// The oldest Java version that the result has to run on; none if that is not known.
    pub min_java: Option<u32>,
    /// What the plan was decided with, for deciding again.
    pub plan: PlanOptions,
    /// For each input, the number of the jar that it is in; if there are none, all are in one. Each jar gets a class of
    /// its own, since it may be a module of its own.
    pub jars: Vec<u32>,
    /// For jars, what their class is called that comes in addition; chosen by its content where that is not said.
    pub(crate) unsafe_names: BTreeMap<u32, String>,
}

/// What replaced calls access fields by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// `sun.misc.Unsafe`.
    #[default]
    Unsafe,
    /// `java.lang.invoke.VarHandle`, of Java 9 and Android 13.
    VarHandle,
}

/// What became of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// The new content of each input of the program; none where it stays as it was.
    pub classes: Vec<Option<Vec<u8>>>,
    /// Classes that come in addition.
    pub added: Vec<AddedClass>,
    /// The plan as it was carried out.
    pub plan: Plan,
    /// The bytes that copies of methods take.
    pub copied: usize,
}

/// A class that the program did not have.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AddedClass {
    /// Its internal name: `com/acme/R8lite$0a1b2c3d4e5f6071`.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The jar that it goes to, as [`ApplyOptions::jars`] numbers them.
    pub jar: u32,
    /// What it has.
    pub(crate) parts: UnsafeClass,
}

/// How often the plan is decided again for what turned out to be impossible; after that, all calls stay.
const MAX_ROUNDS: usize = 16;

/// Carries out a plan of a lifted program, on the class files that it was lifted from.
///
/// ```
/// use r8lite_jvm::{ApplyOptions, Input, Methods, Options, apply, lift};
/// use r8lite_passes::plan::PlanOptions;
///
/// let bytes = include_bytes!("../../../testdata/class/Sample.class");
/// let program = [Input { bytes, name: "Sample.class" }];
/// let lifted = lift(&program, &[], &Options::of(Methods::Relevant));
/// let (lifted, plan) = lifted.specialise(&PlanOptions::default())?;
/// let applied = apply(&program, &lifted, &plan, &ApplyOptions::default());
/// // There is no updater in it.
/// assert_eq!(applied.classes, [None]);
/// # Ok::<(), r8lite_passes::pipeline::PipelineError>(())
/// ```
pub fn apply(program: &[Input<'_>], lifted: &Lifted, plan: &Plan, options: &ApplyOptions) -> Applied {
    apply_but_for(program, lifted, Some(plan.clone()), Fixed::new(), options)
}

/// Does the same, or decides a plan first if there is none, in which some instructions stay.
pub(crate) fn apply_but_for(
    program: &[Input<'_>],
    lifted: &Lifted,
    plan: Option<Plan>,
    mut fixed: Fixed,
    options: &ApplyOptions,
) -> Applied {
    let mut tight = BTreeSet::new();
    let mut plan = plan.unwrap_or_else(|| decide_but_for(&lifted.module, &options.plan, &fixed));
    for _ in 0..MAX_ROUNDS {
        match Attempt::run(program, lifted, &plan, options, &tight) {
            Ok(Done { classes, added, copied }) => {
                if options.backend == Backend::VarHandle {
                    name_handles(&lifted.module, &mut plan);
                }
                return Applied { classes, added, plan, copied };
            }
            Err(failures) => {
                fixed.extend(failures.fixed);
                tight.extend(failures.too_large);
            }
        }
        plan = decide_but_for(&lifted.module, &options.plan, &fixed);
    }
    kept_as_it_is(program, lifted, fixed, options)
}

/// A program of which nothing changes, with the reasons.
pub(crate) fn kept_as_it_is(
    program: &[Input<'_>],
    lifted: &Lifted,
    mut fixed: Fixed,
    options: &ApplyOptions,
) -> Applied {
    let plan = decide_but_for(&lifted.module, &options.plan, &fixed);
    let replaced = plan.calls.iter().filter(|call| matches!(call.action, Action::Replace(_)));
    fixed.extend(replaced.map(|call| (call.site, reasons::gave_up())));
    let stores = plan.updaters.iter().filter_map(|updater| updater.recognised);
    fixed.extend(stores.map(|recognised| (recognised.store, reasons::gave_up())));
    let plan = decide_but_for(&lifted.module, &options.plan, &fixed);
    Applied { classes: vec![None; program.len()], added: Vec::new(), plan, copied: 0 }
}

/// Says in a plan what the fields with handles are called, which take the place of those with offsets.
fn name_handles(module: &Module, plan: &mut Plan) {
    for updater in &mut plan.updaters {
        let name = handle_name(module, updater);
        if let Some(offset) = &mut updater.offset {
            offset.name = name;
        }
    }
}
