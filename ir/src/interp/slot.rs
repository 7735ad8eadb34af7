//! Slots: what a value, a field or an array element holds, as 64 bits without a tag.
//!
//! A verified program never confuses kinds, so the bits need no tag; who must tell references from numbers (the
//! fingerprint, offset accesses) asks the declared type. An `i32` and an `f32` are zero-extended, so that two slots of
//! one kind hold equal values exactly if their bits are equal.

use std::fmt;

use crate::types::Type;

/// The bits of a value. `i32` and `f32` are zero-extended, a reference is its [`Ref`].
pub type Slot = u64;

/// A reference: the number of an object, counted from 1 in the order of allocation, or 0 for null.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref(pub u32);

impl Ref {
    /// `null`.
    pub const NULL: Ref = Ref(0);

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        self == Ref::NULL
    }
    /// The reference in a slot.
    pub fn from_slot(slot: Slot) -> Ref {
        Ref(slot as u32)
    }
    /// The slot of the reference.
    pub fn slot(self) -> Slot {
        Slot::from(self.0)
    }
}

impl fmt::Debug for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() { f.write_str("null") } else { write!(f, "#{}", self.0) }
    }
}

/// The slot of an `i32`.
pub fn from_i32(value: i32) -> Slot {
    Slot::from(value as u32)
}
/// The slot of an `i64`.
pub fn from_i64(value: i64) -> Slot {
    value as u64
}
/// The slot of an `f32`.
pub fn from_f32(value: f32) -> Slot {
    Slot::from(value.to_bits())
}
/// The slot of an `f64`.
pub fn from_f64(value: f64) -> Slot {
    value.to_bits()
}
/// The slot of a truth value.
pub fn from_bool(value: bool) -> Slot {
    Slot::from(value)
}
/// The `i32` in a slot.
pub fn to_i32(slot: Slot) -> i32 {
    slot as u32 as i32
}
/// The `i64` in a slot.
pub fn to_i64(slot: Slot) -> i64 {
    slot as i64
}
/// The `f32` in a slot.
pub fn to_f32(slot: Slot) -> f32 {
    f32::from_bits(slot as u32)
}
/// The `f64` in a slot.
pub fn to_f64(slot: Slot) -> f64 {
    f64::from_bits(slot)
}

/// What storage of type `ty` holds after `slot` was stored: `bool`, `i8`, `u16` and `i16` keep their width only.
pub fn narrow(ty: Type, slot: Slot) -> Slot {
    let int = to_i32(slot);
    match ty {
        Type::Bool => from_i32(int & 1),
        Type::I8 => from_i32(i32::from(int as i8)),
        Type::U16 => from_i32(i32::from(int as u16)),
        Type::I16 => from_i32(i32::from(int as i16)),
        Type::I32 | Type::I64 | Type::F32 | Type::F64 | Type::Null | Type::Class(_) | Type::Array(_) => slot,
    }
}
