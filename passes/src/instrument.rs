//! Phase 1, instrument: add the offset fields that the plan asks for.
//!
//! ```text
//!   static method <clinit>() {                            static method <clinit>() {
//!     u = invokestatic …newUpdater(class C, …, "x")         u = invokestatic …newUpdater(class C, …, "x")
//!                                                   ──▶     off = field_offset C.x
//!                                                           putstatic C.updater$offset, off
//!     putstatic C.updater, u                                putstatic C.updater, u
//! ```
//!
//! The offset is stored right where the updater is, and a real offset is never 0: so *the offset is 0* and *the updater is
//! null* are the same thing, always.

use r8lite_ir::{
    Edits, Field, FieldData, FieldRef, FieldRefData, Flags, Func, Hierarchy, Inst, InstData, Module, Op, Payload, Type,
};

use crate::plan::UpdaterPlan;
use crate::registry::{Outcome, PassCx, PassError};

/// Adds the offset fields of the plan, and their assignments.
///
/// # Errors
/// If the plan is of another module.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let hierarchy = cx.hierarchy(module);
    let mut stores: Vec<(Func, OffsetStore)> = Vec::new();
    for updater in &cx.plan.updaters {
        // Twice instrumenting is once: the field is there then.
        if offset_field(module, &hierarchy, updater).is_none() {
            stores.extend(add_offset_field(module, updater));
        }
    }
    drop(hierarchy);
    // The plan has chosen names that no field has.
    cx.known.fields_added(module, stores.iter().map(|&(_, store)| store.field));
    // A class initialiser is edited once for all its updaters.
    stores.sort_by_key(|&(func, _)| func);
    for stores in stores.chunk_by(|a, b| a.0 == b.0) {
        store_offsets(module, cx, stores)?;
    }
    Ok(Outcome { changed: !stores.is_empty(), declarations: false })
}

/// The offset field of an updater; none before it is there.
pub(crate) fn offset_field(module: &Module, hierarchy: &Hierarchy, updater: &UpdaterPlan) -> Option<Field> {
    let class = module.fields[updater.field].class;
    let name = module.find_symbol(&updater.offset.as_ref()?.name)?;
    hierarchy.declared_field(class, name, Type::I64)
}

/// The assignment of an offset field.
#[derive(Clone, Copy)]
struct OffsetStore {
    /// The assignment of the updater, before which it stands.
    before: Inst,
    field: Field,
    offset: FieldRef,
    target: FieldRef,
}

/// Adds the offset field that the plan asks for, if it does.
fn add_offset_field(module: &mut Module, updater: &UpdaterPlan) -> Option<(Func, OffsetStore)> {
    let (recognised, offset) = (updater.recognised.as_ref()?, updater.offset.as_ref()?);
    let class = module.fields[updater.field].class;
    let name = module.symbol(&offset.name);
    let flags = offset.flags.with(Flags::STATIC).with(Flags::FINAL).with(Flags::SYNTHETIC);
    let pos = module.fields[updater.field].pos;
    let field = module.add_field(FieldData { class, name, flags, ty: Type::I64, init: None, pos });
    let target = &module.fields[recognised.target];
    let target = FieldRefData { class: target.class, name: target.name, ty: target.ty };
    let target = module.intern_field_ref(target);
    let offset = module.intern_field_ref(FieldRefData { class, name, ty: Type::I64 });
    Some((recognised.store.func, OffsetStore { before: recognised.store.inst, field, offset, target }))
}

/// Assigns the offset fields of one class.
fn store_offsets(module: &mut Module, cx: &mut PassCx<'_>, stores: &[(Func, OffsetStore)]) -> Result<(), PassError> {
    let name = Some(module.symbol("offset"));
    let stored = cx.known.bodies.edit(module, stores[0].0, |module, body| {
        let mut edits = Edits::new();
        for &(_, OffsetStore { before, offset, target, .. }) in stores {
            let origin = body.insts[before].origin;
            let read = InstData::new(Op::FieldOffset, Payload::Field(target), [], origin);
            let read = body.make_inst(module, read, name);
            let value = body.insts[read].result.expect("field_offset has a result");
            let write = InstData::new(Op::PutStatic, Payload::Field(offset), [value], origin);
            let write = body.make_inst(module, write, None);
            edits.before(before, read);
            edits.before(before, write);
        }
        edits.apply(body);
        true
    });
    if stored {
        Ok(())
    } else {
        Err(PassError::new("the plan is of another module: an updater is stored in a method without a body"))
    }
}
