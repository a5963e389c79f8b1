//! ClusterServiceVersions: the installed operators (`docs/behaviour/olm-classic.md` 1.3).

use std::collections::BTreeMap;

use super::object::Object;
use olmdex_base::diag::Place;
use olmdex_constraint::openshift::MAX_OPENSHIFT_VERSION;
use olmdex_fbc::service_version::{CsvView, ListedApi, olm_access};
use olmdex_fbc::{Api, Property};
use olmdex_text::json::{self, Kind, Value};
use olmdex_version::version_in_name;

/// A ClusterServiceVersion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterServiceVersion {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// `spec.version`, or empty.
    pub version: String,
    /// `spec.replaces`, or empty.
    pub replaces: String,
    /// `spec.minKubeVersion`, or empty.
    pub min_kube_version: String,
    /// `status.message`, or empty.
    pub message: String,
    /// `status.phase`; empty if not known.
    pub phase: String,
    /// `status.reason`, or empty.
    pub reason: String,
    /// When the phase last changed, or empty.
    pub since: String,
    /// The requirements that are not met, as OLM reports them.
    pub unmet: Vec<String>,
    /// Whether it is a copy of one in another namespace.
    pub is_copied: bool,
    /// The value of the annotation `operatorframework.io/properties`, if it has one.
    pub properties: Option<Vec<Property>>,
    /// The APIs that it owns.
    pub owned: Vec<Api>,
    /// The APIs that it requires.
    pub required: Vec<Api>,
    /// Its install modes, and whether it supports them; empty if it states none.
    pub install_modes: Vec<(String, bool)>,
    /// The APIs of servers among those that it owns.
    pub owned_services: Vec<Api>,
    /// Its webhooks.
    pub webhooks: Vec<String>,
    /// The resources of OLM Classic that it may use without the APIs of OLM v1; `None` if it does not say how it is
    /// installed.
    pub olm_access: Option<Vec<&'static str>>,
    /// The error in it, in OLM's words, if there is one: then OLM resolves nothing in its namespace.
    pub failure: Option<String>,
    /// The place where it is written.
    pub place: Place,
}

const PROPERTIES: &str = "operatorframework.io/properties";

impl ClusterServiceVersion {
    /// A copy: OLM looks at its phase and at what it replaces (`docs/behaviour/olm-classic.md` 2.9.1), and at nothing
    /// else.
    pub(super) fn read_copy(object: &Object<'_>) -> Self {
        Self {
            name: object.name(),
            namespace: object.namespace(),
            replaces: CsvView::of_object(object.value).text("replaces"),
            phase: object.text(&["status", "phase"]),
            is_copied: true,
            place: object.place.clone(),
            ..Self::default()
        }
    }

    /// Whether an object is a copy of one in another namespace.
    pub(super) fn is_copy(object: &Object<'_>) -> bool {
        object.has_label("olm.copiedFrom") || object.text(&["status", "reason"]) == "Copied"
    }

    /// The one that replaces each of them, by the namespace and the name of the replaced one. The first of several
    /// counts, and one that has not failed before those that have. Copies replace nothing.
    pub fn replacements<'c>(all: impl Iterator<Item = &'c Self>) -> BTreeMap<(&'c str, &'c str), &'c Self> {
        let mut replacements: BTreeMap<_, &Self> = BTreeMap::new();
        for csv in all.filter(|csv| !csv.is_copied && !csv.replaces.is_empty() && csv.replaces != csv.name) {
            let known = replacements.entry((csv.namespace.as_str(), csv.replaces.as_str())).or_insert(csv);
            if known.has_failed() && !csv.has_failed() {
                *known = csv;
            }
        }
        replacements
    }

    /// Whether it has failed.
    pub fn has_failed(&self) -> bool {
        self.phase == "Failed"
    }

    /// Whether OLM is replacing it.
    pub fn is_going(&self) -> bool {
        matches!(self.phase.as_str(), "Replacing" | "Deleting")
    }

    /// Its version, or the one in its name: manifests may be shortened. Empty if there is neither.
    pub fn known_version(&self) -> String {
        match self.version.as_str() {
            "" => version_in_name(&self.name).map(|version| version.to_string()).unwrap_or_default(),
            stated => stated.to_owned(),
        }
    }

    /// The values of its `olm.maxOpenShiftVersion`, as JSON.
    ///
    /// # Errors
    /// The reason why its properties cannot be read.
    pub fn max_openshift_versions(&self) -> Result<Vec<String>, String> {
        let values = self.properties.iter().flatten().filter(|it| &*it.kind == MAX_OPENSHIFT_VERSION);
        match &self.failure {
            Some(error) => Err(error.clone()),
            None => Ok(values.map(|it| it.value.to_string()).collect()),
        }
    }

    pub(super) fn read(object: &Object<'_>) -> Self {
        let mut failure = None;
        let properties = object.annotation(PROPERTIES).map(|text| {
            properties(&text).unwrap_or_else(|error| {
                failure = Some(format!("failed to unmarshal properties annotation: {error}"));
                Vec::new()
            })
        });
        let csv = CsvView::of_object(object.value);
        let mut apis = |which: &'static str| match self::apis(&csv, which) {
            Ok(apis) => apis,
            Err(error) => {
                // If the annotation is there, they are not used.
                if properties.is_none() {
                    failure = Some(error);
                }
                Vec::new()
            }
        };
        let (owned, required) = (apis("owned"), apis("required"));
        let olm_access = object.at(&["spec", "install"]).map(|_| olm_access(&csv.permissions()));
        Self {
            name: object.name(),
            namespace: object.namespace(),
            version: csv.text("version"),
            replaces: csv.text("replaces"),
            min_kube_version: csv.text("minKubeVersion"),
            message: object.text(&["status", "message"]),
            phase: object.text(&["status", "phase"]),
            reason: object.text(&["status", "reason"]),
            since: object.text(&["status", "lastTransitionTime"]),
            unmet: object.items(&["status", "requirementStatus"]).into_iter().filter_map(unmet).collect(),
            is_copied: false,
            properties,
            owned,
            required,
            install_modes: csv.install_modes().collect(),
            owned_services: csv.services("owned").map(|it| it.api).collect(),
            webhooks: csv.webhooks().collect(),
            olm_access,
            failure,
            place: object.place.clone(),
        }
    }
}

/// A requirement that is not met, with the rules that its service account lacks.
fn unmet(requirement: Value<'_>) -> Option<String> {
    let text = |key: &str| requirement.text_of(key);
    if matches!(text("status").as_str(), "" | "Present" | "DeploymentFound") {
        return None;
    }
    let dependents = requirement.get("dependents").into_iter().flat_map(|it| it.items());
    let lacking = dependents.filter(|it| it.text_of("status") == "NotSatisfied").map(|it| it.text_of("message"));
    let reasons = [text("status"), text("message")].into_iter().chain(lacking).filter(|it| !it.is_empty());
    Some(format!("{} {}: {}", text("kind"), text("name"), reasons.collect::<Vec<_>>().join(", ")))
}

/// The properties of the annotation. `null` in the list is ignored.
fn properties(text: &str) -> Result<Vec<Property>, String> {
    let mut reader = json::Reader::new();
    let value = reader.read(text).map_err(|error| error.to_string())?;
    let list = match value.kind() {
        Kind::Object => value.get_field("properties"),
        Kind::Null => None,
        other => return Err(format!("json: cannot unmarshal {} into Go value", other.name())),
    };
    let mut properties = Vec::new();
    for item in list.into_iter().flat_map(|it| it.items()).filter(|it| !it.is_null()) {
        let kind = item.text_of_field("type");
        let value = item.get_field("value").map(|value| value.compact()).unwrap_or_default();
        properties.push(Property::new(kind, value));
    }
    Ok(properties)
}

/// The APIs that an operator owns or requires.
fn apis(csv: &CsvView<'_>, which: &'static str) -> Result<Vec<Api>, String> {
    let mut apis = Vec::new();
    for ListedApi { name, api } in csv.definitions(which) {
        if !name.contains('.') {
            return Err(format!("error parsing crd name: {name}"));
        }
        apis.push(api);
    }
    apis.extend(csv.services(which).map(|it| it.api));
    Ok(apis)
}
