//! Java's compiler and virtual machine, and folders of class files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{must, output};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there")
}

/// Compiles sources for a version of Java into a folder.
pub(crate) fn compile<'a>(sources: impl Iterator<Item = &'a Path>, release: &str, classpath: &str, folder: &Path) {
    let mut command = Command::new("javac");
    command.args(["-nowarn", "-Xlint:-options", "-g", "--release", release, "-cp", classpath, "-d"]).arg(folder);
    must(command.args(sources));
}

/// The virtual machine, with every class verified.
pub(crate) fn java(options: &[&str]) -> Command {
    let mut command = Command::new("java");
    command.args(["-Xverify:all", "-Xshare:auto", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash"]);
    command.arg("-XX:ErrorFile=/dev/null").args(options);
    command
}

/// What a command prints: everything, also if it fails, and how it fails then.
pub(crate) fn run(command: &mut Command) -> String {
    let output = output(command);
    let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        printed += &format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    printed
}

/// What was printed for each class.
pub(crate) fn by_class(printed: &str) -> Vec<(&str, &str)> {
    let parts = printed.split("== ").filter(|part| !part.is_empty());
    parts.map(|part| part.split_once('\n').unwrap_or((part, ""))).collect()
}

/// A class file in a folder.
pub(crate) struct ClassFile {
    /// Its path in the folder.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

/// All class files of a folder, in order.
pub(crate) fn class_files(folder: &Path) -> Vec<ClassFile> {
    let mut folders = vec![folder.to_path_buf()];
    let mut files = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                files.push(ClassFile { path: path.strip_prefix(folder).unwrap().to_path_buf(), bytes });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Writes a file into a folder, and the folders it is in.
pub(crate) fn write(folder: &Path, path: &Path, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
