//! `--source-map`, which every option `--cluster` goes with.

use clap::Args;

/// The options that tell which catalog a CatalogSource has.
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceMapOption {
    /// Catalog, or family of catalogs, that a CatalogSource of the cluster stands for; may be repeated. Default: the
    /// catalog with the label `catalogsource`, else that of its name, else that of the cluster's version of OpenShift
    /// in the family of its name
    #[arg(long, value_name = "NS/NAME=CATALOG")]
    pub(crate) source_map: Vec<String>,
}
