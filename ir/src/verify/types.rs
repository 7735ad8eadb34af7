//! The types of operands, results, arguments of blocks, and what is returned, thrown and caught.

use super::report::{At, class_text};
use super::{BodyCx, members};
use crate::entity::{Block, MethodRef};
use crate::function::Catch;
use crate::hierarchy::Answer;
use crate::inst::{InstData, Op, Target};
use crate::module::Flags;
use crate::text::print_type;
use crate::types::{Ordering, Type};

/// Checks every instruction and every edge of a body.
pub(super) fn check(cx: &mut BodyCx<'_, '_>) {
    let body = cx.body;
    for &block in &body.layout {
        cx.at = At::Block(cx.func, block);
        for catch in &body.blocks[block].catches {
            check_catch(cx, catch);
        }
        for &inst in &body.blocks[block].insts {
            cx.at = At::Inst(cx.func, block, inst);
            let data = &body.insts[inst];
            let errors = cx.cx.errors.count();
            check_inst(cx, data);
            if cx.cx.errors.count() == errors {
                check_result(cx, data);
            }
            for target in data.targets() {
                check_args(cx, target, 0);
            }
        }
    }
}

fn check_inst(cx: &mut BodyCx<'_, '_>, data: &InstData) {
    use Type::{F32, F64, I32, I64};
    let arg = |index: usize| cx.body.values[data.args[index]].ty;
    match data.op {
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem => same(cx, data, &[I32, I64, F32, F64]),
        Op::And | Op::Or | Op::Xor => same(cx, data, &[I32, I64]),
        Op::Neg => want_one_of(cx, data, 0, &[I32, I64, F32, F64]),
        Op::Shl | Op::Shr | Op::Ushr => {
            want_one_of(cx, data, 0, &[I32, I64]);
            want(cx, data, 1, I32);
        }
        Op::Eq | Op::Ne => {
            if !(arg(0).is_ref() && arg(1).is_ref()) {
                same(cx, data, &[I32, I64, F32, F64]);
            }
        }
        Op::Lt | Op::Le | Op::Gt | Op::Ge => same(cx, data, &[I32, I64, F32, F64]),
        Op::Cmp => same(cx, data, &[I64]),
        Op::Cmpl | Op::Cmpg => same(cx, data, &[F32, F64]),
        Op::Convert => {
            want_one_of(cx, data, 0, &[I32, I64, F32, F64]);
            if data.type_symbol().is_some_and(Type::is_ref) {
                cx.error("E0246", "convert is for numbers; references take checkcast".to_owned());
            }
        }
        Op::Select => {
            want(cx, data, 0, I32);
            if !(arg(1).is_ref() && arg(2).is_ref()) && arg(1) != arg(2) {
                mismatch(cx, data, 2, &print_type(cx.cx.module, arg(1)));
            }
        }
        Op::GetStatic | Op::PutStatic | Op::GetField | Op::PutField | Op::FieldOffset => check_field(cx, data),
        Op::New => check_new(cx, data),
        Op::NewArray => check_new_array(cx, data),
        Op::ArrayLength => {
            if !matches!(arg(0), Type::Array(_) | Type::Null) {
                mismatch(cx, data, 0, "an array");
            }
        }
        Op::ArrayLoad => {
            if !matches!(arg(0), Type::Array(_)) {
                mismatch(cx, data, 0, "an array");
            }
            want(cx, data, 1, I32);
        }
        Op::ArrayStore => {
            want(cx, data, 1, I32);
            match arg(0) {
                Type::Array(array) => {
                    let element = cx.cx.module.array_element(array).value_type();
                    // Whether a reference fits is found out when it is stored: ArrayStoreException.
                    if !element.is_ref() {
                        want(cx, data, 2, element);
                    } else if !arg(2).is_ref() {
                        mismatch(cx, data, 2, "a reference");
                    }
                }
                _ => mismatch(cx, data, 0, "an array"),
            }
        }
        Op::InstanceOf | Op::CheckCast => {
            want_ref(cx, data, 0);
            match data.type_symbol() {
                Some(ty) if ty.is_ref() => members::check_class_access(cx, ty),
                _ => cx.error("E0246", format!("{} is for classes and arrays", data.op.mnemonic())),
            }
        }
        Op::NullCheck | Op::MonitorEnter | Op::MonitorExit => want_ref(cx, data, 0),
        Op::Check => {
            want(cx, data, 0, I32);
            check_exception_class(cx, data);
        }
        Op::InitClass => {
            if let Some(class) = data.class_symbol() {
                members::check_class_access(cx, Type::Class(class));
            }
        }
        Op::InvokeStatic | Op::InvokeVirtual | Op::InvokeSpecial | Op::InvokeInterface => {
            if let Some(method) = data.method_symbol() {
                check_invoke(cx, data, method);
            }
        }
        Op::Load
        | Op::Store
        | Op::Cas
        | Op::GetAndSet
        | Op::GetAndAdd
        | Op::GetAndAnd
        | Op::GetAndOr
        | Op::GetAndXor => check_offset_access(cx, data),
        Op::Jump => {}
        Op::Branch | Op::Switch => want(cx, data, 0, I32),
        Op::Return => check_return(cx, data),
        Op::Throw => {
            if let Some(throwable) = cx.cx.throwable {
                want(cx, data, 0, Type::Class(throwable));
            }
        }
    }
}

/// The result is there, and its type is no narrower than what the instruction makes.
fn check_result(cx: &mut BodyCx<'_, '_>, data: &InstData) {
    let module = cx.cx.module;
    let made = cx.body.result_type(module, data);
    let stated = data.result.map(|value| cx.body.values[value].ty);
    let fits = match (made, stated) {
        (Some(made), Some(stated)) => fits(cx, made, stated),
        (made, stated) => made == stated,
    };
    if !fits {
        let name = |ty: Option<Type>| ty.map_or("nothing".to_owned(), |ty| print_type(module, ty));
        cx.error("E0247", format!("the result is {}, but the instruction makes {}", name(stated), name(made)));
    }
}

fn check_field(cx: &mut BodyCx<'_, '_>, data: &InstData) {
    let Some(field) = data.field_symbol() else { return };
    let named = cx.cx.module.field_ref(field);
    let has_holder = matches!(data.op, Op::GetField | Op::PutField);
    let receiver = has_holder.then(|| cx.body.values[data.args[0]].ty);
    if has_holder {
        want(cx, data, 0, Type::Class(named.class));
    }
    if matches!(data.op, Op::PutField | Op::PutStatic) {
        want(cx, data, usize::from(has_holder), named.ty);
    }
    members::check_field(cx, data.op, field, receiver);
}

fn check_new(cx: &mut BodyCx<'_, '_>, data: &InstData) {
    let Some(class) = data.class_symbol() else { return };
    let module = cx.cx.module;
    members::check_class_access(cx, Type::Class(class));
    let flags = module.classes[class].flags;
    if flags.has(Flags::INTERFACE) || flags.has(Flags::ABSTRACT) {
        cx.error("E0248", format!("`{}` is abstract, so it has no instances of its own", class_text(module, class)));
    }
}

fn check_new_array(cx: &mut BodyCx<'_, '_>, data: &InstData) {
    let module = cx.cx.module;
    for index in 0..data.args.len() {
        want(cx, data, index, Type::I32);
    }
    let Some(array) = data.type_symbol() else { return };
    members::check_class_access(cx, array);
    let mut at = array;
    for _ in 0..data.args.len() {
        match at {
            Type::Array(array) => at = module.array_element(array),
            _ => {
                let (lengths, name) = (data.args.len(), print_type(module, array));
                cx.error("E0246", format!("`{name}` has fewer dimensions than the {lengths} lengths given"));
                return;
            }
        }
    }
}

/// What `check` throws is a class whose exception can be made without further ado.
fn check_exception_class(cx: &mut BodyCx<'_, '_>, data: &InstData) {
    let Some(class) = data.class_symbol() else { return };
    let (module, hierarchy) = (cx.cx.module, cx.cx.hierarchy);
    members::check_class_access(cx, Type::Class(class));
    let is_throwable = cx.cx.throwable.is_some_and(|throwable| hierarchy.is_subclass(class, throwable) == Answer::Yes);
    let is_abstract = module.classes[class].flags.has(Flags::ABSTRACT);
    let has_constructor = module.classes[class].methods.iter().any(|&method| {
        let method = &module.funcs[method];
        module.name(method.name) == "<init>" && module.sig(method.sig).params.is_empty()
    });
    if !is_throwable || is_abstract || !has_constructor {
        let name = class_text(module, class);
        cx.error("E0249", format!("`{name}` is no throwable class with a constructor without parameters"));
    }
}

fn check_invoke(cx: &mut BodyCx<'_, '_>, data: &InstData, method: MethodRef) {
    let module = cx.cx.module;
    let named = module.method_ref(method);
    let sig = module.sig(named.sig);
    let receivers = usize::from(data.op != Op::InvokeStatic);
    if data.args.len() != receivers + sig.params.len() {
        let (wanted, found) = (sig.params.len(), data.args.len().saturating_sub(receivers));
        cx.error("E0241", format!("{} takes {wanted} arguments, not {found}", module.name(named.name)));
        return;
    }
    let receiver = (receivers == 1).then(|| cx.body.values[data.args[0]].ty);
    if receiver.is_some() {
        want(cx, data, 0, Type::Class(named.class));
    }
    for (index, &param) in sig.params.iter().enumerate() {
        want(cx, data, receivers + index, param);
    }
    members::check_method(cx, data.op, method, receiver);
    if data.op == Op::InvokeSpecial {
        members::check_special(cx, method);
    }
}

fn check_offset_access(cx: &mut BodyCx<'_, '_>, data: &InstData) {
    use Ordering::{Acquire, Opaque, Plain, Release, Volatile};
    want_ref(cx, data, 0);
    want(cx, data, 1, Type::I64);
    let orderings: &[Ordering] = if data.op == Op::Load {
        &[Plain, Opaque, Acquire, Volatile]
    } else if data.op == Op::Store {
        &[Plain, Opaque, Release, Volatile]
    } else {
        &Ordering::ALL
    };
    if let Some(ordering) = data.ordering()
        && !orderings.contains(&ordering)
    {
        let names: Vec<&str> = orderings.iter().map(|o| o.name()).collect();
        let (found, op) = (ordering.name(), data.op.mnemonic());
        cx.error("E0243", format!("{op} is never {found}; it can be {}", names.join(", ")));
    }
    let is_word = |ty: Type| ty.is_int() || ty.is_ref();
    let ty = data.type_symbol().unwrap_or(Type::I32);
    if data.op == Op::Load && !is_word(ty) && !ty.is_float() {
        cx.error("E0246", "load is for i32, i64, f32, f64 and references".to_owned());
    }
    if data.op == Op::GetAndSet {
        if is_word(ty) {
            want(cx, data, 2, ty);
        } else {
            cx.error("E0246", "getandset is for i32, i64 and references".to_owned());
        }
    }
    if data.op == Op::Cas {
        let [expected, new] = [2, 3].map(|index| cx.body.values[data.args[index]].ty);
        if !is_word(expected) {
            mismatch(cx, data, 2, "i32, i64 or a reference");
        } else if expected != new && !(expected.is_ref() && new.is_ref()) {
            mismatch(cx, data, 3, &print_type(cx.cx.module, expected));
        }
    }
    if matches!(data.op, Op::GetAndAdd | Op::GetAndAnd | Op::GetAndOr | Op::GetAndXor) {
        want_one_of(cx, data, 2, &[Type::I32, Type::I64]);
    }
}

fn check_return(cx: &mut BodyCx<'_, '_>, data: &InstData) {
    let module = cx.cx.module;
    let ret = module.sig(module.funcs[cx.func].sig).ret;
    match (ret, data.args.len()) {
        (None, 0) => {}
        (Some(ty), 1) => want(cx, data, 0, ty),
        (None, _) => cx.error("E0245", "the method returns nothing".to_owned()),
        (Some(ty), _) => cx.error("E0245", format!("the method returns {}", print_type(module, ty))),
    }
}

fn check_catch(cx: &mut BodyCx<'_, '_>, catch: &Catch) {
    let (module, hierarchy) = (cx.cx.module, cx.cx.hierarchy);
    if let (Some(class), Some(throwable)) = (catch.class, cx.cx.throwable) {
        members::check_class_access(cx, Type::Class(class));
        if hierarchy.is_subclass(class, throwable) == Answer::No {
            cx.error("E0244", format!("`{}` is no throwable class", class_text(module, class)));
        }
    }
    let params = &cx.body.blocks[catch.target.block].params;
    let (Some(&param), Some(caught)) = (params.first(), catch.class.or(cx.cx.throwable)) else {
        cx.error("E0244", "a handler needs a parameter for the exception".to_owned());
        return;
    };
    let (caught, param) = (Type::Class(caught), cx.body.values[param].ty);
    if !fits(cx, caught, param) {
        let (caught, param) = (print_type(module, caught), print_type(module, param));
        cx.error("E0244", format!("the handler takes {param}, but {caught} is caught"));
    }
    check_args(cx, &catch.target, 1);
}

/// The arguments for all but the first `skip` parameters of a target.
fn check_args(cx: &mut BodyCx<'_, '_>, target: &Target, skip: usize) {
    let (module, body) = (cx.cx.module, cx.body);
    let params = body.blocks[target.block].params.get(skip..).unwrap_or(&[]);
    if params.len() != target.args.len() {
        let (name, wanted, found) = (block_name(cx, target.block), params.len(), target.args.len());
        cx.error("E0241", format!("{name} takes {wanted} arguments, not {found}"));
        return;
    }
    for (index, (&arg, &param)) in target.args.iter().zip(params).enumerate() {
        let (found, wanted) = (body.values[arg].ty, body.values[param].ty);
        if !fits(cx, found, wanted) {
            let (found, wanted) = (print_type(module, found), print_type(module, wanted));
            let name = block_name(cx, target.block);
            cx.error("E0242", format!("argument {} of {name} is {found}, but the parameter is {wanted}", index + 1));
        }
    }
}

fn block_name(cx: &BodyCx<'_, '_>, block: Block) -> String {
    cx.body.blocks[block].name.map_or_else(|| block.to_string(), |name| cx.cx.module.name(name).to_owned())
}

fn fits(cx: &BodyCx<'_, '_>, from: Type, to: Type) -> bool {
    from == to || cx.cx.hierarchy.is_assignable(cx.cx.module, from, to) != Answer::No
}

/// Operand `index` has to fit a type.
fn want(cx: &mut BodyCx<'_, '_>, data: &InstData, index: usize, wanted: Type) {
    if !fits(cx, cx.body.values[data.args[index]].ty, wanted) {
        let wanted = print_type(cx.cx.module, wanted.value_type());
        mismatch(cx, data, index, &wanted);
    }
}

fn want_ref(cx: &mut BodyCx<'_, '_>, data: &InstData, index: usize) {
    if !cx.body.values[data.args[index]].ty.is_ref() {
        mismatch(cx, data, index, "a reference");
    }
}

/// Operand `index` is of one of these number types.
fn want_one_of(cx: &mut BodyCx<'_, '_>, data: &InstData, index: usize, wanted: &[Type]) {
    if !wanted.contains(&cx.body.values[data.args[index]].ty) {
        let names: Vec<&str> = wanted.iter().filter_map(|ty| ty.primitive_name()).collect();
        mismatch(cx, data, index, &names.join(" or "));
    }
}

/// Both operands are of one of these number types, and of the same.
fn same(cx: &mut BodyCx<'_, '_>, data: &InstData, wanted: &[Type]) {
    let first = cx.body.values[data.args[0]].ty;
    if wanted.contains(&first) {
        want(cx, data, 1, first);
    } else {
        want_one_of(cx, data, 0, wanted);
    }
}

fn mismatch(cx: &mut BodyCx<'_, '_>, data: &InstData, index: usize, wanted: &str) {
    let found = print_type(cx.cx.module, cx.body.values[data.args[index]].ty);
    let op = data.op.mnemonic();
    cx.error("E0240", format!("operand {} of {op} is {found}, but it takes {wanted}", index + 1));
}
