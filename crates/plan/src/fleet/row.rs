//! The state of each cluster.

use schemars::JsonSchema;
use serde::Serialize;

use crate::plan::{Code, Plan, PlanVerdict};
use olmdex_base::variant_name;

/// The verdict on a cluster for the question, the best first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FleetVerdict {
    /// The cluster is at the target already.
    Arrived,
    /// Nothing is in the way.
    Ready,
    /// The update is possible, but needs steps or decisions.
    Attention,
    /// A fact that decides is unknown.
    Unknown,
    /// There is an obstacle that no update removes.
    Blocked,
    /// Its state cannot be read, or has too few facts.
    #[default]
    NotJudged,
}

impl FleetVerdict {
    /// All of them, the best first.
    pub const ALL: [Self; 6] =
        [Self::Arrived, Self::Ready, Self::Attention, Self::Unknown, Self::Blocked, Self::NotJudged];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        variant_name(&self)
    }
}

/// A cluster.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetCluster {
    /// The name of its file or directory.
    pub cluster: String,
    /// The name that the cluster has for itself, or empty.
    pub name: String,
    /// Its version of OpenShift, or empty.
    pub openshift: String,
    /// The verdict.
    pub verdict: FleetVerdict,
    /// The number of its wave, from 1; `null` if it is in none.
    pub wave: Option<usize>,
    /// How many operators it has installed.
    pub operators: usize,
    /// How many steps its plan has; `null` if none was asked for.
    pub steps: Option<usize>,
    /// The blockers of the cluster or of an operator.
    pub blockers: Vec<FleetReason>,
    /// The decisions and tasks that somebody has to take on.
    pub decisions: Vec<FleetReason>,
    /// The unknown facts.
    pub unknowns: Vec<FleetReason>,
    /// Why its state cannot be judged, or `null`.
    pub error: Option<String>,
}

/// A blocker, a decision or an unknown fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetReason {
    /// The code.
    #[schemars(with = "String")]
    pub code: Code,
    /// The subject of the reason, or `null`.
    pub subject: Option<String>,
    /// The version of OpenShift that it concerns, or `null`.
    pub platform: Option<String>,
    /// The text.
    pub text: String,
}

impl FleetReason {
    /// The code with its subject.
    pub fn short(&self) -> String {
        let platform = self.platform.as_ref().map(|it| format!("OpenShift {it}"));
        let about: Vec<&str> = self.subject.iter().map(String::as_str).chain(platform.as_deref()).collect();
        if about.is_empty() { self.code.to_string() } else { format!("{}: {}", self.code, about.join(", ")) }
    }
}

impl FleetCluster {
    /// A cluster without any known facts yet.
    pub fn new(cluster: &str, verdict: FleetVerdict) -> Self {
        Self { cluster: cluster.to_owned(), verdict, ..Self::default() }
    }

    /// A cluster whose state cannot be read, or has too few facts.
    pub fn not_judged(cluster: &str, error: String) -> Self {
        Self { error: Some(error), ..Self::new(cluster, FleetVerdict::NotJudged) }
    }

    /// The row of a cluster according to its plan.
    pub fn of_plan(cluster: &str, plan: &Plan) -> Self {
        let verdict = match plan.verdict {
            PlanVerdict::Ready => FleetVerdict::Ready,
            PlanVerdict::Attention => FleetVerdict::Attention,
            PlanVerdict::Blocked => FleetVerdict::Blocked,
            PlanVerdict::Unknown => FleetVerdict::Unknown,
        };
        let reason = |code: &Code, subject: &Option<String>, platform: &Option<String>, text: &str| FleetReason {
            code: code.clone(),
            subject: subject.clone(),
            platform: platform.clone(),
            text: text.to_owned(),
        };
        Self {
            name: plan.metadata.cluster.name.clone(),
            openshift: plan.metadata.from.clone(),
            operators: plan.operators.len(),
            steps: Some(plan.steps.len()),
            blockers: plan.blockers.iter().map(|it| reason(&it.code, &it.subject, &it.platform, &it.text)).collect(),
            decisions: plan.decisions.iter().map(|it| reason(&it.code, &it.subject, &it.platform, &it.text)).collect(),
            unknowns: plan.unknowns.iter().map(|it| reason(&it.code, &it.subject, &it.platform, &it.text)).collect(),
            ..Self::new(cluster, verdict)
        }
    }

    /// Adds the parts of its state that could not be read. A missing part may decide the verdict, so the cluster is not
    /// ready then.
    pub fn add_warnings(&mut self, warnings: &[String]) {
        self.unknowns.extend(warnings.iter().map(|it| FleetReason {
            code: Code::StateIncomplete,
            subject: None,
            platform: None,
            text: it.clone(),
        }));
        if !warnings.is_empty() && self.verdict <= FleetVerdict::Attention {
            self.verdict = FleetVerdict::Unknown;
        }
    }
}
