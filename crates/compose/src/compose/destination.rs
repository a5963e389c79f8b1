//! The place that a catalog may be written to.
//!
//! The author of `olmdex.toml` chooses the destination. A file that is found may have come with a checkout or an
//! archive, so it may write only below its own directory: not through `..`, not through a link, and not into hidden
//! directories, which belong to other programs (`.git`, `.github`). A user who wants more states that on the command
//! line.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::catalogs::{Destination, NamedCatalog, inner};
use olmdex_base::file::{FileError, make_way_below};

/// Why nothing is written to a destination.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: the destination `{words}` {why}")]
pub struct DestinationError {
    /// Its place in the file.
    pub place: String,
    /// The destination as the file has it.
    pub words: String,
    /// The fault.
    pub why: String,
    /// The way out.
    pub help: String,
}

/// Whether the paths in a file may lead anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// Below the directory of the file only.
    #[default]
    Inside,
    /// The paths may lead anywhere: the user has looked at the file.
    Anywhere,
}

impl Destination {
    /// Checks that this destination, of a catalog that `file` names, may be written to.
    ///
    /// # Errors
    /// [`DestinationError`].
    pub fn check(&self, file: &Path, catalog: &NamedCatalog, reach: Reach) -> Result<(), DestinationError> {
        let wrong = |why: String, help: &str| DestinationError {
            place: format!("{}:{}:{}", file.display(), self.at.line, self.at.column),
            words: self.words.clone(),
            why,
            help: help.to_owned(),
        };
        if reach == Reach::Inside {
            const TRUST: &str = "choose a directory below that of the file; if you trust the file, use \
                `--trust-config` to write there anyway";
            let Some(path) = inner(&self.words).filter(|_| Path::new(&self.words).is_relative()) else {
                let why = "is hidden, or outside the directory of the file".to_owned();
                return Err(wrong(why, TRUST));
            };
            let mut way = file.parent().unwrap_or(Path::new("")).to_owned();
            for step in path.components() {
                way.push(step);
                if way.is_symlink() {
                    return Err(wrong(format!("leads through a link, `{}`", way.display()), TRUST));
                }
            }
        }
        let real = |path: &Path| olmdex_base::file::is_inside(path, &self.path);
        for component in &catalog.components {
            let origin = component.origin_path();
            if origin.exists() && (real(origin) || olmdex_base::file::is_inside(&self.path, origin)) {
                let why = format!("overlaps the source `{}`", origin.display());
                return Err(wrong(why, "choose a destination outside the source"));
            }
        }
        Ok(())
    }

    /// Makes the directories above it, for a file beside it; no link on the way is followed.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn make_way(&self, file: &Path, reach: Reach) -> Result<(), FileError> {
        let root = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match (reach, inner(&self.words).as_deref().and_then(Path::to_str)) {
            (Reach::Inside, Some(path)) => make_way_below(root, path).map(drop),
            // A path that the user chose freely is created by the user.
            _ => Ok(()),
        }
    }

    /// The name of its directory in a Dockerfile beside it, and that Dockerfile; `None` if the directory has no such
    /// name.
    pub fn dockerfile(&self) -> Option<(String, PathBuf)> {
        let name = self.path.file_name()?.to_str()?;
        if name.contains([' ', '"', '\'', '\\', '$']) || name.chars().any(char::is_control) {
            return None;
        }
        Some((name.to_owned(), self.path.with_file_name(format!("{name}.Dockerfile"))))
    }
}
