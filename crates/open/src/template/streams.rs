//! Channels and edges of a semver template: they follow from the versions of its bundles (`docs/behaviour/fbc.md` 5.6).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use olmdex_fbc::Entry;
use olmdex_version::Version;

/// The stability of a bundle; later ones are more stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Stream {
    Candidate,
    Fast,
    Stable,
}

impl Stream {
    pub(super) const ALL: [Self; 3] = [Self::Candidate, Self::Fast, Self::Stable];

    pub(super) fn name(self) -> &'static str {
        olmdex_base::variant_name(&self)
    }
}

/// The versions that share a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Width {
    Major,
    Minor,
}

/// The channels to make.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChannelOptions {
    pub(super) major: bool,
    pub(super) minor: bool,
    /// The width of the default channel if candidates are otherwise equal.
    pub(super) preferred: Width,
}

/// A bundle of a stream.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) version: Version,
}

/// The channels of a package.
#[derive(Debug, Default)]
pub(super) struct Channels {
    /// Entries by the name of their channel, by rising version.
    pub(super) entries: BTreeMap<String, Vec<Entry>>,
    /// The default channel; empty if no channel is stable enough for that.
    pub(super) default: String,
}

/// The channels for the bundles of each stream, which have different versions.
pub(super) fn channels(streams: &[(Stream, Vec<Member>)], wanted: ChannelOptions) -> Channels {
    let mut channels = Channels::default();
    let mut best: Option<Candidate> = None;
    for (stream, members) in streams {
        let mut members: Vec<&Member> = members.iter().collect();
        members.sort_by(|a, b| a.version.cmp_precedence(&b.version));
        let edges = edges(&members);
        let widths = [(Width::Major, wanted.major), (Width::Minor, wanted.minor)];
        for (width, _) in widths.into_iter().filter(|it| it.1) {
            for (member, entry) in members.iter().zip(&edges) {
                let name = channel_name(*stream, width, &member.version);
                let entries = channels.entries.entry(name.clone()).or_default();
                if entries.is_empty() {
                    let candidate = Candidate { stream: *stream, width, lowest: member.version.clone(), name };
                    if best.as_ref().map_or(candidate.can_be_first(), |it| candidate.beats(it, wanted.preferred)) {
                        best = Some(candidate);
                    }
                }
                entries.push(entry.clone());
            }
        }
    }
    channels.default = best.map(|it| it.name).unwrap_or_default();
    channels
}

/// A channel that may be the default.
struct Candidate {
    stream: Stream,
    width: Width,
    /// The version of its first bundle, which decides.
    lowest: Version,
    name: String,
}

impl Candidate {
    /// opm begins with the stream of candidates at 0.0.0, and a channel of that stream that is not above 0.0.0 is never
    /// the default.
    fn can_be_first(&self) -> bool {
        self.stream != Stream::Candidate || self.lowest.cmp_precedence(&Version::new(0, 0, 0)) != Ordering::Less
    }

    fn beats(&self, other: &Self, preferred: Width) -> bool {
        let by_version = || self.lowest.cmp_precedence(&other.lowest);
        let by_preference = || (self.width == preferred).cmp(&(other.width == preferred));
        let order = self.stream.cmp(&other.stream).then_with(by_version).then_with(by_preference);
        order.then(self.width.cmp(&other.width)) == Ordering::Greater
    }
}

fn channel_name(stream: Stream, width: Width, version: &Version) -> String {
    match width {
        Width::Major => format!("{}-v{}", stream.name(), version.major()),
        Width::Minor => format!("{}-v{}.{}", stream.name(), version.major(), version.minor()),
    }
}

/// The entries of a stream's bundles, which are sorted. The highest patch of each minor version replaces that of the
/// minor version before it and skips all others of its major version; all other entries have no edges.
fn edges(members: &[&Member]) -> Vec<Entry> {
    let mut entries: Vec<Entry> =
        members.iter().map(|it| Entry { name: it.name.clone(), ..Entry::default() }).collect();
    let mut replaced = String::new();
    let mut below: BTreeSet<String> = BTreeSet::new();
    for (at, member) in members.iter().enumerate() {
        let next = members.get(at + 1);
        let major = |it: &&&Member| it.version.major() == member.version.major();
        let minor = |it: &&&Member| it.version.minor() == member.version.minor();
        let is_highest_patch = !next.is_some_and(|it| major(&it) && minor(&it));
        if is_highest_patch {
            entries[at].replaces.clone_from(&replaced);
            entries[at].skips = below.iter().filter(|it| **it != replaced).cloned().collect();
        }
        // Nothing leads across major versions, whatever the channels are.
        if !next.is_some_and(|it| major(&it)) {
            replaced.clear();
            below.clear();
            continue;
        }
        if is_highest_patch {
            replaced.clone_from(&member.name);
        }
        below.insert(member.name.clone());
    }
    entries
}
