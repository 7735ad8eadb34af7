//! The class file's form of UTF-8: NUL is two bytes, and characters beyond U+FFFF are two surrogates of three bytes each.

use std::borrow::Cow;

/// The text, if it is Unicode (lone surrogates are not).
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if bytes.is_ascii() {
        return std::str::from_utf8(bytes).ok().map(Cow::Borrowed);
    }
    String::from_utf16(&decode_utf16(bytes)?).ok().map(Cow::Owned)
}

/// The UTF-16 units, which is what a Java string is; `None` if the bytes are not in that form.
#[must_use]
pub fn decode_utf16(bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let follows =
            |index: usize| rest.get(index).filter(|byte| *byte & 0xc0 == 0x80).map(|byte| u16::from(byte & 0x3f));
        let (unit, length) = match *rest {
            [] => return Some(units),
            [first @ 0..0x80, ..] => (u16::from(first), 1),
            [first @ 0xc0..0xe0, ..] => (u16::from(first & 0x1f) << 6 | follows(1)?, 2),
            [first @ 0xe0..0xf0, ..] => (u16::from(first & 0x0f) << 12 | follows(1)? << 6 | follows(2)?, 3),
            _ => return None,
        };
        units.push(unit);
        rest = &rest[length..];
    }
}

/// The bytes for a text.
#[must_use]
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    let plain = |byte: u8| byte != 0 && byte < 0xf0;
    if text.bytes().all(plain) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len() + 2);
    for unit in text.encode_utf16() {
        let low = |shift: u32| 0x80 | (unit >> shift & 0x3f) as u8;
        match unit {
            1..0x80 => bytes.push(unit as u8),
            0 | 0x80..0x800 => bytes.extend([0xc0 | (unit >> 6) as u8, low(0)]),
            0x800.. => bytes.extend([0xe0 | (unit >> 12) as u8, low(6), low(0)]),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives() {
        for text in ["", "plain", "käse", "€", "a\0b", "𝄞 clef"] {
            assert_eq!(decode(&encode(text)).as_deref(), Some(text));
        }
        assert_eq!(&*encode("a\0"), b"a\xc0\x80");
        assert_eq!(&*encode("𝄞"), b"\xed\xa0\xb4\xed\xb4\x9e");
    }

    #[test]
    fn what_is_no_text_is_said_so() {
        for bytes in [&b"\xed\xa0\xb4"[..], b"\xc0", b"\xe2\x82", b"\xf0\x90\x80\x80", b"\x80"] {
            assert_eq!(decode(bytes), None, "{bytes:?}");
        }
        assert_eq!(decode_utf16(b"\xed\xa0\xb4"), Some(vec![0xd834]));
    }
}
