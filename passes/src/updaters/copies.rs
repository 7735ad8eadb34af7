//! Decide which methods are copied for the updaters that their callers pass.
//!
//! ```text
//!   u = getstatic Reader.COUNT                         u = getstatic Reader.COUNT
//!   invokestatic Counts.add(u, this, 1)       ──▶      invokestatic Counts.add$Reader$COUNT(u, this, 1)
//! ```
//!
//! A method that calls a parameter, which its callers pass different updaters for, or which callers that nobody knows may
//! pass one for, cannot have its call replaced. A copy that only certain callers use can. Copies stand beside their
//! originals, so that all they name means the same. Only methods that a call certainly runs are copied: static and private
//! ones.
//!
//! 1. *Wanted* parameters: those that a call which stays is made on, and those that are handed on to a wanted one.
//! 2. For each call that passes a wanted parameter an updater that is known: whether a call could be replaced by that.
//! 3. Calls that pass the same share one copy.
//!
//! A method that takes a copy's parameter on to another wanted one becomes a call of step 2 once the copy is there, so
//! chains of methods take a plan a link.

use std::collections::{BTreeMap, BTreeSet};

use r8lite_ir::hierarchy::{nest_mates, same_package};
use r8lite_ir::{ClassOrigin, Field, Flags, Func, Op, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::decide::{Decider, wider};
use super::incoming::for_each_incoming;
use super::index::ApiCall;
use super::trace::{Trace, Tracer};
use crate::plan::{CallPlan, CopyPlan, Site, UpdaterId, UpdaterPlan};

/// How many instructions all copies of a method may have together, those of earlier runs among them. If they would have
/// more, none is made.
pub(crate) const MAX_COPIED_INSTS: usize = 1 << 13;

/// A parameter of a method, by its place among those of the entry block.
type Param = (Func, usize);

/// A method, and the updaters that some of its parameters are in a copy, by the places of these.
type Wanted = (Func, Vec<(usize, UpdaterId)>);

/// What a wanted parameter is used for.
#[derive(Clone, Copy)]
enum Need {
    /// A call is made on it, which stays.
    Call(ApiCall),
    /// It is handed on by a call.
    HandedOn(Site, Param),
}

/// Decides which copies are to be made, and which calls lead to them.
pub(crate) fn decide(
    tracer: &Tracer<'_>,
    decider: &mut Decider<'_, '_>,
    updaters: &[UpdaterPlan],
    calls: &[CallPlan],
) -> Vec<CopyPlan> {
    let wanted = wanted_params(tracer, calls);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut gains = Gains { tracer, decider, wanted: &wanted, known: FxHashMap::default() };
    let mut copies: BTreeMap<Wanted, Vec<(Site, Flags)>> = BTreeMap::new();
    let funcs: BTreeSet<Func> = wanted.keys().map(|&(func, _)| func).collect();
    for &func in &funcs {
        for &site in tracer.index.callers(func) {
            let Some(flags) = flags_for(tracer, func, site).filter(|_| calls_certainly(tracer, site, func)) else {
                continue;
            };
            let args = &tracer.body(site.func).insts[site.inst].args;
            let mut known = Vec::new();
            for &(_, index) in wanted.range((func, 0)..=(func, usize::MAX)).map(|(param, _)| param) {
                let Ok(trace) = tracer.trace_value(site.func, args[index]) else { continue };
                if gains.gains((func, index), &trace) {
                    known.push((index, trace.updater));
                }
            }
            if !known.is_empty() {
                copies.entry((func, known)).or_default().push((site, flags));
            }
        }
    }
    let plan = |((func, known), calls)| copy_plan(tracer, updaters, func, known, calls);
    let copies: Vec<CopyPlan> = copies.into_iter().map(plan).collect();
    within_bounds(tracer, copies)
}

/// Methods of which copies are used, and that nothing else calls. Nothing outside of the program can either.
pub(crate) fn unused_originals(tracer: &Tracer<'_>) -> Vec<Func> {
    let module = tracer.module;
    let copied: BTreeSet<Func> = module.program_funcs().filter_map(|func| module.funcs[func].copy_of).collect();
    let mut unused = BTreeSet::new();
    loop {
        let before = unused.len();
        for &func in &copied {
            let data = &module.funcs[func];
            let is_listed = module.classes[data.class].methods.contains(&func);
            let is_called = |site: &Site| site.func != func && !unused.contains(&site.func);
            if is_listed
                && tracer.reason_to_stay(data.class, data.flags, "it").is_none()
                && !tracer.index.callers(func).iter().any(is_called)
            {
                unused.insert(func);
            }
        }
        if unused.len() == before {
            return unused.into_iter().collect();
        }
    }
}

/// Step 1. With each parameter, what it is used for.
fn wanted_params(tracer: &Tracer<'_>, calls: &[CallPlan]) -> BTreeMap<Param, Vec<Need>> {
    let mut wanted: BTreeMap<Param, Vec<Need>> = BTreeMap::new();
    let mut work: Vec<(Param, Need)> = Vec::new();
    for (call, plan) in tracer.index.calls.iter().zip(calls).filter(|(_, plan)| plan.updater.is_none()) {
        let receiver = tracer.body(plan.site.func).insts[plan.site.inst].args[0];
        work.extend(param_of(tracer, plan.site.func, receiver).map(|param| (param, Need::Call(*call))));
    }
    while let Some((param, need)) = work.pop() {
        let (func, index) = param;
        if !is_copyable(tracer, func) {
            continue;
        }
        let needs = wanted.entry(param).or_default();
        needs.push(need);
        if needs.len() > 1 {
            continue;
        }
        for site in tracer.index.callers(func).iter().filter(|&&site| calls_certainly(tracer, site, func)) {
            let arg = tracer.body(site.func).insts[site.inst].args[index];
            work.extend(param_of(tracer, site.func, arg).map(|from| (from, Need::HandedOn(*site, param))));
        }
    }
    wanted
}

/// Whether a method can be copied: it has a body, and a call of it runs no other.
fn is_copyable(tracer: &Tracer<'_>, func: Func) -> bool {
    let module = tracer.module;
    let data = &module.funcs[func];
    data.body.is_some()
        && data.copy_of.is_none()
        && module.classes[data.class].origin == ClassOrigin::Program
        && (data.flags.has(Flags::STATIC) || data.flags.has(Flags::PRIVATE))
        && !module.name(data.name).starts_with('<')
}

fn calls_certainly(tracer: &Tracer<'_>, site: Site, func: Func) -> bool {
    let data = &tracer.body(site.func).insts[site.inst];
    tracer.callee(data.op, &data.payload) == Some(func)
}

/// The parameter of its method that a value always is.
fn param_of(tracer: &Tracer<'_>, func: Func, value: Value) -> Option<Param> {
    let body = tracer.body(func);
    let mut found = None;
    let mut seen = FxHashSet::default();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        if !seen.insert(value) {
            continue;
        }
        match body.values[value].def {
            ValueDef::Param(block, index) if block == body.entry() => {
                if found.is_some_and(|other| other != index) {
                    return None;
                }
                found = Some(index);
            }
            ValueDef::Param(block, index) => {
                if !for_each_incoming(body, block, index as usize, |value| todo.push(value)) {
                    return None;
                }
            }
            ValueDef::Result(inst) => match body.insts[inst].op {
                Op::CheckCast => todo.push(body.insts[inst].args[0]),
                Op::Select => todo.extend([body.insts[inst].args[1], body.insts[inst].args[2]]),
                _ => return None,
            },
            ValueDef::Const(_) => return None,
        }
    }
    Some((func, found? as usize))
}

/// The visibility that a copy needs to be called from a place; none if it cannot be.
fn flags_for(tracer: &Tracer<'_>, func: Func, site: Site) -> Option<Flags> {
    let module = tracer.module;
    let (from, class) = (module.funcs[site.func].class, module.funcs[func].class);
    if nest_mates(module, from, class) {
        Some(Flags::PRIVATE)
    } else if !module.funcs[func].is_static() || !same_package(module, from, class) {
        None
    } else if module.classes[class].flags.has(Flags::INTERFACE) {
        Some(Flags::PUBLIC)
    } else {
        // A method that is not private counts for the serialVersionUID.
        (!tracer.has_fixed_members(class)).then_some(Flags::NONE)
    }
}

/// Step 2: what is gained by knowing an updater.
struct Gains<'a, 'b, 'c> {
    tracer: &'c Tracer<'c>,
    decider: &'c mut Decider<'a, 'b>,
    wanted: &'c BTreeMap<Param, Vec<Need>>,
    /// What was found; no while it is being asked, so that a circle of methods gains nothing by itself.
    known: FxHashMap<(Param, UpdaterId), bool>,
}

/// How far a parameter is followed from method to method.
const MAX_HANDED_ON: u32 = 16;

impl Gains<'_, '_, '_> {
    /// Whether a call could be replaced if a parameter always were the updater that was traced.
    fn gains(&mut self, param: Param, trace: &Trace) -> bool {
        self.gains_within(param, trace, MAX_HANDED_ON)
    }

    fn gains_within(&mut self, param: Param, trace: &Trace, depth: u32) -> bool {
        if let Some(&known) = self.known.get(&(param, trace.updater)) {
            return known;
        }
        self.known.insert((param, trace.updater), false);
        let needs = self.wanted.get(&param).map_or(&[][..], Vec::as_slice);
        let found = needs.iter().any(|need| match need {
            Need::Call(call) => self.decider.decide(call, trace).is_ok(),
            Need::HandedOn(site, next) => {
                depth > 0
                    && flags_for(self.tracer, next.0, *site).is_some()
                    && self.gains_within(*next, trace, depth - 1)
            }
        });
        self.known.insert((param, trace.updater), found);
        found
    }
}

/// Step 3: one copy.
fn copy_plan(
    tracer: &Tracer<'_>,
    updaters: &[UpdaterPlan],
    func: Func,
    known: Vec<(usize, UpdaterId)>,
    calls: Vec<(Site, Flags)>,
) -> CopyPlan {
    let module = tracer.module;
    let data = &module.funcs[func];
    let updaters: Vec<(usize, Field)> =
        known.into_iter().map(|(index, updater)| (index, updaters[updater.0 as usize].field)).collect();
    let mut name = module.name(data.name).to_owned();
    for &(_, field) in &updaters {
        let field = &module.fields[field];
        let class = module.class_name(field.class);
        let simple = class.rsplit_once('.').map_or(class, |(_, simple)| simple);
        name.extend(["$", simple, "$", module.name(field.name)]);
    }
    let visibility = calls.iter().map(|&(_, flags)| flags);
    let calls = calls.iter().map(|&(site, _)| site).collect();
    let mut plan = CopyPlan { func, updaters, name, flags: Flags::NONE, calls };
    let is_taken = |plan: &CopyPlan| {
        let declared = module.find_symbol(&plan.name).map(|name| module.declared_method(data.class, name, data.sig));
        declared.flatten().is_some() && plan.made(module).is_none()
    };
    while is_taken(&plan) {
        plan.name.push('$');
    }
    let made = plan.made(module).map(|made| visibility_of(module.funcs[made].flags));
    let visibility = visibility.chain(made);
    let visibility = visibility.reduce(wider).unwrap_or(Flags::PRIVATE);
    let all = Flags::PUBLIC.with(Flags::PROTECTED).with(Flags::PRIVATE).with(Flags::EXPOSED);
    plan.flags = data.flags.without(all).with(visibility).with(Flags::SYNTHETIC);
    plan
}

fn visibility_of(flags: Flags) -> Flags {
    [Flags::PUBLIC, Flags::PRIVATE].into_iter().find(|&flag| flags.has(flag)).unwrap_or(Flags::NONE)
}

/// The copies of methods whose copies do not grow beyond the bound.
fn within_bounds(tracer: &Tracer<'_>, copies: Vec<CopyPlan>) -> Vec<CopyPlan> {
    let module = tracer.module;
    let mut new: FxHashMap<Func, usize> = FxHashMap::default();
    for copy in copies.iter().filter(|copy| copy.made(module).is_none()) {
        *new.entry(copy.func).or_default() += 1;
    }
    let fits = |copy: &CopyPlan| {
        let data = &module.funcs[copy.func];
        let prefix = format!("{}$", module.name(data.name));
        let is_copy = |func: &Func| {
            let other = &module.funcs[*func];
            other.sig == data.sig
                && other.flags.has(Flags::SYNTHETIC)
                && module.name(other.name).starts_with(prefix.as_str())
        };
        let old = module.classes[data.class].methods.iter().filter(|func| is_copy(func)).count();
        let size = tracer.body(copy.func).layout_insts().count();
        let added = new.get(&copy.func).copied().unwrap_or(0);
        added == 0 || size.saturating_mul(old + added) <= MAX_COPIED_INSTS
    };
    copies.into_iter().filter(fits).collect()
}
