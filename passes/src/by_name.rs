//! Which fields the program itself may ask for by name, as `getDeclaredField`, `findVarHandle` and `newUpdater` do.
//!
//! A field whose name no string constant spells can only be found by a name that is put together while the program runs,
//! or by listing fields; [`ByName::computes`] says whether the program may do such a thing.

use r8lite_ir::{Body, Constant, Entity, InstData, MethodRef, Module, SecondaryMap, Symbol, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bodies::Bodies;

/// What the program asks for by name.
pub(crate) struct ByName {
    /// Whether it looks up fields through `Class` or a `Lookup`, and not only to make updaters.
    pub(crate) looks_up: bool,
    /// Whether it may look up fields that no constant names.
    pub(crate) computes: bool,
    /// The names that string constants spell.
    names: FxHashSet<Symbol>,
}

/// How a method finds fields.
#[derive(Clone, Copy, PartialEq)]
enum Lookup {
    No,
    /// By the name that is its `String`.
    Updater,
    Field,
    /// All of them.
    All,
}

impl ByName {
    /// Walks the program.
    pub(crate) fn find(module: &Module, bodies: &mut Bodies) -> ByName {
        let mut found = ByName { looks_up: false, computes: false, names: FxHashSet::default() };
        let by_symbol: FxHashMap<Symbol, Lookup> =
            LOOKUPS.iter().filter_map(|&(name, lookup)| Some((module.find_symbol(name)?, lookup))).collect();
        let mut lookups = SecondaryMap::with_len(module.method_ref_count(), Lookup::No);
        for index in 0..module.method_ref_count() {
            let method = MethodRef::new(index);
            lookups[method] = by_symbol.get(&module.method_ref(method).name).copied().unwrap_or(Lookup::No);
        }
        for class in module.program_classes() {
            let data = &module.classes[class];
            data.fields.iter().filter_map(|&field| module.fields[field].init).for_each(|it| found.spell(module, it));
        }
        for (func, mentions) in bodies.mentions(module) {
            let sought =
                mentions.members.iter().any(|member| member.method().is_some_and(|it| lookups[it] != Lookup::No));
            if !sought && !mentions.strings {
                continue;
            }
            let Some(body) = &module.funcs[func].body else { continue };
            if mentions.strings {
                found.spell_all(module, body);
            }
            for member in mentions.members {
                let Some(lookup) = member.method().map(|method| lookups[method]) else { continue };
                found.looks_up |= matches!(lookup, Lookup::Field | Lookup::All);
                found.computes |= lookup == Lookup::All;
                // A parameter may have come from a constant, but nobody follows it to see.
                found.computes |= matches!(lookup, Lookup::Updater | Lookup::Field)
                    && !names(module, &body.insts[member.inst]).all(|name| body.as_const(name).is_some());
            }
        }
        found
    }

    /// Whether a constant spells a name.
    pub(crate) fn spells(&self, name: Symbol) -> bool {
        self.names.contains(&name)
    }

    /// Spells the strings that are used; those that once were may still be among the values.
    fn spell_all(&mut self, module: &Module, body: &Body) {
        let mut spell = |value: Value| {
            if let Some(constant) = body.as_const(value) {
                self.spell(module, constant);
            }
        };
        for &block in &body.layout {
            let data = &body.blocks[block];
            data.catches.iter().flat_map(|catch| &catch.target.args).for_each(|&arg| spell(arg));
            data.insts.iter().for_each(|&inst| body.insts[inst].for_each_use(&mut spell));
        }
    }

    fn spell(&mut self, module: &Module, constant: Constant) {
        if let Constant::String(literal) = constant
            && let Ok(text) = String::from_utf16(module.literal(literal))
        {
            self.names.extend(module.find_symbol(&text));
        }
    }
}

/// The arguments of a call that are declared to be a `String`.
fn names<'a>(module: &'a Module, call: &'a InstData) -> impl Iterator<Item = Value> + 'a {
    let params = call.method_symbol().map_or(&[][..], |method| &module.sig(module.method_ref(method).sig).params);
    let string = module.find_class("java.lang.String").map(Type::Class);
    let given = call.args.iter().rev().zip(params.iter().rev());
    given.filter(move |&(_, &ty)| Some(ty) == string).map(|(&arg, _)| arg)
}

/// The names of methods that find fields.
const LOOKUPS: &[(&str, Lookup)] = &[
    ("newUpdater", Lookup::Updater),
    // Of `Class`, of `MethodHandles.Lookup`, of `ConstantBootstraps` and of the JDK's own `Unsafe`.
    ("getDeclaredField", Lookup::Field),
    ("getField", Lookup::Field),
    ("findVarHandle", Lookup::Field),
    ("findStaticVarHandle", Lookup::Field),
    ("findGetter", Lookup::Field),
    ("findSetter", Lookup::Field),
    ("findStaticGetter", Lookup::Field),
    ("findStaticSetter", Lookup::Field),
    ("fieldVarHandle", Lookup::Field),
    ("staticFieldVarHandle", Lookup::Field),
    ("objectFieldOffset", Lookup::Field),
    ("getDeclaredFields", Lookup::All),
    ("getFields", Lookup::All),
];
