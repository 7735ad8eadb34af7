//! The passes of r8lite: decide which field-updater calls can be replaced, and replace them.
//!
//! [`plan`] is decided from a verified module before anything changes; the [`pipeline`] runs the passes of the
//! [`registry`], which carry it out, and the [`report`] says what happened.
//!
//! Who has a module and a pipeline of their own takes [`FieldUpdaters`], the whole optimisation as one step:
//!
//! ```
//! use r8lite_ir::text::{self, Source};
//! use r8lite_passes::FieldUpdaters;
//!
//! let text = "
//! class Counter {
//!   private volatile field n: i32
//!   private static final field N: AtomicIntegerFieldUpdater
//!   static method <clinit>() {
//!     u = invokestatic AtomicIntegerFieldUpdater.newUpdater(class Counter, \"n\")
//!     putstatic Counter.N, u
//!     return
//!   }
//!   method next(): i32 {
//!     u = getstatic Counter.N
//!     n = invokevirtual AtomicIntegerFieldUpdater.incrementAndGet(u, this)
//!     return n
//!   }
//! }";
//! let module = text::parse(&[Source { name: "counter.ir", text }]).unwrap();
//! let module = r8lite_ir::verify(module).unwrap();
//! let (module, report) = FieldUpdaters::default().run(module)?;
//! assert_eq!(report.summary.calls_replaced, 1);
//! assert!(text::print_module(&module).contains("getandadd.volatile this, offset, 1"));
//! # Ok::<(), r8lite_passes::pipeline::RunError>(())
//! ```
//!
//! Who wants the helping passes too, and perhaps one of their own among them, takes [`pipeline::optimize`] with a
//! [`pipeline::Schedule`].
#![deny(missing_docs)]

pub mod access;
mod bodies;
pub mod branchless;
mod by_name;
pub mod cleanup;
pub mod facts;
mod field_updaters;
mod initialisation;
pub mod instrument;
mod names;
mod operation;
pub mod pipeline;
pub mod plan;
mod plan_text;
pub mod registry;
pub mod replace;
pub mod report;
pub mod retire;
pub mod specialise;
pub mod triggers;
pub mod unused_args;
mod updaters;

pub use field_updaters::FieldUpdaters;
