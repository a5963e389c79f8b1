//! A configuration that is read as a whole: a file, or standard input.

use std::path::Path;

use crate::cli::terminal::error::{CommandError, Exit};
use crate::file::{read_named_of, read_stream_of, system_words};

/// How many bytes a configuration may have.
const MAX_LEN: u64 = 64 << 20;

/// The text of a configuration.
pub(crate) fn text_of(path: &Path) -> Result<Vec<u8>, CommandError> {
    let text = match path.as_os_str() == "-" {
        true => read_stream_of(std::io::stdin().lock(), MAX_LEN),
        false => read_named_of(path, MAX_LEN),
    };
    text.map_err(|error| {
        let what = if error.kind() == std::io::ErrorKind::NotFound {
            format!("`{}` does not exist", path.display())
        } else {
            format!("cannot read `{}`: {}", path.display(), system_words(&error))
        };
        CommandError::new(Exit::Input, what)
    })
}
