//! The parser: text to [`Module`], in three rounds over all texts.
//!
//! 1. Class names, so that a plain name is known to be a library class or not, and so that classes have the order of
//!    their declarations. Class bodies are skipped.
//! 2. Heads of classes, fields, and signatures of methods. Method bodies are skipped.
//! 3. Method bodies, in which references to members now say all from a name.
//!
//! Errors are collected. After one, reading goes on at the next line of a body, the next member of a class, or the
//! next class. What was declared wrongly is remembered, so that its uses are not reported as well. There is no
//! recursion, since nothing in the language nests but classes and their members.

mod body;
mod constant;
mod decl;

use std::ops::Range;

use rustc_hash::FxHashMap;

use self::body::Scopes;
pub(super) use self::constant::{NAN32, NAN64};
use super::hint::nearest;
use super::lexer::{Lexer, Token, TokenKind};
use super::members::MemberIndex;
use super::names::ShortNames;
use super::{ParseError, Source};
use crate::diag::Diagnostic;
use crate::entity::{Class, Entity, FieldRef, File, MethodRef, Symbol};
use crate::function::Body;
use crate::module::{ClassOrigin, Module};
use crate::types::Type;

/// After so many errors, parsing stops.
const MAX_ERRORS: usize = 100;

/// An error has been reported; whoever gets this resyncs.
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// A text with what the parser knows of it.
#[derive(Clone, Copy)]
struct Text<'a> {
    file: File,
    text: &'a str,
    origin: ClassOrigin,
}

/// A part of a name, with backticks undone.
struct Name<'a> {
    text: std::borrow::Cow<'a, str>,
    /// Whether it stood in backticks, and so is taken to the letter.
    quoted: bool,
}

struct Parser<'a> {
    module: Module,
    short_names: ShortNames,
    diagnostics: Vec<Diagnostic>,
    /// The file that is read.
    file: File,
    lexer: Lexer<'a>,
    /// The token that is looked at.
    token: Token,
    /// Where the token before it ended.
    last_end: u32,
    text: &'a str,
    /// What names of types, fields and methods (with the number of parameters) mean, by how they are written: that
    /// depends on nothing else.
    types: FxHashMap<&'a str, Type>,
    field_refs: FxHashMap<&'a str, FieldRef>,
    method_refs: FxHashMap<(&'a str, u32), MethodRef>,
    index: Option<MemberIndex>,
    scopes: Scopes,
    /// An empty body with the room that bodies needed so far.
    room: Option<Body>,
    /// How many classes had a brace missing.
    unclosed: usize,
}

/// Adds the classes of some texts to a module, all of one origin.
pub(super) fn parse(mut module: Module, sources: &[Source<'_>], origin: ClassOrigin) -> Result<Module, ParseError> {
    let mut texts = Vec::new();
    let mut left = u32::MAX as usize;
    for source in sources {
        let file = module.files.push(source.name.to_owned());
        texts.push(Text { file, text: source.text, origin });
        match left.checked_sub(source.text.len()) {
            Some(rest) => left = rest,
            None => {
                // So every offset, and the number of things of a kind, fits 32 bits.
                let diagnostic = Diagnostic::error("E0105", Some(file), 0..0, "the texts are larger than 4 GiB");
                return Err(ParseError { diagnostics: vec![diagnostic], files: module.files });
            }
        }
    }
    let mut parser = Parser {
        short_names: ShortNames::of(&module),
        module,
        diagnostics: Vec::new(),
        file: File::new(0),
        lexer: Lexer::new("", 0),
        token: Lexer::new("", 0).next(),
        last_end: 0,
        text: "",
        types: FxHashMap::default(),
        field_refs: FxHashMap::default(),
        method_refs: FxHashMap::default(),
        index: None,
        scopes: Scopes::default(),
        room: None,
        unclosed: 0,
    };
    // Whether the cap was reached does not matter here.
    let _ = parser.rounds(&texts);
    let Parser { module, mut diagnostics, .. } = parser;
    if diagnostics.is_empty() {
        return Ok(module);
    }
    diagnostics.sort_by_key(|d| (d.file, d.span.start));
    Err(ParseError { diagnostics, files: module.files })
}

impl<'a> Parser<'a> {
    fn rounds(&mut self, texts: &[Text<'a>]) -> Parsed<()> {
        let mut decls = Vec::new();
        for text in texts {
            self.scan_classes(*text, &mut decls)?;
        }
        let mut bodies = Vec::new();
        for decl in decls {
            self.class(decl, &mut bodies)?;
        }
        self.index = Some(MemberIndex::of(&self.module));
        for body in bodies {
            self.method_body(body)?;
        }
        Ok(())
    }

    // Reporting.

    fn full(&self) -> bool {
        self.diagnostics.len() >= MAX_ERRORS
    }

    /// `Err` if the cap is reached, for loops that recover.
    fn go_on(&self) -> Parsed<()> {
        if self.full() { Err(Reported) } else { Ok(()) }
    }

    fn report(&mut self, code: &'static str, span: Range<u32>, message: impl Into<String>) -> Reported {
        self.push(Diagnostic::error(code, Some(self.file), span, message))
    }

    fn report_help(
        &mut self,
        code: &'static str,
        span: Range<u32>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Reported {
        let mut diagnostic = Diagnostic::error(code, Some(self.file), span, message);
        diagnostic.help = help;
        self.push(diagnostic)
    }

    fn push(&mut self, diagnostic: Diagnostic) -> Reported {
        if !self.full() {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    /// Reports that what was begun does not go on with `wanted`.
    fn unexpected(&mut self, wanted: &str) -> Reported {
        if self.token.line_start && self.token.kind != TokenKind::End {
            // What is wrong is where the line ended, not what the next one starts with.
            let message = format!("found the end of the line, wanted {wanted}");
            return self.report("E0110", self.last_end..self.last_end, message);
        }
        self.unexpected_start(wanted)
    }

    /// Reports that `wanted` does not start here, but something else does.
    fn unexpected_start(&mut self, wanted: &str) -> Reported {
        let token = self.token;
        let found = match token.kind {
            TokenKind::BadChar => {
                let text = self.slice(token);
                let message = format!("no token starts with `{}`", text.escape_debug());
                let help = match text {
                    "/" | "#" => Some("a comment starts with `;`".to_owned()),
                    "\u{feff}" => Some("save the file without a byte order mark".to_owned()),
                    _ => None,
                };
                return self.report_help("E0101", token.span(), message, help);
            }
            TokenKind::OpenString => {
                let help = Some("close it with `\"` on the same line; a line feed is written `\\n`".to_owned());
                return self.report_help("E0102", token.span(), "the string does not end", help);
            }
            TokenKind::OpenName => {
                let help = Some("close it with a backtick on the same line".to_owned());
                return self.report_help("E0102", token.span(), "the name in backticks does not end", help);
            }
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Punct(byte) => format!("`{}`", char::from(byte)),
            TokenKind::Name | TokenKind::QuotedName | TokenKind::Number | TokenKind::String => self.shown(token),
        };
        self.report("E0110", token.span(), format!("found {found}, wanted {wanted}"))
    }

    /// A token as messages show it.
    fn shown(&self, token: Token) -> String {
        let text = self.slice(token);
        if text.len() <= 60 { format!("`{text}`") } else { "a long token".to_owned() }
    }

    // Tokens.

    /// Reads on from a place in a text, not beyond `end`.
    fn enter(&mut self, file: File, text: &'a str, pos: usize) {
        self.file = file;
        self.text = text;
        self.lexer = Lexer::new(text, pos);
        self.last_end = 0;
        self.token = self.lexer.next();
    }

    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// The token that is looked at; looks at the next.
    fn next(&mut self) -> Token {
        let token = self.token;
        self.last_end = token.end;
        self.token = self.lexer.next();
        token
    }

    fn at(&self, punct: u8) -> bool {
        self.token.kind == TokenKind::Punct(punct)
    }

    fn at_word(&self, word: &str) -> bool {
        self.token.kind == TokenKind::Name && self.slice(self.token) == word
    }

    fn eat(&mut self, punct: u8) -> bool {
        let at = self.at(punct);
        if at {
            self.next();
        }
        at
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let at = self.at_word(word);
        if at {
            self.next();
        }
        at
    }

    fn expect(&mut self, punct: u8) -> Parsed<Token> {
        if self.at(punct) { Ok(self.next()) } else { Err(self.unexpected(&format!("`{}`", char::from(punct)))) }
    }

    // Names.

    fn is_name(&self) -> bool {
        matches!(self.token.kind, TokenKind::Name | TokenKind::QuotedName)
    }

    fn name_token(&mut self, wanted: &str) -> Parsed<Token> {
        if self.is_name() { Ok(self.next()) } else { Err(self.unexpected(wanted)) }
    }

    /// A name without dots.
    fn simple_name(&mut self, wanted: &str) -> Parsed<(Symbol, Token)> {
        let token = self.name_token(wanted)?;
        Ok((self.simple_name_of(token, wanted)?, token))
    }

    fn simple_name_of(&mut self, token: Token, wanted: &str) -> Parsed<Symbol> {
        let text = self.slice(token);
        if token.kind == TokenKind::Name {
            if text.contains('.') {
                return Err(self.report(
                    "E0110",
                    token.span(),
                    format!("found `{text}`, wanted {wanted} without dots"),
                ));
            }
            return Ok(self.module.symbol(text));
        }
        let (rest, last) = self.split(token)?;
        if rest.is_some() {
            return Err(self.report("E0110", token.span(), format!("found {text}, wanted {wanted} without dots")));
        }
        Ok(self.module.symbol(&last.text))
    }

    /// A dotted name as what stands before its last dot, if there is one, and what stands behind.
    fn split(&mut self, token: Token) -> Parsed<(Option<Name<'a>>, Name<'a>)> {
        let text = self.slice(token);
        if token.kind == TokenKind::Name {
            let name = |text: &'a str| Name { text: text.into(), quoted: false };
            return Ok(match text.rfind('.') {
                Some(dot) => (Some(name(&text[..dot])), name(&text[dot + 1..])),
                None => (None, name(text)),
            });
        }
        let mut parts: Vec<Name<'a>> = Vec::new();
        let mut rest = text;
        loop {
            let part = if let Some(quoted) = rest.strip_prefix('`') {
                let end = constant::closing(quoted, b'`');
                let offset = token.start + (text.len() - rest.len()) as u32 + 1;
                let name = self.unescape_name(&quoted[..end], offset)?;
                rest = &quoted[end + 1..];
                Name { text: name.into(), quoted: true }
            } else {
                let end = rest.find('.').unwrap_or(rest.len());
                let name = &rest[..end];
                rest = &rest[end..];
                Name { text: name.into(), quoted: false }
            };
            parts.push(part);
            match rest.strip_prefix('.') {
                Some(more) => rest = more,
                None => break,
            }
        }
        let last = parts.pop().expect("a name has a part");
        let first = parts
            .into_iter()
            .reduce(|a, b| Name { text: format!("{}.{}", a.text, b.text).into(), quoted: a.quoted || b.quoted });
        Ok((first, last))
    }

    /// The class that a name means.
    fn class_named(&mut self, name: &Name<'_>, span: Range<u32>) -> Class {
        if !name.quoted
            && !name.text.contains('.')
            && let Some(class) = self.short_names.get(&name.text)
        {
            return class;
        }
        let known = self.module.classes.len();
        let symbol = self.module.symbol(&name.text);
        let class = self.module.class(symbol);
        // All classes are declared before any is named, so a new one is declared nowhere. It is known from now on, and
        // so reported once.
        if self.module.classes.len() > known {
            let candidates = self.module.classes.iter().filter(|(_, data)| data.origin != ClassOrigin::Missing);
            let names = candidates.map(|(_, data)| {
                let full = self.module.name(data.name);
                if name.text.contains('.') || data.origin == ClassOrigin::Program {
                    full
                } else {
                    super::names::last_part(full)
                }
            });
            let help = match (java_primitive(&name.text), nearest(&name.text, names)) {
                (Some(ty), _) => format!("the type is called `{ty}` here"),
                (None, Some(near)) => format!("a class of a similar name is declared: {near}"),
                (None, None) => "declare it, or say `extern class` if it is known by name only".to_owned(),
            };
            self.report_help("E0130", span, format!("class `{}` is not declared", name.text), Some(help));
        }
        class
    }

    /// The name of a class, which is declared, as it is used.
    fn class_ref(&mut self, wanted: &str) -> Parsed<Class> {
        let token = self.name_token(wanted)?;
        match self.type_of(token)? {
            Type::Class(class) => Ok(class),
            _ => Err(self.report("E0110", token.span(), format!("found `{}`, wanted {wanted}", self.slice(token)))),
        }
    }

    /// A primitive type or class.
    fn type_of(&mut self, token: Token) -> Parsed<Type> {
        let text = self.slice(token);
        if let Some(&ty) = self.types.get(text) {
            return Ok(ty);
        }
        let primitive = if token.kind == TokenKind::Name { Type::from_primitive_name(text) } else { None };
        let ty = match primitive {
            Some(ty) => ty,
            None => {
                let name = self.whole(token)?;
                Type::Class(self.class_named(&name, token.span()))
            }
        };
        self.types.insert(text, ty);
        Ok(ty)
    }

    /// A dotted name in one piece.
    fn whole(&mut self, token: Token) -> Parsed<Name<'a>> {
        if token.kind == TokenKind::Name {
            return Ok(Name { text: self.slice(token).into(), quoted: false });
        }
        Ok(match self.split(token)? {
            (None, name) => name,
            (Some(first), last) => Name { text: format!("{}.{}", first.text, last.text).into(), quoted: true },
        })
    }

    /// A type.
    fn ty(&mut self) -> Parsed<Type> {
        const MAX_DIMENSIONS: u32 = 255;
        let token = self.name_token("a type")?;
        let mut ty = self.type_of(token)?;
        let mut dimensions = 0;
        while self.at(b'[') && !self.token.line_start {
            self.next();
            let end = self.expect(b']')?.end;
            dimensions += 1;
            if dimensions > MAX_DIMENSIONS {
                let message = format!("an array type has at most {MAX_DIMENSIONS} dimensions");
                return Err(self.report("E0105", token.start..end, message));
            }
            ty = self.module.array_of(ty);
        }
        Ok(ty)
    }
}

/// What Java calls otherwise, for hints.
fn java_primitive(name: &str) -> Option<&'static str> {
    Some(match name {
        "boolean" => "bool",
        "byte" => "i8",
        "char" => "u16",
        "short" => "i16",
        "int" => "i32",
        "long" => "i64",
        "float" => "f32",
        "double" => "f64",
        _ => return None,
    })
}
