//! Long texts as they are stored: compressed where that pays.

use std::borrow::Cow;
use std::cell::RefCell;

use sha2::{Digest as _, Sha256};

/// SHA-256.
pub(super) type Digest = [u8; 32];

/// The digest of some bytes.
pub(super) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// As it is.
const PLAIN: u8 = 0;
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

/// The number of bytes that each stored byte may become. Real documents have 20 at most; those that would have more are
/// padded.
const MAX_RATIO: usize = 100;

/// The first bytes of a frame that zstd skips (RFC 8878, section 3.1.2). Four bytes with the frame's size follow.
const SKIPPED: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();

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
            return Stored { codec: ZSTD, size: text.len(), bytes: padded(bytes, text.len()) };
        }
        Stored { codec: PLAIN, size: text.len(), bytes: text.to_vec() }
    }
}

/// Packed bytes that may become a text of this size, since a skipped frame follows those that are too few.
fn padded(mut packed: Vec<u8>, size: usize) -> Vec<u8> {
    let missing = (size / MAX_RATIO).saturating_sub(packed.len());
    if missing > 0
        && let Ok(n) = u32::try_from(missing)
    {
        packed.extend(SKIPPED);
        packed.extend(n.to_le_bytes());
        packed.resize(packed.len() + missing, 0);
    }
    packed
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
    compressor.compress(text).ok().filter(|it| it.len() < enough && may_become(it, base, text.len()))
}

/// A text that was packed with another one as its dictionary; `None` if the row is damaged.
pub(super) fn load_with(size: i64, bytes: &[u8], base: &[u8]) -> Option<Vec<u8>> {
    let size = usize::try_from(size).ok().filter(|&size| size <= MAX_SIZE && may_become(bytes, base, size))?;
    let mut decompressor = zstd::bulk::Decompressor::with_dictionary(base).ok()?;
    decompressor.decompress(bytes, size).ok().filter(|text| text.len() == size)
}

/// Whether packed bytes may become a text of this size: it is little longer than its dictionary.
fn may_become(packed: &[u8], base: &[u8], size: usize) -> bool {
    size.saturating_sub(base.len()) / MAX_RATIO <= packed.len()
}

thread_local! {
    /// Making a decompressor costs more than most texts.
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> =
        RefCell::new(zstd::bulk::Decompressor::new().ok());
}

fn unpack(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    // Memory is taken for the size in the row, which a stranger may have written.
    if size / MAX_RATIO > bytes.len() {
        return None;
    }
    let text = DECOMPRESSOR.with_borrow_mut(|it| it.as_mut()?.decompress(bytes, size).ok())?;
    (text.len() == size).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finding S10: a row of 122 KB claimed 4 GB.
    #[test]
    fn a_text_becomes_a_hundred_times_its_bytes_at_most() {
        let mut compressor = Compressor::new();
        for n in [1_000, 100_000, 10_000_000] {
            let text = vec![b' '; n];
            let stored = compressor.store(&text);
            assert!(stored.bytes.len() <= n / MAX_RATIO + 64, "{n}: {}", stored.bytes.len());
            assert_eq!(load(i64::from(stored.codec), stored.size as i64, &stored.bytes).as_deref(), Some(&text[..]));
            let packed = zstd::bulk::compress(&text, LEVEL).unwrap();
            let may = n / MAX_RATIO <= packed.len();
            assert_eq!(load(i64::from(ZSTD), n as i64, &packed).is_some(), may, "{n}: {}", packed.len());
            assert_eq!(load_with(n as i64, &packed, b"").is_some(), may, "{n}: {}", packed.len());
        }
        assert_eq!(load(i64::from(ZSTD), 4_000_000_000, &[0; 10]), None);
        assert!(store_with(&vec![b' '; 1 << 20], b" ", 1 << 19).is_none());
    }

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
