//! Why a pattern is refused, in RE2's words.

use thiserror::Error;

/// The reason why a text is not a regular expression. The texts are Go's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("error parsing regexp: {kind}: `{part}`")]
pub struct PatternError {
    /// The fault.
    pub kind: PatternErrorKind,
    /// The part that is wrong.
    pub part: String,
}

/// A fault of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// A class such as `[[:foo:]]` or `\p{Foo}` does not exist, or a range runs backwards.
    #[error("invalid character class range")]
    ClassRange,
    /// A backslash before a character that has no such meaning.
    #[error("invalid escape sequence")]
    Escape,
    /// A group's name is not a name.
    #[error("invalid named capture")]
    NamedCapture,
    /// `(?…` that is not one of the forms that exist.
    #[error("invalid or unsupported Perl syntax")]
    PerlSyntax,
    /// Two repetitions in a row.
    #[error("invalid nested repetition operator")]
    RepeatOperator,
    /// A count above 1000, or a range that runs backwards, or counts within counts that make more than 1000.
    #[error("invalid repeat count")]
    RepeatCount,
    /// A `[` without its `]`.
    #[error("missing closing ]")]
    Bracket,
    /// A `(` without its `)`.
    #[error("missing closing )")]
    Parenthesis,
    /// A `)` without its `(`.
    #[error("unexpected )")]
    UnexpectedParenthesis,
    /// There is nothing before the repetition.
    #[error("missing argument to repetition operator")]
    RepeatArgument,
    /// The last character is a backslash.
    #[error("trailing backslash at end of expression")]
    TrailingBackslash,
    /// Groups are nested too deeply.
    #[error("expression nests too deeply")]
    Depth,
    /// Written out, it would be too large.
    #[error("expression too large")]
    TooLarge,
}
