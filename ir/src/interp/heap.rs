//! The heap and the static fields: everything that threads share and a [`Memory`](super::memory::Memory) orders.
//!
//! There is no collector: objects live until the end of the run and allocation stops at a bound. So a reference is a
//! plain number, the same for the same schedule, and a copy of the whole heap is two copies of flat memory.

use super::slot::{Ref, Slot};
use crate::entity::{Entity, Field};
use crate::types::Type;

/// A place in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Location {
    /// An instance field: the object, and the field's index among all of the object's fields.
    Object(Ref, u32),
    /// A static field.
    Static(Field),
    /// An array element.
    Element(Ref, u32),
}

/// An object or array.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its class, or its array type.
    pub ty: Type,
    /// The type that it stands for, if it is a `Class` object.
    pub represents: Option<Type>,
    start: u32,
    len: u32,
}

/// The heap and the static fields.
#[derive(Clone, Debug)]
pub struct Heap {
    objects: Vec<Object>,
    slots: Vec<Slot>,
    statics: Vec<Slot>,
    limit: usize,
}

/// What an object takes of the bound besides its slots.
const HEADER_SLOTS: usize = 2;

impl Heap {
    /// An empty heap for `limit` slots (objects count for two more each), with these static fields.
    pub(super) fn new(limit: usize, statics: Vec<Slot>) -> Self {
        // Slots are indexed by 32 bits.
        Self { objects: Vec::new(), slots: Vec::new(), statics, limit: limit.min(u32::MAX as usize / 2) }
    }

    /// Whether an object of so many slots would fit.
    pub(super) fn has_room(&self, len: usize) -> bool {
        let used = self.slots.len() + HEADER_SLOTS * (self.objects.len() + 1);
        len.checked_add(used).is_some_and(|wanted| wanted <= self.limit)
    }

    /// A new zeroed instance; none if the heap is full.
    pub(super) fn allocate(&mut self, ty: Type, len: usize, represents: Option<Type>) -> Option<Ref> {
        self.has_room(len).then(|| self.allocate_beyond(ty, len, represents))
    }

    /// The same from a reserve behind the bound: for what says that the heap is full.
    pub(super) fn allocate_beyond(&mut self, ty: Type, len: usize, represents: Option<Type>) -> Ref {
        let start = self.slots.len() as u32;
        self.slots.resize(self.slots.len() + len, 0);
        self.objects.push(Object { ty, represents, start, len: len as u32 });
        Ref(self.objects.len() as u32)
    }

    /// How many objects there are; their references are 1 to this.
    pub fn len(&self) -> usize {
        self.objects.len()
    }
    /// Whether nothing was allocated yet.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
    /// An object.
    ///
    /// # Panics
    /// If the reference is null.
    pub fn object(&self, object: Ref) -> &Object {
        &self.objects[object.0 as usize - 1]
    }
    /// How many fields an object, or elements an array has.
    pub fn slot_count(&self, object: Ref) -> u32 {
        self.object(object).len
    }
    /// The fields or elements of an object.
    pub fn slots(&self, object: Ref) -> &[Slot] {
        let object = self.object(object);
        &self.slots[object.start as usize..][..object.len as usize]
    }
    pub(super) fn slots_mut(&mut self, object: Ref) -> &mut [Slot] {
        let (start, len) = (self.object(object).start as usize, self.object(object).len as usize);
        &mut self.slots[start..][..len]
    }
    /// All static fields, by the index of [`Field`]; those of instance fields are unused.
    pub fn statics(&self) -> &[Slot] {
        &self.statics
    }
    /// What a location holds.
    pub fn get(&self, location: Location) -> Slot {
        match location {
            Location::Object(object, index) | Location::Element(object, index) => {
                self.slots[self.object(object).start as usize + index as usize]
            }
            Location::Static(field) => self.statics[field.index()],
        }
    }
    /// Changes what a location holds.
    pub fn set(&mut self, location: Location, value: Slot) {
        match location {
            Location::Object(object, index) | Location::Element(object, index) => {
                let at = self.object(object).start as usize + index as usize;
                self.slots[at] = value;
            }
            Location::Static(field) => self.statics[field.index()] = value,
        }
    }
}
