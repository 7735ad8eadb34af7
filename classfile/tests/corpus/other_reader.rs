//! What another reader of class files, `cafebabe`, finds in real classes is what this one finds.

use cafebabe::attributes::{AttributeData, AttributeInfo, CodeData, StackMapEntry};
use cafebabe::bytecode::Opcode as Other;
use r8lite_classfile::{Attribute, ClassFile, Code, Insn, PoolIndex, Switch, read};

use crate::jars;

/// The name of an instruction, without what tells its forms apart: `aload_0` and `wide aload` are both `aload`.
fn plain_name(mnemonic: &str) -> String {
    let name = match mnemonic.rsplit_once('_') {
        Some((base, "0" | "1" | "2" | "3")) if base.ends_with("load") || base.ends_with("store") => base,
        Some((base @ ("goto" | "jsr"), "w")) => base,
        _ => mnemonic,
    };
    name.replace('_', "")
}

/// Instructions as text: offset, name, and what they name.
fn ours(class: &ClassFile<'_>, code: &Code<'_>) -> Vec<String> {
    let pool = &class.pool;
    let constant = |index: PoolIndex| -> String {
        match (pool.member_ref(index), pool.class_name(index)) {
            (Ok(member), _) => format!("{}.{} {}", member.class, member.name, member.descriptor),
            (_, Ok(name)) => name.into_owned(),
            _ => String::new(),
        }
    };
    let mut lines = Vec::new();
    for located in code.instructions().map(Result::unwrap) {
        let name = plain_name(located.insn.opcode().unwrap().mnemonic());
        let operands = match &located.insn {
            Insn::Push(_, value) => value.to_string(),
            Insn::Increment { local, by } => format!("{local} {by}"),
            Insn::Constant(opcode, _) if opcode.mnemonic().starts_with("ldc") => String::new(),
            Insn::Constant(_, index) => constant(*index),
            Insn::InvokeInterface { method, slots } => format!("{} {slots}", constant(*method)),
            Insn::MultiNewArray { class, dimensions } => format!("{} {dimensions}", constant(*class)),
            Insn::Branch(_, target) => target.to_string(),
            Insn::Switch(switch) => match &**switch {
                Switch::Table { default, low, targets } => {
                    let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
                    format!("{low} [{}] {default}", targets.join(" "))
                }
                Switch::Lookup { default, cases } => {
                    let cases: Vec<String> = cases.iter().map(|(value, target)| format!("{value}:{target}")).collect();
                    format!("[{}] {default}", cases.join(" "))
                }
            },
            insn => insn.local().map_or(String::new(), |(local, _)| local.to_string()),
        };
        lines.push(format!("{} {name} {operands}", located.offset));
    }
    lines
}

fn theirs(code: &CodeData<'_>) -> Vec<String> {
    let opcodes = &code.bytecode.as_ref().expect("it was asked for").opcodes;
    let line = |(offset, opcode): &(usize, Other<'_>)| {
        let shown = format!("{opcode:?}");
        let name = shown.split(['(', ' ']).next().unwrap_or_default().to_lowercase();
        let target = |jump: i32| *offset as i64 + i64::from(jump);
        let operands = match opcode {
            Other::Getfield(member)
            | Other::Putfield(member)
            | Other::Getstatic(member)
            | Other::Putstatic(member)
            | Other::Invokespecial(member)
            | Other::Invokestatic(member)
            | Other::Invokevirtual(member) => member_name(member),
            Other::Invokeinterface(member, slots) => format!("{} {slots}", member_name(member)),
            Other::New(name) => name.to_string(),
            Other::Anewarray(kind) | Other::Checkcast(kind) | Other::Instanceof(kind) => class_name(kind),
            Other::Multianewarray(kind, dimensions) => format!("{} {dimensions}", class_name(kind)),
            Other::Bipush(value) => value.to_string(),
            Other::Sipush(value) => value.to_string(),
            Other::Iinc(local, by) => format!("{local} {by}"),
            Other::Aload(local)
            | Other::Astore(local)
            | Other::Iload(local)
            | Other::Istore(local)
            | Other::Lload(local)
            | Other::Lstore(local)
            | Other::Fload(local)
            | Other::Fstore(local)
            | Other::Dload(local)
            | Other::Dstore(local)
            | Other::Ret(local) => local.to_string(),
            Other::Goto(jump)
            | Other::Jsr(jump)
            | Other::IfAcmpeq(jump)
            | Other::IfAcmpne(jump)
            | Other::IfIcmpeq(jump)
            | Other::IfIcmpge(jump)
            | Other::IfIcmpgt(jump)
            | Other::IfIcmple(jump)
            | Other::IfIcmplt(jump)
            | Other::IfIcmpne(jump)
            | Other::Ifeq(jump)
            | Other::Ifge(jump)
            | Other::Ifgt(jump)
            | Other::Ifle(jump)
            | Other::Iflt(jump)
            | Other::Ifne(jump)
            | Other::Ifnonnull(jump)
            | Other::Ifnull(jump) => target(*jump).to_string(),
            Other::Tableswitch(table) => {
                let targets: Vec<String> = table.jumps.iter().map(|&jump| target(jump).to_string()).collect();
                format!("{} [{}] {}", table.low, targets.join(" "), target(table.default))
            }
            Other::Lookupswitch(table) => {
                let cases = table.match_offsets.iter().map(|&(value, jump)| format!("{value}:{}", target(jump)));
                format!("[{}] {}", cases.collect::<Vec<_>>().join(" "), target(table.default))
            }
            _ => String::new(),
        };
        format!("{offset} {name} {operands}")
    };
    opcodes.iter().map(line).collect()
}

fn member_name(member: &cafebabe::constant_pool::MemberRef<'_>) -> String {
    let named = &member.name_and_type;
    format!("{}.{} {}", member.class_name, named.name, named.descriptor)
}

fn class_name(kind: &cafebabe::constant_pool::ObjectArrayType<'_>) -> String {
    match kind {
        cafebabe::constant_pool::ObjectArrayType::ArrayType(array) => array.to_string(),
        cafebabe::constant_pool::ObjectArrayType::BinaryName(name) => name.to_string(),
    }
}

/// Where frames are, and how much is on the stack there.
fn their_frames(attributes: &[AttributeInfo<'_>]) -> Vec<(u32, usize)> {
    let entries = attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::StackMapTable(entries) => Some(entries),
        _ => None,
    });
    let mut next = 0;
    let mut frames = Vec::new();
    for entry in entries.into_iter().flatten() {
        let (delta, depth) = match entry {
            StackMapEntry::Same { offset_delta }
            | StackMapEntry::Chop { offset_delta, .. }
            | StackMapEntry::Append { offset_delta, .. } => (*offset_delta, 0),
            StackMapEntry::SameLocals1StackItem { offset_delta, .. } => (*offset_delta, 1),
            StackMapEntry::FullFrame { offset_delta, stack, .. } => (*offset_delta, stack.len()),
        };
        frames.push((next + u32::from(delta), depth));
        next += u32::from(delta) + 1;
    }
    frames
}

fn names(class: &ClassFile<'_>, attributes: &[Attribute<'_>]) -> Vec<String> {
    attributes.iter().map(|attribute| class.pool.text_lossy(attribute.name).into_owned()).collect()
}

fn their_names(attributes: &[AttributeInfo<'_>]) -> Vec<String> {
    attributes.iter().map(|attribute| attribute.name.to_string()).collect()
}

fn compare(place: &str, class: &ClassFile<'_>, other: &cafebabe::ClassFile<'_>) {
    assert_eq!((class.major_version, class.minor_version), (other.major_version, other.minor_version), "{place}");
    assert_eq!(*class.name().unwrap(), *other.this_class, "{place}");
    assert_eq!(class.super_name().unwrap().as_deref(), other.super_class.as_deref(), "{place}");
    assert_eq!(names(class, &class.attributes), their_names(&other.attributes), "{place}");
    assert_eq!(class.fields.len(), other.fields.len(), "{place}");
    for (field, theirs) in class.fields.iter().zip(&other.fields) {
        assert_eq!(class.pool.text(field.name).unwrap(), theirs.name, "{place}");
        assert_eq!(*class.pool.text(field.descriptor).unwrap(), theirs.descriptor.to_string(), "{place}");
        assert_eq!(names(class, &field.attributes), their_names(&theirs.attributes), "{place}");
    }
    assert_eq!(class.methods.len(), other.methods.len(), "{place}");
    for (number, (method, their)) in class.methods.iter().zip(&other.methods).enumerate() {
        let place = format!("{place} {}{}", class.pool.text(method.name).unwrap(), their.descriptor);
        assert_eq!(*class.pool.text(method.descriptor).unwrap(), their.descriptor.to_string(), "{place}");
        assert_eq!(names(class, &method.attributes), their_names(&their.attributes), "{place}");
        let their_code = their.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => Some(code),
            _ => None,
        });
        let code = class.code(number).unwrap();
        assert_eq!(code.is_some(), their_code.is_some(), "{place}");
        let (Some(code), Some(their_code)) = (code, their_code) else { continue };
        assert_eq!((code.max_stack, code.max_locals), (their_code.max_stack, their_code.max_locals), "{place}");
        assert_eq!(names(class, &code.attributes), their_names(&their_code.attributes), "{place}");
        assert_eq!(ours(class, &code), theirs(their_code), "{place}");
        let frames = class.frames(number).unwrap();
        let frames: Vec<(u32, usize)> = frames.iter().map(|(offset, frame)| (*offset, frame.stack.len())).collect();
        assert_eq!(frames, their_frames(&their_code.attributes), "{place}");
        assert_eq!(code.exceptions.len(), their_code.exception_table.len(), "{place}");
        for (range, theirs) in code.exceptions.iter().zip(&their_code.exception_table) {
            let range_of = [range.start, range.end, range.handler].map(|label| label.to_string());
            assert_eq!(
                range_of,
                [theirs.start_pc, theirs.end_pc, theirs.handler_pc].map(|pc| pc.to_string()),
                "{place}"
            );
            let caught = class.pool.class_name(range.catch_type).ok();
            assert_eq!(caught.as_deref(), theirs.catch_type.as_deref(), "{place}");
        }
    }
}

#[test]
fn another_reader_finds_the_same() {
    let one_in = if std::env::var_os("R8LITE_LONG").is_some() { 1 } else { 5 };
    let (mut classes, mut compared) = (0, 0);
    jars::each_class(|place, bytes| {
        classes += 1;
        if classes % one_in == 0 {
            let class = read(bytes).unwrap_or_else(|error| panic!("{place}: {error}"));
            let other = cafebabe::parse_class(bytes).unwrap_or_else(|error| panic!("{place}: {error}"));
            compare(place, &class, &other);
            compared += 1;
        }
    });
    assert!(compared > 1_000, "only {compared} classes");
}
