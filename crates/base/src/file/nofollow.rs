//! Writing below a directory that other people made: no link is followed on the way.
//!
//! The directory itself may be a link: the user named it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::io::Errno;

use super::error::FileError;
use super::system;

/// The path of a file below a directory. Directories on the way are made; a link on the way, or in the file's place, is
/// an error.
///
/// # Errors
/// [`FileError::Io`].
pub fn make_way_below(root: &Path, relative: &str) -> Result<PathBuf, FileError> {
    let path = root.join(relative);
    let failed = |source: io::Error| FileError::Io { path: path.clone(), source };
    let mut names: Vec<&str> = relative.split('/').collect();
    if names.iter().any(|it| matches!(*it, "" | "." | "..")) {
        return Err(failed(io::ErrorKind::InvalidInput.into()));
    }
    names.pop();
    let mut directory = system::open_directory(root).map_err(|error| failed(error.into()))?;
    for name in names {
        match rustix::fs::mkdirat(directory.as_fd(), name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error.into())),
        }
        let below = system::open_subdirectory(directory.as_fd(), OsStr::new(name));
        directory = below.map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR => {
                failed(io::Error::other(format!("`{name}` is a symbolic link, or not a directory")))
            }
            error => failed(error.into()),
        })?;
    }
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            Err(failed(io::Error::other("it is a symbolic link, and olmdex follows no links here")))
        }
        _ => Ok(path),
    }
}

/// The directories that [`make_way_below`] will make for files, to be removed if nothing is written after all.
#[derive(Debug)]
pub struct MissingDirectories(BTreeSet<PathBuf>);

impl MissingDirectories {
    /// Those that are missing now.
    pub fn of<'p>(files: impl Iterator<Item = (&'p Path, &'p str)>) -> Self {
        let mut missing = BTreeSet::new();
        for (root, relative) in files {
            let path = root.join(relative);
            let around = path.ancestors().skip(1).take_while(|it| it.starts_with(root));
            missing.extend(around.filter(|it| it.symlink_metadata().is_err()).map(Path::to_owned));
        }
        Self(missing)
    }

    /// Removes those that are empty.
    pub fn remove(self) {
        // A directory sorts before its content.
        for directory in self.0.into_iter().rev() {
            // A directory that somebody else has filled meanwhile stays.
            let _ = std::fs::remove_dir(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_way_leads_out() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("root");
        std::fs::create_dir_all(scratch.path().join("outside")).unwrap();
        std::fs::create_dir_all(&root).unwrap();
        std::os::unix::fs::symlink("../outside", root.join("link")).unwrap();
        std::os::unix::fs::symlink("../outside/file", root.join("file")).unwrap();
        assert_eq!(make_way_below(&root, "a/b/c.yaml").unwrap(), root.join("a/b/c.yaml"));
        assert!(root.join("a/b").is_dir());
        for path in ["../outside/x", "link/x", "file", "/etc/x", "a/../x", ""] {
            assert!(make_way_below(&root, path).is_err(), "{path}");
        }
        assert_eq!(std::fs::read_dir(scratch.path().join("outside")).unwrap().count(), 0);
    }
}
