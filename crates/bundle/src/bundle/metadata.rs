//! The files of `metadata/`, recognized by their content.

use super::manifest::{as_yaml_with_floats, first_document_with_floats};
use olmdex_fbc::Syntax;
use olmdex_fbc::csv_metadata::squeeze;
use olmdex_text::json::{self, Kind, Reader, Value};
use olmdex_text::yaml;

/// The content of the metadata.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    /// The package, which may be empty; none if no file has annotations.
    pub(super) package: Option<String>,
    /// The channels, as the annotation has them.
    pub(super) channels: String,
    /// The default channel, if one is named.
    pub(super) default_channel: String,
    /// Type and value of each property of the properties file. A value that is not there is empty.
    pub(super) properties: Vec<(String, String)>,
    /// Type and value of each dependency.
    pub(super) dependencies: Vec<(String, String)>,
    /// The number of the file that each of both comes from.
    pub(super) properties_file: usize,
    pub(super) dependencies_file: usize,
}

const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// A document that opm's readers are tried on: as it is written, then as YAML.
struct Document {
    text: String,
    reader: Reader,
    is_json: bool,
}

impl Document {
    fn new(text: String, is_json: bool) -> Option<Self> {
        let mut reader = Reader::new();
        let is_object = reader.read(&text).is_ok_and(|it| it.kind() == Kind::Object);
        is_object.then_some(Self { text, reader, is_json })
    }

    /// The first document of a file, and the same as YAML if it is JSON: a text that cannot be decoded as the one is
    /// tried as the other.
    fn all(text: &[u8]) -> Vec<Self> {
        let Some((document, syntax)) = first_document_with_floats(text) else { return Vec::new() };
        let is_json = syntax == Syntax::Json;
        let again = is_json.then(|| as_yaml_with_floats(text)).flatten();
        let first = Self::new(document, is_json);
        first.into_iter().chain(again.and_then(|it| Self::new(it, false))).collect()
    }

    fn value(&self) -> Value<'_> {
        self.reader.last(&self.text)
    }
}

impl Metadata {
    /// Reads files in their order: of each kind the first with content counts.
    pub(super) fn read(files: &[(String, Vec<u8>)]) -> Self {
        let mut metadata = Self::default();
        for (file, (_, text)) in files.iter().enumerate() {
            let documents = Document::all(text);
            if metadata.package.is_none()
                && let Some([package, channels, default_channel]) = documents.iter().find_map(annotations)
                && [&package, &channels, &default_channel].into_iter().any(|it| !it.is_empty())
            {
                metadata.package = Some(package);
                metadata.channels = channels;
                metadata.default_channel = default_channel;
            }
            let listed = |key| documents.iter().find_map(|it| typed(it, key)).unwrap_or_default();
            if metadata.properties.is_empty() {
                metadata.properties = listed("properties");
                metadata.properties_file = file;
            }
            if metadata.dependencies.is_empty() {
                metadata.dependencies = listed("dependencies");
                metadata.dependencies_file = file;
            }
        }
        metadata
    }
}

/// The package, the channels and the default channel; none if the annotations do not decode.
fn annotations(document: &Document) -> Option<[String; 3]> {
    let annotations = match document.value().get_field("annotations") {
        Some(it) if it.kind() == Kind::Object => it,
        Some(it) if !it.is_null() => return None,
        _ => return Some(Default::default()),
    };
    let of = |name: &str| match annotations.get_field(&format!("{PREFIX}{name}")) {
        Some(value) => text(value, document.is_json),
        None => Some(String::new()),
    };
    Some([of("package.v1")?, of("channels.v1")?, of("channel.default.v1")?])
}

/// A text of YAML, in which numbers and truth values count as texts as well; `None` for anything else.
fn text(value: Value<'_>, is_json: bool) -> Option<String> {
    match value.kind() {
        Kind::PlainString | Kind::EscapedString => value.as_str().map(|it| it.into_owned()),
        Kind::Null => Some(String::new()),
        Kind::Number if !is_json => Some(yaml::number_as_text(value.raw())),
        Kind::True if !is_json => Some("true".to_owned()),
        Kind::False if !is_json => Some("false".to_owned()),
        _ => None,
    }
}

/// The list of types and values below a key; none if it does not decode.
fn typed(document: &Document, key: &str) -> Option<Vec<(String, String)>> {
    let is_json = document.is_json;
    let source = |it: Value<'_>| document.text.get(it.offset()..it.end()).unwrap_or_default();
    let list = match document.value().get_field(key) {
        Some(it) if it.kind() == Kind::Array => it,
        Some(it) if !it.is_null() => return None,
        _ => return Some(Vec::new()),
    };
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
            None => String::new(),
            // JSON stays as it is written.
            Some(it) if is_json => squeeze(source(it)),
            Some(it) => {
                let mut out = Vec::new();
                json::write_raw_numbers(it, &mut out);
                String::from_utf8(out).ok()?
            }
        };
        all.push((kind, value));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Metadata {
        Metadata::read(&[("a".to_owned(), text.as_bytes().to_vec())])
    }

    #[test]
    fn integers_keep_their_digits_up_to_64_bits_without_a_sign() {
        let values = |text: &str| read(text).properties.into_iter().map(|it| it.1).collect::<Vec<_>>().join(" ");
        let yaml = |number: &str| values(&format!("properties:\n- type: a\n  value: {number}\n"));
        assert_eq!(yaml("9007199254740993"), "9007199254740993");
        assert_eq!(yaml("9223372036854775808"), "9223372036854775808");
        assert_eq!(yaml("18446744073709551615"), "18446744073709551615");
        assert_eq!(yaml("{a: [0xFFFFFFFFFFFFFFFF]}"), r#"{"a":[18446744073709551615]}"#);
        // Beyond, go-yaml reads a double.
        assert_eq!(yaml("18446744073709551616"), "18446744073709552000");
        assert_eq!(yaml("-9223372036854775809"), "-9223372036854776000");
        assert_eq!(yaml("-0.0"), "-0");
        assert_eq!(yaml("[1.0, 1e6, 1.5]"), "[1,1000000,1.5]");
        let json = r#"{"properties": [{"type": "a", "value": {"b" : 18446744073709551616, "a": -0.0}}]}"#;
        assert_eq!(values(json), r#"{"b":18446744073709551616,"a":-0.0}"#);
    }

    #[test]
    fn texts_of_yaml_may_be_numbers_and_what_is_json_is_yaml_too() {
        let package = |text: &str| read(text).package.unwrap_or_default();
        let of = |value: &str| format!("{{\"annotations\": {{\"{PREFIX}package.v1\": {value}}}}}");
        assert_eq!(package(&of("0.1")), "0.1");
        assert_eq!(package(&of("true")), "true");
        assert_eq!(package(&of("18446744073709551615")), "18446744073709551615");
        assert_eq!(package(&of("1e-7")), "1e-07");
        assert_eq!(package(&of("1.0000005e+06")), "1.0000005e+06");
        assert_eq!(package(&of("1000000.0")), "1e+06");
        assert_eq!(package(&of("1000000")), "1000000");
        assert_eq!(package(&of("123456.789")), "123456.79");
        assert_eq!(package(&of("1e100")), "+Inf");
        assert_eq!(package(&of("9223372036854775809")), "9223372036854775809");
        assert_eq!(package(&of("[]")), "");
        assert_eq!(
            read("properties:\n- {type: 9223372036854775808}\n").properties,
            [("9223372036854775808".to_owned(), String::new())]
        );
    }
}
