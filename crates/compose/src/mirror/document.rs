//! Manifests as trees, and their YAML: two blanks, keys in the order of insertion, and quotes around every text that
//! could be read as something else.

use olmdex_text::json;
use olmdex_text::yaml::{Scalar, resolve_plain};

/// A value of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManifestValue {
    /// A text; in quotes if it needs some.
    Text(String),
    /// A text that is always in quotes, such as a version.
    Quoted(String),
    /// Yes or no.
    Flag(bool),
    /// A value in its original form: JSON on one line, which is YAML too.
    Json(String),
    /// A list.
    List(Vec<ManifestValue>),
    /// Fields, in their order.
    Fields(Vec<(String, ManifestValue)>),
}

impl ManifestValue {
    /// A text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Fields of these names.
    pub fn fields<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Fields(fields.into_iter().map(|(name, it)| (name.to_owned(), it)).collect())
    }

    /// Puts a field behind the others, if this has fields.
    #[must_use]
    pub fn with(mut self, name: &str, value: Self) -> Self {
        if let Self::Fields(fields) = &mut self {
            fields.push((name.to_owned(), value));
        }
        self
    }

    /// The YAML of a document, with a line break at its end.
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        match self {
            Self::List(items) if !items.is_empty() => self.write(0, &mut out),
            Self::Fields(fields) if !fields.is_empty() => self.write(0, &mut out),
            _ => {
                self.scalar(&mut out);
                out.push('\n');
            }
        }
        out
    }

    /// Goes as deep as the manifests that this program makes.
    fn write(&self, level: usize, out: &mut String) {
        let indent = |out: &mut String| out.extend(std::iter::repeat_n(' ', level * 2));
        match self {
            Self::Fields(fields) => {
                for (idx, (name, value)) in fields.iter().enumerate() {
                    // The first field of an item follows its dash.
                    if idx > 0 || !out.ends_with("- ") {
                        indent(out);
                    }
                    text(name, out);
                    out.push(':');
                    match value {
                        Self::List(items) if !items.is_empty() => {
                            out.push('\n');
                            value.write(level, out);
                        }
                        Self::Fields(fields) if !fields.is_empty() => {
                            out.push('\n');
                            value.write(level + 1, out);
                        }
                        _ => {
                            out.push(' ');
                            value.scalar(out);
                            out.push('\n');
                        }
                    }
                }
            }
            Self::List(items) => {
                for item in items {
                    indent(out);
                    out.push_str("- ");
                    match item {
                        Self::Fields(fields) if !fields.is_empty() => item.write(level + 1, out),
                        _ => {
                            item.scalar(out);
                            out.push('\n');
                        }
                    }
                }
            }
            _ => self.scalar(out),
        }
    }

    fn scalar(&self, out: &mut String) {
        match self {
            Self::Text(it) => text(it, out),
            Self::Quoted(it) => quoted(it, out),
            Self::Flag(it) => out.push_str(if *it { "true" } else { "false" }),
            Self::Json(it) => out.push_str(it),
            // Lists of lists do not occur in manifests.
            Self::List(_) => out.push_str("[]"),
            Self::Fields(_) => out.push_str("{}"),
        }
    }
}

/// Documents, each after a line `---` but the first.
pub fn documents(nodes: &[ManifestValue]) -> String {
    nodes.iter().map(ManifestValue::to_yaml).collect::<Vec<_>>().join("---\n")
}

/// A text, without quotes if it cannot be mistaken for anything else.
fn text(text: &str, out: &mut String) {
    let is_plain_byte =
        |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_' | b'-' | b'/' | b'@' | b':' | b'+');
    let is_plain = text.bytes().next().is_some_and(|it| it.is_ascii_alphanumeric() || it == b'/')
        && text.bytes().all(is_plain_byte)
        && !text.ends_with(':')
        && matches!(resolve_plain(text), Scalar::Str(_))
        // YAML 1.1 readers take such a text for a number in base 60, or for a word for yes or no.
        && !text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b':' | b'.' | b'_' | b'-' | b'+'))
        && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"].iter().any(|it| text.eq_ignore_ascii_case(it));
    if is_plain { out.push_str(text) } else { quoted(text, out) }
}

/// A text in quotes. YAML reads the escapes of JSON; characters that only YAML cannot hold unescaped are escaped too.
fn quoted(text: &str, out: &mut String) {
    for c in json::quoted(text).chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olmdex_text::json::Reader;
    use olmdex_text::yaml;

    #[test]
    fn odd_texts_come_back_as_they_were() {
        let odd = [
            "plain",
            "1.0",
            "1e3",
            "0x1F",
            "yes",
            "No",
            "null",
            "~",
            "",
            " a",
            "a ",
            "- a",
            "a: b",
            "a #b",
            "#",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a",
            "{a",
            "[a]",
            "a,b",
            "\"",
            "'",
            "\\",
            "a\nb",
            "\t",
            "\u{1b}[31m",
            "é",
            "\u{85}",
            "\u{2028}",
            "\u{feff}",
            "\u{1f600}",
            "12:30",
            "1_000",
            "2020-01-01",
            "---",
            "...",
            ">",
            "|",
            "?",
            "? a",
            "<<",
            "=",
            "a:",
            ":a",
            "sha256:00",
            "quay.io:443/a@sha256:12",
            ".inf",
            ".nan",
            "0b1",
            "0o7",
            "+1",
            "-1",
            "on",
        ];
        for it in odd {
            let node = ManifestValue::fields([
                (
                    it,
                    ManifestValue::List(vec![
                        ManifestValue::text(it),
                        ManifestValue::fields([("a", ManifestValue::text(it)), (it, ManifestValue::Quoted(it.into()))]),
                    ]),
                ),
                ("z", ManifestValue::text(it)),
            ]);
            let mut json = Vec::new();
            yaml::to_json(node.to_yaml().as_bytes(), &mut json)
                .unwrap_or_else(|e| panic!("{it:?}: {e}\n{}", node.to_yaml()));
            let json = String::from_utf8(json).unwrap();
            let mut reader = Reader::new();
            let value = reader.read(&json).unwrap();
            let list: Vec<_> = value.get(it).unwrap().items().collect();
            assert_eq!(list[0].as_str().as_deref(), Some(it), "{json}");
            assert_eq!(list[1].get(it).unwrap().as_str().as_deref(), Some(it), "{json}");
            assert_eq!(value.get("z").unwrap().as_str().as_deref(), Some(it), "{json}");
        }
    }
}
