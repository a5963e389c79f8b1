//! Conversion of a blob's value to a field's scalar type: Go's conversions, since answers show them.

use std::borrow::Cow;

use async_graphql::{Number, Value as Answer};
use olmdex_text::json::{Kind, Value};
use olmdex_text::yaml::float_as_text;

use crate::discover::Scalar;
use crate::limits::Excess;

/// The value of a member as a scalar; a list or an object as JSON text.
pub(crate) fn coerce(value: Value<'_>, scalar: Scalar) -> Result<Answer, Excess> {
    Ok(match scalar {
        _ if value.is_null() => Answer::Null,
        Scalar::String => Answer::String(text(value).into_owned()),
        Scalar::Boolean => Answer::Boolean(match value.kind() {
            Kind::True => true,
            Kind::False => false,
            Kind::Number => value.as_f64() != Some(0.0),
            _ => !matches!(text(value).as_ref(), "" | "false"),
        }),
        Scalar::Int => number(value).and_then(whole).map_or(Answer::Null, Answer::from),
        Scalar::Float => match number(value).filter(|number| !number.is_nan()) {
            Some(number) => Answer::Number(Number::from_f64(number).ok_or(Excess::NotEncodable)?),
            None => Answer::Null,
        },
    })
}

fn text(value: Value<'_>) -> Cow<'_, str> {
    match value.kind() {
        Kind::PlainString | Kind::EscapedString => value.as_str().unwrap_or_default(),
        Kind::Number => Cow::Owned(float_as_text(value.raw())),
        Kind::Null | Kind::True | Kind::False => Cow::Borrowed(value.raw()),
        Kind::Array | Kind::Object => {
            // As Go writes it for browsers.
            Cow::Owned(value.compact().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"))
        }
    }
}

fn number(value: Value<'_>) -> Option<f64> {
    match value.kind() {
        Kind::True => Some(1.0),
        Kind::False => Some(0.0),
        Kind::Number => value.as_f64(),
        _ => parse(&text(value)),
    }
}

/// A number without its fraction, if it has 32 bits. A NaN becomes the smallest number of 64 bits, as in Go.
fn whole(number: f64) -> Option<i64> {
    if number.is_nan() {
        return Some(i64::MIN);
    }
    (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number).then_some(number as i64)
}

/// A number as Go's `ParseFloat` reads it: underscores between digits, hexadecimal digits with a binary exponent,
/// infinity.
fn parse(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_hex = unsigned.get(..2).is_some_and(|mark| mark.eq_ignore_ascii_case("0x"));
    let joined = without_underscores(unsigned, is_hex)?;
    let number = match joined.get(2..).filter(|_| is_hex) {
        Some(digits) => hexadecimal(digits)?,
        None if joined.starts_with(['+', '-']) => return None,
        None => joined.parse::<f64>().ok()?,
    };
    let is_word = unsigned.starts_with(|first: char| first.is_ascii_alphabetic());
    if (number.is_nan() && unsigned.len() < text.len()) || (number.is_infinite() && !is_word) {
        return None;
    }
    Some(if text.starts_with('-') { -number } else { number })
}

/// The text without the underscores, each of which must be between digits, or behind the prefix of hexadecimal digits.
fn without_underscores(text: &str, is_hex: bool) -> Option<String> {
    let is_digit = |c: char| c.is_digit(if is_hex { 16 } else { 10 });
    let is_end = |part: &str| part.ends_with(is_digit) || part.eq_ignore_ascii_case("0x");
    let parts: Vec<&str> = text.split('_').collect();
    let are_placed = parts.windows(2).all(|pair| is_end(pair[0]) && pair[1].starts_with(is_digit));
    are_placed.then(|| parts.concat())
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
