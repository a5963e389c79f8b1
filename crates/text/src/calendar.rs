//! Days of the Gregorian calendar, and moments as texts.

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
        Self::new(text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?)
    }

    /// The day with this date; months and days count from 1. `None` if there is no such day.
    pub fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        // Years that begin in March have their leap day at the end.
        let (shifted, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let leap_days = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
        let found = Self(shifted * 365 + leap_days + BEFORE_MONTH[from_march as usize] + day - 1 - EPOCH);
        // A day that its month does not have would be one of the next.
        (found.date() == (year, month, day)).then_some(found)
    }

    /// The day of a moment, in seconds since 1970-01-01T00:00:00Z.
    pub fn of_unix(seconds: i64) -> Self {
        Self(seconds.div_euclid(86_400))
    }

    /// Its first second, in seconds since 1970-01-01T00:00:00Z.
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
        let (year, month, day) = self.date();
        self.of_month(year * 12 + month - 1 + i64::from(months), day)
    }

    /// A day of a month, counted from year 0, at most its last day.
    fn of_month(self, months: i64, day: i64) -> Self {
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        (1..=day).rev().find_map(|day| Self::new(year, month, day)).unwrap_or(self)
    }

    /// So many months earlier, at most the last day of that month.
    #[must_use]
    pub fn minus_months(self, months: u32) -> Self {
        let (year, month, day) = self.date();
        self.of_month(year * 12 + month - 1 - i64::from(months), day)
    }

    /// So many days earlier.
    #[must_use]
    pub fn minus_days(self, days: u32) -> Self {
        Self(self.0.saturating_sub(i64::from(days)))
    }

    /// So many days later.
    #[must_use]
    pub fn plus_days(self, days: u32) -> Self {
        Self(self.0.saturating_add(i64::from(days)))
    }

    /// Days since the first of January of its year.
    pub fn of_year(self) -> i64 {
        self.0 - Self::new(self.date().0, 1, 1).map_or(self.0, |it| it.0)
    }

    /// Days since Sunday.
    pub fn of_week(self) -> i64 {
        // 1970 began on a Thursday.
        (self.0 + 4).rem_euclid(7)
    }

    /// Year, month and day; months and days count from 1.
    pub fn date(self) -> (i64, i64, i64) {
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
        let (year, month, day) = self.date();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// A moment, in seconds since 1970-01-01T00:00:00Z, as `2026-01-31T08:00:00Z` (RFC 3339).
pub fn rfc3339(seconds: i64) -> String {
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", Day::of_unix(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_the_calendar_says() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_787_220_000, "2026-08-20T10:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }

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
