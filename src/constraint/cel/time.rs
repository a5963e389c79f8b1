//! Moments and spans of time, as texts and as numbers: RFC 3339 and Go's durations.
//!
//! What it deliberately does not do: no clock, and of time zones only UTC and fixed offsets.

/// Nanoseconds in a second.
pub(super) const SECOND: i64 = 1_000_000_000;
/// The years that timestamps may have: 1 to 9999.
const FIRST: i128 = -62_135_596_800;
const LAST: i128 = 253_402_300_799;

/// Whether there is such a moment.
pub(super) fn is_moment(nanoseconds: i128) -> bool {
    (FIRST..=LAST).contains(&nanoseconds.div_euclid(i128::from(SECOND)))
}

/// Days since 1970 of a date in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month from 1, day from 1.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, (shifted + 2) % 12 + 1);
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The moment of an RFC 3339 text.
pub(super) fn parse_timestamp(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let number = |from: usize, n: usize| -> Option<i64> {
        let digits = bytes.get(from..from + n)?;
        digits.iter().all(u8::is_ascii_digit).then(|| digits.iter().fold(0, |a, d| a * 10 + i64::from(d - b'0')))
    };
    let is = |at: usize, wanted: u8| bytes.get(at).is_some_and(|it| it.eq_ignore_ascii_case(&wanted));
    if !(is(4, b'-') && is(7, b'-') && is(10, b'T') && is(13, b':') && is(16, b':')) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let is_real = (1..=12).contains(&month) && day >= 1 && date(days(year, month, day)) == (year, month, day);
    if !is_real || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut at = 19;
    let mut nanoseconds = 0;
    if is(at, b'.') {
        let digits = bytes[at + 1..].iter().take_while(|it| it.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        for idx in 0..9 {
            let digit = if idx < digits { i64::from(bytes[at + 1 + idx] - b'0') } else { 0 };
            nanoseconds = nanoseconds * 10 + digit;
        }
        at += 1 + digits;
    }
    let offset = offset(bytes.get(at..)?)?;
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    let moment = i128::from(seconds) * i128::from(SECOND) + i128::from(nanoseconds);
    is_moment(moment).then_some(moment)
}

/// Seconds east of Greenwich: `Z`, or hours and minutes with a sign.
fn offset(text: &[u8]) -> Option<i64> {
    match text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let digit = |it: &u8| it.is_ascii_digit().then(|| i64::from(it - b'0'));
            let (hours, minutes) = (digit(h1)? * 10 + digit(h2)?, digit(m1)? * 10 + digit(m2)?);
            let seconds = hours * 3600 + minutes * 60;
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

/// Seconds east of Greenwich of a time zone; `None` for one that only a database knows.
pub(super) fn zone(name: &str) -> Option<i64> {
    match name {
        "" | "UTC" | "Etc/UTC" | "GMT" => Some(0),
        _ => offset(name.as_bytes()).or_else(|| offset(format!("+{name}").as_bytes())),
    }
}

/// The text of a moment.
pub(super) fn write_timestamp(nanoseconds: i128) -> String {
    let parts = Parts::new(nanoseconds, 0);
    let fraction = nanoseconds.rem_euclid(i128::from(SECOND));
    let fraction =
        if fraction == 0 { String::new() } else { format!(".{fraction:09}").trim_end_matches('0').to_owned() };
    let Parts { year, month, day, hour, minute, second, .. } = parts;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// What a calendar and a clock show.
pub(super) struct Parts {
    pub(super) year: i64,
    /// From 1.
    pub(super) month: i64,
    /// From 1.
    pub(super) day: i64,
    /// From 0.
    pub(super) day_of_year: i64,
    /// Sunday is 0.
    pub(super) day_of_week: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) millisecond: i64,
}

impl Parts {
    pub(super) fn new(nanoseconds: i128, offset: i64) -> Self {
        let second = i128::from(SECOND);
        let seconds = nanoseconds.div_euclid(second) as i64 + offset;
        let (of_days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = date(of_days);
        Self {
            year,
            month,
            day,
            day_of_year: of_days - days(year, 1, 1),
            day_of_week: (of_days + 4).rem_euclid(7),
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
            millisecond: (nanoseconds.rem_euclid(second) / 1_000_000) as i64,
        }
    }
}

/// The nanoseconds of a duration as Go writes it: numbers with units, such as `1h15m30.5s`.
pub(super) fn parse_duration(text: &str) -> Option<i64> {
    let (is_negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: f64 = 0.0;
    let mut whole: i128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = &rest[..end];
        if number.is_empty() || number == "." || number.matches('.').count() > 1 {
            return None;
        }
        rest = &rest[end..];
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let unit: i64 = match &rest[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1000,
            "ms" => 1_000_000,
            "s" => SECOND,
            "m" => 60 * SECOND,
            "h" => 3600 * SECOND,
            _ => return None,
        };
        rest = &rest[end..];
        let (integer, fraction) = number.split_once('.').unwrap_or((number, ""));
        let integer: i128 = if integer.is_empty() { 0 } else { integer.parse().ok()? };
        whole = whole.checked_add(integer.checked_mul(i128::from(unit))?)?;
        if !fraction.is_empty() {
            total += format!("0.{fraction}").parse::<f64>().ok()? * unit as f64;
        }
    }
    let total = i64::try_from(whole.checked_add(total as i128)?).ok()?;
    Some(if is_negative { -total } else { total })
}

/// The text of a span, in seconds as cel-go has it.
pub(super) fn write_duration(nanoseconds: i64) -> String {
    let (sign, nanoseconds) = (if nanoseconds < 0 { "-" } else { "" }, nanoseconds.unsigned_abs());
    let (seconds, rest) = (nanoseconds / SECOND as u64, nanoseconds % SECOND as u64);
    let fraction = if rest == 0 { String::new() } else { format!(".{rest:09}").trim_end_matches('0').to_owned() };
    format!("{sign}{seconds}{fraction}s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_and_written() {
        for (text, seconds, written) in [
            ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
            ("2000-02-29T12:30:01+01:00", 951_823_801, "2000-02-29T11:30:01Z"),
            ("1969-12-31t23:59:59z", -1, "1969-12-31T23:59:59Z"),
            ("0001-01-01T00:00:00Z", -62_135_596_800, "0001-01-01T00:00:00Z"),
        ] {
            let moment = parse_timestamp(text).unwrap();
            assert_eq!(moment, seconds * i128::from(SECOND), "{text}");
            assert_eq!(write_timestamp(moment), written);
        }
        for text in ["2001-02-29T00:00:00Z", "2000-01-01", "2000-01-01T24:00:00Z", "2000-01-01T00:00:00", "é"] {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
        let parts = Parts::new(parse_timestamp("2024-12-31T23:30:00.25Z").unwrap(), 3600);
        assert_eq!((parts.year, parts.day_of_year, parts.day_of_week, parts.millisecond), (2025, 0, 3, 250));
    }

    #[test]
    fn durations_are_those_of_go() {
        for (text, nanoseconds) in [
            ("1h", 3600 * SECOND),
            ("-1.5s", -SECOND * 3 / 2),
            ("1m2s3ms", 62_003_000_000),
            ("0", 0),
            (".5s", SECOND / 2),
        ] {
            assert_eq!(parse_duration(text), Some(nanoseconds), "{text}");
        }
        for text in ["", "1", "s", "1x", "1.2.3s", "-", "99999999999999h"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
