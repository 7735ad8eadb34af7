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

/// A class or method with something wrong about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Culprit {
    /// The class.
    pub class: Class,
    /// The method, if its declaration and that of its class are in order and only its body is not.
    pub body_of: Option<Func>,
    /// Where the instruction came from, if it is about one: a byte offset, as in its origin.
    pub pos: Option<u32>,
    /// What is wrong; the first thing that was found.
    pub message: String,
}

/// The errors so far.
pub(super) struct Errors<'m> {
    module: &'m Module,
    diagnostics: Vec<Diagnostic>,
    count: usize,
    culprits: Vec<Culprit>,
    /// Whether a body is being looked at.
    in_body: bool,
}

impl<'m> Errors<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Self { module, diagnostics: Vec::new(), count: 0, culprits: Vec::new(), in_body: false }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn add(&mut self, code: &'static str, at: At, message: String) {
        self.count += 1;
        self.blame(at, &message);
        if self.count <= CAP {
            self.diagnostics.push(self.diagnostic(code, at, message));
        }
    }

    pub(super) fn add_with_help(&mut self, code: &'static str, at: At, message: String, help: String) {
        self.count += 1;
        self.blame(at, &message);
        if self.count <= CAP {
            self.diagnostics.push(self.diagnostic(code, at, message).with_help(help));
        }
    }

    /// Says that what follows is about bodies, or about declarations.
    pub(super) fn set_in_body(&mut self, in_body: bool) {
        self.in_body = in_body;
    }

    fn blame(&mut self, at: At, message: &str) {
        let (class, func) = match at {
            At::Module => return,
            At::Class(class) => (class, None),
            At::Field(field) => (self.module.fields[field].class, None),
            At::Func(func) | At::Block(func, _) | At::Inst(func, _, _) => (self.module.funcs[func].class, Some(func)),
        };
        let body_of = func.filter(|_| self.in_body);
        // Classes and their bodies are looked at one after the other.
        if self.culprits.last().is_some_and(|last| (last.class, last.body_of) == (class, body_of)) {
            return;
        }
        let pos = match at {
            At::Inst(func, _, inst) => self.module.funcs[func].body.as_ref().map(|body| body.insts[inst].origin.pos),
            _ => None,
        };
        self.culprits.push(Culprit { class, body_of, pos, message: message.to_owned() });
    }

    pub(super) fn finish(mut self) -> (Vec<Diagnostic>, Vec<Culprit>) {
        if self.count > CAP {
            let message = format!("{} more errors are not shown", self.count - CAP);
            self.diagnostics.push(Diagnostic::error("E0200", None, 0..0, message));
        }
        (self.diagnostics, self.culprits)
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
