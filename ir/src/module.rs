//! Modules: classes, fields, methods, and the interned things they share.

use std::hash::Hash;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::entity::{
    ArrayType, Class, Entity, Field, FieldRef, File, Func, Literal, MethodRef, PrimaryMap, Sig, Symbol,
};
use crate::function::{Body, Constant};
use crate::types::Type;

/// Access and property flags of classes, fields and methods: the bits of the JVM specification, and a few of our own in
/// the place of bits that it does not give to such a thing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// `public`
    pub const PUBLIC: Flags = Flags(0x0001);
    /// `private`
    pub const PRIVATE: Flags = Flags(0x0002);
    /// `protected`
    pub const PROTECTED: Flags = Flags(0x0004);
    /// `static`
    pub const STATIC: Flags = Flags(0x0008);
    /// `final`
    pub const FINAL: Flags = Flags(0x0010);
    /// `synchronized` (methods)
    pub const SYNCHRONIZED: Flags = Flags(0x0020);
    /// `volatile` (fields)
    pub const VOLATILE: Flags = Flags(0x0040);
    /// `bridge` (methods)
    pub const BRIDGE: Flags = Flags(0x0040);
    /// `transient` (fields)
    pub const TRANSIENT: Flags = Flags(0x0080);
    /// `native` (methods)
    pub const NATIVE: Flags = Flags(0x0100);
    /// `interface` (classes)
    pub const INTERFACE: Flags = Flags(0x0200);
    /// `abstract`
    pub const ABSTRACT: Flags = Flags(0x0400);
    /// `synthetic`
    pub const SYNTHETIC: Flags = Flags(0x1000);
    /// `enum`
    pub const ENUM: Flags = Flags(0x4000);
    /// `exposed` (fields and methods): code that is not in the module may use it, whatever its access flags say. Method
    /// handles do, and methods that nobody could read.
    pub const EXPOSED: Flags = Flags(0x2000);
    /// `unread` (methods): it has code that nobody read, so it has no body here and may do anything.
    pub const UNREAD: Flags = Flags(0x8000);
    /// `partial` (classes): it may have members and superinterfaces that are not listed.
    pub const PARTIAL: Flags = Flags(0x8000);

    /// Whether all of these are set.
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }
    /// These and those.
    pub const fn with(self, flags: Flags) -> Flags {
        Flags(self.0 | flags.0)
    }
    /// These without those.
    pub const fn without(self, flags: Flags) -> Flags {
        Flags(self.0 & !flags.0)
    }
}

impl std::fmt::Debug for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#06x}", self.0)
    }
}

/// Where a class comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClassOrigin {
    /// The program that was read; the only classes that passes change and the printer prints.
    Program,
    /// The class library of `ir/lib`.
    Library,
    /// A class that the program runs with and that nobody changes: a dependency. Its members are known, and such bodies
    /// as somebody asked for.
    Classpath,
    /// Declared by `extern class`, or known by name only: neither members nor supertypes are known.
    Extern,
    /// Named but not declared; the verifier reports it.
    Missing,
}

/// A class or interface.
#[derive(Clone, Debug)]
pub struct ClassData {
    /// Its full name, with dots: `java.lang.Object`.
    pub name: Symbol,
    /// Where it comes from.
    pub origin: ClassOrigin,
    /// Its flags.
    pub flags: Flags,
    /// Its superclass; none for `java.lang.Object` and for what is not declared.
    pub superclass: Option<Class>,
    /// The interfaces it names.
    pub interfaces: Vec<Class>,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// Its methods, in order.
    pub methods: Vec<Func>,
    /// The name of its source file, which `@LINE` refers to.
    pub source: Option<Symbol>,
    /// The major version of its class file; 61 unless said otherwise.
    pub version: u16,
    /// The host of its nest, if another class.
    pub nest_host: Option<Class>,
    /// The text it was declared in.
    pub file: Option<File>,
    /// The byte offset of its name in that text.
    pub pos: u32,
}

/// The class-file version of a class that names none.
pub const DEFAULT_VERSION: u16 = 61;

/// A declared field.
#[derive(Clone, Debug)]
pub struct FieldData {
    /// Its class.
    pub class: Class,
    /// Its name.
    pub name: Symbol,
    /// Its flags.
    pub flags: Flags,
    /// Its declared type.
    pub ty: Type,
    /// The constant value of a static field, there before `<clinit>` runs.
    pub init: Option<Constant>,
    /// The byte offset of its name in the text.
    pub pos: u32,
}

/// A declared method.
#[derive(Clone, Debug)]
pub struct FuncData {
    /// Its class.
    pub class: Class,
    /// Its name; `<init>` for constructors, `<clinit>` for the class initialiser.
    pub name: Symbol,
    /// Its signature, without the receiver.
    pub sig: Sig,
    /// Its flags.
    pub flags: Flags,
    /// Its code; none if abstract, native or unread. The entry block's parameters are `this` (unless static), then those of
    /// the signature.
    pub body: Option<Box<Body>>,
    /// The method that it is a copy of, if an optimisation made it: nothing outside the program knows of it. The text does
    /// not say so.
    pub copy_of: Option<Func>,
    /// The byte offset of its name in the text.
    pub pos: u32,
}

impl FuncData {
    /// Whether it has no receiver.
    pub fn is_static(&self) -> bool {
        self.flags.has(Flags::STATIC)
    }
}

/// A method's parameters and result, as declared, without the receiver.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SigData {
    /// The parameters.
    pub params: Vec<Type>,
    /// The result; none for `void`.
    pub ret: Option<Type>,
}

/// A symbolic reference to a field, as the constant pool has it: it may be declared in a superclass of `class`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FieldRefData {
    /// The class it is looked up from.
    pub class: Class,
    /// Its name.
    pub name: Symbol,
    /// Its declared type.
    pub ty: Type,
}

/// A symbolic reference to a method, as the constant pool has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MethodRefData {
    /// The class it is looked up from.
    pub class: Class,
    /// Its name.
    pub name: Symbol,
    /// Its signature.
    pub sig: Sig,
}

type Interner<T> = IndexSet<T, FxBuildHasher>;

fn intern<K: Entity, T: Hash + Eq>(set: &mut Interner<T>, item: T) -> K {
    K::new(set.insert_full(item).0)
}

/// A program with the class library it runs on.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The texts it was read from, by name.
    pub files: PrimaryMap<File, String>,
    /// All classes that are declared or named.
    pub classes: PrimaryMap<Class, ClassData>,
    /// All fields ever declared; a class lists those it has now.
    pub fields: PrimaryMap<Field, FieldData>,
    /// All methods ever declared; a class lists those it has now.
    pub funcs: PrimaryMap<Func, FuncData>,
    // The rest are interners, private so that equal things have equal ids.
    symbols: Interner<Box<str>>,
    by_name: FxHashMap<Symbol, Class>,
    sigs: Interner<SigData>,
    arrays: Interner<Type>,
    field_refs: Interner<FieldRefData>,
    method_refs: Interner<MethodRefData>,
    literals: Interner<Box<[u16]>>,
}

impl Module {
    /// A module without any class, not even `java.lang.Object`. Most callers want [`crate::text::parse`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Interns a name.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        match self.symbols.get_index_of(name) {
            Some(index) => Symbol::new(index),
            None => intern(&mut self.symbols, name.into()),
        }
    }
    /// The symbol of a name, if anything has it.
    pub fn find_symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get_index_of(name).map(Symbol::new)
    }
    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.index()]
    }

    /// The class of this full name, made as [`ClassOrigin::Missing`] if there is none yet.
    pub fn class(&mut self, name: Symbol) -> Class {
        if let Some(&class) = self.by_name.get(&name) {
            return class;
        }
        let class = self.classes.push(ClassData {
            name,
            origin: ClassOrigin::Missing,
            flags: Flags::NONE,
            superclass: None,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            source: None,
            version: DEFAULT_VERSION,
            nest_host: None,
            file: None,
            pos: 0,
        });
        self.by_name.insert(name, class);
        class
    }
    /// The class of this full name, if it is declared or named.
    pub fn find_class(&self, name: &str) -> Option<Class> {
        self.by_name.get(&self.find_symbol(name)?).copied()
    }
    /// The full name of a class, with dots.
    pub fn class_name(&self, class: Class) -> &str {
        self.name(self.classes[class].name)
    }
    /// The classes of the program, in the order of their ids.
    pub fn program_classes(&self) -> impl Iterator<Item = Class> + '_ {
        self.classes.iter().filter(|(_, data)| data.origin == ClassOrigin::Program).map(|(class, _)| class)
    }
    /// The methods that program classes have now, in the order of their classes.
    pub fn program_funcs(&self) -> impl Iterator<Item = Func> + '_ {
        // By hand, for there are many and much asks for all: a `flat_map` takes five times as long.
        let mut classes = self.classes.values();
        let mut methods = [].iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(&func) = methods.next() {
                    return Some(func);
                }
                let class = classes.next()?;
                if class.origin == ClassOrigin::Program {
                    methods = class.methods.iter();
                }
            }
        })
    }

    /// Declares a field and lists it in its class.
    pub fn add_field(&mut self, data: FieldData) -> Field {
        let class = data.class;
        let field = self.fields.push(data);
        self.classes[class].fields.push(field);
        field
    }
    /// Declares a method and lists it in its class.
    pub fn add_func(&mut self, data: FuncData) -> Func {
        let class = data.class;
        let func = self.funcs.push(data);
        self.classes[class].methods.push(func);
        func
    }
    /// The class in a type, or in the elements of an array type, if it is not declared: nothing is known about it, and it
    /// may be missing when the program runs.
    pub fn unknown_class(&self, ty: Type) -> Option<Class> {
        let mut ty = ty;
        while let Type::Array(array) = ty {
            ty = self.array_element(array);
        }
        let Type::Class(class) = ty else { return None };
        matches!(self.classes[class].origin, ClassOrigin::Extern | ClassOrigin::Missing).then_some(class)
    }

    /// The field that this very class declares under this name.
    pub fn declared_field(&self, class: Class, name: Symbol) -> Option<Field> {
        self.classes[class].fields.iter().copied().find(|&f| self.fields[f].name == name)
    }
    /// The method that this very class declares under this name and signature.
    pub fn declared_method(&self, class: Class, name: Symbol, sig: Sig) -> Option<Func> {
        let methods = &self.classes[class].methods;
        methods.iter().copied().find(|&m| self.funcs[m].name == name && self.funcs[m].sig == sig)
    }
    /// The class initialiser of a class.
    pub fn clinit(&self, class: Class) -> Option<Func> {
        let methods = &self.classes[class].methods;
        methods.iter().copied().find(|&m| self.name(self.funcs[m].name) == "<clinit>")
    }

    /// Interns a signature.
    pub fn intern_sig(&mut self, sig: SigData) -> Sig {
        intern(&mut self.sigs, sig)
    }
    /// An interned signature.
    pub fn sig(&self, sig: Sig) -> &SigData {
        &self.sigs[sig.index()]
    }
    /// The array type with these elements.
    pub fn array_of(&mut self, element: Type) -> Type {
        Type::Array(intern(&mut self.arrays, element))
    }
    /// The declared type of an array's elements.
    pub fn array_element(&self, array: ArrayType) -> Type {
        self.arrays[array.index()]
    }
    /// The type of a value that is one or the other: the type itself if both are the same or one is `null`, else the
    /// nearest superclass that both have. Interfaces are passed over: their common class is `java.lang.Object`, and any
    /// reference fits them.
    ///
    /// Narrower types never join to a wider class, so a value may be replaced by one of a narrower type.
    pub fn join(&self, a: Type, b: Type) -> Type {
        match (a, b) {
            (Type::Null, other) | (other, Type::Null) => other,
            (Type::Array(x), Type::Array(y)) if x != y => {
                let (x, y) = (self.arrays[x.index()], self.arrays[y.index()]);
                // Nobody can ask for an array type that no one has named.
                let joined = (x.is_ref() && y.is_ref()).then(|| self.join(x, y));
                let array = joined.and_then(|element| self.arrays.get_index_of(&element));
                array.map_or_else(|| self.object(), |index| Type::Array(ArrayType::new(index)))
            }
            (Type::Class(x), Type::Class(y)) if x != y => self.common_superclass(x, y),
            _ if a == b || !a.is_ref() || !b.is_ref() => a,
            _ => self.object(),
        }
    }

    fn common_superclass(&self, a: Class, b: Class) -> Type {
        // The chains are bounded, since an unverified module may have a cycle.
        let chain = |class| std::iter::successors(Some(class), |&c: &Class| self.classes[c].superclass).take(1 << 10);
        let is_interface = |class: Class| self.classes[class].flags.has(Flags::INTERFACE);
        if is_interface(a) || is_interface(b) {
            return self.object();
        }
        let above: Vec<Class> = chain(a).collect();
        chain(b).find(|class| above.contains(class)).map_or_else(|| self.object(), Type::Class)
    }

    fn object(&self) -> Type {
        self.find_class("java.lang.Object").map_or(Type::Null, Type::Class)
    }

    /// Interns a reference to a field.
    pub fn intern_field_ref(&mut self, data: FieldRefData) -> FieldRef {
        intern(&mut self.field_refs, data)
    }
    /// An interned reference to a field.
    pub fn field_ref(&self, field: FieldRef) -> FieldRefData {
        self.field_refs[field.index()]
    }
    /// How many references to fields there are.
    pub fn field_ref_count(&self) -> usize {
        self.field_refs.len()
    }
    /// Interns a reference to a method.
    pub fn intern_method_ref(&mut self, data: MethodRefData) -> MethodRef {
        intern(&mut self.method_refs, data)
    }
    /// An interned reference to a method.
    pub fn method_ref(&self, method: MethodRef) -> MethodRefData {
        self.method_refs[method.index()]
    }
    /// How many references to methods there are.
    pub fn method_ref_count(&self) -> usize {
        self.method_refs.len()
    }
    /// Interns a string constant, in UTF-16 as Java has it.
    pub fn intern_literal(&mut self, units: &[u16]) -> Literal {
        match self.literals.get_index_of(units) {
            Some(index) => Literal::new(index),
            None => intern(&mut self.literals, units.into()),
        }
    }
    /// An interned string constant.
    pub fn literal(&self, literal: Literal) -> &[u16] {
        &self.literals[literal.index()]
    }

    /// The type of a constant.
    ///
    /// # Panics
    /// For a string or class constant if the module lacks `java.lang.String` or `java.lang.Class`, which the class
    /// library declares.
    pub fn constant_type(&self, constant: Constant) -> Type {
        let library = |name| Type::Class(self.find_class(name).expect("the class library is loaded"));
        match constant {
            Constant::I32(_) => Type::I32,
            Constant::I64(_) => Type::I64,
            Constant::F32(_) => Type::F32,
            Constant::F64(_) => Type::F64,
            Constant::Null => Type::Null,
            Constant::String(_) => library("java.lang.String"),
            Constant::Class(_) => library("java.lang.Class"),
        }
    }
}
