//! A client of `olmdex lsp`: it speaks the protocol to the program, over its standard input and output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::program;

/// More time than any answer takes, also on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
pub struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next_id: i64,
    /// Notifications that no test has taken yet.
    pub heard: Vec<Value>,
}

/// The address of a file.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Editor {
    /// Starts a server in a directory.
    pub fn start(directory: &Path, args: &[&str]) -> Self {
        let mut command = program();
        command.arg("lsp").args(args).current_dir(directory);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    match line.trim_end().strip_prefix("Content-Length: ") {
                        Some(number) => length = number.parse().unwrap(),
                        None => break,
                    }
                }
                let mut body = vec![0; length];
                output.read_exact(&mut body).unwrap();
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, input, messages, next_id: 1, heard: Vec::new() }
    }

    /// Starts a server and shakes hands with it. The client offers `encodings`, if there are any.
    pub fn initialized(directory: &Path, args: &[&str], encodings: &[&str]) -> Self {
        let mut editor = Self::start(directory, args);
        let answer = editor.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": uri(directory),
                "capabilities": {"general": {"positionEncodings": encodings}},
            }),
        );
        assert!(answer["result"]["capabilities"]["hoverProvider"].as_bool().unwrap(), "{answer}");
        editor.tell("initialized", json!({}));
        editor
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        // A server that has ended takes nothing more.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    pub fn send(&mut self, body: &str) {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// The next message of the server.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the server says something")
    }

    /// Sends a request and waits for its answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        self.answer_to(&json!(id))
    }

    /// Waits for the answer to a request.
    #[track_caller]
    pub fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            let message = self.next();
            if message.get("id") == Some(id) && message.get("method").is_none() {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub fn open(&mut self, uri: &str, version: i64, text: &str) {
        self.tell(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "yaml", "version": version, "text": text}}),
        );
    }

    /// The server's findings about all documents once it has seen this version of one; documents without new findings
    /// are absent.
    #[track_caller]
    pub fn findings(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let is_it = |it: &Value| it["params"]["uri"] == uri && it["params"]["version"] == version;
        while !self.heard.iter().any(is_it) {
            let message = self.next();
            self.heard.push(message);
        }
        // All findings of a check come before the next answer.
        self.ask("textDocument/hover", json!({"textDocument": {"uri": "x:"}, "position": {"line": 0, "character": 0}}));
        let said = std::mem::take(&mut self.heard).into_iter();
        said.filter(|it| it["method"] == "textDocument/publishDiagnostics").map(|it| it["params"].clone()).collect()
    }

    /// Closes the server's input, and returns its exit code and its output on standard error.
    pub fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut error = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
        (self.child.wait().unwrap().code(), error)
    }

    /// Ends the server in the way of the protocol, so it exits with 0.
    #[track_caller]
    pub fn shut_down(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        let (code, error) = self.end();
        assert_eq!((code, error.as_str()), (Some(0), ""));
    }
}
