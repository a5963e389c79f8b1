//! A channel as the engines see it: its entries with their ranges read, found by their names.

use std::sync::{Arc, OnceLock};

use olmdex_fbc::{ChannelPlaces, SharedEntry};
use olmdex_index::query::GraphChannel;
use olmdex_text::tally;
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// A channel.
#[derive(Debug, Clone)]
pub struct Channel {
    /// The package.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Its entries, in their order.
    pub entries: Entries,
    /// The places of the channel and its entries.
    pub places: Arc<ChannelPlaces>,
}

/// An entry of a channel with the meaning of its texts.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its fields in the channel.
    pub fields: SharedEntry,
    /// The bundle's version, if it can be read.
    pub version: Option<Version>,
    /// Its range; `None` if it has none, or one that cannot be read, which counts as none.
    pub range: Option<Range>,
}

impl Entry {
    /// An entry and its bundle's version, with its range read.
    pub fn new(fields: impl Into<SharedEntry>, version: Option<Version>) -> Self {
        let fields = fields.into();
        let range = Range::parse(&fields.skip_range).ok();
        Self { fields, version, range }
    }

    /// Its number among the channel's entries, by which the channel knows its place.
    pub fn number(&self) -> usize {
        self.fields.number()
    }
}

impl Channel {
    /// A channel of a package as it was read; `version` knows the versions of its bundles.
    pub fn new(package: &str, channel: &GraphChannel, version: impl Fn(&str) -> Option<Version>) -> Self {
        let entry = |it: SharedEntry| {
            let version = version(&it.name);
            Entry::new(it, version)
        };
        Self {
            package: package.to_owned(),
            name: channel.name.clone(),
            entries: SharedEntry::each(&channel.entries).map(entry).collect(),
            places: Arc::clone(&channel.places),
        }
    }

    /// The entry of a name; if there are several, the first.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.of(name)
    }
}

/// So few entries are looked through.
const FEW: usize = 32;

/// The entries of a channel, in their order.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    list: Vec<Entry>,
    /// Their positions in the order of their names, made when a name is first looked for: a search along a channel
    /// looks for all of them.
    by_name: OnceLock<Vec<usize>>,
}

impl Entries {
    /// All of them, in their order.
    pub fn as_slice(&self) -> &[Entry] {
        &self.list
    }

    /// One after another, in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.list.iter()
    }

    /// The entry of a name; if there are several, the first.
    pub fn of(&self, name: &str) -> Option<&Entry> {
        self.place_of(name).map(|it| &self.list[it])
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        if self.list.len() <= FEW {
            tally::step(self.list.len());
            return self.list.iter().position(|it| it.fields.name == name);
        }
        let by_name = self.by_name.get_or_init(|| {
            tally::step(self.list.len());
            let mut places: Vec<usize> = (0..self.list.len()).collect();
            places.sort_by(|&a, &b| self.list[a].fields.name.cmp(&self.list[b].fields.name));
            places
        });
        tally::step(1);
        let first = by_name.partition_point(|&it| self.list[it].fields.name.as_str() < name);
        by_name.get(first).copied().filter(|&it| self.list[it].fields.name == name)
    }

    /// Adds an entry at the end.
    pub fn push(&mut self, entry: Entry) {
        self.by_name = OnceLock::new();
        self.list.push(entry);
    }

    /// Changes the entry of a name, if there is one; if there are several, the first.
    pub fn change(&mut self, name: &str, change: impl FnOnce(&Entry) -> Entry) {
        if let Some(at) = self.place_of(name) {
            self.list[at] = change(&self.list[at]);
            self.by_name = OnceLock::new();
        }
    }
}

impl From<Vec<Entry>> for Entries {
    fn from(list: Vec<Entry>) -> Self {
        Self { list, by_name: OnceLock::new() }
    }
}

impl FromIterator<Entry> for Entries {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        entries.into_iter().collect::<Vec<_>>().into()
    }
}

impl<'e> IntoIterator for &'e Entries {
    type Item = &'e Entry;
    type IntoIter = std::slice::Iter<'e, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olmdex_fbc as fbc;

    fn entry(name: &str, replaces: &str) -> Entry {
        let fields = fbc::Entry { name: name.to_owned(), replaces: replaces.to_owned(), ..fbc::Entry::default() };
        Entry::new(fields, None)
    }

    #[test]
    fn a_name_is_found_whatever_the_number_of_entries() {
        for n_entries in [3, FEW, FEW + 1, 100] {
            let mut entries: Entries = (0..n_entries).map(|it| entry(&format!("p.v{it}"), "")).collect();
            entries.push(entry("p.v1", "second"));
            let found = |entries: &Entries, name: &str| entries.of(name).map(|it| it.fields.replaces.clone());
            assert_eq!(found(&entries, "p.v1").as_deref(), Some(""));
            assert_eq!(found(&entries, "p"), None);
            entries.change("p.v1", |it| Entry { fields: entry("q", "other").fields, ..it.clone() });
            assert_eq!(found(&entries, "p.v1").as_deref(), Some("second"));
            assert_eq!(found(&entries, "q").as_deref(), Some("other"));
            entries.push(entry("z", ""));
            assert!(entries.of("z").is_some());
        }
    }
}
