//! The passes of r8lite: decide which field-updater calls can be replaced, and replace them.
//!
//! [`plan`] is decided from a verified module before anything changes; the [`pipeline`] runs the passes of the
//! [`registry`], which carry it out, and the [`report`] says what happened.
#![deny(missing_docs)]

mod access;
pub mod branchless;
pub mod cleanup;
pub mod facts;
mod initialisation;
pub mod instrument;
mod operation;
pub mod pipeline;
pub mod plan;
pub mod registry;
pub mod replace;
pub mod report;
pub mod retire;
pub mod triggers;
pub mod unused_args;
mod updaters;
