//! Image references (`docs/behaviour/fbc.md` Appendix D).

use std::borrow::Cow;

use thiserror::Error;

/// The reasons why a text is not an image reference. The words are those of the real tool.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ImageError {
    /// 64 hexadecimal digits would be taken for an image's identifier.
    #[error("invalid repository name ({0}), cannot specify 64-byte hexadecimal strings")]
    Identifier(String),
    /// The repository has an upper-case letter.
    #[error("invalid reference format: repository name must be lowercase")]
    UpperCase,
    /// The text does not fit the grammar.
    #[error("invalid reference format")]
    Format,
    /// The name has more than 255 bytes.
    #[error("repository name must not be more than 255 characters")]
    TooLong,
    /// The digest is by an algorithm other than sha256, sha384 and sha512.
    #[error("unsupported digest algorithm")]
    UnsupportedDigest,
    /// The digest has the wrong number of digits.
    #[error("invalid checksum digest length")]
    DigestLength,
    /// The digest has an upper-case digit.
    #[error("invalid checksum digest format")]
    DigestFormat,
}

/// Checks an image reference.
///
/// # Errors
/// [`ImageError`] gives the reason.
pub fn check_image(text: &str) -> Result<(), ImageError> {
    if text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(ImageError::Identifier(text.to_owned()));
    }
    let full = with_host(text);
    let name_part = full.split_once('/').map_or("", |it| it.1).split(':').next().unwrap_or_default();
    let is_lower = match name_part.is_ascii() {
        true => !name_part.bytes().any(|it| it.is_ascii_uppercase()),
        false => name_part.chars().all(|c| c.to_lowercase().eq([c])),
    };
    if !is_lower {
        return Err(ImageError::UpperCase);
    }
    let (rest, digest) = match full.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (&*full, None),
    };
    // A tag follows the last colon behind the last slash.
    let last_slash = rest.rfind('/').unwrap_or(0);
    let (name, tag) = match rest[last_slash..].split_once(':') {
        Some((_, tag)) => (&rest[..rest.len() - tag.len() - 1], Some(tag)),
        None => (rest, None),
    };
    if !is_name(name) || tag.is_some_and(|tag| !is_tag(tag)) || digest.is_some_and(|digest| !is_digest(digest)) {
        return Err(ImageError::Format);
    }
    if name.len() > 255 {
        return Err(ImageError::TooLong);
    }
    match digest.and_then(|digest| digest.split_once(':')) {
        Some((algorithm, hex)) => check_digest(algorithm, hex),
        None => Ok(()),
    }
}

/// The reference with a registry before the first slash; the default registry if it has none.
fn with_host(text: &str) -> Cow<'_, str> {
    match text.split_once('/') {
        Some((host, _)) if host == "localhost" || host.bytes().any(|it| matches!(it, b'.' | b':')) => text.into(),
        Some(_) => format!("docker.io/{text}").into(),
        None => format!("docker.io/library/{text}").into(),
    }
}

/// `[host[:port]/]path`; a first component that is not a host may belong to the path.
fn is_name(name: &str) -> bool {
    let Some((host, path)) = name.split_once('/') else { return false };
    path.split('/').all(is_path_component) && (is_host(host) || is_path_component(host))
}

/// `host[:port]`, in the grammar of references: any number is a port.
pub fn is_host(text: &str) -> bool {
    let (labels, port) = match text.split_once(':') {
        Some((labels, port)) => (labels, Some(port)),
        None => (text, None),
    };
    let is_label = |label: &str| {
        let alphanumeric = |byte: Option<u8>| byte.is_some_and(|it| it.is_ascii_alphanumeric());
        label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && alphanumeric(label.bytes().next())
            && alphanumeric(label.bytes().last())
    };
    labels.split('.').all(is_label)
        && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `[a-z0-9]+((\.|_|__|-*)[a-z0-9]+)*`
pub fn is_path_component(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let mut pos = 0;
    loop {
        let start = pos;
        while bytes.get(pos).is_some_and(|&byte| is_word(byte)) {
            pos += 1;
        }
        if pos == start {
            return false;
        }
        if pos == bytes.len() {
            return true;
        }
        let separator = &bytes[pos..pos + bytes[pos..].iter().take_while(|&&byte| !is_word(byte)).count()];
        let is_separator =
            separator == b"." || separator == b"_" || separator == b"__" || separator.iter().all(|&it| it == b'-');
        if !is_separator {
            return false;
        }
        pos += separator.len();
    }
}

/// Whether a text that is an image or a name has a tag or a digest: names have none.
pub fn has_tag_or_digest(text: &str) -> bool {
    text.contains([':', '@'])
}

/// At most 128 letters, digits, `_`, `.` and `-`, the first one no `.` and no `-`.
pub fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// `[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`
fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else { return false };
    let is_part = |part: &str| {
        part.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    algorithm.split(['-', '_', '+', '.']).all(is_part)
        && hex.len() >= 32
        && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn check_digest(algorithm: &str, hex: &str) -> Result<(), ImageError> {
    let len = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return Err(ImageError::UnsupportedDigest),
    };
    if hex.len() != len {
        return Err(ImageError::DigestLength);
    }
    if hex.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(ImageError::DigestFormat);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_judged_without_its_registry() {
        let sixty_four = "a1".repeat(32);
        let digest = format!("quay.io/x/y@sha256:{sixty_four}");
        let cases: [(&str, Result<(), ImageError>); 14] = [
            ("quay.io/x/y:v1", Ok(())),
            ("QUAY.io/x/y:v1", Ok(())),
            ("localhost/x", Ok(())),
            ("host:5000/x:T", Ok(())),
            ("x", Ok(())),
            ("x/y", Ok(())),
            (&digest, Ok(())),
            (&sixty_four, Err(ImageError::Identifier(sixty_four.clone()))),
            ("X", Err(ImageError::UpperCase)),
            ("Host/x", Err(ImageError::UpperCase)),
            ("quay.io/x/Y", Err(ImageError::UpperCase)),
            ("quay.io/x/ÄY", Err(ImageError::UpperCase)),
            ("quay.io/x/ä", Err(ImageError::Format)),
            ("quay.io/", Err(ImageError::Format)),
        ];
        for (text, expected) in cases {
            assert_eq!(check_image(text), expected, "{text}");
        }
    }
}
