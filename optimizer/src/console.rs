//! Messages to the person at the terminal: always on standard error.

use std::ffi::OsString;
use std::io::IsTerminal;

use r8lite::render::{self, Style, Texts};
use r8lite_ir::diag::{Diagnostic, Severity};

use crate::cli::{Color, ErrorFormat, Global};
use crate::output;

/// What follows every message about a bug of ours.
pub(crate) const PLEASE_REPORT: &str =
    "this is a bug in r8lite; please report it, with the input, at https://github.com/r8lite/r8lite/issues";

/// How messages are written.
#[derive(Debug)]
pub(crate) struct Console {
    style: Style,
}

impl Console {
    pub(crate) fn new(global: &Global) -> Self {
        let coloured = match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                // An empty NO_COLOR counts as none: no-color.org.
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                !refused && std::io::stderr().is_terminal()
            }
        };
        let style = match (global.error_format, coloured) {
            (ErrorFormat::Json, _) => Style::Json,
            (ErrorFormat::Text, true) => Style::Coloured,
            (ErrorFormat::Text, false) => Style::Plain,
        };
        Self { style }
    }

    pub(crate) fn error(&self, text: &str) {
        output::stderr(&render::message(Severity::Error, text, self.style));
    }

    pub(crate) fn warning(&self, text: &str) {
        output::stderr(&render::message(Severity::Warning, text, self.style));
    }

    pub(crate) fn diagnostics(&self, diagnostics: &[Diagnostic], texts: Texts<'_>) {
        output::stderr(&render::diagnostics(diagnostics, texts, self.style));
    }
}

/// Whether a command line that could not be parsed asks for messages as JSON.
pub(crate) fn wants_json(args: impl Iterator<Item = OsString>) -> bool {
    let args: Vec<OsString> = args.collect();
    args.iter().any(|arg| arg == "--error-format=json")
        || args.windows(2).any(|pair| pair[0] == "--error-format" && pair[1] == "json")
}

/// What is wrong with the command line, as one object on one line.
pub(crate) fn usage_as_json(error: &clap::Error) {
    let text = error.render().to_string();
    let text = text.trim().strip_prefix("error: ").unwrap_or(text.trim()).to_owned();
    output::stderr(&render::message(Severity::Error, &text, Style::Json));
}

/// Makes a panic say that it is our fault; the exit status of one is 101 anyway.
pub(crate) fn install_panic_hook() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        default(info);
        output::stderr(&format!("{PLEASE_REPORT}\n"));
    }));
}
