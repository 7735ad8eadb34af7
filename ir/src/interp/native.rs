//! The natives of the class library; [`crate::natives`] says what each one means.

use super::exception::frame_parts;
use super::exec::{Exec, Next, Outcome};
use super::heap::Location;
use super::machine::Halt;
use super::memory::{Memory, Synchronisation};
use super::peek::is_shared;
use super::slot::{Ref, Slot, from_bool, from_f64, from_i32, from_i64, narrow, to_f32, to_f64, to_i32, to_i64};
use super::thread::{Frame, State, ThreadId};
use super::{MAX_OUTPUT, MAX_THREADS, describe_frame, floats};
use crate::entity::Class;
use crate::hierarchy::{Answer, NESTS_SINCE};
use crate::module::Flags;
use crate::natives::Native;
use crate::types::{Ordering, Type};

/// What one look at the clock takes, in nanoseconds: a loop that waits for a time comes to an end, and how much else a
/// program does between two looks changes nothing.
const CLOCK_STEP: u64 = 100;
/// The wall clock at the start of every run, in milliseconds since 1970.
const START_MILLIS: u64 = 1_600_000_000_000;

impl<M: Memory> Exec<'_, '_, M> {
    /// Runs a native. It completes the call, or leaves the thread waiting for [`Exec::resume`] to do so.
    pub(super) fn native(&mut self, native: Native, args: &[Slot]) -> Outcome<Next> {
        self.shared |= is_shared(native);
        let arg = |index: usize| args.get(index).copied().unwrap_or(0);
        let this = Ref::from_slot(arg(0));
        let value = match native {
            Native::GetClass => Some(self.class_object(self.machine.heap.object(this).ty)?.slot()),
            Native::Clone => Some(self.clone_object(this)?.slot()),
            Native::Wait => {
                self.wait(this, to_i64(arg(1)))?;
                return Ok(Next::Stay);
            }
            Native::Notify => {
                self.notify(this, 1)?;
                None
            }
            Native::NotifyAll => {
                self.notify(this, usize::MAX)?;
                None
            }
            Native::ClassName => {
                let name = class_name(self.program.module, self.represented(this));
                Some(self.new_string(&name)?.slot())
            }
            Native::IsInstance => Some(from_bool(self.is_instance(Ref::from_slot(arg(1)), self.represented(this)))),
            Native::IsAssignableFrom => {
                let other = self.not_null(arg(1))?;
                let (to, from) = (self.represented(this), self.represented(other));
                Some(from_bool(to == from || self.program.instance_of(from, to) == Answer::Yes))
            }
            Native::Superclass => {
                let superclass = match self.represented(this) {
                    Type::Class(class) => self.superclass(class),
                    Type::Array(_) => Some(self.program.known.object),
                    _ => None,
                };
                Some(match superclass {
                    Some(class) => self.class_object(Type::Class(class))?.slot(),
                    None => 0,
                })
            }
            Native::Modifiers => Some(from_i32(i32::from(self.modifiers(self.represented(this)).0))),
            Native::NestHost => {
                let host = match self.represented(this) {
                    Type::Class(class) => Type::Class(self.nest_host(class)),
                    other => other,
                };
                Some(self.class_object(host)?.slot())
            }
            Native::FindField => {
                Some(from_bool(self.find_field(this, Ref::from_slot(arg(1)), Ref::from_slot(arg(2)))?))
            }
            Native::CallerClass => {
                let class = self.caller_class();
                Some(match class {
                    Some(class) => self.class_object(Type::Class(class))?.slot(),
                    None => 0,
                })
            }
            Native::Intern => {
                let units = self.machine.text(self.program, this).unwrap_or_default();
                // The string itself becomes the one if there was none.
                Some(self.machine.interned.entry(units.into()).or_insert(this).slot())
            }
            Native::IdentityHashCode => Some(from_i32(self.identity_hash(this))),
            Native::ArrayCopy => {
                let number = |index| to_i32(arg(index));
                self.array_copy(this, number(1), Ref::from_slot(arg(2)), number(3), number(4))?;
                None
            }
            Native::NanoTime => {
                self.machine.clock += CLOCK_STEP;
                Some(self.machine.clock)
            }
            Native::CurrentTimeMillis => {
                self.machine.clock += CLOCK_STEP;
                Some(START_MILLIS + self.machine.clock / 1_000_000)
            }
            Native::Exit => {
                self.machine.halted = Some(Halt::Exit(to_i32(arg(0))));
                None
            }
            Native::Write => {
                self.write_console(to_i32(arg(0)), Ref::from_slot(arg(1)));
                None
            }
            Native::FloatToString => Some(self.new_string(&floats::f32_to_string(to_f32(arg(0))))?.slot()),
            Native::DoubleToString => Some(self.new_string(&floats::f64_to_string(to_f64(arg(0))))?.slot()),
            // Slots hold bits.
            Native::FloatToBits | Native::FloatFromBits | Native::DoubleToBits | Native::DoubleFromBits => Some(arg(0)),
            Native::Sqrt => Some(from_f64(to_f64(arg(0)).sqrt())),
            Native::CaptureStack => Some(self.capture_stack(this).slot()),
            Native::DescribeFrame => {
                let (func, line) = frame_parts(arg(0));
                let known = self.program.module.funcs.get(func).is_some();
                let text = if known { describe_frame(self.program.module, func, line) } else { String::new() };
                Some(self.new_string(&text)?.slot())
            }
            Native::CurrentThread => Some(self.machine.threads[self.thread.index()].object.slot()),
            Native::StartThread => {
                self.start_thread(this)?;
                None
            }
            Native::IsAlive => {
                let thread = self.thread_of(this);
                let ended = thread.filter(|&thread| self.machine.has_ended(thread));
                if let Some(thread) = ended {
                    self.synchronise(Synchronisation::Join(thread));
                }
                Some(from_bool(thread.is_some() && ended.is_none()))
            }
            Native::JoinThread => return self.join(this, to_i64(arg(1))),
            Native::Interrupt => {
                if let Some(thread) = self.thread_of(this) {
                    self.machine.threads[thread.index()].interrupted = true;
                    self.synchronise(Synchronisation::Interrupts(thread));
                }
                None
            }
            Native::TestInterrupt => Some(from_bool(self.test_interrupt(this, to_i32(arg(1)) != 0))),
            Native::YieldThread => None,
            Native::Sleep => {
                self.check_interrupt()?;
                match self.deadline(to_i64(arg(0))) {
                    None => None,
                    Some(deadline) => {
                        self.set_state(State::Sleeping { deadline });
                        return Ok(Next::Stay);
                    }
                }
            }
            Native::Park => {
                let thread = &mut self.machine.threads[self.thread.index()];
                if std::mem::take(&mut thread.permit) || thread.interrupted {
                    None
                } else {
                    let deadline = self.deadline(to_i64(arg(0)));
                    self.set_state(State::Parked { deadline });
                    return Ok(Next::Stay);
                }
            }
            Native::Unpark => {
                if let Some(thread) = self.thread_of(this) {
                    self.machine.threads[thread.index()].permit = true;
                }
                None
            }
        };
        self.complete(value);
        Ok(Next::Stay)
    }

    fn class_object(&mut self, ty: Type) -> Outcome<Ref> {
        self.machine.class_object(self.program, ty).ok_or(()).map_err(|()| self.out_of_memory())
    }

    fn new_string(&mut self, text: &str) -> Outcome<Ref> {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.machine.string(self.program, &units).ok_or(()).map_err(|()| self.out_of_memory())
    }

    /// The type that a `Class` object stands for.
    fn represented(&self, class: Ref) -> Type {
        // Only the engine makes instances of Class, each for a type.
        self.machine.heap.object(class).represents.unwrap_or(Type::Class(self.program.known.class))
    }

    fn superclass(&self, class: Class) -> Option<Class> {
        let data = &self.program.module.classes[class];
        data.superclass.filter(|_| !data.flags.has(Flags::INTERFACE))
    }

    fn modifiers(&self, ty: Type) -> Flags {
        let module = self.program.module;
        let closed = Flags::FINAL.with(Flags::ABSTRACT);
        let mut innermost = ty;
        while let Type::Array(array) = innermost {
            innermost = module.array_element(array);
        }
        let flags = match innermost {
            Type::Class(class) => module.classes[class].flags,
            _ => Flags::PUBLIC.with(closed),
        };
        let access = Flags::PUBLIC.0 | Flags::PRIVATE.0 | Flags::PROTECTED.0;
        if innermost == ty { flags } else { Flags(flags.0 & access).with(closed) }
    }

    fn nest_host(&self, class: Class) -> Class {
        let data = &self.program.module.classes[class];
        data.nest_host.filter(|_| data.version >= NESTS_SINCE).unwrap_or(class)
    }

    fn find_field(&mut self, class: Ref, name: Ref, found: Ref) -> Outcome<bool> {
        let program = self.program;
        let module = program.module;
        let Type::Class(class) = self.represented(class) else { return Ok(false) };
        let name = String::from_utf16(&self.machine.text(program, name).unwrap_or_default());
        let symbol = name.ok().and_then(|name| module.find_symbol(&name));
        let Some(field) = symbol.and_then(|symbol| module.declared_field(class, symbol)) else {
            return Ok(false);
        };
        let usage = program.field_use(field);
        let flags = module.fields[field].flags;
        let ty = self.class_object(usage.ty)?.slot();
        let offset = match flags.has(Flags::STATIC) {
            true => 0,
            false => i64::from(program.layout(class).slots[usage.slot as usize].offset),
        };
        let Type::Class(reflected) = self.machine.heap.object(found).ty else { return Ok(false) };
        for (name, value) in [("type", ty), ("modifiers", from_i32(i32::from(flags.0))), ("offset", from_i64(offset))] {
            if let Some(place) = program.library_field(reflected, name) {
                self.write(Location::Object(found, place.slot), place.ordering, value);
            }
        }
        Ok(true)
    }

    /// The class of the method that called the caller of the native.
    fn caller_class(&self) -> Option<Class> {
        let frames = self.machine.threads[self.thread.index()].frames.iter().rev();
        let mut calls = frames.filter_map(|frame| match frame {
            Frame::Call(call) => Some(call.func),
            Frame::Init(_) => None,
        });
        Some(self.program.module.funcs[calls.nth(1)?].class)
    }

    fn clone_object(&mut self, object: Ref) -> Outcome<Ref> {
        let ty = self.machine.heap.object(object).ty;
        if !matches!(ty, Type::Array(_)) && !self.is_instance(object, Type::Class(self.program.known.cloneable)) {
            let name = class_name(self.program.module, ty);
            return Err(self.throw("java.lang.CloneNotSupportedException", Some(&name)));
        }
        let len = self.machine.heap.slot_count(object);
        let Some(copy) = self.machine.heap.allocate(ty, len as usize, None) else {
            return Err(self.out_of_memory());
        };
        self.machine.steps += u64::from(len);
        let is_array = matches!(ty, Type::Array(_));
        let place = |object, index| match is_array {
            true => Location::Element(object, index),
            false => Location::Object(object, index),
        };
        for index in 0..len {
            let value = self.read(place(object, index), Ordering::Plain);
            self.write(place(copy, index), Ordering::Plain, value);
        }
        Ok(copy)
    }

    /// Numbers objects in the order in which they are asked, so that what a program prints does not depend on how many
    /// others it made.
    fn identity_hash(&mut self, object: Ref) -> i32 {
        if object.is_null() {
            return 0;
        }
        let next = self.machine.hashes.len() as u32 + 1;
        let number = *self.machine.hashes.entry(object).or_insert(next);
        // Spread over the 31 bits that Java uses; odd, so different numbers stay different.
        (number.wrapping_mul(0x2545_f491) & 0x7fff_ffff) as i32
    }

    fn array_copy(&mut self, from: Ref, from_start: i32, to: Ref, to_start: i32, length: i32) -> Outcome<()> {
        self.not_null(from.slot())?;
        self.not_null(to.slot())?;
        let (Some(from_type), Some(to_type)) = (self.element_type(from), self.element_type(to)) else {
            return Err(self.throw("java.lang.ArrayStoreException", None));
        };
        if from_type != to_type && !(from_type.is_ref() && to_type.is_ref()) {
            return Err(self.throw("java.lang.ArrayStoreException", None));
        }
        let fits = |start: i32, count: u32| {
            start >= 0 && length >= 0 && i64::from(start) + i64::from(length) <= i64::from(count)
        };
        let (from_count, to_count) = (self.machine.heap.slot_count(from), self.machine.heap.slot_count(to));
        if !fits(from_start, from_count) || !fits(to_start, to_count) {
            return Err(self.throw("java.lang.ArrayIndexOutOfBoundsException", None));
        }
        self.machine.steps += length as u64;
        let backwards = from == to && from_start < to_start;
        for step in 0..length {
            let index = if backwards { length - 1 - step } else { step };
            let value = self.read(Location::Element(from, (from_start + index) as u32), Ordering::Plain);
            let stores = from_type == to_type || value == 0 || self.is_instance(Ref::from_slot(value), to_type);
            if !stores {
                return Err(self.throw("java.lang.ArrayStoreException", None));
            }
            self.write(Location::Element(to, (to_start + index) as u32), Ordering::Plain, narrow(to_type, value));
        }
        Ok(())
    }

    fn write_console(&mut self, descriptor: i32, text: Ref) {
        let units = self.machine.text(self.program, text).unwrap_or_default();
        let machine = &mut *self.machine;
        if machine.stdout.len() + machine.stderr.len() + units.len() > MAX_OUTPUT {
            machine.halted = Some(Halt::Fault(format!("the program wrote more than {MAX_OUTPUT} bytes")));
            return;
        }
        let chars = char::decode_utf16(units).map(|unit| unit.unwrap_or('?'));
        if descriptor == 2 { machine.stderr.extend(chars) } else { machine.stdout.extend(chars) }
    }

    /// The thread of a `Thread` object, if it was started.
    fn thread_of(&self, object: Ref) -> Option<ThreadId> {
        let index = self.machine.threads.iter().position(|thread| thread.object == object)?;
        Some(ThreadId(index as u32))
    }

    fn start_thread(&mut self, object: Ref) -> Outcome<()> {
        let run = self.program.library_method("java.lang.Thread", "runToEnd");
        let spawned = match run {
            Some(run) if self.machine.threads.len() < MAX_THREADS => {
                self.machine.spawn(self.program, object, run, &[object.slot()])
            }
            _ => None,
        };
        match spawned {
            Some(thread) => {
                self.synchronise(Synchronisation::Start(thread));
                Ok(())
            }
            None => Err(self.out_of_memory()),
        }
    }

    fn join(&mut self, object: Ref, nanos: i64) -> Outcome<Next> {
        match self.thread_of(object) {
            Some(thread) if self.machine.has_ended(thread) => {
                self.synchronise(Synchronisation::Join(thread));
                self.complete(None);
            }
            Some(thread) => {
                self.check_interrupt()?;
                let deadline = self.deadline(nanos);
                self.set_state(State::Joining { thread, deadline });
            }
            None => self.complete(None),
        }
        Ok(Next::Stay)
    }

    fn test_interrupt(&mut self, object: Ref, clear: bool) -> bool {
        let Some(thread) = self.thread_of(object) else { return false };
        let data = &mut self.machine.threads[thread.index()];
        let set = data.interrupted;
        if clear {
            data.interrupted = false;
        }
        if set {
            self.synchronise(Synchronisation::Interrupted(thread));
        }
        set
    }
}

/// The name of a type as `Class.getName` gives it.
pub(super) fn class_name(module: &crate::module::Module, ty: Type) -> String {
    let mut depth = 0;
    let mut innermost = ty;
    while let Type::Array(array) = innermost {
        innermost = module.array_element(array);
        depth += 1;
    }
    let (name, letter) = match innermost {
        Type::Bool => ("boolean", "Z"),
        Type::I8 => ("byte", "B"),
        Type::U16 => ("char", "C"),
        Type::I16 => ("short", "S"),
        Type::I32 => ("int", "I"),
        Type::I64 => ("long", "J"),
        Type::F32 => ("float", "F"),
        Type::F64 => ("double", "D"),
        Type::Class(class) if depth == 0 => return module.class_name(class).to_owned(),
        Type::Class(class) => return format!("{}L{};", "[".repeat(depth), module.class_name(class)),
        Type::Null | Type::Array(_) => ("null", ""),
    };
    if depth == 0 { name.to_owned() } else { format!("{}{letter}", "[".repeat(depth)) }
}
