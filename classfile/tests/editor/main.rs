//! Edits of code, each shown as the method before and after.

mod build;
mod members;
mod tables;

use build::{Method, check, plain};
use r8lite_classfile::{
    CodeEdits, Frame, Handler, Insn, Label, Opcode, PoolIndex, Problem, Switch, VerificationType, apply, write,
};

fn nop() -> Insn {
    Insn::Plain(Opcode::Nop)
}

fn ints() -> Frame {
    Frame { locals: vec![VerificationType::Integer], stack: Vec::new() }
}

/// A loop: `while (n != 0) n--;`.
fn countdown() -> Method {
    Method::new("(I)V", |_, body| {
        let (top, end) = (body.new_label(), body.new_label());
        body.at_entry([
            Insn::Label(top),
            Insn::Plain(Opcode::Iload0),
            Insn::Branch(Opcode::Ifeq, end),
            Insn::Increment { local: 0, by: -1 },
            Insn::Branch(Opcode::Goto, top),
            Insn::Label(end),
            Insn::Plain(Opcode::Return),
        ]);
        body.frame(top, ints());
        body.frame(end, ints());
    })
}

#[test]
fn branches_run_what_is_put_before_their_target() {
    check(
        &countdown(),
        |edits| {
            edits.before(0, [nop()]);
            edits.before(10, [Insn::Push(Opcode::Bipush, 7), Insn::Plain(Opcode::Pop)]);
        },
        "
m(I)V stack 1 locals 1
      locals [int] stack []
    0 nop
    1 iload_0
    2 ifeq to 11
    5 iinc 0 by -1
    8 goto to 0
      locals [int] stack []
   11 bipush 7
   13 pop
   14 return
",
    );
}

#[test]
fn branches_pass_what_is_put_at_the_entry_or_after_the_instruction_above() {
    check(
        &countdown(),
        |edits| {
            edits.at_entry([nop(), nop()]);
            edits.after(4, [Insn::Increment { local: 0, by: -300 }]);
        },
        "
m(I)V stack 1 locals 1
    0 nop
    1 nop
      locals [int] stack []
    2 iload_0
    3 ifeq to 18
    6 iinc 0 by -1
    9 iinc 0 by -300
   15 goto to 2
      locals [int] stack []
   18 return
",
    );
}

#[test]
fn what_leads_to_a_deleted_instruction_leads_to_the_next() {
    check(
        &countdown(),
        |edits| {
            edits.replace(0, [Insn::Plain(Opcode::Iconst0)]).unwrap();
            edits.delete(4).unwrap();
            edits.before(10, [nop()]);
            edits.delete(10).unwrap();
            edits.after(10, [Insn::Plain(Opcode::Return)]);
        },
        "
m(I)V stack 1 locals 1
      locals [int] stack []
    0 iconst_0
    1 ifeq to 7
    4 goto to 0
      locals [int] stack []
    7 nop
    8 return
",
    );
}

#[test]
fn new_code_has_labels_frames_and_handlers_of_its_own() {
    check(
        &countdown(),
        |edits| {
            let (around, handler) = (edits.new_label(), edits.new_label());
            edits.before(
                4,
                [
                    Insn::Plain(Opcode::Iload0),
                    Insn::Branch(Opcode::Iflt, around),
                    Insn::Push(Opcode::Sipush, 1000),
                    Insn::store(Opcode::Istore, 300),
                    Insn::Label(around),
                ],
            );
            edits.frame(around, Frame { locals: vec![VerificationType::Integer], stack: Vec::new() });
            edits.after(10, [Insn::Label(handler), Insn::Plain(Opcode::Pop), Insn::Plain(Opcode::Return)]);
            let caught = Frame { locals: vec![], stack: vec![VerificationType::Null] };
            edits.frame(handler, caught);
            let catch_type = PoolIndex::NONE;
            edits.handler(Handler { start: Label::at(4), end: Label::at(7), handler, catch_type });
        },
        "
m(I)V stack 1 locals 301
      locals [int] stack []
    0 iload_0
    1 ifeq to 21
    4 iload_0
    5 iflt to 15
    8 sipush 1000
   11 istore 300
      locals [int] stack []
   15 iinc 0 by -1
   18 goto to 0
      locals [int] stack []
   21 return
      locals [] stack [null]
   22 pop
   23 return
      from 4 to 18 catch anything at 22
",
    );
}

#[test]
fn handlers_cover_what_is_put_before_and_after_what_they_cover() {
    let method = Method::new("()V", |_, body| {
        let [start, end, handler] = [(); 3].map(|()| body.new_label());
        let entry = body.new_label();
        body.at_entry([Insn::Label(entry), nop(), Insn::Label(start)]);
        body.at_entry(plain([Opcode::Iconst0, Opcode::Pop]));
        body.at_entry([Insn::Label(end), Insn::Plain(Opcode::Return), Insn::Label(handler)]);
        body.at_entry(plain([Opcode::Pop, Opcode::Return]));
        body.frame(handler, Frame { locals: vec![], stack: vec![VerificationType::Null] });
        body.handler(Handler { start, end, handler, catch_type: PoolIndex::NONE });
        body.handler(Handler { start: entry, end: start, handler, catch_type: PoolIndex::NONE });
    });
    check(
        &method,
        |edits| {
            edits.delete(0).unwrap();
            edits.before(1, [nop()]);
            edits.after(2, [nop()]);
            edits.before(3, [nop()]);
            edits.before(4, [nop()]);
        },
        "
m()V stack 1 locals 0
    0 nop
    1 iconst_0
    2 pop
    3 nop
    4 nop
    5 return
      locals [] stack [null]
    6 nop
    7 pop
    8 return
      from 0 to 4 catch anything at 6
",
    );
}

#[test]
fn switches_keep_their_padding() {
    let method = Method::new("(I)V", |_, body| {
        let [more, one, other] = [(); 3].map(|()| body.new_label());
        let table = Switch::Table { default: more, low: -1, targets: vec![more] };
        let lookup = Switch::Lookup { default: one, cases: vec![(5, other), (900, one)] };
        body.at_entry([Insn::Plain(Opcode::Iload0), Insn::Switch(Box::new(table))]);
        body.at_entry([Insn::Label(more), Insn::Plain(Opcode::Iload0), Insn::Switch(Box::new(lookup))]);
        body.at_entry([Insn::Label(one), Insn::Plain(Opcode::Return)]);
        body.at_entry([Insn::Label(other), Insn::Plain(Opcode::Return)]);
        for label in [more, one, other] {
            body.frame(label, ints());
        }
    });
    check(
        &method,
        |edits| edits.before(0, [nop(), nop()]),
        "
m(I)V stack 1 locals 1
    0 nop
    1 nop
    2 iload_0
    3 tableswitch -1 to 20, else to 20
      locals [int] stack []
   20 iload_0
   21 lookupswitch 5 to 49, 900 to 48, else to 48
      locals [int] stack []
   48 return
      locals [int] stack []
   49 return
",
    );
}

#[test]
fn frames_know_where_new_objects_come_from() {
    let mut object = PoolIndex::NONE;
    let method = Method::new("(Ljava/lang/Object;)Ljava/lang/Object;", |pool, body| {
        object = pool.add_class("java/lang/Object").unwrap();
        let constructor = pool.add_method("java/lang/Object", "<init>", "()V").unwrap();
        let (new, call) = (body.new_label(), body.new_label());
        body.at_entry([Insn::Label(new), Insn::Constant(Opcode::New, object)]);
        body.at_entry(plain([Opcode::Dup, Opcode::Aload0]));
        body.at_entry([Insn::Branch(Opcode::Ifnull, call), Insn::Label(call)]);
        body.at_entry([Insn::Constant(Opcode::Invokespecial, constructor), Insn::Plain(Opcode::Areturn)]);
        let uninitialized = VerificationType::Uninitialized(new);
        body.frame(call, Frame { locals: vec![VerificationType::Argument(0)], stack: vec![uninitialized; 2] });
    });
    check(
        &method,
        |edits| {
            edits.before(0, [nop()]);
            edits.replace(0, [nop(), Insn::Constant(Opcode::New, object), nop()]).unwrap();
        },
        "
m(Ljava/lang/Object;)Ljava/lang/Object; stack 3 locals 1
    0 nop
    1 nop
    2 new java/lang/Object
    5 nop
    6 dup
    7 aload_0
    8 ifnull to 11
      locals [java/lang/Object] stack [uninitialized 2, uninitialized 2]
   11 invokespecial java/lang/Object.<init> ()V
   14 areturn
",
    );
    let error = method.edit(|edits| edits.replace(0, [Insn::Plain(Opcode::AconstNull)]).unwrap()).unwrap_err();
    assert_eq!(error.problem(), &Problem::FrameOfDeleted(0));
}

/// A call's receiver is exchanged, and while its argument is chosen, it is on the stack.
#[test]
fn frames_that_are_there_can_be_changed() {
    let [mut object, mut string] = [PoolIndex::NONE; 2];
    let method = Method::new("(I)V", |pool, body| {
        object = pool.add_class("java/lang/Object").unwrap();
        string = pool.add_string("receiver").unwrap();
        let [other, end] = [(); 2].map(|()| body.new_label());
        body.at_entry([Insn::Plain(Opcode::AconstNull), Insn::Constant(Opcode::Checkcast, object)]);
        body.at_entry([Insn::Plain(Opcode::Iload0), Insn::Branch(Opcode::Ifeq, other), Insn::Plain(Opcode::Iconst1)]);
        body.at_entry([Insn::Branch(Opcode::Goto, end), Insn::Label(other), Insn::Plain(Opcode::Iconst2)]);
        body.at_entry([Insn::Label(end), Insn::Plain(Opcode::Pop2), Insn::Plain(Opcode::Return)]);
        let stack = |top: &[VerificationType]| [&[VerificationType::Object(object)], top].concat();
        body.frame(other, Frame { stack: stack(&[]), ..ints() });
        body.frame(end, Frame { stack: stack(&[VerificationType::Integer]), ..ints() });
    });
    let frames = method.class().frames(0).unwrap();
    check(
        &method,
        |edits| {
            edits.delete(0).unwrap();
            edits.replace(1, [Insn::Constant(Opcode::Ldc, string), Insn::Plain(Opcode::Lconst1)]).unwrap();
            for (offset, mut frame) in frames {
                frame.stack.splice(..1, [VerificationType::Null, VerificationType::Long]);
                edits.frame(Label::at(offset), frame);
            }
            edits.before(13, [Insn::Plain(Opcode::Pop2)]);
        },
        "
m(I)V stack 4 locals 1
    0 ldc \"receiver\"
    2 lconst_1
    3 iload_0
    4 ifeq to 11
    7 iconst_1
    8 goto to 12
      locals [int] stack [null, long]
   11 iconst_2
      locals [int] stack [null, long, int]
   12 pop2
   13 pop2
   14 return
",
    );
}

/// So many `nop`s.
fn nops(count: usize) -> Vec<Insn> {
    vec![nop(); count]
}

/// The lines of a long text that are no `nop`s.
fn without_nops(text: &str) -> String {
    text.lines().filter(|line| !line.ends_with(" nop")).fold("\n".to_string(), |text, line| text + line + "\n")
}

#[test]
fn conditional_branches_ahead_go_by_an_island_before_the_code() {
    let after = countdown().edit(|edits| edits.before(4, nops(50_000))).unwrap();
    assert_eq!(
        without_nops(&after),
        "
m(I)V stack 1 locals 1
    0 goto_w to 10
      locals [int] stack []
    5 goto_w to 50022
      locals [int] stack []
   10 iload_0
   11 ifeq to 5
50014 iinc 0 by -1
50017 goto_w to 10
      locals [int] stack []
50022 return
"
    );
}

#[test]
fn conditional_branches_back_go_by_an_island_behind_the_code() {
    let method = Method::new("(I)V", |_, body| {
        let top = body.new_label();
        body.at_entry([Insn::Label(top), Insn::Increment { local: 0, by: -1 }, Insn::Plain(Opcode::Iload0)]);
        body.at_entry([Insn::Branch(Opcode::Ifne, top), Insn::Plain(Opcode::Return)]);
        body.frame(top, ints());
    });
    let after = method.edit(|edits| edits.before(3, nops(50_000))).unwrap();
    assert_eq!(
        without_nops(&after),
        "
m(I)V stack 1 locals 1
      locals [int] stack []
    0 iinc 0 by -1
50003 iload_0
50004 ifne to 50008
50007 return
      locals [int] stack []
50008 goto_w to 0
"
    );
    // In reach, to the byte, and one byte further.
    let dump = |count| method.edit(|edits| edits.before(3, nops(count))).unwrap();
    assert!(dump(32_764).contains("32768 ifne to 0"));
    assert!(dump(32_765).contains("32769 ifne to 32773"));
}

#[test]
fn a_method_that_would_be_too_large_stays_as_it_was() {
    let mut class = countdown().class();
    let before = write(&class).unwrap();
    let mut edits = CodeEdits::new();
    edits.before(4, nops(65_530));
    let error = apply(&mut class, 0, &edits).unwrap_err();
    assert_eq!(error.to_string(), "class demo/Demo, m(I)V: 65541 bytes of code; the JVM takes 1 to 65535");
    assert_eq!(write(&class).unwrap(), before);
}

#[test]
fn what_contradicts_the_code_is_an_error() {
    let problem = |edit: &dyn Fn(&mut CodeEdits)| countdown().edit(edit).unwrap_err().to_string();
    let place = "class demo/Demo, m(I)V";
    assert_eq!(
        problem(&|edits| edits.before(2, [nop()])),
        format!("{place}: an edit is at 2, where no instruction begins")
    );
    assert_eq!(
        problem(&|edits| edits.before(4, [Insn::Branch(Opcode::Goto, Label::at(5))])),
        format!("{place}, instruction 4: a target is at 5, where no instruction begins")
    );
    assert_eq!(
        problem(&|edits| edits.before(4, [Insn::Branch(Opcode::Goto, Label::new(3))])),
        format!("{place}, instruction 4: label L3 is nowhere")
    );
    assert_eq!(
        problem(&|edits| edits.before(4, [Insn::Label(Label::new(3)), Insn::Label(Label::new(3))])),
        format!("{place}, instruction 4: label L3 is in two places")
    );
    assert_eq!(
        problem(&|edits| edits.before(4, [Insn::Plain(Opcode::Iconst0)])),
        format!("{place}, instruction 0: stack depth 1, wanted 0")
    );
    assert_eq!(
        problem(&|edits| edits.before(4, [Insn::Plain(Opcode::Pop2)])),
        format!("{place}, instruction 4: stack depth 0, wanted 2")
    );
    assert_eq!(problem(&|edits| edits.delete(10).unwrap()), format!("{place}: control flows off the end of the code"));
    let mut edits = CodeEdits::new();
    edits.delete(4).unwrap();
    assert_eq!(edits.delete(4).unwrap_err().problem(), &Problem::EditedTwice);
}
