//! Writing jars: what does not change is copied without unpacking it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use zip::result::ZipError;
use zip::write::FullFileOptions;
use zip::{CompressionMethod, DateTime, ExtraField, ZipArchive, ZipWriter};

use super::read::leads_out;
use super::{Entry, Jar, JarError};

/// What is to be different in a jar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JarEdits {
    replaced: BTreeMap<usize, Vec<u8>>,
    removed: BTreeSet<usize>,
    added: Vec<NewEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NewEntry {
    name: String,
    content: Vec<u8>,
    stored: bool,
}

impl JarEdits {
    /// Gives an entry another content. It keeps its place, its time and whether it is stored.
    pub fn replace(&mut self, entry: usize, content: Vec<u8>) {
        self.replaced.insert(entry, content);
    }

    /// Leaves an entry out.
    pub fn remove(&mut self, entry: usize) {
        self.removed.insert(entry);
    }

    /// Adds an entry at the end, with the earliest time that there is, so that output does not depend on when it is made.
    pub fn add(&mut self, name: &str, content: Vec<u8>, stored: bool) {
        self.added.push(NewEntry { name: name.to_string(), content, stored });
    }

    /// Whether nothing is to be different.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == JarEdits::default()
    }
}

/// The bytes of a jar with these edits. Without any, those it was read from.
///
/// # Errors
/// An edit is of an entry that is not there, an added name is there already or leads out of the jar, or an entry that is
/// to be copied is broken.
pub fn write(jar: &Jar<'_>, edits: &JarEdits) -> Result<Vec<u8>, JarError> {
    if edits.is_empty() && jar.archive.is_some() {
        return Ok(jar.bytes.as_ref().to_vec());
    }
    check(jar, edits)?;
    let broken = |error: ZipError| JarError::Zip(error.to_string());
    let mut new = Compressed::new(jar, edits)?;
    let mut out = Cursor::new(Vec::with_capacity(jar.bytes.as_ref().len()));
    out.get_mut().extend(before_entries(jar));
    out.set_position(out.get_ref().len() as u64);
    let mut writer = ZipWriter::new(out);
    if let Some(archive) = &jar.archive {
        let mut archive = archive.clone();
        writer.set_raw_comment(archive.comment().into()).map_err(broken)?;
        for (index, entry) in jar.entries().iter().enumerate() {
            if edits.removed.contains(&index) {
                continue;
            }
            let named = |error: ZipError| JarError::Entry { name: entry.name.clone(), problem: error.to_string() };
            match edits.replaced.contains_key(&index) {
                true => new.copy_next(&mut writer)?,
                false => writer.raw_copy_file(archive.by_index_raw(index).map_err(named)?).map_err(named)?,
            }
        }
    }
    for _ in &edits.added {
        new.copy_next(&mut writer)?;
    }
    Ok(writer.finish().map_err(broken)?.into_inner())
}

/// A new content of an entry, or a new entry.
struct NewContent<'e> {
    name: &'e str,
    content: &'e [u8],
    stored: bool,
    /// The entry whose content it takes the place of.
    instead: Option<usize>,
}

/// New contents, compressed in several threads, each of which makes a jar of its own of those that it took.
struct Compressed {
    jars: Vec<ZipArchive<Cursor<Vec<u8>>>>,
    /// In which of these, and where in it, each of the contents is, in the order of the contents.
    places: std::vec::IntoIter<(usize, usize)>,
}

impl Compressed {
    fn new(jar: &Jar<'_>, edits: &JarEdits) -> Result<Compressed, JarError> {
        let replaced =
            edits.replaced.iter().filter(|(index, _)| !edits.removed.contains(index)).map(|(&index, content)| {
                let Entry { name, stored, .. } = &jar.entries()[index];
                NewContent { name, content, stored: *stored, instead: Some(index) }
            });
        let added = edits.added.iter().map(|NewEntry { name, content, stored }| NewContent {
            name,
            content,
            stored: *stored,
            instead: None,
        });
        let contents: Vec<NewContent<'_>> = replaced.chain(added).collect();
        let threads = thread::available_parallelism().map_or(1, |count| count.get());
        let threads = threads.min(contents.len().div_ceil(LEAST_FOR_A_THREAD));
        let next = AtomicUsize::new(0);
        let work = || -> Result<(Vec<usize>, Vec<u8>), JarError> {
            let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
            let mut taken = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(content) = contents.get(number) else { break };
                taken.push(number);
                compress(jar, content, &mut writer)?;
            }
            let bytes = writer.finish().map_err(|error| JarError::Zip(error.to_string()))?;
            Ok((taken, bytes.into_inner()))
        };
        let done = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut done = vec![work()];
            done.extend(others.into_iter().map(|other| other.join().expect("compressing does not panic")));
            done
        });
        let mut jars = Vec::new();
        let mut places = vec![(0, 0); contents.len()];
        for done in done {
            let (taken, bytes) = done?;
            for (place, number) in taken.into_iter().enumerate() {
                places[number] = (jars.len(), place);
            }
            jars.push(ZipArchive::new(Cursor::new(bytes)).map_err(|error| JarError::Zip(error.to_string()))?);
        }
        Ok(Compressed { jars, places: places.into_iter() })
    }

    /// Writes the next of the contents.
    fn copy_next(&mut self, writer: &mut ZipWriter<Cursor<Vec<u8>>>) -> Result<(), JarError> {
        let (jar, place) = self.places.next().expect("there is one for each edit");
        let broken = |error: ZipError| JarError::Zip(error.to_string());
        writer.raw_copy_file(self.jars[jar].by_index_raw(place).map_err(broken)?).map_err(broken)
    }
}

/// How many contents it takes for one thread more.
const LEAST_FOR_A_THREAD: usize = 8;

fn compress(jar: &Jar<'_>, new: &NewContent<'_>, writer: &mut ZipWriter<Cursor<Vec<u8>>>) -> Result<(), JarError> {
    let method = if new.stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
    let Some((index, archive)) = new.instead.zip(jar.archive.as_ref()) else {
        let options = FullFileOptions::default().compression_method(method).last_modified_time(DateTime::default());
        return write_entry(writer, new.name, new.content, options);
    };
    let named = |error: ZipError| JarError::Entry { name: new.name.to_owned(), problem: error.to_string() };
    let mut archive = archive.clone();
    let file = archive.by_index_raw(index).map_err(named)?;
    let mut options = file.options().into_full_options().compression_method(method);
    if !file.comment().is_empty() {
        options = options.with_file_comment(file.comment());
    }
    // Other extra fields are about the old content, or nobody knows.
    for field in file.extra_data_fields() {
        if let ExtraField::ExtendedTimestamp(time) = field {
            options = options.with_extended_timestamp(time.mod_time(), None, None).map_err(named)?;
        }
    }
    write_entry(writer, new.name, new.content, options)
}

/// What comes before the first entry: an executable jar begins with a script, which stays.
fn before_entries<'j>(jar: &'j Jar<'_>) -> &'j [u8] {
    let Some(archive) = &jar.archive else { return &[] };
    let starts = (0..archive.len()).filter_map(|index| Some(archive.by_index_data(index).ok()?.header_start()));
    let first = starts.min().and_then(|start| usize::try_from(start).ok());
    first.and_then(|first| jar.bytes.as_ref().get(..first)).unwrap_or(&[])
}

fn write_entry(
    writer: &mut ZipWriter<Cursor<Vec<u8>>>,
    name: &str,
    content: &[u8],
    options: FullFileOptions<'_, '_>,
) -> Result<(), JarError> {
    let broken = |problem: String| JarError::Entry { name: name.to_string(), problem };
    let large = content.len() >= u32::MAX as usize;
    writer.start_file(name, options.large_file(large)).map_err(|error| broken(error.to_string()))?;
    writer.write_all(content).map_err(|error| broken(error.to_string()))
}

fn check(jar: &Jar<'_>, edits: &JarEdits) -> Result<(), JarError> {
    let edited = edits.replaced.keys().chain(&edits.removed);
    if let Some(missing) = edited.copied().find(|entry| *entry >= jar.entries().len()) {
        return Err(JarError::Entry {
            name: format!("number {missing}"),
            problem: "there is no such entry".to_string(),
        });
    }
    let kept = jar.entries().iter().enumerate().filter(|(index, _)| !edits.removed.contains(index));
    let mut names: BTreeSet<&str> = kept.map(|(_, entry)| &*entry.name).collect();
    for NewEntry { name, .. } in &edits.added {
        if leads_out(name) {
            return Err(JarError::Name(name.clone()));
        }
        if !names.insert(name) {
            return Err(JarError::Duplicate(name.clone()));
        }
    }
    Ok(())
}
