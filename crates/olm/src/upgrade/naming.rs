//! The entries of a channel that replace and skip each name.

use std::collections::HashMap;

use super::classic::{Channel, Entry};
use olmdex_base::diag::Place;
use olmdex_text::tally;

/// The entries that replace and skip each name.
pub(super) struct Naming<'c> {
    channel: &'c Channel,
    names: HashMap<&'c str, Named<'c>>,
}

struct Named<'c> {
    /// The first entry that names it, and the item of its skips; none if it replaces it.
    first: (&'c Entry, Option<usize>),
    /// The names of all of them.
    by: Vec<&'c str>,
}

impl<'c> Naming<'c> {
    pub(super) fn new(channel: &'c Channel) -> Self {
        let mut names: HashMap<&str, Named<'_>> = HashMap::with_capacity(channel.entries.as_slice().len());
        for entry in &channel.entries {
            let skips = entry.fields.skips.iter().enumerate().map(|(item, name)| (name, Some(item)));
            for (name, item) in std::iter::once((&entry.fields.replaces, None)).chain(skips) {
                tally::step(1);
                let named = names.entry(name).or_insert_with(|| Named { first: (entry, item), by: Vec::new() });
                if named.by.last() != Some(&entry.fields.name.as_str()) {
                    named.by.push(&entry.fields.name);
                }
            }
        }
        Self { channel, names }
    }

    /// The names of the entries that replace or skip a name, each once in their order.
    pub(super) fn entries(&self, name: &str) -> Vec<&'c str> {
        // The empty name of an absent `replaces` is not a name.
        let found = self.names.get(name).filter(|_| !name.is_empty());
        let mut entries = found.map(|it| it.by.clone()).unwrap_or_default();
        tally::step(1 + entries.len());
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    /// The place where a name is first replaced or skipped.
    pub(super) fn place(&self, name: &str) -> Option<Place> {
        tally::step(1);
        let places = &self.channel.places;
        self.names.get(name).map(|it| match it.first {
            (entry, None) => places.replaces(entry.number()),
            (entry, Some(item)) => places.skip(entry.number(), item),
        })
    }
}
