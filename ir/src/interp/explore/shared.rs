//! The memory of explored programs: who may see an object, what may change, and which value a read chooses.
//!
//! Two things keep the number of schedules small. *Private objects*: what only one thread can reach, nobody else can
//! notice changing. An object is private to the thread that made it until a reference to it is written where another
//! thread could find it; then it and all that it leads to are shared for good. *Constants*: most fields that threads
//! share are written before anyone else can see them and never again (final fields, strings, tables of the library).
//! A read of such a field commutes with everything. Which fields these are is found by trying: the search takes every
//! field for constant until it sees one written while shared, and then starts again with that one known as changing.
//! In the same way a volatile field is taken to be accessed by volatile accesses only, of which none reads an old value.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::MemoryModel;
use super::weak::{Sync, WeakMemory};
use crate::entity::{ArrayType, Field};
use crate::interp::heap::{Heap, Location};
use crate::interp::memory::{Memory, Synchronisation};
use crate::interp::prepare::Prepared;
use crate::interp::slot::{Ref, Slot};
use crate::interp::thread::ThreadId;
use crate::module::Flags;
use crate::types::{Ordering, Type};

/// What locations have in common for the question whether they change: the field, or the type of the array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Field(Field),
    Elements(ArrayType),
}

/// What was found out about kinds of locations by trying.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Those that are written while shared.
    changing: BTreeSet<Kind>,
    /// The volatile fields that are also accessed in weaker ways.
    relaxed: BTreeSet<Kind>,
}

impl Facts {
    pub(super) fn is_empty(&self) -> bool {
        self.changing.is_empty() && self.relaxed.is_empty()
    }

    pub(super) fn extend(&mut self, other: Facts) {
        self.changing.extend(other.changing);
        self.relaxed.extend(other.relaxed);
    }
}

/// The choices of one transition, replayed and then varied like the digits of a counter.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// What was chosen, of how many.
    choices: Vec<(usize, usize)>,
    asked: usize,
}

impl Script {
    fn choose(&mut self, count: usize) -> usize {
        if self.asked == self.choices.len() {
            self.choices.push((0, count));
        }
        self.asked += 1;
        self.choices[self.asked - 1].0
    }

    /// Goes on to the next combination of choices; false if that was the last one.
    pub(super) fn advance(&mut self) -> bool {
        self.asked = 0;
        while let Some((chosen, count)) = self.choices.pop() {
            if chosen + 1 < count {
                self.choices.push((chosen + 1, count));
                return true;
            }
        }
        false
    }
}

/// The shared memory of one state.
#[derive(Clone)]
pub(super) struct ExploredMemory<'p, 'm> {
    program: &'p Prepared<'m>,
    /// None for sequential consistency.
    pub(super) weak: Option<WeakMemory>,
    pub(super) script: Script,
    facts: Rc<Facts>,
    /// What turned out to be otherwise than taken for.
    pub(super) noticed: Facts,
    /// Whether an access since this was last cleared was one that others could notice, or that could notice others'.
    pub(super) touched: bool,
    /// The heap when the first thread was started; none before that, while everything is private to the main thread.
    pub(super) base: Option<Rc<Heap>>,
    /// For each object made since then, the thread that it is private to.
    owners: Vec<Option<ThreadId>>,
    /// The locations of the base heap that were written since then.
    pub(super) written: BTreeSet<Location>,
}

impl<'p, 'm> ExploredMemory<'p, 'm> {
    pub(super) fn new(program: &'p Prepared<'m>, model: MemoryModel, facts: Rc<Facts>) -> Self {
        Self {
            program,
            weak: match model {
                MemoryModel::Sc => None,
                MemoryModel::Weak => Some(WeakMemory::new(ThreadId::MAIN)),
            },
            script: Script::default(),
            facts,
            noticed: Facts::default(),
            touched: false,
            base: None,
            owners: Vec::new(),
            written: BTreeSet::new(),
        }
    }

    /// How many objects there were when the first thread was started.
    pub(super) fn base_len(&self) -> usize {
        self.base.as_ref().map_or(0, |heap| heap.len())
    }

    /// The first thread is about to run: from here on others look on.
    pub(super) fn begin(&mut self, heap: &Heap) {
        if self.base.is_none() {
            self.base = Some(Rc::new(heap.clone()));
        }
    }

    /// `thread` may have made objects.
    pub(super) fn allocated(&mut self, heap: &Heap, thread: ThreadId) {
        if self.base.is_some() {
            self.owners.resize(heap.len() - self.base_len(), Some(thread));
        }
    }

    /// Whether only one thread can reach an object.
    pub(super) fn is_private(&self, object: Ref) -> bool {
        let Some(base) = &self.base else { return true };
        let index = (object.0 as usize).checked_sub(base.len() + 1);
        // What was made in this very step and is not listed yet, nobody else has seen.
        index.is_some_and(|index| self.owners.get(index).is_none_or(Option::is_some))
    }

    fn is_private_location(&self, location: Location) -> bool {
        match location {
            Location::Object(object, _) | Location::Element(object, _) => self.is_private(object),
            Location::Static(_) => self.base.is_none(),
        }
    }

    /// A thread has ended.
    pub(super) fn end(&mut self, thread: ThreadId) {
        if let Some(weak) = &mut self.weak {
            weak.end(thread);
        }
    }

    /// A reference gets where others can find it.
    pub(super) fn publish(&mut self, heap: &Heap, object: Ref) {
        let mut work = vec![object];
        while let Some(object) = work.pop() {
            if object.is_null() || self.base.is_none() || !self.is_private(object) {
                continue;
            }
            let index = object.0 as usize - self.base_len() - 1;
            self.owners[index] = None;
            work.extend(references(self.program, heap, object));
        }
    }

    fn kind(&self, heap: &Heap, location: Location) -> Kind {
        match location {
            Location::Static(field) => Kind::Field(field),
            Location::Object(object, index) | Location::Element(object, index) => match heap.object(object).ty {
                Type::Array(array) => Kind::Elements(array),
                Type::Class(class) => Kind::Field(self.program.layout(class).slots[index as usize].field),
                other => unreachable!("an object is of a class or array type, not {other:?}"),
            },
        }
    }

    fn has_flags(&self, kind: Kind, flags: Flags) -> bool {
        match kind {
            Kind::Field(field) => self.program.module.fields[field].flags.has(flags),
            Kind::Elements(_) => false,
        }
    }

    /// Whether all accesses of a location are volatile, as far as is known; this one is of the given ordering. Then its
    /// history is its last write: nobody reads an older one.
    fn is_strict(&mut self, kind: Kind, ordering: Ordering) -> bool {
        if self.weak.is_none() || !self.has_flags(kind, Flags::VOLATILE) || self.facts.relaxed.contains(&kind) {
            return false;
        }
        if ordering != Ordering::Volatile && self.base.is_some() {
            self.noticed.relaxed.insert(kind);
        }
        true
    }

    fn is_reference(&self, kind: Kind) -> bool {
        match kind {
            Kind::Field(field) => self.program.module.fields[field].ty.is_ref(),
            Kind::Elements(array) => self.program.module.array_element(array).is_ref(),
        }
    }

    /// A shared location is written.
    fn notice(&mut self, heap: &Heap, thread: ThreadId, location: Location, value: Slot) {
        self.allocated(heap, thread);
        if self.is_private_location(location) {
            return;
        }
        self.touched = true;
        let kind = self.kind(heap, location);
        // A static final field is written by its class's initialiser, before anyone else gets there.
        if !self.has_flags(kind, Flags::STATIC.with(Flags::FINAL)) && !self.facts.changing.contains(&kind) {
            self.noticed.changing.insert(kind);
        }
        if self.is_reference(kind) {
            self.publish(heap, Ref::from_slot(value));
        }
        let in_base = match location {
            Location::Object(object, _) | Location::Element(object, _) => object.0 as usize <= self.base_len(),
            Location::Static(_) => true,
        };
        if in_base {
            self.written.insert(location);
        }
    }
}

/// What an object's fields or elements refer to.
fn references(program: &Prepared<'_>, heap: &Heap, object: Ref) -> Vec<Ref> {
    let slots = heap.slots(object);
    match heap.object(object).ty {
        Type::Class(class) => {
            let places = &program.layout(class).slots;
            let fields = places.iter().zip(slots).filter(|(place, _)| place.ty.is_ref());
            fields.map(|(_, &slot)| Ref::from_slot(slot)).collect()
        }
        Type::Array(array) if program.module.array_element(array).is_ref() => {
            slots.iter().map(|&slot| Ref::from_slot(slot)).collect()
        }
        _ => Vec::new(),
    }
}

impl Memory for ExploredMemory<'_, '_> {
    fn read(&mut self, heap: &Heap, thread: ThreadId, location: Location, ordering: Ordering) -> Slot {
        let newest = heap.get(location);
        let kind = self.kind(heap, location);
        self.touched |= !self.is_private_location(location) && self.facts.changing.contains(&kind);
        let is_final = self.has_flags(kind, Flags::FINAL);
        self.is_strict(kind, ordering);
        match &mut self.weak {
            None => newest,
            Some(weak) if is_final => {
                weak.acquire(thread, Sync::Final(location));
                newest
            }
            Some(weak) => weak.read(thread, location, ordering, newest, &mut |count| self.script.choose(count)),
        }
    }

    fn write(&mut self, heap: &mut Heap, thread: ThreadId, location: Location, ordering: Ordering, value: Slot) {
        self.notice(heap, thread, location, value);
        let newest = heap.get(location);
        let kind = self.kind(heap, location);
        let (is_final, is_strict) = (self.has_flags(kind, Flags::FINAL), self.is_strict(kind, ordering));
        let newest = match &mut self.weak {
            None => value,
            Some(weak) if is_final => {
                weak.release(thread, Sync::Final(location));
                value
            }
            Some(weak) => weak.write(thread, location, ordering, newest, value, &mut |count| self.script.choose(count)),
        };
        if let Some(weak) = self.weak.as_mut().filter(|_| is_strict) {
            weak.forget_old(location);
        }
        heap.set(location, newest);
    }

    fn update(
        &mut self,
        heap: &mut Heap,
        thread: ThreadId,
        location: Location,
        ordering: Ordering,
        change: &mut dyn FnMut(Slot) -> Option<Slot>,
    ) -> Slot {
        let newest = heap.get(location);
        let kind = self.kind(heap, location);
        self.touched |= !self.is_private_location(location) && self.facts.changing.contains(&kind);
        // What it may write is published before, since the write hands on what its thread knows.
        let read: Vec<Slot> = match &self.weak {
            Some(weak) => weak.values(location).collect(),
            None => Vec::new(),
        };
        for old in read.into_iter().chain([newest]) {
            if let Some(value) = change(old) {
                self.notice(heap, thread, location, value);
            }
        }
        let (old, newest) = match &mut self.weak {
            None => (newest, change(newest).unwrap_or(newest)),
            Some(weak) => {
                weak.update(thread, location, ordering, newest, change, &mut |count| self.script.choose(count))
            }
        };
        let is_strict = self.is_strict(kind, ordering);
        if let Some(weak) = self.weak.as_mut().filter(|_| is_strict) {
            weak.forget_old(location);
        }
        heap.set(location, newest);
        old
    }

    fn synchronise(&mut self, thread: ThreadId, event: Synchronisation) {
        let Some(weak) = &mut self.weak else { return };
        match event {
            Synchronisation::Enter(object) => weak.acquire(thread, Sync::Monitor(object)),
            Synchronisation::Exit(object) => weak.release(thread, Sync::Monitor(object)),
            Synchronisation::Start(child) => weak.start(thread, child),
            Synchronisation::Join(other) => weak.acquire(thread, Sync::End(other)),
            Synchronisation::Initialised(class) => weak.release(thread, Sync::Class(class)),
            Synchronisation::SawInitialised(class) => weak.acquire(thread, Sync::Class(class)),
            Synchronisation::Interrupts(other) => weak.release(thread, Sync::Interrupt(other)),
            Synchronisation::Interrupted(other) => weak.acquire(thread, Sync::Interrupt(other)),
        }
    }
}
