//! The meaning of scalars: the resolution rules of YAML 1.1 as go-yaml v2 has them (`docs/behaviour/fbc.md` 1.4).

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use thiserror::Error;

use super::number;
use crate::calendar::Day;
use crate::json::decode_utf8;

/// The prefix of tags of YAML's own types.
const TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// Go's decoder asks for padding and does not mind stray bits in the last character.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// The value of a scalar.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar<'t> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An integer that fits 64 bits with a sign.
    Int(i64),
    /// A larger one that fits 64 bits without.
    Uint(u64),
    /// A float, perhaps infinite or not a number.
    Float(f64),
    /// A date or time. It stays the text it is; only the writer needs to know.
    Timestamp(&'t str),
    /// Everything else.
    Str(Cow<'t, str>),
}

impl Scalar<'_> {
    /// The short form of the tag that the value has.
    fn short_tag(&self) -> &'static str {
        match self {
            Self::Null => "!!null",
            Self::Bool(_) => "!!bool",
            Self::Int(_) | Self::Uint(_) => "!!int",
            Self::Float(_) => "!!float",
            Self::Timestamp(_) => "!!timestamp",
            Self::Str(_) => "!!str",
        }
    }
}

/// The reasons why a scalar does not fit its tag.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TagError {
    /// The value is of another type.
    #[error("cannot decode {found} `{text}` as a {wanted}")]
    Mismatch {
        /// Short tag of the text's own type.
        found: &'static str,
        text: String,
        /// Short form of the tag that it has.
        wanted: String,
    },
    /// `!!binary` on something that is not base64.
    #[error("!!binary value contains invalid base64 data")]
    Base64,
}

/// The value of a scalar with a tag or without. `is_plain` tells that it is unquoted, or has the tag `!`.
///
/// # Errors
///
/// The text does not fit the tag. Unknown tags make it a string.
pub fn resolve<'t>(tag: Option<&str>, is_plain: bool, text: &'t str) -> Result<Scalar<'t>, TagError> {
    let Some(tag) = tag.filter(|it| !it.is_empty()) else {
        return Ok(if is_plain { resolve_plain(text) } else { Scalar::Str(Cow::Borrowed(text)) });
    };
    let kind = tag.strip_prefix(TAG_PREFIX).unwrap_or("");
    let found = match kind {
        "binary" => return decode_binary(text).map(|it| Scalar::Str(Cow::Owned(it))),
        "timestamp" => resolve_plain(text),
        "bool" | "int" | "float" | "null" => resolve_untimed(text),
        _ => return Ok(Scalar::Str(Cow::Borrowed(text))),
    };
    match (kind, found) {
        #[expect(clippy::cast_precision_loss, reason = "that is what the tag asks for")]
        ("float", Scalar::Int(value)) => Ok(Scalar::Float(value as f64)),
        (_, found) if found.short_tag().strip_prefix("!!") == Some(kind) => Ok(found),
        (_, found) => {
            Err(TagError::Mismatch { found: found.short_tag(), text: text.to_owned(), wanted: format!("!!{kind}") })
        }
    }
}

/// Whether a scalar at the position of a key is a merge key.
pub(super) fn is_merge_key(tag: Option<&str>, is_plain: bool, text: &str) -> bool {
    text == "<<" && (is_plain || tag.and_then(|it| it.strip_prefix(TAG_PREFIX)) == Some("merge"))
}

/// The string that a scalar becomes as a mapping key; `None` if it cannot be one.
pub(super) fn key_text<'t>(scalar: &'t Scalar<'_>) -> Option<Cow<'t, str>> {
    Some(match scalar {
        Scalar::Str(text) => Cow::Borrowed(text.as_ref()),
        Scalar::Timestamp(text) => Cow::Borrowed(*text),
        Scalar::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        Scalar::Int(value) => Cow::Owned(value.to_string()),
        Scalar::Float(value) => {
            let mut text = Vec::new();
            number::write_key(*value, &mut text);
            Cow::Owned(decode_utf8(&text).into_owned())
        }
        Scalar::Null | Scalar::Uint(_) => return None,
    })
}

/// The value of an unquoted scalar without a tag.
pub fn resolve_plain(text: &str) -> Scalar<'_> {
    if is_timestamp(text) { Scalar::Timestamp(text) } else { resolve_untimed(text) }
}

/// Like [`resolve_plain`], without timestamps, which a tag of another type rules out.
fn resolve_untimed(text: &str) -> Scalar<'_> {
    let value = match text.bytes().next() {
        None => Some(Scalar::Null),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => word(text),
        Some(b'.') => word(text).or_else(|| dotted_float(text).map(Scalar::Float)),
        Some(b'+' | b'-' | b'0'..=b'9') => word(text).or_else(|| numeric(text)),
        Some(_) => None,
    };
    value.unwrap_or(Scalar::Str(Cow::Borrowed(text)))
}

/// The words that are not strings.
fn word(text: &str) -> Option<Scalar<'static>> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// Integers and floats that start with a digit or a sign. Underscores are ignored, wherever they are.
fn numeric(text: &str) -> Option<Scalar<'static>> {
    // A number has no other characters; most strings that look like one (versions, dates) end here.
    if !text
        .bytes()
        .all(|b| b.is_ascii_hexdigit() || matches!(b, b'+' | b'-' | b'.' | b'_' | b'x' | b'X' | b'o' | b'O'))
    {
        return None;
    }
    let digits: Cow<'_, str> = if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    integer(&digits).or_else(|| {
        let value = is_float(&digits).then(|| digits.parse().ok())??;
        f64::is_finite(value).then_some(Scalar::Float(value))
    })
}

fn integer(text: &str) -> Option<Scalar<'static>> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("+", &text[1..]),
        _ => ("", text),
    };
    let bytes = unsigned.as_bytes();
    let (base, digits) = match (bytes.first()?, bytes.get(1).map(u8::to_ascii_lowercase)) {
        (b'0', Some(b'x')) if bytes.len() > 2 => (16, &unsigned[2..]),
        (b'0', Some(b'o')) if bytes.len() > 2 => (8, &unsigned[2..]),
        // In lower case the sign may also follow the prefix: go-yaml tries binary a second time.
        (b'0', Some(b'b')) if sign.is_empty() && matches!(bytes, [_, b'b', b'+' | b'-', b'0' | b'1', ..]) => {
            return i64::from_str_radix(&unsigned[2..], 2).ok().map(Scalar::Int);
        }
        (b'0', Some(b'b')) if bytes.len() > 2 => (2, &unsigned[2..]),
        (b'0', Some(_)) => (8, &unsigned[1..]),
        _ => (10, unsigned),
    };
    // Rust's parser would accept another sign.
    if !digits.bytes().next()?.is_ascii_hexdigit() {
        return None;
    }
    let value = u64::from_str_radix(digits, base).ok()?;
    match sign {
        "-" => 0i64.checked_sub_unsigned(value).map(Scalar::Int),
        "+" => i64::try_from(value).ok().map(Scalar::Int),
        _ => Some(i64::try_from(value).map_or(Scalar::Uint(value), Scalar::Int)),
    }
}

/// `[-+]?(\.d+|d+(\.d*)?)([eE][-+]?d+)?`
fn is_float(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, rest) = digits(rest);
    let (fraction, rest, has_point) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (fraction, rest) = digits(rest);
            (fraction, rest, true)
        }
        None => ("", rest, false),
    };
    if whole.is_empty() && (!has_point || fraction.is_empty()) {
        return false;
    }
    match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => {
            let (number, rest) = digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent));
            !number.is_empty() && rest.is_empty()
        }
        None => rest.is_empty(),
    }
}

/// The digits at the start, and the rest.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Floats that start with a point follow Go's own syntax: an underscore must be between two digits.
fn dotted_float(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|it| bytes.get(it)).is_some_and(u8::is_ascii_digit);
    let stray = |(at, &byte): (usize, &u8)| byte == b'_' && !(is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)));
    // A run of underscores is stray too: its second one follows no digit.
    if bytes.iter().enumerate().any(stray) {
        return None;
    }
    let plain = text.replace('_', "");
    is_float(&plain).then(|| plain.parse().ok())?.filter(|it: &f64| it.is_finite())
}

/// Whether one of the four layouts fits: `Y-M-D`, `Y-M-D H:M:S[.f]` and the two with `T` or `t` and a zone. Months
/// to seconds have one or two digits, hours, minutes and seconds of zones two.
fn is_timestamp(text: &str) -> bool {
    // Most scalars end here.
    let bytes = text.as_bytes();
    if !matches!(bytes, [b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'-', ..]) {
        return false;
    }
    timestamp(text).is_some()
}

fn timestamp(text: &str) -> Option<()> {
    let (year, rest) = text.split_at_checked(4)?;
    let year: u32 = year.parse().ok()?;
    let (month, rest) = short(rest.strip_prefix('-')?, 1, 12)?;
    let (day, rest) = short(rest.strip_prefix('-')?, 1, 31)?;
    Day::new(year.into(), month.into(), day.into())?;
    if rest.is_empty() {
        return Some(());
    }
    let has_zone = !rest.starts_with(' ');
    let rest = if has_zone { rest.strip_prefix(['T', 't'])? } else { rest.trim_start_matches(' ') };
    let (_, rest) = short(rest, 0, 23)?;
    let (_, rest) = short(rest.strip_prefix(':')?, 0, 59)?;
    let (_, mut rest) = short(rest.strip_prefix(':')?, 0, 59)?;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let (found, behind) = digits(fraction);
        if !found.is_empty() {
            rest = behind;
        }
    }
    if !has_zone {
        return rest.is_empty().then_some(());
    }
    if rest == "Z" {
        return Some(());
    }
    let rest = rest.strip_prefix(['+', '-'])?;
    let is_zone = matches!(rest.as_bytes(), [a, b, b':', c, d] if [a, b, c, d].iter().all(|it| it.is_ascii_digit()));
    // Go lets a zone have 24 hours or 60 minutes.
    (is_zone && rest[..2].parse::<u32>().ok()? <= 24 && rest[3..].parse::<u32>().ok()? <= 60).then_some(())
}

/// A number of one or two digits within a range, and the rest.
fn short(text: &str, least: u32, most: u32) -> Option<(u32, &str)> {
    let len = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(len);
    let number = number.parse().ok()?;
    (least..=most).contains(&number).then_some((number, rest))
}

fn decode_binary(text: &str) -> Result<String, TagError> {
    let kept: Vec<u8> = text.bytes().filter(|it| !matches!(it, b'\r' | b'\n')).collect();
    let bytes = BASE64.decode(kept).map_err(|_error| TagError::Base64)?;
    Ok(decode_utf8(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(scalar: &Scalar<'_>) -> String {
        match scalar {
            Scalar::Null => "null".to_owned(),
            Scalar::Bool(value) => value.to_string(),
            Scalar::Int(value) => format!("int {value}"),
            Scalar::Uint(value) => format!("uint {value}"),
            Scalar::Float(value) => format!("float {value}"),
            Scalar::Timestamp(_) => "time".to_owned(),
            Scalar::Str(_) => "str".to_owned(),
        }
    }

    #[test]
    fn resolves_plain_scalars() {
        let cases: &[(&str, &str)] = &[
            ("true", "y Y yes Yes YES true True TRUE on On ON"),
            ("false", "n N no No NO false False FALSE off Off OFF"),
            ("null", "~ null Null NULL"),
            ("float NaN", ".nan .NaN .NAN"),
            ("float inf", ".inf .Inf .INF +.inf +.Inf +.INF"),
            ("float -inf", "-.inf -.Inf -.INF"),
            (
                "str",
                "yEs tRue nULL oN .naN +.nan << = 1.2.3 v1 1:30 12:30:45 0x 0o8 0b2 0b - + . .. ... ._5 .5_ _1 1e 1e+",
            ),
            (
                "str",
                "1e999 -1e999 .1e999 1x 0x1G 2020-13-45 2020-02-30 1.0.0-1 -- +-1 0x-1 0o+1 -0b+1 0B+1 1.5e1.5 0xe+1 ½ ٣",
            ),
            ("int 0", "0 00 +0 -0 0_ 0x0 0b0 0o0"),
            ("int 1", "1 +1 01 1_ +_1 0b1 0B1 0o1 0O1 0x1 0X1 0b+1 0_1"),
            ("int -1", "-1 -01 -0b1 -0x1 -0o1 0b-1 -_1"),
            ("int 8", "8 010 0o10 0b1000 0x8"),
            ("int 31", "0x1F 0X1f 0o37 037"),
            ("int 1000", "1_000 1000 1__000"),
            ("int 9223372036854775807", "9223372036854775807 0x7fffffffffffffff"),
            ("int -9223372036854775808", "-9223372036854775808"),
            ("uint 9223372036854775808", "9223372036854775808"),
            ("uint 18446744073709551615", "18446744073709551615 0xFFFFFFFFFFFFFFFF"),
            ("float 18446744073709552000", "18446744073709551616 +18446744073709551615"),
            ("float 8", "08 8. 8.0 +8.0 0_8. 8e0 .8e1 80E-1"),
            ("float 10.5", "1_0.5 10.5_ 1.05e1 .1_05e2"),
            ("float 0.5", ".5 0.5 5e-1 +.5"),
            ("float 4.1", "4.10 4.1"),
            ("float 0", "1e-999 0.0 .0"),
            (
                "time",
                "2020-01-02 2020-1-2 2001-12-14t21:59:43.10-05:00 2001-12-14T21:59:43Z 2024-02-29 2001-12-14T1:2:3+24:60",
            ),
            (
                "str",
                "2020-01-02T 2023-02-29 2020-0-1 2001-12-14T21:59:43 2001-12-14T24:00:00Z 2001-12-14T21:59Z 02001-1-1",
            ),
            ("str", "1900-02-29 2020-04-31 2020-01-32 2020-13-01"),
        ];
        for (expected, texts) in cases {
            for text in texts.split(' ') {
                assert_eq!(shown(&resolve_plain(text)), *expected, "{text}");
            }
        }
        for text in ["2001-12-14 21:59:43.10", "2001-12-14   1:2:3", "2001-12-14 1:2:3,5"] {
            assert_eq!(shown(&resolve_plain(text)), "time", "{text}");
        }
        for text in ["2023-11-30 16:04 UTC", "2001-12-14 1:2", "2001-12-14 ", "2001-12-14 1:2:3."] {
            assert_eq!(shown(&resolve_plain(text)), "str", "{text}");
        }
        assert_eq!(shown(&resolve_plain("")), "null");
    }

    #[test]
    fn honours_tags() {
        let cases: &[(&str, &str, &str)] = &[
            ("str", "123", "str"),
            ("int", "123", "int 123"),
            ("int", "abc", "cannot decode !!str `abc` as a !!int"),
            ("int", "1.5", "cannot decode !!float `1.5` as a !!int"),
            ("int", "", "cannot decode !!null `` as a !!int"),
            ("int", "2020-01-02", "cannot decode !!str `2020-01-02` as a !!int"),
            ("float", "1", "float 1"),
            ("float", "18446744073709551615", "cannot decode !!int `18446744073709551615` as a !!float"),
            ("bool", "yes", "true"),
            ("null", "", "null"),
            ("null", "x", "cannot decode !!str `x` as a !!null"),
            ("timestamp", "2020-01-02", "time"),
            ("timestamp", "x", "cannot decode !!str `x` as a !!timestamp"),
            ("set", "1", "str"),
            ("binary", "aGVs\nbG8=", "str"),
            ("binary", "==", "!!binary value contains invalid base64 data"),
            ("binary", "aGVsbG8", "!!binary value contains invalid base64 data"),
        ];
        for (tag, text, expected) in cases {
            let found = resolve(Some(&format!("{TAG_PREFIX}{tag}")), false, text);
            assert_eq!(found.map_or_else(|error| error.to_string(), |it| shown(&it)), *expected, "!!{tag} {text}");
        }
        // Bytes that are not UTF-8 become U+FFFD.
        let found = resolve(Some("tag:yaml.org,2002:binary"), true, "aGVsbG//");
        assert_eq!(found, Ok(Scalar::Str("hello\u{FFFD}".into())));
        assert_eq!(shown(&resolve(Some("!other"), true, "1").unwrap()), "str");
        assert_eq!(shown(&resolve(None, false, "1").unwrap()), "str");
    }
}
