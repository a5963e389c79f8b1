//! Why one operator that meets a requirement is preferred to another (`docs/behaviour/olm-classic.md` 2.4.4 to 2.4.7).

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use super::universe::{Channel, EntryId, Universe};

/// The criterion between two operators that meet a requirement; each counts only if those before it leave the choice
/// open.
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
    pub fn reason(self) -> &'static str {
        match self {
            Self::Installed => "it is already installed",
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

/// The rank of a channel for an operator from the catalog `own`, or from none: the least is the most preferred. The
/// fields are the criteria, in their order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Standpoint<'w> {
    is_foreign: bool,
    /// An unknown catalog comes last.
    priority: Reverse<Option<i64>>,
    is_elsewhere: bool,
    catalog_name: &'w str,
    /// Two catalogs of one name and namespace are still two.
    catalog: usize,
    is_not_default: bool,
    package: String,
    channel: String,
}

impl<'w> Standpoint<'w> {
    pub(super) fn of(universe: &Universe<'w>, channel: &Channel, own: Option<usize>) -> Self {
        let is_foreign = own != Some(channel.catalog);
        // Among channels of the dependent's own catalog, no property of the catalog decides.
        let catalog = universe.world.catalogs.get(channel.catalog).filter(|_| is_foreign);
        Self {
            is_foreign,
            priority: Reverse(catalog.map(|it| it.priority)),
            is_elsewhere: catalog.is_some_and(|it| it.namespace != universe.world.namespace),
            catalog_name: catalog.map_or("", |it| &it.name),
            catalog: channel.catalog,
            is_not_default: !channel.is_default,
            package: channel.package.clone(),
            channel: channel.name.clone(),
        }
    }

    /// The first criterion that tells it from another one.
    fn decisive(&self, other: &Self) -> Preference {
        let differs = [
            (self.is_foreign != other.is_foreign, Preference::OwnCatalog),
            (self.priority != other.priority, Preference::CatalogPriority),
            (self.is_elsewhere != other.is_elsewhere, Preference::CatalogNamespace),
            (self.catalog_name != other.catalog_name, Preference::CatalogName),
            (self.catalog != other.catalog, Preference::CatalogName),
            (self.is_not_default != other.is_not_default, Preference::DefaultChannel),
            (self.package != other.package, Preference::PackageName),
            (self.channel != other.channel, Preference::ChannelName),
        ];
        differs.into_iter().find(|it| it.0).map_or(Preference::ChannelOrder, |it| it.1)
    }
}

/// The criterion by which an operator of the catalog `own`, or of none, prefers the first of two entries.
pub(super) fn decisive(universe: &Universe<'_>, first: EntryId, second: EntryId, own: Option<usize>) -> Preference {
    match (universe.channel_of(first), universe.channel_of(second)) {
        (Some(a), Some(b)) => Standpoint::of(universe, a, own).decisive(&Standpoint::of(universe, b, own)),
        (None, Some(_)) => Preference::Installed,
        (_, None) if universe.bundle(first).package == universe.bundle(second).package => Preference::ChannelOrder,
        (_, None) => Preference::PackageName,
    }
}
