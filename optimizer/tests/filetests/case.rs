//! A file under `testdata`, and what it says is to be tested.

use std::fs;
use std::path::Path;

use r8lite::ir::interp::explore::MemoryModel;

/// What a directive asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Directive {
    Parse,
    Verify,
    Optimize,
    Pass(Vec<String>),
    Run(Vec<String>),
    Explore(MemoryModel),
    ExploreOptimized(MemoryModel),
    ExploreChanged(MemoryModel),
}

impl Directive {
    fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let stage = words.next().unwrap_or_default();
        let rest: Vec<String> = words.map(str::to_string).collect();
        let memory = || match rest.as_slice() {
            [word] if word == "sc" => Ok(MemoryModel::Sc),
            [word] if word == "weak" => Ok(MemoryModel::Weak),
            _ => Err(format!("`; test: {stage}` wants `sc` or `weak` after it")),
        };
        let directive = match stage {
            "run" => Directive::Run(rest),
            "pass" if !rest.is_empty() => Directive::Pass(rest),
            "pass" => return Err("`; test: pass` wants the names of passes after it".to_string()),
            "explore" => Directive::Explore(memory()?),
            "explore-optimized" => Directive::ExploreOptimized(memory()?),
            "explore-changed" => Directive::ExploreChanged(memory()?),
            _ if !rest.is_empty() => return Err(format!("`; test: {stage}` takes nothing after it")),
            "parse" => Directive::Parse,
            "verify" => Directive::Verify,
            "optimize" => Directive::Optimize,
            _ => return Err(format!("there is no test called `{stage}`")),
        };
        Ok(directive)
    }

    /// Its name in test names and snapshots.
    pub(crate) fn stage(&self) -> String {
        match self {
            Directive::Parse => "parse".to_string(),
            Directive::Verify => "verify".to_string(),
            Directive::Optimize => "optimize".to_string(),
            Directive::Pass(names) => format!("pass-{}", names.join("-")),
            Directive::Run(args) if args.is_empty() => "run".to_string(),
            Directive::Run(args) => format!("run-{}", args.join("-")),
            Directive::Explore(MemoryModel::Sc) => "explore-sc".to_string(),
            Directive::Explore(MemoryModel::Weak) => "explore-weak".to_string(),
            Directive::ExploreOptimized(MemoryModel::Sc) => "explore-optimized-sc".to_string(),
            Directive::ExploreOptimized(MemoryModel::Weak) => "explore-optimized-weak".to_string(),
            Directive::ExploreChanged(MemoryModel::Sc) => "explore-changed-sc".to_string(),
            Directive::ExploreChanged(MemoryModel::Weak) => "explore-changed-weak".to_string(),
        }
    }
}

/// An `; error: text` comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expected {
    /// The line it stands on, from 1.
    pub(crate) line: usize,
    /// A part of the message.
    pub(crate) text: String,
}

/// A file under `testdata`.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its path under `testdata`, without the extension.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) directives: Vec<Directive>,
    /// What `; flags:` says, as words.
    pub(crate) flags: Vec<String>,
    /// What `main` prints, if the file says so.
    pub(crate) prints: Option<String>,
    pub(crate) errors: Vec<Expected>,
}

impl Case {
    /// Reads a case.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let relative = path.strip_prefix(crate::root().join("testdata")).expect("cases are under testdata");
        let name = relative.with_extension("").to_string_lossy().replace('\\', "/");
        let mut case = Case { name, text, directives: vec![], flags: vec![], prints: None, errors: vec![] };
        case.read_directives()?;
        Ok(case)
    }

    fn read_directives(&mut self) -> Result<(), String> {
        let about = self.text.lines().next().unwrap_or_default();
        if !about.starts_with("; ") || about.starts_with("; test: ") {
            return Err("the first line has to be a comment that says what the file shows".to_string());
        }
        for (index, line) in self.text.lines().enumerate() {
            if let Some(directive) = line.strip_prefix("; test: ") {
                self.directives.push(Directive::parse(directive)?);
            } else if let Some(flags) = line.strip_prefix("; flags: ") {
                self.flags.extend(flags.split_whitespace().map(str::to_string));
            } else if let Some(printed) = line.strip_prefix("; prints:") {
                let prints = self.prints.get_or_insert_default();
                prints.push_str(printed.strip_prefix(' ').unwrap_or(printed));
                prints.push('\n');
            }
            let errors = line.split("; error: ").skip(1);
            self.errors.extend(errors.map(|text| Expected { line: index + 1, text: text.trim().to_string() }));
        }
        if self.directives.is_empty() {
            return Err("the file has no `; test: ` line, so nothing would be tested".to_string());
        }
        Ok(())
    }
}
