//! Regular expressions with RE2's meaning, as Go's `regexp` has it: for CEL's `matches`, and for whatever else of the OpenShift
//! world is matched by Go.
//!
//! A pattern is read by a parser of our own ([`Pattern::parse`]), which refuses what Go refuses, and is run as a set of states
//! side by side: a text takes time in proportion to its length times the pattern's size, whatever the pattern, and a pattern
//! takes a bounded amount of memory. Nothing recurses.
//!
//! What it deliberately does not do: it does not say where a match is, nor what groups hold, so greediness has no effect; and
//! it matches text, not bytes. Scripts and categories are those of the Unicode version of the tables that we use, which may be newer
//! than Go's.

mod class;
mod group;
mod parse;
mod program;

use thiserror::Error;

use program::Program;

/// A regular expression that has been read.
///
/// ```
/// use olmdex::re2::Pattern;
///
/// let pattern = Pattern::parse(r"^4\.1[0-9]\.").unwrap();
/// assert!(pattern.is_match("4.18.3"));
/// assert!(!pattern.is_match("4.9.0"));
/// assert!(Pattern::parse("a**").is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    program: Program,
}

/// Why a text is not a regular expression. The texts are Go's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("error parsing regexp: {kind}: `{part}`")]
pub struct PatternError {
    /// What is wrong.
    pub kind: PatternErrorKind,
    /// The part that is wrong.
    pub part: String,
}

/// What is wrong with a pattern.
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
    /// Nothing stands before the repetition.
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

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Where Go's `regexp.Compile` has one.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let tree = parse::parse(text)?;
        Ok(Self { program: Program::new(&tree) })
    }

    /// How many states it has: what it takes of memory, and at most of work for each character.
    #[must_use]
    pub fn size(&self) -> usize {
        self.program.size()
    }

    /// Whether the pattern matches somewhere in a text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        let mut budget = u64::MAX;
        self.program.run(text, &mut budget).unwrap_or_default()
    }

    /// As [`Pattern::is_match`], with a bound on the work: each state that is entered takes one of the budget. `None` if the budget
    /// was used up.
    #[must_use]
    pub fn is_match_within(&self, text: &str, budget: &mut u64) -> Option<bool> {
        self.program.run(text, budget)
    }
}

#[cfg(test)]
mod tests;
