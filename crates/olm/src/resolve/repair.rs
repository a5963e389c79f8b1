//! The changes that would make a namespace resolvable: each is tried by itself, and reported if it works and strands
//! nothing.

use schemars::JsonSchema;
use serde::Serialize;

use super::conflict::{Conflict, ConflictFact, FactKind};
use super::failure::Failure;
use super::position::{Position, standings};
use super::resolution::{Behind, Options, Resolution, Verdict, resolve};
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
    /// The change for machines: commands are made from it.
    #[serde(skip)]
    #[schemars(skip)]
    pub edit: Edit,
}

/// A change to the objects of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// A Subscription no longer names a bundle to start with.
    ForgetStart { subscription: String },
    /// A Subscription follows another channel, and another CatalogSource if one is given by name and namespace.
    Follow { subscription: String, channel: String, source: Option<(String, String)> },
    /// Objects are deleted.
    Delete { subscription: Option<String>, csv: Option<String> },
}

/// Single changes that make the namespace resolvable, those that take least away first.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn repairs(world: &World, rows: &dyn Rows, options: &Options, conflict: &Conflict) -> Result<Vec<Repair>, Failure> {
    helpful(rows, options, changes(world, rows, &conflict.facts, false)?, |_| true)
}

/// Single changes after which OLM finds an answer, where it gets none: the failure may be that of any Subscription.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn failure_repairs(world: &World, rows: &dyn Rows, options: &Options) -> Result<Vec<Repair>, Failure> {
    let places = 0..world.subscriptions.len();
    let mut changes = Vec::new();
    for idx in places.clone() {
        changes.extend(changes_of(world, rows, idx)?);
    }
    changes.extend(places.map(|idx| removal(world, idx)));
    helpful(rows, options, changes, |_| true)
}

/// Single changes after which a Subscription gets the bundle that it prefers, those that take least away first.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn held_repairs(
    world: &World,
    rows: &dyn Rows,
    options: &Options,
    behind: &Behind,
) -> Result<Vec<Repair>, Failure> {
    let mut changes = changes(world, rows, &behind.facts, true)?;
    // To give up the operator itself is no way to upgrade it.
    changes.retain(
        |it| !matches!(&it.edit, Edit::Delete { subscription: Some(name), .. } if *name == behind.subscription),
    );
    helpful(rows, options, changes, |resolution| {
        resolution.operators.iter().any(|it| it.package == behind.wanted.package && it.name != behind.gets)
    })
}

/// The changes that make the namespace resolvable, with a resolution that helps.
fn helpful(
    rows: &dyn Rows,
    options: &Options,
    changes: Vec<Change>,
    helps: impl Fn(&Resolution) -> bool,
) -> Result<Vec<Repair>, Failure> {
    let mut found = Vec::new();
    for Change { words: change, world: changed, subscription, edit } in changes.into_iter().take(MAX_TRIES) {
        let Some(resolution) = resolution_after(&changed, rows, options)? else { continue };
        // A change is no help if it works only because an operator stays where no update reaches it.
        if helps(&resolution) && !strands(&changed, rows, &resolution, subscription.as_deref())? {
            let installs = resolution.operators.into_iter().map(|operator| operator.name).collect();
            found.push(Repair { change, installs, edit });
        }
    }
    Ok(found)
}

/// The resolution of a namespace after a change; `None` if it has none.
///
/// # Errors
/// If the catalogs cannot be read, or a limit ends the work before there is an answer.
pub fn resolution_after(changed: &World, rows: &dyn Rows, options: &Options) -> Result<Option<Resolution>, Failure> {
    match resolve(changed, rows, &Options { explains: false, ..*options }) {
        Ok(Verdict::Resolved(resolution)) => Ok(Some(resolution)),
        Err(failure @ (Failure::Index(_) | Failure::Limit(_) | Failure::Work(_))) => Err(failure),
        Ok(Verdict::Unsatisfiable(_)) | Err(_) => Ok(None),
    }
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
    edit: Edit,
}

/// The changes to try, the smallest first.
fn changes(world: &World, rows: &dyn Rows, facts: &[ConflictFact], is_held: bool) -> Result<Vec<Change>, Failure> {
    let mut subscriptions: Vec<usize> = Vec::new();
    let mut unreferenced: Vec<&str> = Vec::new();
    for fact in facts {
        match &fact.kind {
            FactKind::Subscription { name } => {
                subscriptions.extend(world.subscriptions.iter().position(|it| it.name == *name));
            }
            // Operators that stay hold another one back, and their Subscriptions are no facts of the conflict.
            FactKind::Providers { operators, .. } | FactKind::Package { operators, .. } if is_held => {
                let is_its = |it: &Subscription| operators.iter().any(|operator| operator.name == it.installed);
                let all = world.subscriptions.iter().enumerate();
                subscriptions.extend(all.filter(|(_, it)| is_its(it)).map(|(idx, _)| idx));
            }
            FactKind::Requires { operator, .. } | FactKind::Replaces { operator, .. } if is_held => {
                subscriptions.extend(world.subscriptions.iter().position(|it| it.installed == operator.name));
            }
            FactKind::Unreferenced { operator } => unreferenced.push(&operator.name),
            _ => {}
        }
    }
    if is_held {
        subscriptions.sort_unstable();
        subscriptions.dedup();
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
        let edit = Edit::ForgetStart { subscription: name.clone() };
        changes.push(Change { words, world: with(&|it| it.starting.clear()), subscription: None, edit });
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
            let source = (!is_own).then(|| (catalog.own_name().to_owned(), catalog.namespace.clone()));
            let edit = Edit::Follow { subscription: name.clone(), channel: other.clone(), source };
            changes.push(Change { words, world: changed, subscription: Some(name.clone()), edit });
        }
    }
    Ok(changes)
}

/// The change that deletes a ClusterServiceVersion without a Subscription.
fn deletion(world: &World, name: &str) -> Change {
    let mut changed = world.clone();
    changed.installed.retain(|it| it.name != name);
    let words = format!("delete the ClusterServiceVersion {name}, which no Subscription names");
    let edit = Edit::Delete { subscription: None, csv: Some(name.to_owned()) };
    Change { words, world: changed, subscription: None, edit }
}

/// The change that removes a Subscription, by its index, and its installed bundle.
fn removal(world: &World, idx: usize) -> Change {
    let Subscription { name, installed, .. } = &world.subscriptions[idx];
    let mut changed = world.clone();
    changed.subscriptions.remove(idx);
    let is_installed = !installed.is_empty() && world.installed.iter().any(|it| it.name == *installed);
    let words = if is_installed {
        changed.installed.retain(|it| it.name != *installed);
        format!("remove the Subscription `{name}` and uninstall {installed}")
    } else {
        format!("remove the Subscription `{name}`")
    };
    let edit = Edit::Delete { subscription: Some(name.clone()), csv: is_installed.then(|| installed.clone()) };
    Change { words, world: changed, subscription: None, edit }
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
