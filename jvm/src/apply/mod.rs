//! From a plan to class files: what is decided on the IR is carried out as edits of the original bytes.
//!
//! What no edit touches stays byte for byte. An edit may turn out to be impossible (a method would become too large, say);
//! then the plan is decided again with those instructions left as they are, until all edits work. Nothing is written before
//! that, so there is no half state.

use r8lite_passes::plan::{Fixed, Plan, PlanOptions, Reason, decide_but_for};

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
}

/// A class that the program did not have.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AddedClass {
    /// Its internal name: `com/acme/R8lite$0a1b2c3d`.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Carries out a plan of a lifted program, on the class files that it was lifted from.
pub fn apply(program: &[Input<'_>], lifted: &Lifted, plan: &Plan, options: &ApplyOptions) -> Applied {
    let mut fixed = Fixed::new();
    for call in &plan.calls {
        fixed.insert(call.site, Reason::new("not-edited", "class files are not edited yet"));
    }
    let plan = decide_but_for(&lifted.module, &options.plan, &fixed);
    Applied { classes: vec![None; program.len()], added: Vec::new(), plan }
}
