//! Adding bundles: the refusals, and the packages that are written anew (`docs/behaviour/legacy-index.md` 4.2 to 4.6).
//!
//! A package is computed completely before one of its rows is written, so that a refused one can be left out. Bundles
//! are taken by version, where the real tool takes them in random order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Edit;
use super::chain::Chain;
use super::replaces::{Member, Rebuilt, cmp_with_build, rebuild};
use super::request::{AddOptions, Mode, NewBundle};
use super::semver::{Entrant, Graph};
use super::stored::{BundleColumns, Stored};
use crate::cells::{each, text};
use crate::error::LegacyError;
use crate::refusal::AddRefusal;
use olmdex_base::diag::Listed;
use olmdex_text::json::Tree;
use olmdex_text::tally;
use olmdex_version::Version;

impl Edit {
    /// Adds bundles. Unless refusals are allowed, the first one ends the step.
    ///
    /// # Errors
    /// [`LegacyError::NotAdded`], or if the file is damaged.
    pub fn add(&mut self, bundles: &[NewBundle], options: AddOptions) -> Result<(), LegacyError> {
        let mut packages: BTreeMap<&str, Vec<&NewBundle>> = BTreeMap::new();
        let mut file = self.before(bundles)?;
        let mut earlier = Earlier::default();
        let wanting = wanting(bundles);
        for new in bundles {
            let checked = refuse_incomplete(new)
                .and_then(|()| earlier.refuse_twice(new))
                .map_err(LegacyError::from)
                .and_then(|()| self.refuse_present(new, options, &file))
                .and_then(|()| Ok(refuse_foreign_edges(new, &file, &wanting)?));
            earlier.add(new);
            if self.goes_on(checked, options)?.is_some() {
                packages.entry(new.bundle.package.as_str()).or_default().push(new);
            }
        }
        let releases = "SELECT DISTINCT operatorbundle_name FROM properties
                        WHERE type = 'olm.package' AND CASE WHEN json_valid(CAST(value AS TEXT))
                        THEN json_type(CAST(value AS TEXT), '$.release') IS NOT NULL END";
        let releases: BTreeSet<String> = self.strings(releases, &[])?.into_iter().collect();
        for (package, mut news) in packages {
            news.sort_by_cached_key(|it| ByVersion::of(it));
            let stored = file.stored.remove(package).unwrap_or_default();
            let added = match options.mode {
                Mode::Replaces => self.add_by_edges(package, stored, &news, options, &releases),
                Mode::Semver | Mode::SemverSkippatch => self.add_by_version(package, &stored, &news, options),
            };
            self.goes_on(added, options)?;
        }
        match options.mode {
            Mode::Replaces => Ok(()),
            Mode::Semver | Mode::SemverSkippatch => self.drop_manifests(),
        }
    }

    /// The result of a step; `None` if it was refused and refusals are allowed.
    fn goes_on<T>(&mut self, outcome: Result<T, LegacyError>, options: AddOptions) -> Result<Option<T>, LegacyError> {
        match outcome {
            Ok(it) => Ok(Some(it)),
            Err(LegacyError::NotAdded(refusal)) if options.is_permissive => {
                self.done.passed_over.push(refusal.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn refuse_present(&self, new: &NewBundle, options: AddOptions, file: &Before) -> Result<(), LegacyError> {
        let bundle = new.bundle.name.clone();
        if !new.image.is_empty()
            && let Some(bundle) = file.images.get(&new.image)
        {
            return Err(AddRefusal::ImageExists { image: new.image.clone(), bundle: bundle.clone() }.into());
        }
        let Some(known) = self.known(&bundle)? else { return Ok(()) };
        let packages = file.packages_of.get(&bundle).map_or(&[][..], Vec::as_slice);
        if packages.is_empty() {
            return Err(AddRefusal::Stranded { bundle }.into());
        }
        let is_own = packages == [new.bundle.package.as_str()];
        if !options.overwrite_latest || options.mode != Mode::Replaces || !is_own {
            let place = format!("in package {}", Listed::quoted(packages));
            return Err(AddRefusal::Exists { bundle, place }.into());
        }
        if known.image.is_empty() || new.image.is_empty() {
            return Err(AddRefusal::NoImage { bundle }.into());
        }
        let stored = file.stored.get(&new.bundle.package);
        if let Some((row, is_chain)) = stored.and_then(|it| it.leads_to(&bundle)) {
            let verb = if is_chain { "replaces" } else { "skips" };
            let (by, channel) = (row.bundle.clone(), row.channel.clone());
            return Err(AddRefusal::NotHead { bundle, by, verb, channel }.into());
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
        mut stored: Stored,
        news: &[&NewBundle],
        options: AddOptions,
        releases: &BTreeSet<String>,
    ) -> Result<(), LegacyError> {
        let mut overwritten: Vec<String> = Vec::new();
        for new in news.iter().filter(|_| options.overwrite_latest) {
            if self.known(&new.bundle.name)?.is_some() {
                forget(&mut stored, &new.bundle.name);
                overwritten.push(new.bundle.name.clone());
            }
            // Two overwritten bundles are refused, whatever the other bundles are.
            if overwritten.len() > 1 {
                break;
            }
        }
        if let [first, second, ..] = overwritten.as_slice() {
            let (first, second) = (first.clone(), second.clone());
            return Err(AddRefusal::OverwritesTwo { package: package.to_owned(), first, second }.into());
        }
        let mut known: BTreeMap<String, BundleColumns> = BTreeMap::new();
        for new in news {
            // A bundle that is overwritten is deprecated no more.
            let is_new = !overwritten.contains(&new.bundle.name);
            let is_deprecated = is_new && self.is_marked_deprecated(&new.bundle.name)?;
            known.insert(new.bundle.name.clone(), known_of(new, is_deprecated));
        }
        let names = stored.names();
        self.know(&names, &mut known)?;
        let mut channels_of = stored.channels_of_bundles();
        let mut members: Vec<Member> = Vec::new();
        for name in names.iter().filter(|it| known.contains_key(*it)) {
            members.push(Member {
                name: name.clone(),
                channels: channels_of.remove(name).unwrap_or_default(),
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
        self.write_rebuilt(package, &stored, news, &rebuilt, &known, releases).map_err(|error| self.failed(&error))?;
        self.done.added.extend(news.iter().map(|it| it.bundle.name.clone()));
        self.done.overwritten.extend(overwritten);
        let held: HashSet<&str> = rebuilt.chains.iter().flat_map(Chain::bundles).collect();
        let lost = members.iter().filter(|it| !held.contains(it.name.as_str()));
        self.done.stranded.extend(lost.map(|it| it.name.clone()));
        Ok(())
    }

    fn write_rebuilt(
        &self,
        package: &str,
        stored: &Stored,
        news: &[&NewBundle],
        rebuilt: &Rebuilt,
        known: &BTreeMap<String, BundleColumns>,
        releases: &BTreeSet<String>,
    ) -> rusqlite::Result<()> {
        let mut own_releases: BTreeSet<&str> = BTreeSet::new();
        for new in news {
            let name = &new.bundle.name;
            self.insert_bundle(new, known.get(name).is_some_and(|it| it.is_deprecated))?;
            let has_release = |value: &str| Tree::read(value).is_ok_and(|it| it.get_field("release").is_some());
            if new.bundle.properties.iter().any(|it| it.0 == "olm.package" && has_release(&it.1)) {
                own_releases.insert(name);
            }
        }
        self.clear_package(package, stored)?;
        self.put_package(package, &rebuilt.default_channel)?;
        for chain in &rebuilt.chains {
            self.put_chain(package, chain, &Stored::default())?;
        }
        for name in &rebuilt.visited {
            // A second `olm.package` without the release would make the bundle one that no reader can convert.
            if let Some(of) =
                known.get(name).filter(|_| !releases.contains(name) && !own_releases.contains(name.as_str()))
            {
                self.put_package_property(package, name, of)?;
            }
        }
        Ok(())
    }

    fn add_by_version(
        &mut self,
        package: &str,
        stored: &Stored,
        news: &[&NewBundle],
        options: AddOptions,
    ) -> Result<(), LegacyError> {
        let mut known: BTreeMap<String, BundleColumns> = BTreeMap::new();
        for name in stored.names() {
            if let Some(found) = self.known(&name)? {
                known.insert(name, found);
            }
        }
        let mut graph = Graph::of_stored(package, stored, &known);
        graph.check_heads()?;
        let mut chains = Vec::new();
        let mut added: Vec<&NewBundle> = Vec::new();
        for (number, new) in (1..).zip(news) {
            // If refusals are not allowed, the first one ends the step.
            let before = options.is_permissive.then(|| graph.clone());
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
            let made = graph.add(entrant).and_then(|()| if is_whole { graph.chains() } else { Ok(Vec::new()) });
            let made = made.map_err(LegacyError::from);
            match (self.goes_on(made, options)?, before) {
                (Some(made), _) => {
                    chains = made;
                    added.push(new);
                }
                (None, Some(before)) => graph = before,
                (None, None) => {}
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
                self.put_chain(package, chain, stored)?;
            }
            self.put_package(package, &graph.default_channel)
        };
        write().map_err(|error| self.failed(&error))?;
        self.run("INSERT OR IGNORE INTO written VALUES (?1)", &[package])?;
        self.done.added.extend(added.iter().map(|it| it.bundle.name.clone()));
        Ok(())
    }

    /// Drops the manifests of bundles that are no heads, in the packages that were written by version. The real tool
    /// does so in all packages of the file.
    fn drop_manifests(&self) -> Result<(), LegacyError> {
        self.run(
            "UPDATE operatorbundle SET csv = NULL, bundle = NULL
             WHERE name IN (SELECT operatorbundle_name FROM channel_entry WHERE package_name IN (SELECT name FROM written))
               AND bundlepath <> ''
               AND name NOT IN (SELECT head_operatorbundle_name FROM channel WHERE head_operatorbundle_name IS NOT NULL)",
            &[],
        )
    }

    /// The rows of the file about these bundles, their edges and their packages, before anything is written.
    fn before(&self, bundles: &[NewBundle]) -> Result<Before, LegacyError> {
        let tables = ["asked_bundle", "asked_package", "written"]
            .map(|it| format!("CREATE TEMP TABLE IF NOT EXISTS {it} (name TEXT PRIMARY KEY); DELETE FROM {it};"));
        self.connection.execute_batch(&tables.concat()).map_err(|error| self.failed(&error))?;
        for name in bundles.iter().flat_map(edges) {
            self.run("INSERT OR IGNORE INTO asked_bundle VALUES (?1)", &[name])?;
        }
        for new in bundles {
            self.run("INSERT OR IGNORE INTO asked_package VALUES (?1)", &[&new.bundle.package])?;
        }
        let mut packages_of: HashMap<String, Vec<String>> = HashMap::new();
        let packages = "SELECT DISTINCT operatorbundle_name, package_name FROM channel_entry
                        WHERE operatorbundle_name IN (SELECT name FROM asked_bundle) AND package_name IS NOT NULL
                        ORDER BY 2";
        for (bundle, package) in self.pairs(packages)? {
            packages_of.entry(bundle).or_default().push(package);
        }
        let mut images: HashMap<String, String> = HashMap::new();
        if bundles.iter().any(|it| !it.image.is_empty()) {
            let all = "SELECT bundlepath, name FROM operatorbundle
                       WHERE bundlepath IS NOT NULL AND name IS NOT NULL ORDER BY name";
            for (image, bundle) in self.pairs(all)? {
                images.entry(image).or_insert(bundle);
            }
        }
        Ok(Before { packages_of, images, stored: self.stored()? })
    }

    /// The rows of two texts that a query gives.
    fn pairs(&self, sql: &str) -> Result<Vec<(String, String)>, LegacyError> {
        let mut found = Vec::new();
        let read = each(&self.connection, sql, |row| {
            tally::step(1);
            found.extend(text(row, 0)?.zip(text(row, 1)?));
            Ok(())
        });
        read.map_err(|error| self.failed(&error))?;
        Ok(found)
    }
}

/// The rows of the file about the bundles to add.
struct Before {
    /// The packages of bundles that are to be added, or that their edges lead to, in order.
    packages_of: HashMap<String, Vec<String>>,
    /// The first bundle of each image.
    images: HashMap<String, String>,
    stored: HashMap<String, Stored>,
}

/// The bundles that were examined before.
#[derive(Default)]
struct Earlier<'n> {
    names: HashMap<&'n str, usize>,
    images: HashMap<&'n str, usize>,
    n_bundles: usize,
}

impl<'n> Earlier<'n> {
    fn add(&mut self, new: &'n NewBundle) {
        self.names.entry(&new.bundle.name).or_insert(self.n_bundles);
        self.images.entry(&new.image).or_insert(self.n_bundles);
        self.n_bundles += 1;
    }

    /// Refuses a name or an image that another bundle has; the first that is found is reported.
    fn refuse_twice(&self, new: &NewBundle) -> Result<(), AddRefusal> {
        let name = self.names.get(new.bundle.name.as_str());
        let image = self.images.get(new.image.as_str()).filter(|_| !new.image.is_empty());
        match (name, image) {
            (None, None) => Ok(()),
            (Some(name), image) if image.is_none_or(|it| name <= it) => {
                Err(AddRefusal::Twice { what: new.bundle.name.clone() })
            }
            _ => Err(AddRefusal::Twice { what: new.image.clone() }),
        }
    }
}

/// The packages with a new bundle that has a name, or leads to it, each once in the order of the bundles.
fn wanting(bundles: &[NewBundle]) -> HashMap<&str, Vec<&str>> {
    let mut packages: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    for new in bundles {
        for edge in edges(new) {
            tally::step(1);
            if seen.insert((edge, &new.bundle.package)) {
                packages.entry(edge).or_default().push(&new.bundle.package);
            }
        }
    }
    packages
}

/// Refuses edges to bundles of other packages, in the file or among the new ones.
fn refuse_foreign_edges(new: &NewBundle, file: &Before, wanting: &HashMap<&str, Vec<&str>>) -> Result<(), AddRefusal> {
    let it = &new.bundle;
    for edge in edges(new) {
        let stored = file.packages_of.get(edge).into_iter().flatten().map(String::as_str);
        let mut all = stored.chain(wanting.get(edge).into_iter().flatten().copied());
        if let Some(other) = all.find(|other| *other != it.package) {
            return Err(AddRefusal::OtherPackage {
                bundle: it.name.clone(),
                package: it.package.clone(),
                edge: edge.to_owned(),
                other: other.to_owned(),
            });
        }
    }
    Ok(())
}

fn known_of(new: &NewBundle, is_deprecated: bool) -> BundleColumns {
    let it = &new.bundle;
    BundleColumns {
        version: it.version.clone(),
        image: new.image.clone(),
        replaces: it.replaces.clone(),
        skips: it.skips.clone(),
        is_deprecated,
    }
}

/// Removes a bundle that is overwritten from its channels. A channel in which it is the head and replaces nothing is
/// removed too, unless it is the default channel.
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

/// The name of a bundle, and the names that it replaces and skips.
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

/// The order by version, those without one first, and by name.
#[derive(PartialEq, Eq)]
struct ByVersion {
    version: Option<Version>,
    name: String,
}

impl ByVersion {
    fn of(new: &NewBundle) -> Self {
        Self { version: Version::parse(&new.bundle.version).ok(), name: new.bundle.name.clone() }
    }
}

impl PartialOrd for ByVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ByVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = match (&self.version, &other.version) {
            (Some(a), Some(b)) => cmp_with_build(a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        order.then_with(|| self.name.cmp(&other.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Destination;
    use olmdex_bundle::bundle::Registration;
    use olmdex_text::tally::assert_grows_with_input;

    fn bundle(package: &str, minor: usize, channels: Vec<String>) -> NewBundle {
        let name = |minor: usize| format!("{package}.v1.{minor}.0");
        NewBundle {
            bundle: Registration {
                name: name(minor),
                package: package.to_owned(),
                version: format!("1.{minor}.0"),
                replaces: minor.checked_sub(1).map(name).unwrap_or_default(),
                default_channel: channels[0].clone(),
                channels,
                ..Registration::default()
            },
            image: format!("example.com/{package}:{minor}"),
        }
    }

    fn of_packages(size: usize, minor: usize) -> Vec<NewBundle> {
        (0..size).map(|at| bundle(&format!("p{at}"), minor, vec!["stable".to_owned()])).collect()
    }

    fn of_versions(size: usize, minor: usize) -> Vec<NewBundle> {
        (0..size).map(|at| bundle("p", minor * size + at, vec!["stable".to_owned()])).collect()
    }

    fn of_channels(size: usize, minor: usize) -> Vec<NewBundle> {
        vec![bundle("p", minor, (0..size).map(|at| format!("c{at}")).collect())]
    }

    #[test]
    fn bundles_are_added_in_so_many_steps() {
        let directory = tempfile::tempdir().unwrap();
        let begin = |from: &str, to: &str| {
            let (from, to) = (directory.path().join(from), Destination::File(directory.path().join(to)));
            Edit::begin(&from, directory.path(), &to).unwrap()
        };
        std::fs::write(directory.path().join("empty.db"), "").unwrap();
        for mode in [Mode::Replaces, Mode::Semver, Mode::SemverSkippatch] {
            for bundles in [of_packages, of_versions, of_channels] {
                assert_grows_with_input(100, |size| {
                    let options = AddOptions { mode, ..AddOptions::default() };
                    let mut first = begin("empty.db", "first.db");
                    first.add(&bundles(size, 0), options).unwrap();
                    first.finish().unwrap();
                    let (mut second, more) = (begin("first.db", "second.db"), bundles(size, 1));
                    move || {
                        second.add(&more, options).unwrap();
                        assert_eq!(second.done.added.len(), more.len());
                    }
                });
            }
        }
    }
}
