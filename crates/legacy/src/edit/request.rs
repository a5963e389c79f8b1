//! A request to add bundles, and its mode.

use olmdex_bundle::bundle::Registration;

/// The source of a bundle's edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// From its `replaces` and `skips`.
    #[default]
    Replaces,
    /// From its version.
    Semver,
    /// From its version; it skips the lower patches of its minor version.
    SemverSkippatch,
}

/// The settings for adding bundles.
#[derive(Debug, Clone, Copy, Default)]
pub struct AddOptions {
    /// The source of edges.
    pub mode: Mode,
    /// Whether a bundle of the same name is overwritten, if it is the head of its channels.
    pub overwrite_latest: bool,
    /// Whether refused bundles are left out.
    pub is_permissive: bool,
}

/// A bundle to add.
#[derive(Debug, Clone, Default)]
pub struct NewBundle {
    /// The content of its files.
    pub bundle: Registration,
    /// The reference of its image; if it is empty, readers take its manifests from the file.
    pub image: String,
}
