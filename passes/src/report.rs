//! The report: what happened, as plain records that no longer need the module.

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
    /// Calls that stay, while copies of their method are used instead.
    pub calls_specialised: usize,
    /// Calls that stay.
    pub calls_kept: usize,
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
    /// `removed`, `instrumented` (it has an offset field and stays), `unused` (recognised, nothing to do) or `kept`.
    pub status: &'static str,
    /// Whether it got an offset field.
    pub instrumented: bool,
    /// Why it stays and what would change that; what was done, if it does not.
    pub reason: String,
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
    /// The bytecode offset of a lifted call, or the byte offset in the text.
    pub offset: u32,
    /// The source file that `line` refers to, if known.
    pub source: Option<String>,
    /// The line in the source file, or in the text where the text names none.
    pub line: u32,
    /// The updater method: `compareAndSet`.
    pub op: &'static str,
    /// The updater, `Class.field`, if traced.
    pub updater: Option<String>,
    /// `replaced`, `specialised` or `kept`.
    pub status: &'static str,
    /// Why it stays and what would change that; what it became, if it does not.
    pub reason: String,
}
