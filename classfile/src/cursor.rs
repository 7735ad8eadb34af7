//! The one way bytes are read: a cursor that checks every step and knows where in the file it stands.

use crate::error::{Error, Problem, Result};

/// A place in a slice of a class file.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where in the class file the slice begins.
    base: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: usize) -> Cursor<'a> {
        Cursor { bytes, at: 0, base }
    }

    /// Where in the slice the next byte is.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Where in the file the next byte is.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.left() == 0
    }

    /// A problem with what comes next.
    pub(crate) fn error(&self, problem: Problem) -> Error {
        Error::from(problem).at_file(self.offset())
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        // `at` never passes the end, so that this slice exists.
        match self.bytes[self.at..].get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(self.error(Problem::Truncated { wanted: count, left: self.left() })),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.take(N)?;
        Ok(bytes.try_into().expect("so many bytes were taken"))
    }

    pub(crate) fn u1(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u2(&mut self) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn u4(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(crate) fn i1(&mut self) -> Result<i8> {
        Ok(i8::from_be_bytes(self.array()?))
    }

    pub(crate) fn i2(&mut self) -> Result<i16> {
        Ok(i16::from_be_bytes(self.array()?))
    }

    pub(crate) fn i4(&mut self) -> Result<i32> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// A list of so many things of at least `smallest` bytes each. What the file claims is believed only as far as
    /// there are bytes for it.
    pub(crate) fn list<T>(
        &mut self,
        count: usize,
        smallest: usize,
        mut read: impl FnMut(&mut Cursor<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut list = Vec::with_capacity(count.min(self.left() / smallest.max(1)));
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// # Errors
    /// Bytes are left.
    pub(crate) fn finish(&self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(self.error(Problem::Trailing(self.left()))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_passes_the_end() {
        let mut cursor = Cursor::new(&[1, 2, 3], 10);
        assert_eq!(cursor.u2(), Ok(0x0102));
        let error = cursor.u4().unwrap_err();
        assert_eq!(error.to_string(), "byte 12: 4 more bytes wanted, 1 left");
        assert_eq!(cursor.u1(), Ok(3));
        assert!(cursor.finish().is_ok());
    }

    #[test]
    fn a_claimed_count_reserves_nothing() {
        let mut cursor = Cursor::new(&[0; 8], 0);
        let error = cursor.list(usize::MAX, 4, Cursor::u4).unwrap_err();
        assert_eq!(error.problem(), &Problem::Truncated { wanted: 4, left: 0 });
    }
}
