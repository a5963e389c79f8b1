//! Texts in double quotes as Go writes them, which the messages of the real systems contain.

use std::fmt::{self, Write as _};

/// Displays a text between double quotes with Go's escapes.
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\x07' => f.write_str("\\a")?,
                '\x08' => f.write_str("\\b")?,
                '\x0b' => f.write_str("\\v")?,
                '\x0c' => f.write_str("\\f")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                ' '..='~' => f.write_char(c)?,
                '\0'..='\x7f' => write!(f, "\\x{:02x}", u32::from(c))?,
                _ if is_printable(c) => f.write_char(c)?,
                '\u{80}'..='\u{ffff}' => write!(f, "\\u{:04x}", u32::from(c))?,
                _ => write!(f, "\\U{:08x}", u32::from(c))?,
            }
        }
        f.write_char('"')
    }
}

/// Whether a character outside ASCII is a letter, mark, number, punctuation or symbol.
///
/// The standard library shows this only by the characters that it escapes. A character in front keeps it from escaping
/// a combining mark, which it does at the beginning of a text only.
fn is_printable(c: char) -> bool {
    String::from_iter(['a', c]).escape_debug().count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        let cases = [
            ("", r#""""#),
            ("a b", r#""a b""#),
            ("\"\\", r#""\"\\""#),
            ("\x07\x08\x0c\n\r\t\x0b", r#""\a\b\f\n\r\t\v""#),
            ("\0\x1b\x7f", r#""\x00\x1b\x7f""#),
            ("é≥١", r#""é≥١""#),
            ("e\u{301}", "\"e\u{301}\""),
            ("\u{301}", "\"\u{301}\""),
            ("\u{85}\u{a0}\u{ad}\u{3000}\u{200b}", r#""\u0085\u00a0\u00ad\u3000\u200b""#),
            ("\u{1f600}\u{e0001}", "\"\u{1f600}\\U000e0001\""),
        ];
        for (text, expected) in cases {
            assert_eq!(Quoted(text).to_string(), expected, "{text:?}");
        }
    }
}
