//! Percent encoding (RFC 3986, 2.1).

use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};

/// Characters to encode so that nothing in a text has a meaning in an address.
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Characters to encode in a part of a path.
pub const IN_SEGMENT: &AsciiSet = &RESERVED.remove(b'@');
/// Characters to encode in a path, whose slashes stay.
pub const IN_PATH: &AsciiSet = &RESERVED.remove(b'/');
/// Characters to encode in a path that is compared letter by letter with names of files.
pub const IN_REFERENCE: &AsciiSet = &IN_PATH.remove(b'@').remove(b'+').remove(b'=').remove(b',');

/// A text with the bytes of `set`, and all that are not ASCII, encoded.
pub fn encoded(text: impl AsRef<[u8]>, set: &'static AsciiSet) -> String {
    percent_encode(text.as_ref(), set).to_string()
}

/// The address by which SQLite reads a file that does not change meanwhile: without locks, so that a read-only file in
/// a read-only directory can be read.
pub fn sqlite_uri(path: &Path) -> String {
    // An absolute path with one slash at its front, as `//host` and relative paths have other meanings in URIs.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = encoded(path.as_os_str().as_encoded_bytes(), IN_PATH);
    format!("file:{}?immutable=1", if path.starts_with("//") { &path[1..] } else { &path })
}

/// The bytes of an encoded text; `None` if a `%` begins no escape.
pub fn decoded(text: &str, plus_is_blank: bool) -> Option<Vec<u8>> {
    let is_escape = |it: &[u8]| it.len() >= 2 && it[..2].iter().all(u8::is_ascii_hexdigit);
    if !text.as_bytes().split(|it| *it == b'%').skip(1).all(is_escape) {
        return None;
    }
    let blank = plus_is_blank.then(|| text.replace('+', " "));
    Some(percent_decode(blank.as_deref().unwrap_or(text).as_bytes()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_encoded_and_decoded() {
        for (text, reserved, in_path) in [
            ("", "", ""),
            ("Az09-._~", "Az09-._~", "Az09-._~"),
            ("a/b", "a%2Fb", "a/b"),
            ("%?#&=+ @:,", "%25%3F%23%26%3D%2B%20%40%3A%2C", "%25%3F%23%26%3D%2B%20%40%3A%2C"),
            ("ü\n\0", "%C3%BC%0A%00", "%C3%BC%0A%00"),
        ] {
            assert_eq!((encoded(text, RESERVED), encoded(text, IN_PATH)), (reserved.to_owned(), in_path.to_owned()));
            for encoded in [reserved, in_path] {
                assert_eq!(decoded(encoded, true).as_deref(), Some(text.as_bytes()));
            }
        }
        assert_eq!(encoded([0xff], RESERVED), "%FF");
    }

    #[test]
    fn sqlite_reads_by_absolute_paths() {
        for (path, uri) in
            [("/a/b.db", "file:/a/b.db?immutable=1"), ("//a/%~?#ü", "file:/a/%25~%3F%23%C3%BC?immutable=1")]
        {
            assert_eq!(sqlite_uri(Path::new(path)), uri);
        }
        assert!(sqlite_uri(Path::new("a.db")).starts_with("file:/"));
    }

    #[test]
    fn escapes_are_whole() {
        for (text, plus_is_blank, expected) in [
            ("a+b%2B%2b", true, Some("a b++")),
            ("a+b%2B", false, Some("a+b+")),
            ("ü%20", false, Some("ü ")),
            ("%", false, None),
            ("%2", false, None),
            ("%+1", true, None),
            ("%%20", false, None),
            ("%zz", false, None),
            ("%aü", false, None),
        ] {
            assert_eq!(decoded(text, plus_is_blank).as_deref(), expected.map(str::as_bytes), "{text}");
        }
    }
}
