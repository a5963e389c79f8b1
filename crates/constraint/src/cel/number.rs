//! Numbers as texts, as Go reads and prints them.

/// The number of a text, as Go's `strconv.ParseFloat` reads it: decimal or hexadecimal, `inf`, `nan`, underscores
/// between digits. `None` also for a number that is too large.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    let (is_negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let is_word = |word: &str| rest.eq_ignore_ascii_case(word);
    let value = if is_word("inf") || is_word("infinity") {
        f64::INFINITY
    } else if text.eq_ignore_ascii_case("nan") {
        f64::NAN
    } else {
        let is_hex = rest.get(..2).is_some_and(|it| it.eq_ignore_ascii_case("0x"));
        if rest.contains('_') && !underscores_separate_digits(rest, is_hex) {
            return None;
        }
        let digits = rest.replace('_', "");
        let value = if is_hex { hexadecimal(&digits[2..])? } else { decimal(&digits)? };
        if value.is_infinite() {
            return None;
        }
        value
    };
    Some(if is_negative { -value } else { value })
}

/// Whether every underscore is between digits, or between the prefix and a digit.
fn underscores_separate_digits(text: &str, is_hex: bool) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |it: u8| if is_hex { it.is_ascii_hexdigit() } else { it.is_ascii_digit() };
    bytes.iter().enumerate().filter(|(_, it)| **it == b'_').all(|(at, _)| {
        let is_after = at.checked_sub(1).is_some_and(|it| is_digit(bytes[it]) || (is_hex && it == 1));
        is_after && bytes.get(at + 1).is_some_and(|it| is_digit(*it))
    })
}

fn decimal(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'.' | b'e' | b'E' | b'+' | b'-'));
    let starts = text.starts_with(|it: char| it.is_ascii_digit() || it == '.');
    if is_plain && starts { text.parse().ok() } else { None }
}

/// The text after `0x`: digits with a point, and an exponent of two.
fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i64 = match exponent.strip_prefix(['+', '-']).unwrap_or(exponent) {
        digits if !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) => {
            let value = digits.parse::<i64>().unwrap_or(1 << 20).min(1 << 20);
            if exponent.starts_with('-') { -value } else { value }
        }
        _ => return None,
    };
    let mut value: u64 = 0;
    let mut n_digits = 0;
    let mut is_fraction = false;
    for c in mantissa.chars() {
        if c == '.' && !is_fraction {
            is_fraction = true;
            continue;
        }
        let digit = u64::from(c.to_digit(16)?);
        n_digits += 1;
        if value >> 58 == 0 {
            value = value << 4 | digit;
            exponent -= if is_fraction { 4 } else { 0 };
        } else {
            // The rounding must see that something was cut off.
            value |= u64::from(digit != 0);
            exponent += if is_fraction { 0 } else { 4 };
        }
    }
    if n_digits == 0 {
        return None;
    }
    let mut number = value as f64;
    while exponent > 0 && number != 0.0 && number.is_finite() {
        let step = exponent.min(1000);
        number *= 2f64.powi(step as i32);
        exponent -= step;
    }
    while exponent < 0 && number != 0.0 {
        let step = (-exponent).min(1000);
        number /= 2f64.powi(step as i32);
        exponent += step;
    }
    Some(number)
}

/// A number as Go's `%g` prints it: the shortest digits that give the number again, with an exponent if that is below
/// -4 or above 5.
pub(super) fn write_double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if number == 0.0 || (-4..6).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_in_go() {
        for (text, number) in [
            ("1", 1.0),
            ("+1.5", 1.5),
            ("-.5", -0.5),
            ("1.", 1.0),
            ("1e3", 1000.0),
            ("1E-3", 0.001),
            ("0x1p4", 16.0),
            ("0x1.8p0", 1.5),
            ("-0X.8p1", -1.0),
            ("1_000.5", 1000.5),
            ("1e-400", 0.0),
            ("Infinity", f64::INFINITY),
            ("-inf", f64::NEG_INFINITY),
        ] {
            assert_eq!(parse_double(text), Some(number), "{text}");
        }
        assert!(parse_double("NaN").is_some_and(f64::is_nan));
        for text in
            ["", "+", ".", "e5", "1e", "1e400", "+nan", "1 ", "0x1", "0xp1", "_1", "1_", "1__0", "1._5", "1f", "abc"]
        {
            assert_eq!(parse_double(text), None, "{text}");
        }
    }
}
