//! Days of the calendar.
//!
//! What it deliberately does not do: no hours, no time zones, no clock.

use std::fmt;

/// A day of the Gregorian calendar, by its distance from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

/// The days of a year that begins in March, before each of its months.
const BEFORE_MONTH: [i64; 12] = [0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337];

/// The days before 1970-01-01 since the first of March of the year 0.
const EPOCH: i64 = 719_468;

impl Day {
    /// Reads `YYYY-MM-DD`; `None` for anything else and for days that no month has.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let is_form = bytes.len() == 10
            && bytes
                .iter()
                .enumerate()
                .all(|(at, it)| if at == 4 || at == 7 { *it == b'-' } else { it.is_ascii_digit() });
        if !is_form {
            return None;
        }
        let day = Self::of(text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?)?;
        // A day that its month does not have would be one of the next.
        (day.to_string() == text).then_some(day)
    }

    fn of(year: i64, month: i64, day: i64) -> Option<Self> {
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        // Years that begin in March have their leap day at the end.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        Some(Self(year * 365 + leap_days + BEFORE_MONTH[month as usize] + day - 1 - EPOCH))
    }

    /// The day of a moment, in seconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn of_unix(seconds: i64) -> Self {
        Self(seconds.div_euclid(86_400))
    }

    /// Its first second, in seconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn unix(self) -> i64 {
        self.0.saturating_mul(86_400)
    }

    /// The day after.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// So many months later, at most the last day of that month.
    #[must_use]
    pub fn plus_months(self, months: u32) -> Self {
        let (year, month, day) = self.parts();
        let months = year * 12 + month - 1 + i64::from(months);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        let of = |day| Self::of(year, month, day).filter(|it| it.parts() == (year, month, day));
        (1..=day).rev().find_map(of).unwrap_or(self)
    }

    /// So many days later.
    #[must_use]
    pub fn plus_days(self, days: u32) -> Self {
        Self(self.0.saturating_add(i64::from(days)))
    }

    /// Year, month and day.
    fn parts(self) -> (i64, i64, i64) {
        let days = self.0.saturating_add(EPOCH);
        // 400 years have a whole number of days.
        let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = BEFORE_MONTH.iter().rposition(|it| *it <= day).unwrap_or(0);
        let of_month = day - BEFORE_MONTH[month] + 1;
        let year = cycle * 400 + year;
        let month = month as i64;
        if month < 10 { (year, month + 3, of_month) } else { (year + 1, month - 9, of_month) }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        for (text, distance) in [
            ("1970-01-01", 0),
            ("2000-02-29", 11_016),
            ("2000-03-01", 11_017),
            ("1969-12-31", -1),
            ("2026-08-20", 20_685),
        ] {
            let day = Day::parse(text).unwrap();
            assert_eq!((day.0, day.to_string()), (distance, text.to_owned()));
        }
        let mut day = Day::parse("1899-12-31").unwrap();
        for _ in 0..80_000 {
            assert_eq!(Day::parse(&day.to_string()), Some(day));
            day = day.next();
        }
    }

    #[test]
    fn what_is_not_a_day_is_refused() {
        for text in [
            "",
            "2025-02-30",
            "2025-13-01",
            "2025-00-01",
            "2025-1-1",
            "2025-01-01T00:00:00Z",
            "２０２５-01",
            "1900-02-29",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }

    #[test]
    fn months_end_where_they_end() {
        let plus = |text: &str, months| Day::parse(text).unwrap().plus_months(months).to_string();
        assert_eq!(plus("2025-01-31", 1), "2025-02-28");
        assert_eq!(plus("2025-08-31", 6), "2026-02-28");
        assert_eq!(plus("2025-12-15", 1), "2026-01-15");
    }
}
