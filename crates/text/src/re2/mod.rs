//! Regular expressions with RE2's meaning, as Go's `regexp` has it: for CEL's `matches`, and for all other patterns of
//! the OpenShift world that Go matches.
//!
//! A pattern is read by a parser of our own ([`Pattern::parse`]), which refuses the same patterns as Go, and is run as
//! a set of states side by side: a text takes time in proportion to its length times the pattern's size, whatever the
//! pattern, and a pattern takes a bounded amount of memory. Nothing recurses.

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
    /// For the patterns for which Go's `regexp.Compile` has one.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let tree = parse::parse(text)?;
        Ok(Self { program: Program::new(&tree) })
    }

    /// The number of its states: they determine its memory, and the most work for each character.
    pub fn size(&self) -> usize {
        self.program.size()
    }

    /// Whether the pattern matches somewhere in a text.
    pub fn is_match(&self, text: &str) -> bool {
        let mut budget = u64::MAX;
        self.program.run(text, &mut budget).unwrap_or_default()
    }

    /// Like [`Pattern::is_match`], with a bound on the work: each state that is entered takes one of the budget. `None`
    /// if the budget was used up.
    pub fn is_match_within(&self, text: &str, budget: &mut u64) -> Option<bool> {
        self.program.run(text, budget)
    }
}

#[cfg(test)]
mod tests;
