//! The documents of a package in the files of a catalog, and the new texts of these files after changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use super::error::EditError;
use super::splice;
use super::target::BUNDLE;
use olmdex_fbc::{self as fbc, Format, Input, Origin, Syntax};
use olmdex_text::json::Expansion;
use olmdex_text::json::{self, Reader, Tree};
use olmdex_text::tally;
use olmdex_text::yaml;

/// The most bytes of a document that is edited: several forms of it are in memory then.
const MAX_DOCUMENT: usize = 32 << 20;

/// A document of the package.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) schema: String,
    pub(super) name: String,
    origin: Origin,
    raw: Vec<u8>,
    /// Its content in the normal form; that of a bundle is taken apart once somebody changes it.
    tree: Tree,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Same,
    Changed,
    Gone,
    /// It cannot be changed, and has no content here.
    TooLong,
}

impl Document {
    /// Its content.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Changes its content.
    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut Tree) -> T) -> T {
        let before = self.tree.open().clone();
        let found = change(&mut self.tree);
        if self.tree != before {
            self.state = State::Changed;
        }
        found
    }

    /// Takes it out.
    pub(super) fn remove(&mut self) {
        self.state = State::Gone;
    }
}

/// The change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The number of the file in its [`Input`].
    pub file: usize,
    /// Its path.
    pub path: PathBuf,
    /// Its text before.
    pub before: String,
    /// Its text afterwards.
    pub after: String,
    /// Why a document had to be written anew, without its comments, if that happened.
    pub rewritten: Option<&'static str>,
    /// Whether there is no such file yet.
    pub is_new: bool,
}

/// The documents of a package.
#[derive(Debug, Clone)]
pub struct PackageDocuments {
    /// The package.
    pub package: String,
    documents: Vec<Document>,
    /// The places of the documents of each name.
    by_name: HashMap<String, Vec<usize>>,
    /// The new documents, with the file of each.
    added: Vec<(u32, Tree)>,
}

impl PackageDocuments {
    /// The documents of a package in the files of a catalog. Unreadable documents are left out.
    ///
    /// # Errors
    /// [`EditError::Unknown`]
    pub fn read(input: &Input, package: &str) -> Result<Self, EditError> {
        let all = (0..input.files.len()).collect();
        let mut found = Self::read_all(input, &all, &[package]);
        found.pop().unwrap_or_else(|| Err(EditError::unknown("package", package, Vec::new())))
    }

    /// The same for many packages, in their order, from some files, each of which is read once.
    pub(super) fn read_all(input: &Input, files: &BTreeSet<usize>, packages: &[&str]) -> Vec<Result<Self, EditError>> {
        let wanted: HashMap<&str, usize> = packages.iter().enumerate().map(|(at, it)| (*it, at)).collect();
        let mut found: Vec<Vec<Document>> = vec![Vec::new(); packages.len()];
        let mut known: BTreeSet<String> = BTreeSet::new();
        // Files have other numbers if only some of them are read.
        let numbers: Vec<u32> = files.iter().filter_map(|it| u32::try_from(*it).ok()).collect();
        let found_in = |document: fbc::Document<'_>| found_in(document, &wanted);
        fbc::load_each(&input.only(files), &found_in, |(name, of)| {
            tally::step(1);
            known.extend(name);
            if let Some((at, mut document)) = of {
                document.origin.file = numbers.get(document.origin.file as usize).copied().unwrap_or_default();
                found[at].push(*document);
            }
        });
        let of = |(package, documents): (&&str, Vec<Document>)| {
            if let Some(long) = documents.iter().find(|document| document.state == State::TooLong) {
                return Err(EditError::Document { file: long.name.clone(), error: fbc::EditError::TooLong });
            }
            if documents.is_empty() {
                let others = known.iter().filter(|it| it != package).cloned().collect();
                return Err(EditError::unknown("package", package, others));
            }
            let mut by_name: HashMap<String, Vec<usize>> = HashMap::with_capacity(documents.len());
            for (at, document) in documents.iter().enumerate() {
                by_name.entry(document.name.clone()).or_default().push(at);
            }
            Ok(Self { package: (*package).to_owned(), documents, by_name, added: Vec::new() })
        };
        packages.iter().zip(found).map(of).collect()
    }

    /// The documents of a schema that are there still.
    pub(super) fn of<'d>(&'d self, schema: &'d str) -> impl Iterator<Item = &'d Document> {
        self.documents.iter().filter(move |it| it.schema == schema && it.state != State::Gone)
    }

    /// The same, to be changed.
    pub(super) fn of_mut<'d, 's>(
        &'d mut self,
        schema: &'s str,
    ) -> impl Iterator<Item = &'d mut Document> + use<'d, 's> {
        self.documents.iter_mut().filter(move |it| it.schema == schema && it.state != State::Gone)
    }

    /// All that are there still, to be changed.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Document> {
        self.documents.iter_mut().filter(|it| it.state != State::Gone)
    }

    /// The one document of a schema and a name.
    pub(super) fn one(&mut self, schema: &str, what: &'static str, name: &str) -> Result<&mut Document, EditError> {
        let of_name = self.by_name.get(name).map_or(&[][..], Vec::as_slice).iter().copied();
        let is_it = |it: &usize| {
            tally::step(1);
            self.documents.get(*it).is_some_and(|it| it.schema == schema && it.state != State::Gone)
        };
        let mut found = of_name.filter(is_it);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(EditError::Twice(name.to_owned())),
            (Some(at), None) => Ok(&mut self.documents[at]),
            (None, _) => {
                let known: Vec<String> = self.of(schema).map(|it| it.name.clone()).collect();
                Err(match what {
                    "package" => EditError::unknown(what, name, known),
                    _ => EditError::unknown_in_package(&self.package, what, name, known),
                })
            }
        }
    }

    /// The document of a channel in the form of `render`.
    ///
    /// # Errors
    /// [`EditError`] if there is not exactly one, or it cannot be written in the format.
    pub fn channel_text(&mut self, channel: &str, format: Format) -> Result<Vec<u8>, EditError> {
        let document = self.one(super::target::CHANNEL, "channel", channel)?;
        let unreadable = || EditError::Document { file: channel.to_owned(), error: fbc::EditError::Unreadable };
        let (mut reader, text) = (Reader::new(), document.tree.compact());
        let value = reader.read(&text).map_err(|_| unreadable())?;
        let blob = fbc::blob::decode(value, false).map_err(|_| unreadable())?;
        let mut out = Vec::new();
        fbc::write_blob(&blob, format, &Expansion::default(), &mut out)?;
        Ok(out)
    }

    /// The numbers of the files that have some of them.
    pub fn files(&self) -> BTreeSet<usize> {
        self.documents.iter().map(|it| it.origin.file as usize).collect()
    }

    /// Adds a document, to the file with the last document of a schema, or else to that of the package.
    pub(super) fn add(&mut self, beside: &str, document: Tree) {
        let last = self.of(beside).last().or_else(|| self.of("olm.package").next()).or(self.documents.first());
        let file = last.map_or(0, |it| it.origin.file);
        self.added.push((file, document));
    }

    /// A new document of a schema and a name, to be changed.
    pub(super) fn added_mut(&mut self, schema: &str, name: &str) -> Option<&mut Tree> {
        let is_it = |it: &&mut Tree| it.text_of_field("schema") == schema && it.text_of_field("name") == name;
        self.added.iter_mut().map(|it| &mut it.1).find(is_it)
    }

    /// The changes of the files. `input` is the source that the documents were read from; the paths are those of the
    /// `original`.
    ///
    /// # Errors
    /// [`EditError`] if a file is none of the system's, cannot be read, or holds text that cannot be changed.
    pub fn file_edits(&self, input: &Input, original: &Input) -> Result<Vec<FileEdit>, EditError> {
        file_edits(&[self], input, original)
    }
}

/// The changes in a file.
#[derive(Default)]
struct Changed<'d> {
    /// Its changed documents, with the numbers of their packages.
    documents: Vec<(usize, &'d Document)>,
    added: Vec<(&'d Tree, Syntax)>,
}

/// The changes of the files that have documents of some packages, each of which is written once; as
/// [`PackageDocuments::file_edits`].
pub(super) fn file_edits(
    packages: &[&PackageDocuments],
    input: &Input,
    original: &Input,
) -> Result<Vec<FileEdit>, EditError> {
    let mut concerned: BTreeMap<u32, Changed<'_>> = BTreeMap::new();
    for (number, package) in packages.iter().enumerate() {
        let mut syntaxes: HashMap<u32, Syntax> = HashMap::new();
        for document in &package.documents {
            syntaxes.entry(document.origin.file).or_insert(document.origin.syntax);
            if document.state != State::Same {
                concerned.entry(document.origin.file).or_default().documents.push((number, document));
            }
        }
        for (file, document) in &package.added {
            let syntax = syntaxes.get(file).copied().unwrap_or(Syntax::Json);
            concerned.entry(*file).or_default().added.push((document, syntax));
        }
    }
    concerned.into_iter().map(|(file, changed)| file_edit(input, original, file, changed)).collect()
}

fn file_edit(input: &Input, original: &Input, number: u32, changed: Changed<'_>) -> Result<FileEdit, EditError> {
    let Changed { mut documents, added } = changed;
    let (Some(file), Some(named)) = (input.files.get(number as usize), original.files.get(number as usize)) else {
        return Err(EditError::NoFile(number.to_string()));
    };
    // A preview needs no files.
    let path = named.path().map_or_else(|| PathBuf::from(&named.shown), PathBuf::from);
    let failed = |error| EditError::Io { path: path.clone(), error };
    let whole = file.whole().map_err(failed)?;
    let before = std::str::from_utf8(&whole).map_err(|_| failed(std::io::Error::other("it is not UTF-8")))?.to_owned();
    documents.sort_by_key(|it| std::cmp::Reverse(it.1.origin.offset));
    // The last rewritten document of the first package that has one.
    let mut rewritten: Option<(usize, &'static str)> = None;
    let mut parts = Vec::with_capacity(documents.len());
    for (package, it) in documents {
        tally::step(1);
        // The removal of the document behind it may have taken the separating line along.
        let raw = splice::without_separator(&it.raw, it.origin.syntax);
        let new = match it.state {
            State::Gone => None,
            State::Same | State::Changed | State::TooLong => {
                let edited = fbc::edit_document(raw, it.origin.syntax, &it.tree.compact())
                    .map_err(|error| EditError::Document { file: file.shown.clone(), error })?;
                if rewritten.is_none_or(|it| package < it.0) {
                    rewritten = edited.rewritten.map(|why| (package, why)).or(rewritten);
                }
                Some(edited.text)
            }
        };
        let start = usize::try_from(it.origin.offset).unwrap_or(usize::MAX);
        parts.push(splice::Part { start, raw, syntax: it.origin.syntax, new });
    }
    let changed = || failed(std::io::Error::other("the file has changed in the meantime"));
    let mut after = splice::rewritten(&before, parts).ok_or_else(changed)?;
    for (document, syntax) in added {
        splice::append(&mut after, syntax, &text_of(document, syntax)?);
    }
    let rewritten = rewritten.map(|it| it.1);
    Ok(FileEdit { file: number as usize, path, before, after, rewritten, is_new: false })
}

/// The text of a document by itself.
fn text_of(document: &Tree, syntax: Syntax) -> Result<String, EditError> {
    let (mut out, mut reader, json) = (Vec::new(), Reader::new(), document.compact());
    // Every added document consists of texts that were read before.
    let Ok(value) = reader.read(&json) else { return Ok(json) };
    Expansion::default().charge_indentation(value.indentation(4), json.len()).map_err(fbc::WriteError::Expands)?;
    match syntax {
        Syntax::Json => json::write_pretty(value, 4, 0, &mut out),
        Syntax::Yaml => yaml::write(value, &mut out).map_err(fbc::WriteError::Unwritable)?,
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// The name of a package, and the document with the number of its package if that is among the wanted ones.
fn found_in(
    document: fbc::Document<'_>,
    wanted: &HashMap<&str, usize>,
) -> (Option<String>, Option<(usize, Box<Document>)>) {
    let Ok(blob) = document.blob else { return (None, None) };
    let field = |name: &str| blob.value.text_of_field(name);
    let (schema, name) = (field("schema"), field("name"));
    let is_package = schema == "olm.package";
    let package = if is_package { name.clone() } else { field("package") };
    let known = is_package.then(|| name.clone());
    let Some(at) = wanted.get(package.as_str()) else { return (known, None) };
    if document.raw.len() > MAX_DOCUMENT {
        let (origin, raw, tree, state) = (document.origin, Vec::new(), Tree::object(), State::TooLong);
        return (known, Some((*at, Box::new(Document { schema, name, origin, raw, tree, state }))));
    }
    let tree = if schema == BUNDLE { Tree::Raw(blob.value.compact()) } else { Tree::normal_of(blob.value) };
    let (origin, raw) = (document.origin, document.raw.to_vec());
    (known, Some((*at, Box::new(Document { schema, name, origin, raw, tree, state: State::Same }))))
}
