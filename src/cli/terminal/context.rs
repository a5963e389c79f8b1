//! The context that every command needs besides its arguments.

use crate::cli::terminal::report::Reporter;
use crate::cluster::Archives;
use crate::compose::Reach;
use crate::source::Opener;

/// The context that every command needs.
pub(crate) struct Context {
    pub(crate) reporter: Reporter,
    /// Opens sources.
    pub(crate) opener: Opener,
    /// Whether indexes of catalogs in files are kept in the user's cache directory.
    pub(crate) keeps_indexes: bool,
    /// How much a file that the user has not named may reach: an `olmdex.toml` that is found, or what a saved plan
    /// names.
    pub(crate) found_config: Reach,
}

impl Context {
    /// The same for sources that a file from elsewhere names, and not the user.
    pub(crate) fn for_unnamed(&self) -> Self {
        Self { opener: self.opener.for_unnamed(), ..*self }
    }

    /// The settings for reading archives of manifests.
    pub(crate) fn archives(&self) -> Archives<'_> {
        Archives { scratch: self.opener.scratch(), limits: self.opener.images.limits }
    }
}
