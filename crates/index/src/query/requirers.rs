//! The bundles that require an API or a package: directly, or inside an `olm.constraint`.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::demand_places::PropertyPlaces;
use super::uses::UseRow;
use super::{ApiPattern, Filter};
use crate::{Index, IndexError};
use olmdex_base::diag::Place;
use olmdex_constraint::{Leaf, leaves, plain};
use olmdex_fbc::Api;
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
        let mut places = PropertyPlaces::new(self);
        match pattern {
            Some(pattern) => {
                for it in self.requirers_of_api(filter, pattern)? {
                    let place = places.of_required_api(it.document, &it.place, &it.what)?;
                    let text = format!("the API {}", it.what);
                    rows.push(row(it, text, "olm.gvk.required", place));
                }
            }
            None => {
                for it in self.requirers_of_package(filter, package)? {
                    let text = format!("package {} {}", it.what.0, it.what.1);
                    let place = place_of_use(&mut places, &it)?;
                    rows.push(row(it, text, "olm.package.required", place));
                }
            }
        }
        let provided = if pattern.is_none() { self.apis_of_package(filter, package)? } else { Vec::new() };
        let is_provided: HashSet<&Api> = provided.iter().collect();
        for api in &provided {
            let exact = ApiPattern { group: api.group.clone(), version: api.version.clone(), kind: api.kind.clone() };
            // A package that needs its own API is not a dependent.
            let found = self.requirers_of_api(filter, &exact)?;
            for it in found.into_iter().filter(|it| it.package != package && it.what == *api) {
                let place = places.of_required_api(it.document, &it.place, api)?;
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
                (Leaf::Api(api), None) => it.package != package && is_provided.contains(api),
                _ => false,
            });
            if is_meant {
                let place = place_of_use(&mut places, &it)?;
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
}

fn place_of_use<T>(places: &mut PropertyPlaces<'_>, found: &UseRow<T>) -> Result<Place, IndexError> {
    match found.property {
        Some(number) => places.of_number(found.document, &found.place, number),
        None => Ok(found.place.clone()),
    }
}

fn row<T>(it: UseRow<T>, requirement: String, property: &str, place: Place) -> Requirer {
    let UseRow { catalog, package, bundle, version, channels, .. } = it;
    Requirer { catalog, package, bundle, version, channels, requirement, property: property.to_owned(), place }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use olmdex_fbc::Input;
    use olmdex_text::tally::assert_grows_with_input;

    use crate::query::{ApiPattern, BundleSelector, Filter};
    use crate::{Builder, CatalogSpec, Index, Mode};

    fn index(text: &str) -> Index {
        let mut builder = Builder::in_memory();
        let input = Input::bytes("c.json", Arc::from(text.as_bytes()));
        let spec = CatalogSpec { name: "c".to_owned(), source: "c.json".to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
        builder.into_index().unwrap()
    }

    #[test]
    fn places_of_many_requirements_are_read_once() {
        assert_grows_with_input(200, |size| {
            let apis: Vec<String> = (0..size)
                .map(|n| {
                    format!(r#"{{"type":"olm.gvk.required","value":{{"group":"g{n}","kind":"K","version":"v1"}}}}"#)
                })
                .collect();
            let apis = apis.join(",");
            let index = index(&format!(
                r#"{{"schema":"olm.bundle","package":"a","name":"a.v1","image":"q.io/a:1","properties":[
{{"type":"olm.package","value":{{"packageName":"a","version":"1.0.0"}}}},{apis}]}}"#
            ));
            move || {
                let pattern = ApiPattern { kind: "K".to_owned(), ..ApiPattern::default() };
                let found = index.requirers(&Filter::default(), Some(&pattern), "").unwrap();
                assert_eq!(found.rows.len(), size);
                assert!(found.rows.iter().all(|row| row.place.line > 0));
            }
        });
    }

    #[test]
    fn deprecations_of_many_bundles_are_read_once() {
        assert_grows_with_input(200, |size| {
            let (mut text, mut entries) = (String::new(), Vec::new());
            for n in 0..size {
                entries.push(format!(r#"{{"reference":{{"schema":"olm.bundle","name":"a.v{n}"}},"message":"old"}}"#));
                let version = format!(r#"{{"packageName":"a","version":"1.0.{n}"}}"#);
                writeln!(
                    text,
                    r#"{{"schema":"olm.bundle","package":"a","name":"a.v{n}","image":"q.io/a:{n}","properties":[
{{"type":"olm.package","value":{version}}}]}}"#
                )
                .unwrap();
            }
            let entries = entries.join(",");
            text += &format!(r#"{{"schema":"olm.deprecations","package":"a","entries":[{entries}]}}"#);
            let index = index(&text);
            move || {
                let selector = BundleSelector { package: Some("a".to_owned()), ..BundleSelector::default() };
                let found = index.show_bundle(&selector).unwrap();
                assert!(found.len() == size && found.iter().all(|it| it.row.deprecation.is_some()));
            }
        });
    }
}
