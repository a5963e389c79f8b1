//! The life of a server, and its answers.
//!
//! One thread reads messages, this one answers them in their order. Findings are made when nothing else waits, so that neither a key nor
//! a question waits for them; of a burst of keys only the last text is checked.
//!
//! What it deliberately does not do: it writes no file. What is to be changed, the editor is told.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use thiserror::Error;

use super::catalog::Named;
use super::choosing::{Choosing, ConfigFile};
use super::completion::proposals;
use super::cursor::Cursor;
use super::definition::{definitions, references};
use super::frame::{self, FrameError};
use super::hover::hover;
use super::lines::Encoding;
use super::metadata;
use super::protocol::{
    self, AtPlace, Cancel, Changed, Code, FoldersChanged, Incoming, Initialize, Location, OfDocument, Opened, Refusal,
    TextEdit,
};
use super::queue::{Event, Queue};
use super::rename::{RenameError, prepare, rename};
use super::uri::path_of;
use super::workspace::{Group, Workspace, key_of};
use crate::diag::{Finding, end_column};
use crate::file::system_words;

/// How long nothing must have come before findings are made.
const QUIET: Duration = Duration::from_millis(5);

/// How long findings wait at most, while keys come.
const PATIENCE: Duration = Duration::from_millis(100);

/// How a server is started.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The current directory, from the root.
    pub current: PathBuf,
    /// Which options choose findings.
    pub config: ConfigFile,
}

/// How a server has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client has shut it down.
    Orderly,
    /// The client has gone, or has ended it without shutting it down.
    Early,
}

/// Why a server cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LspError {
    /// What the client sends cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The client does not take answers.
    #[error("cannot write to the client: {}", system_words(.0))]
    Write(std::io::Error),
    /// The system gives no thread.
    #[error("cannot start a thread: {}", system_words(.0))]
    Thread(std::io::Error),
}

/// Answers a client until it ends the server, or goes.
///
/// # Errors
/// [`LspError`]
pub fn serve(input: impl Read + Send + 'static, output: &mut impl Write, options: Options) -> Result<End, LspError> {
    let queue = Arc::new(Queue::default());
    let filled = Arc::clone(&queue);
    // It is not waited for: it reads until the client closes its end.
    std::thread::Builder::new()
        .name("lsp-reader".to_owned())
        .spawn(move || filled.fill(BufReader::new(input)))
        .map_err(LspError::Thread)?;
    let mut server = Server {
        phase: Phase::Fresh,
        workspace: Workspace::default(),
        choosing: Choosing::new(options.current, options.config),
        published: BTreeMap::new(),
        said: BTreeSet::new(),
        has_versions: false,
        has_markdown: true,
        output,
    };
    let mut waiting_since: Option<Instant> = None;
    loop {
        let events = queue.take(waiting_since.map(|_| QUIET));
        let is_quiet = events.is_empty();
        if let Some(end) = server.take(events.into_iter().collect())? {
            return Ok(end);
        }
        if !server.workspace.is_dirty() {
            waiting_since = None;
        } else if is_quiet || waiting_since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            server.check()?;
            waiting_since = None;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    Fresh,
    Running,
    /// After `shutdown`.
    Down,
}

struct Server<'o, W: Write> {
    phase: Phase,
    workspace: Workspace,
    choosing: Choosing,
    /// What each document is known to have, by its address, with the group that says it.
    published: BTreeMap<String, (Group, Option<i64>, Vec<Value>)>,
    /// What has been said to the user; once is enough.
    said: BTreeSet<String>,
    /// Whether the client takes changes with the versions of documents.
    has_versions: bool,
    has_markdown: bool,
    output: &'o mut W,
}

type Answer = Result<Value, Refusal>;

impl From<RenameError> for Refusal {
    fn from(error: RenameError) -> Self {
        Self::new(Code::RequestFailed, error.to_string())
    }
}

fn read<T: DeserializeOwned>(params: Option<&RawValue>) -> Result<T, Refusal> {
    let text = params.map_or("null", RawValue::get);
    serde_json::from_str(text).map_err(|error| Refusal::new(Code::InvalidParams, error.to_string()))
}

impl<W: Write> Server<'_, W> {
    fn send(&mut self, body: &Value) -> Result<(), LspError> {
        frame::write(self.output, body.to_string().as_bytes()).map_err(LspError::Write)
    }

    /// Takes messages that have come together, in their order.
    fn take(&mut self, events: Vec<Event>) -> Result<Option<End>, LspError> {
        // What is cancelled before its turn is not done.
        let cancelled: Vec<Value> = events.iter().filter_map(cancelled_by).collect();
        for event in events {
            let end = match event {
                Event::Message(body) => self.message(&body, &cancelled)?,
                Event::TooLarge(length) => {
                    self.say(
                        1,
                        format!("a message of {length} bytes is larger than olmdex takes, and was passed over"),
                    )?;
                    None
                }
                Event::End(None) => Some(End::Early),
                Event::End(Some(error)) => return Err(error.into()),
            };
            if end.is_some() {
                return Ok(end);
            }
        }
        Ok(None)
    }

    /// Tells the user something, once.
    fn say(&mut self, severity: u8, message: String) -> Result<(), LspError> {
        if self.phase == Phase::Running && self.said.len() < 1_000 && self.said.insert(message.clone()) {
            let params = json!({"type": severity, "message": format!("olmdex: {message}")});
            self.send(&protocol::notification("window/showMessage", &params))?;
        }
        Ok(())
    }

    fn message(&mut self, body: &[u8], cancelled: &[Value]) -> Result<Option<End>, LspError> {
        let message = match serde_json::from_slice::<Incoming<'_>>(body) {
            // A list of messages is none, nor is a list of what a message has.
            Ok(_) if body.trim_ascii_start().starts_with(b"[") => {
                let refusal = Refusal::new(Code::InvalidRequest, "messages come one by one");
                self.send(&protocol::answer(&Value::Null, Err(refusal)))?;
                return Ok(None);
            }
            Ok(it) => it,
            Err(error) => {
                let code = if error.is_data() { Code::InvalidRequest } else { Code::Parse };
                let refusal = Refusal::new(code, format!("this is not a message: {error}"));
                self.send(&protocol::answer(&Value::Null, Err(refusal)))?;
                return Ok(None);
            }
        };
        let Incoming { id, method, params } = message;
        match (id, method) {
            // The server asks for nothing, so nothing is an answer to it.
            (_, None) => {}
            (None | Some(Value::Null), Some(method)) => return self.notification(&method, params),
            (Some(id @ (Value::String(_) | Value::Number(_))), Some(method)) => {
                let result = if cancelled.contains(&id) {
                    Err(Refusal::new(Code::Cancelled, "the request was cancelled"))
                } else {
                    self.request(&method, params)
                };
                self.send(&protocol::answer(&id, result))?;
            }
            (Some(_), Some(_)) => {
                let refusal = Refusal::new(Code::InvalidRequest, "the id of a request is a number or a text");
                self.send(&protocol::answer(&Value::Null, Err(refusal)))?;
            }
        }
        Ok(None)
    }

    fn request(&mut self, method: &str, params: Option<&RawValue>) -> Answer {
        match (self.phase, method) {
            (Phase::Fresh, "initialize") => self.initialize(read(params)?),
            (Phase::Fresh, _) => Err(Refusal::new(Code::NotInitialized, "the first request is `initialize`")),
            (Phase::Down, _) => Err(Refusal::new(Code::InvalidRequest, "the server was shut down")),
            (Phase::Running, "initialize") => {
                Err(Refusal::new(Code::InvalidRequest, "the server was initialized before"))
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::Down;
                Ok(Value::Null)
            }
            (Phase::Running, "textDocument/hover") => self.hover(&read(params)?),
            (Phase::Running, "textDocument/completion") => self.completion(&read(params)?),
            (Phase::Running, "textDocument/definition") => self.definition(&read(params)?),
            (Phase::Running, "textDocument/references") => self.places(&read(params)?, references),
            (Phase::Running, "textDocument/prepareRename") => self.prepare_rename(&read(params)?),
            (Phase::Running, "textDocument/rename") => self.rename(&read(params)?),
            (Phase::Running, _) => {
                Err(Refusal::new(Code::MethodNotFound, format!("there is no request `{method}` here")))
            }
        }
    }

    fn initialize(&mut self, params: Initialize) -> Answer {
        self.phase = Phase::Running;
        let Initialize { capabilities, root_uri, workspace_folders } = params;
        let offered = &capabilities.general.position_encodings;
        // Findings count characters, and texts are UTF-8: what spares a conversion goes first.
        let known = [Encoding::Utf8, Encoding::Utf32];
        let agreed = known.into_iter().find(|it| offered.iter().any(|name| name == it.name()));
        self.workspace.encoding = agreed.unwrap_or_default();
        self.has_versions = capabilities.workspace.workspace_edit.document_changes;
        let formats = &capabilities.text_document.hover.content_format;
        self.has_markdown = formats.is_empty() || formats.iter().any(|it| it == "markdown");
        let folders: Vec<String> = match workspace_folders {
            Some(folders) => folders.into_iter().map(|it| it.uri).collect(),
            None => root_uri.into_iter().collect(),
        };
        self.workspace.roots = folders.iter().filter_map(|it| path_of(it)).collect();
        Ok(protocol::initialized(self.workspace.encoding.name()))
    }

    fn notification(&mut self, method: &str, params: Option<&RawValue>) -> Result<Option<End>, LspError> {
        if method == "exit" {
            return Ok(Some(if self.phase == Phase::Down { End::Orderly } else { End::Early }));
        }
        if self.phase != Phase::Running {
            return Ok(None);
        }
        // What a notification of another form wants cannot be answered.
        match method {
            "textDocument/didOpen" => {
                if let Ok(Opened { text_document: it }) = read(params)
                    && let Err(error) = self.workspace.open(&it.uri, it.version, &it.text)
                {
                    self.say(2, error.to_string())?;
                }
            }
            "textDocument/didChange" => {
                if let Ok(Changed { text_document: it, content_changes }) = read(params)
                    && let Err(error) = self.workspace.change(&it.uri, it.version, content_changes)
                {
                    self.say(2, error.to_string())?;
                }
            }
            "textDocument/didClose" => {
                if let Ok(OfDocument { text_document: it }) = read(params) {
                    self.workspace.close(&key_of(&it.uri));
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.choosing.forget();
                self.workspace.files_changed();
            }
            "workspace/didChangeWorkspaceFolders" => {
                if let Ok(FoldersChanged { event }) = read(params) {
                    let removed: Vec<PathBuf> = event.removed.iter().filter_map(|it| path_of(&it.uri)).collect();
                    self.workspace.roots.retain(|it| !removed.contains(it));
                    self.workspace.roots.extend(event.added.iter().filter_map(|it| path_of(&it.uri)));
                    self.workspace.files_changed();
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Makes the findings of what has changed, and sends those that are new.
    fn check(&mut self) -> Result<(), LspError> {
        for group in self.workspace.take_dirty() {
            let mut now: BTreeMap<String, (Option<i64>, Vec<Value>)> = BTreeMap::new();
            if self.workspace.is_used(&group) {
                let (besides, problem) = self.choosing.besides(group.directory());
                if let Some(problem) = problem {
                    self.say(2, problem)?;
                }
                let (found, is_too_large) = self.workspace.findings(&group, &besides);
                if is_too_large {
                    let directory = group.directory().map(|it| it.display().to_string()).unwrap_or_default();
                    self.say(2, format!("{directory} has too many files: only open documents are looked at"))?;
                }
                for (key, findings) in found {
                    let findings = self.choosing.chosen(group.directory(), findings);
                    let version = self.workspace.open.get(&key).and_then(|it| it.version);
                    let encoding = self.workspace.encoding;
                    let shown = self.workspace.with_text(&key, |text, lines| {
                        findings
                            .iter()
                            .map(|it| protocol::diagnostic(it, range_of(it, text, lines, encoding)))
                            .collect()
                    });
                    now.insert(self.workspace.uri(&key), (version, shown));
                }
                // An open document without findings hears so.
                for it in self.workspace.open.values().filter(|it| it.group.as_ref() == Some(&group)) {
                    now.entry(it.uri.clone()).or_insert((it.version, Vec::new()));
                }
            } else {
                self.workspace.forget(&group);
            }
            self.publish(&group, now)?;
        }
        Ok(())
    }

    /// Sends what has changed of what a group says.
    fn publish(&mut self, group: &Group, now: BTreeMap<String, (Option<i64>, Vec<Value>)>) -> Result<(), LspError> {
        let gone: Vec<String> = self
            .published
            .iter()
            .filter(|(uri, it)| it.0 == *group && !now.contains_key(*uri))
            .map(|it| it.0.clone())
            .collect();
        for uri in gone {
            if let Some((_, _, before)) = self.published.remove(&uri)
                && !before.is_empty()
            {
                let params = json!({"uri": uri, "diagnostics": []});
                self.send(&protocol::notification("textDocument/publishDiagnostics", &params))?;
            }
        }
        for (uri, (version, shown)) in now {
            let before = self.published.get(&uri);
            if before.is_some_and(|it| it.1 == version && it.2 == shown)
                || (before.is_none() && version.is_none() && shown.is_empty())
            {
                continue;
            }
            let mut params = json!({"uri": uri, "diagnostics": shown});
            if let Some(version) = version {
                params["version"] = version.into();
            }
            self.send(&protocol::notification("textDocument/publishDiagnostics", &params))?;
            self.published.insert(uri, (group.clone(), version, shown));
        }
        Ok(())
    }

    /// The byte at a place; `None` if the document is not open.
    fn offset(&self, at: &AtPlace) -> Option<usize> {
        let document = self.workspace.open.get(&key_of(&at.text_document.uri))?;
        Some(document.lines.offset(&document.text, at.position, self.workspace.encoding))
    }

    fn hover(&mut self, at: &AtPlace) -> Answer {
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let key = key_of(&at.text_document.uri);
        let found = match self.workspace.bundles(&key) {
            Some((bundles, path, text)) => bundles.hover(&path, &text, offset),
            None => self.workspace.catalog(&key).and_then(|it| hover(it, &key, offset)),
        };
        let Some((text, bytes)) = found else { return Ok(Value::Null) };
        let range = self.workspace.ranges(&key, &[bytes]).pop();
        let kind = if self.has_markdown { "markdown" } else { "plaintext" };
        Ok(json!({"contents": {"kind": kind, "value": text}, "range": range}))
    }

    fn completion(&mut self, at: &AtPlace) -> Answer {
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let key = key_of(&at.text_document.uri);
        let Some(document) = self.workspace.open.get(&key) else { return Ok(Value::Null) };
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
        let range = self.workspace.ranges(&key, &[word]).pop().unwrap_or_default();
        let item = |(number, it): (usize, super::completion::Proposal)| {
            json!({
                "label": it.label,
                "kind": it.sort as u8,
                "documentation": it.about,
                "sortText": format!("{number:05}"),
                "filterText": it.label,
                "textEdit": TextEdit { range, new_text: it.text },
            })
        };
        let items: Vec<Value> = found.into_iter().enumerate().map(item).collect();
        Ok(json!({"isIncomplete": false, "items": items}))
    }

    fn definition(&mut self, at: &AtPlace) -> Answer {
        let key = key_of(&at.text_document.uri);
        let Some((bundles, path, text)) = self.workspace.bundles(&key) else { return self.places(at, definitions) };
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let encoding = self.workspace.encoding;
        let location = |place: crate::diag::Place| {
            let key = super::catalog::Key::File(place.file.clone().into());
            let range = self.workspace.with_text(&key, |text, lines| {
                let start = lines.offset_of(text, place.line, place.column);
                lines.range(text, start..start, encoding)
            });
            Location { uri: self.workspace.uri(&key), range }
        };
        let found: Vec<Location> = bundles.definitions(&path, &text, offset).into_iter().map(location).collect();
        Ok(json!(found))
    }

    fn places(
        &mut self,
        at: &AtPlace,
        find: for<'c> fn(&'c super::catalog::Catalog, &super::catalog::Key, usize) -> Vec<Named<'c>>,
    ) -> Answer {
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let key = key_of(&at.text_document.uri);
        let Some(catalog) = self.workspace.catalog(&key) else { return Ok(Value::Null) };
        let mut by_key: BTreeMap<super::catalog::Key, Vec<std::ops::Range<usize>>> = BTreeMap::new();
        for it in find(catalog, &key, offset) {
            by_key.entry(it.key.clone()).or_default().push(it.start..it.end);
        }
        let mut found = Vec::new();
        for (key, bytes) in by_key {
            let uri = self.workspace.uri(&key);
            let ranges = self.workspace.ranges(&key, &bytes);
            found.extend(ranges.into_iter().map(|range| Location { uri: uri.clone(), range }));
        }
        Ok(json!(found))
    }

    fn prepare_rename(&mut self, at: &AtPlace) -> Answer {
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let key = key_of(&at.text_document.uri);
        if self.workspace.bundles(&key).is_some() {
            return Err(RenameError::InBundle.into());
        }
        let Some(catalog) = self.workspace.catalog(&key) else { return Ok(Value::Null) };
        let found = prepare(catalog, &key, offset)?;
        let (bytes, name) = (found.start..found.end, found.mention.name.clone());
        let range = self.workspace.ranges(&key, &[bytes]).pop();
        Ok(json!({"range": range, "placeholder": name}))
    }

    fn rename(&mut self, at: &AtPlace) -> Answer {
        let Some(offset) = self.offset(at) else { return Ok(Value::Null) };
        let key = key_of(&at.text_document.uri);
        if self.workspace.bundles(&key).is_some() {
            return Err(RenameError::InBundle.into());
        }
        let Some(catalog) = self.workspace.catalog(&key) else { return Ok(Value::Null) };
        let changes = rename(catalog, &key, offset, &at.new_name)?;
        let mut by_uri: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        let mut with_versions = Vec::new();
        for (key, changes) in changes {
            let (bytes, texts): (Vec<_>, Vec<String>) = changes.into_iter().unzip();
            let ranges = self.workspace.ranges(&key, &bytes).into_iter().zip(texts);
            let edits: Vec<TextEdit> = ranges.map(|(range, new_text)| TextEdit { range, new_text }).collect();
            let uri = self.workspace.uri(&key);
            if self.has_versions {
                let version = self.workspace.open.get(&key).and_then(|it| it.version);
                with_versions.push(json!({"textDocument": {"uri": uri, "version": version}, "edits": edits}));
            } else {
                by_uri.insert(uri, edits);
            }
        }
        Ok(if self.has_versions { json!({"documentChanges": with_versions}) } else { json!({"changes": by_uri}) })
    }
}

/// The largest message that may be one that cancels, which names a request and no more.
const MAX_CANCEL: usize = 4096;

/// The request that a message cancels, if it is one that does.
fn cancelled_by(event: &Event) -> Option<Value> {
    let Event::Message(body) = event else { return None };
    if body.len() > MAX_CANCEL || memchr::memmem::find(body, b"cancelRequest").is_none() {
        return None;
    }
    let message: Incoming<'_> = serde_json::from_slice(body).ok()?;
    let is_one = message.method.as_deref() == Some("$/cancelRequest");
    if is_one { read::<Cancel>(message.params).ok().map(|it| it.id) } else { None }
}

/// Where a finding is in a text, in the units of the protocol.
fn range_of(finding: &Finding, text: &str, lines: &super::lines::Lines, encoding: Encoding) -> super::lines::Range {
    let Some(place) = &finding.place else { return super::lines::Range::default() };
    let start = lines.offset_of(text, place.line, place.column);
    let (line_start, line) = lines.line_of(text, start);
    let line_end = line_start + line.len();
    // A place of which no text is at hand gets that of its line.
    let of_line = crate::diag::Place { source: Some(line.to_owned()), source_column: 1, ..place.clone() };
    let end = end_column(&of_line).map_or(line_end, |it| lines.offset_of(text, place.line, it));
    lines.range(text, start..end.clamp(start, line_end.max(start)), encoding)
}
