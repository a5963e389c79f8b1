//! The content of a file, wherever it is.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::sync::Arc;

use super::regular::read_part;

/// A part of a file on the disk.
#[derive(Debug, Clone)]
pub struct Part {
    /// The file, which may have no name.
    pub file: Arc<File>,
    /// Its first byte.
    pub start: u64,
    /// The number of bytes that it has.
    pub len: u64,
}

/// The content of a file.
#[derive(Debug, Clone)]
pub enum Text {
    /// In memory.
    Bytes(Arc<[u8]>),
    /// On the disk.
    Part(Part),
}

impl Text {
    /// The number of bytes that it has.
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Part(part) => part.len,
        }
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A part of it.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if it has fewer bytes; an error of the system.
    pub fn part(&self, start: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        if start.checked_add(len as u64).is_none_or(|end| end > self.len()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match self {
            Self::Bytes(bytes) => {
                // It is no longer than the content in memory.
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                Ok(Cow::Borrowed(&bytes[start..start + len]))
            }
            Self::Part(part) => read_part(&part.file, part.start.saturating_add(start), len).map(Cow::Owned),
        }
    }

    /// All of it, unless it is longer than a limit.
    ///
    /// # Errors
    /// [`io::ErrorKind::FileTooLarge`]; an error of the system.
    pub fn whole(&self, limit: u64) -> io::Result<Cow<'_, [u8]>> {
        match usize::try_from(self.len()) {
            Ok(len) if self.len() <= limit => self.part(0, len),
            _ => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    /// A reader of it.
    pub fn reader(&self) -> TextReader {
        TextReader { text: self.clone(), at: 0 }
    }
}

/// Reads a [`Text`] from its start.
#[derive(Debug)]
pub struct TextReader {
    text: Text,
    at: u64,
}

impl TextReader {
    /// The same text from this byte on.
    #[must_use]
    pub fn starting_at(self, at: u64) -> Self {
        Self { at, ..self }
    }
}

impl io::Read for TextReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.text.len().saturating_sub(self.at);
        let len = usize::try_from(left.min(buffer.len() as u64)).unwrap_or(0);
        if len == 0 {
            return Ok(0);
        }
        let buffer = &mut buffer[..len];
        match &self.text {
            Text::Bytes(bytes) => {
                let at = usize::try_from(self.at).unwrap_or(usize::MAX);
                buffer.copy_from_slice(&bytes[at..at + len]);
            }
            Text::Part(part) => {
                let start = part.start.saturating_add(self.at);
                let n = std::os::unix::fs::FileExt::read_at(&*part.file, buffer, start)?;
                self.at += n as u64;
                return if n == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(n) };
            }
        }
        self.at += len as u64;
        Ok(len)
    }
}
