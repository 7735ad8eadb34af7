//! Subtypes and resolution, over a whole module.
//!
//! Subclass questions between classes are answered by an interval test on a numbering of the superclass tree, since the
//! verifier asks one for nearly every operand; questions about interfaces walk up, since the JVM's verifier asks none.
//! Every member has a row in a hash table, and every reference that is interned when the hierarchy is made is resolved
//! once.
//!
//! `extern` classes (and missing ones) have no known members. A supertype among them leaves questions open, which is
//! [`Answer::Unknown`] for subtypes and no answer for resolution; but that the JDK's common interfaces have no fields is
//! known. A `partial` class leaves questions open for what it does not list. A class on a cycle of supertypes, which only
//! an unverified module has, counts as having no supertypes, so that nothing here can run in circles.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entity::{Class, Entity, Field, FieldRef, Func, MethodRef, Sig, Symbol};
use crate::module::{ClassData, ClassOrigin, FieldData, FieldRefData, Flags, FuncData, MethodRefData, Module};
use crate::types::Type;

/// What is known of a question about classes. `extern` classes make some answers unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Certainly.
    Yes,
    /// Certainly not.
    No,
    /// It depends on a class that is known by name only.
    Unknown,
}

/// Facts about the classes of a module: made once, it holds as long as no class, field or method is added or removed.
#[derive(Debug)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    // The interfaces that all classes name, and their direct subclasses and implementors; a node knows its parts.
    interfaces: Vec<Class>,
    subs: Vec<Class>,
    fields: FxHashMap<(Class, Symbol, Type), Field>,
    methods: FxHashMap<(Class, Symbol, Sig), Func>,
    // What the references that were interned when this was made resolve to.
    resolved_fields: Vec<Option<Field>>,
    resolved_methods: Vec<Option<Func>>,
    object: Option<Class>,
    cloneable: Option<Class>,
    serializable: Option<Class>,
    has_extern: bool,
    has_partial: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    superclass: Option<Class>,
    kind: Kind,
    is_final: bool,
    is_partial: bool,
    /// It is partial, and what it does not list may hide what its supertypes have. What the class library lists is
    /// what programs run on, so there the supertypes' members are meant.
    may_hide: bool,
    /// It may have fields that are not listed, or inherit them from interfaces that are not.
    may_hide_fields: bool,
    cyclic: bool,
    /// Some superclass is known by name only (the class itself not counted).
    open_superclass: bool,
    /// Its numbers in the superclass tree: its own, and the last one below it.
    first: u32,
    last: u32,
    /// Its parts of `Hierarchy::interfaces` and `Hierarchy::subs`.
    interfaces: (u32, u32),
    subs: (u32, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Class,
    Interface,
    Extern,
}

impl Hierarchy {
    /// Reads all classes of a module.
    pub fn new(module: &Module) -> Self {
        let mut this = Self {
            nodes: Vec::with_capacity(module.classes.len()),
            interfaces: Vec::new(),
            subs: Vec::new(),
            fields: FxHashMap::default(),
            methods: FxHashMap::default(),
            resolved_fields: Vec::new(),
            resolved_methods: Vec::new(),
            object: module.find_class("java.lang.Object"),
            cloneable: module.find_class("java.lang.Cloneable"),
            serializable: module.find_class("java.io.Serializable"),
            has_extern: false,
            has_partial: false,
        };
        this.read_classes(module);
        this.list_subclasses();
        this.number_superclass_tree();
        this.list_members(module);
        this.resolved_fields =
            (0..module.field_ref_count()).map(|i| this.look_up_field(module.field_ref(FieldRef::new(i)))).collect();
        this.resolved_methods = (0..module.method_ref_count())
            .map(|i| this.look_up_method(module, module.method_ref(MethodRef::new(i))))
            .collect();
        this
    }

    /// Takes note of a field that was added. Its name must be one that no reference has had so far: what references
    /// resolve to is not asked again.
    pub fn add_field(&mut self, module: &Module, field: Field) {
        let FieldData { class, name, ty, .. } = module.fields[field];
        self.fields.entry((class, name, ty)).or_insert(field);
    }

    /// Whether `sub` is `sup` or a subclass or implementor of it.
    pub fn is_subclass(&self, sub: Class, sup: Class) -> Answer {
        if sub == sup || Some(sup) == self.object {
            return Answer::Yes;
        }
        let (below, above) = (&self.nodes[sub.index()], &self.nodes[sup.index()]);
        if above.first <= below.first && below.first <= above.last {
            return Answer::Yes;
        }
        if above.is_final {
            return Answer::No;
        }
        match (above.kind, below.kind) {
            (_, Kind::Extern) => Answer::Unknown,
            // What an interface extends is `Object` alone as far as classes go, so only superclasses matter.
            (Kind::Class, _) if below.open_superclass => Answer::Unknown,
            (Kind::Class, _) => Answer::No,
            (Kind::Interface | Kind::Extern, _) => self.walk_up(sub, sup),
        }
    }

    /// Whether a reference that is an instance of `sub` is certainly one of `sup` (as `instanceof` asks). `Null` is a
    /// subtype of every reference type.
    pub fn is_subtype(&self, module: &Module, sub: Type, sup: Type) -> Answer {
        self.compare(module, sub, sup, |sub, sup| match sub {
            Type::Class(sub) => self.is_subclass(sub, sup),
            _ => self.is_array_supertype(sup),
        })
    }

    /// Whether a value of type `from` may stand where `to` is wanted: the rule of the JVM's verifier, for which every
    /// reference fits an interface. Numbers fit by their value types.
    pub fn is_assignable(&self, module: &Module, from: Type, to: Type) -> Answer {
        self.compare(module, from.value_type(), to.value_type(), |from, to| {
            let known = match from {
                Type::Class(from) => self.is_subclass(from, to),
                _ => self.is_array_supertype(to),
            };
            match (known, self.nodes[to.index()].kind) {
                (Answer::Yes, _) | (_, Kind::Interface) => Answer::Yes,
                // It may well be an interface.
                (_, Kind::Extern) => Answer::Unknown,
                (_, Kind::Class) => known,
            }
        })
    }

    /// The direct subclasses and implementors of a class, in the order of their ids.
    pub fn subclasses(&self, class: Class) -> &[Class] {
        let (start, end) = self.nodes[class.index()].subs;
        &self.subs[start as usize..end as usize]
    }

    /// The class and everything below it, each once: the class first, then in the order of their ids.
    pub fn all_subclasses(&self, class: Class) -> Vec<Class> {
        let mut seen = FxHashSet::from_iter([class]);
        let mut all = vec![class];
        let mut at = 0;
        while let Some(&class) = all.get(at) {
            at += 1;
            all.extend(self.subclasses(class).iter().copied().filter(|&sub| seen.insert(sub)));
        }
        all[1..].sort_unstable();
        all
    }

    /// The field that this very class declares; the first one, should there be several.
    pub fn declared_field(&self, class: Class, name: Symbol, ty: Type) -> Option<Field> {
        self.fields.get(&(class, name, ty)).copied()
    }

    /// The method that this very class declares; the first one, should there be several.
    pub fn declared_method(&self, class: Class, name: Symbol, sig: Sig) -> Option<Func> {
        self.methods.get(&(class, name, sig)).copied()
    }

    /// The superclass of a class; none for `java.lang.Object`, what is known by name only, and a class on a cycle.
    pub fn superclass(&self, class: Class) -> Option<Class> {
        self.nodes[class.index()].superclass
    }

    /// The class and its superclasses, going up.
    pub fn superclass_chain(&self, class: Class) -> impl Iterator<Item = Class> + '_ {
        std::iter::successors(Some(class), |&class| self.superclass(class))
    }

    /// All superinterfaces of a class, those of its superclasses included, each once; the class itself is left out.
    pub fn superinterfaces(&self, class: Class) -> Vec<Class> {
        let mut all = Vec::new();
        let mut seen = FxHashSet::default();
        for class in self.superclass_chain(class) {
            self.own_superinterfaces(class, &mut seen, &mut all);
        }
        all
    }

    /// Whether the class is among its own supertypes (or between two such cycles). The verifier reports it.
    pub fn is_cyclic(&self, class: Class) -> bool {
        self.nodes[class.index()].cyclic
    }

    /// Whether the class or one of its supertypes is known by name only, or partial, so that a member that is not found
    /// may exist.
    pub fn is_open(&self, class: Class) -> bool {
        (self.has_extern || self.has_partial)
            && (self.may_have_more(class)
                || self.nodes[class.index()].open_superclass
                || self.superclass_chain(class).any(|class| self.may_have_more(class))
                || self.superinterfaces(class).into_iter().any(|class| self.may_have_more(class)))
    }

    /// Whether the class may have members that are not listed.
    fn may_have_more(&self, class: Class) -> bool {
        self.is_extern(class) || self.nodes[class.index()].is_partial
    }

    /// Whether the class is known by name only.
    pub fn is_extern(&self, class: Class) -> bool {
        self.nodes[class.index()].kind == Kind::Extern
    }

    /// The declaration a field reference names, by JVMS 5.4.3.2. None if there is none, or if a class that is known by
    /// name only comes first (see [`Hierarchy::is_open`]) and may have it.
    pub fn resolve_field(&self, module: &Module, field: FieldRef) -> Option<Field> {
        match self.resolved_fields.get(field.index()) {
            Some(&resolved) => resolved,
            None => self.look_up_field(module.field_ref(field)),
        }
    }

    /// The declaration a method reference names, by JVMS 5.4.3.3 and 5.4.3.4. None if there is none, or if a class that
    /// is known by name only comes first (see [`Hierarchy::is_open`]).
    pub fn resolve_method(&self, module: &Module, method: MethodRef) -> Option<Func> {
        match self.resolved_methods.get(method.index()) {
            Some(&resolved) => resolved,
            None => self.look_up_method(module, module.method_ref(method)),
        }
    }

    /// The method that a call of `func` runs on an instance of exactly `receiver`, by JVMS 5.4.6; none if there is
    /// none (`AbstractMethodError` and its kin) or it is not known.
    pub fn select(&self, module: &Module, receiver: Class, func: Func) -> Option<Func> {
        let called = &module.funcs[func];
        let selected = if !is_virtual(module, func) {
            func
        } else {
            let declared = match called.flags.has(Flags::PUBLIC) || called.flags.has(Flags::PROTECTED) {
                true => self.select_in_superclasses(module, receiver, func)?,
                false => self.select_package_private(module, receiver, func)?,
            };
            match declared {
                Some(declared) => declared,
                None if self.is_open(receiver) => return None,
                None => {
                    let candidates = self.maximally_specific(module, receiver, called.name, called.sig);
                    single(candidates.into_iter().filter(|&m| has_code(module, m)))?
                }
            }
        };
        let found = &module.funcs[selected];
        // An interface method that runs into one that is not public is an IllegalAccessError.
        let may_be_hidden = self.nodes[called.class.index()].kind != Kind::Interface || selected == func;
        let is_accessible = may_be_hidden || found.flags.has(Flags::PUBLIC);
        (has_code(module, selected) && is_accessible).then_some(selected)
    }

    /// Every method that a virtual call of `func` can run, in the order of their ids: those selected for the classes of
    /// this module that can have instances.
    ///
    /// None if classes that are known by name only may add more: one stands below the method's class, the method's
    /// class is one, or it is an open class of the library (which a dependency may extend) while there are any. Classes
    /// of the program are taken not to be extended by what only has a name, unless its `superclass` says so.
    pub fn implementations(&self, module: &Module, func: Func) -> Option<Vec<Func>> {
        let called = &module.funcs[func];
        let node = &self.nodes[called.class.index()];
        if node.kind == Kind::Extern {
            return None;
        }
        if !is_virtual(module, func) || called.flags.has(Flags::FINAL) || node.is_final {
            return Some(if has_code(module, func) { vec![func] } else { Vec::new() });
        }
        if self.has_extern && module.classes[called.class].origin == ClassOrigin::Library {
            return None;
        }
        let mut all = Vec::new();
        for class in self.all_subclasses(called.class) {
            let node = &self.nodes[class.index()];
            if node.kind == Kind::Extern {
                return None;
            }
            if node.kind == Kind::Interface || module.classes[class].flags.has(Flags::ABSTRACT) {
                continue;
            }
            match self.select(module, class, func) {
                Some(selected) => all.push(selected),
                // Nothing is selected for certain only where all supertypes are known.
                None if self.is_open(class) => return None,
                None => {}
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Whether `sub` is below `sup`, where `by_class` knows about a class or array below a class.
    fn compare(
        &self,
        module: &Module,
        mut sub: Type,
        mut sup: Type,
        by_class: impl Fn(Type, Class) -> Answer,
    ) -> Answer {
        loop {
            return match (sub, sup) {
                _ if sub == sup => Answer::Yes,
                (Type::Null, _) if sup.is_ref() => Answer::Yes,
                (Type::Class(_) | Type::Array(_), Type::Class(sup)) => by_class(sub, sup),
                (Type::Array(below), Type::Array(above)) => {
                    (sub, sup) = (module.array_element(below), module.array_element(above));
                    continue;
                }
                _ => Answer::No,
            };
        }
    }

    /// Whether arrays are instances of a class.
    fn is_array_supertype(&self, class: Class) -> Answer {
        match [self.object, self.cloneable, self.serializable].contains(&Some(class)) {
            true => Answer::Yes,
            false => Answer::No,
        }
    }

    /// Looks for `sup` among all supertypes of `sub`.
    fn walk_up(&self, sub: Class, sup: Class) -> Answer {
        let mut answer = Answer::No;
        let mut todo = vec![sub];
        let mut seen = FxHashSet::default();
        while let Some(class) = todo.pop() {
            if class == sup {
                return Answer::Yes;
            }
            // What a partial class leaves out is not among the classes that are known here.
            if self.is_extern(class) || self.nodes[class.index()].is_partial && self.is_extern(sup) {
                answer = Answer::Unknown;
            }
            todo.extend(self.interfaces(class).iter().copied().filter(|&i| seen.insert(i)));
            todo.extend(self.superclass(class));
        }
        answer
    }

    /// The interfaces a class names.
    fn interfaces(&self, class: Class) -> &[Class] {
        let (start, end) = self.nodes[class.index()].interfaces;
        &self.interfaces[start as usize..end as usize]
    }

    /// Adds the superinterfaces of a class that it does not have from its superclass, in the order of JVMS 5.4.3.2.
    fn own_superinterfaces(&self, class: Class, seen: &mut FxHashSet<Class>, all: &mut Vec<Class>) {
        let mut todo: Vec<Class> = self.interfaces(class).iter().rev().copied().collect();
        while let Some(interface) = todo.pop() {
            if seen.insert(interface) {
                all.push(interface);
                todo.extend(self.interfaces(interface).iter().rev());
            }
        }
    }

    fn look_up_field(&self, field: FieldRefData) -> Option<Field> {
        let declared = |class| self.declared_field(class, field.name, field.ty);
        for class in self.superclass_chain(field.class) {
            if let Some(found) = declared(class) {
                return Some(found);
            }
            let mut interfaces = Vec::new();
            self.own_superinterfaces(class, &mut FxHashSet::default(), &mut interfaces);
            for interface in interfaces {
                if let Some(found) = declared(interface) {
                    return Some(found);
                }
                if self.nodes[interface.index()].may_hide_fields {
                    return None;
                }
            }
            if self.nodes[class.index()].may_hide {
                return None;
            }
        }
        None
    }

    fn look_up_method(&self, module: &Module, method: MethodRefData) -> Option<Func> {
        let MethodRefData { class, name, sig } = method;
        let found = match self.nodes[class.index()].kind {
            Kind::Extern => return None,
            Kind::Class => self.look_up_in_superclasses(module, class, name, sig)?,
            Kind::Interface => self.declared_method(class, name, sig).or_else(|| {
                let found = self.declared_method(self.object?, name, sig)?;
                let flags = module.funcs[found].flags;
                (flags.has(Flags::PUBLIC) && !flags.has(Flags::STATIC)).then_some(found)
            }),
        };
        if found.is_some() || self.nodes[class.index()].open_superclass || self.nodes[class.index()].may_hide {
            return found;
        }
        let candidates = self.maximally_specific(module, class, name, sig);
        let defaults = candidates.iter().copied().filter(|&m| has_code(module, m));
        single(defaults).or(candidates.first().copied())
    }

    /// The method that a class or the nearest of its superclasses declares; the outer option is none if that is not known.
    fn look_up_in_superclasses(&self, module: &Module, class: Class, name: Symbol, sig: Sig) -> Option<Option<Func>> {
        for class in self.superclass_chain(class) {
            let found = self.declared_method(class, name, sig);
            if found.is_some() {
                return Some(found);
            }
            let node = &self.nodes[class.index()];
            // Constructors are not inherited: one that is not listed is meant.
            if node.may_hide || node.is_partial && module.name(name) == "<init>" {
                return None;
            }
        }
        Some(None)
    }

    /// The maximally specific superinterface methods of JVMS 5.4.3.3.
    fn maximally_specific(&self, module: &Module, class: Class, name: Symbol, sig: Sig) -> Vec<Func> {
        let declared = |class| self.declared_method(class, name, sig).filter(|&m| is_virtual(module, m));
        let all: Vec<Func> = self.superinterfaces(class).into_iter().filter_map(declared).collect();
        let class_of = |m: Func| module.funcs[m].class;
        let is_hidden =
            |m: Func| all.iter().any(|&n| n != m && self.is_subclass(class_of(n), class_of(m)) == Answer::Yes);
        all.iter().copied().filter(|&m| !is_hidden(m)).collect()
    }

    /// The first superclass's method that overrides the public or protected `func`, or is it; the outer option is none
    /// if that is not known.
    fn select_in_superclasses(&self, module: &Module, receiver: Class, func: Func) -> Option<Option<Func>> {
        let (name, sig) = (module.funcs[func].name, module.funcs[func].sig);
        for class in self.superclass_chain(receiver) {
            if self.is_extern(class) {
                return None;
            }
            let found = self.declared_method(class, name, sig).filter(|&m| is_virtual(module, m));
            if found.is_some() {
                return Some(found);
            }
            if self.nodes[class.index()].may_hide {
                return None;
            }
        }
        Some(None)
    }

    /// The same for a package-private `func`: only methods of its package override it, and whatever overrides those.
    fn select_package_private(&self, module: &Module, receiver: Class, func: Func) -> Option<Option<Func>> {
        let called = &module.funcs[func];
        let mut below = Vec::new();
        for class in self.superclass_chain(receiver) {
            if self.is_extern(class) {
                return None;
            }
            if class == called.class {
                break;
            }
            let found = self.declared_method(class, called.name, called.sig).filter(|&m| is_virtual(module, m));
            if found.is_none() && self.nodes[class.index()].may_hide {
                return None;
            }
            below.extend(found);
        }
        let mut overriding = vec![func];
        for &method in below.iter().rev() {
            let overrides = |&upper: &Func| {
                let upper = &module.funcs[upper];
                upper.flags.has(Flags::PUBLIC)
                    || upper.flags.has(Flags::PROTECTED)
                    || same_package(module, upper.class, module.funcs[method].class)
            };
            if overriding.iter().any(overrides) {
                overriding.push(method);
            }
        }
        Some(overriding.last().copied())
    }

    fn read_classes(&mut self, module: &Module) {
        let cyclic = cyclic_classes(module);
        for (class, data) in module.classes.iter() {
            let start = self.interfaces.len() as u32;
            let cyclic = cyclic[class.index()];
            if !cyclic {
                self.interfaces.extend_from_slice(&data.interfaces);
            }
            let kind = kind_of(data);
            self.has_extern |= kind == Kind::Extern;
            self.has_partial |= data.flags.has(Flags::PARTIAL);
            let may_hide = data.flags.has(Flags::PARTIAL) && data.origin != ClassOrigin::Library;
            let may_hide_fields = match kind {
                Kind::Extern => !is_without_fields(module.class_name(class)),
                Kind::Class | Kind::Interface => may_hide,
            };
            self.nodes.push(Node {
                superclass: if cyclic { None } else { data.superclass },
                kind,
                is_final: data.flags.has(Flags::FINAL) && kind == Kind::Class,
                is_partial: data.flags.has(Flags::PARTIAL),
                may_hide,
                may_hide_fields,
                cyclic,
                open_superclass: false,
                first: 1,
                last: 0,
                interfaces: (start, self.interfaces.len() as u32),
                subs: (0, 0),
            });
        }
    }

    fn list_subclasses(&mut self) {
        let supertypes = |this: &Self, class: Class| {
            let mut all: Vec<Class> = this.superclass(class).into_iter().collect();
            all.extend_from_slice(this.interfaces(class));
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut edges: Vec<(Class, Class)> = Vec::new();
        for class in (0..self.nodes.len()).map(Class::new) {
            edges.extend(supertypes(self, class).into_iter().map(|sup| (sup, class)));
        }
        edges.sort_unstable();
        let mut at = 0;
        for (index, node) in self.nodes.iter_mut().enumerate() {
            let start = at;
            while at < edges.len() && edges[at].0.index() == index {
                at += 1;
            }
            node.subs = (start as u32, at as u32);
        }
        self.subs = edges.into_iter().map(|(_, sub)| sub).collect();
    }

    /// Gives each class the numbers of its part of the superclass tree, in preorder, and passes openness down.
    fn number_superclass_tree(&mut self) {
        let mut next = 0;
        let roots: Vec<Class> =
            (0..self.nodes.len()).map(Class::new).filter(|&class| self.superclass(class).is_none()).collect();
        for root in roots {
            self.nodes[root.index()].first = next;
            next += 1;
            // Each class with how many of its direct subclasses are done.
            let mut path = vec![(root, 0)];
            while let Some((class, done)) = path.last_mut() {
                let class = *class;
                match self.subclasses(class).get(*done).copied() {
                    Some(sub) => {
                        *done += 1;
                        if self.superclass(sub) == Some(class) {
                            let above = &self.nodes[class.index()];
                            let open = above.open_superclass || above.kind == Kind::Extern;
                            let node = &mut self.nodes[sub.index()];
                            (node.first, node.open_superclass) = (next, open);
                            next += 1;
                            path.push((sub, 0));
                        }
                    }
                    None => {
                        self.nodes[class.index()].last = next - 1;
                        path.pop();
                    }
                }
            }
        }
    }

    fn list_members(&mut self, module: &Module) {
        self.fields.reserve(module.fields.len());
        self.methods.reserve(module.funcs.len());
        for (class, data) in module.classes.iter() {
            for &field in &data.fields {
                let FieldData { name, ty, .. } = module.fields[field];
                self.fields.entry((class, name, ty)).or_insert(field);
            }
            for &method in &data.methods {
                let FuncData { name, sig, .. } = module.funcs[method];
                self.methods.entry((class, name, sig)).or_insert(method);
            }
        }
    }
}

/// Whether two classes are of one package.
pub fn same_package(module: &Module, a: Class, b: Class) -> bool {
    let package = |class| module.class_name(class).rsplit_once('.').map_or("", |(package, _)| package);
    a == b || package(a) == package(b)
}

/// The first class-file version that knows nests.
pub const NESTS_SINCE: u16 = 55;

/// Whether two classes may access each other's private members: the same class, or mates of one nest.
pub fn nest_mates(module: &Module, a: Class, b: Class) -> bool {
    let host = |class: Class| module.classes[class].nest_host.unwrap_or(class);
    let knows_nests = |class: Class| module.classes[class].version >= NESTS_SINCE;
    a == b || (knows_nests(a) && knows_nests(b) && host(a) == host(b) && same_package(module, a, b))
}

fn kind_of(data: &ClassData) -> Kind {
    match data.origin {
        ClassOrigin::Extern | ClassOrigin::Missing => Kind::Extern,
        ClassOrigin::Program | ClassOrigin::Library | ClassOrigin::Classpath if data.flags.has(Flags::INTERFACE) => {
            Kind::Interface
        }
        ClassOrigin::Program | ClassOrigin::Library | ClassOrigin::Classpath => Kind::Class,
    }
}

/// Whether an interface of this name is one of the JDK's that neither have nor inherit fields: those of some packages, but
/// for `Spliterator` and what it has in it (looked at in JDK 17).
fn is_without_fields(name: &str) -> bool {
    const PACKAGES: [&str; 4] = ["java.lang", "java.util", "java.util.concurrent", "java.util.function"];
    let is_of_those = name.rsplit_once('.').is_some_and(|(package, _)| PACKAGES.contains(&package));
    is_of_those && !name.starts_with("java.util.Spliterator")
}

/// Whether a method is chosen by the receiver, and takes part in overriding.
fn is_virtual(module: &Module, func: Func) -> bool {
    let data = &module.funcs[func];
    !data.flags.has(Flags::STATIC) && !data.flags.has(Flags::PRIVATE) && !module.name(data.name).starts_with('<')
}

fn has_code(module: &Module, func: Func) -> bool {
    !module.funcs[func].flags.has(Flags::ABSTRACT)
}

fn single<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// The classes that are left when those without supertypes, and those without subtypes, are taken away again and again.
fn cyclic_classes(module: &Module) -> Vec<bool> {
    let supertypes = |class: Class| {
        let data = &module.classes[class];
        data.superclass.into_iter().chain(data.interfaces.iter().copied())
    };
    let count = module.classes.len();
    let mut subtypes: Vec<Vec<Class>> = vec![Vec::new(); count];
    let mut above = vec![0u32; count];
    let mut below = vec![0u32; count];
    for class in module.classes.keys() {
        for sup in supertypes(class) {
            subtypes[sup.index()].push(class);
            above[class.index()] += 1;
            below[sup.index()] += 1;
        }
    }
    let mut left = vec![true; count];
    let mut todo: Vec<Class> = module.classes.keys().collect();
    while let Some(class) = todo.pop() {
        let index = class.index();
        if !left[index] || (above[index] != 0 && below[index] != 0) {
            continue;
        }
        left[index] = false;
        for &sub in &subtypes[index] {
            above[sub.index()] -= 1;
            todo.push(sub);
        }
        for sup in supertypes(class) {
            below[sup.index()] -= 1;
            todo.push(sup);
        }
    }
    left
}
