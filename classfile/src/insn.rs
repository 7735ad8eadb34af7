//! Instructions: from bytes, to bytes.
//!
//! Targets of branches are [`Label`]s. Of an instruction that was read, a label is the byte offset of the target; code that
//! is written may have labels of its own. An instruction is written in its shortest form that fits (`wide` and `ldc_w`
//! come by themselves); those that no edit touches are not written anew but copied.

use std::fmt;

use crate::cursor::Cursor;
use crate::error::{Error, Problem, Result};
use crate::opcode::{Opcode, Shape};
use crate::pool::PoolIndex;

/// A place in code: an instruction that was read, by its byte offset, or a new place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(crate) u32);

impl Label {
    /// New labels begin here, above every offset.
    pub(crate) const FIRST_NEW: u32 = 1 << 16;

    /// The place of the instruction at this byte offset.
    ///
    /// # Panics
    /// The offset is above 65535, where no code is.
    #[must_use]
    pub fn at(offset: u32) -> Label {
        assert!(offset < Label::FIRST_NEW, "code has no byte {offset}");
        Label(offset)
    }

    /// The `number`th new label. What labels mean is up to each method's edits.
    ///
    /// # Panics
    /// There are more than four billion.
    #[must_use]
    pub fn new(number: u32) -> Label {
        Label(Label::FIRST_NEW.checked_add(number).expect("few labels"))
    }

    /// The byte offset, if it is that of an instruction that was read.
    #[must_use]
    pub fn offset(self) -> Option<u32> {
        (self.0 < Label::FIRST_NEW).then_some(self.0)
    }
}

impl fmt::Display for Label {
    /// An offset, or `L` and a number for a new label.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset() {
            Some(offset) => write!(f, "{offset}"),
            None => write!(f, "L{}", self.0 - Label::FIRST_NEW),
        }
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Insn {
    /// One without operands.
    Plain(Opcode),
    /// `bipush`, `sipush`.
    Push(Opcode, i16),
    /// One with a local variable.
    Local(Opcode, u16),
    /// `iinc`.
    Increment {
        /// The local variable.
        local: u16,
        /// What is added.
        by: i16,
    },
    /// One with nothing but a constant: `ldc`, field accesses, most calls, `new`, `checkcast` and the like.
    Constant(Opcode, PoolIndex),
    /// `invokeinterface`.
    InvokeInterface {
        /// An `InterfaceMethodref`.
        method: PoolIndex,
        /// Slots of the receiver and the arguments.
        slots: u8,
    },
    /// `newarray`, with the specification's code for the type: 4 to 11.
    NewArray(u8),
    /// `multianewarray`.
    MultiNewArray {
        /// The `Class` of the whole array.
        class: PoolIndex,
        /// How many dimensions are made.
        dimensions: u8,
    },
    /// A branch. A short one that does not reach is widened when it is written.
    Branch(Opcode, Label),
    /// `tableswitch` or `lookupswitch`.
    Switch(Box<Switch>),
    /// No instruction: here is the label.
    Label(Label),
}

/// The operands of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// `tableswitch`.
    Table {
        /// Where all other values go.
        default: Label,
        /// The value of the first target.
        low: i32,
        /// Where `low`, `low + 1` and so on go.
        targets: Vec<Label>,
    },
    /// `lookupswitch`.
    Lookup {
        /// Where all other values go.
        default: Label,
        /// Values, in ascending order, and where they go.
        cases: Vec<(i32, Label)>,
    },
}

impl Switch {
    /// All targets, the default last.
    pub fn targets(&self) -> impl Iterator<Item = Label> {
        let (targets, cases, default) = match self {
            Switch::Table { default, targets, .. } => (&targets[..], &[][..], *default),
            Switch::Lookup { default, cases } => (&[][..], &cases[..], *default),
        };
        targets.iter().copied().chain(cases.iter().map(|(_, target)| *target)).chain([default])
    }
}

impl Insn {
    /// A load of a local variable, in its shortest form; `opcode` is one of `iload` to `aload`.
    ///
    /// # Panics
    /// The opcode is another.
    #[must_use]
    pub fn load(opcode: Opcode, local: u16) -> Insn {
        assert!((Opcode::Iload..=Opcode::Aload).contains(&opcode), "{} is no load", opcode.mnemonic());
        short_local(opcode, opcode.byte() - Opcode::Iload.byte(), Opcode::Iload0, local)
    }

    /// A store to a local variable, in its shortest form; `opcode` is one of `istore` to `astore`.
    ///
    /// # Panics
    /// The opcode is another.
    #[must_use]
    pub fn store(opcode: Opcode, local: u16) -> Insn {
        assert!((Opcode::Istore..=Opcode::Astore).contains(&opcode), "{} is no store", opcode.mnemonic());
        short_local(opcode, opcode.byte() - Opcode::Istore.byte(), Opcode::Istore0, local)
    }

    /// The shortest instruction that pushes an `int` without a constant of the pool, if there is one.
    #[must_use]
    pub fn push_int(value: i32) -> Option<Insn> {
        let value = i16::try_from(value).ok()?;
        Some(match value {
            -1..=5 => Insn::Plain(Opcode::from_byte((i16::from(Opcode::Iconst0.byte()) + value) as u8)?),
            -128..=127 => Insn::Push(Opcode::Bipush, value),
            _ => Insn::Push(Opcode::Sipush, value),
        })
    }

    /// The opcode; a label has none.
    #[must_use]
    pub fn opcode(&self) -> Option<Opcode> {
        Some(match self {
            Insn::Plain(opcode)
            | Insn::Push(opcode, _)
            | Insn::Local(opcode, _)
            | Insn::Constant(opcode, _)
            | Insn::Branch(opcode, _) => *opcode,
            Insn::Increment { .. } => Opcode::Iinc,
            Insn::InvokeInterface { .. } => Opcode::Invokeinterface,
            Insn::NewArray(_) => Opcode::Newarray,
            Insn::MultiNewArray { .. } => Opcode::Multianewarray,
            Insn::Switch(switch) => match **switch {
                Switch::Table { .. } => Opcode::Tableswitch,
                Switch::Lookup { .. } => Opcode::Lookupswitch,
            },
            Insn::Label(_) => return None,
        })
    }

    /// The local variable it names, in whatever form, and how many slots of it.
    #[must_use]
    pub fn local(&self) -> Option<(u16, u16)> {
        let slots = |kind: u8| if matches!(kind, 1 | 3) { 2 } else { 1 };
        match self {
            Insn::Local(
                opcode @ (Opcode::Iload | Opcode::Lload | Opcode::Fload | Opcode::Dload | Opcode::Aload),
                local,
            ) => Some((*local, slots(opcode.byte() - Opcode::Iload.byte()))),
            Insn::Local(Opcode::Ret, local) | Insn::Increment { local, .. } => Some((*local, 1)),
            Insn::Local(opcode, local) => Some((*local, slots(opcode.byte().saturating_sub(Opcode::Istore.byte())))),
            Insn::Plain(opcode) => {
                let in_group = |first: Opcode, last: Opcode| {
                    let index = opcode.byte().checked_sub(first.byte()).filter(|_| *opcode <= last)?;
                    Some((u16::from(index % 4), slots(index / 4)))
                };
                in_group(Opcode::Iload0, Opcode::Aload3).or_else(|| in_group(Opcode::Istore0, Opcode::Astore3))
            }
            _ => None,
        }
    }

    /// Reads the instruction at the cursor, whose slice begins where the method's code does.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Insn> {
        let start = cursor.clone();
        let at = start.at() as u32;
        let byte = cursor.u1()?;
        let opcode = Opcode::from_byte(byte).ok_or_else(|| start.error(Problem::Opcode(byte)))?;
        let near = |distance: i32| target(&start, distance);
        Ok(match opcode.shape() {
            Shape::None => Insn::Plain(opcode),
            Shape::Byte => Insn::Push(opcode, i16::from(cursor.i1()?)),
            Shape::Short => Insn::Push(opcode, cursor.i2()?),
            Shape::Ldc => Insn::Constant(opcode, PoolIndex(u16::from(cursor.u1()?))),
            Shape::Constant | Shape::Field | Shape::Method => Insn::Constant(opcode, PoolIndex(cursor.u2()?)),
            Shape::InterfaceMethod => {
                let insn = Insn::InvokeInterface { method: PoolIndex(cursor.u2()?), slots: cursor.u1()? };
                cursor.u1()?;
                insn
            }
            Shape::Dynamic => {
                let site = PoolIndex(cursor.u2()?);
                cursor.u2()?;
                Insn::Constant(opcode, site)
            }
            Shape::Local => Insn::Local(opcode, u16::from(cursor.u1()?)),
            Shape::Increment => Insn::Increment { local: u16::from(cursor.u1()?), by: i16::from(cursor.i1()?) },
            Shape::Branch => Insn::Branch(opcode, near(i32::from(cursor.i2()?))?),
            Shape::BranchWide => Insn::Branch(opcode, near(cursor.i4()?)?),
            Shape::TableSwitch => {
                cursor.take(padding(at))?;
                let default = near(cursor.i4()?)?;
                let (low, high) = (cursor.i4()?, cursor.i4()?);
                let count = i64::from(high) - i64::from(low) + 1;
                let wrong = || start.error(Problem::Switch { low: i64::from(low), high: i64::from(high) });
                let count = usize::try_from(count).ok().filter(|count| *count > 0).ok_or_else(wrong)?;
                let targets = cursor.list(count, 4, |cursor| near(cursor.i4()?))?;
                Insn::Switch(Box::new(Switch::Table { default, low, targets }))
            }
            Shape::LookupSwitch => {
                cursor.take(padding(at))?;
                let default = near(cursor.i4()?)?;
                let count = cursor.i4()?;
                let wrong = || start.error(Problem::Switch { low: 0, high: i64::from(count) - 1 });
                let count = usize::try_from(count).map_err(|_| wrong())?;
                let cases = cursor.list(count, 8, |cursor| Ok((cursor.i4()?, near(cursor.i4()?)?)))?;
                Insn::Switch(Box::new(Switch::Lookup { default, cases }))
            }
            Shape::NewArray => Insn::NewArray(cursor.u1()?),
            Shape::MultiNewArray => Insn::MultiNewArray { class: PoolIndex(cursor.u2()?), dimensions: cursor.u1()? },
            Shape::Wide => {
                let byte = cursor.u1()?;
                let opcode = Opcode::from_byte(byte).ok_or_else(|| start.error(Problem::Opcode(byte)))?;
                match opcode.shape() {
                    Shape::Local => Insn::Local(opcode, cursor.u2()?),
                    Shape::Increment => Insn::Increment { local: cursor.u2()?, by: cursor.i2()? },
                    _ => return Err(start.error(Problem::NoWideForm(opcode.mnemonic()))),
                }
            }
        })
    }

    /// How many bytes it takes at this offset.
    pub(crate) fn size(&self, at: u32) -> u32 {
        match self {
            Insn::Plain(_) => 1,
            Insn::Push(Opcode::Bipush, _) => 2,
            Insn::Push(..) => 3,
            Insn::Local(_, local) => {
                if *local > 0xff {
                    4
                } else {
                    2
                }
            }
            Insn::Increment { local, by } => {
                if is_wide_increment(*local, *by) {
                    6
                } else {
                    3
                }
            }
            Insn::Constant(Opcode::Ldc, PoolIndex(0..=0xff)) => 2,
            Insn::Constant(Opcode::Invokedynamic, _) | Insn::InvokeInterface { .. } => 5,
            Insn::Constant(..) => 3,
            Insn::NewArray(_) => 2,
            Insn::MultiNewArray { .. } => 4,
            Insn::Branch(Opcode::GotoW | Opcode::JsrW, _) => 5,
            Insn::Branch(..) => 3,
            Insn::Switch(switch) => {
                let body = match &**switch {
                    Switch::Table { targets, .. } => 12 + 4 * targets.len(),
                    Switch::Lookup { cases, .. } => 8 + 8 * cases.len(),
                };
                (1 + padding(at) + body) as u32
            }
            Insn::Label(_) => 0,
        }
    }

    /// Writes it at the end of `out`, where the method's code begins at `out`'s beginning.
    ///
    /// # Errors
    /// A target is nowhere, or a branch does not reach.
    pub(crate) fn write(&self, out: &mut Vec<u8>, place: &dyn Fn(Label) -> Result<u32>) -> Result<()> {
        let at = out.len() as u32;
        let distance = |label: Label| Ok::<i32, Error>(place(label)? as i32 - at as i32);
        match self {
            Insn::Plain(opcode) => out.push(opcode.byte()),
            Insn::Push(Opcode::Bipush, value) => {
                let wrong = |_| Problem::Value { what: "the operand of `bipush`", found: i64::from(*value) };
                let value = i8::try_from(*value).map_err(wrong)?;
                out.extend([Opcode::Bipush.byte(), value as u8]);
            }
            Insn::Push(opcode, value) => {
                out.push(opcode.byte());
                out.extend(value.to_be_bytes());
            }
            Insn::Local(opcode, local) => match u8::try_from(*local) {
                Ok(local) => out.extend([opcode.byte(), local]),
                Err(_) => {
                    out.extend([Opcode::Wide.byte(), opcode.byte()]);
                    out.extend(local.to_be_bytes());
                }
            },
            Insn::Increment { local, by } if is_wide_increment(*local, *by) => {
                out.extend([Opcode::Wide.byte(), Opcode::Iinc.byte()]);
                out.extend(local.to_be_bytes());
                out.extend(by.to_be_bytes());
            }
            Insn::Increment { local, by } => out.extend([Opcode::Iinc.byte(), *local as u8, *by as u8]),
            Insn::Constant(Opcode::Ldc, PoolIndex(index @ 0..=0xff)) => out.extend([Opcode::Ldc.byte(), *index as u8]),
            Insn::Constant(opcode, index) => {
                let opcode = if *opcode == Opcode::Ldc { Opcode::LdcW } else { *opcode };
                out.push(opcode.byte());
                out.extend(index.0.to_be_bytes());
                if opcode == Opcode::Invokedynamic {
                    out.extend([0, 0]);
                }
            }
            Insn::InvokeInterface { method, slots } => {
                out.push(Opcode::Invokeinterface.byte());
                out.extend(method.0.to_be_bytes());
                out.extend([*slots, 0]);
            }
            Insn::NewArray(kind) => out.extend([Opcode::Newarray.byte(), *kind]),
            Insn::MultiNewArray { class, dimensions } => {
                out.push(Opcode::Multianewarray.byte());
                out.extend(class.0.to_be_bytes());
                out.push(*dimensions);
            }
            Insn::Branch(opcode @ (Opcode::GotoW | Opcode::JsrW), label) => {
                let distance = distance(*label)?;
                out.push(opcode.byte());
                out.extend(distance.to_be_bytes());
            }
            Insn::Branch(opcode, label) => {
                let distance = distance(*label)?;
                let distance = i16::try_from(distance).map_err(|_| Problem::OutOfReach(i64::from(distance)))?;
                out.push(opcode.byte());
                out.extend(distance.to_be_bytes());
            }
            Insn::Switch(switch) => {
                let opcode = self.opcode().expect("a switch has one");
                out.push(opcode.byte());
                out.extend(&[0; 3][..padding(at)]);
                match &**switch {
                    Switch::Table { default, low, targets } => {
                        let high = i64::from(*low) + targets.len() as i64 - 1;
                        let wrong = Problem::Switch { low: i64::from(*low), high };
                        let high = i32::try_from(high).ok().filter(|high| high >= low).ok_or(wrong)?;
                        out.extend(distance(*default)?.to_be_bytes());
                        out.extend(low.to_be_bytes());
                        out.extend(high.to_be_bytes());
                        for label in targets {
                            out.extend(distance(*label)?.to_be_bytes());
                        }
                    }
                    Switch::Lookup { default, cases } => {
                        out.extend(distance(*default)?.to_be_bytes());
                        out.extend((cases.len() as u32).to_be_bytes());
                        for (value, label) in cases {
                            out.extend(value.to_be_bytes());
                            out.extend(distance(*label)?.to_be_bytes());
                        }
                    }
                }
            }
            Insn::Label(_) => {}
        }
        Ok(())
    }
}

fn short_local(opcode: Opcode, kind: u8, first: Opcode, local: u16) -> Insn {
    match u8::try_from(local).ok().filter(|local| *local < 4) {
        Some(local) => {
            Insn::Plain(Opcode::from_byte(first.byte() + 4 * kind + local).expect("the short forms come in fours"))
        }
        None => Insn::Local(opcode, local),
    }
}

fn is_wide_increment(local: u16, by: i16) -> bool {
    local > 0xff || i8::try_from(by).is_err()
}

/// How many bytes follow the opcode of a switch at this offset, so that its operands are aligned.
fn padding(at: u32) -> usize {
    (3 - at % 4) as usize
}

/// The target so far away from the instruction at `start`. Whether an instruction begins there is not known yet.
fn target(start: &Cursor<'_>, distance: i32) -> Result<Label> {
    let target = start.at() as i64 + i64::from(distance);
    match u32::try_from(target).ok().filter(|target| *target < Label::FIRST_NEW) {
        Some(target) => Ok(Label(target)),
        None => Err(start.error(Problem::OutOfReach(i64::from(distance)))),
    }
}
