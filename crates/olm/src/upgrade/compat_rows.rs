//! The bundles that may stay when the cluster goes to another version of OpenShift.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::PackageView;
use super::compat::{Claims, Compatibility, Evidence, Judgement, judge};
use super::installed::InstalledBundle;
use super::path::PathStep;
use super::target::NamedVersion;
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
pub fn bundles_that_stay(olm: &[Olm], graph: &PackageGraph, step: Move, installation: &Installation) -> Vec<Stay> {
    let view = PackageView::new(&graph.package, vec![graph.clone()], &[]);
    let mut rows = Vec::new();
    for NamedVersion { name, version, .. } in view.bundles() {
        let Some(bundle) = view.bundle(&graph.catalog, name) else { continue };
        let subject = Subject { catalog: &graph.catalog, package: &graph.package, bundle: name, version };
        rows.extend(subject.rows(olm, &Claims::from(bundle), step, |olm| refusal(olm, Some(bundle), installation)));
    }
    rows
}

/// A bundle that is judged.
struct Subject<'b> {
    catalog: &'b str,
    package: &'b str,
    bundle: &'b str,
    version: &'b str,
}

impl Subject<'_> {
    /// The judgements for the generations of OLM: one row if they agree.
    fn rows(&self, olm: &[Olm], claims: &Claims, step: Move, refusal: impl Fn(&[Olm]) -> Option<String>) -> Vec<Stay> {
        let mut judged: Vec<(Vec<Olm>, Judgement)> = Vec::new();
        for &generation in olm {
            let judgement = judge(claims, generation, step.from, step.to);
            match judged.iter_mut().find(|(_, same)| same.evidence == judgement.evidence) {
                Some((olm, _)) => olm.push(generation),
                None => judged.push((vec![generation], judgement)),
            }
        }
        let row = |(olm, judgement): (Vec<Olm>, Judgement)| Stay {
            catalog: self.catalog.to_owned(),
            package: self.package.to_owned(),
            bundle: self.bundle.to_owned(),
            version: self.version.to_owned(),
            openshift: step.to.to_string(),
            verdict: judgement.verdict,
            reason: judgement.reason(),
            evidence: judgement.evidence,
            refusal: refusal(&olm),
            olm,
            way: None,
            stops: Vec::new(),
        };
        judged.into_iter().map(row).collect()
    }
}

/// The rows of an installed bundle, without the ways out of bundles that must not stay. `own` are its own values of
/// `olm.maxOpenShiftVersion` on the cluster, if they are known: these count, not those in a catalog. A view of the
/// Subscription's catalog alone ([`PackageView::of_catalog`]) keeps the data of other catalogs out of it.
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
    let subject =
        Subject { catalog: &catalog, package: &view.package, bundle: &installed.name, version: &installed.version };
    subject.rows(olm, &claims, step, |olm| refusal(olm, bundle, installation))
}

/// The reason why OLM v1 refuses a bundle, if a row is about OLM v1.
fn refusal(olm: &[Olm], bundle: Option<&GraphBundle>, installation: &Installation) -> Option<String> {
    if !olm.contains(&Olm::V1) {
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
