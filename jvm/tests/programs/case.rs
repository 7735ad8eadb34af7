//! Cases: Java sources under `testdata/java/cases`, what their heads say, and the marks on their lines.

use std::fs;
use std::path::{Path, PathBuf};

use crate::java::root;

/// A source file.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) path: PathBuf,
    /// The class of the same name: `holders.Null`.
    pub(crate) class: String,
    /// Whether that class has a main method; other files belong to a case that has.
    pub(crate) has_main: bool,
    /// The version of Java whose language it needs.
    since: u32,
    /// Class versions that it is given besides those that javac makes.
    pub(crate) versions: Vec<u16>,
    /// Versions of Java for which it prints something else.
    differs: Vec<String>,
    /// Classes that are not there when it runs.
    pub(crate) absent: Vec<String>,
    /// Patterns of fields that are not to be touched.
    pub(crate) keep: Vec<String>,
    /// The marks of each line, from line 1 on.
    marks: Vec<Option<String>>,
}

impl Case {
    fn read(folder: &Path, path: PathBuf) -> Case {
        let text = fs::read_to_string(&path).unwrap();
        let directives = |name: &str| -> Vec<String> {
            let head = text.lines().take_while(|line| line.starts_with("// "));
            let values = head.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(": "));
            values.map(str::to_owned).collect()
        };
        let class = path.strip_prefix(folder).unwrap().with_extension("").to_string_lossy().replace('/', ".");
        Case {
            class,
            has_main: text.contains("static void main("),
            since: directives("since").first().map_or(8, |since| since.parse().unwrap()),
            versions: directives("versions").iter().map(|version| version.parse().unwrap()).collect(),
            differs: directives("differs"),
            absent: directives("absent").iter().flat_map(|names| names.split(", ")).map(str::to_owned).collect(),
            keep: directives("keep"),
            marks: text.lines().map(|line| line.split_once("//> ").map(|(_, mark)| mark.to_owned())).collect(),
            path,
        }
    }

    /// What a line says of the calls in it, or of the updater that is made there: the last part of `replaced; 8: kept` that
    /// is for one of these names, else the first.
    pub(crate) fn mark(&self, line: u32, names: &[&str]) -> Option<Mark<'_>> {
        let mark = self.marks.get(line.checked_sub(1)? as usize)?.as_deref()?;
        let mut parts = mark.split("; ").map(|part| part.split_once(": ").unwrap_or((part, "")));
        let (status, reason) = parts.next()?;
        let special = parts.filter(|(name, _)| names.contains(name)).last();
        Some(special.map_or(Mark { status, reason }, |(_, status)| Mark { status, reason: "" }))
    }

    /// All lines with a mark.
    pub(crate) fn marked(&self, names: &[&str]) -> impl Iterator<Item = (u32, Mark<'_>)> {
        (1..=self.marks.len() as u32).filter_map(move |line| Some((line, self.mark(line, names)?)))
    }

    /// The name of the snapshot with what it prints, under `snapshots/java/cases`.
    pub(crate) fn snapshot(&self, release: &str) -> (PathBuf, String) {
        let name = self.path.file_stem().unwrap().to_string_lossy();
        let differs = self.differs.iter().any(|differs| differs == release);
        let name = if differs { format!("{name}.prints-{release}") } else { format!("{name}.prints") };
        let folder = self.path.parent().unwrap().strip_prefix(root().join("testdata")).unwrap();
        (root().join("snapshots").join(folder), name)
    }

    /// The package and the file's name, as class files have them.
    pub(crate) fn source(&self) -> (&str, String) {
        let package = self.class.rsplit_once('.').map_or("", |(package, _)| package);
        (package, self.path.file_name().unwrap().to_string_lossy().into_owned())
    }
}

/// What a line is marked with: `replaced: checks the holder`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark<'a> {
    /// `replaced`, `kept`, `removed`, `instrumented`, or `any` where it does not matter.
    pub(crate) status: &'a str,
    /// A part of the reason in the report.
    pub(crate) reason: &'a str,
}

/// All cases that there are for a version of Java, in order.
pub(crate) fn cases(release: &str) -> Vec<Case> {
    let folder = root().join("testdata/java/cases");
    let mut folders = vec![folder.clone()];
    let mut cases = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                cases.push(Case::read(&folder, path));
            }
        }
    }
    let release: u32 = release.parse().unwrap();
    cases.retain(|case| case.since <= release);
    cases.sort_by(|a, b| a.class.cmp(&b.class));
    assert!(cases.len() > 30, "the cases are there");
    cases
}
