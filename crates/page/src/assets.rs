//! The files that all pages use. Their addresses contain a digest of their content, so a browser can keep them for
//! ever.
//!
//! Files of an export have plain names: a browser does not know how long to keep those.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use olmdex_text::encoding::hex::hex;

/// The media type of scripts.
pub(super) const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The script of all pages, without comments, which have lines of their own, and without indents: those are for readers
/// of the source. Every page is complete without the script.
pub(super) static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let (first, others) = include_str!("olmdex.js").split_once('\n').unwrap_or_default();
    plain(first) + &COPY + &plain(others)
});

/// The part of it that a report has too: it copies commands. Some browsers give an opened file no secure context: then
/// the script selects the text, and the user copies it.
pub(super) static COPY: LazyLock<String> = LazyLock::new(|| plain(include_str!("copy.js")));

fn plain(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with("//"));
    lines.fold(String::new(), |text, it| text + it + "\n")
}

/// The style sheet of all pages, without the blanks for readers of the source.
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
pub(super) static SCRIPT_DIGEST: LazyLock<String> = LazyLock::new(|| digest(&SCRIPT));

/// How many digits of a digest an address has.
const N_DIGITS: usize = 16;

fn digest(text: &str) -> String {
    let mut digits = hex(&Sha256::digest(text));
    digits.truncate(N_DIGITS);
    digits
}

/// Whether a text may be a digest, perhaps one from an older program.
pub(super) fn is_digest(text: &str) -> bool {
    text.len() == N_DIGITS && text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'a'..=b'f'))
}

/// The picture of the site in tabs and bookmarks: three versions and the way between them.
pub(super) const FAVICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">\
    <rect width=\"16\" height=\"16\" rx=\"3\" fill=\"#0b57a4\"/>\
    <path d=\"M4 12 8 8l4-4M8 8v4\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"1.6\"/>\
    <circle cx=\"4\" cy=\"12\" r=\"2\" fill=\"#ffffff\"/><circle cx=\"8\" cy=\"8\" r=\"2\" fill=\"#ffffff\"/>\
    <circle cx=\"12\" cy=\"4\" r=\"2\" fill=\"#ffffff\"/></svg>";
