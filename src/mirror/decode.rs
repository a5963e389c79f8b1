//! Reading an ImageSetConfiguration as oc-mirror does: strictly, with the first thing that it would say
//! (`docs/behaviour/authoring.md` D.1).
//!
//! What it deliberately does not do: it does not judge what the fields say; that is [`super::verify`].

use super::configuration::{AdditionalImage, Channel, Configuration, Operator, Others, Package, Platform, Range};
use super::document::Node;
use super::error::ConfigurationError;
use super::verify::verify;
use crate::json::{self, Kind, Reader, Value};
use crate::yaml::{self, NodeKind};

/// Which fields are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Those of v2alpha1, whatever the file says of its version, as oc-mirror does it.
    OcMirror,
    /// Those of the version that the file names.
    Named,
}

/// What stands in a field.
#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    Flag,
    Number,
    /// Anything: what is not looked at.
    Any,
    /// A list, and the type that messages call it.
    List(&'static Form, &'static str),
    /// Fields, and the type that messages call them.
    Object(&'static [Field], &'static str),
}

#[derive(Debug, Clone, Copy)]
struct Field {
    name: &'static str,
    form: Form,
    /// Whether only v1alpha2 has it.
    is_old: bool,
}

const fn field(name: &'static str, form: Form) -> Field {
    Field { name, form, is_old: false }
}

const fn old(name: &'static str, form: Form) -> Field {
    Field { name, form, is_old: true }
}

const TEXTS: Form = Form::List(&Form::Text, "[]string");
const PLATFORM_FILTERS: Form = Form::List(
    &Form::Object(
        &[
            field("os", Form::Text),
            field("architecture", Form::Text),
            field("variant", Form::Text),
            field("os.version", Form::Text),
            field("os.features", TEXTS),
        ],
        "v2alpha1.PlatformFilter",
    ),
    "[]v2alpha1.PlatformFilter",
);
const CHANNELS: Form = Form::List(
    &Form::Object(
        &[
            field("name", Form::Text),
            field("minVersion", Form::Text),
            field("maxVersion", Form::Text),
            old("minBundle", Form::Text),
        ],
        "v2alpha1.IncludeChannel",
    ),
    "[]v2alpha1.IncludeChannel",
);
const PACKAGES: Form = Form::List(
    &Form::Object(
        &[
            field("name", Form::Text),
            field("channels", CHANNELS),
            field("defaultChannel", Form::Text),
            field("minVersion", Form::Text),
            field("maxVersion", Form::Text),
            old("minBundle", Form::Text),
        ],
        "v2alpha1.IncludePackage",
    ),
    "[]v2alpha1.IncludePackage",
);
const OPERATORS: Form = Form::List(
    &Form::Object(
        &[
            field("catalog", Form::Text),
            field("packages", PACKAGES),
            field("full", Form::Flag),
            field("targetCatalog", Form::Text),
            field("targetTag", Form::Text),
            field("targetCatalogSourceTemplate", Form::Text),
            field("skipDependencies", Form::Flag),
            field("platforms", PLATFORM_FILTERS),
            old("targetName", Form::Text),
            old("originalRef", Form::Text),
        ],
        "v2alpha1.Operator",
    ),
    "[]v2alpha1.Operator",
);
const IMAGES: Form = Form::List(
    &Form::Object(
        &[
            field("name", Form::Text),
            field("targetRepo", Form::Text),
            field("targetTag", Form::Text),
            field("platforms", PLATFORM_FILTERS),
        ],
        "v2alpha1.Image",
    ),
    "[]v2alpha1.Image",
);
const BLOCKED: Form = Form::List(&Form::Object(&[field("name", Form::Text)], "v2alpha1.Image"), "[]v2alpha1.Image");
const CHARTS: Form = Form::List(
    &Form::Object(
        &[
            field("name", Form::Text),
            field("version", Form::Text),
            field("path", Form::Text),
            field("imagePaths", TEXTS),
            field("platforms", PLATFORM_FILTERS),
        ],
        "v2alpha1.Chart",
    ),
    "[]v2alpha1.Chart",
);
const REPOSITORIES: Form = Form::List(
    &Form::Object(
        &[field("name", Form::Text), field("url", Form::Text), field("charts", CHARTS)],
        "v2alpha1.Repository",
    ),
    "[]v2alpha1.Repository",
);
const HELM: Form = Form::Object(&[field("repositories", REPOSITORIES), field("local", CHARTS)], "v2alpha1.Helm");
const RELEASE_CHANNELS: Form = Form::List(
    &Form::Object(
        &[
            field("name", Form::Text),
            field("type", Form::Text),
            field("minVersion", Form::Text),
            field("maxVersion", Form::Text),
            field("shortestPath", Form::Flag),
            field("full", Form::Flag),
        ],
        "v2alpha1.ReleaseChannel",
    ),
    "[]v2alpha1.ReleaseChannel",
);
const PLATFORM: Form = Form::Object(
    &[
        field("graph", Form::Flag),
        field("channels", RELEASE_CHANNELS),
        field("architectures", TEXTS),
        field("platforms", PLATFORM_FILTERS),
        field("release", Form::Text),
        field("kubeVirtContainer", Form::Flag),
    ],
    "v2alpha1.Platform",
);
const MIRROR: Form = Form::Object(
    &[
        field("platform", PLATFORM),
        field("operators", OPERATORS),
        field("additionalImages", IMAGES),
        field("helm", HELM),
        field("blockedImages", BLOCKED),
        field("samples", Form::List(&Form::Any, "[]v2alpha1.SampleImages")),
    ],
    "v2alpha1.Mirror",
);
const FILE: Form = Form::Object(
    &[
        field("kind", Form::Text),
        field("apiVersion", Form::Text),
        field("mirror", MIRROR),
        field("archiveSize", Form::Number),
        old("storageConfig", Form::Any),
    ],
    "v2alpha1.ImageSetConfiguration",
);

/// Reads a configuration and checks it.
///
/// ```
/// use olmdex::mirror::{Dialect, read};
///
/// let text = "kind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: quay.io/org/catalog:v1\n";
/// assert_eq!(read(text.as_bytes(), Dialect::OcMirror)?.operators.len(), 1);
/// # Ok::<(), olmdex::mirror::ConfigurationError>(())
/// ```
///
/// # Errors
/// [`ConfigurationError`], of which there is one even if more is wrong, as with oc-mirror.
pub fn read(text: &[u8], dialect: Dialect) -> Result<Configuration, ConfigurationError> {
    let configuration = decode(text, dialect)?;
    verify(&configuration)?;
    Ok(configuration)
}

/// Reads a configuration, whatever its fields say.
///
/// # Errors
/// [`ConfigurationError`], but never [`ConfigurationError::Invalid`].
pub fn decode(text: &[u8], dialect: Dialect) -> Result<Configuration, ConfigurationError> {
    let mut converted = Vec::new();
    yaml::to_json(text, &mut converted).map_err(|error| ConfigurationError::Yaml(error.to_string()))?;
    let duplicates = duplicate_keys(&String::from_utf8_lossy(text));
    if !duplicates.is_empty() {
        return Err(ConfigurationError::DuplicateKeys(duplicates));
    }
    let converted = json::decode_utf8(&converted);
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&converted) else { return Err(ConfigurationError::NoKind) };
    match value.kind() {
        Kind::Object => {}
        Kind::Null => return Err(ConfigurationError::NoKind),
        kind => return Err(ConfigurationError::NotAMapping(kind.name())),
    }
    let kind = value.get("kind").and_then(|it| it.as_str()).filter(|it| !it.is_empty());
    let kind = kind.ok_or(ConfigurationError::NoKind)?;
    if kind != "ImageSetConfiguration" {
        return Err(ConfigurationError::OtherKind(kind.into_owned()));
    }
    if value.get("mirror").is_none() {
        return Err(ConfigurationError::NoMirror);
    }
    if value.get("delete").is_some() {
        return Err(ConfigurationError::Delete);
    }
    let api_version = text_of(value, "apiVersion");
    let takes_old = dialect == Dialect::Named && api_version.ends_with("/v1alpha2");
    let mut old_fields = Vec::new();
    fits(value, FILE, takes_old, "", &mut old_fields)?;
    let mirror = field_of(value, "mirror");
    let platform = mirror.and_then(|it| field_of(it, "platform"));
    let names = |list: Option<Value<'_>>, name: &str| items(list, name).map(|it| text_of(it, "name")).collect();
    Ok(Configuration {
        api_version,
        operators: items(mirror, "operators").map(operator).collect(),
        additional_images: items(mirror, "additionalImages")
            .map(|it| AdditionalImage {
                name: text_of(it, "name"),
                target_repo: text_of(it, "targetRepo"),
                target_tag: text_of(it, "targetTag"),
                others: others(it, IMAGES, &["name", "targetRepo", "targetTag"]),
            })
            .collect(),
        blocked_images: names(mirror, "blockedImages"),
        platform: Platform {
            channels: names(platform, "channels"),
            has_architectures: items(platform, "architectures").next().is_some(),
            has_platforms: items(platform, "platforms").next().is_some(),
        },
        others_to_mirror: mirror
            .map(|it| others(it, MIRROR, &["operators", "additionalImages", "blockedImages"]))
            .unwrap_or_default(),
        others: others(value, FILE, &["kind", "apiVersion", "mirror"]),
        old_fields,
    })
}

/// Compares a value with its form, key after key in the order of bytes, as it comes out of oc-mirror's conversion to JSON.
/// Goes as deep as the forms do.
fn fits(
    value: Value<'_>,
    form: Form,
    takes_old: bool,
    path: &str,
    old_fields: &mut Vec<String>,
) -> Result<(), ConfigurationError> {
    let misfit = |wanted: &'static str| {
        let found = match value.kind() {
            Kind::Number if wanted == "int64" => format!("number {}", value.raw()),
            Kind::True | Kind::False => "bool".to_owned(),
            kind => kind.name().to_owned(),
        };
        Err(ConfigurationError::Misfit { found, path: path.to_owned(), wanted })
    };
    if value.is_null() {
        return Ok(());
    }
    match form {
        Form::Any => Ok(()),
        Form::Text if value.as_str().is_some() => Ok(()),
        Form::Text => misfit("string"),
        Form::Flag if value.as_bool().is_some() => Ok(()),
        Form::Flag => misfit("bool"),
        Form::Number if value.kind() == Kind::Number && value.raw().parse::<i64>().is_ok() => Ok(()),
        Form::Number => misfit("int64"),
        Form::List(item, _) if value.kind() == Kind::Array => value
            .items()
            .enumerate()
            .try_for_each(|(idx, it)| fits(it, *item, takes_old, &format!("{path}.{idx}"), old_fields)),
        Form::List(_, name) | Form::Object(_, name) if value.kind() != Kind::Object => misfit(name),
        Form::List(_, name) => misfit(name),
        Form::Object(fields, _) => {
            let mut members: Vec<(String, Value<'_>)> =
                value.members().map(|(key, it)| (key.as_str().unwrap_or_default().into_owned(), it)).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            for (key, it) in members {
                let known = fields.iter().find(|it| json::fold_eq(&key, it.name) && (takes_old || !it.is_old));
                let Some(known) = known else { return Err(ConfigurationError::UnknownField(key)) };
                let below = if path.is_empty() { known.name.to_owned() } else { format!("{path}.{}", known.name) };
                if known.is_old {
                    old_fields.push(below.clone());
                }
                fits(it, known.form, takes_old, &below, old_fields)?;
            }
            Ok(())
        }
    }
}

/// The fields of an object, or of an item of a list, that are none of those that are `read`. Fields that only v1alpha2 has are left out.
fn others(value: Value<'_>, form: Form, read: &[&str]) -> Others {
    let fields = match form {
        Form::List(&Form::Object(fields, _), _) | Form::Object(fields, _) => fields,
        _ => &[],
    };
    let unread = fields.iter().filter(|it| !it.is_old && !read.contains(&it.name));
    let node = |it: &Field| Some((it.name.to_owned(), node(field_of(value, it.name)?, it.form, it.name)));
    unread.filter_map(node).collect()
}

/// A value that fits its form, to be written again. Goes as deep as the forms do.
fn node(value: Value<'_>, form: Form, name: &str) -> Node {
    let text = || value.as_str().unwrap_or_default().into_owned();
    match form {
        Form::List(item, _) if value.kind() == Kind::Array => {
            Node::List(value.items().map(|it| node(it, *item, name)).collect())
        }
        Form::Object(_, _) if value.kind() == Kind::Object => Node::Fields(others(value, form, &[])),
        Form::Text if value.as_str().is_none() => Node::Json("null".to_owned()),
        Form::Text if matches!(name, "minVersion" | "maxVersion") => Node::Quoted(text()),
        Form::Text => Node::Text(text()),
        _ => {
            let mut out = Vec::new();
            json::write_compact(value, &mut out);
            Node::Json(String::from_utf8_lossy(&out).into_owned())
        }
    }
}

/// A field, whatever the case of its name: the last of several in the order of bytes.
fn field_of<'d>(value: Value<'d>, name: &str) -> Option<Value<'d>> {
    let key = |it: &(Value<'d>, Value<'d>)| it.0.as_str().unwrap_or_default();
    let same = value.members().filter(|it| json::fold_eq(&key(it), name));
    same.max_by(|a, b| key(a).cmp(&key(b))).map(|it| it.1).filter(|it| !it.is_null())
}

fn text_of(value: Value<'_>, name: &str) -> String {
    field_of(value, name).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
}

fn items<'d>(value: Option<Value<'d>>, name: &str) -> impl Iterator<Item = Value<'d>> {
    value.and_then(|it| field_of(it, name)).into_iter().flat_map(|it| it.items())
}

fn range(value: Value<'_>) -> Range {
    Range { min: text_of(value, "minVersion"), max: text_of(value, "maxVersion") }
}

fn operator(value: Value<'_>) -> Operator {
    let channel =
        |it: Value<'_>| Channel { name: text_of(it, "name"), range: range(it), min_bundle: text_of(it, "minBundle") };
    let package = |it: Value<'_>| Package {
        name: text_of(it, "name"),
        default_channel: text_of(it, "defaultChannel"),
        range: range(it),
        channels: items(Some(it), "channels").map(channel).collect(),
        min_bundle: text_of(it, "minBundle"),
    };
    Operator {
        catalog: text_of(value, "catalog"),
        full: field_of(value, "full").and_then(|it| it.as_bool()).unwrap_or_default(),
        target_catalog: text_of(value, "targetCatalog"),
        target_tag: text_of(value, "targetTag"),
        packages: items(Some(value), "packages").map(package).collect(),
        others: others(value, OPERATORS, &["catalog", "full", "targetCatalog", "targetTag", "packages"]),
    }
}

/// Keys that a mapping has twice, with the lines of the later ones, in the order in which go-yaml meets them: what is in a value
/// before the key of the value.
fn duplicate_keys(text: &str) -> Vec<(u32, String)> {
    let Ok(nodes) = yaml::nodes(text) else { return Vec::new() };
    let mut found = Vec::new();
    for node in &nodes {
        let NodeKind::Mapping(members, _) = &node.kind else { continue };
        let mut seen = std::collections::BTreeSet::new();
        for (key, value) in members {
            let Some(key) = nodes.get(*key) else { continue };
            let NodeKind::Scalar { text, .. } = &key.kind else { continue };
            if text != "<<" && !seen.insert(text.as_str()) {
                let end = nodes.get(*value).map_or(key.end, |it| it.end);
                found.push((end, std::cmp::Reverse(key.start), key.start, text.clone()));
            }
        }
    }
    found.sort();
    let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    found.into_iter().map(|(_, _, at, key)| (u32::try_from(line(at)).unwrap_or(u32::MAX), key)).collect()
}
