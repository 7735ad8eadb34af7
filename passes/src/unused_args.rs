//! Unused arguments: pass `null` for a parameter that the called method never looks at.
//!
//! ```text
//!   u = getstatic C.updater                              u = getstatic C.updater
//!   invokestatic C.helper(u, this)             ──▶       invokestatic C.helper(null, this)
//!   static method helper(unused: …, o: Object)           static method helper(unused: …, o: Object)
//! ```
//!
//! So a helper whose updater calls were replaced no longer keeps the updater alive. Only calls that run one certain
//! method of the program count: static calls, and calls of private methods and constructors. Signatures stay as they
//! are. Cost: linear in the program.

use r8lite_ir::{ClassOrigin, Constant, Entity, Flags, Func, MethodRef, Module, Op, Payload, SecondaryMap, ValueDef};

use crate::registry::{Outcome, PassCx, PassError};

/// Passes `null` for unused reference parameters.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let unused = unused_params(module);
    let callees = certain_callees(module, cx, &unused);
    let mut changed = false;
    let funcs: Vec<Func> = module.program_funcs().collect();
    for func in funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        let mut found = Vec::new();
        for (_, inst) in body.layout_insts() {
            let data = &body.insts[inst];
            let Payload::Method(method) = data.payload else { continue };
            let Some(callee) = callees[method] else { continue };
            let is_virtual = matches!(data.op, Op::InvokeVirtual | Op::InvokeInterface);
            if is_virtual && !module.funcs[callee].flags.has(Flags::PRIVATE) {
                continue;
            }
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
        changed = true;
        let mut body = module.funcs[func].body.take().expect("it was just there");
        for (inst, index) in found {
            let null = body.constant(module, Constant::Null);
            body.insts[inst].args[index] = null;
        }
        module.funcs[func].body = Some(body);
    }
    Ok(Outcome { changed, declarations: false })
}

/// For each method of the program, the reference parameters that its body never uses; a receiver is not among them.
fn unused_params(module: &Module) -> SecondaryMap<Func, Vec<usize>> {
    let mut unused = SecondaryMap::with_len(module.funcs.len(), Vec::new());
    for func in module.program_funcs() {
        let data = &module.funcs[func];
        let Some(body) = &data.body else { continue };
        let params = &body.blocks[body.entry()].params;
        let first = usize::from(!data.is_static());
        if !params[first..].iter().any(|&param| body.values[param].ty.is_ref()) {
            continue;
        }
        let mut used = vec![false; params.len()];
        let mut mark = |value| {
            if let ValueDef::Param(block, index) = body.values[value].def
                && block == body.entry()
            {
                used[index as usize] = true;
            }
        };
        for &block in &body.layout {
            for catch in &body.blocks[block].catches {
                catch.target.args.iter().copied().for_each(&mut mark);
            }
            for &inst in &body.blocks[block].insts {
                body.insts[inst].for_each_use(&mut mark);
            }
        }
        unused[func] =
            (first..params.len()).filter(|&index| !used[index] && body.values[params[index]].ty.is_ref()).collect();
    }
    unused
}

/// The methods with unused parameters that method references resolve to.
fn certain_callees(
    module: &Module,
    cx: &mut PassCx<'_>,
    unused: &SecondaryMap<Func, Vec<usize>>,
) -> SecondaryMap<MethodRef, Option<Func>> {
    let hierarchy = cx.hierarchy(module);
    let mut callees = SecondaryMap::with_len(module.method_ref_count(), None);
    for index in 0..module.method_ref_count() {
        let method = MethodRef::new(index);
        let data = module.method_ref(method);
        if module.classes[data.class].origin == ClassOrigin::Program {
            callees[method] = hierarchy.resolve_method(module, method).filter(|&func| !unused[func].is_empty());
        }
    }
    callees
}
