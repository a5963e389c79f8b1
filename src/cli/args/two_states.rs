//! Two states that are compared: `OLD NEW`, or `--old OLD --new NEW`.

use clap::Args;

use crate::cli::args::sources::{NamedSource, named_source};

/// The old and the new state.
#[derive(Debug, Clone, Args)]
pub(crate) struct TwoStates {
    /// The old state
    #[arg(value_name = "OLD", requires = "new", value_parser = named_source())]
    old: Option<NamedSource>,
    /// The new state
    #[arg(value_name = "NEW", value_parser = named_source())]
    new: Option<NamedSource>,
    /// The old state, as OLD
    #[arg(long = "old", value_name = "OLD", conflicts_with = "old", requires = "named_new", value_parser = named_source())]
    named_old: Option<NamedSource>,
    /// The new state, as NEW
    #[arg(long = "new", value_name = "NEW", conflicts_with = "new", requires = "named_old", value_parser = named_source())]
    named_new: Option<NamedSource>,
}

impl TwoStates {
    /// The old and the new one, if the user gave them.
    pub(crate) fn both(&self) -> Option<(&NamedSource, &NamedSource)> {
        let old = self.old.as_ref().or(self.named_old.as_ref())?;
        Some((old, self.new.as_ref().or(self.named_new.as_ref())?))
    }
}
