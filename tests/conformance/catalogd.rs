//! `catalogd/`: exchanges with catalogd's HTTP handler. Additional headers of our answers (`ETag`, `Allow`) are not
//! compared, and lengths may be known where the real handler sends chunks.
//!
//! GraphQL's answers are compared exactly if the recorded one has no `errors`. Otherwise ours has the same status, the
//! same headers but the length, the same `data`, and `errors` of its own: their words, places and number are those of
//! `async-graphql`, where catalogd has those of graphql-go.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::serve::catalogd::{CatalogRequest, Encoding, Site, answer, refuses_version, version_refusal};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::inputs::shared;
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder { name: "catalogd", run };

/// 2026-08-20T10:00:00Z, when all catalogs were stored.
const STORED: u64 = 1_787_220_000;

fn run(root: &Path) -> Vec<Case> {
    let Ok(text) = fs::read_to_string(root.join("catalogd/http.jsonl")) else { return Vec::new() };
    let index = index_of(root);
    let asked_catalogs = AskedCatalogs::default();
    let mut cases = Vec::new();
    for line in text.lines() {
        let Ok(case) = serde_json::from_str::<Value>(line) else { continue };
        cases.push(Case::run(format!("catalogd/{}", case["id"]), || match &index {
            Ok(index) => check(index, &asked_catalogs, &case),
            Err(why) => Outcome::NotRunnable(why.clone()),
        }));
    }
    cases
}

fn index_of(root: &Path) -> Result<Index, String> {
    let mut builder = Builder::in_memory().keeping_all();
    for name in ["custom", "empty", "tiny", "edge"] {
        let path = shared(root, &format!("catalogd/catalogs/{name}"));
        let is_empty = fs::read_dir(&path).map_or(true, |mut it| it.next().is_none());
        let input = match is_empty {
            true => Input::bytes("empty.yaml", Arc::from(Vec::new())),
            false => Input::directory(&path).map_err(|error| format!("{}: {error}", path.display()))?,
        };
        let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &input, Mode::Tolerant).map_err(|error| error.to_string())?;
    }
    builder.into_index().map_err(|error| error.to_string())
}

/// The data that GraphQL keeps of catalogs, if it is built.
#[derive(Default)]
struct AskedCatalogs {
    #[cfg(feature = "graphql")]
    schemas: olmdex::serve::catalogd::Schemas,
}

/// The body of a request. The record has only the digest of a long body, so the body is made again.
fn sent(body: &Value) -> Option<Vec<u8>> {
    let made = || {
        let candidates = [
            format!("{{\"query\":\"{}\"}}", "a".repeat(100_001)),
            format!("{{\"query\": \"{{ {}}}\"}}", "__typename ".repeat(501)),
        ];
        candidates.into_iter().map(String::into_bytes).find(|it| is_body(body, it))
    };
    match body {
        Value::Null => Some(Vec::new()),
        Value::String(text) => Some(text.clone().into_bytes()),
        _ => made(),
    }
}

fn check(index: &Index, catalogs: &AskedCatalogs, case: &Value) -> Outcome {
    #[cfg(not(feature = "graphql"))]
    let AskedCatalogs {} = catalogs;
    let text = |key: &str| case[key].as_str().unwrap_or_default();
    let is_full = case["server"] == "full";
    let is_graphql = is_full && text("target").contains("/graphql");
    if is_graphql && cfg!(not(feature = "graphql")) && case["response_body"] != "404 page not found\n" {
        return Outcome::NotRunnable("GraphQL needs the feature `graphql`".to_owned());
    }
    let Some(body) = sent(&case["body"]) else {
        return Outcome::NotRunnable("the body is not in the record".to_owned());
    };
    if case["no_host"] == true && text("version") == "HTTP/1.1" {
        return Outcome::NotRunnable("that a Host is missing is for the server".to_owned());
    }
    let lines: Vec<&str> = case["headers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let headers: Vec<(&str, &str)> =
        lines.iter().filter_map(|it| it.split_once(':')).map(|(name, value)| (name, value.trim())).collect();
    let asked = CatalogRequest { method: text("method"), target: text("target"), headers: &headers, body: &body };
    let site = Site {
        index,
        modified: STORED,
        has_metas: is_full,
        #[cfg(feature = "graphql")]
        graphql: is_full.then_some(&catalogs.schemas),
    };
    let ours = match answer(&asked, &site) {
        Ok(_) if refuses_version(text("version")) => version_refusal(),
        Ok(ours) => ours,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let mut body = Vec::new();
    for piece in &ours.body {
        match piece.bytes(index) {
            Ok(bytes) => body.extend(bytes),
            Err(error) => return Outcome::Failed(error.to_string()),
        }
    }
    let given: BTreeMap<&str, &str> = ours.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut wrong = Vec::new();
    let status = text("status").split(' ').nth(1).unwrap_or_default();
    if status != ours.status.to_string() {
        wrong.push(format!("status {status}, ours {}", ours.status));
    }
    let is_error = is_graphql && has_errors(&case["response_body"]);
    let expected = case["response_headers"].as_object().cloned().unwrap_or_default();
    for name in expected.keys().map(String::as_str).chain(given.keys().copied()) {
        let (theirs, ours) = (expected.get(name).and_then(Value::as_str), given.get(name).copied());
        let ours_only = matches!(name, "ETag" | "Allow") && theirs.is_none();
        let is_length = name == "Transfer-Encoding" || (name == "Content-Length" && (theirs.is_none() || is_error));
        let is_boundary = theirs.is_some_and(|it| it.starts_with("multipart/byteranges"))
            && ours.is_some_and(|it| it.starts_with("multipart/byteranges"));
        if theirs != ours && !ours_only && !is_length && !is_boundary {
            wrong.push(format!("{name}: {theirs:?}, ours {ours:?}"));
        }
    }
    if case["compressed"] == true && ours.encoding == Encoding::None {
        wrong.push("it is not compressed".to_owned());
    }
    let is_same = match is_error {
        true => is_error_with_data_of(&case["response_body"], &body),
        false => is_body(&case["response_body"], &body),
    };
    if !is_same {
        wrong.push(format!("body {}\n     ours {}", case["response_body"], String::from_utf8_lossy(&body)));
    }
    if wrong.is_empty() { Outcome::Passed } else { Outcome::Failed(format!("{asked:?}: {}", wrong.join("; "))) }
}

fn has_errors(recorded: &Value) -> bool {
    recorded.as_str().is_some_and(|text| read(text.as_bytes())["errors"].is_array())
}

fn is_error_with_data_of(expected: &Value, ours: &[u8]) -> bool {
    let (expected, ours) = (read(expected.as_str().unwrap_or_default().as_bytes()), read(ours));
    ours["errors"].as_array().is_some_and(|errors| !errors.is_empty()) && expected["data"] == ours["data"]
}

fn read(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_default()
}

fn is_body(expected: &Value, ours: &[u8]) -> bool {
    match expected {
        Value::String(text) => {
            let shown = String::from_utf8_lossy(ours).into_owned();
            match shown.strip_prefix("--").and_then(|it| it.split_once("\r\n")) {
                Some((boundary, _)) => *text == shown.replace(boundary, "BOUNDARY"),
                None => *text == shown,
            }
        }
        digest => {
            let hex: String = Sha256::digest(ours).iter().map(|it| format!("{it:02x}")).collect();
            digest["sha256"] == hex && digest["bytes"].as_u64() == Some(ours.len() as u64)
        }
    }
}
