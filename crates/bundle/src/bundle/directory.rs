//! The files of a bundle directory.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use super::error::BundleError;
use olmdex_fbc::{BundleFiles, MANIFESTS, MAX_BUNDLE_FILE, METADATA};

/// The reason why a link is not read.
const LINK: &str = "it is a symbolic link, and olmdex follows no links here";

/// Whether a directory is a bundle: both directories are there, and neither is a link.
pub fn is_bundle(directory: &Path) -> bool {
    [MANIFESTS, METADATA].iter().all(|name| directory.join(name).symlink_metadata().is_ok_and(|it| it.is_dir()))
}

/// The files of a bundle directory.
///
/// # Errors
/// [`BundleError`] if one of the directories or a file in them cannot be read.
pub fn read_files(directory: &Path) -> Result<BundleFiles, BundleError> {
    Ok(BundleFiles { manifests: manifests_in(directory)?, metadata: metadata_in(directory)? })
}

/// The files of a bundle directory that other people made: links are refused, since they could lead anywhere.
///
/// # Errors
/// [`BundleError`] if one of the directories or a file in them cannot be read, or is a link.
pub fn read_unlinked_files(directory: &Path) -> Result<BundleFiles, BundleError> {
    for (name, with_hidden) in [(MANIFESTS, false), (METADATA, true)] {
        let path = directory.join(name);
        let unreadable = |error: io::Error| BundleError::Unreadable { path: path.clone(), error };
        if path.symlink_metadata().map_err(unreadable)?.is_symlink() {
            return Err(unreadable(io::Error::other(LINK)));
        }
        for entry in fs::read_dir(&path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let is_seen = with_hidden || !entry.file_name().to_string_lossy().starts_with('.');
            if is_seen && entry.file_type().is_ok_and(|it| it.is_symlink()) {
                return Err(BundleError::Unreadable { path: entry.path(), error: io::Error::other(LINK) });
            }
        }
    }
    read_files(directory)
}

/// The files of `manifests/`; hidden ones are left out.
pub(super) fn manifests_in(directory: &Path) -> Result<Vec<(String, Vec<u8>)>, BundleError> {
    files(&directory.join(MANIFESTS), false)
}

/// The files of `metadata/`.
pub(super) fn metadata_in(directory: &Path) -> Result<Vec<(String, Vec<u8>)>, BundleError> {
    files(&directory.join(METADATA), true)
}

/// The files of a directory by name, with their texts; those that are not files are left out.
fn files(directory: &Path, with_hidden: bool) -> Result<Vec<(String, Vec<u8>)>, BundleError> {
    let unreadable = |path: &Path, error: io::Error| BundleError::Unreadable { path: path.to_owned(), error };
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(|error| unreadable(directory, error))? {
        let entry = entry.map_err(|error| unreadable(directory, error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if with_hidden || !name.starts_with('.') {
            names.push((name, entry.path()));
        }
    }
    names.sort();
    let mut files = Vec::with_capacity(names.len());
    for (name, path) in names {
        // Opening a pipe would wait for a writer.
        if !fs::metadata(&path).is_ok_and(|it| it.is_file()) {
            continue;
        }
        let file = fs::File::open(&path).map_err(|error| unreadable(&path, error))?;
        let mut text = Vec::new();
        file.take(MAX_BUNDLE_FILE + 1).read_to_end(&mut text).map_err(|error| unreadable(&path, error))?;
        if text.len() as u64 > MAX_BUNDLE_FILE {
            return Err(unreadable(&path, io::Error::other("larger than 64 MiB")));
        }
        files.push((name, text));
    }
    Ok(files)
}
