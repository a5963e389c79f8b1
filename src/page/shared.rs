//! What the pages of one package share while all of them are made: each is about the whole package in part, and reading it
//! anew for each page would take the square of its size.
//!
//! What it deliberately does not do: a server makes single pages, and shares nothing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::reply::PageError;
use crate::diag::Finding;
use crate::draw::Catalog;
use crate::index::Index;
use crate::index::query::Filter;
use crate::resolve::{BundleDemands, Demands, IndexRows, Options, World, bare_world};
use crate::tally;
use crate::upgrade::check_packages;

/// What is known of a package besides its rows.
pub(super) trait OfPackage {
    /// What is wrong with its upgrades in a catalog.
    fn findings(&self, catalog: &str) -> Result<Rc<[Finding]>, PageError>;

    /// All its channels in a catalog, as they are drawn.
    fn drawn(&self, catalog: &str) -> Result<Rc<Catalog>, PageError>;

    /// What a bundle demands in a catalog.
    fn demands(&self, catalog: &str, bundle: &str) -> Result<Vec<BundleDemands>, PageError>;
}

/// What is wrong with the upgrades of a package in a catalog.
pub(super) fn read_findings(index: &Index, catalog: &str, package: &str) -> Result<Vec<Finding>, PageError> {
    let filter = Filter { catalogs: vec![catalog.to_owned()], ..Filter::default() };
    let found = check_packages(index, &filter, None, &[package.to_owned()])?;
    Ok(found.into_iter().flatten().flatten().collect())
}

/// All channels of a package in a catalog, as they are drawn.
pub(super) fn read_drawn(index: &Index, catalog: &str, package: &str) -> Result<Catalog, PageError> {
    let filter = Filter { catalogs: vec![catalog.to_owned()], ..Filter::default() };
    let graphs = index.package_graphs(&filter, package)?;
    Catalog::from_graphs(&graphs).map_err(|error| PageError::Failed(error.to_string()))
}

/// The catalogs as worlds of their own.
pub(super) struct Worlds<'i> {
    index: &'i Index,
    of_catalog: HashMap<String, Result<(World, IndexRows<'i>), String>>,
}

impl<'i> Worlds<'i> {
    pub(super) fn new(index: &'i Index, catalogs: impl Iterator<Item = &'i str>) -> Self {
        let world = |catalog: &str| {
            let world = bare_world(index, &[catalog.to_owned()]).map_err(|error| error.to_string())?;
            let rows = IndexRows::new(index, &world);
            Ok((world, rows))
        };
        Self { index, of_catalog: catalogs.map(|it| (it.to_owned(), world(it))).collect() }
    }
}

/// What is known of a package, read when a page asks first.
pub(super) struct Shared<'w> {
    worlds: &'w Worlds<'w>,
    pub(super) package: String,
    findings: RefCell<HashMap<String, Rc<[Finding]>>>,
    drawn: RefCell<HashMap<String, Rc<Catalog>>>,
    demands: RefCell<HashMap<String, Demands<'w>>>,
}

impl<'w> Shared<'w> {
    pub(super) fn new(worlds: &'w Worlds<'w>, package: &str) -> Self {
        Self {
            worlds,
            package: package.to_owned(),
            findings: RefCell::default(),
            drawn: RefCell::default(),
            demands: RefCell::default(),
        }
    }
}

impl OfPackage for Shared<'_> {
    fn findings(&self, catalog: &str) -> Result<Rc<[Finding]>, PageError> {
        if let Some(known) = self.findings.borrow().get(catalog) {
            return Ok(Rc::clone(known));
        }
        tally::step(1);
        let found: Rc<[Finding]> = read_findings(self.worlds.index, catalog, &self.package)?.into();
        self.findings.borrow_mut().insert(catalog.to_owned(), Rc::clone(&found));
        Ok(found)
    }

    fn drawn(&self, catalog: &str) -> Result<Rc<Catalog>, PageError> {
        if let Some(known) = self.drawn.borrow().get(catalog) {
            return Ok(Rc::clone(known));
        }
        tally::step(1);
        let found = Rc::new(read_drawn(self.worlds.index, catalog, &self.package)?);
        self.drawn.borrow_mut().insert(catalog.to_owned(), Rc::clone(&found));
        Ok(found)
    }

    fn demands(&self, catalog: &str, bundle: &str) -> Result<Vec<BundleDemands>, PageError> {
        let (world, rows) = match self.worlds.of_catalog.get(catalog) {
            Some(Ok((world, rows))) => (world, rows),
            Some(Err(error)) => return Err(PageError::Failed(error.clone())),
            None => return Ok(Vec::new()),
        };
        let mut demands = self.demands.borrow_mut();
        let demands =
            demands.entry(catalog.to_owned()).or_insert_with(|| Demands::new(world, rows, &Options::default()));
        demands.of(&self.package, bundle).map_err(|error| PageError::Failed(error.to_string()))
    }
}
