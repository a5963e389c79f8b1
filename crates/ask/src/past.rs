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

/// Finds the faults of a package in the state that the index is as of; none, if it is good.
pub type IsBad<'f> = dyn FnMut(&Index) -> Result<Vec<String>, AskError> + 'f;

/// Looks for the last state of a catalog in which a package was good, from the last one back. `None` if no state has
/// the package.
///
/// # Errors
/// If the index is damaged, or `is_bad` fails.
pub fn bisect(
    index: &mut Index,
    catalog: &str,
    package: &str,
    is_bad: &mut IsBad<'_>,
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
                is_bad(index)?
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
