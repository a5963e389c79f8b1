//! The first questions of OLM: whether the CatalogSources answer, and whether there is one OperatorGroup.

use super::NamespaceInquiry;
use super::commands::Commands;
use crate::obstacle::{Effect, Obstacle, ObstacleCode};
use crate::resolve::Failure;
use olmdex_rules::cluster::{CatalogSource, OperatorGroup, Subscription};
use olmdex_version::first_of;

/// For how many of several OperatorGroups it is shown how to keep them alone.
const MAX_KEPT: usize = 5;

/// The consequence of a namespace that OLM does not resolve.
const NOTHING: &str = "OLM installs and upgrades nothing in this namespace, whatever catalog a Subscription names";

impl NamespaceInquiry<'_> {
    pub(super) fn of_sources(&self) -> Result<Vec<Obstacle>, Failure> {
        let mut obstacles = Vec::new();
        for source in self.cluster.catalog_sources.iter().filter(|it| self.world.sees(&it.namespace)) {
            obstacles.extend(self.of_source(source)?);
        }
        obstacles
            .extend(self.subscriptions().filter_map(|it| self.not_visible(it).or_else(|| self.missing_source(it))));
        obstacles.extend(self.not_given());
        obstacles.extend(self.of_groups()?);
        Ok(obstacles)
    }

    fn of_source(&self, source: &CatalogSource) -> Result<Option<Obstacle>, Failure> {
        let CatalogSource { name, namespace: of, state, .. } = source;
        let object = format!("CatalogSource {of}/{name}");
        if source.is_unready() {
            let (effect, what) = match source.is_unreachable() {
                true => (Effect::Stops, "does not answer"),
                false => (Effect::Waits, "does not answer yet"),
            };
            let text = format!("the CatalogSource {of}/{name} {what} ({state})");
            let found = Obstacle::new(ObstacleCode::CatalogUnreachable, effect, object, text, &source.place);
            let found = found.since(&source.since).message(&source.message).then(NOTHING);
            return Ok(Some(self.with_source_remedies(found, source)?));
        }
        Ok(None)
    }

    /// The Subscriptions to whose CatalogSources no catalog is tied.
    fn not_given(&self) -> Vec<Obstacle> {
        let mut obstacles: Vec<Obstacle> = Vec::new();
        for it in self.subscriptions().filter(|it| !self.is_given(it) && !self.lacks_source(it)) {
            let full = format!("{}/{}", it.source_namespace, it.source);
            let object = format!("CatalogSource {full}");
            if let Some(known) = obstacles.iter_mut().find(|known| known.object == object) {
                known.subjects.push(it.name.clone());
                continue;
            }
            let text = format!("no catalog is tied to the CatalogSource {full}");
            let found = Obstacle::new(ObstacleCode::CatalogNotGiven, Effect::Unknown, object, text, &it.place);
            let map = format!("tie one: `-i {}=SOURCE`, or `--source-map {full}=CATALOG`", it.source);
            obstacles.push(found.of([&it.name]).remedy(map, Vec::new()));
        }
        obstacles
    }

    fn with_source_remedies(&self, found: Obstacle, source: &CatalogSource) -> Result<Obstacle, Failure> {
        let CatalogSource { name, namespace: of, .. } = source;
        let commands = Commands(of);
        let look =
            [commands.describe("catalogsource", name), commands.list("pods", &format!("olm.catalogSource={name}"))];
        let mut found =
            found.remedy(format!("make the pod of {name} answer: look at its state and its image"), look.concat());
        let is_used = |it: &Subscription| it.source == *name && it.source_namespace == *of;
        if source.is_unreachable() && !self.cluster.subscriptions.iter().any(is_used) {
            let mut world = self.world.clone();
            world.catalogs.retain(|it| it.source != *name || it.namespace != *of);
            let change = format!("delete the CatalogSource {name}: no Subscription of the input names it");
            found.remedies.extend(self.tried(&world, change, commands.delete("catalogsource", name))?);
        }
        Ok(found)
    }

    /// A Subscription whose CatalogSource is in a namespace that OLM does not look at for it.
    fn not_visible(&self, subscription: &Subscription) -> Option<Obstacle> {
        let Subscription { name, namespace, source, source_namespace: of, since, place, .. } = subscription;
        if of.is_empty() || self.world.sees(of) {
            return None;
        }
        let global = &self.world.global_namespace;
        let (seen, change) = match self.world.groups.excludes_global {
            true => (
                format!("{namespace} alone, since its OperatorGroup excludes those of {global}"),
                format!("create the CatalogSource {source} in {namespace}, and name it in the Subscription"),
            ),
            false => (
                format!("{namespace} and of the global namespace, {global}"),
                format!(
                    "create the CatalogSource {source} in {global} or in {namespace}, and name it in the Subscription"
                ),
            ),
        };
        let text = format!(
            "namespace {namespace} does not see the CatalogSource {of}/{source}, which the Subscription {name} names"
        );
        let object = format!("Subscription {namespace}/{name}");
        let message =
            format!("no operators found from catalog {source} in namespace {of} referenced by subscription {name}");
        let mut found = Obstacle::new(ObstacleCode::CatalogNotVisible, Effect::Stops, object, text, place);
        found.because.push(format!("OLM uses the CatalogSources of {seen}"));
        let found = found.since(since).message(&message).then(NOTHING);
        Some(found.remedy(change, Commands(of).get("catalogsource", source)))
    }

    /// Whether the CatalogSource of a Subscription does not exist: the input has others of its namespace.
    fn lacks_source(&self, subscription: &Subscription) -> bool {
        let Subscription { source, source_namespace: of, .. } = subscription;
        let mut there = self.cluster.catalog_sources.iter().filter(|it| it.namespace == *of).peekable();
        there.peek().is_some() && !there.any(|it| it.name == *source)
    }

    fn missing_source(&self, subscription: &Subscription) -> Option<Obstacle> {
        let Subscription { name, namespace, source, source_namespace: of, since, place, .. } = subscription;
        if !self.lacks_source(subscription) {
            return None;
        }
        let text = format!("the CatalogSource {of}/{source} does not exist, and the Subscription {name} names it");
        let object = format!("Subscription {namespace}/{name}");
        let message =
            format!("no operators found from catalog {source} in namespace {of} referenced by subscription {name}");
        let found = Obstacle::new(ObstacleCode::CatalogMissing, Effect::Stops, object, text, place);
        let found = found.since(since).message(&message).then(NOTHING);
        let change = format!("set `spec.source` of the Subscription {name} to a CatalogSource of the cluster");
        Some(found.remedy(change, Commands(of).list("catalogsources", "")))
    }

    /// Whether the namespace without an OperatorGroup has none in the cluster either: OLM reports it, or the input has
    /// those of others, and OLM has installed nothing here.
    fn shows_no_group(&self) -> bool {
        let has_none = self.own().next().is_none();
        self.own().any(|csv| csv.reason == "NoOperatorGroup") || (has_none && !self.cluster.operator_groups.is_empty())
    }

    pub(super) fn groups(&self) -> Vec<&OperatorGroup> {
        self.cluster.operator_groups.iter().filter(|group| group.namespace == self.namespace()).collect()
    }

    fn of_groups(&self) -> Result<Option<Obstacle>, Failure> {
        let namespace = self.namespace();
        let groups = self.groups();
        let names: Vec<&str> = groups.iter().map(|it| it.name.as_str()).collect();
        let place = groups.first().map(|it| it.place.clone()).unwrap_or_default();
        let count = ObstacleCode::OperatorGroupCount;
        match groups.as_slice() {
            [_] => Ok(None),
            // Nothing is subscribed to, so nothing asks for a group.
            [] if self.subscriptions().next().is_none() => Ok(None),
            [] => {
                let object = format!("Namespace {namespace}");
                let change = "create one OperatorGroup, with the namespaces that the operators are to watch";
                if self.shows_no_group() {
                    let text = "the namespace has no OperatorGroup".to_owned();
                    let found = Obstacle::new(count, Effect::Stops, object, text, &place);
                    let found = found.message("found 0 operatorGroups, expected 1").then(NOTHING);
                    return Ok(Some(found.remedy(change, Vec::new())));
                }
                let text = "the input has no OperatorGroup of the namespace; one that suits its operators is assumed";
                let found = Obstacle::new(count, Effect::Unknown, object, text.to_owned(), &place);
                Ok(Some(found.remedy("add `operatorgroups` to the input", Vec::new())))
            }
            several => {
                let text = format!(
                    "the namespace has {} OperatorGroups: {}",
                    several.len(),
                    first_of(names.iter(), several.len())
                );
                let object = format!("OperatorGroup {namespace}/{}", names[0]);
                let message = format!("found {} operatorGroups, expected 1", several.len());
                let mut found =
                    Obstacle::new(count, Effect::Stops, object, text, &place).message(&message).then(NOTHING);
                let mut world = self.world.clone();
                world.groups.count = 1;
                for kept in names.iter().take(MAX_KEPT) {
                    let others = names.iter().filter(|name| *name != kept);
                    let deletions = others.flat_map(|name| self.commands().delete("operatorgroup", name)).collect();
                    let change = format!("keep the OperatorGroup {kept}, and delete the others");
                    found.remedies.extend(self.tried(&world, change, deletions)?);
                }
                Ok(Some(found))
            }
        }
    }
}
