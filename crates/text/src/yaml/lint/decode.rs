//! Bytes to text, by the encodings that YAML allows and yamllint detects.

use std::borrow::Cow;

use super::problem::{LintProblem, unruly};
use crate::yaml::events::first_forbidden;

/// The encodings.
#[derive(Debug, Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
    Utf32(fn([u8; 4]) -> u32),
}

/// The encoding of a text by its first bytes, and the length of its byte order mark (YAML 1.2.2, section 5.2).
fn encoding(bytes: &[u8]) -> (Encoding, usize) {
    match *bytes {
        [0, 0, 0xFE, 0xFF, ..] => (Encoding::Utf32(u32::from_be_bytes), 4),
        [0, 0, 0, _, ..] => (Encoding::Utf32(u32::from_be_bytes), 0),
        [0xFF, 0xFE, 0, 0, ..] => (Encoding::Utf32(u32::from_le_bytes), 4),
        [_, 0, 0, 0, ..] => (Encoding::Utf32(u32::from_le_bytes), 0),
        [0xFE, 0xFF, ..] => (Encoding::Utf16(u16::from_be_bytes), 2),
        [0, _, ..] => (Encoding::Utf16(u16::from_be_bytes), 0),
        [0xFF, 0xFE, ..] => (Encoding::Utf16(u16::from_le_bytes), 2),
        [_, 0, ..] => (Encoding::Utf16(u16::from_le_bytes), 0),
        [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
        _ => (Encoding::Utf8, 0),
    }
}

/// The text of a file.
///
/// # Errors
/// The bytes are not of its encoding.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, LintProblem> {
    let (encoding, mark) = encoding(bytes);
    let bytes = &bytes[mark..];
    let (text, is_whole) = match encoding {
        Encoding::Utf8 => match std::str::from_utf8(bytes) {
            Ok(text) => return Ok(Cow::Borrowed(text)),
            Err(error) => (String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned(), false),
        },
        Encoding::Utf16(unit) => {
            let (units, rest) = bytes.as_chunks::<2>();
            until_error(char::decode_utf16(units.iter().map(|pair| unit(*pair))).map(Result::ok), rest)
        }
        Encoding::Utf32(unit) => {
            let (units, rest) = bytes.as_chunks::<4>();
            until_error(units.iter().map(|four| char::from_u32(unit(*four))), rest)
        }
    };
    if is_whole { Ok(Cow::Owned(text)) } else { Err(unreadable(&text, "the bytes are not of the text's encoding")) }
}

/// The text of characters up to the first that is none, and whether that is all.
fn until_error(mut chars: impl Iterator<Item = Option<char>>, rest: &[u8]) -> (String, bool) {
    let mut is_whole = rest.is_empty();
    let text = chars.by_ref().map_while(|c| {
        is_whole &= c.is_some();
        c
    });
    (text.collect(), is_whole)
}

/// The problem behind a text that can be read.
fn unreadable(text: &str, message: &str) -> LintProblem {
    let line = text.matches('\n').count();
    let column = text.rsplit('\n').next().unwrap_or_default().chars().count();
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    unruly(number(line), number(column), message)
}

/// The problem of the first character that YAML does not allow.
pub(super) fn forbidden(text: &str) -> Option<LintProblem> {
    let error = first_forbidden(text)?;
    let from_zero = |number: Option<u32>| number.map_or(0, |number| number.saturating_sub(1));
    Some(unruly(from_zero(error.line), from_zero(error.column), error.message))
}
