//! The analysis of each document of a file. A document that has not changed is not read again, wherever it is now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::symbols::Mentions;
use super::tree::Tree;
use olmdex_fbc::{self as fbc, Consumer, Defect, DefectKind, Document, Input, Located, Origin, Spot, Syntax};
use olmdex_rules::check::practice::{PracticeFacts, practice_facts};
use olmdex_rules::check::{Facts, Inspected, inspect};
use olmdex_text::yaml::Position;

/// The digest of a document's text.
type Key = [u8; 32];

/// The analysis of a document. Places count from its start.
#[derive(Debug)]
pub(super) struct Analysis {
    key: Key,
    pub(super) inspected: Inspected,
    /// The facts that the rules of good practice look at.
    pub(super) practice: PracticeFacts,
    pub(super) mentions: Mentions,
    /// Whether it could be read at all.
    pub(super) is_readable: bool,
    /// The places of the entries of a channel, as [`fbc::layout_of`] gives them.
    pub(super) layout: Vec<u8>,
    /// The start of its content.
    start: Position,
    /// Spots whose places have been looked up.
    located: Mutex<HashMap<Spot, Located>>,
}

/// A document in a file.
#[derive(Debug, Clone)]
pub(super) struct FileDocument {
    pub(super) origin: Origin,
    pub(super) analysis: Arc<Analysis>,
}

impl FileDocument {
    /// The start of its content in the file.
    pub(super) fn start(&self) -> (u32, u32) {
        let Position { line, column } = self.analysis.start;
        let column = if line == 1 { self.origin.column.saturating_add(column - 1) } else { column };
        (self.origin.line.saturating_add(line - 1), column)
    }

    /// The first byte of it in the file.
    pub(super) fn offset(&self) -> usize {
        usize::try_from(self.origin.offset).unwrap_or(usize::MAX)
    }

    /// The places of spots in the file, whose bytes are `text`; each is looked up only once.
    pub(super) fn locate(&self, spots: &[&Spot], text: impl FnOnce() -> Arc<[u8]>) -> Vec<Located> {
        let mut known = self.analysis.located.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&Spot> = spots.iter().copied().filter(|it| !known.contains_key(*it)).collect();
        if !new.is_empty() {
            let neutral = Origin { line: 1, column: 1, ..self.origin };
            let end = self.offset().saturating_add(usize::try_from(self.origin.len).unwrap_or(usize::MAX));
            let text = text();
            let raw = text.get(self.offset().min(text.len())..end.min(text.len())).unwrap_or_default();
            let found = fbc::locate_all(raw, neutral, &new);
            known.extend(new.into_iter().cloned().zip(found));
        }
        let place = |spot: &&Spot| {
            let found = known.get(*spot).cloned();
            let mut found = found.unwrap_or(Located { line: 1, column: 1, text: String::new(), text_column: 1 });
            if found.line == 1 {
                let indent = self.origin.column.saturating_sub(1);
                found.column = found.column.saturating_add(indent);
                found.text_column = found.text_column.saturating_add(indent);
            }
            found.line = found.line.saturating_add(self.origin.line.saturating_sub(1));
            found
        };
        spots.iter().map(place).collect()
    }
}

struct Reader<'k> {
    known: HashMap<Key, &'k Arc<Analysis>>,
}

fn key_of(raw: &[u8], syntax: Syntax) -> Key {
    let mut digest = Sha256::new();
    digest.update([u8::from(syntax == Syntax::Json)]);
    digest.update(raw);
    digest.finalize().into()
}

impl Consumer for Reader<'_> {
    type Output = FileDocument;

    fn document(&self, document: Document<'_>) -> FileDocument {
        let origin = document.origin;
        // If the real reader gives up, for example at a depth, there is no tree either.
        let is_refused = |it: &Defect| {
            use DefectKind::{Json, Separator, Unreadable, Yaml};
            matches!(it.kind, Unreadable { .. } | Yaml { .. } | Json { .. } | Separator(_))
        };
        let is_text = document.blob.as_ref().err().is_none_or(|it| !it.defects.iter().any(is_refused));
        let tree = if is_text { Tree::of(document.raw, origin.syntax) } else { None };
        let start = fbc::start_in_file(Origin { line: 1, column: 1, ..origin }, document.raw);
        let analysis = Analysis {
            key: key_of(document.raw, origin.syntax),
            mentions: tree.as_ref().map(Mentions::of).unwrap_or_default(),
            is_readable: tree.is_some() && !document.raw.is_empty(),
            layout: fbc::layout_of(&document).unwrap_or_default(),
            practice: practice_facts(&document),
            inspected: inspect(&document),
            start,
            located: Mutex::default(),
        };
        FileDocument { origin, analysis: Arc::new(analysis) }
    }

    fn recalls(&self) -> bool {
        true
    }

    fn wants_places(&self) -> bool {
        true
    }

    fn recall(&self, origin: Origin, raw: &[u8]) -> Option<FileDocument> {
        let known = *self.known.get(&key_of(raw, origin.syntax))?;
        Some(FileDocument { origin, analysis: Arc::clone(known) })
    }
}

/// The documents of a file with this text; the analysis of equal ones among `before` is reused.
pub(super) fn documents(text: Arc<[u8]>, before: &[FileDocument]) -> Vec<FileDocument> {
    // The errors of a document may come from its surroundings.
    let is_sound =
        |it: &&FileDocument| it.analysis.is_readable && !matches!(it.analysis.inspected.facts, Facts::Broken { .. });
    let known = before.iter().filter(is_sound).map(|it| (it.analysis.key, &it.analysis)).collect();
    fbc::load_all(&Input::bytes("", text), &Reader { known })
}
