//! Eight bytes at once, as a number whose lowest byte is the first of them.

/// A byte in each place of a word.
pub(crate) const fn all(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

/// The high bits of the bytes of a word that are below a limit of at most 0x80; no byte may have its own high bit set.
/// A borrow may also mark bytes behind the first of them, so that only the lowest bit counts.
pub(crate) const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(all(limit)) & !word & all(0x80)
}

/// The number of times that a byte is repeated at the beginning of a text.
pub(crate) fn length_of_run(text: &[u8], byte: u8) -> usize {
    let mut length = 0;
    while let Some(chunk) = text.get(length..).and_then(|rest| rest.first_chunk::<8>()) {
        let other = u64::from_le_bytes(*chunk) ^ all(byte);
        length += (other.trailing_zeros() / 8) as usize;
        if other != 0 {
            return length;
        }
    }
    length + text.iter().skip(length).take_while(|it| **it == byte).count()
}
