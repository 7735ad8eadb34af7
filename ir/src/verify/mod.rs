//! The verifier: the only maker of a [`Verified`] module.
//!
//! It holds a module against `ir/LANGUAGE.md` in the order of the files here: classes and their members
//! (`classes`), then each body's structure, the order and dominance of its values (`ssa`), and types (`types`, with the
//! members it names in `members`). A body whose structure is broken is not looked at any further; everything else is
//! found in one go.
//!
//! What depends on a class that is known by name only is taken to be in order, as the JVM would find out when it links.
//! Bodies of the class library are verified by a test, not here: its text never changes, and passes leave it alone.

mod classes;
mod members;
mod report;
mod ssa;
mod structure;
mod types;

use std::ops::Deref;

use crate::cfg::Cfg;
use crate::diag::Diagnostic;
use crate::entity::{Class, Func};
use crate::function::Body;
use crate::hierarchy::Hierarchy;
use crate::module::{ClassOrigin, Module};
pub use report::Culprit;
use report::{At, Errors};

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
    /// Every class and body with something wrong about it, without a cap: for who can do without them.
    pub culprits: Vec<Culprit>,
}

/// Checks a module.
///
/// # Errors
/// Everything that is wrong, up to a cap, with the module given back.
pub fn verify(module: Module) -> Result<Verified, Box<Invalid>> {
    verify_changed(module, |_| true)
}

/// Checks a module that was verified before: everything declared in it, and the bodies of the methods that `changed`
/// names. For who keeps account of what was changed since; what is not named is taken to be in order as it was.
///
/// # Errors
/// As [`verify`].
pub fn verify_changed(module: Module, changed: impl Fn(Func) -> bool) -> Result<Verified, Box<Invalid>> {
    let (mut diagnostics, mut culprits) = problems(&module, ClassOrigin::Program, &changed);
    if module.classes.values().any(|data| data.origin == ClassOrigin::Classpath) {
        let more = problems(&module, ClassOrigin::Classpath, &changed);
        diagnostics.extend(more.0);
        culprits.extend(more.1);
    }
    match diagnostics.is_empty() {
        true => Ok(Verified(module)),
        false => Err(Box::new(Invalid { module, diagnostics, culprits })),
    }
}

/// Everything wrong with the classes of one origin, and with those bodies that are looked at.
fn problems(module: &Module, origin: ClassOrigin, looks_at: impl Fn(Func) -> bool) -> (Vec<Diagnostic>, Vec<Culprit>) {
    let hierarchy = Hierarchy::new(module);
    let mut cx = Cx {
        module,
        hierarchy: &hierarchy,
        throwable: module.find_class("java.lang.Throwable"),
        errors: Errors::new(module),
        values: ssa::Values::default(),
    };
    classes::check_missing(&mut cx);
    for class in module.classes.keys().filter(|&class| module.classes[class].origin == origin) {
        cx.errors.set_in_body(false);
        classes::check(&mut cx, class);
        cx.errors.set_in_body(true);
        for &func in module.classes[class].methods.iter().filter(|&&func| looks_at(func)) {
            check_body(&mut cx, class, func);
        }
    }
    cx.errors.finish()
}

fn check_body(cx: &mut Cx<'_>, class: Class, func: Func) {
    let Some(body) = &cx.module.funcs[func].body else { return };
    let mut cx = BodyCx { cx, class, func, body, at: At::Func(func) };
    if !structure::check(&mut cx) {
        return;
    }
    // A body of one block needs no graph, and most bodies are.
    let cfg = (body.layout.len() > 1).then(|| Cfg::new(body));
    ssa::check(&mut cx, cfg.as_ref());
    types::check(&mut cx);
}

/// What all checks share.
struct Cx<'m> {
    module: &'m Module,
    hierarchy: &'m Hierarchy,
    throwable: Option<Class>,
    errors: Errors<'m>,
    values: ssa::Values,
}

/// What all checks of a body share.
struct BodyCx<'a, 'm> {
    cx: &'a mut Cx<'m>,
    class: Class,
    func: Func,
    body: &'m Body,
    /// What is being looked at.
    at: At,
}

impl BodyCx<'_, '_> {
    fn error(&mut self, code: &'static str, message: String) {
        self.cx.errors.add(code, self.at, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_library_is_in_order() {
        let module = crate::text::parse(&[]).expect("the class library parses");
        let problems: Vec<String> =
            problems(&module, ClassOrigin::Library, |_| true).0.iter().map(|d| d.to_string()).collect();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}
