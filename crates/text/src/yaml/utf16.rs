//! Text in UTF-16 to UTF-8, by its byte order mark, with the errors of libyaml's reader.

use std::borrow::Cow;

use super::error::{YamlError, YamlErrorKind};
use super::events::{first_forbidden, mark_at};

/// The function that makes a unit of two bytes.
type Unit = fn([u8; 2]) -> u16;

/// The byte order marks of UTF-16, and how units are read after each.
const MARKS: [([u8; 2], Unit); 2] = [([0xFE, 0xFF], u16::from_be_bytes), ([0xFF, 0xFE], u16::from_le_bytes)];

/// How many bytes go-yaml reads at once.
const READ_AT_ONCE: usize = 512;

/// How many characters go-yaml looks at to find the end of a document.
const LOOK_AHEAD: usize = 4;

/// The text of a chunk.
pub(super) struct Decoded<'t> {
    /// It in UTF-8, without its byte order mark if that is one of UTF-16.
    pub(super) text: Cow<'t, [u8]>,
    /// The error that half a unit at its end is, if go-yaml reads so far.
    cut_off: Option<YamlError>,
    /// The length of the chunk.
    len: usize,
}

impl Decoded<'_> {
    /// The error at the end of the text, if go-yaml comes to it: it stops where the second document starts, which is at
    /// a byte of the text, and has read up to a multiple of 512 bytes then.
    pub(super) fn error_at_end(&self, second: Option<u64>) -> Option<YamlError> {
        let error = self.cut_off.as_ref()?;
        let seen = match second.and_then(|it| usize::try_from(it).ok()) {
            Some(second) => {
                let before = self.text.get(..second).unwrap_or(&self.text);
                2 * (1 + String::from_utf8_lossy(before).encode_utf16().count() + LOOK_AHEAD)
            }
            None => self.len,
        };
        (seen.div_ceil(READ_AT_ONCE) >= self.len.div_ceil(READ_AT_ONCE)).then(|| error.clone())
    }
}

/// The text of a chunk.
///
/// # Errors
/// Half a surrogate pair.
pub(super) fn to_utf8(chunk: &[u8]) -> Result<Decoded<'_>, YamlError> {
    let read = |(mark, unit): ([u8; 2], Unit)| chunk.strip_prefix(&mark).map(|rest| (rest, unit));
    let len = chunk.len();
    let Some((bytes, unit)) = MARKS.into_iter().find_map(read) else {
        return Ok(Decoded { text: Cow::Borrowed(chunk), cut_off: None, len });
    };
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
    let error = |problem| {
        first_forbidden(&text)
            .unwrap_or_else(|| YamlError::new(YamlErrorKind::Syntax, mark_at(&text, text.len()), problem))
    };
    if let Some(problem) = problem {
        return Err(error(problem));
    }
    let cut_off = (!cut_off.is_empty()).then(|| error("incomplete UTF-16 character"));
    Ok(Decoded { text: Cow::Owned(text.into_bytes()), cut_off, len })
}

/// Whether a text is in UTF-16, by its byte order mark.
pub fn is_utf16(text: &[u8]) -> bool {
    MARKS.iter().any(|it| text.starts_with(&it.0))
}

/// The text of a chunk for showing places in it, if it is UTF-16: units that cannot be read become U+FFFD.
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
        for text in [big_endian(&units), little] {
            assert_eq!(&*to_utf8(&text).unwrap().text, "a: ü😀\n".as_bytes());
        }
        for text in [&b"\xEF\xBB\xBFa"[..], b"\xFE"] {
            assert!(matches!(to_utf8(text).unwrap().text, Cow::Borrowed(it) if it == text));
        }
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
            let error = to_utf8(&text).map_or_else(Some, |it| it.error_at_end(None));
            assert_eq!(error.unwrap().message, problem, "{units:?} {rest:?}");
        }
    }
}
