//! Refuses repositories with pipes, sockets and devices where git would open a file: it would wait for a writer, or
//! read without an end.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::GitError;
use super::program::settings_of;
use olmdex_base::file::{Kind, kind_of, read_regular_of};

/// How many entries of a repository are looked at. A larger one is read all the same: git has a time limit.
const MAX_ENTRIES: usize = 1_000_000;

/// How deep files of settings may include each other, as in git.
const MAX_INCLUDES: usize = 10;

/// How many bytes a file that names a directory may have.
const MAX_POINTER: u64 = 64 << 10;

/// A socket of git itself, which nothing opens as a file.
const OF_GIT: &str = "fsmonitor--daemon.ipc";

/// Refuses a repository that git would find from a path, if it has a special file.
pub(super) fn refuse_special_files(path: &Path) -> Result<(), GitError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Some(mut open) = real.ancestors().find_map(|it| directories(it).transpose()).transpose()? else {
        // Git says that there is no repository.
        return Ok(());
    };
    let (mut n_entries, mut at) = (0, 0);
    while let Some(directory) = open.get(at).cloned() {
        at += 1;
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.filter_map(Result::ok) {
            n_entries += 1;
            if n_entries > MAX_ENTRIES {
                return Ok(());
            }
            // Git goes through links to files.
            match kind_of(&entry.path()) {
                Some(Kind::Directory) if entry.file_type().is_ok_and(|it| it.is_dir()) => open.push(entry.path()),
                Some(Kind::File | Kind::Directory) | None => {}
                Some(Kind::Socket) if entry.file_name() == OF_GIT => {}
                Some(kind) => return Err(GitError::Special { path: entry.path(), kind }),
            }
        }
    }
    for name in ["config", "config.worktree"] {
        open.iter().try_for_each(|directory| follow_includes(&directory.join(name), 0))?;
    }
    Ok(())
}

/// The directories of the repository at a path; `None` if there is none.
fn directories(path: &Path) -> Result<Option<Vec<PathBuf>>, GitError> {
    let inside = path.join(".git");
    let found = match kind_of(&inside) {
        Some(Kind::Directory) => inside,
        Some(Kind::File) => match pointed(&inside, b"gitdir:") {
            Some(directory) => directory,
            None => return Ok(None),
        },
        Some(kind) => return Err(GitError::Special { path: inside, kind }),
        None if path.join("objects").is_dir() && path.join("refs").is_dir() => path.to_owned(),
        None => return Ok(None),
    };
    let common = found.join("commondir");
    let common = if kind_of(&common) == Some(Kind::File) { pointed(&common, b"") } else { None };
    Ok(Some(std::iter::once(found).chain(common).collect()))
}

/// The path that a file names after some words, relative to its own directory.
fn pointed(file: &Path, words: &[u8]) -> Option<PathBuf> {
    let text = read_regular_of(file, MAX_POINTER).ok()?;
    let name = text.strip_prefix(words)?.trim_ascii();
    Some(file.parent()?.join(OsStr::from_bytes(name)))
}

/// Refuses a file of settings that includes a special file.
fn follow_includes(file: &Path, depth: usize) -> Result<(), GitError> {
    match kind_of(file) {
        None => return Ok(()),
        Some(Kind::File) if depth < MAX_INCLUDES => {}
        Some(Kind::File | Kind::Directory) => return Ok(()),
        Some(kind) => return Err(GitError::Special { path: file.to_owned(), kind }),
    }
    for path in settings_of(file, r"^include(if\..*)?\.path$")? {
        let named = Path::new(OsStr::from_bytes(&path));
        let Some(directory) = file.parent() else { continue };
        follow_includes(&directory.join(named), depth + 1)?;
    }
    Ok(())
}
