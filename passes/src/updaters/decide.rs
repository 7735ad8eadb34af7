//! Decide one call: how the field is accessed, and which checks stay.

use std::rc::Rc;

use r8lite_ir::hierarchy::{nest_mates, same_package};
use r8lite_ir::{Answer, Cfg, Class, Field, Flags, Func, Inst, Type, Value};
use rustc_hash::FxHashMap;

use super::index::ApiCall;
use super::reasons;
use super::trace::{Trace, Tracer};
use crate::access;
use crate::facts::Facts;
use crate::initialisation::Initialisation;
use crate::names::field_name;
use crate::plan::{Access, Guard, Kind, Operation, Reason, Recognised, Replacement, Site, UpdaterId, UpdaterPlan};

/// Decides calls, and remembers what it learned about methods and classes on the way.
pub(crate) struct Decider<'a, 'b> {
    tracer: &'b Tracer<'a>,
    updaters: &'b [UpdaterPlan],
    initialisation: Initialisation<'a>,
    /// Whether an updater is assigned before anyone outside its class's initialiser can see it.
    stored_first: FxHashMap<UpdaterId, bool>,
    cfgs: FxHashMap<Func, Rc<Cfg>>,
    /// The facts of the method whose calls are being decided; calls come method by method.
    facts: Option<(Func, Facts<'a>)>,
    /// The calls of that method after which a holder is known to be an instance of the holder class.
    checked: FxHashMap<(Value, Class), Vec<Inst>>,
}

/// How many calls are remembered for one holder; beyond that, one more check is harmless.
const MAX_CHECKED: usize = 16;

impl<'a, 'b> Decider<'a, 'b> {
    pub(crate) fn new(tracer: &'b Tracer<'a>, updaters: &'b [UpdaterPlan]) -> Self {
        let creations = updaters.iter().filter_map(|updater| Some(updater.recognised?.creation));
        Decider {
            tracer,
            updaters,
            initialisation: Initialisation::new(tracer.module, tracer.hierarchy, creations),
            stored_first: FxHashMap::default(),
            cfgs: FxHashMap::default(),
            facts: None,
            checked: FxHashMap::default(),
        }
    }

    /// Whether nobody can tell whether or when a class is initialised.
    pub(crate) fn is_quiet(&self, class: Class) -> bool {
        self.initialisation.is_quiet(class)
    }

    /// Decides a call whose updater is known.
    pub(crate) fn decide(&mut self, call: &ApiCall, trace: &Trace) -> Result<Replacement, Reason> {
        let tracer = self.tracer;
        let module = tracer.module;
        let updater = &self.updaters[trace.updater.0 as usize];
        let Some(recognised) = updater.recognised else {
            let why = updater.reason.as_ref().expect("an updater that is not recognised has a reason");
            return Err(reasons::updater_not_recognised(&field_name(module, updater.field), why));
        };
        if updater.kind != call.kind {
            return Err(reasons::kind_mismatch());
        }
        let guard = self.guard(call, trace, &recognised)?;
        let class = module.funcs[call.site.func].class;
        let as_field = matches!(call.op, Operation::Get | Operation::Set)
            && access::field_accessible(module, class, recognised.target);
        let access = if as_field { Access::Field } else { Access::Offset };
        if access == Access::Offset || guard == Guard::Offset {
            offset_visibility(tracer, updater.field, call.site)?;
        }
        let (check_holder, check_value) = self.checks(call, &recognised);
        let replacement = Replacement { access, guard, check_holder, check_value };
        self.may_name_classes(call, &recognised, replacement)?;
        Ok(replacement)
    }

    /// Whether the checks and casts that stand for a call may name the classes that they need: the updater was given
    /// them by code that could, the call was not.
    fn may_name_classes(
        &self,
        call: &ApiCall,
        recognised: &Recognised,
        replacement: Replacement,
    ) -> Result<(), Reason> {
        let tracer = self.tracer;
        let module = tracer.module;
        let body = tracer.body(call.site.func);
        let args = &body.insts[call.site.inst].args;
        let fits = |index: usize, ty: Type| {
            tracer.hierarchy.is_assignable(module, body.values[args[index]].ty, ty) == Answer::Yes
        };
        let holder = Type::Class(recognised.holder);
        let names_holder = (replacement.check_holder || replacement.access == Access::Field) && !fits(1, holder);
        let names_value = match call.op.new_value_arg() {
            Some(index) => replacement.check_value || !fits(2 + index, recognised.value),
            None => replacement.check_value,
        };
        let from = module.funcs[call.site.func].class;
        for ty in
            [holder].into_iter().filter(|_| names_holder).chain([recognised.value].into_iter().filter(|_| names_value))
        {
            if let Some(class) = access::inaccessible_class(module, from, ty) {
                return Err(reasons::class_inaccessible(module.class_name(class)));
            }
        }
        Ok(())
    }

    /// What has to stand in the place of the reads of the updater.
    fn guard(&mut self, call: &ApiCall, trace: &Trace, recognised: &Recognised) -> Result<Guard, Reason> {
        let tracer = self.tracer;
        let class = tracer.module.fields[self.updaters[trace.updater.0 as usize].field].class;
        let mut guard = Guard::Proven;
        for &leaf in &trace.leaves {
            let needed = if leaf.func == recognised.store.func {
                let store = recognised.store.inst;
                let receiver = tracer.body(call.site.func).insts[call.site.inst].args[0];
                let direct =
                    leaf.func == call.site.func && tracer.body(leaf.func).insts[leaf.inst].result == Some(receiver);
                if self.cfg(leaf.func).comes_first(store, leaf.inst) {
                    Guard::Proven
                } else if direct {
                    Guard::Offset
                } else {
                    // By the time of the call the offset may be there, while the updater that was read is null.
                    return Err(reasons::early_read());
                }
            } else if !self.is_stored_first(trace.updater, recognised) {
                Guard::Offset
            } else if self.initialisation.is_quiet(class) {
                Guard::Proven
            } else {
                Guard::Trigger
            };
            guard = guard.max(needed);
        }
        Ok(guard)
    }

    fn is_stored_first(&mut self, updater: UpdaterId, recognised: &Recognised) -> bool {
        if let Some(&known) = self.stored_first.get(&updater) {
            return known;
        }
        let cfg = self.cfg(recognised.store.func);
        let first = self.initialisation.is_stored_before_visible(recognised.store, &cfg);
        self.stored_first.insert(updater, first);
        first
    }

    /// Whether the holder has to be checked, and whether the new value.
    fn checks(&mut self, call: &ApiCall, recognised: &Recognised) -> (bool, bool) {
        let tracer = self.tracer;
        let Site { func, inst } = call.site;
        let args = &tracer.body(func).insts[inst].args;
        let holder = args[1];
        let holder_type = Type::Class(recognised.holder);
        let facts = self.facts(func);
        let root = facts.root(holder);
        let holder_proven = facts.is_non_null(holder, inst) && facts.is_null_or_instance(holder, holder_type, inst);
        let value_proven = match call.op.new_value_arg() {
            Some(index) if call.kind == Kind::Reference => {
                let value = args[2 + index];
                facts.is_null(value, inst) || facts.is_null_or_instance(value, recognised.value, inst)
            }
            // The result of a function is checked at each turn, unless any object will do.
            None if call.kind == Kind::Reference && call.op.takes_function() => {
                let object = tracer.module.find_class("java.lang.Object");
                object.is_some_and(|object| recognised.value == Type::Class(object))
            }
            _ => true,
        };
        (!holder_proven && !self.is_checked_before(call.site, root, recognised.holder), !value_proven)
    }

    /// Whether a call that comes first on every way has found the holder to be what it has to be. If not, this one does.
    fn is_checked_before(&mut self, call: Site, holder: Value, class: Class) -> bool {
        let mut calls = self.checked.remove(&(holder, class)).unwrap_or_default();
        let found = !calls.is_empty() && {
            let cfg = self.cfg(call.func);
            calls.iter().any(|&earlier| cfg.comes_first(earlier, call.inst))
        };
        if !found && calls.len() < MAX_CHECKED {
            calls.push(call.inst);
        }
        self.checked.insert((holder, class), calls);
        found
    }

    fn cfg(&mut self, func: Func) -> Rc<Cfg> {
        let body = self.tracer.body(func);
        self.cfgs.entry(func).or_insert_with(|| Rc::new(Cfg::new(body))).clone()
    }

    fn facts(&mut self, func: Func) -> &Facts<'a> {
        if self.facts.as_ref().is_none_or(|(of, _)| *of != func) {
            let body = self.tracer.body(func);
            self.checked.clear();
            self.facts = Some((func, Facts::new(self.tracer.module, self.tracer.hierarchy, func, body)));
        }
        &self.facts.as_ref().expect("just made").1
    }
}

/// The flags an offset field in the class of `updater` needs so that `site` can read it.
pub(crate) fn offset_visibility(tracer: &Tracer<'_>, updater: Field, site: Site) -> Result<Flags, Reason> {
    let module = tracer.module;
    let owner = module.fields[updater].class;
    let reader = module.funcs[site.func].class;
    if module.classes[owner].flags.has(Flags::INTERFACE) {
        return match access::class_accessible(module, reader, owner) {
            true => Ok(Flags::PUBLIC),
            false => Err(reasons::offset_inaccessible(module.class_name(owner))),
        };
    }
    if nest_mates(module, reader, owner) {
        Ok(Flags::PRIVATE)
    } else if !same_package(module, reader, owner) {
        Err(reasons::offset_inaccessible(module.class_name(owner)))
    } else if tracer.has_fixed_members(owner) {
        Err(reasons::serializable(module.class_name(owner)))
    } else {
        Ok(Flags::NONE)
    }
}

/// The visibility that serves both.
pub(crate) fn wider(a: Flags, b: Flags) -> Flags {
    if a.has(Flags::PUBLIC) || b.has(Flags::PUBLIC) {
        Flags::PUBLIC
    } else if a.has(Flags::PRIVATE) && b.has(Flags::PRIVATE) {
        Flags::PRIVATE
    } else {
        Flags::NONE
    }
}
