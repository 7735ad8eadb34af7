//! Methods as text, for people and for tests.

use std::fmt::Write;

use crate::class::{Attribute, ClassFile};
use crate::code::Code;
use crate::cursor::Cursor;
use crate::error::{Problem, Result};
use crate::insn::{Insn, Label, Switch};
use crate::pool::{Constant, ConstantPool, PoolIndex};
use crate::stackmap::{Frame, VerificationType};

/// The code of a method with its tables, a line each; a line that says so if it has none.
///
/// # Errors
/// There is no such method, or it is broken.
pub fn dump_method(class: &ClassFile<'_>, method: usize) -> Result<String> {
    let code = class.code(method)?;
    let member = &class.methods[method];
    let mut out = format!("{}{}", class.pool.text_lossy(member.name), class.pool.text_lossy(member.descriptor));
    match code {
        Some(code) => {
            let frames = class.frames(method)?;
            dump_code(class, &code, &frames, &mut out).map_err(|error| class.place(error, member))?;
        }
        None => out.push_str(" without code\n"),
    }
    Ok(out)
}

fn dump_code(class: &ClassFile<'_>, code: &Code<'_>, frames: &[(u32, Frame)], out: &mut String) -> Result<()> {
    let pool = &class.pool;
    line(out, &format!(" stack {} locals {}", code.max_stack, code.max_locals))?;
    let mut frames = frames.iter().peekable();
    for located in code.instructions() {
        let located = located?;
        while let Some((_, frame)) = frames.next_if(|(offset, _)| *offset <= located.offset) {
            line(out, &format!("      locals [{}] stack [{}]", types(pool, &frame.locals), types(pool, &frame.stack)))?;
        }
        line(out, &format!("{:>5} {}", located.offset, dump_insn(pool, &located.insn)))?;
    }
    for range in &code.exceptions {
        let caught = match range.catch_type {
            PoolIndex::NONE => "anything".to_string(),
            class => dump_constant(pool, class),
        };
        line(out, &format!("      from {} to {} catch {caught} at {}", range.start, range.end, range.handler))?;
    }
    for attribute in &code.attributes {
        dump_table(pool, attribute, out)?;
    }
    Ok(())
}

fn dump_table(pool: &ConstantPool<'_>, attribute: &Attribute<'_>, out: &mut String) -> Result<()> {
    let name = pool.text_lossy(attribute.name);
    let mut cursor = Cursor::new(&attribute.content, attribute.offset.unwrap_or(0));
    match &*name {
        "StackMapTable" => {}
        "LineNumberTable" => {
            let count = cursor.u2()?;
            let rows = cursor.list(count.into(), 4, |cursor| Ok(format!("{}:{}", cursor.u2()?, cursor.u2()?)))?;
            line(out, &format!("      lines {}", rows.join(" ")))?;
        }
        "LocalVariableTable" | "LocalVariableTypeTable" => {
            for _ in 0..cursor.u2()? {
                let (start, length) = (cursor.u2()?, cursor.u2()?);
                let variable = pool.text_lossy(PoolIndex(cursor.u2()?));
                let kind = pool.text_lossy(PoolIndex(cursor.u2()?));
                let local = cursor.u2()?;
                let end = u32::from(start) + u32::from(length);
                line(out, &format!("      from {start} to {end} local {local} is {variable} {kind}"))?;
            }
        }
        _ => line(out, &format!("      {name}, {} bytes", attribute.content.len()))?,
    }
    Ok(())
}

fn line(out: &mut String, text: &str) -> Result<()> {
    if out.len() + text.len() > MAX_TEXT {
        return Err(Problem::TooMany("bytes of text").into());
    }
    out.push_str(text);
    out.push('\n');
    Ok(())
}

/// An instruction as text, with what its constants mean.
#[must_use]
pub fn dump_insn(pool: &ConstantPool<'_>, insn: &Insn) -> String {
    let Some(opcode) = insn.opcode() else {
        let Insn::Label(label) = insn else { return String::new() };
        return format!("{}:", label);
    };
    let mut out = opcode.mnemonic().to_string();
    let operands = match insn {
        Insn::Plain(_) | Insn::Label(_) => String::new(),
        Insn::Push(_, value) => value.to_string(),
        Insn::Local(_, local) => local.to_string(),
        Insn::Increment { local, by } => format!("{local} by {by}"),
        Insn::Constant(_, index) => dump_constant(pool, *index),
        Insn::InvokeInterface { method, .. } => dump_constant(pool, *method),
        Insn::NewArray(kind) => {
            let kinds = ["boolean", "char", "float", "double", "byte", "short", "int", "long"];
            let known = kind.checked_sub(4).and_then(|kind| kinds.get(usize::from(kind)));
            known.map_or_else(|| kind.to_string(), |kind| (*kind).to_string())
        }
        Insn::MultiNewArray { class, dimensions } => format!("{} {dimensions}", dump_constant(pool, *class)),
        Insn::Branch(_, label) => format!("to {}", label),
        Insn::Switch(switch) => {
            let cases: Vec<(i64, Label)> = match &**switch {
                Switch::Table { low, targets, .. } => targets
                    .iter()
                    .enumerate()
                    .map(|(index, target)| (i64::from(*low) + index as i64, *target))
                    .collect(),
                Switch::Lookup { cases, .. } => {
                    cases.iter().map(|(value, target)| (i64::from(*value), *target)).collect()
                }
            };
            let cases = cases.iter().map(|(value, target)| format!("{value} to {}", target));
            let default = switch.targets().last().map(|target| format!("else to {}", target));
            cases.chain(default).collect::<Vec<_>>().join(", ")
        }
    };
    if !operands.is_empty() {
        let _ = write!(out, " {operands}");
    }
    out
}

/// More characters of a constant are not shown, nor more bytes of text altogether: few bytes can say a lot.
const MAX_CONSTANT: usize = 1_000;
const MAX_TEXT: usize = 1 << 26;

/// A constant as text.
fn dump_constant(pool: &ConstantPool<'_>, index: PoolIndex) -> String {
    let named = |name_and_type: PoolIndex| {
        pool.name_and_type(name_and_type).map(|(name, descriptor)| format!("{name} {descriptor}"))
    };
    let text = match pool.get(index) {
        Ok(Constant::Utf8(_)) => Ok(pool.text_lossy(index).into_owned()),
        Ok(Constant::Integer(value)) => Ok(value.to_string()),
        Ok(Constant::Float(bits)) => Ok(format!("{:?}f", f32::from_bits(bits))),
        Ok(Constant::Long(value)) => Ok(format!("{value}L")),
        Ok(Constant::Double(bits)) => Ok(format!("{:?}", f64::from_bits(bits))),
        Ok(Constant::Class { name } | Constant::Module { name } | Constant::Package { name }) => {
            Ok(pool.text_lossy(name).into_owned())
        }
        Ok(Constant::String { text }) => Ok(format!("{:?}", pool.text_lossy(text))),
        Ok(Constant::Fieldref { .. } | Constant::Methodref { .. } | Constant::InterfaceMethodref { .. }) => {
            pool.member_ref(index).map(|member| format!("{}.{} {}", member.class, member.name, member.descriptor))
        }
        Ok(Constant::NameAndType { .. }) => named(index),
        Ok(Constant::MethodHandle { reference, .. }) => pool
            .member_ref(reference)
            .map(|member| format!("handle of {}.{} {}", member.class, member.name, member.descriptor)),
        Ok(Constant::MethodType { descriptor }) => Ok(pool.text_lossy(descriptor).into_owned()),
        Ok(Constant::Dynamic { bootstrap, name_and_type } | Constant::InvokeDynamic { bootstrap, name_and_type }) => {
            named(name_and_type).map(|name| format!("{name} by bootstrap {bootstrap}"))
        }
        Err(error) => Err(error),
    };
    // A broken constant shows as its index.
    let mut text = text.unwrap_or_else(|_| index.to_string());
    if let Some((end, _)) = text.char_indices().nth(MAX_CONSTANT) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn types(pool: &ConstantPool<'_>, types: &[VerificationType]) -> String {
    let name = |kind: &VerificationType| match kind {
        VerificationType::Top => "top".to_string(),
        VerificationType::Integer => "int".to_string(),
        VerificationType::Float => "float".to_string(),
        VerificationType::Double => "double".to_string(),
        VerificationType::Long => "long".to_string(),
        VerificationType::Null => "null".to_string(),
        VerificationType::UninitializedThis => "uninitialized this".to_string(),
        VerificationType::Object(class) => dump_constant(pool, *class),
        VerificationType::Uninitialized(label) => format!("uninitialized {}", label),
        VerificationType::Argument(index) => format!("argument {index}"),
    };
    types.iter().map(name).collect::<Vec<_>>().join(", ")
}
