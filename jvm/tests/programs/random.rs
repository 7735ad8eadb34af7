//! Java programs made at random print the same before and after. They are trees of expressions, so that updaters, holders and
//! arguments lie on the stack while much else happens: branches, handlers, other calls, objects that are being made.

use std::fmt::Write;

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

#[test]
fn random_programs() {
    let number = |name: &str| std::env::var(name).ok().map(|number| number.parse::<u64>().expect("it is a number"));
    let few = if std::env::var_os("R8LITE_LONG").is_some() { 50 } else { 2 };
    let (first, count) = (number("R8LITE_RANDOM_SEED").unwrap_or(0), number("R8LITE_RANDOM_CASES").unwrap_or(few));
    for seed in first..first + count {
        let release = ["8", "11", "17"][seed as usize % 3];
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("C.java");
        std::fs::write(&source, program(seed, 60)).unwrap();
        let classes = folder.path().join("classes");
        std::fs::create_dir(&classes).unwrap();
        let support = ["Cases", "Out"].map(|name| root().join(format!("testdata/java/check/{name}.java")));
        let sources = support.iter().chain([&source]).map(|path| path.as_path());
        java::compile(sources, release, "", &classes);
        let run = |folder: &std::path::Path, options: &[&str]| {
            java::run(java::java(options).arg("-cp").arg(folder).arg("check.Cases").arg(folder).arg("C"))
        };
        let before = run(&classes, &["-XX:TieredStopAtLevel=1"]);
        assert!(before.contains("m59: "), "seed {seed}: it does not come to its end:\n{before}");
        let files = java::class_files(&classes);
        let inputs: Vec<(String, &[u8])> =
            files.iter().map(|file| (file.path.display().to_string(), file.bytes.as_slice())).collect();
        for how in WAYS {
            let optimized = optimize(&inputs, how, &PlanOptions::default());
            let target = tempfile::tempdir().unwrap();
            for (file, new) in files.iter().zip(&optimized.classes) {
                java::write(target.path(), &file.path, new.as_ref().unwrap_or(&file.bytes));
            }
            for (name, bytes) in &optimized.added {
                java::write(target.path(), std::path::Path::new(name), bytes);
            }
            let replaced = optimized.report.summary.calls_replaced;
            assert!(replaced > 200, "seed {seed}: only {replaced} calls are replaced by {how:?}");
            for mode in ["-XX:TieredStopAtLevel=1", "-Xint"] {
                let after = run(target.path(), &[mode]);
                let line = before.lines().zip(after.lines()).take_while(|(a, b)| a == b).count();
                let rest =
                    |text: &str| text.lines().skip(line.saturating_sub(2)).take(6).collect::<Vec<_>>().join("\n");
                assert!(
                    before == after,
                    "seed {seed} with {how:?} {mode}, R8LITE_RANDOM_SEED={seed} R8LITE_RANDOM_CASES=1:\n{}\nand before\n{}",
                    rest(&after),
                    rest(&before)
                );
            }
        }
    }
}
