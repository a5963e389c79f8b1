//! Texts of a report: foreign texts without characters that move others, and the names in messages.

use std::borrow::Cow;

use olmdex_base::diag::printable;

/// A foreign text without characters that move or hide other text.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    printable(text)
}

/// How often.
pub(super) fn times(n: usize) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// The parts of a message; those with odd numbers stood between backticks. A single backtick without a partner is text.
pub fn message_parts(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) { vec![text] } else { parts }
}

/// A package with its namespace, which is left out if both have the same name.
pub(super) fn subject_words(subject: &str) -> &str {
    match subject.split_once('/') {
        Some((namespace, package)) if namespace == package => package,
        _ => subject,
    }
}

/// The subject of a reason in words: an operator, a version of the platform, or both.
pub fn about(subject: Option<&str>, platform: Option<&str>) -> String {
    let platform = platform.map(|it| format!("OpenShift {}", shown(it)));
    let words = subject.map(|it| shown(subject_words(it)).into_owned()).into_iter().chain(platform);
    words.collect::<Vec<_>>().join(", ")
}
