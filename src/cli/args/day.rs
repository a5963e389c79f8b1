//! The day on which support is judged, as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar::Day;
use crate::cli::terminal::error::CommandError;

/// A day.
pub(crate) fn parse_day(text: &str) -> Result<Day, String> {
    Day::parse(text).ok_or_else(|| "write a date as 2026-01-31".to_owned())
}

/// The given day; else that of `SOURCE_DATE_EPOCH`, else today in UTC.
pub(crate) fn day(given: Option<Day>) -> Result<Day, CommandError> {
    if let Some(day) = given {
        return Ok(day);
    }
    if let Some(seconds) = epoch()? {
        return Ok(Day::of_unix(seconds));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map(|it| it.as_secs()).unwrap_or_default();
    Ok(Day::of_unix(i64::try_from(now).unwrap_or(i64::MAX)))
}

/// The moment of `SOURCE_DATE_EPOCH`, in seconds since 1970-01-01T00:00:00Z.
pub(crate) fn epoch() -> Result<Option<i64>, CommandError> {
    let Some(text) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|it| !it.is_empty()) else { return Ok(None) };
    let text = text.to_string_lossy();
    let wrong = |_| CommandError::usage(format!("$SOURCE_DATE_EPOCH is `{text}`, not a number of seconds"));
    text.parse().map(Some).map_err(wrong)
}

/// A span of time from a day on: `90d`, `6m`, `1y`.
pub(crate) fn parse_span(text: &str) -> Result<Span, String> {
    let wrong = || "write a span as 90d, 6m or 1y".to_owned();
    let n = text.len().checked_sub(1).and_then(|at| text.get(..at)).ok_or_else(wrong)?;
    let n: u32 = n.parse().ok().filter(|it| *it <= 1200).ok_or_else(wrong)?;
    match text.as_bytes().last() {
        Some(b'd') => Ok(Span::Days(n)),
        Some(b'm') => Ok(Span::Months(n)),
        Some(b'y') => Ok(Span::Months(n * 12)),
        _ => Err(wrong()),
    }
}

/// A span of time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Span {
    Days(u32),
    Months(u32),
}

impl Span {
    /// The day at whose end it ends on `day`.
    pub(crate) fn before(self, day: Day) -> Day {
        match self {
            Self::Days(n) => day.minus_days(n),
            Self::Months(n) => day.minus_months(n),
        }
    }

    /// The day at its end.
    pub(crate) fn after(self, day: Day) -> Day {
        match self {
            Self::Days(n) => day.plus_days(n),
            Self::Months(n) => day.plus_months(n),
        }
    }
}
