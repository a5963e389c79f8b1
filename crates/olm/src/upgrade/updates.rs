//! The upgrade that OLM makes now, and the others that it could be made to take.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{EngineQuestion, PackageView, channel_words};
use super::classic;
use super::installed::InstalledBundle;
use super::target::{Permit, Target};
use super::v1::{self, CatalogWalk};
use crate::obstacle::{Effect, Obstacle};
use olmdex_base::olm::Olm;
use olmdex_index::query::PackageGraph;
use olmdex_version::masterminds::{Constraint, api_server_refusal};
use olmdex_version::{Version, VersionRelease};

/// The upgrade that OLM makes now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It installs.
    Install,
    /// It upgrades (or downgrades, if an edge says so).
    Update,
    /// It stays, and nothing better is possible: at a head, or because v1 resolves to the installed bundle.
    Current,
    /// It stays because nothing leads on. OLM Classic reports nothing then, OLM v1 reports an error.
    Stuck,
    /// It cannot decide.
    #[default]
    Error,
    /// OLM v1 resolves to the target, and refuses to install it.
    Refused,
    /// The catalog has an upgrade, and something in the cluster keeps OLM from it.
    Held,
}

/// The answer of one generation of OLM.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Updates {
    /// The generation.
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
    /// The installed bundle, if there is one.
    pub installed: Option<InstalledBundle>,
    /// The channels that were asked for.
    pub channels: Vec<String>,
    /// The version range that was asked for, or empty.
    pub version_range: String,
    /// The upgrade that OLM makes now.
    pub verdict: Verdict,
    /// The bundle that it takes.
    pub target: Option<Target>,
    /// Why, in words; OLM's own where it has some.
    pub reason: String,
    /// The reason why OLM v1 refuses to install the bundle that it resolves to, in its words.
    pub refusal: Option<String>,
    /// The other permitted upgrades, most preferred first.
    pub others: Vec<Target>,
    /// OLM v1: how many candidates each step left.
    pub walk: Vec<CatalogWalk>,
    /// OLM v1: the conditions about deprecations that the ClusterExtension has then.
    pub conditions: Vec<v1::DeprecationCondition>,
    /// The first obstacle between the operator and its next version, if the question was about one of a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<Obstacle>,
}

impl Updates {
    /// Whether the answer is a negative one.
    pub fn is_negative(&self) -> bool {
        matches!(self.verdict, Verdict::Stuck | Verdict::Error | Verdict::Refused | Verdict::Held)
    }

    pub(super) fn new(olm: Olm, view: &PackageView, asked: &EngineQuestion) -> Self {
        Self {
            olm,
            package: view.package.clone(),
            catalog: asked.catalog.clone(),
            managed_by: asked.managed_by.clone(),
            installed: asked.installed.clone(),
            channels: asked.channels.clone(),
            version_range: asked.version.clone(),
            ..Self::default()
        }
    }

    /// The same answer in a namespace: with what keeps the operator there, and the bundle that OLM installs next if it
    /// resolves the namespace.
    pub fn put_in(&mut self, obstacle: Option<&Obstacle>, next: Option<&str>) {
        let is_taken = matches!(self.verdict, Verdict::Install | Verdict::Update);
        self.obstacle = obstacle.cloned();
        match obstacle {
            Some(obstacle) if !obstacle.permits() && is_taken => {
                self.verdict = if obstacle.effect == Effect::Stops { Verdict::Held } else { Verdict::Error };
                self.reason.clone_from(&obstacle.text);
                // It stays an upgrade that the catalog permits.
                self.others.splice(0..0, self.target.take());
            }
            _ => {
                let position = |name: &str| self.others.iter().position(|it| it.bundle == name);
                let taken = self.target.as_ref().map(|it| it.bundle.as_str());
                if let Some(at) = next.filter(|name| is_taken && taken != Some(name)).and_then(position) {
                    let target = self.others.remove(at);
                    self.reason = format!("{}; the namespace does not permit a higher one", reason_of(&target));
                    self.others.splice(0..0, self.target.replace(target));
                }
            }
        }
    }
}

/// The answer of OLM Classic, for a Subscription to one catalog.
pub fn classic_updates(view: &PackageView, graph: &PackageGraph, asked: &EngineQuestion) -> Updates {
    let package = view.as_classic(graph);
    let mut answer = Updates { version_range: String::new(), ..Updates::new(Olm::Classic, view, asked) };
    let place = channel_words(&view.package, &asked.channels);
    let steps = match &asked.installed {
        None => package.installable(asked.channel(), None),
        Some(installed) => package.candidates(asked.channel(), &installed.as_classic()),
    };
    let steps = match steps {
        Ok(steps) => steps,
        Err(error) => return Updates { reason: error.to_string(), ..answer },
    };
    let mut targets = steps.into_iter().map(|it| view.step_target(&graph.catalog, it));
    let first = targets.next();
    let installed_name = asked.installed.as_ref().map_or("", |it| it.name.as_str());
    answer.verdict = match (&first, &asked.installed) {
        (Some(first), None) => {
            answer.reason = format!("{} is the newest version that OLM can install from {place}", first.bundle);
            Verdict::Install
        }
        (Some(first), Some(installed)) if first.bundle != installed.name => {
            answer.reason = reason_of(first);
            Verdict::Update
        }
        _ => {
            let heads: Vec<&str> = package
                .channels
                .iter()
                .filter(|it| asked.channel().is_none_or(|name| it.name == name) && it.heads().contains(&installed_name))
                .map(|it| it.name.as_str())
                .collect();
            if asked.installed.is_some() && !heads.is_empty() {
                answer.reason = format!("{installed_name} is the head of {}/{}", view.package, heads.join(", "));
                Verdict::Current
            } else {
                answer.reason = stuck(&package, asked, &place);
                Verdict::Stuck
            }
        }
    };
    if matches!(answer.verdict, Verdict::Install | Verdict::Update) {
        answer.target = first;
    }
    answer.others = targets.filter(|it| it.bundle != installed_name).collect();
    answer
}

/// The reason why a target is taken: the field of its entry.
fn reason_of(target: &Target) -> String {
    let fields: Vec<String> = target
        .permits
        .iter()
        .map(|it| format!("`{}: {}` (channel {}, {})", it.field.as_str(), it.value, it.channel, it.place()))
        .collect();
    format!("its entry has {}", fields.join("; "))
}

/// Why nothing leads on.
fn stuck(package: &classic::Package, asked: &EngineQuestion, place: &str) -> String {
    let is_asked = |it: &&classic::Channel| asked.channel().is_none_or(|name| it.name == name);
    let channels: Vec<&classic::Channel> = package.channels.iter().filter(is_asked).collect();
    if let ([], Some(channel)) = (channels.as_slice(), asked.channel()) {
        return no_channel(package, channel);
    }
    let Some(installed) = &asked.installed else { return format!("{place} has nothing to install") };
    nothing_leads_on(&channels, &installed.as_classic(), place)
}

/// The reason why OLM finds nothing in a channel that does not exist.
pub(super) fn no_channel(package: &classic::Package, channel: &str) -> String {
    format!("the package {} has no channel {channel}", package.name)
}

/// The reason why nothing in channels leads on from the installed bundle; `place` names the channels. Entries that
/// would lead on, but are skipped, are named, because they are the surprise.
pub fn nothing_leads_on(channels: &[&classic::Channel], installed: &classic::Installed, place: &str) -> String {
    let mut text = format!("no entry of {place} replaces or skips {}", installed.name);
    if let Some(version) = &installed.version {
        text.push_str(&format!(", or has a skipRange that includes {version}"));
    }
    for channel in channels {
        let Ok(order) = channel.order() else { continue };
        for entry in &channel.entries {
            if let Some(by) = order.skipped.get(entry.fields.name.as_str())
                && classic::leads_to(channel, entry, installed)
            {
                text.push_str(&format!(
                    "; {} does, but {} skips it, so OLM never takes it",
                    entry.fields.name, by.fields.name
                ));
            }
        }
    }
    text
}

/// The answer of OLM v1, for a ClusterExtension.
pub fn v1_updates(view: &PackageView, asked: &EngineQuestion) -> Updates {
    let found = v1::resolve(&asked.question(&view.package), view.catalogs());
    let mut answer = Updates { walk: found.walk, ..Updates::new(Olm::V1, view, asked) };
    let targets = v1_targets(view, asked);
    let resolution = found.outcome.as_ref().ok();
    let installed = resolution.map(|it| it.bundle.as_str()).or(asked.installed.as_ref().map(|it| it.name.as_str()));
    answer.conditions = v1::deprecation_conditions(resolution, &asked.channels, installed);
    // Such a ClusterExtension cannot exist, so OLM cannot resolve it.
    if let Some(refusal) = api_server_refusal(&asked.version) {
        return Updates { reason: refusal, others: targets, conditions: Vec::new(), ..answer };
    }
    match found.outcome {
        Err(error) => {
            let is_stuck = error.kind() == "NotFound" && asked.installed.is_some();
            answer.verdict = if is_stuck { Verdict::Stuck } else { Verdict::Error };
            answer.reason = error.to_string();
            answer.others = targets;
        }
        Ok(found) => {
            let is_same = asked.installed.as_ref().is_some_and(|it| found.is_recorded_as(&it.as_v1()));
            let is_target = |it: &Target| it.catalog == found.catalog && it.bundle == found.bundle;
            let (mut taken, others): (Vec<Target>, Vec<Target>) = targets.into_iter().partition(is_target);
            answer.others = others;
            let refusal = v1_refusal(view, asked, &found);
            if let Some(refusal) = refusal.filter(|_| is_same) {
                answer.verdict = Verdict::Refused;
                answer.reason = refused_words(&found.bundle, &refusal);
                answer.refusal = Some(refusal);
                return answer;
            }
            if is_same {
                answer.verdict = Verdict::Current;
                answer.reason = format!("{} is the highest version permitted", found.bundle);
                return answer;
            }
            // No edge leads to a bundle that only has the installed version.
            let target = taken.pop().or_else(|| found_target(view, asked, &found));
            answer.verdict = if asked.installed.is_some() { Verdict::Update } else { Verdict::Install };
            answer.reason = v1_reason(view, asked, target.as_ref(), &answer.others);
            if let Some(refusal) = target.as_ref().and_then(|it| it.refusal.clone()) {
                answer.verdict = Verdict::Refused;
                answer.reason = format!("{}; {}", answer.reason, refused_words(&found.bundle, &refusal));
                answer.refusal = Some(refusal);
            }
            answer.target = target;
        }
    }
    answer
}

/// The bundle that OLM v1 has resolved to, as a target without edges.
fn found_target(view: &PackageView, asked: &EngineQuestion, found: &v1::Resolution) -> Option<Target> {
    let catalog = view.catalogs().iter().find(|it| it.name == found.catalog)?;
    v1_target(catalog, catalog.candidate(&found.bundle)?, Vec::new(), asked)
}

/// The reason why OLM v1 refuses to install the bundle that it has resolved to, in its words.
pub fn v1_refusal(view: &PackageView, asked: &EngineQuestion, found: &v1::Resolution) -> Option<String> {
    let catalog = view.catalogs().iter().find(|it| it.name == found.catalog)?;
    let candidate = catalog.candidate(&found.bundle)?;
    asked.installation.refusal(candidate.install_modes, &candidate.obstacles)
}

/// The sentence that OLM v1 resolves to a bundle and refuses it.
pub fn refused_words(bundle: &str, refusal: &str) -> String {
    format!("OLM v1 resolves to {bundle} and refuses it: {refusal}")
}

/// The reason why OLM v1 takes a target before others: versions that are not deprecated come first, and among these the
/// highest.
fn v1_reason(view: &PackageView, asked: &EngineQuestion, target: Option<&Target>, others: &[Target]) -> String {
    let is_higher = |it: &Target, than: &str| match (Version::parse(&it.version), Version::parse(than)) {
        (Ok(version), Ok(than)) => version > than,
        _ => false,
    };
    let mut text = "the highest version".to_owned();
    if target.is_some_and(|target| others.iter().any(|it| it.is_deprecated && is_higher(it, &target.version))) {
        text.push_str(" that is not deprecated");
    }
    if !asked.version.is_empty() {
        text.push_str(&format!(" within {}", asked.version));
    }
    text.push_str(&format!(" in {}", channel_words(&view.package, &asked.channels)));
    let Some(target) = target else { return text };
    if !target.permits.is_empty() {
        text.push_str(&format!(" that upgrade edges reach; {}", reason_of(target)));
    } else if asked.installed.is_some() && asked.policy == v1::Policy::SelfCertified {
        text.push_str("; with SelfCertified no edge is needed");
    } else if let Some(installed) = &asked.installed {
        text.push_str(&format!("; it has the installed version, {}", installed.version));
    }
    if let Some(installed) = &asked.installed
        && Version::parse(&installed.version).is_ok_and(|it| Version::parse(&target.version).is_ok_and(|to| to < it))
    {
        text.push_str("; this is a downgrade");
    }
    text
}

/// Every bundle that the edges, the channels and the range permit, highest version first; the installed bundle is left
/// out.
pub fn v1_targets(view: &PackageView, asked: &EngineQuestion) -> Vec<Target> {
    let range = Constraint::parse(&asked.version).ok();
    let mut found: Vec<(Option<VersionRelease>, Target)> = Vec::new();
    for catalog in view.catalogs().iter().filter(|it| it.is_asked_with(asked.selector.as_ref())) {
        let mut add = |candidate: &v1::Candidate, permits: Vec<Permit>| {
            let is_installed = asked.installed.as_ref().is_some_and(|it| it.name == candidate.name);
            let version = candidate.version_release();
            let is_in_range = asked.version.is_empty()
                || version.zip(range.as_ref()).is_some_and(|(version, range)| range.matches(&version.version));
            if !is_installed && is_in_range {
                let target = v1_target(catalog, candidate, permits, asked);
                found.extend(target.map(|it| (version.cloned(), it)));
            }
        };
        match &asked.installed {
            Some(installed) if asked.policy == v1::Policy::CatalogProvided => {
                for (name, permits) in v1::permits(catalog, &installed.as_v1(), &asked.channels) {
                    if let Some(candidate) = catalog.candidate(name) {
                        add(candidate, permits);
                    }
                }
            }
            _ => catalog.candidates.iter().for_each(|it| add(it, Vec::new())),
        }
    }
    // The edges come in no order.
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (&a.1.catalog, &a.1.bundle).cmp(&(&b.1.catalog, &b.1.bundle))));
    // Several ClusterCatalogs may serve one catalog.
    found.dedup_by(|a, b| (&a.1.catalog, &a.1.bundle) == (&b.1.catalog, &b.1.bundle));
    found.into_iter().map(|(_, target)| target).collect()
}

/// A candidate as a target; `None` if it is in none of the channels that are asked for.
pub(super) fn v1_target(
    catalog: &v1::Catalog,
    candidate: &v1::Candidate,
    permits: Vec<Permit>,
    asked: &EngineQuestion,
) -> Option<Target> {
    let channels = &asked.channels;
    let is_asked = |it: &&str| channels.is_empty() || channels.iter().any(|name| name == it);
    let listed: Vec<String> = catalog.channels_of(&candidate.name).filter(is_asked).map(str::to_owned).collect();
    if !channels.is_empty() && listed.is_empty() {
        return None;
    }
    Some(Target {
        catalog: catalog.name.clone(),
        bundle: candidate.name.clone(),
        version: candidate.version_text(),
        release: candidate.release_text(),
        channels: listed,
        is_deprecated: candidate.is_deprecated,
        refused_for: candidate.dependency.clone(),
        refusal: asked.installation.refusal(candidate.install_modes, &candidate.obstacles),
        supports_all_namespaces: candidate.install_modes.map(|it| it.all_namespaces),
        unknown: asked.installation.unknown(candidate.install_modes, &candidate.obstacles),
        permits,
    })
}
