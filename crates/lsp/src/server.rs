//! The life of a server, and its answers.
//!
//! One thread reads messages, a second analyses changes, this one answers. An analysis starts at once; keys that come
//! while it runs are analysed together afterwards.
//!
//! A question about a text that is not analysed yet waits for the analysis, but not for long: then it is answered from
//! the earlier one. It waits until the analysis is there only if there is no earlier one, or if a text is to be
//! changed. If the document changes meanwhile, the answer is that its content was modified (`ContentModified`), after
//! which editors ask again.
//!
//! This thread analyses nothing, so that ending the server never has to wait for an analysis.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use thiserror::Error;

use super::actions::{EXPLAIN, explained, rule_of};
use super::analyst::{Analyst, Stage};
use super::documents::Group;
use super::frame::{self, FrameError};
use super::lines::Encoding;
use super::protocol::{
    self, Cancel, Changed, Code, DidOpenParams, Execute, FoldersChanged, Incoming, Initialize, OfDocument, Refusal,
};
use super::question::{Answer, Answers, Question, Topic};
use super::queue::{Event, Queue};
use super::report::{Analysed, FileReport, Report};
use super::selection::{Choosing, Options};
use super::uri::path_of;
use super::workspace::{Standing, key_of};
use olmdex_base::file::system_words;

/// The time that a question waits at most for an analysis where there is an older one.
const PATIENCE: Duration = Duration::from_millis(100);

/// The number of bytes that the questions that wait may have.
const MAX_WAITING: usize = 1 << 20;

/// The end of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client has shut it down.
    Orderly,
    /// The client has gone, or has ended it without shutting it down.
    Early,
}

/// The reasons why a server cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LspError {
    /// A message of the client cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The client does not take answers.
    #[error("cannot write to the client: {}", system_words(.0))]
    Write(std::io::Error),
    /// The system gives no thread.
    #[error("cannot start a thread: {}", system_words(.0))]
    Thread(std::io::Error),
    /// The analysis has failed, which is a bug.
    #[error("the analysis of the open documents has failed, which is a bug")]
    Analysis,
}

/// Answers a client until it ends the server, or goes.
///
/// # Errors
/// [`LspError`]
pub fn serve(input: impl Read + Send + 'static, output: &mut impl Write, options: Options) -> Result<End, LspError> {
    serve_gated(input, output, options, |_| {})
}

/// The same, but `before` is called before each part of an analysis, on the thread of the analysis.
fn serve_gated(
    input: impl Read + Send + 'static,
    output: &mut impl Write,
    options: Options,
    before: impl Fn(Stage) + Send + 'static,
) -> Result<End, LspError> {
    let queue = Arc::new(Queue::default());
    let filled = Arc::clone(&queue);
    // It is not waited for: it reads until the client closes its end.
    std::thread::Builder::new()
        .name("lsp-reader".to_owned())
        .spawn(move || filled.fill(BufReader::new(input)))
        .map_err(LspError::Thread)?;
    let choosing = Choosing::new(options);
    let mut server = Server {
        phase: Phase::Fresh,
        answers: Answers::default(),
        waiting: Vec::new(),
        analyst: Analyst::start(Arc::clone(&queue), choosing, before).map_err(LspError::Thread)?,
        published: BTreeMap::new(),
        wording: BTreeSet::new(),
        output,
    };
    loop {
        let events = queue.take(server.patience());
        if let Some(end) = server.take(events.into_iter().collect())? {
            return Ok(end);
        }
        server.answer_waiting()?;
        // It starts at once. Changes that come while it runs are analysed together afterwards.
        if server.answers.workspace.is_dirty() {
            server.analyst.submit(server.answers.workspace.take_job());
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
    answers: Answers,
    /// Questions that wait for an analysis, in the order in which they were asked.
    waiting: Vec<Question>,
    analyst: Analyst,
    /// The diagnostics that each document was sent, by its address, with the group that they come from.
    published: BTreeMap<String, (Group, Option<i64>, Vec<Value>)>,
    /// The messages that the user has seen; once is enough.
    wording: BTreeSet<String>,
    output: &'o mut W,
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
        // A request that is cancelled before its turn is not executed.
        let cancelled: Vec<Value> = events.iter().filter_map(cancelled_by).collect();
        for event in events {
            let end = match event {
                Event::Message(body) => self.message(&body, &cancelled)?,
                Event::TooLarge(length) => {
                    self.say(1, format!("olmdex ignored a message of {length} bytes, which is over its limit"))?;
                    None
                }
                Event::Analysed(Analysed::Names(names)) => {
                    self.answers.workspace.learn(names);
                    // Questions are answered before findings, which nothing waits for.
                    self.answer_waiting()?;
                    None
                }
                Event::Analysed(Analysed::Findings(reports)) => {
                    reports.into_iter().try_for_each(|it| self.publish(it))?;
                    None
                }
                Event::Analysed(Analysed::Lost) => return Err(LspError::Analysis),
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
        if self.phase == Phase::Running && self.wording.len() < 1_000 && self.wording.insert(message.clone()) {
            let params = json!({"type": severity, "message": format!("olmdex: {message}")});
            self.send(&protocol::notification("window/showMessage", &params))?;
        }
        Ok(())
    }

    fn message(&mut self, body: &[u8], cancelled: &[Value]) -> Result<Option<End>, LspError> {
        let message = match serde_json::from_slice::<Incoming<'_>>(body) {
            // A list of messages is not a message, and neither is a list of a message's parts.
            Ok(_) if body.trim_ascii_start().starts_with(b"[") => {
                let refusal = Refusal::new(Code::InvalidRequest, "send messages one by one, not as a batch");
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
            // The server sends no requests, so no message is an answer to one.
            (_, None) => {}
            (None | Some(Value::Null), Some(method)) => return self.notification(&method, params),
            (Some(id @ (Value::String(_) | Value::Number(_))), Some(method)) => {
                if cancelled.contains(&id) {
                    let refusal = Refusal::new(Code::Cancelled, "the request was cancelled");
                    self.send(&protocol::answer(&id, Err(refusal)))?;
                } else {
                    self.request(id, &method, params)?;
                }
            }
            (Some(_), Some(_)) => {
                let refusal = Refusal::new(Code::InvalidRequest, "the id of a request must be a number or a string");
                self.send(&protocol::answer(&Value::Null, Err(refusal)))?;
            }
        }
        Ok(None)
    }

    fn request(&mut self, id: Value, method: &str, params: Option<&RawValue>) -> Result<(), LspError> {
        let result = match (self.phase, method) {
            (Phase::Fresh, "initialize") => read(params).and_then(|it| self.initialize(it)),
            (Phase::Fresh, _) => Err(Refusal::new(Code::NotInitialized, "the first request must be `initialize`")),
            (Phase::Down, _) => Err(Refusal::new(Code::InvalidRequest, "the server is shut down")),
            (Phase::Running, "initialize") => {
                Err(Refusal::new(Code::InvalidRequest, "the server is already initialized"))
            }
            (Phase::Running, "shutdown") => {
                self.hurry(|_| true)?;
                self.phase = Phase::Down;
                Ok(Value::Null)
            }
            (Phase::Running, "workspace/executeCommand") => match read(params) {
                Ok(wanted) => self.execute(&wanted)?,
                Err(refusal) => Err(refusal),
            },
            (Phase::Running, _) => match Topic::of(method) {
                Some(Topic::CodeAction) => match read(params) {
                    Ok(asked) => return self.ask(Question::of_findings(id, asked)),
                    Err(refusal) => Err(refusal),
                },
                Some(topic) => match read(params) {
                    Ok(at) => return self.ask(Question::new(id, topic, at)),
                    Err(refusal) => Err(refusal),
                },
                None => Err(Refusal::new(Code::MethodNotFound, format!("unknown request `{method}`"))),
            },
        };
        self.send(&protocol::answer(&id, result))
    }

    /// Explains a rule: the user gets the words, and the client gets the data.
    fn execute(&mut self, wanted: &Execute) -> Result<Answer, LspError> {
        let rule = wanted.arguments.first().and_then(Value::as_str).and_then(rule_of);
        match (wanted.command == EXPLAIN, rule) {
            (true, Some(rule)) => {
                let (data, words) = explained(rule);
                let params = json!({"type": 3, "message": words});
                self.send(&protocol::notification("window/showMessage", &params))?;
                Ok(Ok(data))
            }
            (true, None) => Ok(Err(Refusal::new(Code::InvalidParams, "no such rule"))),
            (false, _) => Ok(Err(Refusal::new(Code::InvalidParams, "no such command"))),
        }
    }

    /// Answers a question, or has it wait for an analysis.
    fn ask(&mut self, question: Question) -> Result<(), LspError> {
        if self.answers.workspace.standing(&question.key) == Standing::Current {
            return self.answer(&question);
        }
        let n_bytes: usize = self.waiting.iter().map(Question::size).sum();
        if n_bytes + question.size() > MAX_WAITING {
            let refusal = Refusal::new(Code::ServerCancelled, "too many requests are waiting for an analysis");
            return self.send(&protocol::answer(&question.id, Err(refusal)));
        }
        self.waiting.push(question);
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<(), LspError> {
        let answer = self.answers.answer(question);
        self.send(&protocol::answer(&question.id, answer))
    }

    /// The time until a question has waited long enough.
    fn patience(&self) -> Option<Duration> {
        let due = self.waiting.iter().filter(|it| it.topic.may_be_behind());
        // Without anything that is known, only an analysis ends the waiting.
        let left = due.map(|it| PATIENCE.saturating_sub(it.since.elapsed())).filter(|it| !it.is_zero());
        left.min()
    }

    /// Answers questions that need not wait any longer.
    fn answer_waiting(&mut self) -> Result<(), LspError> {
        for question in std::mem::take(&mut self.waiting) {
            let is_patient = !question.topic.may_be_behind() || question.since.elapsed() < PATIENCE;
            match self.answers.workspace.standing(&question.key) {
                Standing::Behind if is_patient => self.waiting.push(question),
                Standing::Unknown => self.waiting.push(question),
                Standing::Current | Standing::Behind => self.answer(&question)?,
            }
        }
        Ok(())
    }

    /// Answers questions now, which could not be answered rightly any more.
    fn hurry(&mut self, is_meant: impl Fn(&Question) -> bool) -> Result<(), LspError> {
        for question in std::mem::take(&mut self.waiting) {
            let standing = self.answers.workspace.standing(&question.key);
            if !is_meant(&question) {
                self.waiting.push(question);
            } else if standing == Standing::Unknown || !question.topic.may_be_behind() {
                let refusal = Refusal::new(Code::ContentModified, "the document changed before its analysis");
                self.send(&protocol::answer(&question.id, Err(refusal)))?;
            } else {
                self.answer(&question)?;
            }
        }
        Ok(())
    }

    fn initialize(&mut self, params: Initialize) -> Answer {
        self.phase = Phase::Running;
        let Initialize { capabilities, root_uri, workspace_folders } = params;
        let of_client = |place: &str| capabilities.pointer(place);
        let words = |place: &str| of_client(place).and_then(Value::as_array).into_iter().flatten();
        // Findings count characters, and texts are UTF-8: an encoding that needs no conversion is preferred.
        let known = [Encoding::Utf8, Encoding::Utf32];
        let agreed = known.into_iter().find(|it| words("/general/positionEncodings").any(|name| name == it.name()));
        self.answers.workspace.documents.encoding = agreed.unwrap_or_default();
        self.answers.has_versions = of_client("/workspace/workspaceEdit/documentChanges") == Some(&Value::Bool(true));
        let mut formats = words("/textDocument/hover/contentFormat").peekable();
        self.answers.has_no_markdown = formats.peek().is_some() && formats.all(|it| it != "markdown");
        let folders: Vec<String> = match workspace_folders {
            Some(folders) => folders.into_iter().map(|it| it.uri).collect(),
            None => root_uri.into_iter().collect(),
        };
        self.answers.workspace.roots = folders.iter().filter_map(|it| path_of(it)).collect();
        Ok(protocol::initialized(self.answers.workspace.documents.encoding.name(), EXPLAIN))
    }

    fn notification(&mut self, method: &str, params: Option<&RawValue>) -> Result<Option<End>, LspError> {
        if method == "exit" {
            return Ok(Some(if self.phase == Phase::Down { End::Orderly } else { End::Early }));
        }
        if self.phase != Phase::Running {
            return Ok(None);
        }
        // A notification of another form cannot be answered.
        match method {
            "textDocument/didOpen" => {
                if let Ok(DidOpenParams { text_document: it }) = read(params) {
                    let key = key_of(&it.uri);
                    self.hurry(|question| question.key == key)?;
                    if let Err(error) = self.answers.workspace.open(&it.uri, it.version, &it.text) {
                        self.say(2, error.to_string())?;
                    }
                }
            }
            "textDocument/didChange" => {
                if let Ok(Changed { text_document: it, content_changes }) = read(params) {
                    let key = key_of(&it.uri);
                    self.hurry(|question| question.key == key)?;
                    if let Err(error) = self.answers.workspace.change(&it.uri, it.version, content_changes) {
                        self.say(2, error.to_string())?;
                    }
                }
            }
            "textDocument/didClose" => {
                if let Ok(OfDocument { text_document: it }) = read(params) {
                    let key = key_of(&it.uri);
                    self.hurry(|question| question.key == key)?;
                    self.answers.workspace.close(&key);
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.answers.workspace.files_changed(true),
            "$/cancelRequest" => {
                if let Ok(Cancel { id }) = read(params)
                    && let Some(at) = self.waiting.iter().position(|it| it.id == id)
                {
                    self.waiting.remove(at);
                    let refusal = Refusal::new(Code::Cancelled, "the request was cancelled");
                    self.send(&protocol::answer(&id, Err(refusal)))?;
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                if let Ok(FoldersChanged { event }) = read(params) {
                    let removed: Vec<PathBuf> = event.removed.iter().filter_map(|it| path_of(&it.uri)).collect();
                    self.answers.workspace.roots.retain(|it| !removed.contains(it));
                    self.answers.workspace.roots.extend(event.added.iter().filter_map(|it| path_of(&it.uri)));
                    self.answers.workspace.files_changed(false);
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Sends the changes in the findings of a group. Findings about a text that is gone are not sent: their places are
    /// not those of the text in the editor, for which an analysis will come.
    fn publish(&mut self, report: Report) -> Result<(), LspError> {
        let Report { group, files, remarks } = report;
        for it in remarks {
            self.say(2, it)?;
        }
        let spoken: BTreeSet<&String> = files.iter().map(|it| &it.uri).collect();
        let is_gone = |(uri, it): &(&String, &(Group, Option<i64>, Vec<Value>))| it.0 == group && !spoken.contains(uri);
        let gone: Vec<String> = self.published.iter().filter(is_gone).map(|it| it.0.clone()).collect();
        for uri in gone {
            if let Some((_, _, before)) = self.published.remove(&uri)
                && !before.is_empty()
            {
                let params = json!({"uri": uri, "diagnostics": []});
                self.send(&protocol::notification("textDocument/publishDiagnostics", &params))?;
            }
        }
        let open = &self.answers.workspace.documents.open;
        let is_now = |it: &FileReport| open.get(&it.key).map(|it| it.serial) == it.serial;
        let now: BTreeMap<String, (Option<i64>, Vec<Value>)> =
            files.into_iter().filter(is_now).map(|it| (it.uri, (it.version, it.shown))).collect();
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

#[cfg(test)]
mod tests;
