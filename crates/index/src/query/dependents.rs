//! The dependencies between packages, in any version and any catalog: by name, by an API, or inside a constraint.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Filter;
use crate::{Index, IndexError};
use olmdex_constraint::{Leaf, leaves};

type ApiKey = (String, String, String);

/// The packages that require others. APIs that many provide and many require are not paired: their number would be a
/// product.
#[derive(Debug, Default)]
pub struct Dependents {
    /// Those that require a package by its name, each with the ranges of versions.
    by_name: HashMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// The APIs that a package provides and another one requires.
    provided: HashMap<String, BTreeSet<ApiKey>>,
    /// The packages that require an API.
    required: HashMap<ApiKey, BTreeSet<String>>,
}

impl Dependents {
    /// The packages that require one, by their names, each with the ranges of its versions; one that requires an API
    /// has none. A package that requires itself, or an API of its own, is left out.
    pub fn of(&self, package: &str) -> Vec<(&str, Vec<&str>)> {
        let apis = self.provided.get(package).into_iter().flatten();
        let of_apis = apis.filter_map(|api| self.required.get(api)).flatten();
        let by_name = self.by_name.get(package).into_iter().flatten();
        let mut all: BTreeMap<&str, Vec<&str>> =
            by_name.map(|(name, ranges)| (name.as_str(), ranges.iter().map(String::as_str).collect())).collect();
        for name in of_apis {
            all.entry(name).or_default();
        }
        all.remove(package);
        all.into_iter().collect()
    }
}

const BY_NAME: &str = "
SELECT DISTINCT r.package, b.package, r.range FROM required_package r CROSS JOIN bundle b ON b.document = r.document";

const REQUIRED: &str = r#"
SELECT DISTINCT a."group", a.version, a.kind, b.package
FROM required_api r CROSS JOIN bundle b ON b.document = r.document CROSS JOIN api a ON a.id = r.api"#;

const PROVIDED: &str = r#"
SELECT DISTINCT a."group", a.version, a.kind, b.package
FROM provided_api p CROSS JOIN bundle b ON b.document = p.document CROSS JOIN api a ON a.id = p.api
WHERE p.api IN (SELECT api FROM required_api) OR EXISTS (SELECT 1 FROM bundle_constraint)"#;

impl Index {
    /// The packages that require each package.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn dependents(&self) -> Result<Dependents, IndexError> {
        let mut found = Dependents::default();
        let mut requires = |name: String, package: String, range: String| {
            found.by_name.entry(name).or_default().entry(package).or_default().insert(range)
        };
        for (name, package, range) in self.rows(BY_NAME, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))? {
            requires(name, package, range);
        }
        let apis = |sql: &str| {
            self.rows(sql, [], |row| {
                let key: ApiKey = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok((key, row.get::<_, String>(3)?))
            })
        };
        for (api, package) in apis(REQUIRED)? {
            found.required.entry(api).or_default().insert(package);
        }
        for it in self.bundles_with_property(&Filter::default(), "olm.constraint")? {
            // A constraint that cannot be read names no package.
            for leaf in leaves(&it.what).unwrap_or_default() {
                match leaf {
                    Leaf::Package(name, range) => {
                        requires(name, it.package.clone(), range);
                    }
                    Leaf::Api(api) => {
                        let key = (api.group, api.version, api.kind);
                        found.required.entry(key).or_default().insert(it.package.clone());
                    }
                    _ => {}
                }
            }
        }
        for (api, package) in apis(PROVIDED)? {
            if found.required.contains_key(&api) {
                found.provided.entry(package).or_default().insert(api);
            }
        }
        Ok(found)
    }
}
