//! The result of a rule: in our words with a place, and beside it the message of the real validators.

use super::contents::Contents;
use olmdex_base::diag::{Finding, Place, Rule, Severity};
use olmdex_fbc::{self as fbc, Spot};
use olmdex_text::json::Step;

/// A problem of a bundle.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The rule that is broken; its severity is the level of the real validator.
    pub rule: &'static Rule,
    /// The fault.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// The place.
    pub at: At,
    /// The message of the real validator; `None` if it has none.
    pub observed: Option<Observed>,
    /// Whether it is a finding of ours too. Repetitions and errors of the real validators are theirs alone.
    pub is_ours: bool,
}

/// A place in a bundle.
#[derive(Debug, Clone)]
pub enum At {
    /// A directory or file as a whole, by its path below the bundle.
    Path(String),
    /// In a document of a file, by the file's number.
    File(usize, Spot),
}

/// A finding of the real validators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// Error or warning.
    pub level: Severity,
    /// The type, for example `CSVFileNotValid`; empty if the finding is only a text.
    pub kind: String,
    /// The field; empty if there is none.
    pub field: String,
    /// The value, which may be an empty text.
    pub value: Option<String>,
    /// The sentence.
    pub detail: String,
}

impl Observed {
    /// A text without anything around it.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { level: Severity::Error, kind: String::new(), field: String::new(), value: None, detail: text.into() }
    }

    pub(super) fn new(level: Severity, kind: &str, value: impl Into<String>, detail: impl Into<String>) -> Self {
        let (kind, field) = (kind.to_owned(), String::new());
        Self { level, kind, field, value: Some(value.into()), detail: detail.into() }
    }

    /// A finding about a ClusterServiceVersion, whose name is in the sentence and not in the value.
    pub(super) fn csv(level: Severity, name: &str, detail: &str) -> Self {
        Self::new(level, "CSVFileNotValid", "", format!("({name}) {detail}"))
    }
}

impl std::fmt::Display for Observed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { level, kind, field, value, detail } = self;
        if kind.is_empty() {
            return f.write_str(detail);
        }
        f.write_str(if *level == Severity::Error { "Error: " } else { "Warning: " })?;
        match (field.is_empty(), value) {
            (false, Some(value)) => write!(f, "Field {field}, Value {value}: {detail}"),
            (false, None) => write!(f, "Field {field}: {detail}"),
            (true, Some(value)) => write!(f, "Value {value}: {detail}"),
            (true, None) => write!(f, ": {detail}"),
        }
    }
}

impl Problem {
    pub(super) fn new(rule: &'static Rule, at: At, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { rule, message: message.into(), help: help.into(), at, observed: None, is_ours: true }
    }

    /// Adds the real validator's message, whose level is that of the rule.
    pub(super) fn observed(self, observed: Observed) -> Self {
        debug_assert!(
            !self.is_ours || self.message.is_empty() || self.rule.severity == observed.level,
            "{}",
            self.rule.id
        );
        Self { observed: Some(observed), ..self }
    }

    /// Marks a message that only the real validator has.
    pub(super) fn tool_only(self) -> Self {
        Self { is_ours: false, ..self }
    }

    /// With a text of the real validator.
    pub(super) fn wording(self, text: impl Into<String>) -> Self {
        Self { observed: Some(Observed::text(text)), ..self }
    }

    /// The finding for people and programs.
    #[must_use]
    pub fn finding(&self, contents: &Contents) -> Finding {
        Finding {
            rule: self.rule,
            message: self.message.clone(),
            place: Some(self.place(contents)),
            help: Some(self.help.clone()).filter(|it| !it.is_empty()),
            package: None,
            check: None,
        }
    }

    fn place(&self, contents: &Contents) -> Place {
        let (number, spot) = match &self.at {
            At::Path(path) => return Place::at_line(&contents.shown(path), 1),
            At::File(number, spot) => (*number, spot),
        };
        let Some(file) = contents.files.get(number) else { return Place::default() };
        let shown = contents.shown(&file.path);
        let Some(origin) = file.origin else { return Place::at_line(&shown, 1) };
        let start = usize::try_from(origin.offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(origin.len).unwrap_or(usize::MAX)).min(file.text.len());
        let found = fbc::locate(file.text.get(start..end).unwrap_or_default(), origin, spot);
        Place {
            file: shown,
            line: found.line,
            column: found.column,
            source: Some(found.text),
            source_column: found.text_column,
        }
    }
}

/// The steps of a path such as `spec.installModes.0.type`; a number is an index.
pub(super) fn steps(path: &str) -> Vec<Step> {
    let step = |it: &str| match it.parse::<usize>() {
        Ok(idx) => Step::from(idx),
        Err(_) => Step::from(it),
    };
    path.split('.').filter(|it| !it.is_empty()).map(step).collect()
}

/// The place of an annotation, at its key.
pub(super) fn annotation(name: &str) -> Spot {
    Spot::Key(vec!["metadata".into(), "annotations".into(), name.into()])
}
