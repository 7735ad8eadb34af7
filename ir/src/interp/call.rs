//! Calls.

use smallvec::SmallVec;

use super::exec::{Exec, Next, Outcome, Raise};
use super::machine::Full;
use super::memory::Memory;
use super::slot::{Ref, Slot, narrow};
use crate::entity::{Class, Func};
use crate::hierarchy::Answer;
use crate::inst::{InstData, Op};
use crate::module::Flags;
use crate::types::Type;

impl<M: Memory> Exec<'_, '_, M> {
    pub(super) fn invoke(&mut self, data: &InstData, args: &[Slot]) -> Outcome<Next> {
        let reference = data.method_symbol().expect("the verifier checks that the symbol is there");
        let Some(named) = self.program.method(reference) else {
            let class = self.program.module.method_ref(reference).class;
            return Err(match self.program.module.unknown_class(Type::Class(class)) {
                Some(class) => self.no_class(class),
                None => self.throw("java.lang.NoSuchMethodError", None),
            });
        };
        let func = match data.op {
            Op::InvokeStatic => {
                if !self.ensure_initialised(self.program.module.funcs[named].class)? {
                    return Ok(Next::Stay);
                }
                named
            }
            Op::InvokeSpecial => {
                self.not_null(args[0])?;
                named
            }
            _ => {
                let receiver = self.not_null(args[0])?;
                self.select(receiver, named)?
            }
        };
        let sig = self.program.module.sig(self.program.module.method_ref(reference).sig);
        // Arguments of narrow types arrive as wide as the parameters are; a receiver is no parameter.
        if sig.params.iter().any(|ty| ty.value_type() != *ty) {
            let receivers = args.len() - sig.params.len();
            let mut narrowed: SmallVec<[Slot; 8]> = args.into();
            for (arg, &ty) in narrowed[receivers..].iter_mut().zip(&sig.params) {
                *arg = narrow(ty, *arg);
            }
            return self.call(func, &narrowed);
        }
        self.call(func, args)
    }

    /// The method that a call of `named` runs on an object.
    pub(super) fn select(&mut self, receiver: Ref, named: Func) -> Outcome<Func> {
        let module = self.program.module;
        let class = match self.machine.heap.object(receiver).ty {
            Type::Class(class) => class,
            _ => self.program.known.object,
        };
        let declaring: Class = module.funcs[named].class;
        let wrong_class = self.program.hierarchy.is_subclass(class, declaring) != Answer::Yes;
        if wrong_class {
            // Only an interface-typed receiver gets here; the verifier proves the rest.
            return Err(self.throw("java.lang.IncompatibleClassChangeError", None));
        }
        match self.program.select(class, named) {
            Some(func) => Ok(func),
            None => Err(self.throw("java.lang.AbstractMethodError", None)),
        }
    }

    /// Begins a call of exactly this method.
    pub(super) fn call(&mut self, func: Func, args: &[Slot]) -> Outcome<Next> {
        let module = self.program.module;
        let data = &module.funcs[func];
        if data.flags.has(Flags::NATIVE) {
            return match self.program.native(func) {
                Some(native) => self.native(native, args),
                None => Err(self.throw("java.lang.UnsatisfiedLinkError", None)),
            };
        }
        if data.flags.has(Flags::UNREAD) {
            return Err(self.throw("java.lang.UnsatisfiedLinkError", Some("its code was not read")));
        }
        if data.body.is_none() {
            return Err(self.throw("java.lang.AbstractMethodError", None));
        }
        let mut monitor = Ref::NULL;
        if data.flags.has(Flags::SYNCHRONIZED) {
            monitor = if data.is_static() {
                match self.machine.class_object(self.program, Type::Class(data.class)) {
                    Some(object) => object,
                    None => return Err(self.out_of_memory()),
                }
            } else {
                Ref::from_slot(args[0])
            };
            if !self.enter(monitor) {
                return Ok(Next::Stay);
            }
        }
        match self.machine.push_call(self.program, self.thread, func, args, monitor) {
            Ok(()) => Ok(Next::Stay),
            Err(full) => {
                if !monitor.is_null() {
                    self.exit(monitor)?;
                }
                Err(match full {
                    Full::Stack => self.stack_overflow(),
                    Full::Heap => self.out_of_memory(),
                })
            }
        }
    }

    pub(super) fn stack_overflow(&mut self) -> Raise {
        self.throw("java.lang.StackOverflowError", None)
    }
}
