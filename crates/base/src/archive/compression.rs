//! Compression, recognized by the first bytes and never by a name or a declared type.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

use super::error::ArchiveError;
use super::limits::{Limit, Limits};

/// The kinds of compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// The format of xz.
    Xz,
    /// bzip2, which is not read.
    Bzip2,
}

/// The number of bytes that show a compression.
const MAGIC: usize = 6;

/// The largest window of zstd: 128 MiB, which its own tool takes by default.
const ZSTD_WINDOW_LOG: u32 = 27;

/// The largest dictionary of xz in KiB: that of its highest level, and some more.
const XZ_MEMORY: u32 = 128 << 10;

impl Compression {
    /// The compression that the first bytes show.
    pub fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            _ => Self::None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
        }
    }
}

/// The compressed bytes, with the ones that were read to recognize them put back.
type Source<R> = BufReader<Counted<Chain<Cursor<Vec<u8>>, R>>>;

/// A reader of decompressed bytes, which ends with an error at a limit.
pub struct Decompressed<R: Read> {
    decoder: Decoder<Source<R>>,
    compression: Compression,
    limits: Limits,
    n_compressed: Arc<AtomicU64>,
    n_read: u64,
}

enum Decoder<R: BufRead> {
    Plain(R),
    Gzip(Box<MultiGzDecoder<R>>),
    Zstd(Box<zstd::stream::read::Decoder<'static, R>>),
    Xz(Box<XzReader<R>>),
}

/// Counts the bytes that are taken from it.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

impl<R: Read> Decompressed<R> {
    /// Looks at the first bytes.
    ///
    /// # Errors
    /// [`ArchiveError::Compression`]; [`ArchiveError::Io`].
    pub fn new(mut source: R, limits: Limits) -> Result<Self, ArchiveError> {
        let mut head = Vec::with_capacity(MAGIC);
        source.by_ref().take(MAGIC as u64).read_to_end(&mut head)?;
        let compression = Compression::of(&head);
        let n_compressed = Arc::new(AtomicU64::new(0));
        let counted = Counted { inner: Cursor::new(head).chain(source), count: Arc::clone(&n_compressed) };
        let source = BufReader::with_capacity(64 << 10, counted);
        let decoder = match compression {
            Compression::None => Decoder::Plain(source),
            Compression::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(source))),
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(source)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Decoder::Zstd(Box::new(decoder))
            }
            Compression::Xz => Decoder::Xz(Box::new(XzReader::new_mem_limit(source, true, XZ_MEMORY))),
            Compression::Bzip2 => return Err(ArchiveError::Compression(compression.name())),
        };
        Ok(Self { decoder, compression, limits, n_compressed, n_read: 0 })
    }

    /// Its compression.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    fn check(&self) -> Result<(), ArchiveError> {
        if self.n_read > self.limits.archive {
            return Err(ArchiveError::Limit(Limit::Archive(self.limits.archive)));
        }
        let allowed = self.n_compressed.load(Ordering::Relaxed).saturating_mul(self.limits.ratio);
        if self.n_read > Limits::RATIO_FROM && self.n_read > allowed {
            return Err(ArchiveError::Limit(Limit::Ratio(self.limits.ratio)));
        }
        Ok(())
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.decoder {
            Decoder::Plain(it) => it.read(buffer),
            Decoder::Gzip(it) => it.read(buffer),
            Decoder::Zstd(it) => it.read(buffer),
            Decoder::Xz(it) => it.read(buffer),
        };
        let n = read.map_err(|error| damaged(self.compression, error))?;
        self.n_read = self.n_read.saturating_add(n as u64);
        self.check().map_err(ArchiveError::into_io)?;
        Ok(n)
    }
}

impl<R: Read> std::fmt::Debug for Decompressed<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decompressed").field("compression", &self.compression).finish_non_exhaustive()
    }
}

/// Distinguishes damage that the decompressor found from bytes that could not be read, and from a premature end.
fn damaged(compression: Compression, error: io::Error) -> io::Error {
    // The library for zstd has no error kind of its own for a premature end.
    let is_end = error.kind() == io::ErrorKind::UnexpectedEof || error.to_string().contains("incomplete frame");
    let is_judgement = matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
        || (error.kind() == io::ErrorKind::Other && compression == Compression::Zstd);
    match () {
        () if is_end => io::ErrorKind::UnexpectedEof.into(),
        () if is_judgement && error.get_ref().is_none_or(|it| !it.is::<ArchiveError>()) => {
            ArchiveError::Damaged { name: compression.name(), error }.into_io()
        }
        () => error,
    }
}
