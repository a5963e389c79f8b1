//! The upgrade of a whole cluster: the state of each operator at each minor version, what blocks the platform, and the
//! steps in their order.
//!
//! [`plan()`] answers a [`PlanQuestion`] with a [`Plan`]. The inventory finds the installed operators, a journey takes
//! each of them along the minor versions, the steps of all journeys are put in order, and the platform's own state
//! comes last. The rules are in `docs/behaviour/platform.md` 3.
//!
//! # How an upgrade is planned
//!
//! `plan::inventory` joins ClusterServiceVersions, Subscriptions and CatalogSources, and reports contradictions between
//! them. `plan::journey` takes each operator by itself along the minor versions, from one version whose catalog is
//! given to the next: the demands of the later ones must be met with the catalog of the first, and only updates that it
//! cannot make come after the step of the platform. Bundles on OLM's way are ranked by their claims about the versions
//! ahead, by whether they lead on there, and by their support; the lowest of the best is the target. `plan::order` puts
//! the steps of all journeys together, with those of one namespace as one, and `plan::platform_state` adds the state of
//! the cluster itself. An update that lifts a blocker is verified by planning once more, as if it had been made
//! (`plan::verify`); `plan::check` compares a saved plan with a later cluster, and plans again to find the next step. A
//! name from the cluster gets into a command only if it is one that Kubernetes would take, so none can be more than a
//! name.
//!
//! `compat` asks for the journey of one operator (`plan::way_out`), so that both give one answer: first OLM's own way
//! in its channel, then another channel, then the fewest updates over several (`plan::detour`); if the first leads to
//! no bundle that may stay, the others begin at the installed bundle. The result is verified by planning again before
//! it is shown.

mod answer;
mod catalogs;
mod check;
mod code;
mod commands;
mod detour;
mod fit;
mod inputs;
mod inventory;
mod journey;
mod junit;
mod manifests;
mod markdown;
mod operator;
mod operator_state;
mod order;
mod overview;
mod platform_state;
mod prose;
mod question;
mod removed_apis;
mod short;
mod state;
mod verify;
mod way_out;

pub use answer::{
    Blocker, CatalogOfPlan, ClusterIdentity, Decision, OperatorPlan, PathElement, Plan, PlanMetadata, PlanOptions,
    PlanStep, PlanVerdict, Reason, RouteStep, StepKind, Unknown,
};
pub use catalogs::PlanMemo;
pub use check::{NotAPlan, PlanProgress, ProgressMetadata, SavedPlan, StepProgress, StepStatus, progress};
pub use code::Code;
pub use commands::folded as folded_commands;
pub use inputs::{BasisError, PlanBasis, PlanWish, add_updates_of, architecture, channels_of};
pub use junit::junit;
pub use manifests::manifests;
pub(crate) use markdown::plain;
pub use markdown::{BY_ITSELF, markdown, script};
pub use olmdex_olm::catalog_source::{PlanCatalog, family_and_minor};
pub use operator_state::OperatorState;
pub use overview::{Light, Overview, OverviewRow, Risk};
pub use prose::{about, message_parts};
pub use question::{PlanQuestion, path_by_name, path_of};
pub use way_out::{StayingOperator, WayOut, catalogs_of_move, way_out};

use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;

/// Plans the upgrade of a cluster.
///
/// # Errors
/// If the index cannot be read.
pub fn plan(question: &PlanQuestion<'_>) -> Result<Plan, IndexError> {
    plan_remembering(question, &PlanMemo::default())
}

/// As [`plan()`], for many clusters: packages of catalogs are remembered. The gates of all questions must be the same.
///
/// # Errors
/// If the index cannot be read.
pub fn plan_remembering(question: &PlanQuestion<'_>, memo: &PlanMemo) -> Result<Plan, IndexError> {
    let path = &question.path;
    let catalogs = catalogs::Catalogs::new(question, memo);
    let mut plan = draft(question, &catalogs, path, &verify::Settled::new())?;
    verify::verify(&mut plan, |settled| draft(question, &catalogs, path, settled))?;
    platform_state::add(question, path, &mut plan);
    removed_apis::add(question, path, &mut plan);
    platform_state::settle(question, &mut plan);
    commands::add(question, &mut plan);
    plan.judge(&catalogs, question.to);
    Ok(plan)
}

/// The plan that follows from operators and catalogs; some operators count as if they were already updated or
/// uninstalled.
fn draft(
    question: &PlanQuestion<'_>,
    catalogs: &catalogs::Catalogs<'_>,
    path: &[Minor],
    settled: &verify::Settled,
) -> Result<Plan, IndexError> {
    let mut inventory = inventory::Inventory::new(question);
    verify::settle(&mut inventory.operators, settled, catalogs, path)?;
    let mut journeys = Vec::new();
    for operator in &inventory.operators {
        journeys.push(journey::travel(question, catalogs, path, operator)?);
    }
    order::assemble(question, catalogs, path, inventory, journeys)
}
