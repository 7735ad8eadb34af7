//! Removes private fields that nothing uses any more.
//!
//! ```text
//! private static final field next$offset: i64      (gone)
//! static method <clinit>() {                   →   static method <clinit>() {
//!   off = field_offset Node.next                     off = field_offset Node.next
//!   putstatic Node.next$offset, off                  return
//!   return                                         }
//! }
//! ```
//!
//! A private field of a class of the program goes if no instruction names it, or if it is static and only its own
//! class's initialiser writes it, with a value that costs nothing to lose: a constant or a pure result. (An object that
//! only this field keeps alive might be watched by a cleaner; its field stays.) Nobody can reach it by name either:
//!
//! - no string constant of the program is its name, as `getDeclaredField` or `newUpdater` would need, and they are given
//!   constants only;
//! - the program does not list fields (`getDeclaredFields`);
//! - its class has no native methods;
//! - serialisation does not see it: it is static or transient, or the class is certainly not serializable, and it is
//!   not one of the two fields that serialisation asks for by name.
//!
//! Private static and private transient fields do not count for a computed serialVersionUID.
//! Holds before: a verified module. Holds after: the same, with fewer fields and writes of them.
//! Cost: linear in the module.

use r8lite_ir::{
    Answer, Body, Class, Edits, Effect, Field, FieldRef, Flags, Func, Hierarchy, Inst, Module, Op, SecondaryMap,
    Symbol, Value, ValueDef,
};
use rustc_hash::FxHashSet;

use crate::by_name::ByName;
use crate::registry::{Outcome, PassCx, PassError};

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let hierarchy = cx.hierarchy(module);
    let mut candidates = candidates(module, &hierarchy);
    candidates.retain(|field| !cx.plan.kept.contains(field));
    if candidates.is_empty() {
        return Ok(Outcome::default());
    }
    let Some(uses) = Uses::find(module, &hierarchy) else { return Ok(Outcome::default()) };
    let dead: Vec<Field> = candidates.into_iter().filter(|&field| uses.allow(module, field)).collect();
    if dead.is_empty() {
        return Ok(Outcome::default());
    }
    let mut is_dead = SecondaryMap::with_len(module.fields.len(), false);
    dead.iter().for_each(|&field| is_dead[field] = true);
    remove_writes(module, cx, &uses, &is_dead);
    for field in dead {
        let class = module.fields[field].class;
        module.classes[class].fields.retain(|&other| !is_dead[other]);
    }
    Ok(Outcome { changed: true, declarations: true })
}

/// The private fields that no one but the program's own code can ask for.
fn candidates(module: &Module, hierarchy: &Hierarchy) -> Vec<Field> {
    let serializable = module.find_class("java.io.Serializable");
    let mut found = Vec::new();
    for class in module.program_classes() {
        let data = &module.classes[class];
        if data.fields.is_empty() || data.methods.iter().any(|&func| module.funcs[func].flags.has(Flags::NATIVE)) {
            continue;
        }
        let mut serialises = None;
        for &field in &data.fields {
            let (flags, name) = (module.fields[field].flags, module.fields[field].name);
            if !flags.has(Flags::PRIVATE) || matches!(module.name(name), "serialVersionUID" | "serialPersistentFields")
            {
                continue;
            }
            let seen = !flags.has(Flags::STATIC)
                && !flags.has(Flags::TRANSIENT)
                && *serialises.get_or_insert_with(|| may_be_serializable(hierarchy, class, serializable));
            if !seen {
                found.push(field);
            }
        }
    }
    found
}

fn may_be_serializable(hierarchy: &Hierarchy, class: Class, serializable: Option<Class>) -> bool {
    serializable.is_some_and(|interface| hierarchy.is_subclass(class, interface) != Answer::No)
}

/// How the program uses fields.
struct Uses {
    /// What an instruction reads, or writes such that the write has to stay.
    used: SecondaryMap<Field, bool>,
    /// Writes that may go: in the initialiser of the field's own class, of a value that costs nothing to lose.
    writes: Vec<(Func, Inst, Field)>,
    by_name: ByName,
    /// The names of references that resolve to nothing.
    unresolved: FxHashSet<Symbol>,
}

impl Uses {
    /// Walks the program; none if it may ask for fields that no constant names.
    fn find(module: &Module, hierarchy: &Hierarchy) -> Option<Self> {
        let by_name = ByName::find(module);
        if by_name.computes {
            return None;
        }
        let used = SecondaryMap::with_len(module.fields.len(), false);
        let mut uses = Self { used, writes: Vec::new(), by_name, unresolved: FxHashSet::default() };
        for func in module.program_funcs() {
            let Some(body) = &module.funcs[func].body else { continue };
            let class = module.funcs[func].class;
            let initialises = (module.clinit(class) == Some(func)).then_some(class);
            for (_, inst) in body.layout_insts() {
                if let Some(reference) = body.insts[inst].field_symbol() {
                    uses.access(module, hierarchy, body, initialises, (func, inst, reference));
                }
            }
        }
        Some(uses)
    }

    fn access(
        &mut self,
        module: &Module,
        hierarchy: &Hierarchy,
        body: &Body,
        initialises: Option<Class>,
        (func, inst, reference): (Func, Inst, FieldRef),
    ) {
        let Some(field) = hierarchy.resolve_field(module, reference) else {
            self.unresolved.insert(module.field_ref(reference).name);
            return;
        };
        let data = &body.insts[inst];
        if data.op == Op::PutStatic && initialises == Some(module.fields[field].class) && is_free(body, data.args[0]) {
            self.writes.push((func, inst, field));
        } else {
            self.used[field] = true;
        }
    }

    fn allow(&self, module: &Module, field: Field) -> bool {
        let name = module.fields[field].name;
        !self.used[field] && !self.by_name.spells(name) && !self.unresolved.contains(&name)
    }
}

/// Whether a value costs nothing to lose.
fn is_free(body: &Body, value: Value) -> bool {
    match body.values[value].def {
        ValueDef::Const(_) => true,
        ValueDef::Result(inst) => body.insts[inst].op.info().effect == Effect::Pure,
        ValueDef::Param(..) => false,
    }
}

/// Takes the writes of dead fields away.
fn remove_writes(module: &mut Module, cx: &mut PassCx<'_>, uses: &Uses, is_dead: &SecondaryMap<Field, bool>) {
    for writes in uses.writes.chunk_by(|a, b| a.0 == b.0) {
        let mut edits = Edits::new();
        writes.iter().filter(|&&(_, _, field)| is_dead[field]).for_each(|&(_, inst, _)| edits.remove(inst));
        if !edits.is_empty() {
            cx.known.bodies.edit(module, writes[0].0, |_, body| {
                edits.apply(body);
                true
            });
        }
    }
}
