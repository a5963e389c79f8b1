//! The upgrade of a whole cluster: the state of each operator at each minor version, what blocks the platform, and the steps in their order.
//!
//! [`plan()`] answers a [`PlanQuestion`] with a [`Plan`]. The inventory says what is installed, a journey takes each operator along the minor
//! versions, the steps of all journeys are put in order, and the platform's own state is looked at last. The rules are in
//! `docs/behaviour/platform.md` 3.
//!
//! What it deliberately does not do: it asks no cluster and runs nothing; it proposes nothing that skips a check of the platform; and what is
//! not known is said, never guessed.

mod answer;
mod basis;
mod catalogs;
mod check;
mod code;
mod commands;
mod detour;
mod fit;
mod html;
mod inventory;
mod journey;
mod junit;
mod manifests;
mod markdown;
mod needs;
mod order;
mod platform_state;
mod question;
mod standing;
mod state;
mod style;
mod verify;
mod way_out;

pub use crate::catalog_source::{PlanCatalog, family_and_minor};
pub use answer::{
    Blocker, CatalogOfPlan, Decision, OperatorPlan, PathElement, Plan, PlanMetadata, PlanOptions, PlanStep,
    PlanVerdict, Reason, RouteStep, StepKind, Unknown,
};
pub use basis::{BasisError, PlanBasis, PlanWish, USUAL_ARCH, add_updates_of, channels_of};
pub use check::{NotAPlan, PlanProgress, ProgressMetadata, SavedPlan, StepProgress, StepStatus, progress};
pub use code::Code;
pub use html::html;
#[cfg(feature = "page")]
pub(crate) use html::report;
pub use junit::junit;
pub use manifests::manifests;
pub use markdown::{markdown, script};
pub use question::{PlanQuestion, path_by_name, path_of};
pub use standing::OperatorState;
pub use way_out::{StayingOperator, WayOut, catalogs_of_move, way_out};

use crate::constraint::openshift::Minor;
use crate::index::IndexError;

/// Plans the upgrade of a cluster.
///
/// # Errors
/// If the index cannot be read.
pub fn plan(question: &PlanQuestion<'_>) -> Result<Plan, IndexError> {
    let path = &question.path;
    let catalogs = catalogs::Catalogs::new(question);
    let mut plan = draft(question, &catalogs, path, &verify::Settled::new())?;
    verify::verify(&mut plan, |settled| draft(question, &catalogs, path, settled))?;
    platform_state::add(question, path, &mut plan);
    commands::add(question, &mut plan);
    plan.judge(&catalogs, question.to);
    Ok(plan)
}

/// What follows from operators and catalogs; some operators as if they were already updated or uninstalled.
fn draft(
    question: &PlanQuestion<'_>,
    catalogs: &catalogs::Catalogs<'_>,
    path: &[Minor],
    settled: &verify::Settled,
) -> Result<Plan, IndexError> {
    let mut inventory = inventory::Inventory::new(question, catalogs);
    verify::settle(&mut inventory.operators, settled, catalogs, path)?;
    let mut journeys = Vec::new();
    for operator in &inventory.operators {
        journeys.push(journey::travel(question, catalogs, path, operator)?);
    }
    order::assemble(question, catalogs, path, inventory, journeys)
}
