//! Where a version can go in OLM Classic: to the newest version of the default channel by itself, after a change of the
//! channel, or not at all.
//!
//! A Subscription follows one channel, and OLM takes one step at a time: from each bundle each channel leads to one
//! entry at most (`docs/behaviour/olm-classic.md` 2.5). A [`Goal`] knows these steps for all bundles that the channels
//! list, and so how far each is from the goal if the channel may be changed anywhere.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use schemars::JsonSchema;
use serde::Serialize;

use super::channel::{Channel, Entry};
use super::classic::{Installed, Package, Step, Walker};
use super::target::NamedVersion;
use olmdex_base::diag::counted;
use olmdex_text::tally;
use olmdex_version::blang::Range;
use olmdex_version::{Version, version_or_name};

/// The steps of a package's channels.
#[derive(Debug)]
struct Steps<'p> {
    package: &'p Package,
    /// The channels that have an order, the default one first.
    walkers: Vec<(&'p str, Walker<'p>)>,
    /// The bundles from which a channel leads to each bundle.
    sources_of: HashMap<&'p str, Vec<&'p str>>,
}

/// A bundle of a package that others want to get to.
#[derive(Debug)]
pub struct Goal<'p> {
    steps: Rc<Steps<'p>>,
    entry: &'p Entry,
    /// Whether it is the newest of the default channel: then a channel that leads higher is as good.
    is_newest: bool,
    /// The least number of upgrades from each listed bundle that can get there.
    upgrades_from: HashMap<&'p str, usize>,
    /// The listed bundles from which upgrades lead to a version above it.
    past: OnceCell<HashSet<&'p str>>,
}

/// Whether upgrades lead from a bundle to a goal, with changes of the channel if need be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// They do, or it is the goal.
    Reaches,
    /// It is higher.
    Higher,
    /// None leads there, but some lead to a higher version.
    Past,
    /// None leads there.
    DeadEnd,
}

/// Where an installed bundle can go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outlook {
    /// The bundle to get to: the newest of the default channel, unless another was asked for.
    pub goal: String,
    /// Its version, or empty.
    pub goal_version: String,
    /// Whether and how the installed bundle arrives.
    pub verdict: OutlookVerdict,
    /// The channel that it follows: that of the Subscription, or the one that a Subscription most likely has. Empty for
    /// all channels.
    pub channel: String,
    /// The last bundle to which that channel leads.
    pub channel_ends_at: String,
    /// Its version, or empty.
    pub channel_ends_at_version: String,
    /// Whether that is a head of the channel. Otherwise upgrades from it are missing, or the channel does not list it.
    pub ends_at_head: bool,
    /// The changes of the channel on the way.
    pub changes: Vec<ChannelChange>,
    /// The upgrades on the way; none if no way leads there.
    pub upgrades: Vec<Step>,
    /// How many are enough if the channel is changed at once, if these are fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest_upgrades: Option<usize>,
    /// The way with these.
    #[serde(skip)]
    #[schemars(skip)]
    pub at_once: Option<Box<Outlook>>,
    /// The same for the highest version above the newest of the default channel: the highest to which upgrades lead, or
    /// else the highest of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<Box<Outlook>>,
    /// If no upgrade leads there: the upgrade that its publisher announced and the catalog does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOutRange>,
}

/// A range that the ClusterServiceVersion of a bundle states in its annotation `olm.skipRange`, and the entry of the
/// bundle in a channel does not. OLM looks at the entry alone (`docs/behaviour/fbc.md`), so it finds no upgrade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOutRange {
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The channel.
    pub channel: String,
    /// The stated range.
    pub range: String,
}

impl LeftOutRange {
    /// So many heads of channels are asked for their annotations, each of which is in a large document.
    const MAX_HEADS: usize = 20;

    /// The highest head of a channel that states in its annotation, and not in its entry, that it follows a version.
    ///
    /// # Errors
    /// Those of `annotation`, which knows the ranges in the ClusterServiceVersions of bundles.
    pub fn find<E>(
        package: &Package,
        end: &str,
        mut annotation: impl FnMut(&str) -> Result<Option<String>, E>,
    ) -> Result<Option<Self>, E> {
        let Ok(end) = Version::parse(end) else { return Ok(None) };
        let heads = package.channels.iter().filter_map(|channel| Some((channel, *channel.order().ok()?.live.first()?)));
        let is_later = |head: &Entry| head.version.as_ref().is_some_and(|version| *version > end);
        let mut heads: Vec<(&Channel, &Entry)> =
            heads.filter(|(_, head)| head.fields.skip_range.is_empty() && is_later(head)).collect();
        heads.sort_by(|(_, a), (_, b)| b.version.cmp(&a.version));
        for (channel, head) in heads.into_iter().take(Self::MAX_HEADS) {
            let (bundle, channel) = (head.fields.name.clone(), channel.name.clone());
            let Some(range) = annotation(&bundle)? else { continue };
            if Range::parse(&range).is_ok_and(|range| range.contains(&end) == Ok(true)) {
                let version = head.version.as_ref().map(ToString::to_string).unwrap_or_default();
                return Ok(Some(Self { bundle, version, channel, range }));
            }
        }
        Ok(None)
    }
}

/// Whether and how an installed bundle gets to a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OutlookVerdict {
    /// It is installed.
    Arrived,
    /// The installed bundle is higher.
    Ahead,
    /// The end of the channel of the Subscription is higher.
    Beyond,
    /// The channel of the Subscription leads there.
    Upgrades,
    /// Upgrades lead there after a change of the channel.
    ChangeChannel,
    /// No upgrade leads there, in any channel.
    DeadEnd,
}

/// A change of the channel on the way to a goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelChange {
    /// The bundle that is installed when the channel is changed.
    pub at: String,
    /// Its version, or empty.
    pub at_version: String,
    /// The new channel.
    pub channel: String,
    /// The bundle from which no way leads there, and to which OLM goes if the channel stays.
    pub before: Option<String>,
    /// Its version, or empty.
    pub before_version: String,
}

/// The least number of upgrades to one of some bundles from each bundle that can get there.
fn distances<'p>(
    sources_of: &HashMap<&'p str, Vec<&'p str>>,
    targets: impl IntoIterator<Item = &'p str>,
) -> HashMap<&'p str, usize> {
    let mut upgrades_from: HashMap<&str, usize> = targets.into_iter().map(|target| (target, 0)).collect();
    let mut open: VecDeque<(&str, usize)> = upgrades_from.iter().map(|(target, n)| (*target, *n)).collect();
    while let Some((target, n_upgrades)) = open.pop_front() {
        for &source in sources_of.get(target).into_iter().flatten() {
            tally::step(1);
            if !upgrades_from.contains_key(source) {
                upgrades_from.insert(source, n_upgrades + 1);
                open.push_back((source, n_upgrades + 1));
            }
        }
    }
    upgrades_from
}

impl<'p> Steps<'p> {
    /// The steps of a package; `None` if it is too large.
    fn new(package: &'p Package) -> Option<Self> {
        let mut walkers: Vec<(&str, Walker<'_>)> = Vec::new();
        let mut known = HashSet::new();
        for channel in package.channels.iter().filter(|channel| known.insert(channel.name.as_str())) {
            walkers.extend(package.walker(Some(&channel.name)).ok().map(|walker| (channel.name.as_str(), walker)));
        }
        let mut listed: HashMap<&str, Installed> = HashMap::new();
        for entry in package.channels.iter().flat_map(|channel| &channel.entries) {
            let name = entry.fields.name.as_str();
            listed.entry(name).or_insert_with(|| Installed::new(name, entry.version.as_ref()));
        }
        let n_ranged = walkers.iter().filter(|(_, walker)| walker.named_sources().is_none()).count();
        if n_ranged.saturating_mul(listed.len()) > Goal::MAX_STEPS {
            return None;
        }
        let mut sources_of: HashMap<&str, Vec<&str>> = HashMap::new();
        for (_, walker) in &walkers {
            let mut add = |(&name, installed): (&&'p str, &Installed)| {
                if let Some((_, target)) = walker.next(installed) {
                    sources_of.entry(target.fields.name.as_str()).or_default().push(name);
                }
            };
            match walker.named_sources() {
                // Without ranges, only names that entries mention have steps: many channels stay cheap.
                Some(names) => names.filter_map(|name| listed.get_key_value(name)).for_each(&mut add),
                None => listed.iter().for_each(&mut add),
            }
        }
        Some(Self { package, walkers, sources_of })
    }
}

impl<'p> Goal<'p> {
    /// The most steps from a name in a channel with ranges that are looked at: real packages have some thousands. A
    /// package with more has no goal, since every answer about it would take seconds.
    pub const MAX_STEPS: usize = 20_000_000;

    /// The newest version of the default channel; `None` if that channel has no order, or the package is too large.
    pub fn newest(package: &'p Package) -> Option<Self> {
        let mut of_name = package.channels_named(&package.default_channel).iter();
        let head = of_name.find_map(|channel| channel.order().ok()?.live.first().copied())?;
        Some(Self::new(Rc::new(Steps::new(package)?), head, true))
    }

    /// The bundle of a name; `None` if no channel lists it, or the package is too large.
    pub fn to(package: &'p Package, bundle: &str) -> Option<Self> {
        let entry = package.channels.iter().find_map(|channel| channel.entry(bundle))?;
        Some(Self::new(Rc::new(Steps::new(package)?), entry, false))
    }

    fn new(steps: Rc<Steps<'p>>, entry: &'p Entry, is_newest: bool) -> Self {
        let upgrades_from = distances(&steps.sources_of, [entry.fields.name.as_str()]);
        Self { steps, entry, is_newest, upgrades_from, past: OnceCell::new() }
    }

    /// Whether upgrades lead from a listed bundle of a version to the goal, or above it.
    pub fn standing(&self, bundle: &str, version: Option<&Version>) -> Standing {
        let goal = self.entry.version.as_ref();
        if self.upgrades_from.contains_key(bundle) {
            return Standing::Reaches;
        }
        if version.is_some() && version >= goal {
            return Standing::Higher;
        }
        let past = self.past.get_or_init(|| {
            let entries = self.steps.package.channels.iter().flat_map(|channel| &channel.entries);
            let higher = entries.filter(|entry| goal.is_some() && entry.version.as_ref() > goal);
            distances(&self.steps.sources_of, higher.map(|entry| entry.fields.name.as_str())).into_keys().collect()
        });
        if past.contains(bundle) { Standing::Past } else { Standing::DeadEnd }
    }

    /// The name of the goal's bundle.
    pub fn bundle(&self) -> &'p str {
        &self.entry.fields.name
    }

    /// The goal with its version, which is empty if it has none.
    pub fn named(&self) -> NamedVersion {
        let version = self.entry.version.as_ref().map(ToString::to_string).unwrap_or_default();
        NamedVersion { name: self.bundle().to_owned(), version, release: None }
    }

    /// The least number of upgrades from a listed bundle, with changes of the channel if need be; `None` if no upgrade
    /// leads from it to the goal, in any channel.
    pub fn n_upgrades(&self, bundle: &str) -> Option<usize> {
        self.upgrades_from.get(bundle).copied()
    }

    /// The steps from a bundle in each channel.
    fn steps_from<'g>(&'g self, at: &'g Installed) -> impl Iterator<Item = (&'p str, &'p Entry)> + 'g {
        self.steps.walkers.iter().filter_map(|(channel, walker)| Some((*channel, walker.next(at)?.1)))
    }

    /// The same for an installed bundle, which no channel needs to list.
    fn n_upgrades_from(&self, at: &Installed) -> Option<usize> {
        if at.name == self.bundle() {
            return Some(0);
        }
        self.steps_from(at)
            .filter_map(|(_, next)| self.upgrades_from.get(next.fields.name.as_str()))
            .min()
            .map(|n| n + 1)
    }

    /// Where an installed bundle can go for a Subscription with this channel. It follows its channel as far as a way
    /// leads on from there, and the shortest way behind that.
    pub fn outlook(&self, installed: &Installed, channel: Option<&str>) -> Outlook {
        let own = self.outlook_of_goal(installed, channel);
        let above = self.highest_above(installed).map(|entry| Self::new(Rc::clone(&self.steps), entry, false));
        Outlook { above: above.map(|goal| Box::new(goal.outlook_of_goal(installed, channel))), ..own }
    }

    /// The highest version above the newest one of the default channel: of those to which upgrades lead, or of all.
    fn highest_above(&self, installed: &Installed) -> Option<&'p Entry> {
        let goal = self.entry.version.as_ref().filter(|_| self.is_newest)?;
        let entries = || self.steps.package.channels.iter().flat_map(|channel| &channel.entries);
        let is_above = |entry: &&Entry| entry.version.as_ref().is_some_and(|version| version > goal);
        // Most packages have none.
        let highest = entries().filter(is_above).max_by_key(|entry| entry.version.as_ref())?;
        let mut targets_of: HashMap<&str, Vec<&str>> = HashMap::new();
        for (target, sources) in &self.steps.sources_of {
            sources.iter().for_each(|source| targets_of.entry(source).or_default().push(target));
        }
        let mut open: Vec<&str> = self.steps_from(installed).map(|(_, entry)| entry.fields.name.as_str()).collect();
        let mut reached: HashSet<&str> = open.iter().copied().collect();
        while let Some(at) = open.pop() {
            tally::step(1);
            open.extend(targets_of.get(at).into_iter().flatten().filter(|target| reached.insert(target)));
        }
        let is_reached = |entry: &&Entry| reached.contains(entry.fields.name.as_str());
        let best = entries().filter(is_above).filter(is_reached).max_by_key(|entry| entry.version.as_ref());
        best.or(Some(highest)).filter(|entry| entry.version > installed.version)
    }

    /// The bundle to which each channel leads that does not list an installed one: OLM takes it after a change of the
    /// channel.
    pub fn after_a_change(&self, installed: &Installed) -> Vec<(&'p str, &'p Entry)> {
        let package = self.steps.package;
        self.steps_from(installed).filter(|(channel, _)| !package.lists(channel, &installed.name)).collect()
    }

    /// Where an installed bundle can go on the way to this goal.
    fn outlook_of_goal(&self, installed: &Installed, channel: Option<&str>) -> Outlook {
        let (own, end) = self.along_the_channel(installed, channel);
        let at = |place: usize| match place.checked_sub(1) {
            None => installed.clone(),
            Some(before) => own[before].0.clone(),
        };
        let NamedVersion { name: goal, version: goal_version, .. } = self.named();
        let mut outlook = Outlook {
            goal,
            goal_version,
            verdict: OutlookVerdict::Arrived,
            channel: channel.unwrap_or_default().to_owned(),
            channel_ends_at: end.name.clone(),
            channel_ends_at_version: end.version.as_ref().map(ToString::to_string).unwrap_or_default(),
            ends_at_head: self.is_head(&end, channel),
            changes: Vec::new(),
            upgrades: Vec::new(),
            fewest_upgrades: None,
            at_once: None,
            above: None,
            left_out: None,
        };
        let steps = |n: usize| own[..n].iter().map(|step| step.1.clone());
        if installed.name == self.bundle() {
            return outlook;
        }
        if let Some(place) = own.iter().position(|step| step.0.name == self.bundle()) {
            outlook.verdict = OutlookVerdict::Upgrades;
            outlook.upgrades = steps(place + 1).collect();
            return outlook;
        }
        let is_above =
            |at: &Installed| at.version.as_ref().zip(self.entry.version.as_ref()).is_some_and(|(at, goal)| at >= goal);
        let is_beyond = is_above(&end);
        let beyond = if is_above(installed) { OutlookVerdict::Ahead } else { OutlookVerdict::Beyond };
        if is_beyond && self.is_newest {
            outlook.verdict = beyond;
            return outlook;
        }
        let Some(place) = (0..=own.len()).rev().find(|place| self.n_upgrades_from(&at(*place)).is_some()) else {
            outlook.verdict = if is_beyond { beyond } else { OutlookVerdict::DeadEnd };
            return outlook;
        };
        outlook.verdict = OutlookVerdict::ChangeChannel;
        let mut at_once = outlook.clone();
        outlook.upgrades = steps(place).collect();
        let before = own.get(place).map(|step| step.0.clone());
        self.finish(&mut outlook, at(place), channel, before);
        self.finish(&mut at_once, installed.clone(), channel, None);
        let at_once = Some(at_once).filter(|it| !it.upgrades.is_empty() && it.upgrades.len() < outlook.upgrades.len());
        outlook.fewest_upgrades = at_once.as_ref().map(|it| it.upgrades.len());
        outlook.at_once = at_once.map(Box::new);
        outlook
    }

    /// Whether a bundle is the head of a channel, or of any.
    fn is_head(&self, bundle: &Installed, channel: Option<&str>) -> bool {
        let channels = match channel {
            Some(name) => self.steps.package.channels_named(name),
            None => &self.steps.package.channels,
        };
        let is_of = |channel: &Channel| {
            channel.order().is_ok_and(|order| order.live.first().is_some_and(|head| head.fields.name == bundle.name))
        };
        channels.iter().any(is_of)
    }

    /// The steps that OLM takes in the channel up to the goal or its end, each with what is installed then; and that
    /// end.
    fn along_the_channel(&self, installed: &Installed, channel: Option<&str>) -> (Vec<(Installed, Step)>, Installed) {
        let mut own = Vec::new();
        let mut end = installed.clone();
        let Ok(walker) = self.steps.package.walker(channel) else { return (own, end) };
        let mut seen = HashSet::from([installed.name.clone()]);
        while end.name != self.bundle()
            && let Some(step) = walker.next_step(&end)
        {
            let version = walker.next(&end).and_then(|(_, entry)| entry.version.clone());
            end = Installed { name: step.bundle.clone(), version };
            if !seen.insert(step.bundle.clone()) {
                break;
            }
            own.push((end.clone(), step));
        }
        (own, end)
    }

    /// Adds the shortest way from a bundle to the goal: in one channel as long as it is the shortest.
    fn finish(&self, outlook: &mut Outlook, mut at: Installed, channel: Option<&str>, before: Option<Installed>) {
        let mut channel = channel.map(str::to_owned);
        let mut before = before;
        let text = |it: &Installed| it.version.as_ref().map(ToString::to_string).unwrap_or_default();
        while let Some(n_left) = self.n_upgrades_from(&at).filter(|n_left| *n_left > 0) {
            let is_nearer = |entry: &Entry| self.upgrades_from.get(entry.fields.name.as_str()) == Some(&(n_left - 1));
            let mut nearer =
                self.steps.walkers.iter().filter(|(_, walker)| walker.next(&at).is_some_and(|it| is_nearer(it.1)));
            let own = nearer.clone().find(|(name, _)| Some(*name) == channel.as_deref());
            let Some((name, walker)) = own.or_else(|| nearer.next()) else { return };
            let (Some((_, entry)), Some(step)) = (walker.next(&at), walker.next_step(&at)) else { return };
            if channel.as_deref() != Some(name) {
                outlook.changes.push(ChannelChange {
                    at: at.name.clone(),
                    at_version: text(&at),
                    channel: (*name).to_owned(),
                    before: before.as_ref().map(|it| it.name.clone()),
                    before_version: before.as_ref().map(text).unwrap_or_default(),
                });
                channel = Some((*name).to_owned());
            }
            before = None;
            at = Installed { name: step.bundle.clone(), version: entry.version.clone() };
            outlook.upgrades.push(step);
        }
    }
}

/// So many changes of the channel follow the first one in a sentence.
const MAX_TOLD: usize = 3;

impl Outlook {
    /// Whether upgrades lead to the goal, or it is installed.
    pub fn leads_there(&self) -> bool {
        matches!(self.verdict, OutlookVerdict::Arrived | OutlookVerdict::Upgrades | OutlookVerdict::ChangeChannel)
    }

    /// The way to take: that to the goal, or if there is none, that to a version above it.
    pub fn way(&self) -> &Self {
        let above = self.above.as_deref().filter(|above| above.leads_there());
        above.filter(|_| self.verdict == OutlookVerdict::DeadEnd).unwrap_or(self)
    }

    /// Whether the installed bundle gets neither to the goal nor above it.
    pub fn is_stuck(&self) -> bool {
        self.way().verdict == OutlookVerdict::DeadEnd
    }

    /// The version to which the channel leads at last, or the name of a bundle without one.
    pub fn end(&self) -> &str {
        version_or_name(&self.channel_ends_at_version, &self.channel_ends_at)
    }

    /// The answer in one sentence.
    pub fn sentence(&self) -> String {
        let goal = version_or_name(&self.goal_version, &self.goal);
        let end = self.end();
        let away = || format!("{goal} is {} away", counted(self.upgrades.len() as u64, "upgrade"));
        let higher = || {
            let above = self.above.as_ref().filter(|above| !above.upgrades.is_empty());
            above.map(|above| format!("; {}", above.sentence())).unwrap_or_default()
        };
        match (self.verdict, self.changes.as_slice()) {
            (OutlookVerdict::Arrived, _) => format!("{goal} is installed"),
            (OutlookVerdict::Ahead, _) => format!("ahead of {goal}, to which OLM does not go back{}", higher()),
            (OutlookVerdict::Beyond, _) => {
                let n = self.above.as_ref().filter(|above| above.goal == self.channel_ends_at);
                let n = n.map(|above| format!(" in {}", counted(above.upgrades.len() as u64, "upgrade")));
                let more = if n.is_some() { String::new() } else { higher() };
                let leads = match self.channel.as_str() {
                    "" => "the channels lead".to_owned(),
                    channel => format!("`{channel}` leads"),
                };
                format!("{leads} past {goal} to {end}{}, and OLM does not go back{more}", n.unwrap_or_default())
            }
            (OutlookVerdict::DeadEnd, _) => {
                let more = match &self.left_out {
                    Some(LeftOutRange { version, channel, range, .. }) => format!(
                        "; {version} states olm.skipRange `{range}`, which its entry in `{channel}` leaves out{}",
                        higher()
                    ),
                    None => higher(),
                };
                match self.channel.as_str() {
                    channel if self.ends_at_head && !channel.is_empty() => format!(
                        "a dead end: `{channel}` ends at {end}, and no channel leads from there to {goal}{more}"
                    ),
                    _ => format!("a dead end: no upgrade leads from {end} to {goal}, in any channel{more}"),
                }
            }
            (_, []) => away(),
            (_, [first, rest @ ..]) => {
                let at = version_or_name(&first.at_version, &first.at);
                let before = first.before.as_ref().map(|it| version_or_name(&first.before_version, it));
                let before = before.map(|it| format!(", before {it} is installed")).unwrap_or_default();
                if let Some(at_once) = &self.at_once {
                    let n = counted(self.upgrades.len() as u64, "upgrade");
                    return format!("{}; {n}, if it stays until {at}{before}", at_once.sentence());
                }
                let then = |change: &ChannelChange| {
                    let at = version_or_name(&change.at_version, &change.at);
                    format!(", then to `{}` at {at}", change.channel)
                };
                let more = match rest.len().saturating_sub(MAX_TOLD) as u64 {
                    0 => String::new(),
                    n => format!(", and {n} more"),
                };
                let rest: String = rest.iter().take(MAX_TOLD).map(then).chain([more]).collect();
                format!("{}: change the channel to `{}` at {at}{before}{rest}", away(), first.channel)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::channel::Channel;
    use super::*;
    use olmdex_fbc as fbc;
    use olmdex_version::Version;

    /// A package of channels, each a list of `name replaces skipRange`; the first one is the default.
    fn package(channels: &[(&str, &[&str])]) -> Package {
        let entry = |text: &&str| {
            let mut words = text.split(' ').chain(["", "", ""]);
            let mut next = || words.next().unwrap().to_owned();
            let (name, replaces, skip_range) = (next(), next().replace('-', ""), next().replace('_', " "));
            let version = Version::parse(name.strip_prefix('v').unwrap()).ok();
            Entry::new(fbc::Entry { name, replaces, skip_range, ..fbc::Entry::default() }, version)
        };
        let channel = |(name, entries): &(&str, &[&str])| Channel {
            package: "p".to_owned(),
            name: (*name).to_owned(),
            entries: entries.iter().map(entry).collect(),
            places: Arc::new(fbc::ChannelPlaces::at_line("p.yaml", 1)),
        };
        let default_channel = channels[0].0.to_owned();
        Package::of_channels("p".to_owned(), default_channel, channels.iter().map(channel).collect())
    }

    /// The fields of quay: a channel may be left at its third version only.
    fn quay() -> Package {
        package(&[
            ("stable-3.17", &["v3.17.1 v3.17.0", "v3.17.0 v3.16.2"]),
            ("stable-3.16", &["v3.16.4 v3.16.3", "v3.16.3 v3.16.2", "v3.16.2 v3.16.1", "v3.16.1"]),
            ("stable-3.15", &["v3.15.1 v3.15.0", "v3.15.0"]),
        ])
    }

    #[test]
    fn every_version_learns_where_it_can_go() {
        let quay = quay();
        let goal = Goal::newest(&quay).unwrap();
        for (from, channel, sentence) in [
            ("3.17.1", "stable-3.17", "3.17.1 is installed"),
            ("3.17.0", "stable-3.17", "3.17.1 is 1 upgrade away"),
            ("3.16.2", "stable-3.17", "3.17.1 is 2 upgrades away"),
            (
                "3.16.1",
                "stable-3.16",
                "3.17.1 is 3 upgrades away: change the channel to `stable-3.17` at 3.16.2, before 3.16.3 is installed",
            ),
            (
                "3.16.3",
                "stable-3.16",
                "a dead end: `stable-3.16` ends at 3.16.4, and no channel leads from there to 3.17.1",
            ),
            (
                "3.15.0",
                "stable-3.15",
                "a dead end: `stable-3.15` ends at 3.15.1, and no channel leads from there to 3.17.1",
            ),
            ("3.18.0", "stable-3.17", "ahead of 3.17.1, to which OLM does not go back"),
        ] {
            let installed = Installed { name: format!("v{from}"), version: Version::parse(from).ok() };
            assert_eq!(goal.outlook(&installed, Some(channel)).sentence(), sentence, "{from} in {channel}");
        }
        let reached = ["v3.16.1", "v3.16.2", "v3.17.0", "v3.17.1"];
        for entry in quay.channels.iter().flat_map(|channel| &channel.entries) {
            let name = entry.fields.name.as_str();
            assert_eq!(goal.n_upgrades(name).is_some(), reached.contains(&name), "{name}");
        }
    }

    #[test]
    fn ranges_lead_from_versions_that_no_channel_lists() {
        let package = package(&[("b", &["v2.0.0 - >=1.5.0_<2.0.0"]), ("a", &["v1.4.0"])]);
        let goal = Goal::newest(&package).unwrap();
        let outlook = |text: &str| {
            goal.outlook(&Installed { name: format!("v{text}"), version: Version::parse(text).ok() }, Some("a"))
        };
        assert_eq!(outlook("1.4.0").verdict, OutlookVerdict::DeadEnd);
        let from_unlisted = outlook("1.6.0");
        assert_eq!((from_unlisted.verdict, from_unlisted.upgrades.len()), (OutlookVerdict::ChangeChannel, 1));
        assert_eq!(from_unlisted.changes[0].channel, "b");
    }

    #[test]
    fn versions_above_the_default_channel_are_told() {
        // Strimzi: 1.2.0 is in a channel of its own. Konflux: a release candidate leads to the next candidates only.
        let package = package(&[
            ("stable", &["v0.51.0 v0.50.0", "v0.50.0"]),
            ("candidate", &["v0.52.2 v0.52.1", "v0.52.1 v0.50.9"]),
            ("old-candidate", &["v0.50.9"]),
            ("next", &["v1.2.0 v1.1.0", "v1.1.0"]),
            ("lost", &["v0.40.2 v0.40.0", "v0.40.1", "v0.40.0"]),
        ]);
        let goal = Goal::newest(&package).unwrap();
        let outlook = |from: &str, channel: &str| {
            let installed = Installed { name: format!("v{from}"), version: Version::parse(from).ok() };
            goal.outlook(&installed, Some(channel))
        };
        let newest = outlook("0.51.0", "stable");
        let above = newest.above.as_ref().unwrap();
        assert_eq!((newest.verdict, above.goal.as_str()), (OutlookVerdict::Arrived, "v1.2.0"));
        assert!(!above.leads_there() && !newest.is_stuck());
        let candidate = outlook("0.50.9", "old-candidate");
        assert_eq!((candidate.verdict, candidate.is_stuck()), (OutlookVerdict::DeadEnd, false));
        assert_eq!(
            candidate.sentence(),
            "a dead end: `old-candidate` ends at 0.50.9, and no channel leads from there to 0.51.0; 0.52.2 is 2 upgrades away: \
             change the channel to `candidate` at 0.50.9"
        );
        assert_eq!(candidate.way().upgrades.len(), 2);
        // No head, and nothing leads from it.
        let stranded = outlook("0.40.1", "lost");
        assert!(stranded.is_stuck() && !stranded.ends_at_head);
        assert!(outlook("0.51.0", "stable").ends_at_head);
        let names: Vec<&str> = goal
            .after_a_change(&Installed { name: "v0.50.9".to_owned(), version: None })
            .iter()
            .map(|(channel, _)| *channel)
            .collect();
        assert_eq!(names, ["candidate"]);
        assert_eq!(package.likely_channel("v0.52.1"), Some("candidate"));
        assert_eq!(package.likely_channel("v9.9.9"), Some("stable"));
    }

    /// quay of OpenShift's community catalog: 3.17.4 states `>=3.6.x <3.17.4`, and no entry has a skipRange.
    #[test]
    fn a_range_that_the_catalog_leaves_out_is_told() {
        let package = package(&[
            ("stable-3", &["v3.1.0 v3.0.0", "v3.0.0"]),
            ("stable-2", &["v2.1.0 - >=2.0.0_<2.1.0", "v2.0.0"]),
            ("stable-1", &["v1.1.0"]),
        ]);
        let find = |end: &str, stated: &[(&str, &str)]| {
            let annotation = |bundle: &str| {
                let found = stated.iter().find(|(name, _)| *name == bundle);
                Ok::<_, std::convert::Infallible>(found.map(|(_, range)| (*range).to_owned()))
            };
            LeftOutRange::find(&package, end, annotation).unwrap().map(|found| (found.version, found.channel))
        };
        let found = |version: &str, channel: &str| Some((version.to_owned(), channel.to_owned()));
        for (end, stated, expected) in [
            ("1.1.0", &[("v3.1.0", ">=1.0.x <3.1.0")][..], found("3.1.0", "stable-3")),
            ("1.1.0", &[("v3.1.0", ">=2.0.0 <3.1.0"), ("v1.1.0", "<1.1.0")], None),
            // An entry with a range says what it means.
            ("1.1.0", &[("v2.1.0", ">=1.0.0 <2.1.0")], None),
            ("1.1.0", &[("v3.1.0", "new")], None),
            ("3.1.0", &[("v3.1.0", "<=3.1.0")], None),
            ("", &[("v3.1.0", "<3.1.0")], None),
        ] {
            assert_eq!(find(end, stated), expected, "{end} {stated:?}");
        }
    }

    #[test]
    fn loops_end() {
        let package = package(&[
            ("b", &["v9.0.0 v8.0.0", "v8.0.0"]),
            ("a", &["v2.0.0 v1.0.0 >=1.0.0_<2.0.0", "v1.0.0 - >=2.0.0_<3.0.0"]),
        ]);
        let goal = Goal::newest(&package).unwrap();
        let installed = Installed { name: "v1.0.0".to_owned(), version: Version::parse("1.0.0").ok() };
        assert_eq!(goal.outlook(&installed, Some("a")).verdict, OutlookVerdict::DeadEnd);
        assert_eq!(goal.outlook(&installed, None).verdict, OutlookVerdict::DeadEnd);
        assert_eq!(goal.outlook(&installed, Some("no such channel")).verdict, OutlookVerdict::DeadEnd);
    }
}
