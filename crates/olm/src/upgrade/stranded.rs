//! The bundles that OLM Classic no longer upgrades: a channel has or once had them, they are not its head, and they
//! have no upgrade in it.
//!
//! A Subscription follows one channel, so each channel counts by itself, as in `loss`. A bundle that a catalog no
//! longer lists is still installed somewhere.
//!
//! This module looks at one catalog at one time. The caller keeps earlier states.

use std::collections::BTreeMap;

use super::classic::{Installed, Package};
use super::ordered::Ordered;
use super::package_view::package_versions;
use olmdex_index::query::Filter;
use olmdex_index::{Index, IndexError};

/// Bundles of channels that somebody may have installed, by name.
#[derive(Debug, Default)]
pub struct Installable {
    channels: BTreeMap<String, BTreeMap<String, Installed>>,
}

/// The reasons why a bundle has no upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrandedBecause {
    /// The catalog does not have the package.
    PackageGone,
    /// The package does not have the channel.
    ChannelGone,
    /// The channel has no order.
    NoOrder,
    /// No entry replaces or skips it, nor is its version in a range.
    NoUpgrade,
}

/// A bundle of a channel without an upgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrandedBundle {
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
    /// Its version; empty if it has none.
    pub version: String,
    /// Why.
    pub because: StrandedBecause,
}

impl Installable {
    /// The bundles that have no upgrade in a catalog; the bundles that the catalog lists may be installed from now on.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn stranded(&mut self, index: &Index, catalog: &str, package: &str) -> Result<Vec<StrandedBundle>, IndexError> {
        let versions = package_versions(index, &Filter::of_catalog(catalog), package)?.into_iter().next();
        let now = versions.as_ref().map(Package::of_versions);
        let now = now.as_ref().map(Ordered::new);
        for channel in now.iter().flat_map(|it| &it.package.channels) {
            let known = self.channels.entry(channel.name.clone()).or_default();
            for entry in &channel.entries {
                let (name, version) = (entry.fields.name.clone(), entry.version.clone());
                // If a bundle is listed but absent, an older state may know its version.
                let version = version.or_else(|| known.get(&name)?.version.clone());
                known.insert(name.clone(), Installed { name, version });
            }
        }
        let mut found = Vec::new();
        for (channel, bundles) in &self.channels {
            for installed in bundles.values() {
                if let Some(because) = because(now.as_ref(), channel, installed) {
                    let version = installed.version.as_ref().map(ToString::to_string).unwrap_or_default();
                    let (channel, bundle) = (channel.clone(), installed.name.clone());
                    found.push(StrandedBundle { channel, bundle, version, because });
                }
            }
        }
        Ok(found)
    }
}

fn because(now: Option<&Ordered<'_>>, channel: &str, installed: &Installed) -> Option<StrandedBecause> {
    let Some(now) = now else { return Some(StrandedBecause::PackageGone) };
    if now.channels(channel).next().is_none() {
        return Some(StrandedBecause::ChannelGone);
    }
    let Some(walker) = now.walker(channel) else { return Some(StrandedBecause::NoOrder) };
    let is_well = now.is_head(channel, &installed.name) || walker.next(installed).is_some();
    (!is_well).then_some(StrandedBecause::NoUpgrade)
}
