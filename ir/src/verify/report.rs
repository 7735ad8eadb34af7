//! Collecting what is wrong, each with its place.

use std::fmt::Write as _;

use crate::diag::Diagnostic;
use crate::entity::{Block, Class, Field, Func, Inst};
use crate::module::Module;
use crate::text;
use crate::types::Type;

/// So many errors are told, and how many more there are.
const CAP: usize = 100;

/// What an error is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Module,
    Class(Class),
    Field(Field),
    Func(Func),
    Block(Func, Block),
    Inst(Func, Block, Inst),
}

/// The errors so far.
pub(super) struct Errors<'m> {
    module: &'m Module,
    diagnostics: Vec<Diagnostic>,
    count: usize,
}

impl<'m> Errors<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Self { module, diagnostics: Vec::new(), count: 0 }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn add(&mut self, code: &'static str, at: At, message: String) {
        self.count += 1;
        if self.count <= CAP {
            self.diagnostics.push(self.diagnostic(code, at, message));
        }
    }

    pub(super) fn add_with_help(&mut self, code: &'static str, at: At, message: String, help: String) {
        self.count += 1;
        if self.count <= CAP {
            self.diagnostics.push(self.diagnostic(code, at, message).with_help(help));
        }
    }

    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        if self.count > CAP {
            let message = format!("{} more errors are not shown", self.count - CAP);
            self.diagnostics.push(Diagnostic::error("E0200", None, 0..0, message));
        }
        self.diagnostics
    }

    fn diagnostic(&self, code: &'static str, at: At, message: String) -> Diagnostic {
        let module = self.module;
        let (class, pos, len) = match at {
            At::Module => return Diagnostic::error(code, None, 0..0, message),
            At::Class(class) => (class, module.classes[class].pos, 1),
            At::Field(field) => {
                let data = &module.fields[field];
                (data.class, data.pos, module.name(data.name).len())
            }
            At::Func(func) => {
                let data = &module.funcs[func];
                (data.class, data.pos, module.name(data.name).len())
            }
            // The entry block has no label.
            At::Block(func, block) if self.is_entry(func, block) => {
                let data = &module.funcs[func];
                (data.class, data.pos, module.name(data.name).len())
            }
            At::Block(func, block) => {
                let data = &module.funcs[func];
                let block = data.body.as_ref().map(|body| &body.blocks[block]);
                let name = block.and_then(|block| block.name).map_or(1, |name| module.name(name).len());
                (data.class, block.map_or(data.pos, |block| block.pos), name)
            }
            At::Inst(func, _, inst) => {
                let data = &module.funcs[func];
                (data.class, data.body.as_ref().map_or(data.pos, |body| body.insts[inst].origin.pos), 1)
            }
        };
        let file = module.classes[class].file;
        let span = if file.is_some() { pos..pos + len as u32 } else { 0..0 };
        Diagnostic::error(code, file, span, message).in_place(self.place(at))
    }

    fn place(&self, at: At) -> String {
        let module = self.module;
        let member = |class, name| format!("{}.{}", module.class_name(class), module.name(name));
        let func_place = |func: Func| member(module.funcs[func].class, module.funcs[func].name);
        match at {
            At::Module => String::new(),
            At::Class(class) => module.class_name(class).to_owned(),
            At::Field(field) => member(module.fields[field].class, module.fields[field].name),
            At::Func(func) => func_place(func),
            At::Block(func, block) => format!("{}, {}", func_place(func), self.block_name(func, block)),
            At::Inst(func, block, inst) => {
                let mut place = format!("{}, {}", func_place(func), self.block_name(func, block));
                if let Some(body) = &module.funcs[func].body {
                    let _ = write!(place, ", `{}`", text::print_inst(module, body, inst));
                }
                place
            }
        }
    }

    fn is_entry(&self, func: Func, block: Block) -> bool {
        self.module.funcs[func].body.as_ref().is_some_and(|body| body.layout.first() == Some(&block))
    }

    fn block_name(&self, func: Func, block: Block) -> String {
        let Some(body) = &self.module.funcs[func].body else { return block.to_string() };
        match body.blocks[block].name {
            _ if self.is_entry(func, block) => "entry block".to_owned(),
            Some(name) => format!("block {}", self.module.name(name)),
            None => format!("block {block}"),
        }
    }
}

/// A class as it is written. Looks at all classes to know which short names are taken: for messages only.
pub(super) fn class_text(module: &Module, class: Class) -> String {
    text::print_type(module, Type::Class(class))
}

/// Types as they are written.
pub(super) fn types_text(module: &Module, types: &[Type]) -> String {
    types.iter().map(|&ty| text::print_type(module, ty)).collect::<Vec<_>>().join(", ")
}
