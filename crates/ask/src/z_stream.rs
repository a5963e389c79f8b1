//! Channels rewritten so that patch releases upgrade to the latest one of their minor version.

use super::error::AskError;
use super::name::{no_channel, no_package};
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::upgrade::{ZStream, ZStreamError, z_stream};

/// A question about the upgrades of patch releases.
#[derive(Debug, Default)]
pub struct ZStreamQuestion {
    /// The package.
    pub package: String,
    /// The channel; the default one of each catalog if there is none.
    pub channel: Option<String>,
    /// The catalogs; all if none is named.
    pub catalogs: Vec<String>,
}

/// The channel of a catalog as a z-stream.
#[derive(Debug)]
pub struct CatalogZStream {
    /// The name of the catalog.
    pub catalog: String,
    /// The channel.
    pub stream: ZStream,
}

impl ZStreamQuestion {
    /// The z-stream of each catalog that has the package.
    ///
    /// # Errors
    /// [`AskError::NoPackage`], [`AskError::NoChannel`], [`AskError::NoZStream`]; if the index cannot be read.
    pub fn answer(&self, index: &Index) -> Result<Vec<CatalogZStream>, AskError> {
        let filter = Filter { catalogs: self.catalogs.clone(), ..Filter::default() };
        let graphs = index.package_graphs(&filter, &self.package)?;
        if graphs.is_empty() {
            return Err(no_package(index, &self.package)?);
        }
        let of_catalog = |graph: olmdex_index::query::PackageGraph| {
            let channel = self.channel.as_ref().unwrap_or(&graph.default_channel);
            match z_stream(&graph, channel) {
                Ok(stream) => Ok(CatalogZStream { catalog: graph.catalog, stream }),
                Err(ZStreamError::NoChannel { package, channel }) => Err(no_channel(index, &package, &channel)?),
                Err(error) => Err(AskError::NoZStream(error)),
            }
        };
        graphs.into_iter().map(of_catalog).collect()
    }
}
