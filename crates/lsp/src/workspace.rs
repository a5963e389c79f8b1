//! The open documents, their groups, and the analysis of these: catalogs, templates, bundles.
//!
//! Each change has a number. A report of an analysis carries the number of the last change that it includes, which
//! shows whether it is about the present texts.
//!
//! This module speaks no protocol, writes no file, and analyses nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::analyst::{AnalysisDepth, Job, LISTED_FOR};
use super::bundles::Bundles;
use super::catalog::{Catalog, Key};
use super::documents::{Documents, Group, Open};
use super::kind::{Kind, kind_of};
use super::lines::Lines;
use super::protocol::ContentChange;
use super::report::Names;
use super::uri::path_of;

/// The largest document that is kept.
const MAX_DOCUMENT: usize = 64 << 20;

/// The number of bytes that all open documents may have together.
const MAX_OPEN: usize = 256 << 20;

/// The number of documents that may be open.
const MAX_DOCUMENTS: usize = 2_000;

/// The delay of a document's analysis behind its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is of the texts as they are.
    Current,
    /// It is of older ones.
    Behind,
    /// There is no analysis yet.
    Unknown,
}

/// The reasons why a document is not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum OpenError {
    #[error("{0} is larger than 64 MiB: olmdex does not read it")]
    Large(String),
    #[error("more than 256 MiB, or 2,000 documents, are open: olmdex does not read {0}")]
    Many(String),
}

/// The open documents, and the reports about them.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) documents: Documents,
    /// The directories that the editor has open.
    pub(super) roots: Vec<PathBuf>,
    /// The names of groups, from the last report of an analysis.
    known: BTreeMap<Group, Names>,
    /// The number of the last change of each group.
    changed: BTreeMap<Group, u64>,
    /// The groups that have to be analysed.
    dirty: BTreeMap<Group, AnalysisDepth>,
    are_files_new: bool,
    are_listings_old: bool,
    serial: u64,
}

/// The key of a document.
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
        let n_bytes: usize = self.documents.open.values().map(|it| it.text.len()).sum();
        if text.len() > MAX_DOCUMENT {
            return Err(OpenError::Large(key.shown()));
        }
        if n_bytes + text.len() > MAX_OPEN || self.documents.open.len() >= MAX_DOCUMENTS {
            return Err(OpenError::Many(key.shown()));
        }
        self.serial += 1;
        let document = Open {
            uri: uri.to_owned(),
            version,
            text: Arc::from(text),
            lines: Arc::new(Lines::new(text)),
            serial: self.serial,
            group: None,
        };
        self.documents.open.insert(key.clone(), Arc::new(document));
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
        let (serial, encoding) = (self.serial, self.documents.encoding);
        let Some(document) = self.documents.open.get_mut(&key) else { return Ok(()) };
        let document = Arc::make_mut(document);
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
            document.lines = Arc::new(Lines::new(&text));
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

    /// Finds the group of a document anew.
    fn look_again(&mut self, key: &Key) {
        let Some(document) = self.documents.open.get(key) else { return };
        let group = match kind_of(key.path(), &document.text) {
            Kind::Bundle(directory) => Some(Group::Bundle(directory)),
            Kind::Template => Some(Group::Template(key.clone())),
            Kind::Catalog => Some(match Catalog::root_of(key, &self.roots) {
                Some(root) => Group::Catalog(root),
                None => Group::Alone(key.clone()),
            }),
            // A document that was ours stays ours while it is written.
            Kind::Foreign => document.group.clone(),
        };
        let before = document.group.clone();
        if let Some(document) = self.documents.open.get_mut(key).filter(|it| it.group != group) {
            Arc::make_mut(document).group.clone_from(&group);
        }
        for group in before.into_iter().chain(group) {
            self.want(group, AnalysisDepth::Findings);
        }
        self.touch(key);
    }

    /// Requests the analysis of a group.
    fn want(&mut self, group: Group, depth: AnalysisDepth) {
        self.serial += 1;
        self.changed.insert(group.clone(), self.serial);
        let it = self.dirty.entry(group).or_insert(depth);
        *it = depth.max(*it);
    }

    /// Takes note that a document has changed.
    fn touch(&mut self, key: &Key) {
        let own = self.documents.open.get(key).and_then(|it| it.group.clone());
        let holds = |group: &&Group| match (group, key.path()) {
            (Group::Catalog(root), Some(path)) => path.starts_with(root),
            _ => false,
        };
        let of_open = self.documents.open.values().filter_map(|it| it.group.as_ref());
        let groups: BTreeSet<Group> = of_open.chain(self.known.keys()).filter(holds).cloned().chain(own).collect();
        for group in groups {
            self.want(group, AnalysisDepth::Findings);
        }
    }

    /// Takes note that a document is closed.
    pub(super) fn close(&mut self, key: &Key) {
        self.touch(key);
        self.documents.open.remove(key);
        self.are_listings_old = true;
    }

    /// Takes note that files may have changed, `options` among them.
    pub(super) fn files_changed(&mut self, options: bool) {
        self.are_listings_old = true;
        self.are_files_new |= options;
        let keys: Vec<Key> = self.documents.open.keys().cloned().collect();
        for key in keys {
            // The directory of a catalog stays its directory while one of its documents is open.
            match self.documents.open.get(&key).and_then(|it| it.group.as_ref()) {
                Some(Group::Catalog(_)) => self.touch(&key),
                _ => self.look_again(&key),
            }
        }
    }

    pub(super) fn is_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// The work that has to be done, handed out once.
    pub(super) fn take_job(&mut self) -> Job {
        Job {
            number: self.serial,
            documents: self.documents.clone(),
            groups: std::mem::take(&mut self.dirty),
            are_files_new: std::mem::take(&mut self.are_files_new),
            are_listings_old: std::mem::take(&mut self.are_listings_old),
        }
    }

    /// Takes the reports of an analysis. A report about a group without open documents is ignored.
    pub(super) fn learn(&mut self, names: Vec<Names>) {
        for it in names {
            self.known.insert(it.group.clone(), it);
        }
        let is_used = |group: &Group| self.documents.is_used(group);
        self.known.retain(|group, _| is_used(group));
        self.changed.retain(|group, _| is_used(group));
    }

    /// Whether an answer about a document would be about its present text. The names of a directory that was not listed
    /// for a while are looked up again.
    pub(super) fn standing(&mut self, key: &Key) -> Standing {
        let Some(group) = self.documents.open.get(key).and_then(|it| it.group.clone()) else {
            return Standing::Current;
        };
        if matches!(group, Group::Bundle(_)) {
            return Standing::Current;
        }
        let known = self.known.get(&group);
        if known.is_some_and(|it| it.listed.elapsed() > LISTED_FOR) && self.is_current(&group) {
            self.want(group.clone(), AnalysisDepth::Names);
        }
        if self.is_current(&group) {
            Standing::Current
        } else if self.known.get(&group).is_some_and(|it| it.catalog.has_open(key)) {
            Standing::Behind
        } else {
            Standing::Unknown
        }
    }

    fn is_current(&self, group: &Group) -> bool {
        let changed = self.changed.get(group).copied().unwrap_or_default();
        self.known.get(group).is_some_and(|it| it.number >= changed)
    }

    /// The known catalog of a document: parts that have changed since then have no places.
    pub(super) fn catalog(&mut self, key: &Key) -> Option<&Catalog> {
        let group = self.documents.open.get(key)?.group.clone()?;
        if matches!(group, Group::Bundle(_)) {
            return None;
        }
        let texts = self.documents.texts_of(&group);
        let catalog = &mut self.known.get_mut(&group)?.catalog;
        if !catalog.is_of(&texts) {
            Arc::make_mut(catalog).follow(&texts);
        }
        Some(catalog)
    }

    /// The bundles beside the one that a document belongs to, with the document's path and text; `None` if it belongs
    /// to none.
    pub(super) fn bundles(&self, key: &Key) -> Option<(Bundles, PathBuf, Arc<str>)> {
        let document = self.documents.open.get(key)?;
        let Some(Group::Bundle(directory)) = &document.group else { return None };
        let is_near = |it: &Key| it.path().zip(directory.parent()).is_some_and(|(path, all)| path.starts_with(all));
        let open = self.documents.texts(|key, _| is_near(key));
        Some((Bundles::read(directory, &open), key.path()?.to_owned(), Arc::clone(&document.text)))
    }
}
