//! The reach map of a package: its channels as rows over its versions, and which versions can still get to the newest
//! one of the default channel.
//!
//! A channel is a bar over its entries, broken where no upgrade crosses, up to its head. Versions of other channels
//! from which an upgrade leads into it may change to it. The strip below tells the versions that cannot go on from
//! those that can, by the steps of OLM Classic over all channels ([`Goal`]).

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::catalog::{Catalog, Channel};
use olmdex_fbc::ChannelPlaces;
use olmdex_olm::upgrade::classic::{self, Entry, Installed, Package};
use olmdex_olm::upgrade::{Goal, Standing};
use olmdex_text::tally;
use olmdex_version::{Version, version_or_name};

/// A package as a map.
#[derive(Debug)]
pub(super) struct ReachMap {
    pub(super) package: String,
    /// Names with their versions, which are empty for names without one: lowest first.
    pub(super) versions: Vec<MapVersion>,
    /// The versions of each minor version, lowest first.
    pub(super) columns: Vec<(String, Range<usize>)>,
    /// The channel with the highest head first.
    pub(super) channels: Vec<MapChannel>,
    /// The newest version of the default channel, if that has one.
    pub(super) goal: Option<MapGoal>,
}

/// The newest version of the default channel, and the standing of all others.
#[derive(Debug)]
pub(super) struct MapGoal {
    pub(super) place: usize,
    /// All versions, in runs of the same standing.
    pub(super) runs: Vec<(Range<usize>, Standing)>,
}

/// A version of a map.
#[derive(Debug)]
pub(super) struct MapVersion {
    pub(super) bundle: String,
    pub(super) version: String,
}

impl MapVersion {
    /// The version, or the name of a bundle without one.
    pub(super) fn label(&self) -> &str {
        version_or_name(&self.version, &self.bundle)
    }
}

/// A channel of a map.
#[derive(Debug)]
pub(super) struct MapChannel {
    pub(super) name: String,
    pub(super) is_default: bool,
    pub(super) is_deprecated: bool,
    /// The head, or the highest entry of a channel without one.
    pub(super) head: usize,
    pub(super) n_entries: usize,
    /// The first and last entry of each part that upgrades cross.
    pub(super) parts: Vec<(usize, usize)>,
    /// The first and last entry of each run without many versions in between that the channel does not list.
    pub(super) solid: Vec<(usize, usize)>,
    /// The versions of other channels from which an upgrade leads into this one.
    pub(super) joins: Vec<usize>,
    /// The standing of its head.
    pub(super) standing: Standing,
}

impl ReachMap {
    /// The map of the channels of one package.
    pub(super) fn new(catalog: &Catalog, channels: &[&Channel]) -> Self {
        let package = channels.first().map(|channel| channel.package.clone()).unwrap_or_default();
        let versions = versions(catalog, channels);
        let place_of: HashMap<&str, usize> =
            versions.iter().enumerate().map(|(place, it)| (it.bundle.as_str(), place)).collect();
        let as_classic = as_classic(catalog, &package, channels);
        let goal = Goal::newest(&as_classic);
        let standing = |place: usize| {
            let bundle = &versions[place].bundle;
            goal.as_ref().map_or(Standing::Higher, |goal| goal.standing(bundle, catalog.versions.get(bundle)))
        };
        let has_joins = versions.len().saturating_mul(channels.len()) <= Goal::MAX_STEPS;
        let mut rows: Vec<MapChannel> = Vec::new();
        for channel in channels {
            let mut places: Vec<usize> =
                channel.entries.iter().filter_map(|entry| place_of.get(entry.name.as_str()).copied()).collect();
            places.sort_unstable();
            places.dedup();
            let Some(&highest) = places.last() else { continue };
            let mut of_name = as_classic.channels_named(&channel.name).iter();
            let live_head = of_name.find_map(|it| it.order().ok()?.live.first().map(|entry| &entry.fields.name));
            let head = live_head.and_then(|name| place_of.get(name.as_str()).copied()).unwrap_or(highest);
            let (parts, joins) =
                parts_and_joins(catalog, &as_classic, &channel.name, (&versions, &place_of), (&places, has_joins));
            rows.push(MapChannel {
                name: channel.name.clone(),
                is_default: catalog.is_default(channel),
                is_deprecated: catalog.is_deprecated(channel),
                head,
                n_entries: places.len(),
                solid: solid(&places, &parts),
                parts,
                joins,
                standing: standing(head),
            });
        }
        rows.sort_by(|a, b| (b.head, b.is_default, &a.name).cmp(&(a.head, a.is_default, &b.name)));
        let goal = goal.as_ref().and_then(|goal| place_of.get(goal.bundle()).copied()).map(|goal| {
            let mut runs: Vec<(Range<usize>, Standing)> = Vec::new();
            for place in 0..versions.len() {
                match runs.last_mut() {
                    Some((run, of_run)) if *of_run == standing(place) => run.end = place + 1,
                    _ => runs.push((place..place + 1, standing(place))),
                }
            }
            MapGoal { place: goal, runs }
        });
        let columns = columns(&versions);
        drop(place_of);
        Self { package, versions, columns, channels: rows, goal }
    }

    /// How many versions can get to the newest of the default channel, itself included.
    pub(super) fn n_reaching(&self) -> usize {
        let runs = self.goal.iter().flat_map(|goal| &goal.runs);
        runs.filter(|(_, standing)| *standing == Standing::Reaches).map(|(run, _)| run.len()).sum()
    }

    /// How many marks a picture of it has at most.
    pub(super) fn n_marks(&self) -> usize {
        let of_channels = self.channels.iter().map(|channel| 4 + channel.parts.len());
        of_channels.sum::<usize>() + self.columns.len() + self.goal.as_ref().map_or(0, |goal| goal.runs.len())
    }

    /// The versions of a run or of a bar, in words.
    pub(super) fn span(&self, first: usize, last: usize) -> String {
        let label = |place: usize| self.versions[place].label();
        if first == last { label(first).to_owned() } else { format!("{} to {}", label(first), label(last)) }
    }
}

/// The names that channels list, the lowest version first.
fn versions(catalog: &Catalog, channels: &[&Channel]) -> Vec<MapVersion> {
    let mut known = HashSet::new();
    let names = channels.iter().flat_map(|channel| &channel.entries).map(|entry| entry.name.as_str());
    let mut names: Vec<&str> = names.filter(|name| known.insert(*name)).collect();
    names.sort_by_cached_key(|name| (catalog.versions.get(*name), *name));
    let version = |name: &str| catalog.versions.get(name).map(ToString::to_string).unwrap_or_default();
    names.into_iter().map(|name| MapVersion { bundle: name.to_owned(), version: version(name) }).collect()
}

/// The package in OLM Classic's form.
fn as_classic(catalog: &Catalog, package: &str, channels: &[&Channel]) -> Package {
    let default_channel = catalog.packages.get(package).cloned().unwrap_or_default();
    let entry = |fields: &olmdex_fbc::Entry| Entry::new(fields.clone(), catalog.versions.get(&fields.name).cloned());
    let channels = channels.iter().map(|channel| classic::Channel {
        package: package.to_owned(),
        name: channel.name.clone(),
        entries: channel.entries.iter().map(entry).collect(),
        places: Arc::new(ChannelPlaces::default()),
    });
    Package::of_channels(package.to_owned(), default_channel, channels.collect())
}

/// The parts of a channel that upgrades cross, and the versions that it does not list from which an upgrade leads into
/// it.
fn parts_and_joins(
    catalog: &Catalog,
    package: &Package,
    channel: &str,
    (versions, place_of): (&[MapVersion], &HashMap<&str, usize>),
    (entries, has_joins): (&[usize], bool),
) -> (Vec<(usize, usize)>, Vec<usize>) {
    let walker = package.walker(Some(channel)).ok();
    let version = |place: usize| catalog.versions.get(&versions[place].bundle);
    let target = |place: usize| {
        tally::step(1);
        let (_, next) = walker.as_ref()?.next(&Installed::new(&versions[place].bundle, version(place)))?;
        place_of.get(next.fields.name.as_str()).copied()
    };
    let mut parts: Vec<(usize, usize)> = Vec::new();
    // The highest place to which an upgrade leads from one of the entries so far.
    let mut crossed = 0;
    for &place in entries {
        match parts.last_mut() {
            Some(part) if crossed >= place => part.1 = place,
            _ => parts.push((place, place)),
        }
        crossed = crossed.max(target(place).unwrap_or(0));
    }
    let is_listed = |place: &usize| entries.binary_search(place).is_ok();
    // Without a goal a package may be so large that nobody can ask from everywhere.
    let places = if has_joins { 0..versions.len() } else { 0..0 };
    (parts, places.filter(|place| !is_listed(place) && target(*place).is_some()).collect())
}

/// More versions than these between two entries make a gap.
const MAX_GAP: usize = 8;

/// The runs of the entries of a channel in its parts.
fn solid(entries: &[usize], parts: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let is_close = |a: &usize, b: &usize| {
        b - a <= MAX_GAP && parts.iter().any(|(first, last)| (*first..=*last).contains(a) && b <= last)
    };
    entries.chunk_by(is_close).filter_map(|run| Some((*run.first()?, *run.last()?))).collect()
}

/// The places of each minor version.
fn columns(versions: &[MapVersion]) -> Vec<(String, Range<usize>)> {
    let minor = |it: &MapVersion| match Version::parse(&it.version) {
        Ok(version) => format!("{}.{}", version.major(), version.minor()),
        Err(_) => "–".to_owned(),
    };
    let mut columns: Vec<(String, Range<usize>)> = Vec::new();
    for (place, version) in versions.iter().enumerate() {
        let minor = minor(version);
        match columns.last_mut() {
            Some((name, places)) if *name == minor => places.end = place + 1,
            _ => columns.push((minor, place..place + 1)),
        }
    }
    columns
}

/// Where the versions of a map stand from left to right.
#[derive(Debug)]
pub(super) struct Scale {
    /// The left edge and the width of each column.
    pub(super) columns: Vec<(usize, usize)>,
    /// The middle of each version.
    pub(super) middles: Vec<usize>,
}

impl Scale {
    /// So many equal columns are the most that grow with their versions.
    const FEW: usize = 20;

    /// The places between two edges: columns grow with the root of their versions, so that a minor version with many
    /// leaves room for the others.
    pub(super) fn new(map: &ReachMap, left: usize, right: usize) -> Self {
        let weight = |n: usize| if map.columns.len() > Self::FEW { 100 } else { 100 + 55 * (n * 100).isqrt() / 10 };
        let weights: Vec<usize> = map.columns.iter().map(|(_, places)| weight(places.len())).collect();
        let all = weights.iter().sum::<usize>().max(1);
        let mut before = 0;
        let mut scale = Self { columns: Vec::new(), middles: Vec::new() };
        for ((_, places), weight) in map.columns.iter().zip(weights) {
            let x = |weight: usize| left + (right - left) * weight / all;
            let (from, to) = (x(before), x(before + weight));
            before += weight;
            scale.columns.push((from, to - from));
            let n = places.len();
            scale.middles.extend((0..n).map(|at| from + (to - from) * (2 * at + 1) / (2 * n)));
        }
        scale
    }

    /// The line between a version and the one before it.
    pub(super) fn edge_before(&self, place: usize) -> Option<usize> {
        let before = self.middles.get(place.checked_sub(1)?)?;
        Some(usize::midpoint(*before, *self.middles.get(place)?))
    }
}
