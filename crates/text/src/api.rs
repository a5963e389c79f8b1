//! The name of a Kubernetes API.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::json::Value;

/// A Kubernetes API that operators provide or require.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, JsonSchema)]
pub struct Api {
    /// Its group; that of the core has none.
    pub group: String,
    /// Its version.
    pub version: String,
    /// Its kind.
    pub kind: String,
}

impl Api {
    /// The API that the fields of an object name; a value that is not a text is empty.
    pub fn of_fields(object: Value<'_>) -> Self {
        let field = |name: &str| match object.get_field(name).and_then(|it| it.as_str()) {
            Some(text) => text.into_owned(),
            None => String::new(),
        };
        Self { group: field("group"), version: field("version"), kind: field("kind") }
    }

    /// The form in which OLM writes it if an API must be provided once: `Kind (group/version)`.
    pub fn olm_text(&self) -> String {
        format!("{} ({}/{})", self.kind, self.group, self.version)
    }
}

impl fmt::Display for Api {
    /// `Kind.version.group`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.kind, self.version)?;
        if self.group.is_empty() { Ok(()) } else { write!(f, ".{}", self.group) }
    }
}
