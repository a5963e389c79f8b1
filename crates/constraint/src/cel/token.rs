//! Cuts a rule into tokens.

use super::error::{Fault, RuleErrorKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Uint,
    Float,
    Text,
    Bytes,
    Name,
    /// A name between backquotes.
    QuotedName,
    True,
    False,
    Null,
    /// An operator or bracket, by its text.
    Mark(&'static str),
    End,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) offset: usize,
}

/// Longer ones first.
const MARKS: [&str; 25] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "+", "*",
    "/", "%", "in",
];

/// The tokens of a rule, with one for its end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\t' | b' ' | b'\r' | b'\n' | 0xc => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
            }
            _ => {
                let (kind, len) = token(&text[at..]).ok_or_else(|| {
                    let shown: String = text[at..].chars().take(1).collect();
                    Fault::at(at, RuleErrorKind::Syntax(format!("token recognition error at: '{shown}'")))
                })?;
                tokens.push(Token { kind, text: &text[at..at + len], offset: at });
                at += len;
            }
        }
    }
    tokens.push(Token { kind: Kind::End, text: "<EOF>", offset: text.len() });
    Ok(tokens)
}

/// The token at the start of a text: the longest that there can be.
fn token(text: &str) -> Option<(Kind, usize)> {
    let bytes = text.as_bytes();
    if let Some(found) = number(bytes).or_else(|| quoted(bytes)) {
        return Some(found);
    }
    let first = *bytes.first()?;
    if first == b'_' || first.is_ascii_alphabetic() {
        let is_part = |it: &&u8| **it == b'_' || it.is_ascii_alphanumeric();
        let len = bytes.iter().take_while(is_part).count();
        let kind = match &text[..len] {
            "in" => Kind::Mark("in"),
            "true" => Kind::True,
            "false" => Kind::False,
            "null" => Kind::Null,
            _ => Kind::Name,
        };
        return Some((kind, len));
    }
    if first == b'`' {
        let is_part = |it: &&u8| it.is_ascii_alphanumeric() || b"_.-/ ".contains(it);
        let len = bytes[1..].iter().take_while(is_part).count();
        return (len > 0 && bytes.get(len + 1) == Some(&b'`')).then_some((Kind::QuotedName, len + 2));
    }
    MARKS.iter().find(|it| text.starts_with(**it)).map(|it| (Kind::Mark(it), it.len()))
}

fn number(bytes: &[u8]) -> Option<(Kind, usize)> {
    let digits =
        |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|it| it.is_ascii_digit()).count();
    let is_u = |at: usize| matches!(bytes.get(at), Some(b'u' | b'U'));
    if bytes.starts_with(b"0x") {
        let len = bytes[2..].iter().take_while(|it| it.is_ascii_hexdigit()).count();
        if len > 0 {
            return Some(if is_u(2 + len) { (Kind::Uint, len + 3) } else { (Kind::Int, len + 2) });
        }
    }
    let whole = digits(0);
    let mut len = whole;
    let mut is_float = false;
    if bytes.get(len) == Some(&b'.') {
        let fraction = digits(len + 1);
        if fraction > 0 {
            len += 1 + fraction;
            is_float = true;
        }
    }
    if len == 0 {
        return None;
    }
    if matches!(bytes.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(len + 1), Some(b'+' | b'-')));
        let exponent = digits(len + 1 + sign);
        if exponent > 0 {
            len += 1 + sign + exponent;
            is_float = true;
        }
    }
    Some(match is_float {
        true => (Kind::Float, len),
        false if is_u(len) => (Kind::Uint, len + 1),
        false => (Kind::Int, len),
    })
}

/// A text or bytes, with the letters before its quote.
fn quoted(bytes: &[u8]) -> Option<(Kind, usize)> {
    let is_bytes = matches!(bytes.first(), Some(b'b' | b'B'));
    let mut at = usize::from(is_bytes);
    let is_raw = matches!(bytes.get(at), Some(b'r' | b'R'));
    at += usize::from(is_raw);
    let quote = *bytes.get(at).filter(|it| matches!(it, b'"' | b'\''))?;
    let end = long(bytes, at, quote, is_raw).or_else(|| short(bytes, at, quote, is_raw))?;
    Some((if is_bytes { Kind::Bytes } else { Kind::Text }, end))
}

/// The end of a text in three quotes.
fn long(bytes: &[u8], start: usize, quote: u8, is_raw: bool) -> Option<usize> {
    let quotes = [quote; 3];
    if !bytes[start..].starts_with(&quotes) {
        return None;
    }
    let mut at = start + 3;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if !is_raw => at += escape(&bytes[at..])?,
            _ if bytes[at..].starts_with(&quotes) => return Some(at + 3),
            _ => at += 1,
        }
    }
    None
}

/// The end of a text in single quotes of its kind, which is on one line.
fn short(bytes: &[u8], start: usize, quote: u8, is_raw: bool) -> Option<usize> {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            it if it == quote => return Some(at + 1),
            b'\n' | b'\r' => return None,
            b'\\' if !is_raw => at += escape(&bytes[at..])?,
            _ => at += 1,
        }
    }
    None
}

/// The length of an escape.
fn escape(bytes: &[u8]) -> Option<usize> {
    let hex = |n: usize| {
        let digits = bytes.get(2..2 + n)?;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(2 + n)
    };
    match bytes.get(1)? {
        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`' => Some(2),
        b'x' | b'X' => hex(2),
        b'u' => hex(4),
        b'U' => hex(8),
        b'0'..=b'3' => {
            let digits = bytes.get(2..4)?;
            digits.iter().all(|it| (b'0'..=b'7').contains(it)).then_some(4)
        }
        _ => None,
    }
}
