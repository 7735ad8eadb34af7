//! What class files lie in: jars, folders, and files by themselves.

use std::borrow::Cow;

use r8lite_classfile::jar::{Jar, JarError, Limits};
use r8lite_classfile::read;

use super::manifest::Manifest;
use super::{Content, File, Given, OpenError, Program};
use crate::Refused;

/// How deep jars in jars are opened. An application's archive has modules with libraries in them; more is not met.
const MAX_DEPTH: u32 = 4;

/// Where classes of an application begin, in the kinds of jars that do not have them at the start.
const ROOTS: [&str; 2] = ["BOOT-INF/classes/", "WEB-INF/classes/"];

/// Something that class files lie in.
#[derive(Debug)]
pub(super) struct Container<'a> {
    /// What it is called in messages: `app.jar!BOOT-INF/lib/queue.jar`.
    pub(super) name: String,
    /// The container that it lies in, and its entry there.
    pub(super) parent: Option<(u32, u32)>,
    pub(super) holding: Holding<'a>,
    pub(super) manifest: Manifest,
    /// Entries with the name `module-info.class`.
    pub(super) module_infos: Vec<u32>,
}

/// What is in a container.
#[derive(Debug)]
pub(super) enum Holding<'a> {
    Class(&'a [u8]),
    Jar(Jar<'a>),
    Folder(&'a [(String, Vec<u8>)]),
}

impl<'a> Container<'a> {
    /// How many entries there are.
    fn len(&self) -> u32 {
        match &self.holding {
            Holding::Class(_) => 1,
            Holding::Jar(jar) => jar.entries().len() as u32,
            Holding::Folder(files) => files.len() as u32,
        }
    }

    /// The path of an entry, with `/` between folders; that of a file by itself is nothing.
    pub(super) fn path(&self, entry: u32) -> &str {
        match &self.holding {
            Holding::Class(_) => "",
            Holding::Jar(jar) => &jar.entries()[entry as usize].name,
            Holding::Folder(files) => &files[entry as usize].0,
        }
    }

    /// What an entry is called in messages: `app.jar!com/acme/Queue.class`.
    pub(super) fn label(&self, entry: u32) -> String {
        match &self.holding {
            Holding::Class(_) => self.name.clone(),
            Holding::Jar(_) => format!("{}!{}", self.name, self.path(entry)),
            Holding::Folder(_) => format!("{}/{}", self.name, self.path(entry)),
        }
    }

    /// The content of an entry that need not be unpacked.
    pub(super) fn lent(&self, entry: u32) -> Option<&'a [u8]> {
        match self.holding {
            Holding::Class(bytes) => Some(bytes),
            Holding::Jar(_) => None,
            Holding::Folder(files) => Some(&files[entry as usize].1),
        }
    }

    /// The content of an entry.
    pub(super) fn content(&self, entry: u32) -> Result<Cow<'a, [u8]>, JarError> {
        match &self.holding {
            Holding::Jar(jar) => jar.content(entry as usize).map(Cow::Owned),
            Holding::Class(_) | Holding::Folder(_) => Ok(Cow::Borrowed(self.lent(entry).unwrap_or_default())),
        }
    }

    /// What is known of an entry's content without looking at it: its size, and a checksum where there is one.
    pub(super) fn sum(&self, entry: u32) -> (u64, Option<u32>) {
        match &self.holding {
            Holding::Jar(jar) => (jar.entries()[entry as usize].size, Some(jar.entries()[entry as usize].crc)),
            Holding::Class(_) | Holding::Folder(_) => (self.lent(entry).map_or(0, |bytes| bytes.len() as u64), None),
        }
    }

    /// Which entry has this path.
    pub(super) fn find(&self, path: &str) -> Option<u32> {
        (0..self.len()).find(|&entry| self.path(entry) == path)
    }
}

/// Opens an input and what is in it. What all of it unpacks to counts against `left`.
pub(super) fn open<'a>(
    program: &mut Program<'a>,
    given: Given<'a>,
    limits: &Limits,
    left: &mut u64,
) -> Result<(), OpenError> {
    let holding = match given.content {
        Content::File(bytes @ [0xca, 0xfe, 0xba, 0xbe, ..]) => Holding::Class(bytes),
        Content::File(bytes) => {
            let limits = Limits { total_size: *left, ..*limits };
            let jar = Jar::read(bytes, &limits);
            Holding::Jar(jar.map_err(|problem| OpenError { input: given.name.to_owned(), problem })?)
        }
        Content::Folder(files) => Holding::Folder(files),
    };
    add(program, given.name.to_owned(), None, holding, limits, left, 1);
    Ok(())
}

/// Adds a container and what is in it.
fn add<'a>(
    program: &mut Program<'a>,
    name: String,
    parent: Option<(u32, u32)>,
    holding: Holding<'a>,
    limits: &Limits,
    left: &mut u64,
    depth: u32,
) {
    let number = program.containers.len() as u32;
    let mut container = Container { name, parent, holding, manifest: Manifest::default(), module_infos: Vec::new() };
    if let Holding::Jar(jar) = &container.holding {
        *left = left.saturating_sub(jar.entries().iter().map(|entry| entry.size).sum());
    }
    let manifest = container.find(Manifest::PATH).and_then(|entry| container.content(entry).ok());
    container.manifest = manifest.map(|bytes| Manifest::read(&bytes)).unwrap_or_default();
    let mut nested = Vec::new();
    for entry in 0..container.len() {
        let path = container.path(entry);
        if let Some((version, name)) = class_name(&container, entry) {
            let (bytes, start, label) = Default::default();
            program.files.push(File { container: number, entry, version, name, bytes, start, label });
        } else if path.ends_with("module-info.class") {
            container.module_infos.push(entry);
        } else if path.ends_with(".jar") || path.ends_with(".war") {
            nested.push(entry);
        }
    }
    program.containers.push(container);
    for entry in nested {
        let container = &program.containers[number as usize];
        let name = container.label(entry);
        match open_nested(container, entry, &Limits { total_size: *left, ..*limits }, depth) {
            Ok(jar) => add(program, name, Some((number, entry)), Holding::Jar(jar), limits, left, depth + 1),
            Err(reason) => {
                program.refused.push(Refused { input: name, class: None, method: None, offset: None, reason });
            }
        }
    }
}

fn open_nested<'a>(container: &Container<'a>, entry: u32, limits: &Limits, depth: u32) -> Result<Jar<'a>, String> {
    if depth == MAX_DEPTH {
        return Err(format!("jars in jars are opened {MAX_DEPTH} deep, and this one lies deeper"));
    }
    let jar = match &container.holding {
        Holding::Jar(jar) => jar.nested(entry as usize, limits),
        Holding::Folder(files) => Jar::read(&files[entry as usize].1, limits),
        Holding::Class(_) => unreachable!("a class has no entries"),
    };
    jar.map_err(|error| error.to_string())
}

/// The class that an entry declares, by the path that it is found by, and the version of Java that it is for; none for
/// what is no class, or is never found.
fn class_name(container: &Container<'_>, entry: u32) -> Option<(u32, Box<str>)> {
    if let Holding::Class(bytes) = container.holding {
        // A broken one is reported when it is lifted.
        let name = read(bytes).ok().and_then(|file| file.name().ok().map(|name| name.into_owned()));
        return Some((0, name.unwrap_or_default().into()));
    }
    let mut path = container.path(entry).strip_suffix(".class")?;
    path = ROOTS.iter().find_map(|root| path.strip_prefix(root)).unwrap_or(path);
    let mut version = 0;
    if let Some(versioned) = path.strip_prefix("META-INF/versions/") {
        let (number, rest) = versioned.split_once('/')?;
        version = number.parse().ok().filter(|_| container.manifest.multi_release)?;
        path = rest;
    }
    let simple = path.rsplit('/').next()?;
    let is_class = !path.starts_with("META-INF/") && simple != "module-info" && simple != "package-info";
    is_class.then(|| (version, path.into()))
}

/// Where classes begin that are found beside a class of a container: nothing, but in an application's archive.
pub(super) fn root(path: &str) -> &'static str {
    ROOTS.iter().copied().find(|root| path.starts_with(root)).unwrap_or("")
}
