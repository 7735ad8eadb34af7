//! Reads of updaters that go which no call drops: what is read is passed on for nothing, so null will do.
//!
//! ```text
//!   getstatic C.updater                   aconst_null
//!   astore_2                    ──▶       astore_2
//! ```
//!
//! Null fits every type that a frame may say. Where the read initialises a class and that can be seen, another field is
//! read first, or the accessor is still called, which then returns null.

use std::collections::BTreeSet;

use r8lite_classfile::{Insn, Opcode};
use r8lite_ir::{Class, Field, Func, Op};
use r8lite_passes::plan::{Reason, Site};
use rustc_hash::{FxHashMap, FxHashSet};

use super::asm::Asm;
use super::attempt::Attempt;
use super::reasons;

/// An instruction that reads an updater.
struct Read {
    site: Site,
    /// The accessor that it calls; none if it reads the field.
    accessor: Option<Func>,
    field: Field,
}

impl Attempt<'_> {
    /// Edits the reads that are left of updaters that go, and finds the accessors that nothing calls any more.
    pub(crate) fn edit_reads(&mut self) {
        let reads = self.find_reads();
        // Those that go, and whether nobody can tell when their classes are initialised.
        let gone: FxHashMap<Field, bool> = (self.plan.updaters.iter())
            .filter(|updater| updater.remove)
            .map(|updater| (updater.field, updater.quiet))
            .collect();
        for read in &reads {
            if let Some(&is_quiet) = gone.get(&read.field)
                && let Err(reason) = self.edit_read(read, is_quiet)
            {
                self.failures.fixed.insert(read.site, reason);
            }
        }
        self.find_dead_accessors(&reads);
    }

    /// All reads of updaters, in the order of classes, methods and layout.
    fn find_reads(&self) -> Vec<Read> {
        let module = self.module;
        let updaters: FxHashSet<Field> = self.plan.updaters.iter().map(|updater| updater.field).collect();
        let accessors = self.accessor_fields(&updaters);
        let mut reads = Vec::new();
        for func in module.program_funcs() {
            let Some(body) = &module.funcs[func].body else { continue };
            for (_, inst) in body.layout_insts() {
                let data = &body.insts[inst];
                let site = Site { func, inst };
                if data.op == Op::GetStatic {
                    let field = data.field_symbol().and_then(|field| self.hierarchy.resolve_field(module, field));
                    if let Some(field) = field.filter(|field| updaters.contains(field)) {
                        reads.push(Read { site, accessor: None, field });
                    }
                } else if data.op == Op::InvokeStatic {
                    let callee = data.method_symbol().and_then(|it| self.hierarchy.resolve_method(module, it));
                    if let Some((callee, &field)) = callee.and_then(|it| Some((it, accessors.get(&it)?))) {
                        reads.push(Read { site, accessor: Some(callee), field });
                    }
                }
            }
        }
        reads
    }

    /// The updater that each accessor of the plan returns.
    fn accessor_fields(&self, updaters: &FxHashSet<Field>) -> FxHashMap<Func, Field> {
        let module = self.module;
        let mut found: FxHashMap<Func, Field> = FxHashMap::default();
        // An accessor may call another one, which comes first in some round.
        loop {
            let before = found.len();
            for &func in &self.plan.accessors {
                let Some(body) = &module.funcs[func].body else { continue };
                for (_, inst) in body.layout_insts() {
                    let data = &body.insts[inst];
                    let field = match data.op {
                        Op::GetStatic => data.field_symbol().and_then(|it| self.hierarchy.resolve_field(module, it)),
                        Op::InvokeStatic => data
                            .method_symbol()
                            .and_then(|it| self.hierarchy.resolve_method(module, it))
                            .and_then(|callee| found.get(&callee).copied()),
                        _ => None,
                    };
                    if let Some(field) = field.filter(|field| updaters.contains(field)) {
                        found.insert(func, field);
                    }
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    fn edit_read(&mut self, read: &Read, is_quiet: bool) -> Result<(), Reason> {
        let owner = self.module.fields[read.field].class;
        let (input, method) = self.open(read.site.func)?;
        let offset = self.code_offset(read.site);
        let edit = &self.classes[&input].methods[&method];
        let number = edit.flow.number(offset).map_err(|odd| reasons::odd_code(&odd))?;
        if edit.dropped.contains(&number) || edit.flow.stack(number).is_none() {
            return Ok(());
        }
        let is_read = matches!(edit.flow.insn(number), Insn::Constant(Opcode::Getstatic | Opcode::Invokestatic, _));
        if !is_read {
            return Err(reasons::unexpected());
        }
        if edit.edits.is_replaced(offset) {
            return Ok(());
        }
        let initialises = !is_quiet && !self.is_own_static(read.site.func, owner);
        if let Some(accessor) = read.accessor
            && (initialises || self.module.funcs[accessor].class != owner)
        {
            // It is still called, and returns null.
            return Ok(());
        }
        let trigger = match initialises {
            true => Some(self.read_trigger(read.site, owner)?),
            false => None,
        };
        let class = self.classes.get_mut(&input).expect("it was opened");
        let mut asm = Asm::new(&mut class.file.pool);
        if let Some(field) = trigger {
            let is_wide = matches!(field.descriptor.as_str(), "J" | "D");
            asm.field(Opcode::Getstatic, &field).map_err(|error| reasons::not_edited(&error))?;
            asm.op(if is_wide { Opcode::Pop2 } else { Opcode::Pop });
        }
        asm.op(Opcode::AconstNull);
        let code = asm.code;
        let edit = class.methods.get_mut(&method).expect("it was opened");
        edit.edits.replace(offset, code).map_err(|error| reasons::not_edited(&error))?;
        edit.dropped.insert(number);
        Ok(())
    }

    fn read_trigger(&self, site: Site, owner: Class) -> Result<super::asm::MemberName, Reason> {
        let from = self.module.funcs[site.func].class;
        let name = self.module.class_name(owner);
        self.trigger_field(from, owner).ok_or_else(|| reasons::no_trigger(name))
    }

    /// Finds the accessors that go: those that nothing is left to call but others that go.
    fn find_dead_accessors(&mut self, reads: &[Read]) {
        let mut called: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
        for read in reads {
            let Some(accessor) = read.accessor else { continue };
            if !self.is_dropped(read.site) {
                called.entry(accessor).or_default().push(read.site.func);
            }
        }
        let mut dead: BTreeSet<Func> = BTreeSet::new();
        loop {
            let before = dead.len();
            for accessor in &self.plan.accessors {
                let callers = called.get(accessor).map_or(&[][..], Vec::as_slice);
                if callers.iter().all(|caller| dead.contains(caller)) {
                    dead.insert(*accessor);
                }
            }
            if dead.len() == before {
                break;
            }
        }
        dead.extend(&self.plan.originals);
        self.dead_methods = dead;
    }

    fn is_dropped(&self, site: Site) -> bool {
        let Some(place) = self.lifted.place(site.func) else { return false };
        let Some(class) = self.classes.get(&place.input) else { return false };
        let Some(edit) = class.methods.get(&place.method) else { return false };
        edit.flow.number(self.code_offset(site)).is_ok_and(|number| edit.dropped.contains(&number))
    }
}
