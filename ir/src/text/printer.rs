//! The printer: the one canonical layout, straight into one string.
//!
//! Everything that the parser infers is left out, and only that: both ask [`super::members`] and [`super::names`].
//! Bodies need not be in order, since messages print what is wrong with them.

use std::cell::RefCell;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::lexer::is_plain_name;
use super::local_names::LocalNames;
use super::members::{FieldLookup, MemberIndex, MethodLookup, find_field, find_method};
use super::names::{CLASS_FLAGS, FIELD_FLAGS, FlagTable, METHOD_FLAGS, ShortNames, last_part};
use super::parser::{NAN32, NAN64};
use crate::entity::{Block, Class, Field, FieldRef, Func, Inst, MethodRef, Sig, Symbol, Value};
use crate::function::{Body, Constant, ValueDef};
use crate::inst::{Op, Payload, Target};
use crate::module::{ClassOrigin, DEFAULT_VERSION, Flags, Module};
use crate::types::{Ordering, Type};

/// Prints the program's classes, in the order of their ids.
pub(super) fn module(module: &Module) -> String {
    let mut printer = Printer::new(module, Some(MemberIndex::of(module)));
    printer.out.reserve(expected_length(module));
    let mut last = None;
    for (class, data) in module.classes.iter() {
        match data.origin {
            ClassOrigin::Program | ClassOrigin::Extern => {}
            ClassOrigin::Library | ClassOrigin::Classpath | ClassOrigin::Missing => continue,
        }
        // Classes known by name only stand together.
        if last.is_some_and(|last| (last, data.origin) != (ClassOrigin::Extern, ClassOrigin::Extern)) {
            printer.out.push('\n');
        }
        last = Some(data.origin);
        printer.class(class);
    }
    printer.out
}

/// About how long the text of a module is, so that it need not move as it grows.
fn expected_length(module: &Module) -> usize {
    let insts = |func: Func| module.funcs[func].body.as_ref().map_or(0, |body| body.insts.len());
    let funcs = module.program_funcs().map(|func| 64 + 48 * insts(func));
    let classes = module.program_classes().map(|class| 64 + 64 * module.classes[class].fields.len());
    funcs.sum::<usize>() + classes.sum::<usize>()
}

/// Prints a method as it stands in its class.
pub(super) fn func(module: &Module, func: Func) -> String {
    let mut printer = Printer::new(module, None);
    printer.func(func);
    printer.out
}

/// Prints an instruction.
pub(super) fn inst(module: &Module, body: &Body, inst: Inst) -> String {
    let mut printer = Printer::new(module, None);
    let names = LocalNames::of(module, body, false);
    printer.inst(body, &names, inst);
    printer.out
}

/// Prints a type.
pub(super) fn ty(module: &Module, ty: Type) -> String {
    let mut out = String::new();
    write_type(&mut out, module, &ShortNames::of(module), ty);
    out
}

/// Writes `(TYPES)[: TYPE]`.
pub(super) fn write_signature(out: &mut String, module: &Module, short_names: &ShortNames, sig: Sig) {
    let sig = module.sig(sig);
    out.push('(');
    for (i, &ty) in sig.params.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_type(out, module, short_names, ty);
    }
    out.push(')');
    if let Some(ret) = sig.ret {
        out.push_str(": ");
        write_type(out, module, short_names, ret);
    }
}

fn write_type(out: &mut String, module: &Module, short_names: &ShortNames, ty: Type) {
    let mut ty = ty;
    let mut dimensions = 0;
    while let Type::Array(array) = ty {
        ty = module.array_element(array);
        dimensions += 1;
    }
    match ty {
        Type::Class(class) => write_class(out, module, short_names, class),
        // No text declares this type; only messages show it.
        Type::Null => out.push_str("null"),
        other => out.push_str(other.primitive_name().unwrap_or("?")),
    }
    for _ in 0..dimensions {
        out.push_str("[]");
    }
}

fn write_class(out: &mut String, module: &Module, short_names: &ShortNames, class: Class) {
    let name = module.class_name(class);
    let last = last_part(name);
    if short_names.get(last) == Some(class) && is_plain_name(last) && Type::from_primitive_name(last).is_none() {
        out.push_str(last);
    } else if !name.split('.').all(is_plain_name)
        || last.len() == name.len() && (short_names.get(name).is_some() || Type::from_primitive_name(name).is_some())
    {
        write_quoted(out, name.encode_utf16(), '`');
    } else {
        out.push_str(name);
    }
}

/// Writes a name without dots.
pub(super) fn write_name(out: &mut String, name: &str) {
    if is_plain_name(name) {
        out.push_str(name);
    } else {
        write_quoted(out, name.encode_utf16(), '`');
    }
}

fn write_quoted(out: &mut String, units: impl Iterator<Item = u16>, quote: char) {
    out.push(quote);
    for c in char::decode_utf16(units) {
        match c {
            Ok('\n') => out.push_str("\\n"),
            Ok('\t') => out.push_str("\\t"),
            Ok('\r') => out.push_str("\\r"),
            Ok('\0') => out.push_str("\\0"),
            Ok(c) if c == quote || c == '\\' => {
                out.push('\\');
                out.push(c);
            }
            Ok(c) if is_invisible(c) => write_escape(out, u32::from(c)),
            Ok(c) => out.push(c),
            Err(surrogate) => write_escape(out, u32::from(surrogate.unpaired_surrogate())),
        }
    }
    out.push(quote);
}

/// Characters that break a line, reverse the text or cannot be seen, so that a reader would be misled.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn write_escape(out: &mut String, code: u32) {
    let _ = write!(out, "\\u{{{code:x}}}");
}

/// Writes a number; the formatting machinery costs too much for the one thing that is written most.
pub(super) fn write_number(out: &mut String, number: u32) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    digits[start..].iter().for_each(|&digit| out.push(char::from(digit)));
}

struct Printer<'m> {
    module: &'m Module,
    index: Option<MemberIndex>,
    short_names: ShortNames,
    /// Whether a reference needs its type or signature said.
    field_refs: RefCell<FxHashMap<FieldRef, bool>>,
    method_refs: RefCell<FxHashMap<MethodRef, bool>>,
    out: String,
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module, index: Option<MemberIndex>) -> Self {
        Self {
            module,
            index,
            short_names: ShortNames::of(module),
            field_refs: RefCell::default(),
            method_refs: RefCell::default(),
            out: String::new(),
        }
    }

    fn name(&mut self, name: Symbol) {
        write_name(&mut self.out, self.module.name(name));
    }

    fn class_name(&mut self, class: Class) {
        write_class(&mut self.out, self.module, &self.short_names, class);
    }

    fn ty(&mut self, ty: Type) {
        write_type(&mut self.out, self.module, &self.short_names, ty);
    }

    fn flags(&mut self, flags: Flags, table: FlagTable) {
        for &(name, flag) in table {
            if flags.has(flag) {
                self.out.push_str(name);
                self.out.push(' ');
            }
        }
    }

    fn classes(&mut self, keyword: &str, classes: &[Class]) {
        for (i, &class) in classes.iter().enumerate() {
            self.out.push_str(if i == 0 { keyword } else { ", " });
            self.class_name(class);
        }
    }

    fn class(&mut self, class: Class) {
        let data = &self.module.classes[class];
        if data.origin == ClassOrigin::Extern {
            self.out.push_str("extern class ");
            self.class_name(class);
            self.out.push('\n');
            return;
        }
        let is_interface = data.flags.has(Flags::INTERFACE);
        if is_interface {
            self.flags(data.flags.without(Flags::ABSTRACT), CLASS_FLAGS);
            self.out.push_str("interface ");
            self.class_name(class);
            self.classes(" extends ", &data.interfaces);
        } else {
            self.flags(data.flags, CLASS_FLAGS);
            self.out.push_str("class ");
            self.class_name(class);
            if let Some(superclass) = data.superclass.filter(|&c| self.module.class_name(c) != "java.lang.Object") {
                self.classes(" extends ", &[superclass]);
            }
            self.classes(" implements ", &data.interfaces);
        }
        self.out.push_str(" {\n");
        let start = self.out.len();
        if let Some(source) = data.source {
            self.out.push_str("  source ");
            write_quoted(&mut self.out, self.module.name(source).encode_utf16(), '"');
            self.out.push('\n');
        }
        if data.version != DEFAULT_VERSION {
            let _ = writeln!(self.out, "  version {}", data.version);
        }
        if let Some(host) = data.nest_host {
            self.out.push_str("  nest ");
            self.class_name(host);
            self.out.push('\n');
        }
        for &field in &data.fields {
            self.field(field);
        }
        for &func in &data.methods {
            if self.out.len() > start {
                self.out.push('\n');
            }
            self.func(func);
        }
        self.out.push_str("}\n");
    }

    fn field(&mut self, field: Field) {
        let data = &self.module.fields[field];
        self.out.push_str("  ");
        self.flags(data.flags, FIELD_FLAGS);
        self.out.push_str("field ");
        self.name(data.name);
        self.out.push_str(": ");
        self.ty(data.ty);
        if let Some(init) = data.init {
            self.out.push_str(" = ");
            self.constant(init);
        }
        self.out.push('\n');
    }

    fn func(&mut self, func: Func) {
        let data = &self.module.funcs[func];
        self.out.push_str("  ");
        self.flags(data.flags, METHOD_FLAGS);
        self.out.push_str("method ");
        self.name(data.name);
        let Some(body) = &data.body else {
            write_signature(&mut self.out, self.module, &self.short_names, data.sig);
            self.out.push('\n');
            return;
        };
        let names = LocalNames::of(self.module, body, !data.is_static());
        let sig = self.module.sig(data.sig);
        let entry = body.layout.first().copied();
        let params = entry.map_or(&[][..], |entry| &body.blocks[entry].params);
        let params = &params[usize::from(!data.is_static()).min(params.len())..];
        self.out.push('(');
        for (i, &ty) in sig.params.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            match params.get(i) {
                Some(&param) => names.write_value(&mut self.out, self.module, param),
                None => self.out.push('?'),
            }
            self.out.push_str(": ");
            self.ty(ty);
        }
        self.out.push(')');
        if let Some(ret) = sig.ret {
            self.out.push_str(": ");
            self.ty(ret);
        }
        self.out.push_str(" {\n");
        let mut line = 0;
        for &block in &body.layout {
            self.block(body, &names, block, Some(block) == entry, &mut line);
        }
        self.out.push_str("  }\n");
    }

    fn block(&mut self, body: &Body, names: &LocalNames, block: Block, is_entry: bool, line: &mut u32) {
        let data = &body.blocks[block];
        if !is_entry {
            self.out.push_str("  ");
            names.write_block(&mut self.out, self.module, block);
            for (i, &param) in data.params.iter().enumerate() {
                self.out.push_str(if i == 0 { "(" } else { ", " });
                names.write_value(&mut self.out, self.module, param);
                self.out.push_str(": ");
                self.ty(body.values[param].ty);
            }
            self.out.push_str(if data.params.is_empty() { ":\n" } else { "):\n" });
        }
        for catch in &data.catches {
            self.out.push_str("    catch ");
            match catch.class {
                Some(class) => self.class_name(class),
                None => self.out.push('*'),
            }
            self.out.push_str(": ");
            self.target(body, names, &catch.target);
            self.out.push('\n');
        }
        for &inst in &data.insts {
            self.out.push_str("    ");
            self.inst(body, names, inst);
            let here = body.insts[inst].origin.line;
            if here != *line {
                self.out.push_str(" @");
                write_number(&mut self.out, here);
                *line = here;
            }
            self.out.push('\n');
        }
    }

    fn inst(&mut self, body: &Body, names: &LocalNames, inst: Inst) {
        let data = &body.insts[inst];
        if let Some(result) = data.result
            && (body.values[result].name.is_some() || names.is_used(result))
        {
            names.write_value(&mut self.out, self.module, result);
            self.out.push_str(" = ");
        }
        self.out.push_str(data.op.mnemonic());
        let mut separator = " ";
        match &data.payload {
            Payload::None => {}
            Payload::Type(ty) => {
                self.out.push(' ');
                self.ty(*ty);
                separator = ", ";
            }
            Payload::Class(class) => {
                self.out.push(' ');
                self.class_name(*class);
                separator = ", ";
            }
            Payload::Field(field) => {
                self.out.push(' ');
                self.field_ref(*field);
                separator = ", ";
            }
            Payload::Method(method) => {
                self.out.push(' ');
                self.call(body, names, *method, &data.args, data.op);
                return;
            }
            Payload::Ordering(ordering) => self.ordering(*ordering),
            Payload::OrderedType(ordering, ty) => {
                self.ordering(*ordering);
                self.out.push(' ');
                self.ty(*ty);
                separator = ", ";
            }
            Payload::Targets(_) | Payload::Switch(_) => {}
        }
        for &arg in &data.args {
            self.out.push_str(separator);
            self.value(body, names, arg);
            separator = ", ";
        }
        match &data.payload {
            Payload::Targets(targets) => {
                for target in targets {
                    self.out.push_str(separator);
                    self.target(body, names, target);
                    separator = ", ";
                }
            }
            Payload::Switch(table) => {
                for (i, target) in table.targets.iter().enumerate() {
                    self.out.push_str(separator);
                    match table.keys.get(i) {
                        Some(key) => {
                            let _ = write!(self.out, "{key}: ");
                        }
                        None => self.out.push_str("default: "),
                    }
                    self.target(body, names, target);
                    separator = ", ";
                }
            }
            _ => {}
        }
    }

    fn ordering(&mut self, ordering: Ordering) {
        self.out.push('.');
        self.out.push_str(ordering.name());
    }

    fn target(&mut self, body: &Body, names: &LocalNames, target: &Target) {
        names.write_block(&mut self.out, self.module, target.block);
        if !target.args.is_empty() {
            self.values(body, names, &target.args);
        }
    }

    /// Values in parentheses.
    fn values(&mut self, body: &Body, names: &LocalNames, values: &[Value]) {
        self.out.push('(');
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.value(body, names, value);
        }
        self.out.push(')');
    }

    fn value(&mut self, body: &Body, names: &LocalNames, value: Value) {
        match body.values.get(value).map(|data| data.def) {
            Some(ValueDef::Const(constant)) => self.constant(constant),
            Some(ValueDef::Param(..) | ValueDef::Result(_)) | None => {
                names.write_value(&mut self.out, self.module, value)
            }
        }
    }

    fn constant(&mut self, constant: Constant) {
        match constant {
            Constant::I32(n) => {
                if n < 0 {
                    self.out.push('-');
                }
                write_number(&mut self.out, n.unsigned_abs());
            }
            Constant::I64(n) => {
                let _ = write!(self.out, "{n}L");
            }
            Constant::F32(bits) => {
                let n = f32::from_bits(bits);
                let _ = match bits {
                    NAN32 => write!(self.out, "nan32"),
                    _ if n.is_nan() => write!(self.out, "nan32(0x{bits:08x})"),
                    _ if n.is_infinite() => write!(self.out, "{}inf32", if n < 0.0 { "-" } else { "" }),
                    _ => write!(self.out, "{n:?}f"),
                };
            }
            Constant::F64(bits) => {
                let n = f64::from_bits(bits);
                let _ = match bits {
                    NAN64 => write!(self.out, "nan64"),
                    _ if n.is_nan() => write!(self.out, "nan64(0x{bits:016x})"),
                    _ if n.is_infinite() => write!(self.out, "{}inf64", if n < 0.0 { "-" } else { "" }),
                    _ => write!(self.out, "{n:?}"),
                };
            }
            Constant::Null => self.out.push_str("null"),
            Constant::String(literal) => {
                write_quoted(&mut self.out, self.module.literal(literal).iter().copied(), '"');
            }
            Constant::Class(ty) => {
                self.out.push_str("class ");
                self.ty(ty);
            }
        }
    }

    fn field_ref(&mut self, field: FieldRef) {
        let data = self.module.field_ref(field);
        self.class_name(data.class);
        self.out.push('.');
        self.name(data.name);
        let inferred = *self.field_refs.borrow_mut().entry(field).or_insert_with(|| {
            find_field(self.module, self.index.as_ref(), data.class, data.name) == FieldLookup::One(data.ty)
        });
        if !inferred {
            self.out.push_str(" as ");
            self.ty(data.ty);
        }
    }

    fn call(&mut self, body: &Body, names: &LocalNames, method: MethodRef, args: &[Value], op: Op) {
        let data = self.module.method_ref(method);
        self.class_name(data.class);
        self.out.push('.');
        self.name(data.name);
        self.values(body, names, args);
        // A call of the wrong number of arguments, which only messages show, would look its method up by that number.
        let params = self.module.sig(data.sig).params.len();
        let inferred = params + usize::from(op != Op::InvokeStatic) == args.len()
            && *self.method_refs.borrow_mut().entry(method).or_insert_with(|| {
                let found = find_method(self.module, self.index.as_ref(), data.class, data.name, params);
                found == MethodLookup::One(data.sig)
            });
        if !inferred {
            self.out.push_str(" as ");
            write_signature(&mut self.out, self.module, &self.short_names, data.sig);
        }
    }
}
