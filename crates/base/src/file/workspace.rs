//! The hidden directory that holds unfinished output, and the lock on it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::error::{FileError, InTheWay};
use super::system::{self, Identity};

/// The number of attempts if the workspace is removed just when it is opened.
const ATTEMPTS: usize = 64;

/// The file that is locked and holds the marker. It keeps readers of catalogs out as well: were that another file,
/// there would be moments at which a process can be killed and its lock is read as a document.
const LOCK: &str = ".indexignore";

/// A directory that this process alone uses.
#[derive(Debug)]
pub(super) struct Workspace {
    parent: OwnedFd,
    name: OsString,
    path: PathBuf,
    directory: OwnedFd,
    /// Holds the lock until the process ends, however it ends.
    _lock: File,
}

/// The obstacles to a workspace.
enum Obstacle {
    /// The directory was removed meanwhile.
    Gone,
    /// Another process has it.
    Busy,
    /// It is not a workspace.
    Foreign(InTheWay),
    System(Errno),
}

impl From<Errno> for Obstacle {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}

impl Workspace {
    /// Makes a workspace, or takes over one that was left. Nothing in the old one is removed before [`Self::empty`].
    ///
    /// `path` is the path of the parent, and errors name `target`.
    pub(super) fn claim(parent: BorrowedFd<'_>, path: &Path, name: OsString, target: &Path) -> Result<Self, FileError> {
        let path = path.join(&name);
        for _ in 0..ATTEMPTS {
            match Self::attempt(parent, &path, &name, true) {
                Ok(workspace) => return Ok(workspace),
                Err(Obstacle::Gone) => {}
                Err(Obstacle::Busy) => return Err(FileError::Busy { path: target.to_owned() }),
                Err(Obstacle::Foreign(what)) => return Err(FileError::InTheWay { path, what }),
                Err(Obstacle::System(error)) => return Err(FileError::io(target, error)),
            }
        }
        Err(FileError::Busy { path: target.to_owned() })
    }

    /// Takes over a workspace that a killed process has left; `None` if there is none.
    pub(super) fn take_over(parent: BorrowedFd<'_>, path: &Path, name: &OsStr) -> Option<Self> {
        Self::attempt(parent, &path.join(name), name, false).ok()
    }

    fn attempt(parent: BorrowedFd<'_>, path: &Path, name: &OsStr, is_new_allowed: bool) -> Result<Self, Obstacle> {
        if is_new_allowed {
            match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let (directory, own) = open_directory(parent, name, is_new_allowed)?;
        let (mut lock, found) = open_lock(&directory, is_new_allowed)?;
        wait_as_tests_ask();
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Obstacle::Busy),
            Err(TryLockError::Error(error)) => {
                return Err(Errno::from_io_error(&error).unwrap_or(Errno::NOLCK).into());
            }
        }
        // The process that had the lock may have removed the workspace, and another one made it again.
        let is_still = |parent: BorrowedFd<'_>, name: &OsStr, own: Identity| -> Result<bool, Errno> {
            Ok(system::entry(parent, name)?.is_some_and(|it| Identity::of(&it) == own))
        };
        if !is_still(parent, name, own)? || !is_still(directory.as_fd(), OsStr::new(LOCK), found)? {
            return Err(Obstacle::Gone);
        }
        mark(&directory, &mut lock, &marker(own, found))?;
        let parent = rustix::io::fcntl_dupfd_cloexec(parent, 0)?;
        Ok(Self { parent, name: name.to_owned(), path: path.to_owned(), directory, _lock: lock })
    }

    pub(super) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes its content, except the lock.
    pub(super) fn empty(&self) -> Result<(), Errno> {
        for name in system::names(&self.directory)?.iter().filter(|it| *it != LOCK) {
            system::remove_all(self.directory(), name)?;
        }
        Ok(())
    }

    /// Removes it, the lock last. If a part of it cannot be removed, the lock stays, and the next write takes it over.
    pub(super) fn remove(&self) {
        if self.empty().is_err() || system::unlink(self.directory(), OsStr::new(LOCK)).is_err() {
            return;
        }
        for _ in 0..ATTEMPTS {
            match system::remove_empty(self.parent.as_fd(), &self.name) {
                // A thread of this process that writes by path, as SQLite does with its journal, may still have made an
                // entry. Without a lock beside it, that entry would be an obstacle to the next write.
                Err(Errno::NOTEMPTY | Errno::EXIST)
                    if matches!(system::entry(self.directory(), LOCK.as_ref()), Ok(None)) =>
                {
                    if self.empty().is_err() {
                        return;
                    }
                }
                // It is gone, or another process uses the directory by now.
                _ => return,
            }
        }
    }
}

/// Opens the directory, if it can only be a workspace of this user's.
fn open_directory(parent: BorrowedFd<'_>, name: &OsStr, is_new_allowed: bool) -> Result<(OwnedFd, Identity), Obstacle> {
    let directory = match system::open_subdirectory(parent, name) {
        Ok(directory) => directory,
        Err(Errno::NOENT) => return Err(Obstacle::Gone),
        Err(error) => {
            return Err(match system::entry(parent, name)? {
                None => Obstacle::Gone,
                Some(found) if matches!(error, Errno::LOOP | Errno::NOTDIR) => {
                    Obstacle::Foreign(InTheWay::Kind(system::kind(&found)))
                }
                Some(found) if is_of_another_user(&found) => Obstacle::Foreign(InTheWay::OtherUser),
                Some(_) => error.into(),
            });
        }
    };
    let own = rustix::fs::fstat(&directory)?;
    if is_of_another_user(&own) {
        return Err(Obstacle::Foreign(InTheWay::OtherUser));
    }
    if Mode::from_raw_mode(own.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return Err(Obstacle::Foreign(InTheWay::OthersCanWrite));
    }
    // Nothing is created in a directory that belongs to somebody else: a workspace has its lock from the beginning to
    // the end.
    let names = system::names(&directory)?;
    if !names.is_empty() && !names.iter().any(|it| it == LOCK) {
        return Err(Obstacle::Foreign(InTheWay::NotOurs));
    }
    if names.is_empty() && !is_new_allowed {
        // A process was killed just when it had made it. If that process is alive, it makes another one.
        if system::permissions(&own) == Mode::RWXU {
            let _ = system::remove_empty(parent, name);
        }
        return Err(Obstacle::Gone);
    }
    Ok((directory, Identity::of(&own)))
}

/// Opens the file that is to be locked.
fn open_lock(directory: &OwnedFd, is_new_allowed: bool) -> Result<(File, Identity), Obstacle> {
    let mut flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if is_new_allowed {
        flags |= OFlags::CREATE;
    }
    let lock = match rustix::fs::openat(directory, LOCK, flags, Mode::RUSR | Mode::WUSR) {
        Ok(lock) => File::from(lock),
        // Nothing can be created in a directory that has been removed.
        Err(Errno::NOENT) => return Err(Obstacle::Gone),
        Err(_) => return Err(Obstacle::Foreign(InTheWay::NotOurs)),
    };
    let found = rustix::fs::fstat(&lock)?;
    match found.st_nlink {
        0 => Err(Obstacle::Gone),
        1 if system::kind(&found) == super::Kind::File && !is_of_another_user(&found) => {
            Ok((lock, Identity::of(&found)))
        }
        _ => Err(Obstacle::Foreign(InTheWay::NotOurs)),
    }
}

/// Writes the marker into a new lock; one that is not new must have it.
fn mark(directory: &OwnedFd, lock: &mut File, marker: &[u8]) -> Result<(), Obstacle> {
    let mut text = Vec::new();
    let read = (&*lock).take(marker.len() as u64 + 1).read_to_end(&mut text);
    read.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    if text == marker {
        return Ok(());
    }
    // A process that was killed immediately has left the beginning of a marker, and nothing else.
    let is_begun = marker.starts_with(&text) && system::names(directory)?.len() == 1;
    if !is_begun {
        return Err(Obstacle::Foreign(InTheWay::NotOurs));
    }
    let written = lock.write_all(&marker[text.len()..]);
    Ok(written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?)
}

/// The content of the lock: it states that nothing beside it belongs to a catalog, and that the lock was made in this
/// directory, as this file.
fn marker(directory: Identity, lock: Identity) -> Vec<u8> {
    format!("*\n# olmdex: unfinished output, {} {}\n", directory.inode, lock.inode).into_bytes()
}

fn is_of_another_user(stat: &rustix::fs::Stat) -> bool {
    stat.st_uid != rustix::process::geteuid().as_raw()
}

/// Milliseconds between opening a lock and taking it.
static DELAY: AtomicU64 = AtomicU64::new(0);

/// Slows every writing process between opening a lock and taking it, which is when another process may remove the
/// opened lock. For tests of exactly that.
#[doc(hidden)]
pub fn delay_locks(delay: Duration) {
    DELAY.store(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

fn wait_as_tests_ask() {
    let delay = DELAY.load(Ordering::Relaxed);
    if delay > 0 {
        std::thread::sleep(Duration::from_millis(delay));
    }
}
