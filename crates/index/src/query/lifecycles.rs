//! The lifecycles that catalogs hold.

use std::collections::BTreeMap;

use rusqlite::params;

use super::{BundleRow, Filter};
use crate::{IndexError, ListIndex};
use olmdex_rules::openshift::{Lifecycle, LifecycleVersion, Phase, PlatformVersions};
use olmdex_text::calendar::Day;

/// The label of a catalog that holds nothing but lifecycles from elsewhere: they count for every other catalog.
pub const LIFECYCLES_LABEL: &str = "lifecycles";

const LIFECYCLES: &str = "
SELECT c.name, d.id, d.package, EXISTS (SELECT 1 FROM catalog_label l WHERE l.catalog = c.id AND l.key = ?2) AS is_everywhere
FROM (SELECT DISTINCT document FROM lifecycle_version) x
CROSS JOIN document d ON d.id = x.document
CROSS JOIN catalog_document cd ON cd.document = d.id
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE (?1 IS NULL OR is_everywhere OR c.name IN (SELECT value FROM json_each(?1))) AND (?3 IS NULL OR d.package = ?3)
ORDER BY c.priority DESC, c.name, cd.position";

const VERSIONS: &str = "SELECT minor, has_platforms FROM lifecycle_version WHERE document = ?1 ORDER BY position";

const PHASES: &str =
    "SELECT version, phase, start_date, end_date FROM lifecycle_phase WHERE document = ?1 ORDER BY version, position";

const PLATFORMS: &str = "SELECT version, platform, name, listed FROM lifecycle_platform WHERE document = ?1
                         ORDER BY version, platform, position";

/// The statements of lifecycles about versions: those of a bundle's own catalog, or else those from elsewhere.
#[derive(Default)]
pub(super) struct Supported {
    by_catalog: BTreeMap<(String, String), Lifecycle>,
    everywhere: BTreeMap<String, Lifecycle>,
}

impl Supported {
    /// The lifecycle of a package of a catalog.
    pub(super) fn lifecycle(&self, catalog: &str, package: &str) -> Option<&Lifecycle> {
        if self.by_catalog.is_empty() {
            return None;
        }
        self.by_catalog.get(&(catalog.to_owned(), package.to_owned())).or_else(|| self.everywhere.get(package))
    }

    /// The entry of a bundle's version.
    pub(super) fn version(&self, catalog: &str, package: &str, version: &str) -> Option<&LifecycleVersion> {
        self.lifecycle(catalog, package)?.version(version)
    }

    /// Adds the facts of its lifecycle to a bundle.
    pub(super) fn complete(&self, row: &mut BundleRow) {
        if let Some(it) = self.version(&row.catalog, &row.package, &row.version) {
            row.support_ends = it.phases.iter().map(|it| it.end).max().map(|it| it.to_string());
            row.openshift = it.openshift().map(<[String]>::to_vec);
        }
    }
}

impl ListIndex {
    /// The lifecycles of the catalogs of a filter, and of its package if it has one, each with the catalog's name: by
    /// priority, then by name. The filter's channel is ignored.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn lifecycles(&self, filter: &Filter) -> Result<Vec<(String, Lifecycle)>, IndexError> {
        Ok(self.held_lifecycles(filter)?.into_iter().map(|(catalog, _, it)| (catalog, it)).collect())
    }

    /// The statements of the lifecycles in the catalogs of a filter about versions.
    pub(super) fn supported(&self, filter: &Filter) -> Result<Supported, IndexError> {
        let mut found = Supported::default();
        for (catalog, is_everywhere, it) in self.held_lifecycles(filter)? {
            if is_everywhere {
                found.everywhere.entry(it.package.clone()).or_insert_with(|| it.clone());
            }
            found.by_catalog.entry((catalog, it.package.clone())).or_insert(it);
        }
        Ok(found)
    }

    fn held_lifecycles(&self, filter: &Filter) -> Result<Vec<(String, bool, Lifecycle)>, IndexError> {
        let parameters = params![filter.catalogs_json(), LIFECYCLES_LABEL, filter.package];
        let rows: Vec<(String, i64, String, bool)> =
            self.rows(LIFECYCLES, parameters, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let mut known: BTreeMap<i64, Lifecycle> = BTreeMap::new();
        let mut found = Vec::new();
        for (catalog, document, package, is_everywhere) in rows {
            let lifecycle = match known.get(&document) {
                Some(it) => it.clone(),
                None => self.lifecycle(document, package)?,
            };
            known.entry(document).or_insert_with(|| lifecycle.clone());
            found.push((catalog, is_everywhere, lifecycle));
        }
        Ok(found)
    }

    fn lifecycle(&self, document: i64, package: String) -> Result<Lifecycle, IndexError> {
        let mut versions: Vec<LifecycleVersion> = self.rows(VERSIONS, [document], |row| {
            let platforms = row.get::<_, bool>(1)?.then(Vec::new);
            Ok(LifecycleVersion { name: row.get(0)?, phases: Vec::new(), platforms })
        })?;
        let phases: Vec<(usize, String, String, String)> =
            self.rows(PHASES, [document], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        for (version, name, start, end) in phases {
            if let (Some(it), Some(start), Some(end)) =
                (versions.get_mut(version), Day::parse(&start), Day::parse(&end))
            {
                it.phases.push(Phase { name, start, end });
            }
        }
        let platforms: Vec<(usize, usize, String, Option<String>)> =
            self.rows(PLATFORMS, [document], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        for (version, place, name, listed) in platforms {
            let Some(all) = versions.get_mut(version).and_then(|it| it.platforms.as_mut()) else { continue };
            if all.len() <= place {
                all.push(PlatformVersions { name, versions: Vec::new() });
            }
            if let Some(it) = all.last_mut() {
                it.versions.extend(listed);
            }
        }
        Ok(Lifecycle { package, versions })
    }
}

/// The statements of this file, for the test of their plans.
#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] =
    &[("lifecycle_versions", VERSIONS), ("lifecycle_phases", PHASES), ("lifecycle_platforms", PLATFORMS)];
