//! The version of OpenShift that a question is about.

use std::collections::BTreeSet;

use super::error::AskError;
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::PackageGraph;
use olmdex_rules::cluster::Cluster;
use olmdex_rules::openshift::Lifecycle;

/// A minor version of OpenShift, as people write it.
///
/// # Errors
/// The fault of the text, in words.
pub fn minor(text: &str) -> Result<Minor, String> {
    text.parse()
}

/// The version of a cluster's ClusterVersion; `words` name the cluster in messages.
///
/// # Errors
/// [`AskError::NoClusterVersion`], [`AskError::BadClusterVersion`]
pub fn openshift_of(cluster: &Cluster, words: &str) -> Result<Minor, AskError> {
    match cluster.openshift.as_str() {
        "" => Err(AskError::NoClusterVersion(words.to_owned())),
        read => minor(read).map_err(|reason| AskError::BadClusterVersion { version: read.to_owned(), reason }),
    }
}

/// The versions of OpenShift that people ask about, the lowest first: those that names of catalogs, properties of
/// bundles and lifecycles mention, those after a catalog or a highest version, and all from the lowest catalog on.
pub fn mentioned_minors<'c>(
    catalogs: impl Iterator<Item = &'c str>,
    graphs: &[PackageGraph],
    lifecycles: impl Iterator<Item = &'c Lifecycle>,
) -> Vec<Minor> {
    let of_catalogs: BTreeSet<Minor> = catalogs.filter_map(mentioned).collect();
    let bundles = || graphs.iter().flat_map(|it| &it.bundles);
    let limits = bundles().flat_map(|it| &it.max_openshift_versions).filter_map(|text| mentioned(text));
    let mut found: BTreeSet<Minor> = of_catalogs.iter().copied().chain(limits).flat_map(|it| [it, it.next()]).collect();
    let published = bundles().flat_map(|it| it.openshift_versions.split([',', '-', '|', ' ', '"']));
    found.extend(published.filter_map(mentioned));
    let supported = lifecycles.flat_map(|it| &it.versions).flat_map(|it| it.openshift().unwrap_or_default());
    found.extend(supported.filter_map(|text| mentioned(text)));
    if let (Some(&lowest), Some(highest)) = (of_catalogs.first(), found.last()) {
        let most = lowest.minor.saturating_add(MOST_BETWEEN).min(highest.minor);
        found.extend((lowest.minor..=most).map(|minor| Minor { minor, ..lowest }));
    }
    found.into_iter().collect()
}

/// The most versions that nothing mentions, so that no catalog can ask for many.
const MOST_BETWEEN: u64 = 20;

/// The version of OpenShift in a text. Names such as `2024.1` have none.
fn mentioned(text: &str) -> Option<Minor> {
    let numbers = text.trim_matches(|c: char| !c.is_ascii_digit());
    let (major, rest) = numbers.split_once('.')?;
    let major = major.parse().ok().filter(|it| matches!(it, 4..=5))?;
    Some(Minor { major, minor: rest.split('.').next().unwrap_or_default().parse().ok()? })
}
