//! Verifies that the remedy of a blocker lifts it: by planning again, as if it had been applied.

use std::collections::BTreeMap;

use super::answer::Plan;
use super::catalogs::Catalogs;
use super::code::Code;
use super::operator::Operator;
use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;

/// The bundles that count as installed instead, by the subjects of operators; `None` for an uninstalled operator.
pub(super) type Settled = BTreeMap<String, Option<String>>;

/// The blockers that installed bundles cause.
const OF_OPERATORS: [Code; 2] = [Code::MaxOpenShiftVersion, Code::InvalidMaxVersion];

/// Plans again for the first blocker of every operator, then for the second, and so on: the remedy of a later one need
/// not exist when the first one is met.
pub(super) fn verify(
    plan: &mut Plan,
    mut again: impl FnMut(&Settled) -> Result<Plan, IndexError>,
) -> Result<(), IndexError> {
    let mut of_subject: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, it) in plan.blockers.iter().enumerate() {
        if let Some(subject) = it.subject.as_ref().filter(|_| OF_OPERATORS.contains(&it.code)) {
            of_subject.entry(subject.clone()).or_default().push(number);
        }
    }
    let n_rounds = of_subject.values().map(Vec::len).max().unwrap_or_default();
    for round in 0..n_rounds {
        let now: Vec<(&String, usize)> =
            of_subject.iter().filter_map(|(subject, numbers)| Some((subject, *numbers.get(round)?))).collect();
        let settled: Settled = now
            .iter()
            .map(|(subject, number)| ((*subject).clone(), plan.blockers[*number].lifted_by.clone()))
            .collect();
        let found = again(&settled)?;
        for (subject, number) in now {
            let it = &mut plan.blockers[number];
            let is_left = found.blockers.iter().any(|other| {
                other.code == it.code && other.subject.as_ref() == Some(subject) && other.platform == it.platform
            });
            it.verified = Some(!is_left);
            if is_left {
                it.has_way = false;
                it.lift.push_str("; a new plan shows that this is not enough");
            }
        }
    }
    Ok(())
}

/// Replaces installed bundles by those that count as installed.
pub(super) fn settle(
    operators: &mut Vec<Operator>,
    settled: &Settled,
    catalogs: &Catalogs<'_>,
    path: &[Minor],
) -> Result<(), IndexError> {
    operators.retain(|it| settled.get(&it.subject()) != Some(&None));
    for operator in operators {
        let Some(Some(bundle)) = settled.get(&operator.subject()) else { continue };
        let mut version = None;
        for minor in path {
            let view = catalogs.view(operator, *minor)?;
            version = version.or(view.and_then(|it| it.find(bundle)).map(|it| (it.version, it.release)));
        }
        operator.installed.clone_from(bundle);
        (operator.version, operator.release) = version.unwrap_or_default();
        // Only its catalog knows the claims of the new bundle.
        operator.own_max = None;
        operator.min_kube_version.clear();
        "Succeeded".clone_into(&mut operator.phase);
        operator.in_flight = None;
        operator.pending = None;
        operator.unresolved = None;
        operator.obstacle = None;
    }
    Ok(())
}
