//! A temporary file that nobody else can open.

use std::fs::File;
use std::io;
use std::path::Path;

use super::error::FileError;
use super::scratch::Scratch;

/// Makes a file that has no name any more, below a directory. It goes with the process, however that ends.
///
/// # Errors
/// An error of the system.
pub fn make_anonymous(directory: &Path) -> io::Result<File> {
    // The directory around it goes at once, and its name with it.
    Scratch::make(directory).map_err(FileError::into_io)?.create("text")
}
