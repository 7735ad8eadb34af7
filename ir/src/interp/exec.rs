//! One step of one thread.
//!
//! Every instruction either completes, or throws, or leaves the thread standing at it: because another frame has to
//! run first (a call, a class initialiser) or because the thread has to wait. In the last two cases nothing of it has
//! happened yet and it is tried again, except for calls, which are completed by the return.

use smallvec::SmallVec;

use super::arith;
use super::machine::{Halt, Machine, MainEnd, Step};
use super::memory::{Memory, Synchronisation};
use super::prepare::Prepared;
use super::slot::{Ref, Slot, from_bool, from_i32, from_i64, to_i32, to_i64};
use super::thread::{CallFrame, Frame, State, ThreadId};
use crate::entity::{Block, Class, Entity, Value};
use crate::function::Body;
use crate::hierarchy::Answer;
use crate::inst::{InstData, Op, Payload, Target};
use crate::types::Type;

/// A thread at a step.
pub(super) struct Exec<'a, 'm, M> {
    pub(super) program: &'a Prepared<'m>,
    pub(super) machine: &'a mut Machine,
    pub(super) memory: &'a mut M,
    pub(super) thread: ThreadId,
    /// Whether the step concerned what threads share.
    pub(super) shared: bool,
}

/// What else than completing an instruction can do.
pub(super) enum Raise {
    /// It threw this exception.
    Throw(Ref),
    /// It has no meaning.
    Fault(String),
}

pub(super) type Outcome<T> = Result<T, Raise>;

/// Where a thread stands after an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// At the following instruction.
    Advance,
    /// At another frame or block, or still at this instruction.
    Stay,
}

impl<'m, M: Memory> Exec<'_, 'm, M> {
    pub(super) fn step(mut self) -> Step {
        let outcome = match self.machine.threads[self.thread.index()].state {
            State::Running => self.innermost(),
            State::Entering(_) | State::Initialising(_) => {
                self.set_state(State::Running);
                self.innermost()
            }
            State::Waiting { .. }
            | State::Returning { .. }
            | State::Parked { .. }
            | State::Sleeping { .. }
            | State::Joining { .. } => self.resume(),
            State::Ended => panic!("an ended thread takes no step"),
        };
        match outcome {
            Ok(()) => {}
            Err(Raise::Throw(exception)) => self.unwind(exception),
            Err(Raise::Fault(what)) => self.machine.halted = Some(Halt::Fault(what)),
        }
        if self.shared { Step::Shared } else { Step::Local }
    }

    pub(super) fn set_state(&mut self, state: State) {
        self.machine.threads[self.thread.index()].state = state;
    }

    fn innermost(&mut self) -> Outcome<()> {
        match *self.machine.threads[self.thread.index()].frames.last().expect("a thread without frames has ended") {
            Frame::Call(frame) => self.instruction(frame),
            Frame::Init(frame) => self.initialise(frame),
        }
    }

    fn instruction(&mut self, frame: CallFrame) -> Outcome<()> {
        let body = self.program.body(frame.func);
        let inst = body.blocks[frame.block].insts[frame.index as usize];
        let data = &body.insts[inst];
        if self.execute(body, data, frame)? == Next::Advance {
            self.advance();
        }
        Ok(())
    }

    /// Moves the innermost method to its next instruction.
    pub(super) fn advance(&mut self) {
        if let Some(Frame::Call(frame)) = self.machine.threads[self.thread.index()].frames.last_mut() {
            frame.index += 1;
        }
    }

    /// Completes the call that the innermost method stands at.
    pub(super) fn complete(&mut self, value: Option<Slot>) {
        let thread = &mut self.machine.threads[self.thread.index()];
        let Some(Frame::Call(frame)) = thread.frames.last_mut() else { return };
        let body = self.program.body(frame.func);
        let inst = body.blocks[frame.block].insts[frame.index as usize];
        if let (Some(result), Some(value)) = (body.insts[inst].result, value) {
            thread.values[frame.base as usize + result.index()] = value;
        }
        frame.index += 1;
    }

    fn execute(&mut self, body: &'m Body, data: &'m InstData, frame: CallFrame) -> Outcome<Next> {
        let values = &self.machine.threads[self.thread.index()].values[frame.base as usize..];
        let mut args = [0; 4];
        for (arg, &value) in args.iter_mut().zip(&data.args) {
            *arg = values[value.index()];
        }
        let [a, b, c, d] = args;
        let arg_type = |index: usize| body.values[data.args[index]].ty;
        let result = match data.op {
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Rem
            | Op::Neg
            | Op::Shl
            | Op::Shr
            | Op::Ushr
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::Cmp
            | Op::Cmpl
            | Op::Cmpg => match arith::evaluate(data.op, arg_type(0), a, b) {
                Ok(result) => result.expect("the verifier checks what an operation works on"),
                Err(arith::DivisionByZero) => {
                    return Err(self.throw("java.lang.ArithmeticException", Some("/ by zero")));
                }
            },
            Op::Convert => arith::convert(arg_type(0), named_type(data), a),
            Op::Select => {
                if to_i32(a) != 0 {
                    b
                } else {
                    c
                }
            }
            Op::GetStatic => match self.get_static(data)? {
                Some(value) => value,
                None => return Ok(Next::Stay),
            },
            Op::PutStatic => return self.put_static(data, a),
            Op::GetField => self.get_field(data, Ref::from_slot(a))?,
            Op::PutField => {
                self.put_field(data, Ref::from_slot(a), b)?;
                return Ok(Next::Advance);
            }
            Op::New => {
                let class = named_class(data);
                if !self.ensure_initialised(class)? {
                    return Ok(Next::Stay);
                }
                match self.machine.allocate(self.program, class) {
                    Some(object) => object.slot(),
                    None => return Err(self.out_of_memory()),
                }
            }
            Op::NewArray => {
                let lengths: SmallVec<[i32; 4]> = data.args.iter().map(|&arg| to_i32(values[arg.index()])).collect();
                self.new_array(named_type(data), &lengths)?.slot()
            }
            Op::ArrayLength => {
                let array = self.not_null(a)?;
                from_i32(self.machine.heap.slot_count(array) as i32)
            }
            Op::ArrayLoad => self.array_load(Ref::from_slot(a), to_i32(b))?,
            Op::ArrayStore => {
                self.array_store(Ref::from_slot(a), to_i32(b), c)?;
                return Ok(Next::Advance);
            }
            Op::InstanceOf => {
                let (object, ty) = (Ref::from_slot(a), named_type(data));
                if let Some(class) = self.program.module.unknown_class(ty).filter(|_| !object.is_null()) {
                    return Err(self.no_class(class));
                }
                from_bool(self.is_instance(object, ty))
            }
            Op::CheckCast => {
                let (object, ty) = (Ref::from_slot(a), named_type(data));
                if !object.is_null() && !self.is_instance(object, ty) {
                    return Err(match self.program.module.unknown_class(ty) {
                        Some(class) => self.no_class(class),
                        None => self.throw("java.lang.ClassCastException", None),
                    });
                }
                a
            }
            Op::NullCheck => {
                self.not_null(a)?;
                return Ok(Next::Advance);
            }
            Op::Check => {
                if to_i32(a) != 0 {
                    return Ok(Next::Advance);
                }
                return Err(self.throw_class(named_class(data), None));
            }
            Op::InitClass => {
                let ready = self.ensure_initialised(named_class(data))?;
                return Ok(if ready { Next::Advance } else { Next::Stay });
            }
            Op::MonitorEnter => {
                let object = self.not_null(a)?;
                return Ok(if self.enter(object) { Next::Advance } else { Next::Stay });
            }
            Op::MonitorExit => {
                let object = self.not_null(a)?;
                self.exit(object)?;
                return Ok(Next::Advance);
            }
            Op::InvokeStatic | Op::InvokeVirtual | Op::InvokeSpecial | Op::InvokeInterface => {
                let args: SmallVec<[Slot; 8]> = data.args.iter().map(|&arg| values[arg.index()]).collect();
                return self.invoke(data, &args);
            }
            Op::FieldOffset => {
                let field = self.field(data)?;
                from_i64(self.program.offset_of(field))
            }
            Op::Load => self.load(data, Ref::from_slot(a), to_i64(b))?,
            Op::Store => {
                self.store(data, Ref::from_slot(a), to_i64(b), arg_type(2), c)?;
                return Ok(Next::Advance);
            }
            Op::Cas => from_bool(self.cas(data, Ref::from_slot(a), to_i64(b), arg_type(3), c, d)?),
            Op::GetAndSet => self.get_and(data, Ref::from_slot(a), to_i64(b), named_type(data), &|_| Some(c))?,
            Op::GetAndAdd => {
                let ty = arg_type(2);
                let add = |old| arith::evaluate(Op::Add, ty, old, c).ok().flatten();
                self.get_and(data, Ref::from_slot(a), to_i64(b), ty, &add)?
            }
            Op::GetAndAnd => self.get_and(data, Ref::from_slot(a), to_i64(b), arg_type(2), &|old| Some(old & c))?,
            Op::GetAndOr => self.get_and(data, Ref::from_slot(a), to_i64(b), arg_type(2), &|old| Some(old | c))?,
            Op::GetAndXor => self.get_and(data, Ref::from_slot(a), to_i64(b), arg_type(2), &|old| Some(old ^ c))?,
            Op::Jump => {
                self.go_to(body, &data.targets()[0], None);
                return Ok(Next::Stay);
            }
            Op::Branch => {
                let taken = usize::from(to_i32(a) == 0);
                self.go_to(body, &data.targets()[taken], None);
                return Ok(Next::Stay);
            }
            Op::Switch => {
                let Payload::Switch(table) = &data.payload else { unreachable!("a switch has a table") };
                let index = table.keys.binary_search(&to_i32(a)).unwrap_or(table.keys.len());
                self.go_to(body, &table.targets[index], None);
                return Ok(Next::Stay);
            }
            Op::Return => {
                self.return_value(data.args.first().map(|_| a))?;
                return Ok(Next::Stay);
            }
            Op::Throw => {
                let exception = self.not_null(a)?;
                return Err(Raise::Throw(exception));
            }
        };
        if let Some(value) = data.result {
            let thread = &mut self.machine.threads[self.thread.index()];
            thread.values[frame.base as usize + value.index()] = result;
        }
        Ok(Next::Advance)
    }

    /// Goes to a block of the innermost method. All arguments are read before any parameter is written.
    pub(super) fn go_to(&mut self, body: &Body, target: &Target, exception: Option<Ref>) {
        let thread = &mut self.machine.threads[self.thread.index()];
        let Some(Frame::Call(frame)) = thread.frames.last_mut() else { return };
        let base = frame.base as usize;
        let mut args: SmallVec<[Slot; 8]> = exception.map(Ref::slot).into_iter().collect();
        args.extend(target.args.iter().map(|&arg: &Value| thread.values[base + arg.index()]));
        for (param, arg) in body.blocks[target.block].params.iter().zip(args) {
            thread.values[base + param.index()] = arg;
        }
        let block: Block = target.block;
        (frame.block, frame.index) = (block, 0);
    }

    /// Whether a reference is not null and an instance of a type.
    pub(super) fn is_instance(&self, object: Ref, of: Type) -> bool {
        !object.is_null() && self.program.instance_of(self.machine.heap.object(object).ty, of) == Answer::Yes
    }

    /// The end of the innermost method, with its value.
    fn return_value(&mut self, value: Option<Slot>) -> Outcome<()> {
        let thread = &mut self.machine.threads[self.thread.index()];
        let Some(&Frame::Call(frame)) = thread.frames.last() else { return Ok(()) };
        if !frame.monitor.is_null() {
            self.exit(frame.monitor)?;
        }
        let module = self.program.module;
        // A method of a narrow type returns that much, as `ireturn` does.
        let ret = module.sig(module.funcs[frame.func].sig).ret;
        let value = value.map(|value| ret.map_or(value, |ty| super::slot::narrow(ty, value)));
        self.pop_call();
        if self.machine.threads[self.thread.index()].frames.is_empty() {
            self.end_thread(MainEnd::Returned(value));
        } else {
            self.complete(value);
        }
        Ok(())
    }

    /// Drops the innermost frame, which is a method's.
    pub(super) fn pop_call(&mut self) {
        let thread = &mut self.machine.threads[self.thread.index()];
        if let Some(Frame::Call(frame)) = thread.frames.pop() {
            thread.values.truncate(frame.base as usize);
        }
    }

    /// The thread has no frame left.
    pub(super) fn end_thread(&mut self, end: MainEnd) {
        self.shared = true;
        self.set_state(State::Ended);
        if self.thread == ThreadId::MAIN && self.machine.main.is_none() {
            self.machine.main = Some(end);
        }
    }

    /// `thread` learns that something happened.
    pub(super) fn synchronise(&mut self, event: Synchronisation) {
        self.shared = true;
        self.memory.synchronise(self.thread, event);
    }

    /// The reference in a slot, which must not be null.
    pub(super) fn not_null(&mut self, slot: Slot) -> Outcome<Ref> {
        let object = Ref::from_slot(slot);
        if object.is_null() { Err(self.null_pointer()) } else { Ok(object) }
    }
}

/// The type an instruction names.
pub(super) fn named_type(data: &InstData) -> Type {
    data.type_symbol().expect("the verifier checks that the symbol is there")
}

/// The class an instruction names.
pub(super) fn named_class(data: &InstData) -> Class {
    data.class_symbol().expect("the verifier checks that the symbol is there")
}
