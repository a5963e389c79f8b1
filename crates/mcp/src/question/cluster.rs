//! Clusters: blockers of an upgrade of OpenShift, plans for it, and the way to OLM v1.

use olmdex_ask::{
    CompatQuestion, Gates, PackageName, ReadinessQuestion, basis_of_index, minor, must_lead_between_extended,
    must_lead_on, openshift_of, plan_of,
};
use olmdex_constraint::openshift::Minor;
use olmdex_olm::upgrade::Move;
use olmdex_plan::plan::{BasisError, PlanWish};
use olmdex_text::calendar::Day;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Question;
use super::catalog::known_catalogs;
use super::choice::{AcknowledgementWord, List, OlmWord, SupportWord, VerdictWord};
use crate::answer::{Answer, AnswerError};
use crate::world::World;

/// A version of OpenShift that a text names, if there is one.
pub(super) fn minor_of(text: Option<&String>) -> Result<Option<Minor>, AnswerError> {
    text.map(|it| minor(it)).transpose().map_err(AnswerError::of)
}

/// The feature gates that a text sets.
pub(super) fn gates_of(text: Option<&String>) -> Result<Gates, AnswerError> {
    let gates = text.map(|it| it.parse::<Gates>()).transpose();
    Ok(gates.map_err(|it| AnswerError::of(it.to_string()))?.unwrap_or_default())
}

/// The operators that block an upgrade of OpenShift.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Compat {
    /// Only this package, version, channel or bundle. Default: the installed ones, else all packages.
    name: Option<String>,
    /// The cluster's version of OpenShift, for example 4.16. Default: that of the cluster.
    openshift: Option<String>,
    /// The target version. Default: the next minor version.
    to: Option<String>,
    /// Installed operators, as PKG@VERSION or by the names of their bundles.
    installed: List,
    /// Only rows with one of these verdicts.
    verdict: Vec<VerdictWord>,
    /// Which generation of OLM installed the operators. Default: both.
    olm: Option<OlmWord>,
    /// Feature gates of operator-controller, as GATE=BOOL,….
    feature_gates: Option<String>,
    /// Whether the contents of the cluster count, if the server knows one. Default: true, unless a name or `installed`
    /// is given.
    cluster: Option<bool>,
    /// Only these catalogs.
    catalog: List,
}

impl Compat {
    fn has_cluster(&self) -> bool {
        self.cluster.unwrap_or(self.name.is_none() && self.installed.0.is_empty())
    }
}

impl Question for Compat {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        if self.name.is_some() && (!self.installed.0.is_empty() || (self.cluster == Some(true))) {
            return Err(AnswerError::of(
                "`name` asks about a catalog, but `installed` and `cluster` ask about installed operators",
            ));
        }
        let cluster = world.cluster(self.has_cluster());
        let from = match (minor_of(self.openshift.as_ref())?, &cluster) {
            (Some(given), _) => given,
            (None, Some((cluster, words))) => openshift_of(cluster, words)?,
            (None, None) => {
                return Err(AnswerError::of("`openshift` is missing: the cluster's version, for example 4.16"));
            }
        };
        let step = Move { from, to: minor_of(self.to.as_ref())?.unwrap_or_else(|| from.next()) };
        must_lead_on(step)?;
        let index = world.index();
        known_catalogs(&index, &self.catalog)?;
        let question = CompatQuestion {
            step,
            olm: self.olm.map(OlmWord::value).unwrap_or_default(),
            gates: gates_of(self.feature_gates.as_ref())?,
            name: self.name.as_ref().map(|it| PackageName::find(&index, it)).transpose()?,
            installed: self.installed.0.clone(),
            cluster,
            source_map: world.source_map.clone(),
            catalogs: self.catalog.0.clone(),
            are_named: world.are_named,
        };
        let mut warnings = Vec::new();
        let mut found = question.answer(&index, &mut |it| warnings.push(it.to_owned()))?;
        let wanted: Vec<_> = self.verdict.iter().map(|it| it.value()).collect();
        found.rows.retain(|it| wanted.is_empty() || wanted.contains(&it.verdict));
        Ok(Answer::of("CompatList", &found.rows)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        let words = world.with_cluster(world.words(), self.has_cluster()).options("--catalog", &self.catalog.0);
        let words = words.option("--openshift", self.openshift.as_ref()).option("--to", self.to.as_ref());
        let words = words.options("--installed", &self.installed.0).option("--olm", self.olm.map(OlmWord::word));
        let words = self.verdict.iter().fold(words, |words, it| words.option("--verdict", Some(it.word())));
        words.option("--feature-gates", self.feature_gates.as_ref()).names(&self.name).line("compat")
    }

    fn is_of_cluster(&self) -> bool {
        self.has_cluster()
    }
}

/// Plan the upgrade of the cluster.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// The OpenShift version to go to, for example 4.18.
    to: String,
    /// The cluster's version of OpenShift. Default: that of its ClusterVersion.
    openshift: Option<String>,
    /// Go from one version with extended support to the next: two updates of the control plane with paused pools.
    #[serde(default)]
    eus: bool,
    /// The phases that count as supported. Default: extended.
    support: Option<SupportWord>,
    /// The day on which support is judged, as 2026-01-31. Default: today.
    date: Option<String>,
    /// The channel of the cluster's updates: a kind such as `fast`, or one channel such as `eus-4.18`.
    channel: Option<String>,
    /// The architecture: amd64, arm64, ppc64le, s390x or multi.
    arch: Option<String>,
    /// Only the operators of these namespaces.
    #[serde(default)]
    scope: List,
    /// Blockers or decisions that count as settled, as CODE or CODE:SUBJECT.
    #[serde(default)]
    assume: List,
    /// Feature gates of operator-controller, as GATE=BOOL,….
    feature_gates: Option<String>,
}

impl Question for Plan {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        let Some((cluster, words)) = &world.cluster else {
            let error = AnswerError::of("this server was started without a cluster");
            return Err(
                error.help("start it with manifests, a must-gather or a live cluster: `olmdex mcp --cluster …`")
            );
        };
        let from = minor_of(self.openshift.as_ref())?.map_or_else(|| openshift_of(cluster, words), Ok)?;
        let to = minor(&self.to).map_err(AnswerError::of)?;
        must_lead_on(Move { from, to })?;
        if self.eus {
            must_lead_between_extended(from, to)?;
            if self.channel.is_some() {
                return Err(AnswerError::of("`eus` and `channel` exclude each other"));
            }
        }
        let day = match &self.date {
            Some(text) => Day::parse(text).ok_or_else(|| AnswerError::of("write a date as 2026-01-31"))?,
            None => (world.today)(),
        };
        let index = world.index();
        let mut warnings = cluster.warnings.clone();
        let mut basis = basis_of_index(&index, &world.source_map, None, &mut |it| warnings.push(it.to_owned()))
            .map_err(|error| match error {
                BasisError::NoCatalog => AnswerError::of(error.to_string())
                    .help("start the server with catalogs named in this form: `-i 4.18=SOURCE`"),
                BasisError::Index(error) => error.into(),
                error => AnswerError::of(error.to_string()),
            })?;
        basis.options.input = match world.sources.as_slice() {
            [] => vec![world.default_source.clone()],
            given => given.to_vec(),
        };
        let wish = PlanWish {
            from,
            to,
            eus: self.eus,
            day,
            level: self.support.map(SupportWord::value).unwrap_or_default(),
            channel: self.channel.clone(),
            arch: self.arch.clone(),
            scope: self.scope.0.clone(),
            gates: gates_of(self.feature_gates.as_ref())?,
            assume: self.assume.0.clone(),
        };
        let (plan, _) = plan_of(&basis, cluster, &index, wish)?;
        Ok(Answer::whole("Plan", &plan)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        let words = world.with_cluster(world.words(), true).option("--to", Some(&self.to));
        let words = words.option("--openshift", self.openshift.as_ref()).flag("--eus", self.eus);
        let words = words.option("--support", self.support.map(SupportWord::word));
        let words = words.option("--date", self.date.as_ref()).option("--channel", self.channel.as_ref());
        let words = words.option("--arch", self.arch.as_ref()).options("--scope", &self.scope.0);
        let words = words.options("--assume", &self.assume.0);
        words.option("--feature-gates", self.feature_gates.as_ref()).line("plan")
    }
}

/// The operators that can move to OLM v1.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct V1Check {
    /// Packages, also PKG@VERSION, PKG/CHANNEL or bundles; with a cluster, packages or Subscriptions as NAMESPACE/NAME.
    /// Default: all.
    names: List,
    /// Conditions that are acknowledged: operators move although these are not met.
    acknowledge: Vec<AcknowledgementWord>,
    /// The target's operator-controller renders API services.
    renders_api_services: bool,
    /// Feature gates of operator-controller, as GATE=BOOL,….
    feature_gates: Option<String>,
    /// Whether the Subscriptions of the cluster are judged, if the server knows one. Default: true.
    cluster: Option<bool>,
    /// Only these catalogs.
    catalog: List,
}

impl Question for V1Check {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        let index = world.index();
        known_catalogs(&index, &self.catalog)?;
        let question = ReadinessQuestion {
            names: self.names.0.clone(),
            cluster: world.cluster(self.cluster.unwrap_or(true)),
            source_map: world.source_map.clone(),
            catalogs: self.catalog.0.clone(),
            are_named: world.are_named,
            gates: gates_of(self.feature_gates.as_ref())?,
            renders_api_services: self.renders_api_services,
            acknowledged: self.acknowledge.iter().map(|it| it.value()).collect(),
            is_brief: false,
        };
        let mut warnings = Vec::new();
        let found = question.answer(Some(&index), &mut |it| warnings.push(it.to_owned()))?;
        Ok(Answer::of("V1Readiness", &found.items)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        let words = world.with_cluster(world.words(), self.cluster.unwrap_or(true));
        let words =
            words.options("--catalog", &self.catalog.0).flag("--renders-api-services", self.renders_api_services);
        let words = self.acknowledge.iter().fold(words, |words, it| words.option("--acknowledge", Some(it.word())));
        words.option("--feature-gates", self.feature_gates.as_ref()).names(&self.names.0).line("v1 check")
    }

    fn is_of_cluster(&self) -> bool {
        self.cluster.unwrap_or(true)
    }
}
