//! What properties mean to the resolver (`spec/olm-classic.md` 1.2).
//!
//! What it deliberately does not do: it does not judge properties that are only looked at: one that cannot be read provides
//! nothing. One that demands something must be readable, or nothing can be resolved.

use std::rc::Rc;

use super::tree::{self, ConstraintError, DOCUMENTED_CONSTRAINT, Node, Tree};
use crate::fbc::Api;
use crate::fbc::{Expected, go_type_error};
use crate::json::{self, Kind, Step, Value};
use crate::version::Version;
use crate::version::blang::Range;

/// What an operator says of itself, or demands.
#[derive(Debug, Clone)]
pub(crate) enum Meaning {
    /// It is of this package and has this version, if that can be read.
    Package { name: String, version: Option<Version> },
    /// It provides an API.
    Provides(Api),
    /// It has a label.
    Label(String),
    /// It must not be used.
    Deprecated,
    /// It demands an operator.
    Requires(Rc<Requirement>),
    /// It demands something that cannot be read.
    Broken(Rc<ConstraintError>),
    /// Nothing that the resolver looks at.
    Other,
}

/// A demand for an operator.
#[derive(Debug)]
pub(crate) struct Requirement {
    /// A number of its own among the requirements of a resolution.
    pub(crate) number: usize,
    pub(crate) tree: Tree,
    /// The condition as OLM words it.
    pub(crate) text: String,
    /// The condition for people.
    pub(crate) plain: String,
    /// What its author wants to be shown, or empty.
    pub(crate) message: String,
    /// A word about something that OLM accepts and its documentation does not.
    pub(crate) warning: Option<String>,
}

/// How many characters of a demand a message shows.
const SHOWN: usize = 200;

impl Requirement {
    /// The condition for people, as far as it fits into a message.
    pub(crate) fn shortened(&self) -> String {
        match self.plain.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &self.plain[..end]),
            None => self.plain.clone(),
        }
    }

    /// Whether it asks one operator for several things at once.
    pub(crate) fn is_all(&self) -> bool {
        let mut at = 0;
        while let Some(Node::All(parts) | Node::Any(parts)) = self.tree.nodes.get(at) {
            match (parts.as_slice(), &self.tree.nodes[at]) {
                ([only], _) => at = *only,
                (several, Node::All(_)) => return several.len() > 1,
                _ => return false,
            }
        }
        false
    }
}

/// Reads a property; `number` is given to it if it is a requirement.
pub(crate) fn read(kind: &str, value: &str, number: usize) -> Meaning {
    let requirement = |tree: Tree, warning: Option<String>| {
        let (text, plain) = (tree.text(), tree.plain());
        let message = message_of(kind, value);
        Meaning::Requires(Rc::new(Requirement { number, tree, text, plain, message, warning }))
    };
    let broken = |error: ConstraintError| Meaning::Broken(Rc::new(error));
    match kind {
        "olm.package" => match package_of(value) {
            Some((name, version)) => Meaning::Package { name, version: Version::parse(&version).ok() },
            None => Meaning::Other,
        },
        "olm.gvk" => api_of(value).map_or(Meaning::Other, Meaning::Provides),
        "olm.label" => label_of(value).map_or(Meaning::Other, Meaning::Label),
        "olm.deprecated" => Meaning::Deprecated,
        "olm.gvk.required" => match fields(value, ["group", "version", "kind"]) {
            Ok([group, version, kind]) => requirement(Tree::leaf(Node::Api(Api { group, version, kind })), None),
            Err(error) => broken(error),
        },
        "olm.package.required" => match fields(value, ["packageName", "versionRange"]) {
            Ok([name, text]) => match Range::parse(&text) {
                Ok(range) => requirement(Tree::leaf(Node::Package { name, text, range }), None),
                Err(error) => broken(ConstraintError::Property(error.to_string())),
            },
            Err(error) => broken(error),
        },
        "olm.label.required" => match fields(value, ["label"]) {
            Ok([label]) => requirement(Tree::leaf(Node::Label(label)), None),
            Err(error) => broken(error),
        },
        "olm.constraint" => match tree::parse(value) {
            Ok(tree) => {
                let size = value.len();
                let warning = (size > DOCUMENTED_CONSTRAINT).then(|| {
                    format!("an `olm.constraint` of {size} bytes: OLM takes it, though its documentation says 64KB")
                });
                requirement(tree, warning)
            }
            Err(error) => broken(error),
        },
        _ => Meaning::Other,
    }
}

/// What the author of a constraint wants to be shown; OLM shows it for `cel` only.
fn message_of(kind: &str, value: &str) -> String {
    let mut reader = json::Reader::new();
    match reader.read_at(value, 0) {
        Ok((value, _)) if kind == "olm.constraint" => tree::string(value, "failureMessage"),
        _ => String::new(),
    }
}

/// The texts of an object, as Go's decoder reads them: other fields are not looked at, `null` is empty.
fn fields<const N: usize>(text: &str, names: [&str; N]) -> Result<[String; N], ConstraintError> {
    let mut reader = json::Reader::new();
    let wrong = |error: String| ConstraintError::Property(error);
    let value = reader.read(text).map_err(|error| wrong(error.to_string()))?;
    if !matches!(value.kind(), Kind::Object | Kind::Null) {
        return Err(wrong(format!("json: cannot unmarshal {} into Go value", value.kind().name())));
    }
    let mut found = [const { String::new() }; N];
    for (slot, name) in found.iter_mut().zip(names) {
        let Some(value) = value.get_field(name).filter(|it| !it.is_null()) else { continue };
        let text = value.as_str().map(std::borrow::Cow::into_owned);
        let path = [Step::from(name)];
        *slot = text.ok_or_else(|| wrong(go_type_error(value.kind(), Expected::String, "", &path)))?;
    }
    Ok(found)
}

/// Reads the object of a property that is only looked at.
fn with_object<T>(text: &str, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<T> {
    let mut reader = json::Reader::new();
    let value = reader.read(text).ok()?;
    if matches!(value.kind(), Kind::Object | Kind::Null) { read(value) } else { None }
}

/// A field of a property that is only looked at: `None` if it is no text.
fn text_field(value: Value<'_>, name: &str) -> Option<String> {
    match value.get_field(name) {
        Some(it) if !it.is_null() => it.as_str().map(std::borrow::Cow::into_owned),
        _ => Some(String::new()),
    }
}

/// Name and version of an `olm.package` property.
pub(crate) fn package_of(text: &str) -> Option<(String, String)> {
    with_object(text, |it| Some((text_field(it, "packageName")?, text_field(it, "version")?)))
}

/// The API of an `olm.gvk` property.
pub(crate) fn api_of(text: &str) -> Option<Api> {
    with_object(text, |it| {
        Some(Api {
            group: text_field(it, "group")?,
            version: text_field(it, "version")?,
            kind: text_field(it, "kind")?,
        })
    })
}

/// The label of an `olm.label` property.
pub(crate) fn label_of(text: &str) -> Option<String> {
    with_object(text, |it| text_field(it, "label"))
}
