//! Random classes with updaters: expressions nested in arguments of calls, with branches, casts, wrong types and nulls, in
//! loops and in ranges of handlers. Every class has a method `run`, which comes to an end.

use r8lite_classfile::{
    ClassFile, CodeEdits, Frame, Handler, Insn, Label, Opcode, PoolIndex, VerificationType, add_field, add_method,
    flags, write,
};

/// Numbers at random: the same for the same seed (Marsaglia 2003).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// An updater of the class.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Updater {
    field: &'static str,
    target: &'static str,
    /// `Reference`, `Integer` or `Long`.
    kind: &'static str,
    /// What the field holds.
    value: Ty,
}

/// What an expression yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Int,
    Long,
    Object,
    Text,
    /// The class itself.
    This,
}

const UPDATERS: [Updater; 5] = [
    Updater { field: "I", target: "i", kind: "Integer", value: Ty::Int },
    Updater { field: "L", target: "l", kind: "Long", value: Ty::Long },
    Updater { field: "O", target: "o", kind: "Reference", value: Ty::Object },
    Updater { field: "S", target: "s", kind: "Reference", value: Ty::Text },
    Updater { field: "P", target: "p", kind: "Reference", value: Ty::This },
];

/// A class of this name, which uses updaters of another one.
pub(crate) fn class(random: &mut Random, name: &str, other: &str) -> Vec<u8> {
    let version = [49, 50, 52, 55][random.below(4)];
    let mut class = ClassFile::new(version, flags::PUBLIC | flags::SUPER, name, "java/lang/Object").unwrap();
    for updater in UPDATERS {
        let ty = descriptor(name, updater.value);
        add_field(&mut class, flags::VOLATILE, updater.target, &ty).unwrap();
        // Others use `I` by its field, `L` by its accessor.
        let is_open = updater.field == "I" || updater.field != "L" && random.one_in(3);
        let access = flags::STATIC | flags::FINAL | if is_open { 0 } else { flags::PRIVATE };
        add_field(&mut class, access, updater.field, &updater_type(updater)).unwrap();
    }
    let mut method = Method::new(random, &mut class, name, other);
    method.initialiser();
    let code = method.finish();
    add_method(&mut class, flags::STATIC, "<clinit>", "()V", Some(&code)).unwrap();
    let mut method = Method::new(random, &mut class, name, other);
    method.op(Opcode::Aload0);
    method.invoke(Opcode::Invokespecial, "java/lang/Object", "<init>", "()V");
    method.op(Opcode::Return);
    let code = method.finish();
    add_method(&mut class, 0, "<init>", "()V", Some(&code)).unwrap();
    for updater in UPDATERS {
        let mut method = Method::new(random, &mut class, name, other);
        method.getstatic(updater);
        method.op(Opcode::Areturn);
        let code = method.finish();
        let is_open = updater.field == "L" || random.one_in(2);
        let access = flags::STATIC | flags::SYNTHETIC | if is_open { 0 } else { flags::PRIVATE };
        add_method(
            &mut class,
            access,
            &format!("get{}", updater.field),
            &format!("(){}", updater_type(updater)),
            Some(&code),
        )
        .unwrap();
    }
    let mut method = Method::new(random, &mut class, name, other);
    method.run();
    let code = method.finish();
    let ty = format!("(L{name};L{name};Ljava/lang/Object;Ljava/lang/String;)J");
    add_method(&mut class, flags::STATIC, "run", &ty, Some(&code)).unwrap();
    write(&class).unwrap()
}

fn descriptor(name: &str, ty: Ty) -> String {
    match ty {
        Ty::Int => "I".to_owned(),
        Ty::Long => "J".to_owned(),
        _ => format!("L{};", class_of(name, ty)),
    }
}

fn class_of(name: &str, ty: Ty) -> String {
    match ty {
        Ty::Object => "java/lang/Object".to_owned(),
        Ty::Text => "java/lang/String".to_owned(),
        _ => name.to_owned(),
    }
}

fn updater_class(updater: Updater) -> String {
    format!("java/util/concurrent/atomic/Atomic{}FieldUpdater", updater.kind)
}

fn updater_type(updater: Updater) -> String {
    format!("L{};", updater_class(updater))
}

/// Local variables of `run` after its parameters: an `int`, a `long`, and updaters in the order of the list.
const INT: u16 = 4;
const LONG: u16 = 5;
const COUNT: u16 = 7;
const FIRST_UPDATER: u16 = 8;

struct Method<'m> {
    random: &'m mut Random,
    class: &'m mut ClassFile<'static>,
    name: &'m str,
    other: &'m str,
    code: Vec<Insn>,
    edits: CodeEdits,
    stack: Vec<VerificationType>,
    locals: Vec<VerificationType>,
    /// How many expressions may still be made.
    fuel: usize,
}

impl<'m> Method<'m> {
    fn new(random: &'m mut Random, class: &'m mut ClassFile<'static>, name: &'m str, other: &'m str) -> Method<'m> {
        let (stack, locals, fuel) = (Vec::new(), Vec::new(), 60);
        Method { random, class, name, other, code: Vec::new(), edits: CodeEdits::new(), stack, locals, fuel }
    }

    fn finish(mut self) -> CodeEdits {
        self.edits.at_entry(self.code);
        self.edits
    }

    fn op(&mut self, opcode: Opcode) {
        self.code.push(Insn::Plain(opcode));
    }

    fn invoke(&mut self, opcode: Opcode, class: &str, name: &str, ty: &str) {
        let method = self.class.pool.add_method(class, name, ty).unwrap();
        self.code.push(Insn::Constant(opcode, method));
    }

    fn getstatic(&mut self, updater: Updater) {
        let field = self.class.pool.add_field(self.name, updater.field, &updater_type(updater)).unwrap();
        self.code.push(Insn::Constant(Opcode::Getstatic, field));
    }

    fn object(&mut self, class: &str) -> VerificationType {
        VerificationType::Object(self.class.pool.add_class(class).unwrap())
    }

    fn push(&mut self, ty: Ty) {
        let kind = match ty {
            Ty::Int => VerificationType::Integer,
            Ty::Long => VerificationType::Long,
            _ => {
                let class = class_of(self.name, ty);
                self.object(&class)
            }
        };
        self.stack.push(kind);
    }

    /// Puts a label here, where the stack is as it is known to be.
    fn place(&mut self, label: Label) {
        self.code.push(Insn::Label(label));
        self.edits.frame(label, Frame { locals: self.locals.clone(), stack: self.stack.clone() });
    }

    fn checkcast(&mut self, ty: Ty) {
        let class = self.class.pool.add_class(&class_of(self.name, ty)).unwrap();
        self.code.push(Insn::Constant(Opcode::Checkcast, class));
    }

    fn ldc_class(&mut self, class: &str) {
        let class = self.class.pool.add_class(class).unwrap();
        self.code.push(Insn::Constant(Opcode::Ldc, class));
    }

    fn initialiser(&mut self) {
        if self.random.one_in(3) {
            // Something that can be seen.
            self.op(Opcode::AconstNull);
            self.invoke(Opcode::Invokestatic, "Fns", "mix", "(Ljava/lang/Object;)I");
            self.op(Opcode::Pop);
        }
        for updater in UPDATERS {
            let class = self.name.to_owned();
            self.ldc_class(&class);
            let mut ty = "(Ljava/lang/Class;".to_owned();
            if updater.kind == "Reference" {
                let value = class_of(&class, updater.value);
                self.ldc_class(&value);
                ty += "Ljava/lang/Class;";
            }
            let text = self.class.pool.add_string(updater.target).unwrap();
            self.code.push(Insn::Constant(Opcode::Ldc, text));
            ty += &format!("Ljava/lang/String;){}", updater_type(updater));
            self.invoke(Opcode::Invokestatic, &updater_class(updater), "newUpdater", &ty);
            let field = self.class.pool.add_field(self.name, updater.field, &updater_type(updater)).unwrap();
            self.code.push(Insn::Constant(Opcode::Putstatic, field));
        }
        self.op(Opcode::Return);
    }

    fn run(&mut self) {
        let this = self.name.to_owned();
        for class in [&this, &this, "java/lang/Object", "java/lang/String"] {
            let kind = self.object(class);
            self.locals.push(kind);
        }
        self.locals.extend([VerificationType::Integer, VerificationType::Long, VerificationType::Integer]);
        self.op(Opcode::Iconst1);
        self.code.push(Insn::store(Opcode::Istore, INT));
        self.op(Opcode::Lconst1);
        self.code.push(Insn::store(Opcode::Lstore, LONG));
        self.op(Opcode::Iconst0);
        self.code.push(Insn::store(Opcode::Istore, COUNT));
        for (number, updater) in UPDATERS.into_iter().enumerate() {
            self.updater(updater, false);
            self.code.push(Insn::store(Opcode::Astore, FIRST_UPDATER + number as u16));
            let kind = self.object(&updater_class(updater));
            self.stack.pop();
            self.locals.push(kind);
        }
        for _ in 0..2 + self.random.below(4) {
            self.statement(2);
        }
        self.code.push(Insn::load(Opcode::Lload, LONG));
        self.code.push(Insn::load(Opcode::Iload, INT));
        self.op(Opcode::I2l);
        self.op(Opcode::Lxor);
        self.op(Opcode::Lreturn);
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 3 } else { 6 }) {
            0 => self.count(Ty::Int),
            1 => self.count(Ty::Long),
            2 => self.count(Ty::Object),
            3 | 4 => self.guarded(depth - 1),
            _ => self.repeated(),
        }
    }

    /// Adds an expression to what is returned.
    fn count(&mut self, ty: Ty) {
        self.expression(ty, 4);
        self.stack.pop();
        match ty {
            Ty::Long => {
                self.code.push(Insn::load(Opcode::Lload, LONG));
                self.op(Opcode::Lxor);
                self.code.push(Insn::store(Opcode::Lstore, LONG));
            }
            _ => {
                if ty != Ty::Int {
                    self.invoke(Opcode::Invokestatic, "Fns", "mix", "(Ljava/lang/Object;)I");
                }
                self.code.push(Insn::load(Opcode::Iload, INT));
                self.op(Opcode::Ixor);
                self.code.push(Insn::store(Opcode::Istore, INT));
            }
        }
    }

    /// `try { … } catch (Throwable it) { … }`
    fn guarded(&mut self, depth: usize) {
        let [start, end, handler, rest] = [(); 4].map(|()| self.edits.new_label());
        self.code.push(Insn::Label(start));
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        self.code.push(Insn::Branch(Opcode::Goto, rest));
        self.code.push(Insn::Label(end));
        let caught = self.object("java/lang/Throwable");
        self.stack.push(caught);
        self.place(handler);
        self.stack.pop();
        self.invoke(Opcode::Invokestatic, "Fns", "mix", "(Ljava/lang/Object;)I");
        self.code.push(Insn::store(Opcode::Istore, INT));
        self.place(rest);
        let catch_type = if self.random.one_in(2) {
            PoolIndex::NONE
        } else {
            self.class.pool.add_class("java/lang/Throwable").unwrap()
        };
        self.edits.handler(Handler { start, end, handler, catch_type });
    }

    /// `do { … } while (++count % 4 != 0)`; there is none in another.
    fn repeated(&mut self) {
        let top = self.edits.new_label();
        self.place(top);
        self.statement(0);
        self.code.push(Insn::Increment { local: COUNT, by: 1 });
        self.code.push(Insn::load(Opcode::Iload, COUNT));
        self.op(Opcode::Iconst3);
        self.op(Opcode::Iand);
        self.code.push(Insn::Branch(Opcode::Ifne, top));
    }

    fn expression(&mut self, ty: Ty, depth: usize) {
        self.fuel = self.fuel.saturating_sub(1);
        if depth == 0 || self.fuel == 0 {
            return self.leaf(ty);
        }
        match self.random.below(8) {
            0 => self.leaf(ty),
            1 => self.choice(ty, depth - 1),
            2 if ty == Ty::Int => {
                self.expression(Ty::Int, depth - 1);
                self.expression(Ty::Int, depth - 1);
                self.op(Opcode::Iadd);
                self.stack.pop();
            }
            2 if ty == Ty::Object => {
                let other = [Ty::Text, Ty::This][self.random.below(2)];
                self.expression(other, depth - 1);
                self.stack.pop();
                self.push(ty);
            }
            3 if matches!(ty, Ty::Text | Ty::This) && self.random.one_in(4) => {
                self.expression(Ty::Object, depth - 1);
                self.stack.pop();
                self.checkcast(ty);
                self.push(ty);
            }
            _ => self.call(ty, depth - 1),
        }
    }

    fn leaf(&mut self, ty: Ty) {
        match ty {
            Ty::Int if self.random.one_in(2) => self.code.push(Insn::load(Opcode::Iload, INT)),
            Ty::Int => self.op(Opcode::Iconst2),
            Ty::Long if self.random.one_in(2) => self.code.push(Insn::load(Opcode::Lload, LONG)),
            Ty::Long => self.op(Opcode::Lconst1),
            _ if self.random.one_in(12) => self.op(Opcode::AconstNull),
            Ty::Object => {
                let loads = [Opcode::Aload0, Opcode::Aload1, Opcode::Aload2, Opcode::Aload3];
                let load = loads[self.random.below(4)];
                self.op(load);
            }
            Ty::Text if self.random.one_in(2) => {
                let text = self.class.pool.add_string("const").unwrap();
                self.code.push(Insn::Constant(Opcode::Ldc, text));
            }
            Ty::Text => self.op(Opcode::Aload3),
            Ty::This if self.random.one_in(5) => {
                let class = self.class.this_class;
                self.code.push(Insn::Constant(Opcode::New, class));
                self.op(Opcode::Dup);
                let name = self.name.to_owned();
                self.invoke(Opcode::Invokespecial, &name, "<init>", "()V");
            }
            Ty::This if self.random.one_in(8) => self.op(Opcode::Aload1),
            Ty::This => self.op(Opcode::Aload0),
        }
        self.push(ty);
    }

    /// `condition ? … : …`
    fn choice(&mut self, ty: Ty, depth: usize) {
        let [other, both] = [(); 2].map(|()| self.edits.new_label());
        self.expression(Ty::Int, depth);
        self.stack.pop();
        self.code.push(Insn::Branch(Opcode::Ifeq, other));
        self.expression(ty, depth);
        self.code.push(Insn::Branch(Opcode::Goto, both));
        self.stack.pop();
        self.place(other);
        self.expression(ty, depth);
        self.place(both);
    }

    /// Pushes an updater, by one of many ways.
    fn updater(&mut self, updater: Updater, has_locals: bool) {
        let number = UPDATERS.iter().position(|&other| other == updater).expect("it is one of them") as u16;
        let ty = updater_type(updater);
        let accessor = format!("get{}", updater.field);
        let name = self.name.to_owned();
        let class = updater_class(updater);
        match self.random.below(if has_locals { 8 } else { 4 }) {
            0 | 1 => self.getstatic(updater),
            2 | 3 => self.invoke(Opcode::Invokestatic, &name, &accessor, &format!("(){ty}")),
            4 | 5 => self.code.push(Insn::load(Opcode::Aload, FIRST_UPDATER + number)),
            6 => {
                self.getstatic(updater);
                let index = self.class.pool.add_class(&class).unwrap();
                self.code.push(Insn::Constant(Opcode::Checkcast, index));
            }
            _ => {
                let [other, both] = [(); 2].map(|()| self.edits.new_label());
                self.code.push(Insn::load(Opcode::Iload, INT));
                self.code.push(Insn::Branch(Opcode::Ifeq, other));
                self.getstatic(updater);
                self.code.push(Insn::Branch(Opcode::Goto, both));
                self.place(other);
                self.invoke(Opcode::Invokestatic, &name, &accessor, &format!("(){ty}"));
                let kind = self.object(&class);
                self.stack.push(kind);
                self.place(both);
                self.stack.pop();
            }
        }
        let kind = self.object(&class);
        self.stack.push(kind);
    }

    /// A call of an updater of the other class, which may initialise that.
    fn foreign_call(&mut self, updater: Updater, depth: usize) {
        let (other, ty) = (self.other.to_owned(), updater_type(updater));
        if updater.value == Ty::Int {
            let field = self.class.pool.add_field(&other, "I", &ty).unwrap();
            self.code.push(Insn::Constant(Opcode::Getstatic, field));
        } else {
            self.invoke(Opcode::Invokestatic, &other, "getL", &format!("(){ty}"));
        }
        let kind = self.object(&updater_class(updater));
        self.stack.push(kind);
        if self.random.one_in(6) {
            self.holder(depth);
        } else {
            let class = self.class.pool.add_class(&other).unwrap();
            self.code.push(Insn::Constant(Opcode::New, class));
            self.op(Opcode::Dup);
            self.invoke(Opcode::Invokespecial, &other, "<init>", "()V");
            self.stack.push(VerificationType::Object(class));
        }
        let names = ["get", "getAndIncrement", "getAndSet", "addAndGet"];
        let name = names[self.random.below(4)];
        let mut arguments = "Ljava/lang/Object;".to_owned();
        if name.ends_with("Set") || name.starts_with("add") {
            self.expression(updater.value, depth);
            self.stack.pop();
            arguments += erased(updater);
        }
        let ty = format!("({arguments}){}", erased(updater));
        self.invoke(Opcode::Invokevirtual, &updater_class(updater), name, &ty);
        self.stack.truncate(self.stack.len() - 2);
        self.push(updater.value);
    }

    /// A call of an updater, for what it yields.
    fn call(&mut self, ty: Ty, depth: usize) {
        let updater = match ty {
            // What compares yields an int whatever it compares.
            Ty::Int if self.random.one_in(2) => return self.compare(depth),
            _ => UPDATERS.into_iter().find(|updater| updater.value == ty).expect("there is one for each"),
        };
        if matches!(ty, Ty::Int | Ty::Long) && self.random.one_in(4) {
            return self.foreign_call(updater, depth);
        }
        if self.random.one_in(4) {
            // A call that yields nothing, before.
            let any = UPDATERS[self.random.below(5)];
            let name = ["set", "lazySet"][self.random.below(2)];
            self.operate(any, name, &[any.value], "V", depth);
        }
        let value = erased(updater);
        let (name, arguments): (&str, Vec<Ty>) = match (self.random.below(7), updater.kind) {
            (0..=2, _) => ("get", vec![]),
            (3, _) => ("getAndSet", vec![updater.value]),
            (4, "Reference") => return self.with_function(updater, depth),
            (4, _) => (["getAndAdd", "addAndGet"][self.random.below(2)], vec![updater.value]),
            (5, "Reference") => ("get", vec![]),
            (5, _) => (["getAndIncrement", "decrementAndGet", "incrementAndGet"][self.random.below(3)], vec![]),
            _ => return self.with_function(updater, depth),
        };
        self.operate(updater, name, &arguments, value, depth);
        self.narrow(updater);
    }

    fn compare(&mut self, depth: usize) {
        let updater = UPDATERS[self.random.below(5)];
        let name = ["compareAndSet", "weakCompareAndSet"][self.random.below(2)];
        self.operate(updater, name, &[updater.value, updater.value], "Z", depth);
        self.push(Ty::Int);
    }

    fn with_function(&mut self, updater: Updater, depth: usize) {
        let value = erased(updater);
        let (prefix, kind) = match updater.kind {
            "Reference" => ("", "UNARY"),
            "Integer" => ("Int", "INT_UNARY"),
            _ => ("Long", "LONG_UNARY"),
        };
        let name = ["getAndUpdate", "updateAndGet"][self.random.below(2)];
        let function = format!("java/util/function/{prefix}UnaryOperator");
        self.updater(updater, true);
        self.holder(depth);
        if updater.kind == "Reference" {
            // Mostly the first, which yields what it is given.
            let number = self.random.below(6).saturating_sub(self.random.below(6)) as i32;
            self.code.push(Insn::push_int(number).unwrap());
            self.invoke(Opcode::Invokestatic, "Fns", "unary", "(I)Ljava/util/function/UnaryOperator;");
        } else {
            let field = self.class.pool.add_field("Fns", kind, &format!("L{function};")).unwrap();
            self.code.push(Insn::Constant(Opcode::Getstatic, field));
        }
        let ty = format!("(Ljava/lang/Object;L{function};){value}");
        self.invoke(Opcode::Invokevirtual, &updater_class(updater), name, &ty);
        self.stack.truncate(self.stack.len() - 2);
        self.narrow(updater);
    }

    /// A reference updater yields an `Object`; its value is cast, which may fail where it is a wrong one.
    fn narrow(&mut self, updater: Updater) {
        if matches!(updater.value, Ty::Text | Ty::This) {
            self.checkcast(updater.value);
        }
        self.push(updater.value);
    }

    fn holder(&mut self, depth: usize) {
        match self.random.below(20) {
            0 => self.expression(Ty::Object, depth),
            1..=6 => self.expression(Ty::This, depth),
            _ => {
                self.op(Opcode::Aload0);
                self.push(Ty::This);
            }
        }
    }

    /// Calls an operation; what it yields is not noted on the stack.
    fn operate(&mut self, updater: Updater, name: &str, arguments: &[Ty], result: &str, depth: usize) {
        self.updater(updater, true);
        self.holder(depth);
        let mut ty = "(Ljava/lang/Object;".to_owned();
        for &argument in arguments {
            // By a raw type, anything may be handed over.
            let given = match argument {
                Ty::Text | Ty::This if self.random.one_in(12) => Ty::Object,
                other => other,
            };
            self.expression(given, depth);
            ty += erased(updater);
        }
        let ty = format!("{ty}){result}");
        self.invoke(Opcode::Invokevirtual, &updater_class(updater), name, &ty);
        self.stack.truncate(self.stack.len() - 2 - arguments.len());
    }
}

/// The descriptor of what an updater's methods take and yield.
fn erased(updater: Updater) -> &'static str {
    match updater.kind {
        "Integer" => "I",
        "Long" => "J",
        _ => "Ljava/lang/Object;",
    }
}
