//! The report: what happened, as plain records that no longer need the module.
//!
//! It starts as what the plan expects ([`Report::planned`]); a pass that finds it otherwise corrects its rows.

use std::borrow::Cow;

use r8lite_ir::text::Source;
use r8lite_ir::{Field, Func, Module, Sig, Type};
use rustc_hash::FxHashMap;

use crate::names::field_name;
use crate::plan::{Access, Action, CallPlan, Guard, Operation, Plan, Replacement, Site, UpdaterPlan};

/// What happened to a program's updaters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The counts.
    pub summary: Summary,
    /// A row per updater.
    pub updaters: Vec<UpdaterRow>,
    /// A row per call of an updater method.
    pub calls: Vec<CallRow>,
    /// Things worth knowing that belong to no row.
    pub remarks: Vec<String>,
}

/// The counts of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Fields that hold updaters.
    pub updaters_found: usize,
    /// Updaters that got an offset field.
    pub updaters_instrumented: usize,
    /// Updaters that are gone.
    pub updaters_removed: usize,
    /// Calls of updater methods.
    pub calls_total: usize,
    /// Calls that became accesses.
    pub calls_replaced: usize,
    /// Calls that became accesses, there or in copies, which check first that the updater is assigned, since an initialiser
    /// may reach them before.
    pub calls_guarded: usize,
    /// Calls that stay, while copies of their method are used instead.
    pub calls_specialised: usize,
    /// Calls that stay.
    pub calls_kept: usize,
    /// The bytes that copies of methods take in class files.
    pub copied_bytes: usize,
}

/// Where something stands, as far as that is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The source file that `line` refers to; the text's name where `line` is 0.
    pub source: Option<String>,
    /// The line in the source file; 0 where the program names none, until someone who has the text counts to `offset`.
    pub line: u32,
    /// The bytecode offset of what was lifted, or the byte offset in the text.
    pub offset: u32,
}

/// What became of an updater.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UpdaterRow {
    /// Its class.
    pub class: String,
    /// Its field.
    pub field: String,
    /// `Reference`, `Integer` or `Long`.
    pub kind: &'static str,
    /// The field it works on, `Class.field`, if known.
    pub target: Option<String>,
    /// `removed`, `instrumented` (it has an offset field and stays) or `kept`.
    pub status: &'static str,
    /// Whether it got an offset field.
    pub instrumented: bool,
    /// Where it is made; if that is not recognised, where it is declared.
    pub place: Place,
    /// Why it stays and what would change that; what was done, if it does not.
    pub reason: String,
    /// What the reason speaks of.
    pub reason_place: Option<Place>,
}

/// What became of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CallRow {
    /// The class the call stands in.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor, in JVM form.
    pub descriptor: String,
    /// Where it stands.
    pub place: Place,
    /// The updater method: `compareAndSet`.
    pub op: &'static str,
    /// The updater, `Class.field`, if traced.
    pub updater: Option<String>,
    /// `replaced`, `specialised` or `kept`.
    pub status: &'static str,
    /// Whether it was replaced, there or in a copy, and checks first that the updater is assigned.
    pub guarded: bool,
    /// Why it stays and what would change that; what it became, if it does not.
    pub reason: Cow<'static, str>,
}

impl Report {
    /// What is going to happen, by a plan of this very module.
    pub fn planned(module: &Module, plan: &Plan) -> Report {
        Report::rows(module, plan).fold_copies(module, plan)
    }

    /// The same with a row for each call of the plan, those of copies among them.
    pub(crate) fn rows(module: &Module, plan: &Plan) -> Report {
        let mut report = Report {
            summary: Summary::default(),
            updaters: plan.updaters.iter().map(|updater| updater_row(module, updater)).collect(),
            calls: plan.calls.iter().map(|call| call_row(module, plan, call)).collect(),
            remarks: Vec::new(),
        };
        report.count();
        report
    }

    /// Gives the calls of programs that name no lines the lines of the texts they were read from.
    pub fn locate(&mut self, texts: &[Source<'_>]) {
        let updaters = self.updaters.iter_mut().flat_map(|row| [Some(&mut row.place), row.reason_place.as_mut()]);
        let mut places: Vec<&mut Place> = updaters.flatten().collect();
        places.extend(self.calls.iter_mut().map(|row| &mut row.place));
        places.retain(|place| place.line == 0);
        places.sort_by_key(|place| place.offset);
        for text in texts {
            let (mut line, mut counted) = (1, 0);
            for place in places.iter_mut().filter(|place| place.source.as_deref() == Some(text.name)) {
                let offset = (place.offset as usize).min(text.text.len());
                line += text.text.as_bytes()[counted..offset].iter().filter(|&&byte| byte == b'\n').count() as u32;
                counted = offset;
                place.line = line;
            }
        }
    }

    /// This report, of `plan`, with what became of its rows by a plan that was made when that one was carried out.
    pub(crate) fn followed_by(mut self, module: &Module, plan: &Plan, later_plan: &Plan, later: Report) -> Report {
        let numbers = plan.calls.iter().map(|call| call.site).zip(0..).collect();
        let later_calls = later_plan.calls.iter().map(|call| call.site).zip(later.calls);
        merge_calls(module, &mut self.calls, &numbers, later_calls);
        let updaters: FxHashMap<Field, usize> = plan.updaters.iter().map(|updater| updater.field).zip(0..).collect();
        for (updater, row) in later_plan.updaters.iter().zip(later.updaters) {
            if let Some(&at) = updaters.get(&updater.field) {
                let instrumented = self.updaters[at].instrumented || row.instrumented;
                let status = if instrumented && row.status == "kept" { "instrumented" } else { row.status };
                let is_late = instrumented && !row.instrumented && status == "removed";
                let reason = if is_late { "its offset field takes its place".to_owned() } else { row.reason };
                self.updaters[at] = UpdaterRow { instrumented, status, reason, ..row };
            }
        }
        self.remarks.extend(later.remarks);
        self.count();
        self
    }

    /// This report, with a row for each call of `plan`, without those of calls in copies: what became of them is in the
    /// rows of their originals. Those of methods that go are replaced.
    pub(crate) fn fold_copies(mut self, module: &Module, plan: &Plan) -> Report {
        if plan.calls.iter().all(|call| module.funcs[call.site.func].copy_of.is_none())
            && self.calls.iter().all(|row| row.status != "specialised")
        {
            return self;
        }
        let rows = plan.calls.iter().map(|call| call.site).zip(std::mem::take(&mut self.calls));
        let is_copy = |(site, _): &(Site, CallRow)| module.funcs[site.func].copy_of.is_some();
        let (copied, own): (Vec<_>, Vec<_>) = rows.partition(is_copy);
        let numbers = own.iter().map(|&(site, _)| site).zip(0..).collect();
        let (sites, mut rows): (Vec<Site>, Vec<CallRow>) = own.into_iter().unzip();
        merge_calls(module, &mut rows, &numbers, copied.into_iter());
        let goes = |func: Func| {
            plan.originals.contains(&func) || !module.classes[module.funcs[func].class].methods.contains(&func)
        };
        for (site, row) in sites.iter().zip(&mut rows) {
            if row.status == "specialised" && goes(site.func) {
                row.status = "replaced";
                row.reason = "copies of its method, one for each updater, took its place".into();
            }
        }
        self.calls = rows;
        self.count();
        self
    }

    /// Makes the summary agree with the rows.
    pub fn count(&mut self) {
        let calls = |status: &str| self.calls.iter().filter(|row| row.status == status).count();
        self.summary = Summary {
            updaters_found: self.updaters.len(),
            updaters_instrumented: self.updaters.iter().filter(|row| row.instrumented).count(),
            updaters_removed: self.updaters.iter().filter(|row| row.status == "removed").count(),
            calls_total: self.calls.len(),
            calls_replaced: calls("replaced"),
            calls_guarded: self.calls.iter().filter(|row| row.status != "kept" && row.guarded).count(),
            calls_specialised: calls("specialised"),
            calls_kept: calls("kept"),
            copied_bytes: self.summary.copied_bytes,
        };
    }
}

/// Puts what became of calls later into their rows; those of copies into the rows of their originals.
fn merge_calls(
    module: &Module,
    rows: &mut [CallRow],
    numbers: &FxHashMap<Site, usize>,
    later: impl Iterator<Item = (Site, CallRow)>,
) {
    for (site, later) in later {
        let original = module.funcs[site.func].copy_of;
        let Some(&number) = numbers.get(&Site { func: original.unwrap_or(site.func), ..site }) else { continue };
        let row = &mut rows[number];
        match later.status {
            "replaced" if original.is_none() => *row = later,
            "replaced" if row.status == "kept" => {
                let stays = std::mem::take(&mut row.reason);
                row.reason =
                    format!("copies of its method are used where the updater is known; the call itself stays: {stays}")
                        .into();
                row.status = "specialised";
                row.guarded = later.guarded;
            }
            "replaced" if row.status == "specialised" => row.guarded |= later.guarded,
            _ => {}
        }
    }
}

/// An updater is gone, whatever the plan expected.
pub(crate) fn updater_gone(row: &mut UpdaterRow) {
    if row.status != "removed" {
        row.status = "removed";
        "nothing uses it".clone_into(&mut row.reason);
        row.reason_place = None;
    }
}

/// An updater is still there, whatever the plan expected.
pub(crate) fn updater_stayed(row: &mut UpdaterRow) {
    if row.status == "removed" {
        row.status = if row.instrumented { "instrumented" } else { "kept" };
        "it is still used: a pass that ends that did not run".clone_into(&mut row.reason);
    }
}

/// An updater's offset field turned out to be unused, and is gone.
pub(crate) fn not_instrumented(row: &mut UpdaterRow) {
    row.instrumented = false;
    if row.status == "instrumented" {
        row.status = "kept";
    }
}

/// A call that was to be replaced is not there any more.
pub(crate) fn call_gone(row: &mut CallRow) {
    row.status = "kept";
    row.reason = "it was not found where the plan saw it: an earlier pass moved or removed it".into();
}

fn updater_row(module: &Module, updater: &UpdaterPlan) -> UpdaterRow {
    let data = &module.fields[updater.field];
    let status = match (&updater.recognised, updater.remove, &updater.offset) {
        (None, ..) | (Some(_), false, None) => "kept",
        (Some(_), true, _) => "removed",
        (Some(_), false, Some(_)) => "instrumented",
    };
    let reason = match (&updater.reason, &updater.offset) {
        (Some(reason), _) => reason.text.clone(),
        (None, Some(offset)) => [&offset.name, " takes its place"].concat(),
        (None, None) => "no call needs an offset".to_owned(),
    };
    UpdaterRow {
        class: module.class_name(data.class).to_owned(),
        field: module.name(data.name).to_owned(),
        kind: updater.kind.name(),
        target: updater.recognised.map(|recognised| field_name(module, recognised.target)),
        status,
        instrumented: updater.offset.is_some(),
        place: match updater.recognised {
            Some(recognised) => place(module, recognised.creation),
            None => {
                let source = module.classes[data.class].file.map(|file| module.files[file].clone());
                Place { source, line: 0, offset: data.pos }
            }
        },
        reason,
        reason_place: updater.reason.as_ref().and_then(|reason| Some(place(module, reason.at?))),
    }
}

/// Where an instruction stands.
fn place(module: &Module, site: Site) -> Place {
    let func = &module.funcs[site.func];
    let class = &module.classes[func.class];
    let origin = func.body.as_ref().map(|body| body.insts[site.inst].origin).unwrap_or_default();
    let source = match origin.line {
        0 => class.file.map(|file| module.files[file].clone()),
        _ => class.source.map(|source| module.name(source).to_owned()),
    };
    Place { source, line: origin.line, offset: origin.pos }
}

fn call_row(module: &Module, plan: &Plan, call: &CallPlan) -> CallRow {
    let func = &module.funcs[call.site.func];
    let (status, reason) = match &call.action {
        Action::Keep(reason) => ("kept", reason.text.clone().into()),
        Action::Replace(replacement) => ("replaced", describe(call, replacement)),
    };
    CallRow {
        class: module.class_name(func.class).to_owned(),
        method: module.name(func.name).to_owned(),
        descriptor: descriptor(module, func.sig),
        place: place(module, call.site),
        op: call.op.name(),
        updater: call.updater.map(|id| field_name(module, plan.updaters[id.0 as usize].field)),
        status,
        guarded: matches!(&call.action, Action::Replace(replacement) if replacement.guard == Guard::Offset),
        reason,
    }
}

/// What a replaced call became.
fn describe(call: &CallPlan, replacement: &Replacement) -> Cow<'static, str> {
    let text = match replacement.access {
        Access::Field if call.op == Operation::Get => "getfield",
        Access::Field => "putfield",
        Access::Offset => call.op.access_name(),
    };
    let mut checks = Vec::new();
    match replacement.guard {
        Guard::Proven => {}
        Guard::Trigger => checks.push("initialises the class first"),
        Guard::Offset => checks.push("checks that the updater is assigned"),
    }
    if replacement.check_holder {
        checks.push("checks the holder");
    }
    if replacement.check_value {
        checks.push("checks the new value");
    }
    match checks.is_empty() {
        true => text.into(),
        false => format!("{text}; {}", checks.join(", ")).into(),
    }
}

/// A signature as a method descriptor, by JVMS 4.3.3.
fn descriptor(module: &Module, sig: Sig) -> String {
    let sig = module.sig(sig);
    let mut text = "(".to_owned();
    sig.params.iter().for_each(|&param| push_descriptor(module, &mut text, param));
    text.push(')');
    match sig.ret {
        Some(ret) => push_descriptor(module, &mut text, ret),
        None => text.push('V'),
    }
    text
}

fn push_descriptor(module: &Module, text: &mut String, ty: Type) {
    let letter = match ty {
        Type::Bool => 'Z',
        Type::I8 => 'B',
        Type::U16 => 'C',
        Type::I16 => 'S',
        Type::I32 => 'I',
        Type::I64 => 'J',
        Type::F32 => 'F',
        Type::F64 => 'D',
        Type::Null => unreachable!("no parameter is declared with the type of null"),
        Type::Class(class) => {
            text.push('L');
            let name = module.class_name(class);
            for (index, part) in name.split('.').enumerate() {
                if index > 0 {
                    text.push('/');
                }
                text.push_str(part);
            }
            ';'
        }
        Type::Array(array) => {
            text.push('[');
            return push_descriptor(module, text, module.array_element(array));
        }
    };
    text.push(letter);
}
