//! Static helper methods: what stands for a call that needs checks or a loop, so that no branch comes into the method
//! that has the call.
//!
//! ```text
//! static boolean compareAndSet(long offset, Object holder, Object expected, Object value) {
//!     if (offset == 0) throw new NullPointerException();             // the updater was null
//!     if (!(holder instanceof Node)) throw new ClassCastException();
//!     return UNSAFE.compareAndSwapObject(holder, offset, expected, (String) value);
//! }
//! ```

use r8lite_classfile::{ClassFile, CodeEdits, Frame, Insn, Label, Opcode, Result, VerificationType, descriptor};
use r8lite_passes::plan::{Kind, Operation};

use super::asm::{Asm, MemberName};
use super::unsafes::{self, By, HANDLE_TYPE, Handle, UNSAFE, UNSAFE_TYPE};

/// A helper, by all that its code depends on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Helper {
    pub(crate) kind: Kind,
    pub(crate) op: Operation,
    pub(crate) receiver: Receiver,
    /// Whether an offset of 0 stands for a null updater.
    pub(crate) checks_offset: bool,
    pub(crate) holder: HolderCheck,
    /// What a new value has to be an instance of.
    pub(crate) value: Option<String>,
    /// The field that it accesses as such; none if it does so by the offset.
    pub(crate) field: Option<MemberName>,
    /// The static field that has the offset, if that is needed and not given.
    pub(crate) offset: Option<MemberName>,
    /// The types of the handle that stands for the offset; none if Unsafe accesses the field.
    pub(crate) handle: Option<Handle>,
}

/// What a helper is given in the place of the updater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Receiver {
    /// Nothing.
    Gone,
    /// Some updater or null, at which it does not look.
    Updater,
    /// The offset.
    Offset,
}

/// What a helper demands of the holder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum HolderCheck {
    /// Nothing.
    Proven,
    /// That it is not null.
    NotNull,
    /// That it is an instance of a class.
    Instance(String),
}

impl Helper {
    /// Its descriptor.
    pub(crate) fn descriptor(&self) -> String {
        let receiver = match self.receiver {
            Receiver::Gone => String::new(),
            Receiver::Updater => format!("L{};", self.kind.class_name().replace('.', "/")),
            Receiver::Offset if self.handle.is_some() => HANDLE_TYPE.to_owned(),
            Receiver::Offset => "J".to_owned(),
        };
        let (arguments, result) = signature(self.kind, self.op);
        format!("({receiver}Ljava/lang/Object;{arguments}){result}")
    }

    /// Its code. `unsafe_class` is the class that has Unsafe.
    pub(crate) fn code(&self, class: &mut ClassFile<'_>, unsafe_class: &str, since_24: bool) -> Result<CodeEdits> {
        let mut writer = Writer::new(class, &self.descriptor(), unsafe_class)?;
        let holder = match self.receiver {
            Receiver::Gone => 0,
            Receiver::Updater => 1,
            Receiver::Offset if self.handle.is_some() => 1,
            Receiver::Offset => 2,
        };
        if self.checks_offset {
            self.offset(&mut writer.asm)?;
            let branch = match self.handle {
                Some(_) => Opcode::Ifnonnull,
                None => {
                    writer.asm.op(Opcode::Lconst0);
                    writer.asm.op(Opcode::Lcmp);
                    Opcode::Ifne
                }
            };
            writer.or_throw(branch, "java/lang/NullPointerException")?;
        }
        match &self.holder {
            HolderCheck::Proven => {}
            HolderCheck::NotNull => {
                writer.asm.insn(Insn::load(Opcode::Aload, holder));
                writer.or_throw(Opcode::Ifnonnull, "java/lang/ClassCastException")?;
            }
            HolderCheck::Instance(class) => {
                writer.asm.insn(Insn::load(Opcode::Aload, holder));
                writer.asm.class(Opcode::Instanceof, class)?;
                writer.or_throw(Opcode::Ifne, "java/lang/ClassCastException")?;
            }
        }
        match &self.field {
            Some(field) => self.by_field(&mut writer.asm, field, holder)?,
            None if self.op.takes_function() => self.by_loop(&mut writer, holder)?,
            None => {
                let substitute = unsafes::substitute(unsafe_class, self.kind, self.op).filter(|_| !since_24);
                self.by_offset(&mut writer, holder, substitute.as_ref())?;
            }
        }
        Ok(writer.finish())
    }

    fn offset(&self, asm: &mut Asm<'_, '_>) -> Result<()> {
        match &self.offset {
            Some(field) => asm.field(Opcode::Getstatic, field),
            None => {
                asm.insn(Insn::load(if self.handle.is_some() { Opcode::Aload } else { Opcode::Lload }, 0));
                Ok(())
            }
        }
    }

    /// Pushes what the access takes before the arguments.
    fn place(&self, writer: &mut Writer<'_, '_>, holder: u16) -> Result<()> {
        match &self.handle {
            Some(handle) => {
                self.offset(&mut writer.asm)?;
                writer.asm.insn(Insn::load(Opcode::Aload, holder));
                writer.asm.class(Opcode::Checkcast, &handle.holder)
            }
            None => {
                writer.asm.field(Opcode::Getstatic, &writer.unsafe_field)?;
                writer.asm.insn(Insn::load(Opcode::Aload, holder));
                self.offset(&mut writer.asm)
            }
        }
    }

    /// What does an operation of the helper's.
    fn by<'x>(&'x self, instead: Option<&'x MemberName>) -> By<'x> {
        self.handle.as_ref().map_or(By::Unsafe { instead }, By::Handle)
    }

    /// Whether an argument has to be cast. A handle casts all that it is given, so all has to be what it takes.
    fn casts(&self, index: usize) -> bool {
        self.op.new_value_arg() == Some(index) || self.handle.is_some()
    }

    /// Pushes the arguments of the operation.
    fn arguments(&self, asm: &mut Asm<'_, '_>, holder: u16) -> Result<()> {
        let code = unsafes::value_code(self.kind);
        let (arguments, _) = signature(self.kind, self.op);
        let mut local = holder + 1;
        for index in 0..descriptor::parameters(&format!("({arguments})V"))?.count() {
            asm.insn(Insn::load(code.load, local));
            if let Some(class) = self.value.as_ref().filter(|_| self.casts(index)) {
                asm.class(Opcode::Checkcast, class)?;
            }
            local += code.slots;
        }
        Ok(())
    }

    fn by_field(&self, asm: &mut Asm<'_, '_>, field: &MemberName, holder: u16) -> Result<()> {
        asm.insn(Insn::load(Opcode::Aload, holder));
        asm.class(Opcode::Checkcast, &field.class)?;
        if self.op == Operation::Get {
            asm.field(Opcode::Getfield, field)?;
        } else {
            self.arguments(asm, holder)?;
            asm.field(Opcode::Putfield, field)?;
        }
        self.ret(asm);
        Ok(())
    }

    fn by_offset(&self, writer: &mut Writer<'_, '_>, holder: u16, substitute: Option<&MemberName>) -> Result<()> {
        if let (Some(handle), Some(class)) = (&self.handle, &self.value)
            && matches!(self.op, Operation::CompareAndSet | Operation::WeakCompareAndSet)
        {
            self.compare_with_anything(writer, holder, handle, class)?;
        }
        self.place(writer, holder)?;
        self.arguments(&mut writer.asm, holder)?;
        unsafes::perform(&mut writer.asm, self.kind, self.op, self.by(substitute), writer.locals)?;
        self.ret(&mut writer.asm);
        Ok(())
    }

    /// Returns false if the expected value is no value of the field, where the handle would throw. Then the new value is
    /// checked all the same, and the field is read.
    fn compare_with_anything(
        &self,
        writer: &mut Writer<'_, '_>,
        holder: u16,
        handle: &Handle,
        class: &str,
    ) -> Result<()> {
        let fits = writer.edits.new_label();
        let (expected, value) = (holder + 1, holder + 2);
        writer.asm.insn(Insn::load(Opcode::Aload, expected));
        writer.asm.insn(Insn::Branch(Opcode::Ifnull, fits));
        writer.asm.insn(Insn::load(Opcode::Aload, expected));
        writer.asm.class(Opcode::Instanceof, class)?;
        writer.asm.insn(Insn::Branch(Opcode::Ifne, fits));
        writer.asm.insn(Insn::load(Opcode::Aload, value));
        writer.asm.class(Opcode::Checkcast, class)?;
        writer.asm.op(Opcode::Pop);
        self.place(writer, holder)?;
        unsafes::perform(&mut writer.asm, self.kind, Operation::Get, By::Handle(handle), 0)?;
        writer.asm.op(Opcode::Pop);
        writer.asm.op(Opcode::Iconst0);
        writer.asm.op(Opcode::Ireturn);
        writer.asm.insn(Insn::Label(fits));
        writer.edits.frame(fits, writer.frame.clone());
        Ok(())
    }

    fn by_loop(&self, writer: &mut Writer<'_, '_>, holder: u16) -> Result<()> {
        let code = unsafes::value_code(self.kind);
        let is_unary = matches!(self.op, Operation::GetAndUpdate | Operation::UpdateAndGet);
        let function = if is_unary { holder + 1 } else { holder + 1 + code.slots };
        let (old, new) = (writer.locals, writer.locals + code.slots);
        let retry = writer.label_here();
        self.place(writer, holder)?;
        unsafes::perform(&mut writer.asm, self.kind, Operation::Get, self.by(None), 0)?;
        let asm = &mut writer.asm;
        asm.insn(Insn::store(code.store, old));
        asm.insn(Insn::load(Opcode::Aload, function));
        asm.insn(Insn::load(code.load, old));
        if !is_unary {
            asm.insn(Insn::load(code.load, holder + 1));
        }
        asm.invoke_interface(&function_method(self.kind, is_unary))?;
        if let Some(class) = &self.value {
            asm.class(Opcode::Checkcast, class)?;
        }
        asm.insn(Insn::store(code.store, new));
        self.place(writer, holder)?;
        let asm = &mut writer.asm;
        asm.insn(Insn::load(code.load, old));
        asm.insn(Insn::load(code.load, new));
        unsafes::perform(asm, self.kind, Operation::CompareAndSet, self.by(None), 0)?;
        asm.insn(Insn::Branch(Opcode::Ifeq, retry));
        let returns_old = matches!(self.op, Operation::GetAndUpdate | Operation::GetAndAccumulate);
        asm.insn(Insn::load(code.load, if returns_old { old } else { new }));
        asm.op(code.ret);
        Ok(())
    }

    fn ret(&self, asm: &mut Asm<'_, '_>) {
        let (_, result) = signature(self.kind, self.op);
        asm.op(match result {
            "V" => Opcode::Return,
            "Z" => Opcode::Ireturn,
            _ => unsafes::value_code(self.kind).ret,
        });
    }
}

/// The code of a method that does what a method of Unsafe does which Android lacks before API level 24; see
/// [`unsafes::substitute`]. It is given Unsafe, a holder, an offset, and the new value or what to add.
pub(crate) fn substitute_code(
    class: &mut ClassFile<'_>,
    method: &MemberName,
    kind: Kind,
    op: Operation,
) -> Result<CodeEdits> {
    let mut writer = Writer::new(class, &method.descriptor, "")?;
    let code = unsafes::value_code(kind);
    let old = writer.locals;
    let retry = writer.label_here();
    let asm = &mut writer.asm;
    let place = [Insn::load(Opcode::Aload, 0), Insn::load(Opcode::Aload, 1), Insn::load(Opcode::Lload, 2)];
    asm.code.extend(place.clone());
    unsafes::perform(asm, kind, Operation::Get, By::Unsafe { instead: None }, 0)?;
    asm.insn(Insn::store(code.store, old));
    asm.code.extend(place);
    asm.insn(Insn::load(code.load, old));
    if op == Operation::GetAndSet {
        asm.insn(Insn::load(code.load, 4));
    } else {
        asm.insn(Insn::load(code.load, old));
        asm.insn(Insn::load(code.load, 4));
        asm.op(code.add);
    }
    unsafes::perform(asm, kind, Operation::CompareAndSet, By::Unsafe { instead: None }, 0)?;
    asm.insn(Insn::Branch(Opcode::Ifeq, retry));
    asm.insn(Insn::load(code.load, old));
    asm.op(code.ret);
    Ok(writer.finish())
}

/// The descriptors of an operation's arguments after updater and holder, and of its result.
pub(crate) fn signature(kind: Kind, op: Operation) -> (String, &'static str) {
    let (_, ty) = unsafes::value(kind);
    let function = |is_unary: bool| format!("L{};", function_method(kind, is_unary).class);
    match op {
        Operation::Get
        | Operation::GetAndIncrement
        | Operation::GetAndDecrement
        | Operation::IncrementAndGet
        | Operation::DecrementAndGet => (String::new(), ty),
        Operation::Set | Operation::LazySet => (ty.to_owned(), "V"),
        Operation::CompareAndSet | Operation::WeakCompareAndSet => (format!("{ty}{ty}"), "Z"),
        Operation::GetAndSet | Operation::GetAndAdd | Operation::AddAndGet => (ty.to_owned(), ty),
        Operation::GetAndUpdate | Operation::UpdateAndGet => (function(true), ty),
        Operation::GetAndAccumulate | Operation::AccumulateAndGet => (format!("{ty}{}", function(false)), ty),
    }
}

/// The method of the functional interface that an operation calls.
fn function_method(kind: Kind, is_unary: bool) -> MemberName {
    let (prefix, method) = match kind {
        Kind::Reference => ("", "apply"),
        Kind::Integer => ("Int", "applyAsInt"),
        Kind::Long => ("Long", "applyAsLong"),
    };
    let shape = if is_unary { "Unary" } else { "Binary" };
    let (_, ty) = unsafes::value(kind);
    let arguments = if is_unary { ty.to_owned() } else { format!("{ty}{ty}") };
    let class = format!("java/util/function/{prefix}{shape}Operator");
    MemberName::new(class, method, format!("({arguments}){ty}"))
}

/// A static method that is being written. All its branches find the stack empty and the parameters alone in variables.
struct Writer<'c, 'a> {
    asm: Asm<'c, 'a>,
    edits: CodeEdits,
    frame: Frame,
    /// How many slots the parameters take.
    locals: u16,
    unsafe_field: MemberName,
}

impl<'c, 'a> Writer<'c, 'a> {
    fn new(class: &'c mut ClassFile<'a>, descriptor: &str, unsafe_class: &str) -> Result<Writer<'c, 'a>> {
        let mut frame = Frame::default();
        for (index, parameter) in descriptor::parameters(descriptor)?.enumerate() {
            frame.locals.push(match parameter? {
                "I" => VerificationType::Integer,
                "J" => VerificationType::Long,
                _ => VerificationType::Argument(index as u16),
            });
        }
        let (locals, _) = descriptor::method_slots(descriptor)?;
        let unsafe_field = unsafe_field(unsafe_class);
        Ok(Writer { asm: Asm::new(&mut class.pool), edits: CodeEdits::new(), frame, locals, unsafe_field })
    }

    fn label_here(&mut self) -> Label {
        let label = self.edits.new_label();
        self.asm.insn(Insn::Label(label));
        self.edits.frame(label, self.frame.clone());
        label
    }

    /// Throws, unless the branch is taken.
    fn or_throw(&mut self, branch: Opcode, exception: &str) -> Result<()> {
        let label = self.edits.new_label();
        self.asm.insn(Insn::Branch(branch, label));
        self.asm.throw(exception)?;
        self.asm.insn(Insn::Label(label));
        self.edits.frame(label, self.frame.clone());
        Ok(())
    }

    fn finish(mut self) -> CodeEdits {
        self.edits.at_entry(self.asm.code);
        self.edits
    }
}

/// The static field that holds Unsafe.
pub(crate) fn unsafe_field(unsafe_class: &str) -> MemberName {
    MemberName::new(unsafe_class, UNSAFE.rsplit_once('/').map_or("", |(_, name)| name).to_uppercase(), UNSAFE_TYPE)
}
