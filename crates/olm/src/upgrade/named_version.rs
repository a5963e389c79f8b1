//! A bundle by its name and its version, as a cluster records it and as catalogs list it.

/// A bundle by its name and its version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedVersion {
    /// Its name.
    pub name: String,
    /// Its version, or empty.
    pub version: String,
    /// Its release, if there is one apart from the version; `None` is not the same as an empty one.
    pub release: Option<String>,
}
