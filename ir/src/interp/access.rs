//! Accesses to fields, array elements and offsets.

use super::exec::{Exec, Next, Outcome, Raise};
use super::heap::Location;
use super::memory::Memory;
use super::prepare::FieldUse;
use super::slot::{Ref, Slot, narrow};
use crate::hierarchy::Answer;
use crate::inst::InstData;
use crate::module::Flags;
use crate::types::{Ordering, Type};

impl<M: Memory> Exec<'_, '_, M> {
    pub(super) fn read(&mut self, location: Location, ordering: Ordering) -> Slot {
        self.shared = true;
        self.memory.read(&self.machine.heap, self.thread, location, ordering)
    }

    pub(super) fn write(&mut self, location: Location, ordering: Ordering, value: Slot) {
        self.shared = true;
        self.memory.write(&mut self.machine.heap, self.thread, location, ordering, value);
    }

    /// The field that an instruction names.
    pub(super) fn field(&mut self, data: &InstData) -> Outcome<FieldUse> {
        let field = data.field_symbol().expect("the verifier checks that the symbol is there");
        match self.program.field(field) {
            Some(found) => Ok(found),
            None => {
                let class = self.program.module.field_ref(field).class;
                Err(match self.program.module.unknown_class(Type::Class(class)) {
                    Some(class) => self.no_class(class),
                    None => self.throw("java.lang.NoSuchFieldError", None),
                })
            }
        }
    }

    /// None while the field's class is being initialised.
    pub(super) fn get_static(&mut self, data: &InstData) -> Outcome<Option<Slot>> {
        let field = self.field(data)?;
        if !self.ensure_initialised(field.class)? {
            return Ok(None);
        }
        Ok(Some(self.read(Location::Static(field.field), field.ordering)))
    }

    pub(super) fn put_static(&mut self, data: &InstData, value: Slot) -> Outcome<Next> {
        let field = self.field(data)?;
        if !self.ensure_initialised(field.class)? {
            return Ok(Next::Stay);
        }
        self.write(Location::Static(field.field), field.ordering, narrow(field.ty, value));
        Ok(Next::Advance)
    }

    pub(super) fn get_field(&mut self, data: &InstData, object: Ref) -> Outcome<Slot> {
        let object = self.not_null(object.slot())?;
        let field = self.field(data)?;
        Ok(self.read(Location::Object(object, field.slot), field.ordering))
    }

    pub(super) fn put_field(&mut self, data: &InstData, object: Ref, value: Slot) -> Outcome<()> {
        let object = self.not_null(object.slot())?;
        let field = self.field(data)?;
        self.write(Location::Object(object, field.slot), field.ordering, narrow(field.ty, value));
        Ok(())
    }

    /// A new array, and the arrays in it for every further length.
    pub(super) fn new_array(&mut self, ty: Type, lengths: &[i32]) -> Outcome<Ref> {
        if let Some(class) = self.program.module.unknown_class(ty) {
            return Err(self.no_class(class));
        }
        if lengths.iter().any(|&length| length < 0) {
            return Err(self.throw("java.lang.NegativeArraySizeException", None));
        }
        // Nothing is made unless the innermost arrays have a chance, so that a huge request costs no time.
        let innermost: Option<usize> =
            lengths.iter().try_fold(1usize, |product, &length| product.checked_mul(length as usize));
        if innermost.is_none_or(|slots| !self.machine.heap.has_room(slots)) {
            return Err(self.out_of_memory());
        }
        self.new_array_level(ty, lengths)
    }

    /// Recurs once for each length; the verifier bounds them by the type's dimensions, the parser those.
    fn new_array_level(&mut self, ty: Type, lengths: &[i32]) -> Outcome<Ref> {
        let [length, inner @ ..] = lengths else { unreachable!("an array has a length") };
        let Some(array) = self.machine.heap.allocate(ty, *length as usize, None) else {
            return Err(self.out_of_memory());
        };
        if let (Type::Array(array_type), [_, ..]) = (ty, inner) {
            let element = self.program.module.array_element(array_type);
            for index in 0..*length as u32 {
                let made = self.new_array_level(element, inner)?;
                self.machine.heap.set(Location::Element(array, index), made.slot());
            }
        }
        Ok(array)
    }

    /// The declared type of an array's elements; none if the object is no array.
    pub(super) fn element_type(&self, array: Ref) -> Option<Type> {
        match self.machine.heap.object(array).ty {
            Type::Array(array) => Some(self.program.module.array_element(array)),
            _ => None,
        }
    }

    fn element(&mut self, array: Ref, index: i32) -> Outcome<Location> {
        let array = self.not_null(array.slot())?;
        let length = self.machine.heap.slot_count(array);
        if (index as u32) < length {
            return Ok(Location::Element(array, index as u32));
        }
        let message = format!("Index {index} out of bounds for length {length}");
        Err(self.throw("java.lang.ArrayIndexOutOfBoundsException", Some(&message)))
    }

    pub(super) fn array_load(&mut self, array: Ref, index: i32) -> Outcome<Slot> {
        let location = self.element(array, index)?;
        Ok(self.read(location, Ordering::Plain))
    }

    pub(super) fn array_store(&mut self, array: Ref, index: i32, value: Slot) -> Outcome<()> {
        let location = self.element(array, index)?;
        let ty = self.element_type(array).expect("the verifier checks that it is an array");
        if ty.is_ref() && value != 0 && !self.is_instance(Ref::from_slot(value), ty) {
            return Err(self.throw("java.lang.ArrayStoreException", None));
        }
        self.write(location, Ordering::Plain, narrow(ty, value));
        Ok(())
    }

    /// The field of `holder` at `offset`, for values of type `ty`.
    fn at_offset(&self, holder: Ref, offset: i64, ty: Type) -> Outcome<(Location, Type)> {
        if holder.is_null() {
            return Err(Raise::Fault(format!("access at offset {offset} of null")));
        }
        let module = self.program.module;
        let found = match self.machine.heap.object(holder).ty {
            Type::Class(class) => self.program.at_offset(class, offset),
            _ => None,
        };
        match found {
            Some((slot, declared)) if declared == ty || declared.is_ref() && ty.is_ref() => {
                Ok((Location::Object(holder, slot), declared))
            }
            Some(_) => Err(Raise::Fault(format!("the field at offset {offset} is of another kind"))),
            None => {
                let class = super::describe_type(module, self.machine.heap.object(holder).ty);
                Err(Raise::Fault(format!("{class} has no field at offset {offset}")))
            }
        }
    }

    /// A class-typed place must hold an instance of it; interfaces prove nothing, as for the JVM's verifier. Compiled
    /// code would go on with the wrong object; the oracle says so.
    fn check_type(&self, value: Slot, ty: Type) -> Outcome<()> {
        if !ty.is_ref() || value == 0 {
            return Ok(());
        }
        let found = self.machine.heap.object(Ref::from_slot(value)).ty;
        if self.fits(found, ty) {
            return Ok(());
        }
        let name = |ty| super::describe_type(self.program.module, ty);
        Err(Raise::Fault(format!("a {} where a {} must be", name(found), name(ty))))
    }

    fn fits(&self, found: Type, wanted: Type) -> bool {
        let module = self.program.module;
        let (mut found, mut wanted) = (found, wanted);
        while let (Type::Array(inner), Type::Array(wanted_inner)) = (found, wanted) {
            (found, wanted) = (module.array_element(inner), module.array_element(wanted_inner));
        }
        match wanted {
            Type::Class(class) if module.classes[class].flags.has(Flags::INTERFACE) => found.is_ref(),
            Type::Class(_) | Type::Array(_) => found.is_ref() && self.program.instance_of(found, wanted) == Answer::Yes,
            _ => found == wanted,
        }
    }

    pub(super) fn load(&mut self, data: &InstData, holder: Ref, offset: i64) -> Outcome<Slot> {
        let ty = super::exec::named_type(data);
        let (location, _) = self.at_offset(holder, offset, ty)?;
        let value = self.read(location, ordering(data));
        self.check_type(value, ty)?;
        Ok(value)
    }

    pub(super) fn store(&mut self, data: &InstData, holder: Ref, offset: i64, ty: Type, value: Slot) -> Outcome<()> {
        let (location, declared) = self.at_offset(holder, offset, ty)?;
        self.check_type(value, declared)?;
        self.write(location, ordering(data), value);
        Ok(())
    }

    pub(super) fn cas(
        &mut self,
        data: &InstData,
        holder: Ref,
        offset: i64,
        ty: Type,
        expected: Slot,
        new: Slot,
    ) -> Outcome<bool> {
        let swap = |old| (old == expected).then_some(new);
        let (location, declared) = self.at_offset(holder, offset, ty)?;
        self.check_type(new, declared)?;
        Ok(self.update(location, ordering(data), &swap) == expected)
    }

    /// Replaces what is at an offset by `change` of it; gives what was there.
    pub(super) fn get_and(
        &mut self,
        data: &InstData,
        holder: Ref,
        offset: i64,
        ty: Type,
        change: &dyn Fn(Slot) -> Option<Slot>,
    ) -> Outcome<Slot> {
        let (location, declared) = self.at_offset(holder, offset, ty)?;
        if ty.is_ref() {
            // Only `getandset` works on references, and its new value does not depend on the old one.
            self.check_type(change(0).unwrap_or(0), declared)?;
        }
        let old = self.update(location, ordering(data), change);
        self.check_type(old, ty)?;
        Ok(old)
    }

    fn update(&mut self, location: Location, ordering: Ordering, change: &dyn Fn(Slot) -> Option<Slot>) -> Slot {
        self.shared = true;
        self.memory.update(&mut self.machine.heap, self.thread, location, ordering, &mut |old| change(old))
    }
}

fn ordering(data: &InstData) -> Ordering {
    data.ordering().expect("an access at an offset has an ordering")
}
