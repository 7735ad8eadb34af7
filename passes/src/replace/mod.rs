//! Phase 2, replace: turn the calls that the plan names into accesses of the target field.
//!
//! ```text
//!   u = getstatic C.updater                            off = getstatic C.updater$offset
//!   …                                          ──▶     …
//!   done = invokevirtual                               done = cas.volatile this, off, old, new
//!     …compareAndSet(u, this, old, new)
//! ```
//!
//! Where the plan says so, checks stand before the access, in the order of the JDK's: the updater (the offset is 0), the
//! holder, the new value. The offset is read where the updater was read. `get` and `set` become `getfield` and
//! `putfield` where the field can be accessed. The operations that take a function become a loop.
//!
//! Reads of updaters that have no use left stay as they are: they may initialise a class. Other passes know when they
//! can go.

mod expand;

use r8lite_ir::{
    Body, Constant, Edits, FieldData, FieldRef, FieldRefData, Hierarchy, Inst, InstData, Module, Op, Ordering, Origin,
    Payload, SecondaryMap, Type, Value,
};
use rustc_hash::FxHashMap;

use crate::cleanup::Pinned;
use crate::instrument;
use crate::plan::{Access, Action, CallPlan, Guard, Operation, Plan, Recognised, Replacement, UpdaterPlan};
use crate::registry::{Outcome, PassCx, PassError};
use crate::report::{self, CallRow};

/// Replaces the calls of the plan.
///
/// # Errors
/// If the plan is of another module.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let plan = cx.plan;
    let mut changed = false;
    let mut first = 0;
    for calls in plan.calls.chunk_by(|a, b| a.site.func == b.site.func) {
        changed |= replace_in_func(module, cx, plan, calls, first)?;
        first += calls.len();
    }
    cx.report.count();
    Ok(Outcome { changed, declarations: false })
}

/// A call that is replaced, with all that is known of it.
struct Call<'a> {
    inst: Inst,
    op: Operation,
    updater: &'a UpdaterPlan,
    recognised: &'a Recognised,
    replacement: &'a Replacement,
}

fn replace_in_func(
    module: &mut Module,
    cx: &mut PassCx<'_>,
    plan: &Plan,
    calls: &[CallPlan],
    first_row: usize,
) -> Result<bool, PassError> {
    let func = calls[0].site.func;
    let hierarchy = cx.hierarchy(module);
    let PassCx { known, report, .. } = cx;
    let mut result = Err(PassError::new("the plan is of another module: a call stands in a method without a body"));
    known.bodies.edit(module, func, |module, body| {
        result = replace_in_body(module, &hierarchy, body, plan, calls, &mut report.calls[first_row..]);
        // After an error nobody asks.
        matches!(result, Ok(true))
    });
    result
}

fn replace_in_body(
    module: &mut Module,
    hierarchy: &Hierarchy,
    body: &mut Body,
    plan: &Plan,
    calls: &[CallPlan],
    rows: &mut [CallRow],
) -> Result<bool, PassError> {
    let mut standing = SecondaryMap::with_len(body.insts.len(), false);
    body.layout_insts().for_each(|(_, inst)| standing[inst] = true);
    for (row, call) in rows.iter_mut().zip(calls) {
        if matches!(call.action, Action::Replace(_)) && !standing[call.site.inst] {
            report::call_gone(row);
        }
    }
    let calls: Vec<Call<'_>> = calls.iter().filter_map(|call| planned(&standing, plan, call)).collect();
    if calls.is_empty() {
        return Ok(false);
    }
    let (edits, offsets, pinned) = (Edits::new(), FxHashMap::default(), None);
    let mut replacer = Replacer { module, hierarchy, body, edits, offsets, pinned };
    let mut loops = Vec::new();
    for call in &calls {
        loops.extend(replacer.replace(call)?);
    }
    let Replacer { module, edits, body, .. } = replacer;
    edits.apply(body);
    expand::expand_all(module, body, loops);
    Ok(true)
}

/// The call, if the plan replaces it and it still stands there.
fn planned<'a>(standing: &SecondaryMap<Inst, bool>, plan: &'a Plan, call: &'a CallPlan) -> Option<Call<'a>> {
    let Action::Replace(replacement) = &call.action else { return None };
    let updater = &plan.updaters[call.updater?.0 as usize];
    let recognised = updater.recognised.as_ref()?;
    standing[call.site.inst].then_some(Call { inst: call.site.inst, op: call.op, updater, recognised, replacement })
}

struct Replacer<'a> {
    module: &'a mut Module,
    hierarchy: &'a Hierarchy,
    body: &'a mut Body,
    edits: Edits,
    /// The offset that was read in the place of an instruction that read an updater.
    offsets: FxHashMap<(Inst, FieldRef), Value>,
    /// Found when first asked for.
    pinned: Option<Pinned>,
}

impl Replacer<'_> {
    /// Replaces a call; one that becomes a loop is prepared, checks and all, and handed back.
    fn replace(&mut self, call: &Call<'_>) -> Result<Option<expand::Loop>, PassError> {
        let data = self.body.insts[call.inst].clone();
        let args = &data.args;
        let origin = data.origin;
        let (receiver, mut holder) = (args[0], args[1]);
        let Replacement { access, guard, check_holder, check_value } = *call.replacement;
        let holder_type = Type::Class(call.recognised.holder);
        let value_type = call.recognised.value;

        let offset = match access == Access::Offset || guard == Guard::Offset {
            true => Some(self.offset(call, receiver, origin)?),
            false => None,
        };
        if guard == Guard::Offset {
            let offset = offset.expect("a guard reads the offset");
            let zero = self.body.constant(self.module, Constant::I64(0));
            let assigned = self.value(call.inst, Op::Ne, Payload::None, &[offset, zero], origin);
            self.name(assigned, "assigned");
            self.check(call.inst, "java.lang.NullPointerException", assigned, origin)?;
        }
        let typed = self.fits(holder, holder_type);
        if check_holder {
            let valid = if typed {
                let null = self.body.constant(self.module, Constant::Null);
                self.value(call.inst, Op::Ne, Payload::None, &[holder, null], origin)
            } else {
                self.value(call.inst, Op::InstanceOf, Payload::Type(holder_type), &[holder], origin)
            };
            self.name(valid, "valid");
            self.check(call.inst, "java.lang.ClassCastException", valid, origin)?;
        }
        if access == Access::Field && !typed {
            holder = self.value(call.inst, Op::CheckCast, Payload::Type(holder_type), &[holder], origin);
        }
        let mut rest: Vec<Value> = args[2..].to_vec();
        if let Some(index) = call.op.new_value_arg()
            && (check_value || !self.fits(rest[index], value_type))
        {
            rest[index] = self.value(call.inst, Op::CheckCast, Payload::Type(value_type), &[rest[index]], origin);
        }
        if call.op.takes_function() {
            let offset = offset.expect("a loop accesses the field at its offset");
            let (inst, op) = (call.inst, call.op);
            return Ok(Some(expand::Loop { inst, op, offset, value_type, check_value }));
        }
        let result = match access {
            Access::Field => self.access_field(call, holder, &rest, origin),
            Access::Offset => self.access_offset(call, holder, offset.expect("read above"), &rest, origin),
        };
        if let (Some(old), Some(mut new)) = (data.result, result) {
            // The field's type is narrower than what the call returned; a `select` or an array access shows that.
            if self.body.values[old].ty != self.body.values[new].ty
                && !self.pinned.get_or_insert_with(|| Pinned::new(self.body)).can_replace(self.body, old, new)
            {
                let ty = self.body.values[old].ty;
                new = self.value(call.inst, Op::CheckCast, Payload::Type(ty), &[new], origin);
            }
            let name = self.body.values[old].name;
            self.body.values[new].name = name.or(self.body.values[new].name);
            self.edits.alias(old, new);
        }
        self.edits.remove(call.inst);
        Ok(None)
    }

    /// The offset, read where the updater was read, if that is in this body and yields the very receiver; else here.
    /// No code runs between the two reads, so they stand for each other.
    fn offset(&mut self, call: &Call<'_>, receiver: Value, origin: Origin) -> Result<Value, PassError> {
        let Some(field) = instrument::offset_field(self.module, self.hierarchy, call.updater) else {
            return Err(PassError::new("`replace` needs the offset fields that `instrument` adds"));
        };
        let FieldData { class, name, ty, .. } = self.module.fields[field];
        let field = self.module.intern_field_ref(FieldRefData { class, name, ty });
        let at = match self.body.def_inst(receiver) {
            Some(read) if self.body.insts[read].op == Op::GetStatic || self.body.insts[read].op.is_invoke() => read,
            _ => call.inst,
        };
        if let Some(&offset) = self.offsets.get(&(at, field)) {
            return Ok(offset);
        }
        let origin = if at == call.inst { origin } else { self.body.insts[at].origin };
        let name = Some(self.module.symbol("offset"));
        let read = InstData::new(Op::GetStatic, Payload::Field(field), [], origin);
        let read = self.body.make_inst(self.module, read, name);
        if at != call.inst && self.has_effect_before_read(at, call.updater) {
            self.edits.after(at, read);
        } else {
            self.edits.before(at, read);
        }
        let offset = self.body.insts[read].result.expect("getstatic has a result");
        self.offsets.insert((at, field), offset);
        Ok(offset)
    }

    /// Whether an instruction that reads an updater may do anything else before: an accessor of another class initialises
    /// that class first, and a virtual one may throw. A static one of the updater's class begins with initialising that.
    fn has_effect_before_read(&self, inst: Inst, updater: &UpdaterPlan) -> bool {
        let data = &self.body.insts[inst];
        let Some(method) = data.method_symbol() else { return false };
        let callee = self.hierarchy.resolve_method(self.module, method).map(|callee| self.module.funcs[callee].class);
        data.op != Op::InvokeStatic || callee != Some(self.module.fields[updater.field].class)
    }

    fn access_field(&mut self, call: &Call<'_>, holder: Value, args: &[Value], origin: Origin) -> Option<Value> {
        let target = &self.module.fields[call.recognised.target];
        let field = FieldRefData { class: target.class, name: target.name, ty: target.ty };
        let payload = Payload::Field(self.module.intern_field_ref(field));
        match call.op {
            Operation::Get => Some(self.value(call.inst, Op::GetField, payload, &[holder], origin)),
            _ => {
                self.inst(call.inst, Op::PutField, payload, &[holder, args[0]], origin);
                None
            }
        }
    }

    fn access_offset(
        &mut self,
        call: &Call<'_>,
        holder: Value,
        offset: Value,
        args: &[Value],
        origin: Origin,
    ) -> Option<Value> {
        let at = call.inst;
        let volatile = Payload::Ordering(Ordering::Volatile);
        let typed = Payload::OrderedType(Ordering::Volatile, call.recognised.value);
        let is_long = call.recognised.value == Type::I64;
        let one = |this: &mut Self, n: i32| {
            let n = if is_long { Constant::I64(n.into()) } else { Constant::I32(n) };
            this.body.constant(this.module, n)
        };
        match call.op {
            Operation::Get => Some(self.value(at, Op::Load, typed, &[holder, offset], origin)),
            Operation::Set => {
                self.inst(at, Op::Store, volatile, &[holder, offset, args[0]], origin);
                None
            }
            Operation::LazySet => {
                self.inst(at, Op::Store, Payload::Ordering(Ordering::Release), &[holder, offset, args[0]], origin);
                None
            }
            Operation::CompareAndSet | Operation::WeakCompareAndSet => {
                Some(self.value(at, Op::Cas, volatile, &[holder, offset, args[0], args[1]], origin))
            }
            Operation::GetAndSet => Some(self.value(at, Op::GetAndSet, typed, &[holder, offset, args[0]], origin)),
            Operation::GetAndAdd
            | Operation::GetAndIncrement
            | Operation::GetAndDecrement
            | Operation::AddAndGet
            | Operation::IncrementAndGet
            | Operation::DecrementAndGet => {
                let delta = match call.op {
                    Operation::GetAndIncrement | Operation::IncrementAndGet => one(self, 1),
                    Operation::GetAndDecrement | Operation::DecrementAndGet => one(self, -1),
                    _ => args[0],
                };
                let old = self.value(at, Op::GetAndAdd, volatile, &[holder, offset, delta], origin);
                match call.op {
                    Operation::AddAndGet | Operation::IncrementAndGet | Operation::DecrementAndGet => {
                        self.name(old, "old");
                        Some(self.value(at, Op::Add, Payload::None, &[old, delta], origin))
                    }
                    _ => Some(old),
                }
            }
            Operation::GetAndUpdate
            | Operation::UpdateAndGet
            | Operation::GetAndAccumulate
            | Operation::AccumulateAndGet => unreachable!("operations that take a function become a loop"),
        }
    }

    /// Names a value that the program had no name for.
    fn name(&mut self, value: Value, name: &str) {
        self.body.values[value].name = Some(self.module.symbol(name));
    }

    /// Whether the static type of a value is enough for a place that wants `ty`.
    fn fits(&mut self, value: Value, ty: Type) -> bool {
        let from = self.body.values[value].ty;
        self.hierarchy.is_assignable(self.module, from, ty) == r8lite_ir::Answer::Yes
    }

    fn check(&mut self, at: Inst, exception: &str, condition: Value, origin: Origin) -> Result<(), PassError> {
        let Some(class) = self.module.find_class(exception) else {
            return Err(PassError::new(format!("the class library lacks {exception}")));
        };
        self.inst(at, Op::Check, Payload::Class(class), &[condition], origin);
        Ok(())
    }

    /// Puts an instruction before `at`.
    fn inst(&mut self, at: Inst, op: Op, payload: Payload, args: &[Value], origin: Origin) -> Inst {
        let data = InstData::new(op, payload, args.iter().copied(), origin);
        let inst = self.body.make_inst(self.module, data, None);
        self.edits.before(at, inst);
        inst
    }

    /// Puts an instruction before `at`, for its result.
    fn value(&mut self, at: Inst, op: Op, payload: Payload, args: &[Value], origin: Origin) -> Value {
        let inst = self.inst(at, op, payload, args, origin);
        self.body.insts[inst].result.expect("the opcode has a result")
    }
}
