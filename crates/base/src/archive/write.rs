//! Writing archives: the same files give the same bytes.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use crate::file::{Part, Text, make_anonymous};

/// A tar archive in gzip, whose entries have no owner and no time.
pub struct ArchiveWriter {
    tar: Builder<GzEncoder<File>>,
    directories: BTreeSet<String>,
}

impl ArchiveWriter {
    /// Begins one, in a temporary file in `scratch`.
    ///
    /// # Errors
    /// An error of the system.
    pub fn begin(scratch: &Path) -> io::Result<Self> {
        let encoder = GzEncoder::new(make_anonymous(scratch)?, Compression::new(6));
        Ok(Self { tar: Builder::new(encoder), directories: BTreeSet::new() })
    }

    /// Adds a file of `len` bytes, and the missing directories above it.
    ///
    /// # Errors
    /// An error of the system.
    pub fn file(&mut self, path: &str, len: u64, text: &mut dyn Read) -> io::Result<()> {
        for (at, _) in path.match_indices('/') {
            self.directory(&path[..at], 0o755)?;
        }
        let mut header = header(EntryType::Regular, 0o644);
        header.set_size(len);
        self.tar.append_data(&mut header, path, text.take(len))
    }

    /// Adds a directory with these permissions, unless it is there.
    ///
    /// # Errors
    /// An error of the system.
    pub fn directory(&mut self, path: &str, mode: u32) -> io::Result<()> {
        if self.directories.insert(path.to_owned()) {
            let mut header = header(EntryType::Directory, mode);
            header.set_size(0);
            self.tar.append_data(&mut header, format!("{path}/"), io::empty())?;
        }
        Ok(())
    }

    /// Ends it.
    ///
    /// # Errors
    /// An error of the system.
    pub fn finish(self) -> io::Result<Text> {
        let file = self.tar.into_inner()?.finish()?;
        let len = file.metadata()?.len();
        Ok(Text::Part(Part { file: Arc::new(file), start: 0, len }))
    }
}

impl std::fmt::Debug for ArchiveWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArchiveWriter").finish_non_exhaustive()
    }
}

fn header(kind: EntryType, mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header
}
