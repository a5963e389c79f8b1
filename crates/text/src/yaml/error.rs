//! Why a text is not YAML that can become JSON.

use std::fmt;

use libyaml_safer::Mark;

/// An error in one document.
///
/// It is displayed as go-yaml v2 words it, with go-yaml's line number: that of the chunk, sometimes one too small, and
/// absent on the first line (`docs/behaviour/fbc.md` 1.3, rule 5). [`Self::line`] and [`Self::column`] are where the
/// problem really is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct YamlError {
    /// Line within the chunk, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// The kind of problem.
    pub kind: YamlErrorKind,
    /// The line that go-yaml tells.
    pub compat_line: Option<u32>,
    /// The message, without prefix and line.
    pub message: String,
}

/// The kinds of [`YamlError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum YamlErrorKind {
    /// The text is not YAML.
    Syntax,
    /// The text is YAML, but a tag, a merge key, a mapping key or an alias in it has no meaning.
    Meaning,
    /// A value or key that JSON cannot express.
    Json,
    /// Nested too deep, or aliases that multiply the document.
    Limit,
    /// The YAML library failed. The document may be at fault or not.
    Internal,
}

impl YamlError {
    pub(super) fn new(kind: YamlErrorKind, mark: Mark, message: impl Into<String>) -> Self {
        Self {
            line: Some(number(mark.line)),
            column: Some(number(mark.column)),
            kind,
            compat_line: None,
            message: message.into(),
        }
    }

    /// An error of the library's scanner or parser. Lines count from 0 there; go-yaml adds one for the scanner only,
    /// and takes 0 as "unknown".
    pub(super) fn from_library(error: &libyaml_safer::Error) -> Self {
        let mark = error.problem_mark().unwrap_or_default();
        let is_scanner = error.kind() == libyaml_safer::ErrorKind::Scanner;
        let mut found = Self::new(YamlErrorKind::Syntax, mark, error.problem());
        found.compat_line = match (mark.line, error.context_mark()) {
            (0, Some(context)) if context.line != 0 => Some(number(context.line - 1)),
            (0, _) => None,
            (line, _) => Some(number(line - u64::from(!is_scanner))),
        };
        found
    }

    /// Corrects the place.
    pub(super) fn move_to(&mut self, mark: Mark) {
        self.line = Some(number(mark.line));
        self.column = Some(number(mark.column));
    }

    pub(super) fn internal() -> Self {
        Self {
            line: None,
            column: None,
            kind: YamlErrorKind::Internal,
            compat_line: None,
            message: "the YAML library failed on this document".to_owned(),
        }
    }
}

/// A number from 0 as one from 1.
fn number(from_zero: u64) -> u32 {
    u32::try_from(from_zero + 1).unwrap_or(u32::MAX)
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == YamlErrorKind::Json {
            return f.write_str(&self.message);
        }
        f.write_str("yaml: ")?;
        if let Some(line) = self.compat_line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for YamlError {}
