//! The dependencies between packages, in any version and any catalog: by name, by an API, or inside a constraint.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Filter;
use crate::{Index, IndexError};
use olmdex_constraint::{Leaf, leaves};

/// The packages that require one, by its name.
pub type Dependents = HashMap<String, BTreeSet<String>>;

const BY_NAME: &str = "
SELECT DISTINCT r.package, b.package FROM required_package r CROSS JOIN bundle b ON b.document = r.document";

const REQUIRED: &str = r#"
SELECT DISTINCT a."group", a.version, a.kind, b.package
FROM required_api r CROSS JOIN bundle b ON b.document = r.document CROSS JOIN api a ON a.id = r.api"#;

const PROVIDED: &str = r#"
SELECT DISTINCT a."group", a.version, a.kind, b.package
FROM provided_api p CROSS JOIN bundle b ON b.document = p.document CROSS JOIN api a ON a.id = p.api
WHERE p.api IN (SELECT api FROM required_api) OR EXISTS (SELECT 1 FROM bundle_constraint)"#;

type ApiKey = (String, String, String);

impl Index {
    /// The packages that require each package. A package that requires itself, or an API of its own, is left out.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn dependents(&self) -> Result<Dependents, IndexError> {
        let mut found = Dependents::new();
        let mut add = |required: String, package: &str| {
            if required != package {
                found.entry(required).or_default().insert(package.to_owned());
            }
        };
        for (required, package) in self.rows(BY_NAME, [], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))? {
            add(required, &package);
        }
        let apis = |sql: &str| {
            self.rows(sql, [], |row| {
                let key: ApiKey = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok((key, row.get::<_, String>(3)?))
            })
        };
        let mut providers: BTreeMap<ApiKey, Vec<String>> = BTreeMap::new();
        for (api, package) in apis(PROVIDED)? {
            providers.entry(api).or_default().push(package);
        }
        let mut required = apis(REQUIRED)?;
        for it in self.bundles_with_property(&Filter::default(), "olm.constraint")? {
            // A constraint that cannot be read names no package.
            for leaf in leaves(&it.what).unwrap_or_default() {
                match leaf {
                    Leaf::Package(name, _) => add(name, &it.package),
                    Leaf::Api(api) => required.push(((api.group, api.version, api.kind), it.package.clone())),
                    _ => {}
                }
            }
        }
        for (api, package) in required {
            for provider in providers.get(&api).into_iter().flatten() {
                add(provider.clone(), &package);
            }
        }
        Ok(found)
    }
}
