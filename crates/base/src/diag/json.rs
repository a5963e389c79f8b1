//! Findings as JSON values with a published schema.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Finding, Severity};

/// A finding as it is printed in JSON.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingJson {
    /// Identifier of the rule, for example `E0207`.
    pub rule: String,
    /// Name of the rule, for example `multiple-channel-heads`.
    pub name: String,
    /// How bad it is.
    pub severity: Severity,
    /// The description of the problem.
    pub message: String,
    /// The file, as it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The package that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The name of the check in the pipeline that is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

impl From<&Finding> for FindingJson {
    fn from(finding: &Finding) -> Self {
        let place = finding.place.as_ref();
        Self {
            rule: finding.rule.id.to_owned(),
            name: finding.rule.name.to_owned(),
            severity: finding.rule.severity,
            message: finding.message.clone(),
            file: place.map(|it| it.file.clone()),
            line: place.map(|it| it.line),
            column: place.map(|it| it.column),
            help: finding.help.clone(),
            package: finding.package.clone(),
            check: finding.check.map(str::to_owned),
        }
    }
}
