//! Numbers in as few bytes as they need: seven bits in each, the lowest first.

/// Appends a number.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the beginning of some bytes; `None` if they do not begin with one.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7F) << shift;
        if first < 0x80 {
            return Some(number);
        }
    }
    None
}

/// A number with its sign in the lowest bit, so that small steps back are small numbers.
pub fn folded(step: i64) -> u64 {
    (step.wrapping_shl(1) ^ (step >> 63)).cast_unsigned()
}

/// The number that [`folded`] was given.
pub fn unfolded(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, -1, 63, -64, 64, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            put(&mut bytes, folded(number));
            let mut rest = bytes.as_slice();
            assert_eq!(take(&mut rest).map(unfolded), Some(number));
            assert!(rest.is_empty());
        }
        for bytes in [&[][..], &[0x80], &[0xFF; 10]] {
            assert_eq!(take(&mut &*bytes), None, "{bytes:?}");
        }
    }
}
