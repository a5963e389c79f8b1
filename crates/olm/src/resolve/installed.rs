//! The installed operators, as a catalog of their own (`docs/behaviour/olm-classic.md` 1.3, 2.9).

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::json;

use super::rows::World;
use olmdex_constraint::fields::package_of;
use olmdex_fbc::{Api, Property};
use olmdex_rules::cluster::ClusterServiceVersion;

/// An installed operator as resolution sees it.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    /// Its place in [`World::installed`].
    pub(super) csv: usize,
    pub(super) name: String,
    /// The package that it says it is of, or empty.
    pub(super) package: String,
    /// Its version; 0.0.0 if it has none.
    pub(super) version: String,
    pub(super) properties: Vec<Property>,
    /// The first subscription that installed it: its place in [`World::subscriptions`].
    pub(super) subscription: Option<usize>,
}

/// The installed operators that count.
///
/// # Errors
/// In OLM's words, if it resolves nothing in such a namespace.
pub(super) fn installed(world: &World) -> Result<Vec<Installed>, String> {
    let fails = |what: &str| Err(format!("error using catalogsource {}/@existing: {what}", world.namespace));
    if world.groups.count != 1 {
        return fails(&format!("found {} operatorGroups, expected 1", world.groups.count));
    }
    let left_out = match replaced_in_failure(world) {
        Ok(left_out) => left_out,
        Err(what) => return fails(&what),
    };
    let mut found = Vec::new();
    for (idx, csv) in world.installed.iter().enumerate() {
        if csv.is_copied || left_out.contains(csv.name.as_str()) {
            continue;
        }
        if let Some(failure) = &csv.failure {
            return fails(failure);
        }
        let subscription = world.subscriptions.iter().position(|it| it.installed == csv.name);
        let properties = csv.properties.clone().unwrap_or_else(|| inferred(world, csv));
        found.push(Installed {
            csv: idx,
            name: csv.name.clone(),
            package: package_said(&properties),
            version: if csv.version.is_empty() { "0.0.0".to_owned() } else { csv.version.clone() },
            properties,
            subscription,
        });
    }
    Ok(found)
}

/// The package that properties name; if there are several, the last counts. Empty without one.
pub(super) fn package_said(properties: &[Property]) -> String {
    let mut wording = properties.iter().filter(|it| &*it.kind == "olm.package").filter_map(|it| package_of(&it.value));
    wording.next_back().map(|it| it.0).unwrap_or_default()
}

/// The properties of an operator that does not say them: its APIs, and its package if subscriptions leave no doubt.
fn inferred(world: &World, csv: &ClusterServiceVersion) -> Vec<Property> {
    let mut properties = Vec::new();
    for (kind, apis) in [("olm.gvk", &csv.owned), ("olm.gvk.required", &csv.required)] {
        let value = |it: &Api| json!({"group": it.group, "kind": it.kind, "version": it.version}).to_string();
        let values: BTreeSet<String> = apis.iter().map(value).collect();
        properties.extend(values.into_iter().map(|it| Property::new(kind, it)));
    }
    let packages: BTreeSet<&str> = world
        .subscriptions
        .iter()
        .filter(|it| it.installed == csv.name && !it.package.is_empty())
        .map(|it| it.package.as_str())
        .collect();
    if let (Some(package), 1) = (packages.first(), packages.len()) {
        let version = if csv.version == "0.0.0" { "" } else { &csv.version };
        properties.push(Property::new("olm.package", json!({"packageName": package, "version": version}).to_string()));
    }
    properties
}

/// The operators whose chain of replacements ends in failure, with the strategy to fail forward. They no longer count.
fn replaced_in_failure(world: &World) -> Result<HashSet<&str>, String> {
    let mut left_out = HashSet::new();
    if !world.groups.fails_forward {
        return Ok(left_out);
    }
    let by_name: HashMap<&str, &ClusterServiceVersion> =
        world.installed.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut replacement: HashMap<&str, &ClusterServiceVersion> = HashMap::new();
    for csv in world.installed.iter().filter(|it| !it.replaces.is_empty()) {
        replacement.insert(&csv.replaces, csv);
    }
    // The order by name makes sure that the same one of several broken chains is always reported.
    let mut names: Vec<&str> = world.installed.iter().filter(|it| !it.is_copied).map(|it| it.name.as_str()).collect();
    names.sort_unstable();
    for name in names {
        let Some(mut at) = by_name.get(name).copied() else { continue };
        let start = at;
        let mut seen = HashSet::new();
        while let Some(next) = replacement.get(at.name.as_str()).copied() {
            if at.phase != "Replacing" {
                return Err(format!("csv {}/{} in phase {} instead of Replacing", world.namespace, at.name, at.phase));
            }
            if !seen.insert(at.name.as_str()) {
                return Err(format!("csv {}/{} has already been seen", world.namespace, at.name));
            }
            at = next;
        }
        if start.phase == "Replacing" && at.phase == "Failed" {
            left_out.insert(start.name.as_str());
        }
    }
    Ok(left_out)
}
