//! Poll intervals of catalogs: Go's durations, as CatalogSources have them, in whole minutes, as ClusterCatalogs have
//! them.

/// The whole minutes of a duration, at least one; `None` if the text is not a duration, or if it is zero or negative.
pub(super) fn minutes(text: &str) -> Option<u64> {
    let mut seconds = 0.0;
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.')?;
        let (number, after) = rest.split_at(end);
        let unit_end = after.find(|it: char| it.is_ascii_digit() || it == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let of_unit = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" | "μs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        seconds += number.parse::<f64>().ok()? * of_unit;
        rest = after;
    }
    // Nobody means a poll interval of centuries; the largest is the one that an int32 holds.
    let minutes = (seconds / 60.0).ceil();
    (seconds > 0.0 && minutes <= f64::from(i32::MAX)).then_some(minutes as u64)
}

#[cfg(test)]
mod tests {
    use super::minutes;

    #[test]
    fn durations_become_whole_minutes() {
        for (text, expected) in [
            ("10m", Some(10)),
            ("1h30m", Some(90)),
            ("1.5h", Some(90)),
            ("45s", Some(1)),
            ("61s", Some(2)),
            ("30m0s", Some(30)),
            ("0s", None),
            ("", None),
            ("10", None),
            ("m", None),
            ("-5m", None),
            ("10d", None),
            ("999999999999h", None),
        ] {
            assert_eq!(minutes(text), expected, "{text}");
        }
    }
}
