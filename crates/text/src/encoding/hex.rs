//! Hexadecimal digits.

/// Bytes in hexadecimal digits, lower case.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |it: u8| char::from_digit(it.into(), 16).expect("half a byte is below 16");
    bytes.iter().flat_map(|it| [digit(it >> 4), digit(it & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[0, 0x0a, 0xa0, 0xff]), "000aa0ff");
        assert_eq!(hex(&[]), "");
    }
}
