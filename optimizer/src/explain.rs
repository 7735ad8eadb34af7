//! The report in the two forms people and tools read it in: text for `--explain`, JSON for `--report`.

use std::collections::HashMap;
use std::fmt::Write;

use r8lite_passes::report::{CallRow, Place, Report, Summary, UpdaterRow};
use serde::Serialize;

/// The report for people: a line an updater, a line a call, grouped by class, the summary last.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    for Group { class, updaters, calls } in groups(report) {
        push_line(&mut out, class);
        updaters.into_iter().for_each(|row| push_line(&mut out, &updater_line(row)));
        calls.into_iter().for_each(|row| push_line(&mut out, &call_line(row)));
        out.push('\n');
    }
    for remark in &report.remarks {
        push_line(&mut out, &format!("note: {remark}"));
    }
    summary_lines(&mut out, &report.summary);
    out
}

/// The rows that speak of one class.
struct Group<'a> {
    class: &'a str,
    updaters: Vec<&'a UpdaterRow>,
    calls: Vec<&'a CallRow>,
}

/// The rows by class, in the order of each class's first row.
fn groups(report: &Report) -> Vec<Group<'_>> {
    let updaters = report.updaters.iter().map(|row| (row.class.as_str(), Some(row), None));
    let calls = report.calls.iter().map(|row| (row.class.as_str(), None, Some(row)));
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (class, updater, call) in updaters.chain(calls) {
        let place = *places.entry(class).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group { class, updaters: Vec::new(), calls: Vec::new() });
        }
        groups[place].updaters.extend(updater);
        groups[place].calls.extend(call);
    }
    groups
}

/// Adds one line, and keeps it one: what a name has of control characters is spelt out.
fn push_line(out: &mut String, line: &str) {
    for c in line.chars() {
        match c.is_control() {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out.push('\n');
}

fn updater_line(row: &UpdaterRow) -> String {
    let target = row.target.as_ref().map(|target| format!(" on {target}")).unwrap_or_default();
    // What is gone or was never in the way had its offset field first; that is worth a word only where both are true.
    let status = match (row.instrumented, row.status) {
        (true, "removed") => "instrumented and removed",
        (_, status) => status,
    };
    let reason = match &row.reason_place {
        Some(at) => reason(&format!("{} ({})", row.reason, place(at))),
        None => reason(&row.reason),
    };
    format!("  {} updater {} ({}{target}): {status}{reason}", place(&row.place), row.field, row.kind)
}

fn call_line(row: &CallRow) -> String {
    let updater = row.updater.as_ref().map(|updater| format!(" of {updater}")).unwrap_or_default();
    // The updater is named already.
    let named = row.updater.as_ref().and_then(|updater| row.reason.strip_prefix(updater)?.strip_prefix(": "));
    let reason = reason(named.unwrap_or(&row.reason));
    format!("  {} {}: {}{updater}: {}{reason}", place(&row.place), row.method, row.op, row.status)
}

/// `Source.java:12`; of bytecode without line numbers, `bytecode 12`, its offset.
fn place(place: &Place) -> String {
    match (&place.source, place.line) {
        (Some(source), line) => format!("{source}:{line}"),
        (None, 0) => format!("bytecode {}", place.offset),
        (None, line) => format!("line {line}"),
    }
}

fn reason(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

fn summary_lines(out: &mut String, summary: &Summary) {
    let Summary { updaters_found, updaters_instrumented, updaters_removed, .. } = summary;
    let Summary { calls_total, calls_replaced, calls_guarded, calls_specialised, calls_kept, copied_bytes, .. } =
        summary;
    writeln!(out, "updaters: {updaters_found} found, {updaters_instrumented} instrumented, {updaters_removed} removed")
        .expect("writing to a string");
    let specialised =
        if *calls_specialised == 0 { String::new() } else { format!("{calls_specialised} specialised, ") };
    let copied =
        if *copied_bytes == 0 { String::new() } else { format!("; copies of methods take {copied_bytes} bytes") };
    let guarded = if *calls_guarded == 0 { String::new() } else { format!(" ({calls_guarded} with a guard)") };
    writeln!(
        out,
        "calls: {calls_total} in all, {calls_replaced} replaced{guarded}, {specialised}{calls_kept} kept{copied}"
    )
    .expect("writing to a string");
}

/// The share of calls that the program no longer makes, in percent; all of them if there are none.
pub fn replaced_percent(summary: &Summary) -> f64 {
    if summary.calls_total == 0 {
        return 100.0;
    }
    100.0 * (summary.calls_replaced + summary.calls_specialised) as f64 / summary.calls_total as f64
}

/// The report for tools. The form is fixed; `schema` goes up if it ever changes.
///
/// # Panics
/// Never: strings and numbers can always be written as JSON.
pub fn json(report: &Report) -> String {
    let Summary { updaters_found, updaters_instrumented, updaters_removed, .. } = report.summary;
    let Summary { calls_total, calls_replaced, calls_guarded, calls_specialised, calls_kept, copied_bytes, .. } =
        report.summary;
    let json = Json {
        schema: 1,
        summary: JsonSummary {
            updaters: JsonUpdaters {
                found: updaters_found,
                instrumented: updaters_instrumented,
                removed: updaters_removed,
            },
            calls: JsonCalls {
                total: calls_total,
                replaced: calls_replaced,
                guarded: calls_guarded,
                specialised: calls_specialised,
                kept: calls_kept,
            },
            copies: JsonCopies { bytes: copied_bytes },
        },
        updaters: report.updaters.iter().map(JsonUpdater::new).collect(),
        calls: report.calls.iter().map(JsonCall::new).collect(),
        remarks: &report.remarks,
    };
    let mut out = serde_json::to_string_pretty(&json).expect("strings and numbers serialise");
    out.push('\n');
    out
}

#[derive(Serialize)]
struct Json<'a> {
    schema: u32,
    summary: JsonSummary,
    updaters: Vec<JsonUpdater<'a>>,
    calls: Vec<JsonCall<'a>>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct JsonSummary {
    updaters: JsonUpdaters,
    calls: JsonCalls,
    copies: JsonCopies,
}

#[derive(Serialize)]
struct JsonUpdaters {
    found: usize,
    instrumented: usize,
    removed: usize,
}

#[derive(Serialize)]
struct JsonCalls {
    total: usize,
    replaced: usize,
    guarded: usize,
    specialised: usize,
    kept: usize,
}

#[derive(Serialize)]
struct JsonCopies {
    bytes: usize,
}

#[derive(Serialize)]
struct JsonUpdater<'a> {
    class: &'a str,
    field: &'a str,
    kind: &'a str,
    target: Option<&'a str>,
    status: &'a str,
    instrumented: bool,
    source: Option<&'a str>,
    line: u32,
    reason: &'a str,
    reason_source: Option<&'a str>,
    reason_line: Option<u32>,
}

impl<'a> JsonUpdater<'a> {
    fn new(row: &'a UpdaterRow) -> Self {
        Self {
            class: &row.class,
            field: &row.field,
            kind: row.kind,
            target: row.target.as_deref(),
            status: row.status,
            instrumented: row.instrumented,
            source: row.place.source.as_deref(),
            line: row.place.line,
            reason: &row.reason,
            reason_source: row.reason_place.as_ref().and_then(|place| place.source.as_deref()),
            reason_line: row.reason_place.as_ref().map(|place| place.line),
        }
    }
}

#[derive(Serialize)]
struct JsonCall<'a> {
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
    offset: u32,
    source: Option<&'a str>,
    line: u32,
    op: &'a str,
    updater: Option<&'a str>,
    status: &'a str,
    guarded: bool,
    reason: &'a str,
}

impl<'a> JsonCall<'a> {
    fn new(row: &'a CallRow) -> Self {
        Self {
            class: &row.class,
            method: &row.method,
            descriptor: &row.descriptor,
            offset: row.place.offset,
            source: row.place.source.as_deref(),
            line: row.place.line,
            op: row.op,
            updater: row.updater.as_deref(),
            status: row.status,
            guarded: row.guarded,
            reason: &row.reason,
        }
    }
}
