//! The bundle that a ClusterExtension has installed.

/// The installed bundle as the cluster has recorded it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its release; `None` if none is recorded, which is not the same as an empty one.
    pub release: Option<String>,
}
