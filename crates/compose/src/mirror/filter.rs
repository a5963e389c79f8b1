//! Filters a catalog as oc-mirror does (`docs/behaviour/authoring.md` D.3, D.4).
//!
//! The real filter works on the catalog as a whole and stops at the first error. This one filters each package by
//! itself, so that a broken one does not keep the others back; [`Filtered::first_error`] finds the error that the real
//! filter would have met first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use thiserror::Error;

use super::catalog::{BundleVersion, Catalog, ChannelFacts, PackageFacts};
use super::configuration::{Depth, Operator, Package, Range};
use super::graph::{self, GraphError, heads};
use olmdex_fbc::Entry;
use olmdex_version::{Quoted, Version};

/// The release of the filter library whose behaviour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FilterVersion {
    /// 0.0.4 and before: equal bounds are a range like any other.
    V0_0_4,
    /// 0.0.5: equal bounds are one version, and no other versions come with it.
    #[default]
    V0_0_5,
}

/// The kept part of a catalog.
#[derive(Debug, Default)]
pub struct Filtered {
    /// The packages that are kept, by name; the empty one holds the blobs without package.
    pub packages: BTreeMap<String, Result<PackageExtent, PackageError>>,
    /// The warnings for the user, in the order in which the real filter prints them.
    pub warnings: Vec<Warning>,
}

/// The kept part of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PackageExtent {
    /// Everything, as it is.
    #[default]
    Whole,
    /// Some of it.
    Part(Part),
}

/// A package that is kept in part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// The default channel of the filtered package, or empty.
    pub default_channel: String,
    /// The names of the entries that are kept, by channel.
    pub channels: BTreeMap<String, BTreeSet<String>>,
    /// The requested channels, even if they end up empty: their deprecations stay.
    pub asked: BTreeSet<String>,
    /// The names of the bundles that are kept.
    pub bundles: BTreeSet<String>,
    /// Entries whose edges differ from those in the document of the channel, or which it lacks, by channel and name;
    /// the filter itself changes none.
    pub relinked: BTreeMap<String, BTreeMap<String, Entry>>,
}

/// The reason why a package cannot be filtered, and the moment at which the real filter would have reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageError {
    /// The step of the real filter, and the position of the thing that it checked.
    pub when: (u8, usize),
    /// The fault.
    pub error: FilterError,
}

/// The reason why a catalog cannot be filtered. The words are oc-mirror's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FilterError {
    /// All versions are wanted, and only some.
    #[error("Full: true cannot be mixed with versionRange")]
    FullWithRange { channel: String },
    /// A bundle has no version.
    #[error("bundle {} in package {} has no package property", Quoted(.bundle), Quoted(.package))]
    NoPackageProperty { bundle: String, package: String },
    /// A bundle has an invalid version.
    #[error("invalid semantic version")]
    InvalidVersion { bundle: String, version: String },
    /// The requested default channel does not exist.
    #[error("invalid default channel configuration for package {}: specified default channel override {} does not exist in the \
             filtered output", Quoted(.package), Quoted(.channel))]
    NoSuchDefault { package: String, channel: String },
    /// The default channel is not among the requested channels.
    #[error("invalid default channel configuration for package {}: the default channel {} was filtered out, a new default channel \
             must be configured for this package", Quoted(.package), Quoted(.channel))]
    DefaultLeftOut { package: String, channel: String },
    /// A channel has no head.
    #[error("package {} channel {} unable to filter head of channel: {error}", Quoted(.package), Quoted(.channel))]
    Head { package: String, channel: String, error: GraphError },
    /// A channel that is filtered by a range has an unsound graph. The real text names neither package nor channel.
    #[error("{error}")]
    Graph { channel: String, error: GraphError },
    /// Nothing is left of the default channel.
    #[error("package {} channel {} has version range {} that results in an empty channel", Quoted(.package), Quoted(.channel),
            Quoted(&.range.text()))]
    EmptyDefault { package: String, channel: String, range: Range },
    /// No channel has the one requested version.
    #[error("error finding specific bundle: specific version {0} not found in bundles")]
    NoSuchVersion(String),
}

/// A bundle that is kept although it is not in the range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
    /// Its version, if it has one.
    pub version: Option<String>,
    /// The range.
    pub range: Range,
    position: usize,
}

impl Warning {
    /// In our own words.
    pub fn in_words(&self) -> String {
        let Self { package, channel, bundle, range, .. } = self;
        let range = range.text();
        let what = match &self.version {
            Some(version) => format!("its version {version} is not in the range {}", range.trim()),
            None => "it has no version".to_owned(),
        };
        format!(
            "package `{package}`, channel `{channel}`: `{bundle}` is included, although {what}: other versions need it"
        )
    }
}

impl fmt::Display for Warning {
    /// The words of oc-mirror.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bundle = Quoted(&self.bundle);
        match &self.version {
            Some(version) => write!(
                f,
                "including bundle {bundle} with version {}: it falls outside the specified range of {}",
                Quoted(version),
                Quoted(self.range.text().trim())
            )?,
            None => write!(f, "including bundle {bundle}: it is unversioned")?,
        }
        f.write_str(" but is required to ensure inclusion of all bundles in the range")
    }
}

/// The reason why a configuration is not a filter: a package or a channel has no name. The words are oc-mirror's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("package {} at index [{position}] is invalid: {}name must be specified", Quoted(.package), channel_text(*.channel))]
pub struct NamelessError {
    /// The package, or empty.
    pub package: String,
    /// Its position in the configuration.
    pub position: usize,
    /// The position of the channel without name, if the package has one.
    pub channel: Option<usize>,
}

fn channel_text(channel: Option<usize>) -> String {
    channel.map(|it| format!("channel \"\" at index [{it}] is invalid: ")).unwrap_or_default()
}

/// The names of the requested packages; `None` for all.
pub fn wanted(operator: &Operator) -> Option<BTreeSet<&str>> {
    if operator.packages.is_empty() {
        None
    } else {
        Some(operator.packages.iter().map(|it| it.name.as_str()).collect())
    }
}

/// Filters a catalog.
///
/// # Errors
/// [`NamelessError`]. The faults of packages are in the answer.
pub fn filter(catalog: &Catalog, operator: &Operator, release: FilterVersion) -> Result<Filtered, NamelessError> {
    for (position, package) in operator.packages.iter().enumerate() {
        let nameless = package.channels.iter().position(|it| it.name.is_empty());
        if package.name.is_empty() || nameless.is_some() {
            let channel = nameless.filter(|_| !package.name.is_empty());
            return Err(NamelessError { package: package.name.clone(), position, channel });
        }
    }
    let mut filtered = Filtered::default();
    let asked: BTreeMap<&str, &Package> = operator.packages.iter().map(|it| (it.name.as_str(), it)).collect();
    for (name, facts) in &catalog.packages {
        let package = asked.get(name.as_str()).copied();
        let is_kept = name.is_empty() || asked.is_empty() || package.is_some();
        if !is_kept {
            continue;
        }
        let kept = if name.is_empty() || (operator.full && asked.is_empty()) {
            Ok(PackageExtent::Whole)
        } else {
            filter_package(name, facts, package, operator.depth(), release, &mut filtered.warnings)
                .map(PackageExtent::Part)
        };
        filtered.packages.insert(name.clone(), kept);
    }
    filtered.warnings.sort_by_key(|it| it.position);
    Ok(filtered)
}

impl Filtered {
    /// Words about channels that a console shows in the catalog and not in the kept part: OLM's package server leaves
    /// out a channel whose head says nothing of its ClusterServiceVersion.
    pub fn hidden_channels(&self, catalog: &Catalog) -> Vec<String> {
        let mut found = Vec::new();
        for (name, kept) in &self.packages {
            let (Ok(PackageExtent::Part(part)), Some(facts)) = (kept, catalog.packages.get(name)) else { continue };
            let told: BTreeSet<&str> =
                facts.bundles.iter().filter(|it| it.has_service_version).map(|it| it.name.as_str()).collect();
            for channel in &facts.channels {
                let Some(names) = part.channels.get(&channel.name) else { continue };
                let own: Vec<Entry> = channel.entries.iter().filter(|it| names.contains(&it.name)).cloned().collect();
                let ([before], [head]) = (&heads(&channel.entries)[..], &heads(&own)[..]) else { continue };
                if told.contains(before) && !told.contains(head) {
                    found.push(format!(
                        "package `{name}`, channel `{}`: a console does not show it, because its head is now `{head}`, \
                         which has neither olm.csv.metadata nor olm.bundle.object",
                        channel.name
                    ));
                }
            }
        }
        found
    }

    /// The error that the real filter would have stopped at.
    pub fn first_error(&self) -> Option<&FilterError> {
        let errors = self.packages.values().filter_map(|it| it.as_ref().err());
        errors.min_by_key(|it| it.when).map(|it| &it.error)
    }
}

/// Filters one package; `package` is the request for it, if there is one.
pub(super) fn filter_package(
    name: &str,
    facts: &PackageFacts,
    package: Option<&Package>,
    depth: Depth,
    release: FilterVersion,
    warnings: &mut Vec<Warning>,
) -> Result<Part, PackageError> {
    let asked: Option<BTreeSet<&str>> =
        package.filter(|it| !it.channels.is_empty()).map(|it| it.channels.iter().map(|it| it.name.as_str()).collect());
    let channels: Vec<&ChannelFacts> = facts
        .channels
        .iter()
        .filter(|it| asked.as_ref().is_none_or(|asked| asked.contains(it.name.as_str())))
        .collect();
    check_versions(name, facts)?;
    let mut part = Part {
        default_channel: facts.default_channel.clone(),
        asked: channels.iter().map(|it| it.name.clone()).collect(),
        ..Part::default()
    };
    if let Some(package) = package.filter(|_| facts.is_there) {
        part.default_channel = default_channel(name, facts, package, &part.asked)?;
    }
    let one = Channels { name, package, depth, release, versions: facts.versions() };
    one.check_exact(&channels)?;
    let mut names = BTreeSet::new();
    for channel in channels {
        let kept = one.filter(channel, warnings)?;
        if kept.is_empty() && !depth.is_full {
            if channel.name == facts.default_channel {
                let error = FilterError::EmptyDefault {
                    package: name.to_owned(),
                    channel: channel.name.clone(),
                    range: one.range(channel),
                };
                return Err(PackageError { when: (2, channel.position), error });
            }
            continue;
        }
        let has = |it: &&String| kept.contains(it.as_str());
        let entries = channel.entries.iter().map(|it| &it.name).filter(has).cloned().collect();
        part.channels.insert(channel.name.clone(), entries);
        names.extend(kept.into_iter().map(str::to_owned));
    }
    part.bundles = facts.bundles.iter().map(|it| &it.name).filter(|it| names.contains(*it)).cloned().collect();
    Ok(part)
}

/// Step 2: each bundle must have a version.
fn check_versions(name: &str, facts: &PackageFacts) -> Result<(), PackageError> {
    for bundle in &facts.bundles {
        let error = match &bundle.version {
            BundleVersion::Known(..) => continue,
            BundleVersion::Absent => {
                FilterError::NoPackageProperty { bundle: bundle.name.clone(), package: name.to_owned() }
            }
            BundleVersion::Invalid(version) => {
                FilterError::InvalidVersion { bundle: bundle.name.clone(), version: version.clone() }
            }
        };
        return Err(PackageError { when: (0, bundle.position), error });
    }
    Ok(())
}

/// Step 3: the default channel, which is checked before ranges empty channels.
fn default_channel(
    name: &str,
    facts: &PackageFacts,
    package: &Package,
    kept: &BTreeSet<String>,
) -> Result<String, PackageError> {
    let wrong = |error| PackageError { when: (1, facts.position), error };
    let (old, new) = (&facts.default_channel, &package.default_channel);
    if !new.is_empty() {
        if kept.contains(new) {
            return Ok(new.clone());
        }
        return Err(wrong(FilterError::NoSuchDefault { package: name.to_owned(), channel: new.clone() }));
    }
    if !old.is_empty() && !kept.contains(old) {
        return Err(wrong(FilterError::DefaultLeftOut { package: name.to_owned(), channel: old.clone() }));
    }
    Ok(old.clone())
}

/// The data for filtering the channels of a package.
struct Channels<'c> {
    name: &'c str,
    package: Option<&'c Package>,
    depth: Depth,
    release: FilterVersion,
    versions: BTreeMap<&'c str, &'c Version>,
}

impl<'c> Channels<'c> {
    /// The range of a channel: its own, else the package's.
    fn range(&self, channel: &ChannelFacts) -> Range {
        let Some(package) = self.package else { return Range::default() };
        let own = package.channels.iter().find(|it| it.name == channel.name).map(|it| &it.range);
        own.filter(|it| !it.is_empty()).unwrap_or(&package.range).clone()
    }

    /// The only version that a channel is to have, if the request names one.
    fn exact(&self, channel: &ChannelFacts) -> Option<String> {
        if self.release == FilterVersion::V0_0_4 || self.depth.is_full {
            return None;
        }
        self.range(channel).exact().map(str::to_owned)
    }

    /// Whether a bundle is of a version.
    fn is_of(&self, bundle: &str, version: &str) -> bool {
        Version::parse_tolerant(version).is_ok_and(|wanted| self.versions.get(bundle).is_some_and(|it| **it == wanted))
    }

    /// A single requested version must be in one of the channels.
    fn check_exact(&self, channels: &[&ChannelFacts]) -> Result<(), PackageError> {
        let mut found: BTreeMap<String, (usize, bool)> = BTreeMap::new();
        for channel in channels {
            let Some(version) = self.exact(channel) else { continue };
            let is_there = channel.entries.iter().any(|it| self.is_of(&it.name, &version));
            found.entry(version).or_insert((channel.position, false)).1 |= is_there;
        }
        let missing = found.into_iter().filter(|it| !it.1.1).min_by_key(|it| it.1.0);
        match missing {
            Some((version, (position, _))) => {
                Err(PackageError { when: (2, position), error: FilterError::NoSuchVersion(version) })
            }
            None => Ok(()),
        }
    }

    /// Step 4: the kept names of a channel, both of entries and of skipped bundles.
    fn filter(
        &self,
        channel: &'c ChannelFacts,
        warnings: &mut Vec<Warning>,
    ) -> Result<BTreeSet<&'c str>, PackageError> {
        let wrong = |error| PackageError { when: (2, channel.position), error };
        let range = self.range(channel);
        if self.depth.is_full {
            if !range.is_empty() {
                return Err(wrong(FilterError::FullWithRange { channel: channel.name.clone() }));
            }
            return Ok(channel.entries.iter().map(|it| it.name.as_str()).collect());
        }
        if let Some(version) = self.exact(channel) {
            let names = channel.entries.iter().map(|it| it.name.as_str());
            return Ok(names.filter(|it| self.is_of(it, &version)).collect());
        }
        let head = graph::head(&channel.entries);
        if range.is_empty() {
            let (package, name) = (self.name.to_owned(), channel.name.clone());
            let head = head.map_err(|error| wrong(FilterError::Head { package, channel: name, error }))?;
            let (mut kept, mut n_bundles) = (BTreeSet::new(), 0);
            for name in graph::chain(&channel.entries, head, &self.versions) {
                if n_bundles > self.depth.previous {
                    break;
                }
                // Entries without a bundle lie between others, and do not count.
                n_bundles += usize::from(self.versions.contains_key(name));
                kept.insert(name);
            }
            return Ok(kept);
        }
        let head = head.map_err(|error| wrong(FilterError::Graph { channel: channel.name.clone(), error }))?;
        let constraint = range.constraint();
        let is_in_range = |name: &str| match (&constraint, self.versions.get(name)) {
            (Some(constraint), Some(version)) => constraint.matches(version),
            _ => false,
        };
        let walk = graph::walk(&channel.entries, head, is_in_range);
        for bundle in walk.chain.iter().filter(|it| !is_in_range(it)) {
            warnings.push(Warning {
                package: self.name.to_owned(),
                channel: channel.name.clone(),
                bundle: (*bundle).to_owned(),
                version: self.versions.get(bundle).map(ToString::to_string),
                range: range.clone(),
                position: channel.position,
            });
        }
        Ok(walk.chain.into_iter().chain(walk.skipped).collect())
    }
}
