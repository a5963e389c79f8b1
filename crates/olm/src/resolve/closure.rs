//! The dependencies of a bundle: all bundles that OLM installs with it in an empty namespace, and the available ones if
//! some are not.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use super::conflict::Named;
use super::demand::{Demand, Demander, demands};
use super::failure::Failure;
use super::indexed::IndexRows;
use super::question::{Install, Question, QuestionError};
use super::resolution::{Because, Operator, Options, Verdict, resolve};
use super::rows::World;
use olmdex_base::diag::Place;
use olmdex_index::query::Filter;
use olmdex_index::{IndexError, LightIndex};

/// The reasons why the dependencies of a bundle are not known.
#[derive(Debug, Error)]
pub enum ClosureError {
    /// The namespace cannot be resolved, or only with more work than allowed.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The catalogs do not have the bundle.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// The requirements of a bundle, or the bundles that require it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dependencies {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its requirements.
    pub requires: Vec<DependencyAnswer>,
    /// The bundles that OLM installs with it, itself included; only on request.
    pub closure: Vec<ClosureAnswer>,
    /// The bundles that require something that it provides; only on request.
    pub required_by: Vec<DemanderAnswer>,
}

/// A requirement.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyAnswer {
    /// The requirement, or the error in it.
    pub requirement: String,
    /// The message of its author, or empty.
    pub message: String,
    /// Whether it cannot be read.
    pub is_broken: bool,
    /// Whether one operator must be several things at once.
    pub is_all: bool,
    /// The bundles that provide it, the preferred ones first.
    pub provided_by: Vec<PlaceAnswer>,
    /// The place where it is written.
    #[serde(flatten)]
    pub place: Place,
}

/// A bundle with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceAnswer {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
}

/// An operator that comes with a bundle.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosureAnswer {
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// Its package.
    pub package: String,
    /// Its channel.
    pub channel: String,
    /// Its catalog.
    pub catalog: String,
    /// The bundles that require it, each with its requirement; empty for the bundle itself.
    pub because: Vec<String>,
    /// The place where each of these requirements is written.
    pub places: Vec<Place>,
}

/// A bundle that requires something.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemanderAnswer {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// Its requirement.
    pub requirement: String,
    /// The place where it states that.
    #[serde(flatten)]
    pub place: Place,
}

impl From<Demand> for DependencyAnswer {
    fn from(demand: Demand) -> Self {
        let place = |it: &Named| PlaceAnswer {
            catalog: it.catalog.clone(),
            package: it.package.clone(),
            channel: it.channel.clone(),
            bundle: it.name.clone(),
        };
        Self {
            requirement: demand.text,
            message: demand.message,
            is_broken: demand.is_broken,
            is_all: demand.is_all,
            provided_by: demand.met.iter().map(place).collect(),
            place: demand.place,
        }
    }
}

impl From<Demander> for DemanderAnswer {
    fn from(demander: Demander) -> Self {
        Self {
            catalog: demander.bundle.catalog,
            package: demander.bundle.package,
            bundle: demander.bundle.name,
            channels: demander.channels,
            requirement: demander.text,
            place: demander.place,
        }
    }
}

/// A bundle of a catalog.
#[derive(Debug, Clone, Copy)]
pub struct BundleName<'n> {
    /// The catalog.
    pub catalog: &'n str,
    /// The package.
    pub package: &'n str,
    /// The bundle.
    pub bundle: &'n str,
}

/// An empty namespace with these catalogs of an index; with all of them if none is named.
///
/// # Errors
/// If the index cannot be read.
pub fn bare_world(index: &LightIndex, catalogs: &[String]) -> Result<World, ClosureError> {
    let ranks = index.catalog_ranks(&Filter { catalogs: catalogs.to_vec(), ..Filter::default() })?;
    Ok(Question::default().world(&ranks)?.0)
}

/// A world with a Subscription to a bundle, to start with.
///
/// # Errors
/// If the catalogs of the world do not have the bundle.
pub(super) fn subscribed(index: &LightIndex, world: &World, target: BundleName<'_>) -> Result<World, ClosureError> {
    let mut asked = world.clone();
    let question = Question {
        install: vec![Install {
            package: target.package.to_owned(),
            choice: Some(target.bundle.to_owned()),
            ..Install::default()
        }],
        ..Question::default()
    };
    question.complete(&mut asked, &IndexRows::new(index, world), index)?;
    Ok(asked)
}

/// The bundles that OLM installs with a bundle of a catalog in an empty namespace; `None` if the bundle cannot be
/// installed.
///
/// # Errors
/// [`ClosureError`]
pub fn closure(
    index: &LightIndex,
    target: BundleName<'_>,
    options: &Options,
) -> Result<Option<Vec<ClosureAnswer>>, ClosureError> {
    let mut world = bare_world(index, &[])?;
    // The Subscription is to this catalog, whatever the priorities.
    let only = bare_world(index, &[target.catalog.to_owned()])?;
    world.subscriptions = subscribed(index, &only, target)?.subscriptions;
    let rows = IndexRows::new(index, &world);
    let Verdict::Resolved(resolution) = resolve(&world, &rows, options)? else { return Ok(None) };
    let demand = |because: &Because| {
        let words = || format!("{} requires {}", because.required_by, because.requirement);
        (!because.required_by.is_empty()).then(|| (words(), because.place.clone()))
    };
    let answer = |it: &Operator| {
        let (because, places) = it.because.iter().filter_map(demand).unzip();
        ClosureAnswer {
            bundle: it.name.clone(),
            version: it.version.clone(),
            package: it.package.clone(),
            channel: it.channel.clone(),
            catalog: it.catalog.clone(),
            because,
            places,
        }
    };
    Ok(Some(resolution.operators.iter().map(answer).collect()))
}

/// The available dependencies of a bundle if not all of them are available.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartialClosure {
    /// The first choice for each demand, and for the demands of those: catalog, package and bundle.
    pub bundles: Vec<(String, String, String)>,
    /// Demands that nothing meets, in words.
    pub missing: Vec<String>,
}

/// Follows each demand by itself: the bundles that OLM would take for it if there were no other demand.
///
/// # Errors
/// [`ClosureError`]
pub fn partial_closure(
    index: &LightIndex,
    target: BundleName<'_>,
    options: &Options,
) -> Result<PartialClosure, ClosureError> {
    let world = bare_world(index, &[])?;
    let rows = IndexRows::new(index, &world);
    let mut found = PartialClosure::default();
    let mut open = vec![(target.catalog.to_owned(), target.package.to_owned(), target.bundle.to_owned())];
    let mut seen: BTreeSet<(String, String, String)> = open.iter().cloned().collect();
    while let Some((catalog, package, bundle)) = open.pop() {
        let of_bundle = demands(&world, &rows, options, &package, &bundle)?;
        let mut own: Vec<_> = of_bundle.into_iter().filter(|it| it.bundle.catalog == catalog).collect();
        own.truncate(1);
        for demand in own.into_iter().flat_map(|it| it.demands) {
            let Some(first) = demand.met.first() else {
                let why = match (demand.is_broken, demand.is_all) {
                    (true, _) => "cannot be read",
                    (false, true) => "no single operator meets all of these",
                    (false, false) => "no operator provides that",
                };
                let missing = format!("{bundle} requires {}: {why}", demand.text);
                if !found.missing.contains(&missing) {
                    found.missing.push(missing);
                }
                continue;
            };
            let place = (first.catalog.clone(), first.package.clone(), first.name.clone());
            if seen.insert(place.clone()) {
                found.bundles.push(place.clone());
                open.push(place);
            }
        }
    }
    Ok(found)
}
