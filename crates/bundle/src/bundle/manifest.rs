//! The objects of `manifests/`.

use std::cell::OnceCell;

use olmdex_fbc::Syntax;
use olmdex_text::json::Expansion;
use olmdex_text::json::{self, Kind, Reader, Value};
use olmdex_text::yaml;

/// An object as Go writes it.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) api_version: String,
    pub(super) kind: String,
    /// Compact JSON with sorted keys.
    pub(super) json: String,
    /// The number of its file.
    pub(super) file: usize,
    /// Its document, read on first use.
    reader: OnceCell<Reader>,
}

/// The number of bytes that decide whether a file is JSON or YAML.
const PEEK: usize = 30;

/// Whether a file begins as JSON.
pub(super) fn begins_as_json(text: &[u8]) -> bool {
    let peeked = json::decode_utf8(text.get(..PEEK).unwrap_or(text));
    peeked.trim_start().starts_with('{')
}

/// The first document of a file as JSON text, if it can be decoded, and how it was written. A text that begins as JSON
/// and is not JSON is YAML.
pub(super) fn first_document(text: &[u8]) -> Option<(String, Syntax)> {
    first_document_within(text, &Expansion::default())
}

/// Like [`first_document`], for one of several files that share a limit.
pub(super) fn first_document_within(text: &[u8], expansion: &Expansion) -> Option<(String, Syntax)> {
    first_json(text).or_else(|| Some((yaml_within(text, expansion, yaml::to_json_within)?, Syntax::Yaml)))
}

/// Like [`first_document`]; in YAML, floats keep a point.
pub(super) fn first_document_with_floats(text: &[u8]) -> Option<(String, Syntax)> {
    first_json(text).or_else(|| Some((as_yaml_with_floats(text)?, Syntax::Yaml)))
}

/// Like [`first_document`]; `None` for a text in YAML.
pub(super) fn first_json(text: &[u8]) -> Option<(String, Syntax)> {
    if !begins_as_json(text) {
        return None;
    }
    let text = json::decode_utf8(text);
    let start = text.len() - text.trim_start().len();
    let mut reader = Reader::new();
    let (_, end) = reader.read_at(&text, start).ok()?;
    Some((text[start..start + end].to_owned(), Syntax::Json))
}

/// The first document of a file as the reader of YAML sees it; floats keep a point. Behind a reader of JSON that gave
/// up, it does not get the white space at the beginning, up to the first line.
pub(super) fn as_yaml_with_floats(text: &[u8]) -> Option<String> {
    yaml_within(text, &Expansion::default(), yaml::to_json_with_floats)
}

/// A conversion of a document of YAML to JSON.
type ToJson = fn(&[u8], &mut Vec<u8>, &Expansion) -> Result<yaml::Document, yaml::YamlError>;

fn yaml_within(text: &[u8], expansion: &Expansion, to_json: ToJson) -> Option<String> {
    let skipped = if begins_as_json(text) { leading_blanks(text) } else { 0 };
    let chunk = yaml::split(&text[skipped..], 1).next()?.ok()?;
    let mut converted = Vec::new();
    to_json(&chunk.text, &mut converted, expansion).ok()?;
    String::from_utf8(converted).ok()
}

/// The number of bytes of white space that a text begins with, to the end of the first line at most.
fn leading_blanks(text: &[u8]) -> usize {
    let peeked = json::decode_utf8(text.get(..PEEK).unwrap_or(text));
    let mut len = 0;
    for blank in peeked.chars().take_while(|it| it.is_whitespace()) {
        len += blank.len_utf8();
        if blank == '\n' {
            break;
        }
    }
    len.min(text.len())
}

/// The type of an object.
struct Head {
    kind: String,
    api_version: String,
}

impl Head {
    /// Kind and version of an object, if it is one. Without a group and version that can be recognized, there is no
    /// kind either.
    fn of(value: Value<'_>) -> Option<Self> {
        let word = |key: &str| value.get(key).and_then(|it| it.as_str()).map(|it| it.into_owned());
        if value.kind() != Kind::Object {
            return None;
        }
        let kind = word("kind").filter(|it| !it.is_empty())?;
        let api_version = word("apiVersion").unwrap_or_default();
        (api_version.matches('/').count() <= 1).then_some(Self { kind, api_version })
    }
}

impl Manifest {
    /// The object of a file, if it has one. `file` is the number of the file.
    pub(super) fn read(text: &[u8], file: usize) -> Option<Self> {
        let (text, _) = first_document(text)?;
        let mut reader = Reader::new();
        let value = reader.read(&text).ok()?;
        let head = Head::of(value)?;
        let mut json = Vec::new();
        json::write_unstructured(value, &mut json);
        Some(Self::new(head, String::from_utf8(json).ok()?, file))
    }

    /// The object of a document in the form in which Go writes it, if it is one.
    pub(super) fn of_document(value: Value<'_>, json: &str, file: usize) -> Option<Self> {
        Some(Self::new(Head::of(value)?, json.to_owned(), file))
    }

    fn new(Head { kind, api_version }: Head, json: String, file: usize) -> Self {
        Self { api_version, kind, json, file, reader: OnceCell::new() }
    }

    /// Its document, which is read once.
    pub(super) fn value(&self) -> Value<'_> {
        let read = || {
            let mut reader = Reader::new();
            // It was written from a document that was read.
            let _ = reader.read(&self.json);
            reader
        };
        self.reader.get_or_init(read).last(&self.json)
    }

    /// Whether it is a ClusterServiceVersion.
    pub(super) fn is_csv(&self) -> bool {
        self.kind == "ClusterServiceVersion"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_as_json_and_is_none_is_yaml() {
        let document = |text: &str| first_document(text.as_bytes());
        assert_eq!(document("{\"a\": 1} x"), Some(("{\"a\": 1}".to_owned(), Syntax::Json)));
        assert_eq!(document("\t{a: 1}"), Some(("{\"a\":1}".to_owned(), Syntax::Yaml)));
        assert_eq!(document("\u{a0}\n{a: 1}"), Some(("{\"a\":1}".to_owned(), Syntax::Yaml)));
        assert_eq!(document("{a: ["), None);
    }

    #[test]
    fn an_api_version_has_one_slash_at_most() {
        let read = |version: &str| Manifest::read(format!("apiVersion: {version}\nkind: A").as_bytes(), 0).is_some();
        assert!(read("v1") && read("a/v1") && read("5") && read("/"));
        assert!(!read("a/b/v1"));
    }
}
