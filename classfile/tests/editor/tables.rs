//! Tables of lines, variables and annotations.

use r8lite_classfile::{Insn, Opcode};

use crate::build::{Method, check, numbers, plain};
use crate::nop;

/// Four instructions of a byte each.
fn four() -> Method {
    Method::new("()V", |_, body| body.at_entry(plain([Opcode::Nop, Opcode::Iconst0, Opcode::Pop, Opcode::Return])))
}

#[test]
fn lines_move() {
    let lines = numbers(&[4, 2, 12, 0, 10, 1, 11, 3, 13]);
    check(
        &four().table("LineNumberTable", &lines),
        |edits| {
            edits.before(1, [nop()]);
            edits.after(1, [nop()]);
            edits.before(2, [nop(), nop()]);
            edits.delete(3).unwrap();
            edits.after(2, [Insn::Plain(Opcode::Return)]);
        },
        "
m()V stack 1 locals 0
    0 nop
    1 nop
    2 iconst_0
    3 nop
    4 nop
    5 nop
    6 pop
    7 return
      lines 4:12 0:10 1:11
",
    );
}

#[test]
fn variables_move_and_go() {
    // Start, length, name, descriptor, local. The last reaches beyond the code, as broken tools have it.
    let rows = numbers(&[4, 0, 4, 1, 1, 0, 1, 2, 1, 1, 1, 0, 1, 1, 1, 2, 3, 9, 1, 1, 3]);
    check(
        &four().table("LocalVariableTable", &rows),
        |edits| {
            edits.delete(0).unwrap();
            edits.before(1, [nop()]);
            edits.after(2, [nop()]);
        },
        "
m()V stack 1 locals 0
    0 nop
    1 iconst_0
    2 pop
    3 nop
    4 return
      from 0 to 5 local 0 is demo/Demo demo/Demo
      from 0 to 4 local 1 is demo/Demo demo/Demo
      from 4 to 5 local 3 is demo/Demo demo/Demo
",
    );
}

#[test]
fn type_annotations_move_and_go() {
    let method = Method::new("()V", |pool, body| {
        let object = pool.add_class("java/lang/Object").unwrap();
        body.at_entry([
            Insn::Plain(Opcode::AconstNull),
            Insn::Constant(Opcode::Checkcast, object),
            Insn::Constant(Opcode::Instanceof, object),
            Insn::Plain(Opcode::Pop),
            Insn::Plain(Opcode::Return),
        ]);
    });
    // No path; a type with one element, an array of an annotation and a constant.
    let annotation = [0, 0, 1, 0, 1, 0, 1, b'[', 0, 2, b'@', 0, 1, 0, 0, b's', 0, 1];
    let row = |target: &[u8]| [target, &annotation].concat();
    let before = [
        &[0, 4][..],
        &row(&[0x47, 0, 1, 9]),
        &row(&[0x43, 0, 4]),
        &row(&[0x40, 0, 2, 0, 0, 0, 1, 0, 7, 0, 7, 0, 2, 0, 8]),
        &row(&[0x42, 0, 0]),
    ];
    let method = method.table("RuntimeVisibleTypeAnnotations", &before.concat());
    let after = |edit: &dyn Fn(&mut r8lite_classfile::CodeEdits)| {
        let mut class = method.class();
        let mut edits = r8lite_classfile::CodeEdits::new();
        edit(&mut edits);
        r8lite_classfile::apply(&mut class, 0, &edits).unwrap();
        let code = class.code(0).unwrap().unwrap();
        code.attributes.last().unwrap().content.to_vec()
    };
    let moved = [
        &[0, 3][..],
        &row(&[0x47, 0, 2, 9]),
        &row(&[0x43, 0, 5]),
        &row(&[0x40, 0, 2, 0, 0, 0, 1, 0, 7, 0, 8, 0, 2, 0, 8]),
    ];
    assert_eq!(after(&|edits| edits.before(1, [nop()])), moved.concat(), "the row of exceptions was not there before");
    let gone = [&[0, 2][..], &row(&[0x43, 0, 2]), &row(&[0x40, 0, 1, 0, 5, 0, 2, 0, 8])];
    let delete = |edits: &mut r8lite_classfile::CodeEdits| {
        edits.delete(0).unwrap();
        edits.replace(1, plain([Opcode::Nop, Opcode::AconstNull])).unwrap();
    };
    assert_eq!(after(&delete), gone.concat());
}

#[test]
fn annotations_without_end_are_refused() {
    let nested = [&[0, 1, 0x43, 0, 0, 0, 0, 1, 0, 1, 0, 1][..], &[b'[', 0, 1].repeat(1000)].concat();
    let method = four().table("RuntimeInvisibleTypeAnnotations", &nested);
    let error = method.edit(|edits| edits.before(0, [nop()])).unwrap_err();
    assert!(error.to_string().contains("too many levels of annotations"), "{error}");
}

#[test]
fn what_is_not_known_stays_and_what_names_places_in_vain_goes() {
    check(
        &four().table("Mystery", &[1, 2, 3]).table("CharacterRangeTable", &[0, 0]),
        |edits| edits.before(0, [nop()]),
        "
m()V stack 1 locals 0
    0 nop
    1 nop
    2 iconst_0
    3 pop
    4 return
      Mystery, 3 bytes
",
    );
}
