//! Results for an index that are worked out once and used by many pages.
//!
//! The cache holds no connection to the index, so that several threads can share it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sha2::{Digest as _, Sha256};

use super::icon;
use super::one_package::read_findings;
use super::plans::{Plans, ServedCluster};
use super::recent::Recent;
use super::reply::PageError;
use super::server_path::{ServerPaths, public_word};
use olmdex_ask::{AskError, Catalogs, check_catalog, successions};
use olmdex_base::diag::Finding;
use olmdex_index::query::{
    ApiPattern, BundleRow, CatalogRow, Change, DatedBundle, Dependents, Facet, Filter, HeadDays, ImageUsers,
    NestedChanges, PackageRow, Side,
};
use olmdex_index::{Index, IndexError};
use olmdex_text::calendar::Day;
use olmdex_text::encoding::hex::hex;

/// The most bytes of documents in a catalog that is checked for a page.
const MAX_CHECKED: u64 = 32 << 20;

/// The most dated bundles that are read, and the most packages on the first page: some packages have a version each
/// night.
const N_DATED: usize = 500;
const N_NEWEST: usize = 8;

/// Words in the versions of builds that are not for everybody.
const EARLY: [&str; 5] = ["nightly", "alpha", "beta", "-rc", "-dev"];

/// Bundles by catalog and package.
type Highest = HashMap<String, HashMap<String, BundleRow>>;

/// The packages that provide each kind, by kind and group.
type ProvidedApis = BTreeMap<(String, String), BTreeSet<String>>;

/// The results for an index that are worked out once.
#[derive(Debug, Default)]
pub struct IndexCache {
    /// The words by which commands name the index and its catalogs, such as `-i index.db`; empty if none are needed.
    pub source: Vec<String>,
    /// The catalogs, by name.
    pub catalogs: Vec<CatalogRow>,
    /// A digest of all that they hold.
    pub digest: String,
    /// The cluster that the server was given, if there is one.
    pub cluster: Option<Arc<ServedCluster>>,
    /// Its plans, if its version and that of a catalog are known.
    pub plans: Option<Plans>,
    /// Whether anybody may read the pages: then they hide the places of the catalogs on this machine.
    pub is_public: bool,
    pub(super) server_paths: ServerPaths,
    pub(super) ranks: Catalogs,
    packages: OnceLock<Vec<PackageRow>>,
    highest: OnceLock<Highest>,
    facets: OnceLock<Vec<Facet>>,
    newest: OnceLock<Vec<DatedBundle>>,
    days: OnceLock<HeadDays>,
    catalog_days: OnceLock<HashMap<String, Day>>,
    dependents: OnceLock<Dependents>,
    words: OnceLock<BTreeSet<String>>,
    apis: OnceLock<ProvidedApis>,
    icons: OnceLock<Icons>,
    image_users: OnceLock<ImageUsers>,
    manifests: OnceLock<HashMap<String, Vec<String>>>,
    checks: Mutex<HashMap<String, Arc<CatalogChecks>>>,
    /// By the names of two catalogs, the old one first.
    comparisons: Recent<Change>,
    /// The findings about the upgrades of packages, by catalog and package.
    upgrade_findings: Recent<Finding>,
    /// The bundles of packages, by catalog and package.
    bundles: Recent<BundleRow>,
    /// Pages by their addresses: visitors of a portal look at the same ones.
    pub(super) pages: Recent<u8>,
}

/// The number of pages that are kept, the bytes of all, and those of one: pages of real catalogs have up to 120 KB.
const N_PAGES: usize = 256;
const MAX_BYTES_OF_PAGES: usize = 4 << 20;
const MAX_BYTES_OF_PAGE: usize = 256 << 10;

/// The number of packages whose findings about upgrades are kept, and the number of these findings.
const N_UPGRADE_FINDINGS: usize = 64;
const MAX_UPGRADE_FINDINGS: usize = 20_000;

/// The most names that the entries of a catalog may skip in the packages whose upgrades a page checks. Real catalogs
/// skip some ten thousands.
const MAX_SKIPS_OF_CATALOG: u64 = 500_000;

/// The number of packages whose bundles are kept, and the number of these bundles.
const N_PACKAGES_OF_BUNDLES: usize = 16;
const MAX_BUNDLES: usize = 5_000;

/// The number of comparisons of whole catalogs that are kept.
const N_COMPARISONS: usize = 24;

/// The number of changes that kept comparisons have together: about 30 MB.
const MAX_KEPT_CHANGES: usize = 100_000;

/// The number of comparisons that are made before anybody asks: those of five catalogs. It takes a tenth of a second
/// each.
const N_PREPARED: usize = 20;

/// The names of icons, each with a package that has it, and those of packages.
#[derive(Debug, Default)]
struct Icons {
    by_name: HashMap<String, (String, String)>,
    by_package: HashMap<String, HashMap<String, String>>,
}

/// The findings about a catalog.
#[derive(Debug, Default)]
pub(super) struct CatalogChecks {
    /// Those that `validate` has.
    pub(super) documents: Vec<Finding>,
    /// Those about the upgrades of its packages.
    pub(super) upgrades: Vec<Finding>,
    /// The packages whose upgrades are too large for a page.
    pub(super) unchecked: Vec<String>,
}

impl CatalogChecks {
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.documents.iter().chain(&self.upgrades)
    }
}

/// The kept value, made first if it does not exist yet. If two threads make it, the first one is kept.
fn kept<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, IndexError>) -> Result<&T, IndexError> {
    match cell.get() {
        Some(kept) => Ok(kept),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}

impl IndexCache {
    /// Reads the facts about an index that are quick to get. `source` is how commands name it.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn new(index: &Index, source: Vec<String>) -> Result<Self, IndexError> {
        let catalogs = index.catalogs(&Filter::default())?;
        let mut hasher = Sha256::new();
        hasher.update(olmdex_base::diag::envelope::VERSION);
        for catalog in &catalogs {
            // Pages also show data of a catalog that is not in its documents, so that data counts too.
            hasher.update(format!("\n{} {} {:?} ", catalog.catalog, catalog.priority, catalog.labels));
            hasher.update(format!("{} {} ", catalog.source, catalog.image));
            hasher.update(index.served_digest(&catalog.catalog)?.unwrap_or_default());
        }
        for word in &source {
            hasher.update(format!("\n{word}"));
        }
        let digest = hex(&hasher.finalize());
        let server_paths = ServerPaths::of_sources(catalogs.iter().map(|it| it.source.as_str()));
        Ok(Self {
            ranks: catalogs.iter().map(|it| (it.catalog.as_str(), it.priority)).collect(),
            server_paths,
            source,
            catalogs,
            digest,
            comparisons: Recent::new(1..=N_COMPARISONS, MAX_KEPT_CHANGES),
            upgrade_findings: Recent::new(0..=N_UPGRADE_FINDINGS, MAX_UPGRADE_FINDINGS),
            bundles: Recent::new(1..=N_PACKAGES_OF_BUNDLES, MAX_BUNDLES),
            pages: Recent::new(0..=N_PAGES, MAX_BYTES_OF_PAGES).at_most(MAX_BYTES_OF_PAGE),
            ..Self::default()
        })
    }

    /// The same with a cluster, and with plans of it if there can be some.
    #[must_use]
    pub fn with_cluster(self, cluster: Arc<ServedCluster>, plans: Option<Plans>) -> Self {
        // Each page leads to them.
        let digest = hex(&Sha256::digest(format!("{}\nplans", self.digest)));
        Self { cluster: Some(cluster), plans, digest, ..self }
    }

    /// The same for pages that anybody may read: they hide the places of the catalogs on this machine.
    #[must_use]
    pub fn for_the_public(self) -> Self {
        let digest = hex(&Sha256::digest(format!("{}\npublic", self.digest)));
        let server_paths = ServerPaths::of_public(self.catalogs.iter().map(|it| it.source.as_str()));
        let source = self.source.iter().map(|it| public_word(it)).collect();
        let mut catalogs = self.catalogs;
        for it in &mut catalogs {
            it.source.clear();
        }
        Self { is_public: true, catalogs, digest, server_paths, source, ..self }
    }

    /// Works out data that many pages need, so that none waits for it.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn prepare(&self, index: &Index) -> Result<(), IndexError> {
        self.packages(index)?;
        self.facets(index)?;
        self.icons(index)?;
        self.image_users(index)?;
        self.newest(index)?;
        self.days(index)?;
        self.catalog_days(index)?;
        self.dependents(index)?;
        self.words(index)?;
        self.apis(index)?;
        self.all_highest(index)?;
        // If the checks or a comparison fail, their own pages report the error.
        for it in &self.catalogs {
            drop(self.checks(index, &it.catalog));
        }
        let names = self.catalogs.iter().map(|it| it.catalog.as_str());
        for (old, new) in successions(names).into_iter().rev().take(N_PREPARED) {
            let side = |catalog| Side { index, catalog };
            drop(self.changes((old, new), (side(old), side(new))));
            if self.comparisons.is_half_full() {
                break;
            }
        }
        Ok(())
    }

    /// Forgets the pages that were made, for a measurement of how long the making takes.
    pub fn forget_pages(&self) {
        self.pages.clear();
    }

    /// The packages of all catalogs, by catalog and name.
    pub(super) fn packages(&self, index: &Index) -> Result<&[PackageRow], IndexError> {
        kept(&self.packages, || index.packages(&Filter::default())).map(Vec::as_slice)
    }

    /// The bundle of a package with the highest version, in any channel.
    pub(super) fn highest(
        &self,
        index: &Index,
        catalog: &str,
        package: &str,
    ) -> Result<Option<&BundleRow>, IndexError> {
        Ok(self.all_highest(index)?.get(catalog).and_then(|it| it.get(package)))
    }

    fn all_highest(&self, index: &Index) -> Result<&Highest, IndexError> {
        kept(&self.highest, || {
            let mut highest = Highest::default();
            // The bundles of a package are sorted by version, so the last one stays.
            for row in index.bundles(&Filter::default())? {
                highest.entry(row.catalog.clone()).or_default().insert(row.package.clone(), row);
            }
            Ok(highest)
        })
    }

    /// The values that distinguish packages.
    pub(super) fn facets(&self, index: &Index) -> Result<&[Facet], IndexError> {
        kept(&self.facets, || index.facets()).map(Vec::as_slice)
    }

    /// The packages with the newest versions, each with its newest one, the newest first, and early builds last.
    pub(super) fn newest(&self, index: &Index) -> Result<&[DatedBundle], IndexError> {
        let newest = kept(&self.newest, || {
            let mut seen: HashSet<String> = HashSet::new();
            let mut all = index.newest_of_catalog(None, N_DATED)?;
            all.sort_by_key(|bundle| EARLY.iter().any(|word| bundle.version.contains(word)));
            all.retain(|it| seen.insert(it.package.clone()));
            all.truncate(N_NEWEST);
            Ok(all)
        });
        newest.map(Vec::as_slice)
    }

    /// The day of the head of each package's default channel, by catalog and package, as far as bundles state it.
    pub(super) fn days(&self, index: &Index) -> Result<&HeadDays, IndexError> {
        kept(&self.days, || index.head_days())
    }

    /// The day of the newest bundle of each catalog, as far as bundles state it.
    pub(super) fn catalog_days(&self, index: &Index) -> Result<&HashMap<String, Day>, IndexError> {
        kept(&self.catalog_days, || {
            let mut days = HashMap::new();
            for it in &self.catalogs {
                let newest = index.newest_of_catalog(Some(&it.catalog), 1)?;
                days.extend(newest.first().map(|newest| (it.catalog.clone(), newest.day)));
            }
            Ok(days)
        })
    }

    /// The packages that require each package.
    pub(super) fn dependents(&self, index: &Index) -> Result<&Dependents, IndexError> {
        kept(&self.dependents, || index.dependents())
    }

    /// The kinds of objects that packages provide, by kind and group, each with the packages.
    pub(super) fn apis(&self, index: &Index) -> Result<&ProvidedApis, IndexError> {
        kept(&self.apis, || {
            let mut kinds = ProvidedApis::new();
            for it in index.owners(&Filter::default(), &ApiPattern::default())? {
                kinds.entry((it.kind, it.group)).or_default().extend(it.packages);
            }
            Ok(kinds)
        })
    }

    /// The words in the names of packages, with which slips are corrected.
    pub(super) fn words(&self, index: &Index) -> Result<&BTreeSet<String>, IndexError> {
        kept(&self.words, || {
            let mut words = BTreeSet::new();
            let is_word = |it: &&str| it.chars().count() > 2 && !it.bytes().all(|it| it.is_ascii_digit());
            for row in self.packages(index)? {
                for text in [row.package.to_lowercase(), row.display_name.to_lowercase()] {
                    words.extend(text.split(|c: char| !c.is_alphanumeric()).filter(is_word).map(str::to_owned));
                }
            }
            Ok(words)
        })
    }

    /// The images of all bundles, with their users.
    pub(super) fn image_users(&self, index: &Index) -> Result<&ImageUsers, IndexError> {
        kept(&self.image_users, || index.image_users())
    }

    /// The catalogs that have the manifests of a bundle of a package. Each page of the package asks.
    pub(super) fn catalogs_with_manifests(&self, index: &Index, package: &str) -> Result<&[String], IndexError> {
        let manifests = kept(&self.manifests, || {
            let mut catalogs: HashMap<String, Vec<String>> = HashMap::new();
            for (package, catalog) in index.packages_with_manifests()? {
                catalogs.entry(package).or_default().push(catalog);
            }
            Ok(catalogs)
        })?;
        Ok(manifests.get(package).map(Vec::as_slice).unwrap_or_default())
    }

    fn icons(&self, index: &Index) -> Result<&Icons, IndexError> {
        kept(&self.icons, || Self::read_icons(index))
    }

    fn read_icons(index: &Index) -> Result<Icons, IndexError> {
        let names: HashMap<i64, String> =
            index.icons(icon::name)?.into_iter().filter_map(|(document, name)| Some((document, name?))).collect();
        let mut icons = Icons::default();
        for (document, catalog, package) in index.icon_places()? {
            if let Some(name) = names.get(&document) {
                icons.by_name.entry(name.clone()).or_insert_with(|| (catalog.clone(), package.clone()));
                icons.by_package.entry(package).or_default().insert(catalog, name.clone());
            }
        }
        let mut lacking = index.packages_with_manifests()?;
        lacking.retain(|(package, catalog)| !icons.by_package.get(package).is_some_and(|it| it.contains_key(catalog)));
        for (package, catalog) in lacking.into_iter().take(MAX_SEARCHED) {
            let found = icon_in_manifests(index, &catalog, &package)?;
            if let Some(name) = found.and_then(|(media_type, bytes)| icon::name(&media_type, &bytes)) {
                icons.by_name.entry(name.clone()).or_insert_with(|| (catalog.clone(), package.clone()));
                icons.by_package.entry(package).or_default().insert(catalog, name);
            }
        }
        Ok(icons)
    }

    /// The name of a package's icon, if it has one that can be shown.
    pub(super) fn icon_of(&self, index: &Index, catalog: &str, package: &str) -> Result<Option<String>, IndexError> {
        Ok(self.icons(index)?.by_package.get(package).and_then(|it| it.get(catalog)).cloned())
    }

    /// The bytes of an icon.
    pub(super) fn icon(&self, index: &Index, name: &str) -> Result<Option<Vec<u8>>, IndexError> {
        let Some((catalog, package)) = self.icons(index)?.by_name.get(name) else { return Ok(None) };
        let of_package = index.served_icon(catalog, package)?.filter(|(media_type, bytes)| {
            // A package may have an icon that is no picture.
            icon::name(media_type, bytes).as_deref() == Some(name)
        });
        let found = match of_package {
            Some(found) => Some(found),
            None => icon_in_manifests(index, catalog, package)?,
        };
        Ok(found.map(|it| it.1))
    }

    /// The findings of the checks in a catalog, which take so long that they are made once. The checks need all text of
    /// a catalog at once: a large one is checked package by package, so that a page does not take its memory.
    pub(super) fn checks(&self, index: &Index, catalog: &str) -> Result<Arc<CatalogChecks>, PageError> {
        let known = || self.checks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(catalog) {
            return Ok(Arc::clone(found));
        }
        let mut checks = CatalogChecks::default();
        let packages = index.packages_of_catalog(catalog)?;
        if index.served_size(catalog)? > MAX_CHECKED {
            for package in &packages {
                checks.documents.append(&mut self.findings_of_package(index, catalog, package)?);
            }
        } else {
            let input = index.catalog_input(catalog)?;
            checks.documents.extend(input.remarks.iter().cloned());
            let mut found = check_catalog(&input, None).findings;
            index.place_in_files(catalog, &mut found)?;
            checks.documents.append(&mut found);
        }
        let mut n_skips = 0;
        for package in packages {
            n_skips += index.n_skips(catalog, &package)?;
            if n_skips > MAX_SKIPS_OF_CATALOG || checks.upgrades.len() > MAX_UPGRADE_FINDINGS {
                checks.unchecked.push(package);
                continue;
            }
            match read_findings(index, catalog, &package) {
                Ok(mut found) => checks.upgrades.append(&mut found),
                // The findings about documents stay, whatever is wrong with the graphs.
                Err(_) => checks.unchecked.push(package),
            }
        }
        let checks = Arc::new(checks);
        known().insert(catalog.to_owned(), Arc::clone(&checks));
        Ok(checks)
    }

    /// The findings of the checks in one package of a catalog: a part of the findings of a catalog that was checked
    /// already, or else those of a check of the package alone.
    pub(super) fn findings_of_package(
        &self,
        index: &Index,
        catalog: &str,
        package: &str,
    ) -> Result<Vec<Finding>, IndexError> {
        let known = self.checks.lock().unwrap_or_else(PoisonError::into_inner).get(catalog).cloned();
        if let Some(known) = known {
            return Ok(known.documents.iter().filter(|it| it.package.as_deref() == Some(package)).cloned().collect());
        }
        let input = index.packages_input(catalog, std::iter::once(package))?;
        let mut found = check_catalog(&input, None).findings;
        found.retain(|it| it.package.as_deref() == Some(package));
        index.place_package_in_files(catalog, package, &mut found)?;
        Ok(found)
    }

    /// The differences between two catalogs, without nested changes. A visitor looks at several kinds and packages of
    /// one comparison, so the last comparisons are kept.
    pub(super) fn changes(
        &self,
        words: (&str, &str),
        (old, new): (Side<'_>, Side<'_>),
    ) -> Result<Arc<[Change]>, AskError> {
        self.comparisons.get(words, || Ok(olmdex_ask::changes(old, new, &[], NestedChanges::Skipped)?.into()))
    }

    /// The findings about the upgrades of a package in a catalog. Each channel has a page that shows its part of them,
    /// and a visitor looks at several channels.
    pub(super) fn upgrade_findings(
        &self,
        index: &Index,
        catalog: &str,
        package: &str,
    ) -> Result<Arc<[Finding]>, PageError> {
        self.upgrade_findings.get((catalog, package), || Ok(read_findings(index, catalog, package)?.into()))
    }

    /// The bundles of a package of a catalog, by version. The page of each version needs all.
    pub(super) fn bundles(&self, index: &Index, catalog: &str, package: &str) -> Result<Arc<[BundleRow]>, IndexError> {
        self.bundles.get((catalog, package), || Ok(index.bundles(&Filter::in_catalog(catalog, package))?.into()))
    }

    /// The catalog to show, out of those that have the subject.
    pub(super) fn choose<'c>(&self, named: &[String], having: impl Iterator<Item = &'c str>) -> Option<&'c str> {
        self.ranks.choose(named, having)
    }
}

/// The most packages without an icon whose manifests are searched for one: the first page waits for all of them.
const MAX_SEARCHED: usize = 500;

/// The icon in the ClusterServiceVersion of the head of a package's default channel: its media type and its bytes.
/// `opm` puts it into the package only when it renders a bundle.
fn icon_in_manifests(index: &Index, catalog: &str, package: &str) -> Result<Option<(String, Vec<u8>)>, IndexError> {
    let Some(row) = index.packages(&Filter::in_catalog(catalog, package))?.into_iter().find(|row| !row.head.is_empty())
    else {
        return Ok(None);
    };
    let objects = index.carried_objects(catalog, &row.head)?;
    Ok(objects.iter().find_map(|(text, _)| icon::in_service_version(text)))
}
