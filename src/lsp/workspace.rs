//! The open documents, and what they belong to: catalogs, templates, bundles.
//!
//! What it deliberately does not do: it speaks no protocol, and writes no file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::bundles::Bundles;
use super::catalog::{Catalog, Key, OpenText, text_of};
use super::choosing::Besides;
use super::findings::{self, Found};
use super::kind::{Kind, kind_of};
use super::lines::{Encoding, Lines, Range};
use super::protocol::ContentChange;
use super::uri::{path_of, uri_of};

/// The largest document that is kept.
const MAX_DOCUMENT: usize = 64 << 20;

/// How many bytes all open documents may have together.
const MAX_OPEN: usize = 256 << 20;

/// How many documents may be open.
const MAX_DOCUMENTS: usize = 2_000;

/// How long a directory is taken to have the files that it had.
const LISTED_FOR: Duration = Duration::from_secs(2);

/// What a document belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    /// The catalog below a directory.
    Catalog(PathBuf),
    /// A catalog that is one document, in no file.
    Alone(Key),
    Template(Key),
    Bundle(PathBuf),
}

impl Group {
    /// The directory whose options count.
    pub(super) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Catalog(root) | Self::Bundle(root) => Some(root),
            Self::Alone(key) | Self::Template(key) => key.path().and_then(Path::parent),
        }
    }
}

/// An open document.
#[derive(Debug)]
pub(super) struct Open {
    /// As the client calls it.
    pub(super) uri: String,
    pub(super) version: Option<i64>,
    pub(super) text: Arc<str>,
    pub(super) lines: Lines,
    serial: u64,
    pub(super) group: Option<Group>,
}

/// A catalog, and when its directory was looked at.
#[derive(Debug)]
struct Listed {
    catalog: Catalog,
    listed: Option<Instant>,
}

/// Why a document is not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum OpenError {
    #[error("{0} is larger than 64 MiB: olmdex does not look at it")]
    Large(String),
    #[error("more than 256 MiB, or 2,000 documents, are open: olmdex does not look at {0}")]
    Many(String),
}

/// The open documents.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) open: BTreeMap<Key, Open>,
    /// The directories that the editor has open.
    pub(super) roots: Vec<PathBuf>,
    pub(super) encoding: Encoding,
    catalogs: BTreeMap<Group, Listed>,
    /// What has changed since it was checked last.
    dirty: BTreeSet<Group>,
    serial: u64,
}

/// What a document is known by.
pub(super) fn key_of(uri: &str) -> Key {
    path_of(uri).map_or_else(|| Key::Address(uri.to_owned()), Key::File)
}

impl Workspace {
    /// Takes a document that was opened.
    ///
    /// # Errors
    /// [`OpenError`]
    pub(super) fn open(&mut self, uri: &str, version: Option<i64>, text: &str) -> Result<(), OpenError> {
        let key = key_of(uri);
        self.close(&key);
        let n_bytes: usize = self.open.values().map(|it| it.text.len()).sum();
        if text.len() > MAX_DOCUMENT {
            return Err(OpenError::Large(key.shown()));
        }
        if n_bytes + text.len() > MAX_OPEN || self.open.len() >= MAX_DOCUMENTS {
            return Err(OpenError::Many(key.shown()));
        }
        self.serial += 1;
        let document = Open {
            uri: uri.to_owned(),
            version,
            text: Arc::from(text),
            lines: Lines::new(text),
            serial: self.serial,
            group: None,
        };
        self.open.insert(key.clone(), document);
        self.look_again(&key);
        Ok(())
    }

    /// Changes the text of a document.
    ///
    /// # Errors
    /// [`OpenError`] if the document has become too large; then it is not open any more.
    pub(super) fn change(
        &mut self,
        uri: &str,
        version: Option<i64>,
        changes: Vec<ContentChange>,
    ) -> Result<(), OpenError> {
        let key = key_of(uri);
        self.serial += 1;
        let (serial, encoding) = (self.serial, self.encoding);
        let Some(document) = self.open.get_mut(&key) else { return Ok(()) };
        for change in changes {
            let text = match change.range {
                None => change.text,
                Some(range) => {
                    let start = document.lines.offset(&document.text, range.start, encoding);
                    let end = document.lines.offset(&document.text, range.end, encoding).max(start);
                    [&document.text[..start], &change.text, &document.text[end..]].concat()
                }
            };
            if text.len() > MAX_DOCUMENT {
                self.close(&key);
                return Err(OpenError::Large(key.shown()));
            }
            document.lines = Lines::new(&text);
            document.text = Arc::from(text);
        }
        document.version = version;
        document.serial = serial;
        if document.group.is_none() || matches!(document.group, Some(Group::Template(_) | Group::Alone(_))) {
            self.look_again(&key);
        } else {
            self.touch(&key);
        }
        Ok(())
    }

    /// Finds out anew what a document belongs to.
    fn look_again(&mut self, key: &Key) {
        let Some(document) = self.open.get(key) else { return };
        let group = match kind_of(key.path(), &document.text) {
            Kind::Bundle(directory) => Some(Group::Bundle(directory)),
            Kind::Template => Some(Group::Template(key.clone())),
            Kind::Catalog => Some(match Catalog::root_of(key, &self.roots) {
                Some(root) => Group::Catalog(root),
                None => Group::Alone(key.clone()),
            }),
            // What was ours stays ours while it is written.
            Kind::Foreign => document.group.clone(),
        };
        let before = document.group.clone();
        if let Some(document) = self.open.get_mut(key) {
            document.group.clone_from(&group);
        }
        self.dirty.extend(before.into_iter().chain(group));
        self.touch(key);
    }

    /// Takes note that a document has changed.
    fn touch(&mut self, key: &Key) {
        let groups: Vec<Group> = self.open.get(key).and_then(|it| it.group.clone()).into_iter().collect();
        self.dirty.extend(groups);
        let path = key.path().map(Path::to_owned);
        for group in self.catalogs.keys() {
            if let (Group::Catalog(root), Some(path)) = (group, &path)
                && path.starts_with(root)
            {
                self.dirty.insert(group.clone());
            }
        }
    }

    /// Takes note that a document is closed.
    pub(super) fn close(&mut self, key: &Key) {
        self.touch(key);
        self.open.remove(key);
        for it in self.catalogs.values_mut() {
            it.listed = None;
        }
    }

    /// Takes note that files may have changed.
    pub(super) fn files_changed(&mut self) {
        for it in self.catalogs.values_mut() {
            it.listed = None;
        }
        let keys: Vec<Key> = self.open.keys().cloned().collect();
        for key in keys {
            // The directory of a catalog stays that while a document of it is open.
            match self.open.get(&key).and_then(|it| it.group.as_ref()) {
                Some(Group::Catalog(_)) => self.touch(&key),
                _ => self.look_again(&key),
            }
        }
    }

    pub(super) fn is_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// What has changed since it was asked last.
    pub(super) fn take_dirty(&mut self) -> BTreeSet<Group> {
        std::mem::take(&mut self.dirty)
    }

    /// Whether any open document belongs to a group.
    pub(super) fn is_used(&self, group: &Group) -> bool {
        self.open.values().any(|it| it.group.as_ref() == Some(group))
    }

    /// Forgets a group to which no open document belongs.
    pub(super) fn forget(&mut self, group: &Group) {
        self.catalogs.remove(group);
    }

    /// The open documents of a group.
    fn texts_of(&self, group: &Group) -> BTreeMap<Key, OpenText> {
        let is_part = |key: &Key, it: &Open| match (group, &it.group) {
            // A catalog has what lies below it, too.
            (Group::Catalog(root), Some(Group::Catalog(_))) => key.path().is_some_and(|it| it.starts_with(root)),
            (_, of) => of.as_ref() == Some(group),
        };
        let open = self.open.iter().filter(|(key, it)| is_part(key, it));
        open.map(|(key, it)| (key.clone(), OpenText { text: Arc::clone(&it.text), serial: it.serial })).collect()
    }

    /// The catalog that a document belongs to, as it is now.
    pub(super) fn catalog(&mut self, key: &Key) -> Option<&Catalog> {
        let group = self.open.get(key)?.group.clone()?;
        if matches!(group, Group::Bundle(_)) {
            return None;
        }
        let texts = self.texts_of(&group);
        Some(&*self.refreshed(&group, &texts))
    }

    fn refreshed(&mut self, group: &Group, texts: &BTreeMap<Key, OpenText>) -> &mut Catalog {
        let root = match group {
            Group::Catalog(root) => Some(root.clone()),
            _ => None,
        };
        let new = || Listed { catalog: Catalog::new(root), listed: None };
        let it = self.catalogs.entry(group.clone()).or_insert_with(new);
        if it.listed.is_none_or(|listed| listed.elapsed() > LISTED_FOR) {
            it.catalog.list();
            it.listed = Some(Instant::now());
        }
        it.catalog.refresh(texts);
        &mut it.catalog
    }

    /// The bundles beside the one that a document belongs to, with the document's path and text; `None` if it belongs to none.
    pub(super) fn bundles(&self, key: &Key) -> Option<(Bundles, PathBuf, Arc<str>)> {
        let document = self.open.get(key)?;
        let Some(Group::Bundle(directory)) = &document.group else { return None };
        let is_near = |it: &Key| it.path().zip(directory.parent()).is_some_and(|(path, all)| path.starts_with(all));
        let open = self.open.iter().filter(|(key, _)| is_near(key));
        let open: BTreeMap<Key, OpenText> =
            open.map(|(key, it)| (key.clone(), OpenText { text: Arc::clone(&it.text), serial: it.serial })).collect();
        Some((Bundles::read(directory, &open), key.path()?.to_owned(), Arc::clone(&document.text)))
    }

    /// What is wrong with a group, and whether its directory has too many files to look at. Only of documents that belong to it.
    pub(super) fn findings(&mut self, group: &Group, besides: &Besides) -> (Found, bool) {
        let texts = self.texts_of(group);
        let (mut found, is_too_large) = match group {
            Group::Bundle(directory) => (findings::of_bundle(directory, &texts, &besides.validators), false),
            Group::Template(key) => match texts.get(key) {
                Some(it) => (findings::of_template(key, &it.text), false),
                None => (Found::new(), false),
            },
            Group::Catalog(_) | Group::Alone(_) => {
                let catalog = self.refreshed(group, &texts);
                (findings::of_catalog(catalog, &texts, &besides.practices), catalog.is_too_large())
            }
        };
        found.retain(|key, _| self.owner(key).is_none_or(|it| it == group));
        (found, is_too_large)
    }

    /// The group that speaks of a document: its own if it is open, else the innermost catalog.
    fn owner(&self, key: &Key) -> Option<&Group> {
        if let Some(document) = self.open.get(key) {
            return document.group.as_ref();
        }
        let holds = |group: &&Group| match group {
            Group::Catalog(root) => key.path().is_some_and(|it| it.starts_with(root)) && self.is_used(group),
            _ => false,
        };
        self.catalogs.keys().filter(holds).max_by_key(|it| it.directory().map(|it| it.components().count()))
    }

    /// The address of a document.
    pub(super) fn uri(&self, key: &Key) -> String {
        match (self.open.get(key), key) {
            (Some(it), _) => it.uri.clone(),
            (None, Key::File(path)) => uri_of(path),
            (None, Key::Address(address)) => address.clone(),
        }
    }

    /// Ranges of a document that are given in bytes, in the units of the protocol. The text is read if the document is not open.
    pub(super) fn ranges(&self, key: &Key, bytes: &[std::ops::Range<usize>]) -> Vec<Range> {
        self.with_text(key, |text, lines| {
            bytes.iter().map(|it| lines.range(text, clamped(text, it), self.encoding)).collect()
        })
    }

    /// Does something with the text of a document.
    pub(super) fn with_text<T>(&self, key: &Key, work: impl FnOnce(&str, &Lines) -> T) -> T {
        if let Some(document) = self.open.get(key) {
            return work(&document.text, &document.lines);
        }
        let text = key.path().and_then(text_of).unwrap_or_default();
        work(&text, &Lines::new(&text))
    }
}

/// A file may have changed since its places were found.
fn clamped(text: &str, bytes: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let start = bytes.start.min(text.len());
    start..bytes.end.min(text.len()).max(start)
}
