//! What comes next in a text: runs of white space and of plain characters are passed many bytes at a time.

/// A byte in each place of a word.
const fn all(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

/// The first byte at or after `pos` that is no white space.
pub(super) fn skip_space(bytes: &[u8], mut pos: usize) -> usize {
    while matches!(bytes.get(pos), Some(b' ' | b'\n' | b'\t' | b'\r')) {
        pos += 1;
        // The lines of indented text start with long runs of blanks.
        while let Some(chunk) = bytes.get(pos..).and_then(|rest| rest.first_chunk::<8>()) {
            let other = u64::from_le_bytes(*chunk) ^ all(b' ');
            pos += (other.trailing_zeros() / 8) as usize;
            if other != 0 {
                break;
            }
        }
    }
    pos
}

/// The first byte at or after `pos` that is special inside a string: a quote, a backslash, a control character or 0xE2, the first
/// byte of U+2028 and U+2029 (and of much else), which are written escaped.
pub(super) fn skip_plain(bytes: &[u8], mut pos: usize) -> usize {
    // Most strings are short.
    for _ in 0..2 {
        match skip_word(bytes, pos) {
            Some(8) => pos += 8,
            Some(n) => return pos + n,
            None => return skip_bytes(bytes, pos),
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
            None => return skip_bytes(bytes, pos),
        }
    }
}

fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\') | (byte == 0xE2)
}

/// How many of the next eight bytes are plain; `None` if there are fewer than eight.
fn skip_word(bytes: &[u8], pos: usize) -> Option<usize> {
    const HIGHS: u64 = all(0x80);
    let has_zero = |word: u64| word.wrapping_sub(all(1)) & !word & HIGHS;
    let word = u64::from_le_bytes(*bytes.get(pos..)?.first_chunk::<8>()?);
    let found = has_zero(word ^ all(b'"'))
        | has_zero(word ^ all(b'\\'))
        | has_zero(word ^ all(0xE2))
        // Below 0x20: borrow reaches the high bit only for bytes whose own high bit is clear.
        | (word.wrapping_sub(all(0x20)) & !word & HIGHS);
    // A borrow can mark a byte above the first hit falsely, never the first one itself.
    Some((found.trailing_zeros() / 8) as usize)
}

fn skip_bytes(bytes: &[u8], pos: usize) -> usize {
    let rest = bytes.get(pos..).unwrap_or_default();
    rest.iter().position(|&byte| is_special(byte)).map_or(bytes.len().max(pos), |at| pos + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every special byte at every place of runs of every length up to more than the widest step.
    #[test]
    fn nothing_special_is_passed() {
        for len in 0..100 {
            let plain = vec![b'a'; len];
            for start in 0..=len.min(9) {
                assert_eq!(skip_plain(&plain, start), len);
            }
            for at in 0..len {
                for special in [0, 0x0A, 0x1F, b'"', b'\\', 0xE2] {
                    for around in [b'a', 0x20, 0x7F, 0x80, 0xE1, 0xE3, 0xFF, b'!', b'#', b'[', b']'] {
                        let mut text = vec![around; len];
                        text[at] = special;
                        assert_eq!(skip_plain(&text, 0), at, "{len} {special} {around}");
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
