//! Answers of questions, and why there is none.

use std::fmt;

use olmdex_ask::AskError;
use olmdex_index::IndexError;
use serde::Serialize;

/// The answer of a question.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The kind of the items, as in the JSON of the command.
    pub(crate) kind: &'static str,
    /// Each item as compact JSON.
    pub(crate) items: Vec<String>,
    /// Whether the only item is the whole answer, without an envelope.
    pub(crate) is_whole: bool,
    /// The warnings of the command.
    pub(crate) warnings: Vec<String>,
}

impl Answer {
    /// An answer of items.
    pub(crate) fn of<T: Serialize>(kind: &'static str, items: &[T]) -> Result<Self, AnswerError> {
        let json = |it: &T| serde_json::to_string(it).map_err(|error| AnswerError::of(error.to_string()));
        let items = items.iter().map(json).collect::<Result<_, _>>()?;
        Ok(Self { kind, items, is_whole: false, warnings: Vec::new() })
    }

    /// An answer that is one document.
    pub(crate) fn whole<T: Serialize>(kind: &'static str, item: &T) -> Result<Self, AnswerError> {
        Ok(Self { is_whole: true, ..Self::of(kind, std::slice::from_ref(item))? })
    }

    /// The answer with warnings.
    pub(crate) fn warned(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }
}

/// The result of a call.
pub(crate) enum Outcome {
    /// The question has an answer, or a reason why there is none, and a command that gives the same.
    Asked(Result<Answer, AnswerError>, String),
    /// The arguments are not those of the tool.
    Invalid(String),
}

/// The reason why a question has no answer: an assistant reads it, and asks again.
#[derive(Debug)]
pub(crate) struct AnswerError {
    /// The fault.
    pub(crate) message: String,
    /// The way out.
    pub(crate) help: Option<String>,
}

impl AnswerError {
    /// An error in words.
    pub(crate) fn of(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    /// The error with help.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<AskError> for AnswerError {
    fn from(error: AskError) -> Self {
        Self { help: error.help(), message: error.to_string() }
    }
}

impl From<IndexError> for AnswerError {
    fn from(error: IndexError) -> Self {
        Self { help: error.help(), message: error.to_string() }
    }
}
