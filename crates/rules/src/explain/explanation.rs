//! The meaning of a message or a rule, as an answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::check::practice::Profile;
use olmdex_base::diag::{Rule, Severity};

/// The meaning of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageExplanation {
    /// The system that reports it: `OLM Classic`, `OLM v1`, `catalogd`; empty if the message is not known.
    pub system: String,
    /// Its meaning.
    pub meaning: String,
    /// Its parts, each with its meaning.
    pub parts: Vec<PartExplanation>,
    /// The names that it is about.
    pub culprits: Vec<String>,
    /// The type of the condition that has the message, if a paste names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub condition: String,
    /// The other messages of the same paste.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<MessageExplanation>,
    /// Commands to run next; for an unknown message, those that may show its cause.
    pub next: Vec<String>,
}

impl MessageExplanation {
    /// Whether it says that all is well.
    pub(super) fn is_reassurance(&self) -> bool {
        self.meaning.starts_with("No problem")
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartExplanation {
    /// Its text.
    pub text: String,
    /// Its meaning.
    pub meaning: String,
}

/// The demand of a rule, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleExplanation {
    /// Its identifier, for example `E0207`.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How bad it is to break it.
    pub severity: Severity,
    /// The rule in one sentence.
    pub summary: &'static str,
    /// The reason for it, and the remedy.
    pub explanation: &'static str,
    /// A short input that breaks it.
    pub example: &'static str,
    /// The pipelines that demand it; empty if it is always on.
    pub pipelines: Vec<&'static str>,
    /// The place where it is documented.
    pub help_uri: String,
}

impl From<&Rule> for RuleExplanation {
    fn from(rule: &Rule) -> Self {
        let Rule { id, name, severity, summary, explanation, example } = *rule;
        let demanding = Profile::ALL.into_iter().filter(|it| it.rules().iter().any(|it| it.id == id));
        let pipelines = demanding.map(Profile::name).collect();
        Self { id, name, severity, summary, explanation, example, pipelines, help_uri: rule.help_uri() }
    }
}
