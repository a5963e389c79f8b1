//! The values of literals.

use std::sync::Arc;

use super::number::parse_double;
use super::value::Value;

/// A signed whole number; `text` has no sign.
pub(super) fn int(text: &str, is_negative: bool) -> Option<Value> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |it| (it, 16));
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    i64::try_from(if is_negative { -value } else { value }).ok().map(Value::Int)
}

/// An unsigned whole number, with its `u`.
pub(super) fn uint(text: &str) -> Option<Value> {
    let text = text.strip_suffix(['u', 'U'])?;
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |it| (it, 16));
    u64::from_str_radix(digits, radix).ok().map(Value::Uint)
}

/// A number with a fraction or an exponent; `text` has no sign.
pub(super) fn double(text: &str, is_negative: bool) -> Option<Value> {
    let value = parse_double(text)?;
    Some(Value::Double(if is_negative { -value } else { value }))
}

/// A text with its quotes.
pub(super) fn text(text: &str) -> Option<Value> {
    let bytes = unquote(text, false)?;
    String::from_utf8(bytes).ok().map(|it| Value::String(Arc::from(it)))
}

/// Bytes, with the letter and the quotes.
pub(super) fn bytes(text: &str) -> Option<Value> {
    unquote(text.get(1..)?, true).map(|it| Value::Bytes(Arc::from(it)))
}

/// The text between quotes, with its escapes resolved. Line ends of all kinds are one line feed.
fn unquote(text: &str, is_bytes: bool) -> Option<Vec<u8>> {
    let (is_raw, text) = text.strip_prefix(['r', 'R']).map_or((false, text), |it| (true, it));
    let is_long = text.len() >= 6 && (text.starts_with("'''") || text.starts_with("\"\"\""));
    let quotes = if is_long { 3 } else { 1 };
    let inside = text.get(quotes..text.len().checked_sub(quotes)?)?;
    let inside = inside.replace("\r\n", "\n").replace('\r', "\n");
    if is_raw {
        return Some(inside.into_bytes());
    }
    let mut unquoted = Vec::with_capacity(inside.len());
    let mut rest = inside.as_str();
    while let Some(at) = rest.find('\\') {
        unquoted.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        let letter = escape.chars().next()?;
        let plain = match letter {
            'a' => Some(7),
            'b' => Some(8),
            'f' => Some(0xc),
            'n' => Some(b'\n'),
            'r' => Some(b'\r'),
            't' => Some(b'\t'),
            'v' => Some(0xb),
            '\\' | '\'' | '"' | '`' | '?' => Some(letter as u8),
            _ => None,
        };
        if let Some(byte) = plain {
            unquoted.push(byte);
            rest = &escape[1..];
            continue;
        }
        let (from, n_digits, radix) = match letter {
            'x' | 'X' => (1, 2, 16),
            'u' if !is_bytes => (1, 4, 16),
            'U' if !is_bytes => (1, 8, 16),
            '0'..='3' => (0, 3, 8),
            _ => return None,
        };
        let code = u32::from_str_radix(escape.get(from..from + n_digits)?, radix).ok()?;
        match u8::try_from(code) {
            Ok(byte) if is_bytes => unquoted.push(byte),
            _ => unquoted.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        rest = &escape[from + n_digits..];
    }
    unquoted.extend_from_slice(rest.as_bytes());
    Some(unquoted)
}
