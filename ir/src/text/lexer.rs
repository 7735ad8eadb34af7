//! Splits text into tokens, by bytes and without allocating.
//!
//! A token is a kind and a span; whoever needs its content reads it from the text. Dotted names are one token
//! (`com.acme.Queue.head`, `load.volatile`), and every token knows whether it is the first on its line, because an
//! instruction ends where its line ends. What is wrong with a token is left to the parser to report.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name, perhaps with dots, without backticks.
    Name,
    /// A name of which some part stands in backticks.
    QuotedName,
    /// A number, or what starts like one; the parser reads it.
    Number,
    /// A string with its quotes.
    String,
    /// One of `( ) { } [ ] , : = @ *`.
    Punct(u8),
    /// A character that starts no token.
    BadChar,
    /// A string without its closing quote on the line.
    OpenString,
    /// A name without its closing backtick on the line.
    OpenName,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Whether it is the first of its line.
    pub(crate) line_start: bool,
}

impl Token {
    pub(crate) fn span(self) -> std::ops::Range<u32> {
        self.start..self.end
    }
}

const NAME_START: u8 = 1;
const NAME: u8 = 2;
const NUMBER: u8 = 4;

/// What each ASCII byte may be part of.
const CLASS: [u8; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        let byte = i as u8;
        table[i] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => NAME_START | NAME | NUMBER,
            b'_' => NAME_START | NAME | NUMBER,
            b'$' | b'<' | b'>' => NAME_START | NAME,
            b'0'..=b'9' => NAME | NUMBER,
            b'-' => NAME,
            b'.' => NUMBER,
            _ => 0,
        };
        i += 1;
    }
    table
};

/// Whether a name may be written without backticks: no dots, no character that could end it.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_char)
}

fn is_name_start(c: char) -> bool {
    if c.is_ascii() { CLASS[c as usize] & NAME_START != 0 } else { c.is_alphabetic() }
}

fn is_name_char(c: char) -> bool {
    if c.is_ascii() { CLASS[c as usize] & NAME != 0 } else { c.is_alphanumeric() }
}

/// The tokens of a text, or of a part of it.
#[derive(Clone, Copy)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Lexer<'a> {
    /// The tokens of `text` from `pos` on. A part of a text is lexed by cutting the text off behind it, so that spans
    /// stay those of the whole.
    pub(crate) fn new(text: &'a str, pos: usize) -> Self {
        Self { text, pos }
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn char(&self) -> Option<char> {
        self.text[self.pos..].chars().next()
    }

    /// The next byte that is no blank, without leaving the line.
    pub(crate) fn next_byte_on_line(&self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.pos..];
        rest.iter().copied().find(|&byte| byte != b' ' && byte != b'\t')
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Token {
        let line_start = self.skip_blanks();
        let start = self.pos;
        let kind = self.kind();
        Token { kind, start: start as u32, end: self.pos as u32, line_start }
    }

    /// Skips blanks and comments; whether that led to a new line.
    fn skip_blanks(&mut self) -> bool {
        let mut line_start = self.pos == 0;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => {}
                b'\n' => line_start = true,
                b';' => {
                    self.skip_line();
                    continue;
                }
                _ => break,
            }
            self.pos += 1;
        }
        line_start
    }

    /// Goes to the line feed that ends this line.
    fn skip_line(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.pos += 1;
        }
    }

    fn kind(&mut self) -> TokenKind {
        let Some(byte) = self.peek() else { return TokenKind::End };
        match byte {
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b',' | b':' | b'=' | b'@' | b'*' => {
                self.pos += 1;
                TokenKind::Punct(byte)
            }
            b'"' => {
                if self.skip_quoted(b'"') {
                    TokenKind::String
                } else {
                    TokenKind::OpenString
                }
            }
            b'0'..=b'9' | b'-' => self.number(),
            b'`' => self.name(),
            _ if byte.is_ascii() => {
                if CLASS[usize::from(byte)] & NAME_START != 0 {
                    self.name()
                } else {
                    self.pos += 1;
                    TokenKind::BadChar
                }
            }
            _ => match self.char() {
                Some(c) if is_name_start(c) => self.name(),
                c => {
                    self.pos += c.map_or(1, char::len_utf8);
                    TokenKind::BadChar
                }
            },
        }
    }

    /// From an opening quote past its closing one; whether there is one on the line.
    fn skip_quoted(&mut self, quote: u8) -> bool {
        self.pos += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => return false,
                // The byte behind the backslash may start a longer character, whose other bytes are no quote.
                b'\\' if self.text.as_bytes().get(self.pos + 1).is_some_and(|&b| b == quote || b == b'\\') => {
                    self.pos += 2;
                }
                _ => {
                    self.pos += 1;
                    if byte == quote {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn number(&mut self) -> TokenKind {
        let start = self.pos;
        self.pos += 1;
        while let Some(byte) = self.peek() {
            let after_exponent = || {
                let bytes = &self.text.as_bytes()[start..self.pos];
                matches!(bytes.last(), Some(b'e' | b'E')) && !bytes.iter().any(|&b| b == b'x' || b == b'X')
            };
            let more = byte.is_ascii() && CLASS[usize::from(byte)] & NUMBER != 0
                || (byte == b'-' || byte == b'+') && after_exponent();
            if !more {
                break;
            }
            self.pos += 1;
        }
        TokenKind::Number
    }

    /// A name with all its dots.
    fn name(&mut self) -> TokenKind {
        let mut kind = TokenKind::Name;
        loop {
            if self.peek() == Some(b'`') {
                kind = TokenKind::QuotedName;
                if !self.skip_quoted(b'`') {
                    return TokenKind::OpenName;
                }
            } else {
                self.plain_part();
            }
            let dot = self.pos;
            if self.peek() != Some(b'.') {
                return kind;
            }
            self.pos += 1;
            if !self.char().is_some_and(|c| c == '`' || is_name_start(c)) {
                self.pos = dot;
                return kind;
            }
        }
    }

    fn plain_part(&mut self) {
        while let Some(byte) = self.peek() {
            if byte.is_ascii() {
                if CLASS[usize::from(byte)] & NAME == 0 {
                    return;
                }
                self.pos += 1;
            } else {
                match self.char() {
                    Some(c) if is_name_char(c) => self.pos += c.len_utf8(),
                    _ => return,
                }
            }
        }
    }

    /// From behind an opening brace past its closing one; whether there is one. Much faster than reading the tokens.
    pub(crate) fn skip_braces(&mut self) -> bool {
        let mut depth = 1_u32;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' | b'`' => {
                    self.skip_quoted(byte);
                    continue;
                }
                b';' => {
                    self.skip_line();
                    continue;
                }
                b'{' => depth += 1,
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.pos += 1;
                        return true;
                    }
                }
                _ => {}
            }
            self.pos += 1;
        }
        false
    }
}
