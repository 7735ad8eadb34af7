//! The JDK's own classes: many, and of all kinds. Every method is lifted, and what comes out is in order.

use std::path::PathBuf;
use std::process::Command;

use r8lite_classfile::jar::{Jar, Limits};
use r8lite_jvm::{Input, Methods, Options, lift};

/// The classes of `java.base`: names and contents.
fn java_base() -> Vec<(String, Vec<u8>)> {
    let output = Command::new("java").args(["-XshowSettings:properties", "-version"]).output();
    let output = output.unwrap_or_else(|error| panic!("java: {error}; install openjdk-17-jdk-headless"));
    let settings = String::from_utf8_lossy(&output.stderr).into_owned();
    let home =
        settings.lines().find_map(|line| line.trim().strip_prefix("java.home = ")).expect("java says where it is");
    let path = PathBuf::from(home).join("jmods/java.base.jmod");
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Four bytes, then a zip file.
    let jar = Jar::read(&bytes[4..], &Limits::default()).expect("it is a zip file");
    let mut classes = Vec::new();
    for (number, entry) in jar.entries().iter().enumerate() {
        if entry.name.starts_with("classes/java/") && entry.name.ends_with(".class") {
            classes.push((entry.name.clone(), jar.content(number).expect("it is in order")));
        }
    }
    classes
}

#[test]
fn every_method_is_lifted() {
    let classes = java_base();
    let inputs: Vec<Input<'_>> = classes.iter().map(|(name, bytes)| Input { bytes, name }).collect();
    let lifted = lift(&inputs, &[], &Options::of(Methods::All));
    let bodies = lifted.module.program_funcs().filter(|&func| lifted.module.funcs[func].body.is_some()).count();
    assert!(bodies > 15_000, "{bodies}");
    for refused in &lifted.refused {
        let class = refused.class.as_deref().unwrap_or_default();
        // `VarHandle` is final in our class library: nobody but the JDK has subclasses of it.
        let expected = refused.reason == "a class of this name is in the class library"
            || refused.reason.contains("VarHandle")
            || class.contains("VarHandle");
        assert!(expected, "{refused}");
    }
}
