//! A server whose analysis stops at the points that a test chooses.

use std::io::{PipeReader, PipeWriter};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::*;
use crate::ConfigFile;

const TEXT: &str = "schema: olm.package\nname: till\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: till\nname: stable\nentries:\n- name: till.v1.0.0\n---\nschema: olm.bundle\nname: till.v1.0.0\npackage: till\nimage: example.com/till:1\nproperties:\n- type: olm.package\n  value: {packageName: till, version: 1.0.0}\n";

/// A client, and the gate before each part of an analysis.
struct Session {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    arrived: Receiver<Stage>,
    pass: Sender<()>,
    server: JoinHandle<Result<End, LspError>>,
    n_asked: i64,
    heard: Vec<Value>,
}

impl Session {
    fn start() -> Self {
        let (server_input, input) = std::io::pipe().unwrap();
        let (output, mut server_output) = std::io::pipe().unwrap();
        let (arrive, arrived) = channel();
        let (pass, passes) = channel();
        let options = Options { current: std::env::temp_dir(), config: ConfigFile::Absent, rules: Vec::new() };
        let before = move |stage| {
            // After the end of the test, nothing is held.
            let _ = arrive.send(stage);
            let _ = passes.recv();
        };
        let server = std::thread::spawn(move || serve_gated(server_input, &mut server_output, options, before));
        let output = BufReader::new(output);
        let mut session = Self { input, output, arrived, pass, server, n_asked: 0, heard: Vec::new() };
        session.ask("initialize", json!({"capabilities": {}}));
        session
    }

    fn send(&mut self, body: Value) {
        frame::write(&mut self.input, body.to_string().as_bytes()).unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn request(&mut self, method: &str, params: Value) -> i64 {
        self.n_asked += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.n_asked, "method": method, "params": params}));
        self.n_asked
    }

    fn next(&mut self) -> Value {
        match frame::read(&mut self.output).unwrap() {
            Some(frame::Frame::Body(body)) => serde_json::from_slice(&body).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn answer_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            self.heard.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer_to(id)
    }

    fn open(&mut self, text: &str) {
        let document = json!({"uri": "untitled:a", "languageId": "yaml", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces a part of the text.
    fn write(&mut self, version: i64, (start, end): (Value, Value), text: &str) {
        let change = json!({"range": {"start": start, "end": end}, "text": text});
        let document = json!({"uri": "untitled:a", "version": version});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
    }

    /// Lets an analysis that reaches this part go on.
    fn let_pass(&self, stage: Stage) {
        assert_eq!(self.arrived.recv().unwrap(), stage);
        self.pass.send(()).unwrap();
    }

    /// Lets an analysis that knows the names go on to its end.
    fn finish(&self) {
        self.let_pass(Stage::Findings);
        self.let_pass(Stage::Report);
    }

    /// Waits until an analysis is held.
    fn held(&self, stage: Stage) {
        assert_eq!(self.arrived.recv().unwrap(), stage);
    }

    fn findings(&mut self) -> Value {
        loop {
            let heard = self.heard.iter().position(|it| it["method"] == "textDocument/publishDiagnostics");
            match heard {
                Some(at) => return self.heard.remove(at)["params"].clone(),
                None => {
                    let message = self.next();
                    self.heard.push(message);
                }
            }
        }
    }

    fn shut_down(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.server.join().unwrap().unwrap(), End::Orderly);
    }
}

fn at(line: u32, character: u32) -> Value {
    json!({"line": line, "character": character})
}

fn place(line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": "untitled:a"}, "position": at(line, character), "newName": "x"})
}

/// A session with a document that was analysed, and a later change of its third line: one more line, and another name
/// of the channel.
fn behind() -> Session {
    let mut session = Session::start();
    session.open(TEXT);
    session.let_pass(Stage::Names);
    session.finish();
    assert_eq!(session.findings()["version"], 1);
    session.write(2, (at(2, 0), at(2, 16)), "x: 1\ndefaultChannel: fast");
    session.held(Stage::Names);
    session
}

#[test]
fn while_an_analysis_runs_questions_are_answered_from_the_last_one() {
    let mut session = behind();
    // The entry stands one line below the place where it was analysed.
    let hover = session.ask("textDocument/hover", place(9, 10));
    assert!(hover["result"]["contents"]["value"].as_str().unwrap().contains("till.v1.0.0"), "{hover}");
    assert_eq!(hover["result"]["range"], json!({"start": at(9, 8), "end": at(9, 19)}));
    // The old place has no name.
    assert_eq!(session.ask("textDocument/hover", place(8, 10))["result"], Value::Null);
    let definition = session.ask("textDocument/definition", place(9, 10));
    assert_eq!(definition["result"][0]["range"], json!({"start": at(12, 6), "end": at(12, 17)}));
    let references = session.ask("textDocument/references", place(7, 7));
    // The default channel was changed, and may name another one now.
    assert_eq!(references["result"].as_array().unwrap().len(), 1, "{references}");
    assert_eq!(references["result"][0]["range"], json!({"start": at(7, 6), "end": at(7, 12)}));
    assert_eq!(session.ask("textDocument/hover", place(3, 18))["result"], Value::Null);
    let items = session.ask("textDocument/completion", place(3, 18));
    assert_eq!(items["result"]["items"][0]["label"], "stable", "{items}");
    session.pass.send(()).unwrap();
    session.finish();
    let found = session.findings();
    assert_eq!(found["version"], 2);
    assert!(found["diagnostics"].to_string().contains("faststable"), "{found}");
    assert!(session.ask("textDocument/hover", place(3, 18))["result"].is_object());
    session.shut_down();
}

#[test]
fn findings_of_a_text_that_is_gone_are_neither_made_nor_sent() {
    let mut session = behind();
    // Two changes meanwhile are one analysis.
    session.write(3, (at(0, 0), at(0, 0)), "# a\n");
    session.write(4, (at(0, 0), at(0, 0)), "# b\n");
    assert!(session.ask("textDocument/hover", place(11, 10))["result"].is_object());
    session.pass.send(()).unwrap();
    session.finish();
    session.let_pass(Stage::Names);
    // Findings about a text are not sent once there is another one.
    session.let_pass(Stage::Findings);
    session.held(Stage::Report);
    session.write(5, (at(0, 0), at(0, 0)), "# c\n");
    assert!(session.ask("textDocument/hover", place(12, 10))["result"].is_object());
    session.pass.send(()).unwrap();
    session.let_pass(Stage::Names);
    session.finish();
    let found = session.findings();
    assert_eq!(found["version"], 5);
    assert_eq!(found["diagnostics"][0]["range"]["start"]["line"], 5, "{found}");
    session.shut_down();
}

#[test]
fn without_an_analysis_and_for_a_rename_a_question_waits() {
    let mut session = Session::start();
    session.open(TEXT);
    session.held(Stage::Names);
    let hover = session.request("textDocument/hover", place(8, 10));
    let cancelled = session.request("textDocument/hover", place(8, 10));
    session.tell("$/cancelRequest", json!({"id": cancelled}));
    assert_eq!(session.answer_to(cancelled)["error"]["code"], -32800);
    session.pass.send(()).unwrap();
    assert!(session.answer_to(hover)["result"].is_object());
    session.finish();
    // A rename waits until the change has been analysed, unless another change comes before.
    session.write(2, (at(0, 0), at(0, 0)), "# a\n");
    session.held(Stage::Names);
    let rename = session.request("textDocument/rename", place(9, 10));
    session.write(3, (at(0, 0), at(0, 0)), "# b\n");
    assert_eq!(session.answer_to(rename)["error"]["code"], -32801);
    let rename = session.request("textDocument/rename", place(10, 10));
    session.pass.send(()).unwrap();
    session.finish();
    session.let_pass(Stage::Names);
    let answer = session.answer_to(rename);
    let edits = answer["result"]["changes"]["untitled:a"].as_array().unwrap();
    let lines: Vec<&Value> = edits.iter().map(|it| &it["range"]["start"]["line"]).collect();
    assert_eq!(lines, [10, 13], "{answer}");
    session.finish();
    session.shut_down();
}

#[test]
fn questions_that_wait_have_a_budget() {
    let mut session = Session::start();
    session.open(TEXT);
    session.held(Stage::Names);
    let mut large = place(8, 10);
    large["newName"] = "x".repeat(MAX_WAITING).into();
    assert_eq!(session.ask("textDocument/rename", large)["error"]["code"], -32802);
    session.shut_down();
}

#[test]
fn a_server_ends_while_an_analysis_runs() {
    let mut session = behind();
    let waits = session.request("textDocument/rename", place(9, 10));
    let shutdown = session.request("shutdown", Value::Null);
    assert_eq!(session.answer_to(waits)["error"]["code"], -32801);
    assert_eq!(session.answer_to(shutdown)["result"], Value::Null);
    session.tell("exit", Value::Null);
    // The analysis is held to the end.
    assert_eq!(session.server.join().unwrap().unwrap(), End::Orderly);
    let session = behind();
    drop(session.input);
    assert_eq!(session.server.join().unwrap().unwrap(), End::Early);
}

#[test]
fn a_server_whose_analysis_has_failed_ends() {
    let (server_input, mut input) = std::io::pipe().unwrap();
    let mut send = |body: Value| frame::write(&mut input, body.to_string().as_bytes()).unwrap();
    send(json!({"id": 1, "method": "initialize", "params": {"capabilities": {}}}));
    let document = json!({"uri": "untitled:a", "languageId": "yaml", "version": 1, "text": TEXT});
    send(json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
    send(json!({"id": 2, "method": "textDocument/hover", "params": place(8, 10)}));
    let fails = |_| panic!("a bug");
    let ended = serve_gated(server_input, &mut Vec::new(), Options::default(), fails);
    assert!(matches!(ended, Err(LspError::Analysis)), "{ended:?}");
}
