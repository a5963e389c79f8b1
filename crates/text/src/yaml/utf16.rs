//! Text in UTF-16 to UTF-8, by its byte order mark, with the errors of libyaml's reader.

use std::borrow::Cow;

use super::error::{YamlError, YamlErrorKind};
use super::events::{first_forbidden, mark_at};

/// The function that makes a unit of two bytes.
type Unit = fn([u8; 2]) -> u16;

/// The byte order marks of UTF-16, and how units are read after each.
const MARKS: [([u8; 2], Unit); 2] = [([0xFE, 0xFF], u16::from_be_bytes), ([0xFF, 0xFE], u16::from_le_bytes)];

/// The text of a chunk without its byte order mark, if that is one of UTF-16; otherwise the chunk as it is.
///
/// # Errors
/// A unit that is cut off, or half a surrogate pair.
pub(super) fn to_utf8(chunk: &[u8]) -> Result<Cow<'_, [u8]>, YamlError> {
    let read = |(mark, unit): ([u8; 2], Unit)| chunk.strip_prefix(&mark).map(|rest| (rest, unit));
    let Some((bytes, unit)) = MARKS.into_iter().find_map(read) else { return Ok(Cow::Borrowed(chunk)) };
    let (units, cut_off) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut n_units = 0;
    let mut problem = None;
    for decoded in char::decode_utf16(units.iter().map(|&it| unit(it))) {
        match decoded {
            Ok(c) => {
                n_units += c.len_utf16();
                text.push(c);
            }
            Err(error) => {
                problem = Some(match (error.unpaired_surrogate(), n_units + 1 < units.len()) {
                    (0xDC00..=0xDFFF, _) => "unexpected low surrogate area",
                    (_, true) => "expected low surrogate area",
                    (_, false) => "incomplete UTF-16 surrogate pair",
                });
                break;
            }
        }
    }
    match problem.or((!cut_off.is_empty()).then_some("incomplete UTF-16 character")) {
        None => Ok(Cow::Owned(text.into_bytes())),
        Some(problem) => Err(first_forbidden(&text)
            .unwrap_or_else(|| YamlError::new(YamlErrorKind::Syntax, mark_at(&text, text.len()), problem))),
    }
}

/// The text of a chunk for showing places in it, if it is UTF-16: units that cannot be read become U+FFFD.
#[must_use]
pub fn utf16_text(chunk: &[u8]) -> Option<String> {
    let (bytes, unit) = MARKS.into_iter().find_map(|(mark, unit)| Some((chunk.strip_prefix(&mark)?, unit)))?;
    let units = bytes.as_chunks::<2>().0.iter().map(|&it| unit(it));
    Some(char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big_endian(units: &[u16]) -> Vec<u8> {
        [0xFEFF].iter().chain(units).flat_map(|unit| unit.to_be_bytes()).collect()
    }

    #[test]
    fn reads_both_orders_and_leaves_the_rest_alone() {
        let units: Vec<u16> = "a: ü😀\n".encode_utf16().collect();
        let little: Vec<u8> = [0xFEFF].iter().chain(&units).flat_map(|unit| unit.to_le_bytes()).collect();
        assert_eq!(&*to_utf8(&big_endian(&units)).unwrap(), "a: ü😀\n".as_bytes());
        assert_eq!(&*to_utf8(&little).unwrap(), "a: ü😀\n".as_bytes());
        assert!(matches!(to_utf8(b"\xEF\xBB\xBFa"), Ok(Cow::Borrowed(b"\xEF\xBB\xBFa"))));
        assert!(matches!(to_utf8(b"\xFE"), Ok(Cow::Borrowed(b"\xFE"))));
    }

    #[test]
    fn what_is_cut_off_or_unpaired_is_told() {
        let cases: [(&[u16], &[u8], &str); 6] = [
            (&[0x61], b"\n", "incomplete UTF-16 character"),
            (&[0xDC00], b"", "unexpected low surrogate area"),
            (&[0xD800, 0x61], b"", "expected low surrogate area"),
            (&[0x61, 0xD800], b"", "incomplete UTF-16 surrogate pair"),
            (&[0x61, 0xD800], b"\n", "incomplete UTF-16 surrogate pair"),
            (&[0x07, 0xD800], b"", "control characters are not allowed"),
        ];
        for (units, rest, problem) in cases {
            let text = [&*big_endian(units), rest].concat();
            assert_eq!(to_utf8(&text).unwrap_err().message, problem, "{units:?} {rest:?}");
        }
    }
}
