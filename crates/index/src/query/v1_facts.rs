//! The facts in catalogs that decide whether OLM v1 can manage a bundle: those of the heads of default channels, or of
//! bundles by name.

use std::collections::HashMap;

use rusqlite::params;

use super::{Filter, RequiredPackage};
use crate::service_version::obstacles;
use crate::{IndexError, LightIndex};
use olmdex_base::diag::Place;
use olmdex_fbc::service_version::CsvView;
use olmdex_text::api::Api;

/// The install modes that a bundle supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InstallModes {
    /// `OwnNamespace`
    pub own_namespace: bool,
    /// `SingleNamespace`
    pub single_namespace: bool,
    /// `MultiNamespace`
    pub multi_namespace: bool,
    /// `AllNamespaces`
    pub all_namespaces: bool,
}

impl InstallModes {
    /// Whether `AllNamespaces` is supported and no other mode is.
    pub fn is_all_namespaces_alone(self) -> bool {
        self == Self { own_namespace: false, single_namespace: false, multi_namespace: false, all_namespaces: true }
    }

    /// Those that a ClusterServiceVersion states; `None` if it states none.
    pub fn of_csv(csv: &CsvView<'_>) -> Option<Self> {
        Self::of_stated(&csv.install_modes().collect::<Vec<_>>())
    }

    /// Those of a list of modes, each with whether it is supported; `None` for an empty list.
    pub fn of_stated(stated: &[(String, bool)]) -> Option<Self> {
        let has = |mode: &str| stated.iter().any(|(kind, is_supported)| kind == mode && *is_supported);
        (!stated.is_empty()).then(|| Self {
            own_namespace: has("OwnNamespace"),
            single_namespace: has("SingleNamespace"),
            multi_namespace: has("MultiNamespace"),
            all_namespaces: has("AllNamespaces"),
        })
    }
}

/// The obstacles between a bundle and OLM v1, apart from its install modes and dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Obstacles {
    /// The APIs of servers that it owns.
    pub api_services: Vec<String>,
    /// Its webhooks.
    pub webhooks: Vec<String>,
    /// The resources of `operators.coreos.com` that its RBAC grants, if it grants none of the APIs of OLM v1.
    pub olm_access: Vec<String>,
    /// The part of its ClusterServiceVersion that the catalog has.
    pub known: KnownCsv,
}

/// The known part of a ClusterServiceVersion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum KnownCsv {
    /// Nothing.
    #[default]
    Nothing,
    /// The part in `olm.csv.metadata`: neither RBAC nor webhooks.
    Metadata,
    /// All of it.
    Whole,
}

impl KnownCsv {
    /// By `facts_from` of a bundle.
    pub(super) fn of(facts_from: &str) -> Self {
        match facts_from {
            "" => Self::Nothing,
            "olm.csv.metadata" => Self::Metadata,
            _ => Self::Whole,
        }
    }
}

impl Obstacles {
    /// The obstacles that a ClusterServiceVersion states; `known` says how much of it is known.
    pub fn of_csv(csv: &CsvView<'_>, known: KnownCsv) -> Self {
        let mut found = Self { known, ..Self::default() };
        for (kind, value) in obstacles(csv) {
            found.add(kind, value);
        }
        found
    }

    pub(super) fn add(&mut self, kind: &str, value: String) {
        match kind {
            "apiService" => self.api_services.push(value),
            "webhook" => self.webhooks.push(value),
            "olmAccess" => self.olm_access.push(value),
            _ => {}
        }
    }
}

/// The facts of a catalog about a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct V1Facts {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The default channel of the package, or empty.
    pub default_channel: String,
    /// Whether the package passed the checks.
    pub is_valid: bool,
    /// The bundle; `None` if the default channel has no head, or the catalog lacks its bundle.
    pub bundle: Option<V1Bundle>,
}

/// A bundle with the facts that OLM v1 looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct V1Bundle {
    /// Its document.
    pub document: i64,
    /// Its name.
    pub name: String,
    /// Its version, or empty.
    pub version: String,
    /// Its place.
    pub place: Place,
    /// The install modes that it states; `None` if it states none.
    pub install_modes: Option<InstallModes>,
    /// The other obstacles between it and OLM v1.
    pub obstacles: Obstacles,
    /// The packages that it requires.
    pub required_packages: Vec<RequiredPackage>,
    /// The APIs that it requires.
    pub required_apis: Vec<Api>,
    /// Whether it declares `olm.constraint`.
    pub has_constraint: bool,
}

/// The columns of a bundle's row; joins that give `c`, `p`, `k` and `h` go in between.
macro_rules! facts {
    ($joins:expr, $condition:literal) => {
        concat!(
            "
SELECT c.name, p.package, coalesce(k.default_channel, ''), p.is_valid, h.document, coalesce(h.name, ''), coalesce(h.version, ''),
       coalesce(h.facts_from, ''), f.path, cd.line, cd.\"column\"
FROM catalog c
CROSS JOIN catalog_package p ON p.catalog = c.id
",
            $joins,
            "LEFT JOIN catalog_document cd ON cd.document = h.document AND cd.catalog = c.id
LEFT JOIN file f ON f.id = cd.file
WHERE (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))) AND ",
            $condition,
            " ORDER BY c.name, p.package, cd.position"
        )
    };
}

const HEADS: &str = facts!(default_head!(), "?2 IS NULL");
const HEAD: &str = facts!(default_head!(), "p.package = ?2");
const NAMED: &str = facts!(
    "LEFT JOIN package k ON k.document = p.document
CROSS JOIN bundle h ON h.package = p.package
",
    "p.package = ?2 AND cd.document IS NOT NULL"
);

const MODES: &str = "SELECT type FROM install_mode WHERE document = ?1 AND supported";
const HAS_MODES: &str = "SELECT 1 FROM install_mode WHERE document = ?1 LIMIT 1";
const OBSTACLES: &str = "SELECT kind, value FROM obstacle WHERE document = ?1 ORDER BY position";
const REQUIRED: &str = "SELECT package, range FROM required_package WHERE document = ?1 ORDER BY position";
const REQUIRED_APIS: &str = "
SELECT a.\"group\", a.version, a.kind FROM required_api r JOIN api a ON a.id = r.api WHERE r.document = ?1
ORDER BY a.\"group\", a.kind, a.version";
const CONSTRAINTS: &str = "SELECT 1 FROM bundle_constraint WHERE document = ?1 LIMIT 1";

impl LightIndex {
    /// The heads of the default channels, of the filter's package or of all, by catalog and package.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn v1_heads(&self, filter: &Filter) -> Result<Vec<V1Facts>, IndexError> {
        let sql = if filter.package.is_some() { HEAD } else { HEADS };
        self.v1_facts(sql, filter, |_| true)
    }

    /// The bundles of a package for which `is_it` holds, given their names and versions, by catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn v1_bundles(
        &self,
        filter: &Filter,
        package: &str,
        is_it: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<V1Facts>, IndexError> {
        let filter = Filter { package: Some(package.to_owned()), ..filter.clone() };
        self.v1_facts(NAMED, &filter, |it| is_it(&it.name, &it.version))
    }

    fn v1_facts(
        &self,
        sql: &str,
        filter: &Filter,
        is_wanted: impl Fn(&V1Bundle) -> bool,
    ) -> Result<Vec<V1Facts>, IndexError> {
        let mut known: HashMap<i64, V1Bundle> = HashMap::new();
        let rows = self.rows(sql, params![filter.catalogs_json(), filter.package], |row| {
            let bundle = match row.get::<_, Option<i64>>(4)? {
                None => None,
                Some(document) => {
                    let file: Option<String> = row.get(8)?;
                    let at: (Option<u32>, Option<u32>) = (row.get(9)?, row.get(10)?);
                    let known = KnownCsv::of(row.get_ref(7)?.as_str()?);
                    Some(V1Bundle {
                        document,
                        name: row.get(5)?,
                        version: row.get(6)?,
                        place: Place::at(&file.unwrap_or_default(), at.0.unwrap_or_default(), at.1.unwrap_or_default()),
                        install_modes: None,
                        obstacles: Obstacles { known, ..Obstacles::default() },
                        required_packages: Vec::new(),
                        required_apis: Vec::new(),
                        has_constraint: false,
                    })
                }
            };
            let facts = V1Facts {
                catalog: row.get(0)?,
                package: row.get(1)?,
                default_channel: row.get(2)?,
                is_valid: row.get(3)?,
                bundle,
            };
            Ok(facts)
        })?;
        let mut all = Vec::with_capacity(rows.len());
        for mut facts in rows.into_iter().filter(|it| it.bundle.as_ref().is_none_or(&is_wanted)) {
            if let Some(bundle) = &mut facts.bundle {
                // Catalogs of several versions share most heads.
                match known.get(&bundle.document) {
                    Some(same) => *bundle = V1Bundle { place: bundle.place.clone(), ..same.clone() },
                    None => {
                        self.add_v1_facts(bundle)?;
                        known.insert(bundle.document, bundle.clone());
                    }
                }
            }
            all.push(facts);
        }
        Ok(all)
    }

    /// Adds the facts in the bundle's document.
    fn add_v1_facts(&self, bundle: &mut V1Bundle) -> Result<(), IndexError> {
        let document = [bundle.document];
        let modes: Vec<String> = self.rows(MODES, document, |row| row.get(0))?;
        let has = |mode: &str| modes.iter().any(|it| it == mode);
        if !self.rows(HAS_MODES, document, |_| Ok(()))?.is_empty() {
            bundle.install_modes = Some(InstallModes {
                own_namespace: has("OwnNamespace"),
                single_namespace: has("SingleNamespace"),
                multi_namespace: has("MultiNamespace"),
                all_namespaces: has("AllNamespaces"),
            });
        }
        for (kind, value) in self.rows(OBSTACLES, document, |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))? {
            bundle.obstacles.add(&kind, value);
        }
        bundle.required_packages =
            self.rows(REQUIRED, document, |row| Ok(RequiredPackage { package: row.get(0)?, range: row.get(1)? }))?;
        bundle.required_apis = self.rows(REQUIRED_APIS, document, |row| {
            Ok(Api { group: row.get(0)?, version: row.get(1)?, kind: row.get(2)? })
        })?;
        bundle.has_constraint = !self.rows(CONSTRAINTS, document, |_| Ok(()))?.is_empty();
        Ok(())
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("heads for OLM v1 of a package", HEAD),
    ("bundles for OLM v1 of a package", NAMED),
    ("supported install modes of a bundle", MODES),
    ("whether a bundle states install modes", HAS_MODES),
    ("obstacles to OLM v1 of a bundle", OBSTACLES),
    ("packages that a bundle requires", REQUIRED),
    ("APIs that a bundle requires", REQUIRED_APIS),
    ("constraints of a bundle", CONSTRAINTS),
];
