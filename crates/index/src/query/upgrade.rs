//! The data of a package that upgrade engines and checks of upgrade graphs need: its channels with their entries, its
//! bundles and its deprecations, catalog by catalog, as the documents state them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Filter;
use super::v1_facts::{InstallModes, KnownCsv, Obstacles};
use crate::{IndexError, LightIndex};
use olmdex_fbc::{ChannelPlaces, Entry, has_tag_or_digest};
use olmdex_text::json;
use rusqlite::params;

/// A package in one catalog; `B` is the requested data of its bundles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackageGraph<B = GraphBundle> {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The default channel, or empty.
    pub default_channel: String,
    /// Whether the package passed the checks.
    pub is_valid: bool,
    /// Its channels, in the order of the catalog. Several may share a name.
    pub channels: Vec<GraphChannel>,
    /// Its bundles, in the order of the catalog. Several may share a name.
    pub bundles: Vec<B>,
    /// Each of its `olm.deprecations`, in the order of the catalog; resolution does not need them.
    pub deprecations: Vec<Vec<GraphDeprecation>>,
}

/// Packages by the numbers of their catalogs.
pub(super) type OfCatalogs<B = GraphBundle> = BTreeMap<i64, PackageGraph<B>>;

/// The criteria between catalogs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogRank {
    /// The catalog's name.
    pub catalog: String,
    /// Its priority; higher is preferred.
    pub priority: i64,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The source that it was built from, as given.
    pub source: String,
}

impl CatalogRank {
    /// The image that it was built from, if its source is one.
    pub fn image(&self) -> Option<&str> {
        let image = self.source.strip_prefix("docker://").unwrap_or(&self.source);
        Some(image).filter(|it| has_tag_or_digest(it))
    }
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphChannel {
    /// Its name.
    pub name: String,
    /// Its entries, in their order; shared between the catalogs that hold the same document.
    pub entries: Arc<[Entry]>,
    /// The places of it and its entries.
    pub places: Arc<ChannelPlaces>,
}

/// A bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphBundle {
    /// Its name.
    pub name: String,
    /// Its image, or empty.
    pub image: String,
    /// The value of its first `olm.package` property, as JSON (`null` if it has no value); `None` without a property.
    pub package_property: Option<String>,
    /// The values of its `olm.maxOpenShiftVersion` properties, as JSON.
    pub max_openshift_versions: Vec<String>,
    /// `minKubeVersion` of its ClusterServiceVersion, or empty.
    pub min_kube_version: String,
    /// `com.redhat.openshift.versions`, or empty.
    pub openshift_versions: String,
    /// The type of its first property that declares a dependency: `olm.package.required`, `olm.gvk.required` or
    /// `olm.constraint`.
    pub dependency: Option<String>,
    /// The install modes that its ClusterServiceVersion states; `None` if it states none.
    pub install_modes: Option<InstallModes>,
    /// The other obstacles between it and OLM v1.
    pub obstacles: Obstacles,
    /// The OpenShift versions that its lifecycle lists; `None` if it lists none.
    pub openshift_of_lifecycle: Option<Vec<String>>,
    /// The file with it.
    pub file: String,
    /// Its first line there, from 1.
    pub line: u32,
}

/// A deprecated item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphDeprecation {
    /// `olm.package`, `olm.channel` or `olm.bundle`.
    pub schema: String,
    /// Name of the channel or bundle.
    pub name: String,
    /// The message to users.
    pub message: String,
}

const PACKAGES: &str = "
SELECT c.id, c.name, coalesce(k.default_channel, ''), p.is_valid
FROM catalog c
CROSS JOIN catalog_package p ON p.catalog = c.id AND p.package = ?2
LEFT JOIN package k ON k.document = p.document
WHERE ?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))
ORDER BY c.name";

const CATALOGS: &str = "
SELECT c.name, c.priority, l.key, l.value, c.source
FROM catalog c
LEFT JOIN catalog_label l ON l.catalog = c.id
WHERE ?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))
ORDER BY c.name, l.key";

const ENTRIES: &str = "
SELECT e.document, e.name, e.replaces, e.skip_range
FROM channel ch
CROSS JOIN entry e ON e.document = ch.document
WHERE ch.package = ?1
ORDER BY e.document, e.position";

const SKIPS: &str = "
SELECT s.document, s.entry, s.name
FROM channel ch
CROSS JOIN entry_skip s ON s.document = ch.document
WHERE ch.package = ?1
ORDER BY s.document, s.entry, s.position";

const CHANNELS: &str = "
SELECT cd.catalog, ch.document, ch.name, f.path, cd.line, cd.\"column\", coalesce(y.marks, x'')
FROM channel ch
CROSS JOIN catalog_document cd ON cd.document = ch.document
CROSS JOIN file f ON f.id = cd.file
LEFT JOIN layout y ON y.id = cd.layout
WHERE ch.package = ?1
ORDER BY cd.catalog, cd.position";

const BUNDLES: &str = "
SELECT cd.catalog, b.document, b.name, coalesce(i.reference, ''), f.path, cd.line, b.min_kube_version,
       b.openshift_versions, b.facts_from
FROM bundle b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN file f ON f.id = cd.file
LEFT JOIN image i ON i.id = b.image
WHERE b.package = ?1
ORDER BY cd.catalog, cd.position";

const PROPERTIES: &str = "
SELECT p.document, p.type, p.value
FROM bundle b
CROSS JOIN property p ON p.document = b.document
WHERE b.package = ?1 AND p.type IN
  ('olm.package', 'olm.package.required', 'olm.gvk.required', 'olm.constraint', 'olm.maxOpenShiftVersion')
ORDER BY p.document, p.position";

const INSTALL_MODES: &str = "
SELECT x.document, max(x.supported AND x.type = 'OwnNamespace'), max(x.supported AND x.type = 'SingleNamespace'),
       max(x.supported AND x.type = 'MultiNamespace'), max(x.supported AND x.type = 'AllNamespaces')
FROM bundle b
CROSS JOIN install_mode x ON x.document = b.document
WHERE b.package = ?1
GROUP BY x.document";

const OBSTACLES: &str = "
SELECT x.document, x.kind, x.value
FROM bundle b
CROSS JOIN obstacle x ON x.document = b.document
WHERE b.package = ?1
ORDER BY x.document, x.position";

const DEPRECATIONS: &str = "
SELECT cd.catalog, cd.position, x.schema, x.name, x.message
FROM document d
CROSS JOIN catalog_document cd ON cd.document = d.id
LEFT JOIN deprecation x ON x.document = d.id
WHERE d.package = ?1 AND d.schema = 'olm.deprecations'
ORDER BY cd.catalog, cd.position, x.position";

/// The facts that properties state about a bundle.
#[derive(Default)]
struct Facts {
    package_property: Option<String>,
    max_openshift_versions: Vec<String>,
    dependency: Option<String>,
}

impl LightIndex {
    /// The catalogs of the filter with the criteria between them, by name. The filter's package and channel are
    /// ignored.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn catalog_ranks(&self, filter: &Filter) -> Result<Vec<CatalogRank>, IndexError> {
        let mut ranks: Vec<CatalogRank> = Vec::new();
        for (catalog, priority, key, value, source) in self.rows(CATALOGS, [filter.catalogs_json()], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get(1)?,
                row.get::<_, Option<String>>(2)?,
                row.get::<_, Option<String>>(3)?,
                row.get(4)?,
            ))
        })? {
            if ranks.last().is_none_or(|it| it.catalog != catalog) {
                ranks.push(CatalogRank { catalog, priority, labels: BTreeMap::new(), source });
            }
            if let (Some(rank), Some(key), Some(value)) = (ranks.last_mut(), key, value) {
                rank.labels.insert(key, value);
            }
        }
        Ok(ranks)
    }

    /// The graphs of a package in the catalogs of the filter, by catalog. The filter's package and channel are ignored.
    /// A catalog without data about the package is left out.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn package_graphs(&self, filter: &Filter, package: &str) -> Result<Vec<PackageGraph>, IndexError> {
        self.packages_with(filter, package, |graphs| {
            self.add_bundles(package, graphs)?;
            self.add_lifecycles(filter, package, graphs)?;
            self.add_deprecations(package, graphs)
        })
    }

    /// A package in the catalogs of the filter that have it, by name: its channels, and the bundles that `add` gives
    /// it.
    pub(super) fn packages_with<B: Default>(
        &self,
        filter: &Filter,
        package: &str,
        add: impl FnOnce(&mut OfCatalogs<B>) -> Result<(), IndexError>,
    ) -> Result<Vec<PackageGraph<B>>, IndexError> {
        let mut graphs: OfCatalogs<B> = BTreeMap::new();
        let mut order: Vec<i64> = Vec::new();
        for (id, graph) in self.rows(PACKAGES, params![filter.catalogs_json(), package], |row| {
            let graph = PackageGraph {
                catalog: row.get(1)?,
                package: package.to_owned(),
                default_channel: row.get(2)?,
                is_valid: row.get(3)?,
                ..PackageGraph::default()
            };
            Ok((row.get::<_, i64>(0)?, graph))
        })? {
            order.push(id);
            graphs.insert(id, graph);
        }
        if !graphs.is_empty() {
            self.add_channels(package, &mut graphs)?;
            add(&mut graphs)?;
        }
        Ok(order.into_iter().filter_map(|id| graphs.remove(&id)).collect())
    }

    fn add_deprecations(&self, package: &str, graphs: &mut OfCatalogs) -> Result<(), IndexError> {
        let mut last = None;
        for (id, position, deprecation) in self.rows(DEPRECATIONS, [package], |row| {
            // A blob without entries has a row of NULLs.
            let deprecation = match row.get::<_, Option<String>>(2)? {
                None => None,
                Some(schema) => Some(GraphDeprecation { schema, name: row.get(3)?, message: row.get(4)? }),
            };
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, deprecation))
        })? {
            let Some(graph) = graphs.get_mut(&id) else { continue };
            if last != Some((id, position)) {
                last = Some((id, position));
                graph.deprecations.push(Vec::new());
            }
            if let (Some(blob), Some(deprecation)) = (graph.deprecations.last_mut(), deprecation) {
                blob.push(deprecation);
            }
        }
        Ok(())
    }

    fn add_channels<B>(&self, package: &str, graphs: &mut OfCatalogs<B>) -> Result<(), IndexError> {
        let mut entries: HashMap<i64, Vec<Entry>> = HashMap::new();
        for (document, entry) in self.rows(ENTRIES, [package], |row| {
            let entry = Entry { name: row.get(1)?, replaces: row.get(2)?, skips: Vec::new(), skip_range: row.get(3)? };
            Ok((row.get::<_, i64>(0)?, entry))
        })? {
            entries.entry(document).or_default().push(entry);
        }
        for (document, entry, name) in
            self.rows(SKIPS, [package], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, usize>(1)?, row.get(2)?)))?
        {
            if let Some(entry) = entries.get_mut(&document).and_then(|it| it.get_mut(entry)) {
                entry.skips.push(name);
            }
        }
        let shared: HashMap<i64, Arc<[Entry]>> =
            entries.into_iter().map(|(document, entries)| (document, entries.into())).collect();
        for (id, channel) in self.rows(CHANNELS, [package], |row| {
            let entries = shared.get(&row.get(1)?).cloned().unwrap_or_default();
            let places = ChannelPlaces::new(row.get(3)?, (row.get(4)?, row.get(5)?), row.get_ref(6)?.as_blob()?);
            Ok((row.get::<_, i64>(0)?, GraphChannel { name: row.get(2)?, entries, places: Arc::new(places) }))
        })? {
            if let Some(graph) = graphs.get_mut(&id) {
                graph.channels.push(channel);
            }
        }
        Ok(())
    }

    fn add_lifecycles(&self, filter: &Filter, package: &str, graphs: &mut OfCatalogs) -> Result<(), IndexError> {
        let supported = self.supported(&Filter { package: Some(package.to_owned()), ..filter.clone() })?;
        let mut reader = json::Reader::new();
        for graph in graphs.values_mut() {
            let Some(lifecycle) = supported.lifecycle(&graph.catalog, package) else { continue };
            for bundle in &mut graph.bundles {
                let property = bundle.package_property.as_deref().and_then(|it| reader.read(it).ok());
                let version = property.and_then(|it| Some(it.get_field("version")?.as_str()?.into_owned()));
                let version = version.and_then(|it| lifecycle.version(&it));
                bundle.openshift_of_lifecycle = version.and_then(|it| it.openshift()).map(<[String]>::to_vec);
            }
        }
        Ok(())
    }

    fn add_bundles(&self, package: &str, graphs: &mut OfCatalogs) -> Result<(), IndexError> {
        let mut facts: HashMap<i64, Facts> = HashMap::new();
        for (document, kind, value) in self.rows(PROPERTIES, [package], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<String>>(2)?))
        })? {
            let facts = facts.entry(document).or_default();
            match kind.as_str() {
                "olm.package" if facts.package_property.is_none() => {
                    facts.package_property = Some(value.unwrap_or_else(|| "null".to_owned()));
                }
                "olm.package" => {}
                "olm.maxOpenShiftVersion" => facts.max_openshift_versions.push(value.unwrap_or_default()),
                _ if facts.dependency.is_none() => facts.dependency = Some(kind),
                _ => {}
            }
        }
        let modes = self.rows(INSTALL_MODES, [package], |row| {
            let modes = InstallModes {
                own_namespace: row.get(1)?,
                single_namespace: row.get(2)?,
                multi_namespace: row.get(3)?,
                all_namespaces: row.get(4)?,
            };
            Ok((row.get::<_, i64>(0)?, modes))
        })?;
        let modes: HashMap<i64, InstallModes> = modes.into_iter().collect();
        let mut obstacles: HashMap<i64, Vec<(String, String)>> = HashMap::new();
        for (document, kind, value) in
            self.rows(OBSTACLES, [package], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?)))?
        {
            obstacles.entry(document).or_default().push((kind, value));
        }
        for (id, document, mut bundle) in self.rows(BUNDLES, [package], |row| {
            let bundle = GraphBundle {
                name: row.get(2)?,
                image: row.get(3)?,
                file: row.get(4)?,
                line: row.get(5)?,
                min_kube_version: row.get(6)?,
                openshift_versions: row.get(7)?,
                obstacles: Obstacles { known: KnownCsv::of(row.get_ref(8)?.as_str()?), ..Obstacles::default() },
                ..GraphBundle::default()
            };
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, bundle))
        })? {
            let Some(graph) = graphs.get_mut(&id) else { continue };
            if let Some(facts) = facts.get(&document) {
                bundle.package_property.clone_from(&facts.package_property);
                bundle.max_openshift_versions.clone_from(&facts.max_openshift_versions);
                bundle.dependency.clone_from(&facts.dependency);
            }
            bundle.install_modes = modes.get(&document).copied();
            for (kind, value) in obstacles.get(&document).into_iter().flatten() {
                bundle.obstacles.add(kind, value.clone());
            }
            graph.bundles.push(bundle);
        }
        Ok(())
    }
}

/// Gives packages their bundles, in the order of the rows.
pub(super) fn add_bundles<B>(graphs: &mut OfCatalogs<B>, bundles: Vec<(i64, B)>) {
    for (id, bundle) in bundles {
        if let Some(graph) = graphs.get_mut(&id) {
            graph.bundles.push(bundle);
        }
    }
}

/// A package in one catalog with the versions of its bundles.
pub type PackageVersions = PackageGraph<BundleVersion>;

/// A bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleVersion {
    /// Its name.
    pub name: String,
    /// The version that its first `olm.package` property with a value states, as it is written there; empty if none
    /// does.
    pub version: String,
    /// And its release; empty if it states none.
    pub release: String,
}

// Without order, which would cost as much as the rest.
const VERSIONS: &str = "
SELECT cd.catalog, b.name, b.version, b.release
FROM bundle b
CROSS JOIN catalog_document cd ON cd.document = b.document
WHERE b.package = ?1";

impl LightIndex {
    /// The channels of a package in the catalogs of the filter, by catalog, with its bundles in no order. The filter's
    /// package and channel are ignored.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn package_versions(&self, filter: &Filter, package: &str) -> Result<Vec<PackageVersions>, IndexError> {
        let bundle = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?, BundleVersion { name: row.get(1)?, version: row.get(2)?, release: row.get(3)? }))
        };
        self.packages_with(filter, package, |graphs| {
            add_bundles(graphs, self.rows(VERSIONS, [package], bundle)?);
            Ok(())
        })
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("catalogs of a package", PACKAGES),
    ("catalogs with labels", CATALOGS),
    ("entries of a package", ENTRIES),
    ("skips of a package", SKIPS),
    ("channels of a package", CHANNELS),
    ("bundles of a package with places", BUNDLES),
    ("properties of a package's bundles", PROPERTIES),
    ("install modes of a package's bundles", INSTALL_MODES),
    ("obstacles to OLM v1 of a package's bundles", OBSTACLES),
    ("deprecations of a package", DEPRECATIONS),
    ("versions of a package's bundles", VERSIONS),
];
