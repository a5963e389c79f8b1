//! Names of CatalogSources and ClusterCatalogs that state a version of OpenShift, as mirrors make them:
//! `cs-redhat-operator-index-v4-19` replaces `cs-redhat-operator-index-v4-18` when the cluster goes on.

use olmdex_constraint::openshift::Minor;

/// A name that says a version.
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
