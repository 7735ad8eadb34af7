//! Recognise updaters: fields whose one `newUpdater` is certain to succeed.

use r8lite_ir::hierarchy::same_package;
use r8lite_ir::{Class, ClassOrigin, Constant, Field, Flags, Func, Hierarchy, Inst, Module, Op, Type, Value, ValueDef};

use super::api::{Api, ApiMethod};
use super::incoming::for_each_incoming;
use super::index::ProgramIndex;
use super::reasons;
use crate::access;
use crate::names::type_name;
use crate::plan::{Kind, PlanOptions, Reason, Recognised, Site, UpdaterPlan};

/// One row for every field of the program that has an updater's type, without the decisions that need the calls.
pub(crate) fn recognise(
    module: &Module,
    hierarchy: &Hierarchy,
    api: &Api,
    index: &ProgramIndex,
    options: &PlanOptions,
) -> Vec<UpdaterPlan> {
    let mut rows = Vec::new();
    for &field in &index.updater_fields {
        let kind = api.kind_of(module.fields[field].ty).expect("the index lists fields of updater types");
        let (recognised, reason) = match recognise_field(module, hierarchy, api, index, options, field, kind) {
            Ok(recognised) => (Some(recognised), None),
            Err(reason) => (None, Some(reason)),
        };
        let (hidden, quiet, remove) = (false, false, false);
        rows.push(UpdaterPlan { field, kind, recognised, offset: None, hidden, quiet, remove, reason });
    }
    rows
}

fn recognise_field(
    module: &Module,
    hierarchy: &Hierarchy,
    api: &Api,
    index: &ProgramIndex,
    options: &PlanOptions,
    field: Field,
    kind: Kind,
) -> Result<Recognised, Reason> {
    let data = &module.fields[field];
    if let Some(pattern) = options.keeps(module.class_name(data.class), module.name(data.name)) {
        return Err(reasons::kept_by_pattern(pattern));
    }
    if data.flags.has(Flags::EXPOSED) {
        return Err(reasons::exposed("the updater"));
    }
    if !data.flags.has(Flags::STATIC) {
        return Err(reasons::not_static());
    }
    if !data.flags.has(Flags::FINAL) {
        return Err(reasons::not_final());
    }
    let store = match *index.writes(field) {
        [] => return Err(reasons::never_written()),
        [store] => store,
        [..] => return Err(reasons::written_more_than_once()),
    };
    if module.clinit(data.class) != Some(store.func) {
        return Err(reasons::written_elsewhere());
    }
    let body = module.funcs[store.func].body.as_ref().expect("the store stands in a body");
    let stored = body.insts[store.inst].args[0];
    let creation = match body.values[stored].def {
        ValueDef::Result(inst) => Site { func: store.func, inst },
        ValueDef::Param(..) => {
            return Err(reasons::not_created_here("one of several values, by the way that is taken"));
        }
        ValueDef::Const(_) => return Err(reasons::not_created_here("null")),
    };
    let call = &body.insts[creation.inst];
    let created = call.method_symbol().and_then(|method| api.method(method));
    let Some(ApiMethod::NewUpdater(created)) = created else {
        let found = match call.method_symbol().map(|method| module.method_ref(method)) {
            Some(method) => format!("{}.{}", module.class_name(method.class), module.name(method.name)),
            None => call.op.mnemonic().to_owned(),
        };
        return Err(reasons::not_created_here(&format!("the result of {found}")));
    };
    if created != kind {
        return Err(reasons::kind_mismatch());
    }
    // Both may stand in different blocks; each must be outside of every handler's range.
    let in_handler_range = |inst: Inst| {
        body.layout_insts().find(|&(_, at)| at == inst).is_none_or(|(block, _)| !body.blocks[block].catches.is_empty())
    };
    if in_handler_range(store.inst) || in_handler_range(creation.inst) {
        return Err(reasons::in_handler_range());
    }
    let (holder, target, value) = resolve_target(module, hierarchy, store.func, &call.args, kind)?;
    Ok(Recognised { holder, target, value, creation, store })
}

/// The checks of `newUpdater`, in its order.
fn resolve_target(
    module: &Module,
    hierarchy: &Hierarchy,
    func: Func,
    args: &[Value],
    kind: Kind,
) -> Result<(Class, Field, Type), Reason> {
    let constant_of = |value| constant_of(module, hierarchy, func, value);
    let holder = match constant_of(args[0]) {
        Some(Constant::Class(Type::Class(class))) => class,
        Some(Constant::Class(other)) => {
            return Err(reasons::target_class_without_fields(&type_name(module, other)));
        }
        Some(Constant::Null) => return Err(reasons::argument_null("class of the holder")),
        _ => return Err(reasons::argument_not_constant("class of the holder")),
    };
    let wanted = match kind {
        Kind::Reference => match constant_of(args[1]) {
            Some(Constant::Class(ty)) => ty,
            Some(Constant::Null) => return Err(reasons::argument_null("class of the field")),
            _ => return Err(reasons::argument_not_constant("class of the field")),
        },
        Kind::Integer => Type::I32,
        Kind::Long => Type::I64,
    };
    let name = match constant_of(args[args.len() - 1]) {
        Some(Constant::String(literal)) => String::from_utf16_lossy(module.literal(literal)),
        Some(Constant::Null) => return Err(reasons::argument_null("name of the field")),
        _ => return Err(reasons::argument_not_constant("name of the field")),
    };
    let holder_name = module.class_name(holder);
    if module.classes[holder].origin != ClassOrigin::Program {
        return Err(reasons::target_class_unknown(holder_name));
    }
    let symbol = module.find_symbol(&name);
    let named = module.classes[holder].fields.iter().filter(|&&field| Some(module.fields[field].name) == symbol);
    // Class files may have several; which of them `getDeclaredField` finds is not laid down.
    if named.count() > 1 {
        return Err(reasons::target_ambiguous(holder_name, &name));
    }
    let Some(target) = symbol.and_then(|symbol| module.declared_field(holder, symbol)) else {
        return Err(match inherited_from(module, holder, &name) {
            Some(owner) => reasons::target_inherited(holder_name, &name, module.class_name(owner)),
            None => reasons::target_missing(holder_name, &name),
        });
    };
    let data = &module.fields[target];
    let shown = format!("{holder_name}.{name}");
    let caller = module.funcs[func].class;
    if data.flags.has(Flags::PROTECTED) && !same_package(module, caller, holder) {
        return Err(reasons::target_protected(&shown));
    }
    if !access::class_accessible(module, caller, holder) || !access::field_accessible(module, caller, target) {
        return Err(reasons::target_inaccessible(&shown));
    }
    if kind == Kind::Reference && !wanted.is_ref() {
        return Err(match data.ty.is_ref() {
            true => reasons::target_type(&shown, &type_name(module, data.ty), &type_name(module, wanted)),
            false => reasons::target_primitive(&shown),
        });
    }
    if data.ty != wanted {
        let (found, wanted) = (type_name(module, data.ty), type_name(module, wanted));
        return Err(reasons::target_type(&shown, &found, &wanted));
    }
    // Either throws; that a static field is not volatile either is not what its author has to know.
    if data.flags.has(Flags::STATIC) {
        return Err(reasons::target_static(&shown));
    }
    if !data.flags.has(Flags::VOLATILE) {
        return Err(reasons::target_not_volatile(&shown));
    }
    Ok((holder, target, data.ty))
}

/// The superclass that declares a field of this name.
fn inherited_from(module: &Module, class: Class, name: &str) -> Option<Class> {
    let symbol = module.find_symbol(name)?;
    let mut at = module.classes[class].superclass;
    // A verified module has no cycles among its superclasses.
    while let Some(class) = at {
        if module.declared_field(class, symbol).is_some() {
            return Some(class);
        }
        at = module.classes[class].superclass;
    }
    None
}

/// The constant that a value always is: written as one, the only one that reaches its block parameter, or handed through
/// by a cast or by a method that does nothing else, as those do that change a type argument for the compiler.
fn constant_of(module: &Module, hierarchy: &Hierarchy, func: Func, value: Value) -> Option<Constant> {
    let body = module.funcs[func].body.as_ref()?;
    let mut found = None;
    let mut seen = vec![value];
    let mut next = 0;
    while next < seen.len() {
        match body.values[seen[next]].def {
            ValueDef::Const(constant) => {
                if found.is_some_and(|other| other != constant) {
                    return None;
                }
                found = Some(constant);
            }
            ValueDef::Param(block, _) if block == body.entry() => return None,
            ValueDef::Param(block, index) => {
                let all_known = for_each_incoming(body, block, index as usize, |value| {
                    if !seen.contains(&value) {
                        seen.push(value);
                    }
                });
                if !all_known {
                    return None;
                }
            }
            ValueDef::Result(inst) => {
                let data = &body.insts[inst];
                let index = match data.op {
                    Op::CheckCast => 0,
                    Op::InvokeStatic => {
                        let callee = hierarchy.resolve_method(module, data.method_symbol()?)?;
                        returned_param(module, callee)?
                    }
                    _ => return None,
                };
                let value = data.args[index];
                if !seen.contains(&value) {
                    seen.push(value);
                }
            }
        }
        next += 1;
    }
    found
}

/// The parameter that a method returns, if that is all it does.
fn returned_param(module: &Module, func: Func) -> Option<usize> {
    let body = module.funcs[func].body.as_ref()?;
    let [block] = body.layout[..] else { return None };
    let [casts @ .., end] = &body.blocks[block].insts[..] else { return None };
    if body.insts[*end].op != Op::Return || casts.iter().any(|&inst| body.insts[inst].op != Op::CheckCast) {
        return None;
    }
    let mut value = *body.insts[*end].args.first()?;
    while let ValueDef::Result(cast) = body.values[value].def {
        value = body.insts[cast].args[0];
    }
    match body.values[value].def {
        ValueDef::Param(_, index) => Some(index as usize),
        ValueDef::Result(_) | ValueDef::Const(_) => None,
    }
}
