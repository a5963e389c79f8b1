//! What every command needs besides its arguments.
//!
//! What it deliberately does not do: no options of single commands.

use crate::cli::terminal::report::Reporter;
use crate::cluster::Archives;
use crate::compose::Reach;
use crate::source::Opener;

/// What every command needs.
pub(crate) struct Context {
    pub(crate) reporter: Reporter,
    /// Opens sources.
    pub(crate) opener: Opener,
    /// Whether indexes of catalogs in files are kept in the user's cache directory.
    pub(crate) keeps_indexes: bool,
    /// What an `olmdex.toml` that is found may reach.
    pub(crate) found_config: Reach,
}

impl Context {
    /// How archives of manifests are read.
    pub(crate) fn archives(&self) -> Archives<'_> {
        Archives { scratch: self.opener.scratch(), limits: self.opener.images.limits }
    }
}
