//! Moments and spans of time, as texts and as numbers: RFC 3339 and Go's durations.

use olmdex_text::calendar::Day;

/// Nanoseconds in a second.
pub(super) const SECOND: i64 = 1_000_000_000;
/// The years that timestamps may have: 1 to 9999.
const FIRST: i128 = -62_135_596_800;
const LAST: i128 = 253_402_300_799;

/// Whether there is such a moment.
pub(super) fn is_moment(nanoseconds: i128) -> bool {
    (FIRST..=LAST).contains(&nanoseconds.div_euclid(i128::from(SECOND)))
}

/// The moment of an RFC 3339 text and its offset, as Go's `time.Parse` reads it: the hour may have one digit, a comma
/// may be the point of a fraction.
pub(super) fn parse_timestamp(text: &str) -> Option<(i128, i32)> {
    let bytes = text.as_bytes();
    let number = |from: usize, n: usize| -> Option<i64> {
        let digits = bytes.get(from..from + n)?;
        digits.iter().all(u8::is_ascii_digit).then(|| digits.iter().fold(0, |a, d| a * 10 + i64::from(d - b'0')))
    };
    let is = |at: usize, wanted: u8| bytes.get(at) == Some(&wanted);
    if !(is(4, b'-') && is(7, b'-') && is(10, b'T')) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let n_digits = if is(12, b':') { 1 } else { 2 };
    let hour = number(11, n_digits)?;
    let mut at = 11 + n_digits;
    if !(is(at, b':') && is(at + 3, b':')) {
        return None;
    }
    let (minute, second) = (number(at + 1, 2)?, number(at + 4, 2)?);
    at += 6;
    let day = Day::new(year, month, day)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut nanoseconds = 0;
    if is(at, b'.') || is(at, b',') {
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
    let seconds = day.unix() + hour * 3600 + minute * 60 + second - i64::from(offset);
    let moment = i128::from(seconds) * i128::from(SECOND) + i128::from(nanoseconds);
    is_moment(moment).then_some((moment, offset))
}

/// Seconds east of Greenwich: `Z`, or hours and minutes with a sign. Go lets 24 hours and 60 minutes pass.
fn offset(text: &[u8]) -> Option<i32> {
    match text {
        b"Z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let digit = |it: &u8| it.is_ascii_digit().then(|| i32::from(it - b'0'));
            let (hours, minutes) = (digit(h1)? * 10 + digit(h2)?, digit(m1)? * 10 + digit(m2)?);
            let seconds = hours * 3600 + minutes * 60;
            (hours <= 24 && minutes <= 60).then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

/// Seconds east of Greenwich of a time zone; `None` for one that only a database knows.
pub(super) fn zone(name: &str) -> Option<i64> {
    if let Some((hours, minutes)) = name.split_once(':') {
        let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
        let hours = hours.wrapping_mul(60);
        let total = if name.starts_with('-') { hours.wrapping_sub(minutes) } else { hours.wrapping_add(minutes) };
        // In nanoseconds first, as Go does, which wraps around.
        return Some(total.wrapping_mul(60 * SECOND) / SECOND);
    }
    let name = name.strip_prefix("Etc/").unwrap_or(name);
    match name {
        "" | "UTC" | "UCT" | "Universal" | "Zulu" | "Greenwich" | "GMT" | "GMT0" | "GMT+0" | "GMT-0" | "Local" => {
            Some(0)
        }
        _ => None,
    }
}

/// The text of a moment, at its offset.
pub(super) fn write_timestamp(nanoseconds: i128, offset: i32) -> String {
    let parts = Parts::new(nanoseconds, i64::from(offset));
    let fraction = nanoseconds.rem_euclid(i128::from(SECOND));
    let fraction =
        if fraction == 0 { String::new() } else { format!(".{fraction:09}").trim_end_matches('0').to_owned() };
    let zone = match offset {
        0 => "Z".to_owned(),
        _ => {
            let minutes = offset.abs() / 60;
            format!("{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
        }
    };
    let Parts { year, month, day, hour, minute, second, .. } = parts;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}")
}

/// The parts of a date and a time of day.
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
        let seconds = (nanoseconds.div_euclid(second) as i64).saturating_add(offset);
        let (of_days, of_day) = (Day::of_unix(seconds), seconds.rem_euclid(86_400));
        let (year, month, day) = of_days.date();
        Self {
            year,
            month,
            day,
            day_of_year: of_days.of_year(),
            day_of_week: of_days.of_week(),
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
    // Up to 2^63, which only a negative duration reaches.
    const MOST: u64 = 1 << 63;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = &rest[..end];
        rest = &rest[end..];
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let unit: u64 = match &rest[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1000,
            "ms" => 1_000_000,
            "s" => SECOND as u64,
            "m" => 60 * SECOND as u64,
            "h" => 3600 * SECOND as u64,
            _ => return None,
        };
        rest = &rest[end..];
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok().filter(|it| *it <= MOST)? };
        let mut part = whole.checked_mul(unit).filter(|it| *it <= MOST)?;
        let (mut numerator, mut scale): (u64, f64) = (0, 1.0);
        for digit in fraction.bytes() {
            if numerator > (MOST - 1) / 10 {
                break;
            }
            numerator = numerator * 10 + u64::from(digit - b'0');
            scale *= 10.0;
        }
        part += (numerator as f64 * (unit as f64 / scale)) as u64;
        total = total.checked_add(part).filter(|it| part <= MOST && *it <= MOST)?;
    }
    if is_negative { Some((total as i64).wrapping_neg()) } else { i64::try_from(total).ok() }
}

/// The seconds of a span, with a fraction.
fn seconds(nanoseconds: i64) -> f64 {
    (nanoseconds / SECOND) as f64 + (nanoseconds % SECOND) as f64 / 1e9
}

/// The text of a span, in seconds as cel-go has it.
pub(super) fn write_duration(nanoseconds: i64) -> String {
    format!("{}s", seconds(nanoseconds))
}

/// The whole hours, minutes or seconds of a span: `unit` is how many seconds they have.
pub(super) fn whole(nanoseconds: i64, unit: i64) -> i64 {
    let unit = unit * SECOND;
    ((nanoseconds / unit) as f64 + (nanoseconds % unit) as f64 / unit as f64) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_and_written() {
        for (text, seconds, written) in [
            ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
            ("2000-02-29T12:30:01+01:00", 951_823_801, "2000-02-29T12:30:01+01:00"),
            ("2000-02-29T1:30:01,000-00:30", 951_789_601, "2000-02-29T01:30:01-00:30"),
            ("0001-01-01T00:00:00Z", -62_135_596_800, "0001-01-01T00:00:00Z"),
        ] {
            let (moment, offset) = parse_timestamp(text).unwrap();
            assert_eq!(moment, seconds * i128::from(SECOND), "{text}");
            assert_eq!(write_timestamp(moment, offset), written);
        }
        for text in [
            "2001-02-29T00:00:00Z",
            "2000-01-01",
            "2000-01-01T24:00:00Z",
            "2000-01-01T00:00:00",
            "1969-12-31t23:59:59z",
            "2000-01-01T00:00:00.Z",
            "2000-01-01T00:00:60Z",
            "0000-01-01T00:00:00Z",
            "é",
        ] {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
        let parts = Parts::new(parse_timestamp("2024-12-31T23:30:00.25Z").unwrap().0, 3600);
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
            ("1.s", SECOND),
            ("-9223372036854775808ns", i64::MIN),
            ("1.00000000000000000000000001h", 3600 * SECOND),
        ] {
            assert_eq!(parse_duration(text), Some(nanoseconds), "{text}");
        }
        for text in ["", "1", "s", "1x", "1.2.3s", "-", "99999999999999h", "9223372036854775808ns", ".s", "1s-1s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
