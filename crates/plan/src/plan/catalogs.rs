//! The catalogs of a CatalogSource at each version of OpenShift, and their packages.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::operator::Operator;
use super::question::PlanQuestion;
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::Filter;
use olmdex_index::{Index, IndexError};
use olmdex_olm::catalog_source::PlanCatalog;
use olmdex_olm::upgrade::PackageView;
use olmdex_olm::upgrade::v1::{Gates, ServedCatalog};

/// The packages that were read, by the names of the catalogs, the ClusterCatalogs that serve them, and the package.
type Views = BTreeMap<(Vec<String>, Vec<ServedCatalog>, String), Rc<PackageView>>;

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

    /// Whether there is any catalog for a version.
    pub(super) fn has(&self, minor: Minor) -> bool {
        self.all.iter().any(|it| it.minor.is_same(minor))
    }

    /// The names of the catalogs of families at a version.
    pub(super) fn names(&self, families: &[String], minor: Minor) -> Vec<String> {
        let is_meant = |it: &&PlanCatalog| it.minor.is_same(minor) && families.contains(&it.family);
        self.all.iter().filter(is_meant).map(|it| it.catalog.clone()).collect()
    }

    /// The package of an operator in its catalogs at a version; `None` if no catalog is given for it.
    pub(super) fn view(&self, operator: &Operator, minor: Minor) -> Result<Option<Rc<PackageView>>, IndexError> {
        let names = self.names(&operator.families, minor);
        if names.is_empty() {
            return Ok(None);
        }
        // A ClusterCatalog goes on with the catalog of its family that is for the version.
        let at_minor = |it: &ServedCatalog| {
            let family = it.catalog.as_slice();
            let catalogs = self.names(family, minor).into_iter();
            catalogs.map(|catalog| ServedCatalog { catalog: Some(catalog), ..it.clone() }).collect::<Vec<_>>()
        };
        let served = operator.served.iter().flat_map(at_minor).collect();
        self.read(names, served, &operator.package).map(Some)
    }

    /// A package in some catalogs.
    fn read(
        &self,
        catalogs: Vec<String>,
        served: Vec<ServedCatalog>,
        package: &str,
    ) -> Result<Rc<PackageView>, IndexError> {
        let key = (catalogs, served, package.to_owned());
        if let Some(known) = self.memo.views.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let filter = Filter { catalogs: key.0.clone(), ..Filter::default() };
        let view = PackageView::read(self.index, &filter, package)?.with_gates(self.gates);
        let view = Rc::new(view.served_by(key.1.clone()));
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
            if !self.read(vec![other.catalog.clone()], Vec::new(), package)?.graphs.is_empty() {
                found.push(other.catalog.clone());
            }
        }
        Ok(found)
    }

    pub(super) fn index(&self) -> &'q Index {
        self.index
    }
}
