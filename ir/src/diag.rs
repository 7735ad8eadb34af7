//! Diagnostics: plain data; whoever has a terminal dresses them.

use std::fmt;
use std::ops::Range;

use crate::entity::File;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; the result stands.
    Warning,
    /// The input is not accepted.
    Error,
}

/// Something wrong with an input, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable code, `E0201`.
    pub code: &'static str,
    /// The text it is about, if it is about a text.
    pub file: Option<File>,
    /// The bytes of that text it is about.
    pub span: Range<u32>,
    /// Where in the module: method, block and the printed instruction. Empty where the span says enough.
    pub place: String,
    /// What was found and what was wanted: lower case, no final stop.
    pub message: String,
    /// The next step, if one is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place in a text.
    pub fn error(code: &'static str, file: Option<File>, span: Range<u32>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, file, span, place: String::new(), message: message.into(), help: None }
    }

    /// The same with its place in the module.
    #[must_use]
    pub fn in_place(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }

    /// The same with the next step.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// One line, without the source text: for logs and tests. The command draws the line and a caret.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}[{}]: {}", self.code, self.message)?;
        if !self.place.is_empty() {
            write!(f, " (in {})", self.place)?;
        }
        if let Some(help) = &self.help {
            write!(f, "; help: {help}")?;
        }
        Ok(())
    }
}
