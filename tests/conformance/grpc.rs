//! `grpc/`: calls of the registry's methods, message by message, in their form on the wire.
//!
//! Answers in random order are compared as sets; if the real server gives one of several answers at random, ours must
//! be one of them. Long texts are compared by their digests, descriptors without their options.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::serve::registry::call::{Method, RegistryMethod, method};
use olmdex::serve::registry::message::{Bundle, ChannelEntry, Package, PackageName, Texts};
use olmdex::serve::registry::reflection::{Extension, Question, Reflection, Request};
use olmdex::serve::registry::{ACKNOWLEDGEMENT, Refusal, Registry};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::inputs::shared;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "grpc", run };

/// Texts with more bytes are recorded as digests.
const LONG: usize = 512;

fn run(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut indexes: HashMap<String, Result<Index, String>> = HashMap::new();
    for (name, path) in entries(&root.join("grpc"), "", "") {
        let Some(text) = text_of(&name, &path) else { continue };
        for (at, line) in text.lines().enumerate() {
            let id = format!("grpc/{}:{}", name.trim_end_matches(".zst"), at + 1);
            cases.push(Case::run(id, || match serde_json::from_str::<Value>(line) {
                Ok(case) => {
                    let catalog = case["catalog"].as_str().unwrap_or_default().to_owned();
                    match indexes.entry(catalog.clone()).or_insert_with(|| index_of(root, &catalog)) {
                        Ok(index) => check(&Registry { index, catalog: "c" }, &case),
                        Err(why) => Outcome::NotRunnable(why.clone()),
                    }
                }
                Err(error) => Outcome::NotRunnable(format!("not JSON: {error}")),
            }));
        }
    }
    cases
}

fn text_of(name: &str, path: &Path) -> Option<String> {
    if name.ends_with(".jsonl.zst") {
        return String::from_utf8(zstd::decode_all(&*fs::read(path).ok()?).ok()?).ok();
    }
    name.ends_with(".jsonl").then(|| fs::read_to_string(path).ok()).flatten()
}

fn index_of(root: &Path, catalog: &str) -> Result<Index, String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = shared(root, &format!("grpc/catalogs/{catalog}"));
    let path: Option<PathBuf> = match catalog {
        "empty" => None,
        _ if own.is_dir() => Some(own),
        "serve-v1" => Some(shared(root, "fbc/10-serve/v1/in")),
        "shop" => Some(package.join("fixtures/shop/in")),
        version => Some(shared(root, &format!("../catalogs/community-{version}"))),
    };
    let input = match path {
        Some(path) => Input::directory(&path).map_err(|error| format!("{}: {error}", path.display()))?,
        None => Input::bytes("empty.yaml", std::sync::Arc::from(Vec::new())),
    };
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &input, Mode::Strict).map_err(|error| error.to_string())?;
    builder.into_index().map_err(|error| error.to_string())
}

/// Code, message and messages.
type Answer = (String, String, Vec<Value>);

fn check(registry: &Registry<'_>, case: &Value) -> Outcome {
    let rpc = case["rpc"].as_str().unwrap_or_default();
    let path = match rpc.split_once('/') {
        Some(("health", name)) => format!("/grpc.health.v1.Health/{name}"),
        Some(("reflection", version)) => format!("/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"),
        _ if rpc == "unknown" => "/api.Registry/Nope".to_owned(),
        _ if rpc == "unknownservice" => "/api.Nope/Nope".to_owned(),
        _ if rpc.starts_with("Experimental") => format!("/api.ExperimentalRegistry/{rpc}"),
        _ => format!("/api.Registry/{rpc}"),
    };
    let mut messages = Vec::new();
    let result = match method(&path) {
        Err(message) => Err(("Unimplemented".to_owned(), message)),
        Ok(found) => {
            ask(registry, found, case, &mut messages).map_err(|it| (format!("{:?}", it.code()), it.to_string()))
        }
    };
    let (code, message) = result.err().unwrap_or_else(|| ("OK".to_owned(), String::new()));
    compare((code, message, messages), case)
}

fn ask(registry: &Registry<'_>, found: Method, case: &Value, out: &mut Vec<Value>) -> Result<(), Refusal> {
    let request = &case["request"];
    let text = |key: &str| request[key].as_str().unwrap_or_default().to_owned();
    match found {
        Method::Registry(rpc) => {
            use RegistryMethod as R;
            let fields: [&str; 3] = match rpc {
                R::ListPackages | R::ListBundles => ["", "", ""],
                R::GetPackage => ["name", "", ""],
                R::GetBundle => ["pkgName", "channelName", "csvName"],
                R::GetBundleForChannel => ["pkgName", "channelName", ""],
                R::GetChannelEntriesThatReplace => ["csvName", "", ""],
                R::GetBundleThatReplaces => ["csvName", "pkgName", "channelName"],
                _ => ["group", "version", "kind"],
            };
            let [first, second, third] = fields.map(text);
            registry.call(rpc, &Texts { first, second, third }, |message| {
                let bytes = message.pieces().concat();
                out.push(match rpc {
                    R::ListPackages => json_of::<PackageName>(&bytes),
                    R::GetPackage => json_of::<Package>(&bytes),
                    R::GetChannelEntriesThatReplace
                    | R::GetChannelEntriesThatProvide
                    | R::GetLatestChannelEntriesThatProvide => json_of::<ChannelEntry>(&bytes),
                    _ => json_of::<Bundle>(&bytes),
                });
                true
            })
        }
        Method::CustomSchemas => {
            let mut headers = case["metadata"].as_object().into_iter().flatten();
            let is_acknowledged =
                headers.any(|(key, value)| key.eq_ignore_ascii_case(ACKNOWLEDGEMENT) && value.as_str() == Some("true"));
            for document in registry.custom_list(is_acknowledged, &text("schema"), &text("packageName"))? {
                out.push(struct_of(&registry.custom_document(document)?));
            }
            Ok(())
        }
        Method::HealthCheck => {
            out.push(json!({"status": "SERVING"}));
            Ok(())
        }
        Method::Reflection => {
            let question = request.as_object().into_iter().flatten().find_map(|(key, value)| {
                let text = || value.as_str().unwrap_or_default().to_owned();
                Some(match key.as_str() {
                    "fileByFilename" => Question::FileByFilename(text()),
                    "fileContainingSymbol" => Question::FileContainingSymbol(text()),
                    "allExtensionNumbersOfType" => Question::AllExtensionNumbersOfType(text()),
                    "listServices" => Question::ListServices(text()),
                    "fileContainingExtension" => Question::FileContainingExtension(Extension {
                        containing_type: value["containingType"].as_str().unwrap_or_default().to_owned(),
                        extension_number: value["extensionNumber"].as_i64().unwrap_or_default() as i32,
                    }),
                    _ => return None,
                })
            });
            let answer = Reflection::default().answer(Request { host: text("host"), question })?;
            out.push(serde_json::to_value(&answer).expect("a message as JSON"));
            Ok(())
        }
    }
}

fn json_of<M: prost::Message + Default + serde::Serialize>(bytes: &[u8]) -> Value {
    without_empty(serde_json::to_value(M::decode(bytes).expect("a message")).expect("a message as JSON"))
}

/// A message as the protocol's JSON has it: no field with the value that it has without being set.
fn without_empty(message: Value) -> Value {
    let is_set = |value: &Value| !(value.is_null() || *value == json!("") || *value == json!([]));
    match message {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| (key, without_empty(value)));
            Value::Object(fields.filter(|field| is_set(&field.1)).collect())
        }
        Value::Array(items) => items.into_iter().map(without_empty).collect(),
        other => other,
    }
}

fn compare((code, message, messages): Answer, case: &Value) -> Outcome {
    let ours: Vec<Value> = messages.into_iter().map(normal).collect();
    let is_set = case["order"] == "set";
    let fits = |expected: &Value| {
        let mut theirs: Vec<Value> =
            expected["responses"].as_array().into_iter().flatten().cloned().map(normal).collect();
        let mut ours = ours.clone();
        if is_set {
            for list in [&mut theirs, &mut ours] {
                list.sort_by_key(Value::to_string);
            }
        }
        expected["code"].as_str().unwrap_or_default() == code
            && expected["message"].as_str().unwrap_or_default() == message
            && theirs == ours
    };
    let is_any = match case["variants"].as_array() {
        Some(variants) => variants.iter().any(fits),
        None => fits(case),
    };
    if is_any {
        return Outcome::Passed;
    }
    let shown = json!({"code": code, "message": message, "responses": ours}).to_string();
    let mut expected = case.clone();
    expected["responses"] = expected["responses"].as_array().into_iter().flatten().cloned().map(normal).collect();
    Outcome::Failed(format!("expected {expected}\n     got {shown}"))
}

/// Long texts as digests, numbers as doubles, descriptors in decoded form.
fn normal(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| {
                    let value = match (key.as_str(), value) {
                        ("csvJson" | "value", value) => digest(value),
                        ("object", Value::Array(items)) => items.into_iter().map(digest).collect(),
                        ("fileDescriptorProto", Value::Array(items)) => items.iter().map(descriptor).collect(),
                        (_, value) => normal(value),
                    };
                    (key, value)
                })
                .collect(),
        ),
        Value::Array(items) => items.into_iter().map(normal).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other,
    }
}

fn digest(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > LONG => {
            let hex: String = Sha256::digest(text.as_bytes()).iter().map(|it| format!("{it:02x}")).collect();
            json!({"$sha256": hex, "$bytes": text.len()})
        }
        other => other,
    }
}

/// A descriptor without options, as nested lists; theirs is base64, ours a list of numbers.
fn descriptor(value: &Value) -> Value {
    use base64::Engine as _;
    let bytes = match value {
        Value::String(text) => base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_default(),
        other => serde_json::from_value(other.clone()).unwrap_or_default(),
    };
    let parts = fields(&bytes).into_iter().filter(|it| it.0 != 8).map(|(number, bytes)| match number {
        6 => json!([
            number,
            fields(&bytes)
                .into_iter()
                .map(|(number, bytes)| match number {
                    2 => json!([number, fields(&bytes).into_iter().filter(|it| it.0 != 4).collect::<Vec<_>>()]),
                    _ => json!([number, bytes]),
                })
                .collect::<Vec<_>>()
        ]),
        _ => json!([number, bytes]),
    });
    parts.collect()
}

/// The fields of a message by number; of a number its bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    fn number(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        while let Some((first, rest)) = bytes.split_first() {
            *bytes = rest;
            value |= u64::from(first & 0x7f) << shift;
            shift += 7;
            if first & 0x80 == 0 {
                break;
            }
        }
        value
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes);
        let value = match tag & 7 {
            0 => number(&mut bytes).to_le_bytes().to_vec(),
            1 => {
                let (value, rest) = bytes.split_at(8);
                bytes = rest;
                value.to_vec()
            }
            _ => {
                let len = number(&mut bytes) as usize;
                let (value, rest) = bytes.split_at(len);
                bytes = rest;
                value.to_vec()
            }
        };
        found.push((tag >> 3, value));
    }
    found
}

/// A `google.protobuf.Struct` as JSON.
fn struct_of(bytes: &[u8]) -> Value {
    let mut members = Map::new();
    for (_, entry) in fields(bytes) {
        let (mut key, mut value) = (String::new(), Value::Null);
        for (number, bytes) in fields(&entry) {
            match number {
                1 => key = String::from_utf8(bytes).expect("a key"),
                _ => value = value_of(&bytes),
            }
        }
        members.insert(key, value);
    }
    Value::Object(members)
}

fn value_of(bytes: &[u8]) -> Value {
    let (number, bytes) = fields(bytes).into_iter().next().expect("a value");
    match number {
        1 => Value::Null,
        2 => json!(f64::from_le_bytes(bytes.try_into().expect("a double"))),
        3 => Value::String(String::from_utf8(bytes).expect("a text")),
        4 => Value::Bool(bytes[0] != 0),
        5 => struct_of(&bytes),
        _ => fields(&bytes).into_iter().map(|(_, bytes)| value_of(&bytes)).collect(),
    }
}
