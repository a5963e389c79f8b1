//! Strings: bytes to text, escape sequences, and the comparison of field names.

use std::borrow::Cow;

use super::scan::skip_plain;

/// Bytes to text. Invalid UTF-8 becomes U+FFFD, one for every byte that belongs to no character, as in Go.
pub fn decode_utf8(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for _ in chunk.invalid() {
            out.push('\u{FFFD}');
        }
    }
    Cow::Owned(out)
}

/// Resolves the escape sequences of a string that the reader has accepted. Lone surrogates become U+FFFD.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let kind = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        rest = rest.get(at + 2..).unwrap_or("");
        match kind {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                let first = hex(rest);
                rest = rest.get(4..).unwrap_or("");
                out.push(match first {
                    0xD800..=0xDBFF => match rest.strip_prefix("\\u").map(hex) {
                        Some(second @ 0xDC00..=0xDFFF) => {
                            rest = rest.get(6..).unwrap_or("");
                            let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                            char::from_u32(code).unwrap_or('\u{FFFD}')
                        }
                        _ => '\u{FFFD}',
                    },
                    code => char::from_u32(code).unwrap_or('\u{FFFD}'),
                });
            }
            // `"`, `\` and `/` stand for themselves.
            other => out.push(char::from(other)),
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn hex(text: &str) -> u32 {
    text.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0xFFFD)
}

/// Whether the first character that is not white space, in any sense of Unicode, is `{`: Go's readers take such a text
/// for JSON. A character that is cut off at the end is not white space.
pub fn looks_like_object(text: &[u8]) -> bool {
    let mut rest = text;
    loop {
        rest = match rest {
            [b'\t'..=b'\r' | b' ', after @ ..] => after,
            // Texts may be long, and one character tells enough.
            [0x80..=0xff, ..] => {
                let valid = rest[..rest.len().min(4)].utf8_chunks().next().map_or("", |it| it.valid());
                match valid.chars().next().filter(|it| it.is_whitespace()) {
                    Some(space) => &rest[space.len_utf8()..],
                    None => return false,
                }
            }
            _ => return rest.starts_with(b"{"),
        }
    }
}

/// Whether a key names the field `field` (ASCII) for Go's decoder: equal without regard to case, where `ſ` is an `s`
/// and the Kelvin sign a `k`.
#[inline]
pub fn fold_eq(key: &str, field: &str) -> bool {
    let (Some(first), Some(wanted)) = (key.as_bytes().first(), field.as_bytes().first()) else {
        return key.is_empty() && field.is_empty();
    };
    // Most keys end here.
    if is_other(*first, *wanted) {
        return false;
    }
    if key.len() == field.len() {
        return key.eq_ignore_ascii_case(field);
    }
    // A key that folds from outside ASCII is longer than the field.
    key.len() > field.len() && folds_to(key, field)
}

/// Whether a key that begins with `first` cannot be a field that begins with `wanted`: two characters that fold to the
/// same differ in one bit, or one of them is not ASCII.
#[inline]
pub(super) fn is_other(first: u8, wanted: u8) -> bool {
    (first ^ wanted) & !0x20 != 0 && first.is_ascii()
}

/// Like [`fold_eq`], character by character.
fn folds_to(key: &str, field: &str) -> bool {
    let mut wanted = field.bytes();
    for c in key.chars() {
        let c = match c {
            '\u{17F}' => b's',
            '\u{212A}' => b'k',
            c if c.is_ascii() => c as u8,
            _ => return false,
        };
        if !wanted.next().is_some_and(|it| it.eq_ignore_ascii_case(&c)) {
            return false;
        }
    }
    wanted.next().is_none()
}

/// Writes a string with its quotes: `"`, `\` and C0 controls escaped, U+2028 and U+2029 too, all others as they are
/// (`docs/behaviour/fbc.md` Appendix A).
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    write_escaped(text, false, out);
}

/// Like [`write_string`], with `<`, `>` and `&` escaped too (the HTML mode of Appendix A).
pub fn write_string_html(text: &str, out: &mut Vec<u8>) {
    write_escaped(text, true, out);
}

fn write_escaped(text: &str, html: bool, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut start = 0;
    let mut idx = 0;
    loop {
        if !html {
            idx = skip_plain(bytes, idx);
        }
        let Some(&byte) = bytes.get(idx) else { break };
        let escaped: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            0x08 => b"\\b",
            0x0C => b"\\f",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0x00..=0x1F => &[b'\\', b'u', b'0', b'0', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]],
            b'<' if html => b"\\u003c",
            b'>' if html => b"\\u003e",
            b'&' if html => b"\\u0026",
            0xE2 if bytes.get(idx + 1) == Some(&0x80) && matches!(bytes.get(idx + 2), Some(0xA8 | 0xA9)) => {
                out.extend_from_slice(&bytes[start..idx]);
                out.extend_from_slice(if bytes[idx + 2] == 0xA8 { b"\\u2028" } else { b"\\u2029" });
                idx += 3;
                start = idx;
                continue;
            }
            _ => {
                idx += 1;
                continue;
            }
        };
        out.extend_from_slice(&bytes[start..idx]);
        out.extend_from_slice(escaped);
        idx += 1;
        start = idx;
    }
    out.extend_from_slice(&bytes[start..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_character_tells_an_object() {
        for (text, expected) in [
            (&b"{"[..], true),
            (b" \t\r\n\x0b\x0c{}", true),
            ("\u{a0}\u{2003} \u{85}{".as_bytes(), true),
            (b"", false),
            (b"  ", false),
            (b"a{", false),
            (b"\0{", false),
            ("é{".as_bytes(), false),
            ("\u{feff}{".as_bytes(), false),
            // It is not UTF-8, or cut off.
            (b"\xff{", false),
            (b" \xe2\x80", false),
            (b"\xe2\x80{", false),
        ] {
            assert_eq!(looks_like_object(text), expected, "{text:?}");
        }
    }

    #[test]
    fn keys_fold_as_go_folds_them() {
        let plain = |c: char| match c {
            '\u{17F}' => 's',
            '\u{212A}' => 'k',
            c => c.to_ascii_lowercase(),
        };
        let keys = [
            "",
            "s",
            "S",
            "\u{17F}",
            "k",
            "\u{212A}",
            "skips",
            "SkipS",
            "\u{17F}kips",
            "s\u{212A}ips",
            "skip",
            "skips2",
            "é",
            "skipé",
            "ſ\u{212A}IP\u{17F}",
            "name",
            "\u{212A}ind",
            "kind",
            "Kind",
            "KIND",
            "kine",
            "wind",
            "kinds",
            "\u{17F}kip\u{17F}",
            "SkipRange",
            "@",
            "`",
            "_x",
        ];
        for (key, field) in
            keys.iter().flat_map(|key| ["", "s", "k", "kind", "skips", "name", "skipRange", "x"].map(|it| (*key, it)))
        {
            let expected = key.chars().map(plain).eq(field.chars().map(plain));
            assert_eq!(fold_eq(key, field), expected, "{key:?} {field:?}");
        }
    }
}
