//! What a change means for everybody who has a version installed: where upgrades lead, before and after.
//!
//! Upgrades are those of OLM Classic within a channel, step by step to where they end.
//!
//! What it deliberately does not do: operators that depend on the package are not resolved again.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::catalog::CatalogEdit;
use super::change::{Change, Edges};
use super::documents::PackageDocuments;
use super::error::EditError;
use super::verdict::index_of;
use crate::fbc::{Entry, Input};
use crate::index::query::{Filter, PackageGraph};
use crate::upgrade::classic::{End, Installed, Package};
use crate::version::Version;

/// What a change means for one version in one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// The package.
    pub package: String,
    /// The channel that users follow.
    pub channel: String,
    /// What they have installed.
    pub installed: String,
    /// Its version, or empty.
    pub version: String,
    /// Where upgrades lead now.
    pub before: Way,
    /// Where they would lead.
    pub after: Way,
    /// What that means.
    pub effect: Effect,
}

/// Where upgrades lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Way {
    /// The last bundle, which may be the one that is installed; empty if there is no such channel.
    pub target: String,
    /// How many upgrades that takes.
    pub steps: usize,
    /// Whether that is the head of the channel.
    pub is_head: bool,
    /// Whether the target is deprecated.
    pub is_deprecated: bool,
}

/// What a change means for users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// They had a way to the head, and have none any more.
    Stranded,
    /// The way to the same target takes more steps.
    Longer,
    /// They end at another version.
    OtherTarget,
    /// The way to the same target takes fewer steps.
    Shorter,
    /// They had no way to the head, and have one.
    Freed,
    /// Nothing changes.
    Same,
}

impl Effect {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stranded => "stranded",
            Self::Longer => "longer way",
            Self::OtherTarget => "other target",
            Self::Shorter => "shorter way",
            Self::Freed => "freed",
            Self::Same => "same",
        }
    }

    fn of(before: &Way, after: &Way) -> Self {
        match (before.is_head, after.is_head) {
            (true, false) => Self::Stranded,
            (false, true) => Self::Freed,
            _ if before.target != after.target => Self::OtherTarget,
            _ => match after.steps.cmp(&before.steps) {
                std::cmp::Ordering::Greater => Self::Longer,
                std::cmp::Ordering::Less => Self::Shorter,
                std::cmp::Ordering::Equal => Self::Same,
            },
        }
    }
}

/// What the difference between two catalogs means for the users of a package, channel by channel in the order of the entries.
///
/// # Errors
/// If a catalog cannot be read.
pub fn simulate(old: &Input, new: &Input, package: &str) -> Result<Vec<Simulated>, EditError> {
    let graph = |input: &Input| -> Result<PackageGraph, EditError> {
        let graphs = index_of(input, package)?.package_graphs(&Filter::default(), package)?;
        Ok(graphs.into_iter().next().unwrap_or_default())
    };
    let (old, new) = (graph(&of_package(old, package))?, graph(&of_package(new, package))?);
    let (before, after) = (Package::new(&old), Package::new(&new));
    let mut all = Vec::new();
    for channel in &old.channels {
        let mut seen = BTreeSet::new();
        let names = channel.entries.iter().flat_map(|it| [&it.name].into_iter().chain(&it.skips));
        for name in names.filter(|it| seen.insert(it.as_str())) {
            let version = version_of(&old, name).or_else(|| version_of(&new, name));
            let installed = Installed { name: name.clone(), version: version.clone() };
            let before = way(&before, &old, &channel.name, &installed);
            let after = way(&after, &new, &channel.name, &installed);
            all.push(Simulated {
                package: package.to_owned(),
                channel: channel.name.clone(),
                installed: name.clone(),
                version: version.map(|it| it.to_string()).unwrap_or_default(),
                effect: Effect::of(&before, &after),
                before,
                after,
            });
        }
    }
    Ok(all)
}

/// The files of a catalog that have a package; none if no file has it.
fn of_package(input: &Input, package: &str) -> Input {
    PackageDocuments::read(input, package).map_or_else(|_| Input::default(), |it| input.only(&it.files()))
}

fn version_of(graph: &PackageGraph, name: &str) -> Option<Version> {
    let bundle = graph.bundles.iter().find(|it| it.name == name)?;
    let version = super::object::text(bundle.package_property.as_deref()?, "version");
    Version::parse(&version).ok()
}

fn way(package: &Package, graph: &PackageGraph, channel: &str, installed: &Installed) -> Way {
    let nowhere = || Way { target: String::new(), steps: 0, is_head: false, is_deprecated: false };
    if graph.channels.iter().all(|it| it.name != channel) {
        return nowhere();
    }
    // A channel without an order upgrades nobody.
    let Ok(path) = package.path(Some(channel), installed) else { return nowhere() };
    let target = path.steps.last().map_or_else(|| installed.name.clone(), |it| it.bundle.clone());
    let is_about = |it: &crate::index::query::GraphDeprecation| it.schema == "olm.bundle" && it.name == target;
    Way {
        is_deprecated: graph.deprecations.iter().flatten().any(is_about),
        steps: path.steps.len(),
        is_head: path.end == End::Head,
        target,
    }
}

/// An edge that would leave nobody stranded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtraEdge {
    /// The channel.
    pub channel: String,
    /// The entry that gets it.
    pub entry: String,
    /// The names that it would skip, or none.
    pub skips: Vec<String>,
    /// The range of versions that it would skip, or empty.
    pub skip_range: String,
}

/// The smallest edge in each channel with stranded users that leaves nobody there stranded, each tried.
///
/// # Errors
/// If a catalog cannot be read.
pub fn extra_edges(
    old: &Input,
    new: &CatalogEdit,
    package: &str,
    simulated: &[Simulated],
) -> Result<Vec<ExtraEdge>, EditError> {
    let mut found = Vec::new();
    let channels: BTreeSet<&str> = simulated.iter().map(|it| it.channel.as_str()).collect();
    let graphs = index_of(&of_package(new.input(), package), package)?.package_graphs(&Filter::default(), package)?;
    let Some(graph) = graphs.first() else { return Ok(found) };
    for channel in channels {
        let stranded: Vec<&Simulated> =
            simulated.iter().filter(|it| it.channel == channel && it.effect == Effect::Stranded).collect();
        let Some(entries) = graph.channels.iter().find(|it| it.name == channel).map(|it| &it.entries) else { continue };
        let is_below =
            |name: &str| entries.iter().any(|it| it.replaces == name || it.skips.iter().any(|it| it == name));
        let mut heads: Vec<(Option<Version>, &Entry)> =
            entries.iter().filter(|it| !is_below(&it.name)).map(|it| (version_of(graph, &it.name), it)).collect();
        heads.sort_by(|a, b| match (&a.0, &b.0) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        let Some((highest, head)) = heads.pop() else { continue };
        // Going down is no upgrade: whoever has more than the head needs the bundle kept.
        let is_above = |it: &&&Simulated| match (Version::parse(&it.version), &highest) {
            (Ok(version), Some(highest)) => version.cmp_precedence(highest).is_ge(),
            // A name that is only skipped has no version.
            _ => false,
        };
        if stranded.is_empty() || stranded.iter().any(|it| is_above(&it)) {
            continue;
        }
        let others: Vec<String> = heads.iter().map(|it| it.1.name.clone()).collect();
        for edge in candidates(channel, head, &others, &stranded, graph) {
            let mut tried = new.clone();
            let skips = head.skips.iter().chain(&edge.skips).cloned().collect();
            let edges = Edges {
                skips: (!edge.skips.is_empty()).then_some(skips),
                skip_range: (!edge.skip_range.is_empty()).then(|| edge.skip_range.clone()),
                ..Edges::default()
            };
            let set = Change::SetEdges { channel: channel.to_owned(), entry: head.name.clone(), edges };
            if !tried.change(package, &[set])?.errors.is_empty() {
                continue;
            }
            let after = simulate(old, tried.input(), package)?;
            if after.iter().all(|it| it.channel != channel || it.effect != Effect::Stranded) {
                found.push(edge);
                break;
            }
        }
    }
    Ok(found)
}

/// Edges of the head that could help: few names by themselves, many as a range.
fn candidates(
    channel: &str,
    head: &Entry,
    others: &[String],
    stranded: &[&Simulated],
    graph: &PackageGraph,
) -> Vec<ExtraEdge> {
    const FEW: usize = 3;
    let edge = |skips: Vec<String>, skip_range: String| ExtraEdge {
        channel: channel.to_owned(),
        entry: head.name.clone(),
        skips,
        skip_range,
    };
    let names: Vec<String> = stranded.iter().map(|it| it.installed.clone()).collect();
    let mut versions: Vec<Version> = stranded.iter().filter_map(|it| Version::parse(&it.version).ok()).collect();
    versions.sort_by(Version::cmp_precedence);
    let by_name = edge(names, String::new());
    let lowest = versions.first().filter(|_| versions.len() == stranded.len());
    let by_range = lowest.zip(version_of(graph, &head.name)).map(|(lowest, highest)| {
        let range = format!(">={lowest} <{highest}");
        let range = if head.skip_range.is_empty() { range } else { format!("{} || {range}", head.skip_range) };
        edge(Vec::new(), range)
    });
    // Who has the last one but the head skips its predecessor; the shortest that works comes first.
    if !others.is_empty() {
        return vec![edge(others.to_vec(), String::new())];
    }
    let fewest = stranded.last().map(|it| edge(vec![it.installed.clone()], String::new()));
    let mut all: Vec<ExtraEdge> = fewest.into_iter().collect();
    if stranded.len() <= FEW {
        all.push(by_name);
        all.extend(by_range);
    } else {
        all.extend(by_range);
        all.push(by_name);
    }
    all
}
