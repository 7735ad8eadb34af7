//! Unused arguments: pass `null` for a parameter that the called method never looks at.
//!
//! ```text
//!   u = getstatic C.updater                              u = getstatic C.updater
//!   invokestatic C.helper(u, this)             ──▶       invokestatic C.helper(null, this)
//!   static method helper(unused: …, o: Object)           static method helper(unused: …, o: Object)
//! ```
//!
//! So a helper whose updater calls were replaced no longer keeps the updater alive. A parameter that is only handed on
//! to such parameters, round a recursion perhaps, is unused as well. Only calls that run one certain method of the
//! program count: static calls, and calls of private methods and constructors. Signatures stay as they are.
//! Cost: linear in the program, but for a sort of the parameters that are handed on.

use r8lite_ir::{
    ClassOrigin, Constant, Entity, Flags, Func, InstData, MethodRef, Module, Op, Payload, SecondaryMap, ValueDef,
};

use crate::bodies::OpSet;
use crate::registry::{Outcome, PassCx, PassError};

/// Passes `null` for unused reference parameters.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let callees = Callees::new(module, cx);
    let unused = unused_params(module, &callees);
    let mut changed = false;
    for func in cx.known.bodies.with_ops(module, OpSet::INVOKES) {
        let Some(body) = &module.funcs[func].body else { continue };
        let mut found = Vec::new();
        for (_, inst) in body.layout_insts() {
            let data = &body.insts[inst];
            let Some(callee) = callees.certain(module, data) else { continue };
            for &index in &unused[callee] {
                let arg = data.args[index];
                if body.as_const(arg).is_none() {
                    found.push((inst, index));
                }
            }
        }
        if found.is_empty() {
            continue;
        }
        changed |= cx.known.bodies.edit(module, func, |module, body| {
            for (inst, index) in found {
                let null = body.constant(module, Constant::Null);
                body.insts[inst].args[index] = null;
            }
            true
        });
    }
    Ok(Outcome { changed, declarations: false })
}

/// A parameter of a method.
type Param = (Func, usize);

/// For each method of the program, the reference parameters that its body never uses but to hand them to such parameters;
/// a receiver is not among them.
fn unused_params(module: &Module, callees: &Callees) -> SecondaryMap<Func, Vec<usize>> {
    let mut found: SecondaryMap<Func, Vec<bool>> = SecondaryMap::with_len(module.funcs.len(), Vec::new());
    // By what is handed on: the parameter that receives it, and the one that it is.
    let mut handed_on: Vec<(Param, Param)> = Vec::new();
    let mut work: Vec<Param> = Vec::new();
    // What nobody calls for certain is passed nothing that could be left out.
    let called = callees.called(module);
    for &func in &called {
        let Some(body) = &module.funcs[func].body else { continue };
        let params = &body.blocks[body.entry()].params;
        found[func] = params.iter().map(|&param| body.values[param].ty.is_ref()).collect();
        if !found[func].contains(&true) {
            continue;
        }
        let param_of = |value| match body.values[value].def {
            ValueDef::Param(block, index) if block == body.entry() => Some((func, index as usize)),
            _ => None,
        };
        for &block in &body.layout {
            for catch in &body.blocks[block].catches {
                work.extend(catch.target.args.iter().filter_map(|&arg| param_of(arg)));
            }
            for &inst in &body.blocks[block].insts {
                let data = &body.insts[inst];
                match callees.certain(module, data) {
                    Some(callee) => {
                        let args = data.args.iter().enumerate();
                        let args = args.filter_map(|(index, &arg)| Some(((callee, index), param_of(arg)?)));
                        handed_on.extend(args);
                    }
                    None => data.for_each_use(|value| work.extend(param_of(value))),
                }
            }
        }
        if !module.funcs[func].is_static() {
            work.push((func, 0));
        }
    }
    handed_on.sort_unstable();
    while let Some((func, index)) = work.pop() {
        if std::mem::replace(&mut found[func][index], false) {
            let start = handed_on.partition_point(|&(to, _)| to < (func, index));
            work.extend(handed_on[start..].iter().take_while(|&&(to, _)| to == (func, index)).map(|&(_, from)| from));
        }
    }
    let mut unused = SecondaryMap::with_len(module.funcs.len(), Vec::new());
    for func in called {
        unused[func] = (0..found[func].len()).filter(|&index| found[func][index]).collect();
    }
    unused
}

/// The methods of the program that method references resolve to, if they have bodies.
struct Callees(SecondaryMap<MethodRef, Option<Func>>);

impl Callees {
    fn new(module: &Module, cx: &mut PassCx<'_>) -> Callees {
        let hierarchy = cx.hierarchy(module);
        let mut callees = SecondaryMap::with_len(module.method_ref_count(), None);
        let is_known = |func: &Func| {
            let func = &module.funcs[*func];
            func.body.is_some() && module.classes[func.class].origin == ClassOrigin::Program
        };
        for index in 0..module.method_ref_count() {
            let method = MethodRef::new(index);
            if module.classes[module.method_ref(method).class].origin == ClassOrigin::Program {
                callees[method] = hierarchy.resolve_method(module, method).filter(is_known);
            }
        }
        Callees(callees)
    }

    /// Those methods, each once.
    fn called(&self, module: &Module) -> Vec<Func> {
        let mut called: Vec<Func> =
            (0..module.method_ref_count()).filter_map(|index| self.0[MethodRef::new(index)]).collect();
        called.sort_unstable();
        called.dedup();
        called
    }

    /// The one method that an instruction calls, unless it throws first.
    fn certain(&self, module: &Module, data: &InstData) -> Option<Func> {
        let Payload::Method(method) = data.payload else { return None };
        let callee = self.0[method]?;
        let is_virtual = matches!(data.op, Op::InvokeVirtual | Op::InvokeInterface);
        (!is_virtual || module.funcs[callee].flags.has(Flags::PRIVATE)).then_some(callee)
    }
}
