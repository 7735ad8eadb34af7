//! Fields and methods that instructions name: whether they exist, are of the right kind, and may be accessed.

use super::BodyCx;
use super::report::{class_text, types_text};
use crate::entity::{Class, FieldRef, Func, MethodRef};
use crate::hierarchy::{Answer, nest_mates, same_package};
use crate::inst::Op;
use crate::module::{ClassOrigin, Flags, Module};
use crate::text::print_type;
use crate::types::Type;

/// From this class-file version on, a final field is written by its class's initialisers only.
const STRICT_FINALS: u16 = 53;

/// Checks the field that an instruction names; `receiver` is the type of its holder.
pub(super) fn check_field(cx: &mut BodyCx<'_, '_>, op: Op, field: FieldRef, receiver: Option<Type>) {
    let (module, hierarchy) = (cx.cx.module, cx.cx.hierarchy);
    let named = module.field_ref(field);
    check_class_access(cx, Type::Class(named.class));
    let Some(found) = hierarchy.resolve_field(module, field) else {
        if !hierarchy.is_open(named.class) {
            no_field(cx, field);
        }
        return;
    };
    let data = &module.fields[found];
    let is_static = data.flags.has(Flags::STATIC);
    let wants_static = matches!(op, Op::GetStatic | Op::PutStatic);
    let name = || format!("{}.{}", class_text(module, data.class), module.name(data.name));
    if is_static != wants_static {
        let (is, wants) = if is_static { ("static", "an instance field") } else { ("not static", "a static field") };
        cx.error("E0252", format!("`{}` is {is}, but {} takes {wants}", name(), op.mnemonic()));
    }
    // An offset is computed reflectively on the JVM, without a check of access.
    if op != Op::FieldOffset {
        check_access(cx, data.flags, data.class, receiver, name);
    }
    if matches!(op, Op::PutStatic | Op::PutField) && data.flags.has(Flags::FINAL) {
        check_final_write(cx, op, data.class, name);
    }
}

fn check_final_write(cx: &mut BodyCx<'_, '_>, op: Op, class: Class, name: impl Fn() -> String) {
    let module = cx.cx.module;
    let initialiser = if op == Op::PutStatic { "<clinit>" } else { "<init>" };
    let is_initialiser = module.name(module.funcs[cx.func].name) == initialiser;
    let is_lenient = module.classes[class].version < STRICT_FINALS;
    if cx.class != class || !(is_initialiser || is_lenient) {
        cx.error("E0256", format!("`{}` is final: only {initialiser} of its class may write it", name()));
    }
}

fn no_field(cx: &mut BodyCx<'_, '_>, field: FieldRef) {
    let module = cx.cx.module;
    let named = module.field_ref(field);
    let name = module.name(named.name);
    let message = format!(
        "there is no field `{name}` of type {} in `{}`",
        print_type(module, named.ty),
        class_text(module, named.class)
    );
    let of_this_name = cx
        .cx
        .hierarchy
        .superclass_chain(named.class)
        .flat_map(|class| module.classes[class].fields.iter())
        .find(|&&field| module.fields[field].name == named.name);
    match of_this_name {
        Some(&other) => {
            let help = format!("`{name}` is of type {}", print_type(module, module.fields[other].ty));
            cx.cx.errors.add_with_help("E0250", cx.at, message, help);
        }
        None => cx.error("E0250", message),
    }
}

/// Checks the method that an instruction names; `receiver` is the type of its receiver.
pub(super) fn check_method(cx: &mut BodyCx<'_, '_>, op: Op, method: MethodRef, receiver: Option<Type>) {
    let (module, hierarchy) = (cx.cx.module, cx.cx.hierarchy);
    let named = module.method_ref(method);
    check_class_access(cx, Type::Class(named.class));
    check_method_name(cx, op, method);
    check_invoked_class(cx, op, named.class);
    let Some(found) = hierarchy.resolve_method(module, method) else {
        if !hierarchy.is_open(named.class) {
            no_method(cx, method);
        }
        return;
    };
    let data = &module.funcs[found];
    let name = || format!("{}.{}", class_text(module, data.class), module.name(data.name));
    if data.is_static() != (op == Op::InvokeStatic) {
        let is = if data.is_static() { "static" } else { "not static" };
        cx.error("E0252", format!("`{}` is {is}, which {} does not call", name(), op.mnemonic()));
    }
    if module.name(data.name) == "<init>" && data.class != named.class {
        cx.error("E0251", format!("`{}` has no such constructor of its own", class_text(module, named.class)));
    }
    // Every array has a public `clone`.
    let clones_array = matches!(receiver, Some(Type::Array(_))) && module.name(data.name) == "clone";
    if !clones_array {
        check_access(cx, data.flags, data.class, receiver, name);
    }
}

fn no_method(cx: &mut BodyCx<'_, '_>, method: MethodRef) {
    let module = cx.cx.module;
    let named = module.method_ref(method);
    let sig = module.sig(named.sig);
    let name = module.name(named.name);
    let ret = sig.ret.map_or(String::new(), |ty| format!(": {}", print_type(module, ty)));
    let message = format!(
        "there is no method `{name}({}){ret}` in `{}` or its supertypes",
        types_text(module, &sig.params),
        class_text(module, named.class)
    );
    cx.error("E0251", message);
}

/// Constructors are for `invokespecial`; class initialisers are not called.
fn check_method_name(cx: &mut BodyCx<'_, '_>, op: Op, method: MethodRef) {
    let name = cx.cx.module.name(cx.cx.module.method_ref(method).name);
    if name.starts_with('<') && !(name == "<init>" && op == Op::InvokeSpecial) {
        cx.error("E0255", format!("{} does not call {name}", op.mnemonic()));
    }
}

fn check_invoked_class(cx: &mut BodyCx<'_, '_>, op: Op, class: Class) {
    let (module, hierarchy) = (cx.cx.module, cx.cx.hierarchy);
    if hierarchy.is_extern(class) {
        return;
    }
    let is_interface = module.classes[class].flags.has(Flags::INTERFACE);
    if op == Op::InvokeVirtual && is_interface {
        let name = class_text(module, class);
        cx.error("E0253", format!("`{name}` is an interface: its methods are called by invokeinterface"));
    }
    if op == Op::InvokeInterface && !is_interface {
        let name = class_text(module, class);
        cx.error("E0253", format!("`{name}` is a class: its methods are called by invokevirtual"));
    }
}

/// Whether the method being checked may access a member: JVMS 5.4.4, and 4.10.1.8 for protected ones.
fn check_access(
    cx: &mut BodyCx<'_, '_>,
    flags: Flags,
    owner: Class,
    receiver: Option<Type>,
    name: impl Fn() -> String,
) {
    let (module, hierarchy) = (cx.cx.module, cx.cx.hierarchy);
    if owner == cx.class || flags.has(Flags::PUBLIC) || both_of_library(module, cx.class, owner) {
        return;
    }
    if flags.has(Flags::PRIVATE) {
        if !nest_mates(module, cx.class, owner) {
            cx.error("E0257", format!("`{}` is private", name()));
        }
        return;
    }
    if same_package(module, cx.class, owner) {
        return;
    }
    if !flags.has(Flags::PROTECTED) {
        cx.error("E0257", format!("`{}` is accessible in its package only", name()));
        return;
    }
    let fits = |receiver| hierarchy.is_assignable(module, receiver, Type::Class(cx.class)) != Answer::No;
    if hierarchy.is_subclass(cx.class, owner) == Answer::No {
        cx.error("E0257", format!("`{}` is protected, and `{}` no subclass", name(), class_text(module, cx.class)));
    } else if !flags.has(Flags::STATIC) && receiver.is_some_and(|receiver| !fits(receiver)) {
        let class = class_text(module, cx.class);
        cx.error("E0257", format!("`{}` is protected: it is accessible in instances of `{class}` only", name()));
    }
}

/// Whether the method being checked may name a class.
pub(super) fn check_class_access(cx: &mut BodyCx<'_, '_>, ty: Type) {
    let module = cx.cx.module;
    let mut ty = ty;
    while let Type::Array(array) = ty {
        ty = module.array_element(array);
    }
    let Type::Class(class) = ty else { return };
    if !is_class_accessible(cx.cx.hierarchy.is_extern(class), module, cx.class, class) {
        cx.error("E0258", format!("`{}` is accessible in its package only", class_text(module, class)));
    }
}

/// Whether one class may name another.
pub(super) fn is_class_accessible(is_extern: bool, module: &Module, from: Class, class: Class) -> bool {
    from == class
        || is_extern
        || module.classes[class].flags.has(Flags::PUBLIC)
        || both_of_library(module, from, class)
        || same_package(module, from, class)
}

fn both_of_library(module: &Module, a: Class, b: Class) -> bool {
    let is_library = |class| module.classes[class].origin == ClassOrigin::Library;
    is_library(a) && is_library(b)
}

/// Checks that a method may call what it names by `invokespecial` rather than by its receiver.
pub(super) fn check_special(cx: &mut BodyCx<'_, '_>, method: MethodRef) {
    let (module, hierarchy) = (cx.cx.module, cx.cx.hierarchy);
    let named = module.method_ref(method);
    if module.name(named.name) == "<init>" {
        return;
    }
    let is_private = hierarchy.resolve_method(module, method).is_some_and(|m| is_private(module, m));
    if !is_private && hierarchy.is_subclass(cx.class, named.class) == Answer::No {
        let (class, name) = (class_text(module, named.class), module.name(named.name));
        cx.error("E0255", format!("`{class}.{name}` is neither private nor of a superclass, so its receiver chooses"));
    }
}

fn is_private(module: &Module, func: Func) -> bool {
    module.funcs[func].flags.has(Flags::PRIVATE)
}
