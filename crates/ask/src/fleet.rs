//! Asks one question about many clusters: the state of each, and which are upgraded together.
//!
//! A cluster that cannot be judged is a row with its error. Answers of the index for one cluster are remembered for the
//! next.

use super::compat::{CompatAnswers, CompatMemo, CompatQuestion};
use super::error::AskError;
use super::openshift::openshift_of;
use super::plan::{must_lead_between_extended, plan_remembering};
use super::question::{Question as _, State};
use super::readiness::ReadinessQuestion;
use olmdex_index::{Index, LightIndex};
use olmdex_olm::readiness::{self, Met};
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_olm::upgrade::{Olm, Stay};
use olmdex_plan::fleet::{Fleet, FleetCluster, FleetReason, FleetVerdict};
use olmdex_plan::plan::{Code, PlanBasis, PlanMemo, PlanWish};
use olmdex_rules::cluster::Cluster;

/// The question for every cluster of a fleet, and the index that is asked.
#[derive(Debug)]
pub enum FleetQuestion<'i> {
    /// The upgrade to a version of OpenShift. The ClusterVersion of each cluster has its present version, unless the
    /// wish of [`FleetPlan`] does.
    Plan(Box<FleetPlan>, &'i Index),
    /// Which bundles may stay on a later version of OpenShift.
    Compat(Box<CompatQuestion>, State<'i>),
    /// Which operators can move to OLM v1.
    Readiness(Box<ReadinessQuestion>, State<'i, LightIndex>),
}

/// A question about plans.
#[derive(Debug)]
pub struct FleetPlan {
    /// The basis of the plans.
    pub basis: PlanBasis,
    /// The wish; its version of the clusters counts only with `is_from_given`.
    pub wish: PlanWish,
    /// Whether all clusters have the version of the wish.
    pub is_from_given: bool,
}

/// Asks clusters one after another.
pub struct FleetAsker<'i> {
    question: FleetQuestion<'i>,
    plans: PlanMemo,
    compat: CompatMemo,
    rows: Vec<FleetCluster>,
}

impl<'i> FleetAsker<'i> {
    /// Asks none yet.
    pub fn new(question: FleetQuestion<'i>) -> Self {
        Self { question, plans: PlanMemo::default(), compat: CompatMemo::default(), rows: Vec::new() }
    }

    /// Takes a cluster whose state cannot be read.
    pub fn add_not_judged(&mut self, name: &str, error: String) {
        self.rows.push(FleetCluster::not_judged(name, error));
    }

    /// Asks a cluster. An error of the cluster is a row; an index that cannot be read ends the question.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn add(&mut self, name: &str, cluster: Cluster) -> Result<(), AskError> {
        let (warnings, openshift) = (cluster.warnings.clone(), cluster.openshift.clone());
        let row = match &self.question {
            FleetQuestion::Plan(asked, index) => self.planned(asked, index, name, &cluster),
            FleetQuestion::Compat(asked, state) => self.staying(asked, state, name, &cluster),
            FleetQuestion::Readiness(asked, state) => moving(asked, state, name, &cluster),
        };
        let mut row = match row {
            Err(error @ AskError::Index(_)) => return Err(error),
            Err(error) => FleetCluster::not_judged(name, error.to_string()),
            Ok(row) => row,
        };
        if row.openshift.is_empty() {
            row.openshift = openshift;
        }
        row.add_warnings(&warnings);
        self.rows.push(row);
        Ok(())
    }

    /// All that were asked, with their waves.
    pub fn finish(self) -> Fleet {
        let words = match &self.question {
            FleetQuestion::Plan(asked, _) => format!("Upgrade of a fleet to OpenShift {}", asked.wish.to),
            FleetQuestion::Compat(asked, _) => match asked.to {
                Some(to) => format!("Operators of a fleet that may stay on OpenShift {to}"),
                None => "Operators of a fleet that may stay on the next version of OpenShift".to_owned(),
            },
            FleetQuestion::Readiness(..) => "Operators of a fleet that can move to OLM v1".to_owned(),
        };
        Fleet::new(words, self.rows)
    }

    fn planned(
        &self,
        asked: &FleetPlan,
        index: &Index,
        name: &str,
        cluster: &Cluster,
    ) -> Result<FleetCluster, AskError> {
        let mut wish = asked.wish.clone();
        if !asked.is_from_given {
            wish.from = openshift_of(cluster, &format!("`{name}`"))?;
        }
        if !wish.from.is_before(wish.to) {
            return Ok(FleetCluster::new(name, FleetVerdict::Arrived));
        }
        if wish.eus {
            must_lead_between_extended(wish.from, wish.to)?;
        }
        let plan = plan_remembering(&asked.basis, cluster, index, wish, &self.plans)?;
        let mut row = FleetCluster::of_plan(name, &plan);
        if row.operators == 0 && !cluster.has_service_versions() && cluster.extensions.is_empty() {
            let text = "the input has no ClusterServiceVersion and no ClusterExtension".to_owned();
            row.unknowns.push(reason(Code::NothingInstalled, None, text));
            row.verdict = row.verdict.max(FleetVerdict::Unknown);
        }
        Ok(row)
    }

    fn staying(
        &self,
        asked: &CompatQuestion,
        state: &State<'_>,
        name: &str,
        cluster: &Cluster,
    ) -> Result<FleetCluster, AskError> {
        let words = format!("`{name}`");
        let state = State { cluster: Some((cluster, &words)), ..*state };
        let step = match asked.step(state.cluster) {
            Ok(step) if step.from != step.to => step,
            Ok(_) | Err(AskError::NotLater(_)) => return Ok(FleetCluster::new(name, FleetVerdict::Arrived)),
            Err(error) => return Err(error),
        };
        let mut row = FleetCluster::new(name, FleetVerdict::Ready);
        let CompatAnswers { rows, unjudged, is_blocked, stuck } =
            match asked.of_installed(&state, step, &self.compat, &mut Vec::new()) {
                // As in a plan, manifests may be missing.
                Err(error @ AskError::NothingInstalledIn(_)) => {
                    row.unknowns.push(reason(Code::NothingInstalled, None, error.to_string()));
                    row.verdict = FleetVerdict::Unknown;
                    return Ok(row);
                }
                found => found?,
            };
        row.operators = rows.iter().map(|it| &it.bundle).collect::<std::collections::BTreeSet<_>>().len();
        for it in &rows {
            let refusal = it.refusal.as_ref().filter(|_| it.olm == [Olm::V1]);
            let found = |code: Code, text: String| reason(code, Some(it.bundle.clone()), text);
            match (it.verdict, refusal) {
                (Compatibility::Blocks, _) => row.blockers.push(found(Code::Blocks, it.reason.clone())),
                (_, Some(refusal)) => row.blockers.push(found(Code::RefusedByOlmV1, refusal.clone())),
                (Compatibility::Excluded, None) => row.decisions.push(found(Code::Excluded, it.reason.clone())),
                (Compatibility::Unknown | Compatibility::NotExcluded | Compatibility::Stated, None) => {}
            }
        }
        row.unknowns.extend(unjudged.into_iter().map(|it| reason(Code::CatalogUnknown, None, it.text)));
        // Nobody upgrades a sick cluster first.
        row.unknowns.extend(stuck.into_iter().map(|text| reason(Code::Unhealthy, None, text)));
        // A bundle may have a way out in one namespace only.
        let has_way = |bundle: &Option<String>| {
            let is_its = |it: &&Stay| bundle.as_ref() == Some(&it.bundle) && !it.verdict.may_stay();
            let own: Vec<&Stay> = rows.iter().filter(is_its).collect();
            !own.is_empty() && own.iter().all(|it| !it.stops.is_empty())
        };
        row.verdict = match () {
            () if row.blockers.iter().any(|it| !has_way(&it.subject)) => FleetVerdict::Blocked,
            () if !row.blockers.is_empty() || !row.decisions.is_empty() => FleetVerdict::Attention,
            () if !row.unknowns.is_empty() || is_blocked => FleetVerdict::Unknown,
            () => FleetVerdict::Ready,
        };
        row.openshift = step.from.to_string();
        Ok(row)
    }
}

fn reason(code: Code, subject: Option<String>, text: String) -> FleetReason {
    FleetReason { code, subject, platform: None, text }
}

fn moving(
    asked: &ReadinessQuestion,
    state: &State<'_, LightIndex>,
    name: &str,
    cluster: &Cluster,
) -> Result<FleetCluster, AskError> {
    let words = format!("`{name}`");
    let mut row = FleetCluster::new(name, FleetVerdict::Ready);
    let state = State { cluster: Some((cluster, &words)), ..*state };
    let items = match asked.ask(&state).map_err(AskError::bare) {
        Ok(answer) => answer.items,
        // Existing ClusterExtensions show that the operators are in OLM v1 already. If there is nothing at all,
        // manifests may be missing.
        Err(AskError::NothingInCluster(_)) if !cluster.extensions.is_empty() => {
            return Ok(FleetCluster::new(name, FleetVerdict::Arrived));
        }
        Err(AskError::NothingInCluster(text)) => {
            row.unknowns.push(reason(Code::NothingInstalled, None, text));
            row.verdict = FleetVerdict::Unknown;
            return Ok(row);
        }
        Err(error) => return Err(error),
    };
    row.operators = items.len();
    for item in items {
        let subject = item.subscription.clone().unwrap_or_else(|| item.package.clone());
        let of = |code: Code, text: &str| reason(code, Some(subject.clone()), text.to_owned());
        let open = item.conditions.iter().filter(|it| it.decides());
        match item.state {
            readiness::State::AlreadyMigrated | readiness::State::Eligible => {}
            readiness::State::NotKnown => {
                let open = open.filter(|it| it.verdict == Met::NotKnown);
                row.unknowns.extend(open.map(|it| of(it.id.into(), &it.reason)));
                row.verdict = row.verdict.max(FleetVerdict::Unknown);
            }
            readiness::State::Conflict => {
                row.blockers.push(of(Code::Conflict, &item.reason));
                row.verdict = FleetVerdict::Blocked;
            }
            readiness::State::Ineligible => {
                let unmet: Vec<_> = open.filter(|it| it.verdict == Met::No).collect();
                // A condition that somebody may acknowledge is a decision, not a blocker.
                let is_decision = !unmet.is_empty() && unmet.iter().all(|it| it.acknowledgement.is_some());
                let reasons = unmet.iter().map(|it| of(it.id.into(), &it.reason));
                if is_decision {
                    row.decisions.extend(reasons);
                    row.verdict = row.verdict.max(FleetVerdict::Attention);
                } else {
                    row.blockers.extend(reasons);
                    row.verdict = FleetVerdict::Blocked;
                }
            }
        }
    }
    Ok(row)
}
