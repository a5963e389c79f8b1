//! The time at which an image was made, according to its configuration.

use olmdex_text::calendar::Day;

/// Seconds since 1970 of a time as RFC 3339 has it, `2026-08-20T10:00:00.5Z` or with an offset; `None` if it is not
/// one, or earlier.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let day = Day::parse(text.get(..10)?)?;
    let rest = text.get(10..)?.strip_prefix(['T', 't', ' '])?;
    let number = |text: &str, at: std::ops::Range<usize>, below: i64| -> Option<i64> {
        let digits = text.get(at)?;
        let number: i64 = digits.bytes().all(|it| it.is_ascii_digit()).then(|| digits.parse().ok())??;
        (number < below).then_some(number)
    };
    let is_time = rest.get(2..3) == Some(":") && rest.get(5..6) == Some(":");
    let (hour, minute, second) = (number(rest, 0..2, 24)?, number(rest, 3..5, 60)?, number(rest, 6..8, 61)?);
    let zone = rest.get(8..)?;
    let zone = match zone.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|it: char| it.is_ascii_digit()),
        None => zone,
    };
    let offset = match zone {
        "Z" | "z" => 0,
        _ => {
            let sign = match zone.get(..1)? {
                "+" => 1,
                "-" => -1,
                _ => return None,
            };
            let is_offset = zone.len() == 6 && zone.get(3..4) == Some(":");
            let offset = number(zone, 1..3, 24)? * 60 + number(zone, 4..6, 60)?;
            if is_offset { sign * offset * 60 } else { return None }
        }
    };
    let whole = day.unix() + hour * 3600 + minute * 60 + second - offset;
    if is_time { u64::try_from(whole).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-08-20T10:00:00Z", Some(1_787_220_000)),
            ("2026-08-20T10:00:00.123456789Z", Some(1_787_220_000)),
            ("2026-08-20T12:30:00+02:30", Some(1_787_220_000)),
            ("2026-08-20T03:00:00.5-07:00", Some(1_787_220_000)),
            ("0001-01-01T00:00:00Z", None),
            ("2026-08-20T25:00:00Z", None),
            ("2026-08-20T10:00:00", None),
            ("2026-08-20T10:00:00+0200", None),
            ("2026-13-20T10:00:00Z", None),
            ("2026-08-20", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
