//! Dependencies between the packages of a catalog: the packages that a question about one can concern, and the places
//! of their documents. The selection is generous, so that a resolution among these packages has the same result as
//! among all.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::error::EditError;
use olmdex_constraint::fields::{api_of, label_of, package_of};
use olmdex_constraint::{Leaf, leaves, may_be_met_by_any};
use olmdex_fbc::{self as fbc, Input, Name, Origin, Typed};
use olmdex_index::{Index, IndexError};
use olmdex_text::tally;

/// The properties that demand something.
const DEMANDING: [&str; 4] = ["olm.package.required", "olm.gvk.required", "olm.label.required", "olm.constraint"];

/// The provisions and demands of packages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The files with a package's documents.
    files: BTreeMap<String, BTreeSet<usize>>,
    packages: BTreeSet<String>,
    /// The packages with bundles of a name.
    bundles: HashMap<String, BTreeSet<String>>,
    /// The packages that provide something that can be demanded; a package always provides its own name.
    saying: HashMap<Leaf, BTreeSet<String>>,
    demands: BTreeMap<String, BTreeSet<Leaf>>,
}

/// The properties of the bundles of one package that have been read. They are much the same in all bundles, so each
/// property is read once.
#[derive(Default)]
struct Heard {
    package: String,
    all: HashSet<(Said, String)>,
    /// The properties of the last bundle.
    last: Vec<(Said, String)>,
}

impl Heard {
    /// The properties of a bundle that no earlier bundle of its package has.
    fn news(&mut self, package: &str, says: Vec<(Said, String)>) -> Vec<Leaf> {
        if self.package != package {
            *self = Self { package: package.to_owned(), ..Self::default() };
        }
        if says == self.last {
            return Vec::new();
        }
        let mut news = Vec::new();
        for said in &says {
            if !self.all.contains(said) {
                news.extend(leaf_of(said));
                self.all.insert(said.clone());
            }
        }
        self.last = says;
        // A package always provides its own name.
        news.retain(|it| !matches!(it, Leaf::Package(name, _) if name == package));
        news
    }
}

impl Survey {
    /// The survey of a catalog in files. Documents that cannot be read are left out.
    pub fn of_files(input: &Input) -> Self {
        let (mut survey, mut heard) = (Self::default(), Heard::default());
        fbc::load_each(input, &facts_of, |found| {
            if let Some(found) = found {
                survey.add(found, &mut heard);
            }
        });
        survey
    }

    fn add(&mut self, found: DocumentFacts, heard: &mut Heard) {
        let DocumentFacts { package, origin, bundle, is_package, says, demands } = found;
        if is_package {
            self.packages.insert(package.clone());
        }
        if let Some(bundle) = bundle {
            self.bundles.entry(bundle).or_default().insert(package.clone());
        }
        for leaf in heard.news(&package, says) {
            self.saying.entry(leaf).or_default().insert(package.clone());
        }
        if !demands.is_empty() {
            self.demands.entry(package.clone()).or_default().extend(demands);
        }
        self.files.entry(package).or_default().insert(origin.file as usize);
    }

    /// The survey of the catalogs of an index.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn of_index(index: &Index) -> Result<Self, IndexError> {
        let mut survey = Self { packages: index.package_names()?.into_iter().collect(), ..Self::default() };
        for kind in DEMANDING {
            for (package, value) in index.packages_with_property(kind)? {
                survey.demands.entry(package).or_default().extend(demanded(kind, &value));
            }
        }
        for (package, value) in index.packages_with_property("olm.label")? {
            if let Some(label) = label_of(&value) {
                survey.saying.entry(Leaf::Label(label)).or_default().insert(package);
            }
        }
        let asked: BTreeSet<Leaf> = survey.demands.values().flatten().cloned().collect();
        for leaf in asked {
            if let Leaf::Api(api) = &leaf {
                let providers = index.packages_providing(&api.group, &api.version, &api.kind)?;
                survey.saying.entry(leaf).or_default().extend(providers);
            }
        }
        Ok(survey)
    }

    /// Adds the packages that have a bundle of a name, which an index knows without listing all.
    pub fn add_bundle(&mut self, name: &str, packages: Vec<String>) {
        self.bundles.entry(name.to_owned()).or_default().extend(packages);
    }

    /// The package of something named, if there is one.
    ///
    /// # Errors
    /// [`EditError::Unknown`]
    pub fn package_of(&self, named: &Name) -> Result<String, EditError> {
        let (what, name) = match named {
            Name::Plain(name) => ("package or bundle", name),
            Name::Version(package, _) | Name::Channel(package, _) => ("package", package),
        };
        if self.packages.contains(name) {
            return Ok(name.clone());
        }
        let of_bundle = self.bundles.get(name).and_then(BTreeSet::first).filter(|_| matches!(named, Name::Plain(_)));
        let known = || self.packages.iter().cloned().collect();
        of_bundle.cloned().ok_or_else(|| EditError::unknown(what, name, known()))
    }

    /// A package, all that depend on it, and all that those need, directly or indirectly: each package that can meet a
    /// demand.
    pub fn around(&self, package: &str) -> BTreeSet<String> {
        let mut within = self.dependants(package);
        within.insert(package.to_owned());
        let mut open: Vec<String> = within.iter().cloned().collect();
        // Package after package demands the same.
        let mut seen: HashSet<&Leaf> = HashSet::new();
        while let Some(next) = open.pop() {
            for leaf in self.demands.get(&next).into_iter().flatten().filter(|it| seen.insert(*it)) {
                if matches!(leaf, Leaf::Rule(_)) {
                    // A rule may be about anything.
                    let all = self.packages.iter().chain(self.files.keys().filter(|package| !package.is_empty()));
                    within.extend(all.cloned());
                    return within;
                }
                for provider in self.providers(leaf).inspect(|_| tally::step(1)) {
                    if within.insert(provider.to_owned()) {
                        open.push(provider.to_owned());
                    }
                }
            }
        }
        within
    }

    /// The packages with a bundle that demands something of a package, or of one of those.
    pub fn dependants(&self, package: &str) -> BTreeSet<String> {
        // The packages that demand each thing, and the demanded things that each package provides.
        let mut demanders: HashMap<&Leaf, Vec<&str>> = HashMap::new();
        let mut says: HashMap<&str, BTreeSet<&Leaf>> = HashMap::new();
        let mut found: BTreeSet<&str> = BTreeSet::new();
        for (demander, leaves) in &self.demands {
            for leaf in leaves {
                tally::step(1);
                match leaf {
                    // The providers that a rule demands are unknown, so its package counts as a dependant of any.
                    Leaf::Rule(_) => drop(found.insert(demander)),
                    Leaf::Package(name, _) => drop(says.entry(name).or_default().insert(leaf)),
                    _ => {}
                }
                demanders.entry(leaf).or_default().push(demander);
            }
        }
        for (leaf, packages) in self.saying.iter().filter(|it| demanders.contains_key(it.0)) {
            for it in packages {
                tally::step(1);
                says.entry(it).or_default().insert(leaf);
            }
        }
        found.remove(package);
        let mut open: Vec<&str> = found.iter().copied().chain([package]).collect();
        let mut seen: HashSet<&Leaf> = HashSet::new();
        while let Some(next) = open.pop() {
            for leaf in says.get(next).into_iter().flatten().filter(|it| seen.insert(**it)) {
                for demander in demanders.get(leaf).into_iter().flatten() {
                    tally::step(1);
                    if *demander != package && found.insert(demander) {
                        open.push(demander);
                    }
                }
            }
        }
        found.into_iter().map(str::to_owned).collect()
    }

    /// The packages that may meet a demand.
    fn providers<'s>(&'s self, leaf: &'s Leaf) -> impl Iterator<Item = &'s str> {
        let own = match leaf {
            Leaf::Package(name, _) => Some(name.as_str()),
            _ => None,
        };
        own.into_iter().chain(self.saying.get(leaf).into_iter().flatten().map(String::as_str))
    }

    /// The files that have documents of some packages, and those with documents without a package.
    pub fn files_of(&self, packages: &BTreeSet<String>) -> BTreeSet<usize> {
        let named = packages.iter().map(String::as_str);
        named.chain([""]).filter_map(|package| self.files.get(package)).flatten().copied().collect()
    }
}

/// The demands of a property. A range of versions is ignored.
fn demanded(kind: &str, value: &str) -> Vec<Leaf> {
    let package = |name: String| Leaf::Package(name, String::new());
    match kind {
        "olm.gvk.required" => api_of(value).map(Leaf::Api).into_iter().collect(),
        "olm.package.required" => package_of(value).map(|it| package(it.0)).into_iter().collect(),
        "olm.label.required" => label_of(value).map(Leaf::Label).into_iter().collect(),
        // A bundle that meets it need not have anything that it names, as with a rule.
        "olm.constraint" if may_be_met_by_any(value) => vec![Leaf::Rule(value.to_owned())],
        // An unreadable constraint demands nothing that has a name.
        "olm.constraint" => leaves(value)
            .unwrap_or_default()
            .into_iter()
            .map(|it| if let Leaf::Package(name, _) = it { package(name) } else { it })
            .collect(),
        _ => Vec::new(),
    }
}

/// The content of a document.
struct DocumentFacts {
    package: String,
    origin: Origin,
    bundle: Option<String>,
    is_package: bool,
    /// The values of properties, as JSON.
    says: Vec<(Said, String)>,
    demands: Vec<Leaf>,
}

/// The kind of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Said {
    Api,
    Label,
    Package,
}

fn leaf_of((what, value): &(Said, String)) -> Option<Leaf> {
    match what {
        Said::Api => api_of(value).map(Leaf::Api),
        Said::Label => label_of(value).map(Leaf::Label),
        Said::Package => package_of(value).map(|it| Leaf::Package(it.0, String::new())),
    }
}

fn facts_of(document: fbc::Document<'_>) -> Option<DocumentFacts> {
    let origin = document.origin;
    let blob = document.blob.ok()?;
    let is_package = matches!(blob.typed, Typed::Package(_));
    let package = blob.package.to_string();
    let mut found = DocumentFacts { package, origin, bundle: None, is_package, says: Vec::new(), demands: Vec::new() };
    let Typed::Bundle(bundle) = &blob.typed else { return Some(found) };
    found.bundle = Some(bundle.name.clone().into_owned());
    for property in &bundle.properties {
        let kind = &*property.kind;
        let is_said = matches!(kind, "olm.gvk" | "olm.label" | "olm.package");
        if !is_said && !DEMANDING.contains(&kind) {
            continue;
        }
        let Some(value) = property.value else { continue };
        match kind {
            "olm.gvk" => found.says.push((Said::Api, value.raw().to_owned())),
            "olm.label" => found.says.push((Said::Label, value.raw().to_owned())),
            // A bundle may state another package than its own.
            "olm.package" => {
                let name = value.get_field("packageName").and_then(|it| it.as_str());
                if name.is_none_or(|it| *it != found.package) {
                    found.says.push((Said::Package, value.raw().to_owned()));
                }
            }
            _ => found.demands.extend(demanded(kind, &value.compact())),
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_a_package_is_found_in_so_many_steps() {
        tally::assert_grows_with_input(100, |size| {
            let mut survey = Survey::default();
            let (one, other) = (Leaf::Label("one".to_owned()), Leaf::Label("other".to_owned()));
            // Half of the packages provide the demands of the other half, and the other way round.
            for (at, (says, demands)) in (0..size).zip([(&one, &other), (&other, &one)].into_iter().cycle()) {
                let name = format!("p{at:04}");
                survey.packages.insert(name.clone());
                survey.saying.entry(says.clone()).or_default().insert(name.clone());
                let chain = Leaf::Package(format!("p{:04}", at + 1), String::new());
                survey.demands.insert(name, BTreeSet::from([demands.clone(), chain]));
            }
            move || {
                assert_eq!(survey.dependants("p0003").len(), size - 1);
                assert_eq!(survey.around("p0003").len(), size + 1);
            }
        });
    }
}
