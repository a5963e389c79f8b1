//! The entries of a channel that replace and skip each name.

use super::classic::{Channel, Entry};
use olmdex_base::diag::Place;
use olmdex_text::tally;

/// The entries that replace and skip each name.
///
/// A channel may skip a thousand times as many names as it has entries, so there is one list without a list of its own
/// for each name.
pub(super) struct Naming<'c> {
    channel: &'c Channel,
    /// Each name with the position of an entry that names it, and the item of its skips, or none if it replaces it:
    /// ascending, in the order in which the fields of the channel name it.
    mentions: Vec<(&'c str, u32, Option<u32>)>,
}

impl<'c> Naming<'c> {
    pub(super) fn new(channel: &'c Channel) -> Self {
        let n_skips: usize = channel.entries.iter().map(|entry| entry.fields.skips.len()).sum();
        let mut mentions = Vec::with_capacity(channel.entries.as_slice().len() + n_skips);
        for (at, entry) in (0..).zip(&channel.entries) {
            let replaces = Some(&entry.fields.replaces).filter(|name| !name.is_empty()).map(|name| (name, None));
            let skips = (0..).zip(&entry.fields.skips).map(|(item, name)| (name, Some(item)));
            mentions.extend(replaces.into_iter().chain(skips).map(|(name, item)| (name.as_str(), at, item)));
        }
        tally::step(mentions.len());
        mentions.sort_unstable();
        Self { channel, mentions }
    }

    fn of(&self, name: &str) -> &[(&'c str, u32, Option<u32>)] {
        tally::step(1);
        let first = self.mentions.partition_point(|mention| mention.0 < name);
        let of_name = &self.mentions[first..];
        &of_name[..of_name.partition_point(|mention| mention.0 == name)]
    }

    /// The entries that replace or skip a name, with their positions.
    pub(super) fn leading(&self, name: &str) -> impl Iterator<Item = (usize, &'c Entry)> {
        let entries = self.channel.entries.as_slice();
        self.of(name).iter().map(|&(_, at, _)| (at as usize, &entries[at as usize]))
    }

    /// The names of the entries that replace or skip a name, each once in their order.
    pub(super) fn entries(&self, name: &str) -> Vec<&'c str> {
        // An empty item of a list is not a name.
        let found = self.leading(name).filter(|_| !name.is_empty());
        let mut entries: Vec<&str> = found.map(|(_, entry)| entry.fields.name.as_str()).collect();
        tally::step(entries.len());
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    /// The place where a name is first replaced or skipped.
    pub(super) fn place(&self, name: &str) -> Option<Place> {
        let &(_, at, item) = self.of(name).first()?;
        let (places, number) = (&self.channel.places, self.channel.entries.as_slice()[at as usize].number());
        Some(match item {
            None => places.replaces(number),
            Some(item) => places.skip(number, item as usize),
        })
    }
}
