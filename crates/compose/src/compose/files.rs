//! The files of a composed catalog: one for each package, `PACKAGE/catalog.json`, and one for each component that has a
//! path.
//!
//! This module writes none of them; the caller decides where they go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::composition::{Composition, Part};
use olmdex_fbc::{Format, Input, Level, Origin, RenderDefect, Rendering, RereadError, Selection, Sorted};
use olmdex_legacy::package_file;
use olmdex_text::json::Expansion;

/// The documents of one part of a catalog that could not be rendered.
pub type Defects<'c> = (&'c Input, Vec<(Origin, RenderDefect)>);

/// The files of a catalog.
#[derive(Debug)]
pub struct Files<'c> {
    /// The parts without a path, by package, and each part that has one.
    groups: Vec<(Option<&'c Path>, Sorted<'c>)>,
    extension: &'static str,
    /// The documents that could not be rendered.
    pub defects: Vec<Defects<'c>>,
}

/// Why a catalog has no such files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FilesError {
    /// A file was changed while it was read.
    #[error(transparent)]
    Reread(#[from] RereadError),
    /// A package's name cannot be the name of a directory.
    #[error("`{}` is not a valid directory name for a package", .0.escape_debug())]
    Name(String),
    /// A component has the path of a package.
    #[error("`{}` would be the file of both a package and a component", .0.display())]
    Twice(PathBuf),
}

impl FilesError {
    /// The remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Reread(_) => "compose it again when no process writes to its files",
            Self::Name(_) => "give its component a `path`, or print the catalog with `olmdex render --catalog NAME`",
            Self::Twice(_) => "give the component another `path`",
        }
    }
}

impl<'c> Files<'c> {
    /// Reads a catalog, and makes its blobs.
    pub fn of(composition: &'c Composition, format: Format, level: Level, expansion: &'c Expansion) -> Self {
        let how = Rendering { format, level, selection: Selection { packages: &[] }, expansion };
        let extension = match format {
            Format::Json => "json",
            Format::Yaml => "yaml",
        };
        let mut files = Self { groups: Vec::new(), extension, defects: Vec::new() };
        let mut common = Sorted::new(how);
        for Part { path, input } in &composition.parts {
            let defects = match path {
                None => common.read(input),
                Some(path) => {
                    let mut own = Sorted::new(how);
                    let defects = own.read(input);
                    files.groups.push((Some(path), own));
                    defects
                }
            };
            if !defects.is_empty() {
                files.defects.push((input, defects));
            }
        }
        files.groups.push((None, common));
        files
    }

    /// Hands them to `sink`, in pieces; those of one file follow each other.
    ///
    /// # Errors
    /// The error of the sink, or [`FilesError`].
    pub fn write<E: From<FilesError>>(&self, mut sink: impl FnMut(&Path, &[u8]) -> Result<(), E>) -> Result<(), E> {
        /// An error of the sink, or ours.
        struct Stopped<E>(E);
        impl<E: From<FilesError>> From<RereadError> for Stopped<E> {
            fn from(error: RereadError) -> Self {
                Self(FilesError::Reread(error).into())
            }
        }
        let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
        let name = format!("catalog.{}", self.extension);
        for (above, sorted) in &self.groups {
            let mut last: Option<(String, PathBuf)> = None;
            let mut take = |package: &str, text: &[u8]| -> Result<(), E> {
                if last.as_ref().is_none_or(|it| it.0 != package) {
                    let path = match (above, package) {
                        (Some(above), _) => above.join(&name),
                        (None, "") => PathBuf::from(&name),
                        (None, package) => self.file_of(package)?,
                    };
                    let is_next = last.as_ref().is_none_or(|it| it.1 != path);
                    if is_next && !seen.insert(path.clone()) {
                        return Err(FilesError::Twice(path).into());
                    }
                    last = Some((package.to_owned(), path));
                }
                let path = last.as_ref().map_or(Path::new(&name), |it| &it.1);
                sink(path, text)
            };
            sorted.write(|package, text| take(package, text).map_err(Stopped)).map_err(|it| it.0)?;
        }
        Ok(())
    }

    fn file_of(&self, package: &str) -> Result<PathBuf, FilesError> {
        let wrong = || FilesError::Name(package.to_owned());
        // A line break would end the line for it in the record of written files.
        if package.chars().any(char::is_control) || package.split('/').any(|it| matches!(it, "" | "." | "..")) {
            return Err(wrong());
        }
        package_file(package, self.extension).map_err(|_| wrong())
    }
}
