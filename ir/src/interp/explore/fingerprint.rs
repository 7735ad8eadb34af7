//! Fingerprints of states: equal for states with the same future, whatever led to them.
//!
//! Hashed is all that what happens next depends on: threads, static fields, the heap that they reach, monitors, classes,
//! the output so far, and the views of weak memory. Objects made since the first thread was started are numbered in the
//! order in which this walk finds them, so that neither the order of allocation nor garbage tells states apart; of the
//! older ones only what was written since then counts. A fingerprint has 128 bits: two states of a search of a million
//! have the same one with a probability of about 10^-27, and are then taken for one.

use std::hash::{Hash, Hasher};

use super::liveness::Liveness;
use super::shared::ExploredMemory;
use crate::entity::Entity;
use crate::interp::heap::{Heap, Location};
use crate::interp::machine::{Machine, MainEnd};
use crate::interp::prepare::Prepared;
use crate::interp::slot::{Ref, Slot};
use crate::interp::thread::{Frame, State};
use crate::types::Type;

/// The fingerprint of a state. Forgets what the weak memory knows of objects that no thread can reach.
pub(super) fn fingerprint(
    program: &Prepared<'_>,
    liveness: &Liveness,
    machine: &Machine,
    memory: &mut ExploredMemory<'_, '_>,
) -> u128 {
    let base = memory.base_len();
    let mut walk = Walk {
        program,
        liveness,
        machine,
        memory,
        base,
        numbers: vec![0; machine.heap.len() - base],
        found: Vec::new(),
        mixer: Mixer::default(),
    };
    walk.machine();
    let (numbers, mut mixer) = (walk.numbers, walk.mixer);
    let number = |object: Ref| match (object.0 as usize).checked_sub(base + 1) {
        Some(index) => Some(numbers[index]).filter(|&number| number != 0),
        None => Some(object.0),
    };
    let mut monitors: Vec<_> =
        machine.monitors.iter().filter_map(|(&object, monitor)| Some((number(object)?, monitor))).collect();
    monitors.sort_by_key(|&(object, _)| object);
    monitors.hash(&mut mixer);
    let mut hashes: Vec<_> =
        machine.hashes.iter().filter_map(|(&object, hash)| Some((number(object)?, hash))).collect();
    hashes.sort();
    hashes.hash(&mut mixer);
    if let Some(weak) = &mut memory.weak {
        weak.forget(&|object| number(object).is_none());
        let value = |location, slot| match type_at(program, &machine.heap, location).is_ref() {
            true => number(Ref::from_slot(slot)).map_or(0, Slot::from),
            false => slot,
        };
        let object = |object| Ref(number(object).unwrap_or(0));
        weak.hash_renamed(&object, &value, &mut mixer);
    }
    mixer.wide()
}

fn type_at(program: &Prepared<'_>, heap: &Heap, location: Location) -> Type {
    match location {
        Location::Static(field) => program.module.fields[field].ty,
        Location::Object(object, index) | Location::Element(object, index) => match heap.object(object).ty {
            Type::Class(class) => program.layout(class).slots[index as usize].ty,
            Type::Array(array) => program.module.array_element(array),
            other => other,
        },
    }
}

struct Walk<'a, 'p, 'm> {
    program: &'a Prepared<'m>,
    liveness: &'a Liveness,
    machine: &'a Machine,
    memory: &'a ExploredMemory<'p, 'm>,
    /// How many objects keep their numbers.
    base: usize,
    /// The numbers of the others; 0 for those not found yet.
    numbers: Vec<u32>,
    /// The others, in the order of their numbers.
    found: Vec<Ref>,
    mixer: Mixer,
}

impl Walk<'_, '_, '_> {
    fn machine(&mut self) {
        let machine = self.machine;
        machine.threads.len().hash(&mut self.mixer);
        for thread in &machine.threads {
            self.reference(thread.object);
            self.thread_state(thread.state);
            (thread.interrupted, thread.permit, thread.frames.len()).hash(&mut self.mixer);
            for frame in &thread.frames {
                match *frame {
                    Frame::Init(init) => init.hash(&mut self.mixer),
                    Frame::Call(call) => {
                        (call.func, call.block, call.index).hash(&mut self.mixer);
                        self.reference(call.monitor);
                        let body = self.program.body(call.func);
                        for &value in &*self.liveness.at(self.program, call.func, call.block, call.index) {
                            self.slot(body.values[value].ty, thread.values[call.base as usize + value.index()]);
                        }
                    }
                }
            }
        }
        match machine.main {
            Some(MainEnd::Uncaught(exception)) => self.reference(exception),
            Some(MainEnd::Returned(value)) => value.hash(&mut self.mixer),
            None => 0.hash(&mut self.mixer),
        }
        (&machine.stdout, &machine.stderr, machine.clock, &machine.halted).hash(&mut self.mixer);
        machine.classes.hash(&mut self.mixer);
        let memory = self.memory;
        if let Some(base) = &memory.base {
            for &location in memory.written.iter().filter(|&&location| base.get(location) != machine.heap.get(location))
            {
                location.hash(&mut self.mixer);
                let ty = type_at(self.program, &machine.heap, location);
                self.slot(ty, machine.heap.get(location));
                self.old_values(location, ty);
            }
        }
        let mut next = 0;
        while let Some(&object) = self.found.get(next) {
            next += 1;
            self.object(object);
        }
    }

    fn thread_state(&mut self, state: State) {
        std::mem::discriminant(&state).hash(&mut self.mixer);
        state.deadline().hash(&mut self.mixer);
        match state {
            State::Entering(object) => self.reference(object),
            State::Waiting { monitor, entries, .. } => {
                self.reference(monitor);
                entries.hash(&mut self.mixer);
            }
            State::Returning { monitor, entries, interrupted } => {
                self.reference(monitor);
                (entries, interrupted).hash(&mut self.mixer);
            }
            State::Initialising(class) => class.hash(&mut self.mixer),
            State::Joining { thread, .. } => thread.hash(&mut self.mixer),
            State::Running | State::Parked { .. } | State::Sleeping { .. } | State::Ended => {}
        }
    }

    fn object(&mut self, object: Ref) {
        let (program, machine) = (self.program, self.machine);
        let data = machine.heap.object(object);
        data.ty.hash(&mut self.mixer);
        let slots = machine.heap.slots(object);
        match data.ty {
            Type::Class(class) => {
                data.represents.hash(&mut self.mixer);
                if class == program.known.string {
                    let interned = machine.text(program, object).and_then(|text| machine.interned.get(&*text));
                    (interned == Some(&object)).hash(&mut self.mixer);
                }
                for (index, (place, &slot)) in program.layout(class).slots.iter().zip(slots).enumerate() {
                    self.slot(place.ty, slot);
                    self.old_values(Location::Object(object, index as u32), place.ty);
                }
            }
            Type::Array(array) => {
                let element = program.module.array_element(array);
                slots.len().hash(&mut self.mixer);
                for (index, &slot) in slots.iter().enumerate() {
                    self.slot(element, slot);
                    self.old_values(Location::Element(object, index as u32), element);
                }
            }
            other => unreachable!("an object is of a class or array type, not {other:?}"),
        }
    }

    fn slot(&mut self, ty: Type, slot: Slot) {
        if ty.is_ref() { self.reference(Ref::from_slot(slot)) } else { self.mixer.write_u64(slot) }
    }

    fn reference(&mut self, object: Ref) {
        let number = match (object.0 as usize).checked_sub(self.base + 1) {
            None => object.0,
            Some(index) => {
                if self.numbers[index] == 0 {
                    self.found.push(object);
                    self.numbers[index] = (self.base + self.found.len()) as u32;
                }
                self.numbers[index]
            }
        };
        self.mixer.write_u64(u64::from(number));
    }

    /// Finds what reads may still return besides the newest value.
    fn old_values(&mut self, location: Location, ty: Type) {
        let memory = self.memory;
        if let Some(weak) = memory.weak.as_ref().filter(|_| ty.is_ref()) {
            weak.values(location).for_each(|old| self.reference(Ref::from_slot(old)));
        }
    }
}

/// Two streams of multiply-and-fold, each over all that is hashed.
#[derive(Clone, Copy)]
struct Mixer {
    low: u64,
    high: u64,
}

impl Default for Mixer {
    fn default() -> Self {
        Self { low: 0x243f_6a88_85a3_08d3, high: 0x1319_8a2e_0370_7344 }
    }
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Mixer {
    fn wide(&self) -> u128 {
        let mut end = *self;
        // Both streams see each other once, so that neither's weak spots show.
        end.write_u64(self.high.rotate_left(32) ^ self.low);
        u128::from(end.high) << 64 | u128::from(end.low)
    }
}

impl Hasher for Mixer {
    fn write_u64(&mut self, word: u64) {
        // A factor of 0 would lose what came before; the odd constants added keep the states apart from that.
        self.low = fold(self.low ^ word, 0xa409_3822_299f_31d1).wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.high = fold(self.high.rotate_left(23) ^ word, 0x082e_fa98_ec4e_6c89).wrapping_add(0x4528_21e6_38d0_1377);
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        self.write_u64(bytes.len() as u64);
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }
    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn finish(&self) -> u64 {
        self.low
    }
}
