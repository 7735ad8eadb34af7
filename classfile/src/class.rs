//! Classes, fields, methods and attributes: what is read is what is written, byte for byte.

use std::borrow::Cow;

use crate::cursor::Cursor;
use crate::error::{Error, Problem, Result};
use crate::pool::{ConstantPool, PoolIndex};

/// The newest class file version that is known: that of Java 27.
pub const NEWEST_MAJOR: u16 = 71;

const MAGIC: u32 = 0xcafe_babe;

/// A class, as the specification has it. What is not edited borrows from the input.
#[derive(Clone, Debug)]
pub struct ClassFile<'a> {
    /// 65535 for classes that use preview features.
    pub minor_version: u16,
    /// 52 for Java 8, one more for each version since.
    pub major_version: u16,
    /// The constants.
    pub pool: ConstantPool<'a>,
    /// See [`crate::flags`].
    pub access_flags: u16,
    /// A `Class`.
    pub this_class: PoolIndex,
    /// A `Class`, or none for `java/lang/Object` and modules.
    pub super_class: PoolIndex,
    /// `Class`es.
    pub interfaces: Vec<PoolIndex>,
    /// The fields.
    pub fields: Vec<Member<'a>>,
    /// The methods.
    pub methods: Vec<Member<'a>>,
    /// The attributes of the class itself.
    pub attributes: Vec<Attribute<'a>>,
}

/// A field or a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// See [`crate::flags`].
    pub access_flags: u16,
    /// A `Utf8`.
    pub name: PoolIndex,
    /// A `Utf8`.
    pub descriptor: PoolIndex,
    /// Its attributes; a method's code is one of them.
    pub attributes: Vec<Attribute<'a>>,
}

/// An attribute: its name, and the bytes that follow its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// A `Utf8`.
    pub name: PoolIndex,
    /// The content, not looked into.
    pub content: Cow<'a, [u8]>,
    /// Where in the file the content was, for messages; `None` if it is new.
    pub offset: Option<usize>,
}

/// Reads a class. Methods' code and all other attributes are not looked into.
///
/// # Errors
/// It is no class file of a known version, or it is cut short, or something follows it.
pub fn read(bytes: &[u8]) -> Result<ClassFile<'_>> {
    let mut cursor = Cursor::new(bytes, 0);
    let cursor = &mut cursor;
    check_magic(cursor)?;
    let (minor_version, major_version) = check_version(cursor)?;
    let pool = ConstantPool::read(cursor)?;
    let access_flags = cursor.u2()?;
    let this_class = PoolIndex(cursor.u2()?);
    let super_class = PoolIndex(cursor.u2()?);
    let class_name = pool.class_name(this_class).map(Cow::into_owned);
    let mut rest = || -> Result<_> {
        let count = cursor.u2()?;
        let interfaces = cursor.list(usize::from(count), 2, |cursor| cursor.u2().map(PoolIndex))?;
        let fields = read_members(cursor, &pool)?;
        let methods = read_members(cursor, &pool)?;
        let attributes = read_attributes(cursor)?;
        cursor.finish()?;
        Ok((interfaces, fields, methods, attributes))
    };
    let (interfaces, fields, methods, attributes) = rest().map_err(|error| match &class_name {
        Ok(name) => error.in_class(name),
        Err(_) => error,
    })?;
    Ok(ClassFile {
        minor_version,
        major_version,
        pool,
        access_flags,
        this_class,
        super_class,
        interfaces,
        fields,
        methods,
        attributes,
    })
}

pub(crate) fn check_magic(cursor: &mut Cursor<'_>) -> Result<()> {
    let start = cursor.clone();
    match cursor.u4()? {
        MAGIC => Ok(()),
        other => Err(start.error(Problem::Magic(other))),
    }
}

/// Minor and major version.
pub(crate) fn check_version(cursor: &mut Cursor<'_>) -> Result<(u16, u16)> {
    let start = cursor.clone();
    let (minor, major) = (cursor.u2()?, cursor.u2()?);
    if (45..=NEWEST_MAJOR).contains(&major) {
        Ok((minor, major))
    } else {
        Err(start.error(Problem::Version { major, minor }))
    }
}

fn read_members<'a>(cursor: &mut Cursor<'a>, pool: &ConstantPool<'a>) -> Result<Vec<Member<'a>>> {
    let count = cursor.u2()?;
    cursor.list(usize::from(count), 8, |cursor| {
        let access_flags = cursor.u2()?;
        let (name, descriptor) = (PoolIndex(cursor.u2()?), PoolIndex(cursor.u2()?));
        let attributes =
            read_attributes(cursor).map_err(|error| error.in_member(&member_label(pool, name, descriptor)))?;
        Ok(Member { access_flags, name, descriptor, attributes })
    })
}

pub(crate) fn read_attributes<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Attribute<'a>>> {
    let count = cursor.u2()?;
    cursor.list(usize::from(count), 6, |cursor| {
        let name = PoolIndex(cursor.u2()?);
        let length = cursor.u4()?;
        let offset = cursor.offset();
        let content = cursor.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        Ok(Attribute { name, content: Cow::Borrowed(content), offset: Some(offset) })
    })
}

/// The bytes of a class. For a class that was read and not changed, those it was read from.
///
/// # Errors
/// There is more of something than a class file can have.
pub fn write(class: &ClassFile<'_>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    out.extend(MAGIC.to_be_bytes());
    out.extend(class.minor_version.to_be_bytes());
    out.extend(class.major_version.to_be_bytes());
    class.pool.write(&mut out);
    out.extend(class.access_flags.to_be_bytes());
    out.extend(class.this_class.0.to_be_bytes());
    out.extend(class.super_class.0.to_be_bytes());
    write_count(&mut out, class.interfaces.len(), "interfaces")?;
    for interface in &class.interfaces {
        out.extend(interface.0.to_be_bytes());
    }
    for (members, what) in [(&class.fields, "fields"), (&class.methods, "methods")] {
        write_count(&mut out, members.len(), what)?;
        for member in members {
            out.extend(member.access_flags.to_be_bytes());
            out.extend(member.name.0.to_be_bytes());
            out.extend(member.descriptor.0.to_be_bytes());
            write_attributes(&mut out, &member.attributes)?;
        }
    }
    write_attributes(&mut out, &class.attributes)?;
    Ok(out)
}

pub(crate) fn write_count(out: &mut Vec<u8>, count: usize, what: &'static str) -> Result<()> {
    let count = u16::try_from(count).map_err(|_| Problem::TooMany(what))?;
    out.extend(count.to_be_bytes());
    Ok(())
}

pub(crate) fn write_attributes(out: &mut Vec<u8>, attributes: &[Attribute<'_>]) -> Result<()> {
    write_count(out, attributes.len(), "attributes")?;
    for attribute in attributes {
        let length = u32::try_from(attribute.content.len()).map_err(|_| Problem::TooMany("bytes in an attribute"))?;
        out.extend(attribute.name.0.to_be_bytes());
        out.extend(length.to_be_bytes());
        out.extend(&*attribute.content);
    }
    Ok(())
}

/// Name and descriptor of a member, for messages.
fn member_label(pool: &ConstantPool<'_>, name: PoolIndex, descriptor: PoolIndex) -> String {
    format!("{}{}", pool.text_lossy(name), pool.text_lossy(descriptor))
}

impl<'a> ClassFile<'a> {
    /// A class without members.
    ///
    /// # Errors
    /// A name is longer than a class file can have.
    pub fn new(major_version: u16, access_flags: u16, name: &str, super_name: &str) -> Result<ClassFile<'a>> {
        let mut pool = ConstantPool::new();
        let this_class = pool.add_class(name)?;
        let super_class = pool.add_class(super_name)?;
        Ok(ClassFile {
            minor_version: 0,
            major_version,
            pool,
            access_flags,
            this_class,
            super_class,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        })
    }

    /// The internal name of the class.
    ///
    /// # Errors
    /// The constant is not there, or no name.
    pub fn name(&self) -> Result<Cow<'_, str>> {
        self.pool.class_name(self.this_class)
    }

    /// The internal name of the superclass, if there is one.
    ///
    /// # Errors
    /// The constant is not there, or no name.
    pub fn super_name(&self) -> Result<Option<Cow<'_, str>>> {
        if self.super_class == PoolIndex::NONE { Ok(None) } else { self.pool.class_name(self.super_class).map(Some) }
    }

    /// Which field has this name and descriptor.
    #[must_use]
    pub fn find_field(&self, name: &str, descriptor: &str) -> Option<usize> {
        self.find(&self.fields, name, descriptor)
    }

    /// Which method has this name and descriptor.
    #[must_use]
    pub fn find_method(&self, name: &str, descriptor: &str) -> Option<usize> {
        self.find(&self.methods, name, descriptor)
    }

    fn find(&self, members: &[Member<'_>], name: &str, descriptor: &str) -> Option<usize> {
        let (name, descriptor) = (crate::mutf8::encode(name), crate::mutf8::encode(descriptor));
        members.iter().position(|member| {
            self.pool.utf8(member.name).is_ok_and(|other| *other == *name)
                && self.pool.utf8(member.descriptor).is_ok_and(|other| *other == *descriptor)
        })
    }

    /// The first attribute with this name in a list of attributes of this class.
    #[must_use]
    pub fn attribute<'b>(&self, attributes: &'b [Attribute<'a>], name: &str) -> Option<&'b Attribute<'a>> {
        attributes.iter().find(|attribute| self.is_named(attribute, name))
    }

    /// Whether an attribute of this class has this name.
    #[must_use]
    pub fn is_named(&self, attribute: &Attribute<'_>, name: &str) -> bool {
        self.pool.utf8(attribute.name).is_ok_and(|other| other == name.as_bytes())
    }

    /// Says in an error, say of one of its instructions, that it is in this method.
    #[must_use]
    pub fn in_method(&self, method: usize, error: Error) -> Error {
        match self.methods.get(method) {
            Some(member) => self.place(error, member),
            None => error,
        }
    }

    /// Says in an error that it is in this member of this class.
    pub(crate) fn place(&self, error: Error, member: &Member<'_>) -> Error {
        let error = error.in_member(&member_label(&self.pool, member.name, member.descriptor));
        match self.name() {
            Ok(name) => error.in_class(&name),
            Err(_) => error,
        }
    }
}
