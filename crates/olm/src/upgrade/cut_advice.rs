//! Advice for a cut history in words: every check that finds the cut gives the same sentence.

use std::sync::Arc;

use super::classic::{Channel, Entry, Installed, Walker};
use super::missing_edge::{extra_edge, set_edges_command};
use olmdex_base::diag::Rule;
use olmdex_fbc::{ChannelPlaces, Input};
use olmdex_index::query::GraphChannel;
use olmdex_rules::check::{self, ChannelFacts, CutChannel, Report};
use olmdex_text::calendar::Day;
use olmdex_version::Version;

/// The most heads of a channel that are joined.
const MAX_HEADS: usize = 20;

/// Reads a catalog and judges it: all findings in one run, and for each cut history the edge that would leave nobody
/// stranded. With a day, the heads of channels must be supported on it; without one, nothing depends on the time of the
/// call.
///
/// ```
/// use std::sync::Arc;
///
/// use olmdex_olm::upgrade::check_catalog;
/// use olmdex_fbc::Input;
///
/// let text = "schema: olm.package\nname: till\ndefaultChannel: stable\n";
/// let report = check_catalog(&Input::bytes("catalog.yaml", Arc::from(text.as_bytes())), None);
///
/// assert!(report.has_errors());
/// let finding = &report.findings[0];
/// assert_eq!(finding.rule.id, "E0105");
/// assert_eq!(finding.place.as_ref().map(|it| it.line), Some(1));
/// assert!(report.opm.is_some(), "opm refuses it too");
/// ```
pub fn check_catalog(input: &Input, day: Option<Day>) -> Report {
    check_catalog_noting(input, day, &[], &mut |_| {})
}

/// Like [`check_catalog`], with rules of good practice, for a caller that takes note of each document.
pub fn check_catalog_noting(
    input: &Input,
    day: Option<Day>,
    practices: &[&'static Rule],
    note: &mut dyn FnMut(&check::Inspected),
) -> Report {
    check::judge(input, day, Some(cut_advice), practices, note)
}

/// The edge that would leave nobody stranded in a channel that the checks of a catalog found cut, as a request: the
/// same as the advice of [`super::check_graph()`] for that channel. `None` if there is no such edge.
pub fn cut_advice(cut: &CutChannel<'_>) -> Option<String> {
    let ChannelFacts { package, name, entries } = cut.channel;
    let places = Arc::new(ChannelPlaces::at_line("", 1));
    let channel = GraphChannel { name: name.clone(), entries: Arc::clone(entries), places };
    let channel = Channel::new(package, &channel, |it| cut.version(it));
    let installed = |(name, version): (&str, Option<&Version>)| Installed::new(name, version);
    let users: Vec<Installed> = names(&channel).into_iter().map(installed).collect();
    let Ok(order) = channel.order() else {
        // Only versions tell which head is the newest, and nobody reads the names of more heads.
        let heads = channel.heads();
        let has_version = |name: &&str| channel.entry(name).is_some_and(|it| it.version.is_some());
        let is_clear = heads.len() <= MAX_HEADS && heads.iter().all(has_version);
        return if is_clear { words_for(&channel, users, |_| false) } else { None };
    };
    let walker = Walker::new(order.live.iter().map(|it| (&channel, *it)).collect());
    let head = order.live.first().map_or("", |it| it.fields.name.as_str());
    words_for(&channel, users, |it| walker.next(it).is_none() && head != it.name)
}

/// The edge that would leave nobody in a channel stranded, in words: one sentence for all its users.
pub(super) fn words_for(
    channel: &Channel,
    mut users: Vec<Installed>,
    is_stranded: impl Fn(&Installed) -> bool,
) -> Option<String> {
    users.retain(|user| !names_itself(channel, &user.name));
    let edge = extra_edge(channel, &users, &[], |_| true)?;
    let n_covered = users.iter().filter(|it| is_stranded(it) && !is_newer(it, channel.entry(&edge.entry))).count();
    let request = edge.request();
    let request = match n_covered {
        0 | 1 => request,
        2 => format!("{request}, for both versions that have no upgrade"),
        n => format!("{request}, for all {n} versions that have no upgrade"),
    };
    let old = &channel.entry(&edge.entry)?.fields;
    let command = set_edges_command(&channel.package, &channel.name, &edge.added_to(old), old);
    Some(format!("{request}: `{command}`"))
}

/// Each name that a channel knows, in order, with its version if it has one: that of the last entry of a name.
pub(super) fn names(channel: &Channel) -> Vec<(&str, Option<&Version>)> {
    let entries = channel.entries.iter().rev().map(|entry| (entry.fields.name.as_str(), entry.version.as_ref()));
    let mentioned = channel.entries.iter().flat_map(|entry| entry.fields.skips.iter().chain([&entry.fields.replaces]));
    let mentioned = mentioned.filter(|name| !name.is_empty()).map(|name| (name.as_str(), None));
    let mut names: Vec<(&str, Option<&Version>)> = entries.chain(mentioned).collect();
    names.sort_by_key(|(name, _)| *name);
    names.dedup_by_key(|(name, _)| *name);
    names
}

/// Whether an entry replaces or skips its own name.
pub(super) fn names_itself(channel: &Channel, name: &str) -> bool {
    channel.entry(name).is_some_and(|it| it.fields.replaces == name || it.fields.skips.iter().any(|it| it == name))
}

/// Whether the head is older than the installed bundle, and no upgrade for it.
pub(super) fn is_newer(installed: &Installed, head: Option<&Entry>) -> bool {
    let versions = head.and_then(|it| it.version.as_ref()).zip(installed.version.as_ref());
    versions.is_some_and(|(head, version)| head < version)
}
