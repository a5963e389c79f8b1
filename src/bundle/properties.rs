//! The properties of a bundle, from its files (`docs/behaviour/fbc.md` 4.5).
//!
//! What it deliberately does not do: values of types that nobody derives are carried through as they are written.

use std::collections::BTreeSet;

use super::error::BundleError;
use super::metadata::Metadata;
use super::provided::ProvidedApi;
use crate::fbc::csv::CsvView;
use crate::fbc::csv_metadata::squeeze;
use crate::fbc::{Api, object_of_texts};
use crate::json::{self, Kind, Reader, Value};

/// What properties are derived from.
pub(super) struct Origin<'a> {
    pub(super) bundle: &'a str,
    pub(super) package: &'a str,
    pub(super) metadata: &'a Metadata,
    pub(super) csv: Value<'a>,
    pub(super) provided: &'a BTreeSet<ProvidedApi>,
}

/// The properties but for the manifests, sorted by type and value.
pub(super) fn properties(of: &Origin<'_>) -> Result<Vec<(String, String)>, BundleError> {
    let candidates = candidates(of);
    let mut properties: Vec<(String, String)> = Vec::new();
    let mut provided: BTreeSet<Api> = of.provided.iter().map(|it| it.api.clone()).collect();
    let mut package = None;
    for (idx, (kind, value)) in candidates.iter().enumerate() {
        match kind.as_str() {
            "olm.gvk" => drop(provided.insert(api(of, idx, kind, value)?)),
            "olm.package" => package = Some(own_package(of, idx, kind, value)?),
            _ => properties.push((kind.clone(), value.clone())),
        }
    }
    properties.extend(package.map(|it| ("olm.package".to_owned(), it)));
    properties.extend(provided.iter().map(|it| ("olm.gvk".to_owned(), api_text(it))));
    let mut required = BTreeSet::new();
    let mut packages = BTreeSet::new();
    for (idx, (kind, value)) in of.metadata.dependencies.iter().enumerate() {
        match kind.as_str() {
            "olm.gvk" => drop(required.insert(api(of, idx, kind, value)?)),
            "olm.package" => drop(packages.insert(required_package(of, idx, kind, value)?)),
            _ => properties.push((kind.clone(), value.clone())),
        }
    }
    let csv = CsvView::of_object(of.csv);
    required.extend(csv.definitions("required").chain(csv.services("required")).map(|it| it.api));
    properties.extend(required.iter().map(|it| ("olm.gvk.required".to_owned(), api_text(it))));
    properties.extend(packages.into_iter().map(|it| ("olm.package.required".to_owned(), it)));
    properties.sort();
    Ok(properties)
}

/// What properties come from the files, each once, in the order in which opm looks at them.
pub(super) fn candidates(of: &Origin<'_>) -> Vec<(String, String)> {
    let mut all = of.metadata.properties.clone();
    if !of.package.is_empty() {
        all.push(("olm.package".to_owned(), package_text(of.package, &version(of.csv), &release(of.csv))));
    }
    if let Some(text) = CsvView::of_object(of.csv).annotation("olm.properties") {
        all.extend(annotated(&text));
    }
    all.extend(of.provided.iter().map(|it| ("olm.gvk".to_owned(), api_text(&it.api))));
    let mut seen = BTreeSet::new();
    all.retain(|it| seen.insert(it.clone()));
    all
}

/// The properties of the annotation of the ClusterServiceVersion; none if it is not a list of them.
fn annotated(text: &str) -> Vec<(String, String)> {
    let mut reader = Reader::new();
    let Ok(value) = reader.read(text) else { return Vec::new() };
    if value.kind() != Kind::Array {
        return Vec::new();
    }
    let property = |it: Value<'_>| -> Option<(String, String)> {
        let kind = match it.get_field("type") {
            Some(kind) => kind.as_str()?.into_owned(),
            None => String::new(),
        };
        let value = it.get_field("value").and_then(|it| text.get(it.offset()..it.end())).unwrap_or("null");
        Some((kind, squeeze(value)))
    };
    value.items().map(property).collect::<Option<_>>().unwrap_or_default()
}

/// `spec.version` of a ClusterServiceVersion.
pub(super) fn version(csv: Value<'_>) -> String {
    CsvView::of_object(csv).text("version")
}

/// The version that the value of an `olm.package` has.
pub(super) fn version_of(value: &str) -> Option<String> {
    let mut reader = Reader::new();
    reader.read(value).ok()?.get_field("version")?.as_str().map(|it| it.into_owned())
}

/// `spec.release`, a text or a number.
fn release(csv: Value<'_>) -> String {
    let Some(release) = csv.get_field("spec").and_then(|it| it.get_field("release")) else { return String::new() };
    match release.kind() {
        Kind::Number => {
            let mut out = Vec::new();
            json::write_unstructured(release, &mut out);
            String::from_utf8(out).unwrap_or_default()
        }
        _ => release.as_str().unwrap_or_default().into_owned(),
    }
}

pub(super) fn api_text(api: &Api) -> String {
    object_of_texts(&[("group", &api.group), ("kind", &api.kind), ("version", &api.version)])
}

fn package_text(package: &str, version: &str, release: &str) -> String {
    let mut fields = vec![("packageName", package), ("version", version)];
    if !release.is_empty() {
        fields.push(("release", release));
    }
    object_of_texts(&fields)
}

/// Reads a value that must be an object.
fn fields<T>(
    of: &Origin<'_>,
    (idx, kind, value): (usize, &str, &str),
    go_type: &str,
    read: impl FnOnce(Value<'_>) -> T,
) -> Result<T, BundleError> {
    let wrong = |found: &str| {
        let parse =
            format!("parse property[{idx}] of type \"{kind}\": json: cannot unmarshal {found} into Go value of type");
        BundleError::Property {
            bundle: of.bundle.to_owned(),
            message: format!("the value of a `{kind}` is not an object: {value}"),
            opm: format!("{parse} property.{go_type}"),
        }
    };
    let mut reader = Reader::new();
    match reader.read(value) {
        Ok(value) if matches!(value.kind(), Kind::Object | Kind::Null) => Ok(read(value)),
        Ok(value) => Err(wrong(value.kind().name())),
        Err(_) => Err(wrong("text")),
    }
}

fn field(of: Value<'_>, name: &str) -> String {
    of.get_field(name).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
}

fn api(of: &Origin<'_>, idx: usize, kind: &str, value: &str) -> Result<Api, BundleError> {
    fields(of, (idx, kind, value), "GVK", |it| Api {
        group: field(it, "group"),
        version: field(it, "version"),
        kind: field(it, "kind"),
    })
}

fn own_package(of: &Origin<'_>, idx: usize, kind: &str, value: &str) -> Result<String, BundleError> {
    fields(of, (idx, kind, value), "Package", |it| {
        package_text(&field(it, "packageName"), &field(it, "version"), &field(it, "release"))
    })
}

fn required_package(of: &Origin<'_>, idx: usize, kind: &str, value: &str) -> Result<String, BundleError> {
    fields(of, (idx, kind, value), "Package", |it| {
        object_of_texts(&[("packageName", &field(it, "packageName")), ("versionRange", &field(it, "version"))])
    })
}
