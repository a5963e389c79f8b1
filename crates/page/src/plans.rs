//! The data that the pages about a cluster are made from.

use std::sync::Arc;

use olmdex_ask::CommandLine;
use olmdex_constraint::openshift::Minor;
use olmdex_plan::plan::PlanBasis;
use olmdex_rules::cluster::Cluster;
use olmdex_text::calendar::Day;

/// A cluster that a server was given.
#[derive(Debug)]
pub struct ServedCluster {
    /// Its objects.
    pub cluster: Cluster,
    /// The catalogs that CatalogSources mean, as NAMESPACE/NAME=CATALOG.
    pub ties: Vec<String>,
    /// How a command names the cluster: options with their values.
    pub words: Vec<(&'static str, String)>,
    /// Directories of this machine, with a slash at the end, which are no business of the readers of pages: they are
    /// cut from places.
    pub hidden: Vec<String>,
}

impl ServedCluster {
    /// Cuts the directories of this machine from a text.
    pub(super) fn hide(&self, text: &mut String) {
        for directory in &self.hidden {
            *text = text.replace(directory.as_str(), "");
        }
    }

    /// A command about the cluster.
    pub(super) fn command(&self, name: &'static str) -> CommandLine {
        self.words.iter().fold(CommandLine::of(name), |command, (option, value)| command.option(option, Some(value)))
    }
}

/// The basis of the plans of a cluster.
#[derive(Debug)]
pub struct Plans {
    /// The cluster.
    pub of: Arc<ServedCluster>,
    /// Its version.
    pub from: Minor,
    /// The version to upgrade to if a question names none.
    pub to: Option<Minor>,
    /// The basis of plans.
    pub basis: PlanBasis,
    /// The present day.
    pub today: fn() -> Day,
}
