//! Where real classes are: the JDK's, Debian's jars, and whatever folders `R8LITE_CORPORA` names.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use r8lite_classfile::jar::{Jar, Limits};

/// All jars and modules that are found, each file once.
pub(crate) fn find() -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for jdk in list(Path::new("/usr/lib/jvm")) {
        for module in ["java.base", "jdk.unsupported"] {
            found.extend(fs::canonicalize(jdk.join(format!("jmods/{module}.jmod"))));
        }
    }
    let folders = env::var_os("R8LITE_CORPORA").unwrap_or_default();
    let folders = env::split_paths(&folders).chain([PathBuf::from("/usr/share/java")]);
    for path in folders.flat_map(|folder| list(&folder)) {
        if path.extension().is_some_and(|extension| extension == "jar") {
            found.extend(fs::canonicalize(path));
        }
    }
    assert!(!found.is_empty(), "no jars; install openjdk-17-jdk-headless, libnetty-java and libguava-java");
    found.into_iter().collect()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.expect("a folder can be listed").path()).collect()
}

/// Calls with every jar, and with where it is.
pub(crate) fn each_jar(mut call: impl FnMut(&str, &Jar<'_>)) {
    for path in find() {
        let bytes = fs::read(&path).expect("a jar can be read");
        let jar = Jar::read(&bytes, &Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        call(&path.display().to_string(), &jar);
    }
}

/// Calls with every class of every jar, and with where it is.
pub(crate) fn each_class(mut call: impl FnMut(&str, &[u8])) {
    each_jar(|path, jar| {
        for (index, entry) in jar.entries().iter().enumerate() {
            if entry.name.ends_with(".class") {
                let place = format!("{path}!{}", entry.name);
                let content = jar.content(index).unwrap_or_else(|error| panic!("{place}: {error}"));
                call(&place, &content);
            }
        }
    });
}
