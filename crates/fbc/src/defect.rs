//! Defects of a document, as data: the reader goes on and the checker turns it into findings.

use thiserror::Error;

use olmdex_base::diag::shortened;
use olmdex_text::gotype::{Expected, go_path, go_type_error};
use olmdex_text::json::{Kind, ReadErrorKind, Step};

/// One defect of one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Defect {
    /// The defect.
    pub kind: DefectKind,
    /// The place in the document.
    pub at: Spot,
}

/// A place inside a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Spot {
    /// Its first byte.
    #[default]
    Start,
    /// A byte of its raw text, counted from the document's start.
    Offset(usize),
    /// A line and column of its raw text, from 1; the column in characters.
    Line(u32, u32),
    /// A value.
    Path(Vec<Step>),
    /// A key of an object: the last step.
    Key(Vec<Step>),
}

impl Defect {
    /// A defect of the value at `path`.
    pub(crate) fn at_path(kind: DefectKind, path: Vec<Step>) -> Self {
        Self { kind, at: Spot::Path(path) }
    }
}

/// The kinds of [`Defect`], all of which make the real tools refuse the whole catalog (`docs/behaviour/fbc.md` 1.3 to
/// 1.5).
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DefectKind {
    /// The file could not be read.
    #[error("cannot read the file: {message}")]
    Unreadable { message: String, opm: String },
    /// Not JSON, and not YAML either.
    #[error("not valid JSON: {error}")]
    Json {
        /// The reader's words.
        error: ReadErrorKind,
        /// 1-based offset in the file just behind the offending byte, if the real tool prints one.
        offset: Option<u64>,
    },
    /// A line that starts with `---` and goes on.
    #[error("a document separator `---` must stand alone on its line, found `{}` after it", shortened(.0, 60))]
    Separator(String),
    /// Not YAML.
    #[error("not valid YAML: {message}")]
    Yaml {
        /// The reader's words, without place.
        message: String,
        /// The real tool's words.
        opm: String,
    },
    /// The document is not an object.
    #[error("a catalog document must be an object, found {}", .0.words())]
    NotAnObject(Kind, String),
    /// Two top-level keys that differ in case only.
    #[error("the top-level keys {} differ in letter case only", quoted_list(.keys))]
    CollidingKeys {
        /// Their common folded form.
        folded: String,
        /// The keys, sorted by bytes.
        keys: Vec<String>,
    },
    /// `schema`, `package` or `name` is not a string.
    #[error("`{key}` must be a string, found {}", .found.words())]
    HeadNotString {
        /// The key as it is written.
        key: String,
        /// The kind of the value there.
        found: Kind,
        /// The value as Go's `%t` and `%v` print it.
        opm: String,
    },
    /// No `schema`, or an empty one. Holds the document in normal form, empty for a document without content.
    #[error("the document has no `schema`")]
    MissingSchema(String),
    /// A field of a typed blob has a value of the wrong kind.
    #[error("expected {}, found {}", expected_words(*.expected), .found.words())]
    WrongKind { found: Kind, expected: Expected },
    /// Not base64.
    #[error("not valid base64 at byte {offset} of the string")]
    Base64 {
        /// Offset of the first byte that does not belong, in bytes of the decoded string.
        offset: usize,
    },
    /// The object in an `olm.bundle.object` property cannot be read.
    #[error("{message}")]
    BundleObject {
        /// The defect in our words.
        message: String,
        /// The text that the real tool prints.
        opm: String,
    },
}

fn quoted_list(keys: &[String]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and ")
}

fn expected_words(expected: Expected) -> &'static str {
    match expected {
        Expected::String => "a string",
        Expected::Object(_) => "an object",
        Expected::ListOf("uint8") => "base64 text",
        Expected::ListOf(_) => "a list",
    }
}

/// The text in place of a document's words that are not shown.
const NOT_SHOWN: &str = "(not shown: the file is hidden, or outside of the source)";

impl DefectKind {
    /// The same defect without any text of the document.
    pub(super) fn without_words(self) -> Self {
        let hidden = || NOT_SHOWN.to_owned();
        match self {
            Self::Json { error: ReadErrorKind::NumberOutOfRange(_), offset } => {
                Self::Json { error: ReadErrorKind::NumberOutOfRange(hidden()), offset }
            }
            Self::Json { error: ReadErrorKind::InvalidCharacter { context, .. }, offset } => {
                Self::Json { error: ReadErrorKind::InvalidCharacter { found: '\u{FFFD}', context }, offset }
            }
            Self::NotAnObject(kind, _) => Self::NotAnObject(kind, hidden()),
            Self::Separator(_) => Self::Separator(hidden()),
            Self::Yaml { .. } => Self::Yaml { message: hidden(), opm: hidden() },
            Self::CollidingKeys { .. } => Self::CollidingKeys { folded: hidden(), keys: vec![hidden()] },
            Self::HeadNotString { key, found, .. } => Self::HeadNotString { key, found, opm: hidden() },
            Self::MissingSchema(blob) if !blob.is_empty() => Self::MissingSchema(hidden()),
            Self::BundleObject { .. } => Self::BundleObject { message: hidden(), opm: hidden() },
            other => other,
        }
    }

    /// Whether the real tool meets the defect only when it decodes a document by its schema.
    pub fn is_typed(&self) -> bool {
        matches!(self, Self::WrongKind { .. } | Self::Base64 { .. } | Self::BundleObject { .. })
    }

    /// Whether the real tool meets the defect while it decodes the document's head. There its reader of JSON falls back
    /// to YAML, and its reader of YAML puts a prefix before the message.
    pub fn is_in_head(&self) -> bool {
        matches!(
            self,
            Self::Json { .. } | Self::NotAnObject(..) | Self::CollidingKeys { .. } | Self::HeadNotString { .. }
        )
    }
}

impl Defect {
    /// The text that the real tool prints for this defect of a blob of `schema`, the reference it was asked for aside.
    pub fn opm_text(&self, schema: &str) -> String {
        let (what, root) = match schema {
            "olm.package" => ("package", "Package"),
            "olm.channel" => ("channel", "Channel"),
            "olm.deprecations" => ("deprecation", "Deprecation"),
            _ => ("bundle", "Bundle"),
        };
        let path: &[Step] = match &self.at {
            Spot::Path(path) | Spot::Key(path) => path,
            _ => &[],
        };
        match &self.kind {
            DefectKind::Unreadable { opm, .. }
            | DefectKind::Yaml { opm, .. }
            | DefectKind::BundleObject { opm, .. } => opm.clone(),
            DefectKind::Json { error, offset } => match offset {
                Some(offset) => format!("json: offset {offset}: {error}"),
                None => error.to_string(),
            },
            DefectKind::Separator(rest) => format!("invalid Yaml document separator: {rest}"),
            DefectKind::NotAnObject(_, opm) => opm.clone(),
            DefectKind::CollidingKeys { folded, keys } => {
                format!("duplicate keys for key \"{folded}\": [{}]", keys.join(" "))
            }
            DefectKind::HeadNotString { key, opm, .. } => {
                format!("expected value for key \"{key}\" to be a string, got {opm}")
            }
            DefectKind::MissingSchema(blob) => format!("object '{blob}' is missing root schema field"),
            DefectKind::WrongKind { found, expected } => {
                format!("parse {what}: {}", go_type_error(*found, *expected, root, path))
            }
            DefectKind::Base64 { offset } => format!(
                "parse {what}: json: cannot unmarshal string into Go struct field {} of type []uint8: illegal base64 data \
                 at input byte {offset}",
                go_path(root, path)
            ),
        }
    }
}
