//! ClusterObjectSets of OLM v1: revisions of the content that ClusterExtensions have installed
//! (`docs/behaviour/olm-v1.md` 4.2).

use super::condition::Condition;
use super::extension::{BundleStatus, ClusterExtension, MIGRATED_FROM};
use super::object::Object;
use olmdex_base::diag::Place;

/// A ClusterObjectSet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterObjectSet {
    /// Its name.
    pub name: String,
    /// The ClusterExtension that it belongs to, or empty.
    pub owner: String,
    /// The bundle, or empty.
    pub bundle: String,
    /// Its version, or empty.
    pub version: String,
    /// Its release, if one is recorded.
    pub release: Option<String>,
    /// `spec.revision`
    pub revision: i64,
    /// Whether it is archived: a later one has taken its place.
    pub is_archived: bool,
    /// Whether it was rolled out.
    pub is_rolled_out: bool,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The Subscription that its ClusterExtension has replaced, as `NAMESPACE/NAME`.
    pub migrated_from: Option<String>,
    /// The place where it is written.
    pub place: Place,
}

impl ClusterObjectSet {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let noted = |name: &str| object.annotation(&format!("olm.operatorframework.io/{name}"));
        let note = |name: &str| noted(name).unwrap_or_default();
        let conditions = Condition::all(object, &["status", "conditions"]);
        Self {
            name: object.name(),
            owner: object.label("olm.operatorframework.io/owner-name").unwrap_or_default(),
            bundle: note("bundle-name"),
            version: note("bundle-version"),
            release: noted("bundle-release"),
            revision: object.at(&["spec", "revision"]).and_then(|it| it.as_f64()).unwrap_or_default() as i64,
            is_archived: object.text(&["spec", "lifecycleState"]) == "Archived",
            is_rolled_out: Condition::is(&conditions, "Succeeded", "True"),
            conditions,
            migrated_from: object.annotation(MIGRATED_FROM),
            place: object.place.clone(),
        }
    }
}

/// Adds the installed bundle to ClusterExtensions that do not state it: the bundle of their last revision that was
/// rolled out, as operator-controller finds it with the gate BoxcutterRuntime.
pub(super) fn fill_in(extensions: &mut [ClusterExtension], sets: &[ClusterObjectSet]) {
    for extension in extensions {
        let own = || sets.iter().filter(|it| it.owner == extension.name && !it.is_archived);
        if extension.installed.is_none() {
            let last = own().filter(|it| it.is_rolled_out && !it.bundle.is_empty()).max_by_key(|it| it.revision);
            extension.installed = last.map(|it| BundleStatus {
                name: it.bundle.clone(),
                version: it.version.clone(),
                release: it.release.clone(),
            });
        }
        if extension.migrated_from.is_none() {
            extension.migrated_from = own().find_map(|it| it.migrated_from.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::read_text;

    #[test]
    fn revisions_say_what_is_installed() {
        let set = |name: &str, revision: u8, state: &str, status: &str| {
            format!(
                "---
apiVersion: olm.operatorframework.io/v1
kind: ClusterObjectSet
metadata:
  name: {name}
  labels: {{olm.operatorframework.io/owner-name: till}}
  annotations: {{olm.operatorframework.io/bundle-name: till.v{revision}.0.0, olm.operatorframework.io/bundle-version: {revision}.0.0}}
spec: {{revision: {revision}, lifecycleState: {state}}}
status: {{conditions: [{{type: Succeeded, status: '{status}'}}]}}
"
            )
        };
        let extension = |status: &str| {
            format!(
                "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {{name: till}}\nstatus: {status}\n"
            )
        };
        let stated = "{install: {bundle: {name: till.v9.0.0, version: 9.0.0}}}";
        for (status, sets, installed) in [
            ("{}", vec![], None),
            ("{}", vec![set("a", 1, "Active", "True")], Some("till.v1.0.0")),
            ("{}", vec![set("b", 2, "Active", "True"), set("a", 1, "Active", "True")], Some("till.v2.0.0")),
            // A set that is archived or not rolled out is not installed.
            ("{}", vec![set("a", 1, "Active", "True"), set("b", 2, "Active", "False")], Some("till.v1.0.0")),
            ("{}", vec![set("a", 1, "Archived", "True")], None),
            (stated, vec![set("a", 1, "Active", "True")], Some("till.v9.0.0")),
        ] {
            let text = format!("{}{}", extension(status), sets.concat());
            let cluster = read_text("sets.yaml", text.as_bytes()).unwrap();
            let found = cluster.extensions[0].installed.as_ref().map(|it| it.name.as_str());
            assert_eq!(found, installed, "{text}");
        }
    }
}
