//! Channels of the update service: which one a cluster takes each update from (`docs/behaviour/platform.md` 2.5).

use std::collections::BTreeSet;

use super::graph::Graph;
use super::lifecycle::coerce;
use super::update_source::{UpdateFacts, UpdateSource};
use olmdex_constraint::openshift::Minor;
use olmdex_version::Version;

/// The default kind of channel of clusters.
const USUAL: &str = "stable";
/// The kind of channels that only versions with extended support have.
const EXTENDED: &str = "eus";

/// The channels that a cluster follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClusterChannels {
    /// Those of one kind, such as `fast`: each minor version has its own.
    Kind(String),
    /// These, all the way.
    Named(Vec<String>),
}

impl ClusterChannels {
    /// The channels of a cluster with this channel: the same kind for other minor versions. A text that names no minor
    /// version, as that of a cluster without channel, stands for the `stable` ones.
    pub fn of_cluster(channel: &str) -> Self {
        Self::Kind(kind_and_minor(channel).map_or(USUAL, |it| it.0).to_owned())
    }

    /// The wish behind arguments: kinds such as `fast`, or channels such as `fast-4.18`; `None` if there is no text.
    pub fn asked(texts: &[String]) -> Option<Self> {
        match texts {
            [] => None,
            [kind] if kind_and_minor(kind).is_none() => Some(Self::Kind(kind.clone())),
            names => Some(Self::Named(names.to_vec())),
        }
    }

    /// The channel of each update along minor versions, by the version that it leads to. An update within a version
    /// uses the channel of that version. `known` are the existing channels, if they are known at all.
    ///
    /// Not every minor version has a channel of each kind: `eus-4.18` leads over 4.17, which has none.
    pub fn along(&self, path: &[Minor], known: &BTreeSet<String>) -> Vec<(Minor, String)> {
        let steps = if path.len() > 1 { &path[1..] } else { path };
        let of_step = |at: usize| match self {
            Self::Named(names) => names.first().cloned().unwrap_or_default(),
            Self::Kind(kind) => {
                let has = |it: Minor| match known.is_empty() {
                    false => known.contains(&format!("{kind}-{it}")),
                    true => kind != EXTENDED || (it.major == 4 && may_have_extended_support(it)),
                };
                match steps[at..].iter().find(|it| has(**it)) {
                    Some(minor) => format!("{kind}-{minor}"),
                    // Releases reach these channels from the stable ones.
                    None if kind == EXTENDED => format!("{USUAL}-{}", steps[at]),
                    None => format!("{kind}-{}", steps[at]),
                }
            }
        };
        steps.iter().enumerate().map(|(at, it)| (*it, of_step(at))).collect()
    }

    /// The updates that sources know along minor versions, for an architecture. In copies of the graph data, each
    /// update is looked up in the channel that the cluster has when it is due.
    pub fn graph(&self, sources: &[UpdateSource], path: &[Minor], arch: &str) -> Graph {
        let steps = self.along(path, &known_channels(sources));
        let mut graph = Graph::default();
        for source in sources {
            match (self, &source.facts) {
                (_, UpdateFacts::Answer(_)) => graph.add(source.graph(&[], arch)),
                (Self::Named(names), UpdateFacts::Data(_)) => graph.add(source.graph(names, arch)),
                (Self::Kind(_), UpdateFacts::Data(_)) => {
                    for (to, channel) in &steps {
                        let before = path.iter().take_while(|it| it.is_before(*to)).last();
                        let mut part = source.graph(std::slice::from_ref(channel), arch);
                        part.keep(|it| it.is_same(*to) || before.is_some_and(|before| it.is_same(*before)));
                        graph.add(part);
                    }
                }
            }
        }
        graph
    }
}

/// The channels that copies of the graph data have; none without such a copy.
pub fn known_channels(sources: &[UpdateSource]) -> BTreeSet<String> {
    let of = |it: &UpdateSource| match &it.facts {
        UpdateFacts::Data(data) => data.channels.keys().cloned().collect(),
        UpdateFacts::Answer(_) => Vec::new(),
    };
    sources.iter().flat_map(of).collect()
}

/// The minor versions that sources know of.
pub fn known_minors(sources: &[UpdateSource]) -> BTreeSet<Minor> {
    let of = |it: &UpdateSource| -> Vec<Minor> {
        match &it.facts {
            UpdateFacts::Data(data) => data.channels.keys().filter_map(|it| Some(kind_and_minor(it)?.1)).collect(),
            UpdateFacts::Answer(graph) => {
                graph.releases.keys().filter_map(|it| Some(Minor::of(&Version::parse(it).ok()?))).collect()
            }
        }
    };
    sources.iter().flat_map(of).collect()
}

/// Whether a minor version may have extended support: of 4, every second one has it; of 5 that is not known.
pub fn may_have_extended_support(minor: Minor) -> bool {
    minor.major != 4 || minor.minor.is_multiple_of(2)
}

/// Kind and minor version of a channel, as of `fast-4.18`.
fn kind_and_minor(channel: &str) -> Option<(&str, Minor)> {
    let (kind, version) = channel.rsplit_once('-')?;
    let is_minor = version.split('.').count() == 2
        && version.split('.').all(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()));
    if kind.is_empty() || !is_minor { None } else { Some((kind, coerce(version)?)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(channel: &str, path: &[(u64, u64)], known: &[&str]) -> Vec<String> {
        let path: Vec<Minor> = path.iter().map(|&(major, minor)| Minor { major, minor }).collect();
        let known = known.iter().map(|it| (*it).to_owned()).collect();
        ClusterChannels::of_cluster(channel).along(&path, &known).into_iter().map(|it| it.1).collect()
    }

    #[test]
    fn a_cluster_stays_with_its_kind_of_channel() {
        let path = [(4, 16), (4, 17), (4, 18)];
        assert_eq!(along("fast-4.16", &path, &[]), ["fast-4.17", "fast-4.18"]);
        assert_eq!(along("candidate-4.17", &path, &[]), ["candidate-4.17", "candidate-4.18"]);
        assert_eq!(along("our-own-4.16", &path, &[]), ["our-own-4.17", "our-own-4.18"]);
        for odd in ["", "stable", "fast-", "-4.16", "fast-4", "fast-4.16.1", "fast-4.x"] {
            assert_eq!(along(odd, &path, &[]), ["stable-4.17", "stable-4.18"], "{odd}");
        }
        assert_eq!(along("fast-4.16", &path[..1], &[]), ["fast-4.16"]);
    }

    #[test]
    fn versions_without_extended_support_are_passed_over() {
        let path = [(4, 16), (4, 17), (4, 18), (4, 19)];
        assert_eq!(along("eus-4.16", &path, &[]), ["eus-4.18", "eus-4.18", "stable-4.19"]);
        // Existing channels count before the expected ones.
        assert_eq!(along("eus-4.16", &path, &["eus-4.17", "stable-4.18"]), ["eus-4.17", "stable-4.18", "stable-4.19"]);
        // A channel of another kind is not taken.
        assert_eq!(along("fast-4.16", &path, &["stable-4.17"]), ["fast-4.17", "fast-4.18", "fast-4.19"]);
        assert_eq!(along("fast-4.16", &path[..3], &["fast-4.18"]), ["fast-4.18", "fast-4.18"]);
    }

    #[test]
    fn what_is_asked_for_may_be_a_kind_or_channels() {
        let asked =
            |texts: &[&str]| ClusterChannels::asked(&texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(asked(&[]), None);
        assert_eq!(asked(&["fast"]), Some(ClusterChannels::Kind("fast".to_owned())));
        assert_eq!(asked(&["fast-4.18"]), Some(ClusterChannels::Named(vec!["fast-4.18".to_owned()])));
    }
}
