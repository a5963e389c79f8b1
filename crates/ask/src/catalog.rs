//! The choice of the catalog of a package, a version, an image or a page, if a question names none.
//! [`CatalogSources`](olmdex_olm::catalog_source::CatalogSources) identifies the catalogs of the CatalogSources and
//! ClusterCatalogs of a cluster.

use std::collections::{BTreeMap, BTreeSet};

use super::error::AskError;
use super::hint::{Help, Hint};
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{CatalogRank, Filter};
use olmdex_index::{IndexError, LightIndex};
use olmdex_olm::catalog_source::{family_and_minor, is_for};
use olmdex_version::by_numbers;

/// The existing catalogs, with the data that decides between them.
#[derive(Debug, Clone, Default)]
pub struct Catalogs {
    ranks: Vec<(String, i64)>,
}

impl Catalogs {
    /// The catalogs of an index.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(index: &LightIndex) -> Result<Self, IndexError> {
        Ok(index.catalog_ranks(&Filter::default())?.iter().collect())
    }

    /// Their names, in the order of the index.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.ranks.iter().map(|it| it.0.as_str())
    }

    /// The catalog of a question, out of those that have its subject: a named one, else the one with the highest
    /// priority, among equal ones one for a version of OpenShift, and then the last by name, with numbers in names
    /// compared by value. `None` if no catalog has it.
    pub fn choose<'c>(&self, named: &[String], having: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
        let is_meant = |it: &&str| named.is_empty() || named.iter().any(|name| name == it);
        let priority = |name: &str| self.ranks.iter().find(|it| it.0 == name).map_or(0, |it| it.1);
        let rank = |name: &&str| (priority(name), openshift_of_catalog(name).is_some(), by_numbers(name));
        having.into_iter().filter(is_meant).max_by_key(rank)
    }

    /// The one of these catalogs that has an image, as an ImageSetConfiguration refers to it: the only one, or the one
    /// with the image's name.
    ///
    /// # Errors
    /// [`AskError::WhichCatalogIs`]
    pub fn of_image<'n>(names: &'n [String], image: &str) -> Result<&'n str, AskError> {
        let last = image.rsplit('/').next().and_then(|it| it.split('@').next()).unwrap_or_default();
        let (plain, with_tag) = (last.split(':').next().unwrap_or_default(), last.replace(':', "-"));
        match names {
            [only] => Ok(only),
            several => several
                .iter()
                .find(|it| **it == with_tag)
                .or_else(|| several.iter().find(|it| *it == plain))
                .map(String::as_str)
                .ok_or_else(|| AskError::WhichCatalogIs { image: image.to_owned(), catalogs: names.to_vec() }),
        }
    }
}

/// The catalogs that answer a question about a version of OpenShift: a cluster of that version has its catalogs, and no
/// others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogsOfVersion {
    /// Those that are for the version by their names.
    Own(Vec<String>),
    /// All: the catalogs for the version do not have the package.
    Without(Vec<String>),
    /// All: none is for the version.
    Missing,
}

/// The version of OpenShift that a catalog is for, by its name.
pub fn openshift_of_catalog(name: &str) -> Option<Minor> {
    family_and_minor(name).map(|it| it.1)
}

/// The catalogs that follow each other: those of a family by their versions of OpenShift, and those of no family by
/// their names; if there are none, all by their names.
pub fn successions<'n>(names: impl Iterator<Item = &'n str>) -> Vec<(&'n str, &'n str)> {
    let mut all: Vec<&str> = names.collect();
    all.sort_by_key(|name| by_numbers(name));
    let mut families: BTreeMap<Option<String>, Vec<&str>> = BTreeMap::new();
    for name in all.iter().copied() {
        families.entry(family_and_minor(name).map(|it| it.0)).or_default().push(name);
    }
    let mut pairs = Vec::new();
    for names in families.values_mut() {
        names.sort_by_key(|name| (family_and_minor(name).map(|it| (it.1.major, it.1.minor)), by_numbers(name)));
        pairs.extend(names.windows(2).map(|pair| (pair[0], pair[1])));
    }
    if pairs.is_empty() {
        pairs.extend(all.windows(2).map(|pair| (pair[0], pair[1])));
    }
    pairs
}

impl Catalogs {
    /// The catalogs for a version of OpenShift, out of those that have the subject of a question.
    pub fn of_version<'c>(&self, having: impl IntoIterator<Item = &'c str>, openshift: Minor) -> CatalogsOfVersion {
        let is_its = |name: &&str| is_for(name, openshift) == Some(true);
        let having: Vec<String> = having.into_iter().filter(is_its).map(str::to_owned).collect();
        if !having.is_empty() {
            return CatalogsOfVersion::Own(having);
        }
        let without: Vec<String> = self.names().filter(is_its).map(str::to_owned).collect();
        if without.is_empty() { CatalogsOfVersion::Missing } else { CatalogsOfVersion::Without(without) }
    }

    /// The catalogs of families of which another one is for a version of OpenShift.
    pub fn of_other_versions(&self, openshift: Minor) -> BTreeSet<&str> {
        let all: Vec<_> = self.names().filter_map(|name| Some((name, family_and_minor(name)?))).collect();
        let (own, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.1.1.is_same(openshift));
        let own: BTreeSet<String> = own.into_iter().map(|it| it.1.0).collect();
        others.into_iter().filter(|it| own.contains(&it.1.0)).map(|it| it.0).collect()
    }

    /// The catalogs of a cluster of a version of OpenShift: all but [`Self::of_other_versions`]. `None` for all.
    pub fn of_cluster(&self, openshift: Minor) -> Option<Vec<String>> {
        let others = self.of_other_versions(openshift);
        let own = self.names().filter(|name| !others.contains(name)).map(str::to_owned);
        (!others.is_empty()).then(|| own.collect())
    }
}

impl<'r> FromIterator<&'r CatalogRank> for Catalogs {
    fn from_iter<I: IntoIterator<Item = &'r CatalogRank>>(ranks: I) -> Self {
        ranks.into_iter().map(|rank| (rank.catalog.as_str(), rank.priority)).collect()
    }
}

impl<'n> FromIterator<(&'n str, i64)> for Catalogs {
    fn from_iter<I: IntoIterator<Item = (&'n str, i64)>>(ranks: I) -> Self {
        Self { ranks: ranks.into_iter().map(|(name, priority)| (name.to_owned(), priority)).collect() }
    }
}

/// A named catalog must be one of these.
///
/// # Errors
/// [`AskError::NoCatalog`]
pub fn must_have(name: &str, names: &[&str]) -> Result<(), AskError> {
    if names.contains(&name) {
        return Ok(());
    }
    let otherwise = match names {
        [only] => format!("the only one is `{only}`"),
        several => format!("there are {}", several.join(", ")),
    };
    let help = Help::new(Hint::of(name, names.iter().copied()), &otherwise);
    Err(AskError::NoCatalog { catalog: name.to_owned(), help })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_policy_says_which_catalog_is_meant() {
        let catalogs: Catalogs =
            [("certified", 0), ("community-v4.9", 0), ("community-v4.20", 0), ("mine", 7)].into_iter().collect();
        let cases: [(&[&str], &[&str], Option<&str>); 10] = [
            // The highest priority.
            (&[], &["certified", "mine", "community-v4.9"], Some("mine")),
            // If priorities are equal, the last by name counts, with numbers compared by value.
            (&[], &["community-v4.20", "community-v4.9", "certified"], Some("community-v4.20")),
            (&[], &["community-v4.9", "certified"], Some("community-v4.9")),
            (&[], &["certified"], Some("certified")),
            (&[], &[], None),
            // A named catalog counts whatever its priority; several are chosen from by the same rule.
            (&["certified"], &["certified", "mine"], Some("certified")),
            (&["certified"], &["mine"], None),
            (&["certified", "mine"], &["certified", "mine"], Some("mine")),
            // One for a version of OpenShift comes before others; an unknown one counts as without a priority.
            (&[], &["zulu", "community-v4.20"], Some("community-v4.20")),
            (&[], &["zulu", "certified"], Some("zulu")),
        ];
        for (named, having, expected) in cases {
            let named: Vec<String> = named.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(catalogs.choose(&named, having.iter().copied()), expected, "{named:?} of {having:?}");
        }
    }

    #[test]
    fn names_of_catalogs_say_which_version_of_openshift_has_them() {
        let having = ["certified", "community-v4.20", "community-v4.23"];
        let catalogs: Catalogs = having.into_iter().map(|it| (it, 0)).collect();
        let names = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        for ((major, minor), own) in [((4, 20), "community-v4.20"), ((5, 0), "community-v4.23")] {
            // 5.0 is another name of 4.23.
            let openshift = Minor { major, minor };
            assert_eq!(catalogs.of_version(having, openshift), CatalogsOfVersion::Own(names(&[own])), "{openshift}");
        }
        let other = Minor { major: 4, minor: 9 };
        assert_eq!(catalogs.of_version(having, other), CatalogsOfVersion::Missing);
    }

    #[test]
    fn only_other_versions_of_a_family_are_left_out() {
        let names = ["acm-2.11", "community", "shop-4.15", "shop-4.16", "shop-4.17", "shop-4.23", "tools-4.17"];
        let catalogs: Catalogs = names.into_iter().map(|name| (name, 0)).collect();
        for (major, minor, own) in
            [(4, 16, Some("shop-4.16")), (4, 17, Some("shop-4.17")), (5, 0, Some("shop-4.23")), (4, 18, None)]
        {
            let of_cluster = catalogs.of_cluster(Minor { major, minor });
            let is_left = |name: &&str| !name.starts_with("shop") || own == Some(*name);
            let expected = own.map(|_| names.iter().filter(|name| is_left(name)).map(|it| (*it).to_owned()).collect());
            assert_eq!(of_cluster, expected, "{major}.{minor}");
        }
    }

    #[test]
    fn an_image_of_a_catalog_is_the_one_of_its_name_or_the_only_one() {
        let names = ["community".to_owned(), "mine".to_owned()];
        for (names, image, expected) in [
            (&names[..], "quay.io/a/mine:v4.20", Some("mine")),
            (&names, "quay.io/a/community@sha256:00", Some("community")),
            (&names, "quay.io:5000/mine", Some("mine")),
            (&names, "quay.io/mine/other", None),
            (&names[..1], "quay.io/mine/other", Some("community")),
        ] {
            assert_eq!(Catalogs::of_image(names, image).ok(), expected, "{image} of {names:?}");
        }
    }

    #[test]
    fn a_catalog_that_is_named_must_be_there() {
        for (name, names, expected) in [
            ("mine", &["mine", "other"][..], None),
            ("mnie", &["mine", "other"], Some("did you mean `mine`?")),
            ("x", &["mine"], Some("the only one is `mine`")),
            ("x", &["mine", "other"], Some("there are mine, other")),
        ] {
            assert_eq!(must_have(name, names).err().and_then(|it| it.help()).as_deref(), expected, "{name}");
        }
    }
}
