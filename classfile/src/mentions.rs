//! Whether a class can be of interest, from its constant pool alone: what most classes of a jar cost.

use std::collections::HashSet;

use crate::class::{check_magic, check_version};
use crate::cursor::Cursor;
use crate::error::Result;
use crate::pool::{Constant, ConstantPool};

/// Names to look for in classes.
#[derive(Clone, Debug)]
pub struct Names {
    names: Vec<Vec<u8>>,
    /// What all of them begin with: this is looked for, and at most so many bytes.
    prefix: Vec<u8>,
    /// How far to go on when a window of the prefix's length ends with a byte (Horspool 1980).
    shifts: [u8; 256],
    /// If only whole texts count, those.
    whole: Option<Whole>,
}

/// Texts, and a bit for each length that one has, modulo 64: hardly a text of a class has the length of one of a few.
#[derive(Clone, Debug)]
struct Whole {
    lengths: u64,
    texts: HashSet<Vec<u8>>,
}

impl Names {
    /// Names of classes or members. It takes the less time, the longer the part is that they begin with alike.
    #[must_use]
    pub fn new(names: &[&str]) -> Names {
        let common = |one: &[u8], other: &[u8]| one.iter().zip(other).take_while(|(one, other)| one == other).count();
        let first = names.first().map_or(&[][..], |name| name.as_bytes());
        let length = names.iter().map(|name| common(first, name.as_bytes())).min().unwrap_or(0).min(255);
        let prefix = first[..length].to_vec();
        let mut shifts = [length.max(1) as u8; 256];
        for (index, byte) in prefix.iter().enumerate().take(length.saturating_sub(1)) {
            shifts[usize::from(*byte)] = (length - 1 - index) as u8;
        }
        Names { names: names.iter().map(|name| name.as_bytes().to_vec()).collect(), prefix, shifts, whole: None }
    }

    /// Texts that count only where nothing is around them, in the encoding of class files.
    pub fn whole(texts: impl IntoIterator<Item = Vec<u8>>) -> Names {
        let texts: HashSet<Vec<u8>> = texts.into_iter().collect();
        let lengths = texts.iter().fold(0, |lengths, text| lengths | 1 << (text.len() % 64));
        Names { whole: Some(Whole { lengths, texts }), ..Names::new(&[]) }
    }

    /// Whether a text has one of these names in it, or is one if only whole texts count.
    #[must_use]
    pub fn occur_in(&self, text: &[u8]) -> bool {
        if let Some(Whole { lengths, texts }) = &self.whole {
            return lengths & 1 << (text.len() % 64) != 0 && texts.contains(text);
        }
        let mut rest = text;
        while let Some(window) = rest.get(..self.prefix.len()) {
            if window == self.prefix && self.names.iter().any(|name| rest.starts_with(name)) {
                return true;
            }
            let shift = window.last().map_or(1, |last| self.shifts[usize::from(*last)]);
            match rest.get(usize::from(shift)..) {
                Some(more) => rest = more,
                None => return false,
            }
        }
        false
    }
}

/// Whether a class's constant pool mentions one of these names, by itself or in a descriptor or signature. Reads nothing
/// beyond the pool.
///
/// # Errors
/// It is no class file of a known version, or its pool is broken.
pub fn mentions(class: &[u8], names: &Names) -> Result<bool> {
    Scan::default().step(class, names)
}

/// Whether a class has a string that is one of these names. Reads nothing beyond the pool.
///
/// # Errors
/// As [`mentions`].
pub fn spells(class: &[u8], names: &Names) -> Result<bool> {
    let mut cursor = Cursor::new(class, 0);
    check_magic(&mut cursor)?;
    check_version(&mut cursor)?;
    let pool = ConstantPool::read(&mut cursor)?;
    let is_named = |constant| match constant {
        Constant::String { text } => pool.utf8(text).is_ok_and(|text| names.occur_in(text)),
        _ => false,
    };
    Ok(pool.iter().any(|(_, constant)| is_named(constant)))
}

/// How far the pool of a class has been looked through.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// Where the next constant is; 0 before the start.
    at: usize,
    index: u16,
    count: u16,
}

impl Scan {
    /// Looks at the constants up to the first that mentions a name. If an error says that there is too little, it goes on
    /// from there when it is called again with more of the class.
    pub(crate) fn step(&mut self, class: &[u8], names: &Names) -> Result<bool> {
        if self.at == 0 {
            let mut cursor = Cursor::new(class, 0);
            check_magic(&mut cursor)?;
            check_version(&mut cursor)?;
            *self = Scan { count: cursor.u2()?, index: 1, at: cursor.offset() };
        }
        while self.index < self.count {
            // Most bytes of a pool are looked at here and nowhere else, so that this reads no more than lengths.
            let rest = class.get(self.at..).unwrap_or_default();
            let length = match rest {
                [1, high, low, text @ ..] => {
                    let length = usize::from(u16::from_be_bytes([*high, *low]));
                    match text.get(..length) {
                        Some(text) if names.occur_in(text) => return Ok(true),
                        Some(_) => 3 + length,
                        None => usize::MAX,
                    }
                }
                [7 | 8 | 16 | 19 | 20, ..] => 3,
                [15, ..] => 4,
                [3 | 4 | 9..=12 | 17 | 18, ..] => 5,
                [5 | 6, ..] => 9,
                _ => usize::MAX,
            };
            if rest.len() < length {
                // What is wrong is said by who reads constants.
                Constant::read(&mut Cursor::new(rest, self.at))?;
            }
            self.index = self.index.saturating_add(if matches!(rest, [5 | 6, ..]) { 2 } else { 1 });
            self.at += length.min(rest.len());
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_wherever_they_stand() {
        let words = ["abcab", "abcd", "abx"];
        let names = Names::new(&words);
        for text in ["abcab", "xxabcd", "ababcdx", "aabx", "ababababx", "ab", "", "abcaabcbb", "abcabcab", "äabx"] {
            let slow = words.iter().any(|word| text.contains(word));
            assert_eq!(names.occur_in(text.as_bytes()), slow, "{text}");
        }
        assert!(Names::new(&["x", "y"]).occur_in(b"only y"));
        assert!(!Names::new(&[]).occur_in(b"anything"));
        assert!(Names::new(&["a"; 3]).occur_in(b"bca"));
        let whole = Names::whole([b"ab".to_vec()]);
        assert!(whole.occur_in(b"ab") && !whole.occur_in(b"abc") && !whole.occur_in(b""));
    }
}
