//! A copy of the repository of the update graph: channels, blocked edges, build suggestions
//! (`docs/behaviour/platform.md` 2.1).
//!
//! The repository holds no edges; they are in the release images. Its suggestions to the builders of releases show
//! between which releases edges are likely: such edges are marked as estimated.

use std::collections::{BTreeMap, BTreeSet};

use super::edges::{BlockedEdge, EdgeJudgement, EdgeStatus, Risk};
use super::graph::{Edge, Graph, Release};
use super::lifecycle::coerce;
use super::text::{each_document, items_of};
use olmdex_constraint::openshift::Minor;
use olmdex_text::json::Value;
use olmdex_text::re2::Pattern;
use olmdex_version::Version;

/// The layout of the repository that this reads: `1.y` with y up to this.
const LAYOUT: (u64, u64) = (1, 1);

/// The releases from which a build of a minor version suggests edges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// The lowest release of the minor version before, and the highest, if there is one.
    pub minor: (Option<Version>, Option<Version>),
    /// The lowest release of the own minor version, and the one before which it ends.
    pub z: (Option<Version>, Option<Version>),
    /// Releases that are left out: of the minor version before, and of the own one.
    pub block_lists: (BTreeSet<String>, BTreeSet<String>),
}

/// The suggestions to builds of a minor version, by architecture; `default` is for all architectures without an own
/// one.
pub type Suggestion = BTreeMap<String, Window>;

/// The content of a copy of the repository.
#[derive(Debug, Clone, Default)]
pub struct GraphData {
    /// The releases of each channel, with the architecture to which an entry is restricted.
    pub channels: BTreeMap<String, Vec<(String, Option<String>)>>,
    /// The objections to edges.
    pub blocked: Vec<BlockedEdge>,
    /// The windows of minor versions.
    pub suggestions: BTreeMap<Minor, Suggestion>,
    /// The parts that could not be read, in words.
    pub warnings: Vec<String>,
}

impl GraphData {
    /// Whether a file of the repository says something here, by its path below the repository's root.
    pub fn wants(path: &str) -> bool {
        path == "version"
            || ["channels/", "blocked-edges/", "build-suggestions/"]
                .iter()
                .any(|it| path.strip_prefix(it).is_some_and(|it| !it.contains('/') && it.ends_with(".yaml")))
    }

    /// Adds a file of the repository, by its path below the repository's root. A part that cannot be read is a warning.
    pub fn add(&mut self, path: &str, text: &[u8]) {
        if path == "version" {
            let version = String::from_utf8_lossy(text).trim().to_owned();
            let read = coerce(&version).map(|it| (it.major, it.minor));
            if !read.is_some_and(|it| it.0 == LAYOUT.0 && it.1 <= LAYOUT.1) {
                self.warnings.push(format!(
                    "the graph data have layout {version}, but olmdex knows only {}.{}",
                    LAYOUT.0, LAYOUT.1
                ));
            }
            return;
        }
        let mut warnings = Vec::new();
        let read = each_document(text, |value, _| {
            if path.starts_with("channels/") {
                self.add_channel(value);
            } else if path.starts_with("blocked-edges/") {
                warnings.extend(self.add_blocked(path, value).err());
            } else if let Some(name) = path.strip_prefix("build-suggestions/").and_then(|it| it.strip_suffix(".yaml")) {
                warnings.extend(self.add_suggestion(name, value).err());
            }
        });
        self.warnings.extend(read.err().map(|error| format!("`{path}`, {error}")));
        self.warnings.extend(warnings.into_iter().map(|it| format!("`{path}`: {it}")));
    }

    fn add_channel(&mut self, value: Value<'_>) {
        let entries = items_of(value, "versions").filter_map(|it| {
            let text = it.as_str()?;
            Some(match text.split_once('+') {
                Some((version, arch)) => (version.to_owned(), Some(arch.to_owned())),
                None => (text.into_owned(), None),
            })
        });
        self.channels.entry(value.text_of("name")).or_default().extend(entries);
    }

    fn add_blocked(&mut self, file: &str, value: Value<'_>) -> Result<(), String> {
        let to = value.text_of("to");
        if to.is_empty() {
            return Err("`to` is missing".to_owned());
        }
        let from = value.text_of("from");
        let pattern = Pattern::parse(&from).map_err(|error| format!("`from: {from}` is invalid: {error}"))?;
        let (risk, file) = (Risk::read(value), file.to_owned());
        self.blocked.push(BlockedEdge { to, from: pattern, from_text: from, risk, file });
        Ok(())
    }

    fn add_suggestion(&mut self, name: &str, value: Value<'_>) -> Result<(), String> {
        let minor = coerce(name).ok_or_else(|| "its name is not a minor version".to_owned())?;
        let mut suggestion = Suggestion::new();
        for (arch, window) in value.members() {
            let version = |key: &str| Version::parse_tolerant(&window.text_of(key)).ok();
            let blocked = |key: &str| items_of(window, key).filter_map(|it| Some(it.as_str()?.into_owned())).collect();
            suggestion.insert(
                arch.as_str().unwrap_or_default().into_owned(),
                Window {
                    minor: (version("minor_min"), version("minor_max")),
                    z: (version("z_min"), version("z_max")),
                    block_lists: (blocked("minor_block_list"), blocked("z_block_list")),
                },
            );
        }
        self.suggestions.insert(minor, suggestion);
        Ok(())
    }

    /// The objections to an edge. The repository does not state whether the edge exists at all.
    pub fn judge(&self, from: &str, to: &str, arch: &str) -> EdgeJudgement {
        EdgeJudgement::of(&self.blocked, from, to, arch)
    }

    /// The releases of a channel for an architecture, and the edges between them that are likely.
    pub fn graph(&self, channel: &str, arch: &str) -> Graph {
        let is_for = |it: &&(String, Option<String>)| it.1.as_deref().is_none_or(|it| it == arch);
        let entries = self.channels.get(channel).into_iter().flatten().filter(is_for);
        let mut releases: Vec<(Version, Release)> = entries
            .filter_map(|(text, _)| {
                let release = Release {
                    version: text.clone(),
                    channels: BTreeSet::from([channel.to_owned()]),
                    url: String::new(),
                };
                Some((Version::parse(text).ok()?, release))
            })
            .collect();
        releases.sort_by(|a, b| a.0.cmp_precedence(&b.0));
        let mut graph = Graph::default();
        for (to, release) in &releases {
            // Only a few of the thousands of blocked edges lead to it.
            let blocked: Vec<&BlockedEdge> = self.blocked.iter().filter(|it| it.to == release.version).collect();
            for (from, source) in releases.iter().filter(|it| self.is_likely(&it.0, &it.1.version, to, arch)) {
                let blocked = blocked.iter().copied();
                let judgement = EdgeJudgement::of(blocked, &source.version, &release.version, arch);
                if from.cmp_precedence(to).is_lt() && judgement.status != EdgeStatus::Blocked {
                    graph.edges.push(Edge {
                        from: source.version.clone(),
                        to: release.version.clone(),
                        risks: judgement.risks,
                        is_estimated: true,
                    });
                }
            }
        }
        graph.releases = releases.into_iter().map(|(_, it)| (it.version.clone(), it)).collect();
        graph
    }

    /// Whether the build of a release was probably configured to accept updates from another one.
    fn is_likely(&self, from: &Version, from_text: &str, to: &Version, arch: &str) -> bool {
        let (minor, before) = (Minor::of(to), Minor::of(from));
        let windows = self.suggestions.get(&minor);
        let window = windows.and_then(|it| it.get(arch).or_else(|| it.get("default")));
        let at_least = |least: &Option<Version>| least.as_ref().is_none_or(|it| !from.cmp_precedence(it).is_lt());
        let Some(window) = window else {
            // Without suggestions: within a minor version, and from the one before.
            return minor.is_same(before) || before.next().is_same(minor);
        };
        if minor.is_same(before) {
            return !window.block_lists.1.contains(from_text)
                && at_least(&window.z.0)
                && window.z.1.as_ref().is_none_or(|it| from.cmp_precedence(it).is_lt());
        }
        before.next().is_same(minor)
            && !window.block_lists.0.contains(from_text)
            && at_least(&window.minor.0)
            && window.minor.1.as_ref().is_none_or(|it| !from.cmp_precedence(it).is_gt())
    }
}
