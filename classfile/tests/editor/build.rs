//! Small methods, written down instruction by instruction with their tables.

use r8lite_classfile::{
    ClassFile, CodeEdits, ConstantPool, Insn, Opcode, Result, add_method, apply, dump_method, flags,
};

/// A class `demo/Demo` with one static method `m`.
#[derive(Clone)]
pub(crate) struct Method {
    class: ClassFile<'static>,
}

pub(crate) fn plain<const N: usize>(opcodes: [Opcode; N]) -> [Insn; N] {
    opcodes.map(Insn::Plain)
}

impl Method {
    /// The method's body is what is put at the entry.
    pub(crate) fn new(descriptor: &str, write: impl FnOnce(&mut ConstantPool<'_>, &mut CodeEdits)) -> Method {
        Method::of_version(52, descriptor, write)
    }

    pub(crate) fn of_version(
        version: u16,
        descriptor: &str,
        write: impl FnOnce(&mut ConstantPool<'_>, &mut CodeEdits),
    ) -> Method {
        let mut class = ClassFile::new(version, flags::PUBLIC, "demo/Demo", "java/lang/Object").unwrap();
        let mut body = CodeEdits::new();
        write(&mut class.pool, &mut body);
        add_method(&mut class, flags::STATIC, "m", descriptor, Some(&body)).unwrap();
        Method { class }
    }

    /// Adds a table to the code, byte for byte.
    pub(crate) fn table(mut self, name: &str, content: &[u8]) -> Method {
        let name = self.class.pool.add_utf8(name).unwrap();
        let code = self.class.methods[0].attributes[0].content.to_mut();
        let number = |at: usize| usize::from(u16::from_be_bytes([code[at], code[at + 1]]));
        // Stack, locals, four bytes of length, code, exceptions.
        let exceptions = 8 + number(6);
        let count = exceptions + 2 + 8 * number(exceptions);
        let more = number(count) as u16 + 1;
        code[count..count + 2].copy_from_slice(&more.to_be_bytes());
        code.extend(name.0.to_be_bytes());
        code.extend((content.len() as u32).to_be_bytes());
        code.extend(content);
        self
    }

    pub(crate) fn class(&self) -> ClassFile<'static> {
        self.class.clone()
    }

    /// The method after edits, as text.
    pub(crate) fn edit(&self, edit: impl FnOnce(&mut CodeEdits)) -> Result<String> {
        let mut class = self.class();
        let mut edits = CodeEdits::new();
        edit(&mut edits);
        apply(&mut class, 0, &edits)?;
        dump_method(&class, 0)
    }
}

/// Numbers of two bytes each.
pub(crate) fn numbers(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// Edits a method and compares it with a text that begins with an empty line.
#[track_caller]
pub(crate) fn check(method: &Method, edit: impl FnOnce(&mut CodeEdits), expected: &str) {
    let edited = format!("\n{}", method.edit(edit).unwrap());
    assert!(edited == expected, "it is\n{edited}\nand not\n{expected}");
}
