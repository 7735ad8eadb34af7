//! Constants: numbers, strings, and the escapes that strings share with names in backticks.

use super::{Parsed, Parser};
use crate::function::Constant;
use crate::text::lexer::{Token, TokenKind};

/// The bits of the one NaN that Java's library makes.
pub(crate) const NAN32: u32 = 0x7fc0_0000;
/// The same for doubles.
pub(crate) const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// Where the closing quote of a text is that the lexer found complete.
pub(super) fn closing(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut pos = 0;
    while bytes[pos] != quote {
        let escape = bytes[pos] == b'\\' && matches!(bytes.get(pos + 1), Some(&b) if b == quote || b == b'\\');
        pos += if escape { 2 } else { 1 };
    }
    pos
}

/// One thing in a quoted text.
enum Unit {
    Char(char),
    /// A `\u{…}` between d800 and dfff.
    Surrogate(u16),
}

impl<'a> Parser<'a> {
    /// A constant if the token starts one, which is for `class` and the names of floats that it is no quoted name.
    pub(super) fn constant(&mut self) -> Parsed<Option<Constant>> {
        let token = self.token;
        let constant = match token.kind {
            TokenKind::Number => {
                self.next();
                self.number(token)?
            }
            TokenKind::String => {
                self.next();
                let text = self.slice(token);
                let units = self.unescape(&text[1..text.len() - 1], token.start + 1)?;
                Constant::String(self.module.intern_literal(&units))
            }
            TokenKind::Name => {
                let text = self.slice(token);
                match text {
                    "null" => Constant::Null,
                    "inf32" => Constant::F32(f32::INFINITY.to_bits()),
                    "inf64" => Constant::F64(f64::INFINITY.to_bits()),
                    "nan32" | "nan64" => {
                        self.next();
                        return self.nan(text == "nan64").map(Some);
                    }
                    "class" => {
                        self.next();
                        return Ok(Some(Constant::Class(self.ty()?)));
                    }
                    _ => return Ok(None),
                }
                .consumed(self)
            }
            _ => return Ok(None),
        };
        Ok(Some(constant))
    }

    /// Behind `nan32` or `nan64`: the bits of an unusual one in parentheses.
    fn nan(&mut self, double: bool) -> Parsed<Constant> {
        if !self.at(b'(') || self.token.line_start {
            return Ok(if double { Constant::F64(NAN64) } else { Constant::F32(NAN32) });
        }
        self.next();
        let token = self.token;
        if token.kind != TokenKind::Number {
            return Err(self.unexpected("the bits of a NaN, as in `nan64(0x7ff8000000000001)`"));
        }
        self.next();
        let bits = self.slice(token).strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        self.expect(b')')?;
        let constant = match (bits, double) {
            (Some(bits), true) if f64::from_bits(bits).is_nan() => Some(Constant::F64(bits)),
            (Some(bits), false) => {
                u32::try_from(bits).ok().filter(|&bits| f32::from_bits(bits).is_nan()).map(Constant::F32)
            }
            _ => None,
        };
        constant.ok_or_else(|| {
            let message = format!("`{}` are not the bits of a NaN of this type", self.slice(token));
            self.report("E0104", token.span(), message)
        })
    }

    fn number(&mut self, token: Token) -> Parsed<Constant> {
        let text = self.slice(token);
        match read_number(text) {
            Ok(constant) => Ok(constant),
            Err(help) => {
                let shown = if text.len() <= 60 { format!("`{text}`") } else { "this".to_owned() };
                Err(self.report_help("E0104", token.span(), format!("{shown} is not a number"), Some(help.to_owned())))
            }
        }
    }

    /// A whole number that fits `i32`, without a suffix.
    pub(super) fn i32(&mut self, wanted: &str) -> Parsed<i32> {
        let token = self.token;
        if token.kind != TokenKind::Number {
            return Err(self.unexpected(wanted));
        }
        self.next();
        match self.number(token)? {
            Constant::I32(n) => Ok(n),
            _ => Err(self.report("E0104", token.span(), format!("found `{}`, wanted {wanted}", self.slice(token)))),
        }
    }

    /// The UTF-16 units of a quoted text, whose first byte is at `offset`.
    pub(super) fn unescape(&mut self, text: &str, offset: u32) -> Parsed<Vec<u16>> {
        let mut units = Vec::with_capacity(text.len());
        let mut buffer = [0; 2];
        self.each_unit(text, offset, |unit| match unit {
            Unit::Char(c) => units.extend_from_slice(c.encode_utf16(&mut buffer)),
            Unit::Surrogate(unit) => units.push(unit),
        })?;
        Ok(units)
    }

    /// The content of a name in backticks, whose first byte is at `offset`.
    pub(super) fn unescape_name(&mut self, text: &str, offset: u32) -> Parsed<String> {
        let mut name = String::with_capacity(text.len());
        let mut surrogate = false;
        self.each_unit(text, offset, |unit| match unit {
            Unit::Char(c) => name.push(c),
            Unit::Surrogate(_) => surrogate = true,
        })?;
        let span = offset..offset + text.len() as u32;
        if surrogate {
            return Err(self.report("E0103", span, "a name cannot hold half of a surrogate pair"));
        }
        if name.is_empty() {
            return Err(self.report("E0110", span.start - 1..span.end + 1, "a name cannot be empty"));
        }
        Ok(name)
    }

    fn each_unit(&mut self, text: &str, offset: u32, mut f: impl FnMut(Unit)) -> Parsed<()> {
        let mut chars = text.char_indices();
        while let Some((start, c)) = chars.next() {
            if c != '\\' {
                f(Unit::Char(c));
                continue;
            }
            let escape = chars.next().map(|(_, c)| c);
            let unit = match escape {
                Some('n') => Some(Unit::Char('\n')),
                Some('t') => Some(Unit::Char('\t')),
                Some('r') => Some(Unit::Char('\r')),
                Some('0') => Some(Unit::Char('\0')),
                Some(c @ ('"' | '\\' | '`')) => Some(Unit::Char(c)),
                Some('u') => {
                    let rest = chars.as_str();
                    let digits = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(digits, _)| digits);
                    let digits =
                        digits.filter(|d| (1..=6).contains(&d.len()) && d.bytes().all(|b| b.is_ascii_hexdigit()));
                    digits.and_then(|digits| {
                        // Past the brace, the digits and the other brace.
                        chars.nth(digits.len() + 1);
                        let code = u32::from_str_radix(digits, 16).ok()?;
                        match char::from_u32(code) {
                            Some(c) => Some(Unit::Char(c)),
                            None => u16::try_from(code).ok().map(Unit::Surrogate),
                        }
                    })
                }
                _ => None,
            };
            match unit {
                Some(unit) => f(unit),
                None => {
                    let length = 1 + escape.map_or(0, char::len_utf8);
                    let start = offset + start as u32;
                    let help = "the escapes are \\n \\t \\r \\0 \\\" \\` \\\\ and \\u{1f600}".to_owned();
                    let message = "this is no escape";
                    return Err(self.report_help("E0103", start..start + length as u32, message, Some(help)));
                }
            }
        }
        Ok(())
    }
}

impl Constant {
    /// Moves past the one word that this constant was.
    fn consumed(self, parser: &mut Parser<'_>) -> Self {
        parser.next();
        self
    }
}

/// Reads a number, or says what one looks like.
fn read_number(text: &str) -> Result<Constant, &'static str> {
    const INT: &str = "an i32 goes from -2147483648 to 2147483647; an i64 ends in `L`";
    const LONG: &str = "an i64 goes from -9223372036854775808L to 9223372036854775807L";
    const HEX: &str = "a number in hexadecimal is like `0xff` or `0xffL`, and has at most 8 or 16 digits";
    const FLOAT: &str = "an f64 is like `1.5` or `1.0e-7`, an f32 like `1.5f`; both have a point";
    const RANGE: &str = "the number is too large or too small for its type; `inf32` and `inf64` are infinite";
    const FORM: &str = "numbers are like `5`, `5L`, `0xff`, `1.5` and `1.5f`";
    match text {
        "-inf32" => return Ok(Constant::F32(f32::NEG_INFINITY.to_bits())),
        "-inf64" => return Ok(Constant::F64(f64::NEG_INFINITY.to_bits())),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return match digits.strip_suffix('L') {
            Some(digits) if is_hex(digits) => u64::from_str_radix(digits, 16).ok().map(|n| Constant::I64(n as i64)),
            None if is_hex(digits) => u32::from_str_radix(digits, 16).ok().map(|n| Constant::I32(n as i32)),
            _ => None,
        }
        .ok_or(HEX);
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    if unsigned.bytes().all(|b| b.is_ascii_digit()) && !unsigned.is_empty() {
        return text.parse().map(Constant::I32).map_err(|_| INT);
    }
    if let Some(digits) = text.strip_suffix('L') {
        return digits.parse().map(Constant::I64).map_err(|_| LONG);
    }
    // Rust reads more forms than we want (`inf`, `1.`), so that the shape is checked before.
    let (number, single) = match text.strip_suffix('f') {
        Some(number) => (number, true),
        None => (text, false),
    };
    let mantissa = number.strip_prefix('-').unwrap_or(number);
    let (mantissa, exponent) = match mantissa.find(['e', 'E']) {
        Some(e) => (&mantissa[..e], Some(&mantissa[e + 1..])),
        None => (mantissa, None),
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let well_formed = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa) && exponent.is_some(),
    } && exponent.is_none_or(|e| digits(e.strip_prefix(['-', '+']).unwrap_or(e)));
    if !well_formed {
        return Err(if mantissa.contains('.') { FLOAT } else { FORM });
    }
    // What is too large would become infinite, and what is too small would become 0.
    let nonzero = mantissa.bytes().any(|b| matches!(b, b'1'..=b'9'));
    let fits = |is_infinite: bool, is_zero: bool| !(is_infinite || is_zero && nonzero);
    if single {
        let parsed: f32 = number.parse().map_err(|_| FLOAT)?;
        fits(parsed.is_infinite(), parsed == 0.0).then(|| Constant::F32(parsed.to_bits())).ok_or(RANGE)
    } else {
        let parsed: f64 = number.parse().map_err(|_| FLOAT)?;
        fits(parsed.is_infinite(), parsed == 0.0).then(|| Constant::F64(parsed.to_bits())).ok_or(RANGE)
    }
}

fn is_hex(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
}
