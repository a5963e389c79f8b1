//! How long versions are supported, and on which versions of OpenShift.

use std::collections::BTreeSet;

use super::bundle::bundle_called;
use super::error::AskError;
use super::hint::guess;
use super::name::no_package;
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::{Name, without_v};
use olmdex_index::Index;
use olmdex_rules::openshift::{Lifecycle, LifecycleRow, PlatformFit, SupportLevel};
use olmdex_text::calendar::Day;

/// A question about the support of versions.
pub struct LifecycleQuestion<'q> {
    /// The packages, as `PKG`, `PKG@VERSION` or the name of a bundle; none for everything that has a lifecycle.
    pub names: &'q [String],
    /// The known lifecycles, with their origins. Each has its rows, even if several are about one package.
    pub lifecycles: &'q [(String, Lifecycle)],
    /// The day.
    pub day: Day,
    /// The version of OpenShift that they should be made for.
    pub openshift: Option<Minor>,
    /// Only versions that are supported now, and no longer after this day.
    pub ending_by: Option<Day>,
    /// The phases that count as supported.
    pub support: SupportLevel,
}

/// The support of versions.
#[derive(Debug)]
pub struct LifecycleAnswers {
    /// A row for each minor version.
    pub rows: Vec<LifecycleRow>,
    /// Whether something in the question is not supported, not made for the version of OpenShift, or not known.
    pub is_negative: bool,
    /// Remarks on names that may be misspelt.
    pub notes: Vec<String>,
}

impl LifecycleQuestion<'_> {
    /// The answer. Catalogs, if there are any, tell which packages and bundles exist.
    ///
    /// # Errors
    /// [`AskError::NoPackage`] if the catalogs do not have a package; [`AskError::Index`].
    pub fn answer(&self, index: Option<&Index>) -> Result<LifecycleAnswers, AskError> {
        let mut answers = LifecycleAnswers { rows: Vec::new(), is_negative: false, notes: Vec::new() };
        if self.names.is_empty() {
            let mut seen = BTreeSet::new();
            for (source, lifecycle) in self.lifecycles {
                if seen.insert((source, &lifecycle.package)) {
                    answers.rows.extend(self.rows(source, lifecycle, None));
                }
            }
        }
        for name in self.names {
            self.add(index, name, &mut answers)?;
        }
        if let Some(end) = self.ending_by {
            let end = end.to_string();
            answers.rows.retain(|it| {
                it.support.is_active(self.support) && it.support.support_ends.as_ref().is_some_and(|ends| *ends <= end)
            });
        }
        // A list of everything includes old versions, which are no reason for a no; a user who names a package wants to
        // know about its support.
        answers.is_negative = match self.names.is_empty() {
            true => self.ending_by.is_some() && !answers.rows.is_empty(),
            false => self.has_package_without_good_version(&answers.rows),
        };
        Ok(answers)
    }

    fn rows(&self, source: &str, lifecycle: &Lifecycle, version: Option<&str>) -> Vec<LifecycleRow> {
        LifecycleRow::of(source, lifecycle, version, self.day, self.minor().as_deref())
    }

    fn minor(&self) -> Option<String> {
        self.openshift.map(|it| it.to_string())
    }

    fn add(&self, index: Option<&Index>, name: &str, answers: &mut LifecycleAnswers) -> Result<(), AskError> {
        let (package, version) = self.named(index, name)?;
        let of_package = self.lifecycles.iter().filter(|it| it.1.package == package);
        let found: Vec<LifecycleRow> =
            of_package.flat_map(|(source, it)| self.rows(source, it, version.as_deref())).collect();
        if found.is_empty() {
            answers.notes.extend(self.unknown(index, &package)?);
            let version = version.as_deref().unwrap_or_default();
            answers.rows.push(LifecycleRow::unknown(&package, version, self.day, self.minor().as_deref()));
        }
        answers.rows.extend(found);
        Ok(())
    }

    /// The package and version of a word. A bundle has the version from the catalogs; without catalogs, the one in its
    /// name.
    fn named(&self, index: Option<&Index>, word: &str) -> Result<(String, Option<String>), AskError> {
        let name = match Name::parse(word) {
            Name::Version(package, version) => return Ok((package, Some(version))),
            Name::Channel(package, _) => return Ok((package, None)),
            Name::Plain(name) => name,
        };
        if let Some(index) = index
            && let Some(found) = bundle_called(index, &name)?
        {
            return Ok((found.package, Some(found.version)));
        }
        let version_of = |package: &str| {
            let version = without_v(name.strip_prefix(package)?.strip_prefix('.')?);
            version.starts_with(|it: char| it.is_ascii_digit()).then(|| (package.to_owned(), Some(version.to_owned())))
        };
        let mut packages = self.lifecycles.iter().map(|it| it.1.package.as_str());
        Ok(packages.find_map(version_of).unwrap_or((name.clone(), None)))
    }

    /// A package that neither the catalogs nor the lifecycles have is more likely a slip than intended. Lifecycles
    /// alone do not tell which packages exist, so they only give reason for a remark.
    fn unknown(&self, index: Option<&Index>, package: &str) -> Result<Option<String>, AskError> {
        if self.lifecycles.iter().any(|it| it.1.package == package) {
            return Ok(None);
        }
        if let Some(index) = index {
            let is_known = index.package_names()?.iter().any(|it| it == package);
            return if is_known { Ok(None) } else { Err(no_package(index, package)?) };
        }
        let names: Vec<String> = self.lifecycles.iter().map(|it| it.1.package.clone()).collect();
        let meant = guess(package, &names, "");
        Ok((!meant.is_empty()).then(|| format!("no lifecycle of `{package}`; {meant}")))
    }

    /// For a package as a whole the answer is no if none of its versions is good.
    fn has_package_without_good_version(&self, rows: &[LifecycleRow]) -> bool {
        let is_bad = |it: &LifecycleRow| {
            let is_incompatible = it.compatibility.is_some_and(|it| it != PlatformFit::Compatible);
            !it.support.is_active(self.support) || is_incompatible
        };
        let packages: BTreeSet<&str> = rows.iter().map(|it| it.package.as_str()).collect();
        packages.into_iter().any(|package| rows.iter().filter(|it| it.package == package).all(is_bad))
    }
}
