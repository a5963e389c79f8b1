//! One file, written anew: beside its place, brought to the disk, and renamed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard};

use rustix::fs::{Gid, Mode, Stat, Uid};

use super::error::FileError;
use super::interrupted_writes::{Shared, Stage};
use super::place::Place;
use super::regular::read_regular;
use super::sqlite::journal_of;
use super::system::{self, Identity};
use super::workspace::Workspace;

/// The name of the new file in its workspace.
pub(super) const NEW: &str = "new";

/// A file that is being written. Dropped before [`Self::finish`], it leaves everything as it was.
#[derive(Debug)]
pub struct Replacement {
    place: Place,
    temporary: PathBuf,
    file: File,
    shared: Arc<Shared>,
    /// The stamp of the target when it was compared with the content that had been read; `None` inside if the target
    /// was not there.
    seen: Option<Option<Stamp>>,
}

/// The properties of a file at a time. A program that does not respect the lock changes some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    identity: Identity,
    len: i64,
    modified: (i64, i64),
}

impl Stamp {
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    fn of(stat: &Stat) -> Self {
        let modified = (stat.st_mtime as i64, stat.st_mtime_nsec as i64);
        Self { identity: Identity::of(stat), len: stat.st_size as i64, modified }
    }
}

impl Replacement {
    /// Makes this process the only one that writes `target`. If that is a symbolic link, the file that it leads to is
    /// replaced.
    ///
    /// # Errors
    /// [`FileError::NotAFile`] and [`FileError::Dangling`] for a target that cannot be replaced, [`FileError::Busy`] if
    /// another process writes the same file, [`FileError::InTheWay`] if something else has the name of the workspace,
    /// [`FileError::Io`].
    pub fn begin(target: &Path) -> Result<Self, FileError> {
        let place = Place::of_file(target)?;
        // The place is checked twice: before anything is made beside a target that cannot be replaced, and again under
        // the lock.
        place.file()?;
        let shared = Shared::begin_in_turn(target, || {
            Workspace::claim(place.parent(), place.parent_path(), place.workspace(), target)
        })?;
        let begin = || -> Result<File, FileError> {
            place.file()?;
            shared.fill(|workspace| {
                workspace.empty()?;
                system::create_file(workspace.directory(), Path::new(NEW))
            })
        };
        match begin() {
            Ok(file) => Ok(Self { temporary: shared.workspace.path().join(NEW), place, file, shared, seen: None }),
            Err(error) => {
                shared.end();
                Err(error)
            }
        }
    }

    /// Like [`Self::begin`], if the target still has the content that was read: `None` if it was not there. An edit
    /// that somebody else has made since is not lost.
    ///
    /// # Errors
    /// Also [`FileError::Changed`].
    pub fn begin_over(target: &Path, before: Option<&[u8]>) -> Result<Self, FileError> {
        let mut replacement = Self::begin(target)?;
        // Before it is read, so that a change after that shows.
        replacement.seen = Some(replacement.place.file()?.as_ref().map(Stamp::of));
        let now = match read_regular(replacement.target()) {
            Ok(now) => Some(now),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(FileError::Io { path: target.to_owned(), source }),
        };
        if now.as_deref() == before { Ok(replacement) } else { Err(FileError::Changed { path: target.to_owned() }) }
    }

    /// Like [`Self::begin`], for a database of SQLite.
    ///
    /// # Errors
    /// Also [`FileError::Journal`] if a journal lies beside the target, which would ruin the new database.
    pub fn begin_database(target: &Path) -> Result<Self, FileError> {
        let replacement = Self::begin(target)?;
        match journal_of(replacement.target()) {
            Some(journal) => Err(FileError::Journal { path: target.to_owned(), journal }),
            None => Ok(replacement),
        }
    }

    /// The target, without links.
    pub fn target(&self) -> &Path {
        self.place.path()
    }

    /// The new file's path until it is finished, for libraries that write by path. It has no links in it.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// The new file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Empties the new file and fills it with the content of another one.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn copy(&mut self, from: &mut File) -> Result<(), FileError> {
        let copied = self
            .file
            .set_len(0)
            .and_then(|()| io::Seek::rewind(&mut self.file))
            .and_then(|()| io::copy(from, &mut self.file));
        copied.map(drop).map_err(|error| FileError::io(self.place.shown(), error))
    }

    /// Puts the file at its place, durably. It keeps owner, group and permissions of the file that it replaces, as far
    /// as this user may; never the set-uid and set-gid bits.
    ///
    /// # Errors
    /// [`FileError::Interrupted`] if the write was abandoned meanwhile, [`FileError::NotAFile`] if something else has
    /// taken the place of the target, [`FileError::Changed`] if the target was compared and has changed since,
    /// [`FileError::Io`].
    pub fn finish(self) -> Result<(), FileError> {
        self.settle()?;
        {
            let mut stage = self.hold()?;
            self.rename()?;
            *stage = Stage::Placed;
        }
        self.place.sync();
        Ok(())
    }

    /// Prepares the new file for its renaming: it gets the owner of the old one, and is on the disk.
    pub(super) fn settle(&self) -> Result<(), FileError> {
        let failed = |error: io::Error| FileError::io(self.place.shown(), error);
        // One changed file keeps all files of a write from being replaced.
        self.refuse_changed()?;
        if let Some(old) = self.place.file()? {
            self.take_after(&old).map_err(|error| failed(error.into()))?;
        }
        self.file.sync_all().map_err(failed)?;
        // The renamed file must be the one that was written.
        let own = rustix::fs::fstat(&self.file).map_err(|error| failed(error.into()))?;
        let named = system::entry(self.workspace(), OsStr::new(NEW)).map_err(|error| failed(error.into()))?;
        if named.is_none_or(|it| Identity::of(&it) != Identity::of(&own)) {
            return Err(failed(io::Error::other("the new file was removed while it was written")));
        }
        Ok(())
    }

    /// Keeps a signal from giving up the write while this is held.
    pub(super) fn hold(&self) -> Result<MutexGuard<'_, Stage>, FileError> {
        self.shared.hold()
    }

    /// Renames the new file to its place. The caller holds the stage.
    pub(super) fn rename(&self) -> Result<(), FileError> {
        self.refuse_changed()?;
        rustix::fs::renameat(self.workspace(), NEW, self.place.parent(), self.place.name())
            .map_err(|error| FileError::io(self.place.shown(), error))
    }

    /// Refuses a target that an editor, which takes no lock, has saved since it was compared.
    fn refuse_changed(&self) -> Result<(), FileError> {
        let now = self.place.file()?.as_ref().map(Stamp::of);
        if self.seen.is_none_or(|it| it == now) {
            return Ok(());
        }
        Err(FileError::Changed { path: self.place.shown().to_owned() })
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    pub(super) fn workspace(&self) -> BorrowedFd<'_> {
        self.shared.workspace.directory()
    }

    /// Gives the new file owner, group and permissions of the old one.
    fn take_after(&self, old: &Stat) -> Result<(), rustix::io::Errno> {
        let own = rustix::fs::fstat(&self.file)?;
        let mut mode = system::permissions(old);
        if own.st_uid != old.st_uid {
            // Only root may do this, and a user who may replace the file may read it then.
            let _ = rustix::fs::fchown(&self.file, Some(Uid::from_raw(old.st_uid)), None);
        }
        if own.st_gid != old.st_gid && rustix::fs::fchown(&self.file, None, Some(Gid::from_raw(old.st_gid))).is_err() {
            // Another group gets no more than everybody.
            let group = Mode::from_raw_mode((mode & Mode::RWXO).as_raw_mode() << 3);
            mode = (mode - Mode::RWXG) | (mode & group);
        }
        rustix::fs::fchmod(&self.file, mode)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        self.shared.end();
    }
}

/// Writes a file as a whole, if it still has the content that was read.
///
/// # Errors
/// The errors of [`Replacement::begin_over`] and [`Replacement::finish`].
pub fn write_over(target: &Path, before: Option<&[u8]>, content: &[u8]) -> Result<(), FileError> {
    let mut new = Replacement::begin_over(target, before)?;
    new.file.write_all(content).map_err(|error| FileError::io(target, error))?;
    new.finish()
}

/// Writes a file as a whole.
///
/// # Errors
/// The errors of [`Replacement::begin`] and [`Replacement::finish`].
pub fn write_whole(target: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut new = Replacement::begin(target)?;
    new.file.write_all(content).map_err(|error| FileError::io(target, error))?;
    new.finish()
}
