//! What the verifier finds: each rule once where it fires and once where it does not.

use r8lite_ir::text::{Source, parse};
use r8lite_ir::{Module, verify};

fn module(text: &str) -> Module {
    match parse(&[Source { name: "test.ir", text }]) {
        Ok(module) => module,
        Err(error) => panic!("{text}\n{}", error.diagnostics[0]),
    }
}

/// The errors of a text, as code and message, are exactly these.
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = match verify(module(text)) {
        Ok(_) => Vec::new(),
        Err(invalid) => invalid.diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect(),
    };
    assert_eq!(found, expected, "{text}");
}

/// The same for a static method of class `T`, given as its parameters, result and body.
fn check_body(head: &str, body: &str, expected: &[&str]) {
    check(&format!("class T {{\n  static method m{head} {{\n{body}\n  }}\n}}"), expected);
}

#[test]
fn numbers() {
    let head = "(i: i32, l: i64, f: f32, d: f64, o: Object)";
    let ok = |line: &str| check_body(head, &format!("{line}\nreturn"), &[]);
    let bad = |line: &str, error: &str| check_body(head, &format!("{line}\nreturn"), &[error]);
    ok("x = add i, i\ny = mul l, l\nz = div f, f\nw = rem d, d");
    bad("x = add i, l", "E0240 operand 2 of add is i64, but it takes i32");
    bad("x = sub o, i", "E0240 operand 1 of sub is Object, but it takes i32 or i64 or f32 or f64");
    ok("x = and i, i\ny = xor l, l");
    bad("x = or f, f", "E0240 operand 1 of or is f32, but it takes i32 or i64");
    ok("x = neg d");
    bad("x = neg o", "E0240 operand 1 of neg is Object, but it takes i32 or i64 or f32 or f64");
    ok("x = shl l, i");
    bad("x = shl l, l", "E0240 operand 2 of shl is i64, but it takes i32");
    ok("x = eq i, i\ny = eq o, null\nz = ne null, null");
    bad("x = eq o, i", "E0240 operand 1 of eq is Object, but it takes i32 or i64 or f32 or f64");
    ok("x = lt f, f");
    bad("x = lt o, o", "E0240 operand 1 of lt is Object, but it takes i32 or i64 or f32 or f64");
    ok("x = cmp l, l\ny = cmpl f, f\nz = cmpg d, d");
    bad("x = cmp i, i", "E0240 operand 1 of cmp is i32, but it takes i64");
    bad("x = cmpl l, l", "E0240 operand 1 of cmpl is i64, but it takes f32 or f64");
    ok("x = convert i8, i\ny = convert f64, l");
    bad("x = convert Object, i", "E0246 convert is for numbers; references take checkcast");
    ok("x = select i, l, l\ny = select i, o, \"s\"\nz = select i, null, o");
    ok("x = select i, \"s\", o");
    bad("x = select i, l, d", "E0240 operand 3 of select is f64, but it takes i64");
    bad("x = select l, d, d", "E0240 operand 1 of select is i64, but it takes i32");
}

#[test]
fn objects_and_arrays() {
    let head = "(o: Object, s: String, i: i32, a: i32[], b: Object[], l: i64)";
    let ok = |line: &str| check_body(head, &format!("{line}\nreturn"), &[]);
    let bad = |line: &str, error: &str| check_body(head, &format!("{line}\nreturn"), &[error]);
    ok("x = new Object");
    bad("x = new Runnable", "E0248 `Runnable` is abstract, so it has no instances of its own");
    bad("x = new Number", "E0248 `Number` is abstract, so it has no instances of its own");
    ok("x = newarray i32[][], i\ny = newarray i32[][], i, i");
    bad("x = newarray i32[], i, i", "E0246 `i32[]` has fewer dimensions than the 2 lengths given");
    bad("x = newarray i32[], l", "E0240 operand 1 of newarray is i64, but it takes i32");
    ok("x = arraylength a\ny = arraylength null");
    bad("x = arraylength o", "E0240 operand 1 of arraylength is Object, but it takes an array");
    ok("x = arrayload b, i");
    bad("x = arrayload b, l", "E0240 operand 2 of arrayload is i64, but it takes i32");
    ok("arraystore b, i, s\narraystore a, i, i");
    bad("arraystore a, i, l", "E0240 operand 3 of arraystore is i64, but it takes i32");
    bad("arraystore b, i, i", "E0240 operand 3 of arraystore is i32, but it takes a reference");
    bad("arraystore o, i, i", "E0240 operand 1 of arraystore is Object, but it takes an array");
    ok("x = instanceof i32[], o\ny = checkcast String, o");
    bad("x = instanceof i32, o", "E0246 instanceof is for classes and arrays");
    bad("x = checkcast String, i", "E0240 operand 1 of checkcast is i32, but it takes a reference");
    ok("nullcheck o\nmonitorenter o\nmonitorexit o");
    bad("nullcheck i", "E0240 operand 1 of nullcheck is i32, but it takes a reference");
    ok("check ClassCastException, i\ninitclass String");
    bad("check ClassCastException, o", "E0240 operand 1 of check is Object, but it takes i32");
    let error = "E0249 `Object` is no throwable class with a constructor without parameters";
    bad("check Object, i", error);
}

#[test]
fn offsets() {
    let head = "(o: Object, at: i64, i: i32, d: f64)";
    let ok = |line: &str| check_body(head, &format!("{line}\nreturn"), &[]);
    let bad = |line: &str, error: &str| check_body(head, &format!("{line}\nreturn"), &[error]);
    ok("x = load.acquire String, o, at\ny = load.plain f64, o, at");
    bad("x = load.release i32, o, at", "E0243 load is never release; it can be plain, opaque, acquire, volatile");
    bad("x = load.plain i8, o, at", "E0246 load is for i32, i64, f32, f64 and references");
    ok("store.release o, at, d");
    bad("store.acq_rel o, at, i", "E0243 store is never acq_rel; it can be plain, opaque, release, volatile");
    ok("x = cas.acq_rel o, at, i, i\ny = cas.volatile o, at, null, \"s\"");
    bad("x = cas.volatile o, at, i, at", "E0240 operand 4 of cas is i64, but it takes i32");
    bad("x = cas.volatile o, at, d, d", "E0240 operand 3 of cas is f64, but it takes i32, i64 or a reference");
    ok("x = getandset.volatile String, o, at, \"s\"");
    bad("x = getandset.volatile String, o, at, o", "E0240 operand 3 of getandset is Object, but it takes String");
    bad("x = getandset.volatile f64, o, at, d", "E0246 getandset is for i32, i64 and references");
    ok("x = getandadd.plain o, at, i\ny = getandxor.release o, at, at");
    bad("x = getandadd.plain o, at, d", "E0240 operand 3 of getandadd is f64, but it takes i32 or i64");
    bad("x = load.plain i32, i, at", "E0240 operand 1 of load is i32, but it takes a reference");
    bad("x = load.plain i32, o, i", "E0240 operand 2 of load is i32, but it takes i64");
}

#[test]
fn control() {
    check_body("(i: i32): i32", "return i", &[]);
    check_body("(i: i32): i8", "return i", &[]);
    check_body("(i: i32): i32", "return", &["E0245 the method returns i32"]);
    check_body("(i: i32)", "return i", &["E0245 the method returns nothing"]);
    check_body("(i: i64): i32", "return i", &["E0240 operand 1 of return is i64, but it takes i32"]);
    check_body("(e: Exception)", "throw e", &[]);
    check_body("(e: Object)", "throw e", &["E0240 operand 1 of throw is Object, but it takes Throwable"]);
    check_body(
        "(l: i64)",
        "branch l, a, b\na:\nreturn\nb:\nreturn",
        &["E0240 operand 1 of branch is i64, but it takes i32"],
    );
    check_body("(s: String)", "jump a(s)\na(o: Object):\nreturn", &[]);
    check_body(
        "(o: Object)",
        "jump a(o)\na(s: String):\nreturn",
        &["E0242 argument 1 of a is Object, but the parameter is String"],
    );
    check_body("(o: Object)", "jump a(o)\na:\nreturn", &["E0241 a takes 0 arguments, not 1"]);
    check_body("(i: i32)", "switch i, 1: a, 5: b, default: a\na:\nreturn\nb:\nreturn", &[]);
    // Every reference fits an interface.
    check_body("(o: Object)", "jump a(o)\na(r: Runnable):\nreturn", &[]);
}

#[test]
fn handlers() {
    let body = |class: &str, param: &str, arg: &str| {
        format!(
            "jump try(o)\ntry(p: Object):\ncatch {class}: bad({arg})\nx = checkcast String, p\nreturn\nbad({param}):\nreturn"
        )
    };
    let check = |class: &str, param: &str, arg: &str, errors: &[&str]| {
        check_body("(o: Object)", &body(class, param, arg), errors);
    };
    check("ClassCastException", "e: ClassCastException, q: Object", "p", &[]);
    check("ClassCastException", "e: Throwable, q: Object", "o", &[]);
    check("*", "e: Throwable", "", &[]);
    check("*", "e: Exception", "", &["E0244 the handler takes Exception, but Throwable is caught"]);
    check("String", "e: Object", "", &["E0244 `String` is no throwable class"]);
    check("*", "", "", &["E0244 a handler needs a parameter for the exception"]);
    check("*", "e: Throwable, q: Object", "", &["E0241 bad takes 1 arguments, not 0"]);
    check("*", "e: Throwable, q: String", "p", &["E0242 argument 1 of bad is Object, but the parameter is String"]);
}

#[test]
fn dominance() {
    let diamond = "branch i, a, b\na:\nx = add i, 1\njump c\nb:\njump c\nc:\ny = add x, 1\nreturn";
    check_body("(i: i32)", diamond, &["E0231 x is not defined on every way to here"]);
    let before = "x = add i, 1\nbranch i, a, b\na:\njump c\nb:\njump c\nc:\ny = add x, 1\nreturn";
    check_body("(i: i32)", before, &[]);
    // A handler does not see what its block computes, but sees the block's parameters.
    let handler = |used: &str| {
        format!(
            "jump try(i)\ntry(p: i32):\ncatch *: bad\nx = div p, p\njump out\nout:\nz = add x, 1\nreturn\n\
             bad(e: Throwable):\ny = add {used}, 1\nreturn"
        )
    };
    check_body("(i: i32)", &handler("p"), &[]);
    check_body("(i: i32)", &handler("x"), &["E0231 x is not defined on every way to here"]);
    // In what cannot be reached everything holds.
    check_body("(i: i32)", "return\na:\nx = add i, 1\njump b\nb:\ny = add x, i\nreturn", &[]);
}

#[test]
fn fields() {
    let classes = "public class p.A {
      private field own: i32
      field near: i32
      protected field family: i32
      public field all: i32
      public static field shared: i32
      public final field fixed: i32
      public static final field never: i32
    }
    public class p.B { }
    ";
    let ok = |class: &str, line: &str| {
        check(
            &format!("{classes}{class} {{\nstatic method m(a: p.A, t: q.T) {{\n{line}\nreturn\n}}\n}}\n{}", t(class)),
            &[],
        );
    };
    let bad = |class: &str, line: &str, error: &str| {
        let text =
            format!("{classes}{class} {{\nstatic method m(a: p.A, t: q.T) {{\n{line}\nreturn\n}}\n}}\n{}", t(class));
        check(&text, &[error]);
    };
    // Everyone but q.T itself gets a q.T to name.
    fn t(class: &str) -> &'static str {
        if class.contains("q.T") { "" } else { "class q.T extends p.A { }" }
    }
    let family = "class q.T extends p.A";
    ok("class p.C", "x = getfield p.A.near, a\ny = getfield p.A.family, a\nz = getfield p.A.all, a");
    bad("class p.C", "x = getfield p.A.own, a", "E0257 `p.A.own` is private");
    bad("class q.C", "x = getfield p.A.near, a", "E0257 `p.A.near` is accessible in its package only");
    bad("class q.C", "x = getfield p.A.family, a", "E0257 `p.A.family` is protected, and `q.C` no subclass");
    ok(family, "x = getfield p.A.family, t\ny = getfield q.T.family, t");
    bad(
        family,
        "x = getfield p.A.family, a",
        "E0257 `p.A.family` is protected: it is accessible in instances of `q.T` only",
    );
    ok("class q.C", "x = getstatic p.A.shared\nputfield p.A.all, a, 5");
    bad("class q.C", "x = getstatic p.A.all", "E0252 `p.A.all` is not static, but getstatic takes a static field");
    bad(
        "class q.C",
        "x = getfield p.A.shared, a",
        "E0252 `p.A.shared` is static, but getfield takes an instance field",
    );
    bad("class q.C", "putfield p.A.fixed, a, 5", "E0256 `p.A.fixed` is final: only <init> of its class may write it");
    bad("class q.C", "putstatic p.A.never, 5", "E0256 `p.A.never` is final: only <clinit> of its class may write it");
    bad("class q.C", "putfield p.A.all, a, 5L", "E0240 operand 2 of putfield is i64, but it takes i32");
    bad("class q.C", "putfield p.A.all, \"a\", 5", "E0240 operand 1 of putfield is String, but it takes p.A");
    bad("class p.C", "x = getfield p.A.all as i64, a", "E0250 there is no field `all` of type i64 in `p.A`");
    ok("class q.C", "x = field_offset p.A.own");
    bad(
        "class q.C",
        "x = field_offset p.A.shared",
        "E0252 `p.A.shared` is static, but field_offset takes an instance field",
    );
    ok("extern class x.Y\nclass q.C", "x = getstatic x.Y.any as i32");
    ok("extern class x.Y\nclass q.D extends x.Y { }\nclass q.C", "x = getstatic q.D.any as i32");
}

#[test]
fn final_fields_are_written_by_their_initialisers() {
    check(
        "class A {
          final field x: i32
          static final field y: i32
          method <init>() { putfield A.x, this, 1
            return }
          static method <clinit>() { putstatic A.y, 1
            return }
        }",
        &[],
    );
    let elsewhere = |version: u16| {
        format!(
            "class A {{\nversion {version}\nstatic final field y: i32\n\
             static method m() {{\nputstatic A.y, 1\nreturn\n}}\n}}"
        )
    };
    check(&elsewhere(53), &["E0256 `A.y` is final: only <clinit> of its class may write it"]);
    check(&elsewhere(52), &[]);
}

#[test]
fn nest_mates() {
    let text = |outer: u16, inner: u16, nest: &str| {
        format!(
            "class Outer {{\nversion {outer}\nprivate static field x: i32\n}}\n\
             class Outer$Inner {{\nversion {inner}\n{nest}\nstatic method m() {{\nx = getstatic Outer.x\nreturn\n}}\n}}"
        )
    };
    check(&text(55, 61, "nest Outer"), &[]);
    check(&text(54, 61, "nest Outer"), &["E0257 `Outer.x` is private"]);
    check(&text(61, 52, "nest Outer"), &["E0257 `Outer.x` is private"]);
    check(&text(61, 61, ""), &["E0257 `Outer.x` is private"]);
}

#[test]
fn methods() {
    let classes = "public interface p.I {
      public abstract method work()
      public method help() { return }
      public static method plain() { return }
    }
    public abstract class p.A implements p.I {
      public method <init>() { invokespecial Object.<init>(this)
        return }
      private method own() { return }
      method near() { return }
      public abstract method hard()
      public static method shared() { return }
      public method all(n: i32) { return }
    }
    public class p.B extends p.A {
      public method <init>() { invokespecial p.A.<init>(this)
        return }
    }
    ";
    let text = |class: &str, line: &str| {
        format!("{classes}{class} {{\nstatic method m(a: p.A, i: p.I, o: Object) {{\n{line}\nreturn\n}}\n}}")
    };
    let ok = |line: &str| check(&text("class q.C", line), &[]);
    let bad = |line: &str, error: &str| check(&text("class q.C", line), &[error]);
    ok("invokestatic p.A.shared()\ninvokestatic p.I.plain()\ninvokevirtual p.A.all(a, 1)\ninvokevirtual p.A.hard(a)");
    ok(
        "invokevirtual p.A.help(a)\ninvokevirtual p.A.work(a)\ninvokeinterface p.I.work(i)\ninvokeinterface p.I.work(a)",
    );
    ok("b = new p.B\ninvokespecial p.B.<init>(b)");
    ok("h = invokeinterface p.I.hashCode(i)\nx = invokevirtual Object.toString(i)");
    bad("invokevirtual p.A.shared(a)", "E0252 `p.A.shared` is static, which invokevirtual does not call");
    bad("invokestatic p.A.all(1)", "E0252 `p.A.all` is not static, which invokestatic does not call");
    bad("invokevirtual p.I.work(i)", "E0253 `p.I` is an interface: its methods are called by invokeinterface");
    bad("invokeinterface p.A.all(a, 1)", "E0253 `p.A` is a class: its methods are called by invokevirtual");
    bad("invokevirtual p.A.own(a)", "E0257 `p.A.own` is private");
    bad("invokevirtual p.A.near(a)", "E0257 `p.A.near` is accessible in its package only");
    bad("invokevirtual p.A.all(a, 1L)", "E0240 operand 2 of invokevirtual is i64, but it takes i32");
    bad("invokevirtual p.A.all(o, 1)", "E0240 operand 1 of invokevirtual is Object, but it takes p.A");
    bad("invokevirtual p.A.<init>(a)", "E0255 invokevirtual does not call <init>");
    bad("invokevirtual p.A.all(a, 1L) as (i64)", "E0251 there is no method `all(i64)` in `p.A` or its supertypes");
    bad(
        "invokespecial p.A.all(a, 1)",
        "E0255 `p.A.all` is neither private nor of a superclass, so its receiver chooses",
    );
    check(&text("class q.C extends p.A", "invokespecial p.A.all(a, 1)"), &[]);
    // Of an abstract method, that is found out when it is called.
    check(&text("class q.C extends p.A", "invokespecial p.A.hard(a)"), &[]);
}

#[test]
fn constructors_are_not_inherited() {
    check(
        "class A { method <init>(n: i32) { return } }
         class B extends A { }
         class C { static method m() {
           b = new B
           invokespecial B.<init>(b, 1) as (i32)
           return } }",
        &["E0251 `B` has no such constructor of its own"],
    );
}

#[test]
fn protected_members_of_the_library() {
    let clone = |receiver: &str| {
        format!(
            "class p.T {{\nmethod m(o: Object, a: i32[]) {{\nx = invokevirtual Object.clone({receiver})\nreturn\n}}\n}}"
        )
    };
    check(&clone("this"), &[]);
    check(&clone("a"), &[]);
    check(&clone("o"), &["E0257 `Object.clone` is protected: it is accessible in instances of `p.T` only"]);
}

#[test]
fn class_access() {
    let text = |flags: &str| {
        format!(
            "{flags} class p.A {{ }}\nclass q.B {{\nstatic method m(o: Object) {{\nx = checkcast p.A, o\nreturn\n}}\n}}"
        )
    };
    check(&text("public"), &[]);
    check(&text(""), &["E0258 `p.A` is accessible in its package only"]);
    check("class p.A { }\nclass q.B extends p.A { }", &["E0258 `p.A` is accessible in its package only"]);
}

#[test]
fn supertypes() {
    check("class A { }\nclass B extends A implements Runnable, Comparable { }\ninterface I extends Runnable { }", &[]);
    check(
        "class A extends B { }\nclass B extends A { }\nclass C extends A { }",
        &["E0202 the class is among its own supertypes", "E0202 the class is among its own supertypes"],
    );
    check("interface I extends I { }", &["E0202 the class is among its own supertypes"]);
    check("class A extends Runnable { }", &["E0204 `Runnable` is an interface: it is implemented, not extended"]);
    check("class A extends String { }", &["E0204 `String` is final, so nothing extends it"]);
    check("class A implements Object { }", &["E0204 `Object` is a class: it is extended, not implemented"]);
    check("class A implements Runnable, Runnable { }", &["E0204 the interface `Runnable` is named twice"]);
    check("final abstract class A { }", &["E0203 a final class is not abstract, and an interface not final"]);
    check("extern class x.Y\nclass A extends x.Y implements x.Y { }", &[]);
}

#[test]
fn declarations_of_fields() {
    check("class A { static field a: bool = 1\nstatic field s: String = \"s\"\nstatic field l: i64 = 5L }", &[]);
    check("class A { static field a: bool = 2 }", &["E0207 the initial value is no `bool`"]);
    check("class A { static field a: i8 = 128 }", &["E0207 the initial value is no `i8`"]);
    check("class A { static field a: i64 = 5 }", &["E0207 the initial value is no `i64`"]);
    check("class A { static field a: Object = \"s\" }", &["E0207 the initial value is no `Object`"]);
    check("class A { final volatile field a: i32 }", &["E0206 a final field is not volatile"]);
    check("class A { public private field a: i32 }", &["E0206 it is one of public, private and protected"]);
    check("interface I { public static final field a: i32 }", &[]);
    check("interface I { public static field a: i32 }", &["E0206 an interface's field is `public static final`"]);
}

#[test]
fn declarations_of_methods() {
    check("abstract class A { abstract method m() }\ninterface I { public abstract method m() }", &[]);
    check("class A { abstract method m() }", &["E0208 the method is abstract, but its class is not"]);
    check(
        "abstract class A { abstract final method m() }",
        &["E0208 an abstract method is not private, static, final, synchronized or native"],
    );
    // Calling it is an UnsatisfiedLinkError; programs from class files have such methods.
    check("class A { native method m() }", &[]);
    check("interface I { abstract method m() }", &["E0208 an interface's method is public or private"]);
    check(
        "interface I { public final method m() { return } }",
        &["E0208 an interface's method is not final or synchronized"],
    );
    check("class A { static method <clinit>() { return } }", &[]);
    check(
        "class A { method <clinit>() { return } }",
        &["E0209 a class initialiser is static, without parameters and result"],
    );
    let constructor = "E0209 a constructor has no result, and is not static, final, abstract, native or synchronized";
    check("class A { static method <init>() { return } }", &[constructor]);
    check("class A { method <init>(): i32 { return 1 } }", &[constructor]);
    check("interface I { method <init>() { return } }", &["E0209 an interface has no constructor"]);
    check("class A { method <other>() { return } }", &["E0209 only `<init>` and `<clinit>` begin with `<`"]);
}

#[test]
fn final_methods_are_not_overridden() {
    let text = |flags: &str, package: &str| {
        format!(
            "public class p.A {{ {flags} method m() {{ return }} }}\nclass {package}.B extends p.A {{ method m() {{ return }} }}"
        )
    };
    check(&text("final", "p"), &["E0210 the method is final in `p.A`"]);
    check(&text("public final", "q"), &["E0210 the method is final in `p.A`"]);
    check(&text("final", "q"), &[]);
    check(&text("private final", "p"), &[]);
}

#[test]
fn an_error_has_its_place() {
    let text = "class A {\n  static method m(n: i64) {\n    jump next(n)\n  next(k: i64):\n    x = add k, 1\n    return\n  }\n}\n";
    let invalid = verify(module(text)).expect_err("i64 and i32 do not add");
    let [error] = &invalid.diagnostics[..] else { panic!("{:?}", invalid.diagnostics) };
    assert_eq!(
        error.to_string(),
        "error[E0240]: operand 2 of add is i32, but it takes i64 (in A.m, block next, `x = add k, 1`)"
    );
    let at = text.find("x = add").expect("it is there") as u32;
    assert_eq!(error.span.start, at);
    assert_eq!(invalid.module.files[error.file.expect("a file")], "test.ir");
}

#[test]
fn errors_are_capped() {
    let lines: String = (0..150).map(|i| format!("x{i} = neg o\n")).collect();
    let text = format!("class A {{\nstatic method m(o: Object) {{\n{lines}return\n}}\n}}");
    let invalid = verify(module(&text)).expect_err("objects have no negative");
    assert_eq!(invalid.diagnostics.len(), 101);
    assert_eq!(invalid.diagnostics[100].message, "50 more errors are not shown");
}
