//! The documents of named packages: a search of the bytes finds the files that may have them, and only these files are
//! decoded.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::blob::Typed;
use super::input::Input;
use super::load::{Document, load_each};
use super::origin::Origin;
use super::scan::files_with;

/// The documents of the packages that some words name, in several catalogs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedDocuments {
    /// The places of the documents in each catalog: those of the packages, and those without a package.
    pub documents: Vec<Vec<Origin>>,
    /// How many files of each catalog were decoded.
    pub n_files: Vec<usize>,
}

impl NamedDocuments {
    /// Finds the documents of packages by their names, or by the names of their bundles in any of the catalogs. `None`
    /// if a word names neither, or a file that may have such a document has one that cannot be read.
    pub fn find(inputs: &[&Input], names: &BTreeSet<&str>) -> Option<Self> {
        let mut found: Vec<Found> = inputs.iter().map(|_| Found::default()).collect();
        let mut words: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let packages = loop {
            for (found, input) in found.iter_mut().zip(inputs) {
                found.search(input, &words);
            }
            if found.iter().any(|found| found.has_broken) {
                return None;
            }
            let mut packages = BTreeSet::new();
            for name in names {
                let mut owners = found.iter().flat_map(|found| found.owners(name)).peekable();
                owners.peek()?;
                packages.extend(owners.cloned());
            }
            // A bundle's package may have documents in files that do not name the bundle.
            if packages.is_subset(&words) {
                break packages;
            }
            words.extend(packages);
        };
        let n_files = found.iter().map(|found| found.seen.len()).collect();
        Some(Self { documents: found.iter().map(|found| found.documents_of(&packages)).collect(), n_files })
    }
}

/// The documents of the files of a catalog that were decoded.
#[derive(Default)]
struct Found {
    documents: BTreeMap<String, Vec<Origin>>,
    packages: BTreeSet<String>,
    /// The packages with bundles of a name.
    bundles: HashMap<String, BTreeSet<String>>,
    seen: BTreeSet<usize>,
    searched: BTreeSet<String>,
    has_broken: bool,
}

impl Found {
    /// Decodes the files that may have one of some words and were not decoded yet.
    fn search(&mut self, input: &Input, words: &BTreeSet<String>) {
        let new: Vec<&str> = words.iter().map(String::as_str).filter(|word| !self.searched.contains(*word)).collect();
        let unread: Vec<usize> = (0..input.files.len()).filter(|number| !self.seen.contains(number)).collect();
        if new.is_empty() || unread.is_empty() {
            return;
        }
        let with_word = files_with(&input.only(&unread.iter().copied().collect()), &new);
        let numbers: Vec<usize> = with_word.into_iter().filter_map(|place| unread.get(place).copied()).collect();
        self.searched.extend(new.into_iter().map(str::to_owned));
        self.seen.extend(&numbers);
        load_each(&input.only(&numbers.iter().copied().collect()), &named, |document| match document {
            Some(mut document) => {
                // Files have other numbers if only some of them are read.
                let file = numbers.get(document.origin.file as usize).copied().unwrap_or_default();
                document.origin.file = u32::try_from(file).unwrap_or(u32::MAX);
                self.add(document);
            }
            None => self.has_broken = true,
        });
    }

    fn add(&mut self, document: NamedDocument) {
        let NamedDocument { package, bundle, is_package, origin } = document;
        if is_package {
            self.packages.insert(package.clone());
        }
        if let Some(bundle) = bundle {
            self.bundles.entry(bundle).or_default().insert(package.clone());
        }
        self.documents.entry(package).or_default().push(origin);
    }

    /// The packages that a name may stand for: that of this name, and those with a bundle of this name.
    fn owners(&self, name: &str) -> impl Iterator<Item = &String> {
        self.packages.get(name).into_iter().chain(self.bundles.get(name).into_iter().flatten())
    }

    fn documents_of(&self, packages: &BTreeSet<String>) -> Vec<Origin> {
        let named = packages.iter().map(String::as_str).filter(|package| !package.is_empty());
        named.chain([""]).filter_map(|package| self.documents.get(package)).flatten().copied().collect()
    }
}

struct NamedDocument {
    package: String,
    bundle: Option<String>,
    is_package: bool,
    origin: Origin,
}

/// `None` for a document that cannot be read.
fn named(document: Document<'_>) -> Option<NamedDocument> {
    let blob = document.blob.ok()?;
    let bundle = match &blob.typed {
        Typed::Bundle(bundle) => Some(bundle.name.clone().into_owned()),
        _ => None,
    };
    let is_package = matches!(blob.typed, Typed::Package(_));
    Some(NamedDocument { package: blob.package.to_string(), bundle, is_package, origin: document.origin })
}
