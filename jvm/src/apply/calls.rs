//! The edits of one call.
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

use r8lite_classfile::{Insn, Opcode, VerificationType, descriptor, flags};
use r8lite_ir::{Answer, Class, Flags, Func, Op, Type};
use r8lite_passes::access;
use r8lite_passes::plan::{Access, CallPlan, Guard, Kind, Operation, Reason, Replacement, Site};

use rustc_hash::FxHashMap;

use super::asm::{Asm, MemberName};
use super::attempt::{Attempt, ClassEdit, FrameChange, MethodEdit};
use super::helper::{Helper, HolderCheck, Receiver, signature};
use super::place::{Boundary, CallPlace, Read};
use super::stack::Kind as SlotKind;
use super::unsafe_class::UnsafeClass;
use super::unsafes::{self, By, Handle};
use super::{Backend, reasons};

/// A call and all that is decided about it.
struct Call {
    site: Site,
    kind: Kind,
    op: Operation,
    replacement: Replacement,
    /// The class that the call stands in.
    from: Class,
    /// The class of the updater.
    owner: Class,
    holder: Type,
    value: Type,
    /// Whether the holder's static type is enough.
    is_typed: bool,
    target: MemberName,
    offset: Option<MemberName>,
    /// The types of the handle, if that is the backend.
    handle: Option<Handle>,
    /// What the read of the updater does besides, if it does anything that has to stay.
    trigger: Trigger,
    is_in_initialiser: bool,
}

/// How a class is initialised where an updater was read.
#[derive(Clone)]
enum Trigger {
    /// Not at all, or by what stays.
    None,
    /// By the instruction that read the updater, which stays.
    Read,
    /// By the read of another field.
    Field(MemberName),
    /// It should be, and there is no way.
    Missing,
}

impl<'a> Attempt<'a> {
    /// Edits a call that is to be replaced.
    pub(crate) fn edit_call(&mut self, plan: &CallPlan) -> Result<(), Reason> {
        let (input, method) = self.open(plan.site.func)?;
        self.find_readers(plan.site.func);
        let mut call = self.describe(plan)?;
        let class = self.classes.get(&input).expect("it was opened");
        let edit = class.methods.get(&method).expect("it was opened");
        let number = edit.flow.number(self.code_offset(call.site)).map_err(|odd| reasons::odd_code(&odd))?;
        if !is_call_of(class, edit, number, &call) {
            return Err(reasons::unexpected());
        }
        let (arguments, _) = signature(call.kind, call.op);
        let (arguments, _) = descriptor::method_slots(&format!("({arguments})V")).map_err(|_| reasons::unexpected())?;
        let place = CallPlace::find(&edit.flow, &class.file.pool, number, arguments.into());
        let mut place = place.ok_or_else(reasons::unexpected)?;
        place.read = place.read.filter(|read| !edit.edits.is_replaced(edit.flow.offset(read.number)));
        let read = place.read.map(|read| edit.flow.offset(read.number));
        let mut drops_read = false;
        if let Some((read, offset)) = place.read.as_mut().zip(read) {
            let leaf = self.leaf(&call, offset);
            let is_accessor = leaf.is_some_and(|leaf| leaf.is_foreign);
            if is_accessor {
                // It may initialise another class first.
                read.is_plain = false;
            }
            call.trigger = match leaf {
                Some(leaf) => self.call_trigger(&call, leaf.is_read),
                None => Trigger::None,
            };
            drops_read = leaf.is_some() && !is_accessor;
        }
        let value_fits = self.value_fits(&call, &place.last);
        let holder_fits = self.fits(&place.holder, call.holder);
        let is_handle_call = call.replacement.access == Access::Offset && call.handle.is_some();
        for (ty, fits) in [(call.holder, holder_fits), (call.value, value_fits)] {
            let is_named = is_handle_call || call.replacement.access == Access::Field && !fits;
            if is_named && let Some(class) = access::inaccessible_class(self.module, call.from, ty) {
                return Err(reasons::class_inaccessible(self.module.class_name(class)));
            }
        }
        let value_name = self.constant_name(call.value);
        let yields_class = matches!(call.op, Operation::Get | Operation::GetAndSet)
            && call.kind == Kind::Reference
            && self.is_class(&value_name);
        let is_compare = matches!(call.op, Operation::CompareAndSet | Operation::WeakCompareAndSet);
        let expected_proven = call.kind != Kind::Reference || !is_compare || self.proves(&place.first, call.value);
        let is_tight = self.tight.contains(&call.site.func);
        let class = self.classes.get_mut(&input).expect("it was opened");
        let unsafe_class = self.unsafe_classes.get_mut(&class.jar).expect("each jar with calls has one");
        let mut editor = Editor {
            call: &call,
            place: &place,
            class,
            method,
            unsafe_class,
            value_fits,
            holder_fits,
            yields_class,
            value_name,
            expected_proven,
            is_tight,
            drops_read,
        };
        editor.edit()
    }

    fn describe(&self, plan: &CallPlan) -> Result<Call, Reason> {
        let r8lite_passes::plan::Action::Replace(replacement) = plan.action else { return Err(reasons::unexpected()) };
        let (updater, recognised) = self.updater(plan.updater.ok_or_else(reasons::unexpected)?);
        let body = self.module.funcs[plan.site.func].body.as_ref().ok_or_else(reasons::unexpected)?;
        let holder = Type::Class(recognised.holder);
        let given = body.values[body.insts[plan.site.inst].args[1]].ty;
        let is_typed = self.hierarchy.is_assignable(self.module, given, holder) == Answer::Yes;
        let owner = self.owner(updater);
        let needs_offset = replacement.access == Access::Offset || replacement.guard == Guard::Offset;
        let from = self.module.funcs[plan.site.func].class;
        let wanted = if self.options.backend == Backend::VarHandle { 51 } else { 49 };
        if needs_offset {
            for class in [owner, from] {
                let version = self.module.classes[class].version;
                if version < wanted && (class == owner || wanted == 51) {
                    return Err(reasons::old_class(self.module.class_name(class), version, wanted));
                }
            }
        }
        let target = self.field_name(recognised.target);
        let handle = (self.options.backend == Backend::VarHandle)
            .then(|| Handle { holder: target.class.clone(), value: target.descriptor.clone() });
        Ok(Call {
            site: plan.site,
            kind: updater.kind,
            op: plan.op,
            replacement,
            from,
            owner,
            holder,
            value: recognised.value,
            is_typed,
            target,
            offset: self.offset_name(updater),
            handle,
            trigger: Trigger::None,
            is_in_initialiser: plan.site.func == recognised.store.func,
        })
    }

    /// Notes which instructions of a method may read an updater.
    fn find_readers(&mut self, func: Func) {
        if self.readers.as_ref().is_some_and(|(of, _)| *of == func) {
            return;
        }
        let mut readers = FxHashMap::default();
        if let Some(body) = &self.module.funcs[func].body {
            for (_, inst) in body.layout_insts() {
                let data = &body.insts[inst];
                if data.op == Op::GetStatic || data.op.is_invoke() {
                    readers.insert(data.origin.pos, inst);
                }
            }
        }
        self.readers = Some((func, readers));
    }

    /// The read of an updater at an offset of the code, if it is one: a `getstatic`, or the call of an accessor.
    fn leaf(&self, call: &Call, offset: u32) -> Option<Leaf> {
        let body = self.module.funcs[call.site.func].body.as_ref()?;
        let (func, readers) = self.readers.as_ref()?;
        let inst = *readers.get(&offset).filter(|_| *func == call.site.func)?;
        let data = &body.insts[inst];
        if data.op == Op::GetStatic {
            return Some(Leaf { is_read: true, is_foreign: false });
        }
        let callee = self.hierarchy.resolve_method(self.module, data.method_symbol()?)?;
        let callee = &self.module.funcs[callee];
        Some(Leaf { is_read: false, is_foreign: data.op != Op::InvokeStatic || callee.class != call.owner })
    }

    /// What has to initialise the updater's class in the place of its read.
    fn call_trigger(&self, call: &Call, is_read: bool) -> Trigger {
        if call.replacement.guard != Guard::Trigger || self.is_own_static(call.site.func, call.owner) {
            return Trigger::None;
        }
        if !is_read {
            return Trigger::Read;
        }
        match self.trigger_field(call.from, call.owner) {
            Some(field) => Trigger::Field(field),
            None => Trigger::Missing,
        }
    }

    /// Whether a method is static and of a class, so that the class is initialised, or being initialised by this very
    /// thread, whenever it runs.
    pub(crate) fn is_own_static(&self, func: Func, class: Class) -> bool {
        self.module.funcs[func].is_static() && self.module.funcs[func].class == class
    }

    /// A static field of a class that may be read from another, and is there when all is done.
    pub(crate) fn trigger_field(&self, from: Class, class: Class) -> Option<MemberName> {
        let module = self.module;
        if !access::class_accessible(module, from, class) {
            return None;
        }
        let may_read = |flags: Flags| {
            flags.has(Flags::STATIC)
                && !flags.has(Flags::VOLATILE)
                && access::member_accessible(module, from, class, flags)
        };
        let goes = |field: r8lite_ir::Field| self.plan.updaters.iter().any(|it| it.field == field && it.remove);
        let offsets = self.plan.updaters.iter().filter(|updater| self.owner(updater) == class);
        let offsets = offsets
            .filter(|updater| updater.offset.as_ref().is_some_and(|offset| may_read(offset.flags.with(Flags::STATIC))));
        let mut offsets = offsets.filter_map(|updater| self.offset_name(updater));
        let mut fields = module.classes[class].fields.iter().copied();
        let field = fields.find(|&field| may_read(module.fields[field].flags) && !goes(field));
        offsets.next().or_else(|| field.map(|field| self.field_name(field)))
    }

    /// Whether the verifier takes what is known of a slot for a type.
    fn fits(&self, kind: &SlotKind, ty: Type) -> bool {
        match kind {
            SlotKind::Null => ty.is_ref(),
            SlotKind::Other => !ty.is_ref(),
            SlotKind::Reference(name) if **name == *self.constant_name(ty) => true,
            SlotKind::Reference(name) => {
                let Type::Class(class) = ty else { return false };
                let data = &self.module.classes[class];
                let is_known = !self.hierarchy.is_extern(class);
                let from = self.module.find_class(&name.replace('/', "."));
                is_known && data.flags.has(Flags::INTERFACE)
                    || self.module.class_name(class) == "java.lang.Object"
                    || from.is_some_and(|from| self.hierarchy.is_subclass(from, class) == Answer::Yes)
            }
        }
    }

    /// Whether what is known of a slot proves that it holds null or an instance of a type. Interfaces prove nothing.
    fn proves(&self, kind: &SlotKind, ty: Type) -> bool {
        let is_object = matches!(ty, Type::Class(class) if self.module.class_name(class) == "java.lang.Object");
        match kind {
            SlotKind::Null => true,
            SlotKind::Other => false,
            SlotKind::Reference(name) => is_object || self.is_class(name) && self.fits(kind, ty),
        }
    }

    /// Whether an internal name is that of something known to be a class, and no interface.
    fn is_class(&self, name: &str) -> bool {
        let class = self.module.find_class(&name.replace('/', "."));
        class.is_some_and(|class| {
            !self.hierarchy.is_extern(class) && !self.module.classes[class].flags.has(Flags::INTERFACE)
        })
    }

    fn value_fits(&self, call: &Call, last: &SlotKind) -> bool {
        call.kind != Kind::Reference || call.op.new_value_arg().is_none() || self.fits(last, call.value)
    }
}

/// An instruction that reads an updater.
#[derive(Clone, Copy)]
struct Leaf {
    /// Whether it reads the field itself.
    is_read: bool,
    /// Whether it is the call of an accessor that may do something else before.
    is_foreign: bool,
}

fn is_call_of(class: &ClassEdit<'_>, edit: &MethodEdit, number: u32, call: &Call) -> bool {
    let Insn::Constant(Opcode::Invokevirtual, method) = edit.flow.insn(number) else { return false };
    let (arguments, result) = signature(call.kind, call.op);
    class.file.pool.member_ref(*method).is_ok_and(|method| {
        method.name == call.op.name() && method.descriptor == format!("(Ljava/lang/Object;{arguments}){result}")
    })
}

struct Editor<'e, 'a> {
    call: &'e Call,
    place: &'e CallPlace,
    class: &'e mut ClassEdit<'a>,
    method: u32,
    unsafe_class: &'e mut UnsafeClass,
    value_fits: bool,
    holder_fits: bool,
    value_name: String,
    /// Whether the result is such a value, and that is known to be a class and no interface.
    yields_class: bool,
    /// Whether the expected value, if there is one, is certainly null or a value of the field.
    expected_proven: bool,
    /// Whether the method has no room for more than a call of a helper.
    is_tight: bool,
    /// Whether the read of the updater is one of the program's, and is gone when it is edited.
    drops_read: bool,
}

type Edited = r8lite_classfile::Result<()>;

impl Editor<'_, '_> {
    fn edit(&mut self) -> Result<(), Reason> {
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
        // The read of the offset initialises the class as well.
        let reads_offset = replacement.access == Access::Offset && !is_plain || replacement.guard == Guard::Offset;
        if needs_trigger && !reads_offset && matches!(self.call.trigger, Trigger::Missing) {
            return Err(reasons::no_trigger(&self.call.target.class.replace('/', ".")));
        }
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
            (Trigger::None | Trigger::Missing, true) | (_, false) => {}
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
        let mut cast = Asm::new(&mut self.class.file.pool);
        cast.class(Opcode::Checkcast, holder)?;
        let mut cast = cast.code;
        if let Some(boundary) = boundary.filter(|boundary| boundary.after.is_some()) {
            self.behind_holder(&boundary, std::mem::take(&mut cast));
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
