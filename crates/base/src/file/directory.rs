//! A directory that appears as a whole.
//!
//! It is filled in a workspace beside its place and then renamed. If an empty target cannot be replaced (a mounted
//! volume, the current directory, a link, a parent without rights), the workspace is in the target instead, and its
//! content is moved up at the end, entry by entry. If the process is killed meanwhile, the next write removes the moved
//! entries and begins anew.
//!
//! An existing directory is exchanged for the new one only if the caller says that it may go, in one step of the
//! system, and is removed then.
//!
//! For safety, this module deliberately never writes into a directory that has something in it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use rustix::fs::Mode;
use rustix::io::Errno;

use super::error::{FileError, Kind};
use super::interrupted_writes::{Shared, Stage};
use super::moved_entries::Moving;
use super::place::Place;
use super::system;
use super::workspace::Workspace;

/// The name of the workspace in a target that cannot be replaced.
const INSIDE: &str = ".olmdex";

/// The name of the new directory in its workspace.
const FILES: &str = "files";

/// A directory that is being filled. Dropped before [`Self::finish`], it leaves everything as it was.
#[derive(Debug)]
pub struct NewDirectory {
    /// Its future place; `None` if the workspace is in the target.
    place: Option<Place>,
    target: PathBuf,
    shared: Arc<Shared>,
    files: OwnedFd,
    /// The file that is being written, with its path below the directory.
    open: Option<(PathBuf, File)>,
    n_files: usize,
    syncing: Option<Syncing>,
    /// Whether it replaces a directory that has something in it.
    exchanges: bool,
}

/// A thread that brings written files to the disk while the next ones are written.
#[derive(Debug)]
struct Syncing {
    files: SyncSender<File>,
    thread: JoinHandle<io::Result<()>>,
}

impl Syncing {
    fn start() -> Self {
        let (files, written) = sync_channel::<File>(64);
        let thread = std::thread::spawn(move || written.iter().try_for_each(|file| file.sync_data()));
        Self { files, thread }
    }

    fn finish(self) -> io::Result<()> {
        drop(self.files);
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("a file could not be flushed to disk")))
    }
}

impl NewDirectory {
    /// Makes this process the only one that writes `target`, which must not exist or be an empty directory. The
    /// directories above it are made.
    ///
    /// # Errors
    /// [`FileError::NotEmpty`] and [`FileError::NotADirectory`] for an existing target, [`FileError::Busy`] if another
    /// process writes it, [`FileError::InTheWay`] if something else has the name of the workspace, [`FileError::Io`].
    pub fn begin(target: &Path) -> Result<Self, FileError> {
        let failed = |error: io::Error| FileError::io(target, error);
        let absolute = std::path::absolute(target).map_err(failed)?;
        let (Some(name), Some(parent)) = (absolute.file_name(), absolute.parent()) else {
            return Err(FileError::NotEmpty { path: target.to_owned() });
        };
        let is_directory = match std::fs::metadata(&absolute) {
            Ok(found) if found.is_dir() => true,
            Ok(_) => return Err(FileError::NotADirectory { path: target.to_owned(), kind: Kind::File }),
            Err(_) if absolute.is_symlink() => return Err(FileError::Dangling { path: target.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(failed(error)),
        };
        if is_directory {
            let has_left = is_empty_but_for_workspace(&absolute, target).inspect_err(|_| {
                // A process that was killed just after it had put the directory here has left its workspace.
                Place::in_directory(parent, name, target).iter().for_each(Place::clear_left);
            })?;
            if has_left || !can_be_replaced(&absolute, parent) {
                return Self::inside(&absolute, target);
            }
        } else {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        match Self::beside(parent, name, target) {
            Err(FileError::Io { source, .. }) if is_directory && is_refusal(&source) => Self::inside(&absolute, target),
            other => other,
        }
    }

    /// Like [`Self::begin`], for a directory that may have something in it: it stays as it is until [`Self::finish`],
    /// which exchanges it for the new one and removes it. The caller knows that its content belongs to this program
    /// alone.
    ///
    /// # Errors
    /// The errors of [`Self::begin`]; [`FileError::CannotExchange`] for a directory that cannot be moved from its
    /// place: a link, a volume, the current directory.
    pub fn begin_anew(target: &Path) -> Result<Self, FileError> {
        let absolute = std::path::absolute(target).map_err(|error| FileError::io(target, error))?;
        let (Some(name), Some(parent)) = (absolute.file_name(), absolute.parent()) else {
            return Err(FileError::NotEmpty { path: target.to_owned() });
        };
        if !is_full(&absolute) {
            match Self::begin(target) {
                // Another process has filled it just now.
                Err(FileError::NotEmpty { .. }) => {}
                begun => {
                    return begun.map(|mut new| {
                        new.exchanges = new.place.is_some() && is_full(&absolute);
                        new
                    });
                }
            }
        }
        if !can_be_replaced(&absolute, parent) {
            // Entries that a killed process was moving into it are no obstacle.
            return Self::begin(target).map_err(|error| match error {
                FileError::NotEmpty { path } => FileError::CannotExchange { path },
                error => error,
            });
        }
        let mut new = Self::beside(parent, name, target)?;
        // Under the lock: the old content may be gone.
        new.exchanges = is_full(&absolute);
        Ok(new)
    }

    /// In a workspace beside the target.
    fn beside(parent: &Path, name: &OsStr, target: &Path) -> Result<Self, FileError> {
        let place = Place::in_directory(parent, name, target)?;
        let shared = Shared::begin_in_turn(target, || {
            Workspace::claim(place.parent(), place.parent_path(), place.workspace(), target)
        })?;
        Self::start(shared, Some(place), target)
    }

    /// In a workspace in the target.
    fn inside(absolute: &Path, target: &Path) -> Result<Self, FileError> {
        let failed = |error: Errno| FileError::io(target, error);
        let path = std::fs::canonicalize(absolute).map_err(|error| FileError::io(target, error))?;
        let directory = system::open_directory(&path).map_err(failed)?;
        let shared = Shared::begin_in_turn(target, || {
            let workspace = Workspace::claim(directory.as_fd(), &path, INSIDE.into(), target)?;
            if let Some(moved) = Moving::read(workspace.directory()).map_err(failed)? {
                moved.undo(directory.as_fd()).map_err(failed)?;
                Moving::done(workspace.directory()).map_err(failed)?;
            }
            Ok(workspace)
        })?;
        if system::names(&directory).map_err(failed)?.iter().any(|it| it != INSIDE) {
            // Another process was faster.
            shared.end();
            return Err(FileError::NotEmpty { path: target.to_owned() });
        }
        Self::start(shared, None, target)
    }

    fn start(shared: Arc<Shared>, place: Option<Place>, target: &Path) -> Result<Self, FileError> {
        let made = shared.fill(|workspace| {
            workspace.empty()?;
            rustix::fs::mkdirat(workspace.directory(), FILES, Mode::from_raw_mode(0o777))?;
            system::open_subdirectory(workspace.directory(), OsStr::new(FILES))
        });
        let files = match made {
            Ok(files) => files,
            Err(error) => {
                shared.end();
                return Err(error);
            }
        };
        Ok(Self {
            place,
            target: target.to_owned(),
            shared,
            files,
            open: None,
            n_files: 0,
            syncing: None,
            exchanges: false,
        })
    }

    /// Writes on in a file of the directory, given by its path below it; parts of one file follow each other.
    ///
    /// # Errors
    /// [`FileError::Interrupted`] if the write was given up meanwhile; [`FileError::Io`].
    pub fn write(&mut self, relative: &Path, text: &[u8]) -> Result<(), FileError> {
        let shown = self.target.join(relative);
        let failed = |error: io::Error| FileError::io(&shown, error);
        if self.open.as_ref().is_none_or(|(path, _)| path != relative) {
            self.close();
            // Nothing is made in a workspace that is being removed.
            let _stage = self.shared.hold()?;
            let file = self.open_or_create(relative).map_err(|error| failed(error.into()))?;
            self.open = Some((relative.to_owned(), file));
            self.n_files += 1;
        }
        match &mut self.open {
            Some((_, file)) => file.write_all(text).map_err(failed),
            None => Ok(()),
        }
    }

    fn open_or_create(&self, relative: &Path) -> Result<File, Errno> {
        let mut above = PathBuf::new();
        for part in relative.parent().unwrap_or(Path::new("")).components() {
            match part {
                Component::Normal(name) => above.push(name),
                Component::CurDir => continue,
                _ => return Err(Errno::INVAL),
            }
            match rustix::fs::mkdirat(&self.files, &above, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
        }
        use rustix::fs::OFlags;
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.files, relative, flags, Mode::from_raw_mode(0o666)).map(File::from)
    }

    fn close(&mut self) {
        let Some((_, file)) = self.open.take() else { return };
        // The thread is gone if a file could not be flushed to disk; the end says so.
        let _ = self.syncing.get_or_insert_with(Syncing::start).files.send(file);
    }

    /// Puts the directory at its place. Returns the number of files in it.
    ///
    /// # Errors
    /// [`FileError::Interrupted`] if the write was abandoned meanwhile, [`FileError::NotEmpty`] if the target got a
    /// content meanwhile, [`FileError::Reserved`], [`FileError::Io`].
    pub fn finish(mut self) -> Result<usize, FileError> {
        self.close();
        if let Some(syncing) = self.syncing.take() {
            syncing.finish().map_err(|error| FileError::io(&self.target, error))?;
        }
        match &self.place {
            Some(place) => self.replace(place)?,
            None => self.move_up()?,
        }
        Ok(self.n_files)
    }

    /// Renames the new directory to the target.
    fn replace(&self, place: &Place) -> Result<(), FileError> {
        let failed = |error: Errno| FileError::io(&self.target, error);
        if let Some(old) = place.found()?.filter(|it| system::kind(it) == Kind::Directory) {
            rustix::fs::fchmod(&self.files, system::permissions(&old)).map_err(failed)?;
        }
        let mut stage = self.shared.hold()?;
        let workspace = self.shared.workspace.directory();
        // An empty directory is replaced by the rename. One that is exchanged lies in the workspace then, and goes with
        // it.
        let renamed = if self.exchanges {
            system::exchange(workspace, OsStr::new(FILES), place.parent(), place.name())
        } else {
            rustix::fs::renameat(workspace, FILES, place.parent(), place.name())
        };
        match renamed {
            Ok(()) => {}
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if self.exchanges => {
                return Err(FileError::CannotExchange { path: self.target.clone() });
            }
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {
                return Err(FileError::NotEmpty { path: self.target.clone() });
            }
            Err(error) => return Err(failed(error)),
        }
        *stage = Stage::Placed;
        drop(stage);
        place.sync();
        Ok(())
    }

    /// Moves everything up into the target.
    fn move_up(&self) -> Result<(), FileError> {
        let failed = |error: Errno| FileError::io(&self.target, error);
        let workspace = &self.shared.workspace;
        let target = system::open_directory(workspace.path().parent().unwrap_or(Path::new("/"))).map_err(failed)?;
        let moving = Moving::of(self.files.as_fd()).map_err(failed)?;
        if moving.names().any(|it| it == INSIDE) {
            return Err(FileError::Reserved { path: self.target.clone(), name: INSIDE.to_owned() });
        }
        let mut stage = self.shared.hold()?;
        moving.write(workspace.directory()).map_err(failed)?;
        if let Err(error) = moving.run(self.files.as_fd(), target.as_fd()) {
            // A part of a catalog must not stay. Entries that cannot be removed either are in the list.
            if moving.undo(target.as_fd()).is_err() {
                *stage = Stage::Stuck;
            }
            return Err(failed(error));
        }
        // From here on everything is in place. The list is removed first, so that nobody removes the entries again.
        if let Err(error) = Moving::done(workspace.directory()) {
            *stage = Stage::Stuck;
            return Err(failed(error));
        }
        *stage = Stage::Placed;
        drop(stage);
        let _ = rustix::fs::fsync(&target);
        Ok(())
    }
}

impl Drop for NewDirectory {
    fn drop(&mut self) {
        self.shared.end();
    }
}

/// Whether a directory has a workspace in it, and nothing else except entries that were being moved when its process
/// was killed.
fn is_empty_but_for_workspace(directory: &Path, target: &Path) -> Result<bool, FileError> {
    let failed = |error: Errno| FileError::io(target, error);
    let opened = system::open_directory(directory).map_err(failed)?;
    let names = system::names(&opened).map_err(failed)?;
    if names.is_empty() {
        return Ok(false);
    }
    let not_empty = || FileError::NotEmpty { path: target.to_owned() };
    if !names.iter().any(|it| it == INSIDE) {
        return Err(not_empty());
    }
    // Anybody may have made the list, but here it only decides which error is reported; the decision about removal is
    // made under the lock.
    let moved = match system::open_subdirectory(opened.as_fd(), OsStr::new(INSIDE)) {
        Ok(workspace) => Moving::read(workspace.as_fd()).ok().flatten(),
        Err(_) => None,
    };
    let is_finished = moved.is_none();
    let moved = moved.unwrap_or_default();
    let has_others = names.iter().any(|it| it != INSIDE && !moved.names().any(|moved| moved == it));
    if !has_others {
        return Ok(true);
    }
    if is_finished && let Some(left) = Workspace::take_over(opened.as_fd(), directory, OsStr::new(INSIDE)) {
        left.remove();
    }
    Err(not_empty())
}

/// Whether a directory has more in it than a workspace.
fn is_full(directory: &Path) -> bool {
    let is_other = |it: io::Result<std::fs::DirEntry>| it.is_ok_and(|it| it.file_name() != INSIDE);
    std::fs::read_dir(directory).is_ok_and(|mut it| it.any(is_other))
}

/// Whether an empty directory can be replaced by a rename.
fn can_be_replaced(directory: &Path, parent: &Path) -> bool {
    let is_current = match (std::fs::canonicalize("."), std::fs::canonicalize(directory)) {
        (Ok(current), Ok(directory)) => current.starts_with(directory),
        _ => true,
    };
    let is_on_one_device =
        matches!((std::fs::metadata(directory), std::fs::metadata(parent)), (Ok(a), Ok(b)) if a.dev() == b.dev());
    !is_current && !directory.is_symlink() && is_on_one_device
}

/// Whether the system does not let this user make something beside a directory.
fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::file::InTheWay;

    #[test]
    fn what_was_left_beside_a_finished_directory_is_removed_by_the_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let (target, left) = (folder.path().join("out"), folder.path().join(".out.olmdex"));
        std::fs::create_dir(&target).unwrap();
        std::fs::write(target.join("catalog.json"), "{}").unwrap();
        std::fs::create_dir(&left).unwrap();
        std::fs::set_permissions(&left, std::fs::Permissions::from_mode(0o700)).unwrap();
        std::fs::write(left.join(".indexignore"), "").unwrap();
        let inode = |path: &Path| std::fs::metadata(path).unwrap().ino();
        let marker =
            format!("*\n# olmdex: unfinished output, {} {}\n", inode(&left), inode(&left.join(".indexignore")));
        std::fs::write(left.join(".indexignore"), marker).unwrap();
        std::fs::write(left.join(".indexignore"), "*\n").unwrap();
        let error = NewDirectory::begin(&target).unwrap_err();
        assert!(matches!(error, FileError::NotEmpty { .. }), "{error}");
        assert!(!left.exists());
        assert!(target.join("catalog.json").exists());
    }

    #[test]
    fn a_list_of_somebody_elses_removes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        std::fs::create_dir_all(target.join(INSIDE)).unwrap();
        std::fs::write(target.join("precious"), "text").unwrap();
        let found = std::fs::metadata(target.join("precious")).unwrap();
        std::fs::write(target.join(INSIDE).join("moving"), format!("{:016x}precious\0", found.ino())).unwrap();
        std::fs::write(target.join(INSIDE).join(".indexignore"), "*\n# olmdex: unfinished output, 1 2\n").unwrap();
        let error = NewDirectory::begin(&target).unwrap_err();
        assert!(matches!(error, FileError::InTheWay { what: InTheWay::NotOurs, .. }), "{error}");
        assert_eq!(std::fs::read_to_string(target.join("precious")).unwrap(), "text");
    }

    #[test]
    fn a_full_directory_is_exchanged_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        std::fs::create_dir_all(target.join("old")).unwrap();
        std::fs::write(target.join("old/file"), "old").unwrap();
        assert!(matches!(NewDirectory::begin(&target), Err(FileError::NotEmpty { .. })));
        let mut given_up = NewDirectory::begin_anew(&target).unwrap();
        given_up.write(Path::new("new/file"), b"new").unwrap();
        drop(given_up);
        assert!(target.join("old/file").exists() && !target.join("new").exists());
        let mut new = NewDirectory::begin_anew(&target).unwrap();
        new.write(Path::new("new/file"), b"new").unwrap();
        assert_eq!(new.finish().unwrap(), 1);
        assert_eq!(std::fs::read_to_string(target.join("new/file")).unwrap(), "new");
        assert!(!target.join("old").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something was left");
        std::os::unix::fs::symlink("out", folder.path().join("link")).unwrap();
        let error = NewDirectory::begin_anew(&folder.path().join("link")).unwrap_err();
        assert!(matches!(error, FileError::CannotExchange { .. }), "{error}");
    }
}
