//! A private directory for the time of a command.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::error::{FileError, InTheWay};
use super::interrupted_writes::Shared;
use super::regular::open_regular;
use super::system;
use super::workspace::Workspace;

/// The prefix of the directories' names.
const PREFIX: &str = "olmdex-";

/// A directory that only this user can look into, and that is removed with the value. One that a killed process has
/// left is removed when the next one is made at the same place.
#[derive(Debug)]
pub struct Scratch {
    shared: Arc<Shared>,
}

impl Scratch {
    /// Makes a directory below `parent`.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn make(parent: &Path) -> Result<Self, FileError> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let failed = |error: io::Error| FileError::io(parent, error);
        let parent = std::fs::canonicalize(parent).map_err(failed)?;
        let directory = system::open_directory(&parent).map_err(|error| failed(error.into()))?;
        remove_left(&directory, &parent);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!("{PREFIX}{}-{number}", std::process::id()));
            // An existing one is not ours, whatever it is.
            if system::entry(directory.as_fd(), &name).map_err(|error| failed(error.into()))?.is_some() {
                continue;
            }
            match Shared::begin(&parent, || Workspace::claim(directory.as_fd(), &parent, name, &parent)) {
                Ok(shared) => return Ok(Self { shared }),
                Err(FileError::Busy { .. } | FileError::InTheWay { what: InTheWay::NotOurs, .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The directory, without links.
    pub fn path(&self) -> &Path {
        self.shared.workspace.path()
    }

    /// Makes a file in the directory, readable and writable for this user alone.
    ///
    /// # Errors
    /// An error of the system.
    pub fn create(&self, name: &str) -> io::Result<std::fs::File> {
        let made = self.shared.fill(|workspace| system::create_file(workspace.directory(), Path::new(name)));
        made.map_err(|error| match error {
            FileError::Io { source, .. } => source,
            error => io::Error::other(error),
        })
    }

    /// Copies a regular file into the directory, readable and writable for this user alone.
    ///
    /// # Errors
    /// Those of reading it ([`open_regular`]) and writing it.
    pub fn copy(&self, from: &Path, name: &str) -> io::Result<()> {
        let mut from = open_regular(from)?;
        let mut to = self.create(name)?;
        io::copy(&mut from, &mut to).map(drop)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.shared.end();
    }
}

/// Removes directories that killed processes have left. A directory that cannot be removed stays.
fn remove_left(directory: &impl std::os::fd::AsFd, path: &Path) {
    for name in system::names(directory).unwrap_or_default() {
        if is_name(&name)
            && let Some(left) = Workspace::take_over(directory.as_fd(), path, &name)
        {
            left.remove();
        }
    }
}

fn is_name(name: &OsStr) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = name.to_str().and_then(|it| it.strip_prefix(PREFIX)).and_then(|it| it.split_once('-'));
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}
