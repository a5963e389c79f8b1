//! What would make a namespace resolvable: each change is tried by itself, and reported if it works and strands nothing.
//!
//! What it deliberately does not do: it tries nothing that takes two changes, and changes no catalog.

use schemars::JsonSchema;
use serde::Serialize;

use super::conflict::{Conflict, FactKind};
use super::failure::Failure;
use super::resolution::{Options, Resolution, Verdict, resolve};
use super::rows::{Rows, World};
use super::standing::{Position, standings};
use crate::cluster::Subscription;

/// How many changes are tried.
const MAX_TRIES: usize = 60;

/// A change that helps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Repair {
    /// What to change.
    pub change: String,
    /// What is installed then.
    pub installs: Vec<String>,
}

/// Single changes that make the namespace resolvable, those that take least away first.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn repairs(world: &World, rows: &dyn Rows, options: &Options, conflict: &Conflict) -> Result<Vec<Repair>, Failure> {
    let mut found = Vec::new();
    for Change { words: change, world: changed, subscription } in
        changes(world, rows, conflict)?.into_iter().take(MAX_TRIES)
    {
        match resolve(&changed, rows, options) {
            // What resolves by keeping an operator where no update reaches it is no help.
            Ok(Verdict::Resolved(resolution)) if strands(&changed, rows, &resolution, subscription.as_deref())? => {}
            Ok(Verdict::Resolved(resolution)) => {
                let installs = resolution.operators.iter().map(|it| it.name.clone()).collect();
                found.push(Repair { change, installs });
            }
            Err(failure @ (Failure::Index(_) | Failure::Limit(_) | Failure::Work(_))) => return Err(failure),
            Ok(Verdict::Unsatisfiable(_)) | Err(_) => {}
        }
    }
    Ok(found)
}

/// Whether a Subscription would be left with an operator from which nothing leads on.
fn strands(
    world: &World,
    rows: &dyn Rows,
    resolution: &Resolution,
    subscription: Option<&str>,
) -> Result<bool, Failure> {
    let Some(name) = subscription else { return Ok(false) };
    let standings = standings(world, rows, resolution)?;
    Ok(standings.iter().any(|it| it.subscription == name && it.position == Position::Stranded))
}

/// A change to try.
struct Change {
    words: String,
    /// The world with the change.
    world: World,
    /// The Subscription that looks elsewhere then.
    subscription: Option<String>,
}

/// The changes to try, the smallest first.
fn changes(world: &World, rows: &dyn Rows, conflict: &Conflict) -> Result<Vec<Change>, Failure> {
    let mut subscriptions: Vec<usize> = Vec::new();
    let mut unreferenced: Vec<&str> = Vec::new();
    for fact in &conflict.facts {
        match &fact.kind {
            FactKind::Subscription { name } => {
                subscriptions.extend(world.subscriptions.iter().position(|it| it.name == *name));
            }
            FactKind::Unreferenced { operator } => unreferenced.push(&operator.name),
            _ => {}
        }
    }
    let mut changes = Vec::new();
    let with = |idx: usize, change: &dyn Fn(&mut Subscription)| {
        let mut changed = world.clone();
        change(&mut changed.subscriptions[idx]);
        changed
    };
    for &idx in &subscriptions {
        let Subscription { name, channel, starting, .. } = &world.subscriptions[idx];
        if !starting.is_empty() && world.subscriptions[idx].installed.is_empty() {
            let change = format!("take `startingCSV: {starting}` out of the Subscription `{name}`");
            changes.push(Change { words: change, world: with(idx, &|it| it.starting.clear()), subscription: None });
        }
        for (source, channels) in elsewhere(world, rows, &world.subscriptions[idx])? {
            let is_own = world.catalogs.get(source).is_some_and(|it| {
                it.name == world.subscriptions[idx].source && it.namespace == world.subscriptions[idx].source_namespace
            });
            for other in channels.iter().filter(|it| !is_own || *it != channel) {
                let catalog = &world.catalogs[source];
                let change = if is_own {
                    format!("change the channel of the Subscription `{name}` to {other}")
                } else {
                    format!("change the Subscription `{name}` to channel {other} of the catalog {}", catalog.name)
                };
                let changed = with(idx, &|it| {
                    it.channel.clone_from(other);
                    it.source.clone_from(&catalog.name);
                    it.source_namespace.clone_from(&catalog.namespace);
                });
                changes.push(Change { words: change, world: changed, subscription: Some(name.clone()) });
            }
        }
    }
    let without = |words: String, world: World| Change { words, world, subscription: None };
    for name in unreferenced {
        let mut changed = world.clone();
        changed.installed.retain(|it| it.name != name);
        changes.push(without(
            format!("delete the ClusterServiceVersion {name}, which no Subscription speaks of"),
            changed,
        ));
    }
    for &idx in &subscriptions {
        let Subscription { name, installed, .. } = &world.subscriptions[idx];
        let mut changed = world.clone();
        changed.subscriptions.remove(idx);
        if installed.is_empty() || !world.installed.iter().any(|it| it.name == *installed) {
            changes.push(without(format!("remove the Subscription `{name}`"), changed));
        } else {
            changed.installed.retain(|it| it.name != *installed);
            changes.push(without(format!("remove the Subscription `{name}` and uninstall {installed}"), changed));
        }
    }
    Ok(changes)
}

/// Where else a Subscription could get its package: catalogs with the channels that they have, its own first.
fn elsewhere(
    world: &World,
    rows: &dyn Rows,
    subscription: &Subscription,
) -> Result<Vec<(usize, Vec<String>)>, Failure> {
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    for package in rows.package(&subscription.package)? {
        let is_visible = world.catalogs.get(package.catalog).is_some_and(|it| world.is_visible(it));
        if !is_visible {
            continue;
        }
        let mut channels: Vec<String> = package.channels.iter().map(|it| it.name.clone()).collect();
        channels.sort_by_key(|it| (*it != package.default_channel, it.clone()));
        found.push((package.catalog, channels));
    }
    found.sort_by_key(|(catalog, _)| {
        let it = &world.catalogs[*catalog];
        (it.name != subscription.source, -it.priority, it.name.clone())
    });
    Ok(found)
}
