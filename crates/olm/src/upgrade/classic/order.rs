//! The order of a channel: which entries count, head first (`docs/behaviour/olm-classic.md` 2.8).

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use crate::upgrade::channel::{Channel, Entry};

/// The entries of a channel that count.
#[derive(Debug, Clone)]
pub struct Order<'c> {
    /// The head, and the entries below it.
    pub live: Vec<&'c Entry>,
    /// The names that another entry skips, each with that entry.
    pub skipped: HashMap<&'c str, &'c Entry>,
}

/// The reasons why a channel has no order. Then nothing of it can be installed or upgraded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OrderError {
    /// Every entry is replaced or skipped.
    #[error(
        "no channel heads (entries not replaced by another entry) found in channel \"{channel}\" of package \"{package}\""
    )]
    NoHead { package: String, channel: String },
    /// The chain below the head comes back to itself.
    #[error(
        "a cycle exists in the chain of replacement beginning with \"{head}\" in channel \"{channel}\" of package \"{package}\""
    )]
    Cycle { package: String, channel: String, head: String },
    /// There are several heads.
    #[error(
        "a unique replacement chain within a channel is required to determine the relative order between channel entries, \
         but {} replacement chains were found in channel \"{channel}\" of package \"{package}\": {}",
        .chains.len(), .chains.join(", ")
    )]
    SeveralHeads {
        package: String,
        channel: String,
        /// Each head with the end of its chain.
        chains: Vec<String>,
    },
}

impl Channel {
    /// The names of the entries that nothing replaces or skips, in the order of the entries.
    pub fn heads(&self) -> Vec<&str> {
        let left: HashSet<&str> = self
            .entries
            .iter()
            .flat_map(|it| it.fields.skips.iter().map(String::as_str).chain([it.fields.replaces.as_str()]))
            .collect();
        self.entries.iter().map(|it| it.fields.name.as_str()).filter(|it| !left.contains(it)).collect()
    }

    /// The order of the channel.
    ///
    /// # Errors
    /// If it has no single chain from a single head.
    pub fn order(&self) -> Result<Order<'_>, OrderError> {
        let entries = self.entries.as_slice();
        // Entries are known by the place of the first one of their name.
        let mut by_name: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
        let first: Vec<usize> =
            entries.iter().enumerate().map(|(at, it)| *by_name.entry(&it.fields.name).or_insert(at)).collect();
        let mut skipped_by: Vec<Option<&Entry>> = vec![None; entries.len()];
        let mut is_left: Vec<bool> = vec![false; entries.len()];
        let replaces: Vec<Option<usize>> =
            entries.iter().map(|it| by_name.get(it.fields.replaces.as_str()).copied()).collect();
        for (entry, replaced) in entries.iter().zip(&replaces) {
            for &known in entry.fields.skips.iter().filter_map(|it| by_name.get(it.as_str())) {
                skipped_by[known].get_or_insert(entry);
                is_left[known] = true;
            }
            if let Some(replaced) = *replaced {
                is_left[replaced] = true;
            }
        }
        let (package, channel) = (self.package.clone(), self.name.clone());
        // The head from which each entry was last reached.
        let mut visited: Vec<Option<usize>> = vec![None; entries.len()];
        let mut chains = Vec::new();
        for &head in first.iter().filter(|&&it| !is_left[it]) {
            let Some(chain) = self.chain(&replaces, &skipped_by, &mut visited, head) else {
                let head = entries[head].fields.name.clone();
                return Err(OrderError::Cycle { package, channel, head });
            };
            chains.push(chain);
        }
        if chains.len() > 1 {
            let shown = |chain: &Vec<&Entry>| match chain.as_slice() {
                [] => "[]".to_owned(),
                [only] => only.fields.name.clone(),
                [first, .., last] => format!("{}...{}", first.fields.name, last.fields.name),
            };
            let chains = chains.iter().map(shown).collect();
            return Err(OrderError::SeveralHeads { package, channel, chains });
        }
        match chains.pop() {
            Some(live) => {
                let skipped = entries.iter().zip(skipped_by);
                let skipped = skipped.filter_map(|(entry, by)| Some((entry.fields.name.as_str(), by?))).collect();
                Ok(Order { live, skipped })
            }
            None => Err(OrderError::NoHead { package, channel }),
        }
    }

    /// The entries below a head that are not skipped; `None` if the way down comes back to itself. Skipped entries are
    /// passed through.
    fn chain(
        &self,
        replaces: &[Option<usize>],
        skipped_by: &[Option<&Entry>],
        visited: &mut [Option<usize>],
        head: usize,
    ) -> Option<Vec<&Entry>> {
        let mut chain = Vec::new();
        let mut next = Some(head);
        while let Some(at) = next {
            if visited[at].replace(head) == Some(head) {
                return None;
            }
            if skipped_by[at].is_none() {
                chain.push(&self.entries.as_slice()[at]);
            }
            next = replaces[at];
        }
        Some(chain)
    }
}
