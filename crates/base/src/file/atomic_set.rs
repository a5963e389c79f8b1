//! Several files, replaced as one: if the process is killed between two of them, the next write finishes the rest.
//!
//! All new files are on the disk before the first is renamed, and the workspace of the last one lists them, with the
//! files that they replace. Between the kill and the next write, a reader sees some of the files new and some old; no
//! file system can do better.
//!
//! For safety, this module deliberately leaves a file as it is if somebody has changed it since.

use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

use super::error::FileError;
use super::interrupted_writes::Stage;
use super::place::Place;
use super::replace::{NEW, Replacement};
use super::system::{self, Identity};
use super::workspace::Workspace;

/// The name of the list in its workspace.
const LIST: &str = "together";

/// Puts all of the files at their places, durably.
///
/// # Errors
/// The errors of [`Replacement::finish`]; no file has changed then. The exception is a system that refuses to rename
/// one after it has renamed others: then the next [`finish_left`] does the rest.
pub fn finish_together(files: Vec<Replacement>) -> Result<(), FileError> {
    if files.len() < 2 {
        return files.into_iter().try_for_each(Replacement::finish);
    }
    for file in &files {
        file.settle()?;
    }
    let Some(last) = files.last() else { return Ok(()) };
    let failed = |error: Errno| FileError::io(last.place().shown(), error);
    let records: Vec<ReplacementRecord> = files.iter().map(ReplacementRecord::of).collect::<Result<_, _>>()?;
    // A signal waits until all are placed.
    let mut stages = files.iter().map(Replacement::hold).collect::<Result<Vec<_>, _>>()?;
    write_list(last.workspace(), &records).map_err(failed)?;
    for (at, file) in files.iter().enumerate() {
        if let Err(error) = file.rename() {
            if at > 0 {
                stages.iter_mut().for_each(|it| **it = Stage::Stuck);
            }
            return Err(error);
        }
    }
    stages.iter_mut().for_each(|it| **it = Stage::Placed);
    drop(stages);
    files.iter().for_each(|it| it.place().sync());
    // The list goes last.
    files.into_iter().for_each(drop);
    Ok(())
}

/// Finishes the write that a killed process has left half-done among these files, and removes its remains beside them.
pub fn finish_left<'a>(targets: impl Iterator<Item = &'a Path> + Clone) {
    let left = |place: &Place| Workspace::take_over(place.parent(), place.parent_path(), &place.workspace());
    // They are taken one after the other: there may be more of them than files may be open.
    for place in targets.clone().filter_map(|it| Place::of_file(it).ok()) {
        let Some(workspace) = left(&place) else { continue };
        for record in read_list(workspace.directory()) {
            let Ok(other) = Place::of_file(&record.path) else { continue };
            // Its own workspace is locked by now, since this process has it.
            if other.path() == place.path() {
                record.place(workspace.directory(), &other);
            } else if let Some(of_other) = left(&other) {
                record.place(of_other.directory(), &other);
                of_other.remove();
            }
        }
        // Those without a list may belong to one that is met later.
        if has_list(workspace.directory()) {
            workspace.remove();
        }
    }
    for place in targets.filter_map(|it| Place::of_file(it).ok()) {
        left(&place).iter().for_each(Workspace::remove);
    }
}

/// Lets this process have as many files open as this user may have: replacing some hundred at once takes five each, and
/// each connection of a server takes one. Returns how many these are.
pub fn allow_many_files() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // If the limit cannot be raised, the code that needs more files reports an error.
    let _ = setrlimit(Resource::Nofile, rustix::process::Rlimit { current: limit.maximum, ..limit });
    // Without a limit there is nothing to obey.
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX))
}

/// A file of the list.
struct ReplacementRecord {
    path: PathBuf,
    /// The inode of the new file.
    new: u64,
    /// The old content, as words; empty if there was none.
    old: String,
}

impl ReplacementRecord {
    fn of(file: &Replacement) -> Result<Self, FileError> {
        let place = file.place();
        let failed = |error: Errno| FileError::io(place.shown(), error);
        let new = system::entry(file.workspace(), OsStr::new(NEW)).map_err(failed)?;
        let new = new.map_or(0, |it| Identity::of(&it).inode);
        let old = place.file()?.as_ref().map(in_words).unwrap_or_default();
        Ok(Self { path: place.path().to_owned(), new, old })
    }

    /// Renames the new file to its place, if both are the same files as when the list was made.
    fn place(&self, workspace: BorrowedFd<'_>, place: &Place) {
        let is_new =
            matches!(system::entry(workspace, OsStr::new(NEW)), Ok(Some(it)) if Identity::of(&it).inode == self.new);
        let is_old = place.file().is_ok_and(|it| it.as_ref().map(in_words).unwrap_or_default() == self.old);
        if is_new && is_old && rustix::fs::renameat(workspace, NEW, place.parent(), place.name()).is_ok() {
            place.sync();
        }
    }
}

/// The identity of a file, and its last change, as far as an editor's change shows.
fn in_words(stat: &Stat) -> String {
    let inode = Identity::of(stat).inode;
    format!("{inode} {} {} {}", stat.st_size, stat.st_mtime, stat.st_mtime_nsec)
}

fn write_list(workspace: BorrowedFd<'_>, records: &[ReplacementRecord]) -> Result<(), Errno> {
    let mut text = Vec::new();
    for it in records {
        text.extend_from_slice(format!("{}\0{}\0", it.new, it.old).as_bytes());
        text.extend_from_slice(it.path.as_os_str().as_bytes());
        text.push(0);
    }
    // Without an end it is not a list: no file has been renamed then.
    text.push(b'.');
    let in_system = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let mut file = system::create_file(workspace, Path::new(LIST))?;
    file.write_all(&text).and_then(|()| file.sync_all()).map_err(in_system)?;
    let _ = rustix::fs::fsync(workspace);
    Ok(())
}

fn has_list(workspace: BorrowedFd<'_>) -> bool {
    matches!(system::entry(workspace, OsStr::new(LIST)), Ok(Some(_)))
}

fn read_list(workspace: BorrowedFd<'_>) -> Vec<ReplacementRecord> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::openat(workspace.as_fd(), LIST, flags, Mode::empty()) else { return Vec::new() };
    let mut text = Vec::new();
    if std::fs::File::from(file).read_to_end(&mut text).is_err() {
        return Vec::new();
    }
    // No path has a zero in it.
    let Some(parts) = text.strip_suffix(b"\0.") else { return Vec::new() };
    let parts: Vec<&[u8]> = parts.split(|it| *it == 0).collect();
    let records = parts.chunks_exact(3).filter_map(|it| {
        Some(ReplacementRecord {
            new: std::str::from_utf8(it[0]).ok()?.parse().ok()?,
            old: String::from_utf8(it[1].to_vec()).ok()?,
            path: PathBuf::from(OsString::from_vec(it[2].to_vec())),
        })
    });
    records.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three files to be changed, prepared, with the list written and the first renamed, as a kill would leave it.
    fn killed_after_the_first(root: &Path) -> Vec<PathBuf> {
        let paths: Vec<PathBuf> = ["a", "b", "c"].iter().map(|it| root.join(it)).collect();
        let mut files = Vec::new();
        for path in &paths {
            std::fs::write(path, "old").unwrap();
            let mut file = Replacement::begin(path).unwrap();
            file.file().write_all(b"new").unwrap();
            files.push(file);
        }
        let records: Vec<ReplacementRecord> = files.iter().map(|it| ReplacementRecord::of(it).unwrap()).collect();
        write_list(files[2].workspace(), &records).unwrap();
        files[0].rename().unwrap();
        for file in files {
            *file.hold().unwrap() = Stage::Stuck;
        }
        paths
    }

    fn texts(paths: &[PathBuf]) -> Vec<String> {
        paths.iter().map(|it| std::fs::read_to_string(it).unwrap()).collect()
    }

    #[test]
    fn what_a_kill_left_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let paths = killed_after_the_first(folder.path());
        assert_eq!(texts(&paths), ["new", "old", "old"]);
        finish_left(paths.iter().map(PathBuf::as_path));
        assert_eq!(texts(&paths), ["new", "new", "new"]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "something was left");
    }

    #[test]
    fn what_was_changed_since_stays() {
        let folder = tempfile::tempdir().unwrap();
        let paths = killed_after_the_first(folder.path());
        std::fs::write(&paths[1], "mine").unwrap();
        finish_left(paths.iter().map(PathBuf::as_path));
        assert_eq!(texts(&paths), ["new", "mine", "new"]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "something was left");
    }

    #[test]
    fn half_a_list_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let paths = killed_after_the_first(folder.path());
        let list = folder.path().join(".c.olmdex").join(LIST);
        let text = std::fs::read(&list).unwrap();
        std::fs::write(&list, &text[..text.len() - 1]).unwrap();
        finish_left(paths.iter().map(PathBuf::as_path));
        assert_eq!(texts(&paths), ["new", "old", "old"]);
    }

    #[test]
    fn all_are_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = ["a", "b"].iter().map(|it| folder.path().join(it)).collect();
        let begin = |text: &[u8]| -> Vec<Replacement> {
            let begun = paths.iter().map(|it| {
                let mut file = Replacement::begin(it).unwrap();
                file.file().write_all(text).unwrap();
                file
            });
            begun.collect()
        };
        finish_together(begin(b"one")).unwrap();
        assert_eq!(texts(&paths), ["one", "one"]);
        let files = begin(b"two");
        std::fs::remove_file(folder.path().join(".b.olmdex").join(NEW)).unwrap();
        finish_together(files).unwrap_err();
        assert_eq!(texts(&paths), ["one", "one"]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "something was left");
    }
}
