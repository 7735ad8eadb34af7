//! Names of values and blocks in a body, as they are printed: written names first, then made-up ones that no written
//! name stands in the way of.

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::is_reserved_value_name;
use super::printer::{write_name, write_number};
use crate::entity::{Block, Entity, Symbol, Value};
use crate::function::Body;
use crate::module::Module;

/// How a value or block is printed.
#[derive(Clone)]
enum LocalName {
    /// By its own name.
    Own(Symbol),
    /// By its number.
    Number,
    /// By a name made up, because its own or its number is taken.
    Other(Box<str>),
}

/// The names of a body.
pub(super) struct LocalNames {
    values: Vec<LocalName>,
    blocks: Vec<LocalName>,
    used: Vec<bool>,
}

impl LocalNames {
    /// Names everything in a body. The first parameter of an instance method is `this`.
    pub(super) fn of(module: &Module, body: &Body, has_this: bool) -> Self {
        let mut used = vec![false; body.values.len()];
        let mut defined = Vec::with_capacity(body.values.len());
        let mut mark = |value: Value| {
            if let Some(used) = used.get_mut(value.index()) {
                *used = true;
            }
        };
        for &block in &body.layout {
            let data = &body.blocks[block];
            defined.extend(data.params.iter().copied());
            data.catches.iter().for_each(|catch| catch.target.args.iter().copied().for_each(&mut mark));
            for &inst in &data.insts {
                body.insts[inst].for_each_use(&mut mark);
                defined.extend(body.insts[inst].result);
            }
        }
        let this = module.find_symbol("this").filter(|_| has_this);
        let written = defined.iter().enumerate().map(|(i, &value)| {
            let own = body.values[value].name;
            (value.index(), if i == 0 { this.or(own) } else { own })
        });
        let values = assign(module, body.values.len(), "v", written);
        let entry = body.layout.first().copied();
        let written = body.layout.iter().filter(|&&b| Some(b) != entry).map(|&b| (b.index(), body.blocks[b].name));
        let blocks = assign(module, body.blocks.len(), "b", written);
        Self { values, blocks, used }
    }

    /// Whether anything uses a value.
    pub(super) fn is_used(&self, value: Value) -> bool {
        self.used.get(value.index()).copied().unwrap_or(true)
    }

    pub(super) fn write_value(&self, out: &mut String, module: &Module, value: Value) {
        if let Some(LocalName::Own(name)) = self.values.get(value.index())
            && is_reserved_value_name(module.name(*name))
        {
            out.push('`');
            out.push_str(module.name(*name));
            out.push('`');
            return;
        }
        write(out, module, &self.values, "v", value.index());
    }

    pub(super) fn write_block(&self, out: &mut String, module: &Module, block: Block) {
        write(out, module, &self.blocks, "b", block.index());
    }
}

fn write(out: &mut String, module: &Module, names: &[LocalName], prefix: &str, index: usize) {
    match names.get(index) {
        Some(LocalName::Own(name)) => write_name(out, module.name(*name)),
        Some(LocalName::Other(name)) => write_name(out, name),
        Some(LocalName::Number) | None => {
            out.push_str(prefix);
            write_number(out, index as u32);
        }
    }
}

/// Names `count` things, of which `written` are in the text: the first of each name has it, the others get numbers.
fn assign(
    module: &Module,
    count: usize,
    prefix: &str,
    written: impl Iterator<Item = (usize, Option<Symbol>)> + Clone,
) -> Vec<LocalName> {
    let mut names = vec![LocalName::Number; count];
    let mut taken = FxHashSet::default();
    let mut repeated = Vec::new();
    // Whether a written name looks like a number of ours.
    let mut looks_numbered = false;
    for (index, name) in written.clone() {
        let Some(name) = name else { continue };
        if taken.insert(name) {
            names[index] = LocalName::Own(name);
            looks_numbered |= is_numbered(module.name(name), prefix);
        } else {
            repeated.push((index, name));
        }
    }
    let mut made: FxHashSet<Box<str>> = FxHashSet::default();
    if looks_numbered {
        for (index, name) in written {
            if name.is_none() {
                let number = format!("{prefix}{index}");
                if module.find_symbol(&number).is_some_and(|symbol| taken.contains(&symbol)) {
                    names[index] = LocalName::Other(fresh(module, &taken, &mut made, &number, &mut 1));
                }
            }
        }
    }
    // Where the search for each name goes on, so that a name repeated often costs no more than others.
    let mut next: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (index, name) in repeated {
        let next = next.entry(name).or_insert(1);
        names[index] = LocalName::Other(fresh(module, &taken, &mut made, module.name(name), next));
    }
    names
}

fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
}

/// `base_1`, or the next number that is free.
fn fresh(
    module: &Module,
    taken: &FxHashSet<Symbol>,
    made: &mut FxHashSet<Box<str>>,
    base: &str,
    next: &mut usize,
) -> Box<str> {
    loop {
        let name: Box<str> = format!("{base}_{next}").into();
        *next += 1;
        let free = !module.find_symbol(&name).is_some_and(|symbol| taken.contains(&symbol));
        if free && made.insert(name.clone()) {
            return name;
        }
    }
}
