//! The headers that make an answer depend on whether something has changed.
//!
//! The real server has no tags. Ours reacts to its own and to no other, so that only a client that got one from it can
//! see a difference.

use std::time::{Duration, UNIX_EPOCH};

use olmdex_text::calendar::Day;

use super::exchange::CatalogRequest;

/// The result of the conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precondition {
    Send,
    /// The date of `If-Modified-Since` cannot be read. The endpoint `metas` of catalogd then answers with an error that
    /// is followed by the documents (`internal/catalogd/server/http_preconditions_check.go`).
    NoDate,
    NotModified,
    Failed,
}

/// Seconds since 1970 as a date.
pub(super) fn date(seconds: u64) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds))
}

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A date in one of the three forms of HTTP, in seconds since 1970, as Go's `http.ParseTime` reads it: a day of the
/// week need not be that of the date, and only RFC 850 has time zones other than GMT, which it takes for UTC.
fn seconds(text: &str) -> Option<i64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (is_day, year, month, day, time) = match *words {
        [name, day, month, year, time, "GMT"] => {
            let is_day = DAYS.iter().any(|known| name.strip_suffix(',').is_some_and(|it| same(it, &known[..3])));
            (is_day, full_year(year)?, month, two_digits(day)?, time)
        }
        [name, month, day, time, year] => {
            let day = if day.len() == 1 { digits(day)? } else { two_digits(day)? };
            (DAYS.iter().any(|known| same(name, &known[..3])), full_year(year)?, month, day, time)
        }
        [name, date, time, zone] => {
            let mut parts = date.splitn(3, '-');
            let (day, month, year) = (two_digits(parts.next()?)?, parts.next()?, two_digits(parts.next()?)?);
            let is_zone = (3..=4).contains(&zone.len()) && zone.bytes().all(|it| it.is_ascii_uppercase());
            let is_day = DAYS.iter().any(|known| name.strip_suffix(',').is_some_and(|it| same(it, known)));
            (is_day && is_zone, if year < 69 { 2000 + year } else { 1900 + year }, month, day, time)
        }
        _ => return None,
    };
    let month = MONTHS.iter().position(|known| same(month, known))? as i64 + 1;
    let mut parts = time.splitn(3, ':');
    let mut part = |limit| parts.next().and_then(two_digits).filter(|it| *it < limit);
    let (hour, minute, second) = (part(24)?, part(60)?, part(60)?);
    is_day.then_some(Day::new(year, month, day)?.unix() + (hour * 60 + minute) * 60 + second)
}

fn same(found: &str, known: &str) -> bool {
    found.eq_ignore_ascii_case(known)
}

fn digits(text: &str) -> Option<i64> {
    text.bytes().all(|it| it.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn two_digits(text: &str) -> Option<i64> {
    digits(text).filter(|_| text.len() == 2)
}

fn full_year(text: &str) -> Option<i64> {
    digits(text).filter(|_| text.len() == 4)
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
    let modified = i64::try_from(modified).unwrap_or(i64::MAX);
    let given = |name: &str| request.header(name).filter(|it| !it.is_empty());
    let holds = match given("If-Match") {
        Some(list) => list.trim() == "*" || names_tag(list, tag),
        None => given("If-Unmodified-Since").and_then(seconds).is_none_or(|it| modified <= it),
    };
    if !holds {
        return Precondition::Failed;
    }
    let is_same = match (given("If-None-Match"), given("If-Modified-Since").map(seconds)) {
        (Some(list), _) => list.trim() == "*" || names_tag(list, tag),
        (None, Some(None)) => return Precondition::NoDate,
        (None, since) => since.flatten().is_some_and(|since| modified <= since),
    };
    if is_same { Precondition::NotModified } else { Precondition::Send }
}

/// Whether a range is still meant for the present content.
pub(super) fn range_counts(request: &CatalogRequest<'_>, modified: u64, tag: &str) -> bool {
    match request.header("If-Range").filter(|it| !it.is_empty()) {
        Some(tagged) if tagged.starts_with('"') => !tag.is_empty() && tagged.trim_matches('"') == tag,
        Some(text) => seconds(text) == i64::try_from(modified).ok(),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn dates_are_read_as_go_reads_them() {
        let now = Some(1_787_220_000);
        for (text, expected) in [
            ("Thu, 20 Aug 2026 10:00:00 GMT", now),
            ("mon, 20 aug 2026 10:00:00 GMT", now),
            ("Thursday, 20-Aug-26 10:00:00 CEST", now),
            ("Thu Aug 20 10:00:00 2026", now),
            ("Thu Aug  2 10:00:00 2026", Some(1_785_664_800)),
            ("Sat, 31 Dec 1904 23:59:59 GMT", Some(-2_051_222_401)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777)),
            ("Thu, 20 Aug 2026 10:00:00 UTC", None),
            ("Thu, 30 Feb 2026 10:00:00 GMT", None),
            ("Thu, 20 Aug 2026 24:00:00 GMT", None),
            ("Thu, 2 Aug 2026 10:00:00 GMT", None),
            ("Day, 20 Aug 2026 10:00:00 GMT", None),
            ("Thu, 20-Aug-26 10:00:00 GMT", None),
            ("garbage", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
