//! Rules that no compiler checks: which crate may know which, what every pass has, how files begin and how long they are.

use std::fs;
use std::path::{Path, PathBuf};

use r8lite::passes::registry;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in the workspace").to_path_buf()
}

/// All files under a folder of the repository, with `/` and relative to the root, build results left out.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    folders.push(path);
                }
            } else {
                let relative = path.strip_prefix(root()).expect("it was listed from there");
                found.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The folders of the workspace's crates.
fn crates() -> Vec<String> {
    let manifest = read("Cargo.toml");
    let members = manifest.lines().find_map(|line| line.strip_prefix("members = [")).expect("there are members");
    members.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

fn rust_files() -> Vec<String> {
    let folders = crates().into_iter().chain(["fuzz".to_string()]);
    folders.flat_map(|folder| files(&folder)).filter(|path| path.ends_with(".rs")).collect()
}

fn no_problems(rule: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{rule}:\n  {}", problems.join("\n  "));
}

/// Which crate may know which others of this workspace.
const ARROWS: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("passes", &["ir"]),
    ("classfile", &[]),
    ("jvm", &["classfile", "passes", "ir"]),
    ("codegen", &["ir"]),
    ("runtime", &[]),
    ("deliqueue", &[]),
    ("optimizer", &["jvm", "codegen", "runtime", "passes", "ir"]),
    ("xtask", &[]),
];

#[test]
fn arrows_between_crates_run_one_way() {
    let folder_of = |name: &str| match name {
        "r8lite" => Some("optimizer".to_string()),
        "deliqueue" => Some("deliqueue".to_string()),
        _ => name.strip_prefix("r8lite-").map(str::to_string),
    };
    let mut problems = Vec::new();
    for folder in crates() {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == folder) else {
            problems.push(format!("{folder} is in no row of the table"));
            continue;
        };
        let mut in_dependencies = false;
        for line in read(&format!("{folder}/Cargo.toml")).lines() {
            if let Some(section) = line.strip_prefix('[') {
                in_dependencies = section.contains("dependencies");
            } else if in_dependencies
                && let Some(other) = line.split(['.', ' ', '=']).next().and_then(folder_of)
                && !allowed.contains(&other.as_str())
            {
                problems.push(format!("{folder} must not know {other}"));
            }
        }
    }
    no_problems("dependencies between crates", &problems);
}

#[test]
fn every_snapshot_has_its_case() {
    let mut problems = Vec::new();
    for path in files("snapshots") {
        let case = path.strip_prefix("snapshots/").and_then(|path| path.strip_suffix(".snap")?.split_once('.'));
        let Some((case, stage)) = case else {
            problems.push(format!("{path} is no snapshot"));
            continue;
        };
        if stage.starts_with("prints") && root().join(format!("testdata/{case}.java")).exists() {
            continue;
        }
        let text = fs::read_to_string(root().join(format!("testdata/{case}.ir"))).unwrap_or_default();
        let directives = text.lines().filter_map(|line| line.strip_prefix("; test: "));
        let mut stages = directives.map(|directive| directive.split_whitespace().collect::<Vec<_>>().join("-"));
        if !stages.any(|other| other == stage) {
            problems.push(format!("{path}: testdata/{case}.ir has no such test"));
        }
    }
    no_problems("snapshots without a case", &problems);
}

/// The directives of the table in `filetests/main.rs`, up to what differs from case to case.
fn directives() -> Vec<String> {
    let table = read("optimizer/tests/filetests/main.rs");
    let cells = table.lines().filter_map(|line| line.strip_prefix("//! | `")?.split('`').next());
    cells.map(|cell| cell.split(|c: char| c.is_uppercase() || c == '[').next().unwrap_or(cell).to_string()).collect()
}

#[test]
fn every_directive_is_used_and_described() {
    let directives = directives();
    assert!(directives.len() > 5, "the table is there: {directives:?}");
    let cases: Vec<String> = files("testdata").into_iter().filter(|path| path.ends_with(".ir")).collect();
    let texts: Vec<String> = cases.iter().map(|path| read(path)).collect();
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    let unused = directives.iter().filter(|directive| !lines.iter().any(|line| line.contains(directive.as_str())));
    let mut problems: Vec<String> = unused.map(|directive| format!("no case has `{directive}`")).collect();
    for line in lines.iter().filter(|line| line.starts_with("; test: ")) {
        // With a blank behind it, so that `explore` is not taken for a beginning of something else.
        if !directives.iter().any(|directive| format!("{line} ").starts_with(&format!("{} ", directive.trim_end()))) {
            problems.push(format!("`{line}` is not described"));
        }
    }
    no_problems("directives", &problems);
}

#[test]
fn every_pass_has_its_four_cases() {
    let mut problems = Vec::new();
    for pass in registry::PASSES {
        for case in ["fires", "must-not", "twice", "edge"] {
            let path = format!("testdata/passes/{}/{case}.ir", pass.name);
            match fs::read_to_string(root().join(&path)) {
                Ok(text) if text.lines().any(|line| names_pass(line, pass.name)) => {}
                Ok(_) => problems.push(format!("{path} does not run the pass")),
                Err(_) => problems.push(format!("{path} is missing")),
            }
        }
    }
    no_problems("cases of passes", &problems);
}

fn names_pass(line: &str, pass: &str) -> bool {
    line.strip_prefix("; test: pass ").is_some_and(|names| names.split_whitespace().any(|name| name == pass))
}

/// Files that may be longer than the rest, and why.
const LONG_FILES: &[(&str, &str)] = &[];

#[test]
fn files_are_short_and_say_what_they_are_for() {
    let mut problems = Vec::new();
    for path in rust_files() {
        let text = read(&path);
        let lines = text.lines().count();
        if lines > 800 && !LONG_FILES.iter().any(|(long, _)| *long == path) {
            problems.push(format!("{path} has {lines} lines; look for the seam at about 800"));
        }
        if !text.starts_with("//! ") {
            problems.push(format!("{path} does not begin with what it is for"));
        }
    }
    no_problems("files", &problems);
}

#[test]
fn nothing_is_left_for_later_or_switched_off() {
    // Put together here, so that this file does not find itself.
    let words =
        [["#[ig", "nore"], ["should_", "panic"], ["FIX", "ME"], ["TO", "DO"], ["XX", "X"]].map(|parts| parts.concat());
    let mut problems = Vec::new();
    for path in rust_files() {
        for (index, line) in read(&path).lines().enumerate() {
            if let Some(word) = words.iter().find(|word| line.contains(word.as_str())) {
                problems.push(format!("{path}:{}: {word}", index + 1));
            }
        }
    }
    no_problems("left for later", &problems);
}

#[test]
fn nothing_names_a_machine() {
    let prefixes = [["/ho", "me/"], ["/ro", "ot/"], ["/Us", "ers/"], ["/wo", "rk/"]].map(|parts| parts.concat());
    let pages = files("").into_iter().filter(|path| {
        let known = [".rs", ".md", ".ir", ".snap", ".toml", ".json"];
        known.iter().any(|extension| path.ends_with(extension))
            && !path.starts_with('.')
            && !path.starts_with("fuzz/corpus")
    });
    let problems: Vec<String> = pages
        .filter(|path| {
            let text = read(path);
            prefixes.iter().any(|prefix| text.contains(prefix.as_str()))
        })
        .collect();
    no_problems("paths of some machine", &problems);
}
