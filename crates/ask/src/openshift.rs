//! The version of OpenShift that a question is about.

use super::error::AskError;
use olmdex_constraint::openshift::Minor;
use olmdex_rules::cluster::Cluster;
use olmdex_version::Version;

/// A minor version of OpenShift, as people write it.
///
/// # Errors
/// The fault of the text, in words.
pub fn minor(text: &str) -> Result<Minor, String> {
    // `419` would be major version 419.
    if !text.contains('.') {
        return Err("a version has a dot, as in 4.18".to_owned());
    }
    match Version::parse_tolerant(text) {
        Ok(version) => Ok(Minor::of(&version)),
        Err(error) => Err(format!("{error}; write a version as 4.18")),
    }
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
