//! Numbers as Go's `encoding/json` writes doubles.

use std::io::Write as _;

/// Writes the number whose JSON text is `raw`, taken as a double: shortest digits that read back the same; an exponent
/// below 1e-6 and from 1e21 on (`docs/behaviour/fbc.md` Appendix A).
pub fn write_number(raw: &str, out: &mut Vec<u8>) {
    // Most numbers are short integers, whose text is already in this form.
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    if digits.len() <= 15 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        out.extend_from_slice(raw.as_bytes());
        return;
    }
    write_double(raw.parse().unwrap_or(0.0), out);
}

/// Like [`write_number`], for a double.
fn write_double(value: f64, out: &mut Vec<u8>) {
    let size = value.abs();
    // Writing to a vector cannot fail.
    let _ = if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{value:e}");
        match text.split_once("e-") {
            Some(_) => out.write_all(text.as_bytes()),
            None => out.write_all(text.replacen('e', "e+", 1).as_bytes()),
        }
    } else {
        write!(out, "{value}")
    };
}
