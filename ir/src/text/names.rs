//! What parser and printer must agree on: flags, reserved words, and the short names of library classes.

use rustc_hash::FxHashMap;

use crate::entity::Class;
use crate::module::{ClassOrigin, Flags, Module};

/// A kind of thing that has flags, and the flags it may have, in the order they are printed.
pub(crate) type FlagTable = &'static [(&'static str, Flags)];

/// Flags of classes and interfaces.
pub(crate) const CLASS_FLAGS: FlagTable = &[
    ("public", Flags::PUBLIC),
    ("final", Flags::FINAL),
    ("abstract", Flags::ABSTRACT),
    ("synthetic", Flags::SYNTHETIC),
    ("enum", Flags::ENUM),
    ("partial", Flags::PARTIAL),
];

/// Flags of fields.
pub(crate) const FIELD_FLAGS: FlagTable = &[
    ("public", Flags::PUBLIC),
    ("private", Flags::PRIVATE),
    ("protected", Flags::PROTECTED),
    ("static", Flags::STATIC),
    ("final", Flags::FINAL),
    ("volatile", Flags::VOLATILE),
    ("transient", Flags::TRANSIENT),
    ("synthetic", Flags::SYNTHETIC),
    ("enum", Flags::ENUM),
    ("exposed", Flags::EXPOSED),
];

/// Flags of methods.
pub(crate) const METHOD_FLAGS: FlagTable = &[
    ("public", Flags::PUBLIC),
    ("private", Flags::PRIVATE),
    ("protected", Flags::PROTECTED),
    ("static", Flags::STATIC),
    ("final", Flags::FINAL),
    ("synchronized", Flags::SYNCHRONIZED),
    ("bridge", Flags::BRIDGE),
    ("native", Flags::NATIVE),
    ("abstract", Flags::ABSTRACT),
    ("synthetic", Flags::SYNTHETIC),
    ("exposed", Flags::EXPOSED),
    ("unread", Flags::UNREAD),
];

/// Operands that are constants, so that a value of such a name is written in backticks.
pub(crate) fn is_reserved_value_name(name: &str) -> bool {
    matches!(name, "null" | "class" | "inf32" | "inf64" | "nan32" | "nan64")
}

/// The library classes that go by the last part of their names.
#[derive(Default)]
pub(crate) struct ShortNames {
    classes: FxHashMap<Box<str>, Class>,
}

impl ShortNames {
    /// Those of a module.
    pub(crate) fn of(module: &Module) -> Self {
        let mut names = Self::default();
        for (class, data) in module.classes.iter() {
            if data.origin == ClassOrigin::Library {
                names.add(module.name(data.name), class);
            }
        }
        names
    }

    /// Adds a library class; of two with the same last part, the first goes by it.
    pub(crate) fn add(&mut self, full_name: &str, class: Class) {
        let last = last_part(full_name);
        if !self.classes.contains_key(last) {
            self.classes.insert(last.into(), class);
        }
    }

    /// The class that goes by this plain name.
    pub(crate) fn get(&self, name: &str) -> Option<Class> {
        self.classes.get(name).copied()
    }
}

/// What is behind the last dot.
pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
