//! Attributes that somebody asks for, read when they do: nests, bootstrap methods, constant values, modules, lines.

use std::borrow::Cow;

use crate::class::{Attribute, ClassFile, Member};
use crate::code::Code;
use crate::cursor::Cursor;
use crate::error::{Error, Problem, Result};
use crate::pool::{Constant, PoolIndex};

/// A row of a class's bootstrap methods, which `Dynamic` and `InvokeDynamic` constants name by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// A `MethodHandle`.
    pub method: PoolIndex,
    /// Constants.
    pub arguments: Vec<PoolIndex>,
}

/// A row of a class's inner classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// The `Class` that is described: one that the class file mentions, be it this or another.
    pub class: PoolIndex,
    /// The `Class` it is a member of, or none.
    pub outer: PoolIndex,
    /// Its name in the source as a `Utf8`, or none.
    pub name: PoolIndex,
    /// Its flags in the source, which say `private` and `static`.
    pub access_flags: u16,
}

/// What a module needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requires<'p> {
    /// The name of the module.
    pub name: Cow<'p, str>,
    /// 0x20: transitive; 0x40: static, which is only when it is compiled; 0x1000 and 0x8000: not in the source.
    pub flags: u16,
}

impl ClassFile<'_> {
    /// The `Class` whose nest this one says it is in, if it is not its own host.
    ///
    /// # Errors
    /// The attribute is broken; so with the other methods here.
    pub fn nest_host(&self) -> Result<Option<PoolIndex>> {
        self.of_class("NestHost", |cursor| cursor.u2().map(PoolIndex))
    }

    /// The `Class`es that this one says are in its nest, itself left out.
    ///
    /// # Errors
    /// The attribute is broken.
    pub fn nest_members(&self) -> Result<Vec<PoolIndex>> {
        Ok(self.of_class("NestMembers", indices)?.unwrap_or_default())
    }

    /// The bootstrap methods.
    ///
    /// # Errors
    /// The attribute is broken.
    pub fn bootstrap_methods(&self) -> Result<Vec<BootstrapMethod>> {
        let rows = self.of_class("BootstrapMethods", |cursor| {
            let count = cursor.u2()?;
            cursor.list(usize::from(count), 4, |cursor| {
                Ok(BootstrapMethod { method: PoolIndex(cursor.u2()?), arguments: indices(cursor)? })
            })
        })?;
        Ok(rows.unwrap_or_default())
    }

    /// The inner classes that the class mentions.
    ///
    /// # Errors
    /// The attribute is broken.
    pub fn inner_classes(&self) -> Result<Vec<InnerClass>> {
        let rows = self.of_class("InnerClasses", |cursor| {
            let count = cursor.u2()?;
            cursor.list(usize::from(count), 8, |cursor| {
                Ok(InnerClass {
                    class: PoolIndex(cursor.u2()?),
                    outer: PoolIndex(cursor.u2()?),
                    name: PoolIndex(cursor.u2()?),
                    access_flags: cursor.u2()?,
                })
            })
        })?;
        Ok(rows.unwrap_or_default())
    }

    /// What a module needs; nothing if this is no `module-info`.
    ///
    /// # Errors
    /// The attribute is broken, or names what is no module.
    pub fn module_requires(&self) -> Result<Option<Vec<Requires<'_>>>> {
        self.of_class_start("Module", |cursor| {
            // Name, flags, version of the module itself.
            cursor.take(6)?;
            let count = cursor.u2()?;
            cursor.list(usize::from(count), 6, |cursor| {
                let (module, flags) = (PoolIndex(cursor.u2()?), cursor.u2()?);
                cursor.u2()?;
                match self.pool.get(module)? {
                    Constant::Module { name } => Ok(Requires { name: self.pool.text(name)?, flags }),
                    other => {
                        let (found, wanted) = (other.kind(), "a Module");
                        Err(Problem::WrongConstant { index: module.0, found, wanted }.into())
                    }
                }
            })
        })
    }

    /// The constant that a static field begins with, if it has one.
    ///
    /// # Errors
    /// The attribute is broken.
    pub fn constant_value(&self, field: &Member<'_>) -> Result<Option<PoolIndex>> {
        let value = self.whole(&field.attributes, "ConstantValue", |cursor| cursor.u2().map(PoolIndex));
        value.map_err(|error| self.place(error, field))
    }

    /// The offsets where lines of the source begin in code, and which lines, in the order of the table.
    ///
    /// # Errors
    /// A table is broken.
    pub fn line_numbers(&self, code: &Code<'_>) -> Result<Vec<(u32, u16)>> {
        let mut lines = Vec::new();
        for table in code.attributes.iter().filter(|attribute| self.is_named(attribute, "LineNumberTable")) {
            lines.extend(read_whole(table, |cursor| {
                let count = cursor.u2()?;
                cursor.list(usize::from(count), 4, |cursor| Ok((u32::from(cursor.u2()?), cursor.u2()?)))
            })?);
        }
        Ok(lines)
    }

    fn of_class<T>(&self, name: &str, read: impl FnOnce(&mut Cursor<'_>) -> Result<T>) -> Result<Option<T>> {
        self.whole(&self.attributes, name, read).map_err(|error| self.in_this(error))
    }

    /// As `of_class`, for an attribute of which only the start is read.
    fn of_class_start<T>(&self, name: &str, read: impl FnOnce(&mut Cursor<'_>) -> Result<T>) -> Result<Option<T>> {
        let attribute = self.attributes.iter().find(|attribute| self.is_named(attribute, name));
        attribute.map(|attribute| read(&mut open(attribute))).transpose().map_err(|error| self.in_this(error))
    }

    fn whole<T>(
        &self,
        attributes: &[Attribute<'_>],
        name: &str,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let attribute = attributes.iter().find(|attribute| self.is_named(attribute, name));
        attribute.map(|attribute| read_whole(attribute, read)).transpose()
    }

    fn in_this(&self, error: Error) -> Error {
        match self.name() {
            Ok(name) => error.in_class(&name),
            Err(_) => error,
        }
    }
}

fn indices(cursor: &mut Cursor<'_>) -> Result<Vec<PoolIndex>> {
    let count = cursor.u2()?;
    cursor.list(usize::from(count), 2, |cursor| cursor.u2().map(PoolIndex))
}

fn open<'c>(attribute: &'c Attribute<'_>) -> Cursor<'c> {
    Cursor::new(&attribute.content, attribute.offset.unwrap_or(0))
}

/// Reads an attribute to its end.
fn read_whole<T>(attribute: &Attribute<'_>, read: impl FnOnce(&mut Cursor<'_>) -> Result<T>) -> Result<T> {
    let mut cursor = open(attribute);
    let content = read(&mut cursor)?;
    cursor.finish()?;
    Ok(content)
}
