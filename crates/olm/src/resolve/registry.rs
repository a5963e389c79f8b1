//! The properties that OLM's cache makes of the properties and dependencies streamed by a catalog's server
//! (`docs/behaviour/olm-classic.md` 1.1.2, 1.2.4). Dependencies become properties, so those of a file-based catalog
//! appear twice.

use serde_json::json;

use olmdex_constraint::fields::package_of;
use olmdex_fbc::Property;

/// The properties of a bundle of a file-based catalog, given those that are streamed.
pub(crate) fn of_file_based(mut properties: Vec<Property>, package: &str, version: &str) -> Vec<Property> {
    let is_dependency = |it: &&Property| matches!(&*it.kind, "olm.gvk.required" | "olm.package.required");
    let again: Vec<Property> = properties.iter().filter(is_dependency).cloned().collect();
    properties.extend(again);
    // A bundle states its package, even if its catalog does not.
    let says = |it: &Property| &*it.kind == "olm.package" && package_of(&it.value).is_some();
    if !properties.iter().any(says) {
        properties.push(Property::new("olm.package", json!({"packageName": package, "version": version}).to_string()));
    }
    properties
}
