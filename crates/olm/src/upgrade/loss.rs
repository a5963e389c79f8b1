//! The losses between two states of a package: channels that are gone, and versions that could be upgraded and no
//! longer can.
//!
//! `check-graph --old` and `diff` both ask here, so they cannot disagree. A Subscription follows one channel, so each
//! channel counts by itself, whatever the other channels offer.

use std::collections::HashSet;

use super::classic::{Channel, Installed, Package};
use super::ordered::Ordered;
use super::package_view::package_versions;
use olmdex_index::IndexError;
use olmdex_index::query::{Change, Filter, LostUpgrade, NestedChanges, Side, diff_with};

/// A loss of a package from its older to its newer state.
pub(super) enum Loss<'o> {
    /// The channel is gone.
    Channel(&'o Channel),
    /// The channel has lost its order, so nothing in it can be upgraded.
    Order(&'o Channel),
    /// A version was the head, or had an upgrade, and has none now.
    Version {
        /// The channel as it was.
        channel: &'o Channel,
        /// The bundle that users of that version have installed.
        installed: Installed,
        /// The bundle that it was upgraded to; `None` if it was the head.
        before: Option<&'o str>,
    },
}

impl Loss<'_> {
    pub(super) fn channel(&self) -> &Channel {
        match self {
            Self::Channel(channel) | Self::Order(channel) | Self::Version { channel, .. } => channel,
        }
    }

    /// The loss as a difference of two catalogs.
    fn as_change(&self) -> Option<LostUpgrade> {
        let channel = self.channel().name.clone();
        match self {
            // The difference lists channels that are gone by itself.
            Self::Channel(_) => None,
            Self::Order(_) => Some(LostUpgrade { channel, bundle: None, before: None }),
            Self::Version { installed, before, .. } => {
                Some(LostUpgrade { channel, bundle: Some(installed.name.clone()), before: before.map(str::to_owned) })
            }
        }
    }
}

/// The losses of a package, channel by channel in the order of the older state.
pub(super) fn losses<'o>(old: &Ordered<'o>, new: &Ordered<'_>) -> Vec<Loss<'o>> {
    let mut losses = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for channel in &old.package.channels {
        if !seen.insert(&channel.name) {
            continue;
        }
        if new.channels(&channel.name).next().is_none() {
            losses.push(Loss::Channel(channel));
            continue;
        }
        // Nothing could be upgraded in a channel without an order.
        let Some(walked) = old.walker(&channel.name) else { continue };
        let Some(walker) = new.walker(&channel.name) else {
            losses.push(Loss::Order(channel));
            continue;
        };
        for (of_old, _) in old.channels(&channel.name) {
            for entry in &of_old.entries {
                let version =
                    || new.channels(&channel.name).find_map(|it| it.0.entry(&entry.fields.name)?.version.clone());
                let installed =
                    Installed { name: entry.fields.name.clone(), version: version().or(entry.version.clone()) };
                if walker.next(&installed).is_some() || new.is_head(&channel.name, &entry.fields.name) {
                    continue;
                }
                let before = Installed { name: entry.fields.name.clone(), version: entry.version.clone() };
                let before = walked.next(&before).map(|it| it.1.fields.name.as_str());
                if before.is_some() || old.is_head(&channel.name, &entry.fields.name) {
                    losses.push(Loss::Version { channel: of_old, installed, before });
                }
            }
        }
    }
    losses
}

/// The upgrades that a package has lost, for a difference of two catalogs.
pub(super) fn lost_upgrades(old: &Package, new: &Package) -> Vec<LostUpgrade> {
    losses(&Ordered::new(old), &Ordered::new(new)).iter().filter_map(Loss::as_change).collect()
}

/// The differences between two catalogs, sorted by package, and in a package from the whole to its parts; only in these
/// packages, if any are named. Breaking differences are packages and channels that are gone, versions that lose their
/// upgrade in a channel, and bundles with other content under the same name.
///
/// # Errors
/// [`IndexError::NoSuchCatalog`] if an index has no such catalog, or if one is damaged.
pub fn diff(
    old: Side<'_>,
    new: Side<'_>,
    packages: &[String],
    nested: NestedChanges,
) -> Result<Vec<Change>, IndexError> {
    diff_with(old, new, packages, nested, &|package| lost(old, new, package))
}

fn lost(old: Side<'_>, new: Side<'_>, package: &str) -> Result<Vec<LostUpgrade>, IndexError> {
    let graph = |side: Side<'_>| {
        let filter = Filter::of_catalog(side.catalog);
        Ok::<_, IndexError>(package_versions(side.index, &filter, package)?.into_iter().next())
    };
    // A package that is gone or new says so itself.
    let (Some(old), Some(new)) = (graph(old)?, graph(new)?) else { return Ok(Vec::new()) };
    Ok(lost_upgrades(&Package::of_versions(&old), &Package::of_versions(&new)))
}
