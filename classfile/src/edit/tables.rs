//! Tables that name places in code, moved along with it: lines, local variables, type annotations.
//!
//! These tables are for debuggers and reflection. What names no instruction in them is moved to the next one, and what is
//! about code that is gone is left out; the JVM accepts the result in any case.

use crate::cursor::Cursor;
use crate::error::{Problem, Result};

/// Where code went, by the offsets it had.
pub(crate) struct Moved {
    /// Where code begins that stands for the instruction at an offset or, inside of one, for the next; one more entry for
    /// the end.
    pub(crate) starts: Vec<u32>,
    /// Where the instruction at an offset is itself, if it still is.
    pub(crate) instructions: Vec<Option<u32>>,
    /// Where the rows of the exception table went.
    pub(crate) exceptions: Vec<Option<u16>>,
}

impl Moved {
    fn start(&self, offset: usize) -> u32 {
        let end = *self.starts.last().expect("there is an entry for the end");
        self.starts.get(offset).copied().unwrap_or(end)
    }

    fn end(&self) -> u32 {
        self.start(usize::MAX)
    }

    /// Where a range went, as start and length; nothing if all of it is gone.
    fn range(&self, start: u16, length: u16) -> Option<(u16, u16)> {
        let (from, to) = (usize::from(start), usize::from(start) + usize::from(length));
        let (from, to) = (self.start(from), self.start(to));
        let gone = from == self.end() || length > 0 && from >= to;
        // Code that is too large is refused elsewhere, so that all offsets fit.
        (!gone).then_some((from as u16, to.saturating_sub(from) as u16))
    }
}

/// Moves a `LineNumberTable`.
pub(crate) fn move_lines(cursor: &mut Cursor<'_>, moved: &Moved) -> Result<Vec<u8>> {
    let count = cursor.u2()?;
    let mut rows = Rows::default();
    for _ in 0..count {
        let (start, line) = (cursor.u2()?, cursor.u2()?);
        let start = moved.start(usize::from(start));
        if start < moved.end() {
            rows.add(|out| out.extend([(start as u16).to_be_bytes(), line.to_be_bytes()].concat()));
        }
    }
    cursor.finish()?;
    Ok(rows.finish())
}

/// Moves a `LocalVariableTable` or a `LocalVariableTypeTable`, which have one form.
pub(crate) fn move_variables(cursor: &mut Cursor<'_>, moved: &Moved) -> Result<Vec<u8>> {
    let count = cursor.u2()?;
    let mut rows = Rows::default();
    for _ in 0..count {
        let (start, length) = (cursor.u2()?, cursor.u2()?);
        let rest = cursor.take(6)?;
        if let Some((start, length)) = moved.range(start, length) {
            rows.add(|out| {
                out.extend(start.to_be_bytes());
                out.extend(length.to_be_bytes());
                out.extend(rest);
            });
        }
    }
    cursor.finish()?;
    Ok(rows.finish())
}

/// Moves a `RuntimeVisibleTypeAnnotations` or `RuntimeInvisibleTypeAnnotations` of code.
pub(crate) fn move_type_annotations(cursor: &mut Cursor<'_>, moved: &Moved) -> Result<Vec<u8>> {
    let count = cursor.u2()?;
    let mut rows = Rows::default();
    for _ in 0..count {
        let target = move_target(cursor, moved)?;
        let rest = cursor.clone();
        let path = cursor.u1()?;
        cursor.take(2 * usize::from(path))?;
        skip_annotation(cursor, 0)?;
        let rest = rest.clone().take(cursor.at() - rest.at())?;
        if let Some(target) = target {
            rows.add(|out| {
                out.extend(target);
                out.extend(rest);
            });
        }
    }
    cursor.finish()?;
    Ok(rows.finish())
}

/// Reads what an annotation is on and moves it; nothing if that is gone.
fn move_target(cursor: &mut Cursor<'_>, moved: &Moved) -> Result<Option<Vec<u8>>> {
    let start = cursor.clone();
    let kind = cursor.u1()?;
    let moved_target = match kind {
        // A local variable, in each of its ranges.
        0x40 | 0x41 => {
            let count = cursor.u2()?;
            let mut rows = Rows::default();
            for _ in 0..count {
                let (start, length, local) = (cursor.u2()?, cursor.u2()?, cursor.u2()?);
                if let Some((start, length)) = moved.range(start, length) {
                    rows.add(|out| [start, length, local].iter().for_each(|number| out.extend(number.to_be_bytes())));
                }
            }
            (rows.count > 0).then(|| [&[kind], &rows.finish()[..]].concat())
        }
        // A type that is caught, by its row.
        0x42 => {
            let row = cursor.u2()?;
            let row = moved.exceptions.get(usize::from(row)).copied().flatten();
            row.map(|row| [&[kind], &row.to_be_bytes()[..]].concat())
        }
        // `instanceof`, `new`, method references; and type arguments of casts and calls, which have a number besides.
        0x43..=0x4b => {
            let offset = cursor.u2()?;
            let argument = cursor.take(usize::from(kind >= 0x47))?;
            let offset = moved.instructions.get(usize::from(offset)).copied().flatten();
            offset.map(|offset| [&[kind], &(offset as u16).to_be_bytes()[..], argument].concat())
        }
        other => {
            return Err(start.error(Problem::Value { what: "the target of a type annotation", found: other.into() }));
        }
    };
    Ok(moved_target)
}

/// Annotations in annotations: real ones have two or three levels.
const MAX_DEPTH: u32 = 64;

fn skip_annotation(cursor: &mut Cursor<'_>, depth: u32) -> Result<()> {
    cursor.u2()?;
    let count = cursor.u2()?;
    for _ in 0..count {
        cursor.u2()?;
        skip_element(cursor, depth)?;
    }
    Ok(())
}

fn skip_element(cursor: &mut Cursor<'_>, depth: u32) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(cursor.error(Problem::TooMany("levels of annotations")));
    }
    let start = cursor.clone();
    match cursor.u1()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => cursor.take(2).map(drop),
        b'e' => cursor.take(4).map(drop),
        b'@' => skip_annotation(cursor, depth + 1),
        b'[' => {
            let count = cursor.u2()?;
            (0..count).try_for_each(|_| skip_element(cursor, depth + 1))
        }
        other => Err(start.error(Problem::Value { what: "the kind of an annotation's element", found: other.into() })),
    }
}

/// A list with its count in front. There are never more rows than were read.
#[derive(Default)]
struct Rows {
    count: u16,
    bytes: Vec<u8>,
}

impl Rows {
    fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.count += 1;
        write(&mut self.bytes);
    }

    fn finish(self) -> Vec<u8> {
        [&self.count.to_be_bytes(), &self.bytes[..]].concat()
    }
}
