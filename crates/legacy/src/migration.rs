//! A legacy catalog as files, one directory a package: whole, or without the packages that cannot be converted.

use std::path::{Path, PathBuf};

use super::catalog::LegacyCatalog;
use super::error::LegacyError;
use super::layout::package_file;
use super::package::Problem;
use olmdex_base::file::NewDirectory;
use olmdex_fbc::{Format, Level};

/// The settings for writing a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationOptions {
    /// How blobs are written.
    pub format: Format,
    /// The treatment of manifests.
    pub level: Level,
    /// Whether packages that cannot be converted are left out; if not, one such package prevents all writing.
    pub keep_going: bool,
}

/// A migration under way: the target does not exist before it is done.
#[derive(Debug)]
pub struct Migration {
    target: PathBuf,
    directory: NewDirectory,
    options: MigrationOptions,
}

/// The result of a migration.
#[derive(Debug)]
pub struct Migrated {
    /// The number of files that were written, one for each package.
    pub n_files: usize,
    /// The problems of packages that were left out although the catalog itself finds them convertible.
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
    /// [`LegacyError`]; the target does not exist then. With `keep_going` only if it cannot be read or written.
    pub fn run(mut self, catalog: &LegacyCatalog) -> Result<Migrated, LegacyError> {
        let MigrationOptions { format, level, keep_going } = self.options;
        if !keep_going {
            catalog.verdict()?;
        }
        let extension = format.extension();
        let mut names: Vec<&str> = Vec::new();
        // The problems of packages that could be converted.
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
            // The beginning of a package without its end must not stay.
            late.extend(found);
            drop(self.directory);
            self.directory = NewDirectory::begin(&self.target)?;
        }
        Ok(Migrated { n_files: self.directory.finish()?, left_out: late })
    }
}
