//! What `olmdex.toml` may read.
//!
//! A file that was found may have come with a checkout or with an archive, and what a command reads it may also show: a finding has the
//! line that it is about. So such a file has nothing read but below its own directory: no path from the root, none through `..`, no link
//! that leads out, and nothing from a registry, which would get the user's credentials. A user who wants more says so on the command line,
//! or names the file there.
//!
//! What it deliberately does not do: it opens nothing that the file names.

use std::path::{Component as Step, Path, PathBuf};

use thiserror::Error;

use super::catalogs::{NamedCatalog, Origin};
use super::config::Config;
use super::destination::Reach;
use super::error::At;
use super::find::directory_of;
use olmdex_base::file;
use olmdex_open::source;

/// What a found file may not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: `{words}` {why}, and this file was found, not named")]
pub struct OutsideError {
    /// Where the file names it.
    pub place: String,
    /// What it names.
    pub words: String,
    /// What is wrong.
    pub why: String,
}

impl OutsideError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        "name what is below the directory of the file; if you trust the file, `--trust-config` or `--config FILE` reads it"
    }
}

impl Config {
    /// Sees that a catalog reads only what this file may read.
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

    /// Sees that this file may read, and write, a file that it names at a place.
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

/// How a source or file that `file` names, as it is from where the program runs, leads out of the directory of `file`.
fn leads_out(file: &Path, path: &Path) -> Option<String> {
    let Some(local) = source::local_path(path) else {
        return Some("is in a registry or an engine".to_owned());
    };
    let root = directory_of(file);
    let below = local.strip_prefix(file.parent().unwrap_or(Path::new(""))).ok();
    if below.is_none_or(|it| !it.components().all(|it| matches!(it, Step::Normal(_) | Step::CurDir))) {
        return Some("is outside the directory of the file".to_owned());
    }
    if !file::is_inside(&local, root) {
        return Some("is behind a link that leads out of the directory of the file".to_owned());
    }
    let link = link_out(&local, root)?;
    Some(format!("has a link that leads out of the directory of the file: `{}`", link.display()))
}

/// The first link below a directory, or in its place, that leads out of the root. Directories behind links are not entered, by readers
/// neither.
fn link_out(path: &Path, root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    // What leads nowhere leads to nothing that could be read.
    let is_out = |it: &Path| it.canonicalize().is_ok_and(|it| !it.starts_with(&root));
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        // A file has no entries; what cannot be listed cannot be read.
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
