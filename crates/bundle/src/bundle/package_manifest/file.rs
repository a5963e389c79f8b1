//! A file below a package-manifest directory.
//!
//! For safety, this module deliberately follows no link, and waits for no pipe.

use std::io::{self, Read as _};
use std::path::Path;

use olmdex_base::file::open_below;
use olmdex_fbc::InputFile;
use olmdex_fbc::MAX_BUNDLE_FILE;

/// The whole file. `root` is the directory, if it is one of the system's.
pub(super) fn read(root: Option<&Path>, file: &InputFile) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    match (root, file.path()) {
        (Some(root), Some(path)) => {
            if path.symlink_metadata()?.is_symlink() {
                return Err(io::Error::other("it is a symbolic link"));
            }
            open_below(root, file.relative())?.take(MAX_BUNDLE_FILE + 1).read_to_end(&mut text)?;
        }
        (None, Some(_)) => return Err(io::ErrorKind::NotFound.into()),
        (_, None) => text = file.head(MAX_BUNDLE_FILE + 1)?,
    }
    if text.len() as u64 > MAX_BUNDLE_FILE {
        return Err(io::Error::other("larger than 64 MiB"));
    }
    Ok(text)
}
