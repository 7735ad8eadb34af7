//! What class initialisation can be seen to do.
//!
//! A class is *quiet* if nobody can tell whether or when it is initialised: neither it nor what its initialisation
//! triggers can throw, run code of the program's that acts on anything but the class itself, or be waited for. Reading a
//! static field of a quiet class triggers nothing that has to be kept. Classes that need each other are loud: of two
//! threads that each initialise one of them, both may wait for the other for ever.
//!
//! One thing can be told of a quiet class in theory: who uses a class learns what the thread that initialised it had done
//! before. A program that passes plain data between threads by that alone loses the order. `ir/LANGUAGE.md` says why that
//! is accepted, under "What optimising may change".
//!
//! Less will do to know that an updater is assigned whenever it is read from outside of its class's initialiser: what runs
//! before the assignment may also be *discreet*. It may throw, loop and change what it likes, but it runs no code that is
//! not known, and reads no updater. So this thread reads none before it is assigned; and another thread that reads one
//! waits until the class is initialised, or finds that it cannot be. What is thrown are exceptions of the JDK's, since the
//! JVM calls methods of one that ends an initialiser.
//!
//! ```text
//! class Quiet { static final field a: Object  static method <clinit>() { o = new Object  putstatic Quiet.a, o … } }
//! class Loud  { static method <clinit>() { invokevirtual PrintStream.println(…) … } }
//! ```

use std::cell::{Cell, RefCell};

use r8lite_ir::{
    Block, Body, Cfg, Class, ClassOrigin, Constant, Effect, Flags, Func, Hierarchy, Inst, InstData, Module, Op, Target,
    Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::plan::Site;

/// How deep calls are followed; beyond that, code counts as loud.
const MAX_CALL_DEPTH: u32 = 8;

/// How deep classes that initialise each other are followed; beyond that they count as loud.
const MAX_CLASS_DEPTH: u32 = 64;

/// Answers about the initialisation of classes. It remembers what it found, so it serves one state of one module.
pub(crate) struct Initialisation<'a> {
    module: &'a Module,
    hierarchy: &'a Hierarchy,
    /// Calls of `newUpdater` that are certain to succeed; they are as quiet as a constant.
    creations: FxHashSet<Site>,
    classes: RefCell<FxHashMap<(Wish, Class), Progress>>,
    funcs: RefCell<FxHashMap<(Wish, Func), Progress>>,
    class_depth: Cell<u32>,
}

/// What is asked of code that initialisation runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Wish {
    Quiet,
    Discreet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Asking,
    Known(bool),
}

impl<'a> Initialisation<'a> {
    pub(crate) fn new(
        module: &'a Module,
        hierarchy: &'a Hierarchy,
        creations: impl IntoIterator<Item = Site>,
    ) -> Initialisation<'a> {
        Initialisation {
            module,
            hierarchy,
            creations: creations.into_iter().collect(),
            classes: RefCell::default(),
            funcs: RefCell::default(),
            class_depth: Cell::new(0),
        }
    }

    /// Whether the initialisation of a class, and all that it triggers, is quiet.
    pub(crate) fn is_quiet(&self, class: Class) -> bool {
        self.class_is(Wish::Quiet, class)
    }

    fn class_is(&self, wish: Wish, class: Class) -> bool {
        match self.classes.borrow().get(&(wish, class)) {
            Some(Progress::Known(good)) => return *good,
            // Classes that initialise each other: two threads may wait for each other.
            Some(Progress::Asking) => return false,
            None => {}
        }
        if self.class_depth.get() >= MAX_CLASS_DEPTH {
            return false;
        }
        self.class_depth.set(self.class_depth.get() + 1);
        self.classes.borrow_mut().insert((wish, class), Progress::Asking);
        let good = self.supers_are(wish, class)
            && match self.module.clinit(class) {
                None => true,
                Some(clinit) => self.body_is(wish, clinit, |_| true, 0),
            };
        self.class_depth.set(self.class_depth.get() - 1);
        self.classes.borrow_mut().insert((wish, class), Progress::Known(good));
        good
    }

    /// Whether `store`, which stands in its class's initialiser, has certainly run whenever code outside that initialiser
    /// has read the updater, or used its class in another way that initialises it.
    pub(crate) fn is_stored_before_visible(&self, store: Site, cfg: &Cfg) -> bool {
        let func = &self.module.funcs[store.func];
        let body = func.body.as_ref().expect("the store stands in a body");
        let always_stored = body.layout.iter().all(|&block| match body.terminator(block) {
            Some(end) if body.insts[end].op == Op::Return && cfg.is_reachable(block) => {
                cfg.comes_first(store.inst, end)
            }
            _ => true,
        });
        let comes_before = |inst| !cfg.comes_first(store.inst, inst);
        let either = |good: &dyn Fn(Wish) -> bool| good(Wish::Quiet) || good(Wish::Discreet);
        always_stored
            && either(&|wish| self.supers_are(wish, func.class))
            && either(&|wish| self.body_is(wish, store.func, comes_before, 0))
    }

    /// Whether what is initialised before a class is as wished: its superclass, and the superinterfaces that have methods
    /// with bodies (JVMS 5.5, step 7).
    fn supers_are(&self, wish: Wish, class: Class) -> bool {
        let data = &self.module.classes[class];
        match data.origin {
            ClassOrigin::Extern => {
                let name = self.module.class_name(class);
                return JDK_CLASSES.contains(&name) || is_jdk_exception(name);
            }
            ClassOrigin::Missing => return false,
            // What a class does not list may be an initialiser. The class library has what counts.
            ClassOrigin::Program | ClassOrigin::Classpath if data.flags.has(Flags::PARTIAL) => return false,
            ClassOrigin::Program | ClassOrigin::Classpath | ClassOrigin::Library => {}
        }
        if data.flags.has(Flags::INTERFACE) {
            return true;
        }
        data.superclass.is_none_or(|superclass| self.class_is(wish, superclass))
            && self.superinterfaces_are(wish, class)
    }

    fn superinterfaces_are(&self, wish: Wish, class: Class) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = self.module.classes[class].interfaces.clone();
        while let Some(interface) = todo.pop() {
            if !seen.insert(interface) {
                continue;
            }
            let data = &self.module.classes[interface];
            match data.origin {
                // Of the JDK's interfaces eight have an initialiser (in JDK 17), and none of those leaves the JDK.
                ClassOrigin::Extern if self.module.class_name(interface).starts_with("java.") => continue,
                ClassOrigin::Extern | ClassOrigin::Missing => return false,
                ClassOrigin::Program | ClassOrigin::Classpath | ClassOrigin::Library => {}
            }
            // What an interface does not list may be a method with a body.
            let has_default = data.flags.has(Flags::PARTIAL)
                || data.methods.iter().any(|&method| {
                    let flags = self.module.funcs[method].flags;
                    !flags.has(Flags::STATIC) && !flags.has(Flags::ABSTRACT)
                });
            if has_default && !self.class_is(wish, interface) {
                return false;
            }
            todo.extend_from_slice(&data.interfaces);
        }
        true
    }

    /// Whether all instructions of a method for which `counts` holds are as wished.
    fn body_is(&self, wish: Wish, func: Func, counts: impl Fn(Inst) -> bool, depth: u32) -> bool {
        let Some(body) = &self.module.funcs[func].body else { return false };
        let inst_is = |inst| match wish {
            Wish::Quiet => self.inst_is_quiet(func, body, inst, depth),
            Wish::Discreet => self.inst_is_discreet(func, body, inst, depth),
        };
        // A loop may be without end, which everybody would notice.
        (wish == Wish::Discreet || goes_forward(body))
            && body.layout_insts().all(|(_, inst)| !counts(inst) || inst_is(inst))
    }

    fn func_is(&self, wish: Wish, func: Func, depth: u32) -> bool {
        let is_locked = self.module.funcs[func].flags.has(Flags::SYNCHRONIZED);
        if depth >= MAX_CALL_DEPTH || is_locked && wish == Wish::Quiet {
            return false;
        }
        match self.funcs.borrow().get(&(wish, func)) {
            Some(Progress::Known(good)) => return *good,
            Some(Progress::Asking) => return false,
            None => {}
        }
        self.funcs.borrow_mut().insert((wish, func), Progress::Asking);
        let good = self.body_is(wish, func, |_| true, depth);
        self.funcs.borrow_mut().insert((wish, func), Progress::Known(good));
        good
    }

    fn inst_is_discreet(&self, func: Func, body: &Body, inst: Inst, depth: u32) -> bool {
        let data = &body.insts[inst];
        let module = self.module;
        let may_use = |class: Class| class == module.funcs[func].class || self.class_is(Wish::Discreet, class);
        match data.op {
            Op::PutStatic | Op::GetStatic => data.field_symbol().is_some_and(|field| {
                let Some((class, _)) = self.static_field(data) else {
                    let named = module.field_ref(field).class;
                    return self.hierarchy.is_extern(named) && may_use(named);
                };
                let is_updater =
                    matches!(module.field_ref(field).ty, Type::Class(ty) if is_updater_class(module.class_name(ty)));
                (data.op == Op::PutStatic || !is_updater) && may_use(class)
            }),
            Op::InitClass | Op::New => data.class_symbol().is_some_and(may_use),
            // The JVM asks an exception that ends an initialiser for its stack trace.
            Op::Throw => self.is_own_object(func, body, data.args[0]) || is_caught(body, data.args[0]),
            Op::Check => data.class_symbol().is_some_and(|class| module.classes[class].origin == ClassOrigin::Library),
            Op::InvokeStatic | Op::InvokeSpecial | Op::InvokeVirtual | Op::InvokeInterface => {
                if self.creations.contains(&Site { func, inst }) || self.is_discreet_jdk_call(body, data) {
                    return true;
                }
                let Some(callee) = self.certain_callee(func, data) else { return false };
                let is_program = module.classes[module.funcs[callee].class].origin != ClassOrigin::Library;
                // The class library is no witness of what else the JDK's methods do.
                let wish = if is_program { Wish::Discreet } else { Wish::Quiet };
                may_use(module.funcs[callee].class) && self.func_is(wish, callee, depth + 1)
            }
            // Nothing else runs code, but for what follows it.
            op => !op.is_invoke(),
        }
    }

    /// Whether a call is one of a method of the JDK that runs nothing of the program's, nor is given anything to call.
    fn is_discreet_jdk_call(&self, body: &Body, data: &InstData) -> bool {
        let Some(method) = data.method_symbol() else { return false };
        let named = self.module.method_ref(method);
        let (class, name) = (self.module.class_name(named.class), self.module.name(named.name));
        let gives_nothing = |args: &[Value]| {
            args.iter().all(|&arg| match body.values[arg].ty {
                Type::Class(class) => self.module.class_name(class) == "java.lang.String",
                ty => !ty.is_ref(),
            })
        };
        match data.op {
            Op::InvokeStatic => JDK_METHODS.contains(&(class, name)) && gives_nothing(&data.args),
            // The constructor of an exception calls `fillInStackTrace`, which a subclass of the program's may have.
            Op::InvokeSpecial => {
                let made = || body.def_inst(data.args[0]).and_then(|inst| body.insts[inst].class_symbol());
                name == "<init>"
                    && (JDK_CLASSES.contains(&class) || is_jdk_exception(class) && made() == Some(named.class))
                    && gives_nothing(&data.args[1..])
            }
            _ => false,
        }
    }

    /// The method that a call runs, if that is certain: no receiver chooses it.
    fn certain_callee(&self, func: Func, data: &InstData) -> Option<Func> {
        let module = self.module;
        let method = data.method_symbol()?;
        let callee = self.hierarchy.resolve_method(module, method)?;
        let is_certain = match data.op {
            Op::InvokeStatic => true,
            _ if module.funcs[callee].flags.has(Flags::PRIVATE) => true,
            // A superclass's method is looked for from the direct superclass on, whatever class is named.
            Op::InvokeSpecial => {
                let from = &module.classes[module.funcs[func].class];
                let named = module.method_ref(method);
                module.name(named.name) == "<init>"
                    || from.superclass == Some(named.class)
                    || from.interfaces.contains(&named.class)
            }
            _ => false,
        };
        is_certain.then_some(callee)
    }

    fn inst_is_quiet(&self, func: Func, body: &Body, inst: Inst, depth: u32) -> bool {
        let data = &body.insts[inst];
        let module = self.module;
        match data.op {
            // A field that changes would be read at another time, and yield another value. An initialiser may read the
            // fields of its own class: it comes before all others.
            Op::GetStatic => self.static_field(data).is_some_and(|(class, flags)| {
                module.clinit(class) == Some(func) || flags.has(Flags::FINAL) && self.is_quiet(class)
            }),
            // Who reads a field of the class that is being initialised has initialised it. What a called method writes
            // may be read by others.
            Op::PutStatic => self.static_field(data).is_some_and(|(class, _)| module.clinit(class) == Some(func)),
            Op::New => data.class_symbol().is_some_and(|class| self.is_quiet_from(func, class)),
            Op::NewArray => is_small(body, &data.args),
            Op::GetField | Op::PutField => self.is_own_object(func, body, data.args[0]),
            Op::InvokeStatic | Op::InvokeSpecial => {
                if self.creations.contains(&Site { func, inst }) {
                    return true;
                }
                let Some(callee) = self.certain_callee(func, data) else { return false };
                (data.op == Op::InvokeStatic || self.is_own_object(func, body, data.args[0]))
                    && self.is_quiet_from(func, module.funcs[callee].class)
                    && self.func_is(Wish::Quiet, callee, depth + 1)
            }
            op => match op.info().effect {
                Effect::Pure => !body.may_throw(module, inst),
                Effect::Control => op != Op::Throw,
                Effect::Read | Effect::Write => false,
            },
        }
    }

    /// The class and the flags of the static field that an instruction names.
    fn static_field(&self, data: &InstData) -> Option<(Class, Flags)> {
        let field = self.hierarchy.resolve_field(self.module, data.field_symbol()?)?;
        let field = &self.module.fields[field];
        Some((field.class, field.flags))
    }

    /// Whether code of `func` triggers nothing loud by using `class`.
    fn is_quiet_from(&self, func: Func, class: Class) -> bool {
        class == self.module.funcs[func].class || self.is_quiet(class)
    }

    /// Whether a value is an object that nobody else knows yet, or the receiver of a constructor: certainly not null.
    fn is_own_object(&self, func: Func, body: &Body, value: Value) -> bool {
        match body.values[value].def {
            ValueDef::Result(inst) => body.insts[inst].op == Op::New,
            ValueDef::Param(block, 0) => {
                block == body.entry() && self.module.name(self.module.funcs[func].name) == "<init>"
            }
            ValueDef::Param(..) | ValueDef::Const(_) => false,
        }
    }
}

/// Classes of the JDK that programs extend or make, and whose initialisers, with those of their superclasses, run
/// nothing of the program's, and neither do their constructors, given numbers and strings: they make JDK objects, ask
/// `VarHandle` or `Unsafe` for their own fields, or do not exist (looked at in JDK 17). What may load a class that a
/// property names is not here: `ForkJoinPool`, `ClassLoader`.
const JDK_CLASSES: &[&str] = &[
    "java.io.FilterInputStream",
    "java.io.FilterOutputStream",
    "java.io.InputStream",
    "java.io.OutputStream",
    "java.io.Reader",
    "java.io.Writer",
    "java.lang.ThreadLocal",
    "java.lang.ref.PhantomReference",
    "java.lang.ref.Reference",
    "java.lang.ref.SoftReference",
    "java.lang.ref.WeakReference",
    "java.util.AbstractCollection",
    "java.util.AbstractList",
    "java.util.AbstractMap",
    "java.util.AbstractQueue",
    "java.util.AbstractSequentialList",
    "java.util.AbstractSet",
    "java.util.ArrayDeque",
    "java.util.ArrayList",
    "java.util.HashMap",
    "java.util.HashSet",
    "java.util.LinkedHashMap",
    "java.util.LinkedHashSet",
    "java.util.LinkedList",
    "java.util.TimerTask",
    "java.util.TreeMap",
    "java.util.concurrent.AbstractExecutorService",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentLinkedQueue",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.concurrent.atomic.AtomicBoolean",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicLong",
    "java.util.concurrent.atomic.AtomicReference",
    "java.util.concurrent.locks.AbstractOwnableSynchronizer",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer",
    "java.util.concurrent.locks.ReentrantLock",
];

/// Static methods of the JDK that run nothing of the program's, given numbers and strings.
const JDK_METHODS: &[(&str, &str)] = &[
    ("java.util.Collections", "emptyList"),
    ("java.util.Collections", "emptyMap"),
    ("java.util.Collections", "emptySet"),
    ("java.util.regex.Pattern", "compile"),
];

/// Whether this is the name of one of the JDK's exceptions that do no more than to take note of what they are given and
/// where they are made (looked at in JDK 17). In other packages some do more: those of `java.sql` write to a log.
fn is_jdk_exception(name: &str) -> bool {
    let is_of = |package: &str| name.starts_with(package);
    (is_of("java.lang.") || is_of("java.util.")) && (name.ends_with("Exception") || name.ends_with("Error"))
}

fn is_updater_class(name: &str) -> bool {
    name.starts_with("java.util.concurrent.atomic.Atomic") && name.ends_with("FieldUpdater")
}

/// How many slots the arrays that an initialiser makes at once may have: a request for more may be more than there is
/// room for, which everybody would notice. One for less is like that for an object: no program counts on its failing.
const MAX_SLOTS: i64 = 1 << 16;

/// Whether arrays of these lengths, each in the ones before, are known to take little room.
fn is_small(body: &Body, lengths: &[Value]) -> bool {
    let slots = lengths.iter().try_fold(1i64, |slots, &length| match body.as_const(length) {
        // The arrays around empty ones have slots, too.
        Some(Constant::I32(length @ 0..)) => Some(slots.saturating_mul(i64::from(length.max(1)))),
        _ => None,
    });
    slots.is_some_and(|slots| slots <= MAX_SLOTS)
}

/// Whether a value is the exception that a handler caught, and nothing else.
fn is_caught(body: &Body, value: Value) -> bool {
    let ValueDef::Param(handler, 0) = body.values[value].def else { return false };
    let leads_there = |target: &Target| target.block == handler;
    let catches = |block: Block| body.blocks[block].catches.iter().any(|catch| leads_there(&catch.target));
    let jumps =
        |block: Block| body.terminator(block).is_some_and(|end| body.insts[end].targets().iter().any(leads_there));
    body.layout.iter().any(|&block| catches(block)) && !body.layout.iter().any(|&block| jumps(block))
}

/// Whether every jump of a body leads further down in its layout.
fn goes_forward(body: &Body) -> bool {
    let mut passed = FxHashSet::default();
    body.layout.iter().all(|&block| {
        passed.insert(block);
        let forward = |target: &Target| !passed.contains(&target.block);
        let catches = body.blocks[block].catches.iter().all(|catch| forward(&catch.target));
        catches && body.terminator(block).is_none_or(|end| body.insts[end].targets().iter().all(forward))
    })
}
