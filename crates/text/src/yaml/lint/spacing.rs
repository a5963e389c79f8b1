//! The rules on spaces around tokens of one line: `braces`, `brackets`, `colons`, `commas` and `hyphens`.

use super::problem::{LintProblem, broken};
use super::tokens::{Kind, Token};

/// The number of characters between two tokens, if they are on one line.
fn between(before: &Token, after: &Token) -> Option<u32> {
    (before.end.line == after.start.line).then(|| after.start.column.saturating_sub(before.end.column))
}

/// The problem of more spaces before a token than may be there, at the last one.
fn too_many(rule: &'static str, token: &Token, message: &str) -> LintProblem {
    broken(rule, token.start.line, token.start.column.saturating_sub(1), message)
}

/// The problems that a token has with its neighbours.
pub(super) fn check(before: &Token, token: &Token, after: &Token, problems: &mut Vec<LintProblem>) {
    let spaces_before = between(before, token).unwrap_or_default();
    let spaces_after = between(token, after);
    let has_more_behind = |limit: u32| spaces_after.is_some_and(|n_spaces| n_spaces > limit);
    match token.kind {
        Kind::FlowMappingStart | Kind::FlowSequenceStart if has_more_behind(0) => {
            problems.push(too_many(of_collection(token.kind), after, inside(token.kind, after.kind)));
        }
        Kind::FlowMappingEnd | Kind::FlowSequenceEnd if spaces_before > 0 && !is_opened_by(token.kind, before.kind) => {
            problems.push(too_many(of_collection(token.kind), token, inside(before.kind, token.kind)));
        }
        // The space behind an alias keeps the colon out of its name.
        Kind::Value if before.kind == Kind::Alias && spaces_before == 1 => {}
        Kind::Value => {
            if spaces_before > 0 {
                problems.push(too_many("colons", token, "too many spaces before colon"));
            }
            if has_more_behind(1) {
                problems.push(too_many("colons", after, "too many spaces after colon"));
            }
        }
        Kind::Key if token.end.offset > token.start.offset && has_more_behind(1) => {
            problems.push(too_many("colons", after, "too many spaces after question mark"));
        }
        Kind::FlowEntry => {
            // A comma that starts a line counts too.
            if between(before, token) != Some(0) {
                problems.push(too_many("commas", token, "too many spaces before comma"));
            }
            if has_more_behind(1) {
                problems.push(too_many("commas", after, "too many spaces after comma"));
            } else if spaces_after == Some(0) {
                let place = after.start;
                problems.push(broken("commas", place.line, place.column, "too few spaces after comma"));
            }
        }
        Kind::BlockEntry if has_more_behind(1) => {
            problems.push(too_many("hyphens", after, "too many spaces after hyphen"));
        }
        _ => {}
    }
}

fn of_collection(kind: Kind) -> &'static str {
    if matches!(kind, Kind::FlowMappingStart | Kind::FlowMappingEnd) { "braces" } else { "brackets" }
}

fn is_opened_by(end: Kind, start: Kind) -> bool {
    matches!(
        (start, end),
        (Kind::FlowMappingStart, Kind::FlowMappingEnd) | (Kind::FlowSequenceStart, Kind::FlowSequenceEnd)
    )
}

fn inside(before: Kind, after: Kind) -> &'static str {
    match (before, after) {
        (Kind::FlowMappingStart, Kind::FlowMappingEnd) => "too many spaces inside empty braces",
        (Kind::FlowSequenceStart, Kind::FlowSequenceEnd) => "too many spaces inside empty brackets",
        (Kind::FlowMappingStart, _) | (_, Kind::FlowMappingEnd) => "too many spaces inside braces",
        _ => "too many spaces inside brackets",
    }
}
