//! An archive file as a tree.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use super::compression::{Compression, Decompressed};
use super::entries::{Entries, EntryKind};
use super::error::ArchiveError;
use super::limits::Limits;
use super::spool::Spool;
use super::tree::Tree;
use crate::file::{Part, Text};

/// The offset of the mark of a tar in a file.
const MAGIC_AT: usize = 257;

/// Whether a file is a tar archive. A compressed file is decompressed to decide; if it holds no tar, it is not an
/// archive.
pub fn is_archive(file: &File) -> bool {
    let Ok(mut reader) = Decompressed::new(FromStart { file, at: 0 }, Limits::default()) else { return false };
    let mut head = Vec::new();
    let read = reader.by_ref().take(512).read_to_end(&mut head);
    read.is_ok() && head.get(MAGIC_AT..MAGIC_AT + 5) == Some(b"ustar")
}

/// Reads an archive. Uncompressed contents stay in the file; other contents are kept in memory or in a temporary file
/// in `scratch`, if their names are wanted.
///
/// # Errors
/// [`ArchiveError`]
pub fn read(
    file: &Arc<File>,
    limits: Limits,
    scratch: &Path,
    is_wanted: impl Fn(&[u8]) -> bool,
) -> Result<Tree, ArchiveError> {
    let decompressed = Decompressed::new(FromStart { file, at: 0 }, limits)?;
    let is_plain = decompressed.compression() == Compression::None;
    let mut entries = Entries::new(decompressed, limits);
    let mut tree = Tree::new(limits);
    let mut spool = Spool::new(scratch);
    while let Some(entry) = entries.next_entry()? {
        let text = match entry.kind {
            EntryKind::File if is_plain => {
                Some(Text::Part(Part { file: Arc::clone(file), start: entry.at, len: entry.size }))
            }
            EntryKind::File if is_wanted(&entry.name) => Some(spool.keep(&mut entries.content(), entry.size)?),
            _ => None,
        };
        tree.add(&entry, text, 0)?;
    }
    Ok(tree)
}

/// Reads a file from its start, independent of other readers.
struct FromStart<'f> {
    file: &'f File,
    at: u64,
}

impl std::io::Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}
