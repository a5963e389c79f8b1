//! The findings about upgrade graphs, or only those that are new against an older catalog.

use std::collections::HashSet;

use super::building::builder_for_graphs;
use super::error::AskError;
use super::name::no_package;
use olmdex_base::diag::{Finding, FindingSet, Rule, Severity};
use olmdex_fbc::Input;
use olmdex_index::query::Filter;
use olmdex_index::{CatalogSpec, WholeOrLight};
use olmdex_olm::upgrade::{MANY_ENTRIES, check_packages};
use olmdex_rules::check::{Inspected, Report, is_unread};

/// A catalog in an index, with the faults that its reading found.
#[derive(Debug)]
pub struct JudgedCatalog {
    /// The index.
    pub index: WholeOrLight,
    /// The findings that keep packages from being checked.
    pub findings: Vec<Finding>,
}

impl JudgedCatalog {
    /// Reads a catalog once for its report, as [`check_catalog_noting`](super::check_catalog_noting) makes it, and for
    /// its graphs. There is no catalog if its channels have so many entries that only a whole index checks them fast.
    ///
    /// # Errors
    /// If the index in memory cannot be written.
    pub fn read(
        name: &str,
        input: &Input,
        practices: &[&'static Rule],
        note: &mut dyn FnMut(&Inspected),
    ) -> Result<(Report, Option<Self>), AskError> {
        let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
        let mut builder = builder_for_graphs();
        let report = builder.add_catalog_noting(&spec, input, practices, note)?.report;
        let index = builder.into_index()?;
        let is_small = index.most_entries()? < MANY_ENTRIES;
        let errors = input.remarks.iter().chain(&report.findings).filter(|it| it.rule.severity == Severity::Error);
        let findings = errors.cloned().collect();
        Ok((report, is_small.then(|| Self { index: index.into(), findings })))
    }
}

/// A question about upgrade graphs.
#[derive(Debug, Default)]
pub struct GraphCheckQuestion {
    /// The packages; all if none is named.
    pub packages: Vec<String>,
    /// The catalogs to check; all if none is named.
    pub catalogs: Vec<String>,
}

/// The answer.
#[derive(Debug, Default)]
pub struct GraphCheckAnswer {
    /// The findings; with an older catalog, only the new ones.
    pub findings: Vec<Finding>,
    /// The errors that keep packages from being checked and that the older catalog has, too.
    pub unchecked: Vec<Finding>,
    /// Whether the catalog is empty, so that nothing was checked.
    pub is_blank: bool,
}

impl GraphCheckQuestion {
    /// The findings about the upgrade graphs of a catalog; with an older one, those that are new against it, and the
    /// upgrades that were lost.
    ///
    /// # Errors
    /// [`AskError::NoPackage`]; if an index cannot be read.
    pub fn answer(&self, now: JudgedCatalog, old: Option<&JudgedCatalog>) -> Result<GraphCheckAnswer, AskError> {
        let JudgedCatalog { index, mut findings } = now;
        let filter = Filter { catalogs: self.catalogs.clone(), ..Filter::default() };
        let packages = self.packages(&index, old)?;
        let is_blank = packages.is_empty() && findings.is_empty() && !index.has_documents(&filter)?;
        // A finding without a package may concern this one.
        let is_asked = |it: &Finding| {
            self.packages.is_empty() || it.package.as_ref().is_none_or(|package| self.packages.contains(package))
        };
        findings.retain(is_asked);
        let old_findings = old.map_or(&[][..], |it| &it.findings);
        let known: FindingSet = old_findings.iter().collect();
        // An error of the older catalog is not new, but it keeps the findings that depend on it unknown all the same.
        let mut unchecked: Vec<Finding> = findings.extract_if(.., |it| known.has(it)).collect();
        // A channel of the older catalog that is merely invalid had no upgrades to lose.
        unchecked.extend(old_findings.iter().filter(|it| is_asked(it) && is_unread(it.rule)).cloned());
        let found = check_packages(&index, &filter, old.map(|it| &it.index), &packages)?;
        let named: HashSet<Option<&String>> = findings.iter().map(|it| it.package.as_ref()).collect();
        let is_known = |package| named.contains(&None) || named.contains(&Some(package));
        let unknown = packages.iter().zip(&found).find(|(package, found)| found.is_none() && !is_known(package));
        if let Some((package, _)) = unknown.filter(|_| !self.packages.is_empty()) {
            return Err(no_package(&index, package)?);
        }
        // A package may be unreadable, or in a catalog outside of the question.
        findings.extend(found.into_iter().flatten().flatten());
        Ok(GraphCheckAnswer { findings, unchecked, is_blank })
    }

    /// The packages to check: those in the question, or all that either catalog has.
    fn packages(&self, index: &WholeOrLight, old: Option<&JudgedCatalog>) -> Result<Vec<String>, AskError> {
        if !self.packages.is_empty() {
            return Ok(self.packages.clone());
        }
        let mut packages = index.package_names()?;
        if let Some(old) = old {
            packages.extend(old.index.package_names()?);
            packages.sort();
            packages.dedup();
        }
        Ok(packages)
    }
}
