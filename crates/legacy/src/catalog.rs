//! A legacy catalog that is open, and the questions to it.

use std::path::Path;

use super::emit::{Manner, emit};
use super::error::LegacyError;
use super::file::LegacyFile;
use super::model::Model;
use super::package::{PackageModel, Problem};
use super::schema_upgrade::Fidelity;
use olmdex_base::diag::Finding;
use olmdex_fbc::{Format, Level};

/// A catalog in a legacy file, with everything read except the manifests of its bundles.
#[derive(Debug)]
pub struct LegacyCatalog {
    file: LegacyFile,
    pub(super) model: Model,
}

impl LegacyCatalog {
    /// Reads a file. `scratch` is a directory for the copy that an interrupted writer makes necessary.
    ///
    /// # Errors
    /// [`LegacyError`], [`LegacyError::Inconvertible`] only with [`Fidelity::Opm`] for a schema that the real tool
    /// fails to migrate. Packages that cannot be converted are no error here but [`Self::problems`].
    pub fn open(path: &Path, scratch: &Path, fidelity: Fidelity) -> Result<Self, LegacyError> {
        let file = LegacyFile::open(path, scratch)?;
        let model = Model::read(&file, fidelity)?;
        Ok(Self { file, model })
    }

    /// The file.
    pub fn file(&self) -> &LegacyFile {
        &self.file
    }

    /// The problems that keep packages from being converted, in the order in which the real tool would meet them.
    pub fn problems(&self) -> &[Problem] {
        &self.model.problems
    }

    /// The findings about parts that conversion leaves out or fills in.
    pub fn findings(&self) -> &[Finding] {
        &self.model.findings
    }

    /// The names of all packages, sorted.
    pub fn package_names(&self) -> impl Iterator<Item = &str> {
        self.model.packages.keys().map(String::as_str)
    }

    /// The packages that can be converted, sorted by name.
    pub(super) fn sound(&self) -> Vec<&PackageModel> {
        let broken: std::collections::HashSet<&str> =
            self.model.problems.iter().filter_map(|it| it.package.as_deref()).collect();
        self.model.packages.values().filter(|it| !broken.contains(it.name.as_str())).collect()
    }

    /// The names of packages that can be converted, sorted.
    pub(crate) fn sound_packages(&self) -> Vec<&str> {
        self.sound().into_iter().map(|it| it.name.as_str()).collect()
    }

    /// The first problem as an error: the real tool's verdict.
    ///
    /// # Errors
    /// [`LegacyError::Inconvertible`] if there is any problem.
    pub fn verdict(&self) -> Result<(), LegacyError> {
        match self.model.problems.first() {
            None => Ok(()),
            Some(problem) => Err(self.inconvertible(problem)),
        }
    }

    /// A problem as an error.
    pub fn inconvertible(&self, problem: &Problem) -> LegacyError {
        LegacyError::Inconvertible { path: self.file.path().to_owned(), text: problem.text.clone() }
    }

    /// A problem that shows only when manifests are migrated, as an error.
    pub(super) fn unmigratable(&self, problem: &Problem) -> LegacyError {
        LegacyError::Unmigratable { path: self.file.path().to_owned(), text: problem.text.clone() }
    }

    /// Writes the packages that can be converted and that `wanted` takes, sorted by name, each as a package, its
    /// channels and its bundles. The sink gets the name of the package with each part of its text. Returns the problems
    /// that show only in writing.
    ///
    /// # Errors
    /// The error of the sink, or that the file cannot be read.
    pub fn write<E: From<LegacyError>>(
        &self,
        format: Format,
        level: Level,
        wanted: impl Fn(&str) -> bool,
        sink: impl FnMut(&str, &[u8]) -> Result<(), E>,
    ) -> Result<Vec<Problem>, E> {
        let packages: Vec<&PackageModel> = self.sound().into_iter().filter(|it| wanted(&it.name)).collect();
        emit(&self.file, &self.model.rows, &packages, Manner { level, format }, sink)
    }
}
