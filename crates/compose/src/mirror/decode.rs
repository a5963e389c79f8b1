//! Reads an ImageSetConfiguration as oc-mirror does: strictly, with the first error that it would report
//! (`docs/behaviour/authoring.md` D.1).

use super::configuration::{AdditionalImage, Channel, Configuration, Operator, Others, Package, Platform, Range};
use super::document::ManifestValue;
use super::error::ConfigurationError;
use super::purpose::Purpose;
use super::verify::{tag_and_digest, verify, without_transport};
use olmdex_text::gotype::{Decoder, Field, Form, GoType, Misfit, Problem};
use olmdex_text::json::{self, Kind, Reader, Step, Value, fold_eq};
use olmdex_text::yaml::{self, NodeKind, YamlNode};

/// Which fields are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The fields of v2alpha1, whatever version the file states, as in oc-mirror.
    OcMirror,
    /// Those of the version that the file names.
    Named,
}

/// Reads a configuration and checks it.
///
/// ```
/// use olmdex_compose::mirror::{Dialect, read};
///
/// let text = "kind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: quay.io/org/catalog:v1\n";
/// assert_eq!(read(text.as_bytes(), Dialect::OcMirror)?.operators.len(), 1);
/// # Ok::<(), olmdex_compose::mirror::ConfigurationError>(())
/// ```
///
/// # Errors
/// [`ConfigurationError`], of which there is one even if more is wrong, as with oc-mirror.
pub fn read(text: &[u8], dialect: Dialect) -> Result<Configuration, ConfigurationError> {
    let configuration = decode(text, dialect)?;
    verify(&configuration)?;
    Ok(configuration)
}

/// Reads a configuration that says what to delete from a mirror, and checks it. Only v2 of oc-mirror has these.
///
/// # Errors
/// [`ConfigurationError`], as in [`read`].
pub fn read_deletion(text: &[u8]) -> Result<Configuration, ConfigurationError> {
    let configuration = decode_as(text, Dialect::OcMirror, Purpose::Delete)?;
    verify(&configuration)?;
    Ok(configuration)
}

/// Reads a configuration without checking its values.
///
/// # Errors
/// [`ConfigurationError`], but never [`ConfigurationError::Invalid`].
pub fn decode(text: &[u8], dialect: Dialect) -> Result<Configuration, ConfigurationError> {
    decode_as(text, dialect, Purpose::Mirror)
}

fn decode_as(text: &[u8], dialect: Dialect, purpose: Purpose) -> Result<Configuration, ConfigurationError> {
    let mut converted = Vec::new();
    yaml::to_json(text, &mut converted).map_err(|error| ConfigurationError::Yaml(error.to_string()))?;
    let text = String::from_utf8_lossy(text);
    let duplicates = yaml::nodes(&text).map(|nodes| duplicate_keys(&nodes)).unwrap_or_default();
    if !duplicates.is_empty() {
        let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let with_line = |(at, key)| (u32::try_from(line(at)).unwrap_or(u32::MAX), key);
        let duplicates = duplicates.into_iter().map(with_line).collect();
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
    if kind != purpose.kind() {
        return Err(ConfigurationError::OtherKind(kind.into_owned(), purpose));
    }
    if value.get(purpose.stanza()).is_none() {
        return Err(ConfigurationError::NoStanza(purpose));
    }
    if value.get(purpose.other().stanza()).is_some() {
        return Err(ConfigurationError::OtherStanza(purpose));
    }
    fits(value, purpose, takes_old(value, dialect, purpose))?;
    Ok(configuration(value, dialect, purpose))
}

/// Whether the fields of v1alpha2 are known, too.
fn takes_old(value: Value<'_>, dialect: Dialect, purpose: Purpose) -> bool {
    let is_old = || text_of(value, "apiVersion").ends_with("/v1alpha2");
    purpose == Purpose::Mirror && dialect == Dialect::Named && is_old()
}

/// The type that oc-mirror decodes a configuration into.
fn type_of(purpose: Purpose, takes_old: bool) -> GoType {
    match (purpose, takes_old) {
        (Purpose::Delete, _) => GoType::DELETE_IMAGE_SET,
        (Purpose::Mirror, true) => GoType::OLD_IMAGE_SET,
        (Purpose::Mirror, false) => GoType::IMAGE_SET,
    }
}

/// The wishes of a value, as far as its fields have their types.
pub(super) fn configuration(value: Value<'_>, dialect: Dialect, purpose: Purpose) -> Configuration {
    let takes_old = takes_old(value, dialect, purpose);
    let mirror = field_of(value, purpose.stanza());
    let platform = mirror.and_then(|it| field_of(it, "platform"));
    let names = |list: Option<Value<'_>>, name: &str| items(list, name).map(|it| text_of(it, "name")).collect();
    Configuration {
        purpose,
        api_version: text_of(value, "apiVersion"),
        operators: items(mirror, "operators").map(|it| operator(it, takes_old)).collect(),
        additional_images: items(mirror, "additionalImages")
            .map(|it| AdditionalImage {
                name: text_of(it, "name"),
                target_repo: text_of(it, "targetRepo"),
                target_tag: text_of(it, "targetTag"),
                others: others(it, GoType::MIRRORED_IMAGE.fields(), &["name", "targetRepo", "targetTag"]),
            })
            .collect(),
        blocked_images: names(mirror, "blockedImages"),
        platform: Platform {
            channels: names(platform, "channels"),
            has_architectures: items(platform, "architectures").next().is_some(),
            has_platforms: items(platform, "platforms").next().is_some(),
        },
        unlisted: unlisted(mirror),
        others_to_mirror: mirror
            .map(|it| others(it, GoType::MIRROR.fields(), &["operators", "additionalImages", "blockedImages"]))
            .unwrap_or_default(),
        others: others(value, GoType::IMAGE_SET.fields(), &["kind", "apiVersion", "mirror"]),
        old_fields: if takes_old { old_fields(value) } else { Vec::new() },
    }
}

/// The wishes for images that neither catalogs nor `additionalImages` name, each once.
fn unlisted(mirror: Option<Value<'_>>) -> Vec<&'static str> {
    const WISHES: [(&[&str], &str); 6] = [
        (&["platform", "channels"], "releases of OpenShift"),
        (&["platform", "release"], "releases of OpenShift"),
        (&["platform", "graph"], "the graph of OpenShift's updates"),
        (&["helm", "local"], "Helm charts"),
        (&["helm", "repositories"], "Helm charts"),
        (&["samples"], "samples"),
    ];
    let is_empty = |value: &Value<'_>| ["[]", "{}", "false", "\"\""].contains(&&*value.compact());
    let is_there =
        |path: &[&str]| path.iter().try_fold(mirror?, |value, name| field_of(value, name)).filter(|it| !is_empty(it));
    let mut found: Vec<&str> = WISHES.into_iter().filter(|(path, _)| is_there(path).is_some()).map(|it| it.1).collect();
    found.dedup();
    found
}

/// Refuses the same values as oc-mirror's decoder, key after key in the order of bytes, which is their order after its
/// conversion to JSON.
fn fits(value: Value<'_>, purpose: Purpose, takes_old: bool) -> Result<(), ConfigurationError> {
    let Some(misfit) = type_of(purpose, takes_old).misfit(value, Decoder::Strict) else { return Ok(()) };
    let (found, wanted) = match misfit.problem {
        Problem::Kind { found, go_type, .. } => (found.name().to_owned(), go_type),
        Problem::Number { found, go_type, .. } => (format!("number {found}"), go_type),
        Problem::Unknown | Problem::Text(_) => {
            return Err(ConfigurationError::UnknownField(last_key(&misfit.path).to_owned(), purpose));
        }
    };
    Err(ConfigurationError::Misfit { purpose, found, field: misfit.go_field, wanted })
}

/// All values that oc-mirror's decoder would refuse.
pub(super) fn misfits(value: Value<'_>, purpose: Purpose) -> (GoType, Vec<Misfit>) {
    let of = type_of(purpose, takes_old(value, Dialect::Named, purpose));
    (of, of.misfits(value, Decoder::Strict))
}

/// The fields that v2 of oc-mirror does not have, in a value that also has fields of v1. `targetName` becomes
/// `targetCatalog`.
fn old_fields(value: Value<'_>) -> Vec<String> {
    let unknown = GoType::IMAGE_SET.misfits(value, Decoder::Strict).into_iter();
    let unknown = unknown.filter(|it| !fold_eq(last_key(&it.path), "targetName"));
    let field = |it: Misfit| it.go_field.split_once('.').map_or_else(String::new, |it| it.1.to_owned());
    unknown.filter(|it| it.problem == Problem::Unknown).map(field).collect()
}

pub(super) fn last_key(path: &[Step]) -> &str {
    match path.last() {
        Some(Step::Key(key)) => key,
        _ => "",
    }
}

/// The fields of an object except for those that are `read`. Fields that only v1alpha2 has are left out.
fn others(value: Value<'_>, fields: &[Field], read: &[&str]) -> Others {
    let unread = fields.iter().filter(|it| !read.contains(&it.name));
    let node = |it: &Field| Some((it.name.to_owned(), node(field_of(value, it.name)?, &it.form, it.name)));
    unread.filter_map(node).collect()
}

/// A value of a known form, to be written again. It is copied as deep as the form goes.
fn node(value: Value<'_>, form: &Form, name: &str) -> ManifestValue {
    let text = || value.as_str().unwrap_or_default().into_owned();
    match form {
        Form::List(item) if value.kind() == Kind::Array => {
            ManifestValue::List(value.items().map(|it| node(it, item, name)).collect())
        }
        Form::Object(_) if value.kind() == Kind::Object => ManifestValue::Fields(others(value, form.fields(), &[])),
        Form::Text(_) if value.as_str().is_none() => ManifestValue::Json("null".to_owned()),
        Form::Text(_) if matches!(name, "minVersion" | "maxVersion") => ManifestValue::Quoted(text()),
        Form::Text(_) => ManifestValue::Text(text()),
        _ => ManifestValue::Json(value.compact()),
    }
}

/// A field, whatever the case of its name: among several, the last in the order of bytes.
fn field_of<'d>(value: Value<'d>, name: &str) -> Option<Value<'d>> {
    let key = |it: &(Value<'d>, Value<'d>)| it.0.as_str().unwrap_or_default();
    let same = value.members().filter(|it| fold_eq(&key(it), name));
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

/// v1 of oc-mirror puts `targetName` in place of the last component of the catalog's path, unless there is a
/// `targetCatalog`.
fn target_catalog(value: Value<'_>, takes_old: bool) -> String {
    let (target, name) = (text_of(value, "targetCatalog"), text_of(value, "targetName"));
    if !takes_old || name.is_empty() || !target.is_empty() {
        return target;
    }
    let catalog = text_of(value, "catalog");
    let (reference, is_layout) = without_transport(&catalog);
    let components: Vec<&str> = tag_and_digest(reference).0.split('/').collect();
    let namespace = components.get(1..components.len().saturating_sub(1)).unwrap_or_default();
    if is_layout { name } else { namespace.iter().copied().chain([name.as_str()]).collect::<Vec<_>>().join("/") }
}

fn operator(value: Value<'_>, takes_old: bool) -> Operator {
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
        previous: 0,
        full: field_of(value, "full").and_then(|it| it.as_bool()).unwrap_or_default(),
        target_catalog: target_catalog(value, takes_old),
        target_tag: text_of(value, "targetTag"),
        packages: items(Some(value), "packages").map(package).collect(),
        others: others(
            value,
            GoType::MIRRORED_OPERATOR.fields(),
            &["catalog", "full", "targetCatalog", "targetTag", "packages"],
        ),
    }
}

/// Keys that a mapping has twice, with the offsets of the later ones, in go-yaml's order: keys inside of a value come
/// before the key of the value.
pub(super) fn duplicate_keys(nodes: &[YamlNode]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for node in nodes {
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
    found.into_iter().map(|(_, _, at, key)| (at, key)).collect()
}
