//! Which bundles may stay when the cluster goes to another version of OpenShift, and the way out for those that must not.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Asked, Generation, InstalledBundle, PackageView, Target};
use super::compat::{Claims, Compatibility, Evidence, judge};
use super::path::PathStep;
use super::shortest::{Effort, Wish, classic_shortest, v1_shortest};
use crate::constraint::openshift::Minor;
use crate::index::query::{GraphBundle, PackageGraph, Reach};

/// How a bundle stands to the version.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stay {
    /// The catalog; empty if no catalog holds the bundle.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The generations of OLM for which this holds.
    pub olm: Vec<Generation>,
    /// The version that the cluster shall go to.
    pub openshift: String,
    /// How it stands to it.
    pub verdict: Compatibility,
    /// Why, in words.
    pub reason: String,
    /// All that is said.
    pub evidence: Vec<Evidence>,
    /// For what is installed and must not stay: the steps that lead to a version that may; `null` if there are none.
    pub way: Option<Vec<PathStep>>,
    /// How far along the way it must be before the cluster goes to each version on its own way.
    pub stops: Vec<Stop>,
}

/// The first version on a way out that may stay when the cluster goes to a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stop {
    /// The version of OpenShift that the cluster goes to.
    pub openshift: String,
    /// The bundle that must be installed before.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// How many steps of the way lead there.
    pub steps: usize,
}

/// From which version of OpenShift to which.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    /// Where the cluster is.
    pub from: Minor,
    /// Where it shall go.
    pub to: Minor,
}

/// The rows of all bundles of a package of a catalog, highest version first.
#[must_use]
pub fn bundles_that_stay(olm: &[Generation], graph: &PackageGraph, step: Move) -> Vec<Stay> {
    let view = PackageView::new(&graph.package, vec![graph.clone()], &[]);
    let mut rows = Vec::new();
    for (name, version) in view.bundles() {
        let Some(bundle) = graph.bundles.iter().find(|it| &it.name == name) else { continue };
        rows.extend(judged(olm, &Claims::from(bundle), step).into_iter().map(|row| Stay {
            catalog: graph.catalog.clone(),
            package: graph.package.clone(),
            bundle: name.clone(),
            version: version.clone(),
            ..row
        }));
    }
    rows
}

/// What holds for the generations of OLM: one row if they agree.
fn judged(olm: &[Generation], claims: &Claims, step: Move) -> Vec<Stay> {
    let mut rows: Vec<Stay> = Vec::new();
    for &generation in olm {
        let judgement = judge(claims, generation, step.from, step.to);
        if let Some(same) = rows.iter_mut().find(|it| it.evidence == judgement.evidence) {
            same.olm.push(generation);
            continue;
        }
        rows.push(Stay {
            catalog: String::new(),
            package: String::new(),
            bundle: String::new(),
            version: String::new(),
            olm: vec![generation],
            openshift: step.to.to_string(),
            verdict: judgement.verdict,
            reason: judgement.reason(),
            evidence: judgement.evidence,
            way: None,
            stops: Vec::new(),
        });
    }
    rows
}

/// The rows of an installed bundle, without the ways out ([`way_out`]) of what must not stay. `own` is what it says of itself
/// on the cluster, if that is known, of `olm.maxOpenShiftVersion`: that counts, not what a catalog says. A view of the
/// Subscription's catalog alone ([`PackageView::of_catalog`]) keeps what other catalogs say out of it.
#[must_use]
pub fn installed_that_stays(
    olm: &[Generation],
    view: &PackageView,
    installed: &InstalledBundle,
    own: Option<&Result<Vec<String>, String>>,
    step: Move,
) -> Vec<Stay> {
    let (catalog, mut claims) = claims_of(view, "", &installed.name).unwrap_or_default();
    match own {
        Some(Ok(values)) => claims.max_openshift_versions.clone_from(values),
        Some(Err(error)) => claims.unreadable = Some(error.clone()),
        None => {}
    }
    let of_installed = |row: Stay| Stay {
        catalog: catalog.clone(),
        package: view.package.clone(),
        bundle: installed.name.clone(),
        version: installed.version.clone(),
        ..row
    };
    judged(olm, &claims, step).into_iter().map(of_installed).collect()
}

/// What the first bundle of a name says, in a catalog or in any, with its catalog.
fn claims_of(view: &PackageView, catalog: &str, name: &str) -> Option<(String, Claims)> {
    let graphs = view.graphs.iter().filter(|it| catalog.is_empty() || it.catalog == catalog);
    let mut found = graphs.flat_map(|it| it.bundles.iter().map(move |bundle| (it, bundle)));
    found.find(|(_, it)| it.name == name).map(|(graph, bundle)| (graph.catalog.clone(), Claims::from(bundle)))
}

/// The names of all bundles that may stay, in some catalog: where [`way_out`] may end.
#[must_use]
pub fn ends_of_ways_out(view: &PackageView, olm: Generation, step: Move) -> BTreeSet<String> {
    let may_stay = |it: &&GraphBundle| judge(&Claims::from(*it), olm, step.from, step.to).verdict.may_stay();
    view.graphs.iter().flat_map(|it| &it.bundles).filter(may_stay).map(|it| it.name.clone()).collect()
}

/// How far along a way out an operator must be before each step of the cluster.
#[must_use]
pub(super) fn stops(view: &PackageView, olm: Generation, step: Move, way: &[PathStep]) -> Vec<Stop> {
    let may_stay = |target: &Target, to: Minor| {
        claims_of(view, &target.catalog, &target.bundle)
            .is_some_and(|it| judge(&it.1, olm, step.from, to).verdict.may_stay())
    };
    let stop = |to: Minor| {
        let steps = 1 + way.iter().position(|it| may_stay(&it.target, to))?;
        let target = &way.get(steps - 1)?.target;
        Some(Stop { openshift: to.to_string(), bundle: target.bundle.clone(), version: target.version.clone(), steps })
    };
    step.from.until(step.to).filter_map(|it| stop(it.next())).collect()
}

/// The least number of steps from what must not stay to a version that may, over versions that the cluster can have now, in
/// any catalog of the view.
/// `within` are the names between the first steps and [`ends_of_ways_out`], over all channels.
#[must_use]
pub fn way_out(
    view: &PackageView,
    installed: &InstalledBundle,
    olm: Generation,
    step: Move,
    within: &Reach,
) -> Option<Vec<PathStep>> {
    let stands = |target: &Target, from: Minor, to: Minor| {
        claims_of(view, &target.catalog, &target.bundle)
            .is_some_and(|it| judge(&it.1, olm, from, to).verdict.may_stay())
    };
    let wish = Wish {
        is_goal: &|it| stands(it, step.from, step.to),
        is_allowed: &|it| stands(it, step.from, step.from),
        at_most: 1,
        within,
        effort: &Effort::default(),
    };
    let asked = Asked { installed: Some(installed.clone()), ..Asked::default() };
    if olm == Generation::V1 {
        return v1_shortest(view, &asked, installed, &wish).pop();
    }
    // A Subscription follows one catalog all the way. The first of the shortest ways wins: catalogs stand in their order.
    let ways = view.graphs.iter().filter_map(|graph| classic_shortest(view, graph, &asked, installed, &wish).pop());
    ways.min_by_key(Vec::len)
}
