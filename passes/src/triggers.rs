//! Class initialisation: keep what can be seen of it, and no more.
//!
//! ```text
//!   u = getstatic C.updater        ; unused               initclass C
//!   n = invokestatic C.get$FU()    ; unused, trivial ──▶  (gone: C is initialised by now)
//!   initclass Quiet                                       (gone: nobody can tell)
//! ```
//!
//! A read of a static field whose result is unused only initialises the field's class, and so does a call of a static
//! method that does nothing but such reads. What is left, `initclass`, goes where the class is certainly initialised or
//! being initialised by this very thread, which nothing that the method does can undo: after another use of the class, in
//! the class's own static methods, and in the initialisers of its subclasses. It also goes if initialising the class
//! cannot be seen at all. That a subclass is initialised proves nothing: the superclass may have used it and failed then.
//!
//! Must hold before and after: a verified module. Cost: linear in the bodies that have such instructions.

use std::cell::LazyCell;

use r8lite_ir::{
    Answer, Body, Cfg, Class, Edits, Effect, FieldData, Flags, Func, Hierarchy, Inst, InstData, Module, Op, Payload,
    Type,
};

use rustc_hash::FxHashSet;

use crate::access;
use crate::bodies::{Mention, Mentions, OpSet};
use crate::initialisation::Initialisation;
use crate::registry::{Outcome, PassCx, PassError};

/// Opcodes of what may only initialise classes.
const INITIALISES: OpSet = OpSet::of(&[Op::GetStatic, Op::InitClass, Op::InvokeStatic]);

/// Turns unused static reads into `initclass`, and removes those that do nothing.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let creations: Vec<_> = cx.plan.updaters.iter().filter_map(|updater| Some(updater.recognised?.creation)).collect();
    let hierarchy = cx.hierarchy(module);
    let mut found: Vec<(Func, Vec<Found>)> = Vec::new();
    {
        let initialisation = Initialisation::new(module, &hierarchy, creations);
        for (func, mentions) in cx.known.bodies.mentions(module) {
            let may_go = |member: &Mention| member.unused && INITIALISES.has(member.op);
            if !mentions.members.iter().any(may_go) {
                continue;
            }
            let Some(body) = &module.funcs[func].body else { continue };
            let finder = Finder { module, hierarchy: &hierarchy, initialisation: &initialisation, func, body };
            let changes = finder.find(mentions);
            if !changes.is_empty() {
                found.push((func, changes));
            }
        }
    }
    let changed = !found.is_empty();
    for (func, changes) in found {
        cx.known.bodies.edit(module, func, |module, body| {
            let mut edits = Edits::new();
            for Found { inst, classes } in changes {
                let origin = body.insts[inst].origin;
                for class in classes {
                    let data = InstData::new(Op::InitClass, Payload::Class(class), [], origin);
                    let init = body.make_inst(module, data, None);
                    edits.before(inst, init);
                }
                edits.remove(inst);
            }
            edits.apply(body);
            true
        });
    }
    Ok(Outcome { changed, declarations: false })
}

/// How many pairs of instructions of a body are compared; beyond that, dominating triggers are not looked for.
const MAX_PAIRS: usize = 1 << 20;

/// How many static methods that only call another such method are followed.
const MAX_CALL_DEPTH: u32 = 4;

/// An instruction that goes, and the classes to initialise in its place.
struct Found {
    inst: Inst,
    classes: Vec<Class>,
}

struct Finder<'a> {
    module: &'a Module,
    hierarchy: &'a Hierarchy,
    initialisation: &'a Initialisation<'a>,
    func: Func,
    body: &'a Body,
}

impl Finder<'_> {
    fn find(&self, mentions: Mentions<'_>) -> Vec<Found> {
        let mut candidates = Vec::new();
        for member in mentions.members.iter().filter(|member| member.unused) {
            let mut classes = Vec::new();
            if self.only_initialises(&self.body.insts[member.inst], &mut classes, 0) {
                candidates.push((member.inst, classes));
            }
        }
        if candidates.is_empty() {
            return Vec::new();
        }
        // Most classes are covered without a look at what else initialises them.
        let cfg = LazyCell::new(|| Cfg::new(self.body));
        let triggers = LazyCell::new(|| {
            let triggers = self.triggers();
            if triggers.len().saturating_mul(candidates.len()) > MAX_PAIRS { Vec::new() } else { triggers }
        });
        let mut found = Vec::new();
        // In layout order; what goes no longer counts as a reason for others to go, what stays in its place does.
        let mut gone = FxHashSet::default();
        let mut stays: Vec<(Inst, Class)> = Vec::new();
        for (inst, classes) in &candidates {
            let inst = *inst;
            let mut left: Vec<Class> = Vec::new();
            for &class in classes {
                let comes_earlier = || {
                    let mut standing = triggers.iter().filter(|(at, _)| !gone.contains(at)).chain(&stays);
                    standing.any(|&(at, by)| at != inst && by == class && cfg.comes_first(at, inst))
                };
                let covered = left.contains(&class)
                    || self.is_own_static(class)
                    || self.initialisation.is_quiet(class)
                    || comes_earlier();
                if !covered {
                    left.push(class);
                }
            }
            if self.body.insts[inst].op == Op::InitClass && left.len() == 1 {
                continue;
            }
            // What a called method may name, this one may not.
            let from = self.module.funcs[self.func].class;
            if left.iter().any(|&class| access::inaccessible_class(self.module, from, Type::Class(class)).is_some()) {
                continue;
            }
            // `initclass` takes the place of the old trigger, for later ones too.
            gone.insert(inst);
            if !left.is_empty() && !triggers.is_empty() {
                stays.extend(left.iter().map(|&class| (inst, class)));
            }
            found.push(Found { inst, classes: left });
        }
        found
    }

    /// Whether all that an instruction does is to initialise classes, which are added in the order it does so.
    fn only_initialises(&self, data: &InstData, classes: &mut Vec<Class>, depth: u32) -> bool {
        match data.op {
            Op::InitClass => classes.extend(data.class_symbol()),
            // Of a volatile field, the read itself can be seen: it orders what other threads did.
            Op::GetStatic => match self.static_field(data) {
                Some(field) if !field.flags.has(Flags::VOLATILE) => classes.push(field.class),
                _ => return false,
            },
            Op::InvokeStatic if depth < MAX_CALL_DEPTH => {
                let callee = data.method_symbol().and_then(|it| self.hierarchy.resolve_method(self.module, it));
                let Some(callee) = callee.map(|callee| &self.module.funcs[callee]) else { return false };
                let Some(body) = &callee.body else { return false };
                let [block] = body.layout[..] else { return false };
                if callee.flags.has(Flags::SYNCHRONIZED) || !body.blocks[block].catches.is_empty() {
                    return false;
                }
                classes.push(callee.class);
                return body.blocks[block].insts.iter().all(|&inst| {
                    let data = &body.insts[inst];
                    match data.op {
                        Op::Return => true,
                        op if op.info().effect == Effect::Pure => !body.may_throw(self.module, inst),
                        _ => self.only_initialises(data, classes, depth + 1),
                    }
                });
            }
            _ => return false,
        }
        true
    }

    fn static_field(&self, data: &InstData) -> Option<&FieldData> {
        let field = self.hierarchy.resolve_field(self.module, data.field_symbol()?)?;
        Some(&self.module.fields[field])
    }

    /// The instructions that initialise a class, with the class.
    fn triggers(&self) -> Vec<(Inst, Class)> {
        let mut triggers = Vec::new();
        for (_, inst) in self.body.layout_insts() {
            let data = &self.body.insts[inst];
            let class = match data.op {
                Op::GetStatic | Op::PutStatic => self.static_field(data).map(|field| field.class),
                Op::InitClass | Op::New => data.class_symbol(),
                Op::InvokeStatic => data
                    .method_symbol()
                    .and_then(|method| self.hierarchy.resolve_method(self.module, method))
                    .map(|callee| self.module.funcs[callee].class),
                _ => None,
            };
            triggers.extend(class.map(|class| (inst, class)));
        }
        triggers
    }

    /// Whether this is a static method of a class, or the initialiser of the class or of a subclass: while that runs, the
    /// superclasses are initialised, or this very thread is at it further out. An interface is not initialised with the
    /// classes below it.
    fn is_own_static(&self, class: Class) -> bool {
        let func = &self.module.funcs[self.func];
        let is_below = || {
            self.module.clinit(func.class) == Some(self.func)
                && !self.module.classes[class].flags.has(Flags::INTERFACE)
                && self.hierarchy.is_subclass(func.class, class) == Answer::Yes
        };
        func.is_static() && (func.class == class || is_below())
    }
}
