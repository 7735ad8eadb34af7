//! Declares classes: all that a class file says of itself and of its members, but for code.

use r8lite_classfile::{ClassFile, Constant, Member, PoolIndex, mutf8};
use r8lite_ir::{
    Class, ClassOrigin, Constant as IrConstant, FieldData, Flags, Func, FuncData, Module, Sig, Symbol, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::names::{self, Named};

/// A class that was read and declared.
pub(crate) struct Loaded<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) file: ClassFile<'a>,
    pub(crate) class: Class,
    /// Its number among all inputs.
    pub(crate) input: usize,
    /// Its methods, in the order of the class file.
    pub(crate) funcs: Vec<Func>,
}

/// Bits that mean something to the IR, by what has them. Others, as that for variable arguments, share bits with these.
const CLASS_FLAGS: u16 = 0x5611;
const FIELD_FLAGS: u16 = 0x50df;
const METHOD_FLAGS: u16 = 0x157f;

/// Classes whose native methods have every signature (JVMS 2.9.3), which no list can hold.
const POLYMORPHIC: [&str; 2] = ["java.lang.invoke.MethodHandle", "java.lang.invoke.VarHandle"];

struct Field {
    name: Symbol,
    flags: Flags,
    ty: Type,
    init: Option<IrConstant>,
}

struct Method {
    name: Symbol,
    flags: Flags,
    sig: Sig,
}

/// Declares a class that was read. Nothing is declared if anything is wrong with it.
pub(crate) fn declare<'a>(
    module: &mut Module,
    bytes: &'a [u8],
    file: ClassFile<'a>,
    input: usize,
    origin: ClassOrigin,
) -> Named<Loaded<'a>> {
    let text = |error: r8lite_classfile::Error| error.to_string();
    let class = names::class(module, &file.name().map_err(text)?)?;
    match module.classes[class].origin {
        ClassOrigin::Missing => {}
        ClassOrigin::Library => return Err("a class of this name is in the class library".to_owned()),
        ClassOrigin::Program | ClassOrigin::Classpath | ClassOrigin::Extern => {
            return Err("a class of this name was read before".to_owned());
        }
    }
    let is_interface = file.access_flags & Flags::INTERFACE.0 != 0;
    let superclass = match file.super_name().map_err(text)? {
        Some(name) => Some(names::class(module, &name)?),
        None => return Err("it has no superclass".to_owned()),
    };
    let interfaces = classes(module, &file, &file.interfaces)?;
    let nest_host = match file.nest_host().map_err(text)? {
        Some(host) => classes(module, &file, &[host])?.first().copied(),
        None => None,
    };
    let source = file.attribute(&file.attributes, "SourceFile").and_then(|attribute| match attribute.content[..] {
        [high, low] => file.pool.text(PoolIndex(u16::from_be_bytes([high, low]))).ok(),
        _ => None,
    });
    let source = source.map(|source| module.symbol(&source));
    let fields = fields(module, &file)?;
    let methods = methods(module, &file)?;
    let data = &mut module.classes[class];
    data.origin = origin;
    data.flags = Flags(file.access_flags & CLASS_FLAGS);
    if is_interface {
        data.flags = data.flags.with(Flags::ABSTRACT);
    }
    if POLYMORPHIC.contains(&module.class_name(class)) {
        module.classes[class].flags = module.classes[class].flags.with(Flags::PARTIAL);
    }
    let data = &mut module.classes[class];
    data.superclass = superclass;
    data.interfaces = interfaces;
    data.source = source;
    data.version = file.major_version;
    data.nest_host = nest_host.filter(|&host| host != class);
    for Field { name, flags, ty, init } in fields {
        module.add_field(FieldData { class, name, flags, ty, init, pos: 0 });
    }
    let add = |Method { name, flags, sig }| {
        module.add_func(FuncData { class, name, sig, flags, body: None, copy_of: None, pos: 0 })
    };
    let funcs = methods.into_iter().map(add).collect();
    Ok(Loaded { bytes, file, class, input, funcs })
}

fn classes(module: &mut Module, file: &ClassFile<'_>, indices: &[PoolIndex]) -> Named<Vec<Class>> {
    let mut found = Vec::with_capacity(indices.len());
    for &index in indices {
        match names::class_constant(module, file, index)? {
            Type::Class(class) => found.push(class),
            _ => return Err(format!("constant {index} is an array type, wanted a class")),
        }
    }
    Ok(found)
}

/// Name and descriptor of a member.
fn member<'f>(
    file: &'f ClassFile<'_>,
    member: &Member<'_>,
) -> Named<(std::borrow::Cow<'f, str>, std::borrow::Cow<'f, str>)> {
    let text = |index| file.pool.text(index).map_err(|error| error.to_string());
    let (name, descriptor) = (text(member.name)?, text(member.descriptor)?);
    if name.is_empty() || name.contains(['.', ';', '[', '/']) {
        return Err(format!("`{name}` is no name of a member"));
    }
    Ok((name, descriptor))
}

fn fields(module: &mut Module, file: &ClassFile<'_>) -> Named<Vec<Field>> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::with_capacity(file.fields.len());
    for field in &file.fields {
        let (name, descriptor) = member(file, field)?;
        let ty = names::ty(module, &descriptor)?;
        let flags = Flags(field.access_flags & FIELD_FLAGS);
        let init = match flags.has(Flags::STATIC) {
            true => file.constant_value(field).map_err(|error| error.to_string())?,
            false => None,
        };
        let init = match init {
            Some(index) => Some(initial_value(module, file, index, ty)?),
            None => None,
        };
        let symbol = module.symbol(&name);
        if !seen.insert((symbol, ty)) {
            return Err(format!("it declares the field `{name}` twice"));
        }
        found.push(Field { name: symbol, flags, ty, init });
    }
    Ok(found)
}

/// The initial value of a static field: of a narrow type, what is left of the number.
fn initial_value(module: &mut Module, file: &ClassFile<'_>, index: PoolIndex, ty: Type) -> Named<IrConstant> {
    let constant = file.pool.get(index).map_err(|error| error.to_string())?;
    Ok(match (constant, ty) {
        (Constant::Integer(n), Type::Bool) => IrConstant::I32(n & 1),
        (Constant::Integer(n), Type::I8) => IrConstant::I32(i32::from(n as i8)),
        (Constant::Integer(n), Type::I16) => IrConstant::I32(i32::from(n as i16)),
        (Constant::Integer(n), Type::U16) => IrConstant::I32(i32::from(n as u16)),
        (Constant::Integer(n), Type::I32) => IrConstant::I32(n),
        (Constant::Long(n), Type::I64) => IrConstant::I64(n),
        (Constant::Float(bits), Type::F32) => IrConstant::F32(bits),
        (Constant::Double(bits), Type::F64) => IrConstant::F64(bits),
        (Constant::String { text }, Type::Class(class)) if module.class_name(class) == "java.lang.String" => {
            string(module, file, text)?
        }
        _ => return Err(format!("constant {index} is no initial value of its field")),
    })
}

/// The string that a `Utf8` spells.
pub(crate) fn string(module: &mut Module, file: &ClassFile<'_>, text: PoolIndex) -> Named<IrConstant> {
    let bytes = file.pool.utf8(text).map_err(|error| error.to_string())?;
    let units = mutf8::decode_utf16(bytes).ok_or_else(|| format!("constant {text} is no text"))?;
    Ok(IrConstant::String(module.intern_literal(&units)))
}

fn methods(module: &mut Module, file: &ClassFile<'_>) -> Named<Vec<Method>> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::with_capacity(file.methods.len());
    for method in &file.methods {
        let (name, descriptor) = member(file, method)?;
        let sig = names::sig(module, &descriptor)?;
        let mut flags = Flags(method.access_flags & METHOD_FLAGS);
        if *name == *"<clinit>" {
            // Of a class initialiser, all other flags are ignored; and before version 51 it need not say that it is static.
            flags = Flags::STATIC;
        }
        if name.starts_with('<') && *name != *"<init>" && !(*name == *"<clinit>" && *descriptor == *"()V") {
            return Err(format!("no method may be called `{name}{descriptor}`"));
        }
        let has_code = file.attribute(&method.attributes, "Code").is_some();
        if has_code == (flags.has(Flags::ABSTRACT) || flags.has(Flags::NATIVE)) {
            return Err(format!("its method `{name}{descriptor}` has code and should not, or the other way round"));
        }
        if has_code {
            flags = flags.with(Flags::UNREAD);
        }
        let symbol = module.symbol(&name);
        if !seen.insert((symbol, sig)) {
            return Err(format!("it declares the method `{name}{descriptor}` twice"));
        }
        found.push(Method { name: symbol, flags, sig });
    }
    Ok(found)
}

/// Leaves a class out of a nest whose host does not list it: access within a nest takes both. A host that was not read is
/// taken to list it.
pub(crate) fn check_nests(module: &mut Module, loaded: &[Loaded<'_>]) {
    let read: FxHashMap<Class, &Loaded<'_>> = loaded.iter().map(|class| (class.class, class)).collect();
    for class in loaded {
        let host = module.classes[class.class].nest_host.and_then(|host| read.get(&host));
        let Some(host) = host else { continue };
        let members = host.file.nest_members().unwrap_or_default();
        let name = class.file.name().ok();
        let lists = members.iter().any(|&member| host.file.pool.class_name(member).ok() == name);
        if !lists {
            module.classes[class.class].nest_host = None;
        }
    }
}
