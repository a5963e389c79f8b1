//! The channels of a catalog in the form that is drawn (`docs/behaviour/fbc.md` 5.5).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use thiserror::Error;

use olmdex_fbc::{self as fbc, Document, Entry, Failure, Input, Origin, Typed, go_order};
use olmdex_index::query::PackageGraph;
use olmdex_rules::check::{PROPERTIES_STEP, Phase, inspect};
use olmdex_text::json;
use olmdex_text::tally;
use olmdex_version::{Quoted, Version};

/// A catalog in the form that is drawn.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Its channels, by name and then by package: the order in which edges are numbered.
    pub channels: Vec<Channel>,
    /// Versions by the names of bundles, whatever their package; if a name has several, the first.
    pub versions: HashMap<String, Version>,
    /// The deprecations.
    pub deprecated: Deprecated,
    /// The deprecations in the packages of joined catalogs, by package.
    of_joined: HashMap<String, Deprecated>,
    /// Its packages by name with their default channels, which are empty for those of which only a channel or a bundle
    /// exists.
    pub packages: BTreeMap<String, String>,
    /// The marked bundle, if there is one.
    pub marked: Option<String>,
}

/// The names of deprecated things. A channel's or bundle's deprecation counts in every package, as in opm.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecated {
    /// Packages.
    pub packages: BTreeSet<String>,
    /// Channels.
    pub channels: BTreeSet<String>,
    /// Bundles.
    pub bundles: BTreeSet<String>,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// The package.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Its entries, in their order.
    pub entries: Vec<Entry>,
    /// Its place in opm's order of channels: by name, equal ones as Go's sort leaves them.
    pub rank: usize,
}

/// Why a catalog cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A bundle does not state its package and version exactly once.
    #[error("bundle `{bundle}` has {} `olm.package` property; it needs exactly one", if *.found == 0 { "no" } else { "more than one" })]
    NotOnePackage { bundle: String, found: usize },
    /// A property of a bundle has a value of another form.
    #[error("{0}")]
    Property(String),
    /// A bundle's version cannot be read.
    #[error("bundle {} has invalid version {}: {reason}", Quoted(.bundle), Quoted(.version))]
    Version { bundle: String, version: String, reason: String },
    /// The edge to begin with is no bundle.
    #[error("unknown minimum edge name: {}", Quoted(.0))]
    UnknownMinimumEdge(String),
}

impl DrawError {
    /// The same in opm's words, which say "several" even if there is no such property.
    pub fn opm(&self) -> String {
        match self {
            Self::NotOnePackage { bundle, .. } => {
                format!("bundle {} has multiple \"olm.package\" properties, expected exactly 1", Quoted(bundle))
            }
            other => other.to_string(),
        }
    }
}

/// Collects the parts to draw, document by document.
impl Catalog {
    /// Adds a package with its default channel. If several documents define it, the first counts.
    pub(super) fn package(&mut self, name: &str, default_channel: &str) {
        let default = self.of_package(name);
        if default.is_empty() {
            default_channel.clone_into(default);
        }
    }

    /// The default channel of a package, which exists from now on.
    fn of_package(&mut self, name: &str) -> &mut String {
        self.packages.entry(name.to_owned()).or_default()
    }

    /// Adds a channel of a package.
    pub(super) fn channel(&mut self, package: String, name: String, entries: Vec<Entry>) {
        self.of_package(&package);
        self.channels.push(Channel { package, name, entries, rank: 0 });
    }

    /// Adds a bundle of a package with the values of its `olm.package` properties, as JSON.
    ///
    /// # Errors
    /// If there is not exactly one, or its version cannot be read.
    pub(super) fn bundle(&mut self, package: &str, name: &str, properties: &[String]) -> Result<(), DrawError> {
        self.of_package(package);
        if self.versions.contains_key(name) {
            return Ok(());
        }
        let [property] = properties else {
            return Err(DrawError::NotOnePackage { bundle: name.to_owned(), found: properties.len() });
        };
        let mut reader = json::Reader::new();
        let text =
            reader.read(property).ok().and_then(|it| it.get_field("version")?.as_str().map(|it| it.into_owned()));
        let text = text.unwrap_or_default();
        let version = Version::parse(&text).map_err(|error| DrawError::Version {
            bundle: name.to_owned(),
            version: text.clone(),
            reason: error.to_string(),
        })?;
        self.versions.entry(name.to_owned()).or_insert(version);
        Ok(())
    }

    /// Adds a deprecation: its schema, the package of the blob, and the name unless it is about a package.
    pub(super) fn deprecation(&mut self, schema: &str, package: &str, name: &str) {
        let deprecated = &mut self.deprecated;
        let (names, name) = match schema {
            "olm.package" => (&mut deprecated.packages, package),
            "olm.channel" => (&mut deprecated.channels, name),
            "olm.bundle" => (&mut deprecated.bundles, name),
            _ => return,
        };
        names.insert(name.to_owned());
    }

    /// Adds the content of a document; a broken document adds nothing.
    fn add(&mut self, part: Part) -> Result<(), DrawError> {
        match part {
            Part::Package(name, default_channel) => self.package(&name, &default_channel),
            Part::Channel(package, name, entries) => self.channel(package, name, entries),
            Part::Bundle(_, name, _, Some(refused)) if !self.versions.contains_key(&name) => {
                return Err(DrawError::Property(refused));
            }
            Part::Bundle(package, name, properties, _) => self.bundle(&package, &name, &properties)?,
            Part::Deprecations(package, all) => {
                for (schema, name) in all {
                    self.deprecation(&schema, &package, &name);
                }
            }
            Part::Broken(..) | Part::Refused(_) | Part::Nothing => {}
        }
        Ok(())
    }
}

/// The contribution of a document.
enum Part {
    Package(String, String),
    Channel(String, String, Vec<Entry>),
    /// With opm's message about its properties, if opm refuses them.
    Bundle(String, String, Vec<String>, Option<String>),
    Deprecations(String, Vec<(String, String)>),
    Broken(Origin, Box<Failure>),
    /// opm's message if it does not load the catalog.
    Refused(String),
    Nothing,
}

/// `as_opm`: the same documents as opm's are refused.
fn part_of(document: Document<'_>, as_opm: bool) -> Part {
    let mut refused_properties = None;
    if as_opm {
        for line in inspect(&document).drafts.into_iter().filter_map(|it| it.opm) {
            match line.phase {
                Phase::Load => return Part::Refused(line.text),
                Phase::Bundles if line.step == PROPERTIES_STEP && refused_properties.is_none() => {
                    refused_properties = Some(line.text);
                }
                _ => {}
            }
        }
    }
    let blob = match document.blob {
        Ok(blob) => blob,
        Err(failure) => return Part::Broken(document.origin, Box::new(failure)),
    };
    match &blob.typed {
        Typed::Channel(it) => {
            let entries = it.entries.iter().flatten().map(Entry::from).collect();
            Part::Channel(it.package.to_string(), it.name.to_string(), entries)
        }
        Typed::Bundle(it) => {
            let packages = it.properties.iter().filter(|property| property.kind == "olm.package");
            let values = packages.map(|property| {
                let mut text = Vec::new();
                if let Some(value) = property.value {
                    json::write_compact(value, &mut text);
                }
                String::from_utf8_lossy(&text).into_owned()
            });
            Part::Bundle(it.package.to_string(), it.name.to_string(), values.collect(), refused_properties)
        }
        Typed::Deprecations(it) => {
            let entries = it.entries.iter().flatten();
            let names = entries.map(|entry| (entry.schema.to_string(), entry.name.to_string())).collect();
            Part::Deprecations(it.package.to_string(), names)
        }
        Typed::Package(it) => Part::Package(it.name.to_string(), it.default_channel.to_string()),
        Typed::Other => Part::Nothing,
    }
}

impl Catalog {
    /// Reads a catalog from its files. Documents that cannot be decoded are handed to `broken` and left out.
    ///
    /// # Errors
    /// [`DrawError`] for a bundle that opm refuses to draw.
    pub fn read(input: &Input, mut broken: impl FnMut(Origin, &Failure)) -> Result<Self, DrawError> {
        let mut catalog = Self::default();
        fbc::load(input, &|document: Document<'_>| part_of(document, false), |part| match part {
            Part::Broken(origin, failure) => {
                broken(origin, &failure);
                Ok(())
            }
            other => catalog.add(other),
        })?;
        Ok(catalog.ranked())
    }

    /// Reads a catalog from its files, if opm does.
    ///
    /// # Errors
    /// opm's message about the first thing that it refuses: documents that cannot be loaded come before those that
    /// cannot be drawn.
    pub fn read_as_opm(input: &Input) -> Result<Self, String> {
        let mut catalog = Self::default();
        let mut undrawable = None;
        fbc::load(input, &|document: Document<'_>| part_of(document, true), |part| {
            match part {
                Part::Refused(text) => return Err(text),
                other => {
                    if let Err(error) = catalog.add(other) {
                        undrawable.get_or_insert(error.opm());
                    }
                }
            }
            Ok(())
        })?;
        undrawable.map_or_else(|| Ok(catalog.ranked()), Err)
    }

    /// Takes a catalog from the rows of an index.
    ///
    /// # Errors
    /// [`DrawError`] for a bundle that opm refuses to draw.
    pub fn from_graphs<'g>(graphs: impl IntoIterator<Item = &'g PackageGraph>) -> Result<Self, DrawError> {
        let mut catalog = Self::default();
        for graph in graphs {
            catalog.package(&graph.package, &graph.default_channel);
            for channel in &graph.channels {
                catalog.channel(graph.package.clone(), channel.name.clone(), channel.entries.to_vec());
            }
            for bundle in &graph.bundles {
                tally::step(1);
                catalog.bundle(&graph.package, &bundle.name, bundle.package_property.as_slice())?;
            }
            for it in graph.deprecations.iter().flatten() {
                catalog.deprecation(&it.schema, &graph.package, &it.name);
            }
        }
        Ok(catalog.ranked())
    }

    /// The version of a bundle; 0.0.0 if the catalog has no such bundle.
    pub fn version_of(&self, name: &str) -> Version {
        self.versions.get(name).cloned().unwrap_or(Version::new(0, 0, 0))
    }

    /// The package of the first channel that lists a bundle.
    pub fn package_of(&self, bundle: &str) -> Option<&str> {
        let lists = |it: &&Channel| it.entries.iter().any(|it| it.name == bundle);
        self.channels.iter().find(lists).map(|it| it.package.as_str())
    }

    /// Marks an entry of a package, by its bundle or its version. Returns whether it exists.
    pub fn mark(&mut self, package: &str, name: &str) -> bool {
        let entries = self.channels.iter().filter(|it| it.package == package).flat_map(|it| &it.entries);
        let is_it = |it: &&Entry| {
            it.name == name || self.versions.get(&it.name).is_some_and(|version| version.to_string() == name)
        };
        self.marked = entries.into_iter().find(is_it).map(|it| it.name.clone());
        self.marked.is_some()
    }

    /// Whether it has a channel of the package.
    pub fn has_package(&self, package: &str) -> bool {
        self.channels.iter().any(|it| it.package == package)
    }

    /// Joins several catalogs into one in which each package is called `CATALOG/PACKAGE`, if its catalog has a name. A
    /// deprecation in one of them does not count in the others.
    pub fn joined(catalogs: impl IntoIterator<Item = (Option<String>, Self)>) -> Self {
        let mut joined = Self::default();
        for (name, catalog) in catalogs {
            let renamed = |package: &str| match &name {
                Some(name) => format!("{name}/{package}"),
                None => package.to_owned(),
            };
            for (package, it) in catalog.packages {
                let mut deprecated = catalog.deprecated.clone();
                deprecated.packages = deprecated.packages.iter().map(|it| renamed(it)).collect();
                joined.of_joined.insert(renamed(&package), deprecated);
                joined.packages.insert(renamed(&package), it);
            }
            let channels = catalog.channels.into_iter();
            joined.channels.extend(channels.map(|it| Channel { package: renamed(&it.package), ..it }));
            for (bundle, version) in catalog.versions {
                joined.versions.entry(bundle).or_insert(version);
            }
            joined.marked = joined.marked.or(catalog.marked);
        }
        joined.ranked()
    }

    /// The same with its channels in their order, and each channel's place in opm's order.
    pub(super) fn ranked(mut self) -> Self {
        let channels = &mut self.channels;
        let order = go_order(channels.len(), |a, b| channels[a].name < channels[b].name);
        for (rank, place) in order.into_iter().enumerate() {
            channels[place].rank = rank;
        }
        channels.sort_by(|a, b| (&a.name, &a.package).cmp(&(&b.name, &b.package)));
        self
    }

    /// The deprecations that concern a package.
    pub(super) fn deprecated_in(&self, package: &str) -> &Deprecated {
        self.of_joined.get(package).unwrap_or(&self.deprecated)
    }

    /// Whether a channel is deprecated, or its package.
    pub(super) fn is_deprecated(&self, channel: &Channel) -> bool {
        let deprecated = self.deprecated_in(&channel.package);
        deprecated.channels.contains(&channel.name) || deprecated.packages.contains(&channel.package)
    }

    /// Whether it is its package's default channel.
    pub(super) fn is_default(&self, channel: &Channel) -> bool {
        self.packages.get(&channel.package).is_some_and(|default| *default == channel.name)
    }

    /// Keeps only a package, and only some of its channels (all, if none are given).
    pub fn keep(&mut self, package: Option<&str>, channels: &[String]) {
        self.channels.retain(|it| {
            package.is_none_or(|package| it.package == package) && (channels.is_empty() || channels.contains(&it.name))
        });
        let drawn: BTreeSet<&str> = self.channels.iter().map(|it| it.package.as_str()).collect();
        self.packages.retain(|name, _| {
            package.is_none_or(|package| name == package) && (channels.is_empty() || drawn.contains(name.as_str()))
        });
    }

    /// One channel as [`Self::keep`] would leave it, but without a pass over the other channels.
    pub fn only(&self, package: &str, channel: &str) -> Self {
        let deprecated = self.deprecated_in(package);
        // They are sorted by name.
        let first = self.channels.partition_point(|it| it.name.as_str() < channel);
        let of_name = self.channels[first..].iter().take_while(|it| it.name == channel);
        let channels: Vec<Channel> = of_name.filter(|it| it.package == package).cloned().collect();
        let named = channels.iter().flat_map(|it| &it.entries);
        let named = named.flat_map(|it| [&it.name, &it.replaces].into_iter().chain(&it.skips));
        let (mut versions, mut bundles) = (HashMap::new(), BTreeSet::new());
        for name in named {
            tally::step(1);
            versions.extend(self.versions.get(name).map(|it| (name.clone(), it.clone())));
            bundles.extend(deprecated.bundles.get(name).cloned());
        }
        let packages = self.packages.get(package).filter(|_| !channels.is_empty());
        Self {
            packages: packages.map(|it| (package.to_owned(), it.clone())).into_iter().collect(),
            versions,
            deprecated: Deprecated {
                packages: deprecated.packages.get(package).cloned().into_iter().collect(),
                channels: deprecated.channels.get(channel).cloned().into_iter().collect(),
                bundles,
            },
            of_joined: HashMap::new(),
            marked: self.marked.clone(),
            channels,
        }
    }

    /// Keeps only the part above an edge: the channels of its package, with the entries that are reachable from it
    /// (`docs/behaviour/fbc.md` 5.5.8).
    ///
    /// # Errors
    /// If no bundle has that name.
    pub fn keep_from(&mut self, minimum_edge: &str) -> Result<(), DrawError> {
        let Some(minimum) = self.versions.get(minimum_edge).cloned() else {
            return Err(DrawError::UnknownMinimumEdge(minimum_edge.to_owned()));
        };
        let lists = |it: &&Channel| it.entries.iter().any(|entry| entry.name == minimum_edge);
        let package = self.channels.iter().find(lists).map(|it| it.package.clone());
        self.packages.retain(|name, _| Some(name) == package.as_ref());
        let versions = &self.versions;
        // A name that the catalog does not know counts as 0.0.0.
        let is_above = |name: &str| versions.get(name).unwrap_or(&Version::new(0, 0, 0)) >= &minimum;
        self.channels.retain_mut(|channel| {
            if Some(&channel.package) != package.as_ref() {
                return false;
            }
            channel.entries.retain_mut(|entry| {
                if entry.name == minimum_edge {
                    *entry = Entry { name: std::mem::take(&mut entry.name), ..Entry::default() };
                    return true;
                }
                let refers = |it: &Entry| !it.replaces.is_empty() || !it.skips.is_empty() || !it.skip_range.is_empty();
                let had_references = refers(entry);
                if !is_above(&entry.replaces) {
                    entry.replaces.clear();
                }
                entry.skips.retain(|it| is_above(it));
                let range = olmdex_version::blang::Range::parse(&entry.skip_range);
                if !range.is_ok_and(|it| it.contains(&minimum).unwrap_or(false)) {
                    entry.skip_range.clear();
                }
                refers(entry) || (!had_references && is_above(&entry.name))
            });
            !channel.entries.is_empty()
        });
        Ok(())
    }
}
