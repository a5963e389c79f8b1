//! The resolution itself: selector, range, candidates of each catalog, one winner (`docs/behaviour/olm-v1.md` 2.3).

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::catalog::{Candidate, Catalog, CatalogState, rank};
use super::error::ResolveError;
use super::successors::{best_in_range, installed_version, named_places, successor_places};
use crate::upgrade::target::NamedVersion;
use olmdex_index::query::GraphDeprecation;
use olmdex_rules::cluster::LabelSelector;
use olmdex_version::masterminds::Constraint;
use olmdex_version::{Quoted, VersionRelease};

/// The request of a ClusterExtension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// The package.
    pub package: String,
    /// The version range, in the language of Masterminds; empty for any version.
    pub version: String,
    /// The channels; empty for all bundles, also those in no channel.
    pub channels: Vec<String>,
    /// The catalogs; `None` for all.
    pub selector: Option<LabelSelector>,
    /// Whether the catalog's edges bind.
    pub policy: Policy,
    /// The installed bundle, if there is one.
    pub installed: Option<NamedVersion>,
}

/// `upgradeConstraintPolicy`. Every unknown text means the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Policy {
    /// Only the versions that the catalog's edges permit
    #[default]
    #[serde(alias = "CatalogProvided")]
    CatalogProvided,
    /// Any version, including older ones
    #[serde(alias = "SelfCertified")]
    SelfCertified,
}

/// The bundle that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The catalog.
    pub catalog: String,
    /// The bundle.
    pub bundle: String,
    /// Its version and release.
    pub version: VersionRelease,
    /// The release, if there is one; empty if the bundle states an empty one and explicit releases count.
    pub release: Option<String>,
    /// The version that the cluster will record for it.
    pub recorded_version: String,
    /// The release that the cluster will record for it.
    pub recorded_release: Option<String>,
    /// Its image.
    pub image: String,
    /// Whether the bundle is deprecated.
    pub is_deprecated: bool,
    /// The deprecations that the cluster will show: those of the last catalog that was kept.
    pub deprecations: Option<Arc<[GraphDeprecation]>>,
}

impl Resolution {
    /// Whether it is what the cluster has recorded as installed, by its name, or by its version and release.
    pub(in crate::upgrade) fn is_recorded_as(&self, installed: &NamedVersion) -> bool {
        self.bundle == installed.name
            || (self.recorded_version == installed.version && self.recorded_release == installed.release)
    }
}

/// The number of candidates that each step left in a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogWalk {
    /// The catalog.
    pub catalog: String,
    /// Bundles of the package.
    pub bundles: usize,
    /// The number of these bundles that are in the channels.
    pub in_channels: usize,
    /// The number of these bundles that are in the version range.
    pub in_range: usize,
    /// The number of these bundles that may follow the installed one.
    pub successors: usize,
    /// The bundle that represents the catalog.
    pub best: Option<String>,
}

/// The answer to a question, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The bundle, or the reason why there is none.
    pub outcome: Result<Resolution, ResolveError>,
    /// The catalogs that were looked at and have the package, in their order.
    pub walk: Vec<CatalogWalk>,
}

/// Resolves a question over catalogs, which are walked in the order given.
pub fn resolve(question: &Question, catalogs: &[Catalog]) -> Answer {
    let mut walk = Vec::new();
    let outcome = decide(question, catalogs, Some(&mut walk));
    Answer { outcome, walk }
}

/// Like [`resolve`], without the counts: if the catalog's edges bind, only the bundles at their ends are looked at.
///
/// # Errors
/// The reason why there is no bundle.
pub fn resolve_only(question: &Question, catalogs: &[Catalog]) -> Result<Resolution, ResolveError> {
    decide(question, catalogs, None)
}

fn decide(
    question: &Question,
    catalogs: &[Catalog],
    mut walk: Option<&mut Vec<CatalogWalk>>,
) -> Result<Resolution, ResolveError> {
    if let Some(selector) = &question.selector {
        selector.validate().map_err(ResolveError::Selector)?;
    }
    let range = match question.version.as_str() {
        "" => None,
        text => Some(
            Constraint::parse(text).map_err(|error| ResolveError::VersionRange { range: text.to_owned(), error })?,
        ),
    };
    let mut winners: Vec<(&Catalog, &Candidate)> = Vec::new();
    let mut deprecations = None;
    let selected = |it: &&Catalog| question.selector.as_ref().is_none_or(|selector| selector.matches(&it.labels));
    for catalog in catalogs.iter().filter(selected).filter(|it| it.state != CatalogState::Unavailable) {
        check_readable(question, catalog)?;
        if !catalog.has_package {
            continue;
        }
        let Some(best) = best_of(question, range.as_ref(), catalog, walk.as_deref_mut())? else { continue };
        if let Some((_, kept)) = winners.last() {
            match (kept.is_deprecated, best.is_deprecated) {
                (false, true) => continue,
                (true, false) => winners.clear(),
                _ => {}
            }
        }
        winners.push((catalog, best));
        deprecations.clone_from(&catalog.deprecations);
    }
    if winners.len() > 1 {
        let highest = winners.iter().map(|(catalog, _)| catalog.priority).max();
        let mut top = winners.iter().filter(|(catalog, _)| Some(catalog.priority) == highest);
        if let (Some(&only), None) = (top.next(), top.next()) {
            winners = vec![only];
        }
    }
    let [(catalog, winner)] = winners.as_slice() else {
        let mut names: Vec<String> = winners.iter().map(|(catalog, _)| catalog.served_by.clone()).collect();
        names.sort();
        return Err(ResolveError::NotOne {
            installed: question.installed.as_ref().map(|it| it.version.clone()),
            package: question.package.clone(),
            version: question.version.clone(),
            channels: question.channels.clone(),
            catalogs: names,
        });
    };
    finish(catalog, winner, deprecations)
}

/// The checks on the winner, which have no second chance.
fn finish(
    catalog: &Catalog,
    winner: &Candidate,
    deprecations: Option<Arc<[GraphDeprecation]>>,
) -> Result<Resolution, ResolveError> {
    let version = match &winner.version {
        Ok(version) => version,
        Err(reason) => {
            return Err(ResolveError::BundleVersion { bundle: winner.name.clone(), reason: reason.clone() });
        }
    };
    if let Some(property) = &winner.dependency {
        return Err(ResolveError::Dependency { bundle: winner.name.clone(), property: property.clone() });
    }
    let stated = version.value.release.as_ref().map(ToString::to_string);
    let release = stated.or_else(|| version.is_release_explicit.then(String::new));
    let (recorded_version, recorded_release) = if catalog.explicit_releases {
        (version.value.version.to_string(), release.clone())
    } else {
        (version.value.to_build_metadata().to_string(), None)
    };
    Ok(Resolution {
        catalog: catalog.name.clone(),
        bundle: winner.name.clone(),
        version: version.value.clone(),
        release,
        recorded_version,
        recorded_release,
        image: winner.image.clone(),
        is_deprecated: winner.is_deprecated,
        deprecations,
    })
}

/// A catalog that cannot be read stops everything, even if others have the answer.
fn check_readable(question: &Question, catalog: &Catalog) -> Result<(), ResolveError> {
    let package = &question.package;
    let reason = match &catalog.state {
        CatalogState::NotServing => format!("catalog {} is not being served", Quoted(&catalog.served_by)),
        CatalogState::Broken(reason) => format!("error loading package {}: {reason}", Quoted(package)),
        // The real system takes the name for a path below the catalog.
        _ if !is_clean_path(package) => {
            format!("error getting package {}: sub {package}: invalid argument", Quoted(package))
        }
        _ => return Ok(()),
    };
    Err(ResolveError::Catalog { package: package.clone(), catalog: catalog.served_by.clone(), reason })
}

/// A relative path without empty parts, `.` and `..`; or `.` alone.
fn is_clean_path(path: &str) -> bool {
    path == "." || path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The best candidate of a catalog, if any is allowed.
fn best_of<'c>(
    question: &Question,
    range: Option<&Constraint>,
    catalog: &'c Catalog,
    walk: Option<&mut Vec<CatalogWalk>>,
) -> Result<Option<&'c Candidate>, ResolveError> {
    let bound_by = question.installed.as_ref().filter(|_| question.policy == Policy::CatalogProvided);
    let counting = catalog.counting(&question.channels);
    let in_channels = |it: &Candidate| catalog.is_listed(&it.name, counting.as_deref());
    // A bundle without a readable version matches nothing.
    let in_range = |it: &Candidate| {
        range.is_none_or(|range| it.version_release().is_some_and(|version| range.matches(&version.version)))
    };
    let all = 0..catalog.candidates.len();
    if let (Some(installed), None) = (bound_by, &walk) {
        let is_allowed = |at: usize| in_channels(&catalog.candidates[at]) && in_range(&catalog.candidates[at]);
        let version = installed_version(installed).map_err(ResolveError::Installed)?;
        let same = catalog.lookup.versions.get(&version).into_iter().flatten().copied();
        let named = named_places(catalog, installed, counting.as_deref());
        let near = named.into_iter().chain(same).filter(|at| is_allowed(*at));
        let in_range = best_in_range(catalog, installed, counting.as_deref(), is_allowed);
        let best = near.chain(in_range).min_by_key(|&at| (rank(&catalog.candidates[at]), at));
        return Ok(best.map(|at| &catalog.candidates[at]));
    }
    if let (None, None, Some(channels)) = (bound_by, &walk, &counting) {
        let listed = catalog.candidates_in(channels).filter(|&at| in_range(&catalog.candidates[at]));
        let best = listed.min_by_key(|&at| (rank(&catalog.candidates[at]), at));
        return Ok(best.map(|at| &catalog.candidates[at]));
    }
    let successors = bound_by.map(|installed| successors(catalog, installed, counting.as_deref())).transpose()?;
    let may_follow = |at: &usize| successors.as_ref().is_none_or(|it| it.contains(at));
    let allowed = |at: &usize| in_channels(&catalog.candidates[*at]) && in_range(&catalog.candidates[*at]);
    // The first of equal ones wins, in the order of the candidates.
    let pick = |at: usize| &catalog.candidates[at];
    let best = match &successors {
        Some(successors) => successors.iter().copied().filter(allowed).map(pick).min_by_key(|it| rank(it)),
        None => all.clone().filter(allowed).map(pick).min_by_key(|it| rank(it)),
    };
    if let Some(walk) = walk {
        let listed: Vec<usize> = all.filter(|&at| in_channels(pick(at))).collect();
        let ranged: Vec<usize> = listed.iter().copied().filter(|&at| in_range(pick(at))).collect();
        walk.push(CatalogWalk {
            catalog: catalog.name.clone(),
            bundles: catalog.candidates.len(),
            in_channels: listed.len(),
            in_range: ranged.len(),
            successors: ranged.iter().filter(|at| may_follow(at)).count(),
            best: best.map(|it| it.name.clone()),
        });
    }
    Ok(best)
}

/// The candidates that may follow the installed bundle, in their order: those at the ends of edges, and those of the
/// same version and release.
fn successors(
    catalog: &Catalog,
    installed: &NamedVersion,
    counting: Option<&[usize]>,
) -> Result<BTreeSet<usize>, ResolveError> {
    let version = installed_version(installed).map_err(ResolveError::Installed)?;
    let at_ends = successor_places(catalog, installed, counting);
    let same = catalog.lookup.versions.get(&version).into_iter().flatten().copied();
    Ok(at_ends.into_iter().chain(same).collect())
}
