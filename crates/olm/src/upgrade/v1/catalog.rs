//! A catalog as the resolver sees it (`docs/behaviour/olm-v1.md` 2.2): the last blob of each name counts, nothing is
//! validated.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::property::{BundleVersion, bundle_version};
use crate::upgrade::channel::{Channel, Entry};
use olmdex_index::query::{GraphBundle, GraphDeprecation, InstallModes, Obstacles, PackageGraph};
use olmdex_rules::cluster::LabelSelector;
use olmdex_text::tally;
use olmdex_version::{Holding, VersionRelease};

/// The label that every catalog has: its name.
const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// The available part of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CatalogState {
    /// Its content.
    #[default]
    Serving,
    /// Nothing, without an error: it is switched off (`availabilityMode: Unavailable`).
    Unavailable,
    /// Nothing, and that stops the resolution: it does not serve.
    NotServing,
    /// The package cannot be loaded, in the real system's words behind `error loading package "…": `.
    Broken(String),
}

/// A ClusterCatalog, which serves a catalog to OLM v1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServedCatalog {
    /// Its name.
    pub name: String,
    /// The catalog, or the family of catalogs, that it serves; `None` if that is not known.
    pub catalog: Option<String>,
    /// Its priority; higher is preferred.
    pub priority: i64,
    /// Its labels, among them the one with its name.
    pub labels: BTreeMap<String, String>,
    /// The available part.
    pub state: CatalogState,
}

impl ServedCatalog {
    /// The ClusterCatalog that a catalog by itself counts as.
    pub fn of(catalog: &str, priority: i64, labels: &BTreeMap<String, String>) -> Self {
        let mut labels = labels.clone();
        labels.insert(NAME_LABEL.to_owned(), catalog.to_owned());
        let (name, state) = (catalog.to_owned(), CatalogState::Serving);
        Self { catalog: Some(name.clone()), name, priority, labels, state }
    }
}

/// A catalog with its data about one package.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// Its name.
    pub name: String,
    /// The ClusterCatalog that serves it, by which OLM v1 calls it; its own name if none is known.
    pub served_by: String,
    /// Its priority; higher is preferred.
    pub priority: i64,
    /// Its labels, among them the one with its name.
    pub labels: BTreeMap<String, String>,
    /// The available part.
    pub state: CatalogState,
    /// Whether it has any data about the package.
    pub has_package: bool,
    /// The package's bundles, in the order in which equal ones win.
    pub candidates: Vec<Candidate>,
    /// The package's channels.
    pub(super) channels: Vec<Channel>,
    /// The package's deprecations, if there are any.
    pub deprecations: Option<Arc<[GraphDeprecation]>>,
    /// Whether explicit releases count.
    pub(super) explicit_releases: bool,
    /// Lookup tables, so that a step along a chain costs no more than the edges at its bundle.
    pub(super) lookup: Lookup,
}

/// The position of an entry in the channels of a [`Catalog`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::upgrade) struct EntryPlace {
    pub(super) channel: usize,
    pub(super) entry: usize,
}

/// Those of some places, which are in order, that are in channels that count. A bundle may be in each of thousands of
/// channels, so that its places must not be looked at for each of them.
pub(super) fn within<'p>(
    places: &'p [EntryPlace],
    counting: Option<&'p [usize]>,
) -> impl Iterator<Item = EntryPlace> + 'p {
    let of_channel = |number: &usize| {
        tally::step(1);
        let rest = &places[places.partition_point(|place| place.channel < *number)..];
        &rest[..rest.partition_point(|place| place.channel == *number)]
    };
    let all = counting.is_none().then_some(places);
    all.into_iter().chain(counting.into_iter().flatten().map(of_channel)).flatten().inspect(|_| tally::step(1)).copied()
}

/// Places in the lists of a [`Catalog`].
#[derive(Debug, Clone, Default)]
pub(super) struct Lookup {
    /// Candidates by name.
    pub(super) candidates: HashMap<String, usize>,
    /// Candidates by version and release.
    pub(super) versions: HashMap<VersionRelease, Vec<usize>>,
    /// Entries that replace or skip a name, in order.
    pub(super) successors: HashMap<String, Vec<EntryPlace>>,
    /// Entries that have a range, in order.
    pub(super) ranged: Vec<EntryPlace>,
    /// Their ranges, by their places in that list.
    pub(super) holding: Holding,
    /// The same, the best first; made when a way is walked.
    pub(super) best: OnceLock<BestFirst>,
    /// Entries of a bundle, in order.
    pub(super) entries: HashMap<String, Vec<EntryPlace>>,
    /// The channels of a name, in order.
    channels: HashMap<String, Vec<usize>>,
}

/// An entry with a range.
#[derive(Debug, Clone, Copy)]
pub(super) struct BestEntry {
    pub(super) channel: usize,
    pub(super) candidate: usize,
}

/// Entries with ranges in the order in which the resolver prefers their candidates.
#[derive(Debug, Clone, Default)]
pub(super) struct BestFirst {
    /// Their channels and candidates.
    pub(super) entries: Vec<BestEntry>,
    /// Their ranges, by their places in that list.
    pub(super) holding: Holding,
}

impl Lookup {
    fn new(candidates: &[Candidate], channels: &[Channel]) -> Self {
        let mut lookup = Self::default();
        for (at, candidate) in candidates.iter().enumerate() {
            lookup.candidates.insert(candidate.name.clone(), at);
            if let Some(version) = candidate.version_release() {
                lookup.versions.entry(version.clone()).or_default().push(at);
            }
        }
        for (number, channel) in channels.iter().enumerate() {
            lookup.channels.entry(channel.name.clone()).or_default().push(number);
            for (at, entry) in channel.entries.iter().enumerate() {
                let place = EntryPlace { channel: number, entry: at };
                // A name counts once for an entry, however often the entry has it.
                let mut push = |name: &String| {
                    let places = lookup.successors.entry(name.clone()).or_default();
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                };
                push(&entry.fields.replaces);
                entry.fields.skips.iter().for_each(push);
                if entry.range.is_some() {
                    lookup.ranged.push(place);
                }
                lookup.entries.entry(entry.fields.name.clone()).or_default().push(place);
            }
        }
        let range = |it: &EntryPlace| channels[it.channel].entries.as_slice()[it.entry].range.as_ref();
        // No channel has as many entries as do not fit.
        let ranges = lookup.ranged.iter().enumerate();
        lookup.holding = Holding::new(ranges.filter_map(|(place, it)| Some((u32::try_from(place).ok()?, range(it)?))));
        lookup
    }
}

/// The ways of reading the versions of bundles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReleaseReading {
    /// The build metadata is the release (the default).
    #[default]
    InBuildMetadata,
    /// A release that is stated by itself counts (feature gate `BundleReleaseSupport`).
    Explicit,
}

/// A bundle that may be chosen.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Its version, or why it cannot be read.
    pub version: Result<BundleVersion, String>,
    /// Its image, or empty.
    pub image: String,
    /// Whether the package's deprecations name it.
    pub is_deprecated: bool,
    /// The type of its first property that declares a dependency.
    pub dependency: Option<String>,
    /// The install modes that it states; `None` if it states none.
    pub install_modes: Option<InstallModes>,
    /// The other obstacles to an installation.
    pub obstacles: Obstacles,
}

impl Candidate {
    /// Version and release, if they can be read.
    pub(crate) fn version_release(&self) -> Option<&VersionRelease> {
        self.version.as_ref().ok().map(|it| &it.value)
    }

    /// The version as people write it; empty if it cannot be read.
    pub fn version_text(&self) -> String {
        self.version.as_ref().map(BundleVersion::version_text).unwrap_or_default()
    }

    /// The release that is stated by itself, if that counts.
    pub(crate) fn release_text(&self) -> Option<String> {
        self.version.as_ref().ok()?.release_text()
    }
}

impl Catalog {
    pub(super) fn entry(&self, place: EntryPlace) -> &Entry {
        &self.channels[place.channel].entries.as_slice()[place.entry]
    }

    /// The place of the candidate that an entry names, if there is one.
    pub(super) fn candidate_of(&self, place: EntryPlace) -> Option<usize> {
        self.lookup.candidates.get(&self.entry(place).fields.name).copied()
    }

    /// A catalog that serves. `graph` is its data about the package, if it has any; `release` is how releases are read.
    pub fn with_releases(
        name: &str,
        priority: i64,
        labels: &BTreeMap<String, String>,
        graph: Option<&PackageGraph>,
        release: ReleaseReading,
    ) -> Self {
        let mut labels = labels.clone();
        labels.insert(NAME_LABEL.to_owned(), name.to_owned());
        let explicit_releases = release == ReleaseReading::Explicit;
        let deprecations: Option<Arc<[GraphDeprecation]>> =
            graph.and_then(|it| it.deprecations.last()).map(|it| it.as_slice().into());
        let deprecated: HashSet<&str> = deprecations
            .iter()
            .flat_map(|it| it.iter())
            .filter(|it| it.schema == "olm.bundle")
            .map(|it| it.name.as_str())
            .collect();
        let bundles = last_of_each_name(graph.map_or(&[][..], |it| &it.bundles), |it| &it.name);
        let candidates: Vec<Candidate> =
            bundles.into_iter().map(|it| candidate(it, &deprecated, explicit_releases)).collect();
        let channels = last_of_each_name(graph.map_or(&[][..], |it| &it.channels), |it| &it.name);
        let package = graph.map_or("", |it| it.package.as_str());
        let channels: Vec<Channel> = channels.into_iter().map(|it| Channel::new(package, it, |_| None)).collect();
        let lookup = Lookup::new(&candidates, &channels);
        Self {
            name: name.to_owned(),
            served_by: name.to_owned(),
            priority,
            labels,
            state: CatalogState::Serving,
            has_package: graph.is_some(),
            candidates,
            channels,
            deprecations,
            explicit_releases,
            lookup,
        }
    }

    /// The same, as a ClusterCatalog serves it.
    pub(in crate::upgrade) fn served_by(self, served: &ServedCatalog) -> Self {
        Self {
            served_by: served.name.clone(),
            priority: served.priority,
            labels: served.labels.clone(),
            state: served.state.clone(),
            ..self
        }
    }

    /// Whether it has something for a ClusterExtension with a selector.
    pub(in crate::upgrade) fn is_asked_with(&self, selector: Option<&LabelSelector>) -> bool {
        self.state == CatalogState::Serving && selector.is_none_or(|selector| selector.matches(&self.labels))
    }

    /// The channels that count, given their names; `None` if all count, as none is given.
    pub(super) fn counting(&self, names: &[String]) -> Option<Vec<usize>> {
        if names.is_empty() {
            return None;
        }
        let mut numbers: Vec<usize> =
            names.iter().filter_map(|name| self.lookup.channels.get(name)).flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Some(numbers)
    }

    /// The candidates that some channels list, by their places.
    pub(super) fn candidates_in(&self, channels: &[usize]) -> impl Iterator<Item = usize> {
        let entries = channels.iter().flat_map(|&channel| {
            let entries = 0..self.channels[channel].entries.as_slice().len();
            entries.map(move |entry| EntryPlace { channel, entry })
        });
        entries.inspect(|_| tally::step(1)).filter_map(|place| self.candidate_of(place))
    }

    /// Whether a channel that counts lists a bundle, or all bundles count.
    pub(super) fn is_listed(&self, bundle: &str, counting: Option<&[usize]>) -> bool {
        let entries = self.lookup.entries.get(bundle).map_or(&[][..], Vec::as_slice);
        counting.is_none() || within(entries, counting).next().is_some()
    }

    /// The channels that list a bundle.
    pub fn channels_of(&self, bundle: &str) -> impl Iterator<Item = &str> {
        let entries = self.lookup.entries.get(bundle).map_or(&[][..], Vec::as_slice);
        // A channel that lists it twice is named once.
        let each = entries.chunk_by(|a, b| a.channel == b.channel).filter_map(|it| it.first());
        each.map(|it| self.channels[it.channel].name.as_str())
    }

    /// The candidate of a name.
    pub fn candidate(&self, name: &str) -> Option<&Candidate> {
        self.lookup.candidates.get(name).map(|&at| &self.candidates[at])
    }
}

fn candidate(bundle: &GraphBundle, deprecated: &HashSet<&str>, explicit_releases: bool) -> Candidate {
    let version = match &bundle.package_property {
        Some(value) => bundle_version(value, explicit_releases),
        None => Err(format!("no package property found in bundle {}", olmdex_version::Quoted(&bundle.name))),
    };
    Candidate {
        name: bundle.name.clone(),
        version,
        image: bundle.image.clone(),
        is_deprecated: deprecated.contains(bundle.name.as_str()),
        dependency: bundle.dependency.clone(),
        install_modes: bundle.install_modes,
        obstacles: bundle.obstacles.clone(),
    }
}

/// The last item of each name, in the byte order of the files in which the real system keeps them: `<name>.json`.
fn last_of_each_name<T>(all: &[T], name: impl Fn(&T) -> &str) -> Vec<&T> {
    let files: BTreeMap<String, &T> = all.iter().map(|it| (format!("{}.json", name(it)), it)).collect();
    files.into_values().collect()
}

/// The rank of a candidate; the best comes first.
pub(super) fn rank(candidate: &Candidate) -> (bool, bool, Reverse<Option<&VersionRelease>>) {
    (candidate.is_deprecated, candidate.version.is_err(), Reverse(candidate.version_release()))
}
