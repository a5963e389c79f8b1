//! Compares the graphs of both sides: packages, channels, heads, entries and edges.
use olmdex_base::diag::Listed;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::bundles::Outcome;
use super::forms::{Graph, Link, Member};
use super::new::NewSide;
use super::old::OldSide;
use super::old_bundle::Standing;
use super::report::Report;
use crate::package::Problem;
use crate::rules;

/// The graphs of both sides.
pub(super) struct Graphs<'a> {
    pub(super) old: &'a OldSide<'a>,
    pub(super) new: &'a NewSide,
}

impl<'a> Graphs<'a> {
    fn is_converted(&self, package: &str) -> bool {
        self.new.graph.packages.contains_key(package)
    }

    /// Compares packages, channels, heads and edges; `problems` say why packages are left out, `bundles` which rows
    /// count.
    pub(super) fn compare<'p>(
        &self,
        problems: impl IntoIterator<Item = &'p Problem>,
        bundles: &[Outcome],
        report: &mut Report,
    ) {
        for (package, message) in &self.new.strange {
            report.differs(message.clone(), package);
        }
        let left_out = self.compare_packages(problems, report);
        let is_left_out = |package: &str| left_out.contains(package);
        let old = self.old_graph(bundles, report);
        let new = &self.new.graph;
        for (what, channels) in [
            ("is missing", old.channels.difference(&new.channels)),
            ("is not in the old file", new.channels.difference(&old.channels)),
        ] {
            for (package, channel) in channels.filter(|it| !is_left_out(&it.0)) {
                report.differs(format!("channel `{channel}` of `{package}` {what}"), package);
            }
        }
        self.compare_heads(&old, report);
        for ((package, channel, bundle), skip_range) in old.members.iter().filter(|it| !is_left_out(&it.0.0)) {
            let entry = format!("entry `{bundle}` in channel `{channel}` of `{package}`");
            match new.members.get(&(package.clone(), channel.clone(), bundle.clone())) {
                None => report.differs(format!("{entry} is missing"), package),
                Some(it) if it == skip_range => {}
                Some(it) => {
                    let message =
                        format!("{entry} has the skipRange `{skip_range}` in the old file and `{it}` in the new");
                    report.differs(message, package);
                }
            }
        }
        for member in new.members.keys().filter(|it| !old.members.contains_key(it)) {
            let (package, channel, bundle) = member;
            let message = format!("entry `{bundle}` in channel `{channel}` of `{package}` is not in the old file");
            report.differs(message, package);
        }
        compare_edges(&old, new, is_left_out, report);
        let of_packages: BTreeSet<(&String, &String)> = old.members.keys().map(|it| (&it.0, &it.2)).collect();
        for (package, name) in self.new.bundles.keys().filter(|it| !of_packages.contains(&(&it.0, &it.1))) {
            report.differs(format!("bundle `{name}` of package `{package}` is not in the old file"), package);
        }
    }

    /// Compares packages. Returns those that are left out.
    fn compare_packages<'p>(
        &self,
        problems: impl IntoIterator<Item = &'p Problem>,
        report: &mut Report,
    ) -> BTreeSet<&'a str> {
        let mut why: BTreeMap<&str, &str> = BTreeMap::new();
        for problem in problems {
            if let Some(package) = &problem.package {
                why.entry(package).or_insert(&problem.text);
            }
        }
        let mut left_out = BTreeSet::new();
        for package in self.old.packages.keys().filter(|it| !self.is_converted(it)) {
            left_out.insert(package.as_str());
            match why.get(package.as_str()) {
                Some(why) => {
                    let message = format!("package `{package}` is left out: {why}");
                    report.say(rules::INCONVERTIBLE, message, Some(package));
                }
                None => report.differs(format!("package `{package}` is missing"), package),
            }
        }
        let of_channels = self.old.channels.keys().map(|it| it.0.as_str());
        let named = of_channels.chain(self.old.entries.iter().map(|it| it.package.as_str()));
        for package in named.filter(|it| !self.old.packages.contains_key(*it)) {
            if left_out.insert(package) {
                let message = format!("package `{package}` has channels or entries but no row, and is lost");
                report.say(rules::BROKEN_REFERENCE, message, Some(package));
            }
        }
        for (package, default) in &self.new.graph.packages {
            match self.old.packages.get(package) {
                Some(it) if it == default => {}
                Some(it) => {
                    let message = format!(
                        "package `{package}` has the default channel `{it}` in the old file and `{default}` in the new"
                    );
                    report.differs(message, package);
                }
                None => report.differs(format!("package `{package}` is not in the old file"), package),
            }
            let message = match (self.old.icons.get(package), self.new.graph.icons.get(package)) {
                (old, new) if old == new => continue,
                (Some(_), None) => format!("the icon of package `{package}` is missing"),
                (None, Some(_)) => format!("the icon of package `{package}` is not in the old file"),
                _ => format!("the icon of package `{package}` differs in the old file"),
            };
            report.differs(message, package);
        }
        left_out
    }

    /// The graph that the old file's rows make.
    fn old_graph(&self, bundles: &[Outcome], report: &mut Report) -> Graph {
        let standing: HashMap<&str, &Standing> = bundles.iter().map(|it| (it.name.as_str(), &it.standing)).collect();
        let mut graph = Graph { channels: self.old.channels.keys().cloned().collect(), ..Graph::default() };
        let mut strangers: BTreeSet<Member> = BTreeSet::new();
        let mut named: BTreeSet<Member> = BTreeSet::new();
        for it in &self.old.entries {
            let in_channel = |name: &str| (it.package.clone(), it.channel.clone(), name.to_owned());
            match standing.get(it.bundle.as_str()) {
                Some(Standing::Counts { skip_range }) => {
                    graph.members.insert(in_channel(&it.bundle), skip_range.clone());
                }
                Some(Standing::Lacks(_) | Standing::Deprecated) => {}
                None => {
                    strangers.insert(in_channel(&it.bundle));
                }
            }
            if it.is_dangling {
                let (package, channel, bundle) = (&it.package, &it.channel, &it.bundle);
                let message = format!(
                    "channel `{channel}` of `{package}`: an upgrade to `{bundle}` from a row that does not exist is lost"
                );
                report.say(rules::BROKEN_REFERENCE, message, Some(package));
            }
            let Some((link, from)) = &it.from else { continue };
            named.insert(in_channel(from));
            let mut edge = |from: &str| {
                if !from.is_empty() {
                    let (package, channel, bundle) = in_channel(&it.bundle);
                    graph.edges.insert((package, channel, bundle, *link, from.to_owned()));
                }
            };
            match link {
                Link::Replaces => edge(from),
                // A list of names falls apart on the way, so a name with a comma does too.
                Link::Skips => from.split(',').for_each(edge),
            }
        }
        for (package, channel, bundle) in strangers.difference(&named).filter(|it| self.is_converted(&it.0)) {
            let message = format!(
                "channel `{channel}` of `{package}` has an entry for `{bundle}`, which is not a bundle: it is lost"
            );
            report.say(rules::BROKEN_REFERENCE, message, Some(package));
        }
        let in_properties: BTreeSet<&str> = bundles
            .iter()
            .filter(|it| matches!(it.standing, Standing::Deprecated))
            .map(|it| it.name.as_str())
            .collect();
        for name in self.old.deprecated.iter().filter(|it| !in_properties.contains(it.as_str())) {
            let message = format!("the entry for `{name}` in the table of deprecated bundles is lost");
            report.say(rules::LOST_COLUMN, message, None);
        }
        graph
    }

    /// Compares the heads that the edges make, and names those that only the rows of channels name.
    fn compare_heads(&self, old: &Graph, report: &mut Report) {
        let (old_heads, new_heads) = (old.heads(), self.new.graph.heads());
        for (name, new) in &new_heads {
            let (package, channel) = name;
            let none = Vec::new();
            let old = old_heads.get(name).unwrap_or(&none);
            if old != new {
                let list = |heads: &[&str]| Listed::quoted(heads.iter());
                let message = format!(
                    "the head of channel `{channel}` of `{package}` is {} in the old file and {} in the new",
                    list(old),
                    list(new)
                );
                report.differs(message, package);
            }
            if let ([top], Some(Some(head))) = (old.as_slice(), self.old.channels.get(name))
                && top != head
            {
                let message = format!(
                    "channel `{channel}` of `{package}` names `{head}` as its head, but by its edges the head is \
                    `{top}`: the name is lost"
                );
                report.say(rules::GRAPH_IGNORES_COLUMN, message, Some(package));
            }
        }
    }
}

fn compare_edges(old: &Graph, new: &Graph, is_left_out: impl Fn(&str) -> bool, report: &mut Report) {
    let words = |link| match link {
        Link::Replaces => "",
        Link::Skips => ", skipping it,",
    };
    for (package, channel, to, link, from) in new.edges.difference(&old.edges) {
        let how = words(*link);
        let message = format!(
            "channel `{channel}` of `{package}`: an upgrade from `{from}` to `{to}`{how} is not in the old file"
        );
        report.differs(message, package);
    }
    for edge in old.edges.difference(&new.edges).filter(|it| !is_left_out(&it.0)) {
        let (package, channel, to, link, from) = edge;
        let how = words(*link);
        let message = format!("channel `{channel}` of `{package}`: the upgrade from `{from}` to `{to}`{how} is lost");
        let is_member = new.members.contains_key(&(package.clone(), channel.clone(), to.clone()));
        // An entry replaces one bundle: if there are several, the last by name.
        let behind = new.edges.range(edge.clone()..);
        let has_last = behind
            .take_while(|it| (&it.0, &it.1, &it.2, it.3) == (package, channel, to, Link::Replaces))
            .any(|it| it.4 > *from);
        if !is_member || has_last {
            report.say(rules::LOST_EDGE, message, Some(package));
        } else {
            report.differs(message, package);
        }
    }
}
