//! A package of a catalog, put together from the facts of its documents.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::facts::{BundleFacts, ChannelFacts, DeprecationsFacts, PackageFacts};

/// A package with all its documents. Numbers are those of documents.
#[derive(Debug, Default)]
pub(super) struct PackageModel<'a> {
    /// The package's own document.
    pub(super) document: Option<usize>,
    pub(super) facts: Option<&'a PackageFacts>,
    /// Channels in order, each name once.
    pub(super) channels: Vec<(usize, &'a ChannelFacts)>,
    /// The document of each channel, by the channel's name.
    pub(super) channel_numbers: HashMap<&'a str, usize>,
    /// Bundles by name.
    pub(super) bundles: HashMap<&'a str, (usize, &'a BundleFacts)>,
    pub(super) deprecations: Option<(usize, &'a DeprecationsFacts)>,
    /// Whether a document that seems to belong here could not be read, so that something may only seem to be absent.
    pub(super) is_incomplete: bool,
}

impl PackageModel<'_> {
    pub(super) fn default_channel(&self) -> &str {
        self.facts.map(|it| it.default_channel.as_str()).unwrap_or_default()
    }

    pub(super) fn has_channel(&self, name: &str) -> bool {
        self.channel_numbers.contains_key(name)
    }

    /// Names that more than one bundle of the package's channels shares as a version; those that have no document
    /// count as 0.0.0.
    pub(super) fn duplicate_versions(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut by_version: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for entry in self.channels.iter().flat_map(|(_, it)| it.entries.iter()) {
            let version = match self.bundles.get(entry.name.as_str()) {
                Some((_, bundle)) => bundle.version.as_deref(),
                None => Some("0.0.0"),
            };
            if let Some(version) = version {
                by_version.entry(version).or_default().insert(&entry.name);
            }
        }
        by_version.retain(|_, names| names.len() > 1);
        by_version
    }
}
