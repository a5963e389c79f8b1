//! The proof of a migration: the legacy file and the blobs that were made of it, each read by a reader of its own, say
//! the same.
//!
//! | part | what it does |
//! |---|---|
//! | `old` | reads the legacy file, by queries of its own |
//! | `new` | reads the blobs, as any catalog is read |
//! | `forms` | the forms in which both are compared |
//! | `metadata` | compares an `olm.csv.metadata` property with the ClusterServiceVersion that it was made of |
//!
//! With the conversion it shares how the file is opened and how a cell becomes text, and nothing else: neither its rows
//! nor its graph nor its choice of bundles nor its survey of manifests. It gets the file, not the catalog that the
//! conversion made of it. What one side has and the other has not is either one of the known losses, which are named, or
//! the proof fails.
//!
//! Bundles are compared as they are read, many at a time; only what the blobs say is kept.
//!
//! What it deliberately does not do: it does not ask whether the catalog is valid; and what old tables repeat of manifests
//! (plurals of APIs, the columns that a graph was made of) is no loss where the manifests are.

mod forms;
mod metadata;
mod new;
mod old;
mod report;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::forms::{BundleFacts, CSV_METADATA, Graph, Link, Member, PACKAGE, texts};
use self::new::NewSide;
use self::old::{OldBundle, OldSide, Standing};
use self::report::Report;
use super::era::Fidelity;
use super::error::LegacyError;
use super::file::LegacyFile;
use super::package::Problem;
use super::rules;
use crate::diag::Finding;
use crate::fbc::Input;
use crate::json::Reader;

/// Compares a legacy file with the blobs that were made of it. `problems` say why packages are left out. Losses are
/// warnings, anything else is an error.
///
/// # Errors
/// If the legacy file cannot be read.
pub fn prove<'a>(
    file: &LegacyFile,
    fidelity: Fidelity,
    problems: impl IntoIterator<Item = &'a Problem>,
    blobs: &Input,
) -> Result<Vec<Finding>, LegacyError> {
    let new = new::read(blobs);
    let prove = || -> rusqlite::Result<Report> {
        let mut report = Report::default();
        for missing in file.missing().into_iter().filter(|it| it.is_in_blobs) {
            report.say(rules::DAMAGED, format!("{missing}, which is lost"), None);
        }
        let old = OldSide::read(file, fidelity, &mut report)?;
        let proof = Proof::new(&old, &new);
        let bundles = old.bundles(|standing, bundle, report| proof.bundle(standing, bundle, report))?;
        proof.compare(problems, bundles, &mut report);
        Ok(report)
    };
    match prove() {
        Ok(report) => Ok(report.findings),
        Err(error) => Err(LegacyError::sqlite(file.path(), &error)),
    }
}

/// What became of a bundle's row.
#[derive(Debug)]
struct Outcome {
    name: String,
    standing: Standing,
    /// What is lost of it, and how the blobs differ.
    report: Report,
}

/// Both sides.
struct Proof<'a> {
    old: &'a OldSide<'a>,
    new: &'a NewSide,
    /// The packages in which a bundle has entries.
    packages_of: HashMap<&'a str, BTreeSet<&'a str>>,
    /// What any entry says that a bundle replaces or skips.
    edges_of: HashMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Proof<'a> {
    fn new(old: &'a OldSide<'a>, new: &'a NewSide) -> Self {
        let mut packages_of: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        let mut edges_of: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for entry in &old.entries {
            packages_of.entry(&entry.bundle).or_default().insert(&entry.package);
            edges_of.entry(&entry.bundle).or_default().extend(entry.from.iter().map(|it| it.1.as_str()));
        }
        Self { old, new, packages_of, edges_of }
    }

    fn is_converted(&self, package: &str) -> bool {
        self.new.graph.packages.contains_key(package)
    }

    /// Compares a bundle with the blobs of the packages that it is in.
    fn bundle(&self, standing: Standing, mut bundle: OldBundle, losses: Report) -> Outcome {
        let mut report = Report::default();
        let name = std::mem::take(&mut bundle.name);
        let packages = self.packages_of.get(name.as_str());
        let converted: Vec<&str> = packages.into_iter().flatten().copied().filter(|it| self.is_converted(it)).collect();
        match &standing {
            _ if packages.is_none() => {
                report.say(rules::STRANDED_BUNDLE, format!("bundle `{name}` is in no channel, and lost"), None);
            }
            Standing::Counts { .. } => {
                if let [package, ..] = converted.as_slice() {
                    let of_package = |mut it: Finding| {
                        it.package = Some((*package).to_owned());
                        it
                    };
                    report.findings.extend(losses.findings.into_iter().map(of_package));
                }
                for package in converted {
                    if let Some(new) = self.new.bundles.get(&(package.to_owned(), name.clone())) {
                        self.compare_bundle(&name, package, &bundle, new, &mut report);
                    } else {
                        report.differs(format!("bundle `{name}` of package `{package}` is missing"), package);
                    }
                }
            }
            Standing::Lacks(lacking) => {
                let message = format!("bundle `{name}` is lost: its {lacking} is NULL");
                report.say(rules::ROW_WITHOUT_VALUE, message, None);
            }
            Standing::Deprecated => {
                report.say(rules::DEPRECATED_BUNDLE, format!("bundle `{name}` is deprecated, and lost"), None);
            }
        }
        Outcome { name, standing, report }
    }

    fn compare_bundle(&self, name: &str, package: &str, old: &OldBundle, new: &BundleFacts, report: &mut Report) {
        if old.facts.image != new.image {
            let (old, new) = (&old.facts.image, &new.image);
            let message = format!("bundle `{name}` has the image `{old}` in the old file and `{new}` in the new");
            report.differs(message, package);
        }
        self.compare_properties(name, package, old, new, report);
        for (images, how) in [
            (old.facts.images.difference(&new.images), "is missing"),
            (new.images.difference(&old.facts.images), "is not in the old file"),
        ] {
            for (title, image) in images {
                let title = if title.is_empty() { String::new() } else { format!(" (`{title}`)") };
                report.differs(format!("bundle `{name}`: the related image `{image}`{title} {how}"), package);
            }
        }
        let n_lost = old.facts.manifests.difference(&new.manifests).count();
        if n_lost > 0 {
            let message = format!("bundle `{name}`: {} lost", counted(n_lost, "manifest is", "manifests are"));
            if is_metadata_made(&old.facts, new) {
                report.say(rules::LOST_MANIFESTS, message, Some(package));
            } else {
                report.differs(message, package);
            }
        }
        let n_more = new.manifests.difference(&old.facts.manifests).count();
        if n_more > 0 {
            let are = counted(n_more, "manifest is", "manifests are");
            report.differs(format!("bundle `{name}`: {are} not in the old file"), package);
        }
        if new.manifests.is_empty() {
            let none = BTreeSet::new();
            let edges = self.edges_of.get(name).unwrap_or(&none);
            for other in old.column_edges.iter().filter(|it| !edges.contains(it.as_str())) {
                let message = format!("bundle `{name}`: that its columns replace or skip `{other}` is lost");
                report.say(rules::LOST_COLUMN, message, Some(package));
            }
        }
    }

    fn compare_properties(&self, name: &str, package: &str, old: &OldBundle, new: &BundleFacts, report: &mut Report) {
        // One that names the package is made for bundles that have none.
        let made = texts(&[("packageName", package), ("version", &old.version)]);
        let made = (PACKAGE.to_owned(), made);
        let mut expected = old.facts.properties.clone();
        if !old.facts.has(PACKAGE) {
            expected.insert(made);
        } else if old.facts.properties.iter().all(|it| it.0 != PACKAGE || !has_version(&it.1, &old.version)) {
            let message = format!(
                "bundle `{name}`: that its column has the version `{}` is lost, as a property has another",
                old.version
            );
            report.say(rules::LOST_COLUMN, message, Some(package));
        }
        let is_mixed = |kind: &str| self.old.mixes_dependencies() && kind.ends_with(".required");
        for (kind, value) in expected.difference(&new.properties) {
            if is_mixed(kind) {
                let message = format!("bundle `{name}`: the dependency `{kind}` {value} is lost, as opm loses it");
                report.say(rules::OPM_WOULD_LOSE, message, Some(package));
            } else {
                report.differs(format!("bundle `{name}`: the property `{kind}` {value} is missing"), package);
            }
        }
        let csv = old.csv.as_deref().unwrap_or_default();
        for (kind, value) in new.properties.difference(&expected) {
            let mut message = format!("bundle `{name}`: the property `{kind}` {value} is not in the old file");
            if is_mixed(kind) && self.old.has_dependency(value) {
                let message =
                    format!("bundle `{name}`: the dependency `{kind}` {value} is that of another, as opm mixes them");
                report.say(rules::OPM_WOULD_LOSE, message, Some(package));
                continue;
            }
            if kind == CSV_METADATA && is_metadata_made(&old.facts, new) {
                let (mut of_property, mut of_csv) = (Reader::new(), Reader::new());
                let field = match (of_property.read(value), of_csv.read(csv)) {
                    (Ok(property), Ok(csv)) => metadata::misfit(property, csv),
                    _ => Some(String::new()),
                };
                let Some(field) = field else { continue };
                message = format!(
                    "bundle `{name}`: the field `{field}` of `{kind}` is not that of its ClusterServiceVersion"
                );
            }
            report.differs(message, package);
        }
    }

    /// Compares packages, channels, heads and edges, and appends what was found of bundles, by name.
    fn compare<'p>(
        &self,
        problems: impl IntoIterator<Item = &'p Problem>,
        mut bundles: Vec<Outcome>,
        report: &mut Report,
    ) {
        for (package, message) in &self.new.strange {
            report.differs(message.clone(), package);
        }
        let left_out = self.compare_packages(problems, report);
        let is_left_out = |package: &str| left_out.contains(package);
        let old = self.old_graph(&bundles, report);
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
        bundles.sort_by(|a, b| a.name.cmp(&b.name));
        report.findings.extend(bundles.into_iter().flat_map(|it| it.report.findings));
    }

    /// Compares packages. Gives those that are left out.
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
                _ => format!("the icon of package `{package}` is another in the old file"),
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
                    "channel `{channel}` of `{package}`: an upgrade to `{bundle}` from a row that is not there is lost"
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
                "channel `{channel}` of `{package}` has an entry for `{bundle}`, which is no bundle: it is lost"
            );
            report.say(rules::BROKEN_REFERENCE, message, Some(package));
        }
        let in_properties: BTreeSet<&str> = bundles
            .iter()
            .filter(|it| matches!(it.standing, Standing::Deprecated))
            .map(|it| it.name.as_str())
            .collect();
        for name in self.old.deprecated.iter().filter(|it| !in_properties.contains(it.as_str())) {
            let message = format!("that the table of deprecated bundles names `{name}` is lost");
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
                let list = |heads: &[&str]| heads.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
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
                    "channel `{channel}` of `{package}` names `{head}` as its head, and its edges make it `{top}`: the name is lost"
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
        // An entry replaces one bundle: of several, the last by name.
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

/// Whether an `olm.csv.metadata` property has taken the place of all manifests.
fn is_metadata_made(old: &BundleFacts, new: &BundleFacts) -> bool {
    !old.has(CSV_METADATA) && new.has(CSV_METADATA) && new.manifests.is_empty() && !new.image.is_empty()
}

/// Whether a property that names the package has a version.
fn has_version(value: &str, version: &str) -> bool {
    let mut reader = Reader::new();
    reader.read(value).is_ok_and(|it| forms::text_in(it, "version") == version)
}

fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
