//! Refuses to overwrite the input.

use std::path::Path;

use crate::cli::terminal::error::CommandError;
use crate::file::{is_inside, is_same_file};

/// Refuses an output that is its own input, whatever its name.
pub(crate) fn refuse_same_file(source: &Path, output: &Path, help: &str) -> Result<(), CommandError> {
    if !is_same_file(source, output) {
        return Ok(());
    }
    let message = format!("`{}` is the input, and the output would overwrite it", output.display());
    Err(CommandError::usage(message).help(help))
}

/// Refuses an output directory inside of an input directory: the next reader would find both catalogs in it.
pub(crate) fn refuse_inside(source: &Path, directory: &Path) -> Result<(), CommandError> {
    if !is_inside(directory, source) {
        return Ok(());
    }
    let message = format!("`{}` lies inside the input catalog, `{}`", directory.display(), source.display());
    Err(CommandError::usage(message).help("name a directory outside the catalog"))
}
