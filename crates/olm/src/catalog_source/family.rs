//! Families of catalogs and of their sources: one for each version of OpenShift, which their names state.

use olmdex_constraint::openshift::Minor;
use olmdex_rules::openshift::coerce;

/// A catalog of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCatalog {
    /// Its name in the index.
    pub catalog: String,
    /// The version of OpenShift that it is for.
    pub minor: Minor,
    /// The family that it belongs to: one catalog for each version. May be empty.
    pub family: String,
}

/// Family and version of OpenShift by the name of a catalog: `4.20`, `redhat-operators-4.20`, `community-v4.20`.
pub fn family_and_minor(name: &str) -> Option<(String, Minor)> {
    let at = name.rfind(|c: char| !c.is_ascii_digit() && c != '.').map_or(0, |it| it + 1);
    let (family, version) = name.split_at(at);
    if !version.contains('.') || version.split('.').count() != 2 || version.split('.').any(str::is_empty) {
        return None;
    }
    let family =
        family.strip_suffix('v').filter(|it| it.is_empty() || it.ends_with(['-', '_', '.', '/'])).unwrap_or(family);
    Some((family.trim_end_matches(['-', '_', '.', '/']).to_owned(), coerce(version)?))
}

/// Whether a catalog is for a version of OpenShift by its name; `None` if its name states no version.
pub fn is_for(catalog: &str, openshift: Minor) -> Option<bool> {
    family_and_minor(catalog).map(|it| it.1.is_same(openshift))
}

/// The name of a CatalogSource or ClusterCatalog that says a version, as mirrors make them:
/// `cs-redhat-operator-index-v4-19` replaces `cs-redhat-operator-index-v4-18` when the cluster goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceName<'n> {
    /// The part before the version.
    pub(crate) family: &'n str,
    /// The version that it says.
    pub minor: Minor,
    /// The character between the numbers: names of objects have dots or hyphens.
    separator: char,
}

impl<'n> SourceName<'n> {
    /// The name's parts, if it says a version.
    pub fn parse(name: &'n str) -> Option<Self> {
        let (family, version) = name.rsplit_once("-v")?;
        let separator = version.chars().find(|it| !it.is_ascii_digit()).filter(|it| matches!(it, '-' | '.'))?;
        let (major, minor) = version.split_once(separator)?;
        let is_number = |it: &&str| it.len() < 4 && it.bytes().all(|it| it.is_ascii_digit());
        let number = |it: &str| Some(it).filter(is_number)?.parse().ok();
        let minor = Minor { major: number(major)?, minor: number(minor)? };
        (!family.is_empty()).then_some(Self { family, minor, separator })
    }

    /// The name that a source of this family has for another version.
    pub fn at(&self, minor: Minor) -> String {
        format!("{}-v{}", self.family, minor.to_string().replace('.', &self.separator.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_family_and_version() {
        for (name, family, minor) in [
            ("4.20", "", "4.20"),
            ("v4.20", "", "4.20"),
            ("community-v4.16", "community", "4.16"),
            ("redhat-operators-4.20", "redhat-operators", "4.20"),
            ("4.20/redhat-operators", "", ""),
        ] {
            let found = family_and_minor(name).map(|it| (it.0, it.1.to_string()));
            assert_eq!(found, (!minor.is_empty()).then(|| (family.to_owned(), minor.to_owned())), "{name}");
        }
        assert!(
            family_and_minor("index").is_none() && family_and_minor("a4").is_none() && family_and_minor("4.").is_none()
        );
    }

    #[test]
    fn names_that_say_a_version_have_a_successor() {
        for (name, next) in [
            ("cs-redhat-operator-index-v4-19", "cs-redhat-operator-index-v4-20"),
            ("ns/cs-x-v4.19", "ns/cs-x-v4.20"),
            ("redhat-operators", ""),
            ("redhat-operators-4-19", ""),
            ("-v4-19", ""),
            ("cs-v4", ""),
            ("cs-v4-", ""),
            ("cs-v4-19-1", ""),
            ("cs-v4-19999", ""),
            ("cs-vä-19", ""),
        ] {
            let found = SourceName::parse(name).map(|it| it.at(it.minor.next())).unwrap_or_default();
            assert_eq!(found, next, "{name}");
        }
        let last = SourceName::parse("cs-x-v4-22").map(|it| it.at(Minor { major: 5, minor: 0 }));
        assert_eq!(last.as_deref(), Some("cs-x-v5-0"));
    }
}
