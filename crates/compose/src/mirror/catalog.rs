//! A catalog as the filter sees it: names, edges and versions, with the place of each blob. Texts stay in their files.

use std::collections::{BTreeMap, BTreeSet};

use olmdex_fbc::{BUNDLE_OBJECT, Blob, Document, Entry, Failure, Input, Origin, Typed, load_each};
use olmdex_version::Version;

/// A catalog in the filter's view.
#[derive(Debug, Default)]
pub struct Catalog {
    /// Its packages, by name; the empty one holds the blobs without package.
    pub packages: BTreeMap<String, PackageFacts>,
    /// The names of all packages of the catalog, also of those that were not read.
    pub names: BTreeSet<String>,
    /// Documents that could not be read, with their faults.
    pub broken: Vec<(Origin, Failure)>,
}

/// A package.
#[derive(Debug, Default)]
pub struct PackageFacts {
    /// Position of its first `olm.package` among the catalog's documents.
    pub position: usize,
    /// Whether there is an `olm.package` at all.
    pub is_there: bool,
    /// Its default channel, or empty.
    pub default_channel: String,
    /// Its channels, in the order of the catalog.
    pub channels: Vec<ChannelFacts>,
    /// Its bundles, in the order of the catalog.
    pub bundles: Vec<BundleFacts>,
    /// Channels that it calls deprecated.
    pub deprecated_channels: BTreeSet<String>,
    /// All of its documents.
    pub documents: Vec<(Origin, Kind)>,
}

/// The kind of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `olm.package`
    Package,
    /// `olm.channel`, with the position in [`PackageFacts::channels`].
    Channel(usize),
    /// `olm.bundle`, with the position in [`PackageFacts::bundles`].
    Bundle(usize),
    /// `olm.deprecations`
    Deprecations,
    /// Anything else.
    Other,
}

/// A channel.
#[derive(Debug, Clone)]
pub struct ChannelFacts {
    /// Position among the catalog's documents.
    pub position: usize,
    /// Its name.
    pub name: String,
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// A bundle.
#[derive(Debug, Clone)]
pub struct BundleFacts {
    /// Position among the catalog's documents.
    pub position: usize,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: BundleVersion,
    /// The images that it names: its own and the related ones.
    pub images: Vec<String>,
    /// Whether it says what its ClusterServiceVersion says, so that a console can show it.
    pub has_service_version: bool,
}

/// The version of a bundle, as the bundle states it.
#[derive(Debug, Clone)]
pub enum BundleVersion {
    /// It has no `olm.package` property.
    Absent,
    /// It has one, whose version is not valid.
    Invalid(String),
    /// It has one.
    Known(Version),
}

impl BundleFacts {
    /// Its version, if it has one.
    pub fn version(&self) -> Option<&Version> {
        match &self.version {
            BundleVersion::Known(version) => Some(version),
            _ => None,
        }
    }
}

impl PackageFacts {
    /// A channel, by name.
    pub fn channel(&self, name: &str) -> Option<&ChannelFacts> {
        self.channels.iter().find(|it| it.name == name)
    }

    /// Versions of bundles, by the names of these.
    pub fn versions(&self) -> BTreeMap<&str, &Version> {
        self.bundles.iter().filter_map(|it| Some((it.name.as_str(), it.version()?))).collect()
    }
}

/// A document as the facts of it.
struct Facts {
    origin: Origin,
    package: String,
    content: DocumentContent,
}

enum DocumentContent {
    Package {
        default_channel: String,
    },
    Channel(String, Vec<Entry>),
    Bundle(BundleFacts),
    /// The channels that are deprecated.
    Deprecations(Vec<String>),
    Other,
    Broken(Box<Failure>),
    /// A package outside of the request.
    Name,
}

/// Takes the facts out of a document of some packages, or of all of them.
fn surveyed(document: Document<'_>, wanted: Option<&BTreeSet<&str>>) -> Option<Facts> {
    let origin = document.origin;
    let is_wanted = |package: &str| package.is_empty() || wanted.is_none_or(|it| it.contains(package));
    let blob = match document.blob {
        Ok(blob) => blob,
        Err(failure) if is_wanted(&failure.package) => {
            let package = failure.package.clone();
            return Some(Facts { origin, package, content: DocumentContent::Broken(Box::new(failure)) });
        }
        Err(_) => return None,
    };
    let content = match &blob.typed {
        _ if is_wanted(&blob.package) => facts(&blob)?,
        Typed::Package(_) => DocumentContent::Name,
        _ => return None,
    };
    Some(Facts { origin, package: blob.package.to_string(), content })
}

/// The facts of a blob; `None` for one that should belong to a package but does not: opm does not write such a blob
/// either.
fn facts(blob: &Blob<'_>) -> Option<DocumentContent> {
    if blob.package.is_empty() && !matches!(blob.typed, Typed::Other) {
        return None;
    }
    Some(match &blob.typed {
        Typed::Package(it) => DocumentContent::Package { default_channel: it.default_channel.to_string() },
        Typed::Channel(it) => {
            DocumentContent::Channel(it.name.to_string(), it.entries.iter().flatten().map(Entry::from).collect())
        }
        Typed::Bundle(it) => {
            let property = it.properties.iter().find(|it| it.kind == "olm.package");
            let version = match property {
                None => BundleVersion::Absent,
                Some(property) => {
                    let version = property.value.and_then(|it| it.get_field("version"));
                    let text = version.and_then(|it| it.as_str()).unwrap_or_default();
                    match Version::parse(&text) {
                        Ok(version) => BundleVersion::Known(version),
                        Err(_) => BundleVersion::Invalid(text.into_owned()),
                    }
                }
            };
            let related = it.related_images.iter().map(|it| it.image.to_string());
            let images = std::iter::once(it.image.to_string()).filter(|it| !it.is_empty()).chain(related);
            let has_service_version =
                it.properties.iter().any(|it| ["olm.csv.metadata", BUNDLE_OBJECT].contains(&&*it.kind));
            let (position, name, images) = (0, it.name.to_string(), images.collect());
            DocumentContent::Bundle(BundleFacts { position, name, version, images, has_service_version })
        }
        Typed::Deprecations(it) => {
            let channels = it.entries.iter().flatten().filter(|it| it.schema == "olm.channel");
            DocumentContent::Deprecations(channels.map(|it| it.name.to_string()).collect())
        }
        Typed::Other => DocumentContent::Other,
    })
}

impl Catalog {
    /// Reads a catalog, in parallel: these packages of it, or all of them, and the blobs without a package.
    pub fn read(input: &Input, wanted: Option<&BTreeSet<&str>>) -> Self {
        let mut catalog = Self::default();
        let mut position = 0;
        load_each(input, &|document: Document<'_>| surveyed(document, wanted), |facts| {
            position += 1;
            if let Some(facts) = facts {
                catalog.add(position, facts);
            }
        });
        catalog
    }

    fn add(&mut self, position: usize, facts: Facts) {
        let Facts { origin, package, content } = facts;
        if let DocumentContent::Broken(failure) = content {
            self.broken.push((origin, *failure));
            return;
        }
        if matches!(content, DocumentContent::Name | DocumentContent::Package { .. }) {
            self.names.insert(package.clone());
        }
        if matches!(content, DocumentContent::Name) {
            return;
        }
        let package = self.packages.entry(package).or_default();
        let kind = match content {
            DocumentContent::Package { default_channel } => {
                if !package.is_there {
                    (package.is_there, package.position, package.default_channel) = (true, position, default_channel);
                }
                Kind::Package
            }
            DocumentContent::Channel(name, entries) => {
                package.channels.push(ChannelFacts { position, name, entries });
                Kind::Channel(package.channels.len() - 1)
            }
            DocumentContent::Bundle(facts) => {
                package.bundles.push(BundleFacts { position, ..facts });
                Kind::Bundle(package.bundles.len() - 1)
            }
            DocumentContent::Deprecations(channels) => {
                package.deprecated_channels.extend(channels);
                Kind::Deprecations
            }
            DocumentContent::Other | DocumentContent::Broken(_) | DocumentContent::Name => Kind::Other,
        };
        package.documents.push((origin, kind));
    }

    /// The same among the files of several catalogs, behind `n_files` others.
    #[must_use]
    pub fn behind(mut self, n_files: usize) -> Self {
        let n_files = u32::try_from(n_files).unwrap_or(u32::MAX);
        let documents = self.packages.values_mut().flat_map(|facts| &mut facts.documents);
        let origins =
            documents.map(|document| &mut document.0).chain(self.broken.iter_mut().map(|broken| &mut broken.0));
        origins.for_each(|origin| origin.file = origin.file.saturating_add(n_files));
        self
    }

    /// The packages of unreadable documents, as far as these name one.
    pub fn broken_packages(&self) -> BTreeSet<&str> {
        self.broken.iter().map(|it| it.1.package.as_str()).collect()
    }
}
