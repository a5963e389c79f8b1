//! Long texts as they are stored: compressed where that pays.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Read as _;

use sha2::{Digest as _, Sha256};

/// SHA-256.
pub(super) type Digest = [u8; 32];

/// The digest of some bytes.
pub(super) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// As it is.
const PLAIN: u8 = 0;
/// zstd.
const ZSTD: u8 = 1;

/// Below this many bytes compression gains nothing.
const MIN_COMPRESSED: usize = 128;

/// Almost as fast as level 1 on most documents, and smaller.
const LEVEL: i32 = 3;

/// From this many bytes on a document is mostly base64, for which a higher level gains nothing.
const BULKY: usize = 64 << 10;

/// The level for bulky documents.
const BULKY_LEVEL: i32 = 1;

/// No document is larger: the reader's limit.
const MAX_SIZE: usize = u32::MAX as usize;

/// A text as a row holds it.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) codec: u8,
    pub(super) size: usize,
    pub(super) bytes: Vec<u8>,
}

/// Compresses one text after another.
pub(super) struct Compressor {
    usual: Option<zstd::bulk::Compressor<'static>>,
    bulky: Option<zstd::bulk::Compressor<'static>>,
}

impl Compressor {
    pub(super) fn new() -> Self {
        // Fails only without memory; then texts are stored as they are.
        Self { usual: zstd::bulk::Compressor::new(LEVEL).ok(), bulky: zstd::bulk::Compressor::new(BULKY_LEVEL).ok() }
    }

    pub(super) fn store(&mut self, text: &[u8]) -> Stored {
        let compressor = if text.len() < BULKY { &mut self.usual } else { &mut self.bulky };
        if text.len() >= MIN_COMPRESSED
            && let Some(Ok(bytes)) = compressor.as_mut().map(|it| it.compress(text))
            && bytes.len() < text.len()
        {
            return Stored { codec: ZSTD, size: text.len(), bytes };
        }
        Stored { codec: PLAIN, size: text.len(), bytes: text.to_vec() }
    }
}

/// The text of a row; `None` if the row is damaged.
pub(super) fn load(codec: i64, size: i64, bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let size = usize::try_from(size).ok().filter(|&size| size <= MAX_SIZE)?;
    match u8::try_from(codec).ok()? {
        PLAIN => Some(Cow::Borrowed(bytes)),
        ZSTD => unpack(bytes, size).map(Cow::Owned),
        _ => None,
    }
}

/// Packs a text with another one as its dictionary; `None` if that makes it no smaller than `enough` bytes.
pub(super) fn store_with(text: &[u8], base: &[u8], enough: usize) -> Option<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::with_dictionary(LEVEL, base).ok()?;
    compressor.compress(text).ok().filter(|it| it.len() < enough)
}

/// A text that was packed with another one as its dictionary; `None` if the row is damaged.
pub(super) fn load_with(size: i64, bytes: &[u8], base: &[u8]) -> Option<Vec<u8>> {
    let size = usize::try_from(size).ok().filter(|&size| size <= MAX_SIZE)?;
    // The buffer grows with the decompressed bytes, so that a false size costs nothing.
    let mut text = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_dictionary(bytes, base).ok()?;
    decoder.take(size as u64 + 1).read_to_end(&mut text).ok()?;
    (text.len() == size).then_some(text)
}

thread_local! {
    /// Making a decompressor costs more than most texts.
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> =
        RefCell::new(zstd::bulk::Decompressor::new().ok());
}

/// The largest ratio of a text to its packed form for which memory is reserved by the size in the row alone.
const MAX_TRUSTED_RATIO: usize = 256;

fn unpack(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let text = if size / MAX_TRUSTED_RATIO <= bytes.len() {
        DECOMPRESSOR.with_borrow_mut(|it| it.as_mut()?.decompress(bytes, size).ok())?
    } else {
        // The buffer grows with the decompressed bytes, so that a false size costs nothing.
        let mut text = Vec::new();
        zstd::stream::read::Decoder::new(bytes).ok()?.take(size as u64 + 1).read_to_end(&mut text).ok()?;
        text
    };
    (text.len() == size).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_with_its_dictionary_only() {
        let base: Vec<u8> = (0..1_250_u32).flat_map(|it| digest(&it.to_le_bytes())).collect();
        let mut text = base.clone();
        text[20_000] ^= 1;
        let packed = store_with(&text, &base, text.len() / 2).unwrap();
        assert!(packed.len() < text.len() / 10, "{}", packed.len());
        let size = text.len() as i64;
        assert_eq!(load_with(size, &packed, &base).unwrap(), text);
        assert_eq!(load_with(size - 1, &packed, &base), None);
        assert!(load_with(size, &packed, &vec![7; base.len()]).is_none_or(|it| it != text));
        assert_eq!(load_with(size, b"no frame", &base), None);
        assert!(store_with(&base, b"something else", base.len() / 2).is_none());
    }
}
