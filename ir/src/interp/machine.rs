//! The machine: all that a running program is, as a value.
//!
//! A [`Machine`] can be copied, so that whoever explores schedules goes back to an earlier state by keeping a copy.
//! [`Machine::step`] runs one instruction of one thread; which thread is the caller's choice among those that are
//! [`Machine::is_enabled`]. Nothing here depends on time, addresses or hash order: the same choices give the same run.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::exec::Exec;
use super::heap::{Heap, Location};
use super::memory::Memory;
use super::prepare::Prepared;
use super::slot::{Ref, Slot, from_i32};
use super::thread::{CallFrame, Frame, InitFrame, InitStage, State, Thread, ThreadId};
use super::{Config, EntryError};
use crate::entity::{Class, Entity, Func, Literal};
use crate::function::Constant;
use crate::types::Type;

/// A running program.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The shared memory.
    pub heap: Heap,
    /// All threads that were started, by their [`ThreadId`].
    pub threads: Vec<Thread>,
    /// What the program wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its error output.
    pub stderr: String,
    /// Nanoseconds since the start, on a clock that moves only when it is read or when all threads wait.
    pub clock: u64,
    /// How the entry method ended, once it has.
    pub main: Option<MainEnd>,
    /// Why the whole program ended before its threads did.
    pub halted: Option<Halt>,
    /// How many instructions ran; copying an array counts for its length.
    pub steps: u64,
    pub(super) result_type: Type,
    /// The entry method's call, until its class is initialised.
    pub(super) pending: Option<Pending>,
    pub(super) classes: Vec<ClassState>,
    pub(super) monitors: BTreeMap<Ref, Monitor>,
    pub(super) literals: FxHashMap<Literal, Ref>,
    pub(super) interned: FxHashMap<Arc<[u16]>, Ref>,
    pub(super) class_objects: FxHashMap<Type, Ref>,
    /// The identity hash codes that were asked for, by number.
    pub(super) hashes: FxHashMap<Ref, u32>,
    pub(super) max_frames: usize,
    pub(super) max_values: usize,
}

/// How the entry method ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MainEnd {
    /// It returned, perhaps with a value.
    Returned(Option<Slot>),
    /// This exception left it.
    Uncaught(Ref),
}

/// Why a program ended at once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Halt {
    /// It asked to.
    Exit(i32),
    /// It did what has no meaning.
    Fault(String),
}

/// A call that waits for the initialisation of its class.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) func: Func,
    pub(super) args: Arc<[Slot]>,
}

/// How far the initialisation of a class is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClassState {
    /// It has not begun.
    Untouched,
    /// This thread is at it.
    InProgress(ThreadId),
    /// It is done.
    Initialised,
    /// It failed; every use throws `NoClassDefFoundError`.
    Erroneous,
}

/// The lock of an object, and who waits in it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Monitor {
    /// Who is in it.
    pub owner: Option<ThreadId>,
    /// How many times its owner has entered it.
    pub entries: u32,
    /// Who is in `Object.wait`, in the order of arrival.
    pub waiters: Vec<ThreadId>,
}

/// What a call found no room in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Full {
    Stack,
    Heap,
}

/// Whether others can have noticed a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It concerned the thread alone.
    Local,
    /// It accessed shared memory, a monitor, a class's initialisation, or ran a native.
    Shared,
}

impl Machine {
    /// A program about to run `entry` in the main thread.
    ///
    /// # Errors
    /// If `entry` is no static method without parameters or with `String[]`, or the arguments do not fit the heap.
    pub fn new(program: &Prepared<'_>, entry: Func, config: &Config) -> Result<Self, EntryError> {
        let module = program.module;
        let data = &module.funcs[entry];
        if !data.is_static() || data.body.is_none() {
            return Err(EntryError::NotRunnable(super::describe_func(module, entry)));
        }
        let mut machine = Self {
            heap: Heap::new(config.max_slots, program.statics.clone()),
            threads: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
            clock: 0,
            main: None,
            halted: None,
            steps: 0,
            pending: None,
            result_type: module.sig(data.sig).ret.map_or(Type::Null, Type::value_type),
            classes: vec![ClassState::Untouched; module.classes.len()],
            monitors: BTreeMap::new(),
            literals: FxHashMap::default(),
            interned: FxHashMap::default(),
            class_objects: FxHashMap::default(),
            hashes: FxHashMap::default(),
            max_frames: config.max_frames.max(1),
            max_values: config.max_values,
        };
        let full = || EntryError::NoRoom;
        for &(field, constant) in &program.static_objects {
            let object = machine.constant(program, constant).ok_or_else(full)?;
            machine.heap.set(Location::Static(field), object.slot());
        }
        let thread = module.find_class("java.lang.Thread");
        let object = thread.and_then(|class| machine.allocate(program, class)).ok_or_else(full)?;
        if let Some(started) = thread.and_then(|class| program.library_field(class, "started")) {
            machine.heap.set(Location::Object(object, started.slot), 1);
        }
        let mut args = Vec::new();
        match *module.sig(data.sig).params {
            [] => {}
            [Type::Array(strings)] if module.array_element(strings) == Type::Class(program.known.string) => {
                let ty = Type::Array(strings);
                let array = machine.heap.allocate(ty, config.args.len(), None).ok_or_else(full)?;
                for (index, arg) in config.args.iter().enumerate() {
                    let units: Vec<u16> = arg.encode_utf16().collect();
                    let text = machine.string(program, &units).ok_or_else(full)?;
                    machine.heap.set(Location::Element(array, index as u32), text.slot());
                }
                args.push(array.slot());
            }
            _ => return Err(EntryError::NotRunnable(super::describe_func(module, entry))),
        }
        if program.is_trivially_initialised(data.class) {
            machine.spawn(program, object, entry, &args).ok_or_else(full)?;
        } else {
            // No handler of the entry method sees its own class fail, so it has no frame until that is initialised.
            let mut thread = Thread::new(object);
            thread.frames.push(Frame::Init(InitFrame { class: data.class, stage: InitStage::Look }));
            machine.threads.push(thread);
            machine.pending = Some(Pending { func: entry, args: args.into() });
        }
        Ok(machine)
    }

    /// Starts a thread that will run `func`; none if the heap is full.
    pub(super) fn spawn(&mut self, program: &Prepared<'_>, object: Ref, func: Func, args: &[Slot]) -> Option<ThreadId> {
        let id = ThreadId(self.threads.len() as u32);
        self.threads.push(Thread::new(object));
        if self.push_call(program, id, func, args, Ref::NULL).is_err() {
            self.threads.pop();
            return None;
        }
        Some(id)
    }

    /// Runs one instruction of `thread`, which must be enabled.
    ///
    /// # Panics
    /// If the thread is not enabled.
    pub fn step<M: Memory>(&mut self, program: &Prepared<'_>, memory: &mut M, thread: ThreadId) -> Step {
        self.steps += 1;
        Exec { program, machine: self, memory, thread, shared: false }.step()
    }

    /// Whether a thread can take a step now.
    pub fn is_enabled(&self, thread: ThreadId) -> bool {
        let data = &self.threads[thread.index()];
        let expired = data.state.deadline().is_some_and(|deadline| deadline <= self.clock);
        match data.state {
            State::Running => true,
            State::Entering(monitor) | State::Returning { monitor, .. } => self.owner(monitor).is_none(),
            State::Initialising(class) => match self.classes[class.index()] {
                ClassState::InProgress(by) => by == thread,
                ClassState::Untouched | ClassState::Initialised | ClassState::Erroneous => true,
            },
            State::Waiting { .. } | State::Sleeping { .. } => data.interrupted || expired,
            State::Parked { .. } => data.permit || data.interrupted || expired,
            State::Joining { thread: other, .. } => {
                self.threads[other.index()].state == State::Ended || data.interrupted || expired
            }
            State::Ended => false,
        }
    }

    /// The threads that can take a step now.
    pub fn enabled(&self) -> impl Iterator<Item = ThreadId> + '_ {
        (0..self.threads.len() as u32).map(ThreadId).filter(|&thread| self.is_enabled(thread))
    }

    /// Whether a thread has ended.
    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].state == State::Ended
    }

    /// Whether all threads have ended.
    pub fn is_over(&self) -> bool {
        self.threads.iter().all(|thread| thread.state == State::Ended)
    }

    /// Moves the clock to the next moment at which a waiting thread gives up; false if none ever does.
    pub fn advance_clock(&mut self) -> bool {
        let next = self.threads.iter().filter_map(|thread| thread.state.deadline()).filter(|&at| at > self.clock).min();
        if let Some(next) = next {
            self.clock = next;
        }
        next.is_some()
    }

    /// Who is in the monitor of an object.
    pub fn owner(&self, object: Ref) -> Option<ThreadId> {
        self.monitors.get(&object)?.owner
    }

    /// The state of a class.
    pub fn class_state(&self, class: Class) -> ClassState {
        self.classes[class.index()]
    }

    /// Makes room for a call of a method with code, and fills in its arguments.
    pub(super) fn push_call(
        &mut self,
        program: &Prepared<'_>,
        thread: ThreadId,
        func: Func,
        args: &[Slot],
        monitor: Ref,
    ) -> Result<(), Full> {
        let template = program.template(func);
        let data = &self.threads[thread.index()];
        let base = data.values.len();
        let first = data.frames.is_empty();
        if !first && (data.frames.len() >= self.max_frames || base + template.values.len() > self.max_values) {
            return Err(Full::Stack);
        }
        self.threads[thread.index()].values.extend_from_slice(&template.values);
        for &(index, constant) in &template.objects {
            let Some(object) = self.constant(program, constant) else {
                self.threads[thread.index()].values.truncate(base);
                return Err(Full::Heap);
            };
            self.threads[thread.index()].values[base + index] = object.slot();
        }
        let body = program.body(func);
        let data = &mut self.threads[thread.index()];
        let entry = body.entry();
        for (&param, &arg) in body.blocks[entry].params.iter().zip(args) {
            data.values[base + param.index()] = arg;
        }
        data.frames.push(Frame::Call(CallFrame { func, block: entry, index: 0, base: base as u32, monitor }));
        Ok(())
    }

    /// A zeroed instance; none if the heap is full.
    pub(super) fn allocate(&mut self, program: &Prepared<'_>, class: Class) -> Option<Ref> {
        self.heap.allocate(Type::Class(class), program.layout(class).slots.len(), None)
    }

    /// The object of a constant; none if it is no object, or the heap is full.
    pub(super) fn constant(&mut self, program: &Prepared<'_>, constant: Constant) -> Option<Ref> {
        match constant {
            Constant::String(literal) => {
                if let Some(&object) = self.literals.get(&literal) {
                    return Some(object);
                }
                let object = self.intern(program, program.module.literal(literal))?;
                self.literals.insert(literal, object);
                Some(object)
            }
            Constant::Class(ty) => self.class_object(program, ty),
            Constant::I32(_) | Constant::I64(_) | Constant::F32(_) | Constant::F64(_) | Constant::Null => None,
        }
    }

    /// The one `String` of these characters.
    pub(super) fn intern(&mut self, program: &Prepared<'_>, units: &[u16]) -> Option<Ref> {
        if let Some(&object) = self.interned.get(units) {
            return Some(object);
        }
        let object = self.string(program, units)?;
        self.interned.insert(units.into(), object);
        Some(object)
    }

    /// A new `String`, as if its characters had always been there.
    pub(super) fn string(&mut self, program: &Prepared<'_>, units: &[u16]) -> Option<Ref> {
        let array = self.heap.allocate(program.known.chars, units.len(), None)?;
        for (slot, &unit) in self.heap.slots_mut(array).iter_mut().zip(units) {
            *slot = from_i32(i32::from(unit));
        }
        let object = self.allocate(program, program.known.string)?;
        self.heap.set(Location::Object(object, program.known.string_value), array.slot());
        Some(object)
    }

    /// The characters of a `String`; none for null.
    pub fn text(&self, program: &Prepared<'_>, string: Ref) -> Option<Vec<u16>> {
        if string.is_null() || self.heap.object(string).ty != Type::Class(program.known.string) {
            return None;
        }
        let array = Ref::from_slot(self.heap.slots(string)[program.known.string_value as usize]);
        Some(if array.is_null() {
            Vec::new()
        } else {
            self.heap.slots(array).iter().map(|&unit| unit as u16).collect()
        })
    }

    /// The `Class` object of a type.
    pub(super) fn class_object(&mut self, program: &Prepared<'_>, ty: Type) -> Option<Ref> {
        if let Some(&object) = self.class_objects.get(&ty) {
            return Some(object);
        }
        let class = program.known.class;
        let object = self.heap.allocate(Type::Class(class), program.layout(class).slots.len(), Some(ty))?;
        self.class_objects.insert(ty, object);
        Some(object)
    }
}
