//! `--source-map`, which every option `--cluster` goes with.

use clap::Args;

use crate::ask::State;
use crate::cli::args::sources::AskOptions;
use crate::cluster::Cluster;

/// The options that tell which catalog a CatalogSource has.
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceMapOption {
    /// Catalog, or family of catalogs, that a CatalogSource of the cluster stands for; may be repeated. Default: the
    /// catalog with the label `catalogsource`, else that of its name, else that of its image; of a family, the catalog
    /// for the cluster's version of OpenShift
    #[arg(long, value_name = "NS/NAME=CATALOG")]
    pub(crate) source_map: Vec<String>,
}

impl SourceMapOption {
    /// The state that questions are put to: catalogs of sources, and a cluster with words for it.
    pub(crate) fn state<'s, I>(
        &'s self,
        index: &'s I,
        sources: &AskOptions,
        cluster: Option<&'s (Cluster, String)>,
    ) -> State<'s, I> {
        let cluster = cluster.map(|(cluster, words)| (cluster, words.as_str()));
        State { cluster, source_map: &self.source_map, are_named: sources.names_catalogs(), ..State::of(index) }
    }
}
