//! How much a catalog holds.

/// The numbers of documents, packages and other parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files.
    pub files: u64,
    /// Documents in the catalog.
    pub documents: u64,
    /// The number of these documents that the index did not have.
    pub new: u64,
    /// Packages, channels and bundles in the catalog.
    pub packages: u64,
    /// Channels.
    pub channels: u64,
    /// Bundles.
    pub bundles: u64,
}
