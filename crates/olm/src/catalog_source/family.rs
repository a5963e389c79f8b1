//! Families of catalogs: one catalog for each version of OpenShift.

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
}
