//! The messages of the Language Server Protocol that this server knows, as data.
//!
//! They are few, so they are written down here, with only the fields that are needed. An unknown field is ignored, as
//! the protocol demands.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::lines::{Position, Range};
use olmdex_base::diag::{Finding, Severity};

/// A message from the client. Its parameters are read when their type is known.
#[derive(Debug, Deserialize)]
pub(super) struct Incoming<'m> {
    /// The identifier of a request.
    #[serde(default)]
    pub(super) id: Option<Value>,
    /// None in the answer to a request of the server.
    #[serde(default)]
    pub(super) method: Option<String>,
    #[serde(default, borrow)]
    pub(super) params: Option<&'m RawValue>,
}

/// Errors of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Parse = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    NotInitialized = -32002,
    Cancelled = -32800,
    ContentModified = -32801,
    ServerCancelled = -32802,
    RequestFailed = -32803,
}

/// The reason why a request has no answer.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// The body of an answer.
pub(super) fn answer(id: &Value, result: Result<Value, Refusal>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Refusal { code, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}})
        }
    }
}

/// The body of a notification.
pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Initialize {
    pub(super) capabilities: Value,
    pub(super) root_uri: Option<String>,
    pub(super) workspace_folders: Option<Vec<WorkspaceFolder>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WorkspaceFolder {
    pub(super) uri: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidOpenParams {
    pub(super) text_document: OpenedDocument,
}

#[derive(Debug, Deserialize)]
pub(super) struct OpenedDocument {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) version: Option<i64>,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Changed {
    pub(super) text_document: Identifier,
    pub(super) content_changes: Vec<ContentChange>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ContentChange {
    #[serde(default)]
    pub(super) range: Option<Range>,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Identifier {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) version: Option<i64>,
}

/// Parameters that name a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfDocument {
    pub(super) text_document: Identifier,
}

/// Parameters that name a place in a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AtPlace {
    pub(super) text_document: Identifier,
    pub(super) position: Position,
    #[serde(default)]
    pub(super) new_name: String,
}

/// Parameters that name a document and findings in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfFindings {
    pub(super) text_document: Identifier,
    pub(super) context: Value,
}

/// A command that the server is to run.
#[derive(Debug, Deserialize)]
pub(super) struct Execute {
    pub(super) command: String,
    #[serde(default)]
    pub(super) arguments: Vec<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cancel {
    pub(super) id: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct FoldersChanged {
    pub(super) event: FoldersEvent,
}

#[derive(Debug, Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(super) struct FoldersEvent {
    pub(super) added: Vec<WorkspaceFolder>,
    pub(super) removed: Vec<WorkspaceFolder>,
}

/// A place in a file.
pub(super) fn location(uri: &str, range: Range) -> Value {
    json!({"uri": uri, "range": range})
}

/// A change of a text.
pub(super) fn text_edit(range: Range, new_text: &str) -> Value {
    json!({"range": range, "newText": new_text})
}

/// A finding as editors show it.
pub(super) fn diagnostic(finding: &Finding, range: Range) -> Value {
    let severity = match finding.rule.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    let message = match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    };
    json!({
        "range": range,
        "severity": severity,
        "code": finding.rule.id,
        "codeDescription": {"href": finding.rule.help_uri()},
        "source": "olmdex",
        "message": message,
    })
}

/// The capabilities of the server, in the agreed units of columns.
pub(super) fn initialized(encoding: &str, explain_command: &str) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
            "completionProvider": {"triggerCharacters": [" ", "\"", "'"]},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "renameProvider": {"prepareProvider": true},
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            "executeCommandProvider": {"commands": [explain_command]},
            "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
        },
        "serverInfo": {"name": "olmdex", "version": olmdex_base::diag::envelope::VERSION},
    })
}
