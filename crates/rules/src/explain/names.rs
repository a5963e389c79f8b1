//! The names that stand beside messages: types, reasons and phases of conditions. `names.tsv` has them, and their
//! meanings are those of the real systems' documentation.

use super::builder::Made;
use super::explanation::MessageExplanation;

/// A line for each meaning: its names, the system, the meaning, commands to run next.
const NAMES: &str = include_str!("names.tsv");

/// Words beside a name in a paste or a question.
const BESIDE: &[&str] = &["type", "reason", "status", "phase", "condition", "state", "true", "false"];

/// The meaning of a text that consists of such names, the last one first: a reason says more than its condition.
pub(super) fn named(text: &str) -> Option<MessageExplanation> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut found: Vec<MessageExplanation> = Vec::new();
    for word in words.filter(|word| !BESIDE.contains(&word.to_ascii_lowercase().as_str())) {
        let is_it = |line: &&str| {
            line.split('\t').next().is_some_and(|names| names.split(',').any(|name| name.eq_ignore_ascii_case(word)))
        };
        let mut fields = NAMES.lines().find(is_it)?.split('\t').skip(1);
        let made = Made::new(fields.next()?, fields.next()?);
        found.extend(fields.next()?.split('|').fold(made, Made::next).done().filter(|it| !found.contains(it)));
    }
    let last = found.pop()?;
    Some(MessageExplanation { others: found, ..last })
}
