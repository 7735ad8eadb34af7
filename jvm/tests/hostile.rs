//! Subroutines, classes that only old compilers make, and input that is broken on purpose.

use r8lite_classfile::{ClassFile, CodeEdits, Insn, Label, Opcode, add_method, flags, read, write};
use r8lite_ir::text;
use r8lite_jvm::checks::{applied_is_in_order, lifted_is_in_order};
use r8lite_jvm::{Input, Lifted, Options, lift};

fn lift_one(bytes: &[u8]) -> Lifted {
    lift(&[Input { bytes, name: "test.class" }], &[], &Options::default())
}

/// A class of version 49 with a static method of this code.
fn class(descriptor: &str, code: impl IntoIterator<Item = Insn>) -> Vec<u8> {
    let mut class = ClassFile::new(49, flags::PUBLIC | flags::SUPER, "Old", "java/lang/Object").unwrap();
    let mut body = CodeEdits::new();
    body.at_entry(code);
    add_method(&mut class, flags::STATIC, "m", descriptor, Some(&body)).unwrap();
    write(&class).unwrap()
}

fn check(bytes: &[u8], wanted: &str) {
    let lifted = lift_one(bytes);
    assert!(lifted.refused.is_empty(), "{}", lifted.refused[0]);
    let printed = text::print_module(&lifted.module);
    assert!(printed.contains(wanted), "{printed}");
}

fn check_refused(bytes: &[u8], wanted: &str) {
    let lifted = lift_one(bytes);
    let refused: Vec<String> = lifted.refused.iter().map(ToString::to_string).collect();
    assert_eq!(refused, [wanted]);
}

#[test]
fn a_subroutine_is_copied_to_its_calls() {
    use Opcode::{Astore1, Iadd, Iconst1, Iconst2, Iload0, Ireturn, Istore0, Jsr, Ret};
    let sub = Label::new(0);
    let code = [
        Insn::Branch(Jsr, sub),
        Insn::Branch(Jsr, sub),
        Insn::Plain(Iload0),
        Insn::Plain(Ireturn),
        Insn::Label(sub),
        Insn::Plain(Astore1),
        Insn::Plain(Iload0),
        Insn::Plain(Iconst2),
        Insn::Plain(Iadd),
        Insn::Plain(Istore0),
        Insn::Local(Ret, 1),
    ];
    let bytes = class("(I)I", code);
    check(
        &bytes,
        "  static method m(v0: i32): i32 {\n    jump b1\n  b1:\n    v2 = add v0, 2\n    jump b2\n  b2:\n    jump b3\n  b3:\n    v4 = add v2, 2\n    jump b4\n  b4:\n    return v4\n  }\n",
    );
    // One that calls itself.
    let code = [Jsr.byte(), 0, 0, Iconst1.byte(), Ireturn.byte()];
    check_refused(&raw("()I", &code), "test.class: Old.m()I at 0: subroutines are called too deeply");
}

#[test]
fn a_loop_from_the_start_has_an_entry_of_its_own() {
    let start = Label::new(0);
    let code = [
        Insn::Label(start),
        Insn::Increment { local: 0, by: -1 },
        Insn::Plain(Opcode::Iload0),
        Insn::Branch(Opcode::Ifgt, start),
        Insn::Plain(Opcode::Return),
    ];
    check(&class("(I)V", code), "(v0: i32) {\n    jump b1(v0)\n  b1(v1: i32):\n    v3 = add v1, -1\n");
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    use Opcode::{Fload0, Getstatic, Goto, Iadd, Iconst0, Iload0, Ireturn, Lload0, Nop, Pop, Pop2, Return};
    let bytes = |opcodes: &[Opcode]| -> Vec<u8> { opcodes.iter().map(|opcode| opcode.byte()).collect() };
    for (descriptor, code, wanted) in [
        ("()V", bytes(&[Iconst0, Iadd, Pop, Return]), " at 1: the stack is empty"),
        ("()V", bytes(&[Nop]), ": it runs over the end of its code"),
        ("(I)V", bytes(&[Fload0, Pop, Return]), " at 0: an operand is of type i32, wanted f32"),
        ("(J)V", bytes(&[Lload0, Pop, Return]), " at 1: half of a wide operand is wanted"),
        ("(J)V", bytes(&[Lload0, Pop2, Iload0, Pop, Return]), " at 2: an operand is of type i64, wanted i32"),
        ("()V", bytes(&[Iconst0, Ireturn]), " at 1: ireturn does not return what the method does"),
        ("()I", bytes(&[Return]), " at 0: return does not return what the method does"),
        ("()V", bytes(&[Iload0, Pop, Return]), " at 0: local variable 0 holds nothing that may be used"),
        ("()V", vec![Goto.byte(), 0, 9], " at 9: no instruction begins here"),
        ("()V", vec![Goto.byte(), 0, 1], " at 1: no instruction begins here"),
        (
            "()V",
            vec![Getstatic.byte(), 0, 1, Return.byte()],
            " at 0: constant 1 is a Utf8, wanted a Fieldref or Methodref",
        ),
        (
            "()V",
            vec![Iconst0.byte(), Goto.byte(), 0xff, 0xff],
            " at 0: the stack is not equally high on all ways to here",
        ),
        ("(JJJ)V", bytes(&[Return]), ": its parameters do not fit its local variables"),
    ] {
        check_refused(&raw(descriptor, &code), &format!("test.class: Old.m{descriptor}{wanted}"));
    }
}

/// A class with a static method of these bytes of code, right or wrong.
fn raw(descriptor: &str, code: &[u8]) -> Vec<u8> {
    let bytes = class("()V", [Insn::Plain(Opcode::Return)]);
    let mut class = read(&bytes).unwrap();
    class.methods[0].descriptor = class.pool.add_utf8(descriptor).unwrap();
    let (stack, locals) = ([0, 4], [0, 4]);
    let length = (code.len() as u32).to_be_bytes();
    class.methods[0].attributes[0].content = [&stack, &locals, &length[..], code, &[0; 4]].concat().into();
    write(&class).unwrap()
}

#[test]
fn no_input_makes_it_panic() {
    // Every byte of a class is changed, to a few values each.
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/class/Sample.class")).unwrap();
    assert!(read(&bytes).is_ok());
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(3) {
        let mut broken = bytes.clone();
        broken[at] = broken[at].wrapping_add([1, 0x80, 0x3c][at % 3]);
        refused += lift_one(&broken).refused.len();
    }
    assert!(refused > 100);
    for length in (0..bytes.len()).step_by(97) {
        assert_eq!(lift_one(&bytes[..length]).refused.len(), 1);
    }
}

/// The fuzzers do the same for longer and follow what they reach. A failure prints a seed that brings it back.
#[test]
fn what_becomes_of_classes_with_changes_at_random_is_in_order() {
    // The class of `testdata/examples/connection.jar`, which has two updaters.
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/class/Connection.class")).unwrap();
    lifted_is_in_order(&bytes);
    applied_is_in_order(&bytes);
    arbtest::arbtest(|random| {
        let mut changed = bytes.clone();
        for _ in 0..random.int_in_range(1..=4)? {
            let at = random.choose_index(changed.len())?;
            changed[at] = match random.ratio(1, 2)? {
                true => changed[at].wrapping_add(random.int_in_range(1..=8)?),
                false => random.arbitrary()?,
            };
        }
        lifted_is_in_order(&changed);
        applied_is_in_order(&changed);
        Ok(())
    })
    .budget_ms(2_000);
}
