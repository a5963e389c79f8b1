//! The changes that would make a namespace resolvable: each is tried by itself, and reported if it works and strands
//! nothing.

use schemars::JsonSchema;
use serde::Serialize;

use super::conflict::{Conflict, FactKind};
use super::failure::Failure;
use super::position::{Position, standings};
use super::resolution::{Options, Resolution, Verdict, resolve};
use super::rows::{Rows, World};
use olmdex_rules::cluster::Subscription;

/// The number of changes that are tried.
const MAX_TRIES: usize = 60;

/// A change that helps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Repair {
    /// The change to make.
    pub change: String,
    /// The bundles that are installed then.
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
            // A change is no help if it works only because an operator stays where no update reaches it.
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

/// Whether a Subscription would be left with an operator that has no upgrade.
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
    for &idx in &subscriptions {
        changes.extend(changes_of(world, rows, idx)?);
    }
    changes.extend(unreferenced.into_iter().map(|it| deletion(world, it)));
    changes.extend(subscriptions.into_iter().map(|it| removal(world, it)));
    Ok(changes)
}

/// The possible changes to a Subscription, given by its index.
fn changes_of(world: &World, rows: &dyn Rows, idx: usize) -> Result<Vec<Change>, Failure> {
    let subscription = &world.subscriptions[idx];
    let Subscription { name, channel, starting, .. } = subscription;
    let with = |change: &dyn Fn(&mut Subscription)| {
        let mut changed = world.clone();
        change(&mut changed.subscriptions[idx]);
        changed
    };
    let mut changes = Vec::new();
    if !starting.is_empty() && subscription.installed.is_empty() {
        let words = format!("remove `startingCSV: {starting}` from the Subscription `{name}`");
        changes.push(Change { words, world: with(&|it| it.starting.clear()), subscription: None });
    }
    for (source, channels) in elsewhere(world, rows, subscription)? {
        let catalog = &world.catalogs[source];
        let is_own = catalog.name == subscription.source && catalog.namespace == subscription.source_namespace;
        for other in channels.iter().filter(|it| !is_own || *it != channel) {
            let words = if is_own {
                format!("change the channel of the Subscription `{name}` to {other}")
            } else {
                format!("change the Subscription `{name}` to channel {other} of the catalog {}", catalog.name)
            };
            let changed = with(&|it| {
                it.channel.clone_from(other);
                it.source.clone_from(&catalog.name);
                it.source_namespace.clone_from(&catalog.namespace);
            });
            changes.push(Change { words, world: changed, subscription: Some(name.clone()) });
        }
    }
    Ok(changes)
}

/// The change that deletes a ClusterServiceVersion without a Subscription.
fn deletion(world: &World, name: &str) -> Change {
    let mut changed = world.clone();
    changed.installed.retain(|it| it.name != name);
    let words = format!("delete the ClusterServiceVersion {name}, which no Subscription names");
    Change { words, world: changed, subscription: None }
}

/// The change that removes a Subscription, by its index, and its installed bundle.
fn removal(world: &World, idx: usize) -> Change {
    let Subscription { name, installed, .. } = &world.subscriptions[idx];
    let mut changed = world.clone();
    changed.subscriptions.remove(idx);
    let words = if installed.is_empty() || !world.installed.iter().any(|it| it.name == *installed) {
        format!("remove the Subscription `{name}`")
    } else {
        changed.installed.retain(|it| it.name != *installed);
        format!("remove the Subscription `{name}` and uninstall {installed}")
    };
    Change { words, world: changed, subscription: None }
}

/// The other places from which a Subscription could get its package: catalogs with their channels, its own first.
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
        let mut channels: Vec<String> = package.graph.channels.iter().map(|it| it.name.clone()).collect();
        channels.sort_by_key(|it| (*it != package.graph.default_channel, it.clone()));
        found.push((package.catalog, channels));
    }
    found.sort_by_key(|(catalog, _)| {
        let it = &world.catalogs[*catalog];
        (it.name != subscription.source, -it.priority, it.name.clone())
    });
    Ok(found)
}
