//! The properties of a bundle, from its files (`docs/behaviour/fbc.md` 4.5).

use std::collections::BTreeSet;

use super::error::BundleError;
use super::parts::Parts;
use super::typed::Files;
use super::written;
use olmdex_base::diag::Place;
use olmdex_fbc::csv_metadata::squeeze;
use olmdex_fbc::service_version::{CsvView, ListedApi};
use olmdex_fbc::{Api, Spot};
use olmdex_text::gotype::{Decoder, GoType};
use olmdex_text::json::{Kind, Reader, Step, Tree, Value};
use olmdex_text::yaml;
use olmdex_version::Quoted;

/// The sources of properties.
pub(super) struct Origin<'a> {
    pub(super) parts: &'a Parts,
    pub(super) csv: Value<'a>,
    /// The files of `metadata/`.
    files: &'a Files,
}

impl<'a> Origin<'a> {
    /// `csv` is the document of the ClusterServiceVersion.
    pub(super) fn of(parts: &'a Parts, csv: Value<'a>, files: &'a Files) -> Self {
        Self { parts, csv, files }
    }
}

/// The properties but for the manifests, sorted by type and value.
pub(super) fn properties(of: &Origin<'_>) -> Result<Vec<(String, String)>, BundleError> {
    let (candidates, parts) = (candidates(of), of.parts);
    let mut properties: Vec<(String, String)> = Vec::new();
    let mut provided: BTreeSet<Api> = parts.provided.iter().map(|it| it.api.clone()).collect();
    let mut package = None;
    for (idx, (kind, value)) in candidates.iter().enumerate() {
        let item = ListItem { list: "properties", idx, kind, value };
        match kind.as_str() {
            "olm.gvk" => drop(provided.insert(api(of, item)?)),
            "olm.package" => package = Some(own_package(of, item)?),
            _ => properties.push((kind.clone(), value.clone())),
        }
    }
    // The version is that of the ClusterServiceVersion if nothing else states one.
    let package = package.unwrap_or_else(|| package_text(&parts.package, &version(of.csv), &release(of.csv)));
    properties.extend(Some(package).map(|it| ("olm.package".to_owned(), it)));
    properties.extend(provided.iter().map(|it| ("olm.gvk".to_owned(), api_text(it))));
    let mut needed = BTreeSet::new();
    let mut packages = Vec::new();
    for (idx, (kind, value)) in parts.metadata.dependencies.iter().enumerate() {
        let item = ListItem { list: "dependencies", idx, kind, value };
        match kind.as_str() {
            "olm.gvk" => drop(needed.insert(api(of, item)?)),
            "olm.package" => packages.push(required_package(of, item)?),
            _ => properties.push((kind.clone(), value.clone())),
        }
    }
    let listed = required(&parts.name, &CsvView::of_manifest(of.csv))?;
    needed.extend(listed.into_iter().map(|it| it.0));
    properties.extend(needed.iter().map(|it| ("olm.gvk.required".to_owned(), api_text(it))));
    properties.extend(packages.into_iter().map(|it| ("olm.package.required".to_owned(), it)));
    properties.sort();
    Ok(properties)
}

/// The properties that come from the files, each once, in the order in which opm looks at them.
pub(super) fn candidates(of: &Origin<'_>) -> Vec<(String, String)> {
    let mut all = of.parts.metadata.properties.clone();
    if !of.parts.package.is_empty() {
        all.push(("olm.package".to_owned(), package_text(&of.parts.package, &version(of.csv), &release(of.csv))));
    }
    if let Some(text) = CsvView::of_manifest(of.csv).annotation("olm.properties") {
        all.extend(annotated(&text));
    }
    all.extend(of.parts.provided.iter().map(|it| ("olm.gvk".to_owned(), api_text(&it.api))));
    let mut seen = BTreeSet::new();
    all.retain(|it| seen.insert(it.clone()));
    all
}

/// The properties of the annotation of the ClusterServiceVersion. If a part of it does not fit, opm keeps what it has
/// decoded.
pub(super) fn annotated(text: &str) -> Vec<(String, String)> {
    let mut reader = Reader::new();
    let Ok(value) = reader.read(text) else { return Vec::new() };
    let property = |it: Value<'_>| {
        let kind = it.text_of_field("type");
        let value = it.get_field("value").and_then(|it| text.get(it.offset()..it.end())).unwrap_or_default();
        (kind, squeeze(value))
    };
    value.items().map(property).collect()
}

/// The APIs that a ClusterServiceVersion requires, with their plural names.
///
/// # Errors
/// If the name of a definition is not one.
pub(super) fn required(bundle: &str, csv: &CsvView<'_>) -> Result<BTreeSet<(Api, String)>, BundleError> {
    let mut required = BTreeSet::new();
    for ListedApi { name: listed, api } in csv.definitions("required") {
        let Some((plural, _)) = listed.split_once('.') else {
            let message = format!("requires a definition `{listed}`, whose name is not PLURAL.GROUP");
            let opm = format!("get required apis: couldn't parse plural.group from crd name: {listed}");
            return Err(BundleError::Required { bundle: bundle.to_owned(), message, opm });
        };
        required.insert((api, plural.to_owned()));
    }
    required.extend(csv.services("required").map(|it| (it.api, it.name)));
    Ok(required)
}

/// `spec.version` of a ClusterServiceVersion.
pub(super) fn version(csv: Value<'_>) -> String {
    CsvView::of_manifest(csv).text("version")
}

/// The version that the value of an `olm.package` has.
pub(super) fn version_of(value: &str) -> Option<String> {
    let mut reader = Reader::new();
    reader.read(value).ok()?.get_field("version")?.as_str().map(|it| it.into_owned())
}

/// `spec.release`, a text or a number.
fn release(csv: Value<'_>) -> String {
    let Some(release) = csv.get("spec").and_then(|it| it.get("release")) else { return String::new() };
    match release.kind() {
        Kind::Number => match release.as_f64() {
            // The forms of Go's `%d` and `%g`.
            #[expect(clippy::cast_possible_truncation, reason = "it is whole, and within the range")]
            Some(number) if number.fract() == 0.0 && number.abs() < 9_223_372_036_854_775_808.0 => {
                (number as i64).to_string()
            }
            _ => yaml::float_as_text(release.raw()),
        },
        _ => release.as_str().unwrap_or_default().into_owned(),
    }
}

pub(super) fn api_text(api: &Api) -> String {
    Tree::of_texts([("group", &api.group), ("kind", &api.kind), ("version", &api.version)]).compact()
}

fn package_text(package: &str, version: &str, release: &str) -> String {
    Tree::of_texts([("packageName", package), ("version", version)]).with_text("release", release).compact()
}

/// A property or a dependency, with its place in the list that opm counts it in.
#[derive(Clone, Copy)]
struct ListItem<'a> {
    list: &'a str,
    idx: usize,
    kind: &'a str,
    value: &'a str,
}

/// Reads a value that must be of a type.
fn fields<T>(
    of: &Origin<'_>,
    item: ListItem<'_>,
    go_type: GoType,
    read: impl FnOnce(Value<'_>) -> T,
) -> Result<T, BundleError> {
    let ListItem { idx, kind, value, .. } = item;
    let wrong = |message: String, path: Vec<Step>, go: &str| BundleError::Property {
        bundle: of.parts.name.clone(),
        message,
        place: of.place(item, path).map(Box::new),
        opm: format!("parse property[{idx}] of type {}: {go}", Quoted(kind)),
    };
    let mut reader = Reader::new();
    let Ok(found) = reader.read(value) else {
        return Err(wrong(format!("the `{kind}` has no value"), Vec::new(), "unexpected end of JSON input"));
    };
    match go_type.misfit(found, Decoder::Library) {
        None => Ok(read(found)),
        Some(misfit) if misfit.path.is_empty() => {
            Err(wrong(format!("the value of the `{kind}` {}", misfit.message()), Vec::new(), &misfit.go))
        }
        Some(misfit) => {
            let message = format!("`{}` in the value of the `{kind}` {}", misfit.field(), misfit.message());
            Err(wrong(message, misfit.path, &misfit.go))
        }
    }
}

impl Origin<'_> {
    /// The place of a property or a dependency of the files; `path` leads into its value.
    fn place(&self, ListItem { list, kind, value, .. }: ListItem<'_>, path: Vec<Step>) -> Option<Place> {
        let metadata = &self.parts.metadata;
        let (items, file) = match list {
            "dependencies" => (&metadata.dependencies, metadata.dependencies_file),
            _ => (&metadata.properties, metadata.properties_file),
        };
        let idx = items.iter().position(|it| it.0 == kind && it.1 == value)?;
        let (name, text) = self.files.get(file)?;
        let mut steps = vec![list.into(), idx.into()];
        if !value.is_empty() {
            steps.push("value".into());
            steps.extend(path);
        }
        Some(written::place(&format!("metadata/{name}"), text, &Spot::Path(steps)))
    }
}

fn api(of: &Origin<'_>, property: ListItem<'_>) -> Result<Api, BundleError> {
    fields(of, property, GoType::GVK, Api::of_fields)
}

fn own_package(of: &Origin<'_>, property: ListItem<'_>) -> Result<String, BundleError> {
    fields(of, property, GoType::PACKAGE, |it| {
        package_text(&it.text_of_field("packageName"), &it.text_of_field("version"), &it.text_of_field("release"))
    })
}

fn required_package(of: &Origin<'_>, property: ListItem<'_>) -> Result<String, BundleError> {
    fields(of, property, GoType::PACKAGE, |it| {
        let fields = [("packageName", "packageName"), ("versionRange", "version")];
        Tree::of_texts(fields.map(|(key, field)| (key, it.text_of_field(field)))).compact()
    })
}
