//! The updater classes as the program sees them: which method references mean which operation.

use r8lite_ir::{Class, Entity, Hierarchy, MethodRef, Module, SecondaryMap, Type};

use crate::operation::{Kind, Operation};

/// What a method of an updater class is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ApiMethod {
    /// `newUpdater`
    NewUpdater(Kind),
    /// An operation.
    Operation(Kind, Operation),
}

/// The updater classes of a module, and its references to their methods.
pub(crate) struct Api {
    classes: [Option<Class>; 3],
    methods: SecondaryMap<MethodRef, Option<ApiMethod>>,
}

impl Api {
    /// Finds the updater classes, and every reference to their methods.
    pub(crate) fn new(module: &Module, hierarchy: &Hierarchy) -> Api {
        let classes = Kind::ALL.map(|kind| module.find_class(kind.class_name()));
        let mut methods = SecondaryMap::with_len(module.method_ref_count(), None);
        for index in 0..module.method_ref_count() {
            let method = MethodRef::new(index);
            methods[method] = api_method(module, hierarchy, &classes, method);
        }
        Api { classes, methods }
    }

    /// What a method reference means, if it names a method of an updater class.
    pub(crate) fn method(&self, method: MethodRef) -> Option<ApiMethod> {
        self.methods[method]
    }

    /// The kind of updater that values of a type are.
    pub(crate) fn kind_of(&self, ty: Type) -> Option<Kind> {
        let Type::Class(class) = ty else { return None };
        kind_of_class(&self.classes, class)
    }
}

fn kind_of_class(classes: &[Option<Class>; 3], class: Class) -> Option<Kind> {
    Kind::ALL.into_iter().zip(classes).find(|&(_, known)| *known == Some(class)).map(|(kind, _)| kind)
}

fn api_method(
    module: &Module,
    hierarchy: &Hierarchy,
    classes: &[Option<Class>; 3],
    method: MethodRef,
) -> Option<ApiMethod> {
    let data = module.method_ref(method);
    let kind = kind_of_class(classes, data.class)?;
    let func = hierarchy.resolve_method(module, method)?;
    if module.funcs[func].class != data.class {
        return None;
    }
    let name = module.name(data.name);
    if name == "newUpdater" {
        return Some(ApiMethod::NewUpdater(kind));
    }
    let op = Operation::ALL.into_iter().find(|op| op.name() == name)?;
    Some(ApiMethod::Operation(kind, op))
}
