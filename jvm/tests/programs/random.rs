//! Java programs made at random print the same before and after. They are trees of expressions, so that updaters, holders and
//! arguments lie on the stack while much else happens: branches, handlers, other calls, objects that are being made.

use std::fmt::Write;
use std::path::Path;

use r8lite_passes::plan::PlanOptions;

use crate::java::{self, root};
use crate::optimize::{WAYS, optimize};

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// What an expression is.
#[derive(Clone, Copy)]
enum Kind {
    Int,
    Long,
    Text,
    Holder,
    Flag,
}

/// Writes the body of a class: methods of a class `C` with fields and updaters of each kind, static methods and others.
struct Writer {
    numbers: Numbers,
    /// Whether `this` can be used.
    has_this: bool,
}

impl Writer {
    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(kind);
        }
        let below = depth - 1;
        match self.numbers.below(8) {
            0 => {
                let condition = self.expression(Kind::Flag, below);
                let (a, b) = (self.expression(kind, below), self.expression(kind, below));
                format!("({condition} ? {a} : {b})")
            }
            1 | 2 => self.leaf(kind),
            _ => self.call(kind, below),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Int => self.numbers.pick(&["a", "7", "-1", "(int) b", "said(3)", "text.length()"]).to_owned(),
            Kind::Long => self.numbers.pick(&["b", "5L", "(1L << 40)", "a", "(long) d", "said(4L)"]).to_owned(),
            Kind::Text => self
                .numbers
                .pick(&["text", "(String) null", "(\"t\" + a)", "said(\"u\")", "new String(text)"])
                .to_owned(),
            Kind::Flag => self.numbers.pick(&["a > 3", "b < 9", "text == null", "other == null", "d > 1"]).to_owned(),
            Kind::Holder if self.has_this => {
                self.numbers.pick(&["this", "this", "other", "said(other)", "null"]).to_owned()
            }
            Kind::Holder => self.numbers.pick(&["other", "said(other)", "new C(a)", "(C) object"]).to_owned(),
        }
    }

    /// The updater of a kind, in one of the ways in which it is reached.
    fn updater(&mut self, name: &str) -> String {
        match self.numbers.below(6) {
            0 => format!("{}()", name.to_lowercase()),
            1 => format!("({} ? {name} : {name})", self.leaf(Kind::Flag)),
            2 => format!("Other.{name}2"),
            3 => format!("local{name}"),
            _ => name.to_owned(),
        }
    }

    fn call(&mut self, kind: Kind, depth: usize) -> String {
        let holder = self.expression(Kind::Holder, depth);
        match kind {
            Kind::Int => {
                let (updater, value) = (self.updater("I"), self.expression(Kind::Int, depth));
                match self.numbers.below(7) {
                    0 => format!("{updater}.get({holder})"),
                    1 => format!("{updater}.{}({holder})", self.numbers.pick(&["getAndIncrement", "decrementAndGet"])),
                    2 => format!(
                        "{updater}.{}({holder}, {value})",
                        self.numbers.pick(&["getAndAdd", "addAndGet", "getAndSet"])
                    ),
                    3 => format!("{updater}.updateAndGet({holder}, v -> v + {})", self.numbers.below(9)),
                    4 => format!("{updater}.getAndAccumulate({holder}, {value}, (v, by) -> v - by)"),
                    5 => format!("put({updater}, {holder}, {value})"),
                    _ => format!("({value} + {})", self.expression(Kind::Int, depth)),
                }
            }
            Kind::Long => {
                let (updater, value) = (self.updater("L"), self.expression(Kind::Long, depth));
                match self.numbers.below(6) {
                    0 => format!("{updater}.get({holder})"),
                    1 => format!("{updater}.{}({holder})", self.numbers.pick(&["incrementAndGet", "getAndDecrement"])),
                    2 => format!(
                        "{updater}.{}({holder}, {value})",
                        self.numbers.pick(&["getAndAdd", "addAndGet", "getAndSet"])
                    ),
                    3 => format!("{updater}.accumulateAndGet({holder}, {value}, (v, by) -> v * by)"),
                    4 => format!("(long) new C({}).number", self.expression(Kind::Int, depth)),
                    _ => format!("({value} - {})", self.expression(Kind::Long, depth)),
                }
            }
            Kind::Text => {
                let (updater, value) = (self.updater("R"), self.expression(Kind::Text, depth));
                match self.numbers.below(5) {
                    0 => format!("{updater}.get({holder})"),
                    1 => format!("{updater}.getAndSet({holder}, {value})"),
                    2 => format!("{updater}.getAndUpdate({holder}, v -> v + \"f\")"),
                    3 => format!("({value} + {})", self.expression(Kind::Long, depth)),
                    _ => "caught(() -> \"\" + R.getAndSet(other, \"l\"))".to_owned(),
                }
            }
            Kind::Flag => {
                let operation = self.numbers.pick(&["compareAndSet", "weakCompareAndSet"]);
                let (name, kind) = [("I", Kind::Int), ("L", Kind::Long), ("R", Kind::Text)][self.numbers.below(3)];
                let (old, new) = (self.expression(kind, depth), self.expression(kind, depth));
                format!("{}.{operation}({holder}, {old}, {new})", self.updater(name))
            }
            Kind::Holder => {
                let argument = self.expression(Kind::Int, depth);
                self.numbers.pick(&["new C(#)", "made(other, #)", "new C(other, #)"]).replace('#', &argument)
            }
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let (int, long, text) =
            (self.expression(Kind::Int, 2), self.expression(Kind::Long, 2), self.expression(Kind::Text, 2));
        let holder = self.expression(Kind::Holder, 1);
        match self.numbers.below(if depth == 0 { 7 } else { 11 }) {
            0 => format!("a = {int};"),
            1 => format!("b = {long};"),
            2 => format!("text = {text};"),
            3 => format!("{}.set({holder}, {int});", self.updater("I")),
            4 => format!("{}.lazySet({holder}, {long});", self.updater("L")),
            5 => format!("{}.set({holder}, {text});", self.updater("R")),
            6 => format!("d += {long} * 0.5;"),
            7 => format!(
                "if ({}) {{ {} }} else {{ {} }}",
                self.expression(Kind::Flag, 2),
                self.statement(depth - 1),
                self.statement(depth - 1)
            ),
            8 => {
                format!(
                    "for (int n{depth} = 0; n{depth} < 2; n{depth}++) {{ {} {} }}",
                    self.statement(depth - 1),
                    self.statement(depth - 1)
                )
            }
            9 => format!(
                "try {{ {} {} }} catch (ClassCastException e{depth}) {{ a++; {} }} finally {{ b--; {} }}",
                self.statement(depth - 1),
                self.statement(depth - 1),
                self.statement(depth - 1),
                self.statement(0)
            ),
            _ => format!("synchronized (LOCK) {{ {} }}", self.statement(depth - 1)),
        }
    }

    /// A method that does something and prints where everything is then.
    fn method(&mut self, number: usize) -> String {
        self.has_this = self.numbers.below(2) == 0;
        let mut text = format!(
            "    {}String m{number}(C other, Object object, int a, long b, double d, String text) {{\n",
            if self.has_this { "" } else { "static " }
        );
        text += "        AtomicIntegerFieldUpdater<C> localI = I; AtomicLongFieldUpdater<C> localL = l();\n";
        text += "        AtomicReferenceFieldUpdater<C, String> localR = a > 2 ? R : r();\n";
        for _ in 0..1 + self.numbers.below(4) {
            writeln!(text, "        {}", self.statement(2)).unwrap();
        }
        text + "        return a + \" \" + b + \" \" + d + \" \" + text + \" \" + other;\n    }\n\n"
    }
}

const HEAD: &str = r#"
import check.Out;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.*;

class C {
    private volatile int i; private volatile long l; private volatile String r; final int number;
    volatile int i2; volatile long l2; volatile String r2;
    private static final AtomicIntegerFieldUpdater<C> I = AtomicIntegerFieldUpdater.newUpdater(C.class, "i");
    private static final AtomicLongFieldUpdater<C> L = AtomicLongFieldUpdater.newUpdater(C.class, "l");
    private static final AtomicReferenceFieldUpdater<C, String> R = AtomicReferenceFieldUpdater.newUpdater(C.class, String.class, "r");
    static final Object LOCK = new Object();
    static AtomicIntegerFieldUpdater<C> i() { return I; }
    static AtomicLongFieldUpdater<C> l() { return L; }
    static AtomicReferenceFieldUpdater<C, String> r() { return R; }
    C(int number) { this.number = number; I.set(this, number); }
    C(C parent, int number) { this(parent == null ? number : I.getAndAdd(parent, number > 3 ? 1 : number)); }
    static int put(AtomicIntegerFieldUpdater<C> updater, C it, int value) { updater.lazySet(it, value); return value; }
    static C made(C it, int number) { return it == null ? new C(number) : it; }
    static int said(int n) { Out.line("  int " + n); return n; }
    static long said(long n) { Out.line("  long " + n); return n; }
    static String said(String text) { Out.line("  text"); return text; }
    static C said(C it) { Out.line("  " + it); return it; }
    static String caught(Callable<String> work) { try { return work.call(); } catch (Exception e) { return Out.name(e); } }
    @Override public String toString() { return "C" + i + " " + l + " " + r + " " + i2 + " " + l2 + " " + r2; }
    static class Other {
        static final AtomicIntegerFieldUpdater<C> I2 = AtomicIntegerFieldUpdater.newUpdater(C.class, "i2");
        static final AtomicLongFieldUpdater<C> L2 = AtomicLongFieldUpdater.newUpdater(C.class, "l2");
        static final AtomicReferenceFieldUpdater<C, String> R2 = AtomicReferenceFieldUpdater.newUpdater(C.class, String.class, "r2");
        static { Out.line("Other is initialised"); }
    }

"#;

fn program(seed: u64, methods: usize) -> String {
    let mut writer = Writer { numbers: Numbers(seed), has_this: false };
    let mut text = HEAD.to_owned();
    for number in 0..methods {
        text += &writer.method(number);
    }
    text += "    public static void main(String[] args) {\n";
    for number in 0..methods {
        for other in ["null", "new C(2)"] {
            writeln!(
                text,
                "        {{ C it = new C({number}); Out.show(\"m{number}\", () -> it.m{number}({other}, it, 4, 8L, 1.5, \"t\") + it); }}"
            )
            .unwrap();
        }
    }
    text + "    }\n}\n"
}

/// A program of classes whose initialisers use each other's updaters, extend each other, and fail now and then.
struct Initialisers {
    numbers: Numbers,
    classes: usize,
}

impl Initialisers {
    /// A use of the updater of some class, on some holder.
    fn used(&mut self) -> String {
        let class = self.numbers.below(self.classes);
        let any = if self.numbers.below(5) == 0 { "null".to_owned() } else { format!("any({class})") };
        let holder = format!("({}) {any}", self.holder(class));
        let updater = match self.numbers.below(4) {
            0 => format!("N{class}.x{class}()"),
            1 => format!("({} ? N{class}.X : N{class}.x{class}())", self.numbers.pick(&["count > 3", "count < 9"])),
            _ => format!("N{class}.X"),
        };
        match self.numbers.below(8) {
            0 => format!("{updater}.get({holder})"),
            1 => format!("{updater}.addAndGet({holder}, said(2))"),
            2 => format!("{updater}.compareAndSet({holder}, said(0), said(1))"),
            3 => format!("{updater}.getAndUpdate({holder}, v -> v + 1)"),
            4 => format!("N{class}.put{class}({holder}, said(5))"),
            5 => format!("N{class}.made{class}().hit()"),
            6 => format!("N{class}.given{class}(N{class}.X, {holder})"),
            _ => format!("{updater}.getAndIncrement({holder})"),
        }
    }

    /// The class whose objects an updater works on: one in three works on those of a class without an initialiser.
    fn holder(&self, class: usize) -> &'static str {
        if class % 3 == 2 { "Plain" } else { ["N0", "N1", "", "N3", "N4"][class] }
    }

    fn statement(&mut self, class: usize) -> String {
        match self.numbers.below(6) {
            0 => format!("Out.line(\"N{class} at {}\");", self.numbers.below(100)),
            1 => "count++;".to_owned(),
            2 if self.numbers.below(3) == 0 => {
                format!("if (count > {}) throw new IllegalStateException();", self.numbers.below(9))
            }
            _ => {
                let used = self.used();
                match self.numbers.below(3) {
                    0 => format!("Out.line(\"\" + {used});"),
                    1 => format!(
                        "try {{ Out.line(\"\" + {used}); }} catch (RuntimeException e) {{ Out.line(Out.name(e)); }}"
                    ),
                    _ => format!("Out.show(\"N{class}\", () -> {used});"),
                }
            }
        }
    }

    fn class(&mut self, class: usize) -> String {
        let parent = match self.numbers.below(4) {
            0 if class > 0 => format!("extends N{} ", self.numbers.below(class)),
            1 => "extends Thread ".to_owned(),
            2 => "implements Noisy ".to_owned(),
            _ => String::new(),
        };
        let holder = self.holder(class);
        let mut text = format!("    static class N{class} {parent}{{\n        volatile int x;\n");
        let place = self.numbers.below(4);
        for number in 0..4 {
            if number == place {
                writeln!(text, "        static final AtomicIntegerFieldUpdater<{holder}> X = AtomicIntegerFieldUpdater.newUpdater({holder}.class, \"x\");").unwrap();
            } else if self.numbers.below(2) == 0 {
                writeln!(text, "        static {{ {} }}", self.statement(class)).unwrap();
            }
        }
        writeln!(text, "        static AtomicIntegerFieldUpdater<{holder}> x{class}() {{ return X; }}").unwrap();
        writeln!(
            text,
            "        static int put{class}({holder} it, int value) {{ X.set(it, value); return X.get(it); }}"
        )
        .unwrap();
        writeln!(text, "        private static int given{class}(AtomicIntegerFieldUpdater<{holder}> updater, {holder} it) {{ return updater.decrementAndGet(it); }}").unwrap();
        writeln!(text, "        static N{class} made{class}() {{ return new N{class}(); }}").unwrap();
        let own = if holder == "Plain" { "new Plain()" } else { "this" };
        writeln!(text, "        int hit() {{ return X.incrementAndGet({own}); }}").unwrap();
        text + "    }\n"
    }

    fn program(&mut self, number: usize) -> String {
        let mut text = format!("class P{number} {{\n    static int count;\n");
        text += "    static int said(int n) { Out.line(\"  \" + n); return n; }\n";
        text += "    static class Plain { volatile int x; }\n";
        writeln!(text, "    interface Noisy {{ int NUMBER = noisy(); default void nothing() {{}} }}").unwrap();
        writeln!(text, "    static int noisy() {{ {} return 1; }}", self.statement(9)).unwrap();
        text += "    static Object any(int n) {\n        switch (n) {\n";
        for class in 0..self.classes {
            let made = if self.holder(class) == "Plain" { "Plain".to_owned() } else { format!("N{class}") };
            writeln!(text, "            case {class}: return new {made}();").unwrap();
        }
        text += "            default: return null;\n        }\n    }\n";
        for class in 0..self.classes {
            text += &self.class(class);
        }
        for step in 0..6 {
            writeln!(text, "    static Object step{step}() {{ return {}; }}", self.used()).unwrap();
        }
        text += "    public static void main(String[] args) {\n";
        for step in 0..6 {
            writeln!(text, "        Out.show(\"step {step}\", P{number}::step{step});").unwrap();
            if self.numbers.below(3) == 0 {
                writeln!(text, "        Out.show(\"step {step}\", P{number}::step{step});").unwrap();
            }
        }
        text + "    }\n}\n\n"
    }
}

/// Compiles a source, runs its classes, and runs them again optimised in all ways.
fn check(source: &str, classes: &[String], seed: u64, replaced: usize) {
    let release = ["8", "11", "17"][seed as usize % 3];
    let options = PlanOptions { whole_program: seed % 2 == 1, ..PlanOptions::default() };
    let what = format!("R8LITE_RANDOM_SEED={seed}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("C.java");
    std::fs::write(&path, source).unwrap();
    let compiled = folder.path().join("classes");
    std::fs::create_dir(&compiled).unwrap();
    let support = ["Cases", "Out"].map(|name| root().join(format!("testdata/java/check/{name}.java")));
    java::compile(support.iter().chain([&path]).map(|path| path.as_path()), release, "", &compiled);
    let run = |folder: &Path, options: &[&str]| {
        java::run(java::java(options).arg("-cp").arg(folder).arg("check.Cases").arg(folder).args(classes))
    };
    let before = run(&compiled, &["-XX:TieredStopAtLevel=1"]);
    assert_eq!(java::by_class(&before).len(), classes.len(), "{what}: it does not come to its end:\n{before}");
    let files = java::class_files(&compiled);
    let inputs: Vec<(String, &[u8])> =
        files.iter().map(|file| (file.path.display().to_string(), file.bytes.as_slice())).collect();
    for how in WAYS {
        let optimized = optimize(&inputs, how, &options);
        let target = tempfile::tempdir().unwrap();
        for (file, new) in files.iter().zip(&optimized.classes) {
            java::write(target.path(), &file.path, new.as_ref().unwrap_or(&file.bytes));
        }
        for (name, bytes) in &optimized.added {
            java::write(target.path(), Path::new(name), bytes);
        }
        let found = optimized.report.summary.calls_replaced;
        assert!(found >= replaced, "{what}: only {found} calls are replaced by {how:?}");
        for mode in ["-XX:TieredStopAtLevel=1", "-Xint"] {
            let after = run(target.path(), &[mode]);
            let (before, after) = (java::by_class(&before), java::by_class(&after));
            for ((class, before), (_, after)) in before.iter().zip(&after) {
                let line = before.lines().zip(after.lines()).take_while(|(a, b)| a == b).count();
                let rest =
                    |text: &str| text.lines().skip(line.saturating_sub(2)).take(6).collect::<Vec<_>>().join("\n");
                assert!(
                    before == after,
                    "{what} R8LITE_RANDOM_CASES=1: {class} with {how:?} {mode}:\n{}\nand before\n{}",
                    rest(after),
                    rest(before)
                );
            }
            assert_eq!(before.len(), after.len(), "{what} R8LITE_RANDOM_CASES=1 with {how:?} {mode}");
        }
    }
}

/// The seeds to try: a few, or those that somebody asked for.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|number| number.parse::<u64>().expect("it is a number"));
    let few = if std::env::var_os("R8LITE_LONG").is_some() { 50 } else { 2 };
    let (first, count) = (number("R8LITE_RANDOM_SEED").unwrap_or(0), number("R8LITE_RANDOM_CASES").unwrap_or(few));
    first..first + count
}

#[test]
fn random_programs() {
    for seed in seeds() {
        check(&program(seed, 60), &["C".to_owned()], seed, 200);
    }
}

#[test]
fn random_initialisers() {
    for seed in seeds() {
        let mut writer = Initialisers { numbers: Numbers(seed), classes: 5 };
        let mut source = "import check.Out;\nimport java.util.concurrent.atomic.*;\n\n".to_owned();
        (0..60).for_each(|number| source += &writer.program(number));
        let classes: Vec<String> = (0..60).map(|number| format!("P{number}")).collect();
        check(&source, &classes, seed, 500);
    }
}
