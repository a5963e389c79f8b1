//! The catalog that a CatalogSource, or a ClusterCatalog, of a cluster means. Every command that reads a cluster asks
//! here.
//!
//! The first of these that gives an answer decides: the user's map, the label `catalogsource` of a catalog, a catalog
//! of that name, a family of that name, which has one catalog for each version of OpenShift, the catalog that was built
//! from the image of the source, and the family of OpenShift's own catalogs that the image has. If there is just one
//! catalog or family, whose name nobody chose, and the cluster uses just one source, they belong together. Nothing else
//! is guessed.

use std::collections::{BTreeMap, BTreeSet};

use super::family::{SourceName, family_and_minor};
use super::served::served_catalogs;
use super::usual::{minor_of, own_name, own_source};
use crate::upgrade::v1::{CatalogState, ServedCatalog};
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::CatalogRank;
use olmdex_rules::cluster::{Cluster, ClusterExtension};
use olmdex_rules::openshift::coerce;
use olmdex_version::first_of;

/// The label of a catalog that says which CatalogSource it is: `NAMESPACE/NAME`, or `NAME`.
pub const SOURCE_LABEL: &str = "catalogsource";

/// The kinds of meaning that a source has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceMeaning {
    /// A catalog.
    Catalog(String),
    /// A family of catalogs.
    Family(String),
}

/// A tie that cannot be read, or leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TieError {
    /// There is no `=`.
    #[error("`{0}` does not map a CatalogSource to a catalog")]
    NoTie(String),
    /// There is no such catalog, and no such family.
    #[error("no catalog or family `{name}`")]
    Unknown { name: String, known: Vec<String> },
}

/// The meanings of the sources of a cluster.
#[derive(Debug, Clone)]
pub struct CatalogSources {
    /// Sources, as `NAMESPACE/NAME` or `NAME`, or their images, and the catalogs or families that they are.
    map: Vec<(String, String)>,
    /// The images of the sources; empty for a source that has none.
    images: BTreeMap<String, String>,
    /// The catalogs, each with its family and version if its name says them.
    catalogs: Vec<(String, Option<(String, Minor)>)>,
    openshift: Option<Minor>,
    /// The only catalog or family that a CatalogSource can mean, if there is just one.
    only: Option<String>,
    /// The same for a ClusterCatalog.
    only_of_v1: Option<String>,
}

/// Reads the user's ties, `NAMESPACE/NAME=CATALOG`: each source, with its catalog or family. `known` are the catalogs,
/// each with its family if it has one.
///
/// # Errors
/// If a tie cannot be read or names nothing that is known.
pub fn read_ties<'t, 'k>(
    ties: &'t [String],
    known: impl Iterator<Item = (&'k str, Option<&'k str>)> + Clone,
) -> Result<Vec<(&'t str, &'t str)>, TieError> {
    let read = |text: &'t String| {
        let (source, wanted) = text.split_once('=').ok_or_else(|| TieError::NoTie(text.clone()))?;
        let mut names = known.clone().flat_map(|(catalog, family)| [Some(catalog), family]).flatten();
        if names.clone().any(|it| it == wanted) {
            return Ok((source, wanted));
        }
        let known: BTreeSet<&str> = names.by_ref().filter(|it| !it.is_empty()).collect();
        let known = known.into_iter().map(str::to_owned).collect();
        Err(TieError::Unknown { name: wanted.to_owned(), known })
    };
    ties.iter().map(read).collect()
}

impl CatalogSources {
    /// The sources of a cluster. `ties` are the user's, as `NAMESPACE/NAME=CATALOG`; `openshift` is the version of the
    /// cluster, if that is known otherwise than by its manifests. `are_named` says that the user gave the catalogs
    /// names of their own: a source with another name is then none of them, even if there is just one of each.
    ///
    /// # Errors
    /// If a tie cannot be read or names no catalog.
    pub fn new(
        ranks: &[CatalogRank],
        ties: &[String],
        cluster: &Cluster,
        openshift: Option<Minor>,
        are_named: bool,
    ) -> Result<Self, TieError> {
        let catalogs: Vec<(String, Option<(String, Minor)>)> =
            ranks.iter().map(|it| (it.catalog.clone(), family_and_minor(&it.catalog))).collect();
        let known = catalogs.iter().map(|(name, of)| (name.as_str(), of.as_ref().map(|it| it.0.as_str())));
        let tied = read_ties(ties, known)?.into_iter();
        let mut map: Vec<(String, String)> = tied.map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        map.extend(ranks.iter().filter_map(|it| Some((it.labels.get(SOURCE_LABEL)?.clone(), it.catalog.clone()))));
        map.extend(ranks.iter().filter_map(|it| Some((it.image()?.to_owned(), it.catalog.clone()))));
        Ok(Self::of(map, catalogs, cluster, openshift, !are_named && ties.is_empty()))
    }

    /// The sources of a cluster by a map of sources and images. `is_free` says that the one source of a cluster is the
    /// one catalog or family, whatever their names are.
    pub fn of(
        map: Vec<(String, String)>,
        catalogs: Vec<(String, Option<(String, Minor)>)>,
        cluster: &Cluster,
        openshift: Option<Minor>,
        is_free: bool,
    ) -> Self {
        let openshift = openshift.or_else(|| coerce(&cluster.openshift));
        let of_classic = cluster.catalog_sources.iter();
        let of_classic = of_classic.map(|it| (full_name(&it.namespace, &it.name), it.image.clone()));
        let of_v1 = cluster.cluster_catalogs.iter().map(|it| (it.name.clone(), it.image.clone()));
        let images = of_classic.chain(of_v1).collect();
        let mut sources = Self { map, images, catalogs, openshift, only: None, only_of_v1: None };
        let used = cluster.subscriptions.iter().map(|it| (&*it.source_namespace, &*it.source));
        let own = cluster.cluster_catalogs.iter().map(|it| it.name.as_str());
        let named = cluster.extensions.iter().filter_map(ClusterExtension::named_catalog);
        if let [only] = *sources.units().into_iter().collect::<Vec<_>>()
            && is_free
        {
            let only = only.to_owned();
            sources.only_of_v1 = (own.chain(named).collect::<BTreeSet<_>>().len() <= 1).then(|| only.clone());
            sources.only = (used.collect::<BTreeSet<_>>().len() <= 1).then_some(only);
        }
        sources
    }

    /// The meaning of a source; `None` if it is not known. A source without a namespace is a ClusterCatalog.
    pub fn meaning(&self, namespace: &str, name: &str) -> Option<SourceMeaning> {
        let full = full_name(namespace, name);
        let is_catalog = |it: &str| self.catalogs.iter().any(|known| known.0 == it);
        let is_family = |it: &str| self.catalogs.iter().any(|known| known.1.as_ref().is_some_and(|of| of.0 == it));
        let only = if namespace.is_empty() { &self.only_of_v1 } else { &self.only };
        let found = meant(&self.map, &full, self.image(&full), |it| is_catalog(it) || is_family(it))
            .or_else(|| only.clone())?;
        Some(if is_catalog(&found) { SourceMeaning::Catalog(found) } else { SourceMeaning::Family(found) })
    }

    /// The catalog that a source is on this cluster; `None` if that is not known.
    pub fn catalog(&self, namespace: &str, name: &str) -> Option<String> {
        let family = match self.meaning(namespace, name)? {
            SourceMeaning::Catalog(catalog) => return Some(catalog),
            SourceMeaning::Family(family) => family,
        };
        let of_family = self.catalogs.iter().filter_map(|(name, of)| Some((name, of.as_ref()?)));
        let of_family: Vec<(&String, Minor)> =
            of_family.filter(|it| it.1.0 == family).map(|(name, it)| (name, it.1)).collect();
        match (self.minor_of(namespace, name), of_family.as_slice()) {
            (Some(minor), all) => all.iter().find(|it| it.1.is_same(minor)).map(|it| it.0.clone()),
            (None, [only]) => Some(only.0.clone()),
            (None, _) => None,
        }
    }

    /// The version of OpenShift whose catalog a source has.
    fn minor_of(&self, namespace: &str, name: &str) -> Option<Minor> {
        let full = full_name(namespace, name);
        minor_of(&full, self.image(&full), self.openshift)
    }

    fn image(&self, full: &str) -> Option<&str> {
        self.images.get(full).map(String::as_str)
    }

    /// The family of catalogs that a source means, or that of the catalog that it means.
    pub fn family(&self, namespace: &str, name: &str) -> Option<String> {
        match self.meaning(namespace, name)? {
            SourceMeaning::Family(family) => Some(family),
            SourceMeaning::Catalog(catalog) => Some(self.catalogs.iter().find(|it| it.0 == catalog)?.1.clone()?.0),
        }
    }

    /// The ClusterCatalogs that OLM v1 asks for a ClusterExtension, each with its family. A catalog that does not serve
    /// now will in time.
    pub fn served(&self, cluster: &Cluster, extension: &ClusterExtension) -> Vec<ServedCatalog> {
        let mut asked = served_catalogs(cluster, |name| self.family("", name));
        asked.retain(|it| extension.asks(&it.labels));
        for it in asked.iter_mut().filter(|it| it.state == CatalogState::NotServing) {
            it.state = CatalogState::Serving;
        }
        asked
    }

    /// A sentence to put behind the name of a source: it says that the source is none of the catalogs, which ones there
    /// are and how to tie it.
    pub fn unknown_words(&self, namespace: &str, name: &str) -> String {
        let kind = if namespace.is_empty() { "ClusterCatalog" } else { "CatalogSource" };
        let full = full_name(namespace, name);
        let what = match (self.meaning(namespace, name), self.minor_of(namespace, name)) {
            (Some(SourceMeaning::Family(family)), Some(minor)) => {
                // Catalogs that are named after a version only have no family.
                let of_family = if family.is_empty() { String::new() } else { format!(" of `{family}`") };
                return format!("follows the {kind} {full}, but no catalog{of_family} is for OpenShift {minor}");
            }
            (Some(SourceMeaning::Family(family)), None) => {
                return format!(
                    "follows the {kind} {full}, but the OpenShift version that selects a catalog of `{family}` \
                    is unknown"
                );
            }
            _ => format!("follows the {kind} {full}, which matches no catalog"),
        };
        let units = self.units();
        let to = units.first().filter(|it| units.len() == 1 && !it.is_empty()).unwrap_or(&"CATALOG");
        format!("{what}{}; tie it: `-i {name}=SOURCE`, or `--source-map {full}={to}`", self.known_words())
    }

    /// A sentence about ClusterCatalogs that are none of the catalogs, which OLM v1 asks nevertheless.
    pub fn unknown_cluster_catalogs(&self, names: &BTreeSet<String>) -> String {
        let known = self.known_words();
        match names.first() {
            Some(only) if names.len() == 1 => format!(
                "the ClusterCatalog {only} matches no catalog{known}, so olmdex does not know what OLM v1 finds \
                there; tie it: `-i {only}=SOURCE`, or `--source-map {only}=CATALOG`"
            ),
            _ => format!(
                "the ClusterCatalogs {} match no catalog{known}, so olmdex does not know what OLM v1 finds there; \
                tie each: `-i NAME=SOURCE`, or `--source-map NAME=CATALOG`",
                first_of(names.iter(), names.len())
            ),
        }
    }

    /// The catalogs and families that there are.
    pub fn units(&self) -> BTreeSet<&str> {
        self.catalogs.iter().map(|(name, of)| of.as_ref().map_or(&**name, |it| &it.0)).collect()
    }

    /// The catalogs and families that there are, in brackets.
    pub fn known_words(&self) -> String {
        let units: Vec<&str> = self.units().into_iter().filter(|it| !it.is_empty()).collect();
        let named = first_of(units.iter().map(|it| format!("`{it}`")), units.len());
        if units.is_empty() { named } else { format!(" ({named})") }
    }
}

/// `NAMESPACE/NAME`, or `NAME` for a ClusterCatalog, which has no namespace.
fn full_name(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}

/// The catalog that a source means by its name, a ClusterCatalog of OpenShift's own also by that of its CatalogSource,
/// or by its image. A map may name images as well.
fn meant(
    map: &[(String, String)],
    source: &str,
    image: Option<&str>,
    is_known: impl Fn(&str) -> bool,
) -> Option<String> {
    let of_classic = || Some(format!("openshift-marketplace/{}", own_name(source)?));
    let of_image = || {
        let image = image.filter(|it| !it.is_empty())?;
        map.iter().find(|it| it.0 == image && is_known(&it.1)).map(|it| it.1.clone())
    };
    let usual = || {
        let own = own_source(source, image)?;
        [own, own.strip_suffix("-operators")?].into_iter().find(|it| is_known(it)).map(str::to_owned)
    };
    let by_name = meant_by_name(map, source, &is_known).or_else(|| meant_by_name(map, &of_classic()?, &is_known));
    by_name.or_else(of_image).or_else(usual)
}

/// The catalog that a source means, found by the map, by the source's own name, or by the part of its name before the
/// version. Mirrors name a source after the version, as in cs-redhat-operator-index-v4-19, and a mapping of one such
/// source holds for all of them.
fn meant_by_name(map: &[(String, String)], source: &str, is_known: &impl Fn(&str) -> bool) -> Option<String> {
    let name = source.rsplit('/').next().unwrap_or_default();
    let general = |it: &str| SourceName::parse(it).map(|it| it.family.to_owned());
    let (own, of_own) = (general(source), general(name));
    let is_meant = |from: &str| from == source || from == name;
    let is_alike =
        |from: &str| general(from).is_some_and(|it| Some(&it) == own.as_ref() || Some(&it) == of_own.as_ref());
    let mapped = map.iter().find(|it| is_meant(&it.0)).or_else(|| map.iter().find(|it| is_alike(&it.0)));
    let mapped = mapped.map(|it| it.1.as_str());
    let wanted = [mapped.unwrap_or(name), mapped.or(of_own.as_deref()).unwrap_or(name)];
    wanted.into_iter().find(|it| is_known(it)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use olmdex_rules::cluster::{CatalogSource, ClusterCatalog, Subscription};

    fn sources(catalogs: &[&str], ties: &[&str], used: &[&str], openshift: &str) -> CatalogSources {
        let rank = |it: &&str| {
            let (name, label) = it.split_once('=').unwrap_or((it, ""));
            let labels = (!label.is_empty()).then(|| (SOURCE_LABEL.to_owned(), label.to_owned()));
            CatalogRank { catalog: name.to_owned(), labels: labels.into_iter().collect(), ..CatalogRank::default() }
        };
        let ranks: Vec<CatalogRank> = catalogs.iter().map(rank).collect();
        let subscriptions = used.iter().map(|it| Subscription {
            source: (*it).to_owned(),
            source_namespace: "market".to_owned(),
            ..Subscription::default()
        });
        let cluster =
            Cluster { subscriptions: subscriptions.collect(), openshift: openshift.to_owned(), ..Cluster::default() };
        let ties: Vec<String> = ties.iter().map(|it| (*it).to_owned()).collect();
        CatalogSources::new(&ranks, &ties, &cluster, None, false).unwrap()
    }

    #[test]
    fn one_rule_says_which_catalog_a_source_is() {
        let both = ["community-4.16", "community-4.17", "other"];
        let used = ["community", "x"];
        for (catalogs, ties, used, openshift, source, expected) in [
            // A family has a catalog for the cluster's version.
            (&both[..], &[][..], &used[..], "4.16.20", "community", Some("community-4.16")),
            (&both, &[], &used, "4.17.1", "community", Some("community-4.17")),
            (&both, &[], &used, "4.18.0", "community", None),
            (&both, &[], &used, "", "community", None),
            (&both, &[], &used, "4.16.0", "other", Some("other")),
            (&both, &[], &used, "4.16.0", "community-4.17", Some("community-4.17")),
            (&both, &[], &used, "4.16.0", "x", None),
            // The user's ties go first, to a catalog or to a family.
            (&both, &["market/x=community"], &used, "4.16.0", "x", Some("community-4.16")),
            (&both, &["x=community-4.17"], &used, "4.16.0", "x", Some("community-4.17")),
            (&both, &["community=other"], &used, "4.16.0", "community", Some("other")),
            (&both, &["elsewhere/x=other"], &used, "4.16.0", "x", None),
            // Then labels.
            (&["a=market/x", "b"], &[], &used, "", "x", Some("a")),
            (&["a=x", "b=market/y"], &[], &used, "", "y", Some("b")),
            // Mirrors name a source after the version.
            (&both, &[], &used, "4.17.0", "cs-community-v4-17", None),
            (&both, &["cs-community-v4-16=community"], &used, "4.17.0", "cs-community-v4-17", Some("community-4.17")),
            // One catalog and one source belong together; one catalog and two sources do not.
            (&["catalog"], &[], &["x"], "", "x", Some("catalog")),
            (&["catalog"], &[], &used, "", "x", None),
            (&["community-4.16", "community-4.17"], &[], &["x"], "4.16.1", "x", Some("community-4.16")),
        ] {
            let sources = sources(catalogs, ties, used, openshift);
            let found = sources.catalog("market", source);
            assert_eq!(found.as_deref(), expected, "{source} of {catalogs:?} with {ties:?} on {openshift}");
        }
    }

    #[test]
    fn the_image_of_a_source_says_which_catalog_it_is() {
        const OWN: &str = "registry.redhat.io/redhat/community-operator-index";
        let known = ["community-v4.15", "community-v4.16", "mine=mirror:5000/olm/all@sha256:1"];
        let of_own = |tag: &str| format!("{OWN}{tag}");
        for (source, image, ties, expected) in [
            // The tags of OpenShift's own sources follow the cluster; those of others stay.
            ("openshift-marketplace/community-operators", of_own(":v4.15"), &[][..], Some("community-v4.16")),
            ("market/pinned", of_own(":v4.15"), &[], Some("community-v4.15")),
            ("market/pinned", of_own(":v4.14"), &[], None),
            ("market/pinned", of_own("@sha256:2"), &[], Some("community-v4.16")),
            ("market/pinned", of_own("-of-mine:v4.16"), &[], None),
            ("market/pinned", format!("mirror.example.com/{OWN}:v4.16"), &[], None),
            ("openshift-marketplace/community-operators", "mirror:5000/x:v4.16".to_owned(), &[], None),
            ("openshift-marketplace/community-operators", String::new(), &[], None),
            ("openshift-marketplace/certified-operators", of_own(":v4.16"), &[], Some("community-v4.16")),
            // A catalog was built from the image; a tie of the user goes first.
            ("market/all", "mirror:5000/olm/all@sha256:1".to_owned(), &[], Some("mine")),
            ("market/all", "mirror:5000/olm/all@sha256:1".to_owned(), &["mirror:5000/olm/all@sha256:1=community"], {
                Some("community-v4.16")
            }),
            ("market/all", of_own(":v4.16"), &["all=mine"], Some("mine")),
            // A ClusterCatalog.
            ("all", of_own(":v4.15"), &[], Some("community-v4.15")),
            ("openshift-community-operators", of_own(":v4.15"), &[], Some("community-v4.16")),
        ] {
            let (namespace, name) = source.split_once('/').unwrap_or(("", source));
            let ranks = known.map(|it| {
                let (catalog, source) = it.split_once('=').unwrap_or((it, "community:v4.16/directory"));
                CatalogRank { catalog: catalog.to_owned(), source: source.to_owned(), ..CatalogRank::default() }
            });
            let mut cluster = Cluster { openshift: "4.16.3".to_owned(), ..Cluster::default() };
            let (name, namespace) = (name.to_owned(), namespace.to_owned());
            if namespace.is_empty() {
                let it = ClusterCatalog { name: name.clone(), image: image.clone(), ..ClusterCatalog::default() };
                cluster.cluster_catalogs.push(it);
            } else {
                let (name, namespace, image) = (name.clone(), namespace.clone(), image.clone());
                cluster.catalog_sources.push(CatalogSource { name, namespace, image, ..CatalogSource::default() });
            }
            let ties: Vec<String> = ties.iter().map(|it| (*it).to_owned()).collect();
            let sources = CatalogSources::new(&ranks, &ties, &cluster, None, true).unwrap();
            assert_eq!(sources.catalog(&namespace, &name).as_deref(), expected, "{source} of {image}");
        }
        // Without the manifest of a source, its name tells it.
        let sources = sources(&["community-v4.16", "redhat-operators-4.16"], &[], &["a", "b"], "4.16.3");
        for (namespace, name, expected) in [
            ("openshift-marketplace", "community-operators", Some("community-v4.16")),
            ("", "openshift-community-operators", Some("community-v4.16")),
            ("elsewhere", "community-operators", None),
            ("elsewhere", "redhat-operators", Some("redhat-operators-4.16")),
            ("openshift-marketplace", "certified-operators", None),
        ] {
            assert_eq!(sources.catalog(namespace, name).as_deref(), expected, "{namespace}/{name}");
        }
    }

    #[test]
    fn cluster_catalogs_of_openshift_mean_what_its_catalog_sources_mean() {
        let known = ["community-operators", "redhat-operators", "mine"];
        let map = |from: &str| vec![(from.to_owned(), "mine".to_owned())];
        for (map, source, expected) in [
            (vec![], "openshift-community-operators", Some("community-operators")),
            (vec![], "openshift-redhat-operators", Some("redhat-operators")),
            (vec![], "openshift-redhat-marketplace", None),
            (vec![], "openshift-mine", None),
            (map("openshift-marketplace/community-operators"), "openshift-community-operators", Some("mine")),
            (map("openshift-community-operators"), "openshift-community-operators", Some("mine")),
        ] {
            assert_eq!(meant(&map, source, None, |it| known.contains(&it)).as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn what_is_unknown_is_told_with_the_families_that_there_are() {
        let sources = sources(&["certified-4.16", "community-4.16", "other"], &[], &["x", "y"], "4.16.0");
        let words = "follows the CatalogSource market/x, which matches no catalog (`certified`, `community`, `other`); \
                     tie it: `-i x=SOURCE`, or `--source-map market/x=CATALOG`";
        assert_eq!(sources.unknown_words("market", "x"), words);
    }
}
