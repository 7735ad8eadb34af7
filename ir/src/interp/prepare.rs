//! What a module's programs need at run time, worked out on first use and kept for all runs.

use std::cell::{OnceCell, RefCell};

use rustc_hash::FxHashMap;

use super::layout::Layout;
use super::slot::{Slot, from_i32, from_i64};
use crate::entity::{Class, Entity, Field, FieldRef, Func, MethodRef, SecondaryMap};
use crate::function::{Body, Constant, ValueDef};
use crate::hierarchy::{Answer, Hierarchy};
use crate::module::{ClassOrigin, Flags};
use crate::natives::{Native, natives_of};
use crate::types::{Ordering, Type};
use crate::verify::Verified;

/// A verified module made ready to run. Cheap to make: the parts that a run touches are worked out then, once.
pub struct Prepared<'m> {
    /// The module.
    pub module: &'m Verified,
    /// Its classes.
    pub hierarchy: Hierarchy,
    pub(super) known: Known,
    /// The static fields before anything ran, but for those whose constant is an object.
    pub(super) statics: Vec<Slot>,
    /// Static fields whose constant is an object.
    pub(super) static_objects: Vec<(Field, Constant)>,
    layouts: Vec<OnceCell<Layout>>,
    supers: Vec<OnceCell<Vec<Class>>>,
    trivial: Vec<OnceCell<bool>>,
    fields: Vec<OnceCell<Option<FieldUse>>>,
    methods: Vec<OnceCell<Option<Func>>>,
    templates: Vec<OnceCell<Template>>,
    natives: SecondaryMap<Func, Option<Native>>,
    selected: RefCell<FxHashMap<(Class, Func), Option<Func>>>,
    subtypes: RefCell<FxHashMap<(Type, Type), Answer>>,
}

/// What the engine itself uses of the library.
pub(super) struct Known {
    pub(super) object: Class,
    pub(super) string: Class,
    /// The index of `String.value`.
    pub(super) string_value: u32,
    pub(super) class: Class,
    pub(super) throwable: Class,
    pub(super) error: Class,
    pub(super) cloneable: Class,
    /// The type of `Throwable.stackTrace`, if the library keeps traces.
    pub(super) trace: Option<Type>,
    /// The type of `String.value`.
    pub(super) chars: Type,
}

/// A field as an instruction uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldUse {
    pub(super) field: Field,
    /// The class that declares it.
    pub(super) class: Class,
    pub(super) ty: Type,
    /// Its index in instances; 0 for a static field.
    pub(super) slot: u32,
    pub(super) ordering: Ordering,
}

/// The values of a method when it starts.
#[derive(Debug, Default)]
pub(super) struct Template {
    /// One for each value, constants filled in.
    pub(super) values: Vec<Slot>,
    /// Constants that are objects, by the index of their value.
    pub(super) objects: Vec<(usize, Constant)>,
}

impl<'m> Prepared<'m> {
    /// Makes a module ready.
    ///
    /// # Panics
    /// If the module lacks the class library, which [`crate::text::parse`] puts under every program.
    pub fn new(module: &'m Verified) -> Self {
        let class =
            |name: &str| module.find_class(name).unwrap_or_else(|| panic!("the class library is loaded, with {name}"));
        let string = class("java.lang.String");
        let value = module.find_symbol("value").and_then(|name| module.declared_field(string, name));
        let throwable = class("java.lang.Throwable");
        let trace = module.find_symbol("stackTrace").and_then(|name| module.declared_field(throwable, name));
        let known = Known {
            object: class("java.lang.Object"),
            string,
            // Object has no fields, and `value` is String's first.
            string_value: 0,
            class: class("java.lang.Class"),
            throwable,
            trace: trace.map(|field| module.fields[field].ty),
            error: class("java.lang.Error"),
            cloneable: class("java.lang.Cloneable"),
            chars: module.fields[value.expect("String has the field value")].ty,
        };
        let mut statics = vec![0; module.fields.len()];
        let mut static_objects = Vec::new();
        for (field, data) in module.fields.iter() {
            match data.init.map(|constant| (constant, number(constant))) {
                None => {}
                Some((_, Some(slot))) => statics[field.index()] = super::slot::narrow(data.ty, slot),
                Some((constant, None)) => static_objects.push((field, constant)),
            }
        }
        let classes = module.classes.len();
        let funcs = module.funcs.len();
        Self {
            module,
            hierarchy: Hierarchy::new(module),
            known,
            statics,
            static_objects,
            layouts: vec![OnceCell::new(); classes],
            supers: vec![OnceCell::new(); classes],
            trivial: vec![OnceCell::new(); classes],
            fields: vec![OnceCell::new(); module.field_ref_count()],
            methods: vec![OnceCell::new(); module.method_ref_count()],
            templates: (0..funcs).map(|_| OnceCell::new()).collect(),
            natives: natives_of(module),
            selected: RefCell::default(),
            subtypes: RefCell::default(),
        }
    }

    /// The code of a method that has some.
    pub(super) fn body(&self, func: Func) -> &'m Body {
        self.module.funcs[func].body.as_ref().expect("only methods with code have frames")
    }

    /// The field that an offset means in instances of a class: its index among all fields, and its type.
    pub(super) fn at_offset(&self, class: Class, offset: i64) -> Option<(u32, Type)> {
        let slots = &self.layout(class).slots;
        let index = slots.binary_search_by_key(&offset, |place| i64::from(place.offset)).ok()?;
        Some((index as u32, slots[index].ty))
    }

    /// Where the fields of a class's instances are.
    ///
    /// # Panics
    /// If the class is none of the module's.
    pub fn layout(&self, class: Class) -> &Layout {
        // Superclasses first, without recursion: a chain may be long.
        let mut missing = Vec::new();
        let mut at = Some(class);
        while let Some(class) = at.filter(|class| self.layouts[class.index()].get().is_none()) {
            missing.push(class);
            at = self.module.classes[class].superclass;
        }
        for &class in missing.iter().rev() {
            let superclass = self.module.classes[class].superclass;
            let above = superclass.and_then(|superclass| self.layouts[superclass.index()].get());
            let layout = Layout::new(self.module, class, above);
            self.layouts[class.index()].get_or_init(|| layout);
        }
        self.layouts[class.index()].get().expect("it was just laid out")
    }

    /// What has to be initialised before a class, in order (JVMS 5.5, step 7): its superclass, then its superinterfaces
    /// that have a default method.
    pub(super) fn supers(&self, class: Class) -> &[Class] {
        self.supers[class.index()].get_or_init(|| {
            let data = &self.module.classes[class];
            if data.flags.has(Flags::INTERFACE) {
                return Vec::new();
            }
            let mut supers: Vec<Class> = data.superclass.into_iter().collect();
            let mut seen = Vec::new();
            // Depth first: an interface's superinterfaces stand before it.
            let mut work: Vec<(Class, bool)> = data.interfaces.iter().rev().map(|&i| (i, false)).collect();
            while let Some((interface, done)) = work.pop() {
                if done {
                    if self.has_default_method(interface) {
                        supers.push(interface);
                    }
                } else if !seen.contains(&interface) {
                    seen.push(interface);
                    work.push((interface, true));
                    work.extend(self.module.classes[interface].interfaces.iter().rev().map(|&i| (i, false)));
                }
            }
            supers
        })
    }

    fn has_default_method(&self, interface: Class) -> bool {
        self.module.classes[interface].methods.iter().any(|&method| {
            let data = &self.module.funcs[method];
            !data.flags.has(Flags::ABSTRACT) && !data.is_static()
        })
    }

    /// Whether the initialisation of a class runs no code and cannot fail, so that nobody can tell when it happens.
    pub(super) fn is_trivially_initialised(&self, class: Class) -> bool {
        *self.trivial[class.index()].get_or_init(|| {
            let mut work = vec![class];
            let mut seen = Vec::new();
            while let Some(class) = work.pop() {
                let origin = self.module.classes[class].origin;
                let known = !matches!(origin, ClassOrigin::Extern | ClassOrigin::Missing);
                if !known || self.module.clinit(class).is_some() {
                    return false;
                }
                if !seen.contains(&class) {
                    seen.push(class);
                    work.extend_from_slice(self.supers(class));
                }
            }
            true
        })
    }

    /// The field that a reference means.
    pub(super) fn field(&self, field: FieldRef) -> Option<FieldUse> {
        *self.fields[field.index()].get_or_init(|| {
            let field = self.hierarchy.resolve_field(self.module, field)?;
            Some(self.field_use(field))
        })
    }

    pub(super) fn field_use(&self, field: Field) -> FieldUse {
        let data = &self.module.fields[field];
        let is_static = data.flags.has(Flags::STATIC);
        FieldUse {
            field,
            class: data.class,
            ty: data.ty,
            slot: if is_static { 0 } else { self.layout(data.class).index_of(field).expect("a class has its fields") },
            ordering: if data.flags.has(Flags::VOLATILE) { Ordering::Volatile } else { Ordering::Plain },
        }
    }

    /// The offset of an instance field, as `field_offset` gives it; none if the reference means no field.
    ///
    /// # Panics
    /// If the reference is none of the module's, or means a static field.
    pub fn offset(&self, field: FieldRef) -> Option<i64> {
        Some(self.offset_of(self.field(field)?))
    }

    pub(super) fn offset_of(&self, field: FieldUse) -> i64 {
        i64::from(self.layout(field.class).slots[field.slot as usize].offset)
    }

    /// The method that a reference means.
    pub(super) fn method(&self, method: MethodRef) -> Option<Func> {
        *self.methods[method.index()].get_or_init(|| self.hierarchy.resolve_method(self.module, method))
    }

    /// The method that a call of `func` runs on an instance of `receiver`.
    pub(super) fn select(&self, receiver: Class, func: Func) -> Option<Func> {
        let mut selected = self.selected.borrow_mut();
        *selected.entry((receiver, func)).or_insert_with(|| self.hierarchy.select(self.module, receiver, func))
    }

    /// Whether an object of runtime type `ty` is an instance of `of`.
    pub(super) fn instance_of(&self, ty: Type, of: Type) -> Answer {
        if ty == of {
            return Answer::Yes;
        }
        let mut subtypes = self.subtypes.borrow_mut();
        *subtypes.entry((ty, of)).or_insert_with(|| self.hierarchy.is_subtype(self.module, ty, of))
    }

    /// The native that a method is, if the engine has it.
    pub(super) fn native(&self, func: Func) -> Option<Native> {
        self.natives[func]
    }

    pub(super) fn template(&self, func: Func) -> &Template {
        self.templates[func.index()].get_or_init(|| {
            let mut template = Template::default();
            for (value, data) in self.body(func).values.iter() {
                let ValueDef::Const(constant) = data.def else {
                    template.values.push(0);
                    continue;
                };
                let slot = number(constant);
                template.values.push(slot.unwrap_or(0));
                if slot.is_none() {
                    template.objects.push((value.index(), constant));
                }
            }
            template
        })
    }

    /// Finds a field that the library is known to declare in this very class.
    pub(super) fn library_field(&self, class: Class, name: &str) -> Option<FieldUse> {
        let field = self.module.declared_field(class, self.module.find_symbol(name)?)?;
        Some(self.field_use(field))
    }

    /// Finds a method that the library is known to declare in this very class.
    pub(super) fn library_method(&self, class: &str, name: &str) -> Option<Func> {
        let (class, name) = (self.module.find_class(class)?, self.module.find_symbol(name)?);
        let methods = &self.module.classes[class].methods;
        methods.iter().copied().find(|&method| self.module.funcs[method].name == name)
    }
}

/// The slot of a constant that is no object.
fn number(constant: Constant) -> Option<Slot> {
    match constant {
        Constant::I32(value) => Some(from_i32(value)),
        Constant::I64(value) => Some(from_i64(value)),
        Constant::F32(bits) => Some(Slot::from(bits)),
        Constant::F64(bits) => Some(bits),
        Constant::Null => Some(0),
        Constant::String(_) | Constant::Class(_) => None,
    }
}
