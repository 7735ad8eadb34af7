//! Reading jars, with bounds on what they unpack to.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{Cursor, Read};
use std::sync::Arc;

use flate2::{Crc, Decompress, DecompressError, FlushDecompress};
use zip::{CompressionMethod, ZipArchive};

use super::JarError;
use crate::error::Problem;
use crate::mentions::{Names, Scan};

/// A jar in memory.
#[derive(Clone, Debug)]
pub struct Jar<'a> {
    pub(super) bytes: Bytes<'a>,
    /// None for the empty jar.
    pub(super) archive: Option<ZipArchive<Cursor<Bytes<'a>>>>,
    entries: Vec<Entry>,
}

/// The bytes of a jar: of one that lies compressed in another jar, its own.
#[derive(Clone, Debug)]
pub(super) enum Bytes<'a> {
    Borrowed(&'a [u8]),
    Unpacked(Arc<Vec<u8>>),
}

impl AsRef<[u8]> for Bytes<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Unpacked(bytes) => bytes,
        }
    }
}

/// An entry of a jar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, with `/` between folders and at the end of those that are folders.
    pub name: String,
    /// How many bytes it unpacks to.
    pub size: u64,
    /// Whether it is not compressed.
    pub stored: bool,
    /// The CRC-32 of its content, as the list of entries has it.
    pub crc: u32,
}

/// What a jar may unpack to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many entries.
    pub entries: usize,
    /// How many bytes an entry.
    pub entry_size: u64,
    /// How many bytes all entries together.
    pub total_size: u64,
}

/// The memory that it takes to unpack one entry after the other.
#[derive(Debug)]
pub struct Unpacker {
    inflate: Decompress,
    /// Filled anew for each entry; what is behind that is of an earlier one.
    content: Vec<u8>,
    /// The entry that was begun last. It has to be of the same jar for who goes on with it.
    entry: Option<usize>,
}

impl Default for Unpacker {
    fn default() -> Unpacker {
        Unpacker { inflate: Decompress::new(false), content: Vec::new(), entry: None }
    }
}

impl Unpacker {
    fn begin(&mut self, entry: usize) {
        self.inflate.reset(false);
        self.entry = Some(entry);
    }

    /// Unpacks at most so many bytes more, and says whether that were any.
    fn go_on(&mut self, packed: &[u8], more: u64) -> Result<bool, DecompressError> {
        let unpacked = self.unpacked().len();
        let end = unpacked + more as usize;
        if self.content.len() < end {
            self.content.resize(end, 0);
        }
        let rest = packed.get(self.inflate.total_in() as usize..).unwrap_or_default();
        self.inflate.decompress(rest, &mut self.content[unpacked..end], FlushDecompress::None)?;
        Ok(self.unpacked().len() > unpacked)
    }

    /// What was unpacked so far of the entry that was begun last, from its start on; nothing if that is not compressed.
    #[must_use]
    pub fn unpacked(&self) -> &[u8] {
        &self.content[..self.inflate.total_out() as usize]
    }
}

impl Default for Limits {
    /// A million entries, 2 GiB each, 8 GiB together.
    fn default() -> Limits {
        Limits { entries: 1_000_000, entry_size: 2 << 30, total_size: 8 << 30 }
    }
}

impl Entry {
    /// Whether it is a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }
}

impl<'a> Jar<'a> {
    /// A jar without entries, to add to.
    #[must_use]
    pub fn empty() -> Jar<'a> {
        Jar { bytes: Bytes::Borrowed(&[]), archive: None, entries: Vec::new() }
    }

    /// Reads the list of entries.
    ///
    /// # Errors
    /// It is no jar, or it is one that is refused; see [`JarError`].
    pub fn read(bytes: &'a [u8], limits: &Limits) -> Result<Jar<'a>, JarError> {
        Jar::open(Bytes::Borrowed(bytes), limits)
    }

    /// Reads a jar that is an entry of this one. If neither is compressed, as is usual, it is not copied either.
    ///
    /// # Errors
    /// The entry is broken, or no jar, or one that is refused.
    ///
    /// # Panics
    /// There is no such entry.
    pub fn nested(&self, entry: usize, limits: &Limits) -> Result<Jar<'a>, JarError> {
        let stored = self.stored(entry);
        let bytes = match stored {
            Some(bytes) => Bytes::Borrowed(bytes),
            None => Bytes::Unpacked(Arc::new(self.content(entry)?)),
        };
        Jar::open(bytes, limits)
    }

    /// The content of an entry that is not compressed, if this jar itself was not either.
    fn stored(&self, entry: usize) -> Option<&'a [u8]> {
        let (Bytes::Borrowed(bytes), Entry { size, stored: true, .. }) = (&self.bytes, &self.entries[entry]) else {
            return None;
        };
        // A copy of the archive shares its list of entries. What is encrypted cannot be read this way, and is refused.
        let mut archive = self.archive.clone()?;
        let start = usize::try_from(archive.by_index(entry).ok()?.data_start()?).ok()?;
        bytes.get(start..start.checked_add(usize::try_from(*size).ok()?)?)
    }

    fn open(bytes: Bytes<'a>, limits: &Limits) -> Result<Jar<'a>, JarError> {
        let archive = ZipArchive::new(Cursor::new(bytes.clone())).map_err(|error| JarError::Zip(error.to_string()))?;
        if archive.len() > limits.entries {
            return Err(JarError::TooManyEntries { found: archive.len(), limit: limits.entries });
        }
        let mut entries = Vec::new();
        let (mut packed, mut unpacked) = (0u64, 0u64);
        let mut names = HashSet::new();
        for index in 0..archive.len() {
            let data = archive.by_index_data(index).map_err(|error| JarError::Zip(error.to_string()))?;
            let name = data.name().map_err(|error| JarError::Zip(error.to_string()))?.into_owned();
            if leads_out(&name) {
                return Err(JarError::Name(name));
            }
            if !names.insert(name.clone()) {
                return Err(JarError::Duplicate(name));
            }
            let size = data.size();
            packed = packed.saturating_add(data.compressed_size());
            unpacked = unpacked.saturating_add(size);
            if size > limits.entry_size {
                return Err(JarError::TooLarge { name, size, limit: limits.entry_size });
            }
            if unpacked > limits.total_size {
                return Err(JarError::TooLarge { name, size: unpacked, limit: limits.total_size });
            }
            let stored = data.compression() == CompressionMethod::Stored;
            entries.push(Entry { name, size, stored, crc: data.crc32() });
        }
        if archive.has_duplicate_names() {
            return Err(JarError::Duplicate(duplicate(bytes.as_ref(), &entries)));
        }
        if packed > bytes.as_ref().len() as u64 {
            return Err(JarError::Overlap);
        }
        Ok(Jar { bytes, archive: Some(archive), entries })
    }

    /// The entries, in their order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Which entry has this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == name)
    }

    /// Whether the constant pool of a class in the jar mentions one of these names; see [`mentions`](crate::mentions()).
    /// Unpacks no more than that takes: a third of a class comes after its pool. May be called from many threads at once,
    /// each with an unpacker of its own.
    ///
    /// # Errors
    /// The entry is broken, or no class whose pool can be read.
    ///
    /// # Panics
    /// There is no such entry.
    pub fn class_mentions(&self, entry: usize, names: &Names, unpacker: &mut Unpacker) -> Result<bool, JarError> {
        let size = self.entries[entry].size;
        let packed = self.packed(entry)?;
        let mut scan = Scan::default();
        unpacker.begin(entry);
        if self.entries[entry].stored {
            return scan.step(packed, names).map_err(|error| self.broken(entry, &error));
        }
        // Half of the class first, and then an eighth at a time.
        let mut more = (size / 2).clamp(LEAST, MOST);
        loop {
            let is_more = unpacker.go_on(packed, more).map_err(|error| self.broken(entry, &error))?;
            match scan.step(unpacker.unpacked(), names) {
                Ok(found) => return Ok(found),
                Err(error) if !matches!(error.problem(), Problem::Truncated { .. }) || !is_more => {
                    return Err(self.broken(entry, &error));
                }
                Err(_) => more = (size / 8).clamp(LEAST, MOST),
            }
        }
    }

    /// The content of a class. If it is the one that this unpacker looked at last, only the rest of it is unpacked.
    ///
    /// # Errors
    /// As [`Jar::content`].
    ///
    /// # Panics
    /// There is no such entry.
    pub fn class_content(&self, entry: usize, unpacker: &mut Unpacker) -> Result<Vec<u8>, JarError> {
        let Entry { size, stored, crc, .. } = self.entries[entry];
        if unpacker.entry != Some(entry) || stored {
            return self.content(entry);
        }
        let packed = self.packed(entry)?;
        while unpacker.unpacked().len() as u64 <= size {
            let left = size - unpacker.unpacked().len() as u64;
            let more = (left + 1).clamp(LEAST, MOST);
            if !unpacker.go_on(packed, more).map_err(|error| self.broken(entry, &error))? {
                break;
            }
        }
        let content = unpacker.unpacked();
        if content.len() as u64 != size {
            return Err(self.broken(entry, &format!("it claims {size} bytes and unpacks to others")));
        }
        let mut sum = Crc::new();
        sum.update(content);
        match sum.sum() == crc {
            true => Ok(content.to_vec()),
            false => Err(self.broken(entry, &"its checksum is another")),
        }
    }

    /// The bytes of an entry as they are compressed.
    fn packed(&self, entry: usize) -> Result<&[u8], JarError> {
        let mut archive = self.archive.clone().expect("a jar with entries has an archive");
        let file = archive.by_index_raw(entry).map_err(|error| self.broken(entry, &error))?;
        if file.encrypted() {
            return Err(self.broken(entry, &"it is encrypted"));
        }
        if !matches!(file.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(self.broken(entry, &"it is compressed in a way that is not known"));
        }
        let (start, length) = (file.data_start(), file.compressed_size());
        let packed = start.and_then(|start| {
            let (start, length) = (usize::try_from(start).ok()?, usize::try_from(length).ok()?);
            self.bytes.as_ref().get(start..start.checked_add(length)?)
        });
        packed.ok_or_else(|| self.broken(entry, &"its bytes are not there"))
    }

    fn broken(&self, entry: usize, problem: &dyn Display) -> JarError {
        JarError::Entry { name: self.entries[entry].name.clone(), problem: problem.to_string() }
    }

    /// The unpacked content of an entry. May be called from many threads at once.
    ///
    /// # Errors
    /// The entry is broken, encrypted, larger than it claims, or compressed in a way that jars are not.
    ///
    /// # Panics
    /// There is no such entry.
    pub fn content(&self, entry: usize) -> Result<Vec<u8>, JarError> {
        let Entry { name, size, .. } = &self.entries[entry];
        let broken = |problem: String| JarError::Entry { name: name.clone(), problem };
        // The clone shares the list of entries.
        let mut archive = self.archive.clone().expect("a jar with entries has an archive");
        let file = archive.by_index(entry).map_err(|error| broken(error.to_string()))?;
        // No more is reserved than such compressed data could give: deflate makes at most 1032 bytes of one.
        let possible = file.compressed_size().saturating_mul(1032).min(*size);
        let mut content = Vec::with_capacity(usize::try_from(possible).unwrap_or(0));
        file.take(size + 1).read_to_end(&mut content).map_err(|error| broken(error.to_string()))?;
        if content.len() as u64 == *size {
            Ok(content)
        } else {
            Err(broken(format!("it claims {size} bytes and unpacks to {} or more", content.len())))
        }
    }
}

/// The fewest and the most bytes of a class that are unpacked at a time.
const LEAST: u64 = 2048;
const MOST: u64 = 1 << 20;

/// Whether a name, as a path, leads anywhere but below where it starts.
pub(super) fn leads_out(name: &str) -> bool {
    let mut parts = name.split(['/', '\\']);
    let absolute = name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':');
    name.is_empty() || absolute || name.contains('\0') || parts.any(|part| part == "..")
}

/// A name that occurs twice. The zip library drops all but one, so that it is looked for in the list of entries itself,
/// which is at the end of the file.
fn duplicate(bytes: &[u8], entries: &[Entry]) -> String {
    let known: HashSet<&[u8]> = entries.iter().map(|entry| entry.name.as_bytes()).collect();
    let mut seen = HashSet::new();
    for at in 0..bytes.len() {
        let Some(header) = bytes[at..].strip_prefix(b"PK\x01\x02") else { continue };
        let length = header.get(24..26).map_or(0, |length| usize::from(u16::from_le_bytes([length[0], length[1]])));
        let name = header.get(42..42 + length).unwrap_or(&[]);
        if known.contains(name) && !seen.insert(name) {
            return String::from_utf8_lossy(name).into_owned();
        }
    }
    "of some name".to_string()
}
