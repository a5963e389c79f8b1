//! The open documents at one moment: the subject of questions and of an analysis. A copy shares the texts.

use std::collections::BTreeMap;
use std::ops::Range as Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalog::{Key, OpenText, text_of};
use super::lines::{Encoding, Lines, Range};
use super::uri::uri_of;

/// The group of a document.
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
    /// The directory whose options apply.
    pub(super) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Catalog(root) | Self::Bundle(root) => Some(root),
            Self::Alone(key) | Self::Template(key) => key.path().and_then(Path::parent),
        }
    }
}

/// An open document.
#[derive(Debug, Clone)]
pub(super) struct Open {
    /// The client's address for it.
    pub(super) uri: String,
    pub(super) version: Option<i64>,
    pub(super) text: Arc<str>,
    pub(super) lines: Arc<Lines>,
    /// Changes with every change of the text.
    pub(super) serial: u64,
    pub(super) group: Option<Group>,
}

/// All open documents.
#[derive(Debug, Clone, Default)]
pub(super) struct Documents {
    pub(super) open: BTreeMap<Key, Arc<Open>>,
    pub(super) encoding: Encoding,
}

impl Documents {
    /// Whether any open document belongs to a group.
    pub(super) fn is_used(&self, group: &Group) -> bool {
        self.open.values().any(|it| it.group.as_ref() == Some(group))
    }

    /// The open documents of a group.
    pub(super) fn texts_of(&self, group: &Group) -> BTreeMap<Key, OpenText> {
        self.texts(|key, it| match (group, &it.group) {
            // A catalog also contains the documents below its directory.
            (Group::Catalog(root), Some(Group::Catalog(_))) => key.path().is_some_and(|it| it.starts_with(root)),
            (_, of) => of.as_ref() == Some(group),
        })
    }

    /// The open documents that are wanted.
    pub(super) fn texts(&self, is_wanted: impl Fn(&Key, &Open) -> bool) -> BTreeMap<Key, OpenText> {
        let open = self.open.iter().filter(|(key, it)| is_wanted(key, it));
        open.map(|(key, it)| (key.clone(), OpenText { text: Arc::clone(&it.text), serial: it.serial })).collect()
    }

    /// The group that reports on a document: its own if it is open, or else the innermost catalog.
    pub(super) fn owner(&self, key: &Key) -> Option<&Group> {
        if let Some(document) = self.open.get(key) {
            return document.group.as_ref();
        }
        let holds = |group: &&Group| match group {
            Group::Catalog(root) => key.path().is_some_and(|it| it.starts_with(root)),
            _ => false,
        };
        let groups = self.open.values().filter_map(|it| it.group.as_ref());
        groups.filter(holds).max_by_key(|it| it.directory().map(|it| it.components().count()))
    }

    /// The address of a document.
    pub(super) fn uri(&self, key: &Key) -> String {
        match (self.open.get(key), key) {
            (Some(it), _) => it.uri.clone(),
            (None, Key::File(path)) => uri_of(path),
            (None, Key::Address(address)) => address.clone(),
        }
    }

    /// Ranges of a document that are given in bytes, in the units of the protocol. The text is read if the document is
    /// not open.
    pub(super) fn ranges(&self, key: &Key, bytes: &[Bytes<usize>]) -> Vec<Range> {
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
fn clamped(text: &str, bytes: &Bytes<usize>) -> Bytes<usize> {
    let start = bytes.start.min(text.len());
    start..bytes.end.min(text.len()).max(start)
}
