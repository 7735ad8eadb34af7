//! r8lite replaces the JVM's field updaters by compare-and-swap at a field offset, where it can prove that nobody can
//! tell the difference.
//!
//! This is the library face of the `r8lite` command. [`optimize`] does it all:
//!
//! ```
//! let text = r#"
//! class Counter {
//!   private volatile field n: i32
//!   private static final field N: AtomicIntegerFieldUpdater
//!
//!   static method <clinit>() {
//!     u = invokestatic AtomicIntegerFieldUpdater.newUpdater(class Counter, "n")
//!     putstatic Counter.N, u
//!     return
//!   }
//!
//!   public method next(): i32 {
//!     u = getstatic Counter.N
//!     n = invokevirtual AtomicIntegerFieldUpdater.incrementAndGet(u, this)
//!     return n
//!   }
//! }
//! "#;
//! let source = r8lite::text::Source { name: "Counter.ir", text };
//! let done = r8lite::optimize(&[source], &r8lite::Options::default())?;
//! assert_eq!(done.report.summary.calls_replaced, 1);
//! println!("{}", r8lite::explain::text(&done.report));
//! println!("{}", r8lite::text::print_module(&done.module));
//! # Ok::<(), r8lite::Error>(())
//! ```
//!
//! Who has a [`Module`] already, or a pass of their own to add, wants [`passes`] and [`passes::pipeline`] alone.
#![deny(missing_docs)]

pub mod checks;
pub mod explain;
pub mod render;

pub use r8lite_ir as ir;
pub use r8lite_ir::text;
pub use r8lite_ir::{Module, Verified, verify};
pub use r8lite_passes as passes;
pub use r8lite_passes::pipeline::Optimized;
pub use r8lite_passes::plan::{Plan, PlanOptions};
pub use r8lite_passes::report::Report;

use r8lite_ir::diag::Diagnostic;
use r8lite_passes::pipeline::{self, Config, RunError};

/// What [`optimize`] is asked for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// What is said about the program.
    pub plan: PlanOptions,
    /// The passes, and how they are run.
    pub pipeline: Config,
}

/// Why [`optimize`] made nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not IR. [`render::diagnostics`] draws what is wrong with it.
    #[error("the text has errors{}", listed(&.0.diagnostics))]
    Parse(text::ParseError),
    /// The program is not in order.
    #[error("the program has errors{}", listed(&.0.diagnostics))]
    Verify(Box<ir::Invalid>),
    /// The passes could not be run, or have a bug.
    #[error(transparent)]
    Passes(#[from] RunError),
}

fn listed(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("\n  {diagnostic}")).collect()
}

/// Optimises a program: parse, verify, plan, run the passes.
///
/// # Errors
/// If the program has errors, or the options make no sense.
pub fn optimize(sources: &[text::Source<'_>], options: &Options) -> Result<Optimized, Error> {
    let module = text::parse(sources).map_err(Error::Parse)?;
    let verified = verify(module).map_err(Error::Verify)?;
    let mut done = pipeline::optimize(verified, &options.plan, options.pipeline.clone())?;
    done.report.locate(sources);
    Ok(done)
}
