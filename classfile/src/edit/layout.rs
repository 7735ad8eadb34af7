//! Where every instruction of an edited method goes.
//!
//! A short branch that does not reach any more becomes a long one. `goto` and `jsr` have long forms. A conditional branch
//! has none, and to invert it around a `goto_w` would need a new stack map frame, whose types nobody knows without
//! simulating the verifier. So it goes by an *island* instead: a `goto_w` that nothing falls into, and whose frame is that
//! of its target, which is known. For branches that lead back, islands stand behind all code; for those that lead on, they
//! stand before it, and a `goto_w` leads around them to the method's first instruction, whose frame is known too. Code has
//! at most 65535 bytes. So what cannot reach its target ahead is in the first half, and what cannot reach back is in the
//! second: its islands are always in reach. They are covered by no exception handler.

use std::collections::BTreeMap;

use crate::code::{Located, MAX_CODE};
use crate::edit::CodeEdits;
use crate::edit::tables::Moved;
use crate::error::{Error, Problem, Result};
use crate::insn::{Insn, Label};
use crate::opcode::Opcode;

/// An instruction of the edited method.
pub(crate) struct Item<'e> {
    pub(crate) insn: &'e Insn,
    /// Its bytes before, if it is one that can be copied.
    bytes: Option<&'e [u8]>,
    /// The offset it had, or that of the instruction it was put at.
    pub(crate) old: u32,
    form: Form,
    /// Where it goes.
    place: u32,
}

/// How a branch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As it is.
    Near,
    /// As `goto_w` or `jsr_w`.
    Wide,
    /// To an island before the code.
    IslandBefore(usize),
    /// To an island behind the code.
    IslandBehind(usize),
}

pub(crate) struct Layout<'e> {
    pub(crate) items: Vec<Item<'e>>,
    /// The item of each new label.
    labels: BTreeMap<Label, usize>,
    /// The items where code begins that stands for the instruction at an offset or, inside of one, for the next; one more
    /// for the end.
    starts: Vec<usize>,
    /// The offsets where instructions began.
    began: Vec<bool>,
    /// The items that are the instruction at an offset, or its likeness in what replaces it.
    instructions: Vec<Option<usize>>,
    /// The first item that is not code for the method's entry only. Islands before the code stand here.
    entry: usize,
    before: Vec<Label>,
    before_place: u32,
    behind: Vec<Label>,
    /// How long everything is, islands included.
    pub(crate) length: u32,
    /// Where the code ends and the islands behind it begin.
    code_end: u32,
}

const GOTO_W: u32 = 5;

impl<'e> Layout<'e> {
    /// Puts old and new instructions into their order.
    ///
    /// # Errors
    /// An edit is at an offset where no instruction begins, or a label is in two places.
    pub(crate) fn new(old: &'e [Located], bytes: &'e [u8], edits: &'e CodeEdits) -> Result<Layout<'e>> {
        let mut layout = Layout {
            items: Vec::with_capacity(old.len() + 16),
            labels: BTreeMap::new(),
            starts: Vec::with_capacity(bytes.len() + 1),
            began: vec![false; bytes.len()],
            instructions: vec![None; bytes.len()],
            entry: 0,
            before: Vec::new(),
            before_place: 0,
            behind: Vec::new(),
            length: 0,
            code_end: 0,
        };
        layout.add(&edits.entry, 0)?;
        layout.entry = layout.items.len();
        let mut edited = edits.places.iter().peekable();
        for located in old {
            let Located { offset, length, insn } = located;
            let edit = edited.next_if(|(place, _)| *place == offset).map(|(_, edit)| edit);
            // The first byte is at this instruction, and those before it, inside of the last one, are rounded up to it.
            layout.starts.resize(*offset as usize + 1, layout.items.len());
            layout.began[*offset as usize] = true;
            if let Some(edit) = edit {
                layout.add(&edit.before, *offset)?;
            }
            match edit.and_then(|edit| edit.replacement.as_ref()) {
                Some(replacement) => {
                    let likeness = |other: &Insn| other.opcode() == insn.opcode();
                    let index = replacement.iter().filter(|other| !matches!(other, Insn::Label(_))).position(likeness);
                    layout.instructions[*offset as usize] = index.map(|index| layout.items.len() + index);
                    layout.add(replacement, *offset)?;
                }
                None => {
                    layout.instructions[*offset as usize] = Some(layout.items.len());
                    let moves = matches!(insn, Insn::Branch(..) | Insn::Switch(_));
                    let bytes = (!moves).then(|| &bytes[*offset as usize..(offset + length) as usize]);
                    layout.items.push(Item { insn, bytes, old: *offset, form: Form::Near, place: 0 });
                }
            }
            if let Some(edit) = edit {
                layout.add(&edit.after, *offset)?;
            }
        }
        if let Some((offset, _)) = edited.next() {
            return Err(Problem::NoInstruction { what: "an edit", offset: *offset }.into());
        }
        layout.starts.resize(bytes.len() + 1, layout.items.len());
        Ok(layout)
    }

    fn add(&mut self, insns: &'e [Insn], old: u32) -> Result<()> {
        for insn in insns {
            if let Insn::Label(label) = insn {
                if label.offset().is_some() || self.labels.insert(*label, self.items.len()).is_some() {
                    return Err(Error::from(Problem::LabelTwice(*label)).at_code(old));
                }
            } else {
                self.items.push(Item { insn, bytes: None, old, form: Form::Near, place: 0 });
            }
        }
        Ok(())
    }

    /// Gives every instruction its place, and branches a form in which they reach.
    ///
    /// # Errors
    /// The code is longer than the JVM takes, or a target is nowhere.
    pub(crate) fn settle(&mut self) -> Result<()> {
        loop {
            self.assign_places();
            if !(1..=MAX_CODE).contains(&self.length) {
                return Err(Problem::CodeTooLarge(self.length as usize).into());
            }
            if !self.widen()? {
                return Ok(());
            }
        }
    }

    fn assign_places(&mut self) {
        let mut at = 0;
        for index in 0..=self.items.len() {
            if index == self.entry {
                self.before_place = at;
                at += if self.before.is_empty() { 0 } else { GOTO_W * (1 + self.before.len() as u32) };
            }
            if let Some(item) = self.items.get_mut(index) {
                item.place = at;
                at += match (item.form, item.bytes) {
                    (Form::Wide, _) => GOTO_W,
                    (Form::Near, Some(bytes)) => bytes.len() as u32,
                    (Form::Near | Form::IslandBefore(_) | Form::IslandBehind(_), _) => item.insn.size(at),
                };
            }
        }
        self.code_end = at;
        self.length = at + GOTO_W * self.behind.len() as u32;
    }

    /// Gives branches that do not reach their next longer form. Says whether there were any.
    fn widen(&mut self) -> Result<bool> {
        let mut changed = false;
        for index in 0..self.items.len() {
            let Item { insn: Insn::Branch(opcode, label), form, old, place, .. } = self.items[index] else { continue };
            let reaches = |target: u32| i16::try_from(i64::from(target) - i64::from(place)).is_ok();
            let target = self.place(*label).map_err(|error| error.at_code(old))?;
            let next = match form {
                Form::Near if matches!(opcode, Opcode::GotoW | Opcode::JsrW) || reaches(target) => continue,
                Form::Near if matches!(opcode, Opcode::Goto | Opcode::Jsr) => Form::Wide,
                Form::Near if target > place => Form::IslandBefore(island(&mut self.before, *label)),
                Form::Near => Form::IslandBehind(island(&mut self.behind, *label)),
                Form::Wide | Form::IslandBefore(_) | Form::IslandBehind(_) => continue,
            };
            self.items[index].form = next;
            changed = true;
        }
        Ok(changed)
    }

    fn island_place(&self, form: Form, island: usize) -> u32 {
        let island = GOTO_W * island as u32;
        if matches!(form, Form::IslandBefore(_)) { self.before_place + GOTO_W + island } else { self.code_end + island }
    }

    /// The places of islands, and where they lead.
    pub(crate) fn islands(&self) -> impl Iterator<Item = (u32, Label)> {
        let before = self.before.iter().enumerate().map(|(index, label)| (Form::IslandBefore(index), index, label));
        let behind = self.behind.iter().enumerate().map(|(index, label)| (Form::IslandBehind(index), index, label));
        before.chain(behind).map(|(form, index, label)| (self.island_place(form, index), *label))
    }

    /// Where the way around the islands before the code leads to, if there are any.
    pub(crate) fn around_islands(&self) -> Option<u32> {
        (!self.before.is_empty()).then(|| self.place_of_item(self.entry))
    }

    /// The bytes.
    ///
    /// # Errors
    /// An instruction cannot be written.
    pub(crate) fn write(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.length as usize);
        let place = |label| self.place(label);
        for (index, item) in self.items.iter().enumerate() {
            if index == self.entry {
                self.write_islands_before(&mut out)?;
            }
            debug_assert_eq!(out.len(), item.place as usize, "{:?}", item.insn);
            let written = match (item.form, item.insn, item.bytes) {
                (Form::Near, _, Some(bytes)) => {
                    out.extend(bytes);
                    Ok(())
                }
                (Form::Wide, Insn::Branch(Opcode::Jsr, label), _) => {
                    Insn::Branch(Opcode::JsrW, *label).write(&mut out, &place)
                }
                (Form::Wide, Insn::Branch(_, label), _) => Insn::Branch(Opcode::GotoW, *label).write(&mut out, &place),
                (Form::IslandBefore(island) | Form::IslandBehind(island), insn, _) => {
                    insn.write(&mut out, &|_| Ok(self.island_place(item.form, island)))
                }
                (_, insn, _) => insn.write(&mut out, &place),
            };
            written.map_err(|error| error.at_code(item.old))?;
        }
        for label in &self.behind {
            Insn::Branch(Opcode::GotoW, *label).write(&mut out, &place)?;
        }
        Ok(out)
    }

    fn write_islands_before(&self, out: &mut Vec<u8>) -> Result<()> {
        if let Some(around) = self.around_islands() {
            // Any label does: the place is known.
            Insn::Branch(Opcode::GotoW, Label::new(0)).write(out, &|_| Ok(around))?;
            for label in &self.before {
                Insn::Branch(Opcode::GotoW, *label).write(out, &|label| self.place(label))?;
            }
        }
        Ok(())
    }

    /// The item that a label stands before; one more than the last for the end.
    ///
    /// # Errors
    /// The label is nowhere, or it is an offset where no instruction began.
    pub(crate) fn item(&self, label: Label) -> Result<usize> {
        match label.offset() {
            Some(offset) if self.is_start(offset) => Ok(self.starts[offset as usize]),
            Some(offset) => Err(Problem::NoInstruction { what: "a target", offset }.into()),
            None => self.labels.get(&label).copied().ok_or_else(|| Problem::NoLabel(label).into()),
        }
    }

    /// Whether an instruction began at an offset.
    pub(crate) fn is_start(&self, offset: u32) -> bool {
        self.began.get(offset as usize).copied().unwrap_or(false)
    }

    fn place_of_item(&self, item: usize) -> u32 {
        self.items.get(item).map_or(self.code_end, |item| item.place)
    }

    /// Where a label is.
    ///
    /// # Errors
    /// As [`Layout::item`].
    pub(crate) fn place(&self, label: Label) -> Result<u32> {
        Ok(self.place_of_item(self.item(label)?))
    }

    /// Where a row of the exception table begins or ends: at an instruction, or at the end of the code.
    ///
    /// # Errors
    /// No instruction began there.
    pub(crate) fn bound(&self, offset: u16) -> Result<u32> {
        let offset = u32::from(offset);
        if offset as usize + 1 == self.starts.len() { Ok(self.code_end) } else { self.place(Label::at(offset)) }
    }

    /// Where the instruction of an old offset is itself, or its likeness; for a new label, what stands there.
    pub(crate) fn instruction(&self, label: Label) -> Option<u32> {
        match label.offset() {
            Some(offset) => {
                self.instructions.get(offset as usize).copied().flatten().map(|item| self.place_of_item(item))
            }
            None => self.place(label).ok(),
        }
    }

    /// Where everything went, for tables.
    pub(crate) fn moved(&self, exceptions: Vec<Option<u16>>) -> Moved {
        Moved {
            starts: self.starts.iter().map(|item| self.place_of_item(*item)).collect(),
            instructions: self.instructions.iter().map(|item| item.map(|item| self.place_of_item(item))).collect(),
            exceptions,
        }
    }
}

/// The number of the island to a label, which there may be already.
fn island(islands: &mut Vec<Label>, label: Label) -> usize {
    islands.iter().position(|other| *other == label).unwrap_or_else(|| {
        islands.push(label);
        islands.len() - 1
    })
}
