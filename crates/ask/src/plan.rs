//! The plan of a cluster's upgrade, for a command and a page.

use super::diagnosis::namespace_states;
use super::error::AskError;
use super::plan_replay::replay;
use super::question::State;
use super::resolution::{DEFAULT_WORK, options_of_work};
use super::upgrade::Warn;
use olmdex_constraint::openshift::Minor;
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::namespace::NamespaceState;
use olmdex_olm::upgrade::Move;
use olmdex_plan::plan::{
    BasisError, Plan, PlanBasis, PlanMemo, PlanQuestion, PlanWish, path_of, plan_remembering as plan_question,
};
use olmdex_rules::cluster::Cluster;
use olmdex_rules::openshift::{UpdateSource, may_have_extended_support};

/// A cluster can only go on.
///
/// # Errors
/// [`AskError::NotLater`]
pub fn must_lead_on(step: Move) -> Result<(), AskError> {
    if step.from.is_before(step.to) { Ok(()) } else { Err(AskError::NotLater(step)) }
}

/// Extended support leads from a version that has it to one that may, two versions at a time.
///
/// # Errors
/// [`AskError::NoExtendedWay`]
pub fn must_lead_between_extended(from: Minor, to: Minor) -> Result<(), AskError> {
    let n = path_of(from, to).len();
    let is_way = n <= 3 || (n % 2 == 1 && may_have_extended_support(from));
    if is_way && may_have_extended_support(to) { Ok(()) } else { Err(AskError::NoExtendedWay(Move { from, to })) }
}

/// The parts of a plan that an index holds: its catalogs, lifecycles and updates. Updates that `updates` names replace
/// those of the index. A catalog whose name does not say its version of OpenShift is left out, with a warning.
///
/// # Errors
/// [`BasisError`]
pub fn basis_of_index(
    index: &Index,
    source_map: &[String],
    updates: Option<Vec<UpdateSource>>,
    warn: Warn<'_>,
) -> Result<PlanBasis, BasisError> {
    let updates = match updates {
        Some(updates) => updates,
        None => index.update_sources()?,
    };
    let found = PlanBasis::new(index, source_map, updates);
    // If no catalog remains, these warnings come first and explain the error below. With any other error they are left
    // out.
    let is_known = |name: &&String| match &found {
        Ok(basis) => basis.catalogs.iter().any(|it| it.catalog == **name),
        Err(error) => !matches!(error, BasisError::NoCatalog),
    };
    for name in index.catalog_names()?.iter().filter(|it| !is_known(it)) {
        warn(&format!("left out catalog `{name}`: its name does not state its OpenShift version"));
    }
    let mut basis = found?;
    basis.updates.iter().flat_map(UpdateSource::warnings).for_each(|it| warn(it));
    let catalogs = basis.catalogs.iter().map(|it| it.catalog.clone()).collect();
    let lifecycles = index.lifecycles(&Filter { catalogs, ..Filter::default() })?;
    basis.lifecycles = lifecycles.into_iter().map(|it| it.1).collect();
    Ok(basis)
}

/// A plan, with the question that it answers.
///
/// # Errors
/// If the index cannot be read.
pub fn plan_of<'q>(
    basis: &PlanBasis,
    cluster: &'q Cluster,
    index: &'q Index,
    wish: PlanWish,
) -> Result<(Plan, PlanQuestion<'q>), AskError> {
    let options = basis.options_of(&wish);
    let (mut plan, question) = proved(basis, cluster, index, wish, &PlanMemo::default())?;
    plan.metadata.options = options;
    Ok((plan, question))
}

/// The plan of one of many clusters: answers of the index are remembered for the next one.
///
/// # Errors
/// If the index cannot be read.
pub(super) fn plan_remembering(
    basis: &PlanBasis,
    cluster: &Cluster,
    index: &Index,
    wish: PlanWish,
    memo: &PlanMemo,
) -> Result<Plan, AskError> {
    proved(basis, cluster, index, wish, memo).map(|(plan, _)| plan)
}

/// A plan whose steps were carried out, with its question.
fn proved<'q>(
    basis: &PlanBasis,
    cluster: &'q Cluster,
    index: &'q Index,
    wish: PlanWish,
    memo: &PlanMemo,
) -> Result<(Plan, PlanQuestion<'q>), AskError> {
    let mut question = basis.question(cluster, index, wish);
    question.namespaces = states(basis, &question)?;
    let mut plan = plan_question(&question, memo)?;
    replay(&mut plan, &question, &basis.options.source_map, &options_of_work(DEFAULT_WORK))?;
    Ok((plan, question))
}

/// The states of the namespaces with the catalogs of the cluster's present version.
fn states(basis: &PlanBasis, question: &PlanQuestion<'_>) -> Result<Vec<NamespaceState>, AskError> {
    let state = State {
        index: &**question.index,
        cluster: Some((question.cluster, "")),
        source_map: &basis.options.source_map,
        are_named: false,
        namespaces: &[],
    };
    let catalogs: Vec<String> = question.catalogs.iter().map(|it| it.catalog.clone()).collect();
    let is_asked = |namespace: &str| question.scope.is_empty() || question.scope.iter().any(|it| it == namespace);
    let options = options_of_work(DEFAULT_WORK);
    namespace_states(&state, &catalogs, Some(question.from), &options, is_asked)
}
