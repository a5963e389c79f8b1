//! Who depends on whom in a catalog: which packages a change of one can matter to, and in which files they are.
//!
//! What it deliberately does not do: it does not say whether anything is met. It is generous, so that resolving among these packages
//! comes out as among all.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::convert::Infallible;

use super::error::EditError;
use super::target::{BUNDLE, PACKAGE};
use olmdex_constraint::fields::{api_of, label_of, package_of};
use olmdex_constraint::{Leaf, leaves};
use olmdex_fbc::{self as fbc, Consumer, Input, Name, Typed};
use olmdex_index::{Index, IndexError};
use olmdex_text::tally;

/// The properties that demand something.
const DEMANDING: [&str; 4] = ["olm.package.required", "olm.gvk.required", "olm.label.required", "olm.constraint"];

/// What each of these has a part of; the fewer words are looked for, the faster it is.
const PARTS_OF_DEMANDING: [&str; 2] = [".required", "olm.constraint"];

/// What packages say, and what they demand.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// The files that have documents of a package.
    files: BTreeMap<String, BTreeSet<usize>>,
    packages: BTreeSet<String>,
    /// The packages with bundles of a name.
    bundles: HashMap<String, BTreeSet<String>>,
    /// The packages that say something that can be demanded; a package always says its own name.
    saying: HashMap<Leaf, BTreeSet<String>>,
    demands: BTreeMap<String, BTreeSet<Leaf>>,
    /// The files that were read.
    seen: BTreeSet<usize>,
}

impl Survey {
    /// Of a catalog in files.
    #[must_use]
    pub fn of_files(input: &Input) -> Self {
        let mut survey = Self::default();
        survey.read(input, &(0..input.files.len()).collect());
        survey
    }

    /// The same of the files that matter to a name, whatever it is the name of: those that have it, those that demand something, and
    /// those that have what is demanded around it. Others are not even decoded.
    #[must_use]
    pub fn near(input: &Input, name: &str) -> Self {
        let mut survey = Self::default();
        let words: Vec<&str> = PARTS_OF_DEMANDING.into_iter().chain([name]).collect();
        survey.read(input, &fbc::files_with(input, &words));
        let mut asked: BTreeSet<String> = BTreeSet::new();
        loop {
            // Whoever depends on it, over whatever steps, demands something and has been read; what meets demands that matter to
            // nobody around it is not looked for.
            let demanding = survey.around_name(name);
            let demands = demanding.iter().filter_map(|it| survey.demands.get(it));
            let demanded = demands.flatten().map(|leaf| match leaf {
                // All three parts stand in one file, so the rarest of them will do.
                Leaf::Api(api) => api.kind.clone(),
                Leaf::Package(name, _) => name.clone(),
                Leaf::Label(label) => label.clone(),
                Leaf::Rule(_) => String::new(),
            });
            let new: BTreeSet<String> = demanded.filter(|it| !asked.contains(it)).collect();
            if new.is_empty() {
                return survey;
            }
            // A rule may ask for anything.
            if new.contains("") {
                return Self::of_files(input);
            }
            let words: Vec<&str> = new.iter().map(String::as_str).collect();
            survey.read(input, &fbc::files_with(input, &words));
            asked.extend(new);
        }
    }

    /// All that is around whatever has a name.
    fn around_name(&self, name: &str) -> BTreeSet<String> {
        let of_bundle = self.bundles.get(name).into_iter().flatten();
        let own = self.packages.get(name).into_iter().chain(of_bundle);
        own.flat_map(|it| self.around(it)).collect()
    }

    /// Reads some files, those that have not been read yet.
    fn read(&mut self, input: &Input, files: &BTreeSet<usize>) {
        let new: BTreeSet<usize> = files.iter().copied().filter(|it| self.seen.insert(*it)).collect();
        let numbers: Vec<usize> = new.iter().copied().collect();
        let done: Result<(), Infallible> = fbc::load(&input.only(&new), &Reader, |found| {
            if let Some(found) = found {
                // Files are counted anew where only some are read.
                let file = numbers.get(found.file).copied().unwrap_or_default();
                self.add(Found { file, ..found });
            }
            Ok(())
        });
        match done {
            Ok(()) => {}
        }
    }

    fn add(&mut self, found: Found) {
        let Found { package, file, bundle, is_package, says, demands } = found;
        if is_package {
            self.packages.insert(package.clone());
        }
        if let Some(bundle) = bundle {
            self.bundles.entry(bundle).or_default().insert(package.clone());
        }
        for leaf in says {
            self.saying.entry(leaf).or_default().insert(package.clone());
        }
        if !demands.is_empty() {
            self.demands.entry(package.clone()).or_default().extend(demands);
        }
        self.files.entry(package).or_default().insert(file);
    }

    /// Of the catalogs of an index.
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

    /// Adds the packages that have a bundle of a name, which an index knows without being asked for all.
    pub fn add_bundle(&mut self, name: &str, packages: Vec<String>) {
        self.bundles.entry(name.to_owned()).or_default().extend(packages);
    }

    /// The package of something that is named, if there is one.
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

    /// A package with all that depends on it, over whatever steps, and all that those need, over whatever steps.
    #[must_use]
    pub fn around(&self, package: &str) -> BTreeSet<String> {
        let mut around = self.dependants(package);
        around.insert(package.to_owned());
        let mut open: Vec<String> = around.iter().cloned().collect();
        // Package after package demands the same.
        let mut seen: HashSet<&Leaf> = HashSet::new();
        while let Some(next) = open.pop() {
            for leaf in self.demands.get(&next).into_iter().flatten().filter(|it| seen.insert(*it)) {
                if matches!(leaf, Leaf::Rule(_)) {
                    // A rule may be about anything.
                    return self.packages.clone();
                }
                for provider in self.providers(leaf).inspect(|_| tally::step(1)) {
                    if around.insert(provider.to_owned()) {
                        open.push(provider.to_owned());
                    }
                }
            }
        }
        around
    }

    /// The packages with a bundle that demands something of a package, or of one of those.
    #[must_use]
    pub fn dependants(&self, package: &str) -> BTreeSet<String> {
        // The packages that demand each thing, and the demanded things that each package says.
        let mut demanders: HashMap<&Leaf, Vec<&str>> = HashMap::new();
        let mut says: HashMap<&str, BTreeSet<&Leaf>> = HashMap::new();
        let mut found: BTreeSet<&str> = BTreeSet::new();
        for (demander, leaves) in &self.demands {
            for leaf in leaves {
                tally::step(1);
                match leaf {
                    // What a rule asks of whom is not known.
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

    /// The files that have documents of some packages, and those with documents of none.
    #[must_use]
    pub fn files_of(&self, packages: &BTreeSet<String>) -> BTreeSet<usize> {
        let of = |it: &str| self.files.get(it).into_iter().flatten().copied();
        packages.iter().flat_map(|it| of(it)).chain(of("")).collect()
    }
}

/// What a property demands. A range of versions is not looked at.
fn demanded(kind: &str, value: &str) -> Vec<Leaf> {
    let package = |name: String| Leaf::Package(name, String::new());
    match kind {
        "olm.gvk.required" => api_of(value).map(Leaf::Api).into_iter().collect(),
        "olm.package.required" => package_of(value).map(|it| package(it.0)).into_iter().collect(),
        "olm.label.required" => label_of(value).map(Leaf::Label).into_iter().collect(),
        // One that cannot be read demands nothing that could be named.
        "olm.constraint" => leaves(value)
            .unwrap_or_default()
            .into_iter()
            .map(|it| if let Leaf::Package(name, _) = it { package(name) } else { it })
            .collect(),
        _ => Vec::new(),
    }
}

/// What a document says.
struct Found {
    package: String,
    file: usize,
    bundle: Option<String>,
    is_package: bool,
    says: Vec<Leaf>,
    demands: Vec<Leaf>,
}

struct Reader;

impl Consumer for Reader {
    type Output = Option<Found>;

    fn document(&self, document: fbc::Document<'_>) -> Self::Output {
        let file = document.origin.file as usize;
        let blob = document.blob.ok()?;
        let field = |name: &str| blob.value.get_field(name).and_then(|it| it.as_str()).unwrap_or_default().into_owned();
        let schema = field("schema");
        let is_package = schema == PACKAGE;
        let package = if is_package { field("name") } else { field("package") };
        let mut found = Found { package, file, bundle: None, is_package, says: Vec::new(), demands: Vec::new() };
        if schema != BUNDLE {
            return Some(found);
        }
        let Typed::Bundle(bundle) = &blob.typed else { return Some(found) };
        found.bundle = Some(bundle.name.clone().into_owned());
        for property in &bundle.properties {
            let kind = &*property.kind;
            let is_said = matches!(kind, "olm.gvk" | "olm.label" | "olm.package");
            if !is_said && !DEMANDING.contains(&kind) {
                continue;
            }
            let Some(value) = property.value.map(super::object::compact) else { continue };
            match kind {
                "olm.gvk" => found.says.extend(api_of(&value).map(Leaf::Api)),
                "olm.label" => found.says.extend(label_of(&value).map(Leaf::Label)),
                // A bundle may say that it is of another package than its own.
                "olm.package" => {
                    let name = package_of(&value).map(|it| it.0).filter(|it| *it != found.package);
                    found.says.extend(name.map(|it| Leaf::Package(it, String::new())));
                }
                _ => found.demands.extend(demanded(kind, &value)),
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_a_package_is_found_in_so_many_steps() {
        tally::assert_grows_with_input(100, |size| {
            let mut survey = Survey::default();
            let (one, other) = (Leaf::Label("one".to_owned()), Leaf::Label("other".to_owned()));
            // Half of the packages say what the other half demands, and the other way round.
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

    #[test]
    fn whoever_demands_is_found_by_a_part_of_a_word() {
        assert!(DEMANDING.iter().all(|it| PARTS_OF_DEMANDING.iter().any(|part| it.contains(part))));
    }
}
