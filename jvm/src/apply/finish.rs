//! The end of an attempt: frames, new members and removed ones, and the bytes of classes.

use r8lite_classfile::{
    Frame, Insn, Label, Opcode, Problem, VerificationType, add_field, add_method, apply, flags,
    keep_serial_version_uid, read, write,
};
use r8lite_ir::{Flags, Func};
use r8lite_passes::access;
use r8lite_passes::plan::{Action, Reason, Site, UpdaterId, UpdaterPlan};

use super::attempt::{Attempt, ClassEdit, Done, Failures, MethodEdit};
use super::{AddedClass, reasons};
use crate::{names, parallel};

impl Attempt<'_> {
    /// Applies all edits.
    ///
    /// # Errors
    /// What could not be edited.
    pub(crate) fn finish(mut self) -> Result<Done, Failures> {
        let mut contents = vec![None; self.program.len()];
        let mut copied = 0;
        let classes: Vec<(u32, ClassEdit<'_>)> = std::mem::take(&mut self.classes).into_iter().collect();
        let finished = parallel::map(classes, |(input, mut class)| {
            let result = self.finish_class(input, &mut class);
            (input, class, result)
        });
        for (input, class, result) in finished {
            match result {
                Ok(bytes) if bytes == self.program[input as usize].bytes => {}
                Ok(bytes) => {
                    copied += self.copied_bytes(&class);
                    contents[input as usize] = Some(bytes);
                }
                Err((func, error)) => match func {
                    Some(func)
                        if matches!(error.problem(), Problem::CodeTooLarge(_)) && !self.tight.contains(&func) =>
                    {
                        self.failures.too_large.insert(func);
                    }
                    Some(func) => self.fail(&[func], &reasons::not_edited(&error)),
                    None => {
                        let funcs: Vec<Func> = class.methods.values().map(|edit| edit.func).collect();
                        self.fail(&funcs, &reasons::not_written(&error));
                    }
                },
            }
        }
        let mut added = Vec::new();
        for (&jar, class) in self.unsafe_classes.iter().filter(|(_, class)| class.is_used) {
            let bytes = class.write().expect("a class of our own is small and in order");
            added.push(AddedClass { name: class.name.clone(), bytes, jar, parts: class.clone() });
        }
        if self.failures.is_empty() { Ok(Done { classes: contents, added, copied }) } else { Err(self.failures) }
    }

    /// Says of all instructions that were to be edited in some methods that they stay.
    fn fail(&mut self, funcs: &[Func], reason: &Reason) {
        let calls = self.plan.calls.iter().filter(|call| matches!(call.action, Action::Replace(_)));
        let mut sites: Vec<Site> = calls.map(|call| call.site).collect();
        sites.retain(|site| funcs.contains(&site.func));
        for (number, updater) in self.plan.updaters.iter().enumerate() {
            if updater.recognised.is_some_and(|recognised| funcs.contains(&recognised.store.func)) {
                self.fix_updater(UpdaterId(number as u32), reason);
            }
        }
        for &func in funcs {
            // Reads that are left are not in the plan; whatever instruction is one.
            let Some(body) = &self.module.funcs[func].body else { continue };
            sites.extend(body.layout_insts().map(|(_, inst)| Site { func, inst }));
        }
        self.failures.fixed.extend(sites.into_iter().map(|site| (site, reason.clone())));
    }

    fn finish_class(
        &self,
        input: u32,
        class: &mut ClassEdit<'_>,
    ) -> Result<Vec<u8>, (Option<Func>, r8lite_classfile::Error)> {
        let methods = std::mem::take(&mut class.methods);
        let mut result = Ok(());
        for (&method, edit) in &methods {
            if self.dead_methods.contains(&edit.func) {
                continue;
            }
            let edits = with_frames(class, method as usize, edit);
            result = edits
                .and_then(|edits| apply(&mut class.file, method as usize, &edits))
                .map_err(|error| (Some(edit.func), error));
            if result.is_err() {
                break;
            }
        }
        class.methods = methods;
        result?;
        self.change_members(class).map_err(|error| (None, error))?;
        if access::has_computed_uid(self.module, &self.hierarchy, class.class) {
            let kept = read(self.program[input as usize].bytes)
                .and_then(|before| keep_serial_version_uid(&mut class.file, &before));
            kept.map_err(|error| (None, error))?;
        }
        write(&class.file).map_err(|error| (None, error))
    }

    fn change_members(&self, class: &mut ClassEdit<'_>) -> r8lite_classfile::Result<()> {
        let updaters: Vec<&UpdaterPlan> =
            self.plan.updaters.iter().filter(|updater| self.owner(updater) == class.class).collect();
        let unsafe_class = self.unsafe_classes.get(&class.jar);
        let (unsafe_name, since_24) =
            unsafe_class.map_or((String::new(), true), |class| (class.name.clone(), class.since_24));
        let access = flags::PRIVATE | flags::STATIC | flags::SYNTHETIC;
        let helpers = std::mem::take(&mut class.helpers);
        for (helper, name) in &helpers {
            let code = helper.code(&mut class.file, &unsafe_name, since_24)?;
            add_method(&mut class.file, access, &name.name, &name.descriptor, Some(&code))?;
        }
        for updater in &updaters {
            if let Some((offset, name)) = updater.offset.as_ref().zip(self.offset_name(updater)) {
                let flags = offset.flags.with(Flags::STATIC).with(Flags::FINAL).with(Flags::SYNTHETIC);
                add_field(&mut class.file, flags.0, &name.name, &name.descriptor)?;
            }
            if updater.remove {
                let data = &self.module.fields[updater.field];
                let (name, ty) = (self.module.name(data.name), names::descriptor(self.module, data.ty));
                if let Some(field) = class.file.find_field(name, &ty) {
                    class.file.fields.remove(field);
                }
            }
        }
        self.remove_methods(class, &updaters)
    }

    fn remove_methods(&self, class: &mut ClassEdit<'_>, updaters: &[&UpdaterPlan]) -> r8lite_classfile::Result<()> {
        let mut dead: Vec<u32> = Vec::new();
        for &func in &self.module.classes[class.class].methods {
            if self.dead_methods.contains(&func) {
                dead.extend(self.lifted.place(func).map(|place| place.method));
            }
        }
        let clinit = class.file.find_method("<clinit>", "()V");
        if let Some(clinit) = clinit
            && updaters.iter().any(|updater| updater.remove)
            && !access::has_computed_uid(self.module, &self.hierarchy, class.class)
        {
            let code = class.file.code(clinit)?;
            let mut insns = code.iter().flat_map(|code| code.instructions());
            let is_empty = insns.all(|located| located.is_ok_and(|it| it.insn == Insn::Plain(Opcode::Return)));
            if is_empty {
                dead.push(clinit as u32);
            }
        }
        dead.sort_unstable();
        dead.dedup();
        for method in dead.into_iter().rev() {
            class.file.methods.remove(method as usize);
        }
        Ok(())
    }
}

/// The edits of a method with its frames changed as they ask for.
fn with_frames(
    class: &ClassEdit<'_>,
    method: usize,
    edit: &MethodEdit,
) -> r8lite_classfile::Result<r8lite_classfile::CodeEdits> {
    let mut edits = edit.edits.clone();
    if edit.frame_changes.is_empty() {
        return Ok(edits);
    }
    for (offset, frame) in class.file.frames(method)? {
        let Ok(number) = edit.flow.number(offset) else { continue };
        let mut changes: Vec<_> =
            edit.frame_changes.iter().filter(|change| change.at.binary_search(&number).is_ok()).collect();
        if changes.is_empty() {
            continue;
        }
        // From the top down, so that slots below keep their places.
        changes.sort_by_key(|change| std::cmp::Reverse((change.slot, change.replaces)));
        let mut slots: Vec<Option<VerificationType>> = Vec::new();
        for kind in &frame.stack {
            slots.push(Some(*kind));
            if matches!(kind, VerificationType::Long | VerificationType::Double) {
                slots.push(None);
            }
        }
        for change in changes {
            let end = change.slot + usize::from(change.replaces);
            if end <= slots.len() {
                slots.splice(change.slot..end, change.by.iter().map(|kind| Some(*kind)));
            }
        }
        let stack = slots.into_iter().flatten().collect();
        edits.frame(Label::at(offset), Frame { locals: frame.locals, stack });
    }
    Ok(edits)
}
