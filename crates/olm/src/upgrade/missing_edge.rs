//! One piece of advice for a cut history: the smallest edge of a channel's head that leaves nobody stranded.
//!
//! An edge is never named because it looks right. It is added to the channel in memory, and the paths of all stranded
//! users are followed again; the caller may demand more of it.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use schemars::JsonSchema;
use serde::Serialize;

use super::classic::{Channel, Entry, Installed, Package, Walker};
use olmdex_fbc as fbc;
use olmdex_rules::check::graph::{GraphDefect, check_chain};
use olmdex_text::encoding::shell::word;
use olmdex_version::blang::Range;
use olmdex_version::{Version, VersionRelease, by_version};

/// More than this many names, or spans of versions, are one range from the lowest version on.
const FEW: usize = 3;

/// The names that the head of a channel would have to skip as well, so that no user is stranded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtraEdge {
    /// The channel.
    pub channel: String,
    /// The entry that gets it.
    pub entry: String,
    /// The names that are added to its `skips`, or none.
    pub skips: Vec<String>,
    /// Its new `skipRange`, which includes its old one; empty if it stays as it is.
    pub skip_range: String,
    /// The `skipRange` that it has, or empty.
    pub old_range: String,
}

impl ExtraEdge {
    /// Its entry with it.
    pub(super) fn added_to(&self, entry: &fbc::Entry) -> fbc::Entry {
        let mut fields = entry.clone();
        fields.skips.extend(self.skips.iter().cloned());
        if !self.skip_range.is_empty() {
            fields.skip_range.clone_from(&self.skip_range);
        }
        fields
    }

    /// The text to write, as a request. It lists all names, so that it can be carried out.
    pub fn request(&self) -> String {
        let Self { entry, skips, skip_range, old_range, .. } = self;
        let names = (!skips.is_empty()).then(|| format!("add {} to the skips of {entry}", skips.join(", ")));
        let range = (!skip_range.is_empty()).then(|| match old_range.is_empty() {
            true => format!("give {entry} the skipRange `{skip_range}`"),
            false => format!("change the skipRange of {entry} to `{skip_range}`"),
        });
        names.into_iter().chain(range).collect::<Vec<_>>().join(", and ")
    }
}

/// The command that gives an entry of a channel other edges.
pub fn set_edges_command(package: &str, channel: &str, new: &fbc::Entry, old: &fbc::Entry) -> String {
    let mut words =
        vec![format!("olmdex edit set-edges {} {}", word(&format!("{package}/{channel}")), word(&new.name))];
    if new.replaces != old.replaces {
        words.push(format!("--replaces {}", word(&new.replaces)));
    }
    if new.skips != old.skips {
        words.push(format!("--skips {}", word(&new.skips.join(","))));
    }
    if new.skip_range != old.skip_range {
        words.push(format!("--skip-range {}", word(&new.skip_range)));
    }
    words.join(" ")
}

/// The smallest edge of the head that leads on from all users whose paths do not lead to the head. `users` are all who
/// may have something installed; those who have more than the head are left out. `besides` are ends of paths that OLM
/// Classic does not see. An edge counts only if the channel is valid with it, every user has a path to its head, and
/// `holds` agrees.
///
/// `None` if everybody has a path, or no such edge is found.
pub fn extra_edge(
    channel: &Channel,
    users: &[Installed],
    besides: &[Installed],
    mut holds: impl FnMut(&ExtraEdge) -> bool,
) -> Option<ExtraEdge> {
    let plain = mended_chain(channel)?;
    let head = channel.entry(&plain.entry)?;
    let users: Vec<&Installed> = users.iter().filter(|it| !is_above(it, head)).collect();
    let mut ends = dead_ends(&with_edge(channel, &plain), &users)?;
    let skipped: HashSet<&String> = plain.skips.iter().collect();
    let is_new = |it: &&Installed| !is_above(it, head) && it.name != head.fields.name && !skipped.contains(&it.name);
    ends.extend(besides.iter().filter(is_new).cloned());
    ends.sort_by(|a, b| a.name.cmp(&b.name));
    ends.dedup_by(|a, b| a.name == b.name);
    let found = |edge: &ExtraEdge| leads_all_to_its_head(&with_edge(channel, edge), &users);
    let edge = if ends.is_empty() {
        Some(plain).filter(|it| !it.skips.is_empty() && found(it) && holds(it))
    } else {
        candidates(channel, head, &plain, &ends).into_iter().find(|it| found(it) && holds(it))
    };
    edge.map(|it| ExtraEdge { skips: in_order(channel, it.skips), ..it })
}

/// The names that the highest head has to skip in any case, since no range joins a chain: the other heads, and the
/// names that the chain of `replaces` does not reach. `None` if one of these names is above the head, as an upgrade
/// never leads down.
fn mended_chain(channel: &Channel) -> Option<ExtraEdge> {
    let (head, others) = highest_head(channel)?;
    let mut edge = ExtraEdge {
        channel: channel.name.clone(),
        entry: head.fields.name.clone(),
        skips: others,
        skip_range: String::new(),
        old_range: head.fields.skip_range.clone(),
    };
    // A chain that has other defects stays as it is, and no edge is found.
    if let Err(GraphDefect::Stranded(cut)) = check_chain(&fields(&with_edge(channel, &edge))) {
        let is_below = |it: &String| channel.entry(it).is_none_or(|it| !is_above(&installed(it), head));
        if !cut.iter().all(is_below) {
            return None;
        }
        edge.skips.extend(cut);
    }
    Some(edge)
}

/// Names in the order of their versions.
fn in_order(channel: &Channel, names: Vec<String>) -> Vec<String> {
    let versions: HashMap<&str, &Version> =
        channel.entries.iter().filter_map(|it| Some((it.fields.name.as_str(), it.version.as_ref()?))).collect();
    let version = |name: &String| versions.get(name.as_str()).map(|it| (*it).clone());
    by_version(names.into_iter().map(|it| (it.clone(), version(&it))).collect())
}

fn installed(entry: &Entry) -> Installed {
    Installed { name: entry.fields.name.clone(), version: entry.version.clone() }
}

fn fields(channel: &Channel) -> Vec<fbc::Entry> {
    channel.entries.iter().map(|it| fbc::Entry::clone(&it.fields)).collect()
}

/// Tells of users whether they have at least the version of the head of a channel, and cannot be upgraded to it. If
/// there are several heads, the highest counts; it is found once.
pub fn above_head(channel: &Channel) -> impl Fn(&Installed) -> bool {
    let head = highest_head(channel).map(|(head, _)| head);
    move |user| head.is_some_and(|head| is_above(user, head))
}

/// Whether a channel is valid, and every user has a path to its head, or something newer.
pub fn leads_all_to_its_head(channel: &Channel, users: &[&Installed]) -> bool {
    check_chain(&fields(channel)).is_ok() && dead_ends(channel, users).is_some_and(|it| it.is_empty())
}

/// A channel with the edge added to its head.
pub fn with_edge(channel: &Channel, edge: &ExtraEdge) -> Channel {
    let mut changed = channel.clone();
    changed.entries.change(&edge.entry, |entry| Entry::new(edge.added_to(&entry.fields), entry.version.clone()));
    changed
}

/// The head of the highest version, and the names of the other ones.
fn highest_head(channel: &Channel) -> Option<(&Entry, Vec<String>)> {
    let mut heads: Vec<&Entry> = channel.heads().into_iter().filter_map(|it| channel.entry(it)).collect();
    heads.sort_by(|a, b| (&a.version, &b.fields.name).cmp(&(&b.version, &a.fields.name)));
    let head = heads.pop()?;
    let others: BTreeSet<&str> = heads.iter().map(|it| it.fields.name.as_str()).collect();
    Some((head, others.into_iter().map(str::to_owned).collect()))
}

/// Whether the head is no upgrade for a user. Between builds of one version the release decides, which is build
/// metadata here.
fn is_above(user: &Installed, head: &Entry) -> bool {
    let released = |it: &Version| VersionRelease::from_build_metadata(it.clone());
    let versions = user.version.as_ref().zip(head.version.as_ref());
    user.name != head.fields.name && versions.is_some_and(|(own, head)| released(own) >= released(head))
}

/// The ends of users' ways that are neither the head nor above it, each once in the order of names; `None` if the
/// channel has no order, or a way never ends.
fn dead_ends(channel: &Channel, users: &[&Installed]) -> Option<Vec<Installed>> {
    let package = Package { channels: vec![channel.clone()], ..Package::default() };
    let order = package.channels.first()?.order().ok()?;
    let head = *order.live.first()?;
    let walker = Walker::new(order.live.iter().map(|it| (&package.channels[0], *it)).collect());
    // Names from which a way is known to end, and those on the way that is followed.
    let mut ended: HashSet<String> = HashSet::new();
    let mut ends: HashMap<String, Installed> = HashMap::new();
    for user in users {
        let mut at = (*user).clone();
        let mut trail: HashSet<String> = HashSet::new();
        loop {
            if !trail.insert(at.name.clone()) {
                return None;
            }
            let Some((_, entry)) = walker.next(&at) else {
                if at.name != head.fields.name && !is_above(&at, head) {
                    ends.insert(at.name.clone(), at);
                }
                break;
            };
            at = Installed { name: entry.fields.name.clone(), version: entry.version.clone() };
            if ended.contains(&at.name) {
                break;
            }
        }
        ended.extend(trail.into_iter().filter(|it| *it != user.name));
    }
    let mut ends: Vec<Installed> = ends.into_values().collect();
    ends.sort_by(|a, b| a.name.cmp(&b.name));
    Some(ends)
}

/// Edges that could help, the smallest first.
fn candidates(channel: &Channel, head: &Entry, plain: &ExtraEdge, ends: &[Installed]) -> Vec<ExtraEdge> {
    let by_name = || {
        let mut edge = plain.clone();
        edge.skips.extend(ends.iter().map(|it| it.name.clone()));
        edge
    };
    let by_range =
        |spans: Vec<Span>| ExtraEdge { skip_range: widened(&head.fields.skip_range, spans), ..plain.clone() };
    // A second entry that skips a name makes it a matter of chance which one the catalog's server names.
    let is_named = |name: &str| {
        channel.entries.iter().any(|it| it.fields.replaces == name || it.fields.skips.iter().any(|it| it == name))
    };
    let spans = spans(channel, head, ends);
    let whole =
        spans.first().zip(spans.last()).map(|(first, last)| Span { low: first.low.clone(), end: last.end.clone() });
    let mut all = Vec::new();
    if let [only] = ends
        && !is_named(&only.name)
    {
        all.push(by_name());
    }
    all.extend((!spans.is_empty() && spans.len() <= FEW).then(|| by_range(spans)));
    all.extend((ends.len() <= FEW).then(by_name));
    all.extend(whole.map(|it| by_range(vec![it])));
    all.push(by_name());
    all
}

/// The versions from one on, up to and without another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    low: Version,
    end: Version,
}

/// Spans of versions that hold all ends and as few other entries as possible; none if one of the ends or the head has
/// no version.
fn spans(channel: &Channel, head: &Entry, ends: &[Installed]) -> Vec<Span> {
    let Some(top) = &head.version else { return Vec::new() };
    let versions: Option<Vec<&Version>> = ends.iter().map(|it| it.version.as_ref()).collect();
    let Some(mut low) = versions else { return Vec::new() };
    low.sort();
    low.dedup();
    let names: HashSet<&str> = ends.iter().map(|it| it.name.as_str()).collect();
    let others = channel.entries.iter().filter(|it| !names.contains(it.fields.name.as_str()));
    let mut others: Vec<&Version> = others.filter_map(|it| it.version.as_ref()).filter(|it| *it <= top).collect();
    others.sort();
    let mut spans: Vec<Span> = Vec::new();
    for version in low {
        if spans.last().is_some_and(|it| *version < it.end) {
            continue;
        }
        let next = others.get(others.partition_point(|it| *it <= version)).copied().unwrap_or(top);
        spans.push(Span { low: version.without_build(), end: next.without_build() });
    }
    spans
}

/// A range with some spans added. A range that is a span itself is joined with the spans that it touches.
fn widened(range: &str, mut spans: Vec<Span>) -> String {
    let mut parts = Vec::new();
    match (range, span_of(range)) {
        ("", _) => {}
        (_, Some(own)) => spans.push(own),
        (_, None) => parts.push(range.to_owned()),
    }
    spans.sort_by(|a, b| a.low.cmp(&b.low));
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.low <= last.end => last.end = last.end.clone().max(span.end),
            _ => joined.push(span),
        }
    }
    parts.extend(joined.iter().map(|it| format!(">={} <{}", it.low, it.end)));
    parts.join(" || ")
}

/// The most alternatives that are compared: each is compared with all others.
const MAX_ALTERNATIVES: usize = 100;

/// A range that includes what either of two ranges includes, and nothing else: the alternatives that no other one
/// includes, of which those of the form `>=1.0.0 <2.0.0` are joined where they meet. More than a hundred
/// alternatives stand side by side.
pub fn either_range(one: &str, other: &str) -> String {
    let mut later: VecDeque<&str> =
        [one, other].into_iter().flat_map(|range| range.split("||")).map(str::trim).collect();
    if later.len() > MAX_ALTERNATIVES {
        return format!("{one} || {other}");
    }
    let mut kept: Vec<&str> = Vec::new();
    while let Some(part) = later.pop_front() {
        let others: Vec<&str> = kept.iter().chain(&later).copied().collect();
        if !includes(&others.join(" || "), part) {
            kept.push(part);
        }
    }
    let is_span = |part: &&str| span_of(part).is_some();
    let rest: Vec<&str> = kept.iter().copied().filter(|part| !is_span(part)).collect();
    widened(&rest.join(" || "), kept.iter().filter_map(|part| span_of(part)).collect())
}

/// Whether a range holds all that another one holds.
fn includes(one: &str, other: &str) -> bool {
    match (Range::parse(one), Range::parse(other)) {
        (Ok(range), Ok(part)) => range.includes(&part),
        _ => one == other,
    }
}

/// A range of the form `>=1.0.0 <2.0.0`.
fn span_of(range: &str) -> Option<Span> {
    let (low, end) = range.split_once(' ')?;
    let low = Version::parse(low.strip_prefix(">=")?).ok()?;
    let end = Version::parse(end.trim_start().strip_prefix('<')?).ok()?;
    (low < end).then_some(Span { low, end })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A channel of entries `NAME REPLACES SKIPS RANGE`, where `-` is nothing and `v` before the name stands for no
    /// version.
    fn channel(entries: &[&str]) -> Channel {
        let entry = |text: &&str| {
            let parts: Vec<&str> = text.splitn(4, ' ').collect();
            let part = |at: usize| parts.get(at).copied().filter(|it| *it != "-").unwrap_or_default().to_owned();
            let skips = part(2).split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
            let fields = fbc::Entry { name: part(0), replaces: part(1), skips, skip_range: part(3) };
            let version = Version::parse(&fields.name).ok();
            Entry::new(fields, version)
        };
        Channel {
            package: "p".to_owned(),
            name: "c".to_owned(),
            entries: entries.iter().map(entry).collect(),
            places: Arc::default(),
        }
    }

    fn users(names: &str) -> Vec<Installed> {
        let user = |it: &str| Installed { name: it.to_owned(), version: Version::parse(it).ok() };
        names.split_whitespace().map(user).collect()
    }

    #[test]
    fn one_edge_for_all_who_are_stranded() {
        // Entries, other users, and the advice.
        let cases: &[(&[&str], &str, &str)] = &[
            (&["2.0.0 1.0.0", "1.0.0"], "", ""),
            (&["2.0.0"], "1.0.0", "add 1.0.0 to the skips of 2.0.0"),
            (&["2.0.0"], "1.0.0 1.1.0", "give 2.0.0 the skipRange `>=1.0.0 <2.0.0`"),
            (
                &["1.2.0 1.1.0 - >=1.1.0 <1.2.0", "1.1.0"],
                "1.0.0 1.0.1",
                "change the skipRange of 1.2.0 to `>=1.0.0 <1.2.0`",
            ),
            (&["3.0.0 2.0.0", "2.0.0"], "1.0.0 1.1.0", "give 3.0.0 the skipRange `>=1.0.0 <2.0.0`"),
            (
                &["3.0.0 2.0.0 - <1.0.0", "2.0.0"],
                "1.0.0 1.1.0",
                "change the skipRange of 3.0.0 to `<1.0.0 || >=1.0.0 <2.0.0`",
            ),
            // A name without a version cannot be in a range.
            (&["2.0.0"], "x y", "add x, y to the skips of 2.0.0"),
            // No edge leads down.
            (&["2.0.0"], "2.1.0", ""),
            (&["2.0.0"], "1.0.0 2.1.0", "add 1.0.0 to the skips of 2.0.0"),
            // The other head has to be skipped in any case.
            (&["2.0.0", "1.0.0"], "", "add 1.0.0 to the skips of 2.0.0"),
            (
                &["2.0.0", "1.0.0"],
                "0.8.0 0.9.0",
                "add 1.0.0 to the skips of 2.0.0, and give 2.0.0 the skipRange `>=0.8.0 <1.0.0`",
            ),
            // The chain below a skipped entry is cut, and no range makes that valid.
            (&["4.0.0 - 3.0.0", "3.0.0 2.0.0", "2.0.0 1.0.0", "1.0.0"], "", "add 1.0.0, 2.0.0 to the skips of 4.0.0"),
            // So is one below an entry that the head both replaces and skips.
            (
                &["3.0.0 2.0.0 2.0.0", "2.0.0 1.10.0", "1.10.0 1.9.0", "1.9.0"],
                "",
                "add 1.9.0, 1.10.0 to the skips of 3.0.0",
            ),
            (
                &["3.0.0 2.0.0 2.0.0", "2.0.0 1.0.0", "1.0.0 0.9.0"],
                "0.1.0 0.2.0",
                "add 1.0.0 to the skips of 3.0.0, and give 3.0.0 the skipRange `>=0.1.0 <1.0.0`",
            ),
            // A bundle that is cut off and newer than the head is not led down to it.
            (&["2.0.0 - 1.0.0", "1.0.0 3.0.0", "3.0.0"], "", ""),
            // Spans that leave others on their path.
            (&["5.0.0 3.0.0", "3.0.0"], "1.0.0 4.0.0", "give 5.0.0 the skipRange `>=1.0.0 <3.0.0 || >=4.0.0 <5.0.0`"),
            // Between builds of one version the release decides.
            (&["1.0.0+2 1.0.0+1 1.0.0+1", "1.0.0+1 1.0.0", "1.0.0"], "", "add 1.0.0 to the skips of 1.0.0+2"),
            (&["1.0.0+1 1.0.0 1.0.0", "1.0.0 1.0.0+2", "1.0.0+2"], "", ""),
            // A cycle stays one.
            (&["2.0.0 1.0.0", "1.0.0 0.1.0", "0.1.0 1.0.0"], "0.0.1", ""),
        ];
        for (entries, besides, wanted) in cases {
            let channel = channel(entries);
            let mut all = users(besides);
            all.extend(
                channel
                    .entries
                    .iter()
                    .map(|it| Installed { name: it.fields.name.clone(), version: it.version.clone() }),
            );
            let found = extra_edge(&channel, &all, &[], |_| true);
            assert_eq!(found.as_ref().map(ExtraEdge::request).unwrap_or_default(), *wanted, "{entries:?} {besides}");
        }
    }

    #[test]
    fn two_ranges_are_one_where_they_meet() {
        let cases = [
            (">=1.0.0 <1.2.0", ">=1.0.0 <1.1.0", ">=1.0.0 <1.2.0"),
            (">=1.1.0 <1.2.0", ">=1.0.0 <1.1.0", ">=1.0.0 <1.2.0"),
            (">=1.2.0 <1.3.0", ">=1.0.0 <1.1.0", ">=1.0.0 <1.1.0 || >=1.2.0 <1.3.0"),
            (">=1.0.x <1.2.0", ">=1.0.x <1.1.0", ">=1.0.x <1.2.0"),
            // A contained range is not written (publishers F16).
            ("<1.0.1", "<1.0.0", "<1.0.1"),
            ("<1.0.0", "<1.0.1", "<1.0.1"),
            ("<1.0.0 || >1.2.0", "<0.9.0 || 1.3.0", "<1.0.0 || >1.2.0"),
            ("<1.0.0", "<0.9.0 || >2.0.0", "<1.0.0 || >2.0.0"),
            ("<1.0.0-0", "<0.9.0 || >=0.9.5 <1.0.0", "<1.0.0-0 || >=0.9.5 <1.0.0"),
            (">=0.1.0 <0.6.0", ">=0.3.0 <0.5.0 || >=0.7.0 <0.9.0", ">=0.1.0 <0.6.0 || >=0.7.0 <0.9.0"),
            (">=0.1.0 <0.6.0", ">=0.3.0 <0.7.0 || >=0.7.0 <0.9.0", ">=0.1.0 <0.9.0"),
            ("!1.0.0", "<1.0.0", "!1.0.0"),
            ("<1.2.0", "<1.2.0", "<1.2.0"),
        ];
        for (one, other, either) in cases {
            assert_eq!(either_range(one, other), either);
        }
        // An attack: an entry with thousands of alternatives.
        let many = vec!["<1.0.0"; 20_000].join(" || ");
        assert_eq!(either_range(&many, "<2.0.0"), format!("{many} || <2.0.0"));
    }

    #[test]
    fn whoever_asks_may_refuse_an_edge() {
        let channel = channel(&["2.0.0"]);
        let found = extra_edge(&channel, &users("1.0.0"), &[], |it| it.skips.is_empty());
        assert_eq!(found.map(|it| it.request()).unwrap_or_default(), "give 2.0.0 the skipRange `>=1.0.0 <2.0.0`");
        assert_eq!(extra_edge(&channel, &users("1.0.0"), &[], |_| false), None);
    }
}
