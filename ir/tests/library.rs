//! The class library: every native is listed, and every line of it is in order.

use r8lite_ir::{ClassOrigin, Flags, Module, Native, natives_of, text};

fn library() -> Module {
    text::parse(&[]).unwrap_or_else(|error| panic!("the class library parses, but: {:#?}", error.diagnostics))
}

fn full_name(module: &Module, func: r8lite_ir::Func) -> String {
    let data = &module.funcs[func];
    format!("{}.{}", module.class_name(data.class), module.name(data.name))
}

#[test]
fn every_native_method_is_listed() {
    let module = library();
    let natives = natives_of(&module);
    let missing: Vec<String> = module
        .funcs
        .iter()
        .filter(|&(func, data)| data.flags.has(Flags::NATIVE) && natives[func].is_none())
        .map(|(func, _)| full_name(&module, func))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_listed_native_is_one_method() {
    let module = library();
    let natives = natives_of(&module);
    for &native in Native::ALL {
        let methods = module.funcs.keys().filter(|&func| natives[func] == Some(native)).count();
        assert_eq!(methods, 1, "methods of {native:?}, {:?}", native.info());
    }
}

#[test]
fn natives_of_the_program_are_none_of_ours() {
    let text = "class `Object` {\n  native method getClass(): Class\n}\n";
    let module = text::parse(&[text::Source { name: "a.ir", text }]).expect("it parses");
    let natives = natives_of(&module);
    let func = module.program_funcs().next().expect("it has a method");
    assert_eq!(natives[func], None);
}

#[test]
fn classes_go_by_their_last_part_without_doubt() {
    let module = library();
    let mut names: Vec<&str> = module
        .classes
        .values()
        .inspect(|class| assert_eq!(class.origin, ClassOrigin::Library, "{}", module.name(class.name)))
        .filter_map(|class| module.name(class.name).rsplit('.').next())
        .collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
