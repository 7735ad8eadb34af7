//! Makes random programs as IR text.
//!
//! A program has a class `Node` with volatile fields, a superclass, a superinterface `Spot` and a subclass of it, unrelated
//! classes, and updaters of `Node`'s fields in `Node`, `Spot`, `Holder` and `Main`, read directly, through static methods
//! that may call each other, and through virtual methods. Methods with random bodies use them on random holders and
//! values; `main` calls each method with good and bad arguments, and prints what every call leaves behind.

mod bodies;

use std::fmt::Write;

use r8lite::PlanOptions;

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Reference,
    Integer,
    Long,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Reference => "AtomicReferenceFieldUpdater",
            Kind::Integer => "AtomicIntegerFieldUpdater",
            Kind::Long => "AtomicLongFieldUpdater",
        }
    }
}

/// The volatile fields of `Node`: name, type, the kind of their updaters.
const FIELDS: [(&str, &str, Kind); 7] = [
    ("any", "Object", Kind::Reference),
    ("next", "Node", Kind::Reference),
    ("text", "String", Kind::Reference),
    ("task", "Runnable", Kind::Reference),
    ("nodes", "Node[]", Kind::Reference),
    ("num", "i32", Kind::Integer),
    ("big", "i64", Kind::Long),
];

#[derive(Clone, Debug)]
struct Updater {
    class: &'static str,
    name: String,
    field: usize,
    kind: Kind,
    is_private: bool,
    is_final: bool,
    accessor: bool,
    /// How many more accessors the accessor calls one by the other.
    links: usize,
    virtual_accessor: Option<Virtual>,
}

/// An instance method of `Node` that returns an updater.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Virtual {
    Final,
    /// Nothing overrides it.
    Alone,
    /// `Leaf` has one that returns the same.
    Alike,
    /// `Leaf` has one that returns another, or null.
    Different,
}

/// The values at hand, by type.
#[derive(Clone, Default)]
struct Env {
    ints: Vec<String>,
    longs: Vec<String>,
    refs: Vec<(String, &'static str)>,
    updaters: Vec<(String, Kind)>,
}

struct Generator {
    random: Random,
    out: String,
    numbers: usize,
    updaters: Vec<Updater>,
    private_fields: bool,
    implements_spot: bool,
    /// The class and the number of the method that is being written.
    class: &'static str,
    method: usize,
    methods: Vec<Method>,
    env: Env,
    /// What blocks of the method catch, innermost first.
    handlers: Vec<String>,
    budget: usize,
    depth: usize,
}

#[derive(Clone, Debug)]
struct Method {
    class: &'static str,
    is_private: bool,
    is_static: bool,
    /// The kind of an updater it takes first, if it does.
    updater: Option<Kind>,
}

/// The program of a seed, and what is said about it.
pub(crate) fn program(seed: u64) -> (String, PlanOptions) {
    let mut random = Random(seed);
    let options = PlanOptions {
        whole_program: random.percent(30),
        closed_packages: random.percent(30),
        ..PlanOptions::default()
    };
    let mut generator = Generator {
        random,
        out: String::new(),
        numbers: 0,
        updaters: Vec::new(),
        private_fields: false,
        implements_spot: false,
        class: "Main",
        method: 0,
        methods: Vec::new(),
        env: Env::default(),
        handlers: Vec::new(),
        budget: 0,
        depth: 0,
    };
    generator.program();
    (generator.out, options)
}

impl Generator {
    fn line(&mut self, text: &str) {
        self.out.push_str("    ");
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.numbers += 1;
        format!("{prefix}{}", self.numbers)
    }

    fn program(&mut self) {
        self.private_fields = self.random.percent(40);
        self.implements_spot = self.random.percent(50);
        for number in 0..1 + self.random.below(4) {
            let field = self.random.below(FIELDS.len());
            let class = *self.random.pick(&["Node", "Node", "Node", "Node", "Spot", "Holder", "Main"]);
            let in_interface = class == "Spot";
            let is_private = !in_interface && self.random.percent(60);
            let kinds = [Virtual::Final, Virtual::Alone, Virtual::Alike, Virtual::Different];
            let updater = Updater {
                class,
                name: format!("U{number}"),
                field,
                kind: FIELDS[field].2,
                is_private,
                is_final: in_interface || self.random.percent(93),
                accessor: self.random.percent(40),
                links: if self.random.percent(30) { 1 + self.random.below(5) } else { 0 },
                virtual_accessor: (class == "Node" && self.random.percent(30)).then(|| *self.random.pick(&kinds)),
            };
            self.updaters.push(updater);
        }
        for _ in 0..2 + self.random.below(4) {
            let class = *self.random.pick(&["Node", "Node", "Holder", "Main", "Leaf"]);
            let is_static = class != "Node" || self.random.percent(50);
            let updater =
                self.random.percent(35).then(|| *self.random.pick(&[Kind::Reference, Kind::Integer, Kind::Long]));
            let is_private = self.random.percent(40);
            self.methods.push(Method { class, is_private, is_static, updater });
        }
        self.support();
        self.base();
        self.class("Spot", "");
        self.class("Node", if self.implements_spot { "extends Base implements Spot " } else { "extends Base " });
        self.class("Leaf", "extends Node ");
        self.class("Holder", "");
        self.class("Main", "");
    }

    /// Classes that hardly vary.
    fn support(&mut self) {
        let odd = *self.random.pick(&["o", "null", "\"odd\""]);
        let _ = write!(
            self.out,
            "class Other {{
  method <init>() {{
    invokespecial Object.<init>(this)
    return
  }}
}}

class Task implements Runnable {{
  method <init>() {{
    invokespecial Object.<init>(this)
    return
  }}

  public method run() {{
    return
  }}
}}

class IntStep implements IntUnaryOperator, IntBinaryOperator, LongUnaryOperator, LongBinaryOperator {{
  method <init>() {{
    invokespecial Object.<init>(this)
    return
  }}

  public method applyAsInt(n: i32): i32 {{
    invokestatic Show.int(n)
    m = add n, 3
    return m
  }}

  public method applyAsInt(n: i32, k: i32): i32 {{
    m = mul n, k
    return m
  }}

  public method applyAsLong(n: i64): i64 {{
    m = xor n, 5L
    return m
  }}

  public method applyAsLong(n: i64, k: i64): i64 {{
    invokestatic Show.long(k)
    m = sub n, k
    return m
  }}
}}

class RefStep implements UnaryOperator, BinaryOperator {{
  method <init>() {{
    invokespecial Object.<init>(this)
    return
  }}

  public method apply(o: Object): Object {{
    invokestatic Show.ref(o)
    return {odd}
  }}

  public method apply(o: Object, p: Object): Object {{
    invokestatic Show.ref(o)
    return p
  }}
}}

class Show {{
  static method int(n: i32) {{
    out = getstatic System.out
    invokevirtual PrintStream.println(out, n) as (i32)
    return
  }}

  static method long(n: i64) {{
    out = getstatic System.out
    invokevirtual PrintStream.println(out, n) as (i64)
    return
  }}

  static method text(s: String) {{
    out = getstatic System.out
    invokevirtual PrintStream.println(out, s) as (String)
    return
  }}

  static method ref(o: Object) {{
    is = eq o, null
    branch is, none, some
  none:
    invokestatic Show.text(\"null\")
    return
  some:
    isText = instanceof String, o
    branch isText, string, object
  string:
    s = checkcast String, o
    invokestatic Show.text(s)
    return
  object:
    c = invokevirtual Object.getClass(o)
    n = invokevirtual Class.getName(c)
    invokestatic Show.text(n)
    return
  }}
}}

"
        );
    }

    /// `Base`, whose initialiser runs before `Node`'s and may call back.
    fn base(&mut self) {
        self.out.push_str("class Base {\n");
        if self.random.percent(25) {
            self.out.push_str("  static method <clinit>() {\n");
            if self.random.percent(50) {
                self.line("invokestatic Show.text(\"init Base\")");
            }
            if self.random.percent(60) {
                self.line("invokestatic Node.early()");
            }
            if self.random.percent(10) {
                self.throw();
            } else {
                self.line("return");
            }
            self.out.push_str("  }\n\n");
        }
        self.out.push_str("  method <init>() {\n    invokespecial Object.<init>(this)\n    return\n  }\n}\n\n");
    }

    fn throw(&mut self) {
        let e = self.fresh("e");
        self.line(&format!("{e} = new IllegalStateException"));
        self.line(&format!("invokespecial IllegalStateException.<init>({e}) as ()"));
        self.line(&format!("throw {e}"));
    }

    fn class(&mut self, name: &'static str, extends: &str) {
        self.class = name;
        let word = if name == "Spot" { "interface" } else { "class" };
        let _ = writeln!(self.out, "{word} {name} {extends}{{");
        if name == "Node" {
            let private = if self.private_fields { "private " } else { "" };
            for (field, ty, _) in FIELDS {
                let _ = writeln!(self.out, "  {private}volatile field {field}: {ty}");
            }
            self.out.push_str("  field plain: i32\n");
        }
        if name == "Main" {
            self.out.push_str("  static field shared: Node\n");
        }
        let own: Vec<Updater> = self.updaters.iter().filter(|updater| updater.class == name).cloned().collect();
        for updater in &own {
            let private = match name {
                "Spot" => "public ",
                _ if updater.is_private => "private ",
                _ => "",
            };
            let last = if updater.is_final { "final " } else { "" };
            let (name, class) = (&updater.name, updater.kind.class());
            let _ = writeln!(self.out, "  {private}static {last}field {name}: {class}");
        }
        self.out.push('\n');
        self.clinit(&own);
        if name == "Spot" && self.random.percent(60) {
            self.out.push_str("  public method spot() {\n    return\n  }\n\n");
        }
        if name != "Main" && name != "Spot" {
            let parent = match name {
                "Node" => "Base",
                "Leaf" => "Node",
                _ => "Object",
            };
            let _ = writeln!(self.out, "  method <init>() {{\n    invokespecial {parent}.<init>(this)");
            self.out.push_str("    return\n  }\n\n");
        }
        for updater in own.iter().filter(|updater| updater.accessor) {
            self.accessors(updater);
        }
        let read: Vec<Updater> = self.updaters.iter().filter(|it| it.virtual_accessor.is_some()).cloned().collect();
        for updater in read {
            self.virtual_accessor(&updater);
        }
        if name == "Node" {
            self.early();
        }
        for number in 0..self.methods.len() {
            if self.methods[number].class == name {
                self.method(number);
            }
        }
        if name == "Node" {
            self.dump();
        }
        if name == "Main" {
            self.main();
        }
        self.out.push_str("}\n\n");
    }

    /// The static method that returns an updater, directly or through others.
    fn accessors(&mut self, updater: &Updater) {
        let (class, name, kind) = (updater.class, &updater.name, updater.kind.class());
        let public = if class == "Spot" { "public " } else { "" };
        for link in 0..=updater.links {
            let suffix = if link == 0 { String::new() } else { format!("x{link}") };
            let found = match updater.links - link {
                0 => format!("getstatic {class}.{name}"),
                _ => format!("invokestatic {class}.get{name}x{}()", link + 1),
            };
            let _ = writeln!(
                self.out,
                "  {public}static synthetic method get{name}{suffix}(): {kind} {{\n    u = {found}\n    return u\n  }}\n"
            );
        }
    }

    /// The instance method of `Node` that returns an updater, or what `Leaf` has in its place.
    fn virtual_accessor(&mut self, updater: &Updater) {
        let (name, kind) = (&updater.name, updater.kind.class());
        let (last, found) = match (self.class, updater.virtual_accessor) {
            ("Node", Some(Virtual::Final)) => ("final ", Some(updater.clone())),
            ("Node", Some(_)) => ("", Some(updater.clone())),
            ("Leaf", Some(Virtual::Alike)) if !updater.is_private => ("", Some(updater.clone())),
            ("Leaf", Some(Virtual::Different)) => {
                let other = |it: &&Updater| it.kind == updater.kind && it.name != *name && !it.is_private;
                ("", self.updaters.iter().rfind(other).cloned())
            }
            _ => return,
        };
        let found = found.map(|it| format!("getstatic {}.{}", it.class, it.name));
        let _ = writeln!(self.out, "  {last}method its{name}(): {kind} {{");
        match found {
            Some(found) => {
                let _ = writeln!(self.out, "    u = {found}\n    return u");
            }
            None => self.line("return null"),
        }
        self.out.push_str("  }\n\n");
    }

    /// The class initialiser, which makes the updaters, well or badly.
    fn clinit(&mut self, own: &[Updater]) {
        if own.is_empty() && self.random.percent(80) {
            return;
        }
        self.out.push_str("  static method <clinit>() {\n");
        self.env = Env::default();
        let loud = self.random.percent(25);
        if loud && self.random.percent(50) {
            let text = format!("invokestatic Show.text(\"init {}\")", self.class);
            self.line(&text);
        }
        if self.class == "Node" && self.random.percent(15) {
            self.line("invokestatic Node.early()");
        }
        for updater in own {
            if self.random.percent(4) {
                continue;
            }
            self.creation(updater);
            if self.random.percent(8) {
                self.creation(updater);
            }
            if self.class == "Node" && self.random.percent(10) {
                self.line("invokestatic Node.early()");
            }
        }
        if loud && self.random.percent(50) {
            self.line("invokestatic Show.text(\"initialised\")");
        }
        if self.random.percent(3) {
            self.throw();
        } else {
            self.line("return");
        }
        self.out.push_str("  }\n\n");
    }

    fn creation(&mut self, updater: &Updater) {
        let (mut name, mut ty, _) = FIELDS[updater.field];
        let mut holder = "Node";
        if self.random.percent(3) {
            name = *self.random.pick(&["missing", "plain", "num", "any"]);
        }
        if self.random.percent(2) {
            holder = *self.random.pick(&["Leaf", "Other"]);
        }
        if self.random.percent(2) {
            ty = *self.random.pick(&["Object", "String", "i32"]);
        }
        let u = self.fresh("u");
        let (class, field) = (updater.kind.class(), &updater.name);
        let create = match updater.kind {
            Kind::Reference => format!("{u} = invokestatic {class}.newUpdater(class {holder}, class {ty}, \"{name}\")"),
            _ => format!("{u} = invokestatic {class}.newUpdater(class {holder}, \"{name}\")"),
        };
        let store = format!("putstatic {}.{field}, {u}", updater.class);
        match self.random.below(20) {
            0 => {
                let (t, h, k) = (self.fresh("t"), self.fresh("h"), self.fresh("k"));
                self.line(&format!("jump {t}"));
                let _ = writeln!(self.out, "  {t}:\n    catch RuntimeException: {h}");
                self.line(&create);
                self.line(&store);
                self.line(&format!("jump {k}"));
                let _ = writeln!(self.out, "  {h}({h}e: RuntimeException):");
                self.line(&format!("jump {k}"));
                let _ = writeln!(self.out, "  {k}:");
            }
            1 => {
                let (c, a, k) = (self.fresh("c"), self.fresh("a"), self.fresh("k"));
                self.line(&format!("{c} = getstatic Main.shared"));
                self.line(&format!("{c}is = eq {c}, null"));
                self.line(&format!("branch {c}is, {a}, {k}"));
                let _ = writeln!(self.out, "  {a}:");
                self.line(&create);
                self.line(&store);
                self.line(&format!("jump {k}"));
                let _ = writeln!(self.out, "  {k}:");
            }
            2 => {
                self.line(&create);
                self.line("invokestatic Show.text(\"between\")");
                self.line(&store);
            }
            _ => {
                self.line(&create);
                self.line(&store);
            }
        }
    }

    /// A method that initialisers call before the updaters are there.
    fn early(&mut self) {
        self.out.push_str("  static method early() {\n");
        let own: Vec<Updater> = self.updaters.iter().filter(|it| self.can_read(it)).cloned().collect();
        let (t, h) = (self.fresh("t"), self.fresh("h"));
        self.line(&format!("jump {t}"));
        let _ = writeln!(self.out, "  {t}:\n    catch RuntimeException: {h}\n    catch LinkageError: {h}l");
        if let Some(updater) = own.first() {
            let u = self.read(updater);
            let node = if self.random.percent(50) { "null".to_owned() } else { self.new_object("Node").0 };
            let result = self.fresh("r");
            match updater.kind {
                Kind::Reference => {
                    self.line(&format!("{result} = invokevirtual AtomicReferenceFieldUpdater.get({u}, {node})"));
                    self.line(&format!("invokestatic Show.ref({result})"));
                }
                Kind::Integer => {
                    self.line(&format!(
                        "{result} = invokevirtual AtomicIntegerFieldUpdater.incrementAndGet({u}, {node})"
                    ));
                    self.line(&format!("invokestatic Show.int({result})"));
                }
                Kind::Long => {
                    self.line(&format!("{result} = invokevirtual AtomicLongFieldUpdater.addAndGet({u}, {node}, 7L)"));
                    self.line(&format!("invokestatic Show.long({result})"));
                }
            }
        }
        self.line("return");
        for (label, class) in [(h.clone(), "RuntimeException"), (format!("{h}l"), "LinkageError")] {
            let _ = writeln!(self.out, "  {label}({label}e: {class}):");
            self.line(&format!("invokestatic Show.ref({label}e)"));
            self.line("return");
        }
        self.out.push_str("  }\n\n");
    }

    /// A method of `Node` that prints all its fields.
    fn dump(&mut self) {
        self.out.push_str("  method dump() {\n");
        for (field, ty, kind) in FIELDS {
            self.line(&format!("{field}v = getfield Node.{field}, this"));
            let show = match (kind, ty) {
                (Kind::Integer, _) => "int",
                (Kind::Long, _) => "long",
                _ => "ref",
            };
            self.line(&format!("invokestatic Show.{show}({field}v)"));
        }
        self.line("return");
        self.out.push_str("  }\n\n");
    }

    fn signature(&self, number: usize) -> String {
        let method = &self.methods[number];
        let updater = method.updater.map(|kind| format!("u: {}, ", kind.class())).unwrap_or_default();
        format!("m{number}({updater}a: Object, b: Node, n: i32, l: i64): Object")
    }

    fn method(&mut self, number: usize) {
        let method = self.methods[number].clone();
        self.method = number;
        let private = if method.is_private { "private " } else { "" };
        let fixed = if method.is_static { "static " } else { "" };
        let signature = self.signature(number);
        let _ = writeln!(self.out, "  {private}{fixed}method {signature} {{");
        self.env = Env::default();
        self.env.ints.push("n".into());
        self.env.longs.push("l".into());
        self.env.refs.extend([("a".into(), "Object"), ("b".into(), "Node")]);
        if let Some(kind) = method.updater {
            self.env.updaters.push(("u".into(), kind));
        }
        if !method.is_static {
            self.env.refs.push(("this".into(), "Node"));
        }
        self.budget = 14;
        self.depth = 0;
        while self.budget > 0 {
            self.statement();
        }
        let (result, _) = self.a_ref();
        self.line(&format!("return {result}"));
        self.out.push_str("  }\n\n");
    }

    fn main(&mut self) {
        self.out.push_str("  static method main() {\n");
        self.env = Env::default();
        let calls = self.methods.len() * 2;
        for call in 0..calls {
            let number = call % self.methods.len();
            if self.methods[number].is_private && self.methods[number].class != "Main" {
                continue;
            }
            let (t, h, k) = (self.fresh("t"), self.fresh("h"), self.fresh("k"));
            self.line(&format!("jump {t}"));
            let _ = writeln!(self.out, "  {t}:\n    catch *: {h}");
            let mut env = Env::default();
            std::mem::swap(&mut env, &mut self.env);
            let class = *self.random.pick(&["Node", "Leaf"]);
            let (node, _) = self.new_object(class);
            self.line(&format!("putstatic Main.shared, {node}"));
            self.class = "Main";
            self.call(number, true);
            self.line(&format!("invokevirtual Node.dump({node})"));
            self.env = env;
            self.line(&format!("jump {k}"));
            let _ = writeln!(self.out, "  {h}({h}e: Throwable):");
            self.line(&format!("invokestatic Show.ref({h}e)"));
            self.line(&format!("jump {k}"));
            let _ = writeln!(self.out, "  {k}:");
        }
        self.line("return");
        self.out.push_str("  }\n");
    }
}
