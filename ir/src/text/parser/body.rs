//! The third round: method bodies.
//!
//! Values and blocks are looked up by their symbols in two dense tables that all bodies share; each entry says of
//! which body it is, so that nothing is cleared between bodies.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::decl::MethodBody;
use super::{Parsed, Parser, Reported};
use crate::entity::{Block, Class, Entity, FieldRef, MethodRef, Sig, Symbol, Value};
use crate::function::{Body, Catch, Constant, ValueData};
use crate::inst::{Arity, InstData, Op, Origin, Payload, ResultType, SwitchTable, SymbolKind, Target};
use crate::module::{ClassOrigin, FieldRefData, MethodRefData, SigData};
use crate::text::hint::nearest;
use crate::text::lexer::{Token, TokenKind};
use crate::text::members::{FieldLookup, MethodLookup, find_field, find_method, for_each_super};
use crate::types::{Ordering, Type};

/// What a name stands for in a body.
#[derive(Clone, Copy)]
enum Binding {
    Value(Value),
    /// Its definition was reported, so its uses are not.
    Bad,
}

/// A block's name in a body.
#[derive(Clone, Copy)]
struct Label {
    block: Block,
    defined: bool,
}

/// The names of the body that is read.
#[derive(Default)]
pub(super) struct Scopes {
    /// The number of the body.
    body: u32,
    values: Vec<(u32, Option<Binding>)>,
    labels: Vec<(u32, Option<Label>)>,
    constants: FxHashMap<Constant, Value>,
    /// Blocks named before their labels, with where.
    forward: Vec<(Symbol, Token)>,
    mnemonics: FxHashMap<&'static str, Op>,
}

impl Scopes {
    fn enter(&mut self) {
        self.body += 1;
        self.constants.clear();
        self.forward.clear();
        if self.mnemonics.is_empty() {
            self.mnemonics = Op::ALL.iter().map(|&op| (op.mnemonic(), op)).collect();
        }
    }

    fn value(&self, name: Symbol) -> Option<Binding> {
        get(&self.values, self.body, name)
    }

    fn label(&self, name: Symbol) -> Option<Label> {
        get(&self.labels, self.body, name)
    }

    fn bind(&mut self, name: Symbol, binding: Binding) {
        set(&mut self.values, self.body, name, binding);
    }

    fn set_label(&mut self, name: Symbol, label: Label) {
        set(&mut self.labels, self.body, name, label);
    }
}

fn get<T: Copy>(table: &[(u32, Option<T>)], body: u32, name: Symbol) -> Option<T> {
    match table.get(name.index()) {
        Some(&(of, item)) if of == body => item,
        _ => None,
    }
}

fn set<T: Copy>(table: &mut Vec<(u32, Option<T>)>, body: u32, name: Symbol, item: T) {
    if table.len() <= name.index() {
        table.resize(name.index() + 1, (0, None));
    }
    table[name.index()] = (body, Some(item));
}

/// The body that is read.
struct BodyCx {
    body: Body,
    class: Class,
    block: Block,
    line: u32,
    /// Whether `this` exists, for a hint.
    is_static: bool,
}

/// The values of an instruction or a target.
type Values = SmallVec<[Value; 4]>;

impl<'a> Parser<'a> {
    /// Reads a body. Fails only if the cap is reached.
    pub(super) fn method_body(&mut self, method: MethodBody<'a>) -> Parsed<()> {
        self.enter(method.file, method.text, method.pos);
        self.scopes.enter();
        let data = &self.module.funcs[method.func];
        let (class, sig, is_static) = (data.class, data.sig, data.is_static());
        let mut body = match self.room.take() {
            Some(room) => room,
            None => Body::new(),
        };
        let block = body.entry();
        if !is_static {
            let this = self.module.symbol("this");
            let value = body.add_param(block, Type::Class(class), Some(this));
            self.scopes.bind(this, Binding::Value(value));
        }
        for (i, &(name, token)) in method.params.iter().enumerate() {
            let ty = self.module.sig(sig).params[i];
            self.param(&mut body, block, name, token, ty);
        }
        let mut cx = BodyCx { body, class, block, line: 0, is_static };
        while !self.at(b'}') {
            self.go_on()?;
            if self.token.kind == TokenKind::End {
                // The second round has reported it.
                return Ok(());
            }
            let start = self.token.start;
            if self.line(&mut cx).is_err() {
                if self.token.start == start {
                    self.next();
                }
                self.skip_line();
            }
        }
        for i in 0..self.scopes.forward.len() {
            let (name, token) = self.scopes.forward[i];
            if self.scopes.label(name).is_some_and(|label| !label.defined) {
                self.unknown_block(&cx, name, token);
                // Once for each name.
                let block = cx.body.entry();
                self.scopes.set_label(name, Label { block, defined: true });
            }
        }
        self.module.funcs[method.func].body = Some(Box::new(cx.body.move_out()));
        self.room = Some(cx.body);
        self.go_on()
    }

    fn skip_line(&mut self) {
        while !self.token.line_start && !self.at(b'}') && self.token.kind != TokenKind::End {
            self.next();
        }
    }

    /// A label, a handler or an instruction.
    fn line(&mut self, cx: &mut BodyCx) -> Parsed<()> {
        let token = self.token;
        if !self.is_name() {
            return Err(self.unexpected_start("an instruction, a label or `}`"));
        }
        match self.lexer.next_byte_on_line() {
            Some(b':' | b'(') => return self.label(cx),
            Some(b'=') => {
                self.next();
                let name = self.simple_name_of(token, "the name of a value")?;
                self.next();
                let taken = self.scopes.value(name).is_some();
                if taken {
                    self.duplicate_value(name, token);
                } else if token.kind == TokenKind::Name && crate::text::names::is_reserved_value_name(self.slice(token))
                {
                    let help = Some("choose another name, or write it in backticks".to_owned());
                    let message = format!("`{}` is a constant", self.slice(token));
                    self.report_help("E0110", token.span(), message, help);
                }
                let inst = self.inst(cx, token.start, Some((name, token)));
                if inst.is_err() && !taken {
                    self.scopes.bind(name, Binding::Bad);
                }
                inst?;
            }
            _ if self.at_word("catch") => self.catch(cx)?,
            _ => self.inst(cx, token.start, None)?,
        }
        if !self.token.line_start && !self.at(b'}') {
            return Err(self.unexpected("the end of the line"));
        }
        Ok(())
    }

    // Blocks.

    fn label(&mut self, cx: &mut BodyCx) -> Parsed<()> {
        let (name, token) = self.simple_name("the name of a block")?;
        let block = match self.scopes.label(name) {
            Some(label) if label.defined => {
                let message = format!("block `{}` stands here already", self.module.name(name));
                self.report("E0124", token.span(), message);
                // What follows is read all the same, as a block of its own.
                cx.body.blocks.push(Default::default())
            }
            Some(label) => label.block,
            None => cx.body.blocks.push(Default::default()),
        };
        self.scopes.set_label(name, Label { block, defined: true });
        cx.body.blocks[block].name = Some(name);
        cx.body.blocks[block].pos = token.start;
        cx.body.layout.push(block);
        cx.block = block;
        if self.eat(b'(') {
            let mut first = true;
            while !self.at(b')') {
                if !first {
                    self.expect(b',')?;
                }
                first = false;
                let (name, token) = self.simple_name("the name of a parameter")?;
                if self.expect(b':').is_err() {
                    self.scopes.bind(name, Binding::Bad);
                    return Err(Reported);
                }
                match self.ty() {
                    Ok(ty) => self.param(&mut cx.body, block, name, token, ty),
                    Err(reported) => {
                        self.scopes.bind(name, Binding::Bad);
                        return Err(reported);
                    }
                }
            }
            self.next();
        }
        self.expect(b':')?;
        Ok(())
    }

    fn param(&mut self, body: &mut Body, block: Block, name: Symbol, token: Token, ty: Type) {
        let value = body.add_param(block, ty, Some(name));
        if self.scopes.value(name).is_some() {
            self.duplicate_value(name, token);
        } else {
            self.scopes.bind(name, Binding::Value(value));
        }
    }

    fn duplicate_value(&mut self, name: Symbol, token: Token) {
        let message = format!("value `{}` is defined already", self.module.name(name));
        let help = Some("a name stands for one value in the whole body".to_owned());
        self.report_help("E0123", token.span(), message, help);
    }

    /// The block of a name, whose label may still come.
    fn block(&mut self, cx: &mut BodyCx) -> Parsed<Block> {
        let (name, token) = self.simple_name("the name of a block")?;
        if let Some(label) = self.scopes.label(name) {
            return Ok(label.block);
        }
        let block = cx.body.blocks.push(Default::default());
        self.scopes.set_label(name, Label { block, defined: false });
        self.scopes.forward.push((name, token));
        Ok(block)
    }

    fn unknown_block(&mut self, cx: &BodyCx, name: Symbol, token: Token) {
        let name = self.module.name(name);
        let names = cx.body.layout.iter().filter_map(|&block| cx.body.blocks[block].name);
        let near = nearest(name, names.map(|name| self.module.name(name)));
        let help = near.map(|near| format!("a block of a similar name is `{near}`"));
        let message = format!("there is no block `{name}`");
        self.report_help("E0134", token.span(), message, help);
    }

    fn target(&mut self, cx: &mut BodyCx) -> Parsed<Target> {
        let block = self.block(cx)?;
        let args = if self.at(b'(') && !self.token.line_start { self.arguments(cx)? } else { Values::new() };
        Ok(Target { block, args })
    }

    fn catch(&mut self, cx: &mut BodyCx) -> Parsed<()> {
        let keyword = self.next();
        if !cx.body.blocks[cx.block].insts.is_empty() {
            let help = Some("it holds for the whole block; write it directly under the label".to_owned());
            self.report_help("E0144", keyword.span(), "a handler stands before the block's instructions", help);
        }
        let class = if self.eat(b'*') { None } else { Some(self.class_ref("the class of an exception or `*`")?) };
        self.expect(b':')?;
        let target = self.target(cx)?;
        cx.body.blocks[cx.block].catches.push(Catch { class, target });
        Ok(())
    }

    // Values.

    /// Values in parentheses.
    fn arguments(&mut self, cx: &mut BodyCx) -> Parsed<Values> {
        self.expect(b'(')?;
        let mut args = Values::new();
        while !self.at(b')') {
            if !args.is_empty() {
                self.expect(b',')?;
            }
            args.push(self.value(cx)?);
        }
        self.next();
        Ok(args)
    }

    fn value(&mut self, cx: &mut BodyCx) -> Parsed<Value> {
        if self.token.line_start {
            return Err(self.unexpected("a value"));
        }
        if let Some(constant) = self.constant()? {
            if let Some(&value) = self.scopes.constants.get(&constant) {
                return Ok(value);
            }
            let value = cx.body.constant(&self.module, constant);
            self.scopes.constants.insert(constant, value);
            return Ok(value);
        }
        let (name, token) = self.simple_name("a value")?;
        match self.scopes.value(name) {
            Some(Binding::Value(value)) => Ok(value),
            Some(Binding::Bad) => Err(Reported),
            None => Err(self.unknown_value(cx, name, token)),
        }
    }

    fn unknown_value(&mut self, cx: &BodyCx, name: Symbol, token: Token) -> Reported {
        let text = self.module.name(name);
        // The nearest definitions first.
        let known = cx.body.values.values().rev().filter_map(|data: &ValueData| data.name);
        let help = if text == "this" && cx.is_static {
            Some("a static method has no `this`".to_owned())
        } else if let Some(near) = nearest(text, known.map(|name| self.module.name(name))) {
            Some(format!("a value of a similar name is `{near}`"))
        } else {
            Some("a definition stands before its uses; a loop passes values as block parameters".to_owned())
        };
        self.report_help("E0133", token.span(), format!("value `{text}` is not defined"), help)
    }

    // Instructions.

    fn inst(&mut self, cx: &mut BodyCx, start: u32, result: Option<(Symbol, Token)>) -> Parsed<()> {
        if self.token.line_start && result.is_some() {
            return Err(self.unexpected("an instruction"));
        }
        let (op, ordering) = self.mnemonic()?;
        let mnemonic_end = self.last_end;
        let info = op.info();
        let mut args = Values::new();
        let payload = match info.symbol {
            SymbolKind::None => {
                if !self.at_end_of_inst() {
                    args.push(self.value(cx)?);
                }
                ordering.map_or(Payload::None, Payload::Ordering)
            }
            SymbolKind::Type => {
                let ty = self.symbol_here("a type").and_then(|()| self.ty())?;
                ordering.map_or(Payload::Type(ty), |ordering| Payload::OrderedType(ordering, ty))
            }
            SymbolKind::Class => {
                self.symbol_here("the name of a class")?;
                Payload::Class(self.class_ref("the name of a class")?)
            }
            SymbolKind::Field => {
                self.symbol_here("a field, as in `Node.next`")?;
                Payload::Field(self.field_ref(cx)?)
            }
            SymbolKind::Method => {
                self.symbol_here("a method, as in `Math.max`")?;
                let (method, values) = self.call(cx, op)?;
                args = values;
                Payload::Method(method)
            }
            SymbolKind::Targets => self.targets(cx, op, &mut args)?,
        };
        if !matches!(info.symbol, SymbolKind::Method | SymbolKind::Targets) {
            while self.at(b',') && !self.token.line_start {
                self.next();
                args.push(self.value(cx)?);
            }
        }
        let span = start..self.last_end.max(mnemonic_end);
        if self.at(b'@') && !self.token.line_start {
            self.next();
            let token = self.token;
            let line = self.i32("the number of a line")?;
            cx.line = match u32::try_from(line) {
                Ok(line) => line,
                Err(_) => return Err(self.report("E0104", token.span(), "the number of a line is not negative")),
            };
        }
        self.check_arity(op, args.len(), span.clone())?;
        let origin = Origin { line: cx.line, pos: start };
        let data = InstData { op, payload, args, result: None, origin };
        let name = result.map(|(name, _)| name);
        let inst = cx.body.append(&self.module, cx.block, data, name);
        match (cx.body.insts[inst].result, result) {
            (Some(value), Some((name, _))) => {
                if self.scopes.value(name).is_none() {
                    self.scopes.bind(name, Binding::Value(value));
                }
            }
            (None, Some((_, token))) => return Err(self.no_result(cx, op, inst, token)),
            (_, None) => {}
        }
        Ok(())
    }

    fn no_result(&mut self, cx: &BodyCx, op: Op, inst: crate::entity::Inst, token: Token) -> Reported {
        let data = &cx.body.insts[inst];
        let help = Some("write it without a result".to_owned());
        match op.info().result {
            ResultType::Element => {
                let message = format!("the first value of `{}` is no array, so its result has no type", op.mnemonic());
                self.report("E0142", token.span(), message)
            }
            ResultType::Return => {
                let method = data.method_symbol().map(|method| self.module.method_ref(method));
                let name = method.map_or("the method", |method| self.module.name(method.name)).to_owned();
                self.report_help("E0141", token.span(), format!("`{name}` returns nothing"), help)
            }
            _ => self.report_help("E0141", token.span(), format!("`{}` has no result", op.mnemonic()), help),
        }
    }

    /// Whether nothing of the instruction is left but its line number.
    fn at_end_of_inst(&self) -> bool {
        self.token.line_start || self.at(b'@') || self.at(b'}') || self.token.kind == TokenKind::End
    }

    fn symbol_here(&mut self, wanted: &str) -> Parsed<()> {
        if self.at_end_of_inst() { Err(self.unexpected(wanted)) } else { Ok(()) }
    }

    fn mnemonic(&mut self) -> Parsed<(Op, Option<Ordering>)> {
        if matches!(self.token.kind, TokenKind::Number | TokenKind::String) {
            let help = Some("a constant needs no definition; write it where it is used".to_owned());
            let message = format!("found {}, wanted an instruction", self.shown(self.token));
            return Err(self.report_help("E0110", self.token.span(), message, help));
        }
        if self.token.kind != TokenKind::Name {
            return Err(self.unexpected("an instruction"));
        }
        let token = self.next();
        let text = self.slice(token);
        let (name, suffix) = match text.find('.') {
            Some(dot) => (&text[..dot], Some(&text[dot + 1..])),
            None => (text, None),
        };
        let Some(&op) = self.scopes.mnemonics.get(name) else {
            return Err(self.unknown_mnemonic(token, name));
        };
        let names = || Ordering::ALL.map(Ordering::name).join(", ");
        match (op.info().ordered, suffix) {
            (false, None) => Ok((op, None)),
            (true, Some(suffix)) => match Ordering::from_name(suffix) {
                Some(ordering) => Ok((op, Some(ordering))),
                None => {
                    let start = token.end - suffix.len() as u32;
                    let help = Some(format!("the orderings are {}", names()));
                    Err(self.report_help("E0136", start..token.end, format!("`{suffix}` is no ordering"), help))
                }
            },
            (true, None) => {
                let help = Some(format!("as in `{name}.volatile`; the orderings are {}", names()));
                Err(self.report_help("E0136", token.span(), format!("`{name}` needs an ordering"), help))
            }
            (false, Some(suffix)) => {
                let start = token.end - suffix.len() as u32;
                Err(self.report("E0136", start..token.end, format!("`{name}` takes no ordering")))
            }
        }
    }

    fn unknown_mnemonic(&mut self, token: Token, name: &str) -> Reported {
        let near = nearest(name, Op::ALL.iter().map(|op| op.mnemonic()));
        let is_value = self.module.find_symbol(name).is_some_and(|name| self.scopes.value(name).is_some());
        let help = if is_value {
            Some(format!("there are no copies; use `{name}` itself"))
        } else if self.at(b'(') || near.is_none() && self.slice(self.token).contains('.') {
            Some(
                "a call starts with how: `invokestatic`, `invokevirtual`, `invokespecial`, `invokeinterface`"
                    .to_owned(),
            )
        } else {
            near.map(|near| format!("did you mean `{near}`?"))
        };
        self.report_help("E0135", token.span(), format!("there is no instruction `{name}`"), help)
    }

    fn check_arity(&mut self, op: Op, found: usize, span: std::ops::Range<u32>) -> Parsed<()> {
        let (fits, wanted) = match op.info().arity {
            Arity::Exactly(n) => (found == usize::from(n), format_args!("{n}").to_string()),
            Arity::AtLeast(n) => (found >= usize::from(n), format!("at least {n}")),
        };
        if fits {
            return Ok(());
        }
        let values = if wanted.ends_with('1') { "value" } else { "values" };
        Err(self.report("E0140", span, format!("`{}` takes {wanted} {values}, found {found}", op.mnemonic())))
    }

    /// The values and targets of a jump, branch or switch.
    fn targets(&mut self, cx: &mut BodyCx, op: Op, args: &mut Values) -> Parsed<Payload> {
        if op == Op::Jump {
            self.symbol_here("the name of a block")?;
            return Ok(Payload::Targets([self.target(cx)?].into()));
        }
        args.push(self.value(cx)?);
        self.expect(b',')?;
        if op == Op::Branch {
            let taken = self.target(cx)?;
            self.expect(b',')?;
            let other = self.target(cx)?;
            return Ok(Payload::Targets([taken, other].into()));
        }
        let mut cases: Vec<(i32, Target, Token)> = Vec::new();
        loop {
            if self.eat_word("default") {
                self.expect(b':')?;
                let default = self.target(cx)?;
                return self.switch_table(cases, default);
            }
            let token = self.token;
            let key = self.i32("an i32 or `default`")?;
            self.expect(b':')?;
            cases.push((key, self.target(cx)?, token));
            self.expect(b',')?;
        }
    }

    fn switch_table(&mut self, mut cases: Vec<(i32, Target, Token)>, default: Target) -> Parsed<Payload> {
        cases.sort_by_key(|&(key, _, token)| (key, token.start));
        if let Some(pair) = cases.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (key, _, token) = pair[1];
            return Err(self.report("E0143", token.span(), format!("the key {key} is repeated")));
        }
        let keys = cases.iter().map(|&(key, ..)| key).collect();
        let targets = cases.into_iter().map(|(_, target, _)| target).chain([default]).collect();
        Ok(Payload::Switch(Box::new(SwitchTable { keys, targets })))
    }

    // References to members.

    /// The class and the member of a dotted name.
    fn member_of(&mut self, token: Token, wanted: &str) -> Parsed<(Class, Symbol)> {
        let (Some(class), member) = self.split(token)? else {
            let message = format!("found `{}`, wanted {wanted}", self.slice(token));
            return Err(self.report("E0110", token.span(), message));
        };
        let span = token.start..token.end - member.text.len() as u32 - 1;
        if !class.quoted && Type::from_primitive_name(&class.text).is_some() {
            return Err(self.report("E0110", span, format!("`{}` has no members", class.text)));
        }
        let class = self.class_named(&class, span);
        Ok((class, self.module.symbol(&member.text)))
    }

    fn field_ref(&mut self, cx: &BodyCx) -> Parsed<FieldRef> {
        let token = self.name_token("a field, as in `Node.next`")?;
        if self.at_word("as") && !self.token.line_start {
            let (class, name) = self.member_of(token, "a field, as in `Node.next`")?;
            self.next();
            let ty = self.ty()?;
            return Ok(self.module.intern_field_ref(FieldRefData { class, name, ty }));
        }
        let text = self.slice(token);
        if let Some(&field) = self.field_refs.get(text) {
            return Ok(field);
        }
        let (class, name) = self.member_of(token, "a field, as in `Node.next`")?;
        match find_field(&self.module, self.index.as_ref(), class, name) {
            FieldLookup::One(ty) => {
                let field = self.module.intern_field_ref(FieldRefData { class, name, ty });
                self.field_refs.insert(text, field);
                Ok(field)
            }
            FieldLookup::Unknown => Err(self.unknown_supertype(class, name, token, "as TYPE")),
            FieldLookup::None => Err(self.unknown_field(cx, class, name, token)),
        }
    }

    fn unknown_field(&mut self, cx: &BodyCx, class: Class, name: Symbol, token: Token) -> Reported {
        let mut names = Vec::new();
        for_each_super(&self.module, class, |class| {
            names.extend(self.module.classes[class].fields.iter().map(|&f| self.module.fields[f].name));
            false
        });
        let text = self.module.name(name);
        let near = nearest(text, names.iter().map(|&name| self.module.name(name)));
        let help = match near {
            Some(near) => Some(format!("a field of a similar name is `{near}`")),
            None if class == cx.class => Some(format!("declare it: `field {text}: TYPE`")),
            None => None,
        };
        let message = format!("class `{}` has no field `{text}`", self.module.class_name(class));
        self.report_help("E0131", token.span(), message, help)
    }

    /// A class that is known by name only may have the member.
    fn unknown_supertype(&mut self, class: Class, name: Symbol, token: Token, form: &str) -> Reported {
        if self.module.classes[class].origin == ClassOrigin::Missing {
            // The class was reported.
            return Reported;
        }
        let message = format!(
            "nothing says what `{}.{}` is: it is declared in no class, but one is known by name only",
            self.module.class_name(class),
            self.module.name(name)
        );
        self.report_help("E0138", token.span(), message, Some(format!("say `{form}` behind it")))
    }

    fn call(&mut self, cx: &mut BodyCx, op: Op) -> Parsed<(MethodRef, Values)> {
        const WANTED: &str = "a method, as in `Math.max`";
        let token = self.name_token(WANTED)?;
        let args = self.arguments(cx)?;
        let end = self.last_end;
        if self.at_word("as") && !self.token.line_start {
            let (class, name) = self.member_of(token, WANTED)?;
            self.next();
            let sig = self.signature()?;
            return Ok((self.module.intern_method_ref(MethodRefData { class, name, sig }), args));
        }
        let receiver = usize::from(op != Op::InvokeStatic);
        let Some(params) = args.len().checked_sub(receiver) else {
            return Err(self.report("E0140", token.start..end, format!("`{}` needs a receiver", op.mnemonic())));
        };
        let key = (self.slice(token), params as u32);
        if let Some(&method) = self.method_refs.get(&key) {
            return Ok((method, args));
        }
        let (class, name) = self.member_of(token, WANTED)?;
        let sig = match find_method(&self.module, self.index.as_ref(), class, name, params) {
            MethodLookup::One(sig) => sig,
            MethodLookup::Many(sigs) => {
                let forms: Vec<String> = sigs.iter().map(|&sig| self.signature_text(sig)).collect();
                let message = format!(
                    "class `{}` has several methods `{}` of {params} parameters",
                    self.module.class_name(class),
                    self.module.name(name)
                );
                let help = Some(format!("say which behind it: {}", forms.join(" or ")));
                return Err(self.report_help("E0137", token.span(), message, help));
            }
            MethodLookup::Unknown => return Err(self.unknown_supertype(class, name, token, "as (TYPES): TYPE")),
            MethodLookup::None => return Err(self.unknown_method(class, name, params, token)),
        };
        let method = self.module.intern_method_ref(MethodRefData { class, name, sig });
        self.method_refs.insert(key, method);
        Ok((method, args))
    }

    fn signature_text(&self, sig: Sig) -> String {
        let mut out = String::new();
        crate::text::printer::write_signature(&mut out, &self.module, &self.short_names, sig);
        out
    }

    /// `(TYPES)[: TYPE]`
    fn signature(&mut self) -> Parsed<Sig> {
        self.expect(b'(')?;
        let mut params = Vec::new();
        while !self.at(b')') {
            if !params.is_empty() {
                self.expect(b',')?;
            }
            params.push(self.ty()?);
        }
        self.next();
        let ret = if self.at(b':') && !self.token.line_start {
            self.next();
            Some(self.ty()?)
        } else {
            None
        };
        Ok(self.module.intern_sig(SigData { params, ret }))
    }

    fn unknown_method(&mut self, class: Class, name: Symbol, params: usize, token: Token) -> Reported {
        let mut same_name = Vec::new();
        let mut names = Vec::new();
        for_each_super(&self.module, class, |class| {
            for &func in &self.module.classes[class].methods {
                let data = &self.module.funcs[func];
                names.push(data.name);
                if data.name == name {
                    same_name.push(data.sig);
                }
            }
            false
        });
        let text = self.module.name(name);
        let class_name = self.module.class_name(class);
        if let Some(&sig) = same_name.first() {
            let form = self.signature_text(sig);
            let message = format!("class `{class_name}` has no method `{text}` of {params} parameters");
            return self.report_help("E0132", token.span(), message, Some(format!("it has `{text}{form}`")));
        }
        let near = nearest(text, names.iter().map(|&name| self.module.name(name)));
        let help = near.map(|near| format!("a method of a similar name is `{near}`"));
        self.report_help("E0132", token.span(), format!("class `{class_name}` has no method `{text}`"), help)
    }
}
