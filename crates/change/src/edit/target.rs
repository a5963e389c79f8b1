//! The part of a package that a change is about.

/// The schemas that are changed.
pub(super) const PACKAGE: &str = "olm.package";
pub(super) const CHANNEL: &str = "olm.channel";
pub(super) const BUNDLE: &str = "olm.bundle";

/// A part of a package, or all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The package itself.
    Package,
    /// A channel.
    Channel(String),
    /// A bundle.
    Bundle(String),
}
