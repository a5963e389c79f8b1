//! Telling sources apart, by content and never by name, and opening any of them.
//!
//! What it deliberately does not do: no network, no writing, no judgement of what is inside.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::bundle::{self, Bundle, BundleError};
use crate::fbc::{Format, Input, Level};
use crate::index;
use crate::legacy::{self, Fidelity, LegacyCatalog, LegacyError};

/// What a user named as a source.
#[derive(Debug)]
pub enum Source {
    /// A catalog in files: a directory, a file, standard input, or a legacy SQLite catalog, whose blobs are made when they
    /// are read.
    Catalog(Input),
    /// An SQLite database, by its path: an index, or what [`crate::index::Index::open`] will refuse with words.
    Index(PathBuf),
}

/// Why a source cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is nothing of that name.
    #[error("`{}` does not exist", .0.display())]
    NotFound(PathBuf),
    /// It cannot be opened or read.
    #[error("cannot read `{}`: {error}", .path.display())]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// It is a bundle directory that cannot be read.
    #[error("`{}` is not a bundle: {error}", .path.display())]
    Bundle {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        error: BundleError,
    },
    /// It is a legacy catalog that cannot be read.
    #[error(transparent)]
    Legacy(#[from] LegacyError),
}

impl SourceError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::NotFound(_) => {
                "name a catalog directory, a JSON or YAML file, an index.db, or `-` for standard input".to_owned()
            }
            Self::Unreadable { error, .. } if error.kind() == io::ErrorKind::Other => {
                "pipes, sockets and devices are not read; use `-` for standard input".to_owned()
            }
            Self::Unreadable { error, .. } if error.raw_os_error() == Some(TOO_MANY_OPEN_FILES) => {
                "raise the limit of open files (`ulimit -n`)".to_owned()
            }
            Self::Unreadable { .. } => "check the permissions of the file and of the directories above it".to_owned(),
            Self::Bundle { error, .. } => error.help(),
            Self::Legacy(error) => error.help().unwrap_or_else(|| "`olmdex doctor` says more".to_owned()),
        }
    }
}

/// The system's number, the same on Linux, macOS and the BSDs, for "this process has too many files open".
const TOO_MANY_OPEN_FILES: i32 = 24;

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// First bytes of every SQLite file.
const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Bytes of the header of an SQLite file.
const SQLITE_HEADER: usize = 100;

/// Whether a file carries the mark of an index.
#[must_use]
pub fn is_index(path: &Path) -> bool {
    // Nobody may ever write to a pipe.
    path.is_file() && header(path).is_ok_and(|it| index::has_mark(&it))
}

/// The bytes of a file that would be the header of a database.
fn header(path: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(SQLITE_HEADER);
    std::fs::File::open(path)?.take(SQLITE_HEADER as u64).read_to_end(&mut header)?;
    Ok(header)
}

/// Whether a path names a pipe that somebody gave this process open: `/dev/fd/63`, `/dev/stdin`.
fn is_open_already(path: &Path, metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let is_given = ["/dev/fd", "/proc/self/fd"].iter().any(|it| path.parent() == Some(Path::new(it)));
    (is_given || path == Path::new("/dev/stdin")) && metadata.file_type().is_fifo()
}

/// Looks at what `path` names and opens it. `-` is `stdin`, which is read whole. `scratch` is the directory for the copy of a legacy
/// file whose writer was stopped.
///
/// ```
/// use std::path::Path;
///
/// use olmdex::source::{self, Source};
///
/// let mut stdin = "schema: olm.package\nname: till\n".as_bytes();
/// let source = source::open(Path::new("-"), &std::env::temp_dir(), &mut stdin)?;
/// assert!(matches!(source, Source::Catalog(input) if input.files.len() == 1));
/// # Ok::<(), source::SourceError>(())
/// ```
///
/// # Errors
/// [`SourceError`] if there is nothing that could hold a catalog.
pub fn open(path: &Path, scratch: &Path, stdin: &mut dyn io::Read) -> Result<Source, SourceError> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => SourceError::NotFound(path.to_owned()),
        _ => SourceError::Unreadable { path: path.to_owned(), error },
    };
    if path.as_os_str() == STDIN {
        let mut text = Vec::new();
        stdin.read_to_end(&mut text).map_err(unreadable)?;
        return Ok(Source::Catalog(Input::bytes("<stdin>", Arc::from(text))));
    }
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() && bundle::is_bundle(path) {
        return open_bundle(path);
    }
    if metadata.is_dir() {
        return Ok(Source::Catalog(Input::directory(path).map_err(unreadable)?));
    }
    if !metadata.is_file() {
        // Others would wait for a writer, or never end.
        if !is_open_already(path, &metadata) {
            return Err(unreadable(io::Error::other("not a regular file or directory")));
        }
        // A pipe, as `<(command)` makes one: it can be read only once.
        let text = std::fs::read(path).map_err(unreadable)?;
        return Ok(Source::Catalog(Input::bytes(&path.to_string_lossy(), Arc::from(text))));
    }
    let head = header(path).map_err(unreadable)?;
    if head.starts_with(SQLITE_MAGIC) {
        if !index::has_mark(&head) && legacy::is_legacy(path) {
            return Ok(Source::Catalog(LegacyCatalog::open(path, scratch, Fidelity::Kept)?.into_input()));
        }
        return Ok(Source::Index(path.to_owned()));
    }
    Ok(Source::Catalog(Input::file(path)))
}

/// A bundle directory as a catalog of one blob.
fn open_bundle(path: &Path) -> Result<Source, SourceError> {
    let wrong = |error: BundleError| SourceError::Bundle { path: path.to_owned(), error };
    let bundle = Bundle::read(path).map_err(wrong)?;
    let mut text = Vec::new();
    // Only another level or YAML could fail.
    bundle
        .write("", Level::None, Format::Json, &mut text)
        .map_err(|message| SourceError::Unreadable { path: path.to_owned(), error: io::Error::other(message) })?;
    Ok(Source::Catalog(Input::bytes(&path.to_string_lossy(), Arc::from(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_open_files_are_no_matter_of_permissions() {
        let help = |number: i32| {
            let error = io::Error::from_raw_os_error(number);
            SourceError::Unreadable { path: PathBuf::from("catalog"), error }.help()
        };
        assert!(help(TOO_MANY_OPEN_FILES).contains("ulimit -n"));
        assert!(help(13).contains("permissions"));
    }
}
