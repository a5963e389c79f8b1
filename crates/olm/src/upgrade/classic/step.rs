//! Steps: the bundles that may follow an installed one, and the way that OLM takes (`docs/behaviour/olm-classic.md`
//! 2.5, 2.6).

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::order::OrderError;
use crate::upgrade::channel::{Channel, Entry};
use crate::upgrade::target::{Field, Permit};
use crate::upgrade::v1::bundle_version;
use olmdex_base::diag::Place;
use olmdex_index::query::{BundleVersion, PackageGraph, PackageVersions};
use olmdex_text::tally;
use olmdex_version::{Holding, Release, Version, VersionRelease, by_numbers};

/// A package of one catalog, made from the data of an index ([`Package::new`]) or by hand.
///
/// ```
/// use std::sync::Arc;
///
/// use olmdex_fbc as fbc;
/// use olmdex_olm::upgrade::classic::{Channel, End, Entry, Installed, Package};
/// use olmdex_version::Version;
///
/// let entry = |name: &str, replaces: &str| {
///     let (name, replaces) = (name.to_owned(), replaces.to_owned());
///     Entry::new(fbc::Entry { name, replaces, ..fbc::Entry::default() }, None)
/// };
/// let stable = Channel {
///     package: "till".to_owned(),
///     name: "stable".to_owned(),
///     entries: [entry("till.v3", "till.v2"), entry("till.v2", "till.v1"), entry("till.v1", "")].into_iter().collect(),
///     places: Arc::new(fbc::ChannelPlaces::at_line("till.yaml", 1)),
/// };
/// let till = Package { name: "till".to_owned(), channels: vec![stable], ..Package::default() };
///
/// let installed = Installed { name: "till.v1".to_owned(), version: Some(Version::parse("1.0.0").unwrap()) };
/// let path = till.path(Some("stable"), &installed).unwrap();
/// let bundles: Vec<&str> = path.steps.iter().map(|step| step.bundle.as_str()).collect();
/// assert_eq!(bundles, ["till.v2", "till.v3"]);
/// assert_eq!(path.end, End::Head);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its default channel, or empty.
    pub default_channel: String,
    /// Its channels: the default one first, then by name. That is the order in which a Subscription without channel
    /// looks at them.
    pub channels: Vec<Channel>,
}

/// An installed bundle. The catalog need not know it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    /// Its name.
    pub name: String,
    /// Its version; without one no range holds it.
    pub version: Option<Version>,
}

/// A step to an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// The channel.
    pub channel: String,
    /// The entry.
    pub bundle: String,
    /// Its version, or empty.
    pub version: String,
    /// The fields that permit the step; none if nothing was installed.
    pub permits: Vec<Permit>,
}

/// The steps that OLM takes, and where they end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The steps.
    pub steps: Vec<Step>,
    /// Their end.
    pub end: End,
}

/// The kinds of ends of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum End {
    /// At the head of the channel.
    Head,
    /// At a bundle that nothing leads away from, and that is not a head.
    Stranded,
    /// Nowhere: it comes back to a bundle that was installed before.
    Loop,
}

impl Installed {
    /// An installed bundle of this name, with its version if it is known.
    pub fn new(name: &str, version: Option<&Version>) -> Self {
        Self { name: name.to_owned(), version: version.cloned() }
    }
}

impl Package {
    /// A package from the data of an index.
    pub fn new(graph: &PackageGraph) -> Self {
        let mut versions: HashMap<&str, Version> = HashMap::new();
        for bundle in graph.bundles.iter().inspect(|_| tally::step(1)) {
            let version = bundle.package_property.as_deref().and_then(|it| bundle_version(it, false).ok());
            if let Some(version) = version {
                versions.entry(&bundle.name).or_insert_with(|| version.value.to_build_metadata());
            }
        }
        Self::with_versions(graph, &versions)
    }

    /// Like [`Self::new`], for a package that is valid.
    pub fn of_versions(graph: &PackageVersions) -> Self {
        let version = |it: &BundleVersion| {
            let version = Version::parse(&it.version).ok()?;
            let release = Release::parse_optional(&it.release).ok().flatten();
            Some(VersionRelease { version, release }.to_build_metadata())
        };
        let versions = graph.bundles.iter().filter_map(|it| Some((it.name.as_str(), version(it)?)));
        Self::with_versions(graph, &versions.collect())
    }

    fn with_versions<B>(graph: &PackageGraph<B>, versions: &HashMap<&str, Version>) -> Self {
        let channels =
            graph.channels.iter().map(|it| Channel::new(&graph.package, it, |name| versions.get(name).cloned()));
        Self::of_channels(graph.package.clone(), graph.default_channel.clone(), channels.collect())
    }

    /// A package of channels in any order.
    pub fn of_channels(name: String, default_channel: String, mut channels: Vec<Channel>) -> Self {
        channels.sort_by_cached_key(|channel| (channel.name != default_channel, channel.name.clone()));
        Self { name, default_channel, channels }
    }

    /// The channels of a name. A package may have tens of thousands of channels, so that none may look at all of them.
    pub fn channels_named(&self, name: &str) -> &[Channel] {
        let asked = (name != self.default_channel, name);
        let order_of = |channel: &Channel| {
            tally::step(1);
            (channel.name != self.default_channel, channel.name.as_str()).cmp(&asked)
        };
        let rest = &self.channels[self.channels.partition_point(|channel| order_of(channel).is_lt())..];
        &rest[..rest.partition_point(|channel| order_of(channel).is_eq())]
    }

    /// Whether a channel of a name lists a bundle.
    pub fn lists(&self, channel: &str, bundle: &str) -> bool {
        self.channels_named(channel).iter().any(|channel| channel.entry(bundle).is_some())
    }

    /// The channel that the Subscription of an installed bundle has most likely: the default one if it lists the
    /// bundle, the newest that does, or the default one. The console always writes a channel.
    pub fn likely_channel(&self, bundle: &str) -> Option<&str> {
        let lists = |channel: &&Channel| channel.entry(bundle).is_some();
        let default = || self.channels_named(&self.default_channel).iter();
        let newest = self.channels.iter().filter(lists).max_by_key(|channel| by_numbers(&channel.name));
        let found = default().find(lists).or(newest).or_else(|| default().next());
        found.map(|channel| channel.name.as_str())
    }

    /// The channels that a Subscription looks at: the named one, or all.
    fn subscribed(&self, channel: Option<&str>) -> &[Channel] {
        channel.map_or(&self.channels, |name| self.channels_named(name))
    }

    /// The entries that OLM installs for a Subscription that has installed nothing, most preferred first. With
    /// `starting` only that entry, even if it is skipped.
    ///
    /// # Errors
    /// If a channel has no order.
    pub fn installable(&self, channel: Option<&str>, starting: Option<&str>) -> Result<Vec<Step>, OrderError> {
        let mut steps = Vec::new();
        for channel in self.subscribed(channel) {
            if let Some(starting) = starting {
                steps.extend(channel.entry(starting).map(|it| step(channel, it, Vec::new())));
                continue;
            }
            steps.extend(channel.order()?.live.into_iter().map(|it| step(channel, it, Vec::new())));
        }
        Ok(steps)
    }

    /// The entries that may follow an installed bundle, most preferred first: OLM takes the first. The installed bundle
    /// itself may be among them, if its own range holds its version: then OLM stays there.
    ///
    /// # Errors
    /// If a channel has no order.
    pub fn candidates(&self, channel: Option<&str>, installed: &Installed) -> Result<Vec<Step>, OrderError> {
        let mut steps = Vec::new();
        for channel in self.subscribed(channel) {
            for entry in channel.order()?.live {
                let permits = permits(channel, entry, installed);
                if !permits.is_empty() {
                    steps.push(step(channel, entry, permits));
                }
            }
        }
        Ok(steps)
    }

    /// The step that OLM takes now, if it takes one.
    ///
    /// # Errors
    /// If a channel has no order.
    pub fn next(&self, channel: Option<&str>, installed: &Installed) -> Result<Option<Step>, OrderError> {
        let first = self.candidates(channel, installed)?.into_iter().next();
        Ok(first.filter(|it| it.bundle != installed.name))
    }

    /// The walker of steps, ready to be asked about many bundles.
    ///
    /// # Errors
    /// If a channel has no order.
    pub fn walker<'p>(&'p self, channel: Option<&'p str>) -> Result<Walker<'p>, OrderError> {
        let mut ranks = Vec::new();
        for channel in self.subscribed(channel) {
            ranks.extend(channel.order()?.live.into_iter().map(|entry| (channel, entry)));
        }
        Ok(Walker::new(ranks))
    }

    /// The steps that OLM takes one after another.
    ///
    /// # Errors
    /// If a channel has no order.
    pub fn path(&self, channel: Option<&str>, installed: &Installed) -> Result<Path, OrderError> {
        let walker = self.walker(channel)?;
        let heads: HashSet<&str> = self.subscribed(channel).iter().flat_map(Channel::heads).collect();
        let mut at = installed.clone();
        let mut seen = HashSet::from([at.name.clone()]);
        let mut steps = Vec::new();
        let end = loop {
            let Some((in_channel, entry)) = walker.next(&at) else {
                break if heads.contains(at.name.as_str()) { End::Head } else { End::Stranded };
            };
            steps.push(step(in_channel, entry, permits(in_channel, entry, &at)));
            at = Installed { name: entry.fields.name.clone(), version: entry.version.clone() };
            if !seen.insert(at.name.clone()) {
                break End::Loop;
            }
        };
        Ok(Path { steps, end })
    }
}

/// Finds the targets of steps. Channels are ordered once, and edges looked up by the name that they start from.
#[derive(Debug, Clone)]
pub struct Walker<'p> {
    /// The entries that count, the most preferred first.
    ranks: Vec<(&'p Channel, &'p Entry)>,
    /// For each name the first entry that replaces or skips it.
    by_name: HashMap<&'p str, usize>,
    /// The ranges of entries, by their ranks.
    ranged: Holding,
}

impl<'p> Walker<'p> {
    /// Wraps the entries that count, the most preferred first, with their channels.
    pub(in crate::upgrade) fn new(ranks: Vec<(&'p Channel, &'p Entry)>) -> Self {
        let mut by_name = HashMap::with_capacity(ranks.len());
        for (rank, (_, entry)) in ranks.iter().enumerate() {
            for name in entry.fields.skips.iter().chain([&entry.fields.replaces]).filter(|it| !it.is_empty()) {
                tally::step(1);
                by_name.entry(name.as_str()).or_insert(rank);
            }
        }
        // No channel has as many entries as do not fit.
        let ranges = ranks.iter().enumerate();
        let ranged = ranges.filter_map(|(rank, it)| Some((u32::try_from(rank).ok()?, it.1.range.as_ref()?)));
        let ranged = Holding::new(ranged);
        Self { ranks, by_name, ranged }
    }

    /// The names from which steps lead, if no range leads from others.
    pub(in crate::upgrade) fn named_sources(&self) -> Option<impl Iterator<Item = &'p str> + '_> {
        let has_ranges = self.ranks.iter().any(|(_, entry)| entry.range.is_some());
        (!has_ranges).then(|| self.by_name.keys().copied())
    }

    /// The entry that OLM goes to from an installed bundle; `None` if it stays.
    pub fn next(&self, installed: &Installed) -> Option<(&'p Channel, &'p Entry)> {
        self.first(installed).filter(|(_, entry)| entry.fields.name != installed.name)
    }

    /// The most preferred entry with an edge from an installed bundle, which may be its own.
    pub(in crate::upgrade) fn first(&self, installed: &Installed) -> Option<(&'p Channel, &'p Entry)> {
        tally::step(1);
        let named = self.by_name.get(installed.name.as_str()).copied();
        let in_range = installed.version.as_ref().and_then(|it| self.ranged.first(it)).map(|rank| rank as usize);
        named.into_iter().chain(in_range).min().map(|it| self.ranks[it])
    }

    /// Like [`Self::next`], with the fields that permit the step.
    pub(crate) fn next_step(&self, installed: &Installed) -> Option<Step> {
        let (channel, entry) = self.next(installed)?;
        Some(step(channel, entry, permits(channel, entry, installed)))
    }
}

fn step(channel: &Channel, entry: &Entry, permits: Vec<Permit>) -> Step {
    Step {
        channel: channel.name.clone(),
        bundle: entry.fields.name.clone(),
        version: entry.version.as_ref().map(ToString::to_string).unwrap_or_default(),
        permits,
    }
}

/// Whether the entry's range holds the installed version.
fn holds(entry: &Entry, installed: &Installed) -> bool {
    match (&entry.range, &installed.version) {
        (Some(range), Some(version)) => range.contains(version).unwrap_or(false),
        _ => false,
    }
}

/// Whether a field of the entry leads to it from the installed bundle, whether or not the entry counts.
pub fn leads_to(channel: &Channel, entry: &Entry, installed: &Installed) -> bool {
    !permits(channel, entry, installed).is_empty()
}

/// The fields of an entry that lead to it from the installed bundle.
fn permits(channel: &Channel, entry: &Entry, installed: &Installed) -> Vec<Permit> {
    let permit =
        |field: Field, value: &str, place: Place| Permit::new(&channel.name, &entry.fields.name, field, value, place);
    let (places, number) = (&channel.places, entry.number());
    let mut permits = Vec::new();
    if !installed.name.is_empty() && entry.fields.replaces == installed.name {
        permits.push(permit(Field::Replaces, &entry.fields.replaces, places.replaces(number)));
    }
    if let Some(item) = entry.fields.skips.iter().position(|it| *it == installed.name) {
        permits.push(permit(Field::Skips, &installed.name, places.skip(number, item)));
    }
    if holds(entry, installed) {
        permits.push(permit(Field::SkipRange, &entry.fields.skip_range, places.skip_range(number)));
    }
    permits
}
