//! The store for the contents of files while an archive is read: first in memory, then in a temporary file without a
//! name.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file::{Part, Text, make_anonymous};

/// The number of bytes that are kept in memory.
const IN_MEMORY: u64 = 8 << 20;

/// Keeps contents.
#[derive(Debug)]
pub struct Spool {
    directory: PathBuf,
    n_in_memory: u64,
    file: Option<(Arc<File>, u64)>,
}

impl Spool {
    /// One that makes its file in a directory, if it needs one.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), n_in_memory: 0, file: None }
    }

    /// Keeps the bytes of a reader, which should be `len`.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if it has fewer; an error of the system.
    pub fn keep(&mut self, source: &mut dyn Read, len: u64) -> io::Result<Text> {
        let mut source = source.take(len);
        let text = if self.n_in_memory.saturating_add(len) <= IN_MEMORY {
            let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0).min(64 << 10));
            source.read_to_end(&mut bytes)?;
            self.n_in_memory += bytes.len() as u64;
            Text::Bytes(bytes.into())
        } else {
            self.keep_in_file(&mut source)?
        };
        if text.len() == len { Ok(text) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Keeps all bytes of a reader, in the file.
    ///
    /// # Errors
    /// An error of the system.
    pub fn keep_in_file(&mut self, source: &mut dyn Read) -> io::Result<Text> {
        let (file, end) = match &mut self.file {
            Some(made) => made,
            None => {
                let file = make_anonymous(&self.directory).map_err(|error| {
                    let directory = self.directory.display();
                    io::Error::new(error.kind(), format!("cannot make a temporary file in `{directory}`: {error}"))
                })?;
                self.file.insert((Arc::new(file), 0))
            }
        };
        let start = *end;
        let mut out: &File = file;
        let mut buffer = vec![0; 128 << 10];
        loop {
            let n = source.read(&mut buffer)?;
            if n == 0 {
                break;
            }
            out.write_all(&buffer[..n])?;
            *end += n as u64;
        }
        Ok(Text::Part(Part { file: Arc::clone(file), start, len: *end - start }))
    }
}
