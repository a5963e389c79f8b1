//! Icons of packages: which can be shown, under which name, and as which file.
//!
//! This module removes nothing from an icon. A page shows it as an image, in which no script runs. If its address is
//! opened on its own, a header of the server keeps scripts from running, and [`file`] does so without a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use olmdex_text::encoding::hex::hex;

/// The kinds of pictures that are shown: their extensions, their media types, and their first bytes.
const KINDS: [(&str, &str, &[&[u8]]); 4] = [
    ("png", "image/png", &[b"\x89PNG\r\n\x1a\n"]),
    ("jpg", "image/jpeg", &[b"\xff\xd8\xff"]),
    ("gif", "image/gif", &[b"GIF87a", b"GIF89a"]),
    ("svg", "image/svg+xml", &[]),
];

/// The most bytes of a shown picture.
const MAX_BYTES: usize = 1 << 20;

/// The name of a picture: its digest and its kind. `None` if it is too large, or not a picture of a shown kind.
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

/// The first icon of a ClusterServiceVersion in JSON: its media type and its bytes.
pub(super) fn in_service_version(text: &str) -> Option<(String, Vec<u8>)> {
    let object: serde_json::Value = serde_json::from_str(text).ok()?;
    let icon = object.get("spec")?.get("icon")?.get(0)?;
    let field = |name: &str| icon.get(name).and_then(serde_json::Value::as_str);
    let is_service_version = object.get("kind").is_some_and(|kind| kind == "ClusterServiceVersion");
    let bytes = STANDARD.decode(field("base64data")?.split_whitespace().collect::<String>()).ok()?;
    is_service_version.then(|| (field("mediatype").unwrap_or_default().to_owned(), bytes))
}

/// The media type of a name.
pub(super) fn media_type(name: &str) -> &'static str {
    let kind = name.rsplit_once('.').map_or("", |it| it.1);
    KINDS.iter().find(|it| it.0 == kind).map_or("application/octet-stream", |it| it.1)
}

/// The content of a file with an icon, for servers that send no headers of their own. SVG may contain scripts, and a
/// browser runs them with the rights of the whole site when a reader opens the file; so the file contains the icon as
/// an image of another SVG, in which no script runs.
pub(super) fn file(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if media_type(name) != "image/svg+xml" {
        return bytes;
    }
    let data = STANDARD.encode(bytes);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SIDE}\" height=\"{SIDE}\" viewBox=\"0 0 {SIDE} {SIDE}\">\
         <image width=\"{SIDE}\" height=\"{SIDE}\" href=\"data:image/svg+xml;base64,{data}\"/></svg>\n"
    )
    .into_bytes()
}

/// Width and height of an icon's file, in pixels; pages scale icons themselves.
const SIDE: u32 = 256;

#[cfg(test)]
mod tests {
    use super::{file, name};

    #[test]
    fn a_file_of_an_icon_holds_no_markup_of_the_icon() {
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(2)</script></svg>";
        let text = String::from_utf8(file("a.svg", svg.to_vec())).unwrap();
        let (before, data) = text.split_once("base64,").unwrap();
        assert!(before.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width="), "{before}");
        assert!(data.trim_end().ends_with("\"/></svg>"), "{data}");
        assert!(!text.contains("script") && !text.contains("onload"), "{text}");
        assert_eq!(file("a.png", svg.to_vec()), svg);
    }

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
