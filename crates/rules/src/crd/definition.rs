//! CustomResourceDefinitions as values.

use serde_json::Value;
use thiserror::Error;

use super::field::{PlacedSchema, steps};
use olmdex_text::json::Step;

/// A CustomResourceDefinition.
#[derive(Debug, Clone, PartialEq)]
pub struct Crd {
    /// `metadata.name`: `<plural>.<group>`.
    pub name: String,
    /// `v1` or `v1beta1`.
    pub api_version: String,
    /// The group of its APIs.
    pub group: String,
    /// The kind of its objects.
    pub kind: String,
    /// `Namespaced` or `Cluster`.
    pub scope: String,
    /// Its versions, in their order.
    pub versions: Vec<CrdVersion>,
    /// The strategy of conversion: `None` or `Webhook`.
    pub conversion: String,
    /// `status.storedVersions`; if there is no status, the version that is stored.
    pub stored_versions: Vec<String>,
    /// Whether the stored versions are those of a status.
    pub is_stored_known: bool,
}

/// A version of a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct CrdVersion {
    /// Its name.
    pub name: String,
    /// Whether it is served.
    pub is_served: bool,
    /// Whether it is the one that is stored.
    pub is_storage: bool,
    /// Its `openAPIV3Schema`, if it has one.
    pub schema: Option<Value>,
    /// The steps to that schema in the manifest.
    pub schema_path: Vec<Step>,
}

/// The reasons why a value is not a CustomResourceDefinition.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CrdError {
    /// It is of another kind.
    #[error("it is not a CustomResourceDefinition of apiextensions.k8s.io")]
    OtherKind,
    /// It has no name.
    #[error("it has no name")]
    NoName,
    /// It has no version.
    #[error("{0} has no versions")]
    NoVersions(String),
    /// The text is not JSON, or nested too deeply.
    #[error("{0}")]
    Json(String),
}

impl CrdVersion {
    pub(super) fn placed_schema(&self) -> PlacedSchema<'_> {
        (self.schema.as_ref(), &self.schema_path)
    }
}

impl Crd {
    /// Whether a value says that it is a CustomResourceDefinition.
    pub fn is_one(value: &Value) -> bool {
        let api = value["apiVersion"].as_str().unwrap_or_default();
        value["kind"] == "CustomResourceDefinition" && api.starts_with("apiextensions.k8s.io/")
    }

    /// Reads a definition from JSON.
    ///
    /// # Errors
    /// [`CrdError`]
    pub fn from_json(text: &str) -> Result<Self, CrdError> {
        let value: Value = serde_json::from_str(text).map_err(|error| CrdError::Json(error.to_string()))?;
        Self::from_value(&value)
    }

    /// Reads a definition from a value.
    ///
    /// # Errors
    /// [`CrdError`]
    pub fn from_value(value: &Value) -> Result<Self, CrdError> {
        if !Self::is_one(value) {
            return Err(CrdError::OtherKind);
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let api_version = text(&value["apiVersion"]).rsplit('/').next().unwrap_or_default().to_owned();
        let spec = &value["spec"];
        let name = text(&value["metadata"]["name"]);
        if name.is_empty() {
            return Err(CrdError::NoName);
        }
        let versions = versions(spec);
        if versions.is_empty() {
            return Err(CrdError::NoVersions(name));
        }
        let stored = value["status"]["storedVersions"].as_array();
        let in_storage = versions.iter().filter(|it| it.is_storage).map(|it| it.name.clone());
        Ok(Self {
            name,
            api_version,
            group: text(&spec["group"]),
            kind: text(&spec["names"]["kind"]),
            scope: text(&spec["scope"]),
            conversion: text(&spec["conversion"]["strategy"]),
            stored_versions: stored.map_or_else(|| in_storage.collect(), |it| it.iter().map(text).collect()),
            is_stored_known: stored.is_some(),
            versions,
        })
    }

    /// A version by its name.
    pub fn version(&self, name: &str) -> Option<&CrdVersion> {
        self.versions.iter().find(|it| it.name == name)
    }
}

/// The schema that all versions of v1beta1 may share.
const SHARED: [&str; 3] = ["spec", "validation", "openAPIV3Schema"];

/// The versions; v1beta1 may have one without a list, and a schema for all of them.
fn versions(spec: &Value) -> Vec<CrdVersion> {
    let shared = spec["validation"]["openAPIV3Schema"].as_object().map(|it| Value::from(it.clone()));
    let listed: Vec<CrdVersion> = spec["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(number, it)| {
            let own = &it["schema"]["openAPIV3Schema"];
            let of_own = [steps(&["spec", "versions"]), vec![number.into()], steps(&["schema", "openAPIV3Schema"])];
            CrdVersion {
                name: it["name"].as_str().unwrap_or_default().to_owned(),
                is_served: it["served"] == true,
                is_storage: it["storage"] == true,
                schema: own.is_object().then(|| own.clone()).or_else(|| shared.clone()),
                schema_path: if own.is_object() { of_own.concat() } else { steps(&SHARED) },
            }
        })
        .collect();
    match spec["version"].as_str() {
        Some(only) if listed.is_empty() && !only.is_empty() => {
            let name = only.to_owned();
            vec![CrdVersion { name, is_served: true, is_storage: true, schema: shared, schema_path: steps(&SHARED) }]
        }
        _ => listed,
    }
}
