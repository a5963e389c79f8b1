//! The bundles that require an API or a package: directly, or inside an `olm.constraint`.

use schemars::JsonSchema;
use serde::Serialize;

use super::uses::UseRow;
use super::{ApiPattern, Filter};
use crate::{Index, IndexError};
use olmdex_base::diag::Place;
use olmdex_constraint::fields::api_of;
use olmdex_constraint::{Leaf, leaves, plain};
use olmdex_version::Version;

/// A bundle that requires something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Requirer {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// Its requirement.
    pub requirement: String,
    /// The type of the property with the requirement.
    pub property: String,
    /// The place of that property; that of the bundle, if it is not known.
    #[serde(flatten)]
    pub place: Place,
}

/// The bundles that require something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirers {
    /// The bundles, by catalog, package and version.
    pub rows: Vec<Requirer>,
    /// The number of constraints with rules of CEL, which may require it too.
    pub n_rules: usize,
}

impl Index {
    /// The bundles that require an API; or, if no pattern of an API is given, those that require a package, by its name
    /// or by an API that it provides: OLM installs it for either.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn requirers(
        &self,
        filter: &Filter,
        pattern: Option<&ApiPattern>,
        package: &str,
    ) -> Result<Requirers, IndexError> {
        let mut rows = Vec::new();
        let mut n_rules = 0;
        match pattern {
            Some(pattern) => {
                for it in self.requirers_of_api(filter, pattern)? {
                    let is_it = |kind: &str, value: &str| {
                        kind == "olm.gvk.required" && api_of(value).is_some_and(|api| api == it.what)
                    };
                    let place = self.place_of_property(it.document, &it.place, is_it)?;
                    let text = format!("the API {}", it.what);
                    rows.push(row(it, text, "olm.gvk.required", place));
                }
            }
            None => {
                for it in self.requirers_of_package(filter, package)? {
                    let text = format!("package {} {}", it.what.0, it.what.1);
                    let place = self.place_of_use(&it)?;
                    rows.push(row(it, text, "olm.package.required", place));
                }
            }
        }
        let provided = if pattern.is_none() { self.apis_of_package(filter, package)? } else { Vec::new() };
        for api in &provided {
            let exact = ApiPattern { group: api.group.clone(), version: api.version.clone(), kind: api.kind.clone() };
            // A package that needs its own API is not a dependent.
            let found = self.requirers_of_api(filter, &exact)?;
            for it in found.into_iter().filter(|it| it.package != package && it.what == *api) {
                let is_it =
                    |kind: &str, value: &str| kind == "olm.gvk.required" && api_of(value).is_some_and(|it| it == *api);
                let place = self.place_of_property(it.document, &it.place, is_it)?;
                rows.push(row(it, format!("the API {api}, which {package} provides"), "olm.gvk.required", place));
            }
        }
        for it in self.bundles_with_property(filter, "olm.constraint")? {
            // A constraint that cannot be read names no package; `validate` and `deps` report it.
            let (Ok(leaves), Ok(text)) = (leaves(&it.what), plain(&it.what)) else { continue };
            n_rules += usize::from(leaves.iter().any(|it| matches!(it, Leaf::Rule(_))));
            let is_meant = leaves.iter().any(|leaf| match (leaf, pattern) {
                (Leaf::Api(api), Some(pattern)) => {
                    let fits = |part: &str, wanted: &str| wanted.is_empty() || part.eq_ignore_ascii_case(wanted);
                    fits(&api.group, &pattern.group)
                        && fits(&api.version, &pattern.version)
                        && fits(&api.kind, &pattern.kind)
                }
                (Leaf::Package(name, _), None) => name == package,
                (Leaf::Api(api), None) => it.package != package && provided.contains(api),
                _ => false,
            });
            if is_meant {
                let place = self.place_of_use(&it)?;
                rows.push(row(it, text, "olm.constraint", place));
            }
        }
        rows.sort_by_cached_key(|it| {
            let version = Version::parse(&it.version).ok().map(|it| it.sort_key());
            (it.catalog.clone(), it.package.clone(), version, it.bundle.clone(), it.requirement.clone())
        });
        rows.dedup();
        Ok(Requirers { rows, n_rules })
    }

    fn place_of_use<T>(&self, it: &UseRow<T>) -> Result<Place, IndexError> {
        match it.property {
            Some(number) => self.place_of_numbered_property(it.document, &it.place, number),
            None => Ok(it.place.clone()),
        }
    }
}

fn row<T>(it: UseRow<T>, requirement: String, property: &str, place: Place) -> Requirer {
    let UseRow { catalog, package, bundle, version, channels, .. } = it;
    Requirer { catalog, package, bundle, version, channels, requirement, property: property.to_owned(), place }
}
