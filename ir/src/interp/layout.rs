//! Where the fields of an object are.
//!
//! Fields of superclasses come first, then those of the class in order of declaration, each aligned to its size, behind
//! a header of 16 bytes. An offset is therefore never 0, the same in every subclass, and the same in compiled code.

use crate::entity::{Class, Field};
use crate::module::{Flags, Module};
use crate::types::Type;

/// The size of the header in front of the fields of every object, in bytes.
pub const HEADER_SIZE: u32 = 16;

/// The instance fields of a class, those of its superclasses included.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The fields by ascending offset.
    pub slots: Vec<FieldPlace>,
    /// The size of an instance in bytes, a multiple of 8.
    pub size: u32,
}

/// A field and where it is.
#[derive(Clone, Copy, Debug)]
pub struct FieldPlace {
    /// The field.
    pub field: Field,
    /// Its declared type.
    pub ty: Type,
    /// Its distance from the start of the object, in bytes.
    pub offset: u32,
}

impl Layout {
    /// Lays out the fields of `class` behind those of its superclass.
    pub fn new(module: &Module, class: Class, superclass: Option<&Layout>) -> Self {
        let mut slots = superclass.map_or_else(Vec::new, |layout| layout.slots.clone());
        let mut end = slots.last().map_or(HEADER_SIZE, |last| last.offset + size_of(last.ty));
        for &field in &module.classes[class].fields {
            let data = &module.fields[field];
            if data.flags.has(Flags::STATIC) {
                continue;
            }
            let size = size_of(data.ty);
            let offset = end.next_multiple_of(size);
            slots.push(FieldPlace { field, ty: data.ty, offset });
            end = offset + size;
        }
        Self { slots, size: end.next_multiple_of(8) }
    }

    /// The index of a field among all fields of an instance.
    pub fn index_of(&self, field: Field) -> Option<u32> {
        self.slots.iter().position(|place| place.field == field).map(|index| index as u32)
    }
}

/// How many bytes a field or element of this type takes.
pub fn size_of(ty: Type) -> u32 {
    match ty {
        Type::Bool | Type::I8 => 1,
        Type::U16 | Type::I16 => 2,
        Type::I32 | Type::F32 => 4,
        Type::I64 | Type::F64 | Type::Null | Type::Class(_) | Type::Array(_) => 8,
    }
}
