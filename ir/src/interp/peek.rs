//! What a thread would do next, for who chooses schedules.

use super::heap::Location;
use super::machine::{ClassState, Machine};
use super::memory::{Access, AccessKind};
use super::prepare::Prepared;
use super::slot::{Ref, Slot, to_i32, to_i64};
use super::thread::{CallFrame, Frame, State, ThreadId};
use crate::entity::{Class, Entity};
use crate::inst::{InstData, Op};
use crate::module::Flags;
use crate::natives::Native;
use crate::types::{Ordering, Type};

/// What the next step of a thread concerns besides the thread itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing: nobody else can tell when it happens.
    Local,
    /// One location of shared memory.
    Access(Access),
    /// The monitor of an object: entering, leaving, waiting, notifying.
    Monitor(Ref),
    /// The initialisation of a class.
    Initialisation(Class),
    /// A native that others can notice, such as output, the start of a thread or a look at the clock.
    Native(Native),
    /// The end of a wait or of the thread.
    Scheduling,
}

impl Machine {
    /// What the next step of an enabled thread would concern. It may throw instead, and the exception may then leave
    /// monitors, fail an initialisation or end the thread on its way to a handler; that is not announced, but
    /// [`Machine::step`] says that the step was [`Step::Shared`](super::Step::Shared).
    pub fn next_action(&self, program: &Prepared<'_>, thread: ThreadId) -> Action {
        let data = &self.threads[thread.index()];
        match data.state {
            State::Running | State::Entering(_) => {}
            State::Initialising(class) => return Action::Initialisation(class),
            State::Waiting { monitor, .. } | State::Returning { monitor, .. } => return Action::Monitor(monitor),
            State::Parked { .. } | State::Sleeping { .. } | State::Joining { .. } | State::Ended => {
                return Action::Scheduling;
            }
        }
        match data.frames.last() {
            Some(Frame::Call(frame)) => self.action_of(program, thread, frame),
            Some(Frame::Init(frame)) => Action::Initialisation(frame.class),
            None => Action::Scheduling,
        }
    }

    fn action_of(&self, program: &Prepared<'_>, thread: ThreadId, frame: &CallFrame) -> Action {
        let body = program.body(frame.func);
        let inst = &body.insts[body.blocks[frame.block].insts[frame.index as usize]];
        let values = &self.threads[thread.index()].values[frame.base as usize..];
        let arg = |index: usize| inst.args.get(index).map_or(0, |value| values[value.index()]);
        let object = Ref::from_slot(arg(0));
        match inst.op {
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
            | Op::Cmpg
            | Op::Convert
            | Op::Select
            | Op::NewArray
            | Op::ArrayLength
            | Op::InstanceOf
            | Op::CheckCast
            | Op::NullCheck
            | Op::Check
            | Op::FieldOffset
            | Op::Jump
            | Op::Branch
            | Op::Switch
            | Op::Throw => Action::Local,
            Op::GetStatic | Op::PutStatic => self.static_action(program, thread, inst),
            Op::GetField | Op::PutField => {
                let field = inst.field_symbol().and_then(|field| program.field(field));
                match field.filter(|_| !object.is_null()) {
                    Some(field) => access(Location::Object(object, field.slot), kind(inst.op), field.ordering),
                    None => Action::Local,
                }
            }
            Op::New | Op::InitClass => self.class_action(program, thread, inst.class_symbol()),
            Op::ArrayLoad | Op::ArrayStore => {
                let index = to_i32(arg(1));
                if object.is_null() || index as u32 >= self.heap.slot_count(object) {
                    return Action::Local;
                }
                access(Location::Element(object, index as u32), kind(inst.op), Ordering::Plain)
            }
            Op::MonitorEnter | Op::MonitorExit => monitor(object),
            Op::InvokeStatic | Op::InvokeVirtual | Op::InvokeSpecial | Op::InvokeInterface => {
                self.call_action(program, thread, inst, object)
            }
            Op::Load
            | Op::Store
            | Op::Cas
            | Op::GetAndSet
            | Op::GetAndAdd
            | Op::GetAndAnd
            | Op::GetAndOr
            | Op::GetAndXor => self.offset_action(program, inst, object, arg(1)),
            Op::Return if !frame.monitor.is_null() => Action::Monitor(frame.monitor),
            Op::Return if self.threads[thread.index()].frames.len() == 1 => Action::Scheduling,
            Op::Return => Action::Local,
        }
    }

    fn static_action(&self, program: &Prepared<'_>, thread: ThreadId, inst: &InstData) -> Action {
        let Some(field) = inst.field_symbol().and_then(|field| program.field(field)) else { return Action::Local };
        match self.class_action(program, thread, Some(field.class)) {
            Action::Local => access(Location::Static(field.field), kind(inst.op), field.ordering),
            other => other,
        }
    }

    /// The initialisation of a class, if using it needs that first.
    fn class_action(&self, program: &Prepared<'_>, thread: ThreadId, class: Option<Class>) -> Action {
        let Some(class) = class else { return Action::Local };
        match self.class_state(class) {
            ClassState::Initialised => Action::Local,
            ClassState::InProgress(by) if by == thread => Action::Local,
            ClassState::Untouched if program.is_trivially_initialised(class) => Action::Local,
            ClassState::Untouched | ClassState::InProgress(_) | ClassState::Erroneous => Action::Initialisation(class),
        }
    }

    fn call_action(&self, program: &Prepared<'_>, thread: ThreadId, inst: &InstData, receiver: Ref) -> Action {
        let module = program.module;
        let Some(named) = inst.method_symbol().and_then(|method| program.method(method)) else {
            return Action::Local;
        };
        if inst.op == Op::InvokeStatic {
            let class = module.funcs[named].class;
            let initialisation = self.class_action(program, thread, Some(class));
            if initialisation != Action::Local {
                return initialisation;
            }
        } else if receiver.is_null() {
            return Action::Local;
        }
        let func = match (inst.op, receiver) {
            (Op::InvokeVirtual | Op::InvokeInterface, receiver) => {
                let class = match self.heap.object(receiver).ty {
                    Type::Class(class) => class,
                    _ => program.known.object,
                };
                match program.select(class, named) {
                    Some(func) => func,
                    None => return Action::Local,
                }
            }
            _ => named,
        };
        let data = &module.funcs[func];
        if data.flags.has(Flags::SYNCHRONIZED) {
            // A class object that nobody asked for yet has no number; until then the class itself stands for it.
            return match data.is_static() {
                true => match self.class_objects.get(&Type::Class(data.class)) {
                    Some(&object) => monitor(object),
                    None => Action::Initialisation(data.class),
                },
                false => monitor(receiver),
            };
        }
        match program.native(func) {
            Some(Native::Wait | Native::Notify | Native::NotifyAll) => monitor(receiver),
            Some(native) if is_shared(native) => Action::Native(native),
            _ => Action::Local,
        }
    }

    fn offset_action(&self, program: &Prepared<'_>, inst: &InstData, holder: Ref, offset: Slot) -> Action {
        if holder.is_null() {
            return Action::Local;
        }
        let Type::Class(class) = self.heap.object(holder).ty else { return Action::Local };
        match (program.at_offset(class, to_i64(offset)), inst.ordering()) {
            (Some((slot, _)), Some(ordering)) => access(Location::Object(holder, slot), kind(inst.op), ordering),
            _ => Action::Local,
        }
    }
}

fn access(location: Location, kind: AccessKind, ordering: Ordering) -> Action {
    Action::Access(Access { location, kind, ordering })
}

fn monitor(object: Ref) -> Action {
    if object.is_null() { Action::Local } else { Action::Monitor(object) }
}

fn kind(op: Op) -> AccessKind {
    if matches!(op, Op::GetStatic | Op::GetField | Op::ArrayLoad | Op::Load) {
        AccessKind::Read
    } else if matches!(op, Op::PutStatic | Op::PutField | Op::ArrayStore | Op::Store) {
        AccessKind::Write
    } else {
        AccessKind::Update
    }
}

/// Whether others can notice when a native runs.
pub(super) fn is_shared(native: Native) -> bool {
    match native {
        Native::GetClass
        | Native::ClassName
        | Native::IsInstance
        | Native::IsAssignableFrom
        | Native::Superclass
        | Native::Modifiers
        | Native::NestHost
        | Native::CallerClass
        | Native::Intern
        | Native::FloatToString
        | Native::FloatToBits
        | Native::FloatFromBits
        | Native::DoubleToString
        | Native::DoubleToBits
        | Native::DoubleFromBits
        | Native::Sqrt
        | Native::CaptureStack
        | Native::DescribeFrame
        | Native::CurrentThread => false,
        // A clone and a copy access memory, a found field is filled in; hash codes are numbered in the order of asking.
        Native::Clone
        | Native::FindField
        | Native::ArrayCopy
        | Native::IdentityHashCode
        | Native::Wait
        | Native::Notify
        | Native::NotifyAll
        | Native::NanoTime
        | Native::CurrentTimeMillis
        | Native::Exit
        | Native::Write
        | Native::StartThread
        | Native::IsAlive
        | Native::JoinThread
        | Native::Interrupt
        | Native::TestInterrupt
        | Native::YieldThread
        | Native::Sleep
        | Native::Park
        | Native::Unpark => true,
    }
}
