//! Jars of libraries, optimised as one program.

use std::fs;
use std::path::{Path, PathBuf};

use r8lite_classfile::jar::{self, Jar, JarEdits, Limits};
use r8lite_passes::plan::PlanOptions;
use r8lite_passes::report::Report;

use crate::java::root;
use crate::optimize::{How, optimize};

/// Jars of `/usr/share/java`.
pub(crate) fn debian(names: &[&str]) -> Vec<PathBuf> {
    let paths: Vec<PathBuf> =
        names.iter().map(|name| Path::new("/usr/share/java").join(format!("{name}.jar"))).collect();
    for path in &paths {
        assert!(path.exists(), "{} is missing; `cargo xtask test` installs it", path.display());
    }
    paths
}

/// A jar of the Kotlin compiler.
pub(crate) fn kotlin(name: &str) -> PathBuf {
    let path = root().join(format!("target/corpora/kotlin-compiler-2.4.20/package/lib/{name}.jar"));
    assert!(path.exists(), "{} is missing; `cargo xtask test` fetches it", path.display());
    path
}

/// The paths as a class path.
pub(crate) fn classpath(paths: &[PathBuf]) -> String {
    std::env::join_paths(paths).unwrap().into_string().unwrap()
}

/// Optimises jars into a folder; gives the new ones, and the report.
pub(crate) fn optimize_jars(paths: &[PathBuf], how: How, folder: &Path) -> (Vec<PathBuf>, Report) {
    let contents: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let jars: Vec<Jar<'_>> = contents.iter().map(|bytes| Jar::read(bytes, &Limits::default()).unwrap()).collect();
    // Where each class is, and what it is.
    let mut places = Vec::new();
    let mut classes = Vec::new();
    for (number, jar) in jars.iter().enumerate() {
        for (index, entry) in jar.entries().iter().enumerate() {
            if entry.name.ends_with(".class") && !entry.name.starts_with("META-INF/") {
                places.push((number, index));
                classes.push((entry.name.clone(), jar.content(index).unwrap()));
            }
        }
    }
    let borrowed: Vec<(String, &[u8])> = classes.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let optimized = optimize(&borrowed, how, &PlanOptions::default());
    let mut edits: Vec<JarEdits> = jars.iter().map(|_| JarEdits::default()).collect();
    for ((number, index), new) in places.into_iter().zip(optimized.classes) {
        if let Some(new) = new {
            edits[number].replace(index, new);
        }
    }
    for (name, bytes) in optimized.added {
        edits[0].add(&name, bytes, false);
    }
    let mut new_paths = Vec::new();
    for ((path, jar), edits) in paths.iter().zip(&jars).zip(&edits) {
        let new_path = folder.join(path.file_name().unwrap());
        fs::write(&new_path, jar::write(jar, edits).unwrap()).unwrap();
        new_paths.push(new_path);
    }
    (new_paths, optimized.report)
}
