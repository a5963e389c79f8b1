//! Explains a filtered package: the entries that each channel keeps, additional ones, problems, and repairs
//! (`docs/behaviour/authoring.md` D.3, D.5).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::catalog::PackageFacts;
use super::configuration::{Depth, Range};
use super::filter::{FilterError, FilterVersion, Filtered, PackageExtent, Part};
use super::graph::{GraphError, GraphFault, heads};
use super::repair::{Request, RequestProblem, repairs_of, survivors, trouble};
use olmdex_base::diag::Listed;
use olmdex_fbc::Entry;
use olmdex_version::Version;

/// The explanation of a filtered package.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilterExplanation {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// Its default channel in the catalog.
    pub default_channel: String,
    /// Its default channel in the filtered catalog; empty if it has none there.
    pub new_default_channel: String,
    /// Its channels.
    pub channels: Vec<ChannelExplanation>,
    /// The problem; empty if there is none.
    pub problem: String,
    /// The reasons of the problem.
    pub reasons: Vec<String>,
    /// The possible changes of the configuration.
    pub repairs: Vec<RepairAnswer>,
}

/// The explanation of a filtered channel.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelExplanation {
    /// The channel.
    pub channel: String,
    /// The request: a range, `head`, `head and N before it`, `all`, or `not asked for`.
    pub asked: String,
    /// The entries that are kept, in the order of the catalog.
    pub kept: Vec<String>,
    /// How many entries the catalog has.
    pub of: usize,
    /// The head of the kept entries; empty if there are none, or several heads.
    pub head: String,
    /// Entries that are kept although they are not in the range, and why.
    pub along: Vec<String>,
    /// Entries that the range leaves out, in the order of the catalog.
    pub dropped: Vec<String>,
}

/// A change of the configuration that works.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepairAnswer {
    /// The changes.
    pub changes: Vec<String>,
    /// How many bundles are kept then.
    pub bundles: usize,
    /// How many of these were not asked for.
    pub added: usize,
    /// How many are asked for and not kept then.
    pub dropped: usize,
}

/// Explains a package of a filtered catalog.
pub fn explain(
    catalog: &str,
    name: &str,
    facts: &PackageFacts,
    request: &Request,
    filtered: &Filtered,
    release: FilterVersion,
) -> FilterExplanation {
    let found = trouble(name, facts, request, release);
    // For a refused package, the explanation has what the request takes from its channels.
    let is_refused = matches!(filtered.packages.get(name), Some(Err(_)));
    let alone = is_refused
        .then(|| PackageExtent::Part(Part { channels: survivors(name, facts, request, release), ..Part::default() }));
    let kept = filtered.packages.get(name).and_then(|it| it.as_ref().ok());
    let new_default_channel = match kept {
        Some(PackageExtent::Whole) => facts.default_channel.clone(),
        Some(PackageExtent::Part(part)) => part.default_channel.clone(),
        None => String::new(),
    };
    let (problem, reasons) = match &found {
        Some(trouble) => (in_words(trouble, facts), reasons(trouble, facts)),
        None => (String::new(), Vec::new()),
    };
    let answer = |it: super::repair::Proposal| RepairAnswer {
        changes: it.changes,
        bundles: it.n_bundles,
        added: it.n_added,
        dropped: it.n_dropped,
    };
    FilterExplanation {
        catalog: catalog.to_owned(),
        package: name.to_owned(),
        default_channel: facts.default_channel.clone(),
        new_default_channel,
        channels: channels(name, facts, request, alone.as_ref().or(kept), filtered),
        problem,
        reasons,
        repairs: found.iter().flat_map(|it| repairs_of(name, facts, request, it, release)).map(answer).collect(),
    }
}

fn channels(
    name: &str,
    facts: &PackageFacts,
    request: &Request,
    kept: Option<&PackageExtent>,
    filtered: &Filtered,
) -> Vec<ChannelExplanation> {
    let asked = &request.package.channels;
    let explain = |channel: &super::ChannelFacts| {
        let own = asked.iter().find(|it| it.name == channel.name);
        let range = own.map(|it| &it.range).filter(|it| !it.is_empty()).unwrap_or(&request.package.range);
        let is_asked = own.is_some() || asked.is_empty();
        let is_kept = |entry: &&Entry| match kept {
            Some(PackageExtent::Whole) => true,
            Some(PackageExtent::Part(part)) => {
                part.channels.get(&channel.name).is_some_and(|it| it.contains(&entry.name))
            }
            None => false,
        };
        let (kept, dropped): (Vec<&Entry>, Vec<&Entry>) = channel.entries.iter().partition(|it| is_kept(it));
        let names = |entries: &[&Entry]| entries.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        let owned: Vec<Entry> = kept.iter().map(|it| (*it).clone()).collect();
        let head = match heads(&owned).as_slice() {
            [only] => (*only).to_owned(),
            _ => String::new(),
        };
        let along = filtered.warnings.iter().filter(|it| it.package == name && it.channel == channel.name);
        let because = |bundle: &str, version: Option<&str>| {
            let skipped: Vec<&str> = owned
                .iter()
                .filter(|it| it.name == bundle)
                .flat_map(|it| it.skips.iter().map(String::as_str))
                .filter(|it| owned.iter().any(|entry| entry.name == **it))
                .collect();
            let what = match version {
                Some(version) => format!("{bundle} ({version} is not in the range)"),
                None => format!("{bundle} (it has no version)"),
            };
            if skipped.is_empty() {
                format!("{what}: it lies between requested versions")
            } else {
                format!("{what}: it is the only path to {}", skipped.join(", "))
            }
        };
        ChannelExplanation {
            channel: channel.name.clone(),
            asked: asked_for(is_asked, request.depth(), range),
            kept: names(&kept),
            of: channel.entries.len(),
            head,
            along: along.map(|it| because(&it.bundle, it.version.as_deref())).collect(),
            dropped: names(&dropped),
        }
    };
    facts.channels.iter().map(explain).collect()
}

fn asked_for(is_asked: bool, depth: Depth, range: &Range) -> String {
    match (is_asked, depth.is_full, range.is_empty()) {
        (false, ..) => "not requested".to_owned(),
        (true, true, _) => "all".to_owned(),
        (true, false, true) if depth.previous > 0 => format!("head and {} before it", depth.previous),
        (true, false, true) => "head".to_owned(),
        (true, false, false) => range.text().trim().to_owned(),
    }
}

/// Describes a problem in our own words.
pub fn in_words(trouble: &RequestProblem, facts: &PackageFacts) -> String {
    match trouble {
        RequestProblem::BothLevels => "both the package and one of its channels have bounds".to_owned(),
        RequestProblem::NotAVersion(bound) => format!("`{bound}` is not a version"),
        RequestProblem::NoDefault(channel) if channel.is_empty() => "it has no default channel".to_owned(),
        RequestProblem::NoDefault(channel) => format!("the default channel `{channel}` is empty"),
        RequestProblem::Nothing => "the range includes none of its versions".to_owned(),
        RequestProblem::Invalid(channel, text) => format!("channel `{channel}` is not valid: {text}"),
        RequestProblem::UnknownChannels(names) => {
            format!("it has no channel {}", Listed::quoted(names.iter()))
        }
        RequestProblem::Wider(warning) => format!("`{}` is above the range, but included", warning.bundle),
        RequestProblem::Refused(error) => refused(error, facts),
    }
}

/// Why the filter refuses something, in our own words.
pub fn refused(error: &FilterError, facts: &PackageFacts) -> String {
    match error {
        FilterError::FullWithRange { .. } => "`full: true` and bounds exclude each other".to_owned(),
        FilterError::NoPackageProperty { bundle, .. } => format!("bundle `{bundle}` has no version"),
        FilterError::InvalidVersion { bundle, version } => {
            format!("bundle `{bundle}` has the invalid version `{version}`")
        }
        FilterError::NoSuchDefault { channel, .. } if facts.channel(channel).is_some() => {
            format!("the default channel `{channel}` is not among the requested channels")
        }
        FilterError::NoSuchDefault { channel, .. } => {
            format!("it has no channel `{channel}`, which is set as the default")
        }
        FilterError::DefaultLeftOut { channel, .. } => {
            format!("its default channel `{channel}` is not among the requested channels")
        }
        FilterError::Head { channel, error, .. } | FilterError::Graph { channel, error } => {
            format!("channel `{channel}`: {}", error.to_string().replace('\n', "; "))
        }
        FilterError::EmptyDefault { channel, range, .. } => {
            let range = range.text();
            format!("its default channel `{channel}` has no version in the range {}", range.trim())
        }
        FilterError::NoSuchVersion(version) => format!("no channel has version {version}"),
    }
}

/// The reasons of a problem: versions that exist, and entries that do not connect.
fn reasons(trouble: &RequestProblem, facts: &PackageFacts) -> Vec<String> {
    match trouble {
        RequestProblem::Refused(FilterError::Head { channel, error, .. } | FilterError::Graph { channel, error }) => {
            facts.channel(channel).map(|it| of_graph(&it.entries, error, facts)).unwrap_or_default()
        }
        RequestProblem::Refused(FilterError::EmptyDefault { channel, .. }) | RequestProblem::NoDefault(channel) => {
            span(facts, channel).into_iter().collect()
        }
        RequestProblem::Refused(FilterError::NoSuchVersion(_)) | RequestProblem::Nothing => {
            facts.channels.iter().filter_map(|it| span(facts, &it.name)).collect()
        }
        RequestProblem::Refused(FilterError::DefaultLeftOut { .. } | FilterError::NoSuchDefault { .. })
        | RequestProblem::UnknownChannels(_) => {
            vec![format!("its channels are {}", Listed::quoted(facts.channels.iter().map(|channel| &channel.name)))]
        }
        RequestProblem::Wider(warning) => {
            let entries = facts.channel(&warning.channel).map(|it| it.entries.as_slice()).unwrap_or_default();
            let skips = entries.iter().find(|it| it.name == warning.bundle).map(|it| it.skips.join(", "));
            let skips = skips.filter(|it| !it.is_empty());
            skips
                .map(|it| format!("`{}` skips {it}, and no other entry leads to it", warning.bundle))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The lowest and the highest version of a channel.
fn span(facts: &PackageFacts, channel: &str) -> Option<String> {
    let versions = facts.versions();
    let found = facts.channel(channel)?.entries.iter().filter_map(|it| versions.get(it.name.as_str()).copied());
    let found: BTreeSet<&Version> = found.collect();
    let (first, last) = (found.first()?, found.last()?);
    let mut text = format!("channel `{channel}` has {first} to {last}");
    if found.len() == 1 {
        text = format!("channel `{channel}` has only {first}");
    }
    if found.iter().all(|it| it.is_prerelease()) {
        text.push_str(", all of them pre-releases, which bounds without a pre-release leave out");
    }
    Some(text)
}

/// The entry that is a second head, the reason, and the edge that would join it.
fn of_graph(entries: &[Entry], error: &GraphError, facts: &PackageFacts) -> Vec<String> {
    let versions = facts.versions();
    let by_name: BTreeMap<&str, &Entry> = entries.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut found = Vec::new();
    for fault in &error.0 {
        match fault {
            GraphFault::SeveralHeads(names) => {
                let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
                sorted.sort_by_key(|it| versions.get(it).copied());
                let replaces = |name: &str| by_name.get(name).map_or("", |it| it.replaces.as_str());
                for name in &sorted {
                    found.push(match replaces(name) {
                        "" => format!("no entry replaces or skips `{name}`, and it replaces no entry"),
                        below => format!("no entry replaces or skips `{name}`, which replaces `{below}`"),
                    });
                }
                if let [others @ .., last] = sorted.as_slice() {
                    let others = Listed::quoted(others.iter());
                    found.push(format!("in the catalog, let `{last}` replace or skip {others}"));
                }
            }
            GraphFault::NoHead | GraphFault::Cycle => {
                if let Some(cycle) = cycle(&by_name) {
                    found.push(format!("{} is a cycle: in the catalog, remove one of these edges", cycle.join(" → ")));
                }
            }
            GraphFault::Duplicate(name) => {
                found.push(format!("in the catalog, keep only one of the entries `{name}`"));
            }
            GraphFault::ReplacesItself(name) | GraphFault::SkipsItself(name) => {
                found.push(format!("in the catalog, remove the edge of `{name}` to itself"));
            }
            GraphFault::NoEntries => found.push("in the catalog, the channel has no entries".to_owned()),
        }
    }
    found
}

/// A cycle of entries, beginning and ending with the same one.
fn cycle<'e>(by_name: &BTreeMap<&'e str, &'e Entry>) -> Option<Vec<&'e str>> {
    // Entries that lead only out of the channel are removed, until only those on cycles, or above them, are left.
    let mut below: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, entry) in by_name {
        let targets = std::iter::once(entry.replaces.as_str()).chain(entry.skips.iter().map(String::as_str));
        below.insert(name, targets.filter(|it| by_name.contains_key(it)).collect());
    }
    loop {
        let done: Vec<&str> = below.iter().filter(|it| it.1.is_empty()).map(|it| *it.0).collect();
        if done.is_empty() {
            break;
        }
        for name in &done {
            below.remove(name);
        }
        let done: BTreeSet<&str> = done.into_iter().collect();
        below.values_mut().for_each(|it| it.retain(|it| !done.contains(it)));
    }
    let mut path: Vec<&str> = vec![below.keys().next()?];
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    loop {
        let last = *path.last()?;
        if let Some(at) = seen.insert(last, path.len() - 1) {
            let names: Vec<&'e str> =
                path[at..].iter().filter_map(|it| by_name.get_key_value(it).map(|it| *it.0)).collect();
            return Some(names);
        }
        path.push(below.get(last)?.first()?);
    }
}
