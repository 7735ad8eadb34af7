//! Writing outputs: to standard output, or to files that appear whole or not at all.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::{NamedTempFile, TempPath};

use crate::failure::Failure;

/// Writes what was asked for to standard output.
pub(crate) fn stdout(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(error) => Err(anyhow::Error::new(error).context("cannot write to standard output").into()),
    }
}

/// Writes all else to standard error. If nobody listens there, there is nobody to tell.
pub(crate) fn stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Files that are to appear together: all of them are written in full before the first one takes its place.
#[derive(Default, Debug)]
pub(crate) struct Files {
    ready: Vec<(TempPath, PathBuf)>,
    paths: HashSet<PathBuf>,
    /// Pipes, terminals and the like, which nothing can take the place of.
    special: Vec<(PathBuf, Vec<u8>)>,
}

impl Files {
    /// Writes a file beside where it is to appear.
    pub(crate) fn add(&mut self, path: &Path, content: impl Into<Vec<u8>>) -> Result<(), Failure> {
        self.add_content(path, Content::Bytes(content.into()), None)
    }

    /// The same for what another file became: it may be executed, and by whom it is read, as that one.
    pub(crate) fn add_like(&mut self, path: &Path, from: &Path, content: Vec<u8>) -> Result<(), Failure> {
        self.add_content(path, Content::Bytes(content), Some(from))
    }

    /// Copies a file to beside where it is to appear.
    pub(crate) fn add_copy(&mut self, path: &Path, from: &Path) -> Result<(), Failure> {
        self.add_content(path, Content::Of(from), Some(from))
    }

    fn add_content(&mut self, path: &Path, content: Content<'_>, like: Option<&Path>) -> Result<(), Failure> {
        let context = || format!("cannot write `{}`", path.display());
        // A link stays a link: what it points to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let metadata = fs::metadata(&path).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            self.special.push((path, content.bytes()?));
            return Ok(());
        }
        if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(anyhow::anyhow!("it is a folder").context(context()).into());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let path = match (fs::canonicalize(folder), path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.clone(),
        };
        if !self.paths.insert(path.clone()) {
            return Err(anyhow::anyhow!("two outputs would be this one file").context(context()).into());
        }
        // The name of the temporary file would tell nobody anything.
        let own = |error: io::Error| error.kind().to_string();
        let mut file = new_file(folder, like).map_err(|error| anyhow::anyhow!(own(error)).context(context()))?;
        if let Some(metadata) = metadata {
            file.as_file().set_permissions(metadata.permissions()).with_context(context)?;
        }
        match content {
            Content::Bytes(bytes) => file.write_all(&bytes).with_context(context)?,
            Content::Of(from) => {
                // The system copies it, without a detour through here.
                let mut from = fs::File::open(from).with_context(|| format!("cannot read `{}`", from.display()))?;
                io::copy(&mut from, file.as_file_mut()).with_context(context)?;
            }
        }
        // There may be thousands of files in a folder, more than may be open at once.
        self.ready.push((file.into_temp_path(), path));
        Ok(())
    }

    /// Lets the files appear.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        for (path, content) in self.special {
            match fs::OpenOptions::new().write(true).open(&path).and_then(|mut file| file.write_all(&content)) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Err(Failure::ClosedPipe),
                other => other.with_context(|| format!("cannot write `{}`", path.display()))?,
            }
        }
        for (file, path) in self.ready {
            file.persist(&path).with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        Ok(())
    }
}

/// What a file is to hold.
enum Content<'a> {
    Bytes(Vec<u8>),
    /// The same as this file.
    Of(&'a Path),
}

impl Content<'_> {
    fn bytes(self) -> Result<Vec<u8>, Failure> {
        match self {
            Content::Bytes(bytes) => Ok(bytes),
            Content::Of(path) => Ok(fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?),
        }
    }
}

/// A temporary file with the rights of any new file (temporary files are private by default), or of a copy of another.
fn new_file(folder: &Path, like: Option<&Path>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".r8lite-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = like.and_then(|like| Some(fs::metadata(like).ok()?.permissions().mode() & 0o777));
        builder.permissions(PermissionsExt::from_mode(mode.unwrap_or(0o666)));
    }
    #[cfg(not(unix))]
    let _ = like;
    builder.tempfile_in(folder)
}
