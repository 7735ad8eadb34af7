//! The bodies of random methods: values that are at hand, and statements that use them.

use std::fmt::Write;

use super::{Generator, Kind, Updater};

/// The methods of updaters, some twice to have them more often, and what they take behind the holder: values (`v`) and
/// functions (`f`).
const OPERATIONS: [(&str, &str); 18] = [
    ("get", ""),
    ("get", ""),
    ("set", "v"),
    ("lazySet", "v"),
    ("compareAndSet", "vv"),
    ("compareAndSet", "vv"),
    ("weakCompareAndSet", "vv"),
    ("getAndSet", "v"),
    ("getAndUpdate", "f"),
    ("updateAndGet", "f"),
    ("getAndAccumulate", "vf"),
    ("accumulateAndGet", "vf"),
    ("getAndAdd", "v"),
    ("addAndGet", "v"),
    ("getAndIncrement", ""),
    ("incrementAndGet", ""),
    ("getAndDecrement", ""),
    ("decrementAndGet", ""),
];

/// How many of them, from the first on, the updaters of all kinds have. Those of numbers have all.
const FOR_ALL: usize = 12;

impl Generator {
    pub(super) fn can_read(&self, updater: &Updater) -> bool {
        !updater.is_private || updater.class == self.class || updater.accessor || updater.virtual_accessor.is_some()
    }

    /// Reads an updater's field, or calls an accessor.
    pub(super) fn read(&mut self, updater: &Updater) -> String {
        let u = self.fresh("u");
        let direct = !updater.is_private || updater.class == self.class;
        let by_object = updater.virtual_accessor.is_some() && (!direct && !updater.accessor || self.random.percent(40));
        let text = if by_object {
            let class = *self.random.pick(&["Node", "Node", "Leaf"]);
            let (object, _) = self.new_object(class);
            format!("{u} = invokevirtual Node.its{}({object})", updater.name)
        } else if updater.accessor && (!direct || self.random.percent(50)) {
            format!("{u} = invokestatic {}.get{}()", updater.class, updater.name)
        } else {
            format!("{u} = getstatic {}.{}", updater.class, updater.name)
        };
        self.line(&text);
        u
    }

    /// An updater, and its kind.
    fn an_updater(&mut self) -> Option<(String, Kind)> {
        if !self.env.updaters.is_empty() && self.random.percent(40) {
            return Some(self.random.pick(&self.env.updaters).clone());
        }
        let readable: Vec<Updater> = self.updaters.iter().filter(|it| self.can_read(it)).cloned().collect();
        if readable.is_empty() {
            return self.env.updaters.first().cloned();
        }
        let updater = self.random.pick(&readable).clone();
        let u = self.read(&updater);
        if self.random.percent(30) {
            self.env.updaters.push((u.clone(), updater.kind));
        }
        Some((u, updater.kind))
    }

    fn an_int(&mut self) -> String {
        if self.env.ints.is_empty() || self.random.percent(30) {
            return self.random.pick(&["0", "1", "-1", "7", "2147483647"]).to_string();
        }
        self.random.pick(&self.env.ints).clone()
    }

    fn a_long(&mut self) -> String {
        if self.env.longs.is_empty() || self.random.percent(30) {
            return self.random.pick(&["0L", "1L", "-1L", "9223372036854775807L"]).to_string();
        }
        self.random.pick(&self.env.longs).clone()
    }

    pub(super) fn new_object(&mut self, class: &'static str) -> (String, &'static str) {
        let o = self.fresh("o");
        self.line(&format!("{o} = new {class}"));
        self.line(&format!("invokespecial {class}.<init>({o})"));
        (o, class)
    }

    pub(super) fn a_ref(&mut self) -> (String, &'static str) {
        match self.random.below(10) {
            0 => ("null".into(), "null"),
            1 => (self.random.pick(&["\"x\"", "\"y\""]).to_string(), "String"),
            2 => {
                let class = *self.random.pick(&["Node", "Leaf", "Other", "Task"]);
                self.new_object(class)
            }
            3 => {
                let o = self.fresh("o");
                let ty = *self.random.pick(&["Node[]", "Object[]"]);
                self.line(&format!("{o} = newarray {ty}, 1"));
                (o, ty)
            }
            _ if self.env.refs.is_empty() => ("null".into(), "null"),
            _ => self.random.pick(&self.env.refs).clone(),
        }
    }

    /// A holder: mostly a `Node`.
    fn a_holder(&mut self) -> String {
        let nodes: Vec<String> = self
            .env
            .refs
            .iter()
            .filter(|(_, ty)| matches!(*ty, "Node" | "Leaf"))
            .map(|(name, _)| name.clone())
            .collect();
        if !nodes.is_empty() && self.random.percent(80) {
            return self.random.pick(&nodes).clone();
        }
        self.a_ref().0
    }

    fn block(&mut self, label: &str) {
        let _ = writeln!(self.out, "  {label}:");
        let handlers = self.handlers.clone();
        for handler in handlers.iter().rev() {
            self.line(handler);
        }
    }

    pub(super) fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        match self.random.below(24) {
            0..=9 => self.operation(),
            10 => self.arithmetic(),
            11 => {
                let object = self.a_ref();
                if object.1 != "null" && !object.0.starts_with('"') {
                    self.env.refs.push(object);
                }
            }
            12..=14 if self.depth < 3 => self.condition(),
            15 if self.depth < 3 => self.repeat(),
            16 | 17 if self.depth < 3 => self.guarded(),
            18 => self.access(),
            19 => self.cast(),
            20 | 21 => {
                let later: Vec<usize> = (self.method + 1..self.methods.len())
                    .filter(|&number| !self.methods[number].is_private || self.methods[number].class == self.class)
                    .collect();
                if !later.is_empty() {
                    let number = *self.random.pick(&later);
                    self.call(number, false);
                }
            }
            _ => self.show(),
        }
    }

    fn show(&mut self) {
        if self.random.percent(50) {
            let n = self.an_int();
            self.line(&format!("invokestatic Show.int({n})"));
        } else {
            let (o, _) = self.a_ref();
            self.line(&format!("invokestatic Show.ref({o})"));
        }
    }

    fn arithmetic(&mut self) {
        let (a, b, r) = (self.an_int(), self.an_int(), self.fresh("i"));
        let op = *self.random.pick(&["add", "sub", "mul", "xor", "div", "lt", "eq", "shl"]);
        self.line(&format!("{r} = {op} {a}, {b}"));
        self.env.ints.push(r);
    }

    /// A call of an updater's method.
    fn operation(&mut self) {
        let Some((u, kind)) = self.an_updater() else { return };
        let mut args = format!("{u}, {}", self.a_holder());
        let known = if kind == Kind::Reference { &OPERATIONS[..FOR_ALL] } else { &OPERATIONS[..] };
        let (name, takes) = *self.random.pick(known);
        for letter in takes.chars() {
            let function = if kind == Kind::Reference { "RefStep" } else { "IntStep" };
            args += ", ";
            args += &match (letter, kind) {
                ('f', _) if self.random.percent(8) => "null".to_owned(),
                ('f', _) => self.new_object(function).0,
                (_, Kind::Reference) => self.a_ref().0,
                (_, Kind::Integer) => self.an_int(),
                (_, Kind::Long) => self.a_long(),
            };
        }
        let call = format!("invokevirtual {}.{name}({args})", kind.class());
        if matches!(name, "set" | "lazySet") {
            self.line(&call);
            return;
        }
        let r = self.fresh("r");
        self.line(&format!("{r} = {call}"));
        match kind {
            _ if matches!(name, "compareAndSet" | "weakCompareAndSet") => self.shown_int(r),
            Kind::Reference => self.env.refs.push((r, "Object")),
            Kind::Integer => self.shown_int(r),
            Kind::Long => self.env.longs.push(r),
        }
    }

    fn shown_int(&mut self, value: String) {
        self.line(&format!("invokestatic Show.int({value})"));
        self.env.ints.push(value);
    }

    /// A branch whose sides join in a value.
    fn condition(&mut self) {
        let c = self.an_int();
        let (a, b, j) = (self.fresh("a"), self.fresh("b"), self.fresh("j"));
        self.line(&format!("branch {c}, {a}, {b}"));
        let env = self.env.clone();
        let shape = self.random.below(3);
        let kind = *self.random.pick(&[Kind::Reference, Kind::Integer, Kind::Long]);
        self.depth += 1;
        for label in [&a, &b] {
            self.env = env.clone();
            self.block(label);
            for _ in 0..self.random.below(3) {
                self.statement();
            }
            let value = match shape {
                0 => self.an_int(),
                1 => self.a_ref().0,
                _ => match self.an_updater() {
                    Some((u, found)) if found == kind => u,
                    _ => "null".into(),
                },
            };
            self.line(&format!("jump {j}({value})"));
        }
        self.depth -= 1;
        self.env = env;
        let p = self.fresh("p");
        match shape {
            0 => {
                self.block(&format!("{j}({p}: i32)"));
                self.env.ints.push(p);
            }
            1 => {
                self.block(&format!("{j}({p}: Object)"));
                self.env.refs.push((p, "Object"));
            }
            _ => {
                self.block(&format!("{j}({p}: {})", kind.class()));
                self.env.updaters.push((p, kind));
            }
        }
    }

    /// A loop that runs three times.
    fn repeat(&mut self) {
        let (l, b, e, i) = (self.fresh("l"), self.fresh("b"), self.fresh("e"), self.fresh("i"));
        self.line(&format!("jump {l}(0)"));
        self.block(&format!("{l}({i}: i32)"));
        self.line(&format!("{i}c = lt {i}, 3"));
        self.line(&format!("branch {i}c, {b}, {e}"));
        let env = self.env.clone();
        self.env.ints.push(i.clone());
        self.block(&b);
        self.depth += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement();
        }
        self.depth -= 1;
        self.line(&format!("{i}n = add {i}, 1"));
        self.line(&format!("jump {l}({i}n)"));
        self.env = env;
        self.block(&e);
    }

    /// Statements whose exceptions are caught.
    fn guarded(&mut self) {
        let (t, h, k, p) = (self.fresh("t"), self.fresh("h"), self.fresh("k"), self.fresh("p"));
        let class = *self.random.pick(&["RuntimeException", "ClassCastException", "NullPointerException", "Throwable"]);
        let env = self.env.clone();
        self.line(&format!("jump {t}"));
        self.handlers.push(format!("catch {class}: {h}"));
        self.block(&t);
        self.depth += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        self.depth -= 1;
        let value = self.an_int();
        self.line(&format!("jump {k}({value})"));
        self.handlers.pop();
        self.env = env;
        self.block(&format!("{h}({h}e: {class})"));
        self.line(&format!("invokestatic Show.ref({h}e)"));
        let value = self.an_int();
        self.line(&format!("jump {k}({value})"));
        self.block(&format!("{k}({p}: i32)"));
        self.env.ints.push(p);
    }

    /// A direct access of a field, which also shows later code that its holder is not null.
    fn access(&mut self) {
        let nodes: Vec<String> =
            self.env.refs.iter().filter(|(_, ty)| *ty == "Node").map(|(name, _)| name.clone()).collect();
        if nodes.is_empty() {
            return;
        }
        let node = self.random.pick(&nodes).clone();
        let r = self.fresh("f");
        if self.random.percent(50) {
            self.line(&format!("{r} = getfield Node.plain, {node}"));
            self.env.ints.push(r);
        } else if !self.private_fields || self.class == "Node" {
            self.line(&format!("{r} = getfield Node.next, {node}"));
            self.env.refs.push((r, "Node"));
        } else {
            self.line(&format!("nullcheck {node}"));
        }
    }

    fn cast(&mut self) {
        let (o, _) = self.a_ref();
        let r = self.fresh("x");
        let ty = *self.random.pick(&["Node", "Leaf", "String", "Runnable"]);
        if self.random.percent(40) {
            self.line(&format!("{r} = checkcast {ty}, {o}"));
            self.env.refs.push((r, ty));
        } else {
            self.line(&format!("{r} = instanceof {ty}, {o}"));
            self.env.ints.push(r);
        }
    }

    /// A call of one of the program's own methods.
    pub(super) fn call(&mut self, number: usize, from_main: bool) {
        let method = self.methods[number].clone();
        let mut args = Vec::new();
        if !method.is_static {
            let receiver =
                if from_main || self.random.percent(90) { self.new_object("Node").0 } else { self.nodes_or_null() };
            args.push(receiver);
        }
        if let Some(kind) = method.updater {
            let found = self.an_updater().filter(|(_, found)| *found == kind).map(|(u, _)| u);
            args.push(found.unwrap_or_else(|| "null".into()));
        }
        args.push(self.a_ref().0);
        args.push(self.nodes_or_null());
        args.push(self.an_int());
        args.push(self.a_long());
        let op = if method.is_static { "invokestatic" } else { "invokevirtual" };
        let (r, class, args) = (self.fresh("c"), method.class, args.join(", "));
        self.line(&format!("{r} = {op} {class}.m{number}({args})"));
        self.line(&format!("invokestatic Show.ref({r})"));
        self.env.refs.push((r, "Object"));
    }

    fn nodes_or_null(&mut self) -> String {
        let nodes: Vec<String> = self
            .env
            .refs
            .iter()
            .filter(|(_, ty)| matches!(*ty, "Node" | "Leaf"))
            .map(|(name, _)| name.clone())
            .collect();
        if nodes.is_empty() || self.random.percent(10) {
            return if self.random.percent(70) { self.new_object("Leaf").0 } else { "null".into() };
        }
        self.random.pick(&nodes).clone()
    }
}
