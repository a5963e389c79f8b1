//! Refusing to write over what is read.

use std::path::Path;

use crate::cli::terminal::error::CommandError;
use crate::file::{is_inside, is_same_file};

/// Refuses an output that is its own input, by whatever name.
pub(crate) fn refuse_same_file(source: &Path, output: &Path, help: &str) -> Result<(), CommandError> {
    if !is_same_file(source, output) {
        return Ok(());
    }
    let message = format!("`{}` is the input, and would be replaced", output.display());
    Err(CommandError::usage(message).help(help))
}

/// Refuses a directory to write in a directory that is read: the next reader would find both catalogs in it.
pub(crate) fn refuse_inside(source: &Path, directory: &Path) -> Result<(), CommandError> {
    if !is_inside(directory, source) {
        return Ok(());
    }
    let message = format!("`{}` is in the catalog that is read, `{}`", directory.display(), source.display());
    Err(CommandError::usage(message).help("name a directory outside of it"))
}
