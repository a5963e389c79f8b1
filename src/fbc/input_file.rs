//! A file of a catalog: on the disk, in memory, or made on demand.
//!
//! What it deliberately does not do: no directories.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::defect::{Defect, DefectKind, Spot};

/// A file that is made when it is read, of something that is no text.
pub trait Made: std::fmt::Debug + Send + Sync {
    /// Its text, the same at every call.
    ///
    /// # Errors
    /// If what it is made of cannot be read.
    fn text(&self) -> io::Result<Vec<u8>>;
}

/// One file.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// How it is called in messages and in the index: its path as given, or `<stdin>`.
    pub shown: String,
    pub(super) body: Body,
    /// The path below the root of the catalog, which is what the real tool prints when it cannot open it.
    pub(super) relative: String,
}

#[derive(Debug, Clone)]
pub(super) enum Body {
    Path(PathBuf),
    Bytes(Arc<[u8]>),
    Made(Arc<dyn Made>),
    Unreadable(Box<Defect>),
}

/// A file that has been opened.
pub(super) enum Opened<'a> {
    /// A file of the system, with its size.
    File(std::fs::File, u64),
    /// Bytes in memory.
    Bytes(&'a [u8]),
    /// Bytes that are still to be made.
    Made(&'a dyn Made),
}

impl InputFile {
    pub(super) fn in_directory(path: &Path, relative: String) -> Self {
        Self { shown: path.to_string_lossy().into_owned(), body: Body::Path(path.to_owned()), relative }
    }

    pub(super) fn unreadable(path: &Path, defect: Defect) -> Self {
        let shown = path.to_string_lossy().into_owned();
        Self { relative: shown.clone(), shown, body: Body::Unreadable(Box::new(defect)) }
    }

    /// Where it is, if it is a file.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.body {
            Body::Path(path) => Some(path),
            Body::Bytes(_) | Body::Unreadable(_) | Body::Made(_) => None,
        }
    }

    /// Opens the file.
    pub(super) fn open(&self) -> Result<Opened<'_>, Defect> {
        match &self.body {
            Body::Bytes(bytes) => Ok(Opened::Bytes(bytes)),
            Body::Made(made) => Ok(Opened::Made(&**made)),
            Body::Unreadable(defect) => Err((**defect).clone()),
            Body::Path(path) => {
                let open_failed = |error: io::Error| unreadable("open", &self.relative, &error);
                let metadata = std::fs::metadata(path).map_err(open_failed)?;
                if metadata.is_dir() {
                    let error = io::Error::from(io::ErrorKind::IsADirectory);
                    return Err(unreadable("read", &self.shown, &error));
                }
                if !metadata.is_file() {
                    // Opening a pipe would wait for a writer.
                    let error = io::Error::other("not a regular file");
                    return Err(unreadable("read", &self.shown, &error));
                }
                let file = std::fs::File::open(path).map_err(open_failed)?;
                Ok(Opened::File(file, metadata.len()))
            }
        }
    }

    /// The defect of a file that was opened and then could not be read.
    pub(super) fn read_failed(&self, error: &io::Error) -> Defect {
        unreadable("read", &self.shown, error)
    }

    /// A part of the file once more, to say where in it something stands. Less than asked for if the file has changed.
    #[must_use]
    pub fn read_again(&self, offset: u64, len: u64) -> Vec<u8> {
        let part = |bytes: &[u8]| {
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
            let end = start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX)).min(bytes.len());
            bytes[start..end].to_vec()
        };
        match self.open() {
            Ok(Opened::Bytes(bytes)) => part(bytes),
            Ok(Opened::Made(made)) => made.text().map(|bytes| part(&bytes)).unwrap_or_default(),
            Ok(Opened::File(mut file, _)) => {
                let mut text = Vec::new();
                let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.take(len).read_to_end(&mut text));
                if read.is_err() {
                    text.clear();
                }
                text
            }
            Err(_) => Vec::new(),
        }
    }
}

/// The defect of a file that the system does not let us read.
pub(super) fn unreadable(verb: &str, shown: &str, error: &io::Error) -> Defect {
    let reason = system_words(error);
    let kind = DefectKind::Unreadable { message: reason.clone(), opm: format!("{verb} {shown}: {reason}") };
    Defect { kind, at: Spot::Start }
}

/// The system's words without Rust's error number, in lower case as Go prints them.
fn system_words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
