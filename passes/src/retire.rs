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

use r8lite_ir::{Edits, Effect, Entity, Field, FieldRef, Func, MethodRef, Module, Op, Payload, SecondaryMap};
use rustc_hash::FxHashSet;

use crate::access;
use crate::bodies::OpSet;
use crate::instrument;
use crate::plan::{Recognised, UpdaterPlan};
use crate::registry::{Outcome, PassCx, PassError};
use crate::report;

/// Removes what the plan lets go and nothing uses.
///
/// # Errors
/// If the plan is of another module.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let mut changed = remove_accessors(module, cx);
    let read = fields_read(module, cx);
    let plan = cx.plan;
    for (number, updater) in plan.updaters.iter().enumerate() {
        let Some(recognised) = &updater.recognised else { continue };
        let class = module.fields[updater.field].class;
        if !module.classes[class].fields.contains(&updater.field) {
            continue;
        }
        if updater.hidden && !read.contains(&updater.field) && remove_updater(module, cx, updater, recognised) {
            report::updater_gone(&mut cx.report.updaters[number]);
            changed = true;
        } else {
            report::updater_stayed(&mut cx.report.updaters[number]);
        }
    }
    for (number, updater) in plan.updaters.iter().enumerate() {
        let Some(recognised) = &updater.recognised else { continue };
        let Some(data) = instrument::offset_field(module, updater) else { continue };
        let field = module.declared_field(data.class, data.name).expect("it was just found");
        if !read.contains(&field) {
            remove_static(module, cx, field, recognised.store.func);
            report::not_instrumented(&mut cx.report.updaters[number]);
            changed = true;
        }
    }
    for updater in &plan.updaters {
        changed |= remove_empty_clinit(module, cx, updater);
    }
    cx.report.count();
    Ok(Outcome { changed, declarations: changed })
}

/// Removes accessors that nothing calls, innermost last.
fn remove_accessors(module: &mut Module, cx: &mut PassCx<'_>) -> bool {
    let mut changed = false;
    // An accessor of an accessor frees the inner one; the plan follows only a few in a row.
    loop {
        let called = funcs_called(module, cx);
        let dead: Vec<Func> = cx
            .plan
            .accessors
            .iter()
            .copied()
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

/// The plan's accessors that some instruction of the program calls.
fn funcs_called(module: &Module, cx: &mut PassCx<'_>) -> FxHashSet<Func> {
    let mut called = FxHashSet::default();
    if cx.plan.accessors.is_empty() {
        return called;
    }
    let wanted: FxHashSet<Func> = cx.plan.accessors.iter().copied().collect();
    let hierarchy = cx.hierarchy(module);
    let mut resolved = SecondaryMap::with_len(module.method_ref_count(), None);
    for index in 0..module.method_ref_count() {
        let method = MethodRef::new(index);
        resolved[method] = hierarchy.resolve_method(module, method).filter(|func| wanted.contains(func));
    }
    for func in cx.known.bodies.with_ops(module, OpSet::INVOKES) {
        let Some(body) = &module.funcs[func].body else { continue };
        for (_, inst) in body.layout_insts() {
            if let Payload::Method(method) = body.insts[inst].payload {
                called.extend(resolved[method]);
            }
        }
    }
    called
}

/// The updater and offset fields of the plan that some instruction of the program reads.
fn fields_read(module: &Module, cx: &mut PassCx<'_>) -> FxHashSet<Field> {
    let mut wanted = FxHashSet::default();
    for updater in &cx.plan.updaters {
        wanted.insert(updater.field);
        if let Some(data) = instrument::offset_field(module, updater) {
            wanted.extend(module.declared_field(data.class, data.name));
        }
    }
    let hierarchy = cx.hierarchy(module);
    let mut resolved = SecondaryMap::with_len(module.field_ref_count(), None);
    for index in 0..module.field_ref_count() {
        let field = FieldRef::new(index);
        resolved[field] = hierarchy.resolve_field(module, field).filter(|field| wanted.contains(field));
    }
    let mut read = FxHashSet::default();
    for func in cx.known.bodies.with_ops(module, OpSet::of(&[Op::GetStatic, Op::GetField])) {
        let Some(body) = &module.funcs[func].body else { continue };
        for (_, inst) in body.layout_insts() {
            let data = &body.insts[inst];
            if let (Payload::Field(field), Op::GetStatic | Op::GetField) = (&data.payload, data.op) {
                read.extend(resolved[*field]);
            }
        }
    }
    read
}

/// Removes an updater that nothing reads, and its creation if nothing else uses what it made.
fn remove_updater(module: &mut Module, cx: &mut PassCx<'_>, updater: &UpdaterPlan, recognised: &Recognised) -> bool {
    let creation = recognised.creation;
    let Some(body) = &module.funcs[creation.func].body else { return false };
    let made = body.insts[creation.inst].result;
    let mut others = 0;
    for (_, inst) in body.layout_insts() {
        if inst != recognised.store.inst {
            body.insts[inst].for_each_use(|value| others += usize::from(Some(value) == made));
        }
    }
    for &block in &body.layout {
        for catch in &body.blocks[block].catches {
            others += catch.target.args.iter().filter(|&&value| Some(value) == made).count();
        }
    }
    if others > 0 {
        return false;
    }
    cx.known.bodies.edit(module, creation.func, |_, body| {
        let mut edits = Edits::new();
        edits.remove(creation.inst);
        edits.remove(recognised.store.inst);
        edits.apply(body);
        true
    });
    let class = module.fields[updater.field].class;
    module.classes[class].fields.retain(|&field| field != updater.field);
    true
}

/// Removes a static field that nothing reads, and the writes of it in its class's initialiser, where it is only written.
fn remove_static(module: &mut Module, cx: &mut PassCx<'_>, field: Field, clinit: Func) {
    let data = module.fields[field].clone();
    cx.known.bodies.edit(module, clinit, |module, body| {
        let mut edits = Edits::new();
        for (_, inst) in body.layout_insts() {
            let inst_data = &body.insts[inst];
            if let (Op::PutStatic, Payload::Field(written)) = (inst_data.op, &inst_data.payload) {
                let written = module.field_ref(*written);
                if written.class == data.class && written.name == data.name {
                    // What computed the offset is pure, and goes as dead code.
                    edits.remove(inst);
                }
            }
        }
        edits.apply(body);
        true
    });
    module.classes[data.class].fields.retain(|&other| other != field);
}

/// Removes the initialiser of an updater's class if nothing is left in it.
fn remove_empty_clinit(module: &mut Module, cx: &mut PassCx<'_>, updater: &UpdaterPlan) -> bool {
    let Some(recognised) = &updater.recognised else { return false };
    let clinit = recognised.store.func;
    let class = module.funcs[clinit].class;
    let Some(body) = &module.funcs[clinit].body else { return false };
    let is_empty = body.layout.len() == 1
        && body.blocks[body.entry()].insts.iter().all(|&inst| {
            let op = body.insts[inst].op;
            op == Op::Return || (op.info().effect == Effect::Pure && !body.may_throw(inst))
        });
    // Whether a class has an initialiser counts for the serialVersionUID that is computed for it.
    if !is_empty
        || !module.classes[class].methods.contains(&clinit)
        || access::has_computed_uid(module, &cx.hierarchy(module), class)
    {
        return false;
    }
    module.classes[class].methods.retain(|&method| method != clinit);
    // Reads of the class's fields trigger nothing any more.
    cx.known.bodies.look_again();
    true
}
