//! The files that all pages use. Their addresses have a digest of what they hold, so that a browser keeps them for good.
//!
//! What it deliberately does not do: files of an export have plain names, since nobody says how long to keep those.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use olmdex_text::encoding::hex::hex;

/// What pages do with a script; all of them are whole without it.
pub(super) const SCRIPT: &str = include_str!("olmdex.js");

/// The style sheet of all pages, without the blanks that are for readers of the source.
pub(super) static STYLE: LazyLock<String> = LazyLock::new(|| {
    let text = format!("{}{}", include_str!("style.css"), olmdex_change::draw::picture_style());
    // No text in it has any of these in a row.
    let mut text = text.lines().map(str::trim).collect::<Vec<_>>().concat();
    for (long, short) in
        [(": ", ":"), (" {", "{"), ("{ ", "{"), ("; }", "}"), (" }", "}"), ("; ", ";"), (", ", ","), (";}", "}")]
    {
        text = text.replace(long, short);
    }
    text
});

/// The digests in the addresses.
pub(super) static STYLE_DIGEST: LazyLock<String> = LazyLock::new(|| digest(&STYLE));
pub(super) static SCRIPT_DIGEST: LazyLock<String> = LazyLock::new(|| digest(SCRIPT));

/// How many digits of a digest an address has.
const N_DIGITS: usize = 16;

fn digest(text: &str) -> String {
    let mut digits = hex(&Sha256::digest(text));
    digits.truncate(N_DIGITS);
    digits
}

/// Whether a text may be a digest, be it of what an older program had.
pub(super) fn is_digest(text: &str) -> bool {
    text.len() == N_DIGITS && text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'a'..=b'f'))
}

/// The picture of the site in tabs and bookmarks: three versions and the way between them.
pub(super) const FAVICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">\
    <rect width=\"16\" height=\"16\" rx=\"3\" fill=\"#0b57a4\"/>\
    <path d=\"M4 12 8 8l4-4M8 8v4\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"1.6\"/>\
    <circle cx=\"4\" cy=\"12\" r=\"2\" fill=\"#ffffff\"/><circle cx=\"8\" cy=\"8\" r=\"2\" fill=\"#ffffff\"/>\
    <circle cx=\"12\" cy=\"4\" r=\"2\" fill=\"#ffffff\"/></svg>";
