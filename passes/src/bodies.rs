//! What is remembered of bodies from pass to pass: which changed since a pass last looked at them, and what they mention.
//!
//! The helping passes run again and again, and most bodies do not change in between. What such a pass makes of a body
//! follows from the body, the class hierarchy, the flags of fields and methods, and which classes have an initialiser.
//! Of these only the body changes while the passes run, apart from two things: fields and methods that nothing names
//! come and go, which no answer depends on; and initialisers go, after which every body that may initialise a class
//! counts as changed. So a body that has not changed since a pass left it alone would be left alone again, and is not
//! looked at.
//!
//! Bodies lie scattered in memory, and to look at all of them takes longer than most of what is done with them. So
//! [`Bodies::run`] takes each body through a whole row of passes while it is at hand, and passes that ask something of
//! the whole program read what bodies [mention](Mentions).
//!
//! Bodies are changed by [`Bodies::edit`] and [`Bodies::run`] alone, which note it. A pass from outside of this crate
//! that works on the module cannot, so all bodies count as changed after one that says that it changed something.

use std::cell::RefCell;
use std::collections::BTreeMap;

use r8lite_ir::{
    Body, Constant, Entity, FieldRef, Func, Hierarchy, Inst, MethodRef, Module, Op, Payload, SecondaryMap, Value,
};

use crate::registry::{BodyCx, BodyPass, IdleClasses, PASSES, Pass, Run};

/// A set of opcodes.
#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpSet(u64);

const _: () = assert!(Op::ALL.len() <= 64, "a set has a bit for each opcode");

impl OpSet {
    /// Every opcode.
    pub const ALL: OpSet = OpSet(!0);

    /// The set of these.
    pub const fn of(ops: &[Op]) -> OpSet {
        let mut bits = 0;
        let mut at = 0;
        while at < ops.len() {
            bits |= 1 << ops[at] as u32;
            at += 1;
        }
        OpSet(bits)
    }

    /// Whether an opcode is in it.
    pub(crate) fn has(self, op: Op) -> bool {
        self.0 & 1 << op as u32 != 0
    }

    /// The opcodes that a body has.
    fn in_body(body: &Body) -> OpSet {
        let mut ops = 0;
        for &block in &body.layout {
            body.blocks[block].insts.iter().for_each(|&inst| ops |= 1 << body.insts[inst].op as u32);
        }
        OpSet(ops)
    }

    fn meets(self, other: OpSet) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a body mentions: what passes over the whole program ask first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mentions<'a> {
    /// The instructions that name a member, or initialise a class, in layout order.
    pub(crate) members: &'a [Mention],
    /// Whether an instruction or an edge uses a string.
    pub(crate) strings: bool,
}

/// What is noted of a body.
#[derive(Clone, Copy, Debug, Default)]
struct Note {
    /// Whether the body is as it was then.
    holds: bool,
    /// Whether an instruction or an edge uses a string.
    strings: bool,
    /// The passes that say that they are idle in it, by their places in the registry.
    idle: u32,
    /// Its opcodes.
    ops: OpSet,
    /// Where its members stand in [`Bodies::members`], how many there are, and for how many there is room.
    start: u32,
    len: u32,
    room: u32,
}

/// An instruction that names a field or a method, or that only initialises a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mention {
    pub(crate) inst: Inst,
    pub(crate) op: Op,
    /// Whether nothing uses its result, or it has none.
    pub(crate) unused: bool,
    pub(crate) what: Mentioned,
}

/// What an instruction names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mentioned {
    Field(FieldRef),
    Method(MethodRef),
    /// The class that it initialises.
    Class,
}

impl Mention {
    /// The field it names.
    pub(crate) fn field(&self) -> Option<FieldRef> {
        match self.what {
            Mentioned::Field(field) => Some(field),
            Mentioned::Method(_) | Mentioned::Class => None,
        }
    }

    /// The method it names.
    pub(crate) fn method(&self) -> Option<MethodRef> {
        match self.what {
            Mentioned::Method(method) => Some(method),
            Mentioned::Field(_) | Mentioned::Class => None,
        }
    }
}

impl Note {
    /// Whether a pass that stands at this place in the registry may have work in the body.
    fn may_have_work(&self, pass: &BodyPass, place: Option<usize>) -> bool {
        self.ops.meets(pass.ops) && place.is_none_or(|place| self.idle & 1 << place == 0)
    }

    /// Looks at a body; its members go to `room`.
    fn of(body: &Body, room: &mut Room) -> Note {
        let Room { used, members } = room;
        members.clear();
        used.clear();
        used.resize(body.values.len(), false);
        let mut ops = 0;
        let mut strings = false;
        for &block in &body.layout {
            let data = &body.blocks[block];
            let mut note = |value: Value| {
                used[value.index()] = true;
                strings |= matches!(body.as_const(value), Some(Constant::String(_)));
            };
            data.catches.iter().flat_map(|catch| &catch.target.args).for_each(|&arg| note(arg));
            for &inst in &data.insts {
                let data = &body.insts[inst];
                data.for_each_use(&mut note);
                ops |= 1 << data.op as u32;
                let what = match data.payload {
                    Payload::Field(field) => Mentioned::Field(field),
                    Payload::Method(method) => Mentioned::Method(method),
                    Payload::Class(_) if data.op == Op::InitClass => Mentioned::Class,
                    _ => continue,
                };
                members.push(Mention { inst, op: data.op, unused: true, what });
            }
        }
        for member in members.iter_mut() {
            member.unused = body.insts[member.inst].result.is_none_or(|result| !used[result.index()]);
        }
        let is_idle = |pass: &Pass| match pass.run {
            Run::Body(BodyPass { ops: needed, is_idle: Some(ask), .. }) => OpSet(ops).meets(needed) && ask(body),
            Run::Body(_) | Run::Module(_) => false,
        };
        let idle = PASSES.iter().enumerate().filter(|(_, pass)| is_idle(pass)).map(|(place, _)| 1 << place).sum();
        Note { holds: true, strings, idle, ops: OpSet(ops), start: 0, len: 0, room: 0 }
    }
}

/// Whether a row of the registry has the very code of a pass.
fn is_same(pass: &BodyPass, row: &Pass) -> bool {
    matches!(row.run, Run::Body(BodyPass { clean, .. }) if std::ptr::fn_addr_eq(clean, pass.clean))
}

/// What is known about the bodies of a module.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    /// The number of the run of a pass that is under way.
    run: u32,
    /// The run that last changed a body.
    changed: SecondaryMap<Func, u32>,
    /// The last run of each pass.
    seen: BTreeMap<&'static str, u32>,
    /// The last run that changed anything.
    stirred: u32,
    /// What was noted of each body.
    notes: Vec<Note>,
    /// Whether all bodies were noted once, and the methods whose notes were forgotten since.
    noted_all: bool,
    forgotten: Vec<Func>,
    /// The members that bodies mention, those of one body together, so that a look at all of them is one sweep.
    members: Vec<Mention>,
    room: Room,
    /// The pass over bodies that is running, and the method it is at.
    at: Option<(&'static str, Func)>,
}

/// Room to find what a body mentions, kept so that it is made once.
#[derive(Debug, Default)]
struct Room {
    used: Vec<bool>,
    members: Vec<Mention>,
}

impl Bodies {
    /// The pass over bodies that is running, and the method it is at: for who catches it panicking.
    pub(crate) fn at(&self) -> Option<(&'static str, Func)> {
        self.at
    }

    /// Begins the run of a pass that works on the module.
    pub(crate) fn start_run(&mut self, pass: &'static str) {
        self.run += 1;
        self.seen.insert(pass, self.run);
    }

    /// Says that the run that is under way changed something, be it a body or a declaration.
    pub(crate) fn stir(&mut self) {
        self.stirred = self.run;
    }

    /// Whether nothing at all has changed since a pass left everything as it was.
    pub(crate) fn is_settled(&self, pass: &'static str) -> bool {
        self.seen.get(pass).is_some_and(|&seen| self.stirred < seen)
    }

    /// Says that bodies were changed in other ways than by [`Bodies::edit`].
    pub(crate) fn forget(&mut self, module: &Module) {
        self.forget_notes();
        module.funcs.keys().for_each(|func| self.changed[func] = self.run);
    }

    /// Says that a method came in addition.
    pub(crate) fn added(&mut self, func: Func) {
        self.changed[func] = self.run;
    }

    /// Says that something changed which passes go by besides the body, if it has one of some opcodes: such bodies
    /// count as changed.
    pub(crate) fn look_again(&mut self, module: &Module, ops: OpSet) {
        for func in self.with_ops(module, ops) {
            self.changed[func] = self.run;
        }
    }

    /// Lets `change` work on the body of a method, which the module lacks meanwhile, and notes whether it says that it
    /// changed it. False if there is no body.
    pub(crate) fn edit(
        &mut self,
        module: &mut Module,
        func: Func,
        change: impl FnOnce(&mut Module, &mut Body) -> bool,
    ) -> bool {
        let Some(mut body) = module.funcs[func].body.take() else { return false };
        let changed = change(module, &mut body);
        module.funcs[func].body = Some(body);
        if changed {
            self.changed[func] = self.run;
            self.forget_note(func);
        }
        changed
    }

    /// Takes each body of the program through a row of passes, and through the row again until it stays as it is, but
    /// `rounds` times at most. A pass that has seen a body as it is does not look again. Whether any body changed.
    ///
    /// Passes over bodies know of each other's bodies nothing, so this does the same as to run each pass over all.
    pub(crate) fn run(
        &mut self,
        module: &mut Module,
        hierarchy: &Hierarchy,
        passes: &[(&'static str, BodyPass)],
        rounds: u32,
    ) -> bool {
        // Each pass of each round is a run of its own, as it would be if it were run over all bodies before the next.
        let (first, count) = (self.run + 1, passes.len() as u32);
        let number = |round: u32, index: usize| first + round * count + index as u32;
        // The last run of each pass before that in the first round.
        let before: Vec<u32> = passes.iter().map(|(name, _)| self.seen.get(name).copied().unwrap_or(0)).collect();
        let places: Vec<Option<usize>> =
            passes.iter().map(|(_, pass)| PASSES.iter().position(|ours| is_same(pass, ours))).collect();
        let longest_ago = before.iter().copied().min().unwrap_or(0);
        let (idle, used) = (IdleClasses::default(), RefCell::default());
        let mut any = false;
        let funcs: Vec<Func> = module.program_funcs().collect();
        for func in funcs {
            if self.changed[func] < longest_ago {
                continue;
            }
            // A look at the body itself costs more than much of what is done with it.
            let known = self.notes.get(func.index()).filter(|note| note.holds);
            let has_work = |index: usize| {
                self.changed[func] >= before[index]
                    && known.is_none_or(|known| known.may_have_work(&passes[index].1, places[index]))
            };
            if !(0..passes.len()).any(has_work) {
                continue;
            }
            let Some(mut body) = module.funcs[func].body.take() else { continue };
            let cx = BodyCx { module, hierarchy, idle: &idle, used: &used };
            let mut ops = Some(self.note(func, &body).ops);
            for round in 0..rounds {
                let mut again = false;
                for (index, (name, pass)) in passes.iter().enumerate() {
                    let seen = round.checked_sub(1).map_or(before[index], |round| number(round, index));
                    if self.changed[func] < seen {
                        continue;
                    }
                    if pass.ops != OpSet::ALL && !ops.get_or_insert_with(|| OpSet::in_body(&body)).meets(pass.ops) {
                        continue;
                    }
                    self.at = Some((*name, func));
                    if (pass.clean)(&cx, func, &mut body) {
                        self.changed[func] = number(round, index);
                        self.forget_note(func);
                        ops = None;
                        again = true;
                    }
                }
                any |= again;
                if !again {
                    break;
                }
            }
            self.at = None;
            // Now it is at hand.
            self.note(func, &body);
            module.funcs[func].body = Some(body);
        }
        for (index, (name, _)) in passes.iter().enumerate() {
            self.seen.insert(name, number(rounds - 1, index));
        }
        self.run = number(rounds - 1, passes.len() - 1);
        any
    }

    /// The methods whose bodies may not be in order as they were at first: those that were changed, and those that
    /// mention what is not there any more.
    pub(crate) fn changed(&mut self, module: &Module, hierarchy: &Hierarchy) -> SecondaryMap<Func, bool> {
        let is_gone = |member: &Mention| match member.what {
            Mentioned::Field(field) => hierarchy.resolve_field(module, field).is_none(),
            Mentioned::Method(method) => hierarchy.resolve_method(module, method).is_none(),
            Mentioned::Class => false,
        };
        let mut changed = SecondaryMap::with_len(module.funcs.len(), false);
        module.funcs.keys().for_each(|func| changed[func] = self.changed[func] > 0);
        for (func, mentions) in self.mentions(module) {
            changed[func] = changed[func] || mentions.members.iter().any(is_gone);
        }
        changed
    }

    /// The methods of the program whose bodies have one of these opcodes.
    pub(crate) fn with_ops(&mut self, module: &Module, wanted: OpSet) -> Vec<Func> {
        self.note_all(module);
        module.program_funcs().filter(|func| self.notes[func.index()].ops.meets(wanted)).collect()
    }

    /// The methods of the program that have a body, with what it mentions.
    pub(crate) fn mentions<'a>(&'a mut self, module: &'a Module) -> impl Iterator<Item = (Func, Mentions<'a>)> {
        self.note_all(module);
        let Self { notes, members, .. } = &*self;
        module.program_funcs().filter_map(|func| {
            let note = notes[func.index()];
            let members = &members[note.start as usize..][..note.len as usize];
            note.holds.then_some((func, Mentions { members, strings: note.strings }))
        })
    }

    /// Notes what is not known of the bodies of the program.
    fn note_all(&mut self, module: &Module) {
        // A context that is used by hand counts no runs, and its owner may change bodies in between.
        if self.run == 0 {
            self.forget_notes();
        }
        let mut unknown = std::mem::take(&mut self.forgotten);
        if !self.noted_all || self.notes.len() < module.funcs.len() {
            self.notes.resize(module.funcs.len(), Note::default());
            unknown = module.program_funcs().collect();
            self.noted_all = true;
        }
        for func in unknown {
            if !self.notes[func.index()].holds
                && let Some(body) = &module.funcs[func].body
            {
                self.note(func, body);
            }
        }
    }

    fn forget_notes(&mut self) {
        self.notes.clear();
        self.noted_all = false;
        self.members.clear();
    }

    fn forget_note(&mut self, func: Func) {
        if let Some(note) = self.notes.get_mut(func.index()).filter(|note| note.holds) {
            *note = Note { holds: false, ops: OpSet::default(), len: 0, ..*note };
            self.forgotten.push(func);
        }
    }

    /// Notes what a body mentions, unless that is known.
    fn note(&mut self, func: Func, body: &Body) -> Note {
        if self.notes.len() <= func.index() {
            self.notes.resize(func.index() + 1, Note::default());
        }
        let old = self.notes[func.index()];
        if old.holds {
            return old;
        }
        let mut note = Note::of(body, &mut self.room);
        let found = &self.room.members;
        note.len = found.len() as u32;
        if found.len() <= old.room as usize {
            (note.start, note.room) = (old.start, old.room);
            self.members[old.start as usize..][..found.len()].copy_from_slice(found);
        } else {
            (note.start, note.room) = (self.members.len() as u32, note.len);
            self.members.extend_from_slice(found);
        }
        self.notes[func.index()] = note;
        note
    }
}

#[cfg(test)]
mod tests {
    use r8lite_ir::text::{self, Source};

    use super::*;

    fn two_methods() -> (Module, Func, Func) {
        let text = "class A {\n  static method f() {\n    return\n  }\n\n  static method g() {\n    initclass A\n    return\n  }\n}\n";
        let module = text::parse(&[Source { name: "a.ir", text }]).expect("the text is right");
        let funcs: Vec<Func> = module.program_funcs().collect();
        (module, funcs[0], funcs[1])
    }

    thread_local! {
        static SEEN: RefCell<Vec<Func>> = const { RefCell::new(Vec::new()) };
    }

    /// A pass that only looks.
    fn look(_: &BodyCx<'_>, func: Func, _: &mut Body) -> bool {
        SEEN.with_borrow_mut(|seen| seen.push(func));
        false
    }

    fn looked_at(bodies: &mut Bodies, module: &mut Module) -> Vec<Func> {
        let hierarchy = Hierarchy::new(module);
        assert!(!bodies.run(
            module,
            &hierarchy,
            &[("look", BodyPass { ops: OpSet::ALL, is_idle: None, clean: look })],
            1
        ));
        SEEN.take()
    }

    #[test]
    fn a_body_is_seen_once_and_again_when_it_changed() {
        let (mut module, f, g) = two_methods();
        let mut bodies = Bodies::default();
        assert_eq!(looked_at(&mut bodies, &mut module), [f, g]);
        assert_eq!(looked_at(&mut bodies, &mut module), []);
        assert!(!bodies.edit(&mut module, f, |_, _| false));
        assert_eq!(looked_at(&mut bodies, &mut module), []);
        // What a pass changes itself it sees again as well.
        assert!(bodies.edit(&mut module, f, |_, _| true));
        assert_eq!(looked_at(&mut bodies, &mut module), [f]);
        assert_eq!(looked_at(&mut bodies, &mut module), []);
        bodies.look_again(&module, OpSet::of(&[Op::InitClass]));
        assert_eq!(looked_at(&mut bodies, &mut module), [g]);
        bodies.forget(&module);
        assert_eq!(looked_at(&mut bodies, &mut module), [f, g]);
    }

    #[test]
    fn opcodes_are_those_that_a_body_has_now() {
        let (mut module, _, g) = two_methods();
        let mut bodies = Bodies::default();
        bodies.start_run("test");
        let wanted = OpSet::of(&[Op::InitClass, Op::Add]);
        assert_eq!(bodies.with_ops(&module, wanted), [g]);
        bodies.edit(&mut module, g, |_, body| {
            let entry = body.entry();
            body.blocks[entry].insts.remove(0);
            true
        });
        assert_eq!(bodies.with_ops(&module, wanted), []);
    }
}
