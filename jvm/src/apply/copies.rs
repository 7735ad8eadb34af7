//! Copies of methods, and the calls that lead to them.
//!
//! ```text
//!   getstatic C.updater                   getstatic C.updater
//!   aload_0                    ──▶        aload_0
//!   invokestatic Help.add                 invokestatic Help.add$C$updater
//! ```
//!
//! On the IR they are there already ([`specialise`]). A copy takes the code of its original as it is, in the same class, so
//! its instructions have the same offsets, and its calls are edited like all others.

use std::collections::{BTreeMap, BTreeSet};

use r8lite_classfile::{ClassFile, Insn, copy_method, flags, read};
use r8lite_ir::{Class, Flags, Func, Hierarchy, Module};
use r8lite_passes::pipeline::PipelineError;
use r8lite_passes::plan::{Plan, PlanOptions, Reason, Site, decide};
use r8lite_passes::specialise;

use super::attempt::{Attempt, ClassEdit};
use super::reasons;
use crate::names;
use crate::{Lifted, Place};

impl Lifted {
    /// Copies methods for callers that pass certain updaters, on the IR, and decides the plan: see
    /// [`r8lite_passes::specialise`]. [`apply`](crate::apply()) makes the same copies in the class files.
    ///
    /// # Errors
    /// Never, but for a bug.
    pub fn specialise(self, options: &PlanOptions) -> Result<(Lifted, Plan), PipelineError> {
        let plan = decide(&self.module, options);
        self.specialise_by(plan, options)
    }

    /// Does the same where the first plan is known.
    pub(crate) fn specialise_by(mut self, plan: Plan, options: &PlanOptions) -> Result<(Lifted, Plan), PipelineError> {
        if plan.copies.is_empty() {
            return Ok((self, plan));
        }
        let (module, plan) = specialise::specialise(self.module, plan, options)?;
        self.module = module;
        for class in self.module.program_classes() {
            let methods = &self.module.classes[class].methods;
            let mut next = methods.iter().filter_map(|&func| Some(self.places[func]?.method + 1)).max().unwrap_or(0);
            for &func in methods {
                let original = self.module.funcs[func].copy_of.and_then(|original| self.places[original]);
                if let Some(Place { input, .. }) = original {
                    self.places[func] = Some(Place { input, method: next });
                    next += 1;
                }
            }
        }
        Ok((self, plan))
    }
}

/// The copies that a class gets, in the order of their numbers.
fn copies(module: &Module, class: Class) -> impl Iterator<Item = (Func, Func)> + '_ {
    let methods = module.classes[class].methods.iter();
    methods.filter_map(|&func| Some((func, module.funcs[func].copy_of?)))
}

/// The calls that lead to copies.
fn calls_of_copies(module: &Module, hierarchy: &Hierarchy) -> Vec<(Site, Func)> {
    let mut calls = Vec::new();
    if module.program_classes().all(|class| copies(module, class).next().is_none()) {
        return calls;
    }
    for func in module.program_funcs() {
        let Some(body) = &module.funcs[func].body else { continue };
        for (_, inst) in body.layout_insts().filter(|&(_, inst)| body.insts[inst].op.is_invoke()) {
            let callee = body.insts[inst].method_symbol().and_then(|it| hierarchy.resolve_method(module, it));
            if let Some(callee) = callee.filter(|&callee| module.funcs[callee].copy_of.is_some()) {
                calls.push((Site { func, inst }, callee));
            }
        }
    }
    calls
}

/// What copies change in each input of the program, for comparison.
pub(crate) fn edits_by_input(lifted: &Lifted) -> BTreeMap<u32, BTreeSet<String>> {
    let module = &lifted.module;
    let name = |func: Func| {
        let data = &module.funcs[func];
        let sig = names::method_descriptor(module, data.sig);
        format!("{}.{}{sig} {:#x}", module.class_name(data.class), module.name(data.name), data.flags.0)
    };
    let mut edits: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    let mut add = |func: Func, edit: String| {
        if let Some(place) = lifted.place(func) {
            edits.entry(place.input).or_default().insert(edit);
        }
    };
    for class in module.program_classes() {
        for (copy, _) in copies(module, class) {
            add(copy, name(copy));
        }
    }
    for (site, copy) in calls_of_copies(module, &Hierarchy::new(module)) {
        let body = module.funcs[site.func].body.as_ref().expect("a call stands in a body");
        add(site.func, format!("{} at {}: {}", name(site.func), body.insts[site.inst].origin.pos, name(copy)));
    }
    edits
}

/// Reads a class file, and adds the copies that its class gets.
pub(crate) fn read_with_copies<'a>(
    bytes: &'a [u8],
    lifted: &Lifted,
    class: Class,
) -> r8lite_classfile::Result<ClassFile<'a>> {
    let mut file = read(bytes)?;
    for (copy, original) in copies(&lifted.module, class) {
        let Some(original) = lifted.place(original) else { continue };
        let data = &lifted.module.funcs[copy];
        let visibility = flags::PUBLIC | flags::PRIVATE | flags::PROTECTED;
        let access = file.methods[original.method as usize].access_flags & !visibility
            | data.flags.0 & visibility
            | flags::SYNTHETIC;
        copy_method(&mut file, original.method as usize, access, lifted.module.name(data.name))?;
    }
    Ok(file)
}

impl Attempt<'_> {
    /// The bytes that the copies in a class take.
    pub(crate) fn copied_bytes(&self, class: &ClassEdit<'_>) -> usize {
        let bytes = |copy: Func| {
            let data = &self.module.funcs[copy];
            let (name, descriptor) = (self.module.name(data.name), names::method_descriptor(self.module, data.sig));
            let method = class.file.find_method(name, &descriptor);
            let attributes = method.map_or(&[][..], |method| &class.file.methods[method].attributes);
            // Each has flags, name, descriptor and a count; each attribute a name and a length.
            8 + attributes.iter().map(|attribute| 6 + attribute.content.len()).sum::<usize>()
        };
        copies(self.module, class.class).map(|(copy, _)| bytes(copy)).sum()
    }

    /// Leads calls to the copies.
    pub(crate) fn lead_to_copies(&mut self) {
        for (site, copy) in calls_of_copies(self.module, &self.hierarchy) {
            if let Err(reason) = self.lead_to_copy(site, copy) {
                self.failures.fixed.insert(site, reason);
            }
        }
    }

    fn lead_to_copy(&mut self, site: Site, copy: Func) -> Result<(), Reason> {
        // The copy's class may have no other edit.
        self.open(copy)?;
        let (input, method) = self.open(site.func)?;
        let offset = self.code_offset(site);
        let data = &self.module.funcs[copy];
        let class_name = names::internal(self.module, data.class);
        let name = self.module.name(data.name);
        let class = self.classes.get_mut(&input).expect("it was opened");
        let edit = class.methods.get_mut(&method).expect("it was opened");
        let number = edit.flow.number(offset).map_err(|odd| reasons::odd_code(&odd))?;
        let called = match *edit.flow.insn(number) {
            Insn::Constant(_, called) | Insn::InvokeInterface { method: called, .. } => called,
            _ => return Err(reasons::unexpected()),
        };
        let pool = &mut class.file.pool;
        let descriptor = pool.member_ref(called).map_err(|error| reasons::not_edited(&error))?.descriptor.into_owned();
        let added = match self.module.classes[data.class].flags.has(Flags::INTERFACE) {
            true => pool.add_interface_method(&class_name, name, &descriptor),
            false => pool.add_method(&class_name, name, &descriptor),
        };
        let added = added.map_err(|error| reasons::not_edited(&error))?;
        let insn = match *edit.flow.insn(number) {
            Insn::Constant(opcode, _) => Insn::Constant(opcode, added),
            Insn::InvokeInterface { slots, .. } => Insn::InvokeInterface { method: added, slots },
            _ => unreachable!("it was matched"),
        };
        edit.edits.replace(offset, [insn]).map_err(|error| reasons::not_edited(&error))
    }
}
