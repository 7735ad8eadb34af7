//! Things by the names that a reader of Java or of the IR knows.

use r8lite_ir::{Field, Func, Module, Type};

/// `Class.field` of a field.
pub(crate) fn field_name(module: &Module, field: Field) -> String {
    let data = &module.fields[field];
    [module.class_name(data.class), ".", module.name(data.name)].concat()
}

/// `Class.method` of a method.
pub(crate) fn func_name(module: &Module, func: Func) -> String {
    let data = &module.funcs[func];
    [module.class_name(data.class), ".", module.name(data.name)].concat()
}

/// A type, with full class names.
pub(crate) fn type_name(module: &Module, ty: Type) -> String {
    match ty {
        Type::Class(class) => module.class_name(class).to_owned(),
        Type::Array(array) => format!("{}[]", type_name(module, module.array_element(array))),
        primitive => primitive.primitive_name().unwrap_or("null").to_owned(),
    }
}
