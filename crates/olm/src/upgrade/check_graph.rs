//! Checks of upgrade graphs: every version that may be installed has exactly one way on
//! (`docs/behaviour/olm-classic.md` 6.1).

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::classic::{Channel, Entry, Installed, Order, Package, Walker, leads_to};
use super::cut_advice::{is_newer, names, names_itself, words_for};
use super::loss::{Loss, losses};
use super::naming::Naming;
use super::ordered::Ordered;
use super::rules;
use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_index::query::{NamesWithoutWay, PackageGraph};
use olmdex_version::{Holding, Version, by_version, first_of};

/// The findings about the upgrades of a package: every name in its channels is followed to the head. With `old`, also
/// what the package has lost since: channels, and versions that could be upgraded.
///
/// `without_way` are the names from which no edges lead to the head, as far as the index knows. If ranges lead up only,
/// no others need to be followed.
pub fn check_graph(graph: &PackageGraph, old: Option<&PackageGraph>, without_way: &NamesWithoutWay) -> Vec<Finding> {
    let found = check_package(&graph.catalog, &Package::new(graph), old.map(Package::new).as_ref(), without_way);
    found.into_iter().map(|it| it.finding).collect()
}

/// A finding with its subject. The message cannot identify it, since it may count or list things that grow with every
/// release.
pub(super) struct About {
    channel: String,
    /// The name that the finding is about; empty for the channel as a whole.
    name: String,
    pub(super) finding: Finding,
}

/// The findings that are not about defects which the older state of a package had already.
pub(super) fn only_new(found: Vec<About>, old: &[About]) -> Vec<About> {
    let key = |it: &About| (it.finding.rule.id, it.channel.clone(), it.name.clone());
    let known: HashSet<_> = old.iter().map(key).collect();
    found.into_iter().filter(|it| !known.contains(&key(it))).collect()
}

/// Like [`check_graph`], for a package in a catalog.
pub(super) fn check_package(
    catalog: &str,
    package: &Package,
    old: Option<&Package>,
    without_way: &NamesWithoutWay,
) -> Vec<About> {
    let mut findings = Vec::new();
    let ordered = Ordered::new(package);
    let old = old.map(Ordered::new);
    let lost = old.as_ref().map(|it| losses(it, &ordered)).unwrap_or_default();
    let mut lost_versions: HashMap<&str, Vec<&str>> = HashMap::new();
    for it in &lost {
        if let Loss::Version { channel, installed, .. } = it {
            lost_versions.entry(&channel.name).or_default().push(&installed.name);
        }
    }
    // The channels with a newer head than the default channel has.
    let mut ahead: Vec<(&Channel, &Entry)> = Vec::new();
    for (channel, order) in package.channels.iter().zip(&ordered.orders) {
        match order {
            Err(error) => {
                findings.push(finding(rules::NO_ORDER, at_disorder(channel), channel, "", error.to_string(), None));
            }
            Ok(order) => {
                let beyond = check_ranges(channel);
                let names = without_way.get(&(catalog.to_owned(), channel.name.clone()));
                let names = names.filter(|_| beyond.is_empty() && ascends(channel, order));
                let lost = lost_versions.get(channel.name.as_str()).map_or(&[][..], Vec::as_slice);
                let users = users(channel, old.as_ref(), lost, names);
                let naming = Naming::new(channel);
                check_names(&ordered, &Judged::new(channel, order, &naming), &users, &mut findings);
                check_dead(channel, order, &naming, &mut findings);
                findings.extend(beyond);
                check_pruned(channel, order, &mut findings);
                match check_default(&ordered, channel, order) {
                    Some(OutsideDefault::Ahead(head)) => ahead.push((channel, head)),
                    Some(OutsideDefault::Apart(finding)) => findings.push(finding),
                    None => {}
                }
            }
        }
    }
    findings.extend(default_behind(&ordered, &ahead));
    findings.extend(lost.iter().filter_map(|it| of_channel(&ordered, it)));
    findings
}

/// A channel that is gone, or in which nothing can be upgraded any more.
fn of_channel(now: &Ordered<'_>, loss: &Loss<'_>) -> Option<About> {
    let was = loss.channel();
    let id = format!("{}/{}", was.package, was.name);
    match loss {
        Loss::Channel(_) => {
            let message = format!("channel {id} was removed: its Subscriptions fail");
            let help = "keep the channel, deprecated if necessary";
            Some(finding(rules::LOST, was.places.start(), was, "", message, Some(help)))
        }
        Loss::Order(_) => {
            let now = now.channels(&was.name).next();
            let place = now.map_or_else(|| was.places.start(), |it| at_disorder(it.0));
            let message = format!("channel {id} has lost its single head: OLM can upgrade none of its versions");
            let help = "let one entry replace or skip every other head";
            Some(finding(rules::LOST, place, was, "", message, Some(help)))
        }
        Loss::Version { .. } => None,
    }
}

fn check_names(ordered: &Ordered<'_>, judged: &Judged<'_>, all: &[User<'_>], findings: &mut Vec<About>) {
    let Judged { channel, order, naming, .. } = *judged;
    let id = format!("{}/{}", channel.package, channel.name);
    // A channel with an order has one head, which nothing skips.
    let head = order.live.first().map_or("", |it| it.fields.name.as_str());
    // `None` if another channel of this name has no order.
    let Some(walker) = ordered.walker(&channel.name) else { return };
    let is_open = |name: &str| all.binary_search_by(|it| it.name.cmp(name)).is_ok_and(|at| all[at].is_open);
    let is_stranded = |it: &Installed| is_open(&it.name) && walker.next(it).is_none() && head != it.name;
    // If several channels share a name, none has a head of its own.
    let is_only = ordered.channels(&channel.name).count() == 1;
    let advice: OnceCell<Option<String>> = OnceCell::new();
    // Names from which the way has been followed.
    let mut followed: BTreeSet<&str> = BTreeSet::new();
    for user in all {
        let name = user.name;
        let installed = Installed::new(name, user.version);
        if let Some(rule) = user.rule.filter(|_| is_stranded(&installed)) {
            let users = || all.iter().map(|it| Installed::new(it.name, it.version)).collect();
            let advice = advice.get_or_init(|| is_only.then(|| words_for(channel, users(), is_stranded)).flatten());
            findings.push(stranded(judged, &installed, rule, advice.as_deref()));
        }
        if user.is_open
            && let Some(back) = circle(&walker, user, &mut followed)
        {
            let message = format!("the path from {name} in {id} loops: it comes back to {back}");
            let help = "leave newer versions out of the skipRange of older entries";
            let place = channel.entry(back).map(|it| at_range(channel, it));
            let place = place.unwrap_or_else(|| channel.places.start());
            findings.push(finding(rules::CIRCLE, place, channel, back, message, Some(help)));
        }
        let entries = naming.entries(name);
        if entries.len() > 1 {
            let n_entries = entries.len();
            let entries = listed(channel, entries.into_iter());
            let message = format!("{n_entries} entries of {id} replace or skip {name}: {entries}");
            let place = naming.place(name).unwrap_or_else(|| channel.places.start());
            findings.push(finding(rules::AMBIGUOUS, place, channel, name, message, None));
        }
    }
}

/// A version that somebody may have installed.
struct User<'c> {
    name: &'c str,
    version: Option<&'c Version>,
    /// The rule that the channel breaks if it has no upgrade; none for a version that had none before either, which has
    /// lost nothing.
    rule: Option<&'static Rule>,
    /// Whether its way has to be followed: edges may lead away from it only as far as the index knows.
    is_open: bool,
}

/// Everybody who may follow a channel, or could in the older state, by name. `lost` are the versions that have lost
/// their upgrade since, and `without_way` the names that need to be followed; `None` for all of them.
fn users<'u>(
    channel: &'u Channel,
    old: Option<&'u Ordered<'_>>,
    lost: &[&str],
    without_way: Option<&BTreeSet<String>>,
) -> Vec<User<'u>> {
    let of_old = old.into_iter().flat_map(|old| old.channels(&channel.name)).flat_map(|it| &it.0.entries);
    let mut of_old: Vec<(&str, Option<&Version>)> =
        of_old.map(|entry| (entry.fields.name.as_str(), entry.version.as_ref())).collect();
    // The last entry of a name counts.
    of_old.reverse();
    of_old.sort_by_key(|(name, _)| *name);
    of_old.dedup_by_key(|(name, _)| *name);
    let was = |name: &str| of_old.binary_search_by_key(&name, |it| it.0).ok().and_then(|at| of_old[at].1);
    let lost: HashSet<&str> = lost.iter().copied().collect();
    let mut users: Vec<User<'_>> = names(channel)
        .into_iter()
        .map(|(name, version)| {
            let was = was(name);
            let is_settled = without_way.is_some_and(|it| !it.contains(name)) && (version.is_some() || was.is_none());
            let rule = if lost.contains(name) { rules::LOST } else { rules::STRANDED };
            User { name, version: version.or(was), rule: Some(rule), is_open: !is_settled }
        })
        .collect();
    let is_gone = |name: &str| users.binary_search_by(|user| user.name.cmp(name)).is_err();
    let gone: Vec<User<'_>> = of_old
        .into_iter()
        .filter(|(name, _)| is_gone(name))
        .map(|(name, version)| User { name, version, rule: lost.contains(name).then_some(rules::LOST), is_open: true })
        .collect();
    users.extend(gone);
    users.sort_by_key(|user| user.name);
    users
}

/// Whether versions go up along the chain. Then a way goes round in a circle, or stays where it is, only by a range
/// that holds its entry's own version or a newer one.
fn ascends(channel: &Channel, order: &Order<'_>) -> bool {
    let has_version = channel.entries.iter().all(|it| it.version.is_some());
    has_version && order.live.windows(2).all(|pair| matches!(pair, [above, below] if below.version < above.version))
}

/// A channel whose names are judged one by one.
struct Judged<'c> {
    channel: &'c Channel,
    order: &'c Order<'c>,
    naming: &'c Naming<'c>,
    /// The walker of the skipped entries, in the channel's order.
    skipped: OnceCell<Walker<'c>>,
}

impl<'c> Judged<'c> {
    fn new(channel: &'c Channel, order: &'c Order<'c>, naming: &'c Naming<'c>) -> Self {
        Self { channel, order, naming, skipped: OnceCell::new() }
    }

    /// The first entry that is skipped and would lead on, with the entry that skips it.
    fn would_lead_on(&self, installed: &Installed) -> Option<(&'c Entry, &'c Entry)> {
        let skipped = self.channel.entries.iter().filter(|it| self.order.skipped.contains_key(it.fields.name.as_str()));
        let dead = match installed.name.as_str() {
            // An empty name is skipped if an item of a list is empty, and nothing leads on from it by `replaces`.
            "" => skipped.into_iter().find(|it| leads_to(self.channel, it, installed))?,
            _ => {
                let walker = self.skipped.get_or_init(|| Walker::new(skipped.map(|it| (self.channel, it)).collect()));
                walker.first(installed)?.1
            }
        };
        Some((dead, self.order.skipped.get(dead.fields.name.as_str())?))
    }
}

/// A finding about a version without a way on. If an entry would lead on but is skipped, the message names it, because
/// that is the surprise.
fn stranded(judged: &Judged<'_>, installed: &Installed, rule: &'static Rule, advice: Option<&str>) -> About {
    let Judged { channel, order, .. } = *judged;
    let name = &installed.name;
    let mut message = format!("{}/{} has no upgrade from {name}", channel.package, channel.name);
    if let Some((dead, by)) = judged.would_lead_on(installed) {
        let more =
            format!(": {} would, but {} skips it (OLM v1 would take it anyway)", dead.fields.name, by.fields.name);
        message.push_str(&more);
    }
    let own = channel.entry(name);
    let head = order.live.first();
    let help = if names_itself(channel, name) {
        Some(format!("take {name} out of its own replaces and skips"))
    } else if own.is_none() && is_newer(installed, head.copied()) {
        Some(format!("keep {name} in the channel, deprecated if necessary: upgrades never lead to a lower version"))
    } else if let Some(head) = head.filter(|it| is_newer(installed, Some(it))) {
        Some(format!("let {name} replace {}, or take it out of the channel", head.fields.name))
    } else {
        advice.map(str::to_owned)
    };
    // The name's own entry, or the edge that mentions it, or the head that could follow it.
    let place = own.map(|it| channel.places.entry(it.number())).or_else(|| judged.naming.place(name));
    let at_head = || order.live.first().map(|it| channel.places.entry(it.number()));
    let place = place.or_else(at_head).unwrap_or_else(|| channel.places.start());
    finding(rule, place, channel, name, message, help.as_deref())
}

/// The name that a way comes back to, if it does and no finding has reported it: a way is followed only up to names
/// that were followed before.
fn circle<'u>(walker: &Walker<'u>, user: &User<'u>, followed: &mut BTreeSet<&'u str>) -> Option<&'u str> {
    let mut at = (user.name, user.version);
    let mut own: BTreeSet<&str> = BTreeSet::new();
    loop {
        let (name, version) = at;
        if own.contains(name) {
            return Some(name);
        }
        if !followed.insert(name) {
            return None;
        }
        own.insert(name);
        let (_, entry) = walker.next(&Installed::new(name, version))?;
        at = (&entry.fields.name, entry.version.as_ref());
    }
}

/// Skipped entries to which OLM v1 goes.
fn check_dead(channel: &Channel, order: &Order<'_>, naming: &Naming<'_>, findings: &mut Vec<About>) {
    if order.skipped.is_empty() {
        return;
    }
    let mut dead: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let own: BTreeSet<(&str, usize)> =
        (0..).zip(&channel.entries).map(|(at, entry)| (entry.fields.name.as_str(), at)).collect();
    // The highest version first, and among equal ones the later entry first: the first whose range holds a version is
    // the highest.
    let mut ranged: Vec<&Entry> =
        channel.entries.iter().rev().filter(|it| it.range.is_some() && it.version.is_some()).collect();
    ranged.sort_by(|a, b| b.version.cmp(&a.version));
    let holding = Holding::new((0_u32..).zip(ranged.iter().filter_map(|it| it.range.as_ref())));
    for (name, version) in names(channel) {
        let in_range = version.and_then(|it| holding.first(it)).map(|it| ranged[it as usize]);
        let own = own.range((name, 0)..=(name, usize::MAX)).map(|&(_, at)| (at, &channel.entries.as_slice()[at]));
        // The last entry counts among equal versions, and a range most of all.
        let leading = naming.leading(name).chain(own).chain(in_range.map(|it| (usize::MAX, it)));
        let is_by_range = |at: usize| at == usize::MAX;
        let leading = leading.filter(|(at, entry)| entry.version.is_some() && (is_by_range(*at) || !name.is_empty()));
        let Some((_, highest)) = leading.max_by_key(|(at, entry)| (&entry.version, *at)) else { continue };
        if highest.fields.name != name && order.skipped.contains_key(highest.fields.name.as_str()) {
            dead.entry(&highest.fields.name).or_default().push(name);
        }
    }
    // The items of the skips of each entry that is named.
    let mut items: HashMap<usize, HashMap<&str, usize>> = HashMap::new();
    for (name, from) in dead {
        let Some(skipping) = order.skipped.get(name) else { continue };
        let by = &skipping.fields.name;
        let id = format!("{}/{}", channel.package, channel.name);
        let message = format!(
            "{by} skips {name} in {id}, so OLM Classic never upgrades to it; OLM v1 does, from {}",
            listed(channel, from.into_iter())
        );
        let help = format!("let {by} replace or skip what {name} would follow, or include it in a skipRange");
        let of_entry = items.entry(skipping.number()).or_insert_with(|| {
            // The first of equal names stays.
            skipping.fields.skips.iter().enumerate().rev().map(|(item, name)| (name.as_str(), item)).collect()
        });
        let item = of_entry.get(name).copied().unwrap_or_default();
        let place = channel.places.skip(skipping.number(), item);
        findings.push(finding(rules::DEAD_ENTRY, place, channel, name, message, Some(&help)));
    }
}

/// Reports ranges that hold more than the versions older than their entry.
fn check_ranges(channel: &Channel) -> Vec<About> {
    let mut findings = Vec::new();
    let mut ascending: Vec<(&Version, usize)> =
        channel.entries.iter().enumerate().filter_map(|(at, it)| Some((it.version.as_ref()?, at))).collect();
    ascending.sort();
    let versions: Vec<&Version> = ascending.iter().map(|it| it.0).collect();
    for entry in &channel.entries {
        let (Some(range), Some(version)) = (&entry.range, &entry.version) else { continue };
        let first = versions.partition_point(|it| *it < version);
        let spans = range.spans_of(&versions).into_iter().map(|it| it.start.max(first)..it.end.max(first));
        let spans: Vec<std::ops::Range<usize>> = spans.filter(|it| !it.is_empty()).collect();
        let n_held: usize = spans.iter().map(ExactSizeIterator::len).sum();
        if n_held == 0 {
            continue;
        }
        // If there are many, the message names the lowest versions.
        let mut held = spans
            .into_iter()
            .flatten()
            .map(|it| channel.entries.as_slice()[ascending[it].1].fields.name.as_str())
            .peekable();
        // OLM Classic selects the installed entry again and takes no step.
        let is_itself = n_held == 1 && held.peek() == Some(&entry.fields.name.as_str());
        let rule = if is_itself { rules::OWN_VERSION_IN_RANGE } else { rules::RANGE_BEYOND };
        let names = first_of(held, n_held);
        let message = format!(
            "the skipRange {} of {} in {}/{} includes {names}, which it does not update",
            entry.fields.skip_range, entry.fields.name, channel.package, channel.name
        );
        let help = format!("end the range with <{version}");
        findings.push(finding(rule, at_range(channel, entry), channel, &entry.fields.name, message, Some(&help)));
    }
    findings
}

/// Entries that are older than the end of the chain.
fn check_pruned(channel: &Channel, order: &Order<'_>, findings: &mut Vec<About>) {
    let Some(last) = order.live.last() else { return };
    let minor = |version: &Version| (version.major(), version.minor());
    // A head that skips earlier patches of a minor version, as a z-stream does, gives them an update on purpose.
    let is_followed = |it: &Entry| {
        let by = order.skipped.get(it.fields.name.as_str()).and_then(|by| by.version.as_ref());
        by.zip(it.version.as_ref()).is_some_and(|(by, version)| by > version && minor(by) == minor(version))
    };
    let is_older = |it: &&Entry| it.version.is_some() && it.version < last.version && !is_followed(it);
    let older: Vec<&str> = channel.entries.iter().filter(is_older).map(|it| it.fields.name.as_str()).collect();
    if !older.is_empty() && last.fields.replaces.is_empty() {
        let message = format!(
            "the chain of {}/{} ends at {}, so only startingCSV installs {}",
            channel.package,
            channel.name,
            last.fields.name,
            listed(channel, older.into_iter())
        );
        let help = "let the end of the chain replace the newest of them, without skipping it, if they should be part of the channel";
        findings.push(finding(rules::PRUNED, channel.places.entry(last.number()), channel, "", message, Some(help)));
    }
}

/// The head of a channel that has no way into the default channel.
enum OutsideDefault<'o> {
    /// It is a newer release than the head of the default channel.
    Ahead(&'o Entry),
    /// It is older, or not comparable.
    Apart(About),
}

fn check_default<'o>(ordered: &Ordered<'_>, channel: &Channel, order: &Order<'o>) -> Option<OutsideDefault<'o>> {
    let (default, default_order) = ordered.channels(&ordered.package.default_channel).next()?;
    let head = *order.live.first().filter(|_| default.name != channel.name)?;
    let installed = Installed { name: head.fields.name.clone(), version: head.version.clone() };
    let is_member = default.entry(&head.fields.name).is_some();
    // A default channel without order has a finding of its own.
    let walker = ordered.default_walker()?;
    if is_member || walker.next(&installed).is_some() {
        return None;
    }
    let highest = default_order.as_ref().ok().and_then(|order| order.live.first()?.version.as_ref());
    // By OLM's convention for names, these are ahead on purpose.
    let is_early = ["candidate", "fast"].iter().any(|name| channel.name.starts_with(name));
    let is_release = |own: &Version, highest: &Version| !own.is_prerelease() || highest.is_prerelease();
    let is_newer = |(own, highest): (&Version, &Version)| own > highest && is_release(own, highest) && !is_early;
    if head.version.as_ref().zip(highest).is_some_and(is_newer) {
        return Some(OutsideDefault::Ahead(head));
    }
    let message = format!(
        "no upgrade leads from {}, the head of {}/{}, into the default channel {}",
        head.fields.name, channel.package, channel.name, default.name
    );
    let place = channel.places.entry(head.number());
    Some(OutsideDefault::Apart(finding(rules::OUTSIDE_DEFAULT, place, channel, "", message, None)))
}

/// The finding about a default channel that is behind others.
fn default_behind(ordered: &Ordered<'_>, ahead: &[(&Channel, &Entry)]) -> Option<About> {
    let (default, order) = ordered.channels(&ordered.package.default_channel).next()?;
    let mut released: Vec<_> = ahead.iter().collect();
    released.sort_by(|a, b| (&a.1.version, &b.0.name).cmp(&(&b.1.version, &a.0.name)));
    let (_, newest) = released.last()?;
    let names = released.iter().filter(|it| it.1.fields.name == newest.fields.name).map(|it| it.0.name.as_str());
    let names: Vec<&str> = names.rev().collect();
    let head = order.as_ref().ok()?.live.first()?;
    let channels = match names.as_slice() {
        [only] => format!("{only} has"),
        [one, other] => format!("{one} and {other} have"),
        several => format!("{} have", first_of(several.iter(), several.len())),
    };
    let message = format!(
        "the default channel {} of {} ends at {}, but {channels} {}",
        default.name, default.package, head.fields.name, newest.fields.name
    );
    let help = "make a newer channel the default with `olmdex edit default-channel`, or publish the release there, too";
    let place = default.places.entry(head.number());
    Some(finding(rules::DEFAULT_BEHIND, place, default, "", message, Some(help)))
}

/// Names of a channel in the order of their versions, with a count of those that a message has no room for.
fn listed<'n>(channel: &Channel, names: impl Iterator<Item = &'n str>) -> String {
    let version = |name: &str| channel.entry(name).and_then(|it| it.version.clone());
    let names = by_version(names.map(|it| (it, version(it))).collect());
    first_of(names.iter(), names.len())
}

/// The place of the head of a channel without order, if it has one.
fn at_disorder(channel: &Channel) -> Place {
    let head = channel.heads().first().and_then(|it| channel.entry(it));
    head.map_or_else(|| channel.places.start(), |it| channel.places.entry(it.number()))
}

fn at_range(channel: &Channel, entry: &Entry) -> Place {
    channel.places.skip_range(entry.number())
}

/// A finding about a channel, or a name in it.
fn finding(
    rule: &'static Rule,
    place: Place,
    channel: &Channel,
    name: &str,
    message: String,
    help: Option<&str>,
) -> About {
    let finding = rule.finding(message).at(place).of_package(channel.package.clone());
    let finding = Finding { help: help.map(str::to_owned), ..finding };
    About { channel: channel.name.clone(), name: name.to_owned(), finding }
}
