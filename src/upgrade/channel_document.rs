//! The document of one channel: found in a catalog, given other entries, and put back in its file.
//!
//! What it deliberately does not do: it does not decide on the entries, and shows nothing.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::fbc::{self, Consumer, Document, EditError, Edited, Entry, Format, Input, Origin, Syntax, Typed};
use crate::file::FileError;
use crate::index::query::Filter;
use crate::index::{Index, IndexError};
use crate::json;
use crate::yaml::YamlWriteError;

/// A channel's document: where it stands, its text, and its content.
#[derive(Debug, Clone)]
pub struct ChannelDocument {
    /// Where it stands in its file.
    pub origin: Origin,
    /// Its text; empty if it comes from an index.
    pub raw: Vec<u8>,
    /// The file, if it is one of the system.
    pub path: Option<PathBuf>,
    /// Its content as JSON.
    json: String,
}

/// Why a channel's document cannot be found or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChannelDocumentError {
    /// There are several.
    #[error("{package}/{channel} is defined {count} times")]
    Several {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// How many.
        count: usize,
    },
    /// It is no valid document.
    #[error("the channel's document cannot be read")]
    Unreadable,
    /// It cannot be written in the format.
    #[error(transparent)]
    Unwritable(#[from] YamlWriteError),
    /// Its text cannot be changed.
    #[error("cannot change {}: {error}", .path.display())]
    Uneditable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: EditError,
    },
    /// It stands in no file of the system.
    #[error("`--apply` changes a catalog's file, and this source is not one")]
    NoFile,
    /// The file is a link that leads out of the source.
    #[error("{} is a link to {}, which is not part of the source", .path.display(), .real.display())]
    Outside {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        real: PathBuf,
    },
    /// The file cannot be looked at.
    #[error("cannot read {}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl ChannelDocument {
    /// Looks in the files of a catalog; `None` if it has no such channel.
    ///
    /// # Errors
    /// [`ChannelDocumentError::Several`].
    pub fn in_files(input: &Input, package: &str, channel: &str) -> Result<Option<Self>, ChannelDocumentError> {
        let mut all: Vec<Self> = Vec::new();
        let done: Result<(), Infallible> = fbc::load(input, &Finder { package, channel }, |found| {
            all.extend(found);
            Ok(())
        });
        match done {
            Ok(()) => {}
        }
        if all.len() > 1 {
            let (package, channel) = (package.to_owned(), channel.to_owned());
            return Err(ChannelDocumentError::Several { package, channel, count: all.len() });
        }
        Ok(all.pop().map(|found| {
            let file = input.files.get(found.origin.file as usize);
            Self { path: file.and_then(|it| it.path()).map(PathBuf::from), ..found }
        }))
    }

    /// Looks in the catalogs of an index.
    ///
    /// # Errors
    /// [`ChannelDocumentError`] if there is none, or it cannot be read.
    pub fn in_index(
        index: &Index,
        filter: &Filter,
        package: &str,
        channel: &str,
    ) -> Result<Self, ChannelDocumentError> {
        let filter = Filter { package: Some(package.to_owned()), ..filter.clone() };
        let mut found = None;
        let mut reader = json::Reader::new();
        index.documents(&filter, |_, text| {
            if let Ok(value) = reader.read(text)
                && let Ok(blob) = fbc::blob::decode(value, false)
                && let Typed::Channel(it) = &blob.typed
                && it.name == channel
            {
                found = Some(text.to_owned());
            }
            Ok::<(), IndexError>(())
        })?;
        let json = found.ok_or(ChannelDocumentError::Unreadable)?;
        let origin = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Json, offset: 0, len: 0 };
        Ok(Self { origin, raw: Vec::new(), path: None, json })
    }

    /// Its content, as JSON, with other entries.
    ///
    /// # Errors
    /// [`ChannelDocumentError::Unreadable`].
    pub fn with_entries(&self, entries: &[Entry]) -> Result<String, ChannelDocumentError> {
        let entries: Vec<serde_json::Value> = entries.iter().map(entry_json).collect();
        let entries = serde_json::Value::from(entries).to_string();
        let mut reader = json::Reader::new();
        let changed = reader.read(&self.json).ok().and_then(|it| fbc::with_field(it, "entries", &entries));
        changed.ok_or(ChannelDocumentError::Unreadable)
    }

    /// The file that it stands in, if that is part of the source: below `root`, or, if the source is one file, not a link. A link out
    /// of it is followed only if `follow` says so.
    ///
    /// # Errors
    /// [`ChannelDocumentError::NoFile`], [`ChannelDocumentError::Outside`].
    pub fn file(&self, root: Option<&Path>, follow: bool) -> Result<&Path, ChannelDocumentError> {
        let path = self.path.as_deref().ok_or(ChannelDocumentError::NoFile)?;
        let real = real(path)?;
        let is_inside = match root {
            Some(root) => std::fs::canonicalize(root).is_ok_and(|root| real.starts_with(root)),
            None => !path.is_symlink(),
        };
        if is_inside || follow {
            return Ok(path);
        }
        Err(ChannelDocumentError::Outside { path: path.to_owned(), real })
    }

    /// Its text with another content, given as JSON.
    ///
    /// # Errors
    /// [`ChannelDocumentError::Uneditable`].
    pub fn edited(&self, new: &str) -> Result<Edited, ChannelDocumentError> {
        fbc::edit_document(&self.raw, self.origin.syntax, new).map_err(|error| {
            let path = self.path.clone().unwrap_or_default();
            ChannelDocumentError::Uneditable { path, error }
        })
    }

    /// Puts another text in its place in a file, and gives the file that was written: where the path is a link, that to which it
    /// leads.
    ///
    /// # Errors
    /// If the file cannot be read or written, or has changed meanwhile.
    pub fn replace(&self, path: &Path, text: &str) -> Result<PathBuf, ChannelDocumentError> {
        fbc::replace_document(path, self.origin, &self.raw, text.as_bytes())?;
        real(path)
    }
}

/// A channel's content, given as JSON, as `render` writes it.
///
/// # Errors
/// [`ChannelDocumentError::Unreadable`], [`ChannelDocumentError::Unwritable`].
pub fn channel_text(content: &str, format: Format) -> Result<Vec<u8>, ChannelDocumentError> {
    let mut reader = json::Reader::new();
    let value = reader.read(content).map_err(|_| ChannelDocumentError::Unreadable)?;
    let blob = fbc::blob::decode(value, false).map_err(|_| ChannelDocumentError::Unreadable)?;
    let mut out = Vec::new();
    fbc::write_blob(&blob, format, &mut out)?;
    Ok(out)
}

/// An entry with the fields that it has.
fn entry_json(entry: &Entry) -> serde_json::Value {
    let mut fields = serde_json::Map::from_iter([("name".to_owned(), entry.name.clone().into())]);
    if !entry.replaces.is_empty() {
        fields.insert("replaces".to_owned(), entry.replaces.clone().into());
    }
    if !entry.skips.is_empty() {
        fields.insert("skips".to_owned(), entry.skips.clone().into());
    }
    if !entry.skip_range.is_empty() {
        fields.insert("skipRange".to_owned(), entry.skip_range.clone().into());
    }
    fields.into()
}

/// A path without links.
fn real(path: &Path) -> Result<PathBuf, ChannelDocumentError> {
    std::fs::canonicalize(path).map_err(|error| ChannelDocumentError::Io { path: path.to_owned(), error })
}

/// Looks for the channel's document.
struct Finder<'a> {
    package: &'a str,
    channel: &'a str,
}

impl Consumer for Finder<'_> {
    type Output = Option<ChannelDocument>;

    fn document(&self, document: Document<'_>) -> Self::Output {
        let blob = document.blob.ok()?;
        let Typed::Channel(channel) = &blob.typed else { return None };
        if channel.package != self.package || channel.name != self.channel {
            return None;
        }
        let mut json = Vec::new();
        json::write_compact(blob.value, &mut json);
        let json = String::from_utf8(json).ok()?;
        Some(ChannelDocument { origin: document.origin, raw: document.raw.to_vec(), path: None, json })
    }
}
