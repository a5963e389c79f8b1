//! Looks a text over before it is scanned.

use memchr::memchr_iter;

use super::event::Declined;

/// The number of bytes that are checked before the next decision.
const PIECE: usize = 4096;

/// A text that holds no characters but those that mean the same to libyaml as to a reader of bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admitted<'t> {
    pub(super) text: &'t str,
    pub(super) is_ascii: bool,
}

/// Takes a text if it is UTF-8, all its control characters are tabs and newlines, and newlines are its only line
/// breaks.
pub(super) fn admit(bytes: &[u8]) -> Result<Admitted<'_>, Declined> {
    let mut is_ascii = true;
    for piece in bytes.chunks(PIECE) {
        let (is_bad, high) = piece.iter().fold((false, 0), |(is_bad, high), &byte| {
            (is_bad | ((byte < 0x20) & (byte != b'\n') & (byte != b'\t')) | (byte == 0x7F), high | byte)
        });
        if is_bad {
            return Err(Declined);
        }
        is_ascii &= high < 0x80;
    }
    let text = std::str::from_utf8(bytes).map_err(|_error| Declined)?;
    if !is_ascii && has_special(bytes) {
        return Err(Declined);
    }
    Ok(Admitted { text, is_ascii })
}

/// Whether a text has a control character, a line break, a byte order mark or no character at all beyond ASCII.
fn has_special(bytes: &[u8]) -> bool {
    let is_followed = |first: u8, is_special: fn(u8, u8) -> bool| {
        memchr_iter(first, bytes).any(|at| match bytes.get(at + 1..) {
            Some([second, rest @ ..]) => is_special(*second, rest.first().copied().unwrap_or(0)),
            _ => true,
        })
    };
    is_followed(0xC2, |second, _| second < 0xA0)
        || is_followed(0xE2, |second, third| second == 0x80 && matches!(third, 0xA8 | 0xA9))
        || is_followed(0xEF, |second, third| matches!((second, third), (0xBB, 0xBF) | (0xBF, 0xBE | 0xBF)))
}
