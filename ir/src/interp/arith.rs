//! Arithmetic, comparisons and conversions with Java's meaning, on slots.
//!
//! Constant folding uses the same functions, so the optimizer and the interpreter cannot disagree.

use std::cmp::Ordering;

use super::slot::{Slot, from_bool, from_f32, from_f64, from_i32, from_i64, narrow, to_f32, to_f64, to_i32, to_i64};
use crate::inst::Op;
use crate::types::Type;

/// A whole number was divided by zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DivisionByZero;

/// The result of an operation on numbers (`eq` and `ne` on references too) whose first operand has type `ty`; none if
/// `op` is no such operation. `neg` takes its operand as `a`.
///
/// # Errors
/// `div` and `rem` of whole numbers by zero.
pub fn evaluate(op: Op, ty: Type, a: Slot, b: Slot) -> Result<Option<Slot>, DivisionByZero> {
    if matches!(op, Op::Div | Op::Rem) && is_zero(ty, b) {
        return Err(DivisionByZero);
    }
    // The count of a shift is an `i32` whatever is shifted; `wrapping_shl` masks it to 5 or 6 bits, as Java does.
    let count = b as u32;
    Ok(match op {
        Op::Add => number(ty, a, b, i32::wrapping_add, i64::wrapping_add, |a, b| a + b, |a, b| a + b),
        Op::Sub => number(ty, a, b, i32::wrapping_sub, i64::wrapping_sub, |a, b| a - b, |a, b| a - b),
        Op::Mul => number(ty, a, b, i32::wrapping_mul, i64::wrapping_mul, |a, b| a * b, |a, b| a * b),
        Op::Div => number(ty, a, b, i32::wrapping_div, i64::wrapping_div, |a, b| a / b, |a, b| a / b),
        Op::Rem => number(ty, a, b, i32::wrapping_rem, i64::wrapping_rem, |a, b| a % b, |a, b| a % b),
        Op::Neg => number(ty, a, b, |a, _| a.wrapping_neg(), |a, _| a.wrapping_neg(), |a, _| -a, |a, _| -a),
        Op::Shl => whole(ty, a, b, |a, _| a.wrapping_shl(count), |a, _| a.wrapping_shl(count)),
        Op::Shr => whole(ty, a, b, |a, _| a.wrapping_shr(count), |a, _| a.wrapping_shr(count)),
        Op::Ushr => {
            whole(ty, a, b, |a, _| (a as u32).wrapping_shr(count) as i32, |a, _| (a as u64).wrapping_shr(count) as i64)
        }
        Op::And => whole(ty, a, b, |a, b| a & b, |a, b| a & b),
        Op::Or => whole(ty, a, b, |a, b| a | b, |a, b| a | b),
        Op::Xor => whole(ty, a, b, |a, b| a ^ b, |a, b| a ^ b),
        Op::Eq => Some(from_bool(order(ty, a, b) == Some(Ordering::Equal))),
        Op::Ne => Some(from_bool(order(ty, a, b) != Some(Ordering::Equal))),
        Op::Lt => Some(from_bool(order(ty, a, b) == Some(Ordering::Less))),
        Op::Le => Some(from_bool(matches!(order(ty, a, b), Some(Ordering::Less | Ordering::Equal)))),
        Op::Gt => Some(from_bool(order(ty, a, b) == Some(Ordering::Greater))),
        Op::Ge => Some(from_bool(matches!(order(ty, a, b), Some(Ordering::Greater | Ordering::Equal)))),
        Op::Cmp | Op::Cmpl => Some(from_i32(order(ty, a, b).map_or(-1, |order| order as i32))),
        Op::Cmpg => Some(from_i32(order(ty, a, b).map_or(1, |order| order as i32))),
        Op::Convert
        | Op::Select
        | Op::GetStatic
        | Op::PutStatic
        | Op::GetField
        | Op::PutField
        | Op::New
        | Op::NewArray
        | Op::ArrayLength
        | Op::ArrayLoad
        | Op::ArrayStore
        | Op::InstanceOf
        | Op::CheckCast
        | Op::NullCheck
        | Op::Check
        | Op::InitClass
        | Op::MonitorEnter
        | Op::MonitorExit
        | Op::InvokeStatic
        | Op::InvokeVirtual
        | Op::InvokeSpecial
        | Op::InvokeInterface
        | Op::FieldOffset
        | Op::Load
        | Op::Store
        | Op::Cas
        | Op::GetAndSet
        | Op::GetAndAdd
        | Op::GetAndAnd
        | Op::GetAndOr
        | Op::GetAndXor
        | Op::Jump
        | Op::Branch
        | Op::Switch
        | Op::Return
        | Op::Throw => None,
    })
}

fn is_zero(ty: Type, slot: Slot) -> bool {
    match ty {
        Type::I32 => to_i32(slot) == 0,
        Type::I64 => to_i64(slot) == 0,
        _ => false,
    }
}

fn number(
    ty: Type,
    a: Slot,
    b: Slot,
    int: impl Fn(i32, i32) -> i32,
    long: impl Fn(i64, i64) -> i64,
    float: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> Option<Slot> {
    match ty {
        Type::F32 => Some(from_f32(float(to_f32(a), to_f32(b)))),
        Type::F64 => Some(from_f64(double(to_f64(a), to_f64(b)))),
        _ => whole(ty, a, b, int, long),
    }
}

fn whole(ty: Type, a: Slot, b: Slot, int: impl Fn(i32, i32) -> i32, long: impl Fn(i64, i64) -> i64) -> Option<Slot> {
    match ty {
        Type::I32 => Some(from_i32(int(to_i32(a), to_i32(b)))),
        Type::I64 => Some(from_i64(long(to_i64(a), to_i64(b)))),
        _ => None,
    }
}

/// How two operands compare; none if one is NaN.
fn order(ty: Type, a: Slot, b: Slot) -> Option<Ordering> {
    match ty {
        Type::I32 => Some(to_i32(a).cmp(&to_i32(b))),
        Type::I64 => Some(to_i64(a).cmp(&to_i64(b))),
        Type::F32 => to_f32(a).partial_cmp(&to_f32(b)),
        Type::F64 => to_f64(a).partial_cmp(&to_f64(b)),
        _ => Some(a.cmp(&b)),
    }
}

/// A number of value type `from` cast to `to` as Java casts: floats to whole numbers saturate and NaN is 0; narrow
/// types go through `i32`.
pub fn convert(from: Type, to: Type, slot: Slot) -> Slot {
    match to {
        Type::I64 => from_i64(match from {
            Type::I64 => to_i64(slot),
            Type::F32 => to_f32(slot) as i64,
            Type::F64 => to_f64(slot) as i64,
            _ => i64::from(to_i32(slot)),
        }),
        Type::F32 => match from {
            Type::F32 => slot,
            Type::I64 => from_f32(to_i64(slot) as f32),
            Type::F64 => from_f32(to_f64(slot) as f32),
            _ => from_f32(to_i32(slot) as f32),
        },
        Type::F64 => match from {
            Type::F64 => slot,
            Type::I64 => from_f64(to_i64(slot) as f64),
            Type::F32 => from_f64(f64::from(to_f32(slot))),
            _ => from_f64(f64::from(to_i32(slot))),
        },
        Type::Bool | Type::I8 | Type::U16 | Type::I16 | Type::I32 | Type::Null | Type::Class(_) | Type::Array(_) => {
            let int = match from {
                Type::I64 => to_i64(slot) as i32,
                Type::F32 => to_f32(slot) as i32,
                Type::F64 => to_f64(slot) as i32,
                _ => to_i32(slot),
            };
            narrow(to, from_i32(int))
        }
    }
}
