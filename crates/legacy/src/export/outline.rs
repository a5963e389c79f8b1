//! The first pass over a catalog that is exported: packages and channels, which determine values in the rows of
//! bundles.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::layout::Row;
use crate::rules;
use olmdex_base::diag::Finding;
use olmdex_fbc::{Blob, Consumer, Document, Entry, Failure, Icon, Input, Origin, Typed, load_each};
use olmdex_rules::check::failure_findings;
use olmdex_rules::check::graph::head;
use olmdex_text::tally;

/// A package in files.
#[derive(Debug, Default)]
pub(super) struct PackageOutline {
    pub(super) default_channel: String,
    icon: Option<(Vec<u8>, String)>,
    pub(super) channels: BTreeMap<String, Vec<Entry>>,
}

/// The values in the row of a bundle that come from channels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) skip_range: String,
    pub(super) replaces: String,
    pub(super) skips: Vec<String>,
}

/// A channel as it is written.
#[derive(Debug)]
pub(super) struct ChannelPlan {
    pub(super) package: String,
    pub(super) name: String,
    pub(super) head: String,
    pub(super) rows: Vec<Row>,
}

/// The icon that a default channel's head must show: that of its package, which may have none.
pub(super) type HeadIcon = Option<(Vec<u8>, String)>;

/// The rows of packages and channels to write, and the values that the rows of bundles take from them.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Package and default channel.
    pub(super) packages: Vec<(String, String)>,
    pub(super) channels: Vec<ChannelPlan>,
    /// By package and bundle.
    pub(super) columns: HashMap<(String, String), Columns>,
    /// Heads of channels, by package and bundle.
    pub(super) heads: HashSet<(String, String)>,
    /// Heads of default channels, with the icon of the package.
    pub(super) icons: HashMap<(String, String), HeadIcon>,
    pub(super) findings: Vec<Finding>,
}

/// The content of one document.
enum Fact {
    Package { name: String, default_channel: String, icon: Option<(Vec<u8>, String)>, losses: Vec<String> },
    Channel { package: String, name: String, entries: Vec<Entry>, has_properties: bool },
    Lost(String, String),
    Broken(Origin, Failure),
    None,
}

struct Read;

impl Consumer for Read {
    type Output = Fact;

    fn document(&self, document: Document<'_>) -> Fact {
        match document.blob {
            Ok(blob) => fact(&blob),
            // Bundles are for the second pass, which meets all of them.
            Err(failure) if is_of_bundle(&failure, document.raw) => Fact::None,
            Err(failure) => Fact::Broken(document.origin, failure),
        }
    }

    fn recalls(&self) -> bool {
        true
    }

    fn recall(&self, _origin: Origin, raw: &[u8]) -> Option<Fact> {
        starts_as_bundle(raw).then_some(Fact::None)
    }
}

/// Whether a document is a bundle in the form that every writer of catalogs uses; any other document must be parsed to
/// tell.
fn starts_as_bundle(raw: &[u8]) -> bool {
    raw.get(..64).is_some_and(|head| {
        let head: Vec<u8> = head.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        head.starts_with(b"{\"schema\":\"olm.bundle\"")
    })
}

/// Whether a document that cannot be decoded is a bundle, as far as that can be recognized.
pub(super) fn is_of_bundle(failure: &Failure, raw: &[u8]) -> bool {
    failure.schema == "olm.bundle" || starts_as_bundle(raw)
}

fn icon_of(icon: &Icon<'_>) -> Option<(Vec<u8>, String)> {
    icon.data.clone().filter(|it| !it.is_empty()).map(|data| (data, icon.mediatype.to_string()))
}

fn fact(blob: &Blob<'_>) -> Fact {
    match &blob.typed {
        Typed::Package(it) => {
            let mut losses = Vec::new();
            if !it.description.is_empty() {
                losses.push(format!("the legacy format cannot store the description of package `{}`", it.name));
            }
            for property in &it.properties {
                losses.push(format!(
                    "package `{}`: the legacy format cannot store its property `{}`",
                    it.name, property.kind
                ));
            }
            Fact::Package {
                name: it.name.to_string(),
                default_channel: it.default_channel.to_string(),
                icon: it.icon.as_ref().and_then(icon_of),
                losses,
            }
        }
        Typed::Channel(it) => Fact::Channel {
            package: it.package.to_string(),
            name: it.name.to_string(),
            entries: it.entries.iter().flatten().map(Entry::from).collect(),
            has_properties: !it.properties.is_empty(),
        },
        Typed::Bundle(_) => Fact::None,
        Typed::Deprecations(it) => {
            let mut names: Vec<String> = Vec::new();
            for entry in it.entries.iter().flatten() {
                names.push(if entry.name.is_empty() {
                    format!("`{}`", entry.schema)
                } else {
                    format!("`{}`", entry.name)
                });
            }
            let what = format!(
                "the legacy format cannot store the deprecations of package `{}`: {}",
                it.package,
                names.join(", ")
            );
            Fact::Lost(what, it.package.to_string())
        }
        Typed::Other => {
            let name = if blob.name.is_empty() { String::new() } else { format!(" `{}`", blob.name) };
            Fact::Lost(
                format!("the legacy format cannot store a blob of schema `{}`{name}", blob.schema),
                blob.package.to_string(),
            )
        }
    }
}

/// Reads packages and channels and plans their rows.
pub(super) fn plan(input: &Input) -> Plan {
    let mut plan = Plan::default();
    let mut packages: BTreeMap<String, PackageOutline> = BTreeMap::new();
    load_each(input, &Read, |fact| match fact {
        Fact::Package { name, default_channel, icon, losses } => {
            for loss in losses {
                plan.findings.push(rules::LOST_IN_LEGACY.finding(loss).of_package(name.clone()));
            }
            let package = packages.entry(name).or_default();
            package.default_channel = default_channel;
            package.icon = icon;
        }
        Fact::Channel { package, name, entries, has_properties } => {
            if has_properties {
                let message =
                    format!("the legacy format cannot store the properties of channel `{name}` of package `{package}`");
                plan.findings.push(rules::LOST_IN_LEGACY.finding(message).of_package(package.clone()));
            }
            packages.entry(package).or_default().channels.entry(name).or_default().extend(entries);
        }
        Fact::Lost(message, package) => {
            let package = Some(package).filter(|it| !it.is_empty());
            plan.findings.push(rules::LOST_IN_LEGACY.finding(message).of_package(package.clone()));
        }
        Fact::Broken(origin, failure) => plan.findings.extend(failure_findings(input, origin, &failure)),
        Fact::None => {}
    });
    for (name, package) in &packages {
        plan.package(name, package);
    }
    plan
}

impl Plan {
    fn package(&mut self, name: &str, package: &PackageOutline) {
        let fail = |message: String| rules::INCONVERTIBLE.finding(message).of_package(name.to_owned());
        if !package.channels.contains_key(&package.default_channel) {
            let default = &package.default_channel;
            self.findings.push(fail(format!("package `{name}` has no channel `{default}`, its default channel")));
            return;
        }
        self.packages.push((name.to_owned(), package.default_channel.clone()));
        let members: BTreeSet<&str> = package.channels.values().flatten().map(|entry| entry.name.as_str()).collect();
        // The default channel speaks for all, then the first by name.
        let mut order: Vec<&String> = package.channels.keys().collect();
        order.sort_by_key(|it| (**it != package.default_channel, (*it).clone()));
        for channel in order {
            for entry in &package.channels[channel] {
                self.entry_columns(name, channel, entry);
            }
        }
        for (channel, entries) in &package.channels {
            let top = match head(entries) {
                Ok(top) => top.name.clone(),
                Err(defect) => {
                    let defect = defect.opm_text();
                    self.findings.push(fail(format!("channel `{channel}` of package `{name}`: {defect}")));
                    continue;
                }
            };
            let key = (name.to_owned(), top.clone());
            self.heads.insert(key.clone());
            if *channel == package.default_channel {
                self.icons.insert(key, package.icon.clone());
            }
            let (rows, losses) = rows_of_channel(entries, &top, &members);
            for loss in losses {
                let message = format!("channel `{channel}` of package `{name}`: {loss}");
                self.findings.push(rules::INEXPRESSIBLE_GRAPH.finding(message).of_package(name.to_owned()));
            }
            self.channels.push(ChannelPlan { package: name.to_owned(), name: channel.clone(), head: top, rows });
        }
    }

    fn entry_columns(&mut self, package: &str, channel: &str, entry: &Entry) {
        let columns = Columns {
            skip_range: entry.skip_range.clone(),
            replaces: entry.replaces.clone(),
            skips: entry.skips.clone(),
        };
        let key = (package.to_owned(), entry.name.clone());
        match self.columns.get(&key) {
            None => {
                self.columns.insert(key, columns);
            }
            Some(first) if first.skip_range != entry.skip_range => {
                let message = format!(
                    "bundle `{}` has the skipRange `{}` in channel `{channel}` and `{}` elsewhere: the legacy format cannot store the first",
                    entry.name, entry.skip_range, first.skip_range
                );
                self.findings.push(rules::LOST_IN_LEGACY.finding(message).of_package(package.to_owned()));
            }
            Some(_) => {}
        }
    }
}

/// A channel as rows of edges (`docs/behaviour/legacy-index.md` 2.2): the chain from the head, with a pair of rows for
/// every skip.
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
fn rows_of_channel(entries: &[Entry], head: &str, members: &BTreeSet<&str>) -> (Vec<Row>, Vec<String>) {
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
