//! Calls of the system about files, always relative to an open directory and without following links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::error::Kind;
use olmdex_text::encoding::hex::hex;

/// The identity of a file or directory among all that exist at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    pub(super) inode: u64,
}

impl Identity {
    #[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the types differ between systems")]
    pub(super) fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
    }
}

pub(super) fn kind(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Pipe,
        FileType::Socket => Kind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => Kind::Device,
        FileType::Unknown => Kind::Other,
    }
}

/// The permissions of a file: no set-uid, set-gid or sticky bit.
pub(super) fn permissions(stat: &Stat) -> Mode {
    Mode::from_raw_mode(stat.st_mode) & (Mode::RWXU | Mode::RWXG | Mode::RWXO)
}

/// Opens a directory, through links.
pub(super) fn open_directory(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Opens an entry of a directory if it is a directory itself; a link is `LOOP` or `NOTDIR`.
pub(super) fn open_subdirectory(parent: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}

/// Creates a file that must not exist.
pub(super) fn create_file(parent: BorrowedFd<'_>, name: &Path) -> Result<File, Errno> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::from_raw_mode(0o666)).map(File::from)
}

/// The properties of an entry; `None` if there is none.
pub(super) fn entry(parent: BorrowedFd<'_>, name: &OsStr) -> Result<Option<Stat>, Errno> {
    match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names in a directory, sorted.
pub(super) fn names(directory: impl AsFd) -> Result<Vec<OsString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    names.sort();
    Ok(names)
}

/// Removes an entry of a directory, with its content. Links are removed, never followed. A missing entry is no error.
pub(super) fn remove_all(parent: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
    match unlink(parent, name) {
        Ok(()) => return Ok(()),
        // The error for unlinking a directory differs between systems.
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    /// A directory on the way down, and the entries that are left to remove in it.
    struct Level {
        name: OsString,
        directory: OwnedFd,
        names: Vec<OsString>,
    }
    let open = |parent: BorrowedFd<'_>, name: &OsStr| -> Result<Option<Level>, Errno> {
        let directory = match open_subdirectory(parent, name) {
            Err(Errno::NOENT) => return Ok(None),
            other => other?,
        };
        let names = names(&directory)?;
        Ok(Some(Level { name: name.to_owned(), directory, names }))
    };
    let mut levels: Vec<Level> = open(parent, name)?.into_iter().collect();
    while let Some(level) = levels.last_mut() {
        match level.names.pop() {
            Some(name) => match unlink(level.directory.as_fd(), &name) {
                Ok(()) => {}
                Err(Errno::ISDIR | Errno::PERM) => {
                    let below = open(level.directory.as_fd(), &name)?;
                    levels.extend(below);
                }
                Err(error) => return Err(error),
            },
            None => {
                let name = std::mem::take(&mut level.name);
                levels.pop();
                let above = levels.last().map_or(parent, |it| it.directory.as_fd());
                remove_empty(above, &name)?;
            }
        }
    }
    Ok(())
}

/// Removes an entry that is not a directory. A missing entry is no error.
pub(super) fn unlink(parent: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
    match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}

/// Removes an empty directory. A missing entry is no error.
pub(super) fn remove_empty(parent: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
    match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}

/// Exchanges two entries in one step. Systems and file systems that cannot do it say so.
pub(super) fn exchange(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    other_parent: BorrowedFd<'_>,
    other: &OsStr,
) -> Result<(), Errno> {
    #[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
    return rustix::fs::renameat_with(parent, name, other_parent, other, rustix::fs::RenameFlags::EXCHANGE);
    #[cfg(not(any(target_vendor = "apple", target_os = "linux", target_os = "android")))]
    {
        let _ = (parent, name, other_parent, other);
        Err(Errno::NOSYS)
    }
}

/// A name with something before and after it. If it would be longer than a name may be, it is cut, with a digest to
/// keep it distinct.
pub(super) fn around(before: &str, name: &OsStr, after: &str) -> OsString {
    /// Bytes of a name, on every file system that matters.
    const MAX_NAME: usize = 255;
    let mut full = OsString::from(before);
    full.push(name);
    full.push(after);
    if full.len() <= MAX_NAME {
        return full;
    }
    let digest = <sha2::Sha256 as sha2::Digest>::digest(name.as_bytes());
    let mut short = OsString::from(before);
    short.push(hex(&digest[..16]));
    short.push(after);
    short
}
