//! Programs as people have them: jars, in which there may be jars, folders of classes, and single class files.
//!
//! ```text
//! inputs ──open──▶ Program: containers, and where class files are ──choose──▶ the classes that may matter
//!                     │                                                             │ lift, decide, apply
//!                     └──────────────────────────── write ◀─────────────────────────┘
//! ```
//!
//! Most classes of a program have nothing to do with updaters, and cost a look at their constant pool. What is looked at
//! in full is unpacked when it is needed, by name.
//!
//! # Several files of one name
//!
//! Files that are the same are one class, and all of them are written anew. Different files in a multi-release jar are for
//! different versions of Java: what each version sees is a program of its own (`views`). Of other different files, only
//! the run time knows which one it takes, as of two jars the first on the class path counts. Such a class is *ambiguous*:
//! it is no part of the module, so nothing is concluded from it, and what any of its files names counts as used by code
//! that nobody sees.

mod choose;
mod container;
mod manifest;
#[cfg(test)]
mod tests;
mod views;
mod write;

pub use choose::{LiftedProgram, View};
pub use write::{Obstacle, Written, WrittenProgram};

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use r8lite_classfile::jar::{JarError, Limits};

use self::container::Container;
use crate::{Input, Refused};

/// Something that was handed over.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// What to call it in messages.
    pub name: &'a str,
    /// What is in it.
    pub content: Content<'a>,
}

/// The content of an input.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Content<'a> {
    /// A class file or a jar, or what else is packed like a jar.
    File(&'a [u8]),
    /// Files of a folder that are class files, jars or manifests, in order of their paths, which have `/` between folders.
    Folder(&'a [(String, Vec<u8>)]),
}

/// Why inputs are no program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OpenError {
    /// The input.
    pub input: String,
    /// What is wrong with it.
    pub problem: JarError,
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.input, self.problem)
    }
}

impl std::error::Error for OpenError {}

/// The class files of a program, and where they lie.
#[derive(Debug)]
pub struct Program<'a> {
    /// Those that were handed over, in their order, each followed by what is in it.
    containers: Vec<Container<'a>>,
    files: Vec<File>,
    /// What could not be opened, and is left as it is.
    refused: Vec<Refused>,
    /// The numbers of all files, by their names; sorted when somebody asks.
    by_name: OnceLock<Vec<u32>>,
    /// How many files were looked at.
    looked_at: AtomicUsize,
    /// How many bytes of them were kept.
    remembered: AtomicUsize,
}

/// A class file.
#[derive(Debug)]
struct File {
    container: u32,
    entry: u32,
    /// The version of Java from which on a multi-release jar has this file; 0 for all others.
    version: u32,
    /// The internal name that it is found by.
    name: Box<str>,
    /// Its content, once somebody asked; none if it is broken.
    bytes: OnceLock<Option<Vec<u8>>>,
    /// Its constant pool and what comes before, as far as that was needed and kept.
    start: OnceLock<Vec<u8>>,
    /// What it is called in messages, once somebody asked.
    label: OnceLock<String>,
}

/// The files that declare a class.
#[derive(Debug)]
enum Declared<'p> {
    /// Files that are the same; there is at least one.
    Once(&'p [u32]),
    /// Files that differ, each for Java from another version on.
    Versions(&'p [u32]),
    /// Files that differ otherwise.
    Ambiguous(&'p [u32]),
}

impl<'a> Program<'a> {
    /// Opens inputs, and what is in them.
    ///
    /// # Errors
    /// An input is no class file and no jar, or a jar that is refused. Jars inside of it are left as they are then.
    pub fn open(given: &[Given<'a>], limits: &Limits) -> Result<Program<'a>, OpenError> {
        let mut program = Program {
            containers: Vec::new(),
            files: Vec::new(),
            refused: Vec::new(),
            by_name: OnceLock::new(),
            looked_at: AtomicUsize::new(0),
            remembered: AtomicUsize::new(0),
        };
        let mut left = limits.total_size;
        for &input in given {
            container::open(&mut program, input, limits, &mut left)?;
        }
        Ok(program)
    }

    /// How many class files were looked at while it is lifted, and how many there are. All are looked at twice where fields
    /// are looked up by name.
    pub fn progress(&self) -> (usize, usize) {
        let (done, all) = (self.looked_at.load(Ordering::Relaxed), self.files.len());
        (done - all * (done.saturating_sub(1) / all.max(1)), all)
    }

    /// Every class file that can be read, for who wants them all.
    pub fn inputs(&self) -> Vec<Input<'_>> {
        (0..self.files.len() as u32).filter_map(|file| self.input(file)).collect()
    }

    /// The class of an internal name, unless it is broken, or has several files.
    pub fn find(&self, name: &str) -> Option<Input<'_>> {
        self.find_for(name, 0, &[0])
    }

    /// The class of an internal name that Java finds from a version on up to the next of these.
    fn find_for(&self, name: &str, version: u32, versions: &[u32]) -> Option<Input<'_>> {
        match self.declared(name)? {
            Declared::Once(files) => self.input(files[0]),
            Declared::Versions(files) if self.are_for(files, versions) => {
                self.input(*self.of_version(files, version)?.first()?)
            }
            Declared::Versions(_) | Declared::Ambiguous(_) => None,
        }
    }

    /// Whether the versions that a class has are among these.
    fn are_for(&self, files: &[u32], versions: &[u32]) -> bool {
        files.iter().all(|&file| {
            let version = self.files[file as usize].version;
            version == 0 || versions.contains(&version)
        })
    }

    /// Of the files for several versions, the one that counts for this version: at most one.
    fn of_version<'p>(&self, files: &'p [u32], version: u32) -> Option<&'p [u32]> {
        let version_of = |file: u32| self.files[file as usize].version;
        let fitting = files.chunks(1).filter(|file| version_of(file[0]) <= version);
        fitting.max_by_key(|file| version_of(file[0]))
    }

    /// A class file as an input for the lifter.
    fn input(&self, file: u32) -> Option<Input<'_>> {
        let found = &self.files[file as usize];
        let container = &self.containers[found.container as usize];
        let bytes = match container.lent(found.entry) {
            Some(bytes) => bytes,
            None => found.bytes.get_or_init(|| container.content(found.entry).ok().map(Cow::into_owned)).as_deref()?,
        };
        Some(Input { bytes, name: found.label.get_or_init(|| container.label(found.entry)) })
    }

    /// The files of a name.
    fn declared(&self, name: &str) -> Option<Declared<'_>> {
        let all = self.by_name.get_or_init(|| {
            let mut all: Vec<u32> = (0..self.files.len() as u32).collect();
            all.sort_by(|&one, &other| self.files[one as usize].name.cmp(&self.files[other as usize].name));
            all
        });
        let start = all.partition_point(|&file| *self.files[file as usize].name < *name);
        let length = all[start..].partition_point(|&file| *self.files[file as usize].name == *name);
        let files = &all[start..start + length];
        let (&first, others) = files.split_first()?;
        match others.iter().all(|&other| self.are_same(first, other)) {
            true => Some(Declared::Once(files)),
            false if self.are_versions(files) => Some(Declared::Versions(files)),
            false => Some(Declared::Ambiguous(files)),
        }
    }

    /// Whether files are in one jar, and for different versions of Java.
    fn are_versions(&self, files: &[u32]) -> bool {
        let file = |file: u32| &self.files[file as usize];
        let mut versions: Vec<u32> = files.iter().map(|&it| file(it).version).collect();
        versions.sort_unstable();
        versions.windows(2).all(|pair| pair[0] != pair[1])
            && files.iter().all(|&it| file(it).container == file(files[0]).container)
    }

    fn are_same(&self, one: u32, other: u32) -> bool {
        let sums = [one, other].map(|file| {
            let file = &self.files[file as usize];
            self.containers[file.container as usize].sum(file.entry)
        });
        // These tell most that differ apart; they prove nothing.
        let [(size, sum), (other_size, other_sum)] = sums;
        size == other_size
            && (sum == other_sum || sum.is_none() || other_sum.is_none())
            && self.input(one).map(|input| input.bytes) == self.input(other).map(|input| input.bytes)
    }
}
