//! Real classes: those of the JDK and of jars that Debian has. Every one is written as it was read, and every method's
//! instructions are understood.
#![cfg(feature = "jar")]

mod jars;
mod javap;
mod other_reader;

use r8lite_classfile::jar::Unpacker;
use r8lite_classfile::{
    ClassFile, CodeEdits, Constant, Insn, Located, Member, Names, Opcode, Result, apply, dump_method, mentions, read,
    write,
};

#[test]
fn every_class_is_written_as_it_was_read() {
    let mut classes = 0;
    jars::each_class(|place, bytes| {
        let class = read(bytes).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(write(&class).unwrap() == bytes, "{place}: written otherwise than read");
        classes += 1;
    });
    assert!(classes > 5_000, "only {classes} classes");
}

#[test]
fn every_instruction_is_understood() {
    let mut instructions = 0;
    jars::each_class(|place, bytes| {
        let class = read(bytes).unwrap_or_else(|error| panic!("{place}: {error}"));
        for method in 0..class.methods.len() {
            let code = class.code(method).unwrap_or_else(|error| panic!("{place}: {error}"));
            let Some(code) = code else { continue };
            let mut end = 0;
            for located in code.instructions() {
                let located = located.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert_eq!(located.offset, end, "{place}: instructions follow each other");
                end += located.length;
                instructions += 1;
                assert!(!matches!(located.insn, Insn::Label(_)), "{place}: labels are not read");
            }
            assert_eq!(end as usize, code.bytes.len(), "{place}");
        }
    });
    assert!(instructions > 1_000_000, "only {instructions} instructions");
}

/// Methods are as they were, byte for byte. ASM writes one frame in some ten thousand longer than it has to be: that
/// frame may be shorter, if it says the same.
fn assert_same_methods(place: &str, bytes: &[u8], class: &ClassFile<'_>) {
    let original = read(bytes).unwrap();
    for (index, (method, before)) in class.methods.iter().zip(&original.methods).enumerate() {
        let contents = |member: &Member<'_>| -> Vec<Vec<u8>> {
            member.attributes.iter().map(|attribute| attribute.content.to_vec()).collect()
        };
        if contents(method) != contents(before) {
            let (before, after) = (dump_method(&original, index).unwrap(), dump_method(class, index).unwrap());
            let length = |class: &ClassFile<'_>| write(class).unwrap().len();
            let shorter = length(class) < length(&original);
            assert!(before == after && shorter, "{place}:\n{before}\nis not\n{after}");
        }
    }
}

/// All tables are taken apart and put together again, and the stack is followed.
#[test]
fn a_method_is_the_same_when_an_instruction_is_replaced_by_itself() {
    let mut methods = 0;
    jars::each_class(|place, bytes| {
        let mut class = read(bytes).unwrap_or_else(|error| panic!("{place}: {error}"));
        for method in 0..class.methods.len() {
            let Some(code) = class.code(method).unwrap() else { continue };
            let first = code.instructions().next().expect("code is never empty").unwrap();
            let mut edits = CodeEdits::new();
            edits.replace(0, [first.insn]).unwrap();
            apply(&mut class, method, &edits).unwrap_or_else(|error| panic!("{place}: {error}"));
            methods += 1;
        }
        assert_same_methods(place, bytes, &class);
    });
    assert!(methods > 50_000, "only {methods} methods");
}

/// Everything moves there and back, and no table may tell.
#[test]
fn a_method_is_the_same_when_what_is_put_in_is_deleted() {
    let nop = Insn::Plain(Opcode::Nop);
    let one_in = if std::env::var_os("R8LITE_LONG").is_some() { 1 } else { 5 };
    let (mut classes, mut methods) = (0, 0);
    jars::each_class(|place, bytes| {
        classes += 1;
        if classes % one_in != 0 {
            return;
        }
        let mut class = read(bytes).unwrap_or_else(|error| panic!("{place}: {error}"));
        for method in 0..class.methods.len() {
            let Some(code) = class.code(method).unwrap() else { continue };
            let old: Vec<Located> = code.instructions().map(Result::unwrap).collect();
            // Branches in longer ones lose their reach on the way.
            if code.bytes.len() > 6_000 || old.iter().any(|located| located.insn == nop) {
                continue;
            }
            let mut edits = CodeEdits::new();
            for (index, located) in old.iter().enumerate() {
                edits.before(located.offset, vec![nop.clone(); index % 4]);
                edits.after(located.offset, vec![nop.clone(); index % 3]);
            }
            apply(&mut class, method, &edits).unwrap_or_else(|error| panic!("{place}: {error}"));
            let mut edits = CodeEdits::new();
            for located in class.code(method).unwrap().unwrap().instructions().map(Result::unwrap) {
                if located.insn == nop {
                    edits.delete(located.offset).unwrap();
                }
            }
            apply(&mut class, method, &edits).unwrap_or_else(|error| panic!("{place}: {error}"));
            methods += 1;
        }
        assert_same_methods(place, bytes, &class);
    });
    assert!(methods > 10_000, "only {methods} methods");
}

#[test]
fn every_attribute_that_is_asked_for_is_understood() {
    let [mut nests, mut bootstraps, mut inner, mut modules, mut constants, mut lines] = [0; 6];
    jars::each_class(|place, bytes| {
        let class = read(bytes).unwrap_or_else(|error| panic!("{place}: {error}"));
        let mut count = || -> Result<()> {
            for member in class.nest_members()?.into_iter().chain(class.nest_host()?) {
                class.pool.class_name(member)?;
                nests += 1;
            }
            for bootstrap in class.bootstrap_methods()? {
                assert!(matches!(class.pool.get(bootstrap.method)?, Constant::MethodHandle { .. }), "{place}");
                bootstraps += 1;
            }
            for row in class.inner_classes()? {
                class.pool.class_name(row.class)?;
                inner += 1;
            }
            for required in class.module_requires()?.into_iter().flatten() {
                assert!(!required.name.is_empty(), "{place}");
                modules += 1;
            }
            for field in &class.fields {
                constants += usize::from(class.constant_value(field)?.is_some());
            }
            for method in 0..class.methods.len() {
                class.frames(method)?;
                if let Some(code) = class.code(method)? {
                    lines += class.line_numbers(&code)?.len();
                }
            }
            Ok(())
        };
        count().unwrap_or_else(|error| panic!("{place}: {error}"));
    });
    assert!(nests > 1_000 && bootstraps > 1_000 && inner > 1_000 && constants > 1_000 && lines > 100_000);
    assert!(modules > 0);
}

#[test]
fn the_constant_pool_alone_says_who_uses_updaters() {
    let names =
        ["Reference", "Integer", "Long"].map(|kind| format!("java/util/concurrent/atomic/Atomic{kind}FieldUpdater"));
    let names = [&*names[0], &*names[1], &*names[2]];
    let looked_for = Names::new(&names);
    let (mut with, mut without) = (0, 0);
    jars::each_class(|place, bytes| {
        let found = mentions(bytes, &looked_for).unwrap_or_else(|error| panic!("{place}: {error}"));
        let class = read(bytes).unwrap();
        let slow = class
            .pool
            .iter()
            .any(|(index, _)| class.pool.text(index).is_ok_and(|text| names.iter().any(|name| text.contains(name))));
        assert_eq!(found, slow, "{place}");
        *(if found { &mut with } else { &mut without }) += 1;
    });
    assert!(with > 10 && without > 10 * with, "{with} with and {without} without");
    let mut unpacked = 0;
    let mut unpacker = Unpacker::default();
    jars::each_jar(|place, jar| {
        for index in (0..jar.entries().len()).filter(|index| jar.entries()[*index].name.ends_with(".class")) {
            let found = jar
                .class_mentions(index, &looked_for, &mut unpacker)
                .unwrap_or_else(|error| panic!("{place}: {error}"));
            unpacked += u32::from(found);
        }
    });
    assert_eq!(unpacked, with, "the same, without unpacking all of a class");
}
