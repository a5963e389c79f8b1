//! The list of entries that are on their way from a workspace into the directory around it.
//!
//! It exists while they are moved. If the process is killed meanwhile, the next one removes the entries in the list: an
//! entry of that name which is the very file or directory that was to be moved, and nothing else.

use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::system::{self, Identity};

/// The name of the list in the workspace.
const LIST: &str = "moving";

/// Entries with their inodes, which moving does not change.
#[derive(Debug, Default)]
pub(super) struct Moving {
    entries: Vec<(OsString, u64)>,
}

impl Moving {
    /// The list of entries to move out of a directory.
    pub(super) fn of(directory: BorrowedFd<'_>) -> Result<Self, Errno> {
        let mut entries = Vec::new();
        for name in system::names(directory)? {
            if let Some(found) = system::entry(directory, &name)? {
                entries.push((name, Identity::of(&found).inode));
            }
        }
        Ok(Self { entries })
    }

    /// The list that a process has left; `None` if it was not moving anything.
    pub(super) fn read(workspace: BorrowedFd<'_>) -> Result<Option<Self>, Errno> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = match rustix::fs::openat(workspace, LIST, flags, Mode::empty()) {
            Ok(file) => std::fs::File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        // No name has a zero in it. An entry that a process could not write to the end has not been moved.
        let entries = text.split_inclusive(|it| *it == 0).filter_map(|it| {
            let (inode, name) = it.strip_suffix(&[0])?.split_at_checked(INODE)?;
            let inode = u64::from_str_radix(std::str::from_utf8(inode).ok()?, 16).ok()?;
            Some((OsString::from_vec(name.to_vec()), inode))
        });
        Ok(Some(Self { entries: entries.collect() }))
    }

    /// Writes the list.
    pub(super) fn write(&self, workspace: BorrowedFd<'_>) -> Result<(), Errno> {
        let mut text = Vec::new();
        for (name, inode) in &self.entries {
            text.extend_from_slice(format!("{inode:0INODE$x}").as_bytes());
            text.extend_from_slice(name.as_bytes());
            text.push(0);
        }
        let written = system::create_file(workspace, Path::new(LIST))?.write_all(&text);
        written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    /// Removes the list: all is there.
    pub(super) fn done(workspace: BorrowedFd<'_>) -> Result<(), Errno> {
        system::unlink(workspace, OsStr::new(LIST))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.entries.iter().map(|(name, _)| name.as_os_str())
    }

    /// Moves everything from one directory into another.
    pub(super) fn run(&self, from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), Errno> {
        for name in self.names() {
            // A rename would replace a file that has appeared meanwhile.
            if system::entry(to, name)?.is_some() {
                return Err(Errno::EXIST);
            }
            rustix::fs::renameat(from, name, to, name)?;
        }
        Ok(())
    }

    /// Removes the entries that were moved into a directory.
    pub(super) fn undo(&self, directory: BorrowedFd<'_>) -> Result<(), Errno> {
        for (name, inode) in &self.entries {
            let is_what_was_moved =
                is_name(name) && system::entry(directory, name)?.is_some_and(|it| Identity::of(&it).inode == *inode);
            if is_what_was_moved {
                system::remove_all(directory, name)?;
            }
        }
        Ok(())
    }
}

/// Whether a name names something in a directory, and nothing around it.
fn is_name(name: &OsStr) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
}

/// Digits of an inode in the list.
const INODE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_the_directory_are_removed() {
        for (name, is_one) in
            [("a", true), (".a", true), ("..", false), (".", false), ("", false), ("a/b", false), ("a/", false)]
        {
            assert_eq!(is_name(OsStr::new(name)), is_one, "{name:?}");
        }
    }
}
