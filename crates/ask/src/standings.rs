//! Which versions of a package can get to one of them: the newest of the default channel, or another.

use std::collections::HashMap;

use super::error::AskError;
use super::name::{PackageName, no_channel, no_package};
use super::question::{Answer, Question, State};
use super::upgrade::bundle;
use olmdex_base::diag::counted;
use olmdex_index::LightIndex;
use olmdex_index::query::{Filter, PackageGraph};
use olmdex_olm::upgrade::{Goal, NamedVersion, PackageView, Standing};
use olmdex_version::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether upgrades lead from each version of a package to the newest
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct StandingsQuestion {
    /// The package; a version is asked by itself, a channel with all versions that it lists
    #[cfg_attr(feature = "clap", arg(value_name = "PKG[@VERSION|/CHANNEL]"))]
    pub name: String,
    /// The version or bundle to get to. Default: the newest of the default channel
    #[cfg_attr(feature = "clap", arg(long, value_name = "BUNDLE"))]
    pub to: Option<String>,
    /// Only versions from which no upgrade of OLM Classic leads there, in any channel
    #[cfg_attr(feature = "clap", arg(long))]
    pub stuck: bool,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub catalog: Vec<String>,
}

/// Whether upgrades of OLM Classic lead from a version to another, with changes of the channel if need be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionStanding {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version, or empty.
    pub version: String,
    /// The channels that list it.
    pub channels: Vec<String>,
    /// The bundle to get to.
    pub goal: String,
    /// Its version, or empty.
    pub goal_version: String,
    /// Whether upgrades lead there.
    pub standing: Standing,
    /// The least number of upgrades; `None` if none lead there.
    pub n_upgrades: Option<usize>,
}

impl VersionStanding {
    /// Whether the same is true of two versions, but for the number of upgrades.
    pub fn is_like(&self, other: &Self) -> bool {
        self.standing == other.standing && (self.n_upgrades == Some(0)) == (other.n_upgrades == Some(0))
    }

    /// How the versions of a run with the same standing stand to the goal, in words.
    pub fn in_words(run: &[Self]) -> String {
        let counts = || run.iter().filter_map(|item| item.n_upgrades);
        let away = |n: usize| format!("{} away", counted(n as u64, "upgrade"));
        match (counts().min().zip(counts().max()), run.first().map(|item| item.standing)) {
            (Some((_, 0)), _) => "the version itself".to_owned(),
            (Some((least, most)), _) if least < most => format!("{least} to {}", away(most)),
            (Some((n, _)), _) => away(n),
            (None, Some(Standing::Higher)) => "higher".to_owned(),
            (None, Some(Standing::Past)) => "past it: upgrades lead only to higher versions".to_owned(),
            (None, _) => "stuck: no upgrade leads there, in any channel".to_owned(),
        }
    }
}

impl Question for StandingsQuestion {
    const NAME: &'static str = "standings";
    const KIND: &'static str = "StandingList";
    type Index = LightIndex;
    type Item = VersionStanding;

    fn names(&self) -> Vec<&String> {
        vec![&self.name]
    }

    /// The versions of the package in each catalog, the highest first. A catalog without a goal is a warning: its
    /// default channel has no order, or the package is beyond [`Goal::MAX_STEPS`].
    fn ask(&self, state: &State<'_, LightIndex>) -> Result<Answer<VersionStanding>, AskError> {
        let index = state.index;
        let name = PackageName::find(index, &self.name)?;
        let view = PackageView::read(index, &Filter::default(), &name.package)?;
        let is_asked = |graph: &&PackageGraph| self.catalog.is_empty() || self.catalog.contains(&graph.catalog);
        let graphs: Vec<&PackageGraph> = view.graphs.iter().filter(is_asked).collect();
        if graphs.is_empty() {
            return Err(no_package(index, &name.package)?);
        }
        if let Some(channel) = &name.channel
            && !graphs.iter().any(|graph| graph.channels.iter().any(|it| it.name == *channel))
        {
            return Err(no_channel(index, &name.package, channel)?);
        }
        let goal = self.to.as_ref().map(|to| bundle(&view, to)).transpose()?.map(|goal| goal.name);
        let only = name.installed.as_ref().map(|installed| bundle(&view, installed)).transpose()?;
        let mut answer = Answer::of(Vec::new());
        for graph in graphs {
            let Some(items) = standings(&view, graph, goal.as_deref()) else {
                answer.warnings.push(no_goal(graph, goal.as_deref()));
                continue;
            };
            answer.items.extend(items);
        }
        answer.items.retain(|item| {
            only.as_ref().is_none_or(|only| only.name == item.bundle)
                && name.channel.as_ref().is_none_or(|channel| item.channels.contains(channel))
                && !(self.stuck && item.standing != Standing::DeadEnd)
        });
        Ok(answer)
    }
}

/// Why nothing is known of a catalog.
fn no_goal(graph: &PackageGraph, goal: Option<&str>) -> String {
    let PackageGraph { catalog, package, default_channel, .. } = graph;
    match goal {
        Some(goal) => format!("no channel of `{package}` in {catalog} lists {goal}, or the package is too large"),
        None => format!(
            "the default channel `{default_channel}` of `{package}` in {catalog} has no single head, or the package \
            is too large"
        ),
    }
}

/// How the bundles of a package in a catalog stand to one of them, the highest version first; `None` if it has no such
/// goal.
pub fn standings(view: &PackageView, graph: &PackageGraph, goal: Option<&str>) -> Option<Vec<VersionStanding>> {
    let package = view.as_classic(graph);
    let goal = match goal {
        None => Goal::newest(&package)?,
        Some(bundle) => Goal::to(&package, bundle)?,
    };
    let named = goal.named();
    let mut channels_of: HashMap<&str, Vec<String>> = HashMap::new();
    for channel in &graph.channels {
        for entry in channel.entries.iter() {
            channels_of.entry(&entry.name).or_default().push(channel.name.clone());
        }
    }
    let listed = view.bundles().iter().filter_map(|bundle| Some((bundle, channels_of.remove(bundle.name.as_str())?)));
    let standing = |(bundle, channels): (&NamedVersion, Vec<String>)| VersionStanding {
        catalog: graph.catalog.clone(),
        package: graph.package.clone(),
        standing: goal.standing(&bundle.name, Version::parse(&bundle.version).ok().as_ref()),
        n_upgrades: goal.n_upgrades(&bundle.name),
        bundle: bundle.name.clone(),
        version: bundle.version.clone(),
        channels,
        goal: named.name.clone(),
        goal_version: named.version.clone(),
    };
    Some(listed.map(standing).collect())
}
