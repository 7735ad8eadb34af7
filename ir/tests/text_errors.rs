//! What the parser says about texts that are wrong: where, which code, what, and the next step.

use r8lite_ir::text::{Source, parse};

/// Checks what is reported for a text: `line:column: code message; help`.
fn check(text: &str, expected: &[&str]) {
    let reported = match parse(&[Source { name: "test.ir", text }]) {
        Ok(_) => Vec::new(),
        Err(error) => error.diagnostics,
    };
    let shown: Vec<String> = reported
        .iter()
        .map(|d| {
            let before = &text[..d.span.start as usize];
            let line = before.matches('\n').count() + 1;
            let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
            let help = d.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            format!("{line}:{column}: {} {}{help}", d.code, d.message)
        })
        .collect();
    assert_eq!(shown, expected, "\n{text}\n{shown:#?}");
}

#[test]
fn tokens_a_byte_order_mark() {
    check(
        "\u{feff}class A {\n}\n",
        &["1:1: E0101 no token starts with `\\u{feff}`; save the file without a byte order mark"],
    );
}

#[test]
fn tokens_a_character_that_starts_nothing() {
    check(
        r#"class A {
  # field x: i32
  field y: i32
}
"#,
        &["2:3: E0101 no token starts with `#`; a comment starts with `;`"],
    );
}

#[test]
fn tokens_an_open_string() {
    check(
        r#"class A {
  source "A.java
}
"#,
        &["2:10: E0102 the string does not end; close it with `\"` on the same line; a line feed is written `\\n`"],
    );
}

#[test]
fn tokens_an_open_name() {
    check(
        r#"class A {
  field `x: i32
  field y: Foo
}
"#,
        &[
            "2:9: E0102 the name in backticks does not end; close it with a backtick on the same line",
            "3:12: E0130 class `Foo` is not declared; declare it, or say `extern class` if it is known by name only",
        ],
    );
}

#[test]
fn tokens_escapes() {
    check(
        r#"class A {
  static field s: String = "a\qb"
  static field t: String = "\u{110000}"
  static field u: String = "\u{"
  field `\u{d800}`: i32
  field ``: i32
}
"#,
        &[
            "2:30: E0103 this is no escape; the escapes are \\n \\t \\r \\0 \\\" \\` \\\\ and \\u{1f600}",
            "3:29: E0103 this is no escape; the escapes are \\n \\t \\r \\0 \\\" \\` \\\\ and \\u{1f600}",
            "4:29: E0103 this is no escape; the escapes are \\n \\t \\r \\0 \\\" \\` \\\\ and \\u{1f600}",
            "5:10: E0103 a name cannot hold half of a surrogate pair",
            "6:9: E0110 a name cannot be empty",
        ],
    );
}

#[test]
fn tokens_numbers() {
    check(
        r#"class A {
  static field a: i32 = 2147483648
  static field b: i64 = 9223372036854775808L
  static field c: i32 = 0xfffffffff
  static field d: f64 = 1.
  static field e: i32 = 12ab
  static field f: f64 = nan64(0x1)
  static field g: f64 = nan64(5
  static field h: i32 = -
}
"#,
        &[
            "2:25: E0104 `2147483648` is not a number; an i32 goes from -2147483648 to 2147483647; an i64 ends in `L`",
            "3:25: E0104 `9223372036854775808L` is not a number; an i64 goes from -9223372036854775808L to 9223372036854775807L",
            "4:25: E0104 `0xfffffffff` is not a number; a number in hexadecimal is like `0xff` or `0xffL`, and has at most 8 or 16 digits",
            "5:25: E0104 `1.` is not a number; an f64 is like `1.5` or `1.0e-7`, an f32 like `1.5f`; both have a point",
            "6:25: E0104 `12ab` is not a number; numbers are like `5`, `5L`, `0xff`, `1.5` and `1.5f`",
            "7:31: E0104 `0x1` are not the bits of a NaN of this type",
            "8:32: E0110 found the end of the line, wanted `)`",
            "9:25: E0104 `-` is not a number; numbers are like `5`, `5L`, `0xff`, `1.5` and `1.5f`",
        ],
    );
}

#[test]
fn tokens_a_lexical_error_where_an_instruction_is_read() {
    check(
        r#"class A {
  static method m() {
    return "x
    return ~
  }
}
"#,
        &[
            "3:12: E0102 the string does not end; close it with `\"` on the same line; a line feed is written `\\n`",
            "4:12: E0101 no token starts with `~`",
        ],
    );
}

#[test]
fn classes_nothing_that_starts_a_class() {
    check(
        r#"klass A {
}

class B {
  field x: C
}
"#,
        &[
            "1:1: E0110 found `klass`, wanted `class` or `interface`; did you mean `class`?",
            "5:12: E0130 class `C` is not declared; declare it, or say `extern class` if it is known by name only",
        ],
    );
}

#[test]
fn classes_flags() {
    check(
        r#"static class A {
}

public public class B {
  volatile method m() {
  }

  synchronized field x: i32
}
"#,
        &[
            "1:1: E0111 a class cannot be `static`; flags of a class are public, final, abstract, synthetic, enum, partial",
            "4:8: E0111 the flag `public` is repeated",
            "5:3: E0111 a method cannot be `volatile`; flags of a method are public, private, protected, static, final, synchronized, bridge, native, abstract, synthetic, exposed, unread",
            "8:3: E0111 a field cannot be `synchronized`; flags of a field are public, private, protected, static, final, volatile, transient, synthetic, enum, exposed",
        ],
    );
}

#[test]
fn classes_the_same_class_twice() {
    check(
        r#"class A {
}

class A {
  field x: Nowhere
}

class Object {
}

extern class A
"#,
        &[
            "4:7: E0120 class `A` is declared already",
            "8:7: E0120 class `Object` is declared already; the class library declares java.lang.Object; write `` `Object` `` for a class of the default package",
            "11:14: E0120 class `A` is declared already",
        ],
    );
}

#[test]
fn classes_a_class_that_is_not_declared_with_and_without_a_near_miss() {
    check(
        r#"class Node extends Nude {
  field a: Nude
  field b: Strin
  field c: com.acme.Missing
}
"#,
        &[
            "1:20: E0130 class `Nude` is not declared; a class of a similar name is declared: Node",
            "3:12: E0130 class `Strin` is not declared; a class of a similar name is declared: String",
            "4:12: E0130 class `com.acme.Missing` is not declared; declare it, or say `extern class` if it is known by name only",
        ],
    );
}

#[test]
fn classes_implements_and_extends() {
    check(
        r#"interface I implements Runnable {
}

class C extends A, B {
}

class D extends i32 {
}
"#,
        &[
            "1:13: E0111 an interface implements nothing; an interface `extends` others",
            "4:17: E0130 class `A` is not declared; declare it, or say `extern class` if it is known by name only",
            "4:18: E0110 found `,`, wanted `{`",
            "7:17: E0110 found `i32`, wanted the name of the superclass",
        ],
    );
}

#[test]
fn classes_a_class_that_is_not_closed() {
    check(
        r#"class A {
  field x: i32
"#,
        &["1:7: E0112 class `A` is not closed; a `}` is missing"],
    );
}

#[test]
fn classes_a_method_that_is_not_closed() {
    check(
        r#"class A {
  method m() {
    return

  method n() {
    retrun
  }
}

class B {
  field x: Nowhere
}
"#,
        &[
            "2:10: E0112 the body of method `m` is not closed; a `}` is missing",
            "6:5: E0135 there is no instruction `retrun`; did you mean `return`?",
            "11:12: E0130 class `Nowhere` is not declared; declare it, or say `extern class` if it is known by name only",
        ],
    );
}

#[test]
fn classes_two_methods_that_are_not_closed() {
    check(
        r#"class A {
  method m() {
    return

  field x: i32

  method n() {
    return
}

class B {
}
"#,
        &[
            "1:7: E0112 class `A` is not closed; a `}` is missing",
            "2:10: E0112 the body of method `m` is not closed; a `}` is missing",
        ],
    );
}

#[test]
fn classes_no_members_at_all() {
    check(
        r#"class A

class B {
}
"#,
        &["1:7: E0112 class `A` has no braces; its members stand between `{` and `}`, even if there are none"],
    );
}

#[test]
fn classes_head_out_of_order() {
    check(
        r#"class A {
  field x: i32
  source "A.java"
}

class B {
  version 70000
  field x: Nowhere
}
"#,
        &[
            "3:3: E0110 `source` stands before all fields and methods; the order is: source, version, nest, fields, methods",
            "7:11: E0104 the version of a class file is at most 65535",
            "8:12: E0130 class `Nowhere` is not declared; declare it, or say `extern class` if it is known by name only",
        ],
    );
}

#[test]
fn classes_nothing_but_blanks_is_no_error_but_this_is() {
    check(
        r#"}
class A {
}
}
"#,
        &["1:1: E0110 found `}`, wanted `class` or `interface`", "4:1: E0110 found `}`, wanted `class` or `interface`"],
    );
}

#[test]
fn members_neither_field_nor_method() {
    check(
        r#"class A {
  feild x: i32
  field y: i32
  x: i32
}
"#,
        &[
            "2:3: E0110 found `feild`, wanted `field`, `method` or `}`; did you mean `field`?",
            "4:3: E0110 found `x`, wanted `field`, `method` or `}`",
        ],
    );
}

#[test]
fn members_fields() {
    check(
        r#"class A {
  field x i32
  field y: i32[
  field z: i32 = 5
  field a.b: i32
  field z: i64
  static field v: i32 = x
}
"#,
        &[
            "2:11: E0110 found `i32`, wanted `:`",
            "3:16: E0110 found the end of the line, wanted `]`",
            "4:16: E0111 only a static field has an initial value; set it in the constructors",
            "5:9: E0110 found `a.b`, wanted the name of the field without dots",
            "6:9: E0121 field `z` is declared already",
            "7:25: E0110 found `x`, wanted a constant",
        ],
    );
}

#[test]
fn members_too_many_dimensions() {
    check(
        &format!("class A {{\n  field x: i32{}\n}}\n", "[]".repeat(256)),
        &["2:12: E0105 an array type has at most 255 dimensions"],
    );
}

#[test]
fn members_methods() {
    check(
        r#"class A {
  method m(x) {
  }

  abstract method n(x: i32)

  native method o() {
  }

  method p(x: i32)

  method q(x: i32) {
    return
  }

  method q(y: i32) {
    return
  }

  method r(a: i32, a: i32) {
    return
  }
}
"#,
        &[
            "2:13: E0110 found `)`, wanted `:`",
            "5:21: E0113 a parameter of an abstract, native or unread method has no name; write only its type",
            "7:21: E0113 an abstract, native or unread method has no body",
            "10:10: E0113 method `p` has no body; say `abstract` or `native` if it has none",
            "16:10: E0122 method `q` is declared already with this signature",
            "20:20: E0123 value `a` is defined already; a name stands for one value in the whole body",
        ],
    );
}

#[test]
fn bodies_values() {
    check(
        r#"class A {
  static method m(count: i32): i32 {
    x = add cuont, 1
    y = add x, 2
    count = add y, 1
    z = add this, late
    late = add 1, 1
    null = add 1, 1
    return y
  }
}
"#,
        &[
            "3:13: E0133 value `cuont` is not defined; a value of a similar name is `count`",
            "5:5: E0123 value `count` is defined already; a name stands for one value in the whole body",
            "6:13: E0133 value `this` is not defined; a static method has no `this`",
            "8:5: E0110 `null` is a constant; choose another name, or write it in backticks",
        ],
    );
}

#[test]
fn bodies_blocks() {
    check(
        r#"class A {
  static method m(n: i32) {
    jump lop
  loop:
    branch n, loop, nowhere
  loop:
    jump lop
  next(n: i32):
    return
  }
}
"#,
        &[
            "3:10: E0134 there is no block `lop`; a block of a similar name is `loop`",
            "5:21: E0134 there is no block `nowhere`",
            "6:3: E0124 block `loop` stands here already",
            "8:8: E0123 value `n` is defined already; a name stands for one value in the whole body",
        ],
    );
}

#[test]
fn bodies_mnemonics_and_orderings() {
    check(
        r#"class A {
  method m(a: i32) {
    b = ad a, 1
    xyzzyplugh a
    c = add.volatile a, 1
    store this, 1L, a
    store.relaxed this, 1L, a
    return
  }
}
"#,
        &[
            "3:9: E0135 there is no instruction `ad`; did you mean `add`?",
            "4:5: E0135 there is no instruction `xyzzyplugh`",
            "5:13: E0136 `add` takes no ordering",
            "6:5: E0136 `store` needs an ordering; as in `store.volatile`; the orderings are plain, opaque, acquire, release, acq_rel, volatile",
            "7:11: E0136 `relaxed` is no ordering; the orderings are plain, opaque, acquire, release, acq_rel, volatile",
        ],
    );
}

#[test]
fn bodies_numbers_of_values() {
    check(
        r#"class A {
  method m(a: i32) {
    b = add a
    c = neg a, a, a
    nullcheck
    d = newarray i32[]
    invokevirtual A.m()
    throw
    return
  }
}
"#,
        &[
            "3:5: E0140 `add` takes 2 values, found 1",
            "4:5: E0140 `neg` takes 1 value, found 3",
            "5:5: E0140 `nullcheck` takes 1 value, found 0",
            "6:5: E0140 `newarray` takes at least 1 value, found 0",
            "7:19: E0140 `invokevirtual` needs a receiver",
            "8:5: E0140 `throw` takes 1 value, found 0",
        ],
    );
}

#[test]
fn bodies_results() {
    check(
        r#"class A {
  field x: i32

  method m(a: i32) {
    b = putfield A.x, this, a
    c = invokevirtual A.m(this, a)
    d = arrayload a, 0
    e = add b, c
    return e
  }
}
"#,
        &[
            "5:5: E0141 `putfield` has no result; write it without a result",
            "6:5: E0141 `m` returns nothing; write it without a result",
            "7:5: E0142 the first value of `arrayload` is no array, so its result has no type",
        ],
    );
}

#[test]
fn bodies_fields_and_methods() {
    check(
        r#"class A {
  field size: i32

  method grow(by: i32) {
    a = getfield A.sise, this
    b = getfield A.other, this
    c = getfield String.other, this
    d = getfield size, this
    invokevirtual A.grow(this)
    invokevirtual A.grwo(this, 1)
    invokevirtual A.quite_other(this)
    invokevirtual Nowhere.m(this)
    invokevirtual Nowhere.m(this)
    x = getfield i32.x, this
    return
  }
}
"#,
        &[
            "5:18: E0131 class `A` has no field `sise`; a field of a similar name is `size`",
            "6:18: E0131 class `A` has no field `other`; declare it: `field other: TYPE`",
            "7:18: E0131 class `java.lang.String` has no field `other`",
            "8:18: E0110 found `size`, wanted a field, as in `Node.next`",
            "9:19: E0132 class `A` has no method `grow` of 0 parameters; it has `grow(i32)`",
            "10:19: E0132 class `A` has no method `grwo`; a method of a similar name is `grow`",
            "11:19: E0132 class `A` has no method `quite_other`",
            "12:19: E0130 class `Nowhere` is not declared; declare it, or say `extern class` if it is known by name only",
            "14:18: E0110 `i32` has no members",
        ],
    );
}

#[test]
fn bodies_overloads_and_classes_known_by_name_only() {
    check(
        r#"extern class E

class A extends E {
  static method m(a: i32) {
    invokestatic A.m(a)
    invokestatic A.other(a)
    x = getstatic E.x
    return
  }

  static method m(a: String) {
    return
  }
}
"#,
        &[
            "5:18: E0137 class `A` has several methods `m` of 1 parameters; say which behind it: (i32) or (String)",
            "6:18: E0138 nothing says what `A.other` is: it is declared in no class, but one is known by name only; say `as (TYPES): TYPE` behind it",
            "7:19: E0138 nothing says what `E.x` is: it is declared in no class, but one is known by name only; say `as TYPE` behind it",
        ],
    );
}

#[test]
fn bodies_handlers() {
    check(
        r#"class A {
  method m() {
    nullcheck this
    catch *: h
    return
  h(e: Throwable):
    catch 5: h
    return
  }
}
"#,
        &[
            "4:5: E0144 a handler stands before the block's instructions; it holds for the whole block; write it directly under the label",
            "7:11: E0110 found `5`, wanted the class of an exception or `*`",
        ],
    );
}

#[test]
fn bodies_switches() {
    check(
        r#"class A {
  method m(n: i32) {
    switch n, 1: a, 1: b, default: a
  a:
    switch n, 1: a, 2: b
  b:
    switch n, 5L: a, default: b
  }
}
"#,
        &[
            "3:21: E0143 the key 1 is repeated",
            "5:25: E0110 found the end of the line, wanted `,`",
            "7:15: E0104 found `5L`, wanted an i32 or `default`",
        ],
    );
}

#[test]
fn bodies_lines() {
    check(
        r#"class A {
  method m(n: i32) {
    x = add n,
    y = add n, 1 2
    z =
    add n, 1 @
    add n, 1 @-1
    ) 
    return n @5 @6
  }
}
"#,
        &[
            "3:15: E0110 found the end of the line, wanted a value",
            "4:18: E0110 found `2`, wanted the end of the line",
            "5:8: E0110 found the end of the line, wanted an instruction",
            "6:15: E0110 found the end of the line, wanted the number of a line",
            "7:15: E0104 the number of a line is not negative",
            "8:5: E0110 found `)`, wanted an instruction, a label or `}`",
            "9:17: E0110 found `@`, wanted the end of the line",
        ],
    );
}

#[test]
fn bodies_a_label_without_its_parts() {
    check(
        r#"class A {
  method m() {
    jump a(1)
  a(x i32):
    y = add x, 1
  b(
    return
  c()
    return
  }
}
"#,
        &[
            "4:7: E0110 found `i32`, wanted `:`",
            "7:11: E0110 found the end of the line, wanted `:`",
            "8:6: E0110 found the end of the line, wanted `:`",
        ],
    );
}

/// What people write who know Java better.
#[test]
fn habits_of_other_languages() {
    check(
        r#"class A {
  // a comment
  field x: int

  static method m(a: i32): boolean {
    b = 5
    c = a
    d = A.m(a)
    call A.m(a)
    return a
  }
}
"#,
        &[
            "2:3: E0101 no token starts with `/`; a comment starts with `;`",
            "3:12: E0130 class `int` is not declared; the type is called `i32` here",
            "5:28: E0130 class `boolean` is not declared; the type is called `bool` here",
            "6:9: E0110 found `5`, wanted an instruction; a constant needs no definition; write it where it is used",
            "7:9: E0135 there is no instruction `a`; there are no copies; use `a` itself",
            "8:9: E0135 there is no instruction `A`; a call starts with how: `invokestatic`, `invokevirtual`, `invokespecial`, `invokeinterface`",
            "9:5: E0135 there is no instruction `call`; a call starts with how: `invokestatic`, `invokevirtual`, `invokespecial`, `invokeinterface`",
        ],
    );
}

#[test]
fn there_is_a_cap_and_no_blow_up() {
    let report = |text: &str| parse(&[Source { name: "test.ir", text }]).unwrap_err().diagnostics;
    assert_eq!(report(&"class A {\n".repeat(100_000)).len(), 21);
    assert_eq!(report(&"# ".repeat(100_000)).len(), 1);
    assert_eq!(report(&"{".repeat(100_000)).len(), 1);
    assert_eq!(report(&"class A { method m() {\n".repeat(10_000)).len(), 21);
    let undefined: String = (0..100_000).map(|i| format!("    x{i} = add y{i}, 1\n")).collect();
    assert_eq!(report(&format!("class A {{\n  method m() {{\n{undefined}  }}\n}}\n")).len(), 100);
}
