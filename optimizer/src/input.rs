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
            _ => Kind::Ir,
        }
    }
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

/// Reads all inputs.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    // The same file may be spelt in several ways.
    let files: Vec<PathBuf> =
        paths.iter().map(|path| fs::canonicalize(path).unwrap_or_else(|_| path.clone())).collect();
    for (index, file) in files.iter().enumerate() {
        if files[..index].contains(file) {
            return Err(anyhow!("`{}` is named twice", paths[index].display()).into());
        }
    }
    paths.iter().map(|path| read_one(path)).collect()
}

fn read_one(path: &Path) -> Result<Input, Failure> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { "<stdin>".to_string() } else { path.display().to_string() };
    if path.is_dir() {
        return Err(unsupported(&name, "a folder of classes"));
    }
    let bytes = if is_stdin {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let bytes = bytes.with_context(|| format!("cannot read `{name}`"))?;
    match Kind::of(&bytes) {
        Kind::Class => return Err(unsupported(&name, "a class file")),
        Kind::Archive => return Err(unsupported(&name, "a jar")),
        Kind::Ir => {}
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Input(Some(format!("{name}: byte {at} is not UTF-8, and IR text has to be")))
    })?;
    let file_name = path.file_name().filter(|_| !is_stdin).map(PathBuf::from);
    Ok(Input { name, file_name, text })
}

fn unsupported(name: &str, what: &str) -> Failure {
    anyhow!("`{name}` is {what}, which this version cannot read yet; it reads IR text (.ir)").into()
}
