//! Names, descriptors and constants of class files as things of a module.

use r8lite_classfile::{ClassFile, Constant, PoolIndex, descriptor};
use r8lite_ir::{Class, FieldRef, FieldRefData, MethodRef, MethodRefData, Module, Sig, SigData, Type};

/// What is wrong with a name or a constant, for a message.
pub(crate) type Named<T> = Result<T, String>;

/// The class of an internal name.
pub(crate) fn class(module: &mut Module, internal: &str) -> Named<Class> {
    // Every instruction that names anything comes by here. Loops that do not end early look at many bytes at a time.
    let bytes = internal.as_bytes();
    let no_part = |one: u8, next: u8| (one == b'/') & (next == b'/');
    let is_wrong = bytes.first().is_none_or(|&first| first == b'/')
        || bytes.last() == Some(&b'/')
        || bytes.iter().fold(false, |wrong, &byte| wrong | (byte == b'.') | (byte == b';') | (byte == b'['))
        || bytes.iter().zip(&bytes[1..]).fold(false, |wrong, (&one, &next)| wrong | no_part(one, next));
    if is_wrong {
        return Err(format!("`{internal}` is no name of a class"));
    }
    let name: Vec<u8> = bytes.iter().map(|&byte| if byte == b'/' { b'.' } else { byte }).collect();
    let name = std::str::from_utf8(&name).expect("one ASCII byte for another");
    let name = module.symbol(name);
    Ok(module.class(name))
}

/// The type of a field descriptor.
pub(crate) fn ty(module: &mut Module, descriptor: &str) -> Named<Type> {
    let wrong = || format!("`{descriptor}` is no descriptor");
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    if dimensions > 255 {
        return Err(format!("`{descriptor}` has more than 255 dimensions"));
    }
    let mut ty = match element {
        "Z" => Type::Bool,
        "B" => Type::I8,
        "C" => Type::U16,
        "S" => Type::I16,
        "I" => Type::I32,
        "J" => Type::I64,
        "F" => Type::F32,
        "D" => Type::F64,
        _ => {
            let name = element.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')).ok_or_else(wrong)?;
            Type::Class(class(module, name)?)
        }
    };
    for _ in 0..dimensions {
        ty = module.array_of(ty);
    }
    Ok(ty)
}

/// The signature of a method descriptor.
pub(crate) fn sig(module: &mut Module, descriptor: &str) -> Named<Sig> {
    let wrong = |_| format!("`{descriptor}` is no descriptor of a method");
    let mut params = Vec::new();
    for param in descriptor::parameters(descriptor).map_err(wrong)? {
        params.push(ty(module, param.map_err(wrong)?)?);
    }
    let ret = match descriptor.rsplit_once(')') {
        Some((_, "V")) => None,
        Some((_, ret)) => Some(ty(module, ret)?),
        None => return Err(format!("`{descriptor}` is no descriptor of a method")),
    };
    Ok(module.intern_sig(SigData { params, ret }))
}

/// The type that a `Class` constant names.
pub(crate) fn class_constant(module: &mut Module, file: &ClassFile<'_>, index: PoolIndex) -> Named<Type> {
    let name = file.pool.class_name(index).map_err(|error| error.to_string())?;
    if name.starts_with('[') { ty(module, &name) } else { Ok(Type::Class(class(module, &name)?)) }
}

/// The class that a `Class` constant names; that of arrays is `java.lang.Object`, whose members they have.
fn owner(module: &mut Module, name: &str) -> Named<Class> {
    if name.starts_with('[') {
        ty(module, name)?;
        return class(module, "java/lang/Object");
    }
    class(module, name)
}

/// The field that a `Fieldref` names.
pub(crate) fn field_ref(module: &mut Module, file: &ClassFile<'_>, index: PoolIndex) -> Named<FieldRef> {
    let named = file.pool.member_ref(index).map_err(|error| error.to_string())?;
    let class = class(module, &named.class)?;
    let ty = ty(module, &named.descriptor)?;
    let name = module.symbol(&named.name);
    Ok(module.intern_field_ref(FieldRefData { class, name, ty }))
}

/// The method that a `Methodref` or `InterfaceMethodref` names.
pub(crate) fn method_ref(module: &mut Module, file: &ClassFile<'_>, index: PoolIndex) -> Named<MethodRef> {
    let named = file.pool.member_ref(index).map_err(|error| error.to_string())?;
    let class = owner(module, &named.class)?;
    let sig = sig(module, &named.descriptor)?;
    let name = module.symbol(&named.name);
    Ok(module.intern_method_ref(MethodRefData { class, name, sig }))
}

/// The member that a method handle names.
pub(crate) enum Handle {
    Field(FieldRef),
    Method(MethodRef),
}

/// The member that a `MethodHandle` constant names.
pub(crate) fn handle(module: &mut Module, file: &ClassFile<'_>, kind: u8, reference: PoolIndex) -> Named<Handle> {
    match file.pool.get(reference).map_err(|error| error.to_string())? {
        Constant::Fieldref { .. } if (1..=4).contains(&kind) => Ok(Handle::Field(field_ref(module, file, reference)?)),
        Constant::Methodref { .. } | Constant::InterfaceMethodref { .. } if (5..=9).contains(&kind) => {
            Ok(Handle::Method(method_ref(module, file, reference)?))
        }
        _ => Err(format!("constant {reference} is not what a method handle of kind {kind} names")),
    }
}

/// The internal name of a class: with slashes.
pub(crate) fn internal(module: &Module, class: Class) -> String {
    module.class_name(class).replace('.', "/")
}

/// The descriptor of a type.
pub(crate) fn descriptor(module: &Module, ty: Type) -> String {
    match ty {
        Type::Bool => "Z".to_owned(),
        Type::I8 => "B".to_owned(),
        Type::U16 => "C".to_owned(),
        Type::I16 => "S".to_owned(),
        Type::I32 => "I".to_owned(),
        Type::I64 => "J".to_owned(),
        Type::F32 => "F".to_owned(),
        Type::F64 => "D".to_owned(),
        Type::Null => "Ljava/lang/Object;".to_owned(),
        Type::Class(class) => format!("L{};", internal(module, class)),
        Type::Array(array) => format!("[{}", descriptor(module, module.array_element(array))),
    }
}

/// A method descriptor.
pub(crate) fn method_descriptor(module: &Module, sig: Sig) -> String {
    let sig = module.sig(sig);
    let params: String = sig.params.iter().map(|&param| descriptor(module, param)).collect();
    let ret = sig.ret.map_or_else(|| "V".to_owned(), |ret| descriptor(module, ret));
    format!("({params}){ret}")
}
