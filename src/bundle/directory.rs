//! The files of a bundle directory.
//!
//! What it deliberately does not do: it opens nothing but regular files below the two directories, and looks at no content.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use super::error::BundleError;

/// The directory of the objects, and that of everything else.
pub(super) const MANIFESTS: &str = "manifests";
pub(super) const METADATA: &str = "metadata";

/// No file of a bundle is larger; etcd takes 1.5 MiB of an object.
pub(super) const MAX_FILE: u64 = 64 << 20;

/// Whether a directory is a bundle: both directories are there, and neither is a link.
#[must_use]
pub fn is_bundle(directory: &Path) -> bool {
    [MANIFESTS, METADATA].iter().all(|name| directory.join(name).symlink_metadata().is_ok_and(|it| it.is_dir()))
}

/// The files of a bundle's two directories, with their names, sorted by these.
#[derive(Debug, Default)]
pub struct BundleFiles {
    /// Of `manifests/`.
    pub manifests: Vec<(String, Vec<u8>)>,
    /// Of `metadata/`.
    pub metadata: Vec<(String, Vec<u8>)>,
}

impl BundleFiles {
    /// Those of a bundle directory.
    ///
    /// # Errors
    /// [`BundleError`] if one of the directories or a file in them cannot be read.
    pub fn read(directory: &Path) -> Result<Self, BundleError> {
        let manifests = files(&directory.join(MANIFESTS), false)?;
        Ok(Self { manifests, metadata: files(&directory.join(METADATA), true)? })
    }

    /// All of them, called by their paths below `root`.
    #[must_use]
    pub fn called_below(&self, root: &str) -> Vec<(String, &[u8])> {
        let root = root.trim_end_matches('/');
        let manifests = self.manifests.iter().filter(|it| !it.0.starts_with('.')).map(|it| (MANIFESTS, it));
        let all = manifests.chain(self.metadata.iter().map(|it| (METADATA, it)));
        all.map(|(directory, (name, text))| (format!("{root}/{directory}/{name}"), text.as_slice())).collect()
    }
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
        file.take(MAX_FILE + 1).read_to_end(&mut text).map_err(|error| unreadable(&path, error))?;
        if text.len() as u64 > MAX_FILE {
            return Err(unreadable(&path, io::Error::other("larger than 64 MiB")));
        }
        files.push((name, text));
    }
    Ok(files)
}
