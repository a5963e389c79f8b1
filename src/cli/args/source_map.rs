//! `--source-map`, which every option `--cluster` goes with.

use clap::Args;

/// Which catalog a CatalogSource is.
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceMapOption {
    /// Which catalog, or family of catalogs, a CatalogSource of the cluster is; may be repeated. Default: the catalog with the label
    /// `catalogsource`, else that of its name, else that of the cluster's version of OpenShift in the family of its name
    #[arg(long, value_name = "NS/NAME=CATALOG")]
    pub(crate) source_map: Vec<String>,
}
