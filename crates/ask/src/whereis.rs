//! The catalogs that have a package, the reasons why the others do not, and the smallest change that adds it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::compat::stays_at;
use super::error::AskError;
use super::name::{PackageName, no_channel, no_package, no_version};
use olmdex_base::diag::Place;
use olmdex_bundle::community::{NewContent, Publication, PublicationChange, PublicationReason, Publications};
use olmdex_compose::mirror::{self, Catalog, Configuration, FilterVersion, Operator, PackageExtent};
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{BundleRow, ChannelRow, Filter, PackageGraph};
use olmdex_index::{Index, IndexError};
use olmdex_olm::catalog_source::{family_and_minor, is_for};
use olmdex_olm::upgrade::Move;
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_text::calendar::Day;

/// A question about the catalogs of a package.
#[derive(Debug)]
pub struct WhereisQuestion {
    /// The package, with a version or channel of it.
    pub name: PackageName,
    /// The catalogs to ask; all, if none is named.
    pub catalogs: Vec<String>,
    /// The version of OpenShift in the question; all of them, if there is none.
    pub openshift: Option<Minor>,
    /// The parts of the catalogs according to the repository.
    pub repository: Option<Publications>,
    /// The parts of catalogs that a mirror takes.
    pub mirrored: Vec<MirroredCatalog>,
}

/// The part of a catalog that a mirror takes.
#[derive(Debug, Clone)]
pub struct MirroredCatalog {
    /// The name of the catalog in the configuration.
    pub catalog: String,
    /// The packages that it names; all, if it names none.
    pub packages: Vec<String>,
    /// The entries of the package that it keeps, by catalog and channel. A catalog that is not among them is kept as a
    /// whole, or not known.
    pub kept: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl MirroredCatalog {
    /// The parts of the catalogs of an ImageSetConfiguration.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn of_configuration(
        configuration: &Configuration,
        index: Option<&Index>,
        package: &str,
    ) -> Result<Vec<Self>, IndexError> {
        let mut found = Vec::new();
        for operator in &configuration.operators {
            let mut kept = BTreeMap::new();
            let minor = family_and_minor(&operator.catalog).map(|it| it.1);
            for catalog in index.map(|index| index.catalog_names()).transpose()?.unwrap_or_default() {
                let is_other = minor.and_then(|it| is_for(&catalog, it)) == Some(false);
                if let (Some(index), false) = (index, is_other)
                    && let Some(channels) = kept_of(index, &catalog, operator, package)?
                {
                    kept.insert(catalog, channels);
                }
            }
            let packages = operator.packages.iter().map(|it| it.name.clone()).collect();
            found.push(Self { catalog: operator.catalog.clone(), packages, kept });
        }
        Ok(found)
    }

    /// The channels of an item whose head, or wanted version, the mirror leaves out.
    fn left_out<'i>(&self, item: &'i CatalogPresence) -> Vec<&'i ChannelPresence> {
        let Some(kept) = self.kept.get(&item.catalog) else { return Vec::new() };
        let is_kept = |it: &ChannelPresence| kept.get(&it.channel).is_some_and(|entries| entries.contains(&it.bundle));
        item.channels.iter().filter(|it| !is_kept(it)).collect()
    }
}

/// The entries of a package that oc-mirror keeps, by channel; `None` if it keeps all of it, or the configuration does
/// not name the package.
fn kept_of(
    index: &Index,
    catalog: &str,
    operator: &Operator,
    package: &str,
) -> Result<Option<BTreeMap<String, BTreeSet<String>>>, IndexError> {
    let input = index.packages_without_manifests(catalog, [package].into_iter())?;
    let read = Catalog::read(&input, None);
    // The `filter` command reports a refused configuration.
    let filtered = mirror::filter(&read, operator, FilterVersion::default()).ok();
    Ok(match filtered.and_then(|mut it| it.packages.remove(package)) {
        Some(Ok(PackageExtent::Part(part))) => Some(part.channels),
        _ => None,
    })
}

/// A catalog, with its part of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogPresence {
    /// The package.
    pub package: String,
    /// The version in the question; absent if the question is about the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The catalog; `v4.20` if only the repository mentions it.
    pub catalog: String,
    /// The version of OpenShift that its name shows.
    pub openshift: Option<String>,
    /// Whether it has the subject of the question.
    pub is_there: bool,
    /// The origin of that fact: `catalog`, or `annotations` of the bundles in the repository.
    pub known_from: KnownFrom,
    /// The message, if the package is deprecated in it.
    pub deprecation: Option<String>,
    /// The channels, each with its head, or with the version in the question.
    pub channels: Vec<ChannelPresence>,
    /// The reasons why it is not there; if it is, the reasons that will keep later versions away.
    pub reasons: Vec<AbsenceReason>,
    /// The smallest change of the repository that publishes it; `null` if it is there, or none is known.
    pub change: Option<SmallestChange>,
    /// A change that gives the catalog a template of its own, if the operator keeps one for each catalog.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_template: Option<SmallestChange>,
}

/// The origin of the fact that a catalog has a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum KnownFrom {
    /// The catalog was read.
    Catalog,
    /// The annotations of the bundles in the repository.
    Annotations,
}

/// A channel of a package in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelPresence {
    /// The channel.
    pub channel: String,
    /// Whether it is the default channel.
    pub is_default: bool,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The day on which it was made, by `createdAt` of its ClusterServiceVersion.
    pub date: Option<String>,
    /// The message, if the channel is deprecated.
    pub deprecation: Option<String>,
}

/// Why a package is not in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AbsenceReason {
    /// `no-catalog`, `not-mapped`, `not-rendered`, `promotion`, `annotation`, `no-bundle`, `release-configuration`,
    /// `no-version`, `signal`, `mirror` or `not-known`.
    pub kind: String,
    /// The reason in words.
    pub text: String,
    /// The file with the reason.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
}

/// A change of the repository that publishes a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SmallestChange {
    /// The instructions, in words.
    pub steps: Vec<String>,
    /// The files that change, below the root of the repository.
    pub files: Vec<FileChange>,
    /// The commands to run after that, in the root of the repository.
    pub commands: Vec<String>,
}

impl SmallestChange {
    fn of(it: PublicationChange) -> Self {
        let files = it.files.into_iter().map(|it| file_change(it.path, it.content)).collect();
        Self { steps: it.steps, files, commands: it.commands }
    }
}

/// A file that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Its path below the root of the repository.
    pub path: String,
    /// The file that it becomes a copy of.
    pub copy_of: Option<String>,
    /// Its text before, if it is edited.
    pub before: Option<String>,
    /// Its text after, if it is edited.
    pub after: Option<String>,
}

/// The answer about the catalogs of a package.
#[derive(Debug, Clone)]
pub struct WhereisAnswers {
    /// The catalogs, by the version of OpenShift and name.
    pub items: Vec<CatalogPresence>,
    /// Whether it is in the catalog of the version in the question; without a version, in any.
    pub is_there: bool,
}

impl WhereisQuestion {
    /// The answer.
    ///
    /// # Errors
    /// If neither the catalogs nor the repository have the package, or a named catalog does not exist.
    pub fn answer(&self, index: Option<&Index>) -> Result<WhereisAnswers, AskError> {
        let mut items = index.map(|it| self.of_catalogs(it)).transpose()?.unwrap_or_default();
        if let Some(repository) = &self.repository {
            self.add_catalogs_of_repository(repository, &mut items);
        }
        if let (Some(index), true) = (index, items.iter().all(|it| it.channels.is_empty()) && self.repository.is_none())
        {
            return Err(self.not_found(index)?);
        }
        let is_asked = |it: &CatalogPresence| match self.openshift {
            None => true,
            Some(wanted) => minor_of(it).is_some_and(|it| it.is_same(wanted)),
        };
        if let Some(openshift) = self.openshift.filter(|_| !items.iter().any(is_asked)) {
            items.push(self.absent(format!("v{openshift}"), Some(openshift)));
        }
        items.sort_by_cached_key(|it| (minor_of(it).is_none(), minor_of(it), it.catalog.clone()));
        let graphs = match index {
            Some(index) => index.package_graphs(&self.filter(), &self.name.package)?,
            None => Vec::new(),
        };
        let heads: Vec<DefaultHead> = items.iter().filter_map(DefaultHead::of).collect();
        for item in &mut items {
            self.explain(item, &graphs, &heads);
        }
        let is_there = items.iter().any(|it| it.is_there && is_asked(it));
        Ok(WhereisAnswers { items, is_there })
    }

    fn filter(&self) -> Filter {
        Filter { catalogs: self.catalogs.clone(), package: Some(self.name.package.clone()), ..Filter::default() }
    }

    fn absent(&self, catalog: String, openshift: Option<Minor>) -> CatalogPresence {
        CatalogPresence {
            package: self.name.package.clone(),
            version: self.name.installed.clone(),
            catalog,
            openshift: openshift.map(|it| it.to_string()),
            is_there: false,
            known_from: KnownFrom::Catalog,
            deprecation: None,
            channels: Vec::new(),
            reasons: Vec::new(),
            change: None,
            own_template: None,
        }
    }

    /// The presence of the package in each catalog of an index.
    fn of_catalogs(&self, index: &Index) -> Result<Vec<CatalogPresence>, AskError> {
        let names = if self.catalogs.is_empty() { index.catalog_names()? } else { self.catalogs.clone() };
        let filter = self.filter();
        let days: BTreeMap<String, Day> =
            index.dated_of_package(&self.name.package)?.into_iter().map(|it| (it.bundle, it.day)).collect();
        let day = |bundle: &str| days.get(bundle).map(Day::to_string);
        let channels = index.channels(&filter)?;
        let bundles = if self.name.installed.is_some() { index.bundles(&filter)? } else { Vec::new() };
        let deprecations: BTreeMap<String, Option<String>> =
            index.packages(&filter)?.into_iter().map(|it| (it.catalog, it.deprecation)).collect();
        let items = names.into_iter().map(|catalog| {
            let own = channels.iter().filter(|it| it.catalog == catalog);
            let own = own.filter(|it| self.name.channel.as_ref().is_none_or(|channel| it.channel == *channel));
            let held: Option<Vec<&BundleRow>> = self.name.installed.as_ref().map(|version| {
                let is_it =
                    |it: &&BundleRow| it.catalog == catalog && (it.version == *version || it.bundle == *version);
                bundles.iter().filter(is_it).collect()
            });
            let channels: Vec<ChannelPresence> = own.filter_map(|it| presence(it, held.as_deref(), day)).collect();
            CatalogPresence {
                is_there: !channels.is_empty(),
                deprecation: deprecations.get(&catalog).cloned().flatten(),
                channels,
                ..self.absent(catalog.clone(), family_and_minor(&catalog).map(|it| it.1))
            }
        });
        Ok(items.collect())
    }

    /// Adds the catalogs that the repository makes and that were not read.
    fn add_catalogs_of_repository(&self, repository: &Publications, items: &mut Vec<CatalogPresence>) {
        let mut known: BTreeSet<Minor> = items.iter().filter_map(minor_of).collect();
        let minors = repository.minors();
        for minor in minors.iter().chain(&self.openshift) {
            if !known.insert(*minor) {
                continue;
            }
            let mut item = self.absent(format!("v{minor}"), Some(*minor));
            if !repository.has_templates() {
                item.known_from = KnownFrom::Annotations;
                item.channels = self.published_heads(repository, *minor);
                item.is_there = !item.channels.is_empty();
            }
            items.push(item);
        }
    }

    fn published_heads(&self, repository: &Publications, minor: Minor) -> Vec<ChannelPresence> {
        let heads = match &self.name.installed {
            Some(version) => repository.channels_of(version, minor),
            None => repository.heads(minor),
        };
        let heads = heads.into_iter();
        let heads = heads.filter(|it| self.name.channel.as_ref().is_none_or(|channel| it.channel == *channel));
        let heads = heads.map(|it| ChannelPresence {
            channel: it.channel,
            is_default: it.is_default,
            bundle: it.bundle,
            version: it.version,
            date: it.created.as_deref().and_then(|it| it.get(..10)).and_then(Day::parse).map(|it| it.to_string()),
            deprecation: None,
        });
        heads.collect()
    }

    /// Adds the reasons why an item is not there, and the change that adds it.
    fn explain(&self, item: &mut CatalogPresence, graphs: &[PackageGraph], heads: &[DefaultHead]) {
        let minor = minor_of(item);
        if let (Some(repository), Some(minor)) = (&self.repository, minor) {
            let of_package = repository.of(minor);
            let publication = match &self.name.installed {
                Some(version) if of_package.is_there && !item.is_there => repository.of_version(version, minor),
                _ => of_package,
            };
            self.add_publication(item, publication);
        }
        let package = &item.package;
        for mirrored in &self.mirrored {
            let is_its = minor.and_then(|it| is_for(&mirrored.catalog, it));
            if is_its != Some(false) && !mirrored.packages.is_empty() && !mirrored.packages.contains(package) {
                let text = format!(
                    "the mirror's configuration takes {} of `{}`, but not `{package}`",
                    olmdex_base::diag::counted(mirrored.packages.len() as u64, "package"),
                    mirrored.catalog
                );
                item.reasons.push(AbsenceReason { kind: "mirror".to_owned(), text, file: None, line: None });
            }
            let left_out = mirrored.left_out(item);
            if !left_out.is_empty() {
                let names: Vec<String> =
                    left_out.iter().map(|it| format!("`{}` of `{}`", it.bundle, it.channel)).collect();
                let text = format!("the mirror's configuration leaves out {}", names.join(", "));
                item.reasons.push(AbsenceReason { kind: "mirror".to_owned(), text, file: None, line: None });
            }
        }
        if item.is_there {
            return;
        }
        if let Some(minor) = minor {
            item.reasons.extend(signal(graphs, heads, minor));
        }
        if item.reasons.is_empty() {
            let text = match &self.repository {
                Some(_) => "neither the repository nor the catalogs show why".to_owned(),
                None => "the catalogs do not show why, but the repository behind them does (`--repo DIR`)".to_owned(),
            };
            item.reasons.push(AbsenceReason { kind: "not-known".to_owned(), text, file: None, line: None });
        }
    }

    fn add_publication(&self, item: &mut CatalogPresence, publication: Publication) {
        // The repository has it, and the catalog does not: the catalog is older, or made from something else.
        if publication.is_there && !item.is_there {
            let text = "the repository publishes it; the catalog is older, or built from something else";
            item.reasons.push(AbsenceReason {
                kind: "not-known".to_owned(),
                text: text.to_owned(),
                file: None,
                line: None,
            });
        }
        item.reasons.extend(publication.reasons.into_iter().map(reason));
        if !item.is_there {
            item.change = publication.change.map(SmallestChange::of);
            item.own_template = publication.own_template.map(SmallestChange::of);
        }
    }

    /// The error that no catalog has the subject of the question.
    fn not_found(&self, index: &Index) -> Result<AskError, AskError> {
        let package = &self.name.package;
        if index.packages(&self.filter())?.is_empty() {
            return no_package(index, package);
        }
        match (&self.name.installed, &self.name.channel) {
            (Some(version), _) => no_version(index, &self.catalogs, package, version),
            (None, Some(channel)) => no_channel(index, package, channel),
            (None, None) => no_package(index, package),
        }
    }
}

fn presence(
    row: &ChannelRow,
    held: Option<&[&BundleRow]>,
    day: impl Fn(&str) -> Option<String>,
) -> Option<ChannelPresence> {
    let (bundle, version) = match held {
        None => (row.head.clone(), row.head_version.clone()),
        Some(held) => {
            let found = held.iter().find(|it| it.channels.contains(&row.channel))?;
            (found.bundle.clone(), found.version.clone())
        }
    };
    Some(ChannelPresence {
        channel: row.channel.clone(),
        is_default: row.is_default,
        date: day(&bundle),
        bundle,
        version,
        deprecation: row.deprecation.clone(),
    })
}

fn minor_of(item: &CatalogPresence) -> Option<Minor> {
    let (major, minor) = item.openshift.as_deref()?.split_once('.')?;
    Some(Minor { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

/// The head of the default channel of a catalog for a version of OpenShift.
struct DefaultHead {
    openshift: Minor,
    catalog: String,
    bundle: String,
}

impl DefaultHead {
    fn of(item: &CatalogPresence) -> Option<Self> {
        let head = item.channels.iter().find(|it| it.is_default)?;
        Some(Self { openshift: minor_of(item)?, catalog: item.catalog.clone(), bundle: head.bundle.clone() })
    }
}

/// The objection of the default head of the nearest earlier catalog to a version of OpenShift.
fn signal(graphs: &[PackageGraph], heads: &[DefaultHead], minor: Minor) -> Option<AbsenceReason> {
    let head = heads.iter().filter(|it| it.openshift.is_before(minor)).max_by_key(|it| it.openshift)?;
    let graph = graphs.iter().find(|it| it.catalog == head.catalog)?;
    let stays = stays_at(graph, &[Move { from: head.openshift, to: minor }]).into_iter().flatten();
    let is_against = |it: Compatibility| matches!(it, Compatibility::Blocks | Compatibility::Excluded);
    let stay = stays.into_iter().find(|it| it.bundle == head.bundle && is_against(it.verdict))?;
    let text = format!("{} of catalog `{}`: {}", stay.bundle, stay.catalog, stay.reason);
    Some(AbsenceReason { kind: "signal".to_owned(), text, file: None, line: None })
}

fn reason(it: PublicationReason) -> AbsenceReason {
    let PublicationReason { kind, text, place } = it;
    let (file, line) = match place {
        Some(Place { file, line, .. }) => (Some(file), Some(line)),
        None => (None, None),
    };
    AbsenceReason { kind: kind.as_str().to_owned(), text, file, line }
}

fn file_change(path: String, content: NewContent) -> FileChange {
    let text = |it: Vec<u8>| String::from_utf8_lossy(&it).into_owned();
    match content {
        NewContent::CopyOf(from) => FileChange { path, copy_of: Some(from), before: None, after: None },
        NewContent::Edited { before, after } => {
            FileChange { path, copy_of: None, before: Some(text(before)), after: Some(text(after)) }
        }
    }
}
