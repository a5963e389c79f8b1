//! Kinds of OLM v1 (`docs/behaviour/olm-v1.md`).

use std::collections::BTreeMap;

use super::object::{Condition, Object};
use super::selector::LabelSelector;
use olmdex_base::diag::Place;
use olmdex_constraint::openshift::Minor;
use olmdex_text::json::Value;
use olmdex_version::masterminds::api_server_refusal;

/// A ClusterCatalog (`docs/behaviour/olm-v1.md` 5.1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterCatalog {
    /// Its name.
    pub name: String,
    /// `spec.source.image.ref`, or empty.
    pub image: String,
    /// `spec.priority`; higher is preferred.
    pub priority: i64,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Whether `spec.availabilityMode` is `Unavailable`.
    pub is_unavailable: bool,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The place where it is written.
    pub place: Place,
}

impl ClusterCatalog {
    pub(super) fn read(object: &Object<'_>) -> Self {
        Self {
            name: object.name(),
            image: object.text(&["spec", "source", "image", "ref"]),
            priority: object.at(&["spec", "priority"]).and_then(|it| it.as_f64()).unwrap_or_default() as i64,
            labels: object.labels(),
            is_unavailable: object.text(&["spec", "availabilityMode"]) == "Unavailable",
            conditions: Condition::all(object, &["status", "conditions"]),
            place: object.place.clone(),
        }
    }

    /// Whether it answers questions, according to its own conditions: one that never did has none of the type Serving.
    #[must_use]
    pub fn serves(&self) -> bool {
        !self.is_unavailable && (self.conditions.is_empty() || Condition::is(&self.conditions, "Serving", "True"))
    }
}

/// The label by which a ClusterExtension selects one ClusterCatalog (`docs/behaviour/olm-v1.md` 2.1).
pub const CATALOG_NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// The annotation of a ClusterExtension that has taken the place of a Subscription: `NAMESPACE/NAME`.
pub const MIGRATED_FROM: &str = "olm.operatorframework.io/migrated-from-subscription";

/// Whether a ClusterExtension needs a service account on a version of OpenShift: operator-controller ignores it since
/// #2770, which OpenShift has from 4.23 on, which is also 5.0. It does no harm where it is ignored, so it is needed
/// where the version is not known.
pub fn needs_service_account(openshift: Option<Minor>) -> bool {
    openshift.is_none_or(|it| it.is_before(Minor { major: 4, minor: 23 }))
}

/// The installed bundle as a cluster records it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleStatus {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its release; `None` if none is recorded, which is not the same as an empty one (`docs/behaviour/olm-v1.md`
    /// 1.4.8).
    pub release: Option<String>,
}

/// A ClusterExtension (`docs/behaviour/olm-v1.md` 2.1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterExtension {
    /// Its name.
    pub name: String,
    /// `spec.source.catalog.packageName`
    pub package: String,
    /// `spec.source.catalog.version`, or empty.
    pub version: String,
    /// `spec.source.catalog.channels`
    pub channels: Vec<String>,
    /// `spec.source.catalog.selector`, if it has one.
    pub selector: Option<LabelSelector>,
    /// `spec.source.catalog.upgradeConstraintPolicy`, or empty.
    pub upgrade_constraint_policy: String,
    /// `spec.namespace`, or empty.
    pub namespace: String,
    /// `spec.config`, if there is one: its `inline` as JSON, or empty.
    pub config: Option<String>,
    /// `status.install.bundle`, if something is installed.
    pub installed: Option<BundleStatus>,
    /// The Subscription that it has replaced, as `NAMESPACE/NAME`.
    pub migrated_from: Option<String>,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The place where it is written.
    pub place: Place,
}

impl ClusterExtension {
    /// Whether OLM v1 looks into a ClusterCatalog with these labels for it.
    pub fn asks(&self, labels: &BTreeMap<String, String>) -> bool {
        self.selector.as_ref().is_none_or(|selector| selector.matches(labels))
    }

    /// The one ClusterCatalog that its selector names by a label, if it does.
    pub fn named_catalog(&self) -> Option<&str> {
        self.selector.as_ref()?.match_labels.get(CATALOG_NAME_LABEL).map(String::as_str)
    }

    /// The reason why the API server refuses it for its `version`, with the place.
    pub fn version_refusal(&self) -> Option<String> {
        let refusal = api_server_refusal(&self.version)?;
        Some(format!("{}: ClusterExtension {}: {refusal}", self.place, self.name))
    }

    pub(super) fn read(object: &Object<'_>) -> Self {
        let catalog = ["spec", "source", "catalog"];
        let at = |keys: &[&str]| -> Vec<Value<'_>> { object.items(&[&catalog[..], keys].concat()) };
        let words = |value: Value<'_>| value.as_str().unwrap_or_default().into_owned();
        let selector = object.at(&["spec", "source", "catalog", "selector"]).filter(|it| !it.is_null());
        let bundle = ["status", "install", "bundle"];
        let installed = object.text(&[&bundle[..], &["name"]].concat());
        Self {
            name: object.name(),
            package: object.text(&["spec", "source", "catalog", "packageName"]),
            version: object.text(&["spec", "source", "catalog", "version"]),
            channels: at(&["channels"]).into_iter().map(words).collect(),
            selector: selector.map(LabelSelector::read),
            upgrade_constraint_policy: object.text(&["spec", "source", "catalog", "upgradeConstraintPolicy"]),
            namespace: object.text(&["spec", "namespace"]),
            config: object.at(&["spec", "config"]).filter(|it| !it.is_null()).map(|config| {
                let inline = config.get("inline").filter(|it| !it.is_null());
                let inline = inline.filter(|_| config.text_of("configType") == "Inline");
                inline.map(|inline| inline.compact()).unwrap_or_default()
            }),
            installed: (!installed.is_empty()).then(|| BundleStatus {
                name: installed,
                version: object.text(&["status", "install", "bundle", "version"]),
                release: object
                    .at(&["status", "install", "bundle", "release"])
                    .and_then(|it| Some(it.as_str()?.into())),
            }),
            migrated_from: object.annotation(MIGRATED_FROM),
            conditions: Condition::all(object, &["status", "conditions"]),
            place: object.place.clone(),
        }
    }
}

/// A ClusterObjectSet: a revision of the content that a ClusterExtension has installed (`docs/behaviour/olm-v1.md`
/// 4.2).
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
    fn extensions_are_read_as_kubectl_prints_them() {
        let text = "apiVersion: v1
kind: List
items:
- apiVersion: olm.operatorframework.io/v1
  kind: ClusterExtension
  metadata: {name: till}
  spec:
    namespace: shop
    config: {configType: Inline, inline: {watchNamespace: shop}}
    source:
      sourceType: Catalog
      catalog:
        packageName: till
        channels: [stable]
        version: '>=1.0'
        selector:
          matchLabels: {tier: prod}
          matchExpressions:
          - {key: a, operator: In, values: [b, c]}
        upgradeConstraintPolicy: SelfCertified
  status: {install: {bundle: {name: till.v1.0.0, version: 1.0.0, release: '2'}}}
- apiVersion: olm.operatorframework.io/v1
  kind: ClusterExtension
  metadata: {name: empty}
";
        let cluster = read_text("extensions.yaml", text.as_bytes()).unwrap();
        let [till, empty] = cluster.extensions.as_slice() else { panic!("{cluster:?}") };
        assert_eq!((till.package.as_str(), till.version.as_str()), ("till", ">=1.0"));
        assert_eq!(till.channels, ["stable"]);
        let selector = till.selector.as_ref().unwrap();
        assert_eq!(selector.match_labels["tier"], "prod");
        assert_eq!(selector.match_expressions[0].values, ["b", "c"]);
        let installed = till.installed.as_ref().unwrap();
        assert_eq!((installed.name.as_str(), installed.version.as_str()), ("till.v1.0.0", "1.0.0"));
        assert_eq!(installed.release.as_deref(), Some("2"));
        assert_eq!((till.upgrade_constraint_policy.as_str(), till.place.line), ("SelfCertified", 4));
        assert_eq!(till.namespace, "shop");
        assert_eq!(till.config.as_deref(), Some(r#"{"watchNamespace":"shop"}"#));
        assert!(empty.config.is_none());
        assert!(empty.installed.is_none() && empty.selector.is_none() && empty.package.is_empty());
    }

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
