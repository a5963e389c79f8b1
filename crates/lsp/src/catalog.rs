//! A catalog as the editor has it: the files of a directory, with the texts of open documents in place of those on the
//! disk.
//!
//! A document that cannot be read while it is being written keeps its earlier names: those of the last text that could
//! be read, at the places where they are now.
//!
//! This module writes nothing, and keeps no text of a file that is not open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::analysis::{FileDocument, documents};
use super::folder::{Listing, list, root_of};
use super::kind::{Kind, kind_of};
use super::symbols::{Deprecated, Mention, RangeText, TypeText};
use olmdex_base::file::read_regular_of;
use olmdex_fbc::Stamp;
use olmdex_text::json::decode_utf8;
use olmdex_text::yaml::utf16_text;

/// The largest file that is read.
pub(super) const MAX_FILE: u64 = 256 << 20;

/// The key of a document: its file, or its address if it is in no file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    File(PathBuf),
    Address(String),
}

impl Key {
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Address(_) => None,
        }
    }

    /// The name in findings.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::File(path) => path.to_string_lossy().into_owned(),
            Self::Address(address) => address.clone(),
        }
    }
}

/// The origin of a text that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Open(u64),
    Disk(Stamp),
}

/// The analysis of the last moment when all documents of a file could be read, with its text if it was open.
#[derive(Debug, Clone)]
struct Good {
    documents: Vec<FileDocument>,
    text: Arc<str>,
}

/// A file of the catalog.
#[derive(Debug, Clone)]
pub(super) struct CatalogFile {
    version: Version,
    pub(super) documents: Vec<FileDocument>,
    good: Option<Good>,
    /// The text that `documents` were read from, if the file is open.
    text: Option<Arc<str>>,
    /// The number of bytes at its start and at its end that the text has in common with that of `good`.
    common: (usize, usize),
    /// The length of the text.
    len: usize,
}

impl CatalogFile {
    /// Whether it is the version of this open text, or of the file on the disk.
    fn is_of(&self, open: Option<&OpenText>) -> bool {
        match (self.version, open) {
            (Version::Open(serial), Some(it)) => serial == it.serial,
            (Version::Disk(_), None) => true,
            (Version::Open(_), None) | (Version::Disk(_), Some(_)) => false,
        }
    }

    fn is_readable(&self) -> bool {
        self.documents.iter().all(|it| it.analysis.is_readable)
    }

    /// The documents that names are taken from.
    pub(super) fn named(&self) -> &[FileDocument] {
        self.good.as_ref().map_or(&self.documents, |it| &it.documents)
    }

    /// The present offset of a byte of the text that names are taken from.
    pub(super) fn now(&self, offset: usize) -> usize {
        let Some(good) = &self.good else { return offset };
        let (start, end) = self.common;
        if offset <= start {
            offset
        } else if offset >= good.text.len() - end {
            offset + self.len - good.text.len()
        } else {
            start.max(self.len - end).min(self.len)
        }
    }

    /// Whether bytes of the text that names are taken from are unchanged in the present text, with the bytes next to
    /// them.
    fn is_kept(&self, bytes: &std::ops::Range<usize>) -> bool {
        let Some(good) = &self.good else { return true };
        let (start, end) = self.common;
        let is_whole = start == good.text.len() && start == self.len;
        is_whole || bytes.end < start || bytes.start > good.text.len() - end
    }

    /// Notes that the text has changed and was not read yet: names stay, at their places in the new text.
    fn follow(&mut self, open: &OpenText) {
        if self.good.is_none() {
            let text = self.text.clone().unwrap_or_default();
            self.good = Some(Good { documents: self.documents.clone(), text });
        }
        self.common = self.good.as_ref().map_or((0, 0), |good| common(&good.text, &open.text));
        self.len = open.text.len();
        self.version = Version::Open(open.serial);
    }
}

/// A name at its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'c> {
    pub(super) key: &'c Key,
    pub(super) mention: &'c Mention,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it is still there: a part that was changed since it was read may have been the name.
    pub(super) is_kept: bool,
}

/// An open document, as the catalog needs it.
#[derive(Debug, Clone)]
pub(super) struct OpenText {
    pub(super) text: Arc<str>,
    /// Changes with every change of the text.
    pub(super) serial: u64,
}

/// A catalog. A clone shares its files.
#[derive(Debug, Clone)]
pub(super) struct Catalog {
    /// Its directory; none if it is one document that is in no file.
    pub(super) root: Option<PathBuf>,
    listing: Arc<Listing>,
    pub(super) files: BTreeMap<Key, Arc<CatalogFile>>,
}

impl Catalog {
    /// The catalog that a document belongs to.
    pub(super) fn root_of(key: &Key, workspace: &[PathBuf]) -> Option<PathBuf> {
        key.path().and_then(|it| root_of(it, workspace))
    }

    pub(super) fn new(root: Option<PathBuf>) -> Self {
        Self { root, listing: Arc::default(), files: BTreeMap::new() }
    }

    /// Whether there are more files than the limit.
    pub(super) fn is_too_large(&self) -> bool {
        self.listing.is_too_large
    }

    /// Looks at the directory again.
    pub(super) fn list(&mut self) {
        if let Some(root) = &self.root {
            self.listing = Arc::new(list(root));
        }
    }

    /// Reads the changes. `open` are the open documents that belong to it.
    pub(super) fn refresh(&mut self, open: &BTreeMap<Key, OpenText>) {
        let on_disk = self.listing.files.keys().map(|it| Key::File(it.clone()));
        let wanted: std::collections::BTreeSet<Key> = on_disk.chain(open.keys().cloned()).collect();
        self.files.retain(|key, _| wanted.contains(key));
        for key in wanted {
            match open.get(&key) {
                Some(it) => self.read_open(key, it),
                None => self.read_file(key),
            }
        }
    }

    /// Whether the text of a document is known, older or not.
    pub(super) fn has_open(&self, key: &Key) -> bool {
        self.files.get(key).is_some_and(|it| matches!(it.version, Version::Open(_)))
    }

    /// Whether the texts of open documents are those that were read or [followed](Self::follow).
    pub(super) fn is_of(&self, open: &BTreeMap<Key, OpenText>) -> bool {
        self.files.iter().all(|(key, it)| it.is_of(open.get(key)))
    }

    /// Notes texts that were not read yet. A file that was opened or closed since is left out: the places in it are
    /// only known after reading it.
    pub(super) fn follow(&mut self, open: &BTreeMap<Key, OpenText>) {
        self.files.retain(|key, file| {
            let text = open.get(key);
            if file.is_of(text) {
                return true;
            }
            match (file.version, text) {
                (Version::Open(_), Some(text)) => {
                    Arc::make_mut(file).follow(text);
                    true
                }
                _ => false,
            }
        });
    }

    fn read_open(&mut self, key: Key, open: &OpenText) {
        let version = Version::Open(open.serial);
        let before = self.files.remove(&key);
        if before.as_ref().is_some_and(|it| it.version == version) {
            self.files.extend(before.map(|it| (key, it)));
            return;
        }
        let known = before.as_ref().map_or(&[][..], |it| &it.documents);
        let text: Arc<[u8]> = Arc::from(Arc::clone(&open.text));
        let mut file = CatalogFile {
            version,
            documents: documents(text, known),
            good: None,
            text: Some(Arc::clone(&open.text)),
            common: (0, 0),
            len: open.text.len(),
        };
        if file.is_readable() {
            file.good = Some(Good { documents: file.documents.clone(), text: Arc::clone(&open.text) });
            file.common = (open.text.len(), 0);
        } else if let Some(good) = before.and_then(|it| it.good.clone()) {
            file.common = common(&good.text, &open.text);
            file.good = Some(good);
        }
        self.files.insert(key, Arc::new(file));
    }

    fn read_file(&mut self, key: Key) {
        let Some(stamp) = key.path().and_then(|it| self.listing.files.get(it)).copied() else { return };
        let version = Version::Disk(stamp);
        if self.files.get(&key).is_some_and(|it| it.version == version) {
            return;
        }
        let before = self.files.remove(&key);
        let before = before.as_ref().map_or(&[][..], |it| &it.documents);
        // A file that cannot be read counts as absent; `validate` reports the error.
        let Some(text) = key.path().and_then(text_of) else { return };
        let documents = match kind_of(key.path(), &text) {
            Kind::Catalog => documents(Arc::from(text.as_bytes()), before),
            _ => Vec::new(),
        };
        let file = CatalogFile { version, documents, good: None, text: None, common: (0, 0), len: text.len() };
        self.files.insert(key, Arc::new(file));
    }

    /// The first file with a document that cannot be read; without one, every name is known.
    pub(super) fn unreadable(&self) -> Option<&Key> {
        self.files.iter().find(|(_, it)| !it.is_readable()).map(|it| it.0)
    }

    /// All names, in the order of files and documents.
    pub(super) fn names(&self) -> impl Iterator<Item = Named<'_>> {
        self.file_documents().flat_map(|(key, file, document)| {
            document.analysis.mentions.names.iter().map(move |mention| {
                let (start, end) = (document.offset() + mention.span.start, document.offset() + mention.span.end);
                let is_kept = file.is_kept(&(start..end));
                Named { key, mention, start: file.now(start), end: file.now(end), is_kept }
            })
        })
    }

    /// The documents that names are taken from, with their files.
    pub(super) fn file_documents(&self) -> impl Iterator<Item = (&Key, &CatalogFile, &FileDocument)> {
        self.files.iter().flat_map(|(key, file)| file.named().iter().map(move |it| (key, &**file, it)))
    }

    /// The deprecation of an item.
    pub(super) fn deprecated(&self, package: &str, schema: &str, name: &str) -> Option<&Deprecated> {
        let mut all = self.file_documents().flat_map(|it| &it.2.analysis.mentions.deprecated);
        all.find(|it| it.package == package && it.schema == schema && it.name == name)
    }

    /// The name at a byte of a document.
    pub(super) fn name_at(&self, key: &Key, offset: usize) -> Option<Named<'_>> {
        self.names().find(|it| it.key == key && it.is_kept && (it.start..=it.end).contains(&offset))
    }

    /// The range of versions at a byte of a document, with its bytes.
    pub(super) fn range_at(&self, key: &Key, offset: usize) -> Option<(&RangeText, std::ops::Range<usize>)> {
        self.part_at(key, offset, |it| it.analysis.mentions.ranges.iter().map(|it| (it, it.span.clone())).collect())
    }

    /// The type of a property at a byte of a document, with its bytes.
    pub(super) fn type_at(&self, key: &Key, offset: usize) -> Option<(&TypeText, std::ops::Range<usize>)> {
        self.part_at(key, offset, |it| it.analysis.mentions.types.iter().map(|it| (it, it.span.clone())).collect())
    }

    fn part_at<'c, T>(
        &'c self,
        key: &Key,
        offset: usize,
        parts: impl Fn(&'c FileDocument) -> Vec<(&'c T, std::ops::Range<usize>)>,
    ) -> Option<(&'c T, std::ops::Range<usize>)> {
        let file = self.files.get(key)?;
        let at = |document: &'c FileDocument| {
            let start = document.offset();
            parts(document).into_iter().find_map(|(it, span)| {
                let is_kept = file.is_kept(&(start + span.start..start + span.end));
                let bytes = file.now(start + span.start)..file.now(start + span.end);
                (is_kept && (bytes.start..=bytes.end).contains(&offset)).then_some((it, bytes))
            })
        };
        file.named().iter().find_map(at)
    }
}

/// The text of a file, if it can be read.
pub(super) fn text_of(path: &Path) -> Option<String> {
    let bytes = read_regular_of(path, MAX_FILE).ok()?;
    Some(utf16_text(&bytes).unwrap_or_else(|| decode_utf8(&bytes).into_owned()))
}

/// The number of bytes that two texts have in common at their starts, and behind that at their ends.
fn common(old: &str, new: &str) -> (usize, usize) {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let left = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take(left).take_while(|(a, b)| a == b).count();
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key::Address("untitled:a".to_owned())
    }

    fn with(catalog: &mut Catalog, text: &str, serial: u64) {
        catalog.refresh(&BTreeMap::from([(key(), OpenText { text: Arc::from(text), serial })]));
    }

    #[test]
    fn names_stay_where_they_are_while_a_document_is_written() {
        let text = "schema: olm.package\nname: till\n---\nschema: olm.channel\npackage: till\nname: stable\nentries:\n- name: till.v1\n";
        let mut catalog = Catalog::new(None);
        with(&mut catalog, text, 1);
        let shown = |catalog: &Catalog, text: &str| -> Vec<String> {
            catalog.names().map(|it| text[it.start..it.end].to_owned()).collect()
        };
        let names = ["till", "till", "stable", "till.v1"];
        assert_eq!(shown(&catalog, text), names);
        // Neither a key nor a value yet, in front of other names.
        let typed = text.replace("package: till\n", "package: till\nna:: [\n");
        with(&mut catalog, &typed, 2);
        assert!(catalog.unreadable().is_some());
        assert_eq!(shown(&catalog, &typed), names);
        with(&mut catalog, text, 3);
        assert!(catalog.unreadable().is_none());
        assert_eq!(shown(&catalog, text), names);
        with(&mut catalog, "x: [", 4);
        assert!(catalog.names().all(|it| it.start <= 4 && it.end <= 4));
    }
}
