//! The bundle that a word for an installed version means: its name comes from the catalogs, never from the package's
//! name.
//!
//! A version of the catalogs names its bundle. A version that only old edges remember has the name that `replaces` or
//! `skips` give it. A version that no name carries, but a `skipRange` covers, gets a name by the pattern of the
//! package's other bundles, and the answer says that it is assumed. Any other version is unknown; a user who has it
//! anyway gives the name of its bundle.

use std::collections::BTreeSet;

use super::answer::PackageView;
use super::installed::{InstalledBundle, InstalledError};
use super::target::NamedVersion;
use olmdex_fbc::Entry;
use olmdex_index::LightIndex;
use olmdex_index::query::Filter;
use olmdex_version::blang::Range;
use olmdex_version::{Version, version_in_name};

impl PackageView {
    /// The installed bundle that a word means: a bundle's name, a version, or `NAME@VERSION`, which is taken literally.
    ///
    /// # Errors
    /// If the word means no bundle, or more than one.
    pub fn find_installed(&self, text: &str) -> Result<InstalledBundle, InstalledError> {
        self.known(text)?.or_else(|| self.assumed(text)).ok_or_else(|| self.unknown(text))
    }

    /// Like [`PackageView::find_installed`], with the names that the other catalogs of an index know.
    ///
    /// # Errors
    /// The errors of [`PackageView::find_installed`], and an index that cannot be read.
    pub fn find_installed_in(&self, index: &LightIndex, text: &str) -> Result<InstalledBundle, InstalledError> {
        if let Some(found) = self.known(text)? {
            return Ok(found);
        }
        let all = Self::read(index, &Filter::default(), &self.package)?;
        let found = if all.graphs.len() > self.graphs.len() { all.known(text)? } else { None };
        found.or_else(|| self.assumed(text)).ok_or_else(|| self.unknown(text))
    }

    fn unknown(&self, text: &str) -> InstalledError {
        InstalledError::Unknown { package: self.package.clone(), text: text.to_owned() }
    }

    /// The meaning of a word by itself, or by the names of the catalogs.
    fn known(&self, text: &str) -> Result<Option<InstalledBundle>, InstalledError> {
        if let Some(NamedVersion { name, version, release }) = self.find(text) {
            return Ok(Some(InstalledBundle::held(name, version).with_release(release)));
        }
        if let Some((name, version)) = text.rsplit_once('@') {
            let is_in_catalog = self.holds(name);
            let is_version = Version::parse(version).is_ok();
            return Ok(is_version.then(|| InstalledBundle::named(name.to_owned(), version.to_owned(), is_in_catalog)));
        }
        let Ok(wanted) = Version::parse_tolerant(text) else {
            let version = version_in_name(text);
            return Ok(version.map(|it| InstalledBundle::named(text.to_owned(), it.to_string(), false)));
        };
        let names = self.names_carrying(&wanted);
        match names.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(InstalledBundle::named(only.clone(), wanted.to_string(), self.holds(only)))),
            _ => Err(InstalledError::Several { package: self.package.clone(), version: wanted.to_string(), names }),
        }
    }

    fn holds(&self, name: &str) -> bool {
        self.bundles().iter().any(|it| it.name == name)
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.graphs.iter().flat_map(|it| &it.channels).flat_map(|it| it.entries.iter())
    }

    /// The names of bundles, and those that `replaces` and `skips` mention, that end with a version.
    fn names_carrying(&self, wanted: &Version) -> Vec<String> {
        let mentioned = self.entries().flat_map(|it| [&it.name, &it.replaces].into_iter().chain(&it.skips));
        let all: BTreeSet<&String> = self.bundles().iter().map(|it| &it.name).chain(mentioned).collect();
        // No name may have a `+`: the part behind it is left out, or follows a `-`.
        let forms = [Version::parse(&wanted.to_string().replace('+', "-")).ok(), Some(wanted.without_build())];
        let carrying = |form: Version| -> Vec<String> {
            all.iter().filter(|it| version_in_name(it).is_some_and(|it| it == form)).map(|it| (*it).clone()).collect()
        };
        forms.into_iter().flatten().map(carrying).find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// A version that only a `skipRange` covers, with a name by the pattern of the bundle next to it.
    fn assumed(&self, text: &str) -> Option<InstalledBundle> {
        let wanted = Version::parse_tolerant(text).ok()?;
        let is_covered = self.entries().any(|it| {
            !it.skip_range.is_empty()
                && Range::parse(&it.skip_range).is_ok_and(|range| range.contains(&wanted).unwrap_or(false))
        });
        if !is_covered {
            return None;
        }
        // The highest version first.
        let patterns = self.bundles().iter().filter_map(|NamedVersion { name, version, .. }| {
            let prefix = name.strip_suffix(&version.replace('+', "-"))?;
            let is_pattern = prefix.ends_with('.') || prefix.ends_with(".v") || prefix.ends_with("-v");
            Some((Version::parse(version).ok().filter(|_| is_pattern)?, prefix))
        });
        let patterns: Vec<(Version, &str)> = patterns.collect();
        // If a package has changed its pattern, older versions have the older one.
        let below = patterns.iter().find(|it| it.0 <= wanted);
        let (_, prefix) = below.or_else(|| patterns.iter().rev().find(|it| it.0 > wanted))?;
        let name = format!("{prefix}{}", wanted.to_string().replace('+', "-"));
        Some(InstalledBundle { is_name_assumed: true, ..InstalledBundle::named(name, wanted.to_string(), false) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use olmdex_index::query::{CatalogRank, GraphBundle, GraphChannel, PackageGraph};

    /// A package `crunchy` whose bundles have other names.
    fn view() -> PackageView {
        let bundle = |name: &str, version: &str| GraphBundle {
            name: name.to_owned(),
            package_property: Some(format!(r#"{{"packageName":"crunchy","version":"{version}"}}"#)),
            ..GraphBundle::default()
        };
        let entry = |name: &str, replaces: &str, skips: &[&str], skip_range: &str| Entry {
            name: name.to_owned(),
            replaces: replaces.to_owned(),
            skips: skips.iter().map(|it| (*it).to_owned()).collect(),
            skip_range: skip_range.to_owned(),
        };
        let entries: Arc<[Entry]> = Arc::new([
            entry("old-pg.5.0.0", "old-pg.4.9.0", &[], ""),
            entry("pg-v5.1.0", "old-pg.5.0.0", &["old-pg.5.0.5", "twin.v5.0.7", "old-pg.5.0.7"], ">=4.5.0 <5.0.0"),
            entry("pg-v5.2.0", "pg-v5.1.0", &["pg-v5.1.9-1"], ">=5.1.1 <5.2.0"),
        ]);
        let graph = PackageGraph {
            catalog: "c".to_owned(),
            package: "crunchy".to_owned(),
            default_channel: "v5".to_owned(),
            is_valid: true,
            channels: vec![GraphChannel { name: "v5".to_owned(), entries, places: Arc::default() }],
            bundles: vec![
                bundle("old-pg.5.0.0", "5.0.0"),
                bundle("pg-v5.1.0", "5.1.0"),
                bundle("pg-v5.2.0", "5.2.0+7"),
            ],
            deprecations: Vec::new(),
        };
        PackageView::new("crunchy", vec![graph], &[CatalogRank::default()])
    }

    #[test]
    fn an_installed_bundle_has_a_name_that_the_catalog_knows() {
        let view = view();
        for (text, name, version, held, assumed) in [
            ("5.1.0", "pg-v5.1.0", "5.1.0", true, false),
            ("v5.1", "pg-v5.1.0", "5.1.0", true, false),
            ("5.2.0+7", "pg-v5.2.0", "5.2.0+7", true, false),
            ("pg-v5.1.0", "pg-v5.1.0", "5.1.0", true, false),
            // Names that only edges mention.
            ("5.0.5", "old-pg.5.0.5", "5.0.5", false, false),
            ("4.9.0", "old-pg.4.9.0", "4.9.0", false, false),
            ("4.9.0+build", "old-pg.4.9.0", "4.9.0+build", false, false),
            ("5.1.9+1", "pg-v5.1.9-1", "5.1.9+1", false, false),
            // Only ranges cover these: the pattern is that of the bundle below, or else of the one above.
            ("5.1.7", "pg-v5.1.7", "5.1.7", false, true),
            ("4.6.1", "old-pg.4.6.1", "4.6.1", false, true),
            // Names are taken as they are.
            ("any.v9.9.9", "any.v9.9.9", "9.9.9", false, false),
            ("any@9.9.9", "any", "9.9.9", false, false),
        ] {
            let found = view.find_installed(text).unwrap();
            let expected = InstalledBundle {
                name: name.to_owned(),
                version: version.to_owned(),
                release: None,
                is_in_catalog: held,
                is_name_assumed: assumed,
            };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_version_that_nothing_knows_has_no_name() {
        let view = view();
        for text in ["9.9.9", "5.0.6", "4.4.9", "x", "any", "any@x", ""] {
            assert!(matches!(view.find_installed(text), Err(InstalledError::Unknown { .. })), "{text}");
        }
        let several = view.find_installed("5.0.7").unwrap_err();
        assert_eq!(several.to_string(), "version 5.0.7 of package `crunchy` may be `old-pg.5.0.7`, `twin.v5.0.7`");
    }
}
