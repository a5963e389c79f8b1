//! The choice of the catalog of a package, a version, an image or a page, if a question names none.
//! [`CatalogSources`](olmdex_olm::catalog_source::CatalogSources) identifies the catalogs of the CatalogSources and
//! ClusterCatalogs of a cluster.

use super::error::AskError;
use super::hint::{Help, Hint};
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{CatalogRank, Filter, preferred_catalog};
use olmdex_index::{IndexError, LightIndex};
use olmdex_olm::catalog_source::{family_and_minor, is_for};

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
        Ok(index
            .catalog_ranks(&Filter::default())?
            .iter()
            .map(|CatalogRank { catalog, priority, .. }| (catalog.as_str(), *priority))
            .collect())
    }

    /// Their names, in the order of the index.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.ranks.iter().map(|it| it.0.as_str())
    }

    /// The catalog of a question, out of those that have its subject: a named one, else the one with the highest
    /// priority, and among equal ones the last by name, with numbers in names compared by value. `None` if no catalog
    /// has it.
    pub fn choose<'c>(&self, named: &[String], having: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
        let is_meant = |it: &&str| named.is_empty() || named.iter().any(|name| name == it);
        let priority = |name: &str| self.ranks.iter().find(|it| it.0 == name).map_or(0, |it| it.1);
        preferred_catalog(priority, having.into_iter().filter(is_meant))
    }

    /// The one of these catalogs that has an image, as an ImageSetConfiguration refers to it: the only one, or the one
    /// with the image's name.
    ///
    /// # Errors
    /// [`AskError::WhichCatalogIs`]
    pub fn of_image<'n>(names: &'n [String], image: &str) -> Result<&'n str, AskError> {
        let last = image.rsplit('/').next().unwrap_or_default();
        let last = last.split(['@', ':']).next().unwrap_or_default();
        match names {
            [only] => Ok(only),
            several => several
                .iter()
                .find(|it| *it == last)
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

    /// The catalogs of a cluster of a version of OpenShift: those that are not named after another version. `None` if
    /// no catalog is named after its version: then the names say nothing about the cluster.
    pub fn of_cluster(&self, openshift: Minor) -> Option<Vec<String>> {
        self.names().find(|it| is_for(it, openshift) == Some(true))?;
        Some(self.names().filter(|it| is_for(it, openshift) != Some(false)).map(str::to_owned).collect())
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
        let cases: [(&[&str], &[&str], Option<&str>); 9] = [
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
            // An unknown catalog counts as one without a priority.
            (&[], &["zulu", "community-v4.20"], Some("zulu")),
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
            assert_eq!(catalogs.of_cluster(openshift), Some(names(&["certified", own])), "{openshift}");
        }
        let other = Minor { major: 4, minor: 9 };
        assert_eq!(catalogs.of_version(having, other), CatalogsOfVersion::Missing);
        assert_eq!(catalogs.of_cluster(other), None);
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
