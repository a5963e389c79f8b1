//! Finds the nearest change of a configuration that works (`docs/behaviour/authoring.md` D.5).
//!
//! Each offered change has been filtered again, and leaves a valid catalog. Changes are tried one at a time; two
//! together, then three, are tried only if no single one works.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::broken_edges::{CatalogRepair, mend_package, ranked_channels};
use super::catalog::PackageFacts;
use super::configuration::{Channel, Depth, Operator, Package, Range};
use super::filter::{FilterError, FilterVersion, Part, Warning, filter_package};
use olmdex_base::diag::Listed;
use olmdex_fbc::Entry;
use olmdex_rules::check::graph::check_chain;
use olmdex_version::Version;

/// How many changes are tried at most.
const MAX_TRIED: usize = 400;

/// How many changes may be needed together.
const MAX_CHANGES: usize = 3;

/// How many changes are offered at most.
const MAX_OFFERED: usize = 8;

/// A request for a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The package, as the configuration has it.
    pub package: Package,
    /// Whether the catalog is wanted in full.
    pub is_full: bool,
    /// How many versions before each head are wanted.
    pub previous: usize,
}

impl Request {
    /// The request for a package of a catalog, whether the configuration names the package or not.
    pub fn of(operator: &Operator, name: &str) -> Self {
        let asked = operator.packages.iter().find(|it| it.name == name);
        let package = asked.cloned().unwrap_or_else(|| Package { name: name.to_owned(), ..Package::default() });
        Self { package, is_full: operator.full, previous: operator.previous }
    }

    /// How much of a channel without a range is kept.
    pub(super) fn depth(&self) -> Depth {
        Depth { is_full: self.is_full, previous: self.previous }
    }
}

/// A problem of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestProblem {
    /// Both the package and its channels have bounds.
    BothLevels,
    /// A bound is not a version.
    NotAVersion(String),
    /// The filter refuses it.
    Refused(FilterError),
    /// The filter takes it, but the default channel ends up empty, so the catalog is not valid.
    NoDefault(String),
    /// The filter takes it, and nothing is left of the package.
    Nothing,
    /// The filter takes it, but a channel is not valid then: its name, and the fault.
    Invalid(String, String),
    /// The request names channels that the package does not have. The filter ignores them.
    UnknownChannels(Vec<String>),
    /// Something above the range comes along.
    Wider(Box<Warning>),
}

impl RequestProblem {
    /// Whether the result is usable all the same.
    pub(crate) fn is_mild(&self) -> bool {
        matches!(self, Self::UnknownChannels(_) | Self::Wider(_))
    }
}

/// A change that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The request to make instead.
    pub request: Request,
    /// The changes, in words.
    pub changes: Vec<String>,
    /// How many bundles are kept then.
    pub n_bundles: usize,
    /// How many of these the request itself does not ask for.
    pub n_added: usize,
    /// How many it asks for that are not kept then.
    pub n_dropped: usize,
}

/// The problem of a request, if there is one.
pub fn trouble(name: &str, facts: &PackageFacts, request: &Request, release: FilterVersion) -> Option<RequestProblem> {
    Judge { name, facts, release }.judge(request).err()
}

/// The changes of a request that work, the smallest first; none if it works without changes, or if nothing helps.
pub fn repairs(name: &str, facts: &PackageFacts, request: &Request, release: FilterVersion) -> Vec<Proposal> {
    let found = trouble(name, facts, request, release);
    found.map(|it| repairs_of(name, facts, request, &it, release)).unwrap_or_default()
}

/// As [`repairs`], of a request with this problem.
pub(super) fn repairs_of(
    name: &str,
    facts: &PackageFacts,
    request: &Request,
    trouble: &RequestProblem,
    release: FilterVersion,
) -> Vec<Proposal> {
    let judge = Judge { name, facts, release };
    let wanted = judge.wanted(request);
    let mut offered: Vec<Proposal> = Vec::new();
    let mut tried: Vec<Request> = vec![request.clone()];
    let mut open = VecDeque::from([(request.clone(), trouble.clone(), Vec::new())]);
    let mut depth = 0;
    while let Some((state, found, changes)) = open.pop_front() {
        if changes.len() > depth {
            if !offered.is_empty() || changes.len() >= MAX_CHANGES {
                break;
            }
            depth = changes.len();
        }
        for (next, change) in judge.candidates(&state, &found) {
            if tried.len() >= MAX_TRIED || offered.len() >= MAX_OFFERED {
                break;
            }
            if tried.contains(&next) {
                continue;
            }
            tried.push(next.clone());
            let changes: Vec<String> = changes.iter().cloned().chain([change]).collect();
            match judge.judge(&next) {
                Ok(bundles) => offered.push(Proposal {
                    request: next,
                    changes,
                    n_bundles: bundles.len(),
                    // A name that does not exist matches no bundle, so nothing counts as added.
                    n_added: if wanted.is_empty() { 0 } else { bundles.difference(&wanted).count() },
                    n_dropped: wanted.difference(&bundles).count(),
                }),
                // A mild problem must not be made worse.
                Err(worse) if trouble.is_mild() && !worse.is_mild() => {}
                Err(found) => open.push_back((next, found, changes)),
            }
        }
    }
    offered
}

/// The bundles that each channel of a request would keep, whatever becomes of the default channel.
pub fn survivors(
    name: &str,
    facts: &PackageFacts,
    request: &Request,
    release: FilterVersion,
) -> BTreeMap<String, BTreeSet<String>> {
    Judge { name, facts, release }.survivors(request)
}

/// Names that a mistyped one can stand for: at most two letters are wrong, or it is the beginning, or else a word, of
/// only one name. At the end of a number a digit more or less is a slip; another number is another version.
pub fn meant<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Vec<&'n str> {
    let mut near: Vec<(usize, &str)> = known
        .clone()
        .filter(|it| it.len().abs_diff(name.len()) <= 8 && *it != name)
        .map(|it| (strsim::osa_distance(name, it), it))
        .filter(|(distance, it)| *distance <= 2 && *distance < it.chars().count())
        .collect();
    near.sort_unstable();
    let own = numbers(name);
    if !own.is_empty() {
        near.retain(|(_, it)| numbers(it) == own || it.starts_with(name) || name.starts_with(it));
    }
    if near.is_empty() && !name.is_empty() {
        let only = |all: &mut dyn Iterator<Item = &'n str>| all.next().filter(|_| all.next().is_none());
        let longer = only(&mut known.clone().filter(|it| it.starts_with(name) && *it != name));
        let having = || only(&mut known.filter(|it| it.split(['-', '_']).any(|word| word == name)));
        if let Some(meant) = longer.or_else(having) {
            return vec![meant];
        }
    }
    near.into_iter().map(|it| it.1).collect()
}

/// The numbers in a name.
fn numbers(name: &str) -> Vec<&str> {
    name.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty()).collect()
}

struct Judge<'c> {
    name: &'c str,
    facts: &'c PackageFacts,
    release: FilterVersion,
}

impl Judge<'_> {
    /// The bundles that are kept, if everything works.
    fn judge(&self, request: &Request) -> Result<BTreeSet<String>, RequestProblem> {
        let package = &request.package;
        let own = package.channels.iter().map(|it| &it.range);
        for bound in own.clone().chain([&package.range]).flat_map(|it| [&it.min, &it.max]) {
            if !bound.is_empty() && Version::parse_tolerant(bound).is_err() {
                return Err(RequestProblem::NotAVersion(bound.clone()));
            }
        }
        if !package.range.is_empty() && own.clone().any(|it| !it.is_empty()) {
            return Err(RequestProblem::BothLevels);
        }
        let mut warnings = Vec::new();
        let kept = filter_package(self.name, self.facts, Some(package), request.depth(), self.release, &mut warnings);
        let mut part = kept.map_err(|it| RequestProblem::Refused(it.error))?;
        if part.channels.values().all(BTreeSet::is_empty) {
            return Err(RequestProblem::Nothing);
        }
        if part.channels.get(&part.default_channel).is_none_or(BTreeSet::is_empty) {
            return Err(RequestProblem::NoDefault(part.default_channel));
        }
        self.check(&mut part)?;
        let unknown = package.channels.iter().map(|it| &it.name).filter(|it| self.facts.channel(it).is_none());
        let unknown: Vec<String> = unknown.cloned().collect();
        if !unknown.is_empty() {
            return Err(RequestProblem::UnknownChannels(unknown));
        }
        let above = |it: &&Warning| {
            let max = Version::parse_tolerant(&it.range.max).ok();
            let own = it.version.as_ref().and_then(|it| Version::parse(it).ok());
            matches!((max, own), (Some(max), Some(own)) if own > max)
        };
        match warnings.iter().find(above) {
            Some(warning) => Err(RequestProblem::Wider(Box::new(warning.clone()))),
            None => Ok(part.bundles),
        }
    }

    /// Whether the kept entries make valid channels, once they are repaired.
    fn check(&self, part: &mut Part) -> Result<(), RequestProblem> {
        let mut mends = Vec::new();
        if mend_package(self.name, self.facts, part, &mut mends).is_none() {
            return Err(RequestProblem::Nothing);
        }
        if mends.iter().any(|it| matches!(it, CatalogRepair::Default { .. })) {
            return Err(RequestProblem::NoDefault(part.default_channel.clone()));
        }
        for channel in &self.facts.channels {
            let Some(kept) = part.channels.get(&channel.name) else { continue };
            let relinked = part.relinked.get(&channel.name);
            let entry = |it: &Entry| relinked.and_then(|all| all.get(&it.name)).unwrap_or(it).clone();
            let entries: Vec<Entry> = channel.entries.iter().filter(|it| kept.contains(&it.name)).map(entry).collect();
            let names: BTreeSet<&String> = entries.iter().map(|it| &it.name).collect();
            if names.len() < entries.len() {
                let text = "it has an entry twice".to_owned();
                return Err(RequestProblem::Invalid(channel.name.clone(), text));
            }
            check_chain(&entries).map_err(|it| RequestProblem::Invalid(channel.name.clone(), it.opm_text()))?;
        }
        Ok(())
    }

    /// The bundles that a request asks for in each channel that has some, whatever becomes of the default channel.
    fn wanted(&self, request: &Request) -> BTreeSet<String> {
        self.survivors(request).into_values().flatten().collect()
    }

    /// The channels that are not empty with a request, with their bundles.
    fn survivors(&self, request: &Request) -> BTreeMap<String, BTreeSet<String>> {
        let mut found = BTreeMap::new();
        let asked = &request.package.channels;
        for channel in &self.facts.channels {
            let own = asked.iter().find(|it| it.name == channel.name);
            if own.is_none() && !asked.is_empty() {
                continue;
            }
            let one = Package {
                channels: vec![own.cloned().unwrap_or(Channel {
                    name: channel.name.clone(),
                    range: Range::default(),
                    ..Channel::default()
                })],
                default_channel: channel.name.clone(),
                ..request.package.clone()
            };
            match self.judge(&Request { package: one.clone(), ..request.clone() }) {
                Ok(bundles) => drop(found.insert(channel.name.clone(), bundles)),
                Err(RequestProblem::Wider(_)) => {
                    let mut warnings = Vec::new();
                    let part =
                        filter_package(self.name, self.facts, Some(&one), request.depth(), self.release, &mut warnings);
                    found.extend(part.ok().map(|it| (channel.name.clone(), it.bundles)));
                }
                Err(_) => {}
            }
        }
        found
    }

    /// The channels that are not empty with a request, the best first.
    fn ranked(&self, request: &Request) -> Vec<String> {
        let survivors = self.survivors(request);
        let part = Part { channels: survivors, ..Part::default() };
        ranked_channels(self.facts, &part).into_iter().map(str::to_owned).collect()
    }

    /// Changes that may help, in the order of preference.
    fn candidates(&self, state: &Request, trouble: &RequestProblem) -> Vec<(Request, String)> {
        let mut found = Vec::new();
        self.typos(state, &mut found);
        self.contradictions(state, trouble, &mut found);
        match trouble {
            RequestProblem::Wider(warning) => {
                if let Some(version) = &warning.version {
                    let range = Range::new(&warning.range.min, version);
                    found.push(with_range(state, &warning.channel, &range));
                }
            }
            RequestProblem::UnknownChannels(unknown) => {
                let mut next = state.clone();
                next.package.channels.retain(|it| !unknown.contains(&it.name));
                // An empty list would stand for all channels.
                if !next.package.channels.is_empty() {
                    found.push((next, format!("leave out {}", Listed::quoted(unknown))));
                }
            }
            RequestProblem::BothLevels | RequestProblem::NotAVersion(_) => {}
            RequestProblem::Refused(
                FilterError::NoPackageProperty { .. }
                | FilterError::InvalidVersion { .. }
                | FilterError::FullWithRange { .. },
            ) => {}
            RequestProblem::Refused(_)
            | RequestProblem::NoDefault(_)
            | RequestProblem::Nothing
            | RequestProblem::Invalid(..) => {
                self.prereleases(state, &mut found);
                self.defaults(state, &mut found);
                self.nearest(state, trouble, &mut found);
            }
        }
        found
    }

    /// Names of channels that the package does not have.
    fn typos(&self, state: &Request, found: &mut Vec<(Request, String)>) {
        let package = &state.package;
        let names = package.channels.iter().map(|it| &it.name).chain([&package.default_channel]);
        let unknown: BTreeSet<&String> =
            names.filter(|it| !it.is_empty() && self.facts.channel(it).is_none()).collect();
        for old in unknown {
            for new in meant(old, self.facts.channels.iter().map(|it| it.name.as_str())).into_iter().take(3) {
                let mut next = state.clone();
                if next.package.channels.iter().any(|it| it.name == new) {
                    next.package.channels.retain(|it| it.name != *old);
                }
                for channel in &mut next.package.channels {
                    if channel.name == *old {
                        new.clone_into(&mut channel.name);
                    }
                }
                if next.package.default_channel == *old {
                    new.clone_into(&mut next.package.default_channel);
                }
                found.push((next, format!("write `{new}` for `{old}`")));
            }
        }
    }

    /// Repairs of fields that exclude each other, and of bounds in the wrong order.
    fn contradictions(&self, state: &Request, trouble: &RequestProblem, found: &mut Vec<(Request, String)>) {
        if *trouble == RequestProblem::BothLevels {
            let mut next = state.clone();
            let range = std::mem::take(&mut next.package.range);
            for channel in &mut next.package.channels {
                for (own, all) in [(&mut channel.range.min, &range.min), (&mut channel.range.max, &range.max)] {
                    if own.is_empty() {
                        all.clone_into(own);
                    }
                }
            }
            found.push((next, "write the bounds of the package at its channels".to_owned()));
            let mut next = state.clone();
            next.package.channels.iter_mut().for_each(|it| it.range = Range::default());
            found.push((next, "leave out the bounds of the channels".to_owned()));
        }
        if matches!(trouble, RequestProblem::Refused(FilterError::FullWithRange { .. }))
            || (state.is_full && matches!(trouble, RequestProblem::Invalid(..)))
        {
            found.push((Request { is_full: false, ..state.clone() }, "leave out `full: true`".to_owned()));
            let mut next = state.clone();
            next.package.range = Range::default();
            next.package.channels.iter_mut().for_each(|it| it.range = Range::default());
            found.push((next, "leave out the bounds".to_owned()));
        }
        let mut next = state.clone();
        let mut is_swapped = false;
        let of_channels = next.package.channels.iter_mut().map(|it| &mut it.range);
        for range in of_channels.chain([&mut next.package.range]) {
            if let (Ok(min), Ok(max)) = (Version::parse_tolerant(&range.min), Version::parse_tolerant(&range.max))
                && min > max
            {
                std::mem::swap(&mut range.min, &mut range.max);
                is_swapped = true;
            }
        }
        if is_swapped {
            found.push((next, "swap `minVersion` and `maxVersion`".to_owned()));
        }
    }

    /// Bounds that leave pre-releases out.
    fn prereleases(&self, state: &Request, found: &mut Vec<(Request, String)>) {
        for (channel, range) in ranges(state) {
            let is_released =
                |bound: &str| Version::parse_tolerant(bound).is_ok_and(|it| !it.is_prerelease() && !bound.is_empty());
            if is_released(&range.min) && range.exact().is_none() {
                let full = Version::parse_tolerant(&range.min).map(|it| it.to_string()).unwrap_or_default();
                let bound = format!("{}-0", full.split('+').next().unwrap_or_default());
                found.push(with_range(state, &channel, &Range::new(&bound, &range.max)));
            }
            if let Ok(max) = Version::parse_tolerant(&range.max)
                && is_released(&range.max)
            {
                let versions = self.versions_of(&channel);
                let best = versions.into_iter().filter(|it| it.is_prerelease() && **it <= max).max();
                if let Some(best) = best {
                    let bound = best.to_string();
                    found.push(with_range(state, &channel, &Range::new(&range.min, &bound)));
                }
            }
        }
    }

    /// Other default channels, with a list of the remaining channels if that is needed.
    fn defaults(&self, state: &Request, found: &mut Vec<(Request, String)>) {
        let ranked = self.ranked(state);
        if !state.package.default_channel.is_empty() {
            let mut next = state.clone();
            next.package.default_channel.clear();
            found.push((next, "leave out `defaultChannel`".to_owned()));
        }
        let set = |name: &String| {
            let mut next = state.clone();
            next.package.default_channel.clone_from(name);
            (next, format!("make `{name}` the default channel"))
        };
        // The catalog's default channel, if it remains, needs the least explanation.
        let mut ranked_from_old = ranked.clone();
        ranked_from_old.sort_by_key(|it| *it != self.facts.default_channel);
        found.extend(ranked_from_old.iter().map(set));
        let listed_only: Vec<Channel> = self
            .facts
            .channels
            .iter()
            .filter(|it| ranked.contains(&it.name))
            .map(|it| {
                let own = state.package.channels.iter().find(|own| own.name == it.name);
                own.cloned().unwrap_or(Channel { name: it.name.clone(), range: Range::default(), ..Channel::default() })
            })
            .collect();
        let names: Vec<String> = listed_only.iter().map(|it| it.name.clone()).collect();
        for name in ranked.iter().filter(|_| listed_only != state.package.channels) {
            let mut next = state.clone();
            next.package.channels.clone_from(&listed_only);
            next.package.default_channel.clone_from(name);
            let change = format!("list only {} and make `{name}` the default channel", Listed::quoted(&names));
            found.push((next, change));
        }
        let old = &self.facts.default_channel;
        let asked = &state.package.channels;
        if !asked.is_empty() && asked.iter().all(|it| it.name != *old) && self.facts.channel(old).is_some() {
            let mut next = state.clone();
            next.package.channels.push(Channel { name: old.clone(), range: Range::default(), ..Channel::default() });
            next.package.default_channel.clear();
            found.push((next, format!("also list the default channel `{old}`")));
        }
    }

    /// The nearest bounds to those that leave a channel empty.
    fn nearest(&self, state: &Request, trouble: &RequestProblem, found: &mut Vec<(Request, String)>) {
        let emptied = match trouble {
            RequestProblem::Refused(FilterError::EmptyDefault { channel, .. }) | RequestProblem::NoDefault(channel) => {
                Some(channel)
            }
            _ => None,
        };
        let mut near: Vec<(usize, (Request, String))> = Vec::new();
        let mut add = |next: (Request, String)| {
            let n = self.judge(&next.0).map_or(usize::MAX, |it| it.len());
            near.push((n, next));
        };
        let ranges = match emptied {
            Some(channel) => vec![(channel.clone(), range_of(state, channel))],
            None => ranges(state),
        };
        for (channel, range) in ranges.into_iter().filter(|it| !it.1.is_empty()) {
            let versions = self.versions_of(&channel);
            let (min, max) = (Version::parse_tolerant(&range.min).ok(), Version::parse_tolerant(&range.max).ok());
            if let Some(exact) = range.exact() {
                let (below, above) = around(&versions, exact);
                for version in [below, above].into_iter().flatten() {
                    let version = version.to_string();
                    add(with_range(state, &channel, &Range::new(&version, &version)));
                }
            }
            if let Some(min) = &min {
                let below = versions.iter().filter(|it| ***it < *min && max.as_ref().is_none_or(|max| *it <= &max));
                if let Some(version) = below.max() {
                    add(with_range(state, &channel, &Range::new(&version.to_string(), &range.max)));
                }
            }
            if let Some(max) = &max {
                let above = versions.iter().filter(|it| ***it > *max && min.as_ref().is_none_or(|min| *it >= &min));
                if let Some(version) = above.min() {
                    add(with_range(state, &channel, &Range::new(&range.min, &version.to_string())));
                }
            }
        }
        near.sort_by_key(|it| it.0);
        found.extend(near.into_iter().map(|it| it.1));
    }

    /// The versions of a channel, or of all if its name is empty.
    fn versions_of(&self, channel: &str) -> Vec<&Version> {
        let versions = self.facts.versions();
        let channels = self.facts.channels.iter().filter(|it| channel.is_empty() || it.name == channel);
        let mut found: Vec<&Version> =
            channels.flat_map(|it| &it.entries).filter_map(|it| versions.get(it.name.as_str()).copied()).collect();
        found.sort();
        found
    }
}

/// The versions next to one, below and above.
fn around<'v>(versions: &[&'v Version], version: &str) -> (Option<&'v Version>, Option<&'v Version>) {
    let Ok(version) = Version::parse_tolerant(version) else { return (None, None) };
    let below = versions.iter().filter(|it| ***it < version).max();
    let above = versions.iter().filter(|it| ***it > version).min();
    (below.copied(), above.copied())
}

/// The ranges of a request with their channels; that of the package has an empty name.
fn ranges(state: &Request) -> Vec<(String, Range)> {
    let of_channels = state.package.channels.iter().map(|it| (it.name.clone(), it.range.clone()));
    of_channels.chain([(String::new(), state.package.range.clone())]).filter(|it| !it.1.is_empty()).collect()
}

/// The range that holds for a channel.
fn range_of(state: &Request, channel: &str) -> Range {
    let own = state.package.channels.iter().find(|it| it.name == channel).map(|it| &it.range);
    own.filter(|it| !it.is_empty()).unwrap_or(&state.package.range).clone()
}

/// A request with another range for a channel, where its old range was.
fn with_range(state: &Request, channel: &str, range: &Range) -> (Request, String) {
    let mut next = state.clone();
    let own = next.package.channels.iter_mut().find(|it| it.name == channel).map(|it| &mut it.range);
    let place = match own.filter(|it| !it.is_empty()) {
        Some(own) => own,
        None => &mut next.package.range,
    };
    let old = std::mem::replace(place, range.clone());
    let mut changes = Vec::new();
    for (name, old, new) in [("minVersion", &old.min, &range.min), ("maxVersion", &old.max, &range.max)] {
        if old != new {
            changes.push(format!("`{name}` to {new}"));
        }
    }
    (next, format!("set {}", changes.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn a_digit_more_is_a_slip_and_another_digit_another_version() {
        let known = [
            "stable",
            "stable-1.0",
            "stable-1.25",
            "stable-1.30",
            "project-quay",
            "cert-manager",
            "alpha-beta",
            "gamma-beta",
        ];
        let cases: &[(&str, &[&str])] = &[
            ("stable-1.3", &["stable-1.30"]),
            ("stable-1.2", &["stable-1.25"]),
            ("stable-1.4", &[]),
            ("stabel-1.25", &["stable-1.25"]),
            ("stable-2.25", &[]),
            ("stabel", &["stable"]),
            ("quay", &["project-quay"]),
            ("manager", &["cert-manager"]),
            ("beta", &[]),
        ];
        for (name, found) in cases {
            assert_eq!(meant(name, known.into_iter()), *found, "{name}");
        }
    }
}
