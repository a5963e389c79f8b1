//! The fewest updates to a bundle that may stay, if no single channel leads to one: over several channels of a
//! Subscription, or over versions that a ClusterExtension is pinned to one after another.

use std::collections::BTreeSet;

use super::state::OperatorPosition;
use olmdex_index::{Index, IndexError};
use olmdex_olm::upgrade::{
    Effort, EngineQuestion, Olm, PackageView, PathStep, Setting, Target, Wish, classic_shortest, v1_shortest,
};

/// The wishes of a search for a detour.
pub(super) struct Detour<'d> {
    pub(super) olm: Olm,
    /// The bundles at which it may end.
    pub(super) goals: &'d BTreeSet<String>,
    /// The bundles that it may lead over.
    pub(super) allowed: &'d BTreeSet<String>,
    /// The catalogs of the view.
    pub(super) catalogs: &'d [String],
}

/// The fields to set, and the bundles that OLM installs until other fields are set.
pub(super) type Leg = (Option<Setting>, Vec<Target>);

/// The legs of the way with the fewest updates; empty if there is no way.
pub(super) fn detour(
    index: &Index,
    view: &PackageView,
    from: &OperatorPosition,
    wanted: &Detour<'_>,
) -> Result<Vec<Leg>, IndexError> {
    let within = view.names_between(index, wanted.catalogs, &[], &from.bundle, wanted.goals, 1)?;
    let wish = Wish {
        is_goal: &|it| wanted.goals.contains(&it.bundle),
        is_allowed: &|it| wanted.allowed.contains(&it.bundle),
        at_most: 1,
        within: &within,
        effort: &Effort::default(),
    };
    let asked = EngineQuestion { installed: Some(from.bundle.clone()), ..EngineQuestion::default() };
    let way = match (wanted.olm, view.graphs.first()) {
        (Olm::V1, _) => v1_shortest(view, &asked, &from.bundle, &wish).pop(),
        (Olm::Classic, Some(graph)) => classic_shortest(view, graph, &asked, &from.bundle, &wish).pop(),
        (Olm::Classic, None) => None,
    };
    let mut legs: Vec<Leg> = Vec::new();
    for PathStep { target, set } in way.into_iter().flatten() {
        let set = set.into_iter().next().filter(|it| !from.channels.contains(&it.value) || !legs.is_empty());
        match legs.last_mut() {
            Some((_, leg)) if set.is_none() => leg.push(target),
            _ => legs.push((set, vec![target])),
        }
    }
    Ok(legs)
}
