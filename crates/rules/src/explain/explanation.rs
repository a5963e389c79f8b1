//! What a message means, as an answer.

use schemars::JsonSchema;
use serde::Serialize;

/// What a message means.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageExplanation {
    /// Who says it: `OLM Classic`, `OLM v1`, `catalogd`; empty if the message is not known.
    pub system: String,
    /// What it means.
    pub meaning: String,
    /// Its parts, each with what it means.
    pub parts: Vec<PartExplanation>,
    /// The names that it is about.
    pub culprits: Vec<String>,
    /// Commands to run next; of a message that is not known, where its cause may show.
    pub next: Vec<String>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartExplanation {
    /// Its text.
    pub text: String,
    /// What it means.
    pub meaning: String,
}
