//! The errors that yamllint reports, and the rules that they break.

/// An error that yamllint reports.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LintProblem {
    /// Line of the file, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The rule, as yamllint's documentation names it. `None` is an error of syntax, or a text that cannot be read.
    pub rule: Option<&'static str>,
    /// The message.
    pub message: String,
}

/// The rules of yamllint's default configuration whose breaches are errors there. (Those of lengths of lines, truth
/// values, starts of documents and comments are warnings, which fail no pipeline.)
const RULES: [&str; 12] = [
    "anchors",
    "braces",
    "brackets",
    "colons",
    "commas",
    "empty-lines",
    "hyphens",
    "indentation",
    "key-duplicates",
    "new-line-at-end-of-file",
    "new-lines",
    "trailing-spaces",
];

fn number_of(rule: &str) -> Option<usize> {
    RULES.iter().position(|name| *name == rule)
}

/// A problem with a rule, at a place counted from 0.
pub(super) fn broken(rule: &'static str, line: u32, column: u32, message: impl Into<String>) -> LintProblem {
    LintProblem { rule: Some(rule), ..unruly(line, column, message) }
}

/// An error without a rule, at a place counted from 0.
pub(super) fn unruly(line: u32, column: u32, message: impl Into<String>) -> LintProblem {
    LintProblem { line: line.saturating_add(1), column: column.saturating_add(1), rule: None, message: message.into() }
}

/// A set of rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rules(u32);

impl Rules {
    pub(super) const ALL: Self = Self((1 << RULES.len()) - 1);

    /// Adds a rule, if it is one.
    pub(super) fn insert(&mut self, rule: &str) {
        self.0 |= number_of(rule).map_or(0, |number| 1 << number);
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn has(self, rule: &str) -> bool {
        number_of(rule).is_some_and(|number| self.0 & 1 << number != 0)
    }
}
