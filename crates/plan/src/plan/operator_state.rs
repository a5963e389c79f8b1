//! The words for the state of an operator in a catalog (`docs/behaviour/platform.md` 3.1).

use olmdex_base::variant_name;
use schemars::JsonSchema;
use serde::Serialize;

/// The state of an operator in a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OperatorState {
    /// It is the head of its channel.
    Head,
    /// There is an update.
    Behind,
    /// It is higher than the head, and not in the channel.
    Newer,
    /// Nothing leads on from it, and it is not the head.
    Stranded,
    /// The channel does not hold it, but leads on from it.
    NotInCatalogButReachable,
    /// The package has no such channel.
    ChannelGone,
    /// The catalog does not have the package.
    PackageGone,
    /// No Subscription: no updates will come.
    Unmanaged,
    /// No catalog is given, or no Subscriptions.
    Unknown,
}

impl OperatorState {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        variant_name(&self)
    }

    /// Every state, from good to bad.
    pub const ALL: [Self; 9] = [
        Self::Head,
        Self::Behind,
        Self::Newer,
        Self::NotInCatalogButReachable,
        Self::Stranded,
        Self::ChannelGone,
        Self::PackageGone,
        Self::Unmanaged,
        Self::Unknown,
    ];

    /// The meaning, for the legend of a table.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Head => "it is the head of its channel, so it has no update",
            Self::Behind => "the channel has an update for it",
            Self::Newer => "it is higher than the head of the channel, which does not list it",
            Self::NotInCatalogButReachable => "the channel does not list it, but has an update for it",
            Self::Stranded => "it is not the head, and the channel has no update for it",
            Self::ChannelGone => "the package no longer has the channel",
            Self::PackageGone => "the catalog does not have the package",
            Self::Unmanaged => "no Subscription has installed it, so it gets no updates",
            Self::Unknown => "no catalog is tied to its CatalogSource, or no Subscription is given for it",
        }
    }

    /// Whether OLM can go on from there, or need not.
    pub(super) fn is_good(self) -> bool {
        !matches!(self, Self::Stranded | Self::ChannelGone | Self::PackageGone)
    }
}
