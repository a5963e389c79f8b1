//! The context that every command needs besides its arguments.

use std::sync::Arc;

use crate::check::pipeline::BuildOptions;
use crate::cli::terminal::report::Reporter;
use crate::compose::{Config, Reach};
use crate::fbc::Sight;
use crate::source::{BundlePlaces, Opener, TemplateUse};

/// The context that every command needs.
pub(crate) struct Context {
    pub(crate) reporter: Reporter,
    /// Opens sources.
    pub(crate) opener: Arc<Opener>,
    /// How the user came to the sources.
    pub(crate) sight: Sight,
    /// Whether indexes of catalogs in files are kept in the user's cache directory.
    pub(crate) keeps_indexes: bool,
    /// How much a file that the user has not named may reach: an `olmdex.toml` that is found, or what a saved plan
    /// names.
    pub(crate) found_config: Reach,
}

impl Context {
    /// The same for sources to which the user came in this way.
    pub(crate) fn for_sight(&self, sight: Sight) -> Self {
        Self { opener: Arc::clone(&self.opener), sight, ..*self }
    }

    /// The same for questions about upgrades, which templates answer, too.
    pub(crate) fn for_graphs(&self) -> Self {
        let opener = Arc::new(self.opener.with_templates(TemplateUse::Graph));
        Self { opener, ..*self }
    }

    /// The same with the bundles of templates' images in these places, if there are any.
    pub(crate) fn with_bundles(&self, places: Option<BundlePlaces>) -> Self {
        let opener = match places {
            Some(places) => Arc::new(self.opener.with_bundles(places)),
            None => Arc::clone(&self.opener),
        };
        Self { opener, ..*self }
    }

    /// The same with images built in this way.
    pub(crate) fn with_builds(&self, builds: BuildOptions) -> Self {
        Self { opener: Arc::new(self.opener.with_builds(builds)), ..*self }
    }

    /// The same for the sources of an `olmdex.toml`.
    pub(crate) fn for_config(&self, config: &Config) -> Self {
        self.for_sight(if config.reach == Reach::Inside { Sight::Found } else { Sight::Named })
    }
}
