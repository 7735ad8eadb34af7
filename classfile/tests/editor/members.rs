//! New members, and constants for them.

use r8lite_classfile::{
    ClassFile, CodeEdits, Constant, Frame, Insn, Opcode, PoolIndex, VerificationType, add_field, add_method,
    add_module_requires, apply, class_initializer, dump_method, flags, new_attribute, read, write,
};

use crate::build::{Method, check, plain};
use crate::nop;

#[test]
fn constants_are_appended_and_used_again() {
    let mut class = ClassFile::new(52, 0, "demo/Demo", "java/lang/Object").unwrap();
    class.pool.add(&Constant::Long(7)).unwrap();
    let bytes = write(&class).unwrap();
    let mut class = read(&bytes).unwrap();
    let count = class.pool.len();
    assert_eq!(class.pool.add_class("demo/Demo").unwrap(), class.this_class);
    assert_eq!(class.pool.len(), count, "the class was there");
    let long = class.pool.add(&Constant::Long(8)).unwrap();
    let text = class.pool.add_string("käse\0").unwrap();
    assert_eq!((usize::from(long.0), usize::from(text.0)), (count, count + 3), "a long owns two indices");
    assert_eq!(class.pool.add_string("käse\0").unwrap(), text);

    let written = write(&class).unwrap();
    let again = read(&written).unwrap();
    assert_eq!(written[10..].split_at(count).0, bytes[10..].split_at(count).0, "what was there is as it was");
    assert_eq!(again.pool.get(long), Ok(Constant::Long(8)));
    assert!(again.pool.get(PoolIndex(long.0 + 1)).is_err());
    let Constant::String { text } = again.pool.get(text).unwrap() else { panic!("not a string") };
    assert_eq!(again.pool.text(text).unwrap(), "käse\0");
}

#[test]
fn a_full_pool_is_an_error() {
    let mut class = ClassFile::new(52, 0, "demo/Demo", "java/lang/Object").unwrap();
    let added = (0..).map(|number| class.pool.add(&Constant::Integer(number))).take_while(Result::is_ok).count();
    assert_eq!(added, 65534 - 4);
    let error = class.pool.add(&Constant::Integer(-1)).unwrap_err();
    assert_eq!(error.to_string(), "too many constants");
    let bytes = write(&class).unwrap();
    assert!(write(&read(&bytes).unwrap()).unwrap() == bytes);
}

#[test]
fn synthetic_members_are_marked_as_the_version_wants_it() {
    for (version, attributes) in [(48, 1), (49, 0)] {
        let mut class = ClassFile::new(version, 0, "demo/Demo", "java/lang/Object").unwrap();
        let flags = flags::STATIC | flags::SYNTHETIC;
        let field = add_field(&mut class, flags, "x$offset", "J").unwrap();
        assert_eq!(class.fields[field].attributes.len(), attributes);
        let error = add_field(&mut class, flags, "x$offset", "J").unwrap_err();
        assert_eq!(error.to_string(), "there is a field x$offset J already");
        assert_eq!(add_field(&mut class, flags, "x$offset", "I"), Ok(1));
    }
}

#[test]
fn a_class_initializer_is_made_and_changed() {
    let mut class = ClassFile::new(52, 0, "demo/Demo", "java/lang/Object").unwrap();
    let method = class_initializer(&mut class).unwrap();
    assert_eq!(class_initializer(&mut class), Ok(method), "there is one now");
    let mut edits = CodeEdits::new();
    edits.at_entry(plain([Opcode::Lconst0, Opcode::Pop2]));
    let code = class.code(method).unwrap().unwrap();
    edits.before_returns(&code, &[nop()]).unwrap();
    apply(&mut class, method, &edits).unwrap();
    let expected = "<clinit>()V stack 2 locals 0\n    0 lconst_0\n    1 pop2\n    2 nop\n    3 return\n";
    assert_eq!(dump_method(&class, method).unwrap(), expected);
}

#[test]
fn a_method_that_cannot_be_written_is_not_added() {
    let mut class = ClassFile::new(52, 0, "demo/Demo", "java/lang/Object").unwrap();
    for code in [vec![], vec![nop()], plain([Opcode::Pop, Opcode::Return]).to_vec()] {
        let mut body = CodeEdits::new();
        body.at_entry(code);
        add_method(&mut class, flags::STATIC, "m", "()V", Some(&body)).unwrap_err();
        assert!(class.methods.is_empty());
    }
    let error = add_method(&mut class, 0, "m", "(Lx)V", None).unwrap_err();
    assert_eq!(error.to_string(), "`(Lx)V` is no descriptor");
    add_method(&mut class, flags::ABSTRACT, "m", "(JLx;)V", None).unwrap();
    assert_eq!(dump_method(&class, 0).unwrap(), "m(JLx;)V without code\n");
}

#[test]
fn calls_and_fields_move_the_stack_by_their_descriptors() {
    let method = Method::new("()V", |pool, body| {
        let get = pool.add_field("demo/Demo", "x", "J").unwrap();
        let call = pool.add_method("demo/Demo", "f", "(DI)J").unwrap();
        let interface = pool.add_interface_method("demo/I", "g", "()V").unwrap();
        let array = pool.add_class("[[I").unwrap();
        body.at_entry([
            Insn::Constant(Opcode::Getstatic, get),
            Insn::Plain(Opcode::L2d),
            Insn::Plain(Opcode::Iconst1),
            Insn::Constant(Opcode::Invokestatic, call),
            Insn::Plain(Opcode::Pop2),
            Insn::Plain(Opcode::Iconst1),
            Insn::Plain(Opcode::Iconst2),
            Insn::MultiNewArray { class: array, dimensions: 2 },
            Insn::InvokeInterface { method: interface, slots: 1 },
            Insn::Plain(Opcode::Return),
        ]);
    });
    check(
        &method,
        |_| {},
        "
m()V stack 3 locals 0
    0 getstatic demo/Demo.x J
    3 l2d
    4 iconst_1
    5 invokestatic demo/Demo.f (DI)J
    8 pop2
    9 iconst_1
   10 iconst_2
   11 multianewarray [[I 2
   15 invokeinterface demo/I.g ()V
   20 return
",
    );
}

#[test]
fn code_of_the_oldest_classes_has_small_numbers() {
    let mut class = ClassFile::new(45, 0, "demo/Demo", "java/lang/Object").unwrap();
    let mut body = CodeEdits::new();
    body.at_entry([Insn::Plain(Opcode::Return)]);
    class.minor_version = 2;
    add_method(&mut class, flags::STATIC, "m", "()V", Some(&body)).unwrap();
    assert_eq!(&*class.methods[0].attributes[0].content, [0, 0, 0, 1, 0xb1, 0, 0, 0, 0]);
    let mut edits = CodeEdits::new();
    edits.before(0, [Insn::Plain(Opcode::Iconst0), Insn::store(Opcode::Istore, 254)]);
    apply(&mut class, 0, &edits).unwrap();
    assert_eq!(class.methods[0].attributes[0].content[..2], [1, 255]);
    let mut edits = CodeEdits::new();
    edits.before(0, [Insn::Plain(Opcode::Iconst0), Insn::store(Opcode::Istore, 255)]);
    let error = apply(&mut class, 0, &edits).unwrap_err();
    assert_eq!(error.to_string(), "class demo/Demo, m()V: too many local variables for so old a class");
}

#[test]
fn a_constructor_begins_with_this_uninitialized() {
    let mut class = ClassFile::new(52, 0, "demo/Demo", "java/lang/Object").unwrap();
    let constructor = class.pool.add_method("java/lang/Object", "<init>", "()V").unwrap();
    let mut body = CodeEdits::new();
    let label = body.new_label();
    body.at_entry([Insn::Plain(Opcode::Iload1), Insn::Branch(Opcode::Ifeq, label), Insn::Label(label)]);
    body.at_entry([Insn::Plain(Opcode::Aload0), Insn::Constant(Opcode::Invokespecial, constructor)]);
    body.at_entry([Insn::Plain(Opcode::Return)]);
    let locals = vec![VerificationType::UninitializedThis, VerificationType::Integer];
    body.frame(label, Frame { locals, stack: Vec::new() });
    let method = add_method(&mut class, 0, "<init>", "(I)V", Some(&body)).unwrap();
    let frames = class.frames(method).unwrap();
    assert_eq!(frames[0].1.locals, [VerificationType::UninitializedThis, VerificationType::Integer]);
    let code = class.code(method).unwrap().unwrap();
    assert_eq!(&*code.attributes[0].content, [0, 1, 4], "as in the implicit frame, at offset 4");
}

#[test]
fn a_module_comes_to_require_another() {
    let mut class = ClassFile::new(53, flags::MODULE, "module-info", "java/lang/Object").unwrap();
    let name = class.pool.add_utf8("demo").unwrap();
    let name = class.pool.add(&Constant::Module { name }).unwrap();
    let base = class.pool.add_utf8("java.base").unwrap();
    let base = class.pool.add(&Constant::Module { name: base }).unwrap();
    let rows = [name.0, 0, 0, 1, base.0, 0x8000, 0, 0, 0, 0, 0];
    let content = rows.iter().flat_map(|number| number.to_be_bytes()).collect();
    let attribute = new_attribute(&mut class.pool, "Module", content).unwrap();
    class.attributes.push(attribute);

    let bytes = write(&class).unwrap();
    let mut class = read(&bytes).unwrap();
    add_module_requires(&mut class, "java.base").unwrap();
    assert_eq!(write(&class).unwrap(), bytes, "it does already");
    add_module_requires(&mut class, "jdk.unsupported").unwrap();
    let listed = |class: &ClassFile<'_>| -> Vec<(String, u16)> {
        let required = class.module_requires().unwrap().unwrap();
        required.iter().map(|required| (required.name.to_string(), required.flags)).collect()
    };
    let wanted = [("java.base".to_owned(), 0x8000), ("jdk.unsupported".to_owned(), 0)];
    assert_eq!(listed(&class), wanted);
    let bytes = write(&class).unwrap();
    assert_eq!(listed(&read(&bytes).unwrap()), wanted);
    // One that is required when it is compiled only.
    let mut content = class.attributes[0].content.to_vec();
    content[17] = 0x40;
    class.attributes[0].content = content.into();
    assert_eq!(listed(&class)[1].1, 0x40);
    add_module_requires(&mut class, "jdk.unsupported").unwrap();
    assert_eq!(listed(&class), wanted);
}
