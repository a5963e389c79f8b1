//! Which catalog a CatalogSource has at which version of OpenShift, and what it says of a package.
//!
//! What it deliberately does not do: a package in another catalog than that of the Subscription never counts.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::question::PlanQuestion;
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::Filter;
use olmdex_index::{Index, IndexError};
use olmdex_olm::catalog_source::PlanCatalog;
use olmdex_olm::upgrade::PackageView;
use olmdex_olm::upgrade::v1::Gates;

/// What was read, by the names of the catalogs and the package.
type Views = BTreeMap<(Vec<String>, String), Rc<PackageView>>;

/// The catalogs of a plan.
pub(super) struct Catalogs<'q> {
    index: &'q Index,
    all: &'q [PlanCatalog],
    gates: &'q Gates,
    views: RefCell<Views>,
}

impl<'q> Catalogs<'q> {
    pub(super) fn new(question: &'q PlanQuestion<'q>) -> Self {
        Self { index: question.index, all: &question.catalogs, gates: &question.gates, views: RefCell::default() }
    }

    /// The families that there are.
    pub(super) fn families(&self) -> BTreeSet<&'q str> {
        self.all.iter().map(|it| it.family.as_str()).collect()
    }

    /// Whether there is any catalog for a version.
    pub(super) fn has(&self, minor: Minor) -> bool {
        self.all.iter().any(|it| it.minor.is_same(minor))
    }

    /// The names of the catalogs of families at a version.
    pub(super) fn names(&self, families: &[String], minor: Minor) -> Vec<String> {
        let is_meant = |it: &&PlanCatalog| it.minor.is_same(minor) && families.contains(&it.family);
        self.all.iter().filter(is_meant).map(|it| it.catalog.clone()).collect()
    }

    /// What families of catalogs say of a package at a version; `None` if no catalog is given for it.
    pub(super) fn view(
        &self,
        families: &[String],
        minor: Minor,
        package: &str,
    ) -> Result<Option<Rc<PackageView>>, IndexError> {
        let names = self.names(families, minor);
        if names.is_empty() { Ok(None) } else { self.read(names, package).map(Some) }
    }

    /// What some catalogs say of a package.
    fn read(&self, catalogs: Vec<String>, package: &str) -> Result<Rc<PackageView>, IndexError> {
        let key = (catalogs, package.to_owned());
        if let Some(known) = self.views.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let filter = Filter { catalogs: key.0.clone(), ..Filter::default() };
        let view = Rc::new(PackageView::read(self.index, &filter, package)?.with_gates(self.gates));
        self.views.borrow_mut().insert(key, Rc::clone(&view));
        Ok(view)
    }

    /// The other catalogs of a version that hold a package: a hint, nothing more.
    pub(super) fn elsewhere(
        &self,
        families: &[String],
        minor: Minor,
        package: &str,
    ) -> Result<Vec<String>, IndexError> {
        let others = self.all.iter().filter(|it| it.minor.is_same(minor) && !families.contains(&it.family));
        let mut found = Vec::new();
        for other in others {
            if !self.read(vec![other.catalog.clone()], package)?.graphs.is_empty() {
                found.push(other.catalog.clone());
            }
        }
        Ok(found)
    }

    pub(super) fn index(&self) -> &'q Index {
        self.index
    }
}
