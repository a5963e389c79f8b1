//! Why a rule is refused, and why its evaluation ends without an answer.

use std::sync::Arc;

use thiserror::Error;

/// The reason why a rule cannot be used. Its text has cel-go's form, and its words where possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// The fault.
    pub kind: RuleErrorKind,
    /// The line and the column, from 1, in characters; `None` if it is about the whole rule.
    pub at: Option<(usize, usize)>,
}

/// A fault in a rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RuleErrorKind {
    /// It has too many characters.
    #[error("expression code point size exceeds limit: size: {size}, limit {limit}")]
    Size {
        /// The number of characters that it has.
        size: usize,
        /// How many it may have.
        limit: usize,
    },
    /// It is nested too deeply.
    #[error("expression recursion limit exceeded: {limit}")]
    Depth { limit: usize },
    /// The text is not an expression.
    #[error("Syntax error: {0}")]
    Syntax(String),
    /// A part of the text is not valid in its form.
    #[error("{0}")]
    Invalid(String),
    /// A name does not exist.
    #[error("undeclared reference to '{0}' (in container '')")]
    Undeclared(String),
    /// A function or operator does not take these.
    #[error("found no matching overload for '{function}' applied to '{operands}'")]
    NoOverload {
        /// The function, as cel-go names operators too.
        function: String,
        /// The types of its operands.
        operands: String,
    },
    /// The operation is not possible with a value of this type.
    #[error("{0}")]
    Type(String),
    /// The rule is not a yes or no.
    #[error("cel expressions must have type Bool")]
    NotBool,
    /// It cannot be worked on, although cel-go may accept it.
    #[error("the rule is too complex: {0}")]
    TooComplex(&'static str),
}

impl std::fmt::Display for RuleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.kind, self.at) {
            (RuleErrorKind::NotBool, _) => write!(f, "{}", self.kind),
            (kind, Some((line, column))) => write!(f, "ERROR: <input>:{line}:{column}: {kind}"),
            (kind, None) => write!(f, "ERROR: <input>:-1:0: {kind}"),
        }
    }
}

impl std::error::Error for RuleError {}

/// An error at a byte of the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: RuleErrorKind,
    pub(super) offset: Option<usize>,
}

impl Fault {
    pub(super) fn at(offset: usize, kind: RuleErrorKind) -> Self {
        Self { kind, offset: Some(offset) }
    }

    pub(super) fn whole(kind: RuleErrorKind) -> Self {
        Self { kind, offset: None }
    }
}

/// The reasons why a rule has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A map has no such key, or something that is not a map was asked for one.
    #[error("no such key: {0}")]
    NoSuchKey(Arc<str>),
    /// A list has no such item.
    #[error("index out of bounds: {0}")]
    Bounds(i64),
    /// An operator or function does not take such values.
    #[error("no such overload")]
    NoSuchOverload,
    /// A number is too large, or is divided by zero, or cannot be converted.
    #[error("{0}")]
    Number(&'static str),
    /// A text cannot be converted.
    #[error("cannot convert '{0}' to {1}")]
    Conversion(Arc<str>, &'static str),
    /// A text is not a version.
    #[error("unable to parse '{0}' to semver format")]
    Semver(Arc<str>),
    /// A text is not a regular expression.
    #[error("{0}")]
    Regexp(Arc<str>),
    /// A value cannot be the key of a map, or the index of a list.
    #[error("unsupported key or index of type '{0}'")]
    Key(&'static str),
}
