//! Whether the upgrades of whole catalogs change CustomResourceDefinitions in a way that OLM refuses.

use super::error::AskError;
use super::upgrade::Olm;
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::upgrade::{BundleObjects, DefinitionUpgrades, definition_upgrades};

/// A question about upgrades that change definitions.
#[derive(Debug, Default)]
pub struct DefinitionQuestion {
    /// The generations of OLM to ask.
    pub olm: Olm,
    /// The catalogs; all of them, if none is named.
    pub catalogs: Vec<String>,
    /// The objects of bundles that the catalogs do not carry, by the names of the bundles.
    pub bundles: BundleObjects,
}

impl DefinitionQuestion {
    /// The answer: every edge of every channel for which both bundles are available.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn answer(&self, index: &Index) -> Result<DefinitionUpgrades, AskError> {
        let filter = Filter { catalogs: self.catalogs.clone(), ..Filter::default() };
        Ok(definition_upgrades(index, &filter, self.olm.generations(), &self.bundles)?)
    }
}
