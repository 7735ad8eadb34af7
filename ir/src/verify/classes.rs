//! Classes and the declarations of their members, by chapter 4 of the JVM specification and its rules of linking.

use rustc_hash::FxHashSet;

use super::report::{At, class_text};
use super::{Cx, members};
use crate::entity::{Class, Field, Func};
use crate::function::Constant;
use crate::hierarchy::same_package;
use crate::module::{ClassOrigin, Flags, FuncData, Module};
use crate::text;
use crate::types::Type;

/// Checks a class and the declarations of its members.
pub(super) fn check(cx: &mut Cx<'_>, class: Class) {
    check_flags(cx, class);
    check_supertypes(cx, class);
    let data = &cx.module.classes[class];
    for &field in &data.fields {
        check_field(cx, class, field);
    }
    for &func in &data.methods {
        check_method(cx, class, func);
    }
}

fn check_flags(cx: &mut Cx<'_>, class: Class) {
    let flags = cx.module.classes[class].flags;
    if flags.has(Flags::FINAL) && flags.has(Flags::ABSTRACT) {
        let message = "a final class is not abstract, and an interface not final".to_owned();
        cx.errors.add("E0203", At::Class(class), message);
    }
}

fn check_supertypes(cx: &mut Cx<'_>, class: Class) {
    let (module, hierarchy) = (cx.module, cx.hierarchy);
    let data = &module.classes[class];
    let at = At::Class(class);
    if hierarchy.is_cyclic(class) {
        cx.errors.add("E0202", at, "the class is among its own supertypes".to_owned());
        return;
    }
    let is_interface = data.flags.has(Flags::INTERFACE);
    match data.superclass.map(|superclass| (superclass, module.class_name(superclass))) {
        None if module.class_name(class) == "java.lang.Object" => {}
        None => cx.errors.add("E0204", at, "only java.lang.Object has no superclass".to_owned()),
        Some((_, "java.lang.Object")) => {}
        Some(_) if is_interface => {
            cx.errors.add("E0204", at, "an interface's superclass is java.lang.Object".to_owned());
        }
        Some((superclass, _)) => {
            let above = module.classes[superclass].flags;
            let name = || class_text(module, superclass);
            if above.has(Flags::INTERFACE) {
                let message = format!("`{}` is an interface: it is implemented, not extended", name());
                cx.errors.add("E0204", at, message);
            } else if above.has(Flags::FINAL) {
                cx.errors.add("E0204", at, format!("`{}` is final, so nothing extends it", name()));
            }
            check_access(cx, class, superclass);
        }
    }
    let mut seen = FxHashSet::default();
    for &interface in &data.interfaces {
        let name = || class_text(module, interface);
        if !hierarchy.is_extern(interface) && !module.classes[interface].flags.has(Flags::INTERFACE) {
            cx.errors.add("E0204", at, format!("`{}` is a class: it is extended, not implemented", name()));
        }
        if !seen.insert(interface) {
            cx.errors.add("E0204", at, format!("the interface `{}` is named twice", name()));
        }
        check_access(cx, class, interface);
    }
}

fn check_access(cx: &mut Cx<'_>, class: Class, named: Class) {
    if !members::is_class_accessible(cx.hierarchy.is_extern(named), cx.module, class, named) {
        let message = format!("`{}` is accessible in its package only", class_text(cx.module, named));
        cx.errors.add("E0258", At::Class(class), message);
    }
}

fn check_field(cx: &mut Cx<'_>, class: Class, field: Field) {
    let module = cx.module;
    let data = &module.fields[field];
    let at = At::Field(field);
    if cx.hierarchy.declared_field(class, data.name, data.ty) != Some(field) {
        cx.errors.add("E0205", at, "a field of this name and type is declared already".to_owned());
    }
    check_access_flags(cx, at, data.flags);
    if data.flags.has(Flags::FINAL) && data.flags.has(Flags::VOLATILE) {
        cx.errors.add("E0206", at, "a final field is not volatile".to_owned());
    }
    let constant = Flags::PUBLIC.with(Flags::STATIC).with(Flags::FINAL);
    if module.classes[class].flags.has(Flags::INTERFACE) && !data.flags.has(constant) {
        cx.errors.add("E0206", at, "an interface's field is `public static final`".to_owned());
    }
    let Some(init) = data.init else { return };
    if !data.flags.has(Flags::STATIC) {
        cx.errors.add("E0207", at, "only a static field has an initial value".to_owned());
    }
    if !is_initial_value(module, data.ty, init) {
        let ty = text::print_type(module, data.ty);
        cx.errors.add("E0207", at, format!("the initial value is no `{ty}`"));
    }
}

/// Whether a constant may be a field's value before any code runs.
fn is_initial_value(module: &Module, ty: Type, init: Constant) -> bool {
    match (ty, init) {
        (Type::Bool, Constant::I32(n)) => (0..=1).contains(&n),
        (Type::I8, Constant::I32(n)) => i8::try_from(n).is_ok(),
        (Type::I16, Constant::I32(n)) => i16::try_from(n).is_ok(),
        (Type::U16, Constant::I32(n)) => u16::try_from(n).is_ok(),
        (Type::I32, Constant::I32(_))
        | (Type::I64, Constant::I64(_))
        | (Type::F32, Constant::F32(_))
        | (Type::F64, Constant::F64(_))
        | (Type::Class(_) | Type::Array(_), Constant::Null) => true,
        (Type::Class(class), Constant::String(_)) => module.class_name(class) == "java.lang.String",
        _ => false,
    }
}

/// At most one of `public`, `private` and `protected`.
fn check_access_flags(cx: &mut Cx<'_>, at: At, flags: Flags) {
    if [Flags::PUBLIC, Flags::PRIVATE, Flags::PROTECTED].into_iter().filter(|&flag| flags.has(flag)).count() > 1 {
        cx.errors.add("E0206", at, "it is one of public, private and protected".to_owned());
    }
}

fn check_method(cx: &mut Cx<'_>, class: Class, func: Func) {
    let module = cx.module;
    let data = &module.funcs[func];
    let at = At::Func(func);
    if cx.hierarchy.declared_method(class, data.name, data.sig) != Some(func) {
        cx.errors.add("E0205", at, "a method of this name and signature is declared already".to_owned());
    }
    check_access_flags(cx, at, data.flags);
    let name = module.name(data.name);
    if name.starts_with('<') {
        check_initialiser(cx, class, func, name);
    }
    let flags = data.flags;
    let class_data = &module.classes[class];
    let is_interface = class_data.flags.has(Flags::INTERFACE);
    let (is_abstract, is_native) = (flags.has(Flags::ABSTRACT), flags.has(Flags::NATIVE));
    let is_unread = flags.has(Flags::UNREAD);
    if is_abstract {
        let excluded = [Flags::PRIVATE, Flags::STATIC, Flags::FINAL, Flags::SYNCHRONIZED, Flags::NATIVE]
            .map(|flag| flags.has(flag));
        if excluded.contains(&true) {
            let message = "an abstract method is not private, static, final, synchronized or native".to_owned();
            cx.errors.add("E0208", at, message);
        }
        if !class_data.flags.has(Flags::ABSTRACT) {
            cx.errors.add("E0208", at, "the method is abstract, but its class is not".to_owned());
        }
    }
    if is_unread && (is_abstract || is_native) {
        let message = "an unread method has code, so it is neither abstract nor native".to_owned();
        cx.errors.add("E0208", at, message);
    }
    match (is_abstract || is_native || is_unread, &data.body) {
        (true, Some(_)) => {
            cx.errors.add("E0208", at, "an abstract, native or unread method has no body".to_owned());
        }
        (false, None) => cx.errors.add("E0208", at, "the method has no body".to_owned()),
        _ => {}
    }
    if is_interface && !name.starts_with('<') {
        check_interface_method(cx, at, flags);
    }
    check_overriding(cx, class, func);
}

fn check_interface_method(cx: &mut Cx<'_>, at: At, flags: Flags) {
    if !flags.has(Flags::PUBLIC) && !flags.has(Flags::PRIVATE) {
        cx.errors.add("E0208", at, "an interface's method is public or private".to_owned());
    }
    if [Flags::FINAL, Flags::SYNCHRONIZED].into_iter().any(|flag| flags.has(flag)) {
        cx.errors.add("E0208", at, "an interface's method is not final or synchronized".to_owned());
    }
}

/// `<init>` and `<clinit>`; nothing else may begin like that.
fn check_initialiser(cx: &mut Cx<'_>, class: Class, func: Func, name: &str) {
    let module = cx.module;
    let data = &module.funcs[func];
    let sig = module.sig(data.sig);
    let at = At::Func(func);
    if name == "<clinit>" {
        if !data.is_static() || !sig.params.is_empty() || sig.ret.is_some() {
            let message = "a class initialiser is static, without parameters and result".to_owned();
            cx.errors.add("E0209", at, message);
        }
    } else if name == "<init>" {
        let excluded = [Flags::STATIC, Flags::FINAL, Flags::ABSTRACT, Flags::NATIVE, Flags::SYNCHRONIZED];
        if excluded.into_iter().any(|flag| data.flags.has(flag)) || sig.ret.is_some() {
            let message =
                "a constructor has no result, and is not static, final, abstract, native or synchronized".to_owned();
            cx.errors.add("E0209", at, message);
        }
        if module.classes[class].flags.has(Flags::INTERFACE) {
            cx.errors.add("E0209", at, "an interface has no constructor".to_owned());
        }
    } else {
        cx.errors.add("E0209", at, "only `<init>` and `<clinit>` begin with `<`".to_owned());
    }
}

/// A final method is not overridden.
fn check_overriding(cx: &mut Cx<'_>, class: Class, func: Func) {
    let module = cx.module;
    let FuncData { name, sig, flags, .. } = module.funcs[func];
    if flags.has(Flags::STATIC) || flags.has(Flags::PRIVATE) || module.name(name).starts_with('<') {
        return;
    }
    for above in cx.hierarchy.superclass_chain(class).skip(1) {
        let Some(other) = cx.hierarchy.declared_method(above, name, sig) else { continue };
        let other = module.funcs[other].flags;
        let is_overridden =
            other.has(Flags::PUBLIC) || other.has(Flags::PROTECTED) || same_package(module, class, above);
        let is_final = other.has(Flags::FINAL) && !other.has(Flags::PRIVATE) && !other.has(Flags::STATIC);
        if is_final && is_overridden {
            let message = format!("the method is final in `{}`", class_text(module, above));
            cx.errors.add("E0210", At::Func(func), message);
            return;
        }
    }
}

/// Classes that are named but not declared. The parser reports them at their first use; this is for modules that were
/// made in other ways.
pub(super) fn check_missing(cx: &mut Cx<'_>) {
    for (_, data) in cx.module.classes.iter().filter(|(_, data)| data.origin == ClassOrigin::Missing) {
        let message = format!("class `{}` is named but not declared", cx.module.name(data.name));
        cx.errors.add("E0201", At::Module, message);
    }
}
