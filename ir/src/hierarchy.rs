//! Subtypes and resolution, over a whole module.

use crate::entity::{Class, Field, FieldRef, Func, MethodRef};
use crate::module::Module;
use crate::types::Type;

/// What is known of a question about classes. `extern` classes make some answers unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Certainly.
    Yes,
    /// Certainly not.
    No,
    /// It depends on a class that is known by name only.
    Unknown,
}

/// Facts about the classes of a module: made once, it holds as long as no class, field or method is added or removed.
#[derive(Debug)]
pub struct Hierarchy {}

#[expect(unused_variables, reason = "in progress")]
impl Hierarchy {
    /// Reads all classes of a module.
    pub fn new(module: &Module) -> Self {
        unimplemented!()
    }
    /// Whether `sub` is `sup` or a subclass or implementor of it.
    pub fn is_subclass(&self, sub: Class, sup: Class) -> Answer {
        unimplemented!()
    }
    /// Whether a reference that is an instance of `sub` is certainly one of `sup` (as `instanceof` asks). `Null` is a
    /// subtype of every reference type.
    pub fn is_subtype(&self, module: &Module, sub: Type, sup: Type) -> Answer {
        unimplemented!()
    }
    /// Whether a value of type `from` may stand where `to` is wanted: the rule of the JVM's verifier, for which every
    /// reference fits an interface.
    pub fn is_assignable(&self, module: &Module, from: Type, to: Type) -> Answer {
        unimplemented!()
    }
    /// The direct subclasses and implementors of a class, in the order of their ids.
    pub fn subclasses(&self, class: Class) -> &[Class] {
        unimplemented!()
    }
    /// The declaration a field reference names, by JVMS 5.4.3.2.
    pub fn resolve_field(&self, module: &Module, field: FieldRef) -> Option<Field> {
        unimplemented!()
    }
    /// The declaration a method reference names, by JVMS 5.4.3.3 and 5.4.3.4.
    pub fn resolve_method(&self, module: &Module, method: MethodRef) -> Option<Func> {
        unimplemented!()
    }
    /// The method that a call of `func` runs on an instance of exactly `receiver`, by JVMS 5.4.6; none if there is
    /// none (`AbstractMethodError`) or it is not known.
    pub fn select(&self, module: &Module, receiver: Class, func: Func) -> Option<Func> {
        unimplemented!()
    }
    /// Every method that a virtual call of `func` can run, in the order of their ids; none if an `extern` subclass or
    /// an open world could add more (`extern` classes below the method's class).
    pub fn implementations(&self, module: &Module, func: Func) -> Option<Vec<Func>> {
        unimplemented!()
    }
}
