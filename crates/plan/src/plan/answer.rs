//! A plan as data.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::catalogs::Catalogs;
use super::code::Code;
use super::operator_state::OperatorState;
use olmdex_constraint::openshift::Minor;
use olmdex_olm::namespace::Remedy;
use olmdex_olm::upgrade::Olm;
use olmdex_rules::openshift::Support;

/// A plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Version of the output's form: `olmdex/v1`.
    pub api_version: String,
    /// `Plan`
    pub kind: String,
    /// The subject and the basis of the plan.
    pub metadata: PlanMetadata,
    /// The verdict.
    pub verdict: PlanVerdict,
    /// The operators.
    pub operators: Vec<OperatorPlan>,
    /// The steps in their order.
    pub steps: Vec<PlanStep>,
    /// The blockers of the platform or of an operator.
    pub blockers: Vec<Blocker>,
    /// The decisions that somebody has to make.
    pub decisions: Vec<Decision>,
    /// The unknown facts.
    pub unknowns: Vec<Unknown>,
}

/// The names of a cluster for people and for machines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterIdentity {
    /// Its name, or empty.
    pub name: String,
    /// The identifier of its ClusterVersion, or empty.
    pub id: String,
}

/// The subject and the basis of a plan.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanMetadata {
    /// The cluster, for reports: no part of the data.
    #[serde(skip)]
    pub cluster: ClusterIdentity,
    /// The most exact known version of the cluster.
    pub from: String,
    /// The minor version to go to.
    pub to: String,
    /// The minor versions on the way, from the first to the last.
    pub path: Vec<String>,
    /// The day on which support is judged.
    pub date: String,
    /// The time of the last change in the known state of the cluster, or empty.
    pub cluster_changed: String,
    /// The catalogs.
    pub catalogs: Vec<CatalogOfPlan>,
    /// The source of the updates of OpenShift, or empty.
    pub graph: String,
    /// The channels of the updates of OpenShift, each once, in the order of the way.
    pub channels: Vec<String>,
    /// The architecture of the cluster.
    pub arch: String,
    /// How many objects were skipped, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// The parts that could not be read, in words.
    pub warnings: Vec<String>,
    /// The options of the question, so that `plan --check` can ask the same of the cluster later.
    #[serde(default, skip_serializing_if = "PlanOptions::is_empty")]
    pub options: PlanOptions,
}

/// The options of the command that made a plan. Paths are unchanged, relative to the directory of that command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PlanOptions {
    /// The catalogs: `MINOR[/FAMILY]=SOURCE`, or an index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<String>,
    /// The family of catalogs of a CatalogSource: `NAMESPACE/NAME=CATALOG`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_map: Vec<String>,
    /// Files with lifecycles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lifecycles: Vec<String>,
    /// Files with updates of OpenShift.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub graph: Vec<String>,
    /// The namespaces that the plan covers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// Blockers and decisions that are taken as settled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assume: Vec<String>,
    /// The channel of the cluster's updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The architecture of the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// Whether the plan leads from one version with extended support to the next, with paused pools.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub eus: bool,
}

impl PlanOptions {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A catalog that a plan was made with.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogOfPlan {
    /// The version of OpenShift that it is for.
    pub minor: String,
    /// Its name.
    pub name: String,
    /// The family that it belongs to, or empty.
    pub family: String,
}

/// The verdict of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanVerdict {
    /// Only the platform needs an update.
    Ready,
    /// There is a way, with steps or decisions.
    Attention,
    /// Only uninstalling lifts a blocker.
    Blocked,
    /// Something that decides is not known.
    Unknown,
}

olmdex_base::named!(PlanVerdict => as_str);

/// An operator.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorPlan {
    /// Its namespace; `null` for a ClusterExtension.
    pub namespace: Option<String>,
    /// Its package.
    pub package: String,
    /// Whether the package was taken from the name of the ClusterServiceVersion.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub package_is_guessed: bool,
    /// The installed bundle.
    pub installed: String,
    /// Its version.
    pub version: String,
    /// The generation of OLM that manages it.
    pub olm: Olm,
    /// The ClusterExtension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// The channel that it follows, or empty.
    pub channel: String,
    /// The CatalogSource that it follows, or empty.
    pub source: String,
    /// Its state in the catalog of each version.
    pub state: BTreeMap<String, OperatorState>,
    /// Its compatibility with each version after the cluster's.
    pub compatible: BTreeMap<String, String>,
    /// The evidence for the verdicts.
    pub because: BTreeMap<String, String>,
    /// Its support on the day of the plan.
    pub support: Support,
    /// The bundle that OLM updates it to without the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// The bundle that the plan updates it to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The support of the target on the day of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_support: Option<Support>,
    /// The packages of other operators that the target needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The first entry of the channel, if nothing leads on from the installed bundle.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub entry_point: BTreeMap<String, String>,
    /// The InstallPlan that waits for approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_install_plan: Option<String>,
    /// The place of the installed bundle's object.
    pub place: String,
}

impl OperatorPlan {
    /// The name that steps, blockers and other parts of the plan use for it.
    #[must_use]
    pub fn subject(&self) -> String {
        match (&self.namespace, &self.extension) {
            (Some(namespace), _) => format!("{namespace}/{}", self.package),
            (None, Some(extension)) => extension.clone(),
            (None, None) => self.package.clone(),
        }
    }
}

/// The kind of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// Something is repaired.
    Mend,
    /// Something is waited for.
    Wait,
    /// An operator is updated.
    Operator,
    /// The operators of a namespace are updated together.
    Operators,
    /// The channel of a Subscription is changed.
    Channel,
    /// The CatalogSource of a Subscription, or the ClusterCatalog of a ClusterExtension, is changed.
    Source,
    /// A ClusterExtension is changed.
    Extension,
    /// An operator is uninstalled.
    Uninstall,
    /// The channel of the cluster is changed.
    ChannelOfCluster,
    /// The pools of workers are paused.
    PausePools,
    /// The platform is updated.
    #[default]
    Platform,
    /// The pools of workers are resumed.
    ResumePools,
}

olmdex_base::named!(StepKind => as_str);

/// A bundle on the path of a step, or several that are installed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PathElement {
    /// A bundle.
    Bundle(String),
    /// The bundles of one InstallPlan.
    Together(Vec<String>),
}

impl PathElement {
    /// Its bundles.
    #[must_use]
    pub fn bundles(&self) -> &[String] {
        match self {
            Self::Bundle(bundle) => std::slice::from_ref(bundle),
            Self::Together(bundles) => bundles,
        }
    }
}

/// Why, in a word and in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// The code.
    #[schemars(with = "String")]
    pub code: Code,
    /// The text, a sentence.
    pub text: String,
}

/// A bundle on the way, and the entry of the catalog that leads to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouteStep {
    /// The bundle.
    pub bundle: String,
    /// The catalog.
    pub catalog: String,
    /// The fields of its entry that lead to it.
    pub because: String,
    /// The place of the first of them: `file:line:column`.
    pub place: String,
}

/// A step.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanStep {
    /// Its number, from 1.
    pub number: usize,
    /// The kind of the step.
    pub kind: StepKind,
    /// The subject: `NAMESPACE/PACKAGE`, a namespace or a ClusterExtension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The start: a version of OpenShift, or a channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The target: a version of OpenShift, or a channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The release of OpenShift, if the updates are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The version of OpenShift that the cluster has during it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// How InstallPlans of the namespace are approved: `Manual` or `Automatic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// The bundles that it leads over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathElement>,
    /// The bundles that follow by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<String>,
    /// The updates from bundle to bundle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub route: Vec<RouteStep>,
    /// The fields to set, with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Vec<String>>,
    /// The order of operators that are updated together: those that others need come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// Whether one InstallPlan updates several operators.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// Whether the platform can be updated without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Why.
    #[serde(default)]
    pub because: Vec<Reason>,
    /// The change that removes the obstacle of a step: the commands are made from it.
    #[serde(skip)]
    #[schemars(skip)]
    pub remedy: Option<Remedy>,
    /// The commands to run. Lines that begin with `#` are remarks.
    #[serde(default)]
    pub commands: Vec<String>,
    /// An object as YAML, for people who keep theirs in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The warnings about the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl PlanStep {
    pub(super) fn new(kind: StepKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Whether OLM does it without anybody: an update that is not required and needs no approval.
    #[must_use]
    pub fn is_by_itself(&self) -> bool {
        self.optional && self.approval.as_deref() != Some("Manual") && self.set.is_empty()
    }

    /// The end of its title: who does it, if nobody must.
    #[must_use]
    pub fn suffix(&self) -> &'static str {
        match (self.is_by_itself(), self.optional) {
            (true, _) => " (OLM does this by itself)",
            (false, true) => " (optional)",
            (false, false) => "",
        }
    }
}

/// A blocker of the platform or of an operator.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Blocker {
    /// The code.
    #[schemars(with = "String")]
    pub code: Code,
    /// The subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The version of OpenShift that it keeps the cluster from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The value that decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The text, in the words of the real system if it has some.
    pub text: String,
    /// The bundle that lifts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifted_by: Option<String>,
    /// The way to lift it.
    pub lift: String,
    /// Its place.
    pub place: String,
    /// Whether something other than uninstalling lifts it.
    pub has_way: bool,
    /// Whether planning again, as if it had been lifted in this way, has confirmed that it is gone; absent if that
    /// cannot be planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
}

/// Something to decide.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// The code.
    #[schemars(with = "String")]
    pub code: Code,
    /// The subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The version of OpenShift at which it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The text.
    pub text: String,
    /// The options to choose from.
    pub options: Vec<String>,
}

/// An unknown fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unknown {
    /// The code.
    #[schemars(with = "String")]
    pub code: Code,
    /// The subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The version of OpenShift that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The CatalogSource that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The text.
    pub text: String,
}

impl Unknown {
    pub(super) fn new(code: Code, subject: Option<String>, platform: Option<Minor>, text: String) -> Self {
        Self { code, subject, platform: platform.map(|it| it.to_string()), source: None, text }
    }

    /// Whether it keeps every plan from being `ready`: the content of a catalog is unknown, or what OLM does in a
    /// namespace, or what manages an operator.
    #[must_use]
    pub fn decides(&self) -> bool {
        matches!(self.code, Code::CatalogMissing | Code::SourceUnknown | Code::SubscriptionsMissing | Code::Unresolved)
    }
}

impl Plan {
    /// Notes that OLM does not take a step, by its index, in the whole namespace: the blockers that its bundles lift
    /// stay.
    pub fn refuse(&mut self, index: usize, why: &str) {
        let Some(step) = self.steps.get_mut(index) else { return };
        step.warnings.push(format!("OLM does not take this step in the whole namespace: {why}"));
        // They would wait for what does not come.
        step.commands.clear();
        let bundles: BTreeSet<&String> = step.path.iter().flat_map(PathElement::bundles).collect();
        let is_its =
            |of: &str| step.subject.as_deref().is_some_and(|own| own == of || of.starts_with(&format!("{own}/")));
        for blocker in &mut self.blockers {
            let is_lifted_by_it = blocker.lifted_by.as_ref().is_some_and(|lifting| bundles.contains(lifting));
            if is_lifted_by_it && blocker.subject.as_deref().is_some_and(is_its) {
                (blocker.has_way, blocker.verified) = (false, Some(false));
                blocker.lift.push_str(&format!(", which OLM does not do (step {})", index + 1));
                self.verdict = PlanVerdict::Blocked;
            }
        }
    }

    /// Sets the verdict. An unknown fact never improves it.
    pub(super) fn judge(&mut self, catalogs: &Catalogs<'_>, to: Minor) {
        let needs_step = |it: &PlanStep| !it.optional && !it.is_of_platform();
        self.verdict = if self.blockers.iter().any(|it| !it.has_way) {
            PlanVerdict::Blocked
        } else if !self.blockers.is_empty() || !self.decisions.is_empty() || self.steps.iter().any(needs_step) {
            PlanVerdict::Attention
        } else if !catalogs.has(to) || self.unknowns.iter().any(Unknown::decides) {
            PlanVerdict::Unknown
        } else {
            PlanVerdict::Ready
        };
    }
}
