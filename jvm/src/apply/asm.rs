//! Instructions as the edits write them: their constants go to the class's pool on the way.

use r8lite_classfile::{ConstantPool, Insn, Opcode, Result, descriptor};

/// A member of a class, as constants name it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct MemberName {
    /// The internal name of the class.
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    /// Whether the class is an interface.
    pub(crate) interface: bool,
}

impl MemberName {
    pub(crate) fn new(class: impl Into<String>, name: impl Into<String>, descriptor: impl Into<String>) -> MemberName {
        MemberName { class: class.into(), name: name.into(), descriptor: descriptor.into(), interface: false }
    }
}

/// Code that is being written.
pub(crate) struct Asm<'p, 'a> {
    pub(crate) pool: &'p mut ConstantPool<'a>,
    pub(crate) code: Vec<Insn>,
}

impl<'p, 'a> Asm<'p, 'a> {
    pub(crate) fn new(pool: &'p mut ConstantPool<'a>) -> Asm<'p, 'a> {
        Asm { pool, code: Vec::new() }
    }

    pub(crate) fn op(&mut self, opcode: Opcode) {
        self.code.push(Insn::Plain(opcode));
    }

    pub(crate) fn insn(&mut self, insn: Insn) {
        self.code.push(insn);
    }

    /// An access of a field.
    pub(crate) fn field(&mut self, opcode: Opcode, field: &MemberName) -> Result<()> {
        let index = self.pool.add_field(&field.class, &field.name, &field.descriptor)?;
        self.code.push(Insn::Constant(opcode, index));
        Ok(())
    }

    /// A call, but for `invokeinterface`.
    pub(crate) fn invoke(&mut self, opcode: Opcode, method: &MemberName) -> Result<()> {
        let MemberName { class, name, descriptor, interface } = method;
        let index = match interface {
            true => self.pool.add_interface_method(class, name, descriptor)?,
            false => self.pool.add_method(class, name, descriptor)?,
        };
        self.code.push(Insn::Constant(opcode, index));
        Ok(())
    }

    pub(crate) fn invoke_interface(&mut self, method: &MemberName) -> Result<()> {
        let (arguments, _) = descriptor::method_slots(&method.descriptor)?;
        let slots = u8::try_from(arguments + 1).expect("functions have few arguments");
        let method = self.pool.add_interface_method(&method.class, &method.name, &method.descriptor)?;
        self.code.push(Insn::InvokeInterface { method, slots });
        Ok(())
    }

    /// `checkcast`, `instanceof` or `new`.
    pub(crate) fn class(&mut self, opcode: Opcode, name: &str) -> Result<()> {
        let class = self.pool.add_class(name)?;
        self.code.push(Insn::Constant(opcode, class));
        Ok(())
    }

    pub(crate) fn string(&mut self, text: &str) -> Result<()> {
        let string = self.pool.add_string(text)?;
        self.code.push(Insn::Constant(Opcode::Ldc, string));
        Ok(())
    }

    /// Throws a new exception.
    pub(crate) fn throw(&mut self, exception: &str) -> Result<()> {
        self.class(Opcode::New, exception)?;
        self.op(Opcode::Dup);
        self.invoke(Opcode::Invokespecial, &MemberName::new(exception, "<init>", "()V"))?;
        self.op(Opcode::Athrow);
        Ok(())
    }
}
