//! Edits of methods: they are collected by instruction, and one [`apply`] carries all of them out.
//!
//! In the edited method, the code for an instruction is: what was put before it, the instruction or what replaces it, and
//! what was put after it. This decides all the rest:
//!
//! * A branch to the instruction, and a frame or a handler there, is at what was put *before* it. So code that only runs
//!   when control falls through from the instruction above is put *after* that one.
//! * What was put before or after is covered by exactly the exception handlers that cover the instruction, and has its line.
//! * A branch in new code goes to a new label, which stands in new code as [`Insn::Label`], or to an instruction, by
//!   [`Label::at`] its old offset.
//! * When an instruction is deleted, what leads to it leads to the one below. Of two frames at one place, the one that was
//!   further below stays.
//! * Code put at the entry runs once, whatever branches lead to the first instruction; no handler covers it, and what it
//!   leaves in local variables is not to be relied on.
//!
//! `max_stack` and `max_locals` grow as needed and never shrink. The stack is followed through all ways, so that an edit
//! which unbalances it is an error. An edited method that cannot be written is an error too, and the class stays as it was.

mod depth;
mod layout;
mod members;
mod tables;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::class::{Attribute, ClassFile};
use crate::code::{Code, ExceptionRange, Located};
use crate::cursor::Cursor;
use crate::error::{Error, Problem, Result};
use crate::insn::{Insn, Label};
use crate::pool::PoolIndex;
use crate::stackmap::{self, Frame};
use layout::Layout;

pub use depth::stack_effect;
pub use members::{add_field, add_method, add_module_requires, class_initializer, copy_method, new_attribute};

/// Edits of one method, collected. What the pool indices in them mean is up to the class they are applied to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeEdits {
    entry: Vec<Insn>,
    places: BTreeMap<u32, Edit>,
    frames: Vec<(Label, Frame)>,
    handlers: Vec<Handler>,
    labels: u32,
}

/// Edits at one instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Edit {
    before: Vec<Insn>,
    replacement: Option<Vec<Insn>>,
    after: Vec<Insn>,
}

/// A new row of the exception table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The first instruction that is covered.
    pub start: Label,
    /// The first that no longer is.
    pub end: Label,
    /// Where the handler begins.
    pub handler: Label,
    /// The `Class` that is caught, or none for all.
    pub catch_type: PoolIndex,
}

impl CodeEdits {
    /// No edits yet.
    #[must_use]
    pub fn new() -> CodeEdits {
        CodeEdits::default()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entry.is_empty() && self.places.is_empty() && self.handlers.is_empty() && self.frames.is_empty()
    }

    /// A label that this has not given out before.
    pub fn new_label(&mut self) -> Label {
        self.labels += 1;
        Label::new(self.labels - 1)
    }

    /// Puts code at the method's entry, below what is there already.
    pub fn at_entry(&mut self, code: impl IntoIterator<Item = Insn>) {
        self.entry.extend(code);
    }

    /// Puts code before the instruction at an offset, below what was put there already.
    pub fn before(&mut self, offset: u32, code: impl IntoIterator<Item = Insn>) {
        self.places.entry(offset).or_default().before.extend(code);
    }

    /// Puts code after the instruction at an offset, below what was put there already.
    pub fn after(&mut self, offset: u32, code: impl IntoIterator<Item = Insn>) {
        self.places.entry(offset).or_default().after.extend(code);
    }

    /// Puts code in the place of the instruction at an offset.
    ///
    /// # Errors
    /// The instruction is replaced or deleted already.
    pub fn replace(&mut self, offset: u32, code: impl IntoIterator<Item = Insn>) -> Result<()> {
        let edit = self.places.entry(offset).or_default();
        if edit.replacement.is_some() {
            return Err(Error::from(Problem::EditedTwice).at_code(offset));
        }
        edit.replacement = Some(code.into_iter().collect());
        Ok(())
    }

    /// Deletes the instruction at an offset.
    ///
    /// # Errors
    /// The instruction is replaced or deleted already.
    pub fn delete(&mut self, offset: u32) -> Result<()> {
        self.replace(offset, [])
    }

    /// Whether the instruction at an offset is replaced or deleted.
    #[must_use]
    pub fn is_replaced(&self, offset: u32) -> bool {
        self.places.get(&offset).is_some_and(|edit| edit.replacement.is_some())
    }

    /// Says which frame the verifier is to find at a label, in place of one that is there. Needed where new code branches
    /// to new labels, and where an edit changes what is on the stack or in a local variable while there are branches: take
    /// the frame from [`ClassFile::frames`], and give it back changed. Labels in its types are those from before.
    pub fn frame(&mut self, label: Label, frame: Frame) {
        self.frames.push((label, frame));
    }

    /// Adds an exception handler, which comes before those that there are, and after those added before it.
    pub fn handler(&mut self, handler: Handler) {
        self.handlers.push(handler);
    }

    fn new_code(&self) -> impl Iterator<Item = &Insn> {
        let edits = self.places.values();
        let at_places =
            edits.flat_map(|edit| edit.before.iter().chain(edit.replacement.iter().flatten()).chain(&edit.after));
        self.entry.iter().chain(at_places)
    }
}

/// Carries out edits of a method. Without edits nothing is touched.
///
/// # Errors
/// The method has no code or is broken, an edit contradicts it, or the result would be too large; see [`Problem`]. The
/// class is then as it was, but for constants that may have been added.
pub fn apply(class: &mut ClassFile<'_>, method: usize, edits: &CodeEdits) -> Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    let Some(member) = class.methods.get(method) else { return Err(Problem::Missing("method").into()) };
    let found = member.attributes.iter().position(|attribute| class.is_named(attribute, "Code"));
    let result = match found {
        Some(attribute) => apply_to(class, method, attribute, edits),
        None => Err(Problem::Missing("code").into()),
    };
    result.map_err(|error| class.place(error, &class.methods[method]))
}

fn apply_to(class: &mut ClassFile<'_>, method: usize, attribute: usize, edits: &CodeEdits) -> Result<()> {
    let Attribute { content, offset, .. } = class.methods[method].attributes[attribute].clone();
    let short = class.has_short_code();
    let code = Code::read(&mut Cursor::new(&content, offset.unwrap_or(0)), short)?;
    let bytes = rewrite(class, method, &code, edits)?;
    let attribute = &mut class.methods[method].attributes[attribute];
    attribute.content = Cow::Owned(bytes);
    attribute.offset = None;
    Ok(())
}

/// The content of the `Code` attribute with the edits done.
pub(crate) fn rewrite(class: &mut ClassFile<'_>, method: usize, code: &Code<'_>, edits: &CodeEdits) -> Result<Vec<u8>> {
    let member = &class.methods[method];
    let initial = stackmap::initial_frame(class, member)?;
    let descriptor = class.pool.text(member.descriptor)?.into_owned();
    let old: Vec<Located> = code.instructions().collect::<Result<_>>()?;
    let mut layout = Layout::new(&old, code.bytes, edits)?;
    layout.settle()?;

    let table = code.attributes.iter().find(|attribute| class.is_named(attribute, "StackMapTable"));
    let old_frames = match table {
        Some(table) => {
            stackmap::read_table(&mut Cursor::new(&table.content, table.offset.unwrap_or(0)), initial.clone())?
        }
        None => Vec::new(),
    };
    // From version 51 on there is no other verifier; in 50, code without frames gets the old one.
    let wants_frames = table.is_some() || class.major_version >= 51;
    let placed = place_frames(&layout, &old_frames, edits, &initial, wants_frames)?;
    let (exceptions, moved_rows, mut roots) = move_exceptions(&layout, code, edits)?;

    roots.push((0, 0));
    roots.extend(placed.iter().filter_map(|placed| Some((placed.item?, placed.frame.depth()))));
    let max_stack = depth::max_stack(&layout, &class.pool, roots)?.max(code.max_stack);
    let locals = edits.new_code().filter_map(Insn::local);
    let max_locals = locals.map(|(local, slots)| u32::from(local) + u32::from(slots)).max().unwrap_or(0);
    let max_locals = u16::try_from(max_locals).map_err(|_| Problem::TooMany("local variables"))?.max(code.max_locals);

    let frames: Vec<(u32, &Frame)> = placed.iter().map(|placed| (placed.place, &*placed.frame)).collect();
    let place = |label: Label| {
        layout.instruction(label).ok_or_else(|| Error::from(Problem::FrameOfDeleted(label.offset().unwrap_or(label.0))))
    };
    let mut new_table = None;
    if !frames.is_empty() {
        new_table = Some(stackmap::write_table(&frames, &initial, &descriptor, &mut class.pool, &place)?);
    }

    let moved = layout.moved(moved_rows);
    let mut attributes = Vec::with_capacity(code.attributes.len() + 1);
    for attribute in &code.attributes {
        let mut cursor = Cursor::new(&attribute.content, attribute.offset.unwrap_or(0));
        let cursor = &mut cursor;
        let content = match class.pool.utf8(attribute.name)? {
            b"LineNumberTable" => tables::move_lines(cursor, &moved)?.into(),
            b"LocalVariableTable" | b"LocalVariableTypeTable" => tables::move_variables(cursor, &moved)?.into(),
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                tables::move_type_annotations(cursor, &moved)?.into()
            }
            b"StackMapTable" => match new_table.take() {
                Some(table) => table.into(),
                None => continue,
            },
            // They name places, and no JVM reads them.
            b"StackMap" | b"CharacterRangeTable" => continue,
            _ => Cow::Borrowed(&*attribute.content),
        };
        attributes.push(Attribute { name: attribute.name, content, offset: None });
    }
    if let Some(table) = new_table {
        let name = class.pool.add_utf8("StackMapTable")?;
        attributes.push(Attribute { name, content: table.into(), offset: None });
    }
    let bytes = layout.write()?;
    Code { max_stack, max_locals, bytes: &bytes, offset: None, exceptions, attributes }.write(class.has_short_code())
}

/// A frame of the edited method.
struct Placed<'f> {
    place: u32,
    /// The instruction it is for; an island is none.
    item: Option<usize>,
    frame: Cow<'f, Frame>,
}

/// All frames of the edited method, in order.
fn place_frames<'f>(
    layout: &Layout<'_>,
    old: &'f [(u32, Frame)],
    edits: &'f CodeEdits,
    initial: &'f Frame,
    wants_frames: bool,
) -> Result<Vec<Placed<'f>>> {
    let mut placed = BTreeMap::new();
    let given = old.iter().map(|(offset, frame)| (Label::at((*offset).min(u32::from(u16::MAX))), frame));
    let new = edits.frames.iter().map(|(label, frame)| (*label, frame)).filter(|_| wants_frames);
    for (label, frame) in given.chain(new) {
        let (place, item) = (layout.place(label)?, layout.item(label)?);
        // What was at the end of the code is gone.
        if item < layout.items.len() {
            placed.insert(place, Placed { place, item: Some(item), frame: Cow::Borrowed(frame) });
        }
    }
    if wants_frames {
        for (place, target) in layout.islands() {
            let target = placed.get(&layout.place(target)?).ok_or(Problem::FrameMissing)?;
            let frame = target.frame.clone();
            placed.insert(place, Placed { place, item: None, frame });
        }
        if let Some(place) = layout.around_islands() {
            placed.entry(place).or_insert(Placed { place, item: None, frame: Cow::Borrowed(initial) });
        }
    }
    Ok(placed.into_values().collect())
}

/// A table of exceptions, where the old rows went, and the handlers with their depths.
type MovedExceptions = (Vec<ExceptionRange>, Vec<Option<u16>>, Vec<(usize, u32)>);

/// The exception table of the edited method: new rows, then the old ones that still cover something.
fn move_exceptions(layout: &Layout<'_>, code: &Code<'_>, edits: &CodeEdits) -> Result<MovedExceptions> {
    let (mut rows, mut moved, mut roots) = (Vec::new(), Vec::new(), Vec::new());
    // Code that is too large is refused before, so that all offsets fit.
    let row = |start: u32, end: u32, handler: u32, catch_type| ExceptionRange {
        start: start as u16,
        end: end as u16,
        handler: handler as u16,
        catch_type,
    };
    for Handler { start, end, handler, catch_type } in &edits.handlers {
        let (start, end) = (layout.place(*start)?, layout.place(*end)?);
        if start < end {
            rows.push(row(start, end, layout.place(*handler)?, *catch_type));
            roots.push((layout.item(*handler)?, 1));
        }
    }
    for range in &code.exceptions {
        let (start, end) = (layout.bound(range.start)?, layout.bound(range.end)?);
        let handler = Label::at(u32::from(range.handler));
        moved.push(None);
        if start < end {
            *moved.last_mut().expect("just pushed") = Some(rows.len() as u16);
            rows.push(row(start, end, layout.place(handler)?, range.catch_type));
            roots.push((layout.item(handler)?, 1));
        }
    }
    Ok((rows, moved, roots))
}
