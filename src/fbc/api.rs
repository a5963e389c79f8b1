//! The name of a Kubernetes API.
//!
//! What it deliberately does not do: no plurals and no equal names: all three parts count, exactly as written.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

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
    /// As OLM writes it where an API must be provided once: `Kind (group/version)`.
    #[must_use]
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
