//! Findings as data: the problem, its place, and the remedy.
//!
//! Checks make [`Finding`]s; they never print or fail. [`text`], [`json`], [`sarif`] and [`github`] are renderers of
//! the same data; [`junit`] is one of any results. A [`Rule`] is a constant in a table of the module that applies it.
//! [`selection`] decides which findings the user wants to see, [`baseline`] which are known, and [`repeated`] which of
//! many similar ones are shown.

pub mod baseline;
pub mod envelope;
mod finding_set;
mod fingerprint;
pub mod github;
pub mod gitlab;
mod guesses;
pub mod json;
pub mod junit;
mod listed;
mod many;
mod printable;
mod region;
pub mod repeated;
mod rule_table;
pub mod sarif;
pub mod selection;
mod similar;
pub mod text;

pub use finding_set::FindingSet;
pub use fingerprint::fingerprints;
pub use guesses::Guesses;
pub use listed::Listed;
pub use many::may_have;
pub use many::{TOO_MANY_FINDINGS, is_finding_limit_reached, lift_finding_limit};
pub use printable::{is_hidden, printable, printable_line, shortened, xml_text};
pub use region::end_column;
pub use rule_table::rules;
pub use rule_table::with_severity;
pub use similar::{before_version, closest, closest_of_same_numbers, slip_of};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The real tools refuse the catalog.
    Error,
    /// The real tools accept it, and something will not work as its author expects.
    Warning,
    /// It surprises readers and changes no answer. It counts for no exit code.
    Note,
}

crate::named!(Severity => word);

/// One rule of a valid catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable identifier, for example `E0207`. It is never used again for another rule.
    pub id: &'static str,
    /// Stable name in kebab case.
    pub name: &'static str,
    /// How bad it is to break the rule.
    pub severity: Severity,
    /// The rule in one sentence.
    pub summary: &'static str,
    /// The reason for it and the remedy, for `--explain`.
    pub explanation: &'static str,
    /// A short catalog that breaks it.
    pub example: &'static str,
}

/// The address of the project.
pub const HOME: &str = env!("CARGO_PKG_REPOSITORY");

/// The address of the page of all rules. Addresses of rules are stable, as their identifiers and names are.
const RULES_PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules.md");

impl Rule {
    /// The address of the rule's documentation.
    pub fn help_uri(&self) -> String {
        format!("{RULES_PAGE}#{}-{}", self.id.to_ascii_lowercase(), self.name)
    }

    /// The finding that something breaks the rule.
    pub fn finding(&'static self, message: impl Into<String>) -> Finding {
        Finding { rule: self, message: message.into(), place: None, help: None, package: None, check: None }
    }
}

/// A place in a file, as the user named it. Lines and columns count from 1. Findings, which say more, have a form of
/// their own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, schemars::JsonSchema)]
pub struct Place {
    /// The file, or empty.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
    /// The text of the line, or a part of it, if it is available.
    #[serde(skip)]
    pub source: Option<String>,
    /// The column at which that text starts.
    #[serde(skip)]
    pub source_column: u32,
}

impl Place {
    /// The beginning of a line.
    pub fn at_line(file: &str, line: u32) -> Self {
        Self::at(file, line, 1)
    }

    /// A line and column.
    pub fn at(file: &str, line: u32, column: u32) -> Self {
        Self { file: file.to_owned(), line, column, ..Self::default() }
    }
}

/// `file:line:column`.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A problem of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The description of the problem, with names.
    pub message: String,
    /// The place; `None` for the catalog as a whole.
    pub place: Option<Place>,
    /// The remedy.
    pub help: Option<String>,
    /// The package that it is about, if it is about one.
    pub package: Option<String>,
    /// The name of the check in the pipeline that is asked, if it has one.
    pub check: Option<&'static str>,
}

impl Finding {
    /// Whether it is more than a note.
    pub fn counts(&self) -> bool {
        self.rule.severity != Severity::Note
    }

    /// Sets the place.
    #[must_use]
    pub fn at(self, place: impl Into<Option<Place>>) -> Self {
        Self { place: place.into(), ..self }
    }

    /// Sets the remedy.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Sets the package.
    #[must_use]
    pub fn of_package(self, name: impl Into<Option<String>>) -> Self {
        Self { package: name.into(), ..self }
    }

    /// Sets the name of the check in the pipeline.
    #[must_use]
    pub fn check(self, name: impl Into<Option<&'static str>>) -> Self {
        Self { check: name.into(), ..self }
    }
}

/// The number of findings of each severity, but for notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
}

impl Tally {
    /// Counts findings.
    pub fn of(findings: &[Finding]) -> Self {
        let errors = findings.iter().filter(|it| it.rule.severity == Severity::Error).count();
        let notes = findings.iter().filter(|finding| finding.rule.severity == Severity::Note).count();
        Self { errors, warnings: findings.len() - errors - notes }
    }
}

/// A number of things, in words: `1 package`, `6,228 packages`.
pub fn counted(n: u64, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{} {word}s", grouped(n)) }
}

/// A number with commas between the thousands.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.errors, self.warnings) {
            (errors, 0) => f.write_str(&counted(errors as u64, "error")),
            (0, warnings) => f.write_str(&counted(warnings as u64, "warning")),
            (errors, warnings) => {
                write!(f, "{}, {}", counted(errors as u64, "error"), counted(warnings as u64, "warning"))
            }
        }
    }
}
