//! Large files in the user's cache directory, each named by the digest of its bytes. Each may be lost at any time.
//!
//! A file gets its name when all of its bytes are there. Until then it is a partial file, which one process at a time
//! writes, and the next one continues. Nothing is trusted because of its name: every reader of a file compares its
//! digest.

use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags};
use sha2::{Digest as _, Sha256};

use super::system;
use olmdex_text::encoding::hex::hex;

/// The ending that the names of partial files get.
const PARTIAL: &str = ".partial";

/// A directory of such files.
#[derive(Debug, Clone)]
pub struct BlobCache {
    directory: PathBuf,
}

/// A file of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedBlob {
    /// Its name; that of a partial file ends with `.partial`.
    pub name: String,
    /// The number of bytes that it has.
    pub size: u64,
    /// The time of its last use.
    pub used: SystemTime,
}

/// A file that is not whole yet.
#[derive(Debug)]
pub struct PartialBlob {
    /// The file, with the bytes that were there before.
    pub file: File,
    directory: PathBuf,
    name: String,
}

impl BlobCache {
    /// The cache in a directory, which is made when something is kept in it.
    pub fn at(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// The name of a file that belongs to a key.
    pub fn name_of(kind: &str, key: &[u8]) -> String {
        format!("{kind}-{}", hex(&Sha256::digest(key)))
    }

    /// Its path.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Opens a file, which counts as used from now on. `None` if there is none, or if it is not this user's own.
    pub fn open(&self, name: &str) -> Option<File> {
        let directory = self.open_directory().ok()?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&directory, name, flags, Mode::empty()).ok()?);
        if !is_own_file(&file) {
            return None;
        }
        // On a read-only disk it stays as it was.
        let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
        let _ = rustix::fs::futimens(&file, &rustix::fs::Timestamps { last_access: now, last_modification: now });
        Some(file)
    }

    /// Begins to write a file, or continues one that another process has left. `None` if another process is writing it.
    ///
    /// # Errors
    /// If the directory cannot be made, is not this user's, or cannot be written to.
    pub fn begin(&self, name: &str) -> io::Result<Option<PartialBlob>> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let directory = self.open_directory()?;
        let partial = format!("{name}{PARTIAL}");
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..64 {
            let file = File::from(rustix::fs::openat(&directory, &partial, flags, Mode::RUSR | Mode::WUSR)?);
            if !is_own_file(&file) {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
            }
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The process that had it may have finished it meanwhile.
            let is_still = system::entry(directory.as_fd(), partial.as_ref())?
                .is_some_and(|it| file.metadata().is_ok_and(|own| own.ino() == it.st_ino));
            if is_still {
                return Ok(Some(PartialBlob { file, directory: self.directory.clone(), name: name.to_owned() }));
            }
        }
        Ok(None)
    }

    /// Its files, by name. None if there is no such directory.
    ///
    /// # Errors
    /// An error of the system.
    pub fn list(&self) -> io::Result<Vec<CachedBlob>> {
        let directory = match self.open_directory() {
            Ok(directory) => directory,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut all = Vec::new();
        for name in system::names(&directory)? {
            let Some(name) = name.to_str().filter(|it| is_name(it)) else { continue };
            let Some(found) = system::entry(directory.as_fd(), name.as_ref())? else { continue };
            if system::kind(&found) == super::Kind::File {
                let seconds = u64::try_from(found.st_mtime).unwrap_or_default();
                let used = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
                all.push(CachedBlob {
                    name: name.to_owned(),
                    size: u64::try_from(found.st_size).unwrap_or_default(),
                    used,
                });
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Removes a file, unless another process writes it now. Gives whether it did.
    ///
    /// # Errors
    /// An error of the system.
    pub fn remove(&self, name: &str) -> io::Result<bool> {
        if !is_name(name) {
            return Ok(false);
        }
        let directory = self.open_directory()?;
        if name.ends_with(PARTIAL) {
            let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = File::from(rustix::fs::openat(&directory, name, flags, Mode::empty())?);
            if file.try_lock().is_err() {
                return Ok(false);
            }
            system::unlink(directory.as_fd(), name.as_ref())?;
            return Ok(true);
        }
        system::unlink(directory.as_fd(), name.as_ref())?;
        Ok(true)
    }

    /// Opens the directory, if it is this user's and nobody else can write to it.
    fn open_directory(&self) -> io::Result<std::os::fd::OwnedFd> {
        let directory = system::open_directory(&self.directory)?;
        let found = rustix::fs::fstat(&directory)?;
        let is_own = found.st_uid == rustix::process::geteuid().as_raw();
        if !is_own || Mode::from_raw_mode(found.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
            let message = format!("other users can write to `{}`", self.directory.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(directory)
    }
}

impl PartialBlob {
    /// Deletes the bytes that are there.
    ///
    /// # Errors
    /// An error of the system.
    pub fn clear(&mut self) -> io::Result<()> {
        start_over(&mut self.file)
    }

    /// Removes the file: its bytes are nothing to go on from.
    ///
    /// # Errors
    /// An error of the system.
    pub fn discard(self) -> io::Result<()> {
        let directory = system::open_directory(&self.directory)?;
        Ok(system::unlink(directory.as_fd(), format!("{}{PARTIAL}", self.name).as_ref())?)
    }

    /// Gives the file its name: it is whole.
    ///
    /// # Errors
    /// An error of the system.
    pub fn finish(self) -> io::Result<File> {
        self.file.sync_data()?;
        let directory = system::open_directory(&self.directory)?;
        rustix::fs::renameat(&directory, format!("{}{PARTIAL}", self.name), &directory, &self.name)?;
        Ok(self.file)
    }
}

/// Empties a file.
///
/// # Errors
/// An error of the system.
pub fn start_over(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    io::Seek::rewind(file)
}

/// Whether a name is one of this cache: an algorithm, digits, and the ending of a partial file.
fn is_name(name: &str) -> bool {
    let whole = name.strip_suffix(PARTIAL).unwrap_or(name);
    whole.split_once('-').is_some_and(|(kind, hex)| {
        kind.bytes().all(|it| it.is_ascii_alphanumeric())
            && hex.len() >= 32
            && hex.bytes().all(|it| it.is_ascii_hexdigit())
    })
}

fn is_own_file(file: &File) -> bool {
    file.metadata().is_ok_and(|it| {
        it.is_file() && it.uid() == rustix::process::geteuid().as_raw() && it.nlink() == 1 && it.mode() & 0o022 == 0
    })
}
