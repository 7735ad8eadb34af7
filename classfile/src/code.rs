//! The `Code` attribute, split when somebody asks for it: header, instructions, exception table, sub-attributes.

use crate::class::{Attribute, ClassFile, Member, read_attributes, write_attributes, write_count};
use crate::cursor::Cursor;
use crate::error::{Problem, Result};
use crate::insn::Insn;
use crate::pool::PoolIndex;

/// More bytes of code the JVM does not take.
pub(crate) const MAX_CODE: u32 = 65535;

/// The parts of a `Code` attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code<'a> {
    /// The highest stack, in slots.
    pub max_stack: u16,
    /// How many local variables, in slots.
    pub max_locals: u16,
    /// The instructions; see [`Code::instructions`].
    pub bytes: &'a [u8],
    /// Where in the file they are, for messages.
    pub offset: Option<usize>,
    /// The exception table; the first row that covers an instruction and catches the class wins.
    pub exceptions: Vec<ExceptionRange>,
    /// Tables of lines and variables, stack map frames, and others.
    pub attributes: Vec<Attribute<'a>>,
}

/// A row of an exception table. Offsets are those of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionRange {
    /// The first instruction that is covered.
    pub start: u16,
    /// The first that no longer is.
    pub end: u16,
    /// Where the handler begins.
    pub handler: u16,
    /// The `Class` that is caught, or none for all.
    pub catch_type: PoolIndex,
}

/// An instruction and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The offset of its first byte.
    pub offset: u32,
    /// How many bytes it has.
    pub length: u32,
    /// The instruction.
    pub insn: Insn,
}

impl<'a> ClassFile<'a> {
    /// The code of a method, if it has any.
    ///
    /// # Errors
    /// There is no such method, or its code is cut short or followed by something.
    pub fn code(&self, method: usize) -> Result<Option<Code<'_>>> {
        let Some(member) = self.methods.get(method) else { return Err(Problem::Missing("method").into()) };
        self.member_code(member).map_err(|error| self.place(error, member))
    }

    fn member_code<'b>(&self, member: &'b Member<'a>) -> Result<Option<Code<'b>>> {
        let Some(attribute) = self.attribute(&member.attributes, "Code") else { return Ok(None) };
        let mut cursor = Cursor::new(&attribute.content, attribute.offset.unwrap_or(0));
        Code::read(&mut cursor, self.has_short_code()).map(Some)
    }

    /// Whether code has the header of class files before version 45.3, whose numbers have half the bytes.
    pub(crate) fn has_short_code(&self) -> bool {
        self.major_version == 45 && self.minor_version < 3
    }
}

impl<'a> Code<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>, short: bool) -> Result<Code<'a>> {
        let (max_stack, max_locals, length) = if short {
            (u16::from(cursor.u1()?), u16::from(cursor.u1()?), u32::from(cursor.u2()?))
        } else {
            (cursor.u2()?, cursor.u2()?, cursor.u4()?)
        };
        if !(1..=MAX_CODE).contains(&length) {
            return Err(cursor.error(Problem::CodeTooLarge(length as usize)));
        }
        let offset = Some(cursor.offset());
        let bytes = cursor.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        let count = cursor.u2()?;
        let exceptions = cursor.list(usize::from(count), 8, |cursor| {
            Ok(ExceptionRange {
                start: cursor.u2()?,
                end: cursor.u2()?,
                handler: cursor.u2()?,
                catch_type: PoolIndex(cursor.u2()?),
            })
        })?;
        let attributes = read_attributes(cursor)?;
        cursor.finish()?;
        Ok(Code { max_stack, max_locals, bytes, offset, exceptions, attributes })
    }

    pub(crate) fn write(&self, short: bool) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.bytes.len() + 64);
        if short {
            let byte = |value: u16, what| u8::try_from(value).map_err(|_| Problem::TooMany(what));
            out.push(byte(self.max_stack, "stack slots for so old a class")?);
            out.push(byte(self.max_locals, "local variables for so old a class")?);
            write_count(&mut out, self.bytes.len(), "bytes of code")?;
        } else {
            out.extend(self.max_stack.to_be_bytes());
            out.extend(self.max_locals.to_be_bytes());
            out.extend((self.bytes.len() as u32).to_be_bytes());
        }
        out.extend(self.bytes);
        write_count(&mut out, self.exceptions.len(), "exception ranges")?;
        for range in &self.exceptions {
            for number in [range.start, range.end, range.handler, range.catch_type.0] {
                out.extend(number.to_be_bytes());
            }
        }
        write_attributes(&mut out, &self.attributes)?;
        Ok(out)
    }

    /// The instructions, one after the other; after an error nothing follows. [`ClassFile::in_method`] says of such an
    /// error which class and method it is in.
    pub fn instructions(&self) -> impl Iterator<Item = Result<Located>> + use<'a> {
        let mut cursor = Cursor::new(self.bytes, self.offset.unwrap_or(0));
        let mut failed = false;
        std::iter::from_fn(move || {
            if failed || cursor.is_empty() {
                return None;
            }
            let offset = cursor.at() as u32;
            let located = Insn::read(&mut cursor).map(|insn| {
                let length = cursor.at() as u32 - offset;
                Located { offset, length, insn }
            });
            failed = located.is_err();
            Some(located)
        })
    }
}
