//! Hexadecimal digits.

/// The number of digits of a short digest.
const SHORT: usize = 12;

/// Bytes in hexadecimal digits, lower case.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |it: u8| char::from_digit(it.into(), 16).expect("half a byte is below 16");
    bytes.iter().flat_map(|it| [digit(it >> 4), digit(it & 15)]).collect()
}

/// The beginning of a digest in hexadecimal digits, as people write the digest of a commit.
pub fn short(digest: &str) -> &str {
    digest.get(..SHORT).unwrap_or(digest)
}

#[cfg(test)]
mod tests {
    use super::{hex, short};

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[0, 0x0a, 0xa0, 0xff]), "000aa0ff");
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn a_short_digest_is_the_beginning_of_the_long_one() {
        assert_eq!(short("0123456789abcdef"), "0123456789ab");
        assert_eq!(short("01"), "01");
    }
}
