//! The plan of a cluster's upgrade, as a command and a page ask for it.

use super::error::AskError;
use olmdex_index::Index;
use olmdex_olm::upgrade::Move;
use olmdex_plan::plan::{Plan, PlanBasis, PlanQuestion, PlanWish, plan};
use olmdex_rules::cluster::Cluster;

/// A cluster can only go on.
///
/// # Errors
/// [`AskError::NotLater`]
pub fn must_lead_on(step: Move) -> Result<(), AskError> {
    if step.from.is_before(step.to) { Ok(()) } else { Err(AskError::NotLater(step)) }
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
    let question = basis.question(cluster, index, wish);
    let mut plan = plan(&question)?;
    plan.metadata.options = options;
    Ok((plan, question))
}
