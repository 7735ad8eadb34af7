//! Writing a program again: what no change touches is copied as it is, byte for byte.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use r8lite_classfile::jar::{self, JarEdits, JarError};
use r8lite_classfile::{Names, add_module_requires, mentions, read, write};
use r8lite_ir::{Module, Type};
use r8lite_passes::plan::UpdaterPlan;

use super::container::{Container, Holding, root};
use super::manifest::{self, Manifest};
use super::{LiftedProgram, OpenError, Program, View};
use crate::{Applied, Backend};

/// What an input became.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Written {
    /// Nothing changed.
    Unchanged,
    /// A class file or jar, with its new content.
    File {
        /// Its content.
        bytes: Vec<u8>,
        /// Files that belong beside it: names and contents. Of class files only; a jar has all in itself.
        beside: Vec<(String, Vec<u8>)>,
    },
    /// A folder: the files in it that changed or were added, paths and contents, in order. All others stay.
    Folder(Vec<(String, Vec<u8>)>),
}

/// What a program became.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WrittenProgram {
    /// What each input became.
    pub inputs: Vec<Written>,
    /// Jars that were signed, and no longer are.
    pub unsigned: Vec<String>,
}

/// Why `sun.misc.Unsafe` is not found where the classes of a jar run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Obstacle {
    /// This jar is a module that does not require `jdk.unsupported`. It comes to when it is given a class that uses it.
    Module(String),
    /// This jar is an OSGi bundle that does not import `sun.misc`.
    Bundle(String),
    /// This jar is an automatic module, which cannot say that it requires `jdk.unsupported`.
    AutomaticModule(String),
}

/// What is to be different in a container.
#[derive(Default)]
struct Changes {
    replaced: BTreeMap<u32, Vec<u8>>,
    added: BTreeMap<String, Vec<u8>>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.added.is_empty()
    }
}

/// Where a jar keeps rules for programs that rename and remove members; those for Android's are looked at in the place of
/// the first, so that they are only put where there are some.
const RULES: &str = "META-INF/proguard/r8lite.pro";
const ANDROID_RULES: [&str; 2] =
    ["META-INF/com.android.tools/proguard/r8lite.pro", "META-INF/com.android.tools/r8/r8lite.pro"];

impl Program<'_> {
    /// Writes what became of a program that was lifted from here.
    ///
    /// # Errors
    /// A jar cannot be written: an entry that is to be copied is broken.
    pub fn write(
        &self,
        lifted: &LiftedProgram<'_>,
        applied: &[Applied],
        backend: Backend,
    ) -> Result<WrittenProgram, OpenError> {
        let mut changes: Vec<Changes> = self.containers.iter().map(|_| Changes::default()).collect();
        for (view, applied) in lifted.views.iter().zip(applied) {
            self.change_classes(view, applied, &mut changes);
            if backend == Backend::VarHandle {
                self.add_rules(view, applied, &mut changes);
            }
        }
        if backend == Backend::Unsafe {
            self.require_unsafe(&mut changes);
        }
        let mut written = WrittenProgram { inputs: Vec::new(), unsigned: Vec::new() };
        // What is in a container comes after it, and has to be written first.
        for number in (0..self.containers.len()).rev() {
            let container = &self.containers[number];
            let changes_of = std::mem::take(&mut changes[number]);
            let is_changed = !changes_of.is_empty();
            let result = self.write_container(container, changes_of, &mut written.unsigned);
            let result = result.map_err(|problem| OpenError { input: container.name.clone(), problem })?;
            match (container.parent, result) {
                (None, result) => written.inputs.push(if is_changed { result } else { Written::Unchanged }),
                (Some((parent, entry)), Written::File { bytes, .. }) if is_changed => {
                    changes[parent as usize].replaced.insert(entry, bytes);
                }
                _ => {}
            }
        }
        written.inputs.reverse();
        written.unsigned.reverse();
        Ok(written)
    }

    /// The changed classes, in all their files, and the added ones wherever one of these names them.
    fn change_classes(&self, view: &View<'_>, applied: &Applied, changes: &mut [Changes]) {
        let added: Vec<Names> = applied.added.iter().map(|class| Names::new(&[&class.name])).collect();
        for (files, bytes) in view.files.iter().zip(&applied.classes) {
            let Some(bytes) = bytes else { continue };
            for &file in *files {
                let file = &self.files[file as usize];
                let changes = &mut changes[file.container as usize];
                changes.replaced.insert(file.entry, bytes.clone());
                let root = root(self.containers[file.container as usize].path(file.entry));
                for (class, names) in applied.added.iter().zip(&added) {
                    if mentions(bytes, names).unwrap_or(true) {
                        changes.added.insert(format!("{root}{}.class", class.name), class.bytes.clone());
                    }
                }
            }
        }
    }

    /// Has modules that are given a class require what that uses.
    fn require_unsafe(&self, changes: &mut [Changes]) {
        for (container, changes) in self.containers.iter().zip(changes) {
            for &entry in container.module_infos.iter().filter(|_| !changes.added.is_empty()) {
                if requires_unsafe(container, entry) {
                    continue;
                }
                let Ok(bytes) = container.content(entry) else { continue };
                let edited = read(&bytes).and_then(|mut module| {
                    add_module_requires(&mut module, "jdk.unsupported")?;
                    write(&module)
                });
                // One that cannot be edited is one that the JVM does not take either.
                changes.replaced.extend(edited.ok().map(|bytes| (entry, bytes)));
            }
        }
    }

    /// Rules that keep the names of fields which a VarHandle is made for.
    fn add_rules(&self, view: &View<'_>, applied: &Applied, changes: &mut [Changes]) {
        let module = &view.lifted.module;
        for ((class, files), own) in view.lifted.classes.iter().zip(&view.files).zip(&view.own) {
            // Of a class that is in an earlier view, the rules are there already.
            let Some(class) = class.as_ref().filter(|_| *own) else { continue };
            let of_class = |updater: &&UpdaterPlan| module.fields[updater.field].class == *class;
            let rules: String =
                applied.plan.updaters.iter().filter(of_class).filter_map(|updater| rule(module, updater)).collect();
            if rules.is_empty() {
                continue;
            }
            for &file in *files {
                let number = self.files[file as usize].container as usize;
                let container = &self.containers[number];
                match container.parent.map(|(parent, _)| parent as usize) {
                    // An .aar has its rules beside its jar of classes.
                    Some(parent) if self.containers[parent].find("AndroidManifest.xml").is_some() => {
                        append(&self.containers[parent], &mut changes[parent], "proguard.txt", &rules);
                    }
                    _ => {
                        append(container, &mut changes[number], RULES, &rules);
                        if container.has_folder("META-INF/com.android.tools/") {
                            for path in ANDROID_RULES {
                                append(container, &mut changes[number], path, &rules);
                            }
                        }
                    }
                }
            }
        }
    }

    fn write_container(
        &self,
        container: &Container<'_>,
        changes: Changes,
        unsigned: &mut Vec<String>,
    ) -> Result<Written, JarError> {
        if changes.is_empty() {
            return Ok(Written::Unchanged);
        }
        let Changes { replaced, added } = changes;
        match &container.holding {
            Holding::Class(_) => {
                let simple = |path: String| path.rsplit('/').next().unwrap_or_default().to_owned();
                let beside = added.into_iter().map(|(path, bytes)| (simple(path), bytes)).collect();
                Ok(Written::File { bytes: replaced.into_values().next().unwrap_or_default(), beside })
            }
            Holding::Folder(_) => {
                let mut files = added;
                files.extend(replaced.into_iter().map(|(entry, bytes)| (container.path(entry).to_owned(), bytes)));
                Ok(Written::Folder(files.into_iter().collect()))
            }
            Holding::Jar(jar) => {
                let mut edits = JarEdits::default();
                let signatures: Vec<usize> = (0..jar.entries().len())
                    .filter(|&entry| manifest::is_signature(&jar.entries()[entry].name))
                    .collect();
                if let Some(entry) = jar.find(Manifest::PATH)
                    && let Some(bytes) = manifest::without_digests(&jar.content(entry)?)
                {
                    edits.replace(entry, bytes);
                }
                if !signatures.is_empty() {
                    unsigned.push(container.name.clone());
                    signatures.into_iter().for_each(|entry| edits.remove(entry));
                }
                replaced.into_iter().for_each(|(entry, bytes)| edits.replace(entry as usize, bytes));
                added.into_iter().for_each(|(path, bytes)| edits.add(&path, bytes, false));
                Ok(Written::File { bytes: jar::write(jar, &edits)?, beside: Vec::new() })
            }
        }
    }

    /// What is in the way of `sun.misc.Unsafe` for the classes that were chosen.
    pub fn obstacles(&self, lifted: &LiftedProgram<'_>) -> Vec<Obstacle> {
        let mut numbers: Vec<u32> = lifted
            .views
            .iter()
            .flat_map(|view| &view.files)
            .flat_map(|files| files.iter().map(|&file| self.files[file as usize].container))
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut found = Vec::new();
        for number in numbers {
            let container = &self.containers[number as usize];
            if container.module_infos.iter().any(|&entry| !requires_unsafe(container, entry)) {
                found.push(Obstacle::Module(container.name.clone()));
            }
            if container.module_infos.is_empty() && container.manifest.automatic_module {
                found.push(Obstacle::AutomaticModule(container.name.clone()));
            }
            if container.manifest.bundle_without_sun_misc {
                found.push(Obstacle::Bundle(container.name.clone()));
            }
        }
        found
    }
}

impl Container<'_> {
    fn has_folder(&self, folder: &str) -> bool {
        match &self.holding {
            Holding::Jar(jar) => jar.entries().iter().any(|entry| entry.name.starts_with(folder)),
            Holding::Folder(files) => files.iter().any(|(path, _)| path.starts_with(folder)),
            Holding::Class(_) => false,
        }
    }
}

/// Whether a module requires the one that has `sun.misc.Unsafe`, also when it runs. What is no module in order asks nothing.
fn requires_unsafe(container: &Container<'_>, entry: u32) -> bool {
    let Ok(bytes) = container.content(entry) else { return true };
    let Ok(file) = read(&bytes) else { return true };
    let Ok(Some(requires)) = file.module_requires() else { return true };
    requires.iter().any(|required| required.name == "jdk.unsupported" && required.flags & STATIC == 0)
}

/// Of what a module requires: only when it is compiled.
const STATIC: u16 = 0x40;

/// A rule for the target of an updater, in ProGuard's language.
fn rule(module: &Module, updater: &UpdaterPlan) -> Option<String> {
    let recognised = updater.recognised.filter(|_| updater.offset.is_some())?;
    let field = &module.fields[recognised.target];
    let (class, name) = (module.class_name(field.class), module.name(field.name));
    let mut rule = String::new();
    let ty = java_type(module, field.ty);
    writeln!(rule, "-keepclassmembers class {class} {{\n    volatile {ty} {name};\n}}").expect("writing to a string");
    Some(rule)
}

/// A type as in Java.
fn java_type(module: &Module, ty: Type) -> String {
    match ty {
        Type::Bool => "boolean".to_owned(),
        Type::I8 => "byte".to_owned(),
        Type::U16 => "char".to_owned(),
        Type::I16 => "short".to_owned(),
        Type::I32 => "int".to_owned(),
        Type::I64 => "long".to_owned(),
        Type::F32 => "float".to_owned(),
        Type::F64 => "double".to_owned(),
        Type::Class(class) => module.class_name(class).to_owned(),
        Type::Array(array) => java_type(module, module.array_element(array)) + "[]",
        Type::Null => unreachable!("no field is declared with the type of null"),
    }
}

/// Adds lines to a file of a container, which need not be there.
fn append(container: &Container<'_>, changes: &mut Changes, path: &str, lines: &str) {
    match container.find(path) {
        Some(entry) => {
            let content = changes
                .replaced
                .entry(entry)
                .or_insert_with(|| container.content(entry).unwrap_or_default().into_owned());
            if !content.is_empty() && !content.ends_with(b"\n") {
                content.push(b'\n');
            }
            content.extend(lines.as_bytes());
        }
        None => changes.added.entry(path.to_owned()).or_default().extend(lines.as_bytes()),
    }
}
