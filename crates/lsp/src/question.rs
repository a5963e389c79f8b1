//! Questions about a place, and their answers.
//!
//! A question is answered from the known analysis. If that is of an older text, names in unchanged parts are known with
//! their present places; nothing is answered about changed parts. Changes of texts are proposed only from a current
//! analysis.
//!
//! This module waits for nothing, and changes no file. It tells the editor what to change.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use super::actions::{MAX_FINDINGS, Replaced, explaining, mending, rule_of};
use super::catalog::{Catalog, Key, Named};
use super::completion::{Proposal, proposals};
use super::cursor::Cursor;
use super::definition::{definitions, references};
use super::documents::Group;
use super::hover::hover;
use super::lines::Position;
use super::metadata;
use super::protocol::{AtPlace, Code, OfFindings, Refusal, location, text_edit};
use super::rename::{RenameError, prepare, rename};
use super::workspace::{Workspace, key_of};
use olmdex_base::diag::Place;

/// The topic of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Hover,
    Completion,
    Definition,
    References,
    PrepareRename,
    Rename,
    CodeAction,
}

impl Topic {
    /// The topic of a method of the protocol.
    pub(super) fn of(method: &str) -> Option<Self> {
        Some(match method {
            "textDocument/hover" => Self::Hover,
            "textDocument/completion" => Self::Completion,
            "textDocument/definition" => Self::Definition,
            "textDocument/references" => Self::References,
            "textDocument/prepareRename" => Self::PrepareRename,
            "textDocument/rename" => Self::Rename,
            "textDocument/codeAction" => Self::CodeAction,
            _ => return None,
        })
    }

    /// Whether the analysis of an older text is good enough for an answer.
    pub(super) fn may_be_behind(self) -> bool {
        !matches!(self, Self::PrepareRename | Self::Rename | Self::CodeAction)
    }
}

/// A question about a place of a document.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) id: Value,
    pub(super) topic: Topic,
    pub(super) key: Key,
    position: Position,
    new_name: String,
    /// The findings that actions are wanted for, as they were sent.
    diagnostics: Vec<Value>,
    /// When it was asked.
    pub(super) since: Instant,
}

impl Question {
    pub(super) fn new(id: Value, topic: Topic, at: AtPlace) -> Self {
        let AtPlace { text_document, position, new_name } = at;
        let diagnostics = Vec::new();
        Self { id, topic, key: key_of(&text_document.uri), position, new_name, diagnostics, since: Instant::now() }
    }

    /// A question about actions for findings.
    pub(super) fn of_findings(id: Value, asked: OfFindings) -> Self {
        let OfFindings { text_document, context } = asked;
        let at = AtPlace { text_document, position: Position::default(), new_name: String::new() };
        let is_ours = |it: &Value| it["source"] == "olmdex" && it["code"].is_string();
        let diagnostics = context["diagnostics"].as_array().into_iter().flatten().filter(|it| is_ours(it));
        let diagnostics = diagnostics.take(MAX_FINDINGS).cloned().collect();
        Self { diagnostics, ..Self::new(id, Topic::CodeAction, at) }
    }

    /// The number of bytes that it keeps, about.
    pub(super) fn size(&self) -> usize {
        let id = self.id.as_str().map_or(0, str::len);
        let key = self.key.path().map_or(0, |it| it.as_os_str().len());
        let diagnostics: usize = self.diagnostics.iter().map(|it| it.to_string().len()).sum();
        id + key + self.new_name.len() + diagnostics + size_of::<Self>()
    }
}

pub(super) type Answer = Result<Value, Refusal>;

impl From<RenameError> for Refusal {
    fn from(error: RenameError) -> Self {
        Self::new(Code::RequestFailed, error.to_string())
    }
}

/// The state that answers are made from.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) workspace: Workspace,
    /// Whether the client takes changes with the versions of documents.
    pub(super) has_versions: bool,
    pub(super) has_no_markdown: bool,
}

impl Answers {
    /// The answer, from the present analysis.
    pub(super) fn answer(&mut self, it: &Question) -> Answer {
        match it.topic {
            Topic::Hover => self.hover(it),
            Topic::Completion => self.completion(it),
            Topic::Definition => self.definition(it),
            Topic::References => self.places(it, references),
            Topic::PrepareRename => self.prepare_rename(it),
            Topic::Rename => self.rename(it),
            Topic::CodeAction => self.code_actions(it),
        }
    }

    /// The byte at a place; `None` if the document is not open.
    fn offset(&self, at: &Question) -> Option<usize> {
        let document = self.workspace.documents.open.get(&at.key)?;
        Some(document.lines.offset(&document.text, at.position, self.workspace.documents.encoding))
    }

    fn hover(&mut self, at: &Question) -> Answer {
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let key = at.key.clone();
        let found = match self.workspace.bundles(&key) {
            Some((bundles, path, text)) => bundles.hover(&path, &text, offset),
            None => self.workspace.catalog(&key).and_then(|it| hover(it, &key, offset)),
        };
        let Some((text, bytes)) = found else { return Ok(Value::Null) };
        let range = self.workspace.documents.ranges(&key, &[bytes]).pop();
        let kind = if self.has_no_markdown { "plaintext" } else { "markdown" };
        Ok(json!({"contents": {"kind": kind, "value": text}, "range": range}))
    }

    fn completion(&mut self, at: &Question) -> Answer {
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let key = at.key.clone();
        let Some(document) = self.workspace.documents.open.get(&key) else { return Ok(Value::Null) };
        let group = document.group.clone();
        let cursor = Cursor::at(&document.text, offset);
        let mut word = cursor.word.clone();
        let found = match group {
            None => return Ok(Value::Null),
            Some(Group::Bundle(_)) => {
                let mut found = metadata::proposals(key.path(), &cursor);
                if let Some((bundles, path, text)) = self.workspace.bundles(&key) {
                    let (more, place) = bundles.proposals(&path, &text, offset);
                    found.extend(more);
                    word = place;
                }
                found
            }
            Some(_) => self.workspace.catalog(&key).map(|it| proposals(it, &cursor)).unwrap_or_default(),
        };
        let range = self.workspace.documents.ranges(&key, &[word]).pop().unwrap_or_default();
        let item = |(number, it): (usize, Proposal)| {
            json!({
                "label": it.label,
                "kind": it.sort as u8,
                "documentation": it.about,
                "sortText": format!("{number:05}"),
                "filterText": it.label,
                "textEdit": text_edit(range, &it.text),
            })
        };
        let items: Vec<Value> = found.into_iter().enumerate().map(item).collect();
        Ok(json!({"isIncomplete": false, "items": items}))
    }

    fn definition(&mut self, at: &Question) -> Answer {
        let key = at.key.clone();
        let Some((bundles, path, text)) = self.workspace.bundles(&key) else { return self.places(at, definitions) };
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let encoding = self.workspace.documents.encoding;
        let found = |place: Place| {
            let key = Key::File(place.file.clone().into());
            let range = self.workspace.documents.with_text(&key, |text, lines| {
                let start = lines.offset_of(text, place.line, place.column);
                lines.range(text, start..start, encoding)
            });
            location(&self.workspace.documents.uri(&key), range)
        };
        Ok(bundles.definitions(&path, &text, offset).into_iter().map(found).collect())
    }

    fn places(&mut self, at: &Question, find: for<'c> fn(&'c Catalog, &Key, usize) -> Vec<Named<'c>>) -> Answer {
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let key = at.key.clone();
        let Some(catalog) = self.workspace.catalog(&key) else { return Ok(Value::Null) };
        let mut by_key: BTreeMap<Key, Vec<std::ops::Range<usize>>> = BTreeMap::new();
        for it in find(catalog, &key, offset).into_iter().filter(|it| it.is_kept) {
            by_key.entry(it.key.clone()).or_default().push(it.start..it.end);
        }
        let mut found = Vec::new();
        for (key, bytes) in by_key {
            let uri = self.workspace.documents.uri(&key);
            let ranges = self.workspace.documents.ranges(&key, &bytes);
            found.extend(ranges.into_iter().map(|range| location(&uri, range)));
        }
        Ok(json!(found))
    }

    /// The catalog in which something can be renamed, and the byte at the place; `None` if there is no catalog.
    fn renamed_in(&mut self, at: &Question) -> Result<Option<(&Catalog, usize)>, Refusal> {
        let Some(offset) = self.offset(at) else { return Ok(None) };
        if self.workspace.bundles(&at.key).is_some() {
            return Err(RenameError::InBundle.into());
        }
        Ok(self.workspace.catalog(&at.key).map(|it| (it, offset)))
    }

    fn prepare_rename(&mut self, at: &Question) -> Answer {
        let Some((catalog, offset)) = self.renamed_in(at)? else { return Ok(Value::Null) };
        let found = prepare(catalog, &at.key, offset)?;
        let (bytes, name) = (found.start..found.end, found.mention.name.clone());
        let range = self.workspace.documents.ranges(&at.key, &[bytes]).pop();
        Ok(json!({"range": range, "placeholder": name}))
    }

    fn rename(&mut self, at: &Question) -> Answer {
        let Some((catalog, offset)) = self.renamed_in(at)? else { return Ok(Value::Null) };
        let changes = rename(catalog, &at.key, offset, &at.new_name)?;
        Ok(self.workspace_edit(changes))
    }

    /// The actions for findings: each can be explained; those with one safe answer can be fixed.
    fn code_actions(&mut self, at: &Question) -> Answer {
        let group = self.workspace.documents.open.get(&at.key).and_then(|it| it.group.clone());
        let open = group.map(|it| self.workspace.documents.texts_of(&it)).unwrap_or_default();
        let mut actions = Vec::new();
        for diagnostic in &at.diagnostics {
            let Some(rule) = diagnostic["code"].as_str().and_then(rule_of) else { continue };
            let line = diagnostic["range"]["start"]["line"].as_u64().and_then(|it| u32::try_from(it + 1).ok());
            let place = (&at.key, line.unwrap_or_default());
            let found = self.workspace.catalog(&at.key).and_then(|it| mending(it, &open, place, rule));
            if let Some((title, changes)) = found {
                let edit = self.workspace_edit(changes);
                actions.push(json!({"title": title, "kind": "quickfix", "diagnostics": [diagnostic], "edit": edit}));
            }
            actions.push(explaining(rule, diagnostic));
        }
        Ok(json!(actions))
    }

    /// Changes of documents, as the client takes them.
    fn workspace_edit(&self, changes: impl IntoIterator<Item = (Key, Vec<Replaced>)>) -> Value {
        let mut by_uri: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut with_versions = Vec::new();
        for (key, changes) in changes {
            let (bytes, texts): (Vec<_>, Vec<String>) = changes.into_iter().unzip();
            let ranges = self.workspace.documents.ranges(&key, &bytes).into_iter().zip(texts);
            let edits: Vec<Value> = ranges.map(|(range, new_text)| text_edit(range, &new_text)).collect();
            let uri = self.workspace.documents.uri(&key);
            if self.has_versions {
                let version = self.workspace.documents.open.get(&key).and_then(|it| it.version);
                with_versions.push(json!({"textDocument": {"uri": uri, "version": version}, "edits": edits}));
            } else {
                by_uri.insert(uri, edits);
            }
        }
        if self.has_versions { json!({"documentChanges": with_versions}) } else { json!({"changes": by_uri}) }
    }
}
