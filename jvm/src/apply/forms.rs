//! The edits of a call, by the form that it takes.
//!
//! | form | when | read of the updater | behind the holder | call |
//! |---|---|---|---|---|
//! | field | get, set | goes | | `getfield`, `putfield` |
//! | Unsafe | all is proven | `getstatic UNSAFE` | `getstatic x$offset` | method of Unsafe |
//! | shared helper | checks that name no class; loops | `getstatic x$offset` | | static method of the added class |
//! | helper | other checks | goes, or the offset | | private static method of the calling class |
//! | helper with a dummy | the read cannot be edited | stays | | private static method of the calling class |
//!
//! By the other backend, a `VarHandle` stands for the offset and for Unsafe at once, so that nothing comes behind the
//! holder, and a null updater is told by itself. Its methods cast all that they are given.

use r8lite_classfile::{Insn, Opcode, VerificationType, flags};
use r8lite_passes::plan::{Access, Guard, Kind, Operation, Reason};

use super::asm::{Asm, MemberName};
use super::attempt::{ClassEdit, FrameChange, MethodEdit};
use super::calls::{Call, Trigger};
use super::helper::{Helper, HolderCheck, Receiver};
use super::place::{Boundary, CallPlace, Read};
use super::reasons;
use super::unsafe_class::UnsafeClass;
use super::unsafes::{self, By};

/// A call, where it stands, and all that its edits depend on.
pub(crate) struct Editor<'e, 'a> {
    pub(crate) call: &'e Call,
    pub(crate) place: &'e CallPlace,
    pub(crate) class: &'e mut ClassEdit<'a>,
    pub(crate) method: u32,
    pub(crate) unsafe_class: &'e mut UnsafeClass,
    pub(crate) value_fits: bool,
    pub(crate) holder_fits: bool,
    pub(crate) value_name: String,
    /// Whether the result is such a value, and that is known to be a class and no interface.
    pub(crate) yields_class: bool,
    /// Whether the expected value, if there is one, is certainly null or a value of the field.
    pub(crate) expected_proven: bool,
    /// Whether the method has no room for more than a call of a helper.
    pub(crate) is_tight: bool,
    /// Whether the read of the updater is one of the program's, and is gone when it is edited.
    pub(crate) drops_read: bool,
}

type Edited = r8lite_classfile::Result<()>;

impl Editor<'_, '_> {
    /// Edits the call.
    pub(crate) fn edit(&mut self) -> Result<(), Reason> {
        let Call { op, replacement, .. } = *self.call;
        let edit = &self.class.methods[&self.method];
        let boundary = self.place.boundary(&edit.flow, &self.class.file.pool);
        let has_room = !self.is_tight || replacement.access == Access::Field;
        let is_plain =
            replacement.guard != Guard::Offset && !replacement.check_holder && !op.takes_function() && has_room;
        let names_class = replacement.check_holder && !self.call.is_typed
            || replacement.check_value && (replacement.guard == Guard::Offset || op.takes_function() || self.is_tight);
        // Of an offset right behind the holder, nothing can be seen between the read of the updater and its own.
        let is_near = is_plain && boundary.as_ref().is_some_and(|boundary| boundary.is_near);
        let needs_trigger =
            !(matches!(self.call.trigger, Trigger::None) || replacement.access == Access::Offset && is_near);
        let edited = match (self.place.read, boundary, replacement.access) {
            (Some(read), boundary, Access::Field) if is_plain && (self.holder_fits || boundary.is_some()) => {
                self.as_field(read, boundary)
            }
            (Some(read), boundary, Access::Offset)
                if self.is_plain_for_handle() && (self.holder_fits || boundary.is_some()) =>
            {
                self.as_handle_call(read, boundary)
            }
            (Some(read), Some(boundary), Access::Offset) if is_plain && self.call.handle.is_none() => {
                self.as_unsafe_call(read, &boundary, needs_trigger)
            }
            (Some(read), _, Access::Offset) if !is_plain && !names_class && self.call.handle.is_none() => {
                self.as_shared_helper(read)
            }
            (read, ..) => return self.as_helper(read),
        };
        edited.map_err(|error| reasons::not_edited(&error))
    }

    /// Whether a handle does all that the updater did, by itself: it throws if it is null, after the arguments were
    /// evaluated; but also if the expected value is no value of the field.
    fn is_plain_for_handle(&self) -> bool {
        let Call { op, replacement, .. } = *self.call;
        let casts_value = replacement.check_value || !self.value_fits;
        self.call.handle.is_some()
            && !replacement.check_holder
            && !op.takes_function()
            && self.expected_proven
            && !(casts_value && replacement.guard == Guard::Offset)
    }

    fn method(&mut self) -> &mut MethodEdit {
        self.class.methods.get_mut(&self.method).expect("it was opened")
    }

    /// Puts code in the place of the read of the updater, which leaves something else on the stack or nothing.
    fn replace_read(
        &mut self,
        read: Read,
        mut code: Vec<Insn>,
        by: Vec<VerificationType>,
        needs_trigger: bool,
    ) -> Edited {
        let mut trigger = Vec::new();
        let mut keeps_read = !read.is_plain;
        match (&self.call.trigger, needs_trigger) {
            (Trigger::Field(field), true) => {
                let mut asm = Asm::new(&mut self.class.file.pool);
                asm.field(Opcode::Getstatic, field)?;
                let is_wide = matches!(field.descriptor.as_str(), "J" | "D");
                asm.op(if is_wide { Opcode::Pop2 } else { Opcode::Pop });
                trigger = asm.code;
            }
            (Trigger::Read, true) => keeps_read = true,
            (Trigger::None, true) | (_, false) => {}
        }
        let drops_read = self.drops_read && !keeps_read;
        let (slot, at) = (self.place.base, self.place.region.clone());
        let edit = self.method();
        let offset = edit.flow.offset(read.number);
        if keeps_read {
            code.insert(0, Insn::Plain(Opcode::Pop));
            edit.edits.after(offset, code);
        } else {
            trigger.extend(code);
            edit.edits.replace(offset, trigger)?;
        }
        if drops_read {
            edit.dropped.insert(read.number);
        }
        edit.frame_changes.push(FrameChange { at, slot, replaces: true, by });
        Ok(())
    }

    fn replace_call(&mut self, code: Vec<Insn>) -> Edited {
        let number = self.place.call;
        let edit = self.method();
        edit.edits.replace(edit.flow.offset(number), code)
    }

    /// Deletes the cast right after a call whose result now is of the field's type for the verifier as well. A cast to an
    /// interface may still throw.
    fn drop_cast(&mut self) -> Edited {
        if !self.yields_class {
            return Ok(());
        }
        let number = self.place.call + 1;
        let edit = self.class.methods.get_mut(&self.method).expect("it was opened");
        if let Some(Insn::Constant(Opcode::Checkcast, class)) = edit.flow.insns.get(number as usize).map(|it| &it.insn)
            && self.class.file.pool.class_name(*class)? == *self.value_name
            && !edit.flow.is_target[number as usize]
        {
            edit.edits.delete(edit.flow.offset(number))?;
        }
        Ok(())
    }

    fn behind_holder(&mut self, boundary: &Boundary, code: Vec<Insn>) {
        let edit = self.method();
        if let Some(after) = boundary.after {
            edit.edits.after(edit.flow.offset(after), code);
        }
    }

    fn as_field(&mut self, read: Read, boundary: Option<Boundary>) -> Edited {
        let target = self.call.target.clone();
        self.replace_read(read, Vec::new(), Vec::new(), true)?;
        let cast = self.cast_holder(boundary, &target.class)?;
        let mut asm = Asm { pool: &mut self.class.file.pool, code: cast };
        if self.call.op == Operation::Get {
            asm.field(Opcode::Getfield, &target)?;
        } else {
            if !self.value_fits || self.call.replacement.check_value {
                asm.class(Opcode::Checkcast, &self.value_name)?;
            }
            asm.field(Opcode::Putfield, &target)?;
        }
        let code = asm.code;
        self.drop_cast()?;
        self.replace_call(code)
    }

    fn as_unsafe_call(&mut self, read: Read, boundary: &Boundary, needs_trigger: bool) -> Edited {
        let Call { kind, op, .. } = *self.call;
        let offset = self.call.offset.clone().expect("the plan gives such a call an offset field");
        let unsafe_field = self.unsafe_class.unsafe_field();
        let substitute = self.unsafe_class.substitute(kind, op);
        let pool = &mut self.class.file.pool;
        let unsafe_type = pool.add_class(unsafes::UNSAFE)?;
        let mut asm = Asm::new(pool);
        asm.field(Opcode::Getstatic, &unsafe_field)?;
        let code = asm.code;
        self.replace_read(read, code, vec![VerificationType::Object(unsafe_type)], needs_trigger)?;
        let spare = self.method().flow.max_locals;
        let mut asm = Asm::new(&mut self.class.file.pool);
        asm.field(Opcode::Getstatic, &offset)?;
        let mut code = asm.code;
        if boundary.after.is_some() {
            self.behind_holder(boundary, std::mem::take(&mut code));
            let change = FrameChange {
                at: boundary.behind.clone(),
                slot: self.place.base + 2,
                replaces: false,
                by: vec![VerificationType::Long],
            };
            self.method().frame_changes.push(change);
        }
        let mut asm = Asm { pool: &mut self.class.file.pool, code };
        if self.call.replacement.check_value {
            asm.class(Opcode::Checkcast, &self.value_name)?;
        }
        unsafes::perform(&mut asm, kind, op, By::Unsafe { instead: substitute.as_ref() }, spare)?;
        let code = asm.code;
        self.replace_call(code)
    }

    fn as_handle_call(&mut self, read: Read, boundary: Option<Boundary>) -> Edited {
        let Call { kind, op, replacement, .. } = *self.call;
        let handle = self.call.handle.clone().expect("that is the backend");
        self.read_offset(read)?;
        let spare = self.method().flow.max_locals;
        let code = self.cast_holder(boundary, &handle.holder)?;
        let mut asm = Asm { pool: &mut self.class.file.pool, code };
        if replacement.check_value || !self.value_fits {
            asm.class(Opcode::Checkcast, &self.value_name)?;
        }
        unsafes::perform(&mut asm, kind, op, By::Handle(&handle), spare)?;
        let code = asm.code;
        self.drop_cast()?;
        self.replace_call(code)
    }

    /// Casts the holder where the verifier does not know what it is. What is yielded is for right before the call.
    fn cast_holder(&mut self, boundary: Option<Boundary>, holder: &str) -> r8lite_classfile::Result<Vec<Insn>> {
        if self.holder_fits {
            return Ok(Vec::new());
        }
        let kind = VerificationType::Object(self.class.file.pool.add_class(holder)?);
        let mut cast = Asm::new(&mut self.class.file.pool);
        cast.class(Opcode::Checkcast, holder)?;
        let mut cast = cast.code;
        if let Some(boundary) = boundary.filter(|boundary| boundary.after.is_some()) {
            self.behind_holder(&boundary, std::mem::take(&mut cast));
            let slot = self.place.base + 1;
            let change = FrameChange { at: boundary.behind, slot, replaces: true, by: vec![kind] };
            self.method().frame_changes.push(change);
        }
        Ok(cast)
    }

    /// Puts the offset, or the handle, in the place of the updater.
    fn read_offset(&mut self, read: Read) -> Edited {
        let offset = self.call.offset.clone().expect("the plan gives such a call an offset field");
        let pool = &mut self.class.file.pool;
        let kind = match self.call.handle {
            Some(_) => VerificationType::Object(pool.add_class(unsafes::HANDLE)?),
            None => VerificationType::Long,
        };
        let mut asm = Asm::new(pool);
        asm.field(Opcode::Getstatic, &offset)?;
        let code = asm.code;
        self.replace_read(read, code, vec![kind], false)
    }

    fn as_shared_helper(&mut self, read: Read) -> Edited {
        let Call { kind, op, replacement, .. } = *self.call;
        let helper = self.unsafe_class.helper(kind, op);
        self.read_offset(read)?;
        let mut asm = Asm::new(&mut self.class.file.pool);
        if replacement.check_value {
            asm.class(Opcode::Checkcast, &self.value_name)?;
        }
        asm.invoke(Opcode::Invokestatic, &helper)?;
        let code = asm.code;
        self.replace_call(code)
    }

    fn as_helper(&mut self, read: Option<Read>) -> Result<(), Reason> {
        let Call { kind, op, replacement, is_in_initialiser, .. } = *self.call;
        let is_interface = self.class.file.access_flags & flags::INTERFACE != 0;
        if is_interface && self.class.file.major_version < 52 {
            let name = self.class.file.name().map_or_else(|_| String::new(), |name| name.replace('/', "."));
            return Err(reasons::old_interface(&name));
        }
        if replacement.guard == Guard::Offset && is_in_initialiser && read.is_none() {
            return Err(reasons::early_read());
        }
        let needs_offset = replacement.access == Access::Offset || replacement.guard == Guard::Offset;
        let receiver = match (read, needs_offset) {
            (None, _) => Receiver::Updater,
            (Some(_), true) => Receiver::Offset,
            (Some(_), false) => Receiver::Gone,
        };
        let holder = match (replacement.check_holder, self.call.is_typed) {
            (false, _) => HolderCheck::Proven,
            (true, true) => HolderCheck::NotNull,
            (true, false) => HolderCheck::Instance(self.call.target.class.clone()),
        };
        let handle = self.call.handle.clone().filter(|_| needs_offset);
        // What is stored as a field's value, or given to a handle, has to be of the field's type for the verifier, too.
        let is_typed = replacement.access == Access::Field || handle.is_some();
        let needs_value = replacement.check_value || is_typed && kind == Kind::Reference;
        let value = (needs_value && self.value_name != "java/lang/Object").then(|| self.value_name.clone());
        let field = (replacement.access == Access::Field).then(|| self.call.target.clone());
        let offset = self.call.offset.clone().filter(|_| needs_offset && receiver != Receiver::Offset);
        let checks_offset = replacement.guard == Guard::Offset;
        if field.is_none() && handle.is_none() {
            self.unsafe_class.substitute(kind, op);
            self.unsafe_class.unsafe_field();
        }
        let helper = Helper { kind, op, receiver, checks_offset, holder, value, field, offset, handle };
        let edited = match (read, receiver) {
            (Some(read), Receiver::Offset) => self.read_offset(read),
            (Some(read), _) => self.replace_read(read, Vec::new(), Vec::new(), true),
            (None, _) => Ok(()),
        };
        let edited = edited.and_then(|()| {
            let name = self.class.helper(helper);
            let mut asm = Asm::new(&mut self.class.file.pool);
            asm.invoke(Opcode::Invokestatic, &name)?;
            let code = asm.code;
            self.replace_call(code)
        });
        edited.map_err(|error| reasons::not_edited(&error))
    }
}

impl ClassEdit<'_> {
    /// The name of a helper of this class, which gets it if it has none like it yet.
    fn helper(&mut self, helper: Helper) -> MemberName {
        if let Some(name) = self.helpers.get(&helper) {
            return name.clone();
        }
        let class = self.file.name().map_or_else(|_| String::new(), |name| name.into_owned());
        let descriptor = helper.descriptor();
        let base = format!("r8lite${}", helper.op.name());
        let taken = |name: &str| {
            self.file.find_method(name, &descriptor).is_some()
                || self.helpers.values().any(|other| other.name == name && other.descriptor == descriptor)
        };
        let numbered = (1..).map(|number| format!("{base}${number}"));
        let name =
            std::iter::once(base.clone()).chain(numbered).find(|name| !taken(name)).expect("some number is free");
        let mut member = MemberName::new(class, name, descriptor);
        member.interface = self.file.access_flags & flags::INTERFACE != 0;
        self.helpers.insert(helper, member.clone());
        member
    }
}
