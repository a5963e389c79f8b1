//! What is to be added, and how.
//!
//! What it deliberately does not do: it says nothing of what is in the file.

use olmdex_bundle::bundle::Registration;

/// Where a bundle's edges come from.
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

/// How bundles are added.
#[derive(Debug, Clone, Copy, Default)]
pub struct AddOptions {
    /// Where edges come from.
    pub mode: Mode,
    /// Whether a bundle of the same name is overwritten, if it is the head of its channels.
    pub overwrite_latest: bool,
    /// Whether what is refused is left out.
    pub is_permissive: bool,
}

/// A bundle to add.
#[derive(Debug, Clone, Default)]
pub struct NewBundle {
    /// What its files say.
    pub bundle: Registration,
    /// The reference of its image, or empty: then readers take its manifests from the file.
    pub image: String,
}
