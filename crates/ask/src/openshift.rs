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

/// The versions of OpenShift that names of catalogs, properties of bundles and lifecycles mention, the lowest first.
pub fn mentioned_minors<'c>(
    catalogs: impl Iterator<Item = &'c str>,
    graphs: &[PackageGraph],
    lifecycles: impl Iterator<Item = &'c Lifecycle>,
) -> Vec<Minor> {
    let mut texts: Vec<String> = catalogs.map(str::to_owned).collect();
    for bundle in graphs.iter().flat_map(|it| &it.bundles) {
        texts.extend(bundle.openshift_versions.split([',', '-', '|', ' ', '"']).map(str::to_owned));
        texts.extend(bundle.max_openshift_versions.iter().cloned());
    }
    texts.extend(lifecycles.flat_map(|it| &it.versions).flat_map(|it| it.openshift().unwrap_or_default().to_vec()));
    let mut found = BTreeSet::new();
    for text in texts {
        let numbers = text.trim_matches(|c: char| !c.is_ascii_digit());
        // Names such as `2024.1` are not of OpenShift.
        if let Some((major, rest)) = numbers.split_once('.')
            && let Ok(major @ 4..=5) = major.parse()
            && let Ok(minor) = rest.split('.').next().unwrap_or_default().parse()
        {
            found.insert(Minor { major, minor });
        }
    }
    found.into_iter().collect()
}
