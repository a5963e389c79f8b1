//! The catalogs of a CatalogSource at each version of OpenShift, and their packages.

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

/// The packages that were read, by the names of the catalogs and the package.
type Views = BTreeMap<(Vec<String>, String), Rc<PackageView>>;

/// How many packages of catalogs are remembered at most.
const MAX_REMEMBERED: usize = 400;

/// The packages of catalogs, remembered for the next cluster.
#[derive(Debug, Default)]
pub struct PlanMemo {
    views: RefCell<Views>,
}

/// The catalogs of a plan.
pub(super) struct Catalogs<'q> {
    index: &'q Index,
    all: &'q [PlanCatalog],
    gates: &'q Gates,
    memo: &'q PlanMemo,
}

impl<'q> Catalogs<'q> {
    pub(super) fn new(question: &'q PlanQuestion<'q>, memo: &'q PlanMemo) -> Self {
        Self { index: question.index, all: &question.catalogs, gates: &question.gates, memo }
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

    /// A package in families of catalogs at a version; `None` if no catalog is given for it.
    pub(super) fn view(
        &self,
        families: &[String],
        minor: Minor,
        package: &str,
    ) -> Result<Option<Rc<PackageView>>, IndexError> {
        let names = self.names(families, minor);
        if names.is_empty() { Ok(None) } else { self.read(names, package).map(Some) }
    }

    /// A package in some catalogs.
    fn read(&self, catalogs: Vec<String>, package: &str) -> Result<Rc<PackageView>, IndexError> {
        let key = (catalogs, package.to_owned());
        if let Some(known) = self.memo.views.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let filter = Filter { catalogs: key.0.clone(), ..Filter::default() };
        let view = Rc::new(PackageView::read(self.index, &filter, package)?.with_gates(self.gates));
        let mut views = self.memo.views.borrow_mut();
        if views.len() >= MAX_REMEMBERED {
            views.clear();
        }
        views.insert(key, Rc::clone(&view));
        Ok(view)
    }

    /// The other catalogs of a version that hold a package, only as a hint.
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
