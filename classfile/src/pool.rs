//! The constant pool: kept verbatim, read where it is asked for, and only ever appended to.
//!
//! An index once given out stays right, whatever is added. What is added is looked for first: a constant that is there
//! already, byte for byte, is used again.

use std::borrow::Cow;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::cursor::Cursor;
use crate::error::{Problem, Result};
use crate::mutf8;

/// An index into the constant pool. 0 means "none" where the specification says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolIndex(pub u16);

impl PoolIndex {
    /// No constant, as for the superclass of `java/lang/Object`.
    pub const NONE: PoolIndex = PoolIndex(0);
}

impl fmt::Display for PoolIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A constant, as the specification names them. Texts are in the class file's form of UTF-8 (see [`mutf8`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the fields are the specification's")]
pub enum Constant<'p> {
    Utf8(&'p [u8]),
    Integer(i32),
    /// The bits.
    Float(u32),
    /// Owns two indices.
    Long(i64),
    /// The bits. Owns two indices.
    Double(u64),
    Class {
        name: PoolIndex,
    },
    String {
        text: PoolIndex,
    },
    Fieldref {
        class: PoolIndex,
        name_and_type: PoolIndex,
    },
    Methodref {
        class: PoolIndex,
        name_and_type: PoolIndex,
    },
    InterfaceMethodref {
        class: PoolIndex,
        name_and_type: PoolIndex,
    },
    NameAndType {
        name: PoolIndex,
        descriptor: PoolIndex,
    },
    MethodHandle {
        kind: u8,
        reference: PoolIndex,
    },
    MethodType {
        descriptor: PoolIndex,
    },
    Dynamic {
        bootstrap: u16,
        name_and_type: PoolIndex,
    },
    InvokeDynamic {
        bootstrap: u16,
        name_and_type: PoolIndex,
    },
    Module {
        name: PoolIndex,
    },
    Package {
        name: PoolIndex,
    },
}

/// A field or method that an instruction names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemberRef<'p> {
    /// The internal name of the class, or the descriptor of an array type.
    pub class: Cow<'p, str>,
    /// Its name.
    pub name: Cow<'p, str>,
    /// Its descriptor.
    pub descriptor: Cow<'p, str>,
    /// Whether the constant is an `InterfaceMethodref`.
    pub interface: bool,
}

impl Constant<'_> {
    /// The kind, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Constant::Utf8(_) => "a Utf8",
            Constant::Integer(_) => "an Integer",
            Constant::Float(_) => "a Float",
            Constant::Long(_) => "a Long",
            Constant::Double(_) => "a Double",
            Constant::Class { .. } => "a Class",
            Constant::String { .. } => "a String",
            Constant::Fieldref { .. } => "a Fieldref",
            Constant::Methodref { .. } => "a Methodref",
            Constant::InterfaceMethodref { .. } => "an InterfaceMethodref",
            Constant::NameAndType { .. } => "a NameAndType",
            Constant::MethodHandle { .. } => "a MethodHandle",
            Constant::MethodType { .. } => "a MethodType",
            Constant::Dynamic { .. } => "a Dynamic",
            Constant::InvokeDynamic { .. } => "an InvokeDynamic",
            Constant::Module { .. } => "a Module",
            Constant::Package { .. } => "a Package",
        }
    }

    /// Whether it owns two indices.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(self, Constant::Long(_) | Constant::Double(_))
    }

    pub(crate) fn read<'a>(cursor: &mut Cursor<'a>) -> Result<Constant<'a>> {
        let start = cursor.clone();
        let index = |cursor: &mut Cursor<'a>| cursor.u2().map(PoolIndex);
        Ok(match cursor.u1()? {
            1 => {
                let length = cursor.u2()?;
                Constant::Utf8(cursor.take(usize::from(length))?)
            }
            3 => Constant::Integer(cursor.i4()?),
            4 => Constant::Float(cursor.u4()?),
            5 => Constant::Long(i64::from(cursor.i4()?) << 32 | i64::from(cursor.u4()?)),
            6 => Constant::Double(u64::from(cursor.u4()?) << 32 | u64::from(cursor.u4()?)),
            7 => Constant::Class { name: index(cursor)? },
            8 => Constant::String { text: index(cursor)? },
            9 => Constant::Fieldref { class: index(cursor)?, name_and_type: index(cursor)? },
            10 => Constant::Methodref { class: index(cursor)?, name_and_type: index(cursor)? },
            11 => Constant::InterfaceMethodref { class: index(cursor)?, name_and_type: index(cursor)? },
            12 => Constant::NameAndType { name: index(cursor)?, descriptor: index(cursor)? },
            15 => Constant::MethodHandle { kind: cursor.u1()?, reference: index(cursor)? },
            16 => Constant::MethodType { descriptor: index(cursor)? },
            17 => Constant::Dynamic { bootstrap: cursor.u2()?, name_and_type: index(cursor)? },
            18 => Constant::InvokeDynamic { bootstrap: cursor.u2()?, name_and_type: index(cursor)? },
            19 => Constant::Module { name: index(cursor)? },
            20 => Constant::Package { name: index(cursor)? },
            tag => return Err(start.error(Problem::Tag(tag))),
        })
    }

    fn write(&self) -> Vec<u8> {
        let two = |tag: u8, one: u16, two: u16| {
            let (one, two) = (one.to_be_bytes(), two.to_be_bytes());
            vec![tag, one[0], one[1], two[0], two[1]]
        };
        let tagged = |tag: u8, bytes: &[u8]| [&[tag], bytes].concat();
        match *self {
            Constant::Utf8(text) => {
                let length = u16::try_from(text.len()).expect("checked where constants are added");
                [&[1], &length.to_be_bytes()[..], text].concat()
            }
            Constant::Integer(value) => tagged(3, &value.to_be_bytes()),
            Constant::Float(bits) => tagged(4, &bits.to_be_bytes()),
            Constant::Long(value) => tagged(5, &value.to_be_bytes()),
            Constant::Double(bits) => tagged(6, &bits.to_be_bytes()),
            Constant::Class { name } => tagged(7, &name.0.to_be_bytes()),
            Constant::String { text } => tagged(8, &text.0.to_be_bytes()),
            Constant::Fieldref { class, name_and_type } => two(9, class.0, name_and_type.0),
            Constant::Methodref { class, name_and_type } => two(10, class.0, name_and_type.0),
            Constant::InterfaceMethodref { class, name_and_type } => two(11, class.0, name_and_type.0),
            Constant::NameAndType { name, descriptor } => two(12, name.0, descriptor.0),
            Constant::MethodHandle { kind, reference } => {
                let [high, low] = reference.0.to_be_bytes();
                vec![15, kind, high, low]
            }
            Constant::MethodType { descriptor } => tagged(16, &descriptor.0.to_be_bytes()),
            Constant::Dynamic { bootstrap, name_and_type } => two(17, bootstrap, name_and_type.0),
            Constant::InvokeDynamic { bootstrap, name_and_type } => two(18, bootstrap, name_and_type.0),
            Constant::Module { name } => tagged(19, &name.0.to_be_bytes()),
            Constant::Package { name } => tagged(20, &name.0.to_be_bytes()),
        }
    }
}

/// The constant pool of a class.
#[derive(Clone, Debug, Default)]
pub struct ConstantPool<'a> {
    /// The entries as they were read, all of them well-formed.
    original: &'a [u8],
    /// The entries that were added, well-formed too.
    added: Vec<u8>,
    /// Where each entry begins, counted through `original` and then `added`; `NOWHERE` for 0 and for the second
    /// indices of wide constants.
    starts: Vec<u32>,
    /// The first index of each entry, by its bytes; made when the first constant is added.
    known: FxHashMap<Cow<'a, [u8]>, PoolIndex>,
}

const NOWHERE: u32 = u32::MAX;

impl<'a> ConstantPool<'a> {
    /// A pool without constants.
    #[must_use]
    pub fn new() -> ConstantPool<'a> {
        ConstantPool { starts: vec![NOWHERE], ..ConstantPool::default() }
    }

    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Result<ConstantPool<'a>> {
        let start = cursor.clone();
        let count = usize::from(cursor.u2()?);
        if count == 0 {
            return Err(start.error(Problem::Value { what: "the size of the constant pool", found: 0 }));
        }
        let body = cursor.clone();
        // The smallest constant has three bytes.
        let mut starts = Vec::with_capacity(count.min(cursor.left() / 3 + 1));
        starts.push(NOWHERE);
        while starts.len() < count {
            starts.push((cursor.at() - body.at()) as u32);
            if Constant::read(cursor)?.is_wide() {
                starts.push(NOWHERE);
            }
        }
        if starts.len() > count {
            // A wide constant at the last index: its second index is beyond the pool.
            return Err(body.error(Problem::NoConstant { index: count as u16, count }));
        }
        let original = body.clone().take(cursor.at() - body.at())?;
        Ok(ConstantPool { original, added: Vec::new(), starts, known: FxHashMap::default() })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend((self.starts.len() as u16).to_be_bytes());
        out.extend(self.original);
        out.extend(&self.added);
    }

    /// One more than the highest index.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "index 0 always exists, so that no pool is empty")]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The bytes from an entry's tag on, which go on to the end of all entries.
    fn bytes_from(&self, index: PoolIndex) -> Option<&[u8]> {
        let start = *self.starts.get(usize::from(index.0))?;
        if start == NOWHERE {
            return None;
        }
        let start = start as usize;
        Some(match start.checked_sub(self.original.len()) {
            Some(start) => &self.added[start..],
            None => &self.original[start..],
        })
    }

    /// The constant at an index.
    ///
    /// # Errors
    /// There is none.
    pub fn get(&self, index: PoolIndex) -> Result<Constant<'_>> {
        match self.bytes_from(index) {
            Some(bytes) => Constant::read(&mut Cursor::new(bytes, 0)),
            None => Err(Problem::NoConstant { index: index.0, count: self.len() }.into()),
        }
    }

    /// All constants, in order.
    pub fn iter(&self) -> impl Iterator<Item = (PoolIndex, Constant<'_>)> {
        let indices = (1..self.starts.len()).map(|index| PoolIndex(index as u16));
        indices.filter_map(|index| Some((index, self.get(index).ok()?)))
    }

    fn wrong<T>(&self, index: PoolIndex, found: Constant<'_>, wanted: &'static str) -> Result<T> {
        Err(Problem::WrongConstant { index: index.0, found: found.kind(), wanted }.into())
    }

    /// The bytes of a `Utf8`.
    ///
    /// # Errors
    /// There is no such constant, or it is another.
    pub fn utf8(&self, index: PoolIndex) -> Result<&[u8]> {
        match self.get(index)? {
            Constant::Utf8(bytes) => Ok(bytes),
            found => self.wrong(index, found, "a Utf8"),
        }
    }

    /// The text of a `Utf8`.
    ///
    /// # Errors
    /// There is no such constant, or it is another, or no Unicode text: two such must not be taken for one another.
    pub fn text(&self, index: PoolIndex) -> Result<Cow<'_, str>> {
        mutf8::decode(self.utf8(index)?).ok_or_else(|| Problem::NotText(index.0).into())
    }

    /// The text of a `Utf8` for messages: whatever is wrong with it shows in the text.
    #[must_use]
    pub fn text_lossy(&self, index: PoolIndex) -> Cow<'_, str> {
        match self.utf8(index) {
            Ok(bytes) => mutf8::decode(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes)),
            Err(_) => Cow::Owned(index.to_string()),
        }
    }

    /// The name in a `Class`: an internal name, or the descriptor of an array type.
    ///
    /// # Errors
    /// There is no such constant, or it is another.
    pub fn class_name(&self, index: PoolIndex) -> Result<Cow<'_, str>> {
        match self.get(index)? {
            Constant::Class { name } => self.text(name),
            found => self.wrong(index, found, "a Class"),
        }
    }

    /// Name and descriptor in a `NameAndType`.
    ///
    /// # Errors
    /// There is no such constant, or it is another.
    pub fn name_and_type(&self, index: PoolIndex) -> Result<(Cow<'_, str>, Cow<'_, str>)> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => Ok((self.text(name)?, self.text(descriptor)?)),
            found => self.wrong(index, found, "a NameAndType"),
        }
    }

    /// What a `Fieldref`, `Methodref` or `InterfaceMethodref` names.
    ///
    /// # Errors
    /// There is no such constant, or it is another.
    pub fn member_ref(&self, index: PoolIndex) -> Result<MemberRef<'_>> {
        let found = self.get(index)?;
        match found {
            Constant::Fieldref { class, name_and_type }
            | Constant::Methodref { class, name_and_type }
            | Constant::InterfaceMethodref { class, name_and_type } => {
                let (name, descriptor) = self.name_and_type(name_and_type)?;
                let interface = matches!(found, Constant::InterfaceMethodref { .. });
                Ok(MemberRef { class: self.class_name(class)?, name, descriptor, interface })
            }
            _ => self.wrong(index, found, "a Fieldref or Methodref"),
        }
    }

    /// The descriptor in what names a member, or in an `InvokeDynamic`.
    pub(crate) fn member_descriptor(&self, index: PoolIndex) -> Result<Cow<'_, str>> {
        match self.get(index)? {
            Constant::Fieldref { name_and_type, .. }
            | Constant::Methodref { name_and_type, .. }
            | Constant::InterfaceMethodref { name_and_type, .. }
            | Constant::InvokeDynamic { name_and_type, .. } => match self.get(name_and_type)? {
                Constant::NameAndType { descriptor, .. } => self.text(descriptor),
                found => self.wrong(name_and_type, found, "a NameAndType"),
            },
            found => self.wrong(index, found, "a Fieldref or Methodref"),
        }
    }

    /// Index of a constant, which is appended if there is none like it.
    ///
    /// # Errors
    /// The pool is full, or a text is longer than 65535 bytes.
    pub fn add(&mut self, constant: &Constant<'_>) -> Result<PoolIndex> {
        if let Constant::Utf8(text) = constant
            && text.len() > usize::from(u16::MAX)
        {
            return Err(Problem::TooMany("bytes in a text").into());
        }
        let bytes = constant.write();
        if self.known.is_empty() {
            self.learn();
        }
        if let Some(index) = self.known.get(&bytes[..]) {
            return Ok(*index);
        }
        let next = self.starts.len();
        let slots = if constant.is_wide() { 2 } else { 1 };
        if next + slots > usize::from(u16::MAX) {
            return Err(Problem::TooMany("constants").into());
        }
        let index = PoolIndex(next as u16);
        self.starts.push((self.original.len() + self.added.len()) as u32);
        if constant.is_wide() {
            self.starts.push(NOWHERE);
        }
        self.added.extend(&bytes);
        self.known.insert(Cow::Owned(bytes), index);
        Ok(index)
    }

    /// Notes the entries that were read.
    fn learn(&mut self) {
        self.known.reserve(self.starts.len());
        for (index, start) in self.starts.iter().enumerate().filter(|(_, start)| **start != NOWHERE) {
            let entry = &self.original[*start as usize..];
            let mut cursor = Cursor::new(entry, 0);
            if Constant::read(&mut cursor).is_ok() {
                self.known.entry(Cow::Borrowed(&entry[..cursor.at()])).or_insert(PoolIndex(index as u16));
            }
        }
    }

    /// Adds a `Utf8`.
    ///
    /// # Errors
    /// As [`ConstantPool::add`]; so are those of the other `add_` methods.
    pub fn add_utf8(&mut self, text: &str) -> Result<PoolIndex> {
        self.add(&Constant::Utf8(&mutf8::encode(text)))
    }

    /// Adds a `Class`; the name is internal (`a/b/C`), or the descriptor of an array type.
    ///
    /// # Errors
    /// As [`ConstantPool::add`].
    pub fn add_class(&mut self, name: &str) -> Result<PoolIndex> {
        let name = self.add_utf8(name)?;
        self.add(&Constant::Class { name })
    }

    /// Adds a `String`.
    ///
    /// # Errors
    /// As [`ConstantPool::add`].
    pub fn add_string(&mut self, text: &str) -> Result<PoolIndex> {
        let text = self.add_utf8(text)?;
        self.add(&Constant::String { text })
    }

    /// Adds a `NameAndType`.
    ///
    /// # Errors
    /// As [`ConstantPool::add`].
    pub fn add_name_and_type(&mut self, name: &str, descriptor: &str) -> Result<PoolIndex> {
        let (name, descriptor) = (self.add_utf8(name)?, self.add_utf8(descriptor)?);
        self.add(&Constant::NameAndType { name, descriptor })
    }

    /// Adds a `Fieldref`.
    ///
    /// # Errors
    /// As [`ConstantPool::add`].
    pub fn add_field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<PoolIndex> {
        let (class, name_and_type) = (self.add_class(class)?, self.add_name_and_type(name, descriptor)?);
        self.add(&Constant::Fieldref { class, name_and_type })
    }

    /// Adds a `Methodref`.
    ///
    /// # Errors
    /// As [`ConstantPool::add`].
    pub fn add_method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<PoolIndex> {
        let (class, name_and_type) = (self.add_class(class)?, self.add_name_and_type(name, descriptor)?);
        self.add(&Constant::Methodref { class, name_and_type })
    }

    /// Adds an `InterfaceMethodref`.
    ///
    /// # Errors
    /// As [`ConstantPool::add`].
    pub fn add_interface_method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<PoolIndex> {
        let (class, name_and_type) = (self.add_class(class)?, self.add_name_and_type(name, descriptor)?);
        self.add(&Constant::InterfaceMethodref { class, name_and_type })
    }
}
