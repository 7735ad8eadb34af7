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

use r8lite_ir::{ClassOrigin, Constant, Entity, Flags, Func, Inst, MethodRef, Module, Op, SecondaryMap, ValueDef};
use rustc_hash::FxHashMap;

use crate::registry::{Outcome, PassCx, PassError};

/// Passes `null` for unused reference parameters.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let callees = Callees::new(module, cx);
    let unused = unused_params(module, &callees);
    let mut found: Vec<(Func, Vec<(Inst, usize)>)> = Vec::new();
    for (func, mentions) in cx.known.bodies.mentions(module) {
        let mut args = Vec::new();
        for member in mentions.members {
            let Some(callee) = callees.certain(module, member.op, member.method()) else { continue };
            let Some(indices) = unused.get(&callee) else { continue };
            let body = module.funcs[func].body.as_ref().expect("what mentions something is a body");
            let given = |&index: &usize| body.as_const(body.insts[member.inst].args[index]).is_none();
            args.extend(indices.iter().copied().filter(given).map(|index| (member.inst, index)));
        }
        if !args.is_empty() {
            found.push((func, args));
        }
    }
    let changed = !found.is_empty();
    for (func, args) in found {
        cx.known.bodies.edit(module, func, |module, body| {
            for (inst, index) in args {
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

/// The reference parameters that a method's body never uses but to hand them to such parameters; a receiver is not among
/// them. Methods without are left out.
fn unused_params(module: &Module, callees: &Callees) -> FxHashMap<Func, Vec<usize>> {
    // What nobody calls for certain is passed nothing that could be left out.
    let takes_reference = |func: &Func| module.sig(module.funcs[*func].sig).params.iter().any(|param| param.is_ref());
    let called: Vec<Func> = callees.called(module).into_iter().filter(takes_reference).collect();
    let mut found: FxHashMap<Func, Vec<bool>> = FxHashMap::default();
    for &func in &called {
        let Some(body) = &module.funcs[func].body else { continue };
        let params = &body.blocks[body.entry()].params;
        found.insert(func, params.iter().map(|&param| body.values[param].ty.is_ref()).collect());
    }
    // By what is handed on: the parameter that receives it, and the one that it is.
    let mut handed_on: Vec<(Param, Param)> = Vec::new();
    let mut work: Vec<Param> = Vec::new();
    for &func in &called {
        let Some(body) = &module.funcs[func].body else { continue };
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
                match callees.certain(module, data.op, data.method_symbol()).filter(|callee| found.contains_key(callee))
                {
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
        let params = found.get_mut(&func).expect("only what was called is noted");
        if std::mem::replace(&mut params[index], false) {
            let start = handed_on.partition_point(|&(to, _)| to < (func, index));
            work.extend(handed_on[start..].iter().take_while(|&&(to, _)| to == (func, index)).map(|&(_, from)| from));
        }
    }
    let indices = |params: &[bool]| (0..params.len()).filter(|&index| params[index]).collect::<Vec<_>>();
    let unused = called.into_iter().filter_map(|func| Some((func, indices(found.get(&func)?))));
    unused.filter(|(_, indices)| !indices.is_empty()).collect()
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
    fn certain(&self, module: &Module, op: Op, method: Option<MethodRef>) -> Option<Func> {
        let callee = self.0[method?]?;
        let is_virtual = matches!(op, Op::InvokeVirtual | Op::InvokeInterface);
        (!is_virtual || module.funcs[callee].flags.has(Flags::PRIVATE)).then_some(callee)
    }
}
