//! How Go writes floating point numbers.

use std::io::Write as _;

/// The shortest decimal digits that read back as the number, and the exponent of the first digit.
struct Shortest {
    is_negative: bool,
    digits: String,
    exponent: i32,
}

impl Shortest {
    /// Takes the output of Rust's `{:e}`, which has the shortest digits too: `-1.25e-7`.
    fn parse(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        Self {
            is_negative: mantissa.starts_with('-'),
            digits: mantissa.chars().filter(char::is_ascii_digit).collect(),
            exponent: exponent.parse().unwrap_or(0),
        }
    }

    /// `width` is the least number of digits of the exponent.
    fn write_scientific(&self, width: usize, out: &mut Vec<u8>) {
        let (first, rest) = self.digits.split_at(1);
        let sign = if self.is_negative { "-" } else { "" };
        let point = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if self.exponent < 0 { '-' } else { '+' };
        let exponent = self.exponent.unsigned_abs();
        // Writing to a vector cannot fail.
        let _ = write!(out, "{sign}{first}{point}{rest}e{exponent_sign}{exponent:0width$}");
    }
}

/// Writes a number like `encoding/json`: plain notation unless |x| < 1e-6 or ≥ 1e21; `1e+21`, `1e-7`
/// (`docs/behaviour/fbc.md` Appendix A). The value is finite.
pub(super) fn write_json(value: f64, out: &mut Vec<u8>) {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        Shortest::parse(&format!("{value:e}")).write_scientific(1, out);
    } else {
        let _ = write!(out, "{value}");
    }
}

/// Writes a number like `%g` with the shortest digits: an exponent below 1e-4 and from 1e6 on, of at least two digits
/// (`docs/behaviour/fbc.md` Appendix B.2). The value is finite.
pub(super) fn write_general(value: f64, out: &mut Vec<u8>) {
    let shortest = Shortest::parse(&format!("{value:e}"));
    if has_exponent(&shortest) {
        shortest.write_scientific(2, out);
    } else {
        let _ = write!(out, "{value}");
    }
}

/// A number of [`to_json_with_floats`](super::to_json_with_floats) as the text that it is where Go expects a text:
/// integers as they are, floats as `%g` has the nearest number of single precision, which may be infinite
/// (`docs/behaviour/fbc.md` 4.2).
pub fn number_as_text(json: &str) -> String {
    // A number beyond 64 bits was read as a double.
    let is_integer = json.parse::<i64>().is_ok() || json.parse::<u64>().is_ok();
    if is_integer {
        return json.to_owned();
    }
    #[expect(clippy::cast_possible_truncation, reason = "Go formats it in single precision")]
    let value = json.parse::<f64>().unwrap_or_default() as f32;
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let mut out = Vec::new();
    write_key(f64::from(value), &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// A number of JSON, taken as a double, as `write_general` has it.
pub fn float_as_text(json: &str) -> String {
    let mut out = Vec::new();
    write_general(json.parse().unwrap_or_default(), &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Like [`write_general`] for the nearest number of single precision, which is the form of mapping keys; with YAML's
/// names for values that are not finite (`docs/behaviour/fbc.md` 1.4).
pub(super) fn write_key(value: f64, out: &mut Vec<u8>) {
    #[expect(clippy::cast_possible_truncation, reason = "keys are of single precision")]
    let value = value as f32;
    if value.is_nan() {
        out.extend_from_slice(b".nan");
        return;
    }
    if value.is_infinite() {
        out.extend_from_slice(if value > 0.0 { b".inf" } else { b"-.inf" });
        return;
    }
    let shortest = Shortest::parse(&format!("{value:e}"));
    if has_exponent(&shortest) {
        shortest.write_scientific(2, out);
    } else {
        let _ = write!(out, "{value}");
    }
}

fn has_exponent(shortest: &Shortest) -> bool {
    !(-4..6).contains(&shortest.exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: fn(f64, &mut Vec<u8>), value: f64) -> String {
        let mut out = Vec::new();
        write(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn writes_json_and_general_forms() {
        let cases = [
            (0.0, "0", "0"),
            (-0.0, "-0", "-0"),
            (1.5, "1.5", "1.5"),
            (1e-4, "0.0001", "0.0001"),
            (1e-5, "0.00001", "1e-05"),
            (1e-6, "0.000001", "1e-06"),
            (1e-7, "1e-7", "1e-07"),
            (123_456.5, "123456.5", "123456.5"),
            (1_234_567.5, "1234567.5", "1.2345675e+06"),
            (12_345_678.9, "12345678.9", "1.23456789e+07"),
            (1e20, "100000000000000000000", "1e+20"),
            (-1e21, "-1e+21", "-1e+21"),
            (1.5e300, "1.5e+300", "1.5e+300"),
        ];
        for (value, json, general) in cases {
            assert_eq!(text(write_json, value), json);
            assert_eq!(text(write_general, value), general);
        }
    }

    #[test]
    fn a_number_is_a_text_where_one_is_expected() {
        let cases = [
            ("5", "5"),
            ("-0", "-0"),
            ("-0.0", "-0"),
            ("9223372036854775809", "9223372036854775809"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709552000.0", "1.8446744e+19"),
            ("100000000000000000000.0", "1e+20"),
            ("123456.789", "123456.79"),
            ("1000000.0", "1e+06"),
            ("1e+100", "+Inf"),
            ("-1e+39", "-Inf"),
            ("1e-50", "0"),
            ("1e-7", "1e-07"),
            ("0.5", "0.5"),
        ];
        for (json, expected) in cases {
            assert_eq!(number_as_text(json), expected);
        }
    }

    #[test]
    fn writes_keys_in_single_precision() {
        let cases = [(1.5, "1.5"), (0.1, "0.1"), (1e40, ".inf"), (-1e40, "-.inf"), (16_777_217.0, "1.6777216e+07")];
        for (value, expected) in cases {
            assert_eq!(text(write_key, value), expected);
        }
        assert_eq!(text(write_key, f64::NAN), ".nan");
    }
}
