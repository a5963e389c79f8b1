//! Pictures of packages: which can be shown, and under which name.
//!
//! What it deliberately does not do: it changes no picture. A browser shows it as an image, in which no script runs.

use sha2::{Digest as _, Sha256};

use super::digest::hex;

/// The kinds of pictures that are shown: the end of their names, their media types, and how they begin.
const KINDS: [(&str, &str, &[&[u8]]); 4] = [
    ("png", "image/png", &[b"\x89PNG\r\n\x1a\n"]),
    ("jpg", "image/jpeg", &[b"\xff\xd8\xff"]),
    ("gif", "image/gif", &[b"GIF87a", b"GIF89a"]),
    ("svg", "image/svg+xml", &[]),
];

/// Bytes of a picture that is shown.
const MAX_BYTES: usize = 1 << 20;

/// The name of a picture: its digest and its kind. `None` if it is not a picture of a kind that is shown, or too large.
pub(super) fn name(media_type: &str, bytes: &[u8]) -> Option<String> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let by_bytes = KINDS.iter().find(|it| it.2.iter().any(|first| bytes.starts_with(first)));
    let is_svg = || media_type.starts_with("image/svg") && bytes.windows(4).any(|it| it == b"<svg");
    let kind = match by_bytes {
        Some(kind) => kind.0,
        None if is_svg() => "svg",
        None => return None,
    };
    Some(format!("{}.{kind}", hex(&Sha256::digest(bytes)[..16])))
}

/// The media type of a name.
pub(super) fn media_type(name: &str) -> &'static str {
    let kind = name.rsplit_once('.').map_or("", |it| it.1);
    KINDS.iter().find(|it| it.0 == kind).map_or("application/octet-stream", |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn only_pictures_have_names() {
        assert!(name("text/html", b"\x89PNG\r\n\x1a\n").is_some_and(|it| it.ends_with(".png")));
        assert!(name("image/svg+xml", b"<?xml?><svg>").is_some_and(|it| it.ends_with(".svg")));
        for (media_type, bytes) in [("text/html", &b"<svg>"[..]), ("image/png", b"<script>"), ("image/svg+xml", b"<p>")]
        {
            assert_eq!(name(media_type, bytes), None);
        }
    }
}
