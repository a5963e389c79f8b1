//! Questions of time: when something was last good, and who was stranded from when to when.
//!
//! Only the states in which something of the package came or went are examined; between two such states no answer can
//! differ.
//!
//! This module takes for granted that the index has states (`build --git`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::AskError;
use super::findings::findings_of_rules;
use super::name::no_package;
use super::question::{Question as _, State};
use super::upgrade::UpgradeOptions;
use super::upgrades::WhyNotQuestion;
use olmdex_base::diag::Rule;
use olmdex_index::Index;
use olmdex_index::query::StateRow;
use olmdex_olm::upgrade::{Installable, StrandedBecause};

/// Which day was it last good?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bisection {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// Whether it is good in the last state.
    pub is_good: bool,
    /// The last state in which it was good; absent if it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_good: Option<StateRow>,
    /// The next state, in which it is bad for the first time; absent if it is good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_bad: Option<StateRow>,
    /// The faults in that state.
    pub reasons: Vec<String>,
}

/// A period in which a bundle of a channel had no upgrade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stranding {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The channel that a Subscription follows.
    pub channel: String,
    /// The bundle that is installed.
    pub bundle: String,
    /// Its version; empty if it has none.
    pub version: String,
    /// The reason why OLM Classic stopped upgrading it: `packageGone`, `channelGone`, `noOrder` or `noUpgrade`.
    pub because: &'static str,
    /// The first state in which it was so.
    pub from: StateRow,
    /// The first state in which it was no longer so; absent if it still is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<StateRow>,
}

/// A question about the last day on which a package or a version was good.
#[derive(Debug, Default)]
pub struct BisectQuestion<'q> {
    /// The package.
    pub package: &'q str,
    /// `PKG@VERSION`, if OLM should take a version; else the package is good if it has no findings.
    pub target: Option<&'q str>,
    /// The installed bundle: a version, or a bundle's name.
    pub installed: Option<&'q str>,
    /// The channels to follow.
    pub channels: &'q [String],
    /// The rules of the findings that count; none for those about upgrades.
    pub rules: &'q [&'static Rule],
    /// The catalogs; all of them, if none is named.
    pub catalogs: &'q [String],
}

impl BisectQuestion<'_> {
    /// The answer of each catalog that ever had the package.
    ///
    /// # Errors
    /// [`AskError::NoPackage`] if no state has the package; [`AskError::Index`].
    pub fn answer(&self, index: &mut Index) -> Result<Vec<Bisection>, AskError> {
        let mut found = Vec::new();
        for catalog in index.catalog_names()? {
            if self.catalogs.is_empty() || self.catalogs.contains(&catalog) {
                found.extend(bisect(index, &catalog, self.package, |it| self.faults(it, &catalog))?);
            }
        }
        if found.is_empty() { Err(no_package(index, self.package)?) } else { Ok(found) }
    }

    /// The faults in the state that the index is as of.
    fn faults(&self, index: &Index, catalog: &str) -> Result<Vec<String>, AskError> {
        match self.target {
            Some(target) => self.obstacles(index, catalog, target),
            None => {
                let found = findings_of_rules(index, catalog, self.package, self.rules)?;
                Ok(found.into_iter().map(|it| format!("{}: {}", it.rule.id, it.message)).collect())
            }
        }
    }

    /// Why OLM does not take the version; nothing, if it does.
    fn obstacles(&self, index: &Index, catalog: &str, target: &str) -> Result<Vec<String>, AskError> {
        let options = UpgradeOptions {
            channel: self.channels.to_vec(),
            catalog: vec![catalog.to_owned()],
            ..UpgradeOptions::default()
        };
        let (name, installed) = (target.to_owned(), self.installed.map(str::to_owned));
        let question = WhyNotQuestion { name, installed, options, ..WhyNotQuestion::default() };
        match question.ask(&State::of(index)).map_err(AskError::bare) {
            Ok(answer) if answer.verdict.is_negative() => Ok(Vec::new()),
            Ok(answer) => {
                let conditions = answer.items.iter().flat_map(|it| &it.conditions).filter(|it| !it.is_met);
                let mut reasons: Vec<String> = conditions.map(|it| it.fact.clone()).collect();
                reasons.dedup();
                if reasons.is_empty() {
                    reasons.push("OLM does not take it".to_owned());
                }
                Ok(reasons)
            }
            Err(AskError::Index(error)) => Err(AskError::Index(error)),
            // It is not there, or not in that channel.
            Err(error) => Ok(vec![error.to_string()]),
        }
    }
}

/// Looks for the last state of a catalog in which a package was good, from the last one back. `None` if no state has
/// the package. `faults` finds those in the state that the index is as of.
fn bisect(
    index: &mut Index,
    catalog: &str,
    package: &str,
    faults: impl Fn(&Index) -> Result<Vec<String>, AskError>,
) -> Result<Option<Bisection>, AskError> {
    let changed = index.states_of_package(catalog, package)?;
    if changed.is_empty() {
        return Ok(None);
    }
    let mut first_bad: Option<(StateRow, Vec<String>)> = None;
    let mut last_good = None;
    for state in changed.into_iter().rev() {
        let wrong = match index.package_status(catalog, state.number, package)?.as_deref() {
            // This state is not known.
            Some("unknown") => continue,
            Some("broken") => vec!["left out, as the package has errors".to_owned()],
            _ => {
                index.set_as_of_state(catalog, state.number, package)?;
                faults(index)?
            }
        };
        if wrong.is_empty() {
            last_good = Some(state);
            break;
        }
        first_bad = Some((state, wrong));
    }
    let is_good = first_bad.is_none() && last_good.is_some();
    // The package did not change between the two, so it was good until the state before.
    let all = index.states(catalog)?;
    let last_good = match (&first_bad, last_good) {
        (Some((bad, _)), Some(good)) => {
            let before = all.into_iter().rev().find(|it| it.number < bad.number);
            Some(before.unwrap_or(good))
        }
        (None, Some(_)) => all.into_iter().next_back(),
        (_, None) => None,
    };
    let (first_bad, reasons) = first_bad.map_or((None, Vec::new()), |it| (Some(it.0), it.1));
    Ok(Some(Bisection {
        catalog: catalog.to_owned(),
        package: package.to_owned(),
        is_good,
        last_good,
        first_bad,
        reasons,
    }))
}

/// The versions that were stranded in the channels of a package, with their periods, in the order of time. States in
/// which the package is not known are ignored.
///
/// # Errors
/// If the index is damaged.
pub fn strandings(index: &mut Index, catalog: &str, package: &str) -> Result<Vec<Stranding>, AskError> {
    let mut installable = Installable::default();
    let mut found: Vec<Stranding> = Vec::new();
    let mut open: BTreeMap<(String, String), usize> = BTreeMap::new();
    for state in index.states_of_package(catalog, package)? {
        if matches!(index.package_status(catalog, state.number, package)?.as_deref(), Some("unknown" | "broken")) {
            continue;
        }
        index.set_as_of_state(catalog, state.number, package)?;
        let mut still: BTreeMap<(String, String), usize> = BTreeMap::new();
        for it in installable.stranded(index, catalog, package)? {
            let key = (it.channel.clone(), it.bundle.clone());
            let because = word(it.because);
            let at = match open.remove(&key).filter(|&at| found[at].because == because) {
                Some(at) => at,
                None => {
                    found.push(Stranding {
                        catalog: catalog.to_owned(),
                        package: package.to_owned(),
                        channel: it.channel,
                        bundle: it.bundle,
                        version: it.version,
                        because,
                        from: state.clone(),
                        until: None,
                    });
                    found.len() - 1
                }
            };
            still.insert(key, at);
        }
        let held: Vec<usize> = still.values().copied().collect();
        for (at, it) in found.iter_mut().enumerate() {
            if it.until.is_none() && !held.contains(&at) {
                it.until = Some(state.clone());
            }
        }
        open = still;
    }
    Ok(found)
}

fn word(because: StrandedBecause) -> &'static str {
    match because {
        StrandedBecause::PackageGone => "packageGone",
        StrandedBecause::ChannelGone => "channelGone",
        StrandedBecause::NoOrder => "noOrder",
        StrandedBecause::NoUpgrade => "noUpgrade",
    }
}
