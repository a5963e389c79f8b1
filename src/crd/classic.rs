//! What OLM Classic checks before it updates a definition (`spec/olm-classic.md` section 7), and what its documentation
//! says that it checks (`seeds/003`).

use super::definition::{Crd, CrdVersion};
use super::objects::{Resource, Validator};

/// What OLM Classic says to a new definition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Refused: a version in which objects are stored is gone.
    StoredVersionRemoved {
        /// The version.
        version: String,
    },
    /// Refused: an object does not fit the new schema.
    ObjectInvalid {
        /// `<group>/<version>, Kind=<kind>` of the object.
        api: String,
        /// Namespace and name of the object, or its name.
        object: String,
        /// What does not fit, with the path.
        reason: String,
        /// Whether it is only a warning, since a webhook converts.
        is_exempt: bool,
    },
    /// Documented, but not checked: a served version is gone.
    ServedVersionRemoved {
        /// The version.
        version: String,
    },
    /// The new schema of a version is none.
    SchemaUnusable {
        /// The version.
        version: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Compares a new definition with the one on the cluster, of which these objects exist. OLM stops at the first object; all
/// are given here.
#[must_use]
pub fn check(old: &Crd, new: &Crd, objects: &[Resource]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for version in old.versions.iter().filter(|it| it.is_served) {
        match new.version(&version.name) {
            None => verdicts.push(Verdict::ServedVersionRemoved { version: version.name.clone() }),
            // What is not served any more is not validated.
            Some(next) if next.is_served => verdicts.extend(check_objects(new, next, objects)),
            Some(_) => {}
        }
    }
    for version in old.stored_versions.iter().filter(|it| new.version(it).is_none()) {
        verdicts.push(Verdict::StoredVersionRemoved { version: version.clone() });
    }
    verdicts
}

fn check_objects(new: &Crd, version: &CrdVersion, objects: &[Resource]) -> Vec<Verdict> {
    let Some(schema) = &version.schema else { return Vec::new() };
    let mut of_version = objects.iter().filter(|it| it.is_of(new) && it.version == version.name).peekable();
    if of_version.peek().is_none() {
        return Vec::new();
    }
    let validator = match Validator::new(schema) {
        Ok(validator) => validator,
        Err(reason) => return vec![Verdict::SchemaUnusable { version: version.name.clone(), reason }],
    };
    let mut verdicts = Vec::new();
    for object in of_version {
        for invalid in validator.check(object) {
            let path = if invalid.path.is_empty() { "/" } else { &invalid.path };
            verdicts.push(Verdict::ObjectInvalid {
                api: format!("{}/{}, Kind={}", object.group, object.version, object.kind),
                object: object.name.clone(),
                reason: format!("{path}: {}", invalid.reason),
                is_exempt: new.conversion == "Webhook" && new.api_version == "v1",
            });
        }
    }
    verdicts
}

#[cfg(test)]
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
            Verdict::ObjectInvalid { api, object, is_exempt, .. } => format!("{object} {api} {is_exempt}"),
            Verdict::SchemaUnusable { version, .. } => format!("schema {version}"),
        };
        let old = crd(&[("v1", true, 20), ("v2", false, 20)], &["v1"], "None");
        for (new, expected) in [
            (crd(&[("v1", true, 20)], &[], "None"), ""),
            (crd(&[("v1", true, 9)], &[], "None"), "ns/n g/v1, Kind=Thing false"),
            (crd(&[("v1", true, 9)], &[], "Webhook"), "ns/n g/v1, Kind=Thing true"),
            (crd(&[("v1", false, 9)], &[], "None"), ""),
            // Not served in the old one, so not validated.
            (crd(&[("v1", true, 20), ("v2", true, 9)], &[], "None"), ""),
            (crd(&[("v2", true, 20)], &[], "None"), "served v1; stored v1"),
        ] {
            let found: Vec<String> = check(&old, &new, &objects).iter().map(words).collect();
            assert_eq!(found.join("; "), expected);
        }
        // A version that was stored once may be gone from the list of the served.
        let old = crd(&[("v2", true, 20)], &["v1alpha2", "v2"], "None");
        let new = crd(&[("v2", true, 20)], &[], "None");
        assert_eq!(check(&old, &new, &[]).iter().map(words).collect::<Vec<_>>(), ["stored v1alpha2"]);
    }
}
