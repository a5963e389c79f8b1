//! The files of `metadata/`, told apart by what is in them.
//!
//! What it deliberately does not do: what cannot be decoded is no error; opm takes the file for one of another kind.

use super::manifest::first_document;
use crate::fbc::Syntax;
use crate::fbc::csv_metadata::squeeze;
use crate::json::{self, Kind, Reader, Value};

/// What the metadata says.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    /// The package, which may be empty; none if no file has annotations.
    pub(super) package: Option<String>,
    /// The channels, as the annotation has them.
    pub(super) channels: String,
    /// The default channel, if one is named.
    pub(super) default_channel: String,
    /// Type and value of each property of the properties file.
    pub(super) properties: Vec<(String, String)>,
    /// Type and value of each dependency.
    pub(super) dependencies: Vec<(String, String)>,
}

const PREFIX: &str = "operators.operatorframework.io.bundle.";

impl Metadata {
    /// Reads files in their order: of each kind the first with content counts.
    pub(super) fn read(files: &[(String, Vec<u8>)]) -> Self {
        let mut metadata = Self::default();
        for (_, text) in files {
            let Some((document, syntax)) = first_document(text) else { continue };
            let is_json = syntax == Syntax::Json;
            let mut reader = Reader::new();
            let Ok(value) = reader.read(&document) else { continue };
            if value.kind() != Kind::Object {
                continue;
            }
            if metadata.package.is_none()
                && let Some([package, channels, default_channel]) = annotations(value, is_json)
            {
                metadata.package = Some(package);
                metadata.channels = channels;
                metadata.default_channel = default_channel;
            }
            if metadata.properties.is_empty() {
                metadata.properties = typed(&document, value, "properties", is_json).unwrap_or_default();
            }
            if metadata.dependencies.is_empty() {
                metadata.dependencies = typed(&document, value, "dependencies", is_json).unwrap_or_default();
            }
        }
        metadata
    }
}

/// The package, the channels and the default channel, if there are annotations that opm knows.
fn annotations(value: Value<'_>, is_json: bool) -> Option<[String; 3]> {
    let annotations = value.get_field("annotations")?;
    let of = |name: &str| match annotations.get_field(&format!("{PREFIX}{name}")) {
        Some(value) => text(value, is_json),
        None => Some(String::new()),
    };
    let texts = [of("package.v1")?, of("channels.v1")?, of("channel.default.v1")?];
    texts.iter().any(|it| !it.is_empty()).then_some(texts)
}

/// A text of YAML, where numbers and truth values are texts as well; none if it is anything else.
fn text(value: Value<'_>, is_json: bool) -> Option<String> {
    match value.kind() {
        Kind::PlainString | Kind::EscapedString => value.as_str().map(|it| it.into_owned()),
        Kind::Null => Some(String::new()),
        Kind::Number if !is_json => {
            let mut number = Vec::new();
            json::write_unstructured(value, &mut number);
            String::from_utf8(number).ok()
        }
        Kind::True if !is_json => Some("true".to_owned()),
        Kind::False if !is_json => Some("false".to_owned()),
        _ => None,
    }
}

/// The list of types and values below a key; none if it does not decode.
fn typed(document: &str, value: Value<'_>, key: &str, is_json: bool) -> Option<Vec<(String, String)>> {
    let source = |it: Value<'_>| document.get(it.offset()..it.end()).unwrap_or_default();
    let list = value.get_field(key)?;
    if list.kind() != Kind::Array {
        return None;
    }
    let mut all = Vec::new();
    for item in list.items() {
        if !matches!(item.kind(), Kind::Object | Kind::Null) {
            return None;
        }
        let kind = match item.get_field("type") {
            Some(it) => text(it, is_json)?,
            None => String::new(),
        };
        let value = match item.get_field("value") {
            None => "null".to_owned(),
            // What is JSON stays as it is written.
            Some(it) if is_json => squeeze(source(it)),
            Some(it) => {
                let mut out = Vec::new();
                json::write_unstructured(it, &mut out);
                String::from_utf8(out).ok()?
            }
        };
        all.push((kind, value));
    }
    Some(all)
}
