//! Custom resources.

use serde_json::Value;

use super::definition::{Crd, CrdError};
use olmdex_fbc::Api;

/// A custom resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its API.
    pub api: Api,
    /// Namespace and name, or the name.
    pub name: String,
    pub(super) value: Value,
}

impl Resource {
    /// Reads an object from JSON; `None` if it has no API or no name.
    ///
    /// # Errors
    /// If the text is not JSON, or nested too deeply.
    pub fn from_json(text: &str) -> Result<Option<Self>, CrdError> {
        let value: Value = serde_json::from_str(text).map_err(|error| CrdError::Json(error.to_string()))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let api = text(&value["apiVersion"]);
        let (group, version) = api.split_once('/').unwrap_or(("", &api));
        let (name, namespace) = (text(&value["metadata"]["name"]), text(&value["metadata"]["namespace"]));
        let kind = text(&value["kind"]);
        if version.is_empty() || kind.is_empty() || name.is_empty() {
            return Ok(None);
        }
        let name = if namespace.is_empty() { name } else { format!("{namespace}/{name}") };
        let api = Api { group: group.to_owned(), version: version.to_owned(), kind };
        Ok(Some(Self { api, name, value }))
    }

    /// The object at another version, as the API server serves it without a conversion: only the name of the version
    /// differs.
    pub fn at(&self, version: &str) -> Self {
        let mut other = self.clone();
        if version != self.api.version {
            version.clone_into(&mut other.api.version);
            other.value["apiVersion"] = format!("{}/{version}", self.api.group).into();
        }
        other
    }

    /// Whether it is an object of a definition, in any version.
    pub fn is_of(&self, crd: &Crd) -> bool {
        self.api.group == crd.group && self.api.kind == crd.kind
    }
}
