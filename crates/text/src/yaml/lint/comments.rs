//! The comments of a text that tell yamllint what to report.

use super::problem::Rules;
use super::tokens::{Kind, Token};
use crate::tally::step;

/// A comment that tells yamllint what to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Directive {
    /// The line of the comment, from 0.
    pub(super) line: u32,
    pub(super) act: Act,
    pub(super) rules: Rules,
}

/// The acts of yamllint's documentation on disabling with comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Disable,
    Enable,
    DisableLine,
    /// A comment alone on its line speaks of the next one.
    DisableNextLine,
}

/// Hands over the directives between two tokens.
pub(super) fn check(text: &str, before: &Token, after: &Token, mut take: impl FnMut(Directive)) {
    let is_first = before.kind == Kind::StreamStart;
    if before.end.line == after.start.line && !is_first && after.kind != Kind::StreamEnd {
        return;
    }
    let Some(gap) = text.get(before.end.offset..after.start.offset) else { return };
    step(gap.len());
    let starts_line = text[..before.end.offset].ends_with('\n');
    for (number, part) in (0_u32..).zip(gap.split('\n')) {
        let Some(at) = part.find('#') else { continue };
        let is_inline = number == 0 && !is_first && !starts_line;
        if let Some((act, rules)) = directive(&part[at..], is_inline) {
            take(Directive { line: before.end.line.saturating_add(number), act, rules });
        }
    }
}

/// The directive in a comment. One with anything else in it is none.
fn directive(comment: &str, is_inline: bool) -> Option<(Act, Rules)> {
    let rest = comment.strip_prefix("# yamllint ")?.trim_end_matches(is_white);
    let (word, rules) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
    let act = match word {
        "disable" => Act::Disable,
        "enable" => Act::Enable,
        "disable-line" if is_inline => Act::DisableLine,
        "disable-line" => Act::DisableNextLine,
        _ => return None,
    };
    let mut named = Rules::default();
    for word in rules.split(' ').skip(1) {
        let name = word.strip_prefix("rule:").filter(|name| !name.is_empty() && !name.contains(is_white))?;
        named.insert(name);
    }
    Some((act, if rules.is_empty() { Rules::ALL } else { named }))
}

/// Whether the first line of a text switches all rules off.
pub(super) fn disables_file(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or_default();
    let words = line.strip_prefix('#').map(|comment| comment.trim_start_matches(is_white));
    words.is_some_and(|words| words.trim_end_matches(is_white) == "yamllint disable-file")
}

fn is_white(c: char) -> bool {
    c.is_whitespace() || ('\u{1C}'..='\u{1F}').contains(&c)
}
