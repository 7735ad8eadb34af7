//! Phase 3, clean up: remove the updaters that the plan lets go, with their creation and their accessors, once nothing
//! uses them.
//!
//! ```text
//!   private static final field updater: …                (gone)
//!   static method <clinit>() {                           static method <clinit>() {
//!     u = invokestatic …newUpdater(…)                      off = field_offset C.x
//!     off = field_offset C.x                     ──▶       putstatic C.updater$offset, off
//!     putstatic C.updater$offset, off                      return
//!     putstatic C.updater, u                             }
//!     return
//!   }
//! ```
//!
//! What the plan expects is checked against what the program holds by now: an updater that is still read, because a pass
//! that would have made it unused was switched off, stays, and the report says so. An offset field that nothing reads
//! goes the same way.

use r8lite_ir::{
    Body, Class, Edits, Effect, Entity, Field, Func, Hierarchy, MethodRef, Module, Op, SecondaryMap, Value,
};
use rustc_hash::FxHashSet;

use crate::access;
use crate::bodies::OpSet;
use crate::instrument;
use crate::plan::{Plan, Recognised, UpdaterPlan};
use crate::registry::{Outcome, PassCx, PassError};
use crate::report;

/// Opcodes that may do no more than to initialise a class.
const INITIALISES: OpSet = OpSet::of(&[Op::GetStatic, Op::InitClass]);

/// Removes what the plan lets go and nothing uses.
///
/// # Errors
/// Never.
///
/// # Panics
/// If the plan is of another module.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let mut changed = remove_methods(module, cx);
    let hierarchy = cx.hierarchy(module);
    let standing = Standing::find(module, &hierarchy, cx.plan);
    let read = fields_read(module, cx, &hierarchy);
    changed |= remove_updaters(module, cx, &standing, &read);
    changed |= remove_offset_fields(module, cx, &standing, &read);
    let mut clinits: Vec<Func> = standing.updaters.iter().map(|&(_, recognised)| recognised.store.func).collect();
    clinits.sort_unstable();
    clinits.dedup();
    let mut idle = false;
    for clinit in clinits {
        idle |= remove_empty_clinit(module, &hierarchy, clinit);
    }
    if idle {
        // What only initialised such a class does nothing any more.
        cx.known.bodies.look_again(module, INITIALISES);
    }
    changed |= idle;
    cx.report.count();
    // What goes is named by nothing, so every name means what it did.
    Ok(Outcome { changed, declarations: false })
}

/// Fields of the module.
type FieldSet = SecondaryMap<Field, bool>;

/// The updaters and offset fields of the plan that are still there.
struct Standing {
    /// Each with its number in the plan.
    updaters: Vec<(usize, Recognised)>,
    /// With the number of its updater.
    offsets: Vec<(usize, Field)>,
    /// The fields that their classes list.
    listed: FieldSet,
}

impl Standing {
    fn find(module: &Module, hierarchy: &Hierarchy, plan: &Plan) -> Standing {
        let mut classes: Vec<Class> = plan.updaters.iter().map(|updater| module.fields[updater.field].class).collect();
        classes.dedup();
        let mut listed = FieldSet::with_len(module.fields.len(), false);
        for class in classes {
            module.classes[class].fields.iter().for_each(|&field| listed[field] = true);
        }
        let mut standing = Standing { updaters: Vec::new(), offsets: Vec::new(), listed };
        for (number, updater) in plan.updaters.iter().enumerate() {
            let Some(recognised) = updater.recognised else { continue };
            standing.updaters.push((number, recognised));
            let offset = instrument::offset_field(module, hierarchy, updater);
            standing.offsets.extend(offset.filter(|&field| standing.listed[field]).map(|field| (number, field)));
        }
        standing
    }
}

/// Removes accessors that nothing calls, and methods of which only copies are called, innermost last.
fn remove_methods(module: &mut Module, cx: &mut PassCx<'_>) -> bool {
    let mut changed = false;
    // An accessor of an accessor frees the inner one; the plan follows only a few in a row.
    loop {
        let called = funcs_called(module, cx);
        let dead: Vec<Func> = cx
            .plan
            .unused_methods()
            .filter(|func| !called.contains(func) && module.classes[module.funcs[*func].class].methods.contains(func))
            .collect();
        if dead.is_empty() {
            return changed;
        }
        for func in dead {
            let class = module.funcs[func].class;
            module.classes[class].methods.retain(|&method| method != func);
        }
        changed = true;
        // Calls resolve as before: only methods that none resolved to are gone.
    }
}

/// Those of them that some instruction of the program calls.
fn funcs_called(module: &Module, cx: &mut PassCx<'_>) -> FxHashSet<Func> {
    let mut called = FxHashSet::default();
    let wanted: FxHashSet<Func> = cx.plan.unused_methods().collect();
    if wanted.is_empty() {
        return called;
    }
    let hierarchy = cx.hierarchy(module);
    let mut resolved = SecondaryMap::with_len(module.method_ref_count(), None);
    for index in 0..module.method_ref_count() {
        let method = MethodRef::new(index);
        resolved[method] = hierarchy.resolve_method(module, method).filter(|func| wanted.contains(func));
    }
    for (func, mentions) in cx.known.bodies.mentions(module) {
        let methods = mentions.members.iter().filter_map(|member| member.method());
        called.extend(methods.filter_map(|method| resolved[method]).filter(|&callee| callee != func));
    }
    called
}

/// The static fields that some instruction of the program reads.
fn fields_read(module: &Module, cx: &mut PassCx<'_>, hierarchy: &Hierarchy) -> FieldSet {
    let mut read = FieldSet::with_len(module.fields.len(), false);
    for (_, mentions) in cx.known.bodies.mentions(module) {
        for member in mentions.members.iter().filter(|member| member.op == Op::GetStatic) {
            if let Some(field) = member.field().and_then(|field| hierarchy.resolve_field(module, field)) {
                read[field] = true;
            }
        }
    }
    read
}

/// Removes updaters that nothing reads, and their creations if nothing else uses what they made. Whether any went.
fn remove_updaters(module: &mut Module, cx: &mut PassCx<'_>, standing: &Standing, read: &FieldSet) -> bool {
    let plan = cx.plan;
    let mut unread: Vec<(usize, Recognised)> = Vec::new();
    for &(number, recognised) in &standing.updaters {
        let UpdaterPlan { field, hidden, .. } = plan.updaters[number];
        if !standing.listed[field] {
            continue;
        }
        if hidden && !read[field] {
            unread.push((number, recognised));
        }
    }
    // A class initialiser is read and edited once for all its updaters.
    unread.sort_by_key(|&(number, recognised)| (recognised.creation.func, number));
    let mut gone = FieldSet::with_len(module.fields.len(), false);
    let mut any = false;
    for unread in unread.chunk_by(|a, b| a.1.creation.func == b.1.creation.func) {
        let func = unread[0].1.creation.func;
        let Some(body) = &module.funcs[func].body else { continue };
        let others = uses_besides_store(body, unread);
        let unused: Vec<(usize, Recognised)> =
            unread.iter().zip(others).filter(|&(_, others)| others == 0).map(|(&row, _)| row).collect();
        if unused.is_empty() {
            continue;
        }
        cx.known.bodies.edit(module, func, |_, body| {
            let mut edits = Edits::new();
            for (_, recognised) in &unused {
                edits.remove(recognised.creation.inst);
                edits.remove(recognised.store.inst);
            }
            edits.apply(body);
            true
        });
        for (number, _) in unused {
            gone[plan.updaters[number].field] = true;
            any = true;
            report::updater_gone(&mut cx.report.updaters[number]);
        }
    }
    for &(number, _) in &standing.updaters {
        let field = plan.updaters[number].field;
        if standing.listed[field] && !gone[field] {
            report::updater_stayed(&mut cx.report.updaters[number]);
        }
    }
    unlist(module, &gone, unread.iter().map(|&(number, _)| plan.updaters[number].field));
    any
}

/// For each updater, how often a body uses what its creation made, but for storing it.
fn uses_besides_store(body: &Body, updaters: &[(usize, Recognised)]) -> Vec<usize> {
    let mut uses: SecondaryMap<Value, usize> = SecondaryMap::with_len(body.values.len(), 0);
    for &block in &body.layout {
        body.blocks[block].catches.iter().flat_map(|catch| &catch.target.args).for_each(|&value| uses[value] += 1);
        body.blocks[block].insts.iter().for_each(|&inst| body.insts[inst].for_each_use(|value| uses[value] += 1));
    }
    let others = |&(_, recognised): &(usize, Recognised)| {
        let made = body.insts[recognised.creation.inst].result.expect("a creation makes an updater");
        let mut stores = 0;
        body.insts[recognised.store.inst].for_each_use(|value| stores += usize::from(value == made));
        uses[made] - stores
    };
    updaters.iter().map(others).collect()
}

/// Takes fields that are gone out of their classes, which are those of some fields.
fn unlist(module: &mut Module, gone: &FieldSet, some: impl Iterator<Item = Field>) {
    let mut classes: Vec<Class> = some.map(|field| module.fields[field].class).collect();
    classes.sort_unstable();
    classes.dedup();
    for class in classes {
        module.classes[class].fields.retain(|field| !gone[*field]);
    }
}

/// Removes offset fields that nothing reads, and the writes of them in their classes' initialisers. Whether any went.
fn remove_offset_fields(module: &mut Module, cx: &mut PassCx<'_>, standing: &Standing, read: &FieldSet) -> bool {
    let mut unread: Vec<(Func, Field)> = Vec::new();
    for &(number, field) in standing.offsets.iter().filter(|(_, field)| !read[*field]) {
        let recognised = cx.plan.updaters[number].recognised.as_ref().expect("only such an updater has an offset");
        unread.push((recognised.store.func, field));
        report::not_instrumented(&mut cx.report.updaters[number]);
    }
    unread.sort_unstable();
    let hierarchy = cx.hierarchy(module);
    let mut gone = FieldSet::with_len(module.fields.len(), false);
    for unread in unread.chunk_by(|a, b| a.0 == b.0) {
        unread.iter().for_each(|&(_, field)| gone[field] = true);
        cx.known.bodies.edit(module, unread[0].0, |module, body| {
            let mut edits = Edits::new();
            for (_, inst) in body.layout_insts().filter(|&(_, inst)| body.insts[inst].op == Op::PutStatic) {
                let written = body.insts[inst].field_symbol().and_then(|it| hierarchy.resolve_field(module, it));
                if written.is_some_and(|field| gone[field]) {
                    // What computed the offset is pure, and goes as dead code.
                    edits.remove(inst);
                }
            }
            edits.apply(body);
            true
        });
    }
    unlist(module, &gone, unread.iter().map(|&(_, field)| field));
    !unread.is_empty()
}

/// Removes the initialiser of an updater's class if nothing is left in it.
fn remove_empty_clinit(module: &mut Module, hierarchy: &Hierarchy, clinit: Func) -> bool {
    let class = module.funcs[clinit].class;
    let Some(body) = &module.funcs[clinit].body else { return false };
    let is_empty = body.layout.len() == 1
        && body.blocks[body.entry()].insts.iter().all(|&inst| {
            let op = body.insts[inst].op;
            op == Op::Return || (op.info().effect == Effect::Pure && !body.may_throw(module, inst))
        });
    // Whether a class has an initialiser counts for the serialVersionUID that is computed for it.
    if !is_empty
        || !module.classes[class].methods.contains(&clinit)
        || access::has_computed_uid(module, hierarchy, class)
    {
        return false;
    }
    module.classes[class].methods.retain(|&method| method != clinit);
    true
}
