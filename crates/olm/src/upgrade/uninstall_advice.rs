//! The advice of last resort if no upgrade leads to a bundle: the last bundle that upgrades reach, and the losses of
//! uninstalling it. OLM Classic removes no definition and no object with an operator.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{EngineQuestion, PackageView};
use super::classic;
use super::installed::InstalledBundle;
use super::path::{PathStep, classic_path};
use super::target::NamedVersion;
use olmdex_index::query::{BundleSelector, PackageGraph};
use olmdex_index::{Index, IndexError};
use olmdex_rules::crd::Crd;
use olmdex_version::{Version, first_of};

/// Uninstalling one bundle and installing another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Jump {
    /// The catalog.
    pub catalog: String,
    /// The bundle to uninstall: the one at which upgrades end, or the installed one.
    pub from: String,
    /// The bundle to install instead.
    pub to: String,
    /// The channel to subscribe to.
    pub channel: String,
    /// The upgrades that come first.
    pub before: Vec<PathStep>,
    /// The channel of these steps, if it is not the present one.
    pub before_in: Option<String>,
    /// The changes for APIs, versions of APIs and stored objects, in words. Empty if there are none, or none are known.
    pub loses: Vec<String>,
}

/// The jump to a bundle of a channel: it begins at the highest version below that one which any channel's upgrades
/// reach.
pub(super) fn jump(
    view: &PackageView,
    graph: &PackageGraph,
    asked: &EngineQuestion,
    installed: &InstalledBundle,
    to: &NamedVersion,
    channel: &str,
) -> Jump {
    let wanted = Version::parse(&to.version).ok();
    let is_below = |it: &PathStep| {
        let version = Version::parse(&it.target.version).ok();
        version.zip(wanted.as_ref()).is_some_and(|(version, wanted)| version < *wanted)
    };
    let mut best: Option<(Version, Vec<PathStep>, Option<String>)> = None;
    // A channel in which nothing leads away from the installed bundle has no path.
    let (package, start) = (view.as_classic(graph), installed.as_classic());
    let leads = |it: &&classic::Channel| it.entries.iter().any(|entry| classic::leads_to(it, entry, &start));
    let leading: HashSet<&str> = package.channels.iter().filter(leads).map(|it| it.name.as_str()).collect();
    // The channel that is followed goes first, so that another one must lead higher.
    let others = graph.channels.iter().map(|it| it.name.clone());
    let others = others.filter(|it| Some(it.as_str()) != asked.channel() && leading.contains(it.as_str()));
    for name in std::iter::once(None).chain(others.map(Some)) {
        let channels = name.clone().map_or_else(|| asked.channels.clone(), |it| vec![it]);
        let path = classic_path(view, graph, &EngineQuestion { channels, ..asked.clone() }, installed, None);
        let steps: Vec<PathStep> = path.steps.into_iter().take_while(is_below).collect();
        let Some(end) = steps.last().and_then(|it| Version::parse(&it.target.version).ok()) else { continue };
        if best.as_ref().is_none_or(|it| it.0 < end) {
            best = Some((end, steps, name));
        }
    }
    let (before, before_in) = best.map(|it| (it.1, it.2)).unwrap_or_default();
    let from = before.last().map_or(&installed.name, |it| &it.target.bundle).clone();
    let (catalog, to, channel) = (graph.catalog.clone(), to.name.clone(), channel.to_owned());
    Jump { catalog, from, to, channel, before, before_in, loses: Vec::new() }
}

impl Jump {
    /// Looks up the losses.
    pub(super) fn look_up(&mut self, index: &Index) -> Result<(), IndexError> {
        let of = |bundle: &str| -> Result<(Vec<olmdex_fbc::Api>, BTreeMap<String, Crd>), IndexError> {
            let selector = BundleSelector {
                catalogs: vec![self.catalog.clone()],
                name: Some(bundle.to_owned()),
                ..BundleSelector::default()
            };
            let apis = index.show_bundle(&selector)?.into_iter().next().map(|it| it.provides).unwrap_or_default();
            let objects = index.carried_objects(&self.catalog, bundle)?.into_iter();
            let crds = objects.filter_map(|it| Crd::from_json(&it.0).ok()).map(|it| (it.name.clone(), it)).collect();
            Ok((apis, crds))
        };
        let ((old, old_crds), (new, new_crds)) = (of(&self.from)?, of(&self.to)?);
        let mut gone: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for api in old.iter().filter(|it| !new.contains(it)) {
            gone.entry((&api.kind, &api.group)).or_default().push(&api.version);
        }
        // Kinds of a group that lose the same versions and keep the same ones share a sentence.
        let mut alike: BTreeMap<(&str, String, String), Vec<&str>> = BTreeMap::new();
        for ((kind, group), versions) in gone {
            let left: Vec<&str> =
                new.iter().filter(|it| (&*it.kind, &*it.group) == (kind, group)).map(|it| &*it.version).collect();
            alike.entry((group, versions.join(", "), left.join(", "))).or_default().push(kind);
        }
        let mut loses = Vec::new();
        for ((group, versions, left), kinds) in alike {
            let apis = if kinds.len() == 1 { "API" } else { "APIs" };
            let kinds = first_of(kinds.iter(), kinds.len());
            loses.push(match left.is_empty() {
                true => format!(
                    "nothing serves the {apis} {kinds} of {group} ({versions}), whose definitions and objects stay"
                ),
                false => format!(
                    "version {versions} of the {apis} {kinds} of {group} is gone, and {left} is left: migrate what is stored as {versions} before"
                ),
            });
        }
        for (name, crd) in &old_crds {
            let Some(next) = new_crds.get(name) else {
                if !new_crds.is_empty() {
                    loses.push(format!("nothing serves the definition {name}, which stays with its objects"));
                }
                continue;
            };
            let is_kept = |version: &&String| next.versions.iter().any(|it| it.name == **version);
            let stored: Vec<&str> = crd.stored_versions.iter().filter(|it| !is_kept(it)).map(String::as_str).collect();
            if !stored.is_empty() {
                loses.push(format!(
                    "the definition {name} lacks the stored version {}, so OLM refuses it until all objects are migrated",
                    stored.join(", ")
                ));
            }
        }
        self.loses = loses;
        Ok(())
    }

    pub(super) fn words(&self) -> String {
        let mut text = "no upgrade leads there: ".to_owned();
        if let Some(last) = self.before.last() {
            let n = olmdex_base::diag::counted(self.before.len() as u64, "upgrade");
            let channel = self.before_in.as_ref().map(|it| format!(" of channel {it}")).unwrap_or_default();
            text.push_str(&format!("take {n}{channel} to {} first; then ", last.target.bundle));
        }
        let Self { from, to, channel, .. } = self;
        text.push_str(&format!(
            "uninstall {from}, and subscribe to channel {channel} with startingCSV: {to}; its resources are unmanaged in between"
        ));
        if !self.loses.is_empty() {
            text.push_str(&format!("; after that, {}", self.loses.join("; and ")));
        }
        text
    }
}
