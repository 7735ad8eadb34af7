//! The class library: texts that every program is parsed on top of.

macro_rules! row {
    ($name:literal) => {
        (concat!("lib/", $name, ".ir"), include_str!(concat!("../lib/", $name, ".ir")))
    };
}

/// The files of `ir/lib`, `java.lang.Object` first.
const SOURCES: &[(&str, &str)] = &[
    row!("lang"),
    row!("throwable"),
    row!("exceptions"),
    row!("errors"),
    row!("string"),
    row!("integers"),
    row!("floats"),
    row!("boxes"),
    row!("function"),
    row!("reflect"),
    row!("thread"),
    row!("atomic"),
    row!("updaters"),
    row!("unsafe"),
];

/// The library's texts: name and content.
pub fn sources() -> &'static [(&'static str, &'static str)] {
    SOURCES
}
