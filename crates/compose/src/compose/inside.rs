//! The files that another file may make a command read: an `olmdex.toml` that was found, or a saved plan.
//!
//! Such a file may have come with a checkout or with an archive, and a command may show what the file makes it read: a
//! finding prints the line that it is about. So the file may name only what is below its own directory: nothing through
//! `..`, no link that leads out, nothing hidden, which belongs to other programs and may hold their tokens, and nothing
//! from a registry, which would get the user's credentials. A user who wants more states that on the command line.

use std::path::{Component as Step, Path, PathBuf};

use thiserror::Error;

use super::catalogs::{NamedCatalog, Origin};
use super::config::Config;
use super::destination::Reach;
use super::error::At;
use super::find::directory_of;
use olmdex_base::file;
use olmdex_fbc::is_hidden;
use olmdex_open::source;

/// A path that a found file may not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: `{words}` {why}, and olmdex found this file by itself")]
pub struct OutsideError {
    /// Its place in the file.
    pub place: String,
    /// The path as the file has it.
    pub words: String,
    /// The fault.
    pub why: String,
}

impl OutsideError {
    /// The remedy.
    pub fn help(&self) -> &'static str {
        "name a path below the directory of the file; if you trust the file, use `--trust-config` or `--config FILE` \
        to read it"
    }
}

impl Config {
    /// Checks that a catalog reads only paths that this file may read.
    ///
    /// # Errors
    /// [`OutsideError`].
    pub fn check_inputs(&self, catalog: &NamedCatalog) -> Result<(), OutsideError> {
        for component in &catalog.components {
            for path in component.inputs() {
                self.check_path(path, component.at)?;
            }
            if self.reach == Reach::Inside
                && let Origin::Template { path, pulls: true, .. } = &component.origin
            {
                return Err(self.outside(path, component.at, "takes bundles from registries (`pull`)".to_owned()));
            }
        }
        Ok(())
    }

    /// Checks that this file may read, and write, a path that it names at a place.
    ///
    /// # Errors
    /// [`OutsideError`].
    pub fn check_path(&self, path: &Path, at: At) -> Result<(), OutsideError> {
        match self.reach {
            Reach::Anywhere => Ok(()),
            Reach::Inside => leads_out(&self.path, path).map_or(Ok(()), |why| Err(self.outside(path, at, why))),
        }
    }

    /// The baseline, if this file may read it.
    ///
    /// # Errors
    /// [`OutsideError`].
    pub fn baseline(&self) -> Result<Option<&Path>, OutsideError> {
        let Some((path, at)) = &self.baseline else { return Ok(None) };
        self.check_path(path, *at)?;
        Ok(Some(path))
    }

    fn outside(&self, path: &Path, at: At, why: String) -> OutsideError {
        let place = format!("{}:{}:{}", self.path.display(), at.line, at.column);
        OutsideError { place, words: path.display().to_string(), why }
    }
}

/// Describes how a source or file that `file` names leads out of the directory of `file`. The path is relative to the
/// directory that the program runs in.
fn leads_out(file: &Path, path: &Path) -> Option<String> {
    let local = source::local_path(path);
    let below = local.as_ref().map(|local| local.strip_prefix(file.parent().unwrap_or(Path::new(""))).ok());
    let is_plain = |it: &Path| it.components().all(|it| matches!(it, Step::Normal(_) | Step::CurDir));
    match below {
        Some(below) if !below.is_some_and(is_plain) => Some("is outside the directory of the file".to_owned()),
        _ => outside_of(file, path),
    }
}

/// Describes how a source or file leads out of the directory of a file that names it, whatever its path looks like;
/// `None` for one that the file may name.
pub fn outside_of(file: &Path, path: &Path) -> Option<String> {
    let Some(local) = source::local_path(path) else {
        let place = if source::is_revision(path) { "a git revision" } else { "a registry or a container engine" };
        return Some(format!("is in {place}"));
    };
    let root = directory_of(file);
    if !file::is_inside(&local, root) {
        let is_link = local.ancestors().any(Path::is_symlink);
        let how = if is_link { "behind a symbolic link out of" } else { "outside" };
        return Some(format!("is {how} the directory of the file"));
    }
    let real = [&local, root].map(|it| it.canonicalize().unwrap_or_default());
    if real[0].strip_prefix(&real[1]).is_ok_and(is_hidden) {
        return Some("is hidden in the directory of the file".to_owned());
    }
    let link = link_out(&local, root)?;
    Some(format!("has a symbolic link out of the directory of the file: `{}`", link.display()))
}

/// The first link at or below a path that leads out of the root. Directories behind links are not entered, neither here
/// nor by readers.
fn link_out(path: &Path, root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    // A dangling link leads to nothing that could be read.
    let is_out = |it: &Path| it.canonicalize().is_ok_and(|it| !it.starts_with(&root));
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        // A file has no entries; a directory that cannot be listed cannot be read.
        let mut entries: Vec<_> = std::fs::read_dir(&directory).into_iter().flatten().filter_map(Result::ok).collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            match entry.file_type() {
                Ok(it) if it.is_symlink() && is_out(&entry.path()) => return Some(entry.path()),
                Ok(it) if it.is_dir() => open.push(entry.path()),
                _ => {}
            }
        }
    }
    None
}
