//! Stack map frames: what the JVM's verifier is told about locals and stack at the targets of branches.
//!
//! In the file a frame says how it differs from the one before. Here every frame is whole, and the shortest form is found
//! again when frames are written.

use crate::class::{ClassFile, Member};
use crate::cursor::Cursor;
use crate::descriptor::{class_constant, parameters};
use crate::error::{Problem, Result};
use crate::flags;
use crate::insn::Label;
use crate::pool::{ConstantPool, PoolIndex};

/// The type of a local variable or of a value on the stack, as the verifier sees it. `Long` and `Double` stand for both of
/// their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerificationType {
    /// Anything, or nothing.
    Top,
    /// `int` and everything smaller.
    Integer,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `long`.
    Long,
    /// The null reference.
    Null,
    /// `this` in a constructor that has not yet called another.
    UninitializedThis,
    /// An instance of a `Class`.
    Object(PoolIndex),
    /// What the `new` at this place made, before its constructor ran.
    Uninitialized(Label),
    /// An instance of the type of a parameter, counted from 0 without the receiver. The implicit frame at a method's start
    /// has these: the classes need not be in the constant pool.
    Argument(u16),
}

/// The types of locals and stack at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The local variables, without what is not known at the end.
    pub locals: Vec<VerificationType>,
    /// The stack, from its bottom.
    pub stack: Vec<VerificationType>,
}

impl Frame {
    /// How many slots the stack has.
    pub(crate) fn depth(&self) -> u32 {
        let wide = |kind: &&VerificationType| matches!(kind, VerificationType::Long | VerificationType::Double);
        (self.stack.len() + self.stack.iter().filter(wide).count()) as u32
    }
}

impl ClassFile<'_> {
    /// The stack map frames of a method and the offsets they are for, in order. Empty if it has none.
    ///
    /// # Errors
    /// There is no such method, or its table is broken.
    pub fn frames(&self, method: usize) -> Result<Vec<(u32, Frame)>> {
        let Some(code) = self.code(method)? else { return Ok(Vec::new()) };
        let member = &self.methods[method];
        let read = || {
            let Some(attribute) = self.attribute(&code.attributes, "StackMapTable") else { return Ok(Vec::new()) };
            let mut cursor = Cursor::new(&attribute.content, attribute.offset.unwrap_or(0));
            read_table(&mut cursor, initial_frame(self, member)?)
        };
        read().map_err(|error| self.place(error, member))
    }
}

/// The frame at a method's start, which no table has.
pub(crate) fn initial_frame(class: &ClassFile<'_>, member: &Member<'_>) -> Result<Frame> {
    let mut locals = Vec::new();
    if member.access_flags & flags::STATIC == 0 {
        let is_constructor = class.pool.utf8(member.name)? == b"<init>" && class.super_class != PoolIndex::NONE;
        locals.push(match is_constructor {
            true => VerificationType::UninitializedThis,
            false => VerificationType::Object(class.this_class),
        });
    }
    let descriptor = class.pool.text(member.descriptor)?;
    for (index, parameter) in parameters(&descriptor)?.enumerate() {
        locals.push(match parameter? {
            "B" | "C" | "I" | "S" | "Z" => VerificationType::Integer,
            "F" => VerificationType::Float,
            "J" => VerificationType::Long,
            "D" => VerificationType::Double,
            _ => VerificationType::Argument(index as u16),
        });
    }
    Ok(Frame { locals, stack: Vec::new() })
}

/// Few bytes can say that very many frames have very many locals. The most that real methods have is far below.
const MAX_TYPES: usize = 1 << 23;

pub(crate) fn read_table(cursor: &mut Cursor<'_>, initial: Frame) -> Result<Vec<(u32, Frame)>> {
    let count = cursor.u2()?;
    let mut locals = initial.locals;
    // The offset of a frame is one more than its distance from the frame before, but not for the first.
    let mut next = 0u32;
    let mut types = 0;
    let frames = cursor.list(usize::from(count), 1, |cursor| {
        let start = cursor.clone();
        let kind = cursor.u1()?;
        let distance = if kind < 128 { u16::from(kind & 63) } else { cursor.u2()? };
        let mut stack = Vec::new();
        match kind {
            0..=63 | 251 => {}
            64..=127 | 247 => stack.push(read_type(cursor)?),
            128..=246 => return Err(start.error(Problem::Value { what: "the kind of a frame", found: kind.into() })),
            248..=250 => {
                let dropped = usize::from(251 - kind);
                let left = locals.len().checked_sub(dropped);
                let left =
                    left.ok_or_else(|| start.error(Problem::Value { what: "a chop frame", found: kind.into() }))?;
                locals.truncate(left);
            }
            252..=254 => {
                for _ in 251..kind {
                    locals.push(read_type(cursor)?);
                }
            }
            255 => {
                let count = cursor.u2()?;
                locals = cursor.list(usize::from(count), 1, read_type)?;
                let count = cursor.u2()?;
                stack = cursor.list(usize::from(count), 1, read_type)?;
            }
        }
        let offset = next + u32::from(distance);
        next = offset + 1;
        types += locals.len() + stack.len();
        if types > MAX_TYPES {
            return Err(start.error(Problem::TooMany("types in frames")));
        }
        Ok((offset, Frame { locals: locals.clone(), stack }))
    })?;
    cursor.finish()?;
    Ok(frames)
}

fn read_type(cursor: &mut Cursor<'_>) -> Result<VerificationType> {
    let start = cursor.clone();
    Ok(match cursor.u1()? {
        0 => VerificationType::Top,
        1 => VerificationType::Integer,
        2 => VerificationType::Float,
        3 => VerificationType::Double,
        4 => VerificationType::Long,
        5 => VerificationType::Null,
        6 => VerificationType::UninitializedThis,
        7 => VerificationType::Object(PoolIndex(cursor.u2()?)),
        8 => VerificationType::Uninitialized(Label::at(u32::from(cursor.u2()?))),
        other => return Err(start.error(Problem::Value { what: "the kind of a type", found: other.into() })),
    })
}

/// Writes a table; the frames are in order, their `Uninitialized` types are where `place` says.
pub(crate) fn write_table(
    frames: &[(u32, &Frame)],
    initial: &Frame,
    descriptor: &str,
    pool: &mut ConstantPool<'_>,
    place: &dyn Fn(Label) -> Result<u32>,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    crate::class::write_count(&mut out, frames.len(), "frames")?;
    let mut writer = Writer { out, descriptor, pool, place };
    let mut before = initial;
    let mut next = 0;
    for (offset, frame) in frames {
        let distance = u16::try_from(offset - next).map_err(|_| Problem::CodeTooLarge(*offset as usize))?;
        writer.frame(distance, before, frame)?;
        before = frame;
        next = offset + 1;
    }
    Ok(writer.out)
}

struct Writer<'w, 'a> {
    out: Vec<u8>,
    descriptor: &'w str,
    pool: &'w mut ConstantPool<'a>,
    place: &'w dyn Fn(Label) -> Result<u32>,
}

impl Writer<'_, '_> {
    fn frame(&mut self, distance: u16, before: &Frame, frame: &Frame) -> Result<()> {
        let short = u8::try_from(distance).ok().filter(|distance| *distance < 64);
        let (old, new) = (&before.locals[..], &frame.locals[..]);
        let common = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let (dropped, added) = (old.len() - common, &new[common..]);
        match (dropped, added.len(), &frame.stack[..]) {
            (0, 0, []) => match short {
                Some(distance) => self.out.push(distance),
                None => self.long(251, distance),
            },
            (0, 0, [one]) => {
                match short {
                    Some(distance) => self.out.push(64 + distance),
                    None => self.long(247, distance),
                }
                self.kind(*one)?;
            }
            (1..=3, 0, []) => self.long(251 - dropped as u8, distance),
            (0, 1..=3, []) => {
                self.long(251 + added.len() as u8, distance);
                self.kinds(added)?;
            }
            _ => {
                self.long(255, distance);
                for list in [&frame.locals, &frame.stack] {
                    crate::class::write_count(&mut self.out, list.len(), "types in a frame")?;
                    self.kinds(list)?;
                }
            }
        }
        Ok(())
    }

    fn long(&mut self, kind: u8, distance: u16) {
        self.out.push(kind);
        self.out.extend(distance.to_be_bytes());
    }

    fn kinds(&mut self, kinds: &[VerificationType]) -> Result<()> {
        kinds.iter().try_for_each(|kind| self.kind(*kind))
    }

    fn kind(&mut self, kind: VerificationType) -> Result<()> {
        let (tag, operand) = match kind {
            VerificationType::Top => (0, None),
            VerificationType::Integer => (1, None),
            VerificationType::Float => (2, None),
            VerificationType::Double => (3, None),
            VerificationType::Long => (4, None),
            VerificationType::Null => (5, None),
            VerificationType::UninitializedThis => (6, None),
            VerificationType::Object(class) => (7, Some(class.0)),
            VerificationType::Uninitialized(label) => {
                let place = (self.place)(label)?;
                (8, Some(u16::try_from(place).map_err(|_| Problem::CodeTooLarge(place as usize))?))
            }
            VerificationType::Argument(index) => {
                let parameter = parameters(self.descriptor)?.nth(usize::from(index)).transpose()?;
                let name = parameter.and_then(class_constant);
                let wrong = || Problem::Value { what: "a frame's argument", found: index.into() };
                (7, Some(self.pool.add_class(name.ok_or_else(wrong)?)?.0))
            }
        };
        self.out.push(tag);
        if let Some(operand) = operand {
            self.out.extend(operand.to_be_bytes());
        }
        Ok(())
    }
}
