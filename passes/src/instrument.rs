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

use r8lite_ir::{Edits, FieldData, FieldRefData, Flags, InstData, Module, Op, Payload, Type};

use crate::bodies::Bodies;
use crate::plan::{OffsetField, Recognised, UpdaterPlan};
use crate::registry::{Outcome, PassCx, PassError};

/// Adds the offset fields of the plan, and their assignments.
///
/// # Errors
/// If the plan is of another module.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let mut changed = false;
    for updater in &cx.plan.updaters {
        let (Some(recognised), Some(offset)) = (&updater.recognised, &updater.offset) else { continue };
        // Twice instrumenting is once: the field is there then.
        if offset_field(module, updater).is_some() {
            continue;
        }
        changed |= add_offset_field(module, &mut cx.known.bodies, updater, recognised, offset)?;
    }
    Ok(Outcome { changed, declarations: changed })
}

/// The reference by which an updater's offset field is read and written; none before it is there.
pub(crate) fn offset_field(module: &Module, updater: &UpdaterPlan) -> Option<FieldRefData> {
    let class = module.fields[updater.field].class;
    let name = module.find_symbol(&updater.offset.as_ref()?.name)?;
    let field = module.declared_field(class, name)?;
    (module.fields[field].ty == Type::I64).then_some(FieldRefData { class, name, ty: Type::I64 })
}

fn add_offset_field(
    module: &mut Module,
    bodies: &mut Bodies,
    updater: &UpdaterPlan,
    recognised: &Recognised,
    offset: &OffsetField,
) -> Result<bool, PassError> {
    let class = module.fields[updater.field].class;
    let name = module.symbol(&offset.name);
    let flags = offset.flags.with(Flags::STATIC).with(Flags::FINAL).with(Flags::SYNTHETIC);
    let pos = module.fields[updater.field].pos;
    module.add_field(FieldData { class, name, flags, ty: Type::I64, init: None, pos });
    let target = &module.fields[recognised.target];
    let target = FieldRefData { class: target.class, name: target.name, ty: target.ty };
    let target = module.intern_field_ref(target);
    let field = module.intern_field_ref(FieldRefData { class, name, ty: Type::I64 });

    let store = recognised.store;
    let stored = bodies.edit(module, store.func, |module, body| {
        let origin = body.insts[store.inst].origin;
        let name = Some(module.symbol("offset"));
        let read = body.make_inst(module, InstData::new(Op::FieldOffset, Payload::Field(target), [], origin), name);
        let value = body.insts[read].result.expect("field_offset has a result");
        let write = body.make_inst(module, InstData::new(Op::PutStatic, Payload::Field(field), [value], origin), None);
        let mut edits = Edits::new();
        edits.before(store.inst, read);
        edits.before(store.inst, write);
        edits.apply(body);
        true
    });
    if stored {
        Ok(true)
    } else {
        Err(PassError::new("the plan is of another module: an updater is stored in a method without a body"))
    }
}
