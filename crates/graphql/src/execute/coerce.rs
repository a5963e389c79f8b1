//! Conversion of a blob's value to a field's scalar type: Go's conversions, since answers show them.

use std::borrow::Cow;

use olmdex_text::json::{Kind, Value, write_compact, write_number, write_string_html};

use crate::schema::Scalar;

/// A value that is not an object and not a list of objects.
#[derive(Debug, Clone)]
pub(super) enum Leaf<'v> {
    Bool(bool),
    Number(f64),
    Text(Cow<'v, str>),
}

/// A number that JSON has no word for: graphql-go answers such a query with an error of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotEncodable;

impl<'v> Leaf<'v> {
    /// The value of a member; a list or an object as JSON text. `None` for null.
    pub(super) fn of(value: Value<'v>) -> Option<Self> {
        Some(match value.kind() {
            Kind::Null => return None,
            Kind::True => Self::Bool(true),
            Kind::False => Self::Bool(false),
            Kind::Number => Self::Number(value.as_f64().unwrap_or_default()),
            Kind::PlainString | Kind::EscapedString => Self::Text(value.as_str().unwrap_or_default()),
            Kind::Array | Kind::Object => Self::Text(Cow::Owned(json(value))),
        })
    }

    /// Writes it as a scalar of a kind.
    pub(super) fn write(&self, scalar: Scalar, out: &mut Vec<u8>) -> Result<(), NotEncodable> {
        match scalar {
            Scalar::String => write_string_html(&self.text(), out),
            Scalar::Boolean => {
                let is_true = match self {
                    Self::Bool(it) => *it,
                    Self::Number(it) => *it != 0.0,
                    Self::Text(it) => !matches!(it.as_ref(), "" | "false"),
                };
                out.extend_from_slice(if is_true { b"true" } else { b"false" });
            }
            Scalar::Int => match self.number().and_then(whole) {
                Some(number) => out.extend_from_slice(number.to_string().as_bytes()),
                None => out.extend_from_slice(b"null"),
            },
            Scalar::Float => match self.number().filter(|it| !it.is_nan()) {
                Some(number) if number.is_infinite() => return Err(NotEncodable),
                Some(number) => write_number(&format!("{number:e}"), out),
                None => out.extend_from_slice(b"null"),
            },
        }
        Ok(())
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Bool(it) => Cow::Borrowed(if *it { "true" } else { "false" }),
            Self::Number(it) => Cow::Owned(shortest(*it)),
            Self::Text(it) => Cow::Borrowed(it),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Bool(it) => Some(f64::from(u8::from(*it))),
            Self::Number(it) => Some(*it),
            Self::Text(it) => parse(it),
        }
    }
}

/// A number without its fraction, if it has 32 bits. A NaN becomes the smallest number of 64 bits, as in Go.
fn whole(number: f64) -> Option<i64> {
    if number.is_nan() {
        return Some(i64::MIN);
    }
    (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number).then_some(number as i64)
}

/// JSON as Go writes it for browsers.
fn json(value: Value<'_>) -> String {
    let mut compact = Vec::new();
    write_compact(value, &mut compact);
    let text = String::from_utf8_lossy(&compact);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            c => out.push(c),
        }
    }
    out
}

/// A number as Go's `%v` writes it: with an exponent below 0.0001 and from a million on.
fn shortest(number: f64) -> String {
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// A number as Go's `ParseFloat` reads it: underscores between digits, hexadecimal digits with a binary exponent,
/// infinity.
fn parse(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.eq_ignore_ascii_case("nan") {
        return (unsigned.len() == text.len()).then_some(f64::NAN);
    }
    if unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    let is_hex = unsigned.get(..2).is_some_and(|it| it.eq_ignore_ascii_case("0x"));
    let joined = without_underscores(unsigned, is_hex)?;
    let number = match joined.get(2..).filter(|_| is_hex) {
        Some(digits) => hexadecimal(digits)?,
        None if joined.bytes().all(|it| it.is_ascii_digit() || b".eE+-".contains(&it)) => joined.parse().ok()?,
        None => return None,
    };
    let number: f64 = if text.starts_with('-') { -number } else { number };
    number.is_finite().then_some(number)
}

/// The text without the underscores, each of which must be between digits, or behind the prefix of hexadecimal digits.
fn without_underscores(text: &str, is_hex: bool) -> Option<String> {
    let is_digit = |it: u8| if is_hex { it.is_ascii_hexdigit() } else { it.is_ascii_digit() };
    let bytes = text.as_bytes();
    let is_placed = |at: usize| {
        let before = at.checked_sub(1).and_then(|it| bytes.get(it)).copied();
        let is_behind_mark = is_hex && at == 2;
        (is_behind_mark || before.is_some_and(is_digit)) && bytes.get(at + 1).copied().is_some_and(is_digit)
    };
    let are_placed = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || is_placed(at));
    are_placed.then(|| text.replace('_', ""))
}

/// Hexadecimal digits with a binary exponent. More digits than a number has are cut.
fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut number = 0_f64;
    for digit in whole.chars().chain(fraction.chars()) {
        number = number * 16.0 + f64::from(digit.to_digit(16)?);
    }
    exponent = exponent.saturating_sub(4 * i32::try_from(fraction.len()).unwrap_or(i32::MAX / 4));
    Some(number * 2_f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_go_writes_them() {
        for (number, text) in [
            (1_234_567.0, "1.234567e+06"),
            (123_456.0, "123456"),
            (1e21, "1e+21"),
            (1e-7, "1e-07"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-0.0, "-0"),
            (12.75, "12.75"),
            (1e300, "1e+300"),
        ] {
            assert_eq!(shortest(number), text);
        }
    }

    #[test]
    fn texts_are_read_as_go_reads_them() {
        for (text, number) in [
            ("1_000", Some(1000.0)),
            ("0x1p4", Some(16.0)),
            ("0x_1p4", Some(16.0)),
            ("-0x1.8p1", Some(-3.0)),
            ("inf", Some(f64::INFINITY)),
            ("-Inf", Some(f64::NEG_INFINITY)),
            ("1e400", None),
            ("1.", Some(1.0)),
            ("+.5", Some(0.5)),
            (" 1", None),
            ("1__0", None),
            ("_1", None),
            ("1_", None),
            ("0x1", None),
            ("+nan", None),
            (".", None),
            ("", None),
            ("1e", None),
        ] {
            assert_eq!(parse(text), number, "{text}");
        }
        assert!(parse("nan").is_some_and(f64::is_nan));
    }
}
