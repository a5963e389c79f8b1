//! The objects of `manifests/`.
//!
//! What it deliberately does not do: what is not an object with a kind is no error; opm passes over it.

use crate::fbc::Syntax;
use crate::json::{self, Kind, Reader};
use crate::yaml;

/// An object as Go writes it.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) api_version: String,
    pub(super) kind: String,
    /// Compact JSON with sorted keys.
    pub(super) json: String,
}

/// How many bytes decide whether a file is JSON or YAML.
const PEEK: usize = 30;

/// The first document of a file as JSON text, if it can be decoded, and how it was written.
pub(super) fn first_document(text: &[u8]) -> Option<(String, Syntax)> {
    let peeked = text.get(..PEEK).unwrap_or(text);
    if peeked.trim_ascii_start().starts_with(b"{") {
        let text = json::decode_utf8(text);
        let start = text.len() - text.trim_start().len();
        let mut reader = Reader::new();
        let (_, end) = reader.read_at(&text, start).ok()?;
        return Some((text[start..start + end].to_owned(), Syntax::Json));
    }
    let chunk = yaml::split(text, 1).next()?.ok()?;
    let mut converted = Vec::new();
    yaml::to_json(&chunk.text, &mut converted).ok()?;
    Some((String::from_utf8(converted).ok()?, Syntax::Yaml))
}

impl Manifest {
    /// The object of a file, if it has one.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let (text, _) = first_document(text)?;
        let mut reader = Reader::new();
        let value = reader.read(&text).ok()?;
        let word = |key: &str| value.get(key).and_then(|it| it.as_str()).map(|it| it.into_owned());
        if value.kind() != Kind::Object {
            return None;
        }
        let kind = word("kind").filter(|it| !it.is_empty())?;
        let mut json = Vec::new();
        json::write_unstructured(value, &mut json);
        let json = String::from_utf8(json).ok()?;
        Some(Self { api_version: word("apiVersion").unwrap_or_default(), kind, json })
    }
}
