//! A legacy catalog as files, one directory a package: whole, or without the packages that cannot be converted.
//!
//! What it deliberately does not do: it does not read the legacy file, and does not prove what it wrote ([`super::prove()`] does).

use std::path::{Path, PathBuf};

use super::catalog::LegacyCatalog;
use super::error::LegacyError;
use super::layout::package_file;
use super::package::Problem;
use olmdex_base::file::NewDirectory;
use olmdex_fbc::{Format, Level};

/// How a catalog is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationOptions {
    /// How blobs are written.
    pub format: Format,
    /// What becomes of manifests.
    pub level: Level,
    /// Whether packages that cannot be converted are left out; else nothing is written if there is one.
    pub keep_going: bool,
}

/// A migration under way: nothing is at the target before it is done.
#[derive(Debug)]
pub struct Migration {
    target: PathBuf,
    directory: NewDirectory,
    options: MigrationOptions,
}

/// What a migration did.
#[derive(Debug)]
pub struct Migrated {
    /// How many files were written, one for each package.
    pub n_files: usize,
    /// What kept packages out that the catalog itself finds convertible.
    pub left_out: Vec<Problem>,
}

impl Migration {
    /// Begins to write to a directory that is empty, or absent.
    ///
    /// # Errors
    /// [`LegacyError::File`] if it is anything else, or cannot be made.
    pub fn begin(target: &Path, options: MigrationOptions) -> Result<Self, LegacyError> {
        Ok(Self { target: target.to_owned(), directory: NewDirectory::begin(target)?, options })
    }

    /// Writes the catalog.
    ///
    /// # Errors
    /// [`LegacyError`]; nothing is at the target then. With `keep_going` only if it cannot be read or written.
    pub fn run(mut self, catalog: &LegacyCatalog) -> Result<Migrated, LegacyError> {
        let MigrationOptions { format, level, keep_going } = self.options;
        if !keep_going {
            catalog.verdict()?;
        }
        let extension = format.extension();
        let mut names: Vec<&str> = Vec::new();
        // What keeps packages out though they could be converted.
        let mut late: Vec<Problem> = Vec::new();
        for name in catalog.sound_packages() {
            match package_file(name, extension) {
                Ok(_) => names.push(name),
                Err(error) if !keep_going => return Err(error),
                Err(error) => {
                    let package = Some(name.to_owned());
                    late.push(Problem { package, bundle: None, text: error.to_string(), is_verdict: false });
                }
            }
        }
        loop {
            let is_left_out = |name: &str| late.iter().any(|it| it.package.as_deref() == Some(name));
            let wanted = |name: &str| names.binary_search(&name).is_ok() && !is_left_out(name);
            let directory = &mut self.directory;
            let found = catalog.write(format, level, wanted, |package, text| {
                Ok::<(), LegacyError>(directory.write(&package_file(package, extension)?, text)?)
            })?;
            let Some(first) = found.first() else { break };
            if !keep_going {
                return Err(catalog.unmigratable(first));
            }
            // The beginning of a package whose end is missing must not stay.
            late.extend(found);
            drop(self.directory);
            self.directory = NewDirectory::begin(&self.target)?;
        }
        Ok(Migrated { n_files: self.directory.finish()?, left_out: late })
    }
}
