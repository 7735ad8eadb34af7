//! What the printer makes of bodies that passes have changed: made-up names, and bodies that are not in order.

use r8lite_ir::text::{Source, parse, print_func, print_inst, print_module};
use r8lite_ir::{
    Block, Body, Catch, Class, Constant, Entity, FieldRefData, Func, InstData, Module, Op, Origin, Payload, Target,
    Type, Value,
};

fn module(text: &str) -> Module {
    match parse(&[Source { name: "test.ir", text }]) {
        Ok(module) => module,
        Err(error) => panic!("{:#?}", error.diagnostics),
    }
}

/// The one method of class `A`, and its body taken out.
fn open(module: &mut Module) -> (Func, Body) {
    let class = module.find_class("A").expect("the class is there");
    let func = module.classes[class].methods[0];
    let body = module.funcs[func].body.take().expect("the method has a body");
    (func, *body)
}

/// Checks what a changed method is printed as, and that it comes back from the parser.
fn check(text: &str, change: impl FnOnce(&mut Module, &mut Body), expected: &str) {
    let mut module = module(text);
    let (func, mut body) = open(&mut module);
    change(&mut module, &mut body);
    module.funcs[func].body = Some(Box::new(body));
    assert_eq!(print_func(&module, func), expected);
    let printed = print_module(&module);
    assert!(printed.contains(expected));
    assert_eq!(print_module(&self::module(&printed)), printed);
}

const SUM: &str = "\
class A {
  method m(a: i32, v2: i32): i32 {
    sum = add a, v2
    jump next
  next:
    return sum
  }
}
";

/// Puts `op a, b` at the end of the entry block, before its terminator.
fn insert(module: &Module, body: &mut Body, op: Op, args: [Value; 2]) -> Value {
    let inst = body.make_inst(module, InstData::new(op, Payload::None, args, Origin::default()), None);
    let entry = body.entry();
    let at = body.blocks[entry].insts.len() - 1;
    body.blocks[entry].insts.insert(at, inst);
    body.insts[inst].result.expect("arithmetic has a result")
}

#[test]
fn values_without_a_name_go_by_their_number() {
    let change = |module: &mut Module, body: &mut Body| {
        let entry = body.entry();
        let [_, a, b] = body.blocks[entry].params[..] else { panic!("there are three") };
        let product = insert(module, body, Op::Mul, [a, b]);
        insert(module, body, Op::Sub, [product, a]);
        // The second parameter is called as the third value would be.
        body.values[a].name = None;
        assert_eq!(product.index(), 4);
        body.values[product].name = None;
        let name = module.symbol("v4");
        let sum = body.blocks[entry].insts[0];
        let sum = body.insts[sum].result.expect("there is one");
        body.values[sum].name = Some(name);
    };
    check(
        SUM,
        change,
        "  method m(v1: i32, v2: i32): i32 {
    v4 = add v1, v2
    v4_1 = mul v1, v2
    sub v4_1, v1
    jump next
  next:
    return v4
  }
",
    );
}

#[test]
fn repeated_names_get_numbers() {
    let change = |module: &mut Module, body: &mut Body| {
        let entry = body.entry();
        let [this, a, b] = body.blocks[entry].params[..] else { panic!("there are three") };
        let name = body.values[a].name;
        let second = insert(module, body, Op::Mul, [a, b]);
        let third = insert(module, body, Op::Mul, [second, b]);
        let fourth = insert(module, body, Op::Mul, [third, third]);
        body.values[second].name = name;
        body.values[third].name = name;
        body.values[b].name = Some(module.symbol("a_1"));
        body.values[fourth].name = Some(module.symbol("this"));
        body.values[this].name = None;
        let next = body.layout[1];
        let extra = body.add_block(body.blocks[next].name);
        let jump = Payload::Targets([Target::new(extra, [])].into());
        body.append(module, extra, InstData::new(Op::Jump, jump, [], Origin::default()), None);
    };
    check(
        SUM,
        change,
        "  method m(a: i32, a_1: i32): i32 {
    sum = add a, a_1
    a_2 = mul a, a_1
    a_3 = mul a_2, a_1
    this_1 = mul a_3, a_3
    jump next
  next:
    return sum
  next_1:
    jump next_1
  }
",
    );
}

#[test]
fn references_say_what_does_not_follow() {
    let text = "\
class A extends B {
  static method m(x: A): i32 {
    n = getfield B.size, x
    return n
  }
}

class B {
  field size: i32
}
";
    let change = |module: &mut Module, body: &mut Body| {
        let class = module.find_class("A").expect("it is there");
        let name = module.symbol("size");
        let load = body.blocks[body.entry()].insts[0];
        // The same field by the subclass, and one of another type, which only verifiers mind.
        let field = module.intern_field_ref(FieldRefData { class, name, ty: Type::I32 });
        body.insts[load].payload = Payload::Field(field);
        let field = module.intern_field_ref(FieldRefData { class, name, ty: Type::I64 });
        let entry = body.entry();
        let x = body.blocks[entry].params[0];
        let data = InstData::new(Op::GetField, Payload::Field(field), [x], Origin { line: 5, pos: 0 });
        let inst = body.make_inst(module, data, None);
        body.blocks[entry].insts.insert(0, inst);
    };
    check(
        text,
        change,
        "  static method m(x: A): i32 {
    getfield A.size as i64, x @5
    n = getfield A.size, x @0
    return n
  }
",
    );
}

/// Messages show instructions that are not in order, so any can be printed.
#[test]
fn what_is_not_in_order_is_printed_all_the_same() {
    let mut module = module(SUM);
    let (func, mut body) = open(&mut module);
    let null = body.constant(&module, Constant::Null);
    let stray = Value::new(1000);
    let lonely = body.blocks.push(Default::default());
    let object = module.find_class("java.lang.Object");
    let payloads = [
        Payload::None,
        Payload::Type(Type::Null),
        Payload::Targets([].into()),
        Payload::Targets([Target::new(Block::new(77), [stray])].into()),
        Payload::Class(object.expect("it is there")),
    ];
    for &op in Op::ALL {
        for payload in &payloads {
            for args in [&[][..], &[null], &[null; 9]] {
                let data = InstData::new(op, payload.clone(), args.iter().copied(), Origin::default());
                let inst = body.insts.push(data);
                assert!(print_inst(&module, &body, inst).starts_with(op.mnemonic()));
            }
        }
    }
    body.blocks[lonely].catches.push(Catch { class: None::<Class>, target: Target::new(lonely, [stray]) });
    body.layout.push(lonely);
    body.blocks[body.layout[0]].params.clear();
    module.funcs[func].body = Some(Box::new(body.clone()));
    assert!(print_func(&module, func).contains("(?: i32, ?: i32)"));
    body.layout.clear();
    module.funcs[func].body = Some(Box::new(body));
    assert!(print_func(&module, func).contains("(?: i32, ?: i32)"));
}
