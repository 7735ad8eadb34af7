//! Which bodies changed since a pass last looked at them, and which opcodes they have.
//!
//! The helping passes run again and again, and most bodies do not change in between. What such a pass makes of a body
//! follows from the body, the class hierarchy, the flags of fields and methods, and which classes have an initialiser.
//! Of these only the body changes while the passes run, apart from two things: fields and methods that nothing names
//! come and go, which no answer depends on; and initialisers go, after which everything counts as changed. So a body
//! that has not changed since a pass left it alone would be left alone again, and is not looked at.
//!
//! Bodies are changed by [`Bodies::edit`] alone, which notes it. A pass from outside of this crate cannot, so all bodies
//! count as changed after one that says that it changed something.

use std::collections::BTreeMap;

use r8lite_ir::{Body, Func, Module, Op, SecondaryMap};

/// A set of opcodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OpSet(u64);

const _: () = assert!(Op::ALL.len() <= 64, "a set has a bit for each opcode");

impl OpSet {
    /// Every opcode.
    pub(crate) const ALL: OpSet = OpSet(!0);

    /// The calls.
    pub(crate) const INVOKES: OpSet =
        OpSet::of(&[Op::InvokeStatic, Op::InvokeVirtual, Op::InvokeSpecial, Op::InvokeInterface]);

    /// The set of these.
    pub(crate) const fn of(ops: &[Op]) -> OpSet {
        let mut bits = 0;
        let mut at = 0;
        while at < ops.len() {
            bits |= 1 << ops[at] as u32;
            at += 1;
        }
        OpSet(bits)
    }

    /// Those of a body's instructions.
    fn of_body(body: &Body) -> OpSet {
        OpSet(body.layout_insts().fold(0, |bits, (_, inst)| bits | 1 << body.insts[inst].op as u32))
    }

    fn meets(self, other: OpSet) -> bool {
        self.0 & other.0 != 0
    }
}

/// What is known about the bodies of a module.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    /// The number of the run of a pass that is under way.
    run: u32,
    /// The run that last changed a body.
    changed: SecondaryMap<Func, u32>,
    /// The run after which all bodies counted as changed.
    all_changed: u32,
    /// The last run of each pass that looks at changed bodies only.
    seen: BTreeMap<&'static str, u32>,
    /// The opcodes of a body, while they are known.
    ops: SecondaryMap<Func, Option<OpSet>>,
}

impl Bodies {
    /// Begins the run of a pass.
    pub(crate) fn start_run(&mut self) {
        self.run += 1;
    }

    /// Says that bodies were changed in other ways than by [`Bodies::edit`].
    pub(crate) fn forget(&mut self) {
        self.look_again();
        self.ops = SecondaryMap::new();
    }

    /// Says that something changed which passes go by besides the body: each is to look at all bodies again.
    pub(crate) fn look_again(&mut self) {
        self.all_changed = self.run;
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
            self.ops[func] = None;
        }
        changed
    }

    /// The methods of the program whose bodies have one of these opcodes.
    pub(crate) fn with_ops(&mut self, module: &Module, wanted: OpSet) -> Vec<Func> {
        module.program_funcs().filter(|&func| self.has_ops(module, func, wanted)).collect()
    }

    /// The same, but only those that have changed since this pass asked last.
    pub(crate) fn changed_with_ops(&mut self, module: &Module, pass: &'static str, wanted: OpSet) -> Vec<Func> {
        let seen = self.seen.insert(pass, self.run).unwrap_or(0);
        let changed = |this: &Self, func| this.changed[func].max(this.all_changed) >= seen;
        module.program_funcs().filter(|&func| changed(self, func) && self.has_ops(module, func, wanted)).collect()
    }

    fn has_ops(&mut self, module: &Module, func: Func, wanted: OpSet) -> bool {
        let Some(body) = &module.funcs[func].body else { return false };
        if wanted == OpSet::ALL {
            return true;
        }
        // A context that is used by hand counts no runs, and its owner may change bodies in between.
        let known = self.ops[func].filter(|_| self.run > 0);
        let ops = known.unwrap_or_else(|| OpSet::of_body(body));
        self.ops[func] = Some(ops);
        ops.meets(wanted)
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

    #[test]
    fn a_body_is_seen_once_and_again_when_it_changed() {
        let (mut module, f, g) = two_methods();
        let mut bodies = Bodies::default();
        let look = |bodies: &mut Bodies, module: &Module| {
            bodies.start_run();
            bodies.changed_with_ops(module, "pass", OpSet::ALL)
        };
        assert_eq!(look(&mut bodies, &module), [f, g]);
        assert_eq!(look(&mut bodies, &module), []);
        assert!(!bodies.edit(&mut module, f, |_, _| false));
        assert_eq!(look(&mut bodies, &module), []);
        // What a pass changes itself it sees again as well.
        assert!(bodies.edit(&mut module, f, |_, _| true));
        assert_eq!(look(&mut bodies, &module), [f]);
        assert_eq!(look(&mut bodies, &module), []);
        bodies.look_again();
        assert_eq!(look(&mut bodies, &module), [f, g]);
    }

    #[test]
    fn opcodes_are_those_that_a_body_has_now() {
        let (mut module, _, g) = two_methods();
        let mut bodies = Bodies::default();
        bodies.start_run();
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
