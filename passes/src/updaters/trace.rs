//! Trace a value that a method of an updater is called on back to the updater it must be.

use r8lite_ir::{
    Body, Class, Constant, Field, Flags, Func, Hierarchy, Inst, InstData, MethodRef, Module, Op, Payload, SecondaryMap,
    Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::api::{Api, ApiMethod};
use super::incoming::for_each_incoming;
use super::index::ProgramIndex;
use super::reasons;
use crate::access;
use crate::names::{field_name, func_name};
use crate::plan::{PlanOptions, Reason, Site, UpdaterId, UpdaterPlan};

/// How many values are looked at for one call before the trace gives up; the rest of the work stays linear by it.
const MAX_VALUES: usize = 1000;

/// How many of them are kept in a list; beyond that, in a table.
const MAX_LISTED: usize = 16;

/// Values still to be looked at, each with its method.
type Todo = SmallVec<[(Func, Value); 4]>;

/// How many accessors that only call another accessor are followed.
const MAX_ACCESSOR_DEPTH: u32 = 4;

/// Where the updater of a call comes from.
pub(crate) struct Trace {
    pub(crate) updater: UpdaterId,
    /// The instructions that read it, or that call an accessor which does.
    pub(crate) leaves: Vec<Site>,
}

/// What a trace needs to know.
pub(crate) struct Tracer<'a> {
    pub(crate) module: &'a Module,
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) api: &'a Api,
    pub(crate) index: &'a ProgramIndex,
    pub(crate) options: &'a PlanOptions,
    pub(crate) by_field: SecondaryMap<Field, Option<UpdaterId>>,
    /// For each method that only returns an updater field: that field.
    pub(crate) accessors: FxHashMap<Func, Field>,
}

impl<'a> Tracer<'a> {
    pub(crate) fn new(
        module: &'a Module,
        hierarchy: &'a Hierarchy,
        api: &'a Api,
        index: &'a ProgramIndex,
        updaters: &[UpdaterPlan],
        options: &'a PlanOptions,
    ) -> Tracer<'a> {
        let mut by_field = SecondaryMap::new();
        updaters.iter().enumerate().for_each(|(i, row)| by_field[row.field] = Some(UpdaterId(i as u32)));
        let mut tracer = Tracer { module, hierarchy, api, index, options, by_field, accessors: FxHashMap::default() };
        // An accessor stands where an updater is read, or calls one that does: look only there, inside out.
        let mut found: Vec<Func> = index.reads.iter().map(|&(site, _)| site.func).collect();
        for _ in 0..MAX_ACCESSOR_DEPTH {
            let mut callers = Vec::new();
            for func in found {
                if tracer.accessors.contains_key(&func) {
                    continue;
                }
                if let Some(field) = tracer.accessor_field(func).filter(|_| module.funcs[func].is_static()) {
                    tracer.accessors.insert(func, field);
                    callers.extend(index.callers(func).iter().map(|site| site.func));
                }
            }
            found = callers;
        }
        tracer
    }

    /// The updater field that a method does nothing but return.
    fn accessor_field(&self, func: Func) -> Option<Field> {
        let data = &self.module.funcs[func];
        let body = data.body.as_ref()?;
        let [entry] = body.layout[..] else { return None };
        let [read, end] = body.blocks[entry].insts[..] else { return None };
        if !body.blocks[entry].catches.is_empty() || data.flags.has(Flags::SYNCHRONIZED) {
            return None;
        }
        let (read, end) = (&body.insts[read], &body.insts[end]);
        if end.op != Op::Return || read.result.is_none() || end.args.first() != read.result.as_ref() {
            return None;
        }
        match read.op {
            Op::GetStatic => {
                let field = self.hierarchy.resolve_field(self.module, read.field_symbol()?)?;
                self.by_field[field].map(|_| field)
            }
            Op::InvokeStatic => self.accessors.get(&self.callee(read.op, &read.payload)?).copied(),
            _ => None,
        }
    }

    /// Whether an instruction calls an operation of an updater.
    pub(crate) fn is_updater_call(&self, data: &InstData) -> bool {
        let method = data.method_symbol().and_then(|method| self.api.method(method));
        matches!(method, Some(ApiMethod::Operation(..)))
    }

    /// The one method that a call certainly runs, unless it throws first.
    pub(crate) fn callee(&self, op: Op, payload: &Payload) -> Option<Func> {
        let Payload::Method(method) = *payload else { return None };
        let func = self.hierarchy.resolve_method(self.module, method)?;
        match op {
            Op::InvokeStatic | Op::InvokeSpecial => Some(func),
            _ => self.module.funcs[func].flags.has(Flags::PRIVATE).then_some(func),
        }
    }

    /// The updater field that an instruction reads by calling a static accessor.
    fn called_accessor(&self, body: &Body, inst: Inst) -> Option<Field> {
        let data = &body.insts[inst];
        if data.op != Op::InvokeStatic {
            return None;
        }
        let func = self.callee(data.op, &data.payload)?;
        self.accessors.get(&func).copied()
    }

    /// The updater field that a virtual call returns, whichever body of the input it runs: every one that there can be
    /// does nothing but return it. Also the option that would rule out others, if there may be any.
    fn only_answer(&self, data: &InstData) -> Option<(Field, Option<&'static str>)> {
        let func = self.hierarchy.resolve_method(self.module, data.method_symbol()?)?;
        let (method, class) = (&self.module.funcs[func], &self.module.classes[self.module.funcs[func].class]);
        let overridable = !method.flags.has(Flags::FINAL) && !class.flags.has(Flags::FINAL);
        if overridable && method.flags.has(Flags::EXPOSED) {
            return None;
        }
        let bodies = self.hierarchy.implementations(self.module, func)?;
        let field = self.accessor_field(*bodies.first()?)?;
        let opening = self.options.opening(method.flags).filter(|_| overridable);
        bodies.iter().all(|&body| self.accessor_field(body) == Some(field)).then_some((field, opening))
    }

    /// Whether the members of a class that are not private count for the serialVersionUID that is computed for it.
    pub(crate) fn has_fixed_members(&self, class: Class) -> bool {
        !self.options.declares_uids && access::has_computed_uid(self.module, self.hierarchy, class)
    }

    /// Why a member stays even if nothing in the program uses it; none if it may go.
    pub(crate) fn reason_to_stay(&self, class: Class, flags: Flags, what: &str) -> Option<Reason> {
        if flags.has(Flags::EXPOSED) {
            return Some(reasons::exposed(what));
        }
        if let Some(flag) = self.options.opening(flags) {
            return Some(reasons::visible_outside(what, flag));
        }
        let counts = !flags.has(Flags::PRIVATE) && self.has_fixed_members(class);
        counts.then(|| reasons::counts_for_uid(what, self.module.class_name(class)))
    }

    /// Traces the receiver of a call.
    pub(crate) fn trace(&self, call: Site) -> Result<Trace, Reason> {
        self.trace_value(call.func, self.body(call.func).insts[call.inst].args[0])
    }

    /// Traces a value.
    pub(crate) fn trace_value(&self, func: Func, value: Value) -> Result<Trace, Reason> {
        // Nearly every trace is a few steps long, for which a list does.
        let mut seen: SmallVec<[(Func, Value); MAX_LISTED]> = SmallVec::new();
        let mut many: FxHashSet<(Func, Value)> = FxHashSet::default();
        let mut todo = Todo::new();
        todo.push((func, value));
        let mut leaves = Vec::new();
        let mut updater = None;
        while let Some((func, value)) = todo.pop() {
            let is_new = match seen.len() {
                MAX_LISTED => !seen.contains(&(func, value)) && many.insert((func, value)),
                _ => {
                    !seen.contains(&(func, value)) && {
                        seen.push((func, value));
                        true
                    }
                }
            };
            if !is_new {
                continue;
            }
            if seen.len() + many.len() > MAX_VALUES {
                return Err(reasons::receiver_unknown("too many places to follow"));
            }
            let body = self.body(func);
            match body.values[value].def {
                ValueDef::Const(Constant::Null) => return Err(reasons::receiver_null()),
                ValueDef::Const(_) => return Err(reasons::receiver_unknown("a constant")),
                ValueDef::Param(block, index) if block == body.entry() => {
                    self.trace_parameter(func, index as usize, &mut todo)?;
                }
                ValueDef::Param(block, index) => {
                    if !for_each_incoming(body, block, index as usize, |value| todo.push((func, value))) {
                        return Err(reasons::receiver_unknown("an exception"));
                    }
                }
                ValueDef::Result(inst) => match self.trace_result(func, body, inst, &mut todo)? {
                    None => {}
                    Some(field) => {
                        let found = self.by_field[field].expect("what was read is the field of an updater");
                        if updater.is_some_and(|other| other != found) {
                            return Err(reasons::receiver_disagrees());
                        }
                        updater = Some(found);
                        leaves.push(Site { func, inst });
                    }
                },
            }
        }
        let updater = updater.ok_or_else(|| reasons::receiver_unknown("nowhere: the call cannot be reached"))?;
        leaves.sort_unstable();
        Ok(Trace { updater, leaves })
    }

    /// The updater field that an instruction's result was read from; or none, with the values it may come from.
    fn trace_result(&self, func: Func, body: &Body, inst: Inst, todo: &mut Todo) -> Result<Option<Field>, Reason> {
        let data = &body.insts[inst];
        match data.op {
            Op::GetStatic | Op::GetField => {
                let field = data.field_symbol().and_then(|field| self.hierarchy.resolve_field(self.module, field));
                match field {
                    Some(field) if data.op == Op::GetField => {
                        Err(reasons::receiver_instance_field(&field_name(self.module, field)))
                    }
                    Some(field) if self.by_field[field].is_some() => Ok(Some(field)),
                    _ => Err(reasons::receiver_unknown("a field of a class that is not in the input")),
                }
            }
            Op::CheckCast => {
                todo.push((func, data.args[0]));
                Ok(None)
            }
            Op::Select => {
                todo.extend([(func, data.args[1]), (func, data.args[2])]);
                Ok(None)
            }
            Op::InvokeStatic | Op::InvokeVirtual | Op::InvokeSpecial | Op::InvokeInterface => {
                let method = data.method_symbol().expect("a call names a method");
                let answer = self.called_accessor(body, inst).map(|field| (field, None));
                match answer.or_else(|| self.only_answer(data)) {
                    Some((field, None)) => return Ok(Some(field)),
                    Some((_, Some(flag))) => {
                        return Err(reasons::receiver_virtual_open(&self.method_ref_name(method), flag));
                    }
                    None => {}
                }
                if self.module.name(self.module.method_ref(method).name) == "newUpdater" {
                    return Err(reasons::receiver_made_here());
                }
                let shown = self.method_ref_name(method);
                let is_virtual = matches!(data.op, Op::InvokeVirtual | Op::InvokeInterface);
                Err(match is_virtual {
                    true => reasons::receiver_virtual(&shown),
                    false => reasons::receiver_unknown(&format!("the result of {shown}")),
                })
            }
            Op::ArrayLoad => Err(reasons::receiver_unknown("an array")),
            op => Err(reasons::receiver_unknown(&format!("the result of {}", op.mnemonic()))),
        }
    }

    /// The arguments that reach a parameter, if all callers are known.
    fn trace_parameter(&self, func: Func, index: usize, todo: &mut Todo) -> Result<(), Reason> {
        let data = &self.module.funcs[func];
        let shown = func_name(self.module, func);
        let is_constructor = self.module.name(data.name) == "<init>";
        let bound = data.flags.has(Flags::STATIC) || data.flags.has(Flags::PRIVATE) || is_constructor;
        if !bound {
            return Err(reasons::receiver_virtual_parameter(&shown));
        }
        if data.flags.has(Flags::EXPOSED) {
            return Err(reasons::receiver_parameter_exposed(&shown));
        }
        let opening = self.options.opening(data.flags).filter(|_| data.copy_of.is_none());
        if let Some(flag) = opening {
            return Err(reasons::receiver_parameter(&shown, flag));
        }
        let callers = self.index.callers(func);
        if callers.is_empty() {
            return Err(reasons::receiver_parameter_uncalled(&shown));
        }
        for &site in callers {
            let body = self.body(site.func);
            todo.push((site.func, body.insts[site.inst].args[index]));
        }
        Ok(())
    }

    pub(crate) fn body(&self, func: Func) -> &'a Body {
        self.module.funcs[func].body.as_ref().expect("a method that has instructions has a body")
    }

    fn method_ref_name(&self, method: MethodRef) -> String {
        let data = self.module.method_ref(method);
        [self.module.class_name(data.class), ".", self.module.name(data.name)].concat()
    }
}
