//! The journey of one operator along the minor versions of the platform: the updates that it needs at each of them.
//!
//! Between two versions whose catalogs are given, all demands of the later ones must be met with the catalog of the
//! first: a catalog that is not given cannot help. An update that only the later catalog has comes after the platform's
//! step to its version.

mod channels;
mod decisions;
mod operator;
mod result;
mod trip;

pub(super) use result::{Journey, When};

use super::catalogs::Catalogs;
use super::fit::Judge;
use super::operator::Operator;
use super::question::PlanQuestion;
use super::state::OperatorPosition;
use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;
use olmdex_olm::upgrade::InstalledBundle;
use operator::OperatorJourney;
use trip::Trip;

/// Takes an operator along the way.
pub(super) fn travel<'q>(
    question: &'q PlanQuestion<'q>,
    catalogs: &'q Catalogs<'q>,
    path: &'q [Minor],
    operator: &'q Operator,
) -> Result<Journey, IndexError> {
    let mut views = Vec::new();
    for minor in path {
        views.push(catalogs.view(operator, *minor)?);
    }
    let bundle = InstalledBundle::held(operator.installed.clone(), operator.version.clone());
    let bundle = bundle.with_release(operator.release.clone());
    let start = OperatorPosition {
        bundle,
        channels: operator.channels.clone(),
        range: operator.range.clone(),
        installation: operator.installation.clone(),
    };
    let trip =
        Trip { judge: Judge::new(question, catalogs, path, operator), question, catalogs, path, operator, views };
    let mut operator = OperatorJourney {
        trip,
        at: start.clone(),
        source: operator.source.clone(),
        is_gone: false,
        journey: Journey::default(),
    };
    operator.look_around(&start)?;
    for idx in 0..path.len() {
        operator.arrive(idx)?;
        if idx + 1 < path.len() {
            operator.leave(idx)?;
        }
    }
    operator.refused();
    operator.at_the_end();
    Ok(operator.journey)
}
