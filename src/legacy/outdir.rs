//! The directory that a migration writes: filled beside its place under another name, then renamed, so that it is there
//! whole or not at all.
//!
//! The temporary directory has a fixed name, `.<target>.olmdex-migrate`, and is locked while it is filled. One that
//! nobody has locked was left by a process that was killed, and is emptied. Where an empty target cannot be replaced (a
//! mounted volume, the current directory, a parent without rights) it is filled inside the target instead, and what it
//! holds is moved up at the end, entry by entry. There it lies in a directory that hides what it holds from readers of
//! catalogs, beside a list of what is being moved: if the process is killed meanwhile, the next one removes what the list
//! names and begins anew.
//!
//! What it deliberately does not do: it never writes into a directory that has something in it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::error::LegacyError;
use crate::version::Quoted;

/// The name of the temporary directory in a target that cannot be replaced.
const INSIDE: &str = ".olmdex-migrate";

/// Names in that directory: what is to be moved up, and the list of it while it is.
const FILES: &str = "files";
const MOVING: &str = "moving";

/// A directory that is being filled.
#[derive(Debug)]
pub struct OutDir {
    target: PathBuf,
    temporary: PathBuf,
    /// Where the files go: the temporary directory, or a directory in it.
    files: PathBuf,
    /// Whether the temporary directory is in the target.
    is_inside: bool,
    /// Holds the lock.
    handle: File,
    /// The file that is being written, with its path below the directory.
    open: Option<(PathBuf, File)>,
    n_files: usize,
    syncing: Option<Syncing>,
    is_done: bool,
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
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("a file could not be brought to the disk")))
    }
}

impl OutDir {
    /// Starts a directory. The target must not exist, or be an empty directory.
    ///
    /// # Errors
    /// [`LegacyError::Target`] if it is anything else, or if another process fills it; [`LegacyError::Write`].
    pub fn create(target: &Path) -> Result<Self, LegacyError> {
        let failed = |error: io::Error| LegacyError::write(target, error);
        let moved = being_moved(target);
        match fs::read_dir(target) {
            Ok(mut entries) => {
                let is_left = |name: &OsString| name == INSIDE || moved.contains(name);
                if !entries.all(|it| it.is_ok_and(|it| is_left(&it.file_name()))) {
                    remove_done(target);
                    let shown = target.to_string_lossy().into_owned();
                    return Err(LegacyError::Target(format!("output dir {} must be empty", Quoted(&shown))));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let absolute = std::path::absolute(target).map_err(failed)?;
        let Some(name) = absolute.file_name() else {
            return Err(LegacyError::Target(format!("`{}` cannot be written to", target.display())));
        };
        let parent = absolute.parent().unwrap_or(&absolute);
        fs::create_dir_all(parent).map_err(failed)?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".olmdex-migrate");
        let create = |path: &Path| match fs::create_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        };
        let mut temporary = parent.join(hidden);
        // A target in which something was left is not empty, so it cannot be replaced.
        let can_be_replaced = |it: &Path| !it.join(INSIDE).exists() && can_be_replaced(it, parent);
        let is_inside = absolute.is_dir() && (!can_be_replaced(&absolute) || create(&temporary).is_err());
        if is_inside {
            temporary = absolute.join(INSIDE);
        }
        create(&temporary).map_err(failed)?;
        let handle = File::open(&temporary).map_err(failed)?;
        match handle.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LegacyError::Target(format!("another process writes `{}`", target.display())));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        for name in &moved {
            remove(&absolute.join(name)).map_err(failed)?;
        }
        for entry in fs::read_dir(&temporary).map_err(failed)? {
            remove(&entry.map_err(failed)?.path()).map_err(failed)?;
        }
        let mut files = temporary.clone();
        if is_inside {
            fs::write(temporary.join(".indexignore"), "*\n").map_err(failed)?;
            files.push(FILES);
            fs::create_dir(&files).map_err(failed)?;
        }
        let (open, n_files, syncing, is_done) = (None, 0, None, false);
        Ok(Self { target: absolute, temporary, files, is_inside, handle, open, n_files, syncing, is_done })
    }

    /// The temporary directory, which whoever ends the process early may remove.
    #[must_use]
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Writes on in a file of the directory, given by its path below it; parts of one file follow each other.
    ///
    /// # Errors
    /// [`LegacyError::Write`].
    pub fn write(&mut self, relative: &Path, text: &[u8]) -> Result<(), LegacyError> {
        let shown = self.target.join(relative);
        let failed = |error: io::Error| LegacyError::write(&shown, error);
        if self.open.as_ref().is_none_or(|(path, _)| path != relative) {
            self.close().map_err(failed)?;
            let path = self.files.join(relative);
            if let Some(directory) = path.parent() {
                fs::create_dir_all(directory).map_err(failed)?;
            }
            self.open =
                Some((relative.to_owned(), File::options().append(true).create(true).open(path).map_err(failed)?));
            self.n_files += 1;
        }
        match &mut self.open {
            Some((_, file)) => file.write_all(text).map_err(failed),
            None => Ok(()),
        }
    }

    fn close(&mut self) -> io::Result<()> {
        let Some((_, file)) = self.open.take() else { return Ok(()) };
        // The thread is gone if a file could not be brought to the disk; the end says so.
        let _ = self.syncing.get_or_insert_with(Syncing::start).files.send(file);
        Ok(())
    }

    /// Puts the directory at its place. Gives the number of files in it.
    ///
    /// # Errors
    /// [`LegacyError::Write`].
    pub fn finish(mut self) -> Result<usize, LegacyError> {
        let target = self.target.clone();
        let failed = |error: io::Error| LegacyError::write(&target, error);
        self.close().map_err(failed)?;
        if let Some(syncing) = self.syncing.take() {
            syncing.finish().map_err(failed)?;
        }
        let failed = |error: io::Error| LegacyError::write(&self.target, error);
        if self.is_inside {
            let names: Vec<OsString> = fs::read_dir(&self.files)
                .and_then(|entries| entries.map(|it| it.map(|it| it.file_name())).collect())
                .map_err(failed)?;
            let list: Vec<&[u8]> = names.iter().map(|it| it.as_encoded_bytes()).collect();
            // No name has a zero in it.
            fs::write(self.temporary.join(MOVING), list.join(&0)).map_err(failed)?;
            let moved = names.iter().try_for_each(|it| fs::rename(self.files.join(it), self.target.join(it)));
            if let Err(error) = moved {
                // A part of a catalog must not stay. What cannot be removed either is in the list.
                names.iter().for_each(|it| drop(remove(&self.target.join(it))));
                return Err(failed(error));
            }
            // From here on all is there; the list goes first, so that nobody removes it again.
            fs::remove_file(self.temporary.join(MOVING)).map_err(failed)?;
            self.is_done = true;
            fs::remove_dir_all(&self.temporary).map_err(failed)?;
            return Ok(self.n_files);
        }
        // An empty directory is replaced by the rename.
        match fs::remove_dir(&self.target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        fs::rename(&self.temporary, &self.target).map_err(failed)?;
        self.is_done = true;
        // Some file systems cannot do this; then only a crash of the system could undo the rename.
        let _ = self.target.parent().map(File::open).and_then(Result::ok).map(|it| it.sync_all());
        Ok(self.n_files)
    }
}

/// The names in a target that a process was moving there when it was killed.
fn being_moved(target: &Path) -> BTreeSet<OsString> {
    let list = fs::read(target.join(INSIDE).join(MOVING)).unwrap_or_default();
    let names = list.split(|byte| *byte == 0).map(|it| OsString::from(String::from_utf8_lossy(it).into_owned()));
    // Whoever wrote the list, nothing but what is in the target is removed.
    let is_in_target = |name: &OsString| {
        let mut parts = Path::new(name).components();
        matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
    };
    names.filter(is_in_target).collect()
}

/// Removes the temporary directory in a target that a process filled, and was killed just before it could do so itself.
/// Nothing can be done if it stays.
fn remove_done(target: &Path) {
    let left = target.join(INSIDE);
    let is_left = File::open(&left).is_ok_and(|it| it.try_lock().is_ok()) && !left.join(MOVING).exists();
    if is_left {
        let _ = fs::remove_dir_all(left);
    }
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether an empty directory can be removed and another one put at its place.
fn can_be_replaced(directory: &Path, parent: &Path) -> bool {
    let is_current = match (fs::canonicalize("."), fs::canonicalize(directory)) {
        (Ok(current), Ok(directory)) => current.starts_with(directory),
        _ => true,
    };
    let is_link = fs::symlink_metadata(directory).is_ok_and(|it| it.is_symlink());
    !is_current && !is_link && is_on_one_device(directory, parent)
}

#[cfg(unix)]
fn is_on_one_device(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    matches!((fs::metadata(a), fs::metadata(b)), (Ok(a), Ok(b)) if a.dev() == b.dev())
}

#[cfg(not(unix))]
fn is_on_one_device(_: &Path, _: &Path) -> bool {
    true
}

impl Drop for OutDir {
    fn drop(&mut self) {
        if !self.is_done {
            // What stays is emptied by the next one that wants to write here.
            let _ = fs::remove_dir_all(&self.temporary);
        }
        let _ = self.handle.unlock();
    }
}

/// The path of a package's file below the directory, as the real tool lays catalogs out.
///
/// # Errors
/// [`LegacyError::Refused`] if the name of the package would lead out of the directory.
pub fn package_file(package: &str, extension: &str) -> Result<PathBuf, LegacyError> {
    let mut depth = 0_usize;
    let mut is_local = !package.is_empty();
    for part in Path::new(package).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => is_local = false,
        }
    }
    if !is_local || package.contains('\0') {
        let text = format!("invalid package name {}: must be a single local path element", Quoted(package));
        return Err(LegacyError::Refused { text });
    }
    Ok(Path::new(package).join(format!("catalog.{extension}")))
}
