//! The first two rounds: classes and the heads of their members.

use rustc_hash::FxHashSet;

use super::{Parsed, Parser, Reported, Text};
use crate::entity::{Class, File, Func, Sig, Symbol};
use crate::module::{ClassOrigin, FieldData, Flags, FuncData, SigData};
use crate::text::hint::nearest;
use crate::text::lexer::{Lexer, Token, TokenKind};
use crate::text::names::{CLASS_FLAGS, FIELD_FLAGS, FlagTable, METHOD_FLAGS};

/// A class that the first round found.
pub(super) struct ClassDecl<'a> {
    class: Class,
    file: File,
    /// The text up to where the next class starts.
    text: &'a str,
    /// Behind the class's name.
    pos: usize,
}

/// A method whose body the second round skipped.
pub(super) struct MethodBody<'a> {
    pub(super) func: Func,
    pub(super) file: File,
    /// The text up to the end of the class.
    pub(super) text: &'a str,
    /// Behind the opening brace.
    pub(super) pos: usize,
    /// The names of the parameters, without `this`.
    pub(super) params: Vec<(Symbol, Token)>,
}

/// The members that a class has so far.
#[derive(Default)]
struct Members {
    fields: FxHashSet<Symbol>,
    methods: FxHashSet<(Symbol, Sig)>,
}

impl<'a> Parser<'a> {
    /// The first round over a text.
    pub(super) fn scan_classes(&mut self, text: Text<'a>, decls: &mut Vec<ClassDecl<'a>>) -> Parsed<()> {
        self.enter(text.file, text.text, 0);
        while self.token.kind != TokenKind::End {
            self.go_on()?;
            if self.scan_class(text, decls).is_err() {
                self.next();
                self.skip_to_class();
            }
        }
        Ok(())
    }

    fn scan_class(&mut self, text: Text<'a>, decls: &mut Vec<ClassDecl<'a>>) -> Parsed<()> {
        let words = self.words(&["class", "interface", "extern"]);
        let keyword = self.token;
        let is_extern = self.eat_word("extern");
        let is_interface = !is_extern && self.eat_word("interface");
        if !is_interface && !self.eat_word("class") {
            return Err(self.unexpected_word("`class` or `interface`", CLASS_FLAGS, &["class", "interface", "extern"]));
        }
        let mut flags = self.flags(&words, CLASS_FLAGS, "a class");
        if is_interface {
            flags = flags.with(Flags::INTERFACE).with(Flags::ABSTRACT);
        }
        if is_extern && text.origin == ClassOrigin::Library {
            return Err(self.report("E0111", keyword.span(), "the class library declares all its classes"));
        }
        let token = self.name_token("the name of the class")?;
        let name = self.whole(token)?;
        let plain = !name.quoted && !name.text.contains('.');
        let hidden = if plain { self.short_names.get(&name.text) } else { None };
        let symbol = self.module.symbol(&name.text);
        let class = hidden.unwrap_or_else(|| self.module.class(symbol));
        if self.module.classes[class].origin != ClassOrigin::Missing {
            let help = hidden.map(|class| {
                format!(
                    "the class library declares {}; write `` `{}` `` for a class of the default package",
                    self.module.class_name(class),
                    name.text
                )
            });
            let message = format!("class `{}` is declared already", name.text);
            // Its members are not read: that would report them all as repeated.
            self.report_help("E0120", token.span(), message, help);
            if !is_extern {
                self.skip_class(text.text);
            }
            return Ok(());
        }
        let data = &mut self.module.classes[class];
        data.origin = if is_extern { ClassOrigin::Extern } else { text.origin };
        data.flags = flags;
        data.file = Some(text.file);
        data.pos = token.start;
        if text.origin == ClassOrigin::Library {
            self.short_names.add(&name.text, class);
        }
        if !is_extern {
            let pos = token.end as usize;
            let end = self.skip_class(text.text);
            decls.push(ClassDecl { class, file: text.file, text: &text.text[..end], pos });
        }
        Ok(())
    }

    /// From behind the name of a class past its members; where that is.
    fn skip_class(&mut self, text: &'a str) -> usize {
        while !self.at(b'{') {
            let next_class = self.token.line_start && self.is_name() && self.is_class_word(self.token);
            if self.token.kind == TokenKind::End || next_class {
                return self.token.start as usize;
            }
            self.next();
        }
        // The token that is looked at is the brace, so the lexer stands behind it.
        let open = self.lexer.pos();
        if self.lexer.skip_braces() {
            let end = self.lexer.pos();
            self.next();
            return end;
        }
        // Each of these costs a look at the whole rest, so there is an end to them.
        const MAX_UNCLOSED: usize = 20;
        self.unclosed += 1;
        if self.unclosed > MAX_UNCLOSED {
            self.next();
            return self.text.len();
        }
        // A brace is missing. Guess that a line that looks like the start of a class is one.
        let mut lexer = Lexer::new(text, open);
        loop {
            let token = lexer.next();
            let at_margin = token.start == 0 || text.as_bytes()[token.start as usize - 1] == b'\n';
            if token.kind == TokenKind::End || token.line_start && at_margin && self.is_class_word(token) {
                self.lexer = Lexer::new(text, token.start as usize);
                self.next();
                return token.start as usize;
            }
        }
    }

    fn is_class_word(&self, token: Token) -> bool {
        let text = self.slice(token);
        matches!(text, "class" | "interface" | "extern") || CLASS_FLAGS.iter().any(|&(name, _)| name == text)
    }

    fn skip_to_class(&mut self) {
        while self.token.kind != TokenKind::End
            && !(self.token.line_start && self.is_name() && self.is_class_word(self.token))
        {
            if self.at(b'{') {
                self.lexer.skip_braces();
            }
            self.next();
        }
    }

    /// Names before one of these keywords.
    fn words(&mut self, keywords: &[&str]) -> Vec<Token> {
        let mut words = Vec::new();
        // There are fewer flags than that, so more of them are an error that somebody else reports.
        while self.token.kind == TokenKind::Name && !keywords.contains(&self.slice(self.token)) {
            let known = |table: FlagTable| table.iter().any(|&(name, _)| name == self.slice(self.token));
            if !known(CLASS_FLAGS) && !known(FIELD_FLAGS) && !known(METHOD_FLAGS) {
                break;
            }
            words.push(self.next());
        }
        words
    }

    fn unexpected_word(&mut self, wanted: &str, table: FlagTable, keywords: &[&'static str]) -> Reported {
        if self.token.kind == TokenKind::Name {
            let text = self.slice(self.token);
            let names = table.iter().map(|&(name, _)| name).chain(keywords.iter().copied());
            if let Some(near) = nearest(text, names) {
                let help = Some(format!("did you mean `{near}`?"));
                return self.report_help("E0110", self.token.span(), format!("found `{text}`, wanted {wanted}"), help);
            }
        }
        self.unexpected_start(wanted)
    }

    fn flags(&mut self, words: &[Token], table: FlagTable, what: &str) -> Flags {
        let mut flags = Flags::NONE;
        for &token in words {
            let text = self.slice(token);
            match table.iter().find(|&&(name, _)| name == text) {
                Some(&(_, flag)) if !flags.has(flag) => flags = flags.with(flag),
                Some(_) => {
                    self.report("E0111", token.span(), format!("the flag `{text}` is repeated"));
                }
                None => {
                    let names: Vec<&str> = table.iter().map(|&(name, _)| name).collect();
                    let help = Some(format!("flags of {what} are {}", names.join(", ")));
                    self.report_help("E0111", token.span(), format!("{what} cannot be `{text}`"), help);
                }
            }
        }
        flags
    }

    /// The second round over a class. Fails only if the cap is reached.
    pub(super) fn class(&mut self, decl: ClassDecl<'a>, bodies: &mut Vec<MethodBody<'a>>) -> Parsed<()> {
        self.enter(decl.file, decl.text, decl.pos);
        let mut members = Members::default();
        if self.supertypes(decl.class).is_err() {
            while !self.at(b'{') && self.token.kind != TokenKind::End {
                self.next();
            }
        }
        if self.token.kind == TokenKind::End {
            let pos = self.module.classes[decl.class].pos;
            let message = format!("class `{}` has no braces", self.module.class_name(decl.class));
            let help = Some("its members stand between `{` and `}`, even if there are none".to_owned());
            self.report_help("E0112", pos..decl.pos as u32, message, help);
            return self.go_on();
        }
        if self.expect(b'{').is_err() {
            return self.go_on();
        }
        let first_body = bodies.len();
        if self.class_head(decl.class).is_err() {
            self.skip_to_member();
        }
        while !self.at(b'}') {
            self.go_on()?;
            if self.token.kind == TokenKind::End {
                if let Some(open) = (first_body..bodies.len()).find(|&i| self.open_body(&bodies[i]).is_some()) {
                    self.close_body(open, bodies);
                    continue;
                }
                let pos = self.module.classes[decl.class].pos;
                let message = format!("class `{}` is not closed", self.module.class_name(decl.class));
                self.report_help("E0112", pos..decl.pos as u32, message, Some("a `}` is missing".to_owned()));
                return self.go_on();
            }
            let start = self.token.start;
            if self.member(&decl, &mut members, bodies).is_err() {
                if self.token.start == start {
                    self.next();
                }
                self.skip_to_member();
            }
        }
        self.go_on()
    }

    /// The start of a member in what was taken for a body: the body is not closed.
    fn open_body(&self, body: &MethodBody<'a>) -> Option<Token> {
        let mut lexer = Lexer::new(body.text, body.pos);
        loop {
            let token = lexer.next();
            let goes_on_as_line = || matches!(lexer.next_byte_on_line(), Some(b'=' | b':' | b'('));
            match token.kind {
                TokenKind::End | TokenKind::Punct(b'}') => return None,
                TokenKind::Name if token.line_start && self.is_member_word(token) && !goes_on_as_line() => {
                    return Some(token);
                }
                _ => {}
            }
        }
    }

    /// Reports a body that is not closed, and goes back to the member that follows.
    fn close_body(&mut self, open: usize, bodies: &mut Vec<MethodBody<'a>>) {
        bodies.truncate(open + 1);
        let body = &mut bodies[open];
        let Some(token) = self.open_body(body) else { return };
        self.enter(body.file, body.text, token.start as usize);
        body.text = &body.text[..token.start as usize];
        let data = &self.module.funcs[body.func];
        let name = self.module.name(data.name).to_owned();
        let span = data.pos..data.pos + name.len() as u32;
        let message = format!("the body of method `{name}` is not closed");
        self.report_help("E0112", span, message, Some("a `}` is missing".to_owned()));
    }

    /// Goes to what looks like the start of a member, or to the end of the class.
    fn skip_to_member(&mut self) {
        while !self.at(b'}') && self.token.kind != TokenKind::End {
            if self.token.line_start && self.token.kind == TokenKind::Name && self.is_member_word(self.token) {
                return;
            }
            if self.at(b'{') {
                self.lexer.skip_braces();
            }
            self.next();
        }
    }

    fn is_member_word(&self, token: Token) -> bool {
        let text = self.slice(token);
        matches!(text, "field" | "method") || FIELD_FLAGS.iter().chain(METHOD_FLAGS).any(|&(name, _)| name == text)
    }

    fn supertypes(&mut self, class: Class) -> Parsed<()> {
        let is_interface = self.module.classes[class].flags.has(Flags::INTERFACE);
        let is_object = self.module.class_name(class) == "java.lang.Object";
        if !is_object {
            let name = self.module.symbol("java.lang.Object");
            self.module.classes[class].superclass = Some(self.module.class(name));
        }
        if self.eat_word("extends") {
            if is_interface {
                self.interfaces(class)?;
            } else {
                self.module.classes[class].superclass = Some(self.class_ref("the name of the superclass")?);
            }
        }
        if self.at_word("implements") {
            if is_interface {
                let help = Some("an interface `extends` others".to_owned());
                return Err(self.report_help("E0111", self.token.span(), "an interface implements nothing", help));
            }
            self.next();
            self.interfaces(class)?;
        }
        Ok(())
    }

    fn interfaces(&mut self, class: Class) -> Parsed<()> {
        loop {
            let interface = self.class_ref("the name of an interface")?;
            self.module.classes[class].interfaces.push(interface);
            if !self.eat(b',') {
                return Ok(());
            }
        }
    }

    fn class_head(&mut self, class: Class) -> Parsed<()> {
        if self.eat_word("source") {
            let token = self.token;
            if token.kind != TokenKind::String {
                return Err(self.unexpected("the name of the source file in quotes"));
            }
            self.next();
            let text = self.slice(token);
            let name = self.unescape_name(&text[1..text.len() - 1], token.start + 1)?;
            self.module.classes[class].source = Some(self.module.symbol(&name));
        }
        if self.eat_word("version") {
            let token = self.token;
            let version = self.i32("the major version of a class file")?;
            match u16::try_from(version) {
                Ok(version) => self.module.classes[class].version = version,
                Err(_) => {
                    return Err(self.report("E0104", token.span(), "the version of a class file is at most 65535"));
                }
            }
        }
        if self.eat_word("nest") {
            self.module.classes[class].nest_host = Some(self.class_ref("the host of the nest")?);
        }
        Ok(())
    }

    fn member(&mut self, decl: &ClassDecl<'a>, members: &mut Members, bodies: &mut Vec<MethodBody<'a>>) -> Parsed<()> {
        let words = self.words(&["field", "method"]);
        if self.eat_word("field") {
            let flags = self.flags(&words, FIELD_FLAGS, "a field");
            self.field(decl.class, flags, members)
        } else if self.eat_word("method") {
            let flags = self.flags(&words, METHOD_FLAGS, "a method");
            self.method(decl, flags, members, bodies)
        } else if self.at_word("source") || self.at_word("version") || self.at_word("nest") {
            let help = Some("the order is: source, version, nest, fields, methods".to_owned());
            let message = format!("`{}` stands before all fields and methods", self.slice(self.token));
            Err(self.report_help("E0110", self.token.span(), message, help))
        } else {
            Err(self.unexpected_word("`field`, `method` or `}`", METHOD_FLAGS, &["field", "method", "volatile"]))
        }
    }

    fn field(&mut self, class: Class, flags: Flags, members: &mut Members) -> Parsed<()> {
        let (name, token) = self.simple_name("the name of the field")?;
        self.expect(b':')?;
        let ty = self.ty()?;
        let mut init = None;
        if self.at(b'=') {
            let equals = self.next();
            init = self.constant()?;
            if init.is_none() {
                return Err(self.unexpected("a constant"));
            }
            if !flags.has(Flags::STATIC) {
                let help = Some("set it in the constructors".to_owned());
                let message = "only a static field has an initial value";
                self.report_help("E0111", equals.span(), message, help);
            }
        }
        if !members.fields.insert(name) {
            let message = format!("field `{}` is declared already", self.module.name(name));
            return Err(self.report("E0121", token.span(), message));
        }
        self.module.add_field(FieldData { class, name, flags, ty, init, pos: token.start });
        Ok(())
    }

    fn method(
        &mut self,
        decl: &ClassDecl<'a>,
        flags: Flags,
        members: &mut Members,
        bodies: &mut Vec<MethodBody<'a>>,
    ) -> Parsed<()> {
        let (name, token) = self.simple_name("the name of the method")?;
        let has_body = ![Flags::ABSTRACT, Flags::NATIVE, Flags::UNREAD].iter().any(|&flag| flags.has(flag));
        self.expect(b'(')?;
        let mut params = Vec::new();
        let mut types = Vec::new();
        while !self.at(b')') {
            if !types.is_empty() {
                self.expect(b',')?;
            }
            if has_body {
                params.push(self.simple_name("the name of a parameter")?);
                self.expect(b':')?;
            }
            if !has_body && self.is_name() && self.lexer.next_byte_on_line() == Some(b':') {
                let name = self.next();
                self.next();
                let help = Some("write only its type".to_owned());
                let message = "a parameter of an abstract, native or unread method has no name";
                self.report_help("E0113", name.span(), message, help);
            }
            types.push(self.ty()?);
        }
        self.next();
        let ret = if self.eat(b':') { Some(self.ty()?) } else { None };
        let sig = self.module.intern_sig(SigData { params: types, ret });
        let class = decl.class;
        if !members.methods.insert((name, sig)) {
            let message = format!("method `{}` is declared already with this signature", self.module.name(name));
            return Err(self.report("E0122", token.span(), message));
        }
        if !has_body {
            if self.at(b'{') {
                let message = "an abstract, native or unread method has no body";
                return Err(self.report("E0113", self.token.span(), message));
            }
        } else if !self.at(b'{') {
            let help = Some("say `abstract` or `native` if it has none".to_owned());
            let message = format!("method `{}` has no body", self.module.name(name));
            return Err(self.report_help("E0113", token.span(), message, help));
        }
        let func =
            self.module.add_func(FuncData { class, name, sig, flags, body: None, copy_of: None, pos: token.start });
        if has_body {
            let pos = self.lexer.pos();
            bodies.push(MethodBody { func, file: decl.file, text: decl.text, pos, params });
            // Whether it is closed is seen at the end of the class, which then is not closed either.
            self.lexer.skip_braces();
            self.next();
        }
        Ok(())
    }
}
