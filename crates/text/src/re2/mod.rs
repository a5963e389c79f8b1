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
mod error;
mod group;
mod parse;
mod program;
mod tree;

use program::Program;

pub use error::{PatternError, PatternErrorKind};

/// A regular expression that has been read.
///
/// ```
/// use olmdex_text::re2::Pattern;
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
