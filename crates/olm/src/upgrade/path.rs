//! The steps that OLM takes one after another.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{EngineQuestion, PackageView};
use super::classic::{self, End};
use super::goal::{ChannelChange, Outlook, OutlookVerdict};
use super::installed::InstalledBundle;
use super::target::Target;
use super::updates::{classic_updates, no_channel, refused_words, v1_target};
use super::v1;
use crate::obstacle::{Effect, Obstacle};
use olmdex_base::olm::Olm;
use olmdex_index::query::PackageGraph;
use olmdex_version::Version;
use olmdex_version::masterminds::api_server_refusal;

/// A way through the versions of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradePath {
    /// The generation of OLM.
    pub olm: Olm,
    /// The package.
    pub package: String,
    /// The catalog that the answer is about, if there is one for each of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The Subscription or ClusterExtension that the answer is about, if it was read from a cluster:
    /// `Subscription NAMESPACE/NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
    /// The channels that were asked for.
    pub channels: Vec<String>,
    /// The start of the way.
    pub from: InstalledBundle,
    /// The bundle that was asked for, if one was.
    pub to: Option<String>,
    /// Whether it arrives: at the bundle, or at an end that is not a dead end.
    pub is_reached: bool,
    /// The steps.
    pub steps: Vec<PathStep>,
    /// The end, and the reason for it.
    pub reason: String,
    /// Where the installed bundle can go in OLM Classic: to the bundle that was asked for, or to the newest version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
    /// The first obstacle between the operator and its next version, if the question was about one of a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<Obstacle>,
}

/// A step of a way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathStep {
    /// The target of the step.
    #[serde(flatten)]
    pub target: Target,
    /// The settings that make OLM take it; empty if OLM takes it anyway.
    pub set: Vec<Setting>,
}

impl From<Target> for PathStep {
    fn from(target: Target) -> Self {
        Self { target, set: Vec::new() }
    }
}

/// A field of a Subscription or ClusterExtension, and the value to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// The field, from the object's root.
    pub field: String,
    /// The value.
    pub value: String,
}

impl UpgradePath {
    pub(super) fn new(
        olm: Olm,
        view: &PackageView,
        asked: &EngineQuestion,
        from: &InstalledBundle,
        to: Option<&str>,
    ) -> Self {
        Self {
            olm,
            package: view.package.clone(),
            catalog: asked.catalog.clone(),
            managed_by: asked.managed_by.clone(),
            channels: asked.channels.clone(),
            from: from.clone(),
            to: to.map(str::to_owned),
            is_reached: false,
            steps: Vec::new(),
            reason: String::new(),
            outlook: None,
            obstacle: None,
        }
    }

    /// Says what the outlook adds to a way without a wanted end, which does not end well below the newest version of
    /// the default channel.
    pub fn look_beyond(&mut self, default_channel: &str) {
        let Some(outlook) = self.outlook.as_ref().filter(|_| self.to.is_none() && self.is_reached) else { return };
        let end = self.steps.last().map_or(&self.from.name, |step| &step.target.bundle);
        // Without a channel, the way leads through all of them.
        if *end == outlook.goal {
            return;
        }
        let version = |text: &str| Version::parse(text).ok();
        let last = self.steps.last().map_or(&self.from.version, |step| &step.target.version);
        // A candidate may be higher than the newest release.
        let relation = if version(last) < version(&outlook.goal_version) { "below" } else { "and not" };
        let end = format!("{end} is a head, {relation} {} of the default channel `{default_channel}`", outlook.goal);
        let (is_reached, reason) = match (outlook.verdict, outlook.changes.first()) {
            (OutlookVerdict::DeadEnd, _) if !outlook.is_stuck() => (false, format!("{end}, to which no upgrade leads")),
            (OutlookVerdict::DeadEnd, _) => (false, format!("{end}, to which no upgrade leads: a dead end")),
            (OutlookVerdict::ChangeChannel, Some(ChannelChange { channel, before: None, .. })) => {
                (true, format!("{end}: set the channel to `{channel}` to go on"))
            }
            (OutlookVerdict::ChangeChannel, Some(ChannelChange { channel, before: Some(before), .. })) => {
                (false, format!("{end}: a dead end; set the channel to `{channel}` before {before} is installed"))
            }
            _ => return,
        };
        (self.is_reached, self.reason) = (is_reached, reason);
    }

    /// The same way in a namespace that may keep the operator from its first step.
    pub fn put_in(&mut self, obstacle: Option<&Obstacle>) {
        self.obstacle = obstacle.cloned();
        if let Some(obstacle) = obstacle.filter(|it| !it.permits() && !self.steps.is_empty()) {
            self.is_reached = false;
            let words = match obstacle.effect {
                Effect::Stops => "OLM takes no step before that is fixed",
                _ => "whether OLM takes a step is not known",
            };
            self.reason = format!("{}; {words}: {}", self.reason, obstacle.text);
        }
    }

    /// The answer for an end in OLM Classic.
    fn ended(self, end: End) -> Self {
        let (ends_well, words) = match end {
            End::Head => (true, "is a head"),
            End::Stranded => (false, "is not a head, but no upgrade leads from it"),
            End::Loop => (false, "was installed before: the path loops"),
        };
        self.finish(ends_well, words)
    }

    /// Cuts the way behind the bundle that was asked for, and says how it ends.
    fn finish(mut self, ends_well: bool, end: &str) -> Self {
        let last = self.steps.last().map_or(&self.from.name, |it| &it.target.bundle).clone();
        let Some(to) = self.to.clone() else {
            self.is_reached = ends_well;
            self.reason = format!("{last} {end}");
            return self;
        };
        if let Some(at) = self.steps.iter().position(|it| it.target.bundle == to) {
            self.steps.truncate(at + 1);
            self.is_reached = true;
            self.reason = format!("{to} is reached");
        } else {
            self.is_reached = self.from.name == to;
            self.reason = if self.is_reached {
                format!("{to} is installed")
            } else {
                format!("{to} is not on the path: {last} {end}")
            };
        }
        self
    }
}

/// The steps of OLM Classic.
pub fn classic_path(
    view: &PackageView,
    graph: &PackageGraph,
    asked: &EngineQuestion,
    from: &InstalledBundle,
    to: Option<&str>,
) -> UpgradePath {
    let mut answer = UpgradePath::new(Olm::Classic, view, asked, from, to);
    let package = view.as_classic(graph);
    if let Some(channel) = asked.channel().filter(|name| package.channels_named(name).is_empty()) {
        return UpgradePath { reason: no_channel(&package, channel), ..answer };
    }
    match package.path(asked.channel(), &from.as_classic()) {
        Err(error) => UpgradePath { reason: error.to_string(), ..answer },
        Ok(path) => {
            let end = path.end;
            answer.steps = targets(view, graph, path);
            answer.ended(end)
        }
    }
}

/// The steps of OLM Classic in a namespace that OLM resolves to `next`: what others in it demand may rule out the
/// bundle that is nearest to the head.
pub fn classic_path_over(
    next: &str,
    view: &PackageView,
    graph: &PackageGraph,
    asked: &EngineQuestion,
    (from, to): (&InstalledBundle, Option<&str>),
) -> UpgradePath {
    let nearest = classic_path(view, graph, asked, from, to);
    if nearest.steps.first().is_none_or(|step| step.target.bundle == next) {
        return nearest;
    }
    let asked_from = EngineQuestion { installed: Some(from.clone()), ..asked.clone() };
    let others = classic_updates(view, graph, &asked_from).others;
    let Some(first) = others.into_iter().find(|target| target.bundle == next) else { return nearest };
    let behind = InstalledBundle::held(first.bundle.clone(), first.version.clone());
    let mut path = classic_path(view, graph, asked, &behind, to);
    path.from.clone_from(from);
    path.steps.insert(0, first.into());
    if to == Some(next) {
        path.reason = format!("{next} is reached");
    }
    path
}

fn targets(view: &PackageView, graph: &PackageGraph, path: classic::Path) -> Vec<PathStep> {
    path.steps.into_iter().map(|it| view.step_target(&graph.catalog, it).into()).collect()
}

/// The steps of OLM v1: at each the highest version that is permitted.
pub fn v1_path(view: &PackageView, asked: &EngineQuestion, from: &InstalledBundle, to: Option<&str>) -> UpgradePath {
    let mut answer = UpgradePath::new(Olm::V1, view, asked, from, to);
    // Such a ClusterExtension cannot exist, so OLM cannot resolve it.
    if let Some(refusal) = api_server_refusal(&asked.version) {
        return answer.finish(false, &format!("ends the path: {refusal}"));
    }
    let mut at = from.clone();
    let mut seen = BTreeSet::from([at.name.clone()]);
    loop {
        let installed = at.as_v1();
        let question = EngineQuestion { installed: Some(at.clone()), ..asked.clone() }.question(&view.package);
        let found = match v1::resolve_only(&question, view.catalogs()) {
            Ok(found) => found,
            Err(error) => return answer.finish(false, &format!("ends the path: {error}")),
        };
        if found.is_recorded_as(&installed) {
            return answer.finish(true, "is the highest version permitted");
        }
        let target = view.catalogs().iter().find(|it| it.name == found.catalog).and_then(|catalog| {
            let permits = v1::permits_to(catalog, &found.bundle, &installed, &asked.channels);
            v1_target(catalog, catalog.candidate(&found.bundle)?, permits, asked)
        });
        let Some(target) = target else { return answer.finish(false, "ends the path") };
        if let Some(refusal) = &target.refusal {
            let why = format!("ends the path: {}", refused_words(&target.bundle, refusal));
            return answer.finish(false, &why);
        }
        at = InstalledBundle::after(&target);
        answer.steps.push(target.into());
        if !seen.insert(at.name.clone()) {
            return answer.finish(false, "was installed before: the path loops");
        }
    }
}
