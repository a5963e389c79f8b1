//! The channel by which a bundle is asked for.

use super::Filter;
use crate::{Index, IndexError};

/// A channel that holds a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelPlace {
    /// The channel.
    pub channel: String,
    /// The version of the bundle.
    pub version: String,
    /// Whether the bundle is a head of the channel: nothing there replaces or skips it.
    pub is_head: bool,
    /// Whether the channel is the default one of its package.
    pub is_default: bool,
}

impl Index {
    /// The place of a bundle of a package of a catalog in `channel`. If `channel` is empty, the place is in the default
    /// channel if the bundle is there, or else in the bundle's first channel.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn channel_place(
        &self,
        catalog: &str,
        package: &str,
        bundle: &str,
        channel: &str,
    ) -> Result<ChannelPlace, IndexError> {
        let filter = Filter::in_catalog(catalog, package);
        let entries = self.entries(&filter)?;
        let default = self.packages(&filter)?.into_iter().next().map(|it| it.default_channel).unwrap_or_default();
        let mut channels = entries.iter().filter(|it| it.bundle == bundle).map(|it| &it.channel);
        let channel = match channel {
            "" => channels.clone().find(|it| **it == default).or(channels.next()).cloned().unwrap_or_default(),
            known => known.to_owned(),
        };
        let in_channel = || entries.iter().filter(|it| it.channel == channel);
        let is_head = in_channel().any(|it| it.bundle == bundle)
            && !in_channel().any(|it| it.replaces == bundle || it.skips.iter().any(|it| it == bundle));
        let version = self.bundles(&filter)?.into_iter().find(|it| it.bundle == bundle).map(|it| it.version);
        Ok(ChannelPlace { is_default: channel == default, channel, version: version.unwrap_or_default(), is_head })
    }
}
