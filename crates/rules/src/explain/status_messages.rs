//! Messages of statuses, events and logs that their words alone explain: of ClusterServiceVersions, InstallPlans,
//! CatalogSources and unpack jobs of OLM Classic, and of ClusterExtensions and ClusterCatalogs of OLM v1. The words are
//! those of the real systems' sources (operator-framework's operator-lifecycle-manager and operator-controller).

use super::builder::Made;
use super::rule::MessagePattern;

/// A line for each message, the fields of its pattern in their order; the first that fits counts. `|` is between the
/// items of a field, `…` between the texts around a name.
const MESSAGES: &str = include_str!("status_messages.tsv");

/// The explanation of a message; `lower` is the message in lower case.
pub(super) fn status(message: &str, lower: &str) -> Option<Made> {
    MESSAGES.lines().find_map(|line| {
        let [system, marks, meaning, names, next] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        let [marks, names, next] = [marks, names, next].map(|field| field.split('|').collect::<Vec<_>>());
        let names: Vec<_> = names.iter().filter_map(|it| it.split_once('…')).collect();
        MessagePattern { system, marks: &marks, meaning, names: &names, next: &next }.explain(message, lower)
    })
}
