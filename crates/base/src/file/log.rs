//! Files that only grow.

use std::io::Write as _;
use std::path::Path;

use super::error::FileError;

/// Appends to a file, which is made if it does not exist. The file may be a device: the user who names it knows its
/// kind.
///
/// # Errors
/// [`FileError::Io`].
pub fn append(path: &Path, text: &str) -> Result<(), FileError> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    opened.and_then(|mut it| it.write_all(text.as_bytes())).map_err(|error| FileError::io(path, error))
}
