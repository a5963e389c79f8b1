//! Why one operator that meets a requirement is preferred to another (`docs/behaviour/olm-classic.md` 2.4.4 to 2.4.7).
//!
//! What it deliberately does not do: it orders nothing. [`super::candidates`] does, by the same criteria in the same order.

use schemars::JsonSchema;
use serde::Serialize;

use super::universe::{EntryId, Universe};

/// What decides between two operators that meet a requirement; each counts only where those before it say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Preference {
    /// It is installed already.
    Installed,
    /// It is in the catalog of the operator that requires it.
    OwnCatalog,
    /// Its catalog has a higher priority.
    CatalogPriority,
    /// Its catalog is in the namespace that is resolved.
    CatalogNamespace,
    /// The name of its catalog comes first.
    CatalogName,
    /// It is in the default channel of its package.
    DefaultChannel,
    /// The name of its package comes first.
    PackageName,
    /// The name of its channel comes first.
    ChannelName,
    /// It comes first in the channel: it is newer.
    ChannelOrder,
}

impl Preference {
    /// The reason, in words.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Installed => "it is installed already",
            Self::OwnCatalog => "it is in the same catalog as the operator that requires it",
            Self::CatalogPriority => "its catalog has a higher priority",
            Self::CatalogNamespace => "its catalog is in the operator's namespace",
            Self::CatalogName => "the name of its catalog sorts first",
            Self::DefaultChannel => "it is in its package's default channel",
            Self::PackageName => "the name of its package sorts first",
            Self::ChannelName => "the name of its channel sorts first",
            Self::ChannelOrder => "it is newer in its channel",
        }
    }
}

/// What decides that the first of two entries is preferred by an operator from the catalog `own`, or from none.
pub(super) fn decisive(universe: &Universe<'_>, first: EntryId, second: EntryId, own: Option<usize>) -> Preference {
    let (a, b) = match (universe.channel_of(first), universe.channel_of(second)) {
        (Some(a), Some(b)) => (a, b),
        (None, Some(_)) => return Preference::Installed,
        (_, None) if universe.bundle(first).package == universe.bundle(second).package => {
            return Preference::ChannelOrder;
        }
        (_, None) => return Preference::PackageName,
    };
    if a.catalog != b.catalog {
        if own == Some(a.catalog) {
            return Preference::OwnCatalog;
        }
        let catalogs = &universe.world.catalogs;
        let (Some(a), Some(b)) = (catalogs.get(a.catalog), catalogs.get(b.catalog)) else {
            return Preference::CatalogName;
        };
        return match (a.priority == b.priority, a.namespace == b.namespace) {
            (false, _) => Preference::CatalogPriority,
            (true, false) => Preference::CatalogNamespace,
            (true, true) => Preference::CatalogName,
        };
    }
    if a.is_default != b.is_default {
        Preference::DefaultChannel
    } else if a.package != b.package {
        Preference::PackageName
    } else if a.name != b.name {
        Preference::ChannelName
    } else {
        Preference::ChannelOrder
    }
}
