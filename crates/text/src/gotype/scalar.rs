//! Values with decoders of their own: times, quantities, versions.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::calendar::Day;
use crate::json::{Kind, Value};
use olmdex_version::{Quoted, Version, check_release_segments};

/// The base64 of Go's library: standard alphabet, padded; bits behind the last byte are ignored.
pub const STANDARD_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

fn not_a_text(value: Value<'_>) -> String {
    format!("json: cannot unmarshal {} into Go value of type string", value.kind().name())
}

/// A time of RFC 3339. `null` is no time.
pub(super) fn time(value: Value<'_>) -> Result<(), String> {
    if value.is_null() {
        return Ok(());
    }
    let text = value.as_str().ok_or_else(|| not_a_text(value))?;
    if is_time(&text) {
        return Ok(());
    }
    let (text, layout) = (Quoted(&text), "2006-01-02T15:04:05Z07:00");
    Err(format!("parsing time {text} as \"{layout}\": cannot parse {text} as \"2006\""))
}

/// Whether Go's library parses a text as a time: hours may have one digit, seconds a fraction after a point or a comma.
fn is_time(text: &str) -> bool {
    let number = |from: &mut &str, least: usize, most: usize| -> Option<u32> {
        let len = from.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = from.split_at(len);
        *from = rest;
        (len >= least).then(|| digits.parse().ok())?
    };
    let mark = |from: &mut &str, mark: char| -> Option<()> {
        *from = from.strip_prefix(mark)?;
        Some(())
    };
    let parse = || -> Option<()> {
        let mut rest = text;
        let year = number(&mut rest, 4, 4)?;
        mark(&mut rest, '-')?;
        let month = number(&mut rest, 2, 2)?;
        mark(&mut rest, '-')?;
        let day = number(&mut rest, 2, 2)?;
        mark(&mut rest, 'T')?;
        let hour = number(&mut rest, 1, 2)?;
        mark(&mut rest, ':')?;
        let minute = number(&mut rest, 2, 2)?;
        mark(&mut rest, ':')?;
        let second = number(&mut rest, 2, 2)?;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let digits = fraction.trim_start_matches(|it: char| it.is_ascii_digit());
            if digits.len() == fraction.len() {
                return None;
            }
            rest = digits;
        }
        if rest != "Z" {
            rest = rest.strip_prefix(['+', '-'])?;
            let hours = number(&mut rest, 2, 2)?;
            mark(&mut rest, ':')?;
            let minutes = number(&mut rest, 2, 2)?;
            if !rest.is_empty() || hours > 24 || minutes > 60 {
                return None;
            }
        }
        let is_date = Day::new(year.into(), month.into(), day.into()).is_some();
        (is_date && hour < 24 && minute < 60 && second < 60).then_some(())
    };
    parse().is_some()
}

/// A quantity, which is parsed as it is written: numbers, and the text between quotes. `null` is no quantity.
pub(super) fn quantity(value: Value<'_>) -> Result<(), String> {
    const WRONG: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    if value.is_null() {
        return Ok(());
    }
    let text = value.raw().trim();
    if text.is_empty() {
        return Err(WRONG.to_owned());
    }
    let digits = |text: &str| text.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    rest = &rest[rest.len() - digits(rest)..];
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = &fraction[fraction.len() - digits(fraction)..];
    }
    let suffix = rest;
    let letters = suffix.trim_start_matches(|it: char| "eEinumkKMGTP".contains(it));
    let signed = letters.strip_prefix(['+', '-']).unwrap_or(letters);
    if digits(signed) != 0 {
        return Err(WRONG.to_owned());
    }
    let is_known = matches!(
        suffix,
        "" | "n" | "u" | "m" | "k" | "M" | "G" | "T" | "P" | "E" | "Ki" | "Mi" | "Gi" | "Ti" | "Pi" | "Ei"
    );
    let is_exponent =
        || suffix.len() > 1 && suffix.strip_prefix(['e', 'E']).is_some_and(|it| it.parse::<i64>().is_ok());
    if is_known || is_exponent() { Ok(()) } else { Err("unable to parse quantity's suffix".to_owned()) }
}

/// A number of 32 bits, or a text.
pub(super) fn int_or_string(value: Value<'_>) -> Result<(), String> {
    if value.is_null() || value.as_str().is_some() {
        return Ok(());
    }
    if value.kind() == Kind::Number && value.raw().parse::<i32>().is_ok() {
        return Ok(());
    }
    let found =
        if value.kind() == Kind::Number { format!("number {}", value.raw()) } else { value.kind().name().to_owned() };
    Err(format!("json: cannot unmarshal {found} into Go value of type int32"))
}

/// A version, read tolerantly. `null` is an empty text, which is not a version.
pub(super) fn version(value: Value<'_>) -> Result<(), String> {
    let text = if value.is_null() { "".into() } else { value.as_str().ok_or_else(|| not_a_text(value))? };
    Version::parse_tolerant(&text).map(drop).map_err(|error| error.to_string())
}

/// A release: segments as those of a pre-release.
pub(super) fn release(value: Value<'_>) -> Result<(), String> {
    let text = if value.is_null() { "".into() } else { value.as_str().ok_or_else(|| not_a_text(value))? };
    check_release_segments(&text).map_err(|error| error.to_string())
}

/// Base64 text, or a list of bytes.
pub(super) fn bytes(value: Value<'_>) -> Result<(), String> {
    let wrong = |value: Value<'_>, of: &str| {
        Err(format!("json: cannot unmarshal {} into Go value of type {of}", value.kind().name()))
    };
    match value.kind() {
        Kind::PlainString | Kind::EscapedString => {
            let text = value.as_str().unwrap_or_default().replace(['\r', '\n'], "");
            STANDARD_BASE64.decode(text.as_bytes()).map(drop).map_err(|_| "illegal base64 data".to_owned())
        }
        Kind::Array => match value.items().find(|it| !it.is_null() && it.raw().parse::<u8>().is_err()) {
            Some(item) => wrong(item, "uint8"),
            None => Ok(()),
        },
        Kind::Null => Ok(()),
        _ => wrong(value, "[]uint8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Reader;

    fn fits(check: fn(Value<'_>) -> Result<(), String>, text: &str) -> bool {
        let mut reader = Reader::new();
        check(reader.read(text).unwrap()).is_ok()
    }

    #[test]
    fn times_are_those_of_rfc_3339() {
        for good in ["2024-02-29T23:59:59Z", "2024-01-01T1:00:00.5+24:00", "2024-01-01T01:00:00,25-00:60"] {
            assert!(is_time(good), "{good}");
        }
        for bad in [
            "",
            "2023-02-29T00:00:00Z",
            "2024-01-01",
            "2024-1-01T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:00+25:00",
            "2024-01-01t00:00:00Z",
            "2024-13-01T00:00:00Z",
        ] {
            assert!(!is_time(bad), "{bad}");
        }
        assert!(fits(time, "null") && !fits(time, "5"));
    }

    #[test]
    fn quantities_have_a_number_and_a_known_suffix() {
        for good in
            ["10", "1.5", "1e3", "\"10Mi\"", "\"-1.5Gi\"", "\"1E\"", "\"1e-3\"", "\"m\"", "\".\"", "\" 5 \"", "null"]
        {
            assert!(fits(quantity, good), "{good}");
        }
        for bad in ["\"\"", "true", "{}", "[]", "\"10MB\"", "\"1e\"", "\"1 Mi\"", "\"abc\"", "\"1mM\"", "\"1.5.5\""] {
            assert!(!fits(quantity, bad), "{bad}");
        }
    }

    #[test]
    fn versions_and_releases_are_texts_that_parse() {
        assert!(fits(version, "\"v1.2\"") && fits(version, "\"1.0.0-rc.1\""));
        for bad in ["null", "\"\"", "1.0", "\"one\"", "\"1.0.0-01\""] {
            assert!(!fits(version, bad), "{bad}");
        }
        assert!(fits(release, "\"1.a\"") && fits(release, "\"a-release-of-more-than-twenty-characters\""));
        for bad in ["null", "\"\"", "1", "\"01\"", "\"1..2\"", "\"a_b\""] {
            assert!(!fits(release, bad), "{bad}");
        }
    }

    #[test]
    fn bytes_are_base64_or_a_list_of_bytes() {
        for good in ["\"YQ==\"", "\"Y\\nQ==\"", "[0, 255, null]", "null"] {
            assert!(fits(bytes, good), "{good}");
        }
        for bad in ["\"YQ\"", "[256]", "[\"a\"]", "5"] {
            assert!(!fits(bytes, bad), "{bad}");
        }
    }
}
