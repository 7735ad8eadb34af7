//! Class initialisation, by JVMS 5.5.

use super::exec::{Exec, Outcome};
use super::machine::{ClassState, Full};
use super::memory::{Memory, Synchronisation};
use super::slot::{Ref, Slot};
use super::thread::{Frame, InitFrame, InitStage, State, ThreadId};
use crate::entity::{Class, Entity, Func};
use crate::module::ClassOrigin;
use crate::types::Type;

impl<M: Memory> Exec<'_, '_, M> {
    /// Whether a class may be used now. If not, its initialisation was pushed as a frame, and whoever asked has to ask
    /// again.
    pub(super) fn ensure_initialised(&mut self, class: Class) -> Outcome<bool> {
        match self.machine.classes[class.index()] {
            ClassState::Initialised => {
                self.memory.synchronise(self.thread, Synchronisation::SawInitialised(class));
                return Ok(true);
            }
            ClassState::InProgress(thread) if thread == self.thread => return Ok(true),
            ClassState::Untouched if self.program.is_trivially_initialised(class) => return Ok(true),
            ClassState::Untouched | ClassState::InProgress(_) | ClassState::Erroneous => {}
        }
        if matches!(self.program.module.classes[class].origin, ClassOrigin::Extern | ClassOrigin::Missing) {
            return Err(self.no_class(class));
        }
        self.push_initialisation(class)?;
        Ok(false)
    }

    fn push_initialisation(&mut self, class: Class) -> Outcome<()> {
        let thread = &mut self.machine.threads[self.thread.index()];
        if thread.frames.len() >= self.machine.max_frames {
            return Err(self.stack_overflow());
        }
        thread.frames.push(Frame::Init(InitFrame { class, stage: InitStage::Look }));
        Ok(())
    }

    /// A step of the initialisation that is the innermost frame.
    pub(super) fn initialise(&mut self, frame: InitFrame) -> Outcome<()> {
        self.shared = true;
        let class = frame.class;
        match frame.stage {
            InitStage::Look => match self.machine.classes[class.index()] {
                ClassState::Untouched => {
                    self.machine.classes[class.index()] = ClassState::InProgress(self.thread);
                    self.set_stage(InitStage::Supers(0));
                }
                ClassState::InProgress(thread) if thread != self.thread => {
                    self.set_state(State::Initialising(class));
                }
                ClassState::InProgress(_) | ClassState::Initialised => self.pop_initialisation()?,
                ClassState::Erroneous => {
                    let message = format!("Could not initialize class {}", self.program.module.class_name(class));
                    return Err(self.throw("java.lang.NoClassDefFoundError", Some(&message)));
                }
            },
            InitStage::Supers(index) => match self.program.supers(class).get(index as usize) {
                Some(&next) => {
                    self.set_stage(InitStage::Supers(index + 1));
                    self.ensure_initialised(next)?;
                }
                None => {
                    self.set_stage(InitStage::Finish);
                    if let Some(clinit) = self.program.module.clinit(class) {
                        self.push_call(clinit, &[])?;
                    }
                }
            },
            InitStage::Finish => {
                self.machine.classes[class.index()] = ClassState::Initialised;
                self.synchronise(Synchronisation::Initialised(class));
                self.pop_initialisation()?;
            }
        }
        Ok(())
    }

    fn push_call(&mut self, func: Func, args: &[Slot]) -> Outcome<()> {
        match self.machine.push_call(self.program, self.thread, func, args, Ref::NULL) {
            Ok(()) => Ok(()),
            Err(Full::Stack) => Err(self.stack_overflow()),
            Err(Full::Heap) => Err(self.out_of_memory()),
        }
    }

    fn set_stage(&mut self, stage: InitStage) {
        if let Some(Frame::Init(frame)) = self.machine.threads[self.thread.index()].frames.last_mut() {
            frame.stage = stage;
        }
    }

    fn pop_initialisation(&mut self) -> Outcome<()> {
        let frames = &mut self.machine.threads[self.thread.index()].frames;
        frames.pop();
        match self.machine.pending.take_if(|_| self.thread == ThreadId::MAIN && frames.is_empty()) {
            Some(entry) => self.push_call(entry.func, &entry.args),
            None => Ok(()),
        }
    }

    /// The initialisation failed with `exception`; gives what its user sees.
    pub(super) fn fail_initialisation(&mut self, frame: InitFrame, exception: Ref) -> Ref {
        self.shared = true;
        self.machine.classes[frame.class.index()] = ClassState::Erroneous;
        let own = frame.stage == InitStage::Finish;
        if !own || self.is_instance(exception, Type::Class(self.program.known.error)) {
            return exception;
        }
        let Some(class) = self.program.module.find_class("java.lang.ExceptionInInitializerError") else {
            return exception;
        };
        let error = self.make_exception(class, None);
        self.set_throwable_field(error, "cause", exception.slot());
        self.set_throwable_field(error, "causeSet", 1);
        error
    }
}
