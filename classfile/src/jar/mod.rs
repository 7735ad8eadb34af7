//! Jars: entries in their order, unchanged ones copied as they are compressed, output the same byte for byte each time.
//!
//! ```
//! use r8lite_classfile::jar::{self, Jar, JarEdits, Limits};
//!
//! let mut edits = JarEdits::default();
//! edits.add("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n".to_vec(), false);
//! let bytes = jar::write(&Jar::empty(), &edits)?;
//!
//! let jar = Jar::read(&bytes, &Limits::default())?;
//! assert_eq!(jar.entries()[0].name, "META-INF/MANIFEST.MF");
//! assert_eq!(jar.content(0)?, b"Manifest-Version: 1.0\n");
//! # Ok::<(), jar::JarError>(())
//! ```
//!
//! A jar is refused that could harm whoever unpacks or reads it: with names that leave the folder, with two entries of one
//! name (different readers take different ones), or with contents beyond the [`Limits`].

mod read;
mod write;

pub use read::{Entry, Jar, Limits, Unpacker};
pub use write::{JarEdits, write};

/// What is wrong with a jar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JarError {
    /// It is no zip file, or it is broken.
    #[error("no jar: {0}")]
    Zip(String),
    /// An entry is broken, or in a form that is not known.
    #[error("entry {name}: {problem}")]
    Entry {
        /// The entry.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An entry's name leaves the folder that a jar is unpacked to.
    #[error("entry {0:?}: a name must not lead out of the jar")]
    Name(String),
    /// A name occurs twice.
    #[error("entry {0}: there are two of this name")]
    Duplicate(String),
    /// Contents are larger than the limits allow, or than their compressed form can be.
    #[error("entry {name}: {size} bytes unpacked, more than the {limit} allowed")]
    TooLarge {
        /// The entry.
        name: String,
        /// The size that it claims.
        size: u64,
        /// How much was allowed.
        limit: u64,
    },
    /// There are more entries than the limits allow.
    #[error("{found} entries, more than the {limit} allowed")]
    TooManyEntries {
        /// How many there are.
        found: usize,
        /// How many were allowed.
        limit: usize,
    },
    /// Entries claim more bytes than the file has.
    #[error("entries overlap: they claim more bytes than the file has")]
    Overlap,
}
