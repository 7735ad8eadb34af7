//! Types of values, fields, parameters and array elements.

use crate::entity::{ArrayType, Class};

/// A type as it is declared.
///
/// `Bool`, `I8`, `I16` and `U16` (Java's `boolean`, `byte`, `short` and `char`) are storage types: they say how wide
/// a field, a parameter or an array element is. A value of such a type is an [`Type::I32`], as on the JVM; see
/// [`Type::value_type`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    /// Java's `boolean`; stored as 0 or 1.
    Bool,
    /// Java's `byte`.
    I8,
    /// Java's `char`.
    U16,
    /// Java's `short`.
    I16,
    /// Java's `int`.
    I32,
    /// Java's `long`.
    I64,
    /// Java's `float`.
    F32,
    /// Java's `double`.
    F64,
    /// The type of `null` alone; it fits every reference type. Never declared.
    Null,
    /// A reference to an instance of a class or interface, or null.
    Class(Class),
    /// A reference to an array, or null.
    Array(ArrayType),
}

impl Type {
    /// The type of an SSA value that was read from storage of this type.
    pub fn value_type(self) -> Type {
        match self {
            Type::Bool | Type::I8 | Type::U16 | Type::I16 => Type::I32,
            other => other,
        }
    }

    /// Whether values of this type are references.
    pub fn is_ref(self) -> bool {
        matches!(self, Type::Null | Type::Class(_) | Type::Array(_))
    }

    /// Whether this is a value type of whole numbers: `i32` or `i64`.
    pub fn is_int(self) -> bool {
        matches!(self, Type::I32 | Type::I64)
    }

    /// Whether this is `f32` or `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// The name of a primitive type in the text, none for references.
    pub fn primitive_name(self) -> Option<&'static str> {
        Some(match self {
            Type::Bool => "bool",
            Type::I8 => "i8",
            Type::U16 => "u16",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::Null | Type::Class(_) | Type::Array(_) => return None,
        })
    }

    /// The primitive type of this name in the text.
    pub fn from_primitive_name(name: &str) -> Option<Type> {
        Some(match name {
            "bool" => Type::Bool,
            "i8" => Type::I8,
            "u16" => Type::U16,
            "i16" => Type::I16,
            "i32" => Type::I32,
            "i64" => Type::I64,
            "f32" => Type::F32,
            "f64" => Type::F64,
            _ => return None,
        })
    }
}

/// How strongly an access at an offset is ordered with others, weakest first.
///
/// The meaning is that of the JDK 9 memory order modes; `Volatile` is sequentially consistent among volatiles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ordering {
    /// No order; may tear nothing but may be merged or moved.
    Plain,
    /// Coherent per location, no order between locations.
    Opaque,
    /// What follows stays behind this load.
    Acquire,
    /// What precedes stays before this store.
    Release,
    /// Both, for a read-modify-write.
    AcqRel,
    /// As a Java `volatile` access.
    Volatile,
}

impl Ordering {
    /// All orderings, weakest first.
    pub const ALL: [Ordering; 6] =
        [Ordering::Plain, Ordering::Opaque, Ordering::Acquire, Ordering::Release, Ordering::AcqRel, Ordering::Volatile];

    /// The name in the text.
    pub fn name(self) -> &'static str {
        match self {
            Ordering::Plain => "plain",
            Ordering::Opaque => "opaque",
            Ordering::Acquire => "acquire",
            Ordering::Release => "release",
            Ordering::AcqRel => "acq_rel",
            Ordering::Volatile => "volatile",
        }
    }

    /// The ordering of this name in the text.
    pub fn from_name(name: &str) -> Option<Ordering> {
        Ordering::ALL.into_iter().find(|o| o.name() == name)
    }
}
