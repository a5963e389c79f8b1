//! What OLM's cache makes of the properties and dependencies that a catalog's server streams
//! (`docs/behaviour/olm-classic.md` 1.1.2,
//! 1.2.4): dependencies become properties, so that those of a file-based catalog stand there twice.
//!
//! What it deliberately does not do: no reading of catalogs.

use serde_json::{Value, json};

use crate::constraint::fields::package_of;
use crate::fbc::Property;

/// The properties of a bundle of a file-based catalog, given those that are streamed.
#[must_use]
pub fn of_file_based(mut properties: Vec<Property>, package: &str, version: &str) -> Vec<Property> {
    let is_dependency = |it: &&Property| matches!(&*it.kind, "olm.gvk.required" | "olm.package.required");
    let again: Vec<Property> = properties.iter().filter(is_dependency).cloned().collect();
    properties.extend(again);
    with_package(properties, package, version)
}

/// The properties of a bundle of any other server, given its properties and dependencies. `None` if a dependency cannot be
/// read: then OLM leaves the bundle out.
#[must_use]
pub fn of_dependencies(
    mut properties: Vec<Property>,
    dependencies: &[Property],
    package: &str,
    version: &str,
) -> Option<Vec<Property>> {
    for dependency in dependencies {
        let value: Value = serde_json::from_str(&dependency.value).ok()?;
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        let (kind, value) = match &*dependency.kind {
            "olm.gvk" => {
                let api = json!({"group": text("group"), "kind": text("kind"), "version": text("version")});
                ("olm.gvk.required", api.to_string().into())
            }
            "olm.package" => {
                let range = json!({"packageName": text("packageName"), "versionRange": text("version")});
                ("olm.package.required", range.to_string().into())
            }
            "olm.label" => ("olm.label.required", dependency.value.clone()),
            "olm.constraint" => ("olm.constraint", dependency.value.clone()),
            _ => continue,
        };
        properties.push(Property::new(kind, value));
    }
    Some(with_package(properties, package, version))
}

/// A bundle says of which package it is, even if its catalog does not.
fn with_package(mut properties: Vec<Property>, package: &str, version: &str) -> Vec<Property> {
    let says = |it: &Property| &*it.kind == "olm.package" && package_of(&it.value).is_some();
    if !properties.iter().any(says) {
        properties.push(Property::new("olm.package", json!({"packageName": package, "version": version}).to_string()));
    }
    properties
}
