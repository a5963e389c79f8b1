//! The bundles that may stay when the cluster goes to another version of OpenShift.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{NamedVersion, PackageView};
use super::compat::{Claims, Compatibility, Evidence, judge};
use super::installed::InstalledBundle;
use super::path::PathStep;
use super::v1::Installation;
use olmdex_base::olm::Olm;
use olmdex_constraint::openshift::Minor;
use olmdex_index::query::{GraphBundle, Obstacles, PackageGraph};

/// The compatibility of a bundle with the version.
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
    pub olm: Vec<Olm>,
    /// The version that the cluster is to be upgraded to.
    pub openshift: String,
    /// The verdict about it.
    pub verdict: Compatibility,
    /// Why, in words.
    pub reason: String,
    /// All evidence.
    pub evidence: Vec<Evidence>,
    /// The reason why OLM v1 refuses to install it, in its words; for OLM Classic it has no meaning.
    pub refusal: Option<String>,
    /// For an installed bundle that must not stay: the steps that lead to a version that may; `null` if there are none.
    pub way: Option<Vec<PathStep>>,
    /// The bundles that must be reached along the way before the cluster goes to each of its own versions.
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
    /// The number of steps of the way that lead there.
    pub steps: usize,
}

/// From which version of OpenShift to which.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    /// The version of the cluster.
    pub from: Minor,
    /// The version to go to.
    pub to: Minor,
}

/// The rows of all bundles of a package of a catalog, highest version first.
#[must_use]
pub fn bundles_that_stay(olm: &[Olm], graph: &PackageGraph, step: Move, installation: &Installation) -> Vec<Stay> {
    let view = PackageView::new(&graph.package, vec![graph.clone()], &[]);
    let mut rows = Vec::new();
    for NamedVersion { name, version, .. } in view.bundles() {
        let Some(bundle) = view.bundle(&graph.catalog, name) else { continue };
        rows.extend(judged(olm, &Claims::from(bundle), step).into_iter().map(|row| Stay {
            refusal: refusal(&row, Some(bundle), installation),
            catalog: graph.catalog.clone(),
            package: graph.package.clone(),
            bundle: name.clone(),
            version: version.clone(),
            ..row
        }));
    }
    rows
}

/// The judgements for the generations of OLM: one row if they agree.
fn judged(olm: &[Olm], claims: &Claims, step: Move) -> Vec<Stay> {
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
            refusal: None,
            way: None,
            stops: Vec::new(),
        });
    }
    rows
}

/// The rows of an installed bundle, without the ways out of bundles that must not stay. `own` are its own values of
/// `olm.maxOpenShiftVersion` on the cluster, if they are known: these count, not those in a catalog. A view of the
/// Subscription's catalog alone ([`PackageView::of_catalog`]) keeps the data of other catalogs out of it.
#[must_use]
pub fn installed_that_stays(
    olm: &[Olm],
    view: &PackageView,
    installed: &InstalledBundle,
    own: Option<&Result<Vec<String>, String>>,
    step: Move,
    installation: &Installation,
) -> Vec<Stay> {
    let found = bundle_of(view, &installed.name);
    let bundle = found.map(|it| it.1);
    let (catalog, mut claims) =
        found.map(|(graph, bundle)| (graph.catalog.clone(), Claims::from(bundle))).unwrap_or_default();
    match own {
        Some(Ok(values)) => claims.max_openshift_versions.clone_from(values),
        Some(Err(error)) => claims.unreadable = Some(error.clone()),
        None => {}
    }
    let of_installed = |row: Stay| Stay {
        refusal: refusal(&row, bundle, installation),
        catalog: catalog.clone(),
        package: view.package.clone(),
        bundle: installed.name.clone(),
        version: installed.version.clone(),
        ..row
    };
    judged(olm, &claims, step).into_iter().map(of_installed).collect()
}

/// The reason why OLM v1 refuses the bundle of a row, if the row is about OLM v1.
fn refusal(row: &Stay, bundle: Option<&GraphBundle>, installation: &Installation) -> Option<String> {
    if !row.olm.contains(&Olm::V1) {
        return None;
    }
    if let Some(property) = bundle.and_then(|it| it.dependency.as_ref()) {
        return Some(format!("a dependency declared via property {property} is not supported"));
    }
    match bundle {
        Some(bundle) => installation.refusal(bundle.install_modes, &bundle.obstacles),
        None => installation.refusal(None, &Obstacles::default()),
    }
}

/// The first bundle of a name in any catalog, with the data of its catalog.
fn bundle_of<'v>(view: &'v PackageView, name: &str) -> Option<(&'v PackageGraph, &'v GraphBundle)> {
    let mut found = view.graphs.iter().flat_map(|it| it.bundles.iter().map(move |bundle| (it, bundle)));
    found.find(|(_, it)| it.name == name)
}
