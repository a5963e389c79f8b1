//! Two states that are compared: `OLD NEW`, or `--old OLD --new NEW`.

use std::path::{Path, PathBuf};

use clap::Args;

/// What was, and what is.
#[derive(Debug, Clone, Args)]
pub(crate) struct TwoStates {
    /// What was there before
    #[arg(value_name = "OLD", requires = "new")]
    old: Option<PathBuf>,
    /// What replaces it
    #[arg(value_name = "NEW")]
    new: Option<PathBuf>,
    /// The same by name: what was there before
    #[arg(long = "old", value_name = "OLD", conflicts_with = "old", requires = "named_new")]
    named_old: Option<PathBuf>,
    /// The same by name: what replaces it
    #[arg(long = "new", value_name = "NEW", conflicts_with = "new", requires = "named_old")]
    named_new: Option<PathBuf>,
}

impl TwoStates {
    /// The old and the new one, if they are given.
    pub(crate) fn both(&self) -> Option<(&Path, &Path)> {
        let old = self.old.as_deref().or(self.named_old.as_deref())?;
        Some((old, self.new.as_deref().or(self.named_new.as_deref())?))
    }
}
