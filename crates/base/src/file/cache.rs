//! Small files in the user's cache directory, which make a second run faster. Each may be lost at any time.
//!
//! For safety, this module deliberately knows nothing of their content, and trusts nothing that another user could have
//! written.

use std::fs::{Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

use super::error::FileError;
use super::regular::read_regular;
use super::replace::Replacement;
use super::system;
use olmdex_text::encoding::hex::hex;

/// The number of files that are kept; the oldest go first.
const MAX_FILES: usize = 200;

/// The permissions to write of everybody but the owner.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// A directory of such files.
#[derive(Debug, Clone)]
pub struct Cache {
    directory: PathBuf,
}

impl Cache {
    /// The cache in a directory, which is made when something is kept in it.
    pub fn at(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// The content under a key. `None` if there is none, or another user could have put it there.
    pub fn read(&self, key: &[u8]) -> Option<Vec<u8>> {
        let path = self.path(key);
        (is_private(&self.directory) && is_private(&path)).then(|| read_regular(&path).ok()).flatten()
    }

    /// Keeps something under a key, and replaces its old content.
    ///
    /// Nothing is kept where another user could write, or in a directory of another user.
    ///
    /// # Errors
    /// [`FileError`] if the directory cannot be made or written to.
    pub fn write(&self, key: &[u8], content: &[u8]) -> Result<(), FileError> {
        let failed = |error: io::Error| FileError::io(&self.directory, error);
        if !self.directory.ancestors().find_map(|it| std::fs::metadata(it).ok()).is_some_and(|it| is_own(&it)) {
            return Ok(());
        }
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory).map_err(failed)?;
        if !is_private(&self.directory) {
            return Ok(());
        }
        let mut new = Replacement::begin(&self.path(key))?;
        new.file().set_permissions(Permissions::from_mode(0o600)).map_err(failed)?;
        new.file().write_all(content).map_err(failed)?;
        new.finish()?;
        self.forget_the_oldest();
        Ok(())
    }

    /// The path of the file for a key.
    fn path(&self, key: &[u8]) -> PathBuf {
        let digest = Sha256::digest(key);
        self.directory.join(hex(&digest[..16]))
    }

    /// Removes the oldest files if there is too much. A file that cannot be removed stays.
    fn forget_the_oldest(&self) {
        let Ok(directory) = system::open_directory(&self.directory) else { return };
        let is_ours = |name: &str| name.len() == 32 && name.bytes().all(|it| it.is_ascii_hexdigit());
        let names = system::names(&directory).unwrap_or_default().into_iter();
        let mut files: Vec<_> = names
            .filter(|name| name.to_str().is_some_and(is_ours))
            .map(|name| (modified(&self.directory.join(&name)), name))
            .collect();
        files.sort();
        for (_, name) in files.iter().take(files.len().saturating_sub(MAX_FILES)) {
            let _ = system::unlink(std::os::fd::AsFd::as_fd(&directory), name);
        }
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::symlink_metadata(path).and_then(|it| it.modified()).ok()
}

/// Whether a file or directory belongs to this user, and nobody else can write to it.
fn is_private(path: &Path) -> bool {
    std::fs::symlink_metadata(path)
        .is_ok_and(|it| is_own(&it) && !it.file_type().is_symlink() && it.mode() & WRITABLE_BY_OTHERS == 0)
}

fn is_own(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_the_oldest_goes() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = Cache::at(&scratch.path().join("deep/er"));
        assert_eq!(cache.read(b"a"), None);
        cache.write(b"a", b"1").unwrap();
        cache.write(b"a", b"2").unwrap();
        assert_eq!(cache.read(b"a").as_deref(), Some(&b"2"[..]));
        std::fs::write(cache.directory.join("somebody's"), "").unwrap();
        for number in 0..=MAX_FILES {
            cache.write(format!("{number}").as_bytes(), b"").unwrap();
        }
        assert_eq!(std::fs::read_dir(&cache.directory).unwrap().count(), MAX_FILES + 1);
        assert!(cache.directory.join("somebody's").exists());
    }

    #[test]
    fn nothing_is_written_through_links_or_where_others_can_write() {
        let scratch = tempfile::tempdir().unwrap();
        let (real, link, open) =
            (scratch.path().join("real"), scratch.path().join("link"), scratch.path().join("open"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        for directory in [&link, &open] {
            Cache::at(directory).write(b"a", b"1").unwrap();
            assert_eq!(std::fs::read_dir(directory).unwrap().count(), 0, "{}", directory.display());
        }
        let cache = Cache::at(&real);
        cache.write(b"a", b"1").unwrap();
        // The mode does not depend on the user's mask.
        assert_eq!(std::fs::metadata(cache.path(b"a")).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_others_can_write_is_not_trusted() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = Cache::at(scratch.path());
        cache.write(b"a", b"1").unwrap();
        let path = cache.path(b"a");
        for (target, mode, is_trusted) in
            [(&path, 0o666, false), (&path, 0o644, true), (&scratch.path().to_owned(), 0o777, false)]
        {
            std::fs::set_permissions(target, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(cache.read(b"a").is_some(), is_trusted, "{} {mode:o}", target.display());
        }
        std::fs::set_permissions(scratch.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        std::fs::rename(&path, scratch.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", &path).unwrap();
        assert_eq!(cache.read(b"a"), None);
    }
}
