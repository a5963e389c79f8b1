//! The ways with the fewest steps as answers: the settings before each step, or that there is no way.

use std::collections::HashMap;

use super::answer::{EngineQuestion, PackageView};
use super::compat::{Claims, judge};
use super::installed::InstalledBundle;
use super::path::{PathStep, UpgradePath};
use super::shortest_path::{Effort, Wish, classic_shortest, v1_shortest};
use super::target::Target;
use olmdex_base::diag::counted;
use olmdex_base::olm::Olm;
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::Reach;

/// Ways that are wanted.
#[derive(Debug, Clone, Copy)]
pub struct FewestSteps<'w> {
    /// The start of the ways.
    pub from: &'w InstalledBundle,
    /// The bundle where they end.
    pub to: &'w str,
    /// The largest number of ways; the shortest come first.
    pub at_most: usize,
    /// Whether they may not lead over deprecated bundles.
    pub avoids_deprecated: bool,
    /// A version of OpenShift: they may not lead over bundles that say they are not made for it.
    pub openshift: Option<Minor>,
    /// The names that can lie on a way.
    pub within: &'w Reach,
    /// The limit on the cost of the search.
    pub effort: &'w Effort,
}

/// The ways with the fewest steps that a generation of OLM can be led; if there are none, one answer that says so. OLM
/// Classic is asked about the first catalog of the view; without one there is no answer.
pub fn fewest_steps(
    view: &PackageView,
    asked: &EngineQuestion,
    olm: Olm,
    wanted: &FewestSteps<'_>,
) -> Vec<UpgradePath> {
    let &FewestSteps { from, to, .. } = wanted;
    let graph = view.graphs.first();
    if olm == Olm::Classic && graph.is_none() {
        return Vec::new();
    }
    let limits = Limits::new(wanted, view, olm);
    let wish = Wish {
        is_goal: &|it| it.bundle == to,
        is_allowed: &|it| !limits.refuse(it),
        at_most: wanted.at_most,
        within: wanted.within,
        effort: wanted.effort,
    };
    let answer = |is_reached: bool, steps: Vec<PathStep>, reason: String| UpgradePath {
        is_reached,
        steps,
        reason,
        ..UpgradePath::new(olm, view, asked, from, Some(to))
    };
    if from.name == to {
        return vec![answer(true, Vec::new(), format!("{to} is installed"))];
    }
    let found = match (olm, graph) {
        (Olm::Classic, Some(graph)) => classic_shortest(view, graph, asked, from, &wish),
        _ => v1_shortest(view, asked, from, &wish),
    };
    if found.is_empty() {
        let limited = if limits.is_any() { ", with these limits" } else { "" };
        return vec![answer(false, Vec::new(), format!("no edges that OLM follows lead to {to}{limited}"))];
    }
    let reached = found.into_iter().map(|steps| {
        let reason = condition(olm, &steps);
        answer(true, steps, reason)
    });
    reached.collect()
}

/// The condition for OLM to go a way.
fn condition(olm: Olm, steps: &[PathStep]) -> String {
    let n_steps = counted(steps.len() as u64, "step");
    let by_hand = match olm {
        // Without it, OLM would go on in the channel before the channel is changed.
        Olm::Classic if steps.iter().skip(1).any(|it| !it.set.is_empty()) => {
            ", with installPlanApproval: Manual, so that OLM waits for each change"
        }
        _ => "",
    };
    format!("{n_steps}, if these fields are set before each{by_hand}")
}

/// The bundles that a way may not lead over.
struct Limits<'v> {
    olm: Olm,
    avoids_deprecated: bool,
    openshift: Option<Minor>,
    /// The claims of a bundle of a catalog, only if they are asked for.
    claims: HashMap<(&'v str, &'v str), Vec<Claims>>,
}

impl<'v> Limits<'v> {
    fn new(wanted: &FewestSteps<'_>, view: &'v PackageView, olm: Olm) -> Self {
        let mut claims: HashMap<(&str, &str), Vec<Claims>> = HashMap::new();
        for graph in view.graphs.iter().filter(|_| wanted.openshift.is_some()) {
            for bundle in &graph.bundles {
                claims.entry((&graph.catalog, &bundle.name)).or_default().push(Claims::from(bundle));
            }
        }
        Self { olm, avoids_deprecated: wanted.avoids_deprecated, openshift: wanted.openshift, claims }
    }

    fn is_any(&self) -> bool {
        self.avoids_deprecated || self.openshift.is_some()
    }

    fn refuse(&self, target: &Target) -> bool {
        if self.avoids_deprecated && target.is_deprecated {
            return true;
        }
        let Some(openshift) = self.openshift else { return false };
        let of_bundle = self.claims.get(&(target.catalog.as_str(), target.bundle.as_str()));
        of_bundle.into_iter().flatten().any(|it| !judge(it, self.olm, openshift, openshift).verdict.may_stay())
    }
}
