//! From rows of edges to entries of channels (`docs/behaviour/legacy-index.md` 3.2 and 3.3).

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::rows::Rows;

/// A bundle in a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// The bundle that it replaces, or empty.
    pub(super) replaces: String,
    /// The bundles that it skips, in order, duplicates kept.
    pub(super) skips: Vec<String>,
}

/// Bundle, package, channel: the key and the order of the rows in the real tool's query.
pub(super) type Membership = (String, String, String);

/// All memberships that the rows of edges make, whether or not the bundle, package or channel exists. Rows without
/// bundle or channel are left out; without package, the package's name is empty.
pub(super) fn memberships(rows: &Rows) -> BTreeMap<Membership, Edges> {
    let by_id: HashMap<i64, usize> = rows.entries.iter().enumerate().map(|(idx, it)| (it.id, idx)).collect();
    let chain = chain(rows, &by_id);
    let target = |id: i64| by_id.get(&id).and_then(|&idx| rows.entries[idx].bundle.as_deref());
    let mut found: BTreeMap<Membership, Edges> = BTreeMap::new();
    // Ascending numbers, as the order of the skips comes from them.
    let mut ordered: Vec<usize> = (0..rows.entries.len()).collect();
    ordered.sort_by_key(|&idx| rows.entries[idx].id);
    for idx in ordered {
        let entry = &rows.entries[idx];
        let (Some(bundle), Some(channel)) = (&entry.bundle, &entry.channel) else { continue };
        let package = entry.package.clone().unwrap_or_default();
        let edges = found.entry((bundle.clone(), package, channel.clone())).or_default();
        let Some(replaced) = entry.replaces else { continue };
        if chain.contains(&entry.id) {
            if let Some(name) = target(replaced)
                && name > edges.replaces.as_str()
            {
                edges.replaces = name.to_owned();
            }
        } else if let Some(names) = target(replaced) {
            // A name with a comma falls apart on the way.
            edges.skips.extend(names.split(',').map(str::to_owned));
        }
    }
    found
}

/// The rows of the least depth in the whole file, and all rows that `replaces` leads to from them.
fn chain(rows: &Rows, by_id: &HashMap<i64, usize>) -> HashSet<i64> {
    let Some(least) = rows.entries.iter().filter_map(|it| it.depth).min() else { return HashSet::new() };
    let mut chain: HashSet<i64> = HashSet::new();
    let mut open: VecDeque<i64> = rows.entries.iter().filter(|it| it.depth == Some(least)).map(|it| it.id).collect();
    while let Some(id) = open.pop_front() {
        if chain.insert(id)
            && let Some(next) = by_id.get(&id).and_then(|&idx| rows.entries[idx].replaces)
            && by_id.contains_key(&next)
        {
            open.push_back(next);
        }
    }
    chain
}
