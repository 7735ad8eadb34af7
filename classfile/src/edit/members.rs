//! Edits of classes: new fields, methods and attributes. To remove a member, take it out of its list.

use std::borrow::Cow;

use crate::class::{Attribute, ClassFile, Member};
use crate::code::Code;
use crate::descriptor::method_slots;
use crate::edit::{CodeEdits, rewrite};
use crate::error::{Problem, Result};
use crate::flags;
use crate::insn::Insn;
use crate::opcode::Opcode;
use crate::pool::{Constant, ConstantPool};

/// An attribute with this name and content.
///
/// # Errors
/// The constant pool is full.
pub fn new_attribute<'a>(pool: &mut ConstantPool<'a>, name: &str, content: Vec<u8>) -> Result<Attribute<'a>> {
    Ok(Attribute { name: pool.add_utf8(name)?, content: Cow::Owned(content), offset: None })
}

/// Has a module require another one, also when it runs. Nothing happens if it does already, or if this is no module.
///
/// # Errors
/// Its description is broken, or there is no room for more.
pub fn add_module_requires(class: &mut ClassFile<'_>, module: &str) -> Result<()> {
    /// Of what a module requires: only when it is compiled.
    const STATIC_PHASE: u16 = 0x40;
    let Some(required) = class.module_requires()? else { return Ok(()) };
    let row = required.iter().position(|required| required.name == module);
    let (count, flags) = (required.len(), row.map(|row| required[row].flags));
    let place = class.attributes.iter().position(|attribute| class.is_named(attribute, "Module"));
    let place = place.expect("it requires others by this attribute");
    // Name, flags and version of the module, then a count of rows of three numbers each.
    let row_start = |row: usize| 8 + row * 6;
    let mut content = class.attributes[place].content.to_vec();
    match (row, flags) {
        (Some(_), Some(flags)) if flags & STATIC_PHASE == 0 => return Ok(()),
        (Some(row), Some(flags)) => {
            let at = row_start(row) + 2;
            content[at..at + 2].copy_from_slice(&(flags & !STATIC_PHASE).to_be_bytes());
        }
        _ => {
            let more = u16::try_from(count + 1).map_err(|_| Problem::TooMany("required modules"))?;
            let name = class.pool.add_utf8(module)?;
            let module = class.pool.add(&Constant::Module { name })?;
            content[6..8].copy_from_slice(&more.to_be_bytes());
            let at = row_start(count);
            let [high, low] = module.0.to_be_bytes();
            content.splice(at..at, [high, low, 0, 0, 0, 0]);
        }
    }
    class.attributes[place].content = Cow::Owned(content);
    Ok(())
}

/// Adds a field and says which one it is. A synthetic one is marked as the class's version wants it.
///
/// # Errors
/// There is such a field already, or no room for another.
pub fn add_field(class: &mut ClassFile<'_>, access_flags: u16, name: &str, descriptor: &str) -> Result<usize> {
    if class.find_field(name, descriptor).is_some() {
        return Err(Problem::Exists(format!("field {name} {descriptor}")).into());
    }
    let member = new_member(class, access_flags, name, descriptor)?;
    add(&mut class.fields, member, "fields")
}

/// Adds a method and says which one it is. Its code is what `body` puts at the entry; an abstract or native method has
/// none. A synthetic one is marked as the class's version wants it.
///
/// # Errors
/// There is such a method already, no room for another, or the code cannot be written.
pub fn add_method(
    class: &mut ClassFile<'_>,
    access_flags: u16,
    name: &str,
    descriptor: &str,
    body: Option<&CodeEdits>,
) -> Result<usize> {
    if class.find_method(name, descriptor).is_some() {
        return Err(Problem::Exists(format!("method {name}{descriptor}")).into());
    }
    let receiver = u16::from(access_flags & flags::STATIC == 0);
    let (arguments, _) = method_slots(descriptor)?;
    let member = new_member(class, access_flags, name, descriptor)?;
    let method = add(&mut class.methods, member, "methods")?;
    let Some(body) = body else { return Ok(method) };
    let empty = Code {
        max_stack: 0,
        max_locals: arguments.saturating_add(receiver),
        bytes: &[],
        offset: None,
        exceptions: Vec::new(),
        attributes: Vec::new(),
    };
    let content = rewrite(class, method, &empty, body);
    let attribute = content.and_then(|content| new_attribute(&mut class.pool, "Code", content));
    match attribute {
        Ok(attribute) => {
            class.methods[method].attributes.insert(0, attribute);
            Ok(method)
        }
        Err(error) => {
            let error = class.place(error, &class.methods[method]);
            class.methods.pop();
            Err(error)
        }
    }
}

/// Adds a method with the code of another one of the class, and the exceptions that it declares, and says which one it is.
///
/// # Errors
/// There is such a method already, or no room for another.
///
/// # Panics
/// If there is no method of this number.
pub fn copy_method(class: &mut ClassFile<'_>, method: usize, access_flags: u16, name: &str) -> Result<usize> {
    let descriptor = class.pool.text(class.methods[method].descriptor)?.into_owned();
    if class.find_method(name, &descriptor).is_some() {
        return Err(Problem::Exists(format!("method {name}{descriptor}")).into());
    }
    let mut copy = new_member(class, access_flags, name, &descriptor)?;
    let is_copied =
        |attribute: &&Attribute<'_>| ["Code", "Exceptions"].into_iter().any(|name| class.is_named(attribute, name));
    copy.attributes.extend(class.methods[method].attributes.iter().filter(is_copied).cloned());
    add(&mut class.methods, copy, "methods")
}

/// The class initialiser `<clinit>`; one that only returns is added if there is none.
///
/// # Errors
/// There is no room for another method.
pub fn class_initializer(class: &mut ClassFile<'_>) -> Result<usize> {
    if let Some(method) = class.find_method("<clinit>", "()V") {
        return Ok(method);
    }
    let mut body = CodeEdits::new();
    body.at_entry([Insn::Plain(Opcode::Return)]);
    add_method(class, flags::STATIC, "<clinit>", "()V", Some(&body))
}

impl CodeEdits {
    /// Puts a copy of some code before each instruction that returns. The code must have no labels.
    ///
    /// # Errors
    /// The method's instructions are broken.
    pub fn before_returns(&mut self, code: &Code<'_>, insns: &[Insn]) -> Result<()> {
        for located in code.instructions() {
            let located = located?;
            if located.insn.opcode().is_some_and(Opcode::is_return) {
                self.before(located.offset, insns.iter().cloned());
            }
        }
        Ok(())
    }
}

fn new_member<'a>(class: &mut ClassFile<'a>, access_flags: u16, name: &str, descriptor: &str) -> Result<Member<'a>> {
    let mut attributes = Vec::new();
    // The flag means nothing before version 49.
    if access_flags & flags::SYNTHETIC != 0 && class.major_version < 49 {
        attributes.push(new_attribute(&mut class.pool, "Synthetic", Vec::new())?);
    }
    let (name, descriptor) = (class.pool.add_utf8(name)?, class.pool.add_utf8(descriptor)?);
    Ok(Member { access_flags, name, descriptor, attributes })
}

fn add<T>(list: &mut Vec<T>, member: T, what: &'static str) -> Result<usize> {
    if list.len() >= usize::from(u16::MAX) {
        return Err(Problem::TooMany(what).into());
    }
    list.push(member);
    Ok(list.len() - 1)
}
