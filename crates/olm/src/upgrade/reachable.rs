//! The ends of upgrades from every version that somebody may have, step by step.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::PackageView;
use super::classic::{self, End, OrderError, Walker};
use super::installed::InstalledBundle;
use super::target::Permit;
use super::v1::{self, Question, ResolveError};
use olmdex_version::VersionRelease;

/// The end of the upgrades that OLM makes one after the other from an installed bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeRoute {
    /// The last bundle, which may be the installed one. For a loop, the bundle that it comes back to.
    pub target: InstalledBundle,
    /// How many upgrades that takes.
    pub steps: usize,
    /// The kind of that end: whether it is the head, which for OLM v1 is the bundle of a new installation, or a higher
    /// version that the channel has.
    pub end: End,
}

/// An edge that one catalog has on a path, and another has not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostEdge {
    /// The bundle from which it leads.
    pub from: String,
    /// The field that made it.
    #[serde(flatten)]
    pub permit: Permit,
}

/// The ends of the upgrades of a channel. A way is followed once and remembered.
#[derive(Debug)]
pub struct UpgradeRoutes<'v> {
    engine: Engine<'v>,
    /// The known ways from bundles of the catalog.
    known: HashMap<String, UpgradeRoute>,
}

#[derive(Debug)]
enum Engine<'v> {
    Classic { walker: Walker<'v>, heads: HashSet<&'v str> },
    V1 { question: Question, view: &'v PackageView, best: Option<VersionRelease> },
}

/// A step, and the fields that permit it.
type Step = (InstalledBundle, Vec<Permit>);

impl<'v> UpgradeRoutes<'v> {
    /// The ways of OLM Classic in a channel.
    ///
    /// # Errors
    /// If a channel of the name has no order.
    pub fn classic(package: &'v classic::Package, channel: &'v str) -> Result<Self, OrderError> {
        let walker = package.walker(Some(channel))?;
        let heads = package.channels_named(channel).iter().flat_map(classic::Channel::heads).collect();
        Ok(Self { engine: Engine::Classic { walker, heads }, known: HashMap::new() })
    }

    /// The ways of OLM v1 in a channel.
    pub fn v1(view: &'v PackageView, channel: &str) -> Self {
        let question =
            Question { package: view.package.clone(), channels: vec![channel.to_owned()], ..Question::default() };
        let best = v1::resolve_only(&question, view.catalogs()).ok().map(|it| it.version);
        Self { engine: Engine::V1 { question, view, best }, known: HashMap::new() }
    }

    /// The end of the upgrades from an installed bundle.
    pub fn route(&mut self, from: &InstalledBundle) -> UpgradeRoute {
        let mut trail = vec![from.clone()];
        let mut seen = HashSet::from([from.name.clone()]);
        let mut at = from.clone();
        let end = loop {
            // The installed bundle may have another version than the bundle of its name in the catalog.
            if trail.len() > 1
                && let Some(known) = self.known.get(&at.name)
            {
                break known.clone();
            }
            let Some(next) = self.next(&at) else { break UpgradeRoute { end: self.end_at(&at), target: at, steps: 0 } };
            at = next;
            if !seen.insert(at.name.clone()) {
                break UpgradeRoute { target: at, steps: 0, end: End::Loop };
            }
            trail.push(at.clone());
        };
        // A loop comes back: its last step is the one to where it has been.
        let more = usize::from(end.end == End::Loop && end.steps == 0);
        let n_steps = trail.len();
        for (place, it) in trail.into_iter().enumerate().skip(1) {
            let steps = n_steps - 1 - place + more + end.steps;
            self.known.insert(it.name, UpgradeRoute { steps, ..end.clone() });
        }
        UpgradeRoute { steps: n_steps - 1 + more + end.steps, ..end }
    }

    /// The bundle that OLM goes to; `None` if it stays.
    fn next(&self, at: &InstalledBundle) -> Option<InstalledBundle> {
        let (name, version, release) = match &self.engine {
            Engine::Classic { walker, .. } => {
                let (_, entry) = walker.next(&at.as_classic())?;
                let version = entry.version.as_ref().map(ToString::to_string).unwrap_or_default();
                (entry.fields.name.clone(), version, None)
            }
            Engine::V1 { question, view, .. } => {
                let installed = at.as_v1();
                let question = Question { installed: Some(installed.clone()), ..question.clone() };
                let found = v1::resolve_only(&question, view.catalogs()).ok()?;
                if found.is_recorded_as(&installed) {
                    return None;
                }
                (found.bundle, found.recorded_version, found.recorded_release)
            }
        };
        Some(InstalledBundle::held(name, version).with_release(release))
    }

    /// The reason why OLM v1 stops at a bundle although something leads on, if there is one: it refuses the bundle that
    /// it would take.
    pub fn refusal(&self, at: &InstalledBundle) -> Option<String> {
        let Engine::V1 { question, view, .. } = &self.engine else { return None };
        let question = Question { installed: Some(at.as_v1()), ..question.clone() };
        match v1::resolve_only(&question, view.catalogs()) {
            Err(ResolveError::Dependency { bundle, property }) => {
                Some(format!("OLM v1 refuses {bundle} for its {property}"))
            }
            _ => None,
        }
    }

    fn step(&self, at: &InstalledBundle) -> Option<Step> {
        let next = self.next(at)?;
        let permits = match &self.engine {
            Engine::Classic { walker, .. } => walker.next_step(&at.as_classic())?.permits,
            Engine::V1 { question, view, .. } => {
                let catalogs = view.catalogs().iter();
                catalogs.flat_map(|it| v1::permits_to(it, &next.name, &at.as_v1(), &question.channels)).collect()
            }
        };
        Some((next, permits))
    }

    /// The kind of end of a way from which nothing leads on.
    fn end_at(&self, at: &InstalledBundle) -> End {
        let is_head = match &self.engine {
            Engine::Classic { heads, .. } => heads.contains(at.name.as_str()),
            Engine::V1 { question, view, best } => {
                let question = Question { installed: Some(at.as_v1()), ..question.clone() };
                let stays = v1::resolve_only(&question, view.catalogs());
                stays.is_ok_and(|it| best.as_ref().is_some_and(|best| it.version >= *best))
            }
        };
        if is_head { End::Head } else { End::Stranded }
    }
}

/// The edge on the way from an installed bundle that no longer leads to the head: the one from the end of the new way
/// if there was one, or else the first that the old way takes and the new one does not. `None` if nothing led on before
/// either.
pub fn lost_edge(
    before: &UpgradeRoutes<'_>,
    after: &mut UpgradeRoutes<'_>,
    from: &InstalledBundle,
) -> Option<LostEdge> {
    let lost = |at: &InstalledBundle, (_, permits): Step| {
        Some(LostEdge { from: at.name.clone(), permit: permits.into_iter().next()? })
    };
    let dead = after.route(from).target;
    if let Some(step) = before.step(&dead) {
        return lost(&dead, step);
    }
    let mut seen = HashSet::new();
    let mut at = from.clone();
    while seen.insert(at.name.clone()) {
        let step = before.step(&at)?;
        if after.next(&at).is_none_or(|it| it.name != step.0.name) {
            return lost(&at, step);
        }
        at = step.0;
    }
    None
}
