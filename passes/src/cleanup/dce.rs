//! Removes instructions whose result nothing uses and that do nothing else.
//!
//! ```text
//!   off = field_offset Node.next
//!   a = add x, 1                 →     return x
//!   b = mul a, a
//!   return x
//! ```
//!
//! What goes: pure instructions that cannot throw; reads of fields that are not volatile, if the object is certainly
//! there; unordered reads at an offset, if the offset is certainly one of the holder's; reads of static fields and
//! `initclass`, if the class initialises without any effect. That is so for a class which has no initialiser and whose
//! superclasses and superinterfaces have none, all of them known: nothing runs, so nothing can fail or be observed.
//! (Code of a class's own methods is no proof: an instance may have leaked from an initialiser that failed, and then
//! the read throws `NoClassDefFoundError`.)
//! Holds before: a verified body. Holds after: the same, without such instructions.
//! Cost: linear; facts are found only where an unused read needs a proof.

use r8lite_ir::{
    Answer, Body, Class, Edits, Effect, Entity, Flags, Func, Hierarchy, Inst, Module, Op, Ordering, Type, Value,
};

use super::is_declared_without;
use crate::facts::{Facts, is_sound};
use crate::registry::BodyCx;

/// Cleans one body; whether it changed.
pub fn clean(cx: &BodyCx<'_>, func: Func, body: &mut Body) -> bool {
    let (module, hierarchy) = (cx.module, cx.hierarchy);
    let mut used = cx.used.borrow_mut();
    used.clear();
    used.resize(body.values.len(), false);
    let mut facts = None;
    let mut edits = Edits::new();
    // Uses stand after definitions, so all that stays of them is known when a definition is met from behind.
    for &block in body.layout.iter().rev() {
        let data = &body.blocks[block];
        for &inst in data.insts.iter().rev() {
            let data = &body.insts[inst];
            let is_unused = data.result.is_none_or(|result| !used[result.index()]);
            let goes = is_unused
                && match may_go(module, body, inst) {
                    Need::Nothing => true,
                    Need::Object => {
                        let facts = facts.get_or_insert_with(|| Facts::new(module, hierarchy, func, body));
                        is_there(module, hierarchy, body, facts, inst)
                    }
                    Need::Class(class) => {
                        let field = data.field_symbol();
                        field.is_none_or(|field| is_declared_without(module, hierarchy, field, Flags::VOLATILE))
                            && cx.initialises_idly(class)
                    }
                    Need::Stays => false,
                };
            if goes {
                edits.remove(inst);
            } else {
                data.for_each_use(|value| used[value.index()] = true);
            }
        }
        data.catches.iter().flat_map(|catch| &catch.target.args).for_each(|&arg| used[arg.index()] = true);
    }
    let changed = !edits.is_empty();
    edits.apply(body);
    changed
}

/// What has to be certain for an instruction to go whose result nothing uses.
#[derive(PartialEq)]
enum Need {
    /// Nothing more.
    Nothing,
    /// That the object it reads is there.
    Object,
    /// That the class initialises without effect.
    Class(Class),
    /// It does more than compute its result.
    Stays,
}

fn may_go(module: &Module, body: &Body, inst: Inst) -> Need {
    let data = &body.insts[inst];
    let is_unordered = |ordering| matches!(ordering, Ordering::Plain | Ordering::Opaque);
    if matches!(data.op, Op::GetField | Op::ArrayLength)
        || data.op == Op::Load && data.ordering().is_some_and(is_unordered)
    {
        Need::Object
    } else if data.op == Op::GetStatic {
        data.field_symbol().map_or(Need::Stays, |field| Need::Class(module.field_ref(field).class))
    } else if data.op == Op::InitClass {
        data.class_symbol().map_or(Need::Stays, Need::Class)
    } else if data.op.info().effect == Effect::Pure && !body.may_throw(module, inst) {
        Need::Nothing
    } else {
        Need::Stays
    }
}

/// Whether a read finds its object, and says nothing to other threads.
fn is_there(module: &Module, hierarchy: &Hierarchy, body: &Body, facts: &Facts<'_>, inst: Inst) -> bool {
    let data = &body.insts[inst];
    facts.is_non_null(data.args[0], inst)
        && match data.type_symbol() {
            Some(ty) => is_offset_of(module, hierarchy, body, data.args[0], data.args[1], ty),
            // To read a final field acquires its write, and with it what the object's constructor did.
            None => data.field_symbol().is_none_or(|field| {
                [Flags::VOLATILE, Flags::FINAL]
                    .into_iter()
                    .all(|flag| is_declared_without(module, hierarchy, field, flag))
            }),
        }
}

/// Whether `offset` is that of a field of `holder` with this type.
fn is_offset_of(module: &Module, hierarchy: &Hierarchy, body: &Body, holder: Value, offset: Value, ty: Type) -> bool {
    let Some(inst) = body.def_inst(offset) else { return false };
    let Some(field) = body.insts[inst].field_symbol().filter(|_| body.insts[inst].op == Op::FieldOffset) else {
        return false;
    };
    let Some(field) = hierarchy.resolve_field(module, field) else { return false };
    let data = &module.fields[field];
    let holder = body.values[holder].ty;
    data.ty == ty
        && is_sound(module, holder)
        && hierarchy.is_subtype(module, holder, Type::Class(data.class)) == Answer::Yes
}
