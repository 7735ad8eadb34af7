//! The three phases as one step, for pipelines of others.

use r8lite_ir::Verified;

use crate::pipeline::{Config, Pipeline, Prepared, RunError, Schedule};
use crate::plan::PlanOptions;
use crate::report::Report;

/// What runs: the three phases, what makes more calls known to them, and the two passes without which they would leave
/// updaters behind that nothing uses.
const PHASES: &[&str] = &["specialise", "instrument", "replace", "unused-args", "triggers", "retire"];

/// Replaces field updaters in a module, and does nothing else to it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FieldUpdaters {
    /// What is known of the world outside the module.
    pub options: PlanOptions,
}

impl FieldUpdaters {
    /// With these options.
    pub fn new(options: PlanOptions) -> Self {
        Self { options }
    }

    /// Plans and carries out the plan. The module is verified again before it is handed back.
    ///
    /// # Errors
    /// A bug of a pass; no verified module is a reason to fail.
    pub fn run(&self, module: Verified) -> Result<(Verified, Report), RunError> {
        let config = Config { schedule: Schedule::of(PHASES)?, ..Config::default() };
        let mut pipeline = Pipeline::deciding(Prepared::raw(module), &self.options, config)?;
        pipeline.run_all()?;
        Ok(pipeline.finish()?)
    }
}
