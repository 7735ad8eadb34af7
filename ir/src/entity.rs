//! Entity ids and the maps keyed by them.
//!
//! Everything in a module is named by a small `Copy` id. One [`PrimaryMap`] owns the things of a kind and hands out
//! their ids in order; any number of [`SecondaryMap`]s hang further facts on the same ids. Ids are never reused, so
//! a fact about a deleted thing goes stale but never wrong.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An id that is a dense index of its own kind.
pub trait Entity: Copy + Eq + fmt::Debug {
    /// The id with this index.
    ///
    /// # Panics
    /// If `index` does not fit 32 bits; the parser bounds its input far below that.
    fn new(index: usize) -> Self;
    /// The index of this id.
    fn index(self) -> usize;
}

/// Declares ids: `entity! { /// doc  Name "prefix" }`. An id holds its index plus one, so that an optional id is no larger.
macro_rules! entity {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(std::num::NonZeroU32);

        impl $crate::entity::Entity for $name {
            #[inline]
            fn new(index: usize) -> Self {
                let number = u32::try_from(index + 1).ok().and_then(std::num::NonZeroU32::new);
                Self(number.expect("an entity index fits 32 bits"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), $crate::entity::Entity::index(*self))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}

entity! {
    /// A class or interface of a module.
    Class "class";
    /// A declared field.
    Field "field";
    /// A declared method.
    Func "func";
    /// A basic block of one body.
    Block "b";
    /// An instruction of one body.
    Inst "inst";
    /// An SSA value of one body.
    Value "v";
    /// An interned name.
    Symbol "sym";
    /// An interned method signature.
    Sig "sig";
    /// An interned symbolic reference to a field: class, name, type.
    FieldRef "fieldref";
    /// An interned symbolic reference to a method: class, name, signature.
    MethodRef "methodref";
    /// An interned array type.
    ArrayType "array";
    /// An interned string constant.
    Literal "str";
    /// A file that text came from.
    File "file";
}

/// Owns the things of one kind, in the order of their ids.
#[derive(Clone)]
pub struct PrimaryMap<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> PrimaryMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }
    /// Adds a thing and names it.
    pub fn push(&mut self, value: V) -> K {
        let key = self.next_key();
        if self.items.len() == self.items.capacity() {
            // There are very many short maps, and few that grow long: by a quarter wastes less than to double.
            self.items.reserve_exact(self.items.len() / 4 + 2);
        }
        self.items.push(value);
        key
    }
    /// Moves all things to a map without room to spare. This one keeps its room, and begins anew.
    pub(crate) fn move_out(&mut self) -> Self {
        let mut items = Vec::with_capacity(self.items.len());
        items.append(&mut self.items);
        Self { items, key: PhantomData }
    }
    /// The id that the next [`PrimaryMap::push`] returns.
    pub fn next_key(&self) -> K {
        K::new(self.items.len())
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The thing, if the id is one of this map's.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }
    /// All ids, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::new)
    }
    /// All things, in the order of their ids.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }
    /// All things, in the order of their ids.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }
    /// All ids with their things, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }
}

impl<K: Entity, V> Default for PrimaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for PrimaryMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for PrimaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

impl<K: Entity, V: fmt::Debug> fmt::Debug for PrimaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Facts about entities that another map owns. What was never set reads as the default.
#[derive(Clone, Debug)]
pub struct SecondaryMap<K, V> {
    items: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Entity, V: Clone> SecondaryMap<K, V> {
    /// A map in which everything reads as `V::default()`.
    pub fn new() -> Self
    where
        V: Default,
    {
        Self::with_default(V::default())
    }
    /// A map in which everything reads as `default`.
    pub fn with_default(default: V) -> Self {
        Self { items: Vec::new(), default, key: PhantomData }
    }
    /// A map with room for `len` entities, all reading as the default.
    pub fn with_len(len: usize, default: V) -> Self {
        Self { items: vec![default.clone(); len], default, key: PhantomData }
    }
}

impl<K: Entity, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for SecondaryMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.items.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        if key.index() >= self.items.len() {
            self.items.resize(key.index() + 1, self.default.clone());
        }
        &mut self.items[key.index()]
    }
}
