//! Decide what becomes of every updater and every call: the making of a [`Plan`].
//!
//! ```text
//! index ─▶ recognise ─▶ trace each call ─▶ decide each call ─▶ follow each updater's uses ─▶ Plan
//! ```

mod api;
mod copies;
mod decide;
mod incoming;
mod index;
mod reasons;
mod recognise;
mod trace;
mod uses;

use r8lite_ir::{Entity, Field, Flags, Func, Inst, Module, Op, Symbol, Type, Value, Verified};
use rustc_hash::FxHashSet;

use self::api::Api;
use self::decide::Decider;
use self::index::ProgramIndex;
use self::trace::Tracer;
use self::uses::UseFinder;
use crate::by_name::ByName;
use crate::names::func_name;
use crate::plan::{
    Access, Action, CallPlan, Fixed, Guard, OffsetField, Plan, PlanOptions, Reason, Recognised, Replacement, Site,
    UpdaterPlan,
};
use crate::registry::Known;

/// Decides what becomes of every updater and every call of a program. Changes nothing.
///
/// ```
/// use r8lite_ir::text::{self, Source};
/// use r8lite_passes::plan::{self, PlanOptions};
///
/// let text = "
/// class Counter {
///   private volatile field n: i32
///   private static final field N: AtomicIntegerFieldUpdater
///   static method <clinit>() {
///     u = invokestatic AtomicIntegerFieldUpdater.newUpdater(class Counter, \"n\")
///     putstatic Counter.N, u
///     return
///   }
///   method next(): i32 {
///     u = getstatic Counter.N
///     n = invokevirtual AtomicIntegerFieldUpdater.incrementAndGet(u, this)
///     return n
///   }
/// }";
/// let module = text::parse(&[Source { name: "counter.ir", text }]).unwrap();
/// let module = r8lite_ir::verify(module).unwrap();
/// let plan = plan::decide(&module, &PlanOptions::default());
/// assert_eq!(plan.updaters.len(), 1);
/// assert!(plan.updaters[0].remove);
/// assert!(matches!(plan.calls[0].action, plan::Action::Replace(_)));
/// ```
pub fn decide(module: &Verified, options: &PlanOptions) -> Plan {
    decide_with(module, &mut Known::default(), options)
}

/// Decides the same, but lets some instructions stay: for who found that they cannot be changed.
pub fn decide_but_for(module: &Verified, options: &PlanOptions, fixed: &Fixed) -> Plan {
    decide_all(module, &mut Known::default(), options, fixed)
}

/// The same as [`decide`], with what is known about a module that is in order.
pub(crate) fn decide_with(module: &Module, known: &mut Known, options: &PlanOptions) -> Plan {
    decide_all(module, known, options, &Fixed::new())
}

fn decide_all(module: &Module, known: &mut Known, options: &PlanOptions, fixed: &Fixed) -> Plan {
    let hierarchy = known.hierarchy(module);
    let api = Api::new(module, &hierarchy);
    let index = ProgramIndex::new(module, &hierarchy, &api, &mut known.bodies);
    let mut updaters = recognise::recognise(module, &hierarchy, &api, &index, options);
    let tracer = Tracer::new(module, &hierarchy, &api, &index, &updaters, options);
    let mut decider = Decider::new(&tracer, &updaters);
    let calls = decide_calls(&tracer, &mut decider, fixed);
    let copies = copies::decide(&tracer, &mut decider, &updaters, &calls);
    let is_quiet =
        |updater: &UpdaterPlan| updater.recognised.is_some() && decider.is_quiet(module.fields[updater.field].class);
    let quiet: Vec<bool> = updaters.iter().map(is_quiet).collect();
    updaters.iter_mut().zip(quiet).for_each(|(updater, quiet)| updater.quiet = quiet);
    let by_name = ByName::find(module, &mut known.bodies);
    decide_updaters(&tracer, &by_name, &calls, &mut updaters, fixed);
    let may_go = |func: &Func| {
        let data = &module.funcs[*func];
        tracer.reason_to_stay(data.class, data.flags, "it").is_none()
    };
    let originals = copies::unused_originals(&tracer);
    let mut accessors: Vec<_> = tracer.accessors.keys().copied().filter(may_go).collect();
    accessors.sort_unstable();
    Plan { updaters, calls, accessors, copies, originals, kept: kept_fields(module, options) }
}

/// The fields that the options say are not to be touched.
fn kept_fields(module: &Module, options: &PlanOptions) -> Vec<Field> {
    if options.keep.is_empty() {
        return Vec::new();
    }
    let keeps = |field: &Field| {
        let data = &module.fields[*field];
        options.keeps(module.class_name(data.class), module.name(data.name)).is_some()
    };
    module.program_classes().flat_map(|class| module.classes[class].fields.iter().copied()).filter(keeps).collect()
}

fn decide_calls(tracer: &Tracer<'_>, decider: &mut Decider<'_, '_>, fixed: &Fixed) -> Vec<CallPlan> {
    let mut calls = Vec::with_capacity(tracer.index.calls.len());
    for call in &tracer.index.calls {
        let (updater, action) = match tracer.trace(call.site) {
            Ok(trace) => {
                let decided = match fixed.get(&call.site) {
                    Some(reason) => Err(reason.clone()),
                    None => decider.decide(call, &trace),
                };
                (Some(trace.updater), decided.map_or_else(Action::Keep, Action::Replace))
            }
            Err(reason) => (None, Action::Keep(reason)),
        };
        calls.push(CallPlan { site: call.site, op: call.op, updater, action });
    }
    calls
}

/// Decides which updaters get an offset field, and which go.
fn decide_updaters(
    tracer: &Tracer<'_>,
    by_name: &ByName,
    calls: &[CallPlan],
    updaters: &mut [UpdaterPlan],
    fixed: &Fixed,
) {
    let replaced: FxHashSet<Site> =
        calls.iter().filter(|call| matches!(call.action, Action::Replace(_))).map(|call| call.site).collect();
    let mut finder = UseFinder::new(tracer, &replaced);
    let mut reads: Vec<Vec<Site>> = vec![Vec::new(); updaters.len()];
    for &(site, field) in &tracer.index.reads {
        let number = tracer.by_field[field].expect("the index lists reads of updater fields");
        reads[number.index()].push(site);
    }
    let mut replacements: Vec<Vec<(Site, Replacement)>> = vec![Vec::new(); updaters.len()];
    for call in calls {
        if let (Some(updater), Action::Replace(replacement)) = (call.updater, &call.action) {
            replacements[updater.index()].push((call.site, *replacement));
        }
    }
    for (number, updater) in updaters.iter_mut().enumerate() {
        let Some(recognised) = updater.recognised else { continue };
        updater.offset = offset_field(tracer, updater, &replacements[number]);
        let uses = finder.uses(&recognised, &reads[number]);
        let held = uses.reads.iter().chain([&recognised.store]).find_map(|site| fixed.get(site));
        updater.reason = reason_to_stay(tracer, updater, &uses, by_name).or_else(|| held.cloned());
        updater.remove = updater.reason.is_none();
        updater.hidden = reason_to_be_seen(tracer, by_name, updater.field).is_none();
    }
}

/// Why an updater's field stays even if no instruction reads it.
fn reason_to_be_seen(tracer: &Tracer<'_>, by_name: &ByName, field: Field) -> Option<Reason> {
    let data = &tracer.module.fields[field];
    let sought = by_name.looks_up && by_name.spells(data.name);
    tracer
        .reason_to_stay(data.class, data.flags, "it")
        .or_else(|| sought.then(|| reasons::sought_by_name(tracer.module.name(data.name))))
}

/// Why a recognised updater stays, most telling reason first.
fn reason_to_stay(tracer: &Tracer<'_>, updater: &UpdaterPlan, uses: &uses::Uses, by_name: &ByName) -> Option<Reason> {
    let module = tracer.module;
    if let Some(first) = uses.kept_call {
        return Some(reasons::calls_stay(uses.kept_calls, first, &func_name(module, first.func)));
    }
    if let Some(site) = uses.otherwise {
        let body = tracer.body(site.func);
        let method = func_name(module, site.func);
        return Some(match body.insts[site.inst].op {
            Op::Return => reasons::returned(site, &method),
            _ => reasons::used_otherwise(site, &method),
        });
    }
    reason_to_be_seen(tracer, by_name, updater.field).or_else(|| {
        uses.accessors.iter().find_map(|&func| {
            let data = &module.funcs[func];
            tracer.reason_to_stay(data.class, data.flags, &format!("its accessor {}", func_name(module, func)))
        })
    })
}

/// The offset field that the replaced calls of an updater need.
fn offset_field(
    tracer: &Tracer<'_>,
    updater: &UpdaterPlan,
    replacements: &[(Site, Replacement)],
) -> Option<OffsetField> {
    let mut flags = None;
    for &(site, replacement) in replacements {
        if replacement.access == Access::Offset || replacement.guard == Guard::Offset {
            let needed = decide::offset_visibility(tracer, updater.field, site)
                .expect("a call that could not read the offset is kept");
            flags = Some(flags.map_or(needed, |flags: Flags| decide::wider(flags, needed)));
        }
    }
    let flags = flags?;
    Some(OffsetField { name: offset_name(tracer, updater, flags), flags })
}

/// `updater$offset`, or with a number where some class has such a field already: a field of a superclass may be read
/// through this class, and must not be hidden. If it is the updater's own, from an earlier run, that one serves.
fn offset_name(tracer: &Tracer<'_>, updater: &UpdaterPlan, flags: Flags) -> String {
    let module = tracer.module;
    let data = &module.fields[updater.field];
    let base = [module.name(data.name), "$offset"].concat();
    let taken = |name: &str| module.find_symbol(name).filter(|&symbol| tracer.index.field_names[symbol]);
    let mut name = base.clone();
    let mut number = 1;
    while let Some(symbol) = taken(&name)
        && !is_own_offset(tracer, updater, symbol, flags)
    {
        name = format!("{base}${number}");
        number += 1;
    }
    name
}

/// Whether the updater's class has a field of this name that `instrument` would have added for it, and that is as visible
/// as `flags` say.
fn is_own_offset(tracer: &Tracer<'_>, updater: &UpdaterPlan, name: Symbol, flags: Flags) -> bool {
    let Tracer { module, hierarchy, .. } = *tracer;
    let declared = hierarchy.declared_field(module.fields[updater.field].class, name, Type::I64);
    let (Some(field), Some(Recognised { target, store, .. })) = (declared, updater.recognised) else { return false };
    let found = module.fields[field].flags;
    if !found.has(Flags::STATIC.with(Flags::FINAL).with(Flags::SYNTHETIC))
        || decide::wider(found, flags) != decide::wider(found, found)
    {
        return false;
    }
    let body = tracer.body(store.func);
    let names = |inst: Inst, field: Field| {
        body.insts[inst].field_symbol().and_then(|named| hierarchy.resolve_field(module, named)) == Some(field)
    };
    let is_offset = |value: Value| {
        body.def_inst(value).is_some_and(|def| body.insts[def].op == Op::FieldOffset && names(def, target))
    };
    let mut writes =
        body.layout_insts().filter(|&(_, inst)| body.insts[inst].op == Op::PutStatic && names(inst, field));
    let (Some((block, write)), None) = (writes.next(), writes.next()) else { return false };
    // Nobody can see one of both assigned without the other.
    let mut between = body.blocks[block].insts.iter().skip_while(|&&inst| inst != write);
    let meets_store =
        between.find(|&&inst| inst == store.inst || !matches!(body.insts[inst].op, Op::PutStatic | Op::FieldOffset));
    meets_store == Some(&store.inst) && is_offset(body.insts[write].args[0])
}
