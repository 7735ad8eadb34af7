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
//! ```text
//! class Quiet { static final field a: Object  static method <clinit>() { o = new Object  putstatic Quiet.a, o … } }
//! class Loud  { static method <clinit>() { invokevirtual PrintStream.println(…) … } }
//! ```

use std::cell::{Cell, RefCell};

use r8lite_ir::{
    Body, Cfg, Class, ClassOrigin, Constant, Effect, Flags, Func, Hierarchy, Inst, InstData, Module, Op, Target, Value,
    ValueDef,
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
    classes: RefCell<FxHashMap<Class, Progress>>,
    funcs: RefCell<FxHashMap<Func, Progress>>,
    class_depth: Cell<u32>,
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
        match self.classes.borrow().get(&class) {
            Some(Progress::Known(quiet)) => return *quiet,
            // Classes that initialise each other: two threads may wait for each other.
            Some(Progress::Asking) => return false,
            None => {}
        }
        if self.class_depth.get() >= MAX_CLASS_DEPTH {
            return false;
        }
        self.class_depth.set(self.class_depth.get() + 1);
        self.classes.borrow_mut().insert(class, Progress::Asking);
        let quiet = self.supers_are_quiet(class)
            && match self.module.clinit(class) {
                None => true,
                Some(clinit) => self.body_is_quiet(clinit, |_| true, 0),
            };
        self.class_depth.set(self.class_depth.get() - 1);
        self.classes.borrow_mut().insert(class, Progress::Known(quiet));
        quiet
    }

    /// Whether `store`, which stands in its class's initialiser, has certainly run before any code outside that
    /// initialiser can run while the class is being initialised, and whenever the class is initialised.
    pub(crate) fn is_stored_before_visible(&self, store: Site, cfg: &Cfg) -> bool {
        let func = &self.module.funcs[store.func];
        let body = func.body.as_ref().expect("the store stands in a body");
        let always_stored = body.layout.iter().all(|&block| match body.terminator(block) {
            Some(end) if body.insts[end].op == Op::Return && cfg.is_reachable(block) => {
                cfg.comes_first(store.inst, end)
            }
            _ => true,
        });
        always_stored
            && self.supers_are_quiet(func.class)
            && self.body_is_quiet(store.func, |inst| !cfg.comes_first(store.inst, inst), 0)
    }

    /// Whether what is initialised before a class is quiet: its superclass, and the superinterfaces that have methods
    /// with bodies (JVMS 5.5, step 7).
    fn supers_are_quiet(&self, class: Class) -> bool {
        let data = &self.module.classes[class];
        match data.origin {
            ClassOrigin::Extern => return JDK_CLASSES.contains(&self.module.class_name(class)),
            ClassOrigin::Missing => return false,
            // What a class does not list may be an initialiser. The class library has what counts.
            ClassOrigin::Program | ClassOrigin::Classpath if data.flags.has(Flags::PARTIAL) => return false,
            ClassOrigin::Program | ClassOrigin::Classpath | ClassOrigin::Library => {}
        }
        if data.flags.has(Flags::INTERFACE) {
            return true;
        }
        data.superclass.is_none_or(|superclass| self.is_quiet(superclass)) && self.superinterfaces_are_quiet(class)
    }

    fn superinterfaces_are_quiet(&self, class: Class) -> bool {
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
            let has_default = data.methods.iter().any(|&method| {
                let flags = self.module.funcs[method].flags;
                !flags.has(Flags::STATIC) && !flags.has(Flags::ABSTRACT)
            });
            if has_default && !self.is_quiet(interface) {
                return false;
            }
            todo.extend_from_slice(&data.interfaces);
        }
        true
    }

    /// Whether all instructions of a method for which `counts` holds are quiet.
    fn body_is_quiet(&self, func: Func, counts: impl Fn(Inst) -> bool, depth: u32) -> bool {
        let Some(body) = &self.module.funcs[func].body else { return false };
        // A loop may be without end, which everybody would notice.
        goes_forward(body)
            && body.layout_insts().all(|(_, inst)| !counts(inst) || self.inst_is_quiet(func, body, inst, depth))
    }

    fn func_is_quiet(&self, func: Func, depth: u32) -> bool {
        if depth >= MAX_CALL_DEPTH || self.module.funcs[func].flags.has(Flags::SYNCHRONIZED) {
            return false;
        }
        match self.funcs.borrow().get(&func) {
            Some(Progress::Known(quiet)) => return *quiet,
            Some(Progress::Asking) => return false,
            None => {}
        }
        self.funcs.borrow_mut().insert(func, Progress::Asking);
        let quiet = self.body_is_quiet(func, |_| true, depth);
        self.funcs.borrow_mut().insert(func, Progress::Known(quiet));
        quiet
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
                let callee = data.method_symbol().and_then(|method| self.hierarchy.resolve_method(module, method));
                let Some(callee) = callee else { return false };
                (data.op == Op::InvokeStatic || self.is_own_object(func, body, data.args[0]))
                    && self.is_quiet_from(func, module.funcs[callee].class)
                    && self.func_is_quiet(callee, depth + 1)
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

/// Classes of the JDK that programs extend, and whose initialisers, with those of their superclasses, run nothing of the
/// program's: they make JDK objects, ask `VarHandle` or `Unsafe` for their own fields, or do not exist (looked at in JDK
/// 17). What may load a class that a property names is not here: `ForkJoinPool`, `ClassLoader`.
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
    "java.util.TimerTask",
    "java.util.concurrent.AbstractExecutorService",
    "java.util.concurrent.atomic.AtomicBoolean",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicLong",
    "java.util.concurrent.atomic.AtomicReference",
    "java.util.concurrent.locks.AbstractOwnableSynchronizer",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer",
];

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
