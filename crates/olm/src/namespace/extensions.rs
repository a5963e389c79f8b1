//! The same questions about ClusterExtensions of OLM v1: whether ClusterCatalogs serve, what the conditions report, and
//! whether the catalogs have a version to install (`docs/behaviour/olm-v1.md` 2.8, 2.10, 5).

use super::commands::plain_name;
use super::definitions::stored_versions_lost;
use super::standing::{NamespaceState, OperatorStanding};
use crate::obstacle::{Effect, Obstacle, ObstacleCode};
use crate::upgrade::{Updates, Verdict};
use olmdex_fbc::Api;
use olmdex_rules::cluster::{Cluster, ClusterCatalog, ClusterExtension, ClusterObjectSet, Condition};

/// The obstacles between a ClusterExtension and its next version. `updates` is the answer of OLM v1, if the catalogs
/// are known.
pub fn of_extension(cluster: &Cluster, extension: &ClusterExtension, updates: Option<&Updates>) -> Vec<Obstacle> {
    let mut obstacles: Vec<Obstacle> = cluster
        .cluster_catalogs
        .iter()
        .filter(|it| extension.asks(&it.labels))
        .filter_map(|it| of_catalog(it, extension))
        .collect();
    let reported = of_conditions(extension);
    let is_reported = reported.is_some();
    let revisions = cluster.object_sets.iter().filter(|it| it.owner == extension.name && !it.is_archived);
    let told = |message: &str| reported.as_ref().is_some_and(|it| it.message.contains(message));
    let revisions: Vec<Obstacle> =
        revisions.filter_map(|it| of_revision(it, extension)).filter(|it| !told(&it.message)).collect();
    obstacles.extend(reported);
    obstacles.extend(revisions);
    if updates.is_none() && obstacles.is_empty() {
        let asked = cluster.cluster_catalogs.iter().filter(|it| extension.asks(&it.labels));
        let asked: Vec<&str> = asked.map(|it| it.name.as_str()).collect();
        let (text, map) = match asked.as_slice() {
            [] => (format!("no given catalog has {}", extension.package), "give one that has it with `-i`".to_owned()),
            [name, ..] => (
                format!("no catalog is tied to the ClusterCatalog {}", asked.join(" or ")),
                format!("tie one: `-i {name}=SOURCE`, or `--source-map {name}=CATALOG`"),
            ),
        };
        let found =
            Obstacle::new(ObstacleCode::CatalogNotGiven, Effect::Unknown, object(extension), text, &extension.place);
        obstacles.push(found.of([&extension.name]).remedy(&map, Vec::new()));
    }
    if let Some(updates) = updates.filter(|it| it.is_negative() && !is_reported) {
        let text = match (&updates.verdict, &updates.refusal) {
            (Verdict::Refused, Some(refusal)) => format!("OLM v1 refuses the version that it resolves to: {refusal}"),
            _ => format!("OLM v1 finds no version: {}", updates.reason),
        };
        let found =
            Obstacle::new(ObstacleCode::ExtensionStuck, Effect::Stops, object(extension), text, &extension.place);
        obstacles.push(found.of([&extension.name]));
    }
    obstacles
}

fn object(extension: &ClusterExtension) -> String {
    format!("ClusterExtension {}", extension.name)
}

fn of_catalog(catalog: &ClusterCatalog, extension: &ClusterExtension) -> Option<Obstacle> {
    if catalog.is_unavailable || catalog.serves() {
        return None;
    }
    let condition = ["Progressing", "Serving"]
        .iter()
        .find_map(|kind| Condition::find(&catalog.conditions, kind).filter(|it| !it.message.is_empty()));
    let text = format!("the ClusterCatalog {} does not serve its content", catalog.name);
    let object = format!("ClusterCatalog {}", catalog.name);
    let found = Obstacle::new(ObstacleCode::CatalogUnreachable, Effect::Stops, object, text, &catalog.place)
        .of([&extension.name])
        .then("OLM v1 resolves no ClusterExtension that selects this ClusterCatalog");
    let found = match condition {
        Some(condition) => found.since(&condition.since).message(&condition.message),
        None => found,
    };
    let look = plain_name(&catalog.name).map(|name| format!("oc describe clustercatalog {name}"));
    Some(found.remedy("make its image available", look.into_iter().collect()))
}

/// The reasons of the condition Progressing that mean that operator-controller makes no progress.
const STUCK: [&str; 4] = ["Retrying", "Blocked", "InvalidConfiguration", "ProgressDeadlineExceeded"];

/// The report of operator-controller itself.
fn of_conditions(extension: &ClusterExtension) -> Option<Obstacle> {
    let progressing = Condition::find(&extension.conditions, "Progressing");
    let installed = Condition::find(&extension.conditions, "Installed").filter(|it| it.status == "False");
    let (condition, effect) = match progressing {
        Some(it) if STUCK.contains(&it.reason.as_str()) => (it, Effect::Stops),
        Some(it) if it.status == "True" && it.reason == "RollingOut" => (it, Effect::Waits),
        _ => (installed?, Effect::Stops),
    };
    let what = match (effect, condition.reason.as_str()) {
        (Effect::Waits, _) => "OLM v1 rolls out a version".to_owned(),
        (_, "") => "OLM v1 reports an error".to_owned(),
        (_, reason) => format!("OLM v1 reports {reason}"),
    };
    let found = Obstacle::new(ObstacleCode::ExtensionStuck, effect, object(extension), what, &extension.place);
    let found = found.of([&extension.name]).since(&condition.since).message(&condition.message);
    let look = plain_name(&extension.name).map(|name| format!("oc describe clusterextension {name}"));
    let change = if effect == Effect::Waits { "wait for it" } else { "remove the cause that the message names" };
    Some(found.remedy(change, look.into_iter().collect()))
}

/// The report of a revision of a ClusterExtension: its rollout, or the objects that it has rolled out.
fn of_revision(set: &ClusterObjectSet, extension: &ClusterExtension) -> Option<Obstacle> {
    let progressing = Condition::find(&set.conditions, "Progressing");
    let available = Condition::find(&set.conditions, "Available").filter(|it| it.status == "False");
    let (condition, effect) = match progressing {
        Some(it) if STUCK.contains(&it.reason.as_str()) => (it, Effect::Stops),
        Some(it) if it.reason == "RollingOut" && !set.is_rolled_out => (available.unwrap_or(it), Effect::Waits),
        _ => (available?, Effect::Waits),
    };
    let bundle = if set.bundle.is_empty() { &set.name } else { &set.bundle };
    let text = format!("revision {} ({bundle}) reports {}", set.revision, condition.reason);
    let object = format!("ClusterObjectSet {}", set.name);
    let found = Obstacle::new(ObstacleCode::ExtensionStuck, effect, object, text, &set.place);
    let found = found.of([&extension.name]).since(&condition.since).message(&condition.message);
    let found = found.then(match set.is_rolled_out {
        // Unlike OLM Classic, which upgrades no ClusterServiceVersion that has failed.
        true => "the operator may not work; OLM v1 upgrades it all the same",
        false => "OLM v1 keeps the objects of the revision before it until this one is available",
    });
    let look = plain_name(&set.name).map(|name| format!("oc describe clusterobjectset {name}"));
    let waits = effect == Effect::Waits && !set.is_rolled_out;
    let change = if waits { "wait for it" } else { "remove the cause that the message names" };
    Some(found.remedy(change, look.into_iter().collect()))
}

/// The definitions that keep OLM v1 from the next bundle of a ClusterExtension, as far as the catalogs tell: its check
/// of definitions compares the stored versions (`docs/behaviour/olm-v1.md` 6).
pub fn unsafe_definitions(
    cluster: &Cluster,
    extension: &ClusterExtension,
    (next, apis): (&str, &[Api]),
    owned: &[Api],
) -> Vec<Obstacle> {
    stored_versions_lost(cluster, (next, apis), owned, |found, name, version| {
        let refusal = format!(
            "validating upgrade for CRD \"{name}\": storedVersionRemoval: stored versions removed : [{version}]"
        );
        let then = "if its definition lacks the version too, OLM v1 refuses the bundle";
        found.of([&extension.name]).message(&refusal).then(then)
    })
}

/// The state of ClusterExtensions, with the bundle that each gets next.
pub fn state_of_extensions(
    extensions: &[&ClusterExtension],
    next: &[Option<String>],
    obstacles: Vec<Obstacle>,
) -> NamespaceState {
    let standing = |(extension, next): (&&ClusterExtension, &Option<String>)| {
        let installed = extension.installed.as_ref().map(|it| it.name.clone()).unwrap_or_default();
        let next = next.clone().filter(|it| *it != installed);
        OperatorStanding::new(&extension.package, &extension.name, installed, next, &obstacles)
    };
    let operators = extensions.iter().zip(next).map(standing).collect();
    NamespaceState { namespace: String::new(), operators, obstacles }
}
