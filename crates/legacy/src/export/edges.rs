//! A channel as rows of edges (`docs/behaviour/legacy-index.md` 2.2): the chain from the head, with a pair of rows for
//! every skip.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::layout::Row;
use olmdex_fbc::Entry;
use olmdex_text::tally;

struct Rows<'a> {
    rows: Vec<Row>,
    depth: i64,
    losses: Vec<String>,
    /// Bundles of other channels that have become entries.
    entered: HashSet<String>,
    /// Entries of this channel.
    entries: HashMap<&'a str, &'a Entry>,
    /// Bundles of the package, in any channel.
    members: &'a BTreeSet<&'a str>,
}

impl<'a> Rows<'a> {
    fn push(&mut self, bundle: &str, replaces: Option<usize>) -> usize {
        self.rows.push(Row { bundle: bundle.to_owned(), replaces, depth: self.depth });
        self.rows.len() - 1
    }

    /// The pair of rows that makes an edge off the chain.
    fn pair(&mut self, to: &str, from: &str) {
        self.enters(from);
        let gone = self.push(from, None);
        self.push(to, Some(gone));
        self.depth += 1;
    }

    /// A bundle of another channel becomes an entry of this one by being named here.
    fn enters(&mut self, name: &str) {
        if !self.entries.contains_key(name) && self.members.contains(name) {
            tally::step(1);
            if self.entered.insert(name.to_owned()) {
                self.losses.push(format!("`{name}`, which an entry replaces or skips, becomes an entry itself"));
            }
        }
        if name.contains(',') {
            self.losses.push(format!("the name `{name}` is split at its comma"));
        }
    }

    fn skips(&mut self, entry: &'a Entry) {
        for skip in &entry.skips {
            self.pair(&entry.name, skip);
        }
    }
}

/// The rows of a channel with this head, and the facts that they cannot state.
pub(super) fn rows_of_channel(entries: &[Entry], head: &str, members: &BTreeSet<&str>) -> (Vec<Row>, Vec<String>) {
    let mut it = Rows {
        rows: Vec::new(),
        depth: 0,
        losses: Vec::new(),
        entered: HashSet::new(),
        entries: entries.iter().map(|it| (it.name.as_str(), it)).collect(),
        members,
    };
    let mut row = it.push(head, None);
    it.depth = 1;
    let mut chain: HashSet<&str> = HashSet::new();
    let mut current = it.entries.get(head).copied();
    while let Some(entry) = current {
        chain.insert(&entry.name);
        it.skips(entry);
        if entry.replaces.is_empty() {
            break;
        }
        if chain.contains(entry.replaces.as_str()) {
            it.losses.push(format!(
                "`{}` replaces `{}`, which would form a cycle and cannot be stored",
                entry.name, entry.replaces
            ));
            break;
        }
        it.enters(&entry.replaces);
        let next = it.push(&entry.replaces, None);
        it.depth += 1;
        it.rows[row].replaces = Some(next);
        row = next;
        current = it.entries.get(entry.replaces.as_str()).copied();
    }
    let named: HashSet<String> = it.rows.iter().map(|row| row.bundle.clone()).collect();
    let leading = entries.iter().flat_map(|it| std::iter::once(&it.replaces).chain(&it.skips));
    let has_upgrade: HashSet<&str> = leading.inspect(|_| tally::step(1)).map(String::as_str).collect();
    for entry in entries.iter().filter(|it| !chain.contains(it.name.as_str())) {
        if !named.contains(&entry.name) {
            if !has_upgrade.contains(entry.name.as_str()) {
                it.losses
                    .push(format!("no upgrade leads from `{}` to the head, but it still becomes an entry", entry.name));
            }
            it.push(&entry.name, None);
            it.depth += 1;
        }
        it.skips(entry);
        if entry.replaces.is_empty() {
            continue;
        }
        // Skipping a bundle of the chain would cut the chain there.
        if chain.contains(entry.replaces.as_str()) {
            it.losses.push(format!(
                "`{}` is off the chain; it replaces `{}`, which cannot be stored",
                entry.name, entry.replaces
            ));
        } else {
            it.losses.push(format!(
                "`{}` is off the chain; it replaces `{}`, which is written as a skip",
                entry.name, entry.replaces
            ));
            it.pair(&entry.name, &entry.replaces);
        }
    }
    (it.rows, it.losses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_off_the_chain_is_told_in_so_many_steps() {
        tally::assert_grows_with_input(500, |size| {
            let names: Vec<String> = (0..size).map(|it| format!("p.v{it}")).collect();
            let entries: Vec<Entry> = names.iter().map(|it| Entry { name: it.clone(), ..Entry::default() }).collect();
            move || {
                let members = names.iter().map(String::as_str).collect();
                let (rows, losses) = rows_of_channel(&entries, &names[0], &members);
                assert_eq!((rows.len(), losses.len()), (size, size - 1));
            }
        });
    }
}
