//! Specialise: copy methods for those of their callers that pass certain updaters.
//!
//! ```text
//!   u = getstatic Reader.COUNT                         u = getstatic Reader.COUNT
//!   invokestatic Counts.add(u, this, 1)       ──▶      invokestatic Counts.add$Reader$COUNT(u, this, 1)
//! ```
//!
//! In the copy, which nothing else calls, the parameter is the updater, so the next plan can replace the calls that are made
//! on it. What is gained is known before: [`CopyPlan`](crate::plan::CopyPlan) names copies whose calls can be replaced.
//! Copies of a method have 8,192 instructions together at most; a method that would take more is not copied. A copy does what
//! its original does, but that a stack trace shows its name.

use r8lite_ir::{FuncData, MethodRefData, Module, Payload, Verified};

use crate::pipeline::{PipelineError, Prepared};
use crate::plan::{Plan, PlanOptions};
use crate::registry::{Outcome, PassCx, PassError};

/// Makes the copies that the plan asks for, and leads calls to them.
///
/// # Errors
/// If the plan is of another module.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    for plan in &cx.plan.copies {
        let name = module.symbol(&plan.name);
        let original = &module.funcs[plan.func];
        let (class, sig) = (original.class, original.sig);
        match plan.made(module) {
            Some(copy) => module.funcs[copy].flags = plan.flags,
            None => {
                let copy = FuncData { name, flags: plan.flags, copy_of: Some(plan.func), ..original.clone() };
                let copy = module.add_func(copy);
                cx.known.bodies.added(copy);
            }
        }
        let method = module.intern_method_ref(MethodRefData { class, name, sig });
        for call in &plan.calls {
            let led = cx.known.bodies.edit(module, call.func, |_, body| {
                body.insts[call.inst].payload = Payload::Method(method);
                true
            });
            if !led {
                return Err(PassError::new("the plan is of another module: a call stands in a method without a body"));
            }
        }
    }
    let changed = !cx.plan.copies.is_empty();
    Ok(Outcome { changed, declarations: changed })
}

/// Makes the copies that a plan of this module asks for, and those of the plans that follow, and yields the last plan.
///
/// # Errors
/// If a pass went wrong.
pub fn specialise(module: Verified, plan: Plan, options: &PlanOptions) -> Result<(Verified, Plan), PipelineError> {
    let (prepared, plan) = Prepared::raw(module).specialise(plan, options)?;
    Ok((prepared.finish()?, plan))
}
