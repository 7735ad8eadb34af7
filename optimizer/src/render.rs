//! Dressing diagnostics: for a terminal with the line and a caret, or as one JSON object a line.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use r8lite_ir::diag::{Diagnostic, Severity};
use r8lite_ir::{File, PrimaryMap};
use serde::Serialize;

/// The texts that diagnostics speak of, by their [`File`].
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// Their names.
    pub names: &'a PrimaryMap<File, String>,
    /// Their contents, of those that are at hand, by name.
    pub sources: &'a [r8lite_ir::text::Source<'a>],
}

impl<'a> Texts<'a> {
    fn name(&self, file: File) -> &'a str {
        &self.names[file]
    }

    fn text(&self, file: File) -> Option<&'a str> {
        let name = self.name(file);
        self.sources.iter().find(|source| source.name == name).map(|source| source.text)
    }
}

/// How diagnostics are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `file:line:col`, the line, a caret, the help.
    Plain,
    /// The same with colours.
    Coloured,
    /// One JSON object a line.
    Json,
}

/// Draws diagnostics, each ended by a line break.
pub fn diagnostics(diagnostics: &[Diagnostic], texts: Texts<'_>, style: Style) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let place = Place::of(diagnostic, texts);
        match style {
            Style::Json => out += &json(diagnostic, place.as_ref()),
            Style::Plain => out += &draw(diagnostic, place.as_ref(), &Renderer::plain()),
            Style::Coloured => out += &draw(diagnostic, place.as_ref(), &Renderer::styled()),
        }
        out.push('\n');
    }
    out
}

/// A span, found in its text.
struct Place<'a> {
    name: &'a str,
    line: usize,
    column: usize,
    /// The whole line.
    text: &'a str,
    /// The bytes of `text` that the span covers; the rest of a span of several lines is left out.
    span: Range<usize>,
}

impl<'a> Place<'a> {
    fn of(diagnostic: &Diagnostic, texts: Texts<'a>) -> Option<Self> {
        let file = diagnostic.file?;
        let (name, text) = (texts.name(file), texts.text(file)?);
        let start = floor_char_boundary(text, diagnostic.span.start as usize);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = floor_char_boundary(text, diagnostic.span.end as usize).clamp(start, line_end);
        Some(Self {
            name,
            line: 1 + text[..line_start].matches('\n').count(),
            column: 1 + text[line_start..start].chars().count(),
            text: text[line_start..line_end].trim_end_matches('\r'),
            span: start - line_start..end - line_start,
        })
    }
}

/// The nearest place at or before `at` where a character starts.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn draw(diagnostic: &Diagnostic, place: Option<&Place<'_>>, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    // The library takes a title's line breaks and controls to heart; messages quote names from the input.
    let message = one_line(&diagnostic.message);
    let title = level.primary_title(&*message).id(diagnostic.code);
    let label = if diagnostic.place.is_empty() { String::new() } else { format!("in {}", one_line(&diagnostic.place)) };
    let help = diagnostic.help.as_deref().map(one_line);
    let mut group = match place {
        Some(place) => {
            let annotation = AnnotationKind::Primary.span(place.span.clone()).label(&*label);
            let snippet = Snippet::source(place.text).path(place.name).line_start(place.line).annotation(annotation);
            title.element(snippet)
        }
        None => {
            let note = (!label.is_empty()).then(|| Level::NOTE.message(&*label));
            annotate_snippets::Group::with_title(title).elements(note)
        }
    };
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(&**help));
    }
    renderer.render(&[group])
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    severity: &'static str,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "str::is_empty")]
    place: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

fn json(diagnostic: &Diagnostic, place: Option<&Place<'_>>) -> String {
    let object = JsonDiagnostic {
        severity: match diagnostic.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        code: diagnostic.code,
        file: place.map(|place| place.name),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        place: &diagnostic.place,
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
    };
    serde_json::to_string(&object).expect("strings and numbers serialise")
}

/// A message of the command itself, in the same style as diagnostics, ended by a line break.
pub fn message(severity: Severity, text: &str, style: Style) -> String {
    let word = match severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    match style {
        Style::Json => format!("{}\n", serde_json::json!({ "severity": word, "message": text })),
        Style::Plain => format!("{word}: {text}\n"),
        Style::Coloured => {
            let colour = if severity == Severity::Error { 31 } else { 33 };
            format!("\x1b[1;{colour}m{word}\x1b[0m: {text}\n")
        }
    }
}
