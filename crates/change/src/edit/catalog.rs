//! A catalog in files that is being changed, change by change; nothing is written until the caller takes the texts.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::adding::{file_of_new, new_package};
use super::change::Change;
use super::documents::{FileEdit, PackageDocuments, file_edits};
use super::error::EditError;
use super::target::{BUNDLE, PACKAGE, Target};
use super::verdict::{EditEffects, judge};
use olmdex_base::diag::{before_version, closest_of_same_numbers};
use olmdex_fbc::{self as fbc, BUNDLE_OBJECT, CSV_METADATA, Input, Level, Name, Typed};
use olmdex_text::json::Tree;
use olmdex_version::Version;

/// A catalog that is being changed.
#[derive(Debug, Clone)]
pub struct CatalogEdit {
    /// Its files as they were.
    original: Input,
    /// Its files as they are now.
    current: Input,
    texts: BTreeMap<usize, Arc<[u8]>>,
    edits: BTreeMap<usize, FileEdit>,
    /// The original content of the files, once somebody needed it; no change moves a package to another file.
    known: OnceCell<CatalogNames>,
}

impl CatalogEdit {
    /// Begins with the files of a catalog.
    pub fn new(input: Input) -> Self {
        let (texts, edits) = (BTreeMap::new(), BTreeMap::new());
        Self { current: input.clone(), original: input, texts, edits, known: OnceCell::new() }
    }

    /// The names of its packages, in the order of the files.
    pub fn packages(&self) -> Vec<String> {
        self.names().iter().filter(|it| it.bundle.is_none()).map(|it| it.package.clone()).collect()
    }

    fn known(&self) -> &CatalogNames {
        self.known.get_or_init(|| CatalogNames::of(&self.original))
    }

    /// The numbers of the files that have documents of a package.
    pub fn files_of(&self, package: &str) -> BTreeSet<usize> {
        self.known().files.get(package).cloned().unwrap_or_default()
    }

    /// The packages and bundles that there are now.
    fn names(&self) -> Cow<'_, [PackageOrBundle]> {
        if self.texts.is_empty() {
            Cow::Borrowed(&self.known().names)
        } else {
            Cow::Owned(CatalogNames::of(&self.current).names)
        }
    }

    /// The package of a name, and the named part of it.
    ///
    /// # Errors
    /// [`EditError::Unknown`]
    pub fn find(&self, named: &Name) -> Result<(String, Target), EditError> {
        let names = self.names();
        let packages =
            || names.iter().filter(|it| it.bundle.is_none()).map(|it| it.package.clone()).collect::<Vec<_>>();
        match named {
            Name::Channel(package, channel) => Ok((package.clone(), Target::Channel(channel.clone()))),
            Name::Plain(name) => {
                if names.iter().any(|it| it.package == *name && it.bundle.is_none()) {
                    return Ok((name.clone(), Target::Package));
                }
                match names.iter().find(|it| it.bundle.as_ref() == Some(name)) {
                    Some(it) => Ok((it.package.clone(), Target::Bundle(name.clone()))),
                    None => Err(unknown_bundle(name, &names)
                        .unwrap_or_else(|| EditError::unknown("package or bundle", name, packages()))),
                }
            }
            Name::Version(package, wanted) => {
                let of_package: Vec<&PackageOrBundle> = names.iter().filter(|it| it.package == *package).collect();
                if of_package.is_empty() {
                    return Err(EditError::unknown("package", package, packages()));
                }
                let wanted_version = Version::parse_tolerant(wanted).ok();
                let is_it = |it: &&&PackageOrBundle| match (&it.version, &wanted_version) {
                    (Some(a), Some(b)) => a.cmp_precedence(b).is_eq(),
                    _ => false,
                };
                let is_named = |it: &&&PackageOrBundle| it.bundle.as_ref() == Some(wanted);
                let found = of_package.iter().find(is_it).or_else(|| of_package.iter().find(is_named));
                match found.and_then(|it| it.bundle.clone()) {
                    Some(bundle) => Ok((package.clone(), Target::Bundle(bundle))),
                    None => {
                        let known = of_package.iter().filter_map(|it| it.version.as_ref().map(ToString::to_string));
                        Err(EditError::unknown_in_package(package, "version", wanted, known.collect()))
                    }
                }
            }
        }
    }

    /// Changes a package, and returns the effects on the catalog.
    ///
    /// # Errors
    /// [`EditError`]; nothing has changed then.
    pub fn change(&mut self, package: &str, changes: &[Change]) -> Result<EditEffects, EditError> {
        let verdicts = self.change_all(&[(package.to_owned(), changes.to_vec())])?;
        Ok(verdicts.into_iter().next().map(|it| it.1).unwrap_or_default())
    }

    /// Makes many changes in their order, and returns their joint effects on each package, in the order in which
    /// packages are first named. The catalog is judged once, so that many changes cost little more than one.
    ///
    /// # Errors
    /// [`EditError`]; nothing has changed then.
    pub fn change_all(&mut self, changes: &[(String, Vec<Change>)]) -> Result<Vec<(String, EditEffects)>, EditError> {
        let mut seen: HashSet<&str> = HashSet::new();
        let packages = changes.iter().map(|it| it.0.as_str()).filter(|it| seen.insert(it));
        let packages: Vec<String> = packages.map(str::to_owned).collect();
        let mut changed = self.clone();
        let mut files: BTreeSet<usize> = BTreeSet::new();
        // Each change reads the result of the change before it.
        for changes in apart(changes) {
            let (concerned, new) = changed.changed(changes)?;
            files.extend(concerned);
            changed.take(new);
        }
        // The content of other files does not change, so it needs no check.
        let verdicts = judge(&self.current.only(&files), &changed.current.only(&files), &packages);
        *self = changed;
        Ok(packages.into_iter().zip(verdicts).collect())
    }

    /// As [`Self::change`], for callers that judge the catalog themselves.
    ///
    /// # Errors
    /// The errors of [`Self::change`].
    pub fn change_unjudged(&mut self, package: &str, changes: &[Change]) -> Result<(), EditError> {
        let (_, new) = self.changed(&[(package.to_owned(), changes.to_vec())])?;
        self.take(new);
        Ok(())
    }

    /// The effect of changes to packages, each of which is named once, on the files, and the files that have documents
    /// of these packages.
    fn changed(&self, changes: &[(String, Vec<Change>)]) -> Result<(BTreeSet<usize>, Vec<FileEdit>), EditError> {
        let known = self.known();
        let groups = groups(&known.files, changes, self.current.files.len());
        let (current, original) = (&self.current, &self.original);
        let made: Vec<Result<_, (usize, EditError)>> =
            groups.par_iter().map(|it| changed_in(current, original, changes, it)).collect();
        // The error of the change that was named first counts.
        let mut failed: Option<(usize, EditError)> = None;
        let (mut files, mut edits) = (BTreeSet::new(), Vec::new());
        for it in made {
            match it {
                Ok((concerned, new)) => {
                    files.extend(concerned);
                    edits.extend(new);
                }
                Err(error) if failed.as_ref().is_none_or(|it| error.0 < it.0) => failed = Some(error),
                Err(_) => {}
            }
        }
        match failed {
            Some((_, error)) => Err(error),
            None => Ok((files, edits)),
        }
    }

    fn take(&mut self, new: Vec<FileEdit>) {
        for edit in new {
            self.texts.insert(edit.file, Arc::from(edit.after.as_bytes()));
            match self.edits.get_mut(&edit.file) {
                Some(old) => {
                    old.after = edit.after;
                    old.rewritten = old.rewritten.or(edit.rewritten);
                }
                None => drop(self.edits.insert(edit.file, edit)),
            }
        }
        self.current = self.original.with_texts(&self.texts);
    }

    /// Adds a new package, with a bundle and its channels: `change` is a [`Change::Add`], and `root` the path of the
    /// catalog. The first channel is the default.
    ///
    /// # Errors
    /// [`EditError`]; nothing has changed then.
    pub fn create_package(&mut self, root: &Path, package: &str, change: &Change) -> Result<EditEffects, EditError> {
        let (edit, verdict) = new_package(&self.current, root, package, change)?;
        self.take(vec![edit]);
        Ok(verdict)
    }

    /// The file that [`Self::create_package`] creates for a package, if `root` is a directory.
    ///
    /// # Errors
    /// If the package's name cannot be the name of a file.
    pub fn file_of_new(&self, root: &Path, package: &str) -> Result<PathBuf, EditError> {
        Ok(root.join(file_of_new(&self.current, package)?))
    }

    /// The form in which most bundles of a package store their manifests; if none of them shows a form, that of most
    /// bundles in the whole catalog. `None` if no bundle shows one.
    pub fn level_of(&self, package: &str) -> Option<Level> {
        let names = self.names();
        let most = |of: &dyn Fn(&PackageOrBundle) -> bool| {
            let count = |level| names.iter().filter(|it| of(it) && it.level == Some(level)).count();
            match (count(Level::CsvMetadata), count(Level::None)) {
                (0, 0) => None,
                (metadata, objects) if metadata >= objects => Some(Level::CsvMetadata),
                _ => Some(Level::None),
            }
        };
        most(&|it| it.package == package).or_else(|| most(&|_| true))
    }

    /// Its files as they were.
    pub(super) fn original(&self) -> &Input {
        &self.original
    }

    /// Its files as they are now.
    pub fn input(&self) -> &Input {
        &self.current
    }

    /// The changed files, in their order.
    pub fn files(&self) -> impl Iterator<Item = &FileEdit> {
        self.edits.values().filter(|it| it.before != it.after)
    }
}

/// The error for a name that looks like that of a missing bundle: it lists the existing ones of the same package.
fn unknown_bundle(name: &str, names: &[PackageOrBundle]) -> Option<EditError> {
    let bundles = || names.iter().filter_map(|it| Some((it.package.as_str(), it.bundle.as_deref()?)));
    let stem = before_version(name)?;
    let meant = closest_of_same_numbers(name, bundles().map(|it| it.1));
    let is_like = |it: &&str| meant == Some(*it) || before_version(it) == Some(stem);
    let package = bundles().find(|it| is_like(&it.1))?.0;
    let known = bundles().filter(|it| it.0 == package).map(|it| it.1).filter(is_like).map(str::to_owned);
    Some(EditError::unknown_in_package(package, "bundle", name, known.collect()))
}

/// Runs of changes that name each package once.
fn apart(changes: &[(String, Vec<Change>)]) -> Vec<&[(String, Vec<Change>)]> {
    let mut runs = Vec::new();
    let (mut start, mut seen) = (0, HashSet::new());
    for (at, (package, _)) in changes.iter().enumerate() {
        if !seen.insert(package) {
            runs.push(&changes[start..at]);
            start = at;
            seen = HashSet::from([package]);
        }
    }
    runs.push(&changes[start..]);
    runs
}

/// Changes of packages that share files, by their numbers, and these files.
#[derive(Debug, Default)]
struct Group {
    changes: Vec<usize>,
    files: BTreeSet<usize>,
}

/// The changes in groups that have no file in common. A package without a known file may be in any.
fn groups(
    files_of: &HashMap<String, BTreeSet<usize>>,
    changes: &[(String, Vec<Change>)],
    n_files: usize,
) -> Vec<Group> {
    if changes.iter().any(|it| !files_of.contains_key(&it.0)) {
        return vec![Group { changes: (0..changes.len()).collect(), files: (0..n_files).collect() }];
    }
    let files: Vec<&BTreeSet<usize>> = changes.iter().filter_map(|it| files_of.get(&it.0)).collect();
    let mut packages_of: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, files) in files.iter().enumerate() {
        for file in *files {
            packages_of.entry(*file).or_default().push(at);
        }
    }
    let mut is_grouped = vec![false; changes.len()];
    let mut groups = Vec::new();
    for first in 0..files.len() {
        let mut group = Group::default();
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut is_grouped[at], true) {
                continue;
            }
            group.changes.push(at);
            for file in files[at] {
                // Packages that share a file are handled together.
                open.extend(packages_of.remove(file).unwrap_or_default());
                group.files.insert(*file);
            }
        }
        if !group.changes.is_empty() {
            group.changes.sort_unstable();
            groups.push(group);
        }
    }
    groups
}

/// The effect of the changes of a group on its files, and the files that have documents of its packages. An error has
/// the number of its change.
fn changed_in(
    current: &Input,
    original: &Input,
    changes: &[(String, Vec<Change>)],
    group: &Group,
) -> Result<(BTreeSet<usize>, Vec<FileEdit>), (usize, EditError)> {
    let of_group: Vec<(usize, &(String, Vec<Change>))> =
        group.changes.iter().filter_map(|at| Some((*at, changes.get(*at)?))).collect();
    let packages: Vec<&str> = of_group.iter().map(|it| it.1.0.as_str()).collect();
    let read = PackageDocuments::read_all(current, &group.files, &packages);
    let mut all = Vec::with_capacity(read.len());
    for ((at, (_, changes)), documents) in of_group.into_iter().zip(read) {
        let mut documents = documents.map_err(|error| (at, error))?;
        changes.iter().try_for_each(|it| it.apply(&mut documents)).map_err(|error| (at, error))?;
        all.push(documents);
    }
    let first = group.changes.first().copied().unwrap_or_default();
    let edits = file_edits(&all.iter().collect::<Vec<_>>(), current, original).map_err(|error| (first, error))?;
    Ok((all.iter().flat_map(PackageDocuments::files).collect(), edits))
}

/// The content of the files of a catalog.
#[derive(Debug, Clone, Default)]
struct CatalogNames {
    /// Its packages and bundles.
    names: Vec<PackageOrBundle>,
    /// Which files have documents of each package.
    files: HashMap<String, BTreeSet<usize>>,
}

impl CatalogNames {
    fn of(input: &Input) -> Self {
        let mut known = Self::default();
        fbc::load_each(input, &names_of, |found| {
            if let Some((package, file, name)) = found {
                known.files.entry(package).or_default().insert(file);
                known.names.extend(name);
            }
        });
        known
    }
}

/// The blobs of the bundles of a catalog.
pub(super) fn bundles_of(input: &Input) -> Vec<Tree> {
    let bundle = |document: fbc::Document<'_>| {
        let blob = document.blob.ok()?;
        (blob.value.text_of_field("schema") == BUNDLE).then(|| Tree::normal_of(blob.value))
    };
    fbc::load_all(input, &bundle).into_iter().flatten().collect()
}

/// A package, or a bundle of one.
#[derive(Debug, Clone)]
struct PackageOrBundle {
    package: String,
    bundle: Option<String>,
    version: Option<Version>,
    /// The form of its manifests, if it has any.
    level: Option<Level>,
}

/// The package of a document, its file, and its kind if it has a name of its own.
fn names_of(document: fbc::Document<'_>) -> Option<(String, usize, Option<PackageOrBundle>)> {
    let file = document.origin.file as usize;
    let blob = document.blob.ok()?;
    let field = |name: &str| blob.value.text_of_field(name);
    let schema = field("schema");
    if schema == PACKAGE {
        let package = field("name");
        return Some((
            package.clone(),
            file,
            Some(PackageOrBundle { package, bundle: None, version: None, level: None }),
        ));
    }
    let package = field("package");
    let name = match &blob.typed {
        Typed::Bundle(bundle) if schema == BUNDLE => {
            // Only this property of a large document is decoded.
            let property = bundle.properties.iter().find(|it| it.kind == PACKAGE).and_then(|it| it.value);
            let version = property.and_then(|it| it.get_field("version")?.as_str());
            let version = version.and_then(|it| Version::parse_tolerant(&it).ok());
            let has = |kind: &str| bundle.properties.iter().any(|it| it.kind == kind);
            let level =
                if has(CSV_METADATA) { Some(Level::CsvMetadata) } else { has(BUNDLE_OBJECT).then_some(Level::None) };
            Some(PackageOrBundle { package: package.clone(), bundle: Some(field("name")), version, level })
        }
        _ => None,
    };
    Some((package, file, name))
}
