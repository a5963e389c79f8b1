//! The headers that make an answer depend on whether something has changed.
//!
//! The real server has no tags. Ours reacts to its own and to no other, so that only a client that got one from it can
//! see a difference.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::exchange::CatalogRequest;

/// The result of the conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precondition {
    Send,
    NotModified,
    Failed,
}

/// Seconds since 1970 as a date.
pub(super) fn date(seconds: u64) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds))
}

fn seconds(text: &str) -> Option<u64> {
    let time: SystemTime = httpdate::parse_http_date(text).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|it| it.as_secs())
}

/// Whether a list of tags has ours. It may have the name of an encoding at its end.
fn names_tag(list: &str, tag: &str) -> bool {
    !tag.is_empty()
        && list.split(',').any(|it| {
            let it = it.trim();
            let it = it.strip_prefix("W/").unwrap_or(it).trim_matches('"');
            it.strip_prefix(tag).is_some_and(|rest| matches!(rest, "" | "-gzip" | "-zstd"))
        })
}

pub(super) fn verdict(request: &CatalogRequest<'_>, modified: u64, tag: &str) -> Precondition {
    let given = |name: &str| request.header(name).filter(|it| !it.is_empty());
    let holds = match given("If-Match") {
        Some(list) => list.trim() == "*" || names_tag(list, tag),
        None => given("If-Unmodified-Since").and_then(seconds).is_none_or(|it| modified <= it),
    };
    if !holds {
        return Precondition::Failed;
    }
    let is_same = match given("If-None-Match") {
        Some(list) => list.trim() == "*" || names_tag(list, tag),
        None => given("If-Modified-Since").and_then(seconds).is_some_and(|it| modified <= it),
    };
    if is_same { Precondition::NotModified } else { Precondition::Send }
}

/// Whether a range is still meant for the present content.
pub(super) fn range_counts(request: &CatalogRequest<'_>, modified: u64, tag: &str) -> bool {
    match request.header("If-Range").filter(|it| !it.is_empty()) {
        Some(tagged) if tagged.starts_with('"') => !tag.is_empty() && tagged.trim_matches('"') == tag,
        Some(text) => seconds(text) == Some(modified),
        None => true,
    }
}
