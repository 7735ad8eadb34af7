//! Reading inputs: what kind each one is, by its content, and its text.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::failure::Failure;

/// What an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Ir,
    Class,
    /// A jar or aar: any zip.
    Archive,
}

impl Kind {
    /// The content decides: a class file and an archive begin with what no text begins with.
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0xca, 0xfe, 0xba, 0xbe, ..] => Kind::Class,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Kind::Archive,
            // A jar that is executable by itself begins with a script.
            [b'#', b'!', ..] if ends_as_archive(bytes) => Kind::Archive,
            _ => Kind::Ir,
        }
    }
}

/// Whether the record is there that an archive ends with, before a comment at most.
fn ends_as_archive(bytes: &[u8]) -> bool {
    const LARGEST: usize = 22 + u16::MAX as usize;
    bytes[bytes.len().saturating_sub(LARGEST)..].windows(4).any(|window| window == b"PK\x05\x06")
}

/// All inputs.
#[derive(Debug)]
pub(crate) enum Inputs {
    /// IR text.
    Ir(Vec<Input>),
    /// Class files, jars and folders of them.
    Classes(Vec<ClassInput>),
}

/// A text that was read.
#[derive(Debug)]
pub(crate) struct Input {
    /// What it is called in messages.
    pub(crate) name: String,
    /// The last part of its path, which its output goes by in an output folder.
    pub(crate) file_name: Option<PathBuf>,
    /// The text.
    pub(crate) text: String,
}

/// A class file, jar or folder that was read.
#[derive(Debug)]
pub(crate) struct ClassInput {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it is called in messages.
    pub(crate) name: String,
    /// What is in it.
    pub(crate) files: ClassFiles,
}

/// The content of an input of class files.
#[derive(Debug)]
pub(crate) enum ClassFiles {
    /// A class file, or a jar.
    File(Vec<u8>),
    /// A folder: its class files, jars and manifests, and the paths of all its files, both in order.
    Folder { files: Vec<(String, Vec<u8>)>, paths: Vec<String> },
}

/// Reads all inputs. They are one program, and so of one kind.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Inputs, Failure> {
    // The same file may be spelt in several ways.
    let files: Vec<PathBuf> =
        paths.iter().map(|path| fs::canonicalize(path).unwrap_or_else(|_| path.clone())).collect();
    for (index, file) in files.iter().enumerate() {
        if files[..index].contains(file) {
            return Err(anyhow!("`{}` is named twice", paths[index].display()).into());
        }
    }
    let (mut texts, mut classes) = (Vec::new(), Vec::new());
    for path in paths {
        match read_one(path)? {
            One::Text(input) => texts.push(input),
            One::Classes(input) => classes.push(input),
        }
    }
    match (texts.first(), classes.first()) {
        (Some(text), Some(class)) => {
            let message = "all inputs are one program, which is either IR text or class files";
            Err(anyhow!("`{}` is IR text and `{}` is not; {message}", text.name, class.name).into())
        }
        (_, None) => Ok(Inputs::Ir(texts)),
        (None, Some(_)) => Ok(Inputs::Classes(classes)),
    }
}

/// Reads the jars, classes and folders of a class path, of which what is not there counts for nothing, as in Java.
pub(crate) fn read_classpath(classpath: &str) -> Result<Vec<ClassInput>, Failure> {
    let mut inputs = Vec::new();
    for path in std::env::split_paths(classpath).filter(|path| !path.as_os_str().is_empty()) {
        match read_one(&path)? {
            One::Classes(input) => inputs.push(input),
            One::Text(input) => {
                let message = "is neither a jar nor a folder of classes, which a class path is made of";
                return Err(anyhow!("`{}` {message}", input.name).into());
            }
        }
    }
    Ok(inputs)
}

enum One {
    Text(Input),
    Classes(ClassInput),
}

fn read_one(path: &Path) -> Result<One, Failure> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { "<stdin>".to_string() } else { path.display().to_string() };
    let classes = |files| One::Classes(ClassInput { path: path.to_path_buf(), name: name.clone(), files });
    if path.is_dir() {
        return Ok(classes(read_folder(path).with_context(|| format!("cannot read `{name}`"))?));
    }
    let bytes = if is_stdin {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let bytes = bytes.with_context(|| format!("cannot read `{name}`"))?;
    match Kind::of(&bytes) {
        Kind::Class | Kind::Archive if is_stdin => {
            return Err(anyhow!("standard input is no IR text (.ir); class files are named").into());
        }
        Kind::Class | Kind::Archive => return Ok(classes(ClassFiles::File(bytes))),
        Kind::Ir => {}
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Input(Some(format!("{name}: byte {at} is not UTF-8, and IR text has to be")))
    })?;
    let file_name = path.file_name().filter(|_| !is_stdin).map(PathBuf::from);
    Ok(One::Text(Input { name, file_name, text }))
}

/// Whether a file of a folder is one that says something about the program.
fn is_of_program(path: &str) -> bool {
    [".class", ".jar", ".war"].iter().any(|ending| path.ends_with(ending)) || path == "META-INF/MANIFEST.MF"
}

fn read_folder(folder: &Path) -> io::Result<ClassFiles> {
    let mut paths = Vec::new();
    let mut work = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = work.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else {
                let path = entry.path();
                return Err(io::Error::other(format!("the name of `{}` is not Unicode", path.display())));
            };
            // A link to a folder is left alone: it may lead in circles.
            match entry.file_type()?.is_dir() {
                true => work.push((entry.path(), name + "/")),
                false if entry.path().is_file() => paths.push(name),
                false => {}
            }
        }
    }
    paths.sort_unstable();
    let wanted = paths.iter().filter(|path| is_of_program(path));
    let files = wanted.map(|path| Ok((path.clone(), fs::read(folder.join(path))?))).collect::<io::Result<_>>()?;
    Ok(ClassFiles::Folder { files, paths })
}
