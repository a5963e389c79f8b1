//! The source of upgrade edges for bundles that are added to an index.

use clap::ValueEnum;

use crate::legacy::Mode;

/// A mode, as users write it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpdateMode {
    /// From `replaces` and `skips` of the bundles
    #[default]
    Replaces,
    /// From the versions
    Semver,
    /// From the versions; a patch skips the lower ones of its minor version
    SemverSkippatch,
}

impl From<UpdateMode> for Mode {
    fn from(word: UpdateMode) -> Self {
        match word {
            UpdateMode::Replaces => Self::Replaces,
            UpdateMode::Semver => Self::Semver,
            UpdateMode::SemverSkippatch => Self::SemverSkippatch,
        }
    }
}
