//! The requirements of the bundles of whole catalogs that nothing meets.
//!
//! A cluster decides which catalogs may meet a requirement: a cluster with a version of OpenShift has the catalogs
//! whose names are for it, and no others. A catalog whose name has no version is combined with each of them.

use std::collections::BTreeMap;

use super::catalog::openshift_of_catalog;
use super::error::AskError;
use super::resolution::{DEFAULT_WORK, options_of_work};
use olmdex_base::diag::envelope::{DemandingVersion, PossibleProvider, UnmetRequirement};
use olmdex_base::diag::{Finding, closest, counted};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Input;
use olmdex_olm::resolve::{
    Catalog, DemandingBundle, Failure, NearProvider, Overwork, PlainRows, Rows as _, Unmet, UnmetDemand, World, rules,
    unmet,
};
use olmdex_version::version_or_name;

/// A catalog whose requirements are checked.
#[derive(Debug)]
pub struct RequiringCatalog {
    /// Its name; if it ends in a version of OpenShift, the catalog is for clusters of that version.
    pub name: String,
    /// Its files.
    pub input: Input,
}

/// The requirements that nothing meets.
#[derive(Debug, Default)]
pub struct RequirementAnswers {
    /// The items, by catalog, package and version.
    pub items: Vec<JudgedRequirement>,
    /// How many different requirements were checked, in each set of catalogs that are asked together.
    pub n_requirements: usize,
}

/// A requirement that nothing meets, or for which that is unknown.
#[derive(Debug)]
pub struct JudgedRequirement {
    /// The number of its catalog.
    pub catalog: usize,
    /// The same as a finding.
    pub finding: Finding,
    /// The requirement, and the bundles that make it; `None` if it is unknown whether something meets it.
    pub unmet: Option<UnmetRequirement>,
}

/// The requirements of the bundles in channels of these catalogs that no bundle in a channel meets.
///
/// # Errors
/// If a catalog cannot be read. Errors inside of one are left to its checks.
pub fn unmet_requirements(catalogs: &[RequiringCatalog]) -> Result<RequirementAnswers, AskError> {
    let mut answers = RequirementAnswers::default();
    let mut all: Vec<RequirementCheck> = Vec::new();
    let mut known: BTreeMap<(usize, String, String, String), usize> = BTreeMap::new();
    for (openshift, numbers) in asked_together(catalogs) {
        let inputs: Vec<&Input> = numbers.iter().map(|it| &catalogs[*it].input).collect();
        let rows = PlainRows::read(&inputs);
        let catalog = |it: &usize| Catalog { name: catalogs[*it].name.clone(), ..Catalog::default() };
        let world = World { catalogs: numbers.iter().map(catalog).collect(), ..World::default() };
        let Unmet { demands, left_out, n_demands } = unmet(&world, &rows, &options_of_work(DEFAULT_WORK))?;
        answers.n_requirements += n_demands;
        let packages = rows.all().map_err(Failure::from)?;
        for demand in demands {
            let catalog = numbers[demand.catalog];
            let unmet = requirement(&world, openshift, &demand);
            let key = (catalog, demand.package.clone(), demand.text.clone(), demand.message.clone());
            match known.get(&key).and_then(|it| all.get_mut(*it)) {
                Some(asked) => asked.join(unmet),
                None => {
                    known.insert(key, all.len());
                    let absent = unmet.absent.as_deref();
                    let guess = absent.and_then(|it| closest(it, packages.iter().map(String::as_str)));
                    all.push(RequirementCheck { catalog, guess: guess.map(str::to_owned), demand, unmet });
                }
            }
        }
        for (demand, overwork) in left_out {
            let (catalog, finding) = (numbers[demand.catalog], too_costly(&demand, &overwork));
            answers.items.push(JudgedRequirement { catalog, finding, unmet: None });
        }
    }
    let are_several = catalogs.len() > 1;
    answers.items.extend(all.into_iter().map(|it| it.judged(are_several)));
    answers.items.sort_by_key(|it| it.catalog);
    Ok(answers)
}

/// The sets of catalogs that one cluster asks, each with its version of OpenShift if the names have one.
fn asked_together(catalogs: &[RequiringCatalog]) -> Vec<(Option<Minor>, Vec<usize>)> {
    let versions: Vec<Option<Minor>> = catalogs.iter().map(|it| openshift_of_catalog(&it.name)).collect();
    let mut minors: Vec<Minor> = Vec::new();
    for minor in versions.iter().flatten() {
        if !minors.iter().any(|it| it.is_same(*minor)) {
            let at = minors.iter().position(|it| minor.is_before(*it)).unwrap_or(minors.len());
            minors.insert(at, *minor);
        }
    }
    if minors.is_empty() {
        return vec![(None, (0..catalogs.len()).collect())];
    }
    let of = |minor: Minor| {
        let is_asked = |it: &usize| versions[*it].is_none_or(|version| version.is_same(minor));
        (Some(minor), (0..catalogs.len()).filter(is_asked).collect())
    };
    minors.into_iter().map(of).collect()
}

/// A requirement in its reported form.
fn requirement(world: &World, openshift: Option<Minor>, demand: &UnmetDemand) -> UnmetRequirement {
    let name = |catalog: usize| world.catalogs.get(catalog).map(|it| it.name.clone()).unwrap_or_default();
    let version = |it: Option<&DemandingBundle>| {
        let DemandingBundle { name, version } = it.cloned().unwrap_or_default();
        DemandingVersion { bundle: name, version }
    };
    let provider = |it: &NearProvider| PossibleProvider {
        catalog: name(it.catalog),
        package: it.package.clone(),
        api_versions: it.api_versions.clone(),
        lowest: it.versions.as_ref().map(|it| it.0.clone()),
        highest: it.versions.as_ref().map(|it| it.1.clone()),
    };
    UnmetRequirement {
        catalog: name(demand.catalog),
        openshift: openshift.iter().map(ToString::to_string).collect(),
        package: demand.package.clone(),
        requirement: demand.text.clone(),
        message: demand.message.clone(),
        is_broken: demand.is_broken,
        is_scattered: demand.is_scattered,
        since: version(demand.bundles.first()),
        until: version(demand.bundles.last()),
        n_versions: demand.bundles.len(),
        heads: demand.heads.clone(),
        providers: demand.near.iter().map(provider).collect(),
        absent: demand.absent.clone(),
        place: demand.place.clone(),
    }
}

fn too_costly(demand: &UnmetDemand, overwork: &Overwork) -> Finding {
    let who = words_of(&demand.package, &demand.bundles);
    let message = format!("olmdex cannot determine whether an operator meets what {who}: {overwork}");
    let help = "simplify the rule, or name the intended package in `olm.package.required`";
    let finding = rules::COSTLY_REQUIREMENT.finding(message).at(demand.place.clone());
    finding.help(help).of_package(demand.package.clone())
}

/// A requirement that was checked with all sets of catalogs.
struct RequirementCheck {
    catalog: usize,
    /// The package that may be meant by the absent one.
    guess: Option<String>,
    demand: UnmetDemand,
    unmet: UnmetRequirement,
}

impl RequirementCheck {
    /// Adds another place in which nothing meets it.
    fn join(&mut self, more: UnmetRequirement) {
        self.unmet.openshift.extend(more.openshift);
        for it in more.providers {
            if !self.unmet.providers.contains(&it) {
                self.unmet.providers.push(it);
            }
        }
    }

    fn judged(self, are_several: bool) -> JudgedRequirement {
        let UnmetDemand { package, bundles, text, message: author, place, is_broken, .. } = &self.demand;
        let who = words_of(package, bundles);
        let mut message = match is_broken {
            true => format!("{who} something unreadable: {text}"),
            false => format!("{who} {text}, but no operator meets this"),
        };
        if !self.unmet.openshift.is_empty() {
            message.push_str(&format!(" on OpenShift {}", self.unmet.openshift.join(", ")));
        }
        if !author.is_empty() {
            message.push_str(&format!(" (\"{author}\")"));
        }
        let finding = rules::UNMET_REQUIREMENT.finding(message).at(place.clone());
        let finding = finding.help(self.help(are_several)).of_package(package.clone());
        JudgedRequirement { catalog: self.catalog, finding, unmet: Some(self.unmet) }
    }

    /// Names the packages that come near.
    fn help(&self, are_several: bool) -> String {
        if self.unmet.is_broken {
            return "write it as its type demands: OLM cannot resolve a namespace that can reach the bundle".to_owned();
        }
        let near = |it: &PossibleProvider| {
            let of_catalog = if are_several { format!(" of `{}`", it.catalog) } else { String::new() };
            let what = match (&it.lowest, &it.highest) {
                (Some(lowest), Some(highest)) if lowest == highest => format!("has only {lowest}"),
                (Some(lowest), Some(highest)) => format!("has {lowest} to {highest}"),
                _ => format!("provides {} of that API", it.api_versions.join(", ")),
            };
            format!("package `{}`{of_catalog} {what}", it.package)
        };
        let providers = &self.unmet.providers;
        let mut parts: Vec<String> = providers.iter().take(MAX_PROVIDERS).map(near).collect();
        if providers.len() > MAX_PROVIDERS {
            parts.push(format!("{} more packages come as close", providers.len() - MAX_PROVIDERS));
        }
        if let Some(absent) = &self.unmet.absent {
            parts.push(match &self.guess {
                Some(meant) => format!("no package `{absent}`: did you mean `{meant}`?"),
                None => format!("no package `{absent}`"),
            });
        }
        if self.unmet.is_scattered {
            parts.push("bundles meet each part, but no single bundle meets all".to_owned());
        }
        if parts.is_empty() {
            parts.push(
                "no package comes close: add one that meets the requirement, or remove the requirement".to_owned(),
            );
        }
        parts.join("; ")
    }
}

/// How many near providers a finding names; the answer as JSON has all.
const MAX_PROVIDERS: usize = 5;

/// The package or bundle that requires something, since when.
fn words_of(package: &str, bundles: &[DemandingBundle]) -> String {
    match bundles {
        [] => format!("`{package}` requires"),
        [only] => format!("`{}` requires", only.name),
        [first, .., last] => format!(
            "`{package}` since {} ({}, to {}) requires",
            shown(first),
            counted(bundles.len() as u64, "version"),
            shown(last)
        ),
    }
}

fn shown(bundle: &DemandingBundle) -> &str {
    version_or_name(&bundle.version, &bundle.name)
}
