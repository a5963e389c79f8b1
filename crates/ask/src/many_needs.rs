//! The requirements of many bundles of an index: catalogs are opened once, a package is read once for all of its
//! bundles, and a requirement that many packages share is resolved once.

use std::cell::RefCell;
use std::collections::HashMap;

use super::error::AskError;
use super::resolution::{PAGE_WORK, options_of_work};
use olmdex_index::LightIndex;
use olmdex_olm::resolve::{BundleNeeds, Demands, IndexRows, Met, World, bare_world};

/// The catalogs of an index, each by itself.
pub struct NeedsOfCatalogs<'i> {
    of_catalog: HashMap<String, (World, IndexRows<'i>)>,
    /// The providers that meet the requirements of a catalog.
    met: RefCell<HashMap<String, Met>>,
}

impl<'i> NeedsOfCatalogs<'i> {
    /// The requirements in the catalogs of these names.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn new(index: &'i LightIndex, catalogs: impl Iterator<Item = &'i str>) -> Result<Self, AskError> {
        let mut of_catalog = HashMap::new();
        for catalog in catalogs {
            let world = bare_world(index, &[catalog.to_owned()])?;
            let rows = IndexRows::new(index, &world);
            of_catalog.insert(catalog.to_owned(), (world, rows));
        }
        Ok(Self { of_catalog, met: RefCell::default() })
    }
}

/// The requirements of the bundles of one package, one after another.
pub struct NeedsOfPackage<'w> {
    catalogs: &'w NeedsOfCatalogs<'w>,
    package: String,
    demands: RefCell<HashMap<String, Demands<'w>>>,
}

impl<'w> NeedsOfPackage<'w> {
    /// Reads nothing yet.
    pub fn new(catalogs: &'w NeedsOfCatalogs<'w>, package: &str) -> Self {
        Self { catalogs, package: package.to_owned(), demands: RefCell::default() }
    }

    /// The requirements of a bundle of a catalog, as [`needs`](super::needs) finds them; none in a catalog that is not
    /// one of them.
    ///
    /// # Errors
    /// If its requirements cannot be read.
    pub fn of(&self, catalog: &str, bundle: &str) -> Result<Vec<BundleNeeds>, AskError> {
        let Some((world, rows)) = self.catalogs.of_catalog.get(catalog) else { return Ok(Vec::new()) };
        let mut demands = self.demands.borrow_mut();
        let options = options_of_work(PAGE_WORK);
        let demands = demands.entry(catalog.to_owned()).or_insert_with(|| Demands::new(world, rows, &options));
        let mut met = self.catalogs.met.borrow_mut();
        let met = met.entry(catalog.to_owned()).or_default();
        Ok(demands.of(&self.package, bundle, met)?)
    }
}
