//! Scanning of a text: runs of white space and of plain characters are passed many bytes at a time.

use crate::word::{all, below, length_of_run};

/// The first byte at or after `pos` that is not white space.
pub(super) fn skip_space(bytes: &[u8], mut pos: usize) -> usize {
    while matches!(bytes.get(pos), Some(b' ' | b'\n' | b'\t' | b'\r')) {
        pos += 1;
        // The lines of indented text start with long runs of blanks.
        pos += length_of_run(bytes.get(pos..).unwrap_or_default(), b' ');
    }
    pos
}

/// The first byte at or after `pos` that is special inside a string: a quote, a backslash, a control character or 0xE2,
/// the first byte of U+2028 and U+2029 (and of many others), which are written escaped.
pub(super) fn skip_plain(bytes: &[u8], mut pos: usize) -> usize {
    // Most strings are short.
    for _ in 0..2 {
        match skip_word(bytes, pos) {
            Some(8) => pos += 8,
            Some(n) => return pos + n,
            None => return skip_last(bytes, pos),
        }
    }
    // A loop that compilers make vector instructions of.
    while let Some(chunk) = bytes.get(pos..).and_then(|rest| rest.first_chunk::<32>()) {
        if chunk.iter().fold(false, |found, &byte| found | is_special(byte)) {
            break;
        }
        pos += 32;
    }
    loop {
        match skip_word(bytes, pos) {
            Some(8) => pos += 8,
            Some(n) => return pos + n,
            None => return skip_last(bytes, pos),
        }
    }
}

/// A mask that brings a quote, which is 0x22, next to the control characters, and leaves these among themselves.
const BESIDE: u8 = 0x02;

/// The first byte that is neither a control character nor a quote when [`BESIDE`] has been applied.
const ABOVE: u8 = 0x21;

/// Whether a text has no character that is special inside a string.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    let mut pieces = bytes.chunks_exact(32);
    if pieces.any(|piece| piece.iter().fold(false, |found, &byte| found | is_special(byte))) {
        return false;
    }
    let mut words = pieces.remainder().chunks_exact(8);
    if !words.all(|word| word.first_chunk::<8>().is_some_and(|it| n_plain(u64::from_le_bytes(*it)) == 8)) {
        return false;
    }
    match bytes.last_chunk::<8>() {
        // All bytes before the last ones have been checked.
        Some(last) => n_plain(u64::from_le_bytes(*last)) == 8,
        None => !bytes.iter().any(|&byte| is_special(byte)),
    }
}

fn is_special(byte: u8) -> bool {
    ((byte ^ BESIDE) < ABOVE) | (byte == b'\\') | (byte == 0xE2)
}

/// The number of plain bytes among the next eight; `None` if there are fewer than eight.
fn skip_word(bytes: &[u8], pos: usize) -> Option<usize> {
    Some(n_plain(u64::from_le_bytes(*bytes.get(pos..)?.first_chunk::<8>()?)))
}

/// The number of bytes of a word that are plain before the first that is not; 8 if all are.
fn n_plain(word: u64) -> usize {
    let found = below(word ^ all(BESIDE), ABOVE) | below(word ^ all(b'\\'), 1) | below(word ^ all(0xE2), 1);
    (found.trailing_zeros() / 8) as usize
}

/// Like [`skip_plain`], when fewer than eight bytes are left.
fn skip_last(bytes: &[u8], pos: usize) -> usize {
    let rest = bytes.get(pos..).unwrap_or_default();
    match bytes.last_chunk::<8>() {
        Some(last) if !rest.is_empty() => {
            // The bytes before `pos` are shifted out, and the zeros that come in are special.
            pos + n_plain(u64::from_le_bytes(*last) >> (8 * (8 - rest.len())))
        }
        _ => rest.iter().position(|&byte| is_special(byte)).map_or(bytes.len().max(pos), |at| pos + at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every special byte at every place of runs of every length up to more than the widest step.
    #[test]
    fn nothing_special_is_passed() {
        for len in 0..100 {
            let plain = vec![b'a'; len];
            assert!(is_plain(&plain));
            for start in 0..=len.min(9) {
                assert_eq!(skip_plain(&plain, start), len);
            }
            for at in 0..len {
                for special in [0, 0x0A, 0x1F, b'"', b'\\', 0xE2] {
                    for around in [b'a', 0x20, 0x7F, 0x80, 0xE1, 0xE3, 0xFF, b'!', b'#', b'[', b']'] {
                        let mut text = vec![around; len];
                        text[at] = special;
                        assert_eq!(skip_plain(&text, 0), at, "{len} {special} {around}");
                        assert!(!is_plain(&text));
                    }
                }
            }
        }
    }

    #[test]
    fn all_space_is_passed() {
        for len in 0..40 {
            for at in 0..=len {
                for space in [" ", "\n", "\t\r", "\n        ", "  "] {
                    let mut text: Vec<u8> = space.bytes().cycle().take(len).collect();
                    assert_eq!(skip_space(&text, 0), len);
                    if at < len {
                        text[at] = b'x';
                        assert_eq!(skip_space(&text, 0), at);
                    }
                }
            }
        }
    }
}
