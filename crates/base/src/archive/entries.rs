//! The entries of a tar archive, one after the other.

use std::io::{self, Read};

use tar::{Header, PaxExtensions};

use super::error::ArchiveError;
use super::limits::{Limit, Limits};
use super::name;

/// The bytes of a header; contents are filled up to a multiple of it.
const BLOCK: usize = 512;

/// One entry, with its name as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name; see [`name::clean`].
    pub name: Vec<u8>,
    /// Its kind.
    pub kind: EntryKind,
    /// How many bytes of content follow.
    pub size: u64,
    /// The start of these in the archive.
    pub at: u64,
}

/// The kinds of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link to this path.
    Link(Vec<u8>),
    /// Another name of this path.
    HardLink(Vec<u8>),
    /// A device or a pipe.
    Special(&'static str),
}

/// Reads entries.
#[derive(Debug)]
pub struct Entries<R> {
    source: R,
    limits: Limits,
    /// Bytes that were read.
    at: u64,
    /// The bytes of the last entry's content, and of the filling of its block, that were not read.
    content_left: u64,
    fill_left: u64,
    is_over: bool,
}

impl<R: Read> Entries<R> {
    /// Reads from the start of an archive that is not compressed.
    pub fn new(source: R, limits: Limits) -> Self {
        Self { source, limits, at: 0, content_left: 0, fill_left: 0, is_over: false }
    }

    /// The next entry; `None` at the end. The unread rest of the last entry's content is skipped.
    ///
    /// # Errors
    /// [`ArchiveError`]
    pub fn next_entry(&mut self) -> Result<Option<Entry>, ArchiveError> {
        let (mut long_name, mut long_link) = (None, None);
        let mut records = Records::default();
        while let Some(header) = self.header()? {
            let size = header.entry_size().map_err(|_| ArchiveError::NotATar("a size is not a number"))?;
            let kind = header.entry_type().as_byte();
            match kind {
                b'L' => long_name = Some(self.extension(size)?),
                b'K' => long_link = Some(self.extension(size)?),
                b'x' => {
                    let text = self.extension_text(size)?;
                    records = Records::parse(&text)?;
                }
                b'g' => drop(self.extension_text(size)?),
                _ => {
                    let name = records.path.take().or(long_name).unwrap_or_else(|| header.path_bytes().into_owned());
                    let target = || header.link_name_bytes().map(std::borrow::Cow::into_owned).unwrap_or_default();
                    let target = records.link.take().or(long_link).unwrap_or_else(target);
                    return self.entry(kind, name, target, records.size.unwrap_or(size)).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn entry(&mut self, kind: u8, name: Vec<u8>, target: Vec<u8>, size: u64) -> Result<Entry, ArchiveError> {
        name::check(&name)?;
        name::check(&target)?;
        let kind = match kind {
            // The oldest archives write directories this way.
            0 if name.ends_with(b"/") => EntryKind::Directory,
            0 | b'0' => EntryKind::File,
            b'1' => EntryKind::HardLink(target),
            b'2' => EntryKind::Link(target),
            b'3' => EntryKind::Special("a character device"),
            b'4' => EntryKind::Special("a block device"),
            b'5' => EntryKind::Directory,
            b'6' => EntryKind::Special("a pipe"),
            b'S' => return Err(ArchiveError::entry(&name, "is a sparse file, which is not supported")),
            other => {
                let message = format!("is of an unknown type, `{}`", char::from(other).escape_default());
                return Err(ArchiveError::entry(&name, message));
            }
        };
        // Only files have content; a size in another header must not swallow the next entry.
        let size = if kind == EntryKind::File { size } else { 0 };
        if size > self.limits.file {
            return Err(ArchiveError::Limit(Limit::File(self.limits.file)));
        }
        self.expect_content(size)?;
        Ok(Entry { name, kind, size, at: self.at })
    }

    /// The content of the last entry.
    pub fn content(&mut self) -> Content<'_, R> {
        Content { entries: self }
    }

    /// The source that it reads from, for reading the bytes after the archive.
    pub fn into_inner(self) -> R {
        self.source
    }

    fn expect_content(&mut self, size: u64) -> Result<(), ArchiveError> {
        let fill = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
        if self.at.checked_add(size).and_then(|it| it.checked_add(fill)).is_none() {
            return Err(ArchiveError::NotATar("a size is too large"));
        }
        (self.content_left, self.fill_left) = (size, fill);
        Ok(())
    }

    /// The next header; none at the end.
    fn header(&mut self) -> Result<Option<Header>, ArchiveError> {
        if self.is_over {
            return Ok(None);
        }
        self.skip()?;
        let Some(block) = self.block()? else {
            self.is_over = true;
            return Ok(None);
        };
        if block.iter().all(|&byte| byte == 0) {
            // A second one ends the archive, whatever follows it.
            self.is_over = true;
            return match self.block()? {
                Some(second) if second.iter().any(|&byte| byte != 0) => Err(ArchiveError::NotATar("a header is empty")),
                _ => Ok(None),
            };
        }
        let header = Header::from_byte_slice(&block).clone();
        let stated = header.cksum().map_err(|_| ArchiveError::NotATar("a checksum is not a number"))?;
        // The checksum is computed as if its own field were blank; old programs added signed bytes.
        let bytes = || block[..148].iter().chain(&[b' '; 8]).chain(&block[156..]);
        let unsigned: u32 = bytes().map(|&byte| u32::from(byte)).sum();
        let signed: i32 = bytes().map(|&byte| i32::from(byte.cast_signed())).sum();
        if stated != unsigned && i64::from(stated) != i64::from(signed) {
            return Err(ArchiveError::NotATar("a header does not match its checksum"));
        }
        Ok(Some(header))
    }

    /// One block; `None` at the end.
    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, ArchiveError> {
        let mut block = [0; BLOCK];
        let mut len = 0;
        while len < BLOCK {
            match self.source.read(&mut block[len..]) {
                Ok(0) if len == 0 => return Ok(None),
                Ok(0) => return Err(ArchiveError::Truncated),
                Ok(n) => len += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.at += BLOCK as u64;
        Ok(Some(block))
    }

    /// Skips the rest of the last entry.
    fn skip(&mut self) -> Result<(), ArchiveError> {
        let left = self.content_left + self.fill_left;
        let skipped = io::copy(&mut self.source.by_ref().take(left), &mut io::sink())?;
        self.at += skipped;
        // The last block of an archive need not be filled.
        if skipped < self.content_left {
            return Err(ArchiveError::Truncated);
        }
        (self.content_left, self.fill_left) = (0, 0);
        Ok(())
    }

    /// A long name of GNU's, which ends with a zero byte.
    fn extension(&mut self, size: u64) -> Result<Vec<u8>, ArchiveError> {
        let mut text = self.extension_text(size)?;
        text.truncate(text.iter().position(|&byte| byte == 0).unwrap_or(text.len()));
        Ok(text)
    }

    fn extension_text(&mut self, size: u64) -> Result<Vec<u8>, ArchiveError> {
        if size > Limits::EXTENSION.min(self.limits.file) {
            return Err(ArchiveError::Limit(Limit::Extension(Limits::EXTENSION)));
        }
        self.expect_content(size)?;
        let mut text = Vec::new();
        self.content().read_to_end(&mut text)?;
        Ok(text)
    }
}

/// Reads the content of an entry; it has as many bytes as its header says, or reading fails.
#[derive(Debug)]
pub struct Content<'a, R> {
    entries: &'a mut Entries<R>,
}

impl<R: Read> Read for Content<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = usize::try_from(self.entries.content_left.min(buffer.len() as u64)).unwrap_or(0);
        if len == 0 {
            return Ok(0);
        }
        let n = self.entries.source.read(&mut buffer[..len])?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.entries.content_left -= n as u64;
        self.entries.at += n as u64;
        Ok(n)
    }
}

/// The PAX records for the next entry.
#[derive(Debug, Default)]
struct Records {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
}

impl Records {
    fn parse(text: &[u8]) -> Result<Self, ArchiveError> {
        let mut records = Self::default();
        for record in PaxExtensions::new(text) {
            let record = record.map_err(|_| ArchiveError::NotATar("a PAX record is damaged"))?;
            let value = record.value_bytes();
            match record.key_bytes() {
                // An empty value cancels the record that was set for all entries.
                b"path" | b"linkpath" | b"size" if value.is_empty() => {}
                b"path" => records.path = Some(value.to_vec()),
                b"linkpath" => records.link = Some(value.to_vec()),
                b"size" => {
                    let number = std::str::from_utf8(value).ok().and_then(|it| it.parse().ok());
                    records.size = Some(number.ok_or(ArchiveError::NotATar("a size is not a number"))?);
                }
                key if key.starts_with(b"GNU.sparse.") => {
                    return Err(ArchiveError::NotATar("it has sparse files, which are not supported"));
                }
                _ => {}
            }
        }
        Ok(records)
    }
}
