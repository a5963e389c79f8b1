//! Refuses repositories with pipes, sockets and devices where git would open a file: it would wait for a writer, or
//! read without an end. Also refuses those that lead git out of them: their maker may be somebody else.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::GitError;
use super::program::settings_of;
use olmdex_base::file::{Kind, kind_of, read_regular_of};

/// How many files and directories a repository may have. All are looked at.
const MAX_ENTRIES: usize = 1_000_000;

/// How deep files of settings may include each other, as in git.
const MAX_INCLUDES: usize = 10;

/// How many bytes a file that names a directory may have.
const MAX_POINTER: u64 = 64 << 10;

/// The file that names other directories of objects, below a directory of objects.
const ALTERNATES: &str = "info/alternates";

/// A socket of git itself, which nothing opens as a file.
const OF_GIT: &str = "fsmonitor--daemon.ipc";

/// Refuses a repository that git would find from a path, if it has a special file, or, unless it `may_lead_out`, if git
/// would read files elsewhere: another repository of the user, or any file whose lines git quotes in its complaints.
pub(super) fn check_layout(path: &Path, may_lead_out: bool) -> Result<(), GitError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Some(mut open) = real.ancestors().find_map(|it| directories(it, may_lead_out).transpose()).transpose()? else {
        // Git says that there is no repository.
        return Ok(());
    };
    let roots: Vec<PathBuf> = open.iter().filter_map(|directory| directory.canonicalize().ok()).collect();
    let is_inside = |target: &Path| roots.iter().any(|root| target.starts_with(root));
    let (mut n_entries, mut at) = (0, 0);
    while let Some(directory) = open.get(at).cloned() {
        at += 1;
        if !may_lead_out && let Some(target) = alternates(&directory).into_iter().find(|target| !is_inside(target)) {
            return Err(GitError::LeadsOut { path: directory.join(ALTERNATES), target });
        }
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.filter_map(Result::ok) {
            n_entries += 1;
            if n_entries > MAX_ENTRIES {
                return Err(GitError::TooManyFiles { path: real, max: MAX_ENTRIES });
            }
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            // Nothing here runs hooks, and people link them to their work tree.
            let is_hook = directory.ends_with("hooks") || entry.file_name() == "hooks";
            if is_link
                && !is_hook
                && !may_lead_out
                && let Some(target) = entry.path().canonicalize().ok().filter(|target| !is_inside(target))
            {
                return Err(GitError::LeadsOut { path: entry.path(), target });
            }
            // Git goes through links to files.
            match kind_of(&entry.path()) {
                Some(Kind::Directory) if !is_link => open.push(entry.path()),
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

/// The directories of other repositories whose objects a directory of objects borrows.
fn alternates(directory: &Path) -> Vec<PathBuf> {
    let Ok(text) = read_regular_of(&directory.join(ALTERNATES), MAX_POINTER) else { return Vec::new() };
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    let named = lines.map(|line| directory.join(OsStr::from_bytes(line)));
    // A directory that does not exist is none that git could read.
    named.filter_map(|path| if path.exists() { path.canonicalize().ok() } else { None }).collect()
}

/// The directories of the repository at a path; `None` if there is none.
fn directories(path: &Path, may_lead_out: bool) -> Result<Option<Vec<PathBuf>>, GitError> {
    let inside = path.join(".git");
    let found = match kind_of(&inside) {
        Some(Kind::Directory) => inside.clone(),
        Some(Kind::File) => match pointed(&inside, b"gitdir:") {
            Some(directory) => directory,
            None => return Ok(None),
        },
        Some(kind) => return Err(GitError::Special { path: inside, kind }),
        None if path.join("objects").is_dir() && path.join("refs").is_dir() => path.to_owned(),
        None => return Ok(None),
    };
    if !may_lead_out && found != path && !is_own(path, &inside, &found) {
        return Err(GitError::LeadsOut { path: inside, target: found });
    }
    let pointer = found.join("commondir");
    let common = if kind_of(&pointer) == Some(Kind::File) { pointed(&pointer, b"") } else { None };
    if let Some(common) = common.as_ref().filter(|common| !may_lead_out && !is_below(&found, common)) {
        return Err(GitError::LeadsOut { path: pointer, target: common.clone() });
    }
    Ok(Some(std::iter::once(found).chain(common).collect()))
}

/// Whether the git directory that `.git` of a work tree names belongs to it: it is in the work tree, in the git
/// directory of a repository around it (a submodule), or names the work tree in turn (`git worktree add`).
fn is_own(work_tree: &Path, pointer: &Path, found: &Path) -> bool {
    let names_back = || {
        let named = pointed(&found.join("gitdir"), b"").and_then(|named| named.canonicalize().ok());
        named.is_some() && named == pointer.canonicalize().ok()
    };
    is_below(found, work_tree)
        || work_tree.ancestors().skip(1).any(|around| is_below(found, &around.join(".git")))
        || names_back()
}

/// Whether a path is in a directory, or is it, with all links followed.
fn is_below(path: &Path, directory: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| directory.canonicalize().is_ok_and(|directory| path.starts_with(directory)))
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
