//! A configuration that is read as a whole: a file, or standard input.

use std::io::Read as _;
use std::path::Path;

use crate::cli::terminal::error::{CommandError, Exit};
use crate::file::{read_regular_of, system_words};

/// How many bytes a configuration may have.
const MAX_LEN: u64 = 64 << 20;

/// The text of a configuration.
pub(crate) fn text_of(path: &Path) -> Result<Vec<u8>, CommandError> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        std::io::stdin().lock().take(MAX_LEN).read_to_end(&mut text)?;
        return Ok(text);
    }
    read_regular_of(path, MAX_LEN).map_err(|error| {
        let what = if error.kind() == std::io::ErrorKind::NotFound {
            format!("`{}` does not exist", path.display())
        } else {
            format!("cannot read `{}`: {}", path.display(), system_words(&error))
        };
        CommandError::new(Exit::Input, what)
    })
}
