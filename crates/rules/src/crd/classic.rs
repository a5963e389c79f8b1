//! The checks of OLM Classic before it updates a definition (`docs/behaviour/olm-classic.md` section 7), and the checks
//! that only its documentation claims (OLM's "Dependency Resolution and Upgrades").

use std::collections::HashMap;

use serde_json::Value;

use super::definition::{Crd, CrdVersion};
#[cfg(feature = "jsonschema")]
use super::field;
use super::objects::Resource;
#[cfg(feature = "jsonschema")]
use super::validator::ValidatorError;
use olmdex_text::json::Step;

/// A verdict of OLM Classic about a new definition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Refused: a version in which objects are stored is gone.
    StoredVersionRemoved { version: String },
    /// Refused: an object does not fit the new schema.
    ObjectInvalid {
        /// `<group>/<version>, Kind=<kind>` of the object, at the version that it was asked for.
        api: String,
        /// Namespace and name of the object, or its name.
        object: String,
        /// The mismatch, with the path.
        reason: String,
        /// Whether it is only a warning, since a webhook converts.
        is_exempt: bool,
        /// The steps to the part of the new definition's manifest that the object breaks.
        field: Vec<Step>,
    },
    /// Documented, but not checked: a served version is gone.
    ServedVersionRemoved { version: String },
    /// Not checked, but operators that own it fail: a served version is served no longer.
    ServiceEnded { version: String },
    /// The new schema of a version is not a valid one.
    SchemaUnusable {
        version: String,
        /// The error in it.
        reason: String,
        /// The steps to the schema in the manifest of the new definition.
        field: Vec<Step>,
    },
    /// Whether objects fit a version is not known, because they are given at others and a webhook converts.
    NotConverted { version: String, count: usize },
}

/// An object whose validation takes too much work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: version {version} cannot be checked against {}: {reason}", of.as_deref().unwrap_or("any object"))]
pub struct Overwork {
    /// The definition.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The object; none if it is the schema alone.
    pub of: Option<String>,
    /// Why.
    pub reason: String,
}

/// Compares a new definition with the one on the cluster, which has these objects. OLM stops at the first invalid
/// object; all are returned here.
///
/// # Errors
/// [`Overwork`]
pub fn check(old: &Crd, new: &Crd, objects: &[Resource]) -> Result<Vec<Verdict>, Overwork> {
    let mut verdicts = Vec::new();
    for version in old.versions.iter().filter(|it| it.is_served) {
        match new.version(&version.name) {
            None => verdicts.push(Verdict::ServedVersionRemoved { version: version.name.clone() }),
            // OLM does not validate objects of a version that is no longer served.
            Some(next) if next.is_served => verdicts.extend(check_objects(old, new, next, objects)?),
            Some(_) => verdicts.push(Verdict::ServiceEnded { version: version.name.clone() }),
        }
    }
    for version in old.stored_versions.iter().filter(|it| new.version(it).is_none()) {
        verdicts.push(Verdict::StoredVersionRemoved { version: version.clone() });
    }
    Ok(verdicts)
}

/// The objects of a definition, each once: the same object may be given at several versions. If it is given at this
/// version, that form is taken.
fn at_version<'o>(crd: &Crd, version: &str, objects: &'o [Resource]) -> Vec<&'o Resource> {
    let mut found: Vec<&Resource> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for object in objects.iter().filter(|it| it.is_of(crd)) {
        match known.get(object.name.as_str()) {
            Some(at) if object.api.version == version => found[*at] = object,
            Some(_) => {}
            None => {
                known.insert(&object.name, found.len());
                found.push(object);
            }
        }
    }
    found
}

/// The number of objects of a definition, whatever version they are given at.
pub fn count(crd: &Crd, objects: &[Resource]) -> usize {
    at_version(crd, "", objects).len()
}

/// OLM lists the objects at each version, and every object is served at every version. It is the definition on the
/// cluster that says how they are converted, since the new one is not there yet.
fn check_objects(old: &Crd, new: &Crd, version: &CrdVersion, objects: &[Resource]) -> Result<Vec<Verdict>, Overwork> {
    let Some(schema) = &version.schema else { return Ok(Vec::new()) };
    let mut of_version = at_version(new, &version.name, objects);
    let mut verdicts = Vec::new();
    if old.conversion == "Webhook" {
        let n_all = of_version.len();
        of_version.retain(|it| it.api.version == version.name);
        let count = n_all - of_version.len();
        if count > 0 {
            verdicts.push(Verdict::NotConverted { version: version.name.clone(), count });
        }
    }
    if of_version.is_empty() {
        return Ok(verdicts);
    }
    verdicts.extend(validate(new, version, schema, of_version)?);
    Ok(verdicts)
}

/// Validates objects against the schema of a version.
#[cfg(feature = "jsonschema")]
fn validate(
    new: &Crd,
    version: &CrdVersion,
    schema: &Value,
    objects: Vec<&Resource>,
) -> Result<Vec<Verdict>, Overwork> {
    let overwork = |of: Option<String>, error: ValidatorError| Overwork {
        name: new.name.clone(),
        version: version.name.clone(),
        of,
        reason: error.to_string(),
    };
    let mut validator = match super::Validator::new(schema) {
        Ok(validator) => validator,
        Err(ValidatorError::Schema(reason)) => {
            let (version, field) = (version.name.clone(), version.schema_path.clone());
            return Ok(vec![Verdict::SchemaUnusable { version, reason, field }]);
        }
        Err(error @ ValidatorError::Work) => return Err(overwork(None, error)),
    };
    let mut verdicts = Vec::new();
    for object in objects.into_iter().map(|it| it.at(&version.name)) {
        let found = validator.check(&object).map_err(|error| overwork(Some(object.name.clone()), error))?;
        for invalid in found {
            let path = if invalid.path.is_empty() { "/" } else { &invalid.path };
            verdicts.push(Verdict::ObjectInvalid {
                api: format!("{}/{}, Kind={}", object.api.group, object.api.version, object.api.kind),
                object: object.name.clone(),
                reason: format!("{path}: {}", invalid.reason),
                is_exempt: new.conversion == "Webhook" && new.api_version == "v1",
                field: field::of_instance(version.placed_schema(), &invalid.path, &invalid.keyword),
            });
        }
    }
    Ok(verdicts)
}

/// Returns that nothing was validated.
#[cfg(not(feature = "jsonschema"))]
fn validate(_: &Crd, version: &CrdVersion, _: &Value, _: Vec<&Resource>) -> Result<Vec<Verdict>, Overwork> {
    let reason = "this build lacks the feature `jsonschema`".to_owned();
    Ok(vec![Verdict::SchemaUnusable { version: version.name.clone(), reason, field: version.schema_path.clone() }])
}

#[cfg(test)]
#[cfg(feature = "jsonschema")]
mod tests {
    use super::*;

    fn crd(versions: &[(&str, bool, u64)], stored: &[&str], conversion: &str) -> Crd {
        let versions: Vec<_> = versions
            .iter()
            .enumerate()
            .map(|(at, (name, served, maximum))| {
                let replicas = serde_json::json!({"type": "integer", "maximum": maximum});
                let spec = serde_json::json!({"type": "object", "properties": {"replicas": replicas}});
                let schema = serde_json::json!({"type": "object", "properties": {"spec": spec}});
                serde_json::json!({"name": name, "served": served, "storage": at == 0, "schema": {"openAPIV3Schema": schema}})
            })
            .collect();
        let value = serde_json::json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.g"},
            "spec": {"group": "g", "names": {"kind": "Thing"}, "versions": versions, "conversion": {"strategy": conversion}},
            "status": {"storedVersions": stored},
        });
        Crd::from_value(&value).unwrap()
    }

    #[test]
    fn classic_checks_stored_versions_and_objects() {
        let object = |version: &str| {
            let object = serde_json::json!({"apiVersion": format!("g/{version}"), "kind": "Thing",
                "metadata": {"name": "n", "namespace": "ns"}, "spec": {"replicas": 10}});
            Resource::from_json(&object.to_string()).unwrap().unwrap()
        };
        let objects = [object("v1"), object("v2")];
        let words = |it: &Verdict| match it {
            Verdict::StoredVersionRemoved { version } => format!("stored {version}"),
            Verdict::ServedVersionRemoved { version } => format!("served {version}"),
            Verdict::ServiceEnded { version } => format!("ended {version}"),
            Verdict::ObjectInvalid { api, object, is_exempt, .. } => format!("{object} {api} {is_exempt}"),
            Verdict::SchemaUnusable { version, .. } => format!("schema {version}"),
            Verdict::NotConverted { version, count } => format!("{count} not converted to {version}"),
        };
        let old = crd(&[("v1", true, 20), ("v2", false, 20)], &["v1"], "None");
        for (new, expected) in [
            (crd(&[("v1", true, 20)], &[], "None"), ""),
            (crd(&[("v1", true, 9)], &[], "None"), "ns/n g/v1, Kind=Thing false"),
            (crd(&[("v1", true, 9)], &[], "Webhook"), "ns/n g/v1, Kind=Thing true"),
            (crd(&[("v1", false, 9)], &[], "None"), "ended v1"),
            // Not served in the old one, so not validated.
            (crd(&[("v1", true, 20), ("v2", true, 9)], &[], "None"), ""),
            (crd(&[("v2", true, 20)], &[], "None"), "served v1; stored v1"),
        ] {
            let found: Vec<String> = check(&old, &new, &objects).unwrap().iter().map(words).collect();
            assert_eq!(found.join("; "), expected);
        }
        // Every object is served at every version; without a webhook only the version's name differs.
        let served = |v1: u64, v2: u64| [("v1", true, v1), ("v2", true, v2)];
        let (strict_1, strict_2) = (crd(&served(9, 20), &[], "None"), crd(&served(20, 9), &[], "None"));
        for (conversion, new, given, expected) in [
            ("None", &strict_1, &objects[1..], "ns/n g/v1, Kind=Thing false"),
            ("", &strict_2, &objects[..1], "ns/n g/v2, Kind=Thing false"),
            // The same object, given at both versions.
            ("None", &strict_2, &objects[..], "ns/n g/v2, Kind=Thing false"),
            ("Webhook", &strict_2, &objects[..1], "1 not converted to v2"),
            ("Webhook", &strict_2, &objects[1..], "1 not converted to v1; ns/n g/v2, Kind=Thing false"),
            ("Webhook", &strict_2, &objects[..], "ns/n g/v2, Kind=Thing false"),
        ] {
            let old = crd(&served(20, 20), &["v1"], conversion);
            let found: Vec<String> = check(&old, new, given).unwrap().iter().map(words).collect();
            assert_eq!(found.join("; "), expected, "{conversion}");
        }
        assert_eq!(count(&strict_1, &objects), 1);
        // A version that was stored once may be gone from the list of the served.
        let old = crd(&[("v2", true, 20)], &["v1alpha2", "v2"], "None");
        let new = crd(&[("v2", true, 20)], &[], "None");
        assert_eq!(check(&old, &new, &[]).unwrap().iter().map(words).collect::<Vec<_>>(), ["stored v1alpha2"]);
    }
}
