//! Who may access what: JVMS 5.4.4, with the nest rules of class version 55.

use r8lite_ir::hierarchy::{nest_mates, same_package};
use r8lite_ir::{Answer, Class, Field, Flags, Hierarchy, Module, Type};

/// Whether code in `from` may name `class`.
pub(crate) fn class_accessible(module: &Module, from: Class, class: Class) -> bool {
    module.classes[class].flags.has(Flags::PUBLIC) || same_package(module, from, class)
}

/// Whether code in `from` may access `field` by a field instruction, on any holder.
///
/// Protected fields of another package depend on the holder's class as well; for them the answer is no.
pub(crate) fn field_accessible(module: &Module, from: Class, field: Field) -> bool {
    let data = &module.fields[field];
    if !class_accessible(module, from, data.class) {
        return false;
    }
    member_accessible(module, from, data.class, data.flags)
}

/// Whether code in `from` may access a member of `owner` with these flags, protected ones of other packages left out.
pub(crate) fn member_accessible(module: &Module, from: Class, owner: Class, flags: Flags) -> bool {
    if flags.has(Flags::PUBLIC) {
        true
    } else if flags.has(Flags::PRIVATE) {
        nest_mates(module, from, owner)
    } else {
        same_package(module, from, owner)
    }
}

/// Whether a class is serializable and its serialVersionUID is computed from its members: then no member that counts
/// may come or go.
pub(crate) fn has_computed_uid(module: &Module, hierarchy: &Hierarchy, class: Class) -> bool {
    let Some(serializable) = module.find_class("java.io.Serializable") else { return false };
    let declares_uid = |class: Class| {
        module.classes[class].fields.iter().any(|&field| {
            let data = &module.fields[field];
            module.name(data.name) == "serialVersionUID"
                && data.ty == Type::I64
                && data.flags.has(Flags::STATIC.with(Flags::FINAL))
        })
    };
    !module.classes[class].flags.has(Flags::INTERFACE)
        && hierarchy.is_subclass(class, serializable) != Answer::No
        && !declares_uid(class)
}
