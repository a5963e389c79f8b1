//! The state of an installed operator in the catalog of a version, and its way there.

use super::operator::Operator;
use super::operator_state::OperatorState;
use olmdex_olm::upgrade::v1::{Installation, Policy};
use olmdex_olm::upgrade::{
    EngineQuestion, InstalledBundle, Olm, PackageView, Target, classic, classic_path, classic_path_over, refused_words,
    v1_path, v1_targets, v1_updates,
};
use olmdex_version::Version;

/// The position of an operator on its journey.
#[derive(Debug, Clone)]
pub(super) struct OperatorPosition {
    pub(super) bundle: InstalledBundle,
    pub(super) channels: Vec<String>,
    /// The range of versions of a ClusterExtension.
    pub(super) range: String,
    /// How a ClusterExtension installs.
    pub(super) installation: Installation,
}

impl OperatorPosition {
    fn asked(&self) -> EngineQuestion {
        EngineQuestion {
            installed: Some(self.bundle.clone()),
            channels: self.channels.clone(),
            version: self.range.clone(),
            selector: None,
            policy: Policy::CatalogProvided,
            installation: self.installation.clone(),
            catalog: None,
            managed_by: None,
        }
    }

    pub(super) fn with_channel(&self, channel: &str) -> Self {
        Self { channels: vec![channel.to_owned()], ..self.clone() }
    }
}

/// The state of the operator in a catalog; the pin of a ClusterExtension does not count.
pub(super) fn state_at(view: &PackageView, operator: &Operator, at: &OperatorPosition) -> OperatorState {
    if view.graphs.is_empty() {
        return OperatorState::PackageGone;
    }
    let has_channel = |name: &String| view.graphs.iter().any(|it| it.channels.iter().any(|it| it.name == *name));
    if !at.channels.is_empty() && !at.channels.iter().any(has_channel) {
        return OperatorState::ChannelGone;
    }
    let is_asked = |name: &str| at.channels.is_empty() || at.channels.iter().any(|it| it == name);
    let packages: Vec<_> = view.graphs.iter().map(|it| view.as_classic(it)).collect();
    let channels: Vec<&classic::Channel> =
        packages.iter().flat_map(|it| &it.channels).filter(|it| is_asked(&it.name)).collect();
    let name = at.bundle.name.as_str();
    let is_in = channels.iter().any(|it| it.entry(name).is_some());
    let leads_on = match operator.olm {
        Olm::Classic => packages.first().is_some_and(|package| {
            let next = package.next(at.channels.first().map(String::as_str), &at.bundle.as_classic());
            next.is_ok_and(|it| it.is_some())
        }),
        Olm::V1 => {
            let own = Version::parse(&at.bundle.version).ok();
            let free = EngineQuestion { version: String::new(), ..at.asked() };
            v1_targets(view, &free).iter().any(|it| Version::parse(&it.version).ok() > own)
        }
    };
    match (leads_on, is_in) {
        (true, true) => return OperatorState::Behind,
        (true, false) => return OperatorState::NotInCatalogButReachable,
        (false, _) => {}
    }
    if channels.iter().any(|it| it.heads().contains(&name)) {
        return OperatorState::Head;
    }
    let own = Version::parse(&at.bundle.version).ok();
    let heads =
        channels.iter().flat_map(|it| it.heads().into_iter().filter_map(|head| it.entry(head)?.version.clone()));
    match heads.max() {
        Some(head) if !is_in && own.is_some_and(|it| it > head) => OperatorState::Newer,
        _ => OperatorState::Stranded,
    }
}

/// The steps that OLM takes one after another in a catalog.
pub(super) fn way(view: &PackageView, operator: &Operator, at: &OperatorPosition) -> Vec<Target> {
    let path = match operator.olm {
        Olm::Classic => {
            let Some(graph) = view.graphs.first() else { return Vec::new() };
            // Others in its namespace may rule out the bundle that is nearest to the head.
            let is_start = at.bundle.name == operator.installed && at.channels == operator.channels;
            match operator.next.as_ref().filter(|(_, present)| is_start && present.contains(&graph.catalog)) {
                Some((next, _)) => classic_path_over(next, view, graph, &at.asked(), (&at.bundle, None)),
                None => classic_path(view, graph, &at.asked(), &at.bundle, None),
            }
        }
        Olm::V1 => v1_path(view, &at.asked(), &at.bundle, None),
    };
    path.steps.into_iter().map(|it| it.target).collect()
}

/// The words with which OLM v1 refuses to install the bundle that it resolves to from here.
pub(super) fn refused(view: &PackageView, operator: &Operator, at: &OperatorPosition) -> Option<String> {
    if operator.olm != Olm::V1 {
        return None;
    }
    let updates = v1_updates(view, &at.asked());
    let bundle = updates.target.map_or_else(|| at.bundle.name.clone(), |it| it.bundle);
    updates.refusal.map(|refusal| refused_words(&bundle, &refusal))
}

/// The lowest entry of the channel that OLM would install.
pub(super) fn entry_point(view: &PackageView, at: &OperatorPosition) -> Option<String> {
    let package = view.as_classic(view.graphs.first()?);
    let channel = package.channels.iter().find(|it| at.channels.first().is_none_or(|name| it.name == *name))?;
    Some(channel.order().ok()?.live.last()?.fields.name.clone())
}

/// The channels of a catalog that hold the installed bundle or lead on from it: the default channel first, then those
/// with the fewest updates.
pub(super) fn other_channels(
    view: &PackageView,
    operator: &Operator,
    at: &OperatorPosition,
) -> Vec<(String, Vec<Target>)> {
    let Some(graph) = view.graphs.first() else { return Vec::new() };
    let mut found: Vec<(String, Vec<Target>)> = Vec::new();
    for channel in graph.channels.iter().filter(|it| !at.channels.contains(&it.name)) {
        let there = at.with_channel(&channel.name);
        let holds = channel.entries.iter().any(|it| it.name == at.bundle.name);
        let way = way(view, operator, &there);
        if (holds || !way.is_empty()) && !found.iter().any(|it| it.0 == channel.name) {
            found.push((channel.name.clone(), way));
        }
    }
    found.sort_by_key(|(name, way)| (*name != graph.default_channel, way.len(), name.clone()));
    found
}
