//! `olmdex lsp`: an editor's view, in `fixtures/editor`, and broken or hostile clients and documents.
//!
//! A file of `fixtures/editor` has documents with marks (`«1»`), questions at the marks, and the recorded answers.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::editor::{Editor, uri};
use crate::support::recording::expect_recorded;
use crate::support::{scratch, write};

/// A document as the editor has it.
#[derive(Default)]
struct Document {
    text: String,
    /// Bytes of marks.
    marks: BTreeMap<String, usize>,
    version: i64,
}

/// A document without its marks.
fn unmarked(text: &str) -> Document {
    let mut document = Document::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        let (mark, after) = after.split_once('»').unwrap();
        document.text.push_str(before);
        document.marks.insert(mark.to_owned(), document.text.len());
        rest = after;
    }
    document.text.push_str(rest);
    document
}

/// The position of a byte, columns in units of UTF-16.
fn position(text: &str, offset: usize) -> Value {
    let line = text[..offset].matches('\n').count();
    let start = text[..offset].rfind('\n').map_or(0, |it| it + 1);
    json!({"line": line, "character": text[start..offset].encode_utf16().count()})
}

fn range_words(range: &Value) -> String {
    let at = |it: &Value| format!("{}:{}", it["line"].as_u64().unwrap() + 1, it["character"].as_u64().unwrap() + 1);
    format!("{}-{}", at(&range["start"]), at(&range["end"]))
}

/// A directory with the documents of a case, and the editor with the directory open.
struct Session {
    directory: tempfile::TempDir,
    documents: BTreeMap<String, Document>,
    editor: Editor,
    /// The last findings of each document.
    said: BTreeMap<String, Value>,
}

impl Session {
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The document that has a mark, with the byte.
    fn marked(&self, mark: &str) -> (String, usize) {
        let found = self.documents.iter().find_map(|(name, it)| Some((name.clone(), *it.marks.get(mark)?)));
        found.unwrap_or_else(|| panic!("no mark {mark}"))
    }

    fn relative(&self, uri_text: &str) -> String {
        uri_text.replace(&format!("{}/", uri(self.directory.path())), "")
    }

    fn at(&self, mark: &str) -> Value {
        let (name, offset) = self.marked(mark);
        let position = position(&self.documents[&name].text, offset);
        json!({"textDocument": {"uri": uri(&self.path(&name))}, "position": position})
    }

    /// Asks the question in one line, and returns the answer.
    fn ask(&mut self, line: &str) -> String {
        let mut words = line.splitn(3, ' ');
        let (what, of, rest) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or_default());
        match what {
            "open" => {
                let document = self.documents.get_mut(of).unwrap();
                document.version = 1;
                let (path, text) = (self.directory.path().join(of), document.text.clone());
                self.editor.open(&uri(&path), 1, &text);
                self.findings(of)
            }
            "type" => {
                let (name, offset) = self.marked(of);
                let new: String = serde_json::from_str(rest).unwrap();
                let document = self.documents.get_mut(&name).unwrap();
                let at = position(&document.text, offset);
                document.text.insert_str(offset, &new);
                document.version += 1;
                for mark in document.marks.values_mut().filter(|it| **it >= offset) {
                    *mark += new.len();
                }
                let change = json!({"range": {"start": at, "end": at}, "text": new});
                let of = json!({"uri": uri(&self.directory.path().join(&name)), "version": document.version});
                self.editor.tell("textDocument/didChange", json!({"textDocument": of, "contentChanges": [change]}));
                self.findings(&name)
            }
            "complete" => {
                let answer = self.editor.ask("textDocument/completion", self.at(of));
                let Some(items) = answer["result"]["items"].as_array() else {
                    return format!("{}\n", answer["result"]);
                };
                let mut text = String::new();
                for item in items.iter().take(12) {
                    let edit = &item["textEdit"];
                    let range = range_words(&edit["range"]);
                    text.push_str(&format!("{} → {} at {range}\n", item["label"].as_str().unwrap(), edit["newText"]));
                }
                if items.len() > 12 {
                    text.push_str(&format!("… {} in all\n", items.len()));
                }
                text
            }
            "hover" => {
                let answer = self.editor.ask("textDocument/hover", self.at(of));
                match answer["result"]["contents"]["value"].as_str() {
                    Some(text) => format!("at {}\n{text}\n", range_words(&answer["result"]["range"])),
                    None => format!("{}\n", answer["result"]),
                }
            }
            "definition" | "references" => {
                let answer = self.editor.ask(&format!("textDocument/{what}"), self.at(of));
                let places = answer["result"].as_array().cloned().unwrap_or_default();
                let word = |it: &Value| {
                    format!("{}:{}\n", self.relative(it["uri"].as_str().unwrap()), range_words(&it["range"]))
                };
                places.iter().map(word).collect()
            }
            "actions" => {
                let name = of.to_owned();
                let diagnostics = self.said.get(&name).cloned().unwrap_or_default();
                let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}});
                let of = json!({"uri": uri(&self.path(&name))});
                let params = json!({"textDocument": of, "range": range, "context": {"diagnostics": diagnostics}});
                let answer = self.editor.ask("textDocument/codeAction", params);
                let mut text = String::new();
                for action in answer["result"].as_array().unwrap() {
                    text.push_str(&format!("{}\n", action["title"].as_str().unwrap()));
                    for (uri, edits) in action["edit"]["changes"].as_object().into_iter().flatten() {
                        for edit in edits.as_array().unwrap() {
                            let (uri, range) = (self.relative(uri), range_words(&edit["range"]));
                            text.push_str(&format!("  {uri}:{range} {}\n", edit["newText"]));
                        }
                    }
                    if let Some(command) = action.get("command") {
                        let answer = self.editor.ask("workspace/executeCommand", command.clone());
                        text.push_str(&format!("  {}\n", answer["result"]["summary"].as_str().unwrap()));
                    }
                }
                text
            }
            "rename" => {
                let mut params = self.at(of);
                let prepared = self.editor.ask("textDocument/prepareRename", params.clone());
                params["newName"] = rest.into();
                let answer = self.editor.ask("textDocument/rename", params);
                if let Some(error) = answer.get("error") {
                    return format!(
                        "{} {}\n",
                        error["code"],
                        self.relative(error["message"].as_str().unwrap())
                            .replace(&format!("{}/", self.directory.path().display()), "")
                    );
                }
                let mut text = format!("from {}\n", prepared["result"]["placeholder"]);
                for (uri, edits) in answer["result"]["changes"].as_object().unwrap() {
                    for edit in edits.as_array().unwrap() {
                        text.push_str(&format!(
                            "{}:{} {}\n",
                            self.relative(uri),
                            range_words(&edit["range"]),
                            edit["newText"]
                        ));
                    }
                }
                text
            }
            _ => panic!("{line}"),
        }
    }

    fn findings(&mut self, name: &str) -> String {
        let version = self.documents[name].version;
        let of = uri(&self.path(name));
        let mut text = String::new();
        for said in self.editor.findings(&of, version) {
            let name = self.relative(said["uri"].as_str().unwrap());
            let findings = said["diagnostics"].as_array().unwrap();
            self.said.insert(name.clone(), said["diagnostics"].clone());
            if findings.is_empty() {
                text.push_str(&format!("{name}: nothing\n"));
            }
            for it in findings {
                let severity = if it["severity"] == 1 { "error" } else { "warning" };
                let message =
                    it["message"].as_str().unwrap().replace(&format!("{}/", self.directory.path().display()), "");
                let message = message.replace('\n', "\n    ");
                let code = it["code"].as_str().unwrap();
                text.push_str(&format!("{name}:{} {severity} {code} {message}\n", range_words(&it["range"])));
            }
        }
        text
    }
}

/// The sections of a case: their titles and texts.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("=== ") {
            Some(title) => found.push((title.trim_end().to_owned(), String::new())),
            None => {
                if let Some((_, text)) = found.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    found
}

fn answered(case: &str) -> String {
    let directory = scratch();
    let mut documents = BTreeMap::new();
    let mut asked = String::new();
    for (title, text) in sections(case) {
        match title.as_str() {
            "asked" => asked = text,
            "answers" => {}
            name => {
                let document = unmarked(&text);
                write(directory.path(), name, &document.text);
                documents.insert(name.to_owned(), document);
            }
        }
    }
    let editor = Editor::initialized(directory.path(), &[], &[]);
    let mut session = Session { directory, documents, editor, said: BTreeMap::new() };
    let mut answers = String::new();
    for line in asked.lines() {
        answers.push_str(&format!("> {line}\n{}", session.ask(line)));
    }
    session.editor.shut_down();
    let (head, _) = case.split_once("=== answers\n").unwrap_or((case, ""));
    format!("{head}=== answers\n{answers}")
}

#[test]
fn an_editor_is_answered_as_recorded() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/editor");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|it| it.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() > 5);
    let found: Vec<(PathBuf, String)> =
        cases.into_iter().map(|path| (path.clone(), answered(&std::fs::read_to_string(path).unwrap()))).collect();
    expect_recorded("language_server", &found);
}

const PACKAGE: &str = "schema: olm.package\nname: till\ndefaultChannel: stable\n";

#[test]
fn a_server_ends_as_the_protocol_has_it() {
    let directory = scratch();
    let start = || Editor::start(directory.path(), &[]);
    Editor::initialized(directory.path(), &[], &[]).shut_down();
    // Before and after its time nothing is answered.
    let mut editor = start();
    assert_eq!(editor.ask("textDocument/hover", json!({}))["error"]["code"], -32002);
    editor.tell("textDocument/didOpen", json!({"textDocument": {"uri": "file:///a", "text": ""}}));
    assert_eq!(editor.ask("shutdown", Value::Null)["error"]["code"], -32002);
    assert!(editor.ask("initialize", json!({"capabilities": {}}))["result"].is_object());
    assert_eq!(editor.ask("initialize", json!({"capabilities": {}}))["error"]["code"], -32600);
    assert_eq!(editor.ask("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(editor.ask("textDocument/hover", json!({}))["error"]["code"], -32600);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.end().0, Some(0));
    // Without `shutdown`, and without any message.
    let mut editor = Editor::initialized(directory.path(), &[], &[]);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.end(), (Some(1), String::new()));
    assert_eq!(Editor::initialized(directory.path(), &[], &[]).end(), (Some(1), String::new()));
    assert_eq!(start().end().0, Some(1));
}

#[test]
fn a_broken_header_ends_the_server_with_words() {
    let directory = scratch();
    for header in [
        "Content-Length: 18446744073709551616\r\n\r\n{}",
        "Content-Length: -5\r\n\r\n{}",
        "Content-Length: x\r\n\r\n{}",
        "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "Content-Length: 40\r\n\r\n{}",
        "Content-Length: 2",
    ] {
        let mut editor = Editor::start(directory.path(), &[]);
        editor.send_bytes(header.as_bytes());
        let (code, error) = editor.end();
        assert_eq!(code, Some(1), "{header:?} {error}");
        assert!(error.starts_with("error: the client "), "{header:?} {error}");
    }
    let mut editor = Editor::start(directory.path(), &[]);
    editor.send_bytes(&vec![b'x'; 1 << 20]);
    assert_eq!(editor.end().0, Some(1));
    // A length that exceeds all memory: the promised bytes never come.
    let mut editor = Editor::start(directory.path(), &[]);
    editor.send_bytes(b"Content-Length: 9223372036854775807\r\n\r\n{}");
    let (code, error) = editor.end();
    assert!(code == Some(1) && error.contains("in the middle of a message"), "{error}");
}

#[test]
fn a_body_that_is_no_message_is_answered_and_survived() {
    let directory = scratch();
    let mut editor = Editor::initialized(directory.path(), &[], &[]);
    let deep = format!(
        "{{\"id\": 1, \"method\": \"textDocument/hover\", \"params\": {}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{0}", -32700),
        ("[]", -32600),
        ("[{\"id\": 1, \"method\": \"shutdown\"}]", -32600),
        ("{\"id\": {}, \"method\": \"shutdown\"}", -32600),
        ("{\"id\": 1, \"method\": 5}", -32600),
        ("3", -32600),
    ] {
        editor.send(body);
        assert_eq!(editor.answer_to(&Value::Null)["error"]["code"], code, "{body}");
    }
    editor.send(&deep);
    assert_eq!(editor.answer_to(&json!(1))["error"]["code"], -32602);
    editor.send_bytes(b"Content-Length: 2\r\n\r\n\xff\xfe");
    assert_eq!(editor.answer_to(&Value::Null)["error"]["code"], -32700);
    // Parameters of another form, and unknown requests.
    for params in [json!(null), json!([]), json!({"textDocument": {"uri": 3}}), json!({"position": {"line": -1}})] {
        assert_eq!(editor.ask("textDocument/hover", params)["error"]["code"], -32602);
    }
    let far =
        json!({"textDocument": {"uri": "file:///nowhere"}, "position": {"line": 4_294_967_296_u64, "character": 0}});
    assert_eq!(editor.ask("textDocument/hover", far)["error"]["code"], -32602);
    assert_eq!(editor.ask("$/whatever", json!({}))["error"]["code"], -32601);
    editor.tell("$/whatever", json!({}));
    editor.tell("textDocument/didOpen", json!({"textDocument": 3}));
    editor.tell("textDocument/didChange", json!({}));
    editor.tell("textDocument/didClose", json!(["x"]));
    // Answers to questions that it never asked.
    editor.send("{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": null}");
    editor.shut_down();
}

#[test]
fn a_request_that_was_cancelled_in_time_is_not_done() {
    let directory = scratch();
    let mut editor = Editor::initialized(directory.path(), &[], &[]);
    let hover = json!({"jsonrpc": "2.0", "id": "h", "method": "textDocument/hover", "params": {"textDocument": {"uri": "x:"}, "position": {"line": 0, "character": 0}}});
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "h"}});
    // While the server is busy with the first document, both others wait.
    let large = format!("{PACKAGE}description: |\n{}", "  text\n".repeat(1_000_000));
    editor.open("untitled:large", 1, &large);
    editor.findings("untitled:large", 1);
    let change = json!({"textDocument": {"uri": "untitled:large", "version": 2}, "contentChanges": [{"text": large}]});
    editor.tell("textDocument/didChange", change);
    editor.send(&hover.to_string());
    editor.send(&cancel.to_string());
    let answer = editor.answer_to(&json!("h"));
    // It was either answered first or cancelled, and it has one answer.
    assert!(answer["error"]["code"] == -32800 || answer["result"].is_null(), "{answer}");
    editor.shut_down();
}

#[test]
fn positions_are_counted_as_agreed() {
    let directory = scratch();
    let text = "schema: olm.package\nname: till\ndefaultChannel: stable # \u{1f600}\ndescription: [\"\u{1f600}ä\", x, \u{1f600}\n";
    for (offered, agreed, column) in [
        (vec![], "utf-16", 25),
        (vec!["utf-16"], "utf-16", 25),
        (vec!["utf-16", "utf-8"], "utf-8", 28),
        (vec!["utf-32", "utf-16"], "utf-32", 24),
        (vec!["x"], "utf-16", 25),
    ] {
        let mut editor = Editor::start(directory.path(), &[]);
        let params = json!({"capabilities": {"general": {"positionEncodings": offered}}});
        let answer = editor.ask("initialize", params);
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], agreed);
        editor.open("untitled:x", 1, "schema: olm.package\nname: till\nx: 1\n");
        editor.findings("untitled:x", 1);
        // A change in the middle of a line with characters of all widths: `x` becomes `]#`.
        editor.open("untitled:y", 1, text);
        editor.findings("untitled:y", 1);
        let prefix = "description: [\"\u{1f600}ä\", ";
        let units = match agreed {
            "utf-8" => prefix.len(),
            "utf-32" => prefix.chars().count(),
            _ => prefix.encode_utf16().count(),
        };
        assert!(units <= column);
        let range = json!({"start": {"line": 3, "character": units}, "end": {"line": 3, "character": units + 1}});
        let of = json!({"uri": "untitled:y", "version": 2});
        let change = json!({"textDocument": of, "contentChanges": [{"range": range, "text": "] #"}]});
        editor.tell("textDocument/didChange", change);
        let said = editor.findings("untitled:y", 2);
        let rules: Vec<&str> =
            said[0]["diagnostics"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
        // The text can be read again: the description is a list, and nothing is broken.
        assert!(rules.contains(&"E0010") || !rules.contains(&"E0002"), "{agreed} {rules:?}");
        // Places outside of the text become the nearest ones inside, in any order.
        let odd = json!({"start": {"line": 9, "character": 9}, "end": {"line": 0, "character": 9_999}});
        let change = json!({"textDocument": {"uri": "untitled:y", "version": 3}, "contentChanges": [{"range": odd, "text": "\n"}]});
        editor.tell("textDocument/didChange", change);
        editor.findings("untitled:y", 3);
        editor.tell("exit", Value::Null);
        editor.end();
    }
}

#[test]
fn hostile_documents_are_only_documents() {
    let directory = scratch();
    let mut editor = Editor::initialized(directory.path(), &[], &[]);
    let deep = format!("schema: olm.package\nx: {}\n", "[".repeat(100_000));
    let deep_blocks: String = (0..3_000).map(|it| format!("{}a:\n", " ".repeat(it))).collect();
    let bomb = "schema: olm.package\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n";
    let texts = [
        deep,
        format!("schema: olm.channel\n{deep_blocks}"),
        bomb.to_owned(),
        format!("{{\"schema\": \"olm.package\", \"x\": {}", "[".repeat(100_000)),
        format!("{{\"schema\": \"olm.package\", \"x\": {}1{}}}", "{\"a\":".repeat(50_000), "}".repeat(50_000)),
        "schema: olm.package\nname: \u{0}\u{7}\u{202e}\n".to_owned(),
        "schema: olm.package\r\nname: a\rb: c\u{2028}\u{85}\r\n".to_owned(),
        "\u{feff}schema: olm.channel\n---\n--- x\n---\n".to_owned(),
        format!("schema: olm.channel\nname: {}\n", "x".repeat(1 << 20)),
        "schema: olm.bundle\n- - - -\n? : ?\n".to_owned(),
    ];
    for (number, text) in texts.iter().enumerate() {
        let of = format!("untitled:{number}");
        editor.open(&of, 1, text);
        editor.findings(&of, 1);
        for (line, character) in [(0, 0), (1, 3), (1, 90_000), (7, 2), (2_500, 2_400), (u32::MAX, u32::MAX)] {
            let at = json!({"textDocument": {"uri": of}, "position": {"line": line, "character": character}, "newName": "y"});
            for method in ["hover", "completion", "definition", "references", "prepareRename", "rename"] {
                let answer = editor.ask(&format!("textDocument/{method}"), at.clone());
                assert!(answer.get("result").is_some() || answer["error"]["code"] == -32803, "{answer:.300}");
            }
        }
    }
    editor.shut_down();
}

#[test]
fn addresses_that_are_no_files_and_files_that_are_none() {
    let directory = scratch();
    let outside = scratch();
    write(outside.path(), "secret.yaml", "schema: olm.package\nname: secret\n");
    let inside = write(directory.path(), "till/package.yaml", PACKAGE);
    std::os::unix::fs::symlink(outside.path(), directory.path().join("till/linked")).unwrap();
    std::os::unix::fs::symlink("loop", directory.path().join("till/loop")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", directory.path().join("till/zero.yaml")).unwrap();
    let fifo = directory.path().join("till/fifo.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut editor = Editor::initialized(directory.path(), &[], &[]);
    for of in [
        "untitled:a",
        "git:/a?b",
        "file:",
        "file://host/a.yaml",
        "file:///a%00.yaml",
        "",
        "file:///",
        "%%%",
        "file:///no/such/../x.yaml",
    ] {
        editor.open(of, 1, PACKAGE);
        let said = editor.findings(of, 1);
        assert!(said.iter().any(|it| it["uri"] == of && it["diagnostics"][0]["code"] == "E0105"), "{of} {said:?}");
    }
    // The server reads the directory of a document, but neither links to other directories nor files that are not
    // regular.
    let dotted = uri(&directory.path().join("till/../till/package.yaml"));
    for of in [uri(&inside), dotted] {
        editor.open(&of, 1, PACKAGE);
        let said = editor.findings(&of, 1);
        assert!(said.iter().any(|it| it["uri"] == of.as_str()), "{of} {said:?}");
        assert!(!format!("{said:?}").contains("secret"), "{said:?}");
    }
    // A foreign document gets no findings.
    let foreign = uri(&directory.path().join("till/deployment.yaml"));
    editor.open(&foreign, 1, "apiVersion: v1\nkind: Pod\nspec: [\n");
    let at = json!({"textDocument": {"uri": foreign}, "position": {"line": 1, "character": 1}});
    assert!(editor.ask("textDocument/completion", at)["result"].is_null());
    std::thread::sleep(std::time::Duration::from_millis(300));
    editor.ask("textDocument/hover", json!({"textDocument": {"uri": "x:"}, "position": {"line": 0, "character": 0}}));
    assert!(!editor.heard.iter().any(|it| it["params"]["uri"] == foreign.as_str()), "{:?}", editor.heard);
    editor.shut_down();
}

#[test]
fn findings_follow_the_text_of_all_open_documents() {
    let directory = scratch();
    let package = write(directory.path(), "till/package.yaml", PACKAGE);
    let channel_text = "schema: olm.channel\npackage: till\nname: fast\nentries:\n- name: till.v1\n";
    let channel = write(directory.path(), "till/channels/stable.yaml", channel_text);
    let bundle = "schema: olm.bundle\npackage: till\nname: till.v1\nimage: quay.io/shop/till:v1\nproperties:\n- type: olm.package\n  value: {packageName: till, version: 1.0.0}\n";
    write(directory.path(), "till/bundles/v1.yaml", bundle);
    let mut editor = Editor::initialized(directory.path(), &[], &[]);
    let (package, channel) = (uri(&package), uri(&channel));
    // On the disk the channel has another name, so the package has a finding, although only the channel is open.
    editor.open(&channel, 1, channel_text);
    let said = editor.findings(&channel, 1);
    let of = |said: &[Value], uri: &str| {
        said.iter().rev().find(|it| it["uri"] == uri).map(|it| it["diagnostics"].to_string())
    };
    assert!(of(&said, &package).unwrap().contains("`stable`"), "{said:?}");
    // The name in the editor counts.
    let range = json!({"start": {"line": 2, "character": 6}, "end": {"line": 2, "character": 10}});
    let change =
        json!({"textDocument": {"uri": channel, "version": 2}, "contentChanges": [{"range": range, "text": "stable"}]});
    editor.tell("textDocument/didChange", change);
    let said = editor.findings(&channel, 2);
    assert_eq!(of(&said, &package).unwrap(), "[]", "{said:?}");
    // After a document is closed without being saved, the disk counts again; with no open document, there are no
    // findings.
    editor.open(&package, 1, PACKAGE);
    editor.findings(&package, 1);
    editor.tell("textDocument/didClose", json!({"textDocument": {"uri": channel}}));
    let change = json!({"textDocument": {"uri": package, "version": 2}, "contentChanges": [{"text": PACKAGE}]});
    editor.tell("textDocument/didChange", change);
    let said = editor.findings(&package, 2);
    assert!(of(&said, &package).unwrap().contains("`stable`"), "{said:?}");
    editor.tell("textDocument/didClose", json!({"textDocument": {"uri": package}}));
    while !editor
        .heard
        .iter()
        .any(|it| it["params"]["uri"] == package.as_str() && it["params"]["diagnostics"] == json!([]))
    {
        let message = editor.next();
        editor.heard.push(message);
    }
    editor.shut_down();
    // Nothing was written.
    assert_eq!(std::fs::read_to_string(directory.path().join("till/channels/stable.yaml")).unwrap(), channel_text);
}

#[test]
fn olmdex_toml_chooses() {
    let directory = scratch();
    let path =
        write(directory.path(), "catalog/till.yaml", "schema: olm.package\nname: till\ndefaultChannel: stable\n");
    write(directory.path(), "olmdex.toml", "[findings]\nseverity = { E0105 = \"warning\" }\n");
    let rules = |args: &[&str]| {
        let mut editor = Editor::initialized(directory.path(), args, &[]);
        editor.open(&uri(&path), 1, PACKAGE);
        let said = editor.findings(&uri(&path), 1);
        editor.shut_down();
        said[0]["diagnostics"][0]["severity"].as_i64()
    };
    assert_eq!(rules(&[]), Some(2));
    assert_eq!(rules(&["--no-config"]), Some(1));
    let other = write(directory.path(), "other.toml", "[findings]\nignore = [\"ALL\"]\n");
    assert_eq!(rules(&["--config", other.to_str().unwrap()]), None);
    // A file in the catalog came with it, and is not used.
    write(directory.path(), "catalog/olmdex.toml", "[findings]\nignore = [\"ALL\"]\n");
    let inner = directory.path().join("catalog");
    let mut editor = Editor::initialized(&inner, &[], &[]);
    editor.open(&uri(&path), 1, PACKAGE);
    assert_eq!(editor.findings(&uri(&path), 1)[0]["diagnostics"][0]["severity"], 2);
    editor.shut_down();
    // The fault of the file is reported once, and all findings are shown.
    write(directory.path(), "olmdex.toml", "[findings]\nignore = [\"nothing\"]\n");
    let mut editor = Editor::initialized(directory.path(), &[], &[]);
    editor.open(&uri(&path), 1, PACKAGE);
    while !editor.heard.iter().any(|it| it["method"] == "window/showMessage") {
        let message = editor.next();
        editor.heard.push(message);
    }
    assert_eq!(editor.findings(&uri(&path), 1)[0]["diagnostics"][0]["severity"], 1);
    editor.shut_down();
}

#[test]
fn a_bundle_that_cannot_be_read_says_why() {
    let directory = scratch();
    let text =
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: till.v1.0.0}\n";
    let csv = write(directory.path(), "till/manifests/csv.yaml", text);
    write(directory.path(), "till/metadata/annotations.yaml", "annotations: {}\n");
    let large = std::fs::File::create(directory.path().join("till/manifests/large.yaml")).unwrap();
    large.set_len(4 << 30).unwrap();
    let mut editor = Editor::initialized(directory.path(), &[], &[]);
    editor.open(&uri(&csv), 1, text);
    let said = editor.findings(&uri(&csv), 1);
    let findings = said[0]["diagnostics"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{said:?}");
    assert_eq!(findings[0]["code"], "E0001");
    assert!(findings[0]["message"].as_str().unwrap().contains("large.yaml"), "{said:?}");
    editor.shut_down();
}
