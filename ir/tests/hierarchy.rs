//! Subtypes, resolution and selection, by the rules of the JVM specification.

use r8lite_ir::text::{Source, parse};
use r8lite_ir::{Answer, Class, FieldRefData, Func, Hierarchy, MethodRefData, Module, SigData, Type};

struct Program {
    module: Module,
    hierarchy: Hierarchy,
}

fn program(text: &str) -> Program {
    match parse(&[Source { name: "test.ir", text }]) {
        Ok(module) => Program { hierarchy: Hierarchy::new(&module), module },
        Err(error) => panic!("{text}\n{}", error.diagnostics[0]),
    }
}

impl Program {
    fn class(&self, name: &str) -> Class {
        let library = format!("java.lang.{name}");
        self.module.find_class(name).or(self.module.find_class(&library)).expect("the class is declared")
    }
    fn is_subclass(&self, sub: &str, sup: &str) -> Answer {
        self.hierarchy.is_subclass(self.class(sub), self.class(sup))
    }
    /// The class that declares the field of type `i32` that `class.name` resolves to.
    fn field(&mut self, class: &str, name: &str) -> Option<String> {
        let data = FieldRefData { class: self.class(class), name: self.module.symbol(name), ty: Type::I32 };
        let field = self.module.intern_field_ref(data);
        let found = self.hierarchy.resolve_field(&self.module, field);
        // What was interned before the hierarchy was made comes from its table, and is the same.
        assert_eq!(Hierarchy::new(&self.module).resolve_field(&self.module, field), found);
        found.map(|field| self.module.class_name(self.module.fields[field].class).to_owned())
    }
    fn resolve(&mut self, class: &str, name: &str) -> Option<Func> {
        let sig = self.module.intern_sig(SigData { params: Vec::new(), ret: None });
        let data = MethodRefData { class: self.class(class), name: self.module.symbol(name), sig };
        let method = self.module.intern_method_ref(data);
        let found = self.hierarchy.resolve_method(&self.module, method);
        assert_eq!(Hierarchy::new(&self.module).resolve_method(&self.module, method), found);
        found
    }
    /// The class whose method `class.name()` resolves to.
    fn method(&mut self, class: &str, name: &str) -> Option<String> {
        self.resolve(class, name).map(|func| self.owner(func))
    }
    /// The class whose method a call of `class.name()` runs on an instance of `receiver`.
    fn selected(&mut self, receiver: &str, class: &str, name: &str) -> Option<String> {
        let func = self.resolve(class, name).expect("the method resolves");
        self.hierarchy.select(&self.module, self.class(receiver), func).map(|func| self.owner(func))
    }
    fn implementations(&mut self, class: &str, name: &str) -> Option<Vec<String>> {
        let func = self.resolve(class, name).expect("the method resolves");
        let all = self.hierarchy.implementations(&self.module, func)?;
        Some(all.into_iter().map(|func| self.owner(func)).collect())
    }
    fn owner(&self, func: Func) -> String {
        self.module.class_name(self.module.funcs[func].class).to_owned()
    }
}

fn some(name: &str) -> Option<String> {
    Some(name.to_owned())
}

#[test]
fn subclasses() {
    let p = program(
        "interface I { }
         interface J extends I { }
         class A implements J { }
         class B extends A { }
         class C extends A { }
         extern class E
         class D extends E implements I { }
         final class F { }",
    );
    for (sub, sup, answer) in [
        ("B", "A", Answer::Yes),
        ("B", "I", Answer::Yes),
        ("B", "Object", Answer::Yes),
        ("J", "I", Answer::Yes),
        ("J", "Object", Answer::Yes),
        ("A", "B", Answer::No),
        ("B", "C", Answer::No),
        ("I", "J", Answer::No),
        ("A", "E", Answer::No),
        ("D", "E", Answer::Yes),
        ("D", "I", Answer::Yes),
        ("D", "J", Answer::Unknown),
        ("D", "A", Answer::Unknown),
        ("D", "F", Answer::No),
        ("E", "A", Answer::Unknown),
        ("E", "F", Answer::No),
        ("E", "Object", Answer::Yes),
    ] {
        assert_eq!(p.is_subclass(sub, sup), answer, "{sub} below {sup}");
    }
    assert_eq!(p.hierarchy.subclasses(p.class("A")), [p.class("B"), p.class("C")]);
    assert_eq!(p.hierarchy.subclasses(p.class("I")), [p.class("J"), p.class("D")]);
    let all = ["I", "J", "A", "B", "C", "D"].map(|name| p.class(name));
    assert_eq!(p.hierarchy.all_subclasses(p.class("I")), all);
}

#[test]
fn arrays() {
    let mut p = program("class A { }\nextern class E");
    let [a, object, e, runnable] = ["A", "Object", "E", "Runnable"].map(|name| Type::Class(p.class(name)));
    let serializable = Type::Class(p.module.find_class("java.io.Serializable").expect("it is in the library"));
    let mut array = |ty| p.module.array_of(ty);
    let (as_, objects, ints, bytes, es) = (array(a), array(object), array(Type::I32), array(Type::I8), array(e));
    let (ass, runnables) = (array(as_), array(runnable));
    let subtype = |sub, sup| p.hierarchy.is_subtype(&p.module, sub, sup);
    let fits = |from, to| p.hierarchy.is_assignable(&p.module, from, to);
    for (sub, sup, answer) in [
        (as_, objects, Answer::Yes),
        (ass, objects, Answer::Yes),
        (ass, as_, Answer::No),
        (objects, as_, Answer::No),
        (ints, object, Answer::Yes),
        (ints, serializable, Answer::Yes),
        (ints, objects, Answer::No),
        (ints, bytes, Answer::No),
        (ints, runnable, Answer::No),
        (a, as_, Answer::No),
        (as_, es, Answer::No),
        (es, as_, Answer::Unknown),
        (Type::Null, ints, Answer::Yes),
        (Type::Null, Type::I32, Answer::No),
        (ints, Type::Null, Answer::No),
    ] {
        assert_eq!(subtype(sub, sup), answer, "{sub:?} below {sup:?}");
    }
    assert_eq!(subtype(a, runnable), Answer::No);
    assert_eq!(fits(a, runnable), Answer::Yes);
    assert_eq!(fits(as_, runnables), Answer::Yes);
    assert_eq!(fits(ass, runnables), Answer::Yes);
    assert_eq!(fits(a, e), Answer::Unknown);
    assert_eq!(fits(Type::I32, Type::Bool), Answer::Yes);
    assert_eq!(fits(Type::I32, Type::I64), Answer::No);
    assert_eq!(fits(Type::I32, runnable), Answer::No);
}

#[test]
fn fields_come_from_interfaces_before_superclasses() {
    let mut p = program(
        "interface I { public static final field x: i32 }
         interface J extends I { }
         class A { field x: i32
           field y: i32
           static field z: i32 }
         class B extends A implements J { field w: i32
           field z: i64 }
         extern class E
         class C extends A implements E { }
         class D extends E { }
         extern class java.util.Queue
         class F extends A implements java.util.Queue { }
         extern class java.util.Spliterator$OfInt
         class G extends A implements java.util.Spliterator$OfInt { }",
    );
    assert_eq!(p.field("B", "x"), some("I"));
    assert_eq!(p.field("B", "y"), some("A"));
    // A field of another type is another field.
    assert_eq!(p.field("B", "z"), some("A"));
    assert_eq!(p.field("B", "w"), some("B"));
    assert_eq!(p.field("A", "w"), None);
    // An unknown interface comes before the superclass.
    assert_eq!(p.field("C", "y"), None);
    // Of the JDK's it is known which have no fields.
    assert_eq!(p.field("F", "y"), some("A"));
    assert_eq!(p.field("G", "y"), None);
    assert!(p.hierarchy.is_open(p.class("C")) && p.hierarchy.is_open(p.class("D")));
    assert!(!p.hierarchy.is_open(p.class("B")));
}

#[test]
fn methods_come_from_superclasses_before_interfaces() {
    let mut p = program(
        "interface I { public method m() { return }
           public abstract method n()
           private method p() { return } }
         interface J extends I { public method m() { return } }
         interface K extends I { public abstract method m() }
         class A { public method m() { return } }
         class B extends A implements J { }
         class C implements I, J { }
         class D implements J, K { }
         abstract class F implements K { }
         extern class E
         class G extends E implements I { }",
    );
    assert_eq!(p.method("B", "m"), some("A"));
    assert_eq!(p.method("C", "m"), some("J"));
    assert_eq!(p.method("C", "n"), some("I"));
    assert_eq!(p.method("C", "p"), None);
    assert_eq!(p.method("D", "m"), some("J"));
    assert_eq!(p.method("F", "m"), some("K"));
    // The unknown superclass comes first.
    assert_eq!(p.method("G", "m"), None);
    assert_eq!(p.method("I", "notify"), some("java.lang.Object"));

    assert_eq!(p.selected("B", "I", "m"), some("A"));
    assert_eq!(p.selected("C", "I", "m"), some("J"));
    assert_eq!(p.selected("F", "I", "m"), None, "K makes it abstract again");
    assert_eq!(p.selected("G", "I", "m"), None, "the superclass may have it");
    assert_eq!(p.selected("C", "I", "n"), None, "nothing implements it");
}

#[test]
fn package_private_methods_are_overridden_in_their_package() {
    let mut p = program(
        "public class p.A { method m() { return } }
         public class q.B extends p.A { public method m() { return } }
         public class p.C extends q.B { public method m() { return } }
         public class q.D extends p.C { public method m() { return } }
         public class q.P extends p.A { private method m() { return } }",
    );
    assert_eq!(p.selected("p.A", "p.A", "m"), some("p.A"));
    assert_eq!(p.selected("q.B", "p.A", "m"), some("p.A"));
    assert_eq!(p.selected("p.C", "p.A", "m"), some("p.C"));
    assert_eq!(p.selected("q.D", "p.A", "m"), some("q.D"), "through p.C, which is public");
    assert_eq!(p.selected("q.D", "q.B", "m"), some("q.D"));
    assert_eq!(p.selected("q.P", "p.A", "m"), some("p.A"));
}

#[test]
fn implementations() {
    let classes = "
         abstract class A { abstract method m()
           method k() { return }
           final method f() { return }
           private method s() { return } }
         class B extends A { method m() { return } }
         abstract class C extends A { method m() { return } }
         class D extends C { }
         class F extends B { method m() { return } }
         class R implements Runnable { public method run() { return } }";
    let mut p = program(classes);
    let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    assert_eq!(p.implementations("A", "m"), names(&["B", "C", "F"]));
    assert_eq!(p.implementations("B", "m"), names(&["B", "F"]));
    assert_eq!(p.implementations("A", "k"), names(&["A"]));
    assert_eq!(p.implementations("A", "f"), names(&["A"]));
    assert!(p.implementations("Runnable", "run").expect("all is known").contains(&"R".to_owned()));

    // A dependency may implement what the library declares, but is taken not to extend the program's classes.
    let mut p = program(&format!("{classes}\nextern class E\nclass G extends E {{ }}"));
    assert_eq!(p.implementations("Runnable", "run"), None);
    assert_eq!(p.implementations("A", "m"), names(&["B", "C", "F"]));
    let mut p =
        program("interface I { public abstract method m() }\nextern class E\nclass G extends E implements I { }");
    assert_eq!(p.implementations("I", "m"), None);
}

#[test]
fn cycles_end() {
    let mut p = program(
        "class A extends B { }\nclass B extends A implements I { }\ninterface I extends I { }\nclass C extends A { }",
    );
    assert!(["A", "B", "I"].iter().all(|name| p.hierarchy.is_cyclic(p.class(name))));
    assert!(!p.hierarchy.is_cyclic(p.class("C")));
    assert_eq!(p.is_subclass("A", "B"), Answer::No);
    assert_eq!(p.is_subclass("C", "A"), Answer::Yes);
    assert_eq!(p.field("C", "x"), None);
    assert_eq!(p.method("C", "x"), None);
}

#[test]
fn deep_hierarchies_are_no_burden() {
    let mut text = "class A0 { field x: i32 }\ninterface I0 { }\n".to_owned();
    for i in 1..3000 {
        text += &format!("class A{i} extends A{0} {{ }}\ninterface I{i} extends I{0} {{ }}\n", i - 1);
    }
    let mut p = program(&text);
    assert_eq!(p.is_subclass("A2999", "A0"), Answer::Yes);
    assert_eq!(p.is_subclass("I2999", "I0"), Answer::Yes);
    assert_eq!(p.is_subclass("A0", "A2999"), Answer::No);
    assert_eq!(p.field("A2999", "x"), some("A0"));
}

#[test]
fn partial_classes_may_have_more() {
    let mut p = program(
        "extern class E
         interface I { public abstract method f() }
         class A { method f() { return }  method g() { return }  field x: i32 }
         partial class B extends A { method f() { return } }
         class C extends B implements I { }",
    );
    assert_eq!(p.method("C", "f"), some("B"), "what is listed comes first");
    assert_eq!(p.method("C", "g"), None, "B may have a g of its own");
    assert_eq!(p.method("A", "g"), some("A"));
    assert_eq!(p.field("C", "x"), None, "B may have an x of its own");
    assert_eq!(p.selected("C", "A", "f"), some("B"));
    assert_eq!(p.implementations("A", "g"), None);
    for (class, open) in [("A", false), ("B", true), ("C", true), ("I", false)] {
        assert_eq!(p.hierarchy.is_open(p.class(class)), open, "{class}");
    }
    // It may implement an interface that is not known either, but says which of the known ones.
    assert_eq!(p.is_subclass("C", "E"), Answer::Unknown);
    assert_eq!(p.is_subclass("B", "I"), Answer::No);
}
