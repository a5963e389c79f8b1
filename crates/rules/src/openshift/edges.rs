//! Edges between releases and the obstacles to them (`docs/behaviour/platform.md` 2.2).

use schemars::JsonSchema;
use serde::Serialize;

use super::text::items_of;
use olmdex_text::json::Value;
use olmdex_text::re2::Pattern;

/// The clusters that are exposed to a risk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum MatchingRule {
    /// Every cluster.
    Always,
    /// The clusters in which a query gives 1.
    #[serde(rename = "PromQL")]
    PromQl {
        /// The query.
        promql: String,
    },
    /// A rule of a type that is not known, which clusters pass over.
    Other {
        /// The type.
        name: String,
    },
}

impl MatchingRule {
    /// Reads a rule of an answer or of a blocked edge.
    pub fn read(value: Value<'_>) -> Self {
        match value.text_of("type").as_str() {
            "Always" => Self::Always,
            "PromQL" => Self::PromQl { promql: value.get("promql").map(|it| it.text_of("promql")).unwrap_or_default() },
            name => Self::Other { name: name.to_owned() },
        }
    }

    /// The rule in the form in which it is read.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Always => serde_json::json!({"type": "Always"}),
            Self::PromQl { promql } => serde_json::json!({"type": "PromQL", "promql": {"promql": promql}}),
            Self::Other { name } => serde_json::json!({"type": name}),
        }
    }
}

/// A known problem of an update.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Risk {
    /// Its name.
    pub name: String,
    /// The address of more information.
    pub url: String,
    /// Its description.
    pub message: String,
    /// The rules that tell which clusters are exposed; the first one that can be evaluated decides. If none can, the
    /// update is not recommended.
    pub matching_rules: Vec<MatchingRule>,
}

impl Risk {
    /// Reads a risk of an answer, of a ClusterVersion or of a blocked edge: they have the same fields.
    pub fn read(value: Value<'_>) -> Self {
        Self {
            name: value.text_of("name"),
            url: value.text_of("url"),
            message: value.text_of("message"),
            matching_rules: items_of(value, "matchingRules").map(MatchingRule::read).collect(),
        }
    }

    /// Whether it keeps every cluster from the update: by its first rule of a known type, or because it has none of
    /// those.
    pub fn is_always(&self) -> bool {
        let mut usable = self.matching_rules.iter().filter(|it| !matches!(it, MatchingRule::Other { .. }));
        usable.next().is_none_or(|it| *it == MatchingRule::Always)
    }
}

/// An objection of the repository to edges that lead to a release.
#[derive(Debug, Clone)]
pub struct BlockedEdge {
    /// The release that they lead to.
    pub to: String,
    /// The releases that they come from, with their architecture.
    pub from: Pattern,
    /// The pattern as it is written.
    pub from_text: String,
    /// Why; without rules the edges do not exist.
    pub risk: Risk,
    /// The file that says it.
    pub file: String,
}

impl BlockedEdge {
    /// Whether it is about an edge. The pattern is searched in the version with its architecture, as in
    /// `4.17.16+amd64`.
    pub fn is_about(&self, from: &str, to: &str, arch: &str) -> bool {
        self.to == to && self.from.is_match(&format!("{from}+{arch}"))
    }
}

/// The objections to an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EdgeStatus {
    /// No objection.
    Clear,
    /// It has risks, and all of them must be ruled out.
    Conditional,
    /// It does not exist.
    Blocked,
}

/// The objections to an edge, with reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeJudgement {
    /// The word for it.
    pub status: EdgeStatus,
    /// Its risks, by name.
    pub risks: Vec<Risk>,
}

impl EdgeJudgement {
    /// Judges an edge by all objections to edges. One blocked edge without rules removes it.
    pub fn of<'b>(blocked: impl IntoIterator<Item = &'b BlockedEdge>, from: &str, to: &str, arch: &str) -> Self {
        let about: Vec<&BlockedEdge> = blocked.into_iter().filter(|it| it.is_about(from, to, arch)).collect();
        let mut risks: Vec<Risk> =
            about.iter().map(|it| it.risk.clone()).filter(|it| !it.matching_rules.is_empty()).collect();
        risks.sort();
        risks.dedup();
        let is_gone = about.iter().any(|it| it.risk.matching_rules.is_empty());
        let status = match risks.is_empty() {
            _ if is_gone => EdgeStatus::Blocked,
            true => EdgeStatus::Clear,
            false => EdgeStatus::Conditional,
        };
        Self { status, risks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_unknown_types_are_passed_over() {
        let always = || MatchingRule::Always;
        let query = || MatchingRule::PromQl { promql: "up".to_owned() };
        let other = || MatchingRule::Other { name: "Moon".to_owned() };
        for (matching_rules, expected) in [
            (vec![always()], true),
            (vec![query()], false),
            (vec![query(), always()], false),
            (vec![other(), always()], true),
            (vec![other(), query()], false),
            // None can be evaluated, so no cluster gets the update recommended.
            (vec![other()], true),
        ] {
            let risk = Risk { name: String::new(), url: String::new(), message: String::new(), matching_rules };
            assert_eq!(risk.is_always(), expected, "{:?}", risk.matching_rules);
        }
    }
}
