//! The media type of an image, by its first bytes.

/// Bytes at an offset, and the type that they show.
const MARKS: &[(usize, &[u8], &str)] = &[
    (0, b"\x89PNG", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"\0\0\x01\0", "image/vnd.microsoft.icon"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"\0\0\0\x0cjP  \r\n\x87\n\0", "image/jp2"),
    (0, b"II\xbc", "image/vnd.ms-photo"),
    (0, b"AC10", "image/vnd.dwg"),
];

/// The brands of HEIF files.
const HEIF: [&[u8]; 4] = [b"heic", b"heix", b"mif1", b"msf1"];

/// The media type of an image; `None` if catalogs cannot show such bytes.
pub fn media_type(bytes: &[u8]) -> Option<&'static str> {
    if is_svg(bytes) {
        return Some("image/svg+xml");
    }
    let has = |offset: usize, mark: &[u8]| bytes.get(offset..).is_some_and(|it| it.starts_with(mark));
    if has(0, b"II*\0") || has(0, b"MM\0*") {
        return Some(if has(8, b"CR") { "image/x-canon-cr2" } else { "image/tiff" });
    }
    if has(4, b"ftyp") && HEIF.iter().any(|it| has(8, it)) {
        return Some("image/heif");
    }
    MARKS.iter().find(|(offset, mark, _)| has(*offset, mark)).map(|it| it.2)
}

/// Whether a text is an SVG: an optional declaration and document type, then an element that is closed and has no `*`
/// in it.
fn is_svg(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let text = without_comments(&text.to_ascii_lowercase());
    let mut rest = text.trim();
    for start in ["<?xml", "<!doctype svg"] {
        if let Some(behind) = rest.strip_prefix(start) {
            let Some((_, behind)) = behind.split_once('>') else { return false };
            rest = behind.trim_start();
        }
    }
    let Some(inside) = rest.strip_prefix("<svg").and_then(|it| it.strip_suffix("</svg>")) else { return false };
    inside.split_once('>').is_some_and(|(_, content)| !content.contains('*'))
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<!--") {
        let Some((_, behind)) = behind.split_once("-->") else { break };
        out.push_str(before);
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_their_first_bytes() {
        let cases: &[(&[u8], Option<&str>)] = &[
            (b"\x89PNG\r\n\x1a\n", Some("image/png")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"II*\0\x10\0\0\0CR", Some("image/x-canon-cr2")),
            (b"\0\0\0\x18ftypheic", Some("image/heif")),
            (b"<SVG width='1'><path/></svg>\n", Some("image/svg+xml")),
            (b"<?xml version='1.0'?>\n<!-- c -->\n<!DOCTYPE svg><svg></svg>", Some("image/svg+xml")),
            (b"<svg/>", None),
            (b"<svg>*</svg>", None),
            (b"%PDF-1.4", None),
            (b"", None),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(media_type(bytes), *wanted, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
