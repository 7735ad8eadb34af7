//! Exceptions: those that instructions throw, the way to a handler, and stack traces.

use super::exec::{Exec, Raise};
use super::heap::Location;
use super::machine::MainEnd;
use super::memory::Memory;
use super::slot::{Ref, Slot};
use super::thread::{CallFrame, Frame, InitStage, State, ThreadId};
use crate::entity::{Class, Entity, Func};
use crate::types::Type;

/// A trace keeps so many frames, as Java's does.
const MAX_TRACE: usize = 1024;

impl<M: Memory> Exec<'_, '_, M> {
    /// A new exception of a class of the library.
    pub(super) fn throw(&mut self, class: &str, message: Option<&str>) -> Raise {
        match self.program.module.find_class(class) {
            Some(class) => self.throw_class(class, message),
            None => Raise::Fault(format!("the class library lacks {class}")),
        }
    }

    /// A new exception, made without running its constructor. It may go beyond the heap's bound: a full heap must not
    /// hide what went wrong, and each costs at least one step.
    pub(super) fn throw_class(&mut self, class: Class, message: Option<&str>) -> Raise {
        Raise::Throw(self.make_exception(class, message))
    }

    pub(super) fn make_exception(&mut self, class: Class, message: Option<&str>) -> Ref {
        let slots = self.program.layout(class).slots.len();
        let object = self.machine.heap.allocate_beyond(Type::Class(class), slots, None);
        let frames = self.capture_stack(object);
        self.set_throwable_field(object, "stackTrace", frames.slot());
        if let Some(message) = message {
            let units: Vec<u16> = message.encode_utf16().collect();
            // Without room for the message the exception goes without.
            let text = self.machine.string(self.program, &units).unwrap_or(Ref::NULL);
            self.set_throwable_field(object, "message", text.slot());
        }
        object
    }

    /// Sets a field of `Throwable` before anyone else can see the object.
    pub(super) fn set_throwable_field(&mut self, object: Ref, field: &str, value: Slot) {
        if let Some(field) = self.program.library_field(self.program.known.throwable, field) {
            self.machine.heap.set(Location::Object(object, field.slot), value);
        }
    }

    pub(super) fn null_pointer(&mut self) -> Raise {
        self.throw("java.lang.NullPointerException", None)
    }

    pub(super) fn out_of_memory(&mut self) -> Raise {
        self.throw("java.lang.OutOfMemoryError", None)
    }

    /// A class that is known by name only was needed.
    pub(super) fn no_class(&mut self, class: Class) -> Raise {
        let name = self.program.module.class_name(class).replace('.', "/");
        self.throw("java.lang.NoClassDefFoundError", Some(&name))
    }

    /// The calling thread's frames as an array of numbers, without the constructors that run on `exception`; null if
    /// there is no room.
    pub(super) fn capture_stack(&mut self, exception: Ref) -> Ref {
        let thread = &self.machine.threads[self.thread.index()];
        let module = self.program.module;
        let own = |call: &&CallFrame| {
            let data = &module.funcs[call.func];
            let body = self.program.body(call.func);
            let this = body.blocks[body.entry()].params.first().filter(|_| !data.is_static());
            let name = module.name(data.name);
            matches!(name, "<init>" | "fillInStackTrace")
                && this.is_some_and(|this| thread.values[call.base as usize + this.index()] == exception.slot())
        };
        // As in Java, `Thread.run` is the outermost frame of a started thread.
        let outermost = self.program.library_method("java.lang.Thread", "runToEnd");
        let calls = thread.frames.iter().rev().filter_map(|frame| match frame {
            Frame::Call(call) => Some(call).filter(|call| Some(call.func) != outermost),
            Frame::Init(_) => None,
        });
        let numbers: Vec<Slot> =
            calls.skip_while(own).take(MAX_TRACE).map(|call| frame_number(call.func, self.line(call))).collect();
        let Some(ty) = self.program.known.trace else { return Ref::NULL };
        let array = self.machine.heap.allocate_beyond(ty, numbers.len(), None);
        self.machine.heap.slots_mut(array).copy_from_slice(&numbers);
        array
    }

    /// The line at which a method stands.
    fn line(&self, call: &CallFrame) -> u32 {
        let body = self.program.body(call.func);
        let inst = body.blocks[call.block].insts.get(call.index as usize);
        inst.map_or(0, |&inst| body.insts[inst].origin.line)
    }

    /// Takes an exception to its handler, or ends the thread.
    pub(super) fn unwind(&mut self, exception: Ref) {
        let mut exception = exception;
        loop {
            match self.machine.threads[self.thread.index()].frames.last().copied() {
                None => {
                    let first = self.thread == ThreadId::MAIN && self.machine.main.is_none();
                    self.end_thread(MainEnd::Uncaught(exception));
                    if first {
                        self.report_uncaught(exception);
                    }
                    return;
                }
                Some(Frame::Call(call)) => {
                    if self.handle(&call, exception) {
                        return;
                    }
                    self.pop_call();
                    if !call.monitor.is_null()
                        && let Err(Raise::Throw(other)) = self.exit(call.monitor)
                    {
                        // The method had left the monitor by itself.
                        exception = other;
                    }
                }
                Some(Frame::Init(init)) => {
                    self.machine.threads[self.thread.index()].frames.pop();
                    if init.stage != InitStage::Look {
                        exception = self.fail_initialisation(init, exception);
                    }
                }
            }
        }
    }

    /// Enters the first fitting handler of the block that a method stands in.
    fn handle(&mut self, call: &CallFrame, exception: Ref) -> bool {
        let body = self.program.body(call.func);
        let fits = |class: Option<Class>| class.is_none_or(|class| self.is_instance(exception, Type::Class(class)));
        let Some(catch) = body.blocks[call.block].catches.iter().find(|catch| fits(catch.class)) else {
            return false;
        };
        self.go_to(body, &catch.target, Some(exception));
        true
    }

    /// Lets the library print what left the main thread. Its own failure is nobody's.
    fn report_uncaught(&mut self, exception: Ref) {
        let Some(report) = self.program.library_method("java.lang.Thread", "reportUncaught") else { return };
        let object = self.machine.threads[self.thread.index()].object;
        let args = [object.slot(), exception.slot()];
        if self.machine.push_call(self.program, self.thread, report, &args, Ref::NULL).is_ok() {
            self.set_state(State::Running);
        }
    }
}

/// A frame of a trace as one number: the method above, the line below.
pub(super) fn frame_number(func: Func, line: u32) -> Slot {
    (func.index() as u64) << 32 | u64::from(line)
}

/// What [`frame_number`] packed.
pub(super) fn frame_parts(number: Slot) -> (Func, u32) {
    (Func::new((number >> 32) as usize), number as u32)
}
