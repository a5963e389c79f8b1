//! An entry of a channel: its name, and the names that it replaces and skips.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// One entry of a channel, with texts of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry<S = String> {
    /// Name of the bundle.
    pub name: S,
    /// Name of the bundle that it replaces, or empty.
    pub replaces: S,
    /// Names of bundles that it skips.
    pub skips: Vec<S>,
    /// Range of versions that it skips (blang syntax), or empty.
    pub skip_range: S,
}

/// An entry whose texts are those of the document that it was read from.
pub type EntryView<'d> = Entry<Cow<'d, str>>;

impl From<&EntryView<'_>> for Entry {
    fn from(view: &EntryView<'_>) -> Self {
        Self {
            name: view.name.to_string(),
            replaces: view.replaces.to_string(),
            skips: view.skips.iter().map(ToString::to_string).collect(),
            skip_range: view.skip_range.to_string(),
        }
    }
}

/// A pointer to one of a channel's entries, which keeps all of them: engines share the texts that were read, and copy
/// none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedEntry {
    all: Arc<[Entry]>,
    /// Its place in `all`, which is not empty.
    number: usize,
}

impl SharedEntry {
    /// The entries of a channel, in their order.
    pub fn each(all: &Arc<[Entry]>) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..all.len()).map(|number| Self { all: Arc::clone(all), number })
    }

    /// Its number among the entries of its channel, by which [`super::ChannelPlaces`] know it.
    pub fn number(&self) -> usize {
        self.number
    }
}

/// A single entry, whose number is 0.
impl From<Entry> for SharedEntry {
    fn from(entry: Entry) -> Self {
        Self { all: Arc::new([entry]), number: 0 }
    }
}

impl Deref for SharedEntry {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        &self.all[self.number]
    }
}
