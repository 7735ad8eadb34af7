//! Class initialisers: offsets are stored where updaters are, and updaters that go are not made.
//!
//! ```text
//!   ldc Node.class                                 getstatic R8lite$….UNSAFE
//!   ldc Node.class                                 ldc Node.class
//!   ldc "next"                           ──▶       ldc "next"
//!   invokestatic ….newUpdater                      invokevirtual Class.getDeclaredField
//!   putstatic Node.updater                         invokevirtual Unsafe.objectFieldOffset
//!                                                  putstatic Node.updater$offset
//! ```

use r8lite_classfile::{ConstantPool, Insn, Opcode, stack_effect};
use r8lite_passes::plan::{Access, Action, Guard, Kind, Reason, Recognised, UpdaterId, UpdaterPlan};

use super::asm::Asm;
use super::attempt::{Attempt, MethodEdit};
use super::unsafe_class::{store_handle, store_offset};
use super::{Backend, reasons};

impl Attempt<'_> {
    /// Edits the initialisers of all classes whose updaters get an offset or go.
    pub(crate) fn edit_initialisers(&mut self) {
        for (number, updater) in self.plan.updaters.iter().enumerate() {
            let Some(recognised) = &updater.recognised else { continue };
            if (updater.offset.is_some() || updater.remove)
                && let Err(reason) = self.edit_initialiser(updater, recognised)
            {
                self.fix_updater(UpdaterId(number as u32), &reason);
            }
        }
    }

    /// Says of an updater whose initialiser cannot be edited that it stays, and so do the calls that need its offset.
    pub(crate) fn fix_updater(&mut self, id: UpdaterId, reason: &Reason) {
        for call in self.plan.calls.iter().filter(|call| call.updater == Some(id)) {
            if let Action::Replace(replacement) = &call.action
                && (replacement.access == Access::Offset || replacement.guard == Guard::Offset)
            {
                self.failures.fixed.insert(call.site, reason.clone());
            }
        }
        let recognised = self.plan.updaters[id.0 as usize].recognised;
        self.failures.fixed.extend(recognised.map(|recognised| (recognised.store, reason.clone())));
    }

    fn edit_initialiser(&mut self, updater: &UpdaterPlan, recognised: &Recognised) -> Result<(), Reason> {
        let (input, method) = self.open(recognised.store.func)?;
        let target = self.field_name(recognised.target);
        let offset = self.offset_name(updater);
        let (creation, store) = (self.code_offset(recognised.creation), self.code_offset(recognised.store));
        let class = self.classes.get_mut(&input).expect("it was opened");
        let not_edited = |error| reasons::not_edited(&error);
        let mut asm = Asm::new(&mut class.file.pool);
        if let Some(offset) = offset {
            let stored = match self.options.backend {
                Backend::Unsafe => {
                    let unsafe_class = self.unsafe_classes.get_mut(&class.jar).expect("each jar with updaters has one");
                    store_offset(&mut asm, &unsafe_class.unsafe_field(), &target, &offset)
                }
                Backend::VarHandle => store_handle(&mut asm, &target, &offset),
            };
            stored.map_err(not_edited)?;
        }
        let code = asm.code;
        let edit = class.methods.get_mut(&method).expect("it was opened");
        let number = |offset| edit.flow.number(offset).map_err(|odd| reasons::odd_code(&odd));
        let (creation, store) = (number(creation)?, number(store)?);
        let is_expected = matches!(edit.flow.insn(creation), Insn::Constant(Opcode::Invokestatic, _))
            && matches!(edit.flow.insn(store), Insn::Constant(Opcode::Putstatic, _));
        if !is_expected {
            return Err(reasons::unexpected());
        }
        if updater.remove {
            retire(edit, &class.file.pool, updater.kind, creation, store, code).map_err(not_edited)
        } else {
            edit.edits.before(edit.flow.offset(store), code);
            Ok(())
        }
    }
}

/// Puts code in the place of the making and storing of an updater.
fn retire(
    edit: &mut MethodEdit,
    pool: &ConstantPool<'_>,
    kind: Kind,
    creation: u32,
    store: u32,
    code: Vec<Insn>,
) -> r8lite_classfile::Result<()> {
    let flow = &edit.flow;
    let arguments = if kind == Kind::Reference { 3 } else { 2 };
    let is_push = |number: u32| matches!(flow.insn(number), Insn::Constant(Opcode::Ldc | Opcode::LdcW, _));
    let first = creation.checked_sub(arguments);
    let depth = |number: u32| flow.stack(number).map(<[_]>::len);
    let straight = first.is_some_and(|first| {
        (first..creation).all(is_push)
            && store == creation + 1
            && (first..creation).all(|number| {
                let pushed = (number - first) as usize;
                let wanted = depth(first).map(|depth| depth + pushed);
                depth(number) == wanted && stack_effect(pool, flow.insn(number)) == Ok((0, 1))
            })
    });
    let offset = |number: u32| flow.offset(number);
    match first.filter(|_| straight) {
        Some(first) => {
            for number in first..=creation {
                edit.edits.delete(offset(number))?;
            }
            edit.edits.replace(offset(store), code)
        }
        None => {
            let mut instead = vec![Insn::Plain(Opcode::Pop); arguments as usize];
            instead.push(Insn::Plain(Opcode::AconstNull));
            edit.edits.replace(offset(creation), instead)?;
            edit.edits.before(offset(store), code);
            edit.edits.replace(offset(store), [Insn::Plain(Opcode::Pop)])
        }
    }
}
