//! The result of a rule, with a place and the name that the real validators have for it.

use super::contents::Contents;
use olmdex_base::diag::{Finding, Place, Rule};
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
    /// The real validator's name for findings of this type, for example `CSVFileNotValid`. It is empty for a validator
    /// without such names, and `None` if no real validator reports the problem.
    pub kind: Option<&'static str>,
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

impl Problem {
    pub(super) fn new(rule: &'static Rule, at: At, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { rule, message: message.into(), help: help.into(), at, kind: None, is_ours: true }
    }

    /// Marks a problem that a real validator reports at the level of the rule, as a finding of this type.
    pub(super) fn reported_as(self, kind: &'static str) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Marks a problem that a validator without types of findings reports.
    pub(super) fn reported(self) -> Self {
        self.reported_as("")
    }

    /// Marks a problem that only the real validator reports.
    pub(super) fn tool_only(self) -> Self {
        Self { is_ours: false, ..self }
    }

    /// The finding for people and programs.
    pub fn finding(&self, contents: &Contents) -> Finding {
        let help = Some(self.help.clone()).filter(|it| !it.is_empty());
        Finding { help, ..self.rule.finding(&*self.message).at(self.place(contents)) }
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
        fbc::locate(file.text.get(start..end).unwrap_or_default(), origin, spot).in_file(&shown)
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
