//! Bytes that are no class file, or nearly one: reading them, showing them and editing them never panics.

use arbtest::arbtest;
use r8lite_classfile::checks::{random_edits, read_write_roundtrip};
use r8lite_classfile::{
    ClassFile, CodeEdits, Constant, Frame, Handler, Insn, Names, Opcode, PoolIndex, Switch, VerificationType,
    add_field, add_method, flags, mentions, new_attribute, read, write,
};

/// A small class with something of every kind.
fn some_class() -> Vec<u8> {
    let mut class = ClassFile::new(61, flags::PUBLIC | flags::SUPER, "demo/Demo", "java/lang/Object").unwrap();
    class.pool.add(&Constant::Long(-1)).unwrap();
    class.pool.add(&Constant::Double(0)).unwrap();
    let descriptor = class.pool.add_utf8("()V").unwrap();
    class.pool.add(&Constant::MethodType { descriptor }).unwrap();
    let name_and_type = class.pool.add_name_and_type("käse", "()V").unwrap();
    class.pool.add(&Constant::InvokeDynamic { bootstrap: 0, name_and_type }).unwrap();
    let interface = class.pool.add_class("java/lang/Runnable").unwrap();
    class.interfaces.push(interface);
    add_field(&mut class, flags::VOLATILE, "x", "J").unwrap();
    let throwable = class.pool.add_class("java/lang/Throwable").unwrap();
    let field = class.pool.add_field("demo/Demo", "x", "J").unwrap();

    let mut body = CodeEdits::new();
    let (top, end, handler) = (body.new_label(), body.new_label(), body.new_label());
    body.at_entry([
        Insn::Label(top),
        Insn::Plain(Opcode::Aload0),
        Insn::Plain(Opcode::Dup),
        Insn::Constant(Opcode::Getfield, field),
        Insn::Plain(Opcode::Lconst1),
        Insn::Plain(Opcode::Ladd),
        Insn::Constant(Opcode::Putfield, field),
        Insn::Local(Opcode::Iload, 300),
        Insn::Switch(Box::new(Switch::Table { default: end, low: 3, targets: vec![top, end] })),
        Insn::Label(end),
        Insn::Local(Opcode::Iload, 300),
        Insn::Switch(Box::new(Switch::Lookup { default: end, cases: vec![(3, top)] })),
        Insn::Label(handler),
        Insn::Plain(Opcode::Athrow),
    ]);
    body.handler(Handler { start: top, end, handler, catch_type: PoolIndex::NONE });
    let this = VerificationType::Object(class.this_class);
    body.frame(top, Frame { locals: vec![this, VerificationType::Integer], stack: vec![] });
    body.frame(end, Frame { locals: vec![this], stack: vec![] });
    body.frame(handler, Frame { locals: vec![], stack: vec![VerificationType::Object(throwable)] });
    add_method(&mut class, flags::PUBLIC, "run", "()V", Some(&body)).unwrap();
    let source = new_attribute(&mut class.pool, "SourceFile", vec![0, 1]).unwrap();
    class.attributes.push(source);
    write(&class).unwrap()
}

/// Everything that can be done with bytes.
fn do_all(bytes: &[u8]) {
    read_write_roundtrip(bytes);
    let mut state = 1u32;
    random_edits(bytes, &mut |below| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    });
}

#[test]
fn the_class_is_in_order_to_begin_with() {
    let bytes = some_class();
    do_all(&bytes);
    let class = read(&bytes).unwrap();
    assert!(class.code(0).unwrap().unwrap().instructions().all(|located| located.is_ok()));
    assert_eq!(class.frames(0).unwrap().len(), 3);
}

#[test]
fn a_class_cut_short_anywhere_is_an_error() {
    let bytes = some_class();
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).unwrap_err();
        assert!(error.to_string().contains("more bytes wanted"), "{length}: {error}");
        let _ = mentions(&bytes[..length], &Names::new(&["x"]));
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = read(&longer).unwrap_err().to_string();
    assert_eq!(error, format!("class demo/Demo, byte {}: 1 bytes after the end", bytes.len()));
}

#[test]
fn every_byte_may_be_another() {
    let bytes = some_class();
    for at in 0..bytes.len() {
        for other in [0, 1, 2, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x10, bytes[at].wrapping_add(1)] {
            let mut changed = bytes.clone();
            changed[at] = other;
            do_all(&changed);
        }
    }
}

#[test]
fn many_bytes_may_be_others() {
    let bytes = some_class();
    arbtest(|random| {
        let mut changed = bytes.clone();
        for _ in 0..random.int_in_range(1..=8)? {
            let at = random.choose_index(changed.len())?;
            changed[at] = random.arbitrary()?;
        }
        if random.ratio(1, 4)? {
            let at = random.choose_index(changed.len())?;
            changed.splice(at..at, random.bytes(3)?.iter().copied());
        }
        do_all(&changed);
        Ok(())
    })
    .budget_ms(2_000);
}

#[test]
fn what_a_file_claims_is_not_believed() {
    // 65535 constants, members, attributes; an attribute of four gigabytes.
    let class = ClassFile::new(61, 0, "demo/Demo", "java/lang/Object").unwrap();
    let bytes = write(&class).unwrap();
    let members = bytes.len() - 8;
    for claim in [&[0xff, 0xff][..], &[0, 0, 0xff, 0xff], &[0, 0, 0, 0, 0xff, 0xff], &[0; 6]] {
        let mut claims = [&bytes[..members], claim].concat();
        claims.extend([0xff; 6]);
        let error = read(&claims).unwrap_err();
        assert!(error.to_string().starts_with("class demo/Demo"), "{error}");
    }
    let error = read(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0xff, 0xff]).unwrap_err();
    assert_eq!(error.to_string(), "byte 10: 1 more bytes wanted, 0 left");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let bytes = some_class();
    let problem = |at: usize, other: u8| {
        let mut changed = bytes.clone();
        changed[at] = other;
        read(&changed).map(drop).unwrap_err().to_string()
    };
    assert_eq!(problem(0, 0), "byte 0: no class file: it begins with 0x00febabe, not with 0xcafebabe");
    assert_eq!(problem(7, 200), "byte 4: class file version 200.0; versions 45 to 71 are known");
    assert_eq!(problem(7, 44), "byte 4: class file version 44.0; versions 45 to 71 are known");
    assert_eq!(problem(10, 2), "byte 10: no constant has the tag 2");
    let mut changed = bytes.clone();
    let code = bytes.windows(3).position(|window| window == [0x2a, 0x59, 0xb4]).unwrap();
    changed[code] = 0xca;
    let class = read(&changed).unwrap();
    let error = class.code(0).unwrap().unwrap().instructions().find_map(Result::err).unwrap();
    assert_eq!(error.to_string(), format!("byte {code}: 0xca is no instruction"));
    let error = class.code(7).unwrap_err();
    assert_eq!(error.to_string(), "there is no such method");
    let wrong = class.pool.class_name(PoolIndex(1)).unwrap_err();
    assert_eq!(wrong.to_string(), "constant 1 is a Utf8, wanted a Class");
}
