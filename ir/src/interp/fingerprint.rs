//! A number that tells the states of a machine apart.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::machine::{Machine, MainEnd};
use super::prepare::Prepared;
use super::slot::{Ref, Slot};
use super::thread::{Frame, State};
use crate::entity::Entity;
use crate::module::Flags;
use crate::types::Type;

/// Hashes a state. Objects are numbered in the order in which they are met on the way from the threads, so two states
/// that differ only in the order of allocation, or in garbage, have the same number.
struct Fingerprint<'a, 'm> {
    program: &'a Prepared<'m>,
    machine: &'a Machine,
    /// Two differently seeded hashes, 128 bits together: explorers take equal numbers for equal states.
    hashers: [FxHasher; 2],
    numbers: FxHashMap<Ref, u32>,
    queue: Vec<Ref>,
}

impl Machine {
    /// A number for the state of the program: equal states have equal numbers, and different ones, but for chance,
    /// different ones. The step count is no part of the state.
    pub fn fingerprint(&self, program: &Prepared<'_>) -> u128 {
        let mut hashers = [FxHasher::default(), FxHasher::default()];
        hashers[1].write_u64(0x9e37_79b9_7f4a_7c15);
        let mut print =
            Fingerprint { program, machine: self, hashers, numbers: FxHashMap::default(), queue: Vec::new() };
        print.threads();
        print.statics();
        print.rest();
        print.objects();
        u128::from(print.hashers[0].finish()) << 64 | u128::from(print.hashers[1].finish())
    }
}

impl Fingerprint<'_, '_> {
    fn add(&mut self, item: impl Hash) {
        for hasher in &mut self.hashers {
            item.hash(hasher);
        }
    }

    fn reference(&mut self, object: Ref) {
        if object.is_null() {
            return self.add(0u32);
        }
        let next = self.numbers.len() as u32 + 1;
        let number = *self.numbers.entry(object).or_insert_with(|| {
            self.queue.push(object);
            next
        });
        self.add(number);
    }

    fn slot(&mut self, ty: Type, slot: Slot) {
        if ty.is_ref() { self.reference(Ref::from_slot(slot)) } else { self.add(slot) }
    }

    fn threads(&mut self) {
        let machine = self.machine;
        for thread in &machine.threads {
            self.reference(thread.object);
            self.add((thread.interrupted, thread.permit));
            self.state(thread.state);
            for frame in &thread.frames {
                match *frame {
                    Frame::Init(init) => self.add(init),
                    Frame::Call(call) => {
                        self.add((call.func, call.block, call.index));
                        self.reference(call.monitor);
                        let body = self.program.body(call.func);
                        let values = &thread.values[call.base as usize..];
                        for (data, &value) in body.values.values().zip(values) {
                            self.slot(data.ty, value);
                        }
                    }
                }
            }
        }
    }

    fn state(&mut self, state: State) {
        self.add(std::mem::discriminant(&state));
        self.add(state.deadline());
        match state {
            State::Entering(object) => self.reference(object),
            State::Initialising(class) => self.add(class),
            State::Waiting { monitor, entries, .. } => {
                self.reference(monitor);
                self.add(entries);
            }
            State::Returning { monitor, entries, interrupted } => {
                self.reference(monitor);
                self.add((entries, interrupted));
            }
            State::Joining { thread, .. } => self.add(thread),
            State::Running | State::Parked { .. } | State::Sleeping { .. } | State::Ended => {}
        }
    }

    fn statics(&mut self) {
        let module = self.program.module;
        for (field, data) in module.fields.iter() {
            if data.flags.has(Flags::STATIC) {
                self.slot(data.ty, self.machine.heap.statics()[field.index()]);
            }
        }
    }

    fn rest(&mut self) {
        let machine = self.machine;
        self.add((&machine.stdout, &machine.stderr, machine.clock, &machine.halted, &machine.classes));
        match machine.main {
            None => self.add(0u8),
            Some(MainEnd::Uncaught(exception)) => {
                self.add(1u8);
                self.reference(exception);
            }
            Some(MainEnd::Returned(value)) => {
                self.add(2u8);
                self.slot(machine.result_type, value.unwrap_or(0));
            }
        }
    }

    fn objects(&mut self) {
        let mut next = 0;
        while let Some(&object) = self.queue.get(next) {
            next += 1;
            let data = self.machine.heap.object(object);
            self.add((data.ty, data.represents));
            if let Some(monitor) = self.machine.monitors.get(&object) {
                self.add(monitor);
            }
            self.add(self.machine.hashes.get(&object));
            let slots = self.machine.heap.slots(object);
            match data.ty {
                Type::Class(class) => {
                    let layout = self.program.layout(class);
                    for (place, &slot) in layout.slots.iter().zip(slots) {
                        self.slot(place.ty, slot);
                    }
                }
                Type::Array(array) => {
                    let element = self.program.module.array_element(array);
                    for &slot in slots {
                        self.slot(element, slot);
                    }
                }
                _ => {}
            }
        }
    }
}
