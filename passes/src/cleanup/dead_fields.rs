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
    Answer, Body, Class, Edits, Effect, Entity, Field, FieldRef, Flags, Func, Hierarchy, Inst, Module, Op,
    SecondaryMap, Symbol, Value, ValueDef,
};
use rustc_hash::FxHashSet;

use crate::bodies::Bodies;
use crate::by_name::ByName;
use crate::registry::{Outcome, PassCx, PassError};

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Outcome, PassError> {
    let hierarchy = cx.hierarchy(module);
    if module.program_funcs().any(|func| module.funcs[func].flags.has(Flags::UNREAD)) {
        return Ok(Outcome::default());
    }
    let mut candidates = candidates(module, &hierarchy);
    candidates.retain(|field| !cx.plan.kept.contains(field));
    if candidates.is_empty() {
        return Ok(Outcome::default());
    }
    let Some(uses) = Uses::find(module, &hierarchy, &mut cx.known.bodies) else { return Ok(Outcome::default()) };
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
    // Nothing names what goes, so every name means what it did.
    Ok(Outcome { changed: true, declarations: false })
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
    fn find(module: &Module, hierarchy: &Hierarchy, bodies: &mut Bodies) -> Option<Self> {
        let by_name = ByName::find(module, bodies);
        if by_name.computes {
            return None;
        }
        let used = SecondaryMap::with_len(module.fields.len(), false);
        let mut uses = Self { used, writes: Vec::new(), by_name, unresolved: FxHashSet::default() };
        let resolved: Vec<Option<Field>> =
            (0..module.field_ref_count()).map(|n| hierarchy.resolve_field(module, FieldRef::new(n))).collect();
        for (func, mentions) in bodies.mentions(module) {
            for member in mentions.members {
                let Some(reference) = member.field() else { continue };
                let Some(field) = resolved[reference.index()] else {
                    uses.unresolved.insert(module.field_ref(reference).name);
                    continue;
                };
                if member.op == Op::PutStatic && is_free_write(module, func, member.inst, field) {
                    uses.writes.push((func, member.inst, field));
                } else {
                    uses.used[field] = true;
                }
            }
        }
        Some(uses)
    }

    fn allow(&self, module: &Module, field: Field) -> bool {
        let name = module.fields[field].name;
        !self.used[field] && !self.by_name.spells(name) && !self.unresolved.contains(&name)
    }
}

/// Whether a write stands in the initialiser of the field's own class, and writes what costs nothing to lose.
fn is_free_write(module: &Module, func: Func, inst: Inst, field: Field) -> bool {
    let class = module.funcs[func].class;
    let body = module.funcs[func].body.as_ref();
    class == module.fields[field].class
        && module.clinit(class) == Some(func)
        && body.is_some_and(|body| is_free(body, body.insts[inst].args[0]))
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
