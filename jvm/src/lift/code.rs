//! The code of a method, decoded: instructions by number, and what refers to them.

use r8lite_classfile::{ClassFile, Constant, Insn, Label, Located, Opcode, PoolIndex};

use super::Problem;

/// Decoded code. Instructions go by their number here, not by their offset.
pub(crate) struct Code {
    pub(crate) insns: Vec<Located>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) max_locals: u16,
    pub(crate) max_stack: u16,
    /// The offsets where lines begin, ascending.
    lines: Vec<(u32, u16)>,
    /// The number of the instruction at each offset; `NOWHERE` inside of one.
    numbers: Vec<u32>,
}

/// A row of the exception table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) handler: u32,
    pub(crate) catch_type: PoolIndex,
}

const NOWHERE: u32 = u32::MAX;

impl Code {
    /// Decodes the code of a method.
    pub(crate) fn read(file: &ClassFile<'_>, code: &r8lite_classfile::Code<'_>) -> Result<Code, Problem> {
        let mut insns = Vec::new();
        let mut numbers = vec![NOWHERE; code.bytes.len() + 1];
        for located in code.instructions() {
            let located = located.map_err(|error| Problem::new(None, error.to_string()))?;
            numbers[located.offset as usize] = insns.len() as u32;
            insns.push(located);
        }
        // The end of the code is the end of ranges, though no instruction.
        numbers[code.bytes.len()] = insns.len() as u32;
        // Lines only help: a broken table is no reason to give up.
        let mut lines = file.line_numbers(code).unwrap_or_default();
        lines.sort_by_key(|&(offset, _)| offset);
        let mut this =
            Code { insns, ranges: Vec::new(), max_locals: code.max_locals, max_stack: code.max_stack, lines, numbers };
        for range in &code.exceptions {
            let number = |offset: u16| this.number(u32::from(offset));
            let (start, end, handler) = (number(range.start)?, number(range.end)?, number(range.handler)?);
            if handler as usize >= this.insns.len() {
                return Err(Problem::new(Some(u32::from(range.handler)), "a handler lies behind the code"));
            }
            this.ranges.push(Range { start, end, handler, catch_type: range.catch_type });
        }
        Ok(this)
    }

    fn number(&self, offset: u32) -> Result<u32, Problem> {
        match self.numbers.get(offset as usize) {
            Some(&number) if number != NOWHERE => Ok(number),
            _ => Err(Problem::new(Some(offset), "no instruction begins here")),
        }
    }

    /// The number of the instruction that a label means.
    pub(crate) fn target(&self, label: Label) -> Result<u32, Problem> {
        let number = self.number(label.offset().unwrap_or(u32::MAX))?;
        if number as usize >= self.insns.len() {
            return Err(Problem::new(label.offset(), "a branch leads behind the code"));
        }
        Ok(number)
    }

    /// The offset of an instruction.
    pub(crate) fn offset(&self, number: u32) -> u32 {
        self.insns[number as usize].offset
    }

    /// The line of an offset, 0 if unknown.
    pub(crate) fn line(&self, offset: u32) -> u32 {
        let after = self.lines.partition_point(|&(start, _)| start <= offset);
        after.checked_sub(1).map_or(0, |index| u32::from(self.lines[index].1))
    }
}

/// Whether an instruction may throw. What the IR makes of it throws in no other cases.
pub(crate) fn may_throw(file: &ClassFile<'_>, insn: &Insn) -> bool {
    use Opcode::*;
    match insn {
        // Constants that the IR does not have are calls.
        Insn::Constant(Ldc | LdcW | Ldc2W, index) => matches!(
            file.pool.get(*index),
            Ok(Constant::MethodHandle { .. } | Constant::MethodType { .. } | Constant::Dynamic { .. })
        ),
        Insn::Constant(Instanceof, _) => false,
        Insn::Constant(..) | Insn::InvokeInterface { .. } | Insn::NewArray(_) | Insn::MultiNewArray { .. } => true,
        Insn::Plain(opcode) => {
            (Iaload..=Saload).contains(opcode)
                || (Iastore..=Sastore).contains(opcode)
                || matches!(opcode, Idiv | Ldiv | Irem | Lrem | Arraylength | Athrow | Monitorenter | Monitorexit)
        }
        Insn::Push(..)
        | Insn::Local(..)
        | Insn::Increment { .. }
        | Insn::Branch(..)
        | Insn::Switch(_)
        | Insn::Label(_) => false,
    }
}

/// How an instruction uses a local variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalUse {
    Load(u16),
    /// With the number of slots.
    Store(u16, u16),
    /// `iinc`.
    Both(u16),
}

/// The local variable that an instruction uses.
pub(crate) fn local_use(insn: &Insn) -> Option<LocalUse> {
    use Opcode::*;
    let (local, slots) = insn.local()?;
    Some(match insn {
        Insn::Increment { .. } => LocalUse::Both(local),
        Insn::Local(Istore | Lstore | Fstore | Dstore | Astore, _) => LocalUse::Store(local, slots),
        Insn::Plain(opcode) if (Istore0..=Astore3).contains(opcode) => LocalUse::Store(local, slots),
        _ => LocalUse::Load(local),
    })
}
