//! The way out for one operator that must not stay while the cluster goes on: the updates that lead to a bundle that
//! may.
//!
//! It is the journey of that operator, as in a plan of the whole cluster, so that both give one answer; and the result
//! is planned again, as if it were installed.

use super::catalogs::{Catalogs, PlanMemo};
use super::fit::Judge;
use super::journey::travel;
use super::operator::Operator;
use super::question::{PlanQuestion, path_of};
use olmdex_constraint::openshift::Minor;
use olmdex_index::{Index, IndexError};
use olmdex_olm::catalog_source::{PlanCatalog, family_and_minor};
use olmdex_olm::upgrade::v1::{Installation, ServedCatalog};
use olmdex_olm::upgrade::{InstalledBundle, Move, Olm, PathStep, Setting, Stop};
use olmdex_rules::cluster::Cluster;
use olmdex_rules::openshift::{Graph, SupportLevel};
use olmdex_text::calendar::Day;

/// An operator whose stay is in question.
#[derive(Debug, Clone, Default)]
pub struct StayingOperator {
    /// Its package.
    pub package: String,
    /// The installed bundle.
    pub installed: InstalledBundle,
    /// The generation of OLM that manages it.
    pub olm: Olm,
    /// The channels of its Subscription or ClusterExtension; empty if any will do.
    pub channels: Vec<String>,
    /// The bundle that OLM Classic installs next, if the whole namespace was resolved.
    pub next: Option<String>,
    /// The version range of its ClusterExtension, or empty.
    pub range: String,
    /// Its `olm.maxOpenShiftVersion` on the cluster, if that is known.
    pub own_max: Option<Result<Vec<String>, String>>,
    /// How OLM v1 installs it.
    pub installation: Installation,
    /// The ClusterCatalogs that OLM v1 asks, each with its family of catalogs; empty if they are not known.
    pub served: Vec<ServedCatalog>,
}

/// The way to a bundle that may stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayOut {
    /// Its updates.
    pub way: Vec<PathStep>,
    /// How many updates the operator needs before each step of the cluster.
    pub stops: Vec<Stop>,
}

/// The catalogs of a move of the cluster, by their names: those that are named after a version on the way
/// (`community-4.18`) count for that version, the others for the present version of the cluster. If no catalog would
/// count for that version, all do.
pub fn catalogs_of_move(names: &[String], step: Move) -> Vec<PlanCatalog> {
    let path = path_of(step.from, step.to);
    let here = |name: &String| PlanCatalog { catalog: name.clone(), minor: step.from, family: name.clone() };
    let of_version = |name: &String| match family_and_minor(name) {
        Some((family, minor)) if path.iter().any(|it| it.is_same(minor)) => {
            PlanCatalog { catalog: name.clone(), minor, family }
        }
        _ => here(name),
    };
    let catalogs: Vec<PlanCatalog> = names.iter().map(of_version).collect();
    if catalogs.iter().any(|it| it.minor.is_same(step.from)) { catalogs } else { names.iter().map(here).collect() }
}

/// The updates that lead an operator to a bundle that may stay; `None` if nothing but uninstalling helps. A
/// Subscription follows one catalog all the way: among several, the catalog with the fewest updates is taken, and the
/// first of equal ones.
///
/// # Errors
/// If the index cannot be read.
pub fn way_out(
    index: &Index,
    catalogs: &[PlanCatalog],
    operator: &StayingOperator,
    step: Move,
) -> Result<Option<WayOut>, IndexError> {
    let cluster = Cluster::default();
    let question = PlanQuestion {
        cluster: &cluster,
        from: step.from,
        to: step.to,
        path: path_of(step.from, step.to),
        eus: false,
        // The only lifecycles are those of the catalogs, so no day counts.
        day: Day::of_unix(0),
        level: SupportLevel::default(),
        lifecycles: Vec::new(),
        index,
        catalogs: catalogs.to_vec(),
        source_map: Vec::new(),
        graph: Graph::default(),
        graph_source: String::new(),
        channels: Vec::new(),
        unknown_channels: Vec::new(),
        arch: String::new(),
        scope: Vec::new(),
        gates: operator.installation.gates,
        assume: Vec::new(),
        namespaces: Vec::new(),
    };
    let mut families: Vec<String> = Vec::new();
    for it in catalogs.iter().filter(|it| it.minor.is_same(step.from)) {
        if !families.contains(&it.family) {
            families.push(it.family.clone());
        }
    }
    let choices: Vec<Vec<String>> = match operator.olm {
        Olm::Classic => families.into_iter().map(|it| vec![it]).collect(),
        Olm::V1 => vec![families],
    };
    let path = path_of(step.from, step.to);
    let memo = PlanMemo::default();
    let known = Catalogs::new(&question, &memo);
    let mut best: Option<WayOut> = None;
    for families in choices {
        let alone = alone(operator, families, question.present_catalogs());
        let found = one_way_out(&question, &known, &path, &alone)?;
        best = match (best, found) {
            (Some(best), Some(found)) if found.way.len() < best.way.len() => Some(found),
            (best, found) => best.or(found),
        };
    }
    Ok(best)
}

/// An operator without other known facts, in a normal subscription.
fn alone(of: &StayingOperator, families: Vec<String>, present: Vec<String>) -> Operator {
    Operator {
        channels: of.channels.clone(),
        range: of.range.clone(),
        families,
        next: of.next.clone().map(|next| (next, present)),
        own_max: of.own_max.clone(),
        installation: of.installation.clone(),
        served: of.served.clone(),
        release: of.installed.release.clone(),
        ..Operator::new(of.olm, &of.package, &of.installed.name, &of.installed.version)
    }
}

fn one_way_out(
    question: &PlanQuestion<'_>,
    catalogs: &Catalogs<'_>,
    path: &[Minor],
    operator: &Operator,
) -> Result<Option<WayOut>, IndexError> {
    let mut way = travel(question, catalogs, path, operator)?.way;
    let Some(stops) = stops(&Judge::new(question, catalogs, path, operator), path, operator, &way)? else {
        return Ok(None);
    };
    // A plan goes on to the head if that costs nothing; this question is about the fewest updates.
    way.truncate(stops.iter().map(|it| it.steps).max().unwrap_or_default());
    let Some(last) = way.last().cloned() else { return Ok(None) };
    let there = Operator {
        installed: last.target.bundle,
        version: last.target.version,
        // Only its catalog knows the claims of the new bundle.
        own_max: None,
        ..operator.clone()
    };
    if operator.olm == Olm::Classic && operator.channels.is_empty() {
        set_channels(&mut way);
    }
    let is_verified = travel(question, catalogs, path, &there)?.blockers.is_empty();
    Ok(is_verified.then_some(WayOut { way, stops }))
}

/// Sets the channel for each update: that of the Subscription is not known.
fn set_channels(way: &mut [PathStep]) {
    let mut channel: Option<String> = None;
    for step in way {
        match step.set.first() {
            Some(set) => channel = Some(set.value.clone()),
            None if channel.as_ref().is_some_and(|it| step.target.channels.contains(it)) => {}
            None => {
                channel = step.target.channels.first().cloned();
                let set = |value: &String| Setting { field: "spec.channel".to_owned(), value: value.clone() };
                step.set.extend(channel.as_ref().map(set));
            }
        }
    }
}

/// How many updates of a way an operator needs before each step of the cluster; `None` if it does not lead far enough.
fn stops(
    judge: &Judge<'_>,
    path: &[Minor],
    operator: &Operator,
    way: &[PathStep],
) -> Result<Option<Vec<Stop>>, IndexError> {
    let (mut stops, mut at) = (Vec::new(), 0);
    for to in path.iter().skip(1) {
        if at == 0 && judge.fit(&operator.installed, &operator.version, *to)?.0.may_stay() {
            continue;
        }
        at = at.max(1);
        let target = loop {
            let Some(step) = way.get(at - 1) else { return Ok(None) };
            if judge.fit(&step.target.bundle, &step.target.version, *to)?.0.may_stay() {
                break &step.target;
            }
            at += 1;
        };
        let (bundle, version) = (target.bundle.clone(), target.version.clone());
        stops.push(Stop { openshift: to.to_string(), bundle, version, steps: at });
    }
    Ok(Some(stops))
}
