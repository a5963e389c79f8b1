//! A composed catalog on its way to its destination: written beside it, and moved there as a whole.
//!
//! It replaces only what an earlier run wrote there, to the last byte: a record of its files, with their digests, is
//! among them. The record is an `.indexignore` that ignores nothing, so that every reader of catalogs passes over it. A
//! directory with anything else in it, and a file that somebody has changed, are left as they are.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::files::{Files, FilesError};
use olmdex_base::file::{FileError, NewDirectory, open_below, system_words};
use olmdex_text::encoding::hex::hex;

/// The file with the record of the written files.
const RECORD: &str = ".indexignore";

/// The workspace in which a directory that cannot be exchanged is filled: inside of it.
const WORKSPACE: &str = ".olmdex";

/// How it begins.
const HEAD: &str = "# Written by `olmdex render`. Change the sources of the catalog, not these files.\n";

/// How many bytes a record may have: a hundred for each of 600,000 files.
const MAX_RECORD: u64 = 64 << 20;

/// A destination that only this process writes, reserved before its catalog is read: changes of the sources by another
/// process in the meantime are never replaced by an older state.
#[derive(Debug)]
pub struct Reserved {
    target: PathBuf,
    old: Option<BTreeMap<PathBuf, String>>,
    directory: NewDirectory,
}

/// A catalog that is written, but not yet at its destination.
#[derive(Debug)]
pub struct Staged {
    target: PathBuf,
    /// The files that an earlier run has written there.
    old: Option<BTreeMap<PathBuf, String>>,
    /// `None`, if the existing catalog is the same.
    directory: Option<NewDirectory>,
    /// How many files it has, without the record.
    pub n_files: usize,
}

/// Why a catalog cannot be written to its destination.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StageError {
    /// It has no files.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// They cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is something that no run has written.
    #[error("`{}` is in the way: `olmdex render` did not write it", .0.display())]
    Foreign(PathBuf),
    /// A file has changed since it was written.
    #[error("`{}` was changed after `olmdex render` wrote it", .0.display())]
    Changed(PathBuf),
    /// The existing content cannot be read.
    #[error("cannot read `{}`: {}", .path.display(), system_words(.error))]
    Unreadable { path: PathBuf, error: io::Error },
}

impl StageError {
    /// The remedy.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Files(error) => Some(error.help().to_owned()),
            Self::File(error) => error.help(),
            Self::Foreign(_) => Some("choose another destination, or move the file away".to_owned()),
            Self::Changed(_) => Some("make the change in the source, then delete the file".to_owned()),
            Self::Unreadable { .. } => Some("check its permissions".to_owned()),
        }
    }
}

impl Reserved {
    /// Makes this process the only one that writes a destination, without changing it.
    ///
    /// # Errors
    /// [`StageError`].
    pub fn new(target: &Path) -> Result<Self, StageError> {
        let directory = NewDirectory::begin_anew(target)?;
        let old = written(target)?;
        Ok(Self { target: target.to_owned(), old, directory })
    }

    /// Writes a catalog beside the destination, without changing that.
    ///
    /// # Errors
    /// [`StageError`].
    pub fn write(self, files: &Files<'_>) -> Result<Staged, StageError> {
        let Self { target, old, mut directory } = self;
        let mut digests: BTreeMap<PathBuf, Sha256> = BTreeMap::new();
        files.write(|path, text| {
            match digests.get_mut(path) {
                Some(digest) => digest.update(text),
                None => drop(digests.insert(path.to_owned(), Sha256::new_with_prefix(text))),
            }
            directory.write(path, text).map_err(StageError::from)
        })?;
        let n_files = digests.len();
        let new: BTreeMap<PathBuf, String> =
            digests.into_iter().map(|(path, it)| (path, hex(&it.finalize()))).collect();
        if old.as_ref() == Some(&new) {
            return Ok(Staged { target, old, directory: None, n_files });
        }
        let mut record = HEAD.to_owned();
        for (path, digest) in &new {
            record.push_str(&format!("# sha256:{digest} {}\n", path.display()));
        }
        directory.write(Path::new(RECORD), record.as_bytes())?;
        Ok(Staged { target, old, directory: Some(directory), n_files })
    }
}

impl Staged {
    /// Moves it to its destination. Returns whether that has changed anything.
    ///
    /// # Errors
    /// The errors of [`NewDirectory::finish`], and [`StageError::Changed`] if somebody has changed the destination
    /// meanwhile.
    pub fn finish(self) -> Result<bool, StageError> {
        let Some(directory) = self.directory else { return Ok(false) };
        if written(&self.target)? != self.old {
            return Err(StageError::Changed(self.target));
        }
        directory.finish()?;
        Ok(true)
    }
}

/// The digests of the files that an earlier run has written, if they are unchanged; `None` if there are none.
fn written(target: &Path) -> Result<Option<BTreeMap<PathBuf, String>>, StageError> {
    let unreadable = |path: &Path, error: io::Error| StageError::Unreadable { path: path.to_owned(), error };
    // The writer of the directory refuses any other kind of file.
    if !target.is_dir() {
        return Ok(None);
    }
    let Some(record) = recorded(target)? else {
        let entries = names(target).map_err(|error| unreadable(target, error))?;
        let first = entries.into_iter().find(|it| it.file_name() != WORKSPACE);
        return first.map_or(Ok(None), |it| Err(StageError::Foreign(it.path())));
    };
    let mut digests = BTreeMap::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let directory = target.join(&below);
        for entry in names(&directory).map_err(|error| unreadable(&directory, error))? {
            let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), error))?;
            let path = below.join(entry.file_name());
            if kind.is_dir() {
                open.push(path);
                continue;
            }
            if path == Path::new(RECORD) {
                continue;
            }
            let Some(expected) = record.get(&path).filter(|_| kind.is_file()) else {
                return Err(StageError::Foreign(entry.path()));
            };
            if digest(target, &path).map_err(|error| unreadable(&entry.path(), error))? != *expected {
                return Err(StageError::Changed(entry.path()));
            }
            digests.insert(path, expected.clone());
        }
    }
    Ok(Some(digests))
}

/// The entries of a directory, sorted.
fn names(directory: &Path) -> io::Result<Vec<std::fs::DirEntry>> {
    let mut entries = std::fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    Ok(entries)
}

/// The digests in the record of a directory; `None` if it has none, or another `.indexignore`.
fn recorded(target: &Path) -> Result<Option<BTreeMap<PathBuf, String>>, StageError> {
    let path = target.join(RECORD);
    let file = match open_below(target, RECORD) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StageError::Unreadable { path, error }),
    };
    let mut text = String::new();
    let Ok(len) = file.take(MAX_RECORD + 1).read_to_string(&mut text) else { return Err(StageError::Foreign(path)) };
    let Some(lines) = text.strip_prefix(HEAD).filter(|_| len as u64 <= MAX_RECORD) else {
        return Err(StageError::Foreign(path));
    };
    let mut digests = BTreeMap::new();
    for line in lines.lines() {
        let Some((digest, name)) = line.strip_prefix("# sha256:").and_then(|it| it.split_once(' ')) else {
            return Err(StageError::Changed(path));
        };
        digests.insert(PathBuf::from(name), digest.to_owned());
    }
    Ok(Some(digests))
}

/// The digest of a file, which is read through no link.
fn digest(target: &Path, path: &Path) -> io::Result<String> {
    let name = path.to_str().ok_or(io::ErrorKind::InvalidInput)?;
    let mut file = open_below(target, name)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&digest.finalize())),
            len => digest.update(&buffer[..len]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::{Composition, Part};
    use olmdex_fbc::{Format, Input, Level};
    use olmdex_text::json::Expansion;

    #[test]
    fn a_destination_has_one_writer_from_before_its_sources_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let reserved = Reserved::new(&target).unwrap();
        assert!(matches!(Reserved::new(&target), Err(StageError::File(FileError::Busy { .. }))));
        drop(reserved);
        Reserved::new(&target).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left");
    }

    #[test]
    fn what_is_changed_while_a_catalog_is_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let text = "schema: olm.package\nname: till\ndefaultChannel: stable\n";
        let part = Part { path: None, input: Input::bytes("till.yaml", text.as_bytes().into()) };
        let composition = Composition { parts: vec![part], warnings: Vec::new() };
        let stage = |format| {
            let expansion = Expansion::default();
            let files = Files::of(&composition, format, Level::None, &expansion);
            Reserved::new(&target).unwrap().write(&files).unwrap()
        };
        assert!(stage(Format::Json).finish().unwrap());
        assert!(!stage(Format::Json).finish().unwrap());
        let staged = stage(Format::Yaml);
        std::fs::write(target.join("till/catalog.json"), "mine").unwrap();
        assert!(matches!(staged.finish(), Err(StageError::Changed(_))));
        assert_eq!(std::fs::read_to_string(target.join("till/catalog.json")).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something was left");
    }
}
