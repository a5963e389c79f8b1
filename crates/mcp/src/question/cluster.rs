//! Plans for an upgrade of the cluster.

use olmdex_ask::{Gates, basis_of_index, minor, must_lead_between_extended, must_lead_on, openshift_of, plan_of};
use olmdex_base::variant_name;
use olmdex_constraint::openshift::Minor;
use olmdex_olm::upgrade::Move;
use olmdex_plan::plan::{BasisError, PlanWish};
use olmdex_rules::openshift::SupportLevel;
use olmdex_text::calendar::Day;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Question;
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

/// Plan the upgrade of the cluster.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Plan {
    /// The OpenShift version to go to, for example 4.18.
    to: String,
    /// The cluster's version of OpenShift. Default: that of its ClusterVersion.
    openshift: Option<String>,
    /// Go from one version with extended support to a later one: two updates of the control plane with paused pools for
    /// each step.
    #[serde(default)]
    eus: bool,
    /// The phases that count as supported. Default: extended.
    support: Option<SupportLevel>,
    /// The day on which support is judged, as 2026-01-31. Default: today.
    date: Option<String>,
    /// The channel of the cluster's updates: a kind such as `fast`, or one channel such as `eus-4.18`.
    channel: Option<String>,
    /// The architecture: amd64, arm64, ppc64le, s390x or multi.
    arch: Option<String>,
    /// Only the operators of these namespaces.
    #[serde(default)]
    scope: Vec<String>,
    /// Blockers or decisions that count as settled, as CODE or CODE:SUBJECT.
    #[serde(default)]
    assume: Vec<String>,
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
            level: self.support.unwrap_or_default(),
            channel: self.channel.clone(),
            arch: self.arch.clone(),
            scope: self.scope.clone(),
            gates: gates_of(self.feature_gates.as_ref())?,
            assume: self.assume.clone(),
        };
        let (plan, _) = plan_of(&basis, cluster, &index, wish)?;
        Ok(Answer::whole("Plan", &plan)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        let words = world.with_cluster(world.words(), true).option("--to", Some(&self.to));
        let words = words.option("--openshift", self.openshift.as_ref()).flag("--eus", self.eus);
        let words = words.option("--support", self.support.as_ref().map(variant_name));
        let words = words.option("--date", self.date.as_ref()).option("--channel", self.channel.as_ref());
        let words = words.option("--arch", self.arch.as_ref()).options("--scope", &self.scope);
        let words = words.options("--assume", &self.assume);
        words.option("--feature-gates", self.feature_gates.as_ref()).line("plan")
    }
}
