//! Adding bundles: what is refused, and the packages that are written anew (`docs/behaviour/legacy-index.md` 4.2 to 4.6).
//!
//! A package is thought through before a row of it is written, so that one that is refused can be left out. Bundles are
//! taken by version, where the real tool takes them by chance.
//!
//! What it deliberately does not do: it follows no `olm.substitutesFor`, as the real tool does not without a switch.

use std::collections::{BTreeMap, BTreeSet};

use super::Edit;
use super::replaces::{Member, Rebuilt, cmp_with_build, rebuild};
use super::request::{AddOptions, Mode, NewBundle};
use super::semver::{Entrant, Graph};
use super::stored::{Known, Stored};
use crate::legacy::error::LegacyError;
use crate::legacy::refusal::AddRefusal;
use crate::version::Version;

/// A refusal, or a file that cannot be read.
enum Stop {
    Refused(Box<AddRefusal>),
    Failed(LegacyError),
}

impl From<AddRefusal> for Stop {
    fn from(refusal: AddRefusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<LegacyError> for Stop {
    fn from(error: LegacyError) -> Self {
        Self::Failed(error)
    }
}

impl Edit {
    /// Adds bundles. Unless refusals are allowed, the first one ends the step.
    ///
    /// # Errors
    /// [`LegacyError::NotAdded`], or if the file is damaged.
    pub fn add(&mut self, bundles: &[NewBundle], options: AddOptions) -> Result<(), LegacyError> {
        let mut packages: BTreeMap<&str, Vec<&NewBundle>> = BTreeMap::new();
        for (idx, new) in bundles.iter().enumerate() {
            let checked = refuse_incomplete(new)
                .and_then(|()| refuse_twice(&bundles[..idx], new))
                .map_err(Stop::from)
                .and_then(|()| self.refuse_present(new, options))
                .and_then(|()| self.refuse_foreign_edges(bundles, new));
            if self.goes_on(checked, options)?.is_some() {
                packages.entry(new.bundle.package.as_str()).or_default().push(new);
            }
        }
        let releases = "SELECT DISTINCT operatorbundle_name FROM properties
                        WHERE type = 'olm.package' AND CAST(value AS TEXT) LIKE '%\"release\"%'";
        let releases: BTreeSet<String> = self.strings(releases, &[])?.into_iter().collect();
        for (package, mut news) in packages {
            news.sort_by(|a, b| by_version(a, b));
            let added = match options.mode {
                Mode::Replaces => self.add_by_edges(package, &news, options, &releases),
                Mode::Semver | Mode::SemverSkippatch => self.add_by_version(package, &news, options),
            };
            self.goes_on(added, options)?;
        }
        Ok(())
    }

    /// What came of a step, or nothing if it was refused and that is allowed.
    fn goes_on<T>(&mut self, outcome: Result<T, Stop>, options: AddOptions) -> Result<Option<T>, LegacyError> {
        match outcome {
            Ok(it) => Ok(Some(it)),
            Err(Stop::Refused(refusal)) if options.is_permissive => {
                self.done.passed_over.push(refusal.to_string());
                Ok(None)
            }
            Err(Stop::Refused(refusal)) => Err(refusal.into()),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn refuse_present(&self, new: &NewBundle, options: AddOptions) -> Result<(), Stop> {
        let bundle = new.bundle.name.clone();
        if !new.image.is_empty() {
            let same = "SELECT name FROM operatorbundle WHERE bundlepath = ?1 ORDER BY name";
            if let Some(bundle) = self.strings(same, &[&new.image])?.into_iter().next() {
                return Err(AddRefusal::ImageExists { image: new.image.clone(), bundle }.into());
            }
        }
        let Some(stored) = self.known(&bundle)? else { return Ok(()) };
        let packages = "SELECT DISTINCT package_name FROM channel_entry WHERE operatorbundle_name = ?1 ORDER BY 1";
        let packages = self.strings(packages, &[&bundle])?;
        if packages.is_empty() {
            return Err(AddRefusal::Stranded { bundle }.into());
        }
        let is_own = packages == [new.bundle.package.as_str()];
        if !options.overwrite_latest || options.mode != Mode::Replaces || !is_own {
            let place = format!("in package `{}`", packages.join("`, `"));
            return Err(AddRefusal::Exists { bundle, place }.into());
        }
        if stored.image.is_empty() || new.image.is_empty() {
            return Err(AddRefusal::NoImage { bundle }.into());
        }
        let stored = self.stored(&new.bundle.package)?;
        if let Some(row) = stored.rows.iter().find(|it| it.replaces.as_ref() == Some(&bundle)) {
            // The row of an edge on the chain is the one that the bundle's own edge begins at.
            let mut own = stored.rows.iter().filter(|it| it.channel == row.channel && it.bundle == row.bundle);
            let is_chain = own.all(|it| it.depth >= row.depth);
            let verb = if is_chain { "replaces" } else { "skips" };
            let (by, channel) = (row.bundle.clone(), row.channel.clone());
            return Err(AddRefusal::NotHead { bundle, by, verb, channel }.into());
        }
        Ok(())
    }

    /// Refuses edges to bundles of other packages, in the file or among the new ones.
    fn refuse_foreign_edges(&self, bundles: &[NewBundle], new: &NewBundle) -> Result<(), Stop> {
        let it = &new.bundle;
        let refusal = |edge: &str, other: String| AddRefusal::OtherPackage {
            bundle: it.name.clone(),
            package: it.package.clone(),
            edge: edge.to_owned(),
            other,
        };
        for edge in edges(new) {
            let packages = "SELECT DISTINCT package_name FROM channel_entry WHERE operatorbundle_name = ?1 ORDER BY 1";
            let stored = self.strings(packages, &[edge])?;
            let others = bundles.iter().filter(|other| edges(other).any(|it| it == edge));
            let others = others.map(|other| other.bundle.package.clone());
            if let Some(other) = stored.into_iter().chain(others).find(|other| *other != it.package) {
                return Err(refusal(edge, other).into());
            }
        }
        Ok(())
    }

    fn is_marked_deprecated(&self, bundle: &str) -> Result<bool, LegacyError> {
        let marked = "SELECT operatorbundle_name FROM deprecated WHERE operatorbundle_name = ?1";
        Ok(!self.strings(marked, &[bundle])?.is_empty())
    }

    fn add_by_edges(
        &mut self,
        package: &str,
        news: &[&NewBundle],
        options: AddOptions,
        releases: &BTreeSet<String>,
    ) -> Result<(), Stop> {
        let mut stored = self.stored(package)?;
        let mut overwritten: Vec<String> = Vec::new();
        for new in news.iter().filter(|_| options.overwrite_latest) {
            if self.known(&new.bundle.name)?.is_some() {
                forget(&mut stored, &new.bundle.name);
                overwritten.push(new.bundle.name.clone());
            }
        }
        if let [first, second, ..] = overwritten.as_slice() {
            let (first, second) = (first.clone(), second.clone());
            return Err(AddRefusal::OverwritesTwo { package: package.to_owned(), first, second }.into());
        }
        let mut known: BTreeMap<String, Known> = BTreeMap::new();
        for new in news {
            // A bundle that is overwritten is deprecated no more.
            let is_new = !overwritten.contains(&new.bundle.name);
            let is_deprecated = is_new && self.is_marked_deprecated(&new.bundle.name)?;
            known.insert(new.bundle.name.clone(), known_of(new, is_deprecated));
        }
        let names = stored.names();
        self.know(&names, &mut known)?;
        let mut members: Vec<Member> = Vec::new();
        for name in names.iter().filter(|it| known.contains_key(*it)) {
            members.push(Member {
                name: name.clone(),
                channels: stored.channels_of(name),
                default_channel: stored.default_channel.clone(),
                is_new: false,
            });
        }
        members.extend(news.iter().map(|new| Member {
            name: new.bundle.name.clone(),
            channels: new.bundle.channels.iter().cloned().collect(),
            default_channel: new.bundle.default_channel.clone(),
            is_new: true,
        }));
        let rebuilt = rebuild(package, &members, &known)?;
        for name in &overwritten {
            self.doom_none()?;
            self.doom(name)?;
            self.delete_doomed()?;
            self.run("DELETE FROM deprecated WHERE operatorbundle_name = ?1", &[name])?;
            self.done.bundles.retain(|it| it != name);
        }
        self.write_rebuilt(package, news, &rebuilt, &known, releases).map_err(|error| self.failed(&error))?;
        self.done.added.extend(news.iter().map(|it| it.bundle.name.clone()));
        self.done.overwritten.extend(overwritten);
        let lost = members.iter().filter(|it| !rebuilt.chains.iter().any(|chain| chain.holds(&it.name)));
        self.done.stranded.extend(lost.map(|it| it.name.clone()));
        Ok(())
    }

    fn write_rebuilt(
        &self,
        package: &str,
        news: &[&NewBundle],
        rebuilt: &Rebuilt,
        known: &BTreeMap<String, Known>,
        releases: &BTreeSet<String>,
    ) -> rusqlite::Result<()> {
        let mut releases = releases.clone();
        for new in news {
            let name = &new.bundle.name;
            self.insert_bundle(new, known.get(name).is_some_and(|it| it.is_deprecated))?;
            if new.bundle.properties.iter().any(|it| it.0 == "olm.package" && it.1.contains("\"release\"")) {
                releases.insert(name.clone());
            }
        }
        self.clear_package(package)?;
        self.put_package(package, &rebuilt.default_channel)?;
        for chain in &rebuilt.chains {
            self.put_chain(package, chain)?;
        }
        for name in &rebuilt.visited {
            // A second `olm.package` without the release would make the bundle one that no reader can convert.
            if let Some(of) = known.get(name).filter(|_| !releases.contains(name)) {
                self.put_package_property(package, name, of)?;
            }
        }
        Ok(())
    }

    fn add_by_version(&mut self, package: &str, news: &[&NewBundle], options: AddOptions) -> Result<(), Stop> {
        let stored = self.stored(package)?;
        let mut known: BTreeMap<String, Known> = BTreeMap::new();
        for name in stored.names() {
            if let Some(found) = self.known(&name)? {
                known.insert(name, found);
            }
        }
        let mut graph = Graph::of_stored(package, &stored, &known);
        let mut chains = Vec::new();
        let mut added: Vec<&NewBundle> = Vec::new();
        for (number, new) in (1..).zip(news) {
            let mut next = graph.clone();
            let it = &new.bundle;
            let entrant = Entrant {
                name: &it.name,
                version: &it.version,
                channels: &it.channels,
                default_channel: &it.default_channel,
                skips_patches: options.mode == Mode::SemverSkippatch,
            };
            // Bundles that are added together may need each other: one may bring the default channel of another.
            let is_whole = options.is_permissive || number == news.len();
            let made = next.add(entrant).and_then(|()| if is_whole { next.chains() } else { Ok(Vec::new()) });
            let made = made.map_err(Stop::from);
            if let Some(made) = self.goes_on(made, options)? {
                (graph, chains) = (next, made);
                added.push(new);
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        for new in &added {
            let is_deprecated = self.is_marked_deprecated(&new.bundle.name)?;
            self.insert_bundle(new, is_deprecated).map_err(|error| self.failed(&error))?;
        }
        let write = || -> rusqlite::Result<()> {
            for chain in &chains {
                self.put_chain(package, chain)?;
            }
            self.put_package(package, &graph.default_channel)
        };
        write().map_err(|error| self.failed(&error))?;
        // The real tool does so in all packages of the file.
        self.run(
            "UPDATE operatorbundle SET csv = NULL, bundle = NULL
             WHERE name IN (SELECT operatorbundle_name FROM channel_entry WHERE package_name = ?1)
               AND bundlepath <> ''
               AND name NOT IN (SELECT head_operatorbundle_name FROM channel WHERE head_operatorbundle_name IS NOT NULL)",
            &[package],
        )?;
        self.done.added.extend(added.iter().map(|it| it.bundle.name.clone()));
        Ok(())
    }
}

fn known_of(new: &NewBundle, is_deprecated: bool) -> Known {
    let it = &new.bundle;
    Known {
        version: it.version.clone(),
        image: new.image.clone(),
        replaces: it.replaces.clone(),
        skips: it.skips.clone(),
        is_deprecated,
    }
}

/// Takes a bundle that is overwritten out of its channels. One that it was alone at the head of goes, unless it is the
/// default channel.
fn forget(stored: &mut Stored, bundle: &str) {
    let mut gone: BTreeSet<String> = BTreeSet::new();
    for (channel, head) in stored.heads.iter().filter(|it| it.1 == bundle) {
        let mut own = stored.rows.iter().filter(|it| it.channel == *channel && it.bundle == bundle);
        let first = own.clone().map(|it| it.depth).min();
        let replaces = own.any(|it| Some(it.depth) == first && it.replaces.as_ref().is_some_and(|it| it != head));
        if !replaces && *channel != stored.default_channel {
            gone.insert(channel.clone());
        }
    }
    stored.rows.retain(|it| it.bundle != bundle && !gone.contains(&it.channel));
}

/// What a bundle is, replaces and skips.
fn edges(new: &NewBundle) -> impl Iterator<Item = &str> {
    let it = &new.bundle;
    let all = [&it.name, &it.replaces].into_iter().chain(&it.skips);
    all.map(String::as_str).filter(|it| !it.is_empty())
}

fn refuse_incomplete(new: &NewBundle) -> Result<(), AddRefusal> {
    let it = &new.bundle;
    let missing =
        [("name", it.name.is_empty()), ("package", it.package.is_empty()), ("channel", it.channels.is_empty())];
    if let Some((what, _)) = missing.into_iter().find(|it| it.1) {
        return Err(AddRefusal::Incomplete { bundle: it.name.clone(), what });
    }
    if !it.substitutes_for.is_empty() {
        return Err(AddRefusal::Substitutes { bundle: it.name.clone(), other: it.substitutes_for.clone() });
    }
    Ok(())
}

fn refuse_twice(before: &[NewBundle], new: &NewBundle) -> Result<(), AddRefusal> {
    for other in before {
        if other.bundle.name == new.bundle.name {
            return Err(AddRefusal::Twice { what: new.bundle.name.clone() });
        }
        if !new.image.is_empty() && other.image == new.image {
            return Err(AddRefusal::Twice { what: new.image.clone() });
        }
    }
    Ok(())
}

/// By version, those without one first, and by name.
fn by_version(a: &NewBundle, b: &NewBundle) -> std::cmp::Ordering {
    let version = |it: &NewBundle| Version::parse(&it.bundle.version).ok();
    let order = match (version(a), version(b)) {
        (Some(a), Some(b)) => cmp_with_build(&a, &b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    };
    order.then_with(|| a.bundle.name.cmp(&b.bundle.name))
}
