//! Overlaps between several catalogs that fragments of one index, or catalogs of one cluster, should not have.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Facts, Inspected};
use super::inspect::draft;
use super::places;
use super::practice::rules;
use olmdex_base::diag::{Finding, Place};
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::{Input, Origin};
use olmdex_version::first_of;

/// A document, and the number of its catalog.
type At = (usize, Origin);

/// The catalogs of one command: packages and bundles by name, each with where they are.
#[derive(Debug, Default)]
pub struct SeveralCatalogs {
    catalogs: Vec<Catalog>,
    packages: BTreeMap<String, Vec<At>>,
    /// By name and image, each with the first that has it.
    bundles: BTreeMap<String, BTreeMap<String, Vec<At>>>,
    /// The names of the bundles of each package, and the numbers of the catalogs that have each.
    versions: BTreeMap<String, BTreeMap<String, BTreeSet<usize>>>,
}

#[derive(Debug)]
struct Catalog {
    input: Input,
    shown: String,
    /// The number of the source that it comes from: the catalogs of one index are not fragments of each other.
    source: usize,
    /// Its version of OpenShift: each has an index of its own.
    minor: Option<Minor>,
}

/// A name of a bundle that stands for several images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The name.
    pub bundle: String,
    /// The images, each with the catalog and the place of one bundle that has it.
    pub images: Vec<(String, String, Place)>,
}

impl SeveralCatalogs {
    /// Begins a catalog of a source, for an OpenShift; if none is given, for that of its name.
    pub fn begin(&mut self, source: usize, shown: String, input: &Input, openshift: Option<Minor>) {
        let minor = openshift.or_else(|| minor_in(&shown));
        self.catalogs.push(Catalog { input: input.clone(), shown, source, minor });
    }

    /// Takes note of a document of the catalog that was begun last.
    pub fn note(&mut self, document: &Inspected) {
        let at = (self.catalogs.len().saturating_sub(1), document.origin);
        match &document.facts {
            Facts::Package(package) if !package.name.is_empty() => {
                self.packages.entry(package.name.clone()).or_default().push(at);
            }
            Facts::Bundle(bundle) if !bundle.name.is_empty() && !document.image.is_empty() => {
                let versions = self.versions.entry(bundle.package.clone()).or_default();
                versions.entry(bundle.name.clone()).or_default().insert(at.0);
                let images = self.bundles.entry(bundle.name.clone()).or_default();
                let places = images.entry(document.image.clone()).or_default();
                // One for each catalog is enough to tell where it is.
                if places.last().is_none_or(|it| it.0 != at.0) {
                    places.push(at);
                }
            }
            _ => {}
        }
    }

    /// Adds catalogs that were noted by themselves, after those that are here.
    pub fn append(&mut self, others: Self) {
        let n_before = self.catalogs.len();
        let moved = |(catalog, origin): At| (catalog + n_before, origin);
        self.catalogs.extend(others.catalogs);
        for (name, places) in others.packages {
            self.packages.entry(name).or_default().extend(places.into_iter().map(moved));
        }
        for (name, images) in others.bundles {
            let known = self.bundles.entry(name).or_default();
            for (image, places) in images {
                known.entry(image).or_default().extend(places.into_iter().map(moved));
            }
        }
        for (package, versions) in others.versions {
            let known = self.versions.entry(package).or_default();
            for (name, catalogs) in versions {
                known.entry(name).or_default().extend(catalogs.into_iter().map(|catalog| catalog + n_before));
            }
        }
    }

    /// The packages that more than one source has, each with the catalogs.
    pub fn packages(&self) -> Vec<(&str, Vec<&str>)> {
        let shared = self.packages.iter().filter(|it| self.n_sources(it.1) > 1);
        let shown = |places: &[At]| {
            let mut names: Vec<&str> = places.iter().map(|it| self.catalogs[it.0].shown.as_str()).collect();
            names.dedup();
            names
        };
        shared.map(|(name, places)| (name.as_str(), shown(places))).collect()
    }

    /// The names of bundles that stand for different images in several catalogs.
    pub fn bundles(&self) -> Vec<Shared> {
        let mut found = Vec::new();
        for (bundle, images) in &self.bundles {
            let catalogs: BTreeSet<usize> = images.values().flatten().map(|it| it.0).collect();
            if images.len() > 1 && catalogs.len() > 1 {
                let image = |(image, places): (&String, &Vec<At>)| {
                    let at = *places.first()?;
                    Some((image.clone(), self.catalogs[at.0].shown.clone(), self.place(at)))
                };
                found.push(Shared { bundle: bundle.clone(), images: images.iter().filter_map(image).collect() });
            }
        }
        found
    }

    /// The findings about the sources if they are fragments of one index.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (name, places) in self.packages.iter().filter(|it| self.n_sources(it.1) > 1) {
            for (first, at) in self.apart(places) {
                let message = format!("package `{name}` is also in another fragment: {}", text(&self.place(first)));
                let help = "keep one of them, or merge them: an index can hold each package only once";
                findings.extend(self.finding(at, name, rules::PACKAGE_IN_SEVERAL_FRAGMENTS, message, help, "name"));
            }
        }
        for (name, images) in self.bundles.iter().filter(|it| it.1.len() > 1) {
            let all: Vec<(&str, At)> =
                images.iter().flat_map(|(image, places)| places.iter().map(|it| (image.as_str(), *it))).collect();
            let mut wording = BTreeSet::new();
            for (image, at) in &all {
                let is_together = |other: &At| other.0 == at.0 || self.are_fragments(*other, *at);
                let first = all.iter().find(|it| it.0 != *image && it.1 < *at && is_together(&it.1));
                let Some((other, first)) = first.filter(|_| wording.insert(*image)) else { continue };
                let place = text(&self.place(*first));
                let message = format!("bundle `{name}` has the image `{image}` here, but `{other}` at {place}");
                let help = "give both bundles the released image, or different names";
                findings.extend(self.finding(*at, "", rules::BUNDLE_WITH_SEVERAL_IMAGES, message, help, "image"));
            }
        }
        findings.extend(self.versions.iter().flat_map(|(package, versions)| self.gaps(package, versions)));
        findings
    }

    /// The catalogs that lack versions of a package which those of an older and of a newer OpenShift have.
    fn gaps(&self, package: &str, versions: &BTreeMap<String, BTreeSet<usize>>) -> Vec<Finding> {
        let Some(places) = self.packages.get(package) else { return Vec::new() };
        let of_minor = |at: &At| self.catalogs[at.0].minor.map(|minor| (minor, *at));
        let by_minor: BTreeMap<Minor, At> = places.iter().rev().filter_map(of_minor).collect();
        let mut lacking: BTreeMap<Minor, Vec<(&str, Minor, Minor)>> = BTreeMap::new();
        for (name, catalogs) in versions {
            let minors: BTreeSet<Minor> = catalogs.iter().filter_map(|catalog| self.catalogs[*catalog].minor).collect();
            let (Some(first), Some(last)) = (minors.first(), minors.last()) else { continue };
            for (minor, _) in by_minor.range(first..last).filter(|(minor, _)| !minors.contains(minor)) {
                let older = minors.range(..minor).next_back();
                let newer = minors.range(minor..).next();
                let both = older.zip(newer).map(|(older, newer)| (name.as_str(), *older, *newer));
                lacking.entry(*minor).or_default().extend(both);
            }
        }
        let finding = |(minor, versions): (&Minor, &Vec<(&str, Minor, Minor)>)| {
            let at = *by_minor.get(minor)?;
            let (_, older, newer) = *versions.first()?;
            let names = first_of(versions.iter().map(|(name, ..)| format!("`{name}`")), versions.len());
            let message = format!(
                "the catalog of `{package}` for OpenShift {minor} lacks {names}, which those for {older} and {newer} have"
            );
            let help = "add the versions there, or take them out of the newer catalogs: a cluster that is updated meets \
                each catalog in turn";
            Some(self.finding(at, package, rules::VERSION_LACKING_BETWEEN, message, help, "name"))
        };
        lacking.iter().filter_map(finding).flatten().collect()
    }

    /// The number of sources in a list of places.
    fn n_sources(&self, places: &[At]) -> usize {
        places.iter().map(|it| self.catalogs[it.0].source).collect::<BTreeSet<_>>().len()
    }

    /// Whether documents are of two fragments of one index.
    fn are_fragments(&self, one: At, other: At) -> bool {
        let [one, other] = [one, other].map(|at| &self.catalogs[at.0]);
        let is_for_another = one.minor.zip(other.minor).is_some_and(|(one, other)| !one.is_same(other));
        one.source != other.source && !is_for_another && !are_releases(&one.shown, &other.shown)
    }

    /// Whether two fragments are made of the same document.
    fn are_one(&self, one: At, other: At) -> bool {
        self.place(one) == self.place(other)
    }

    /// The places in other fragments of an index than its first, each with the first.
    fn apart(&self, places: &[At]) -> Vec<(At, At)> {
        let mut firsts: Vec<At> = Vec::new();
        let mut apart = Vec::new();
        for &at in places {
            let first = firsts.iter().find(|first| self.are_fragments(**first, at));
            apart.extend(first.filter(|first| !self.are_one(**first, at)).map(|first| (*first, at)));
            // One of each catalog stands for all of it.
            if firsts.last().is_none_or(|last| last.0 != at.0) {
                firsts.push(at);
            }
        }
        apart
    }

    fn finding(
        &self,
        at: At,
        package: &str,
        rule: &'static olmdex_base::diag::Rule,
        message: String,
        help: &str,
        field: &'static str,
    ) -> Vec<Finding> {
        let draft = draft(rule, message).at(vec![field.into()]).help(help);
        let facts = [Facts::Other { package: package.to_owned() }];
        places::resolve(vec![(0, draft)], &facts, &[at.1], &self.catalogs[at.0].input)
    }

    fn place(&self, at: At) -> Place {
        let (file, origin) = (self.catalogs[at.0].input.files.get(at.1.file as usize), at.1);
        match file.and_then(|it| it.made_of()) {
            Some(made_of) => made_of.start().clone(),
            None => Place::at(file.map_or("", |it| &it.shown), origin.line, origin.column),
        }
    }
}

/// Whether two paths are those of two releases that a repository keeps side by side, as `catalog/foo-2.25/v4.19` and
/// `catalog/foo-3.3/v4.19`: their parts differ in versions alone. Each goes into the index in its turn.
fn are_releases(one: &str, other: &str) -> bool {
    // A number alone may be that of a fragment.
    let stem = |part: &str| {
        let (name, version) = part.split_at(part.find(|c: char| c.is_ascii_digit())?);
        version.contains('.').then(|| name.to_owned())
    };
    let is_alike = |(one, other): (&str, &str)| one == other || stem(one).is_some_and(|it| Some(it) == stem(other));
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split('/').collect(), other.split('/').collect());
    one != other && one.len() == other.len() && one.into_iter().zip(other).all(is_alike)
}

/// The version of OpenShift that the last part of a path with one ends with, as in `v4.18/acorn/catalog` and
/// `acorn-4.18`.
fn minor_in(path: &str) -> Option<Minor> {
    path.rsplit('/').find_map(|part| {
        let version = part.rsplit(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        let minor = version.parse::<Minor>().ok().filter(|minor| matches!(minor.major, 4 | 5))?;
        (version.matches('.').count() == 1).then_some(minor)
    })
}

fn text(place: &Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}
