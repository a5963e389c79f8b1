//! The order of a channel: which entries count, head first (`docs/behaviour/olm-classic.md` 2.8).

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;

use thiserror::Error;

use crate::fbc::{self, ChannelPlaces};
use crate::version::Version;
use crate::version::blang::Range;

/// A channel.
#[derive(Debug, Clone)]
pub struct Channel {
    /// The package.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Its entries, in their order.
    pub entries: Vec<Entry>,
    /// Where it and its entries stand.
    pub places: Arc<ChannelPlaces>,
}

/// An entry of a channel with what its texts mean.
#[derive(Debug, Clone)]
pub struct Entry {
    /// As the channel has it.
    pub fields: fbc::Entry,
    /// The bundle's version, if it can be read.
    pub version: Option<Version>,
    /// Its range; `None` if it has none, or one that cannot be read, which counts as none.
    pub range: Option<Range>,
    /// Its number among the channel's entries, by which the channel knows its place.
    pub number: usize,
}

impl Entry {
    /// An entry and its bundle's version, with its range read.
    #[must_use]
    pub fn new(fields: fbc::Entry, version: Option<Version>) -> Self {
        let range = Range::parse(&fields.skip_range).ok();
        Self { fields, version, range, number: 0 }
    }
}

impl Deref for Entry {
    type Target = fbc::Entry;

    fn deref(&self) -> &fbc::Entry {
        &self.fields
    }
}

/// The entries of a channel that count.
#[derive(Debug, Clone)]
pub struct Order<'c> {
    /// The head, and what is below it.
    pub live: Vec<&'c Entry>,
    /// What another entry skips, and by which entry.
    pub skipped: HashMap<&'c str, &'c Entry>,
}

/// Why a channel has no order. Then nothing of it can be installed or upgraded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OrderError {
    /// Every entry is replaced or skipped.
    #[error(
        "no channel heads (entries not replaced by another entry) found in channel \"{channel}\" of package \"{package}\""
    )]
    NoHead {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
    /// The chain below the head comes back to itself.
    #[error(
        "a cycle exists in the chain of replacement beginning with \"{head}\" in channel \"{channel}\" of package \"{package}\""
    )]
    Cycle {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The head.
        head: String,
    },
    /// There are several heads.
    #[error(
        "a unique replacement chain within a channel is required to determine the relative order between channel entries, \
         but {} replacement chains were found in channel \"{channel}\" of package \"{package}\": {}",
        .chains.len(), .chains.join(", ")
    )]
    SeveralHeads {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// Each head with the end of its chain.
        chains: Vec<String>,
    },
}

impl Channel {
    /// The entry of a name; of several the first.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|it| it.name == name)
    }

    /// The names of the entries that nothing replaces or skips, in the order of the entries.
    #[must_use]
    pub fn heads(&self) -> Vec<&str> {
        let left: HashSet<&str> = self
            .entries
            .iter()
            .flat_map(|it| it.skips.iter().map(String::as_str).chain([it.replaces.as_str()]))
            .collect();
        self.entries.iter().map(|it| it.name.as_str()).filter(|it| !left.contains(it)).collect()
    }

    /// The order of the channel.
    ///
    /// # Errors
    /// If it has no single chain from a single head.
    pub fn order(&self) -> Result<Order<'_>, OrderError> {
        let mut by_name: HashMap<&str, &Entry> = HashMap::new();
        for entry in &self.entries {
            by_name.entry(&entry.name).or_insert(entry);
        }
        let mut skipped: HashMap<&str, &Entry> = HashMap::new();
        for entry in &self.entries {
            for name in &entry.skips {
                if let Some(known) = by_name.get(name.as_str()) {
                    skipped.entry(&known.name).or_insert(entry);
                }
            }
        }
        let (package, channel) = (self.package.clone(), self.name.clone());
        let mut chains = Vec::new();
        for head in self.heads() {
            let Some(chain) = chain(&by_name, &skipped, head) else {
                return Err(OrderError::Cycle { package, channel, head: head.to_owned() });
            };
            chains.push(chain);
        }
        if chains.len() > 1 {
            let shown = |chain: &Vec<&Entry>| match chain.as_slice() {
                [] => "[]".to_owned(),
                [only] => only.name.clone(),
                [first, .., last] => format!("{}...{}", first.name, last.name),
            };
            let chains = chains.iter().map(shown).collect();
            return Err(OrderError::SeveralHeads { package, channel, chains });
        }
        match chains.pop() {
            Some(live) => Ok(Order { live, skipped }),
            None => Err(OrderError::NoHead { package, channel }),
        }
    }
}

/// The entries below a head that are not skipped; `None` if the way down comes back to itself. Skipped entries are passed
/// through.
fn chain<'c>(
    by_name: &HashMap<&'c str, &'c Entry>,
    skipped: &HashMap<&'c str, &'c Entry>,
    head: &str,
) -> Option<Vec<&'c Entry>> {
    let mut chain = Vec::new();
    let mut visited = HashSet::new();
    let mut at = by_name.get(head);
    while let Some(entry) = at {
        if !visited.insert(entry.name.as_str()) {
            return None;
        }
        if !skipped.contains_key(entry.name.as_str()) {
            chain.push(*entry);
        }
        at = by_name.get(entry.replaces.as_str());
    }
    Some(chain)
}
