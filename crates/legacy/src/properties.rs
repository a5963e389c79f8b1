//! Properties and dependencies of the legacy format as properties of blobs (`docs/behaviour/legacy-index.md` 3.5).

use std::collections::BTreeSet;

use super::rows::Rows;
use super::survey::go_words;
use olmdex_fbc::{Api, BUNDLE_OBJECT, csv_metadata};
use olmdex_rules::check::property_misfit;
use olmdex_text::gotype::{Expected, go_type_error};
use olmdex_text::json::{Kind, Reader, Tree, Value};
use olmdex_version::Quoted;

/// Type of the mark of deprecated bundles.
pub(super) const DEPRECATED: &str = "olm.deprecated";

/// The parsed form of a value.
#[derive(Debug, Clone)]
enum Form {
    /// A provided or required API, or the reason why it is not one.
    Api(Result<Api, String>),
    /// A required package, or the reason why it is not one.
    Package(Result<(String, String), String>),
    /// Compact JSON, and the objection of the real tool's validation.
    Other { text: String, misfit: Option<String>, is_json: bool },
    /// A dependency that is dropped.
    Dropped,
}

/// Every distinct value, read once.
#[derive(Debug)]
pub(super) struct Values {
    properties: Vec<Form>,
    dependencies: Vec<Form>,
}

impl Values {
    pub(super) fn new(rows: &Rows) -> Self {
        let mut reader = Reader::new();
        let properties = rows.properties.pool.iter().map(|(kind, value)| {
            let text = value.as_deref().unwrap_or_default();
            match kind.as_str() {
                "olm.gvk" => Form::Api(api(text, &mut reader)),
                _ => other(kind, text, &mut reader),
            }
        });
        let properties = properties.collect();
        let dependencies = rows.dependencies.pool.iter().map(|(kind, value)| {
            let text = value.as_deref().unwrap_or_default();
            match kind.as_str() {
                "olm.gvk" => Form::Api(api(text, &mut reader)),
                "olm.package" => Form::Package(package(text, &mut reader)),
                _ => Form::Dropped,
            }
        });
        let dependencies = dependencies.collect();
        Self { properties, dependencies }
    }

    /// Whether a bundle carries the mark of deprecated bundles.
    pub(super) fn is_deprecated(&self, rows: &Rows, bundle: &str) -> bool {
        rows.properties.values(bundle).any(|(_, kind, _)| kind == DEPRECATED)
    }

    /// Whether a property of a bundle has a value that is not JSON.
    pub(super) fn has_bad_json(&self, rows: &Rows, bundle: &str) -> bool {
        let form = |id: u32| self.properties.get(id as usize);
        rows.properties.values(bundle).any(|it| matches!(form(it.0), Some(Form::Other { is_json: false, .. })))
    }

    /// The properties of a bundle except its manifests, sorted, and the objection of the real tool's validation to
    /// them.
    ///
    /// # Errors
    /// The real tool's words if one of them cannot be converted.
    #[expect(clippy::type_complexity, reason = "two lists of pairs")]
    pub(super) fn of_bundle(
        &self,
        rows: &Rows,
        bundle: &str,
        package: &str,
        version: &str,
        n_objects: usize,
    ) -> Result<(Vec<(String, String)>, Vec<(u8, String)>), String> {
        let failed = |idx: usize, kind: &str, error: &str| {
            Err(format!("convert properties: parse property[{idx}] of type {}: {error}", Quoted(kind)))
        };
        let mut list: Vec<(String, String, Option<&str>)> = Vec::new();
        let mut provided: BTreeSet<&Api> = BTreeSet::new();
        let mut required: BTreeSet<&Api> = BTreeSet::new();
        let mut n_packages = 0;
        for (idx, (id, kind, _)) in rows.properties.values(bundle).enumerate() {
            match &self.properties[id as usize] {
                Form::Api(Ok(api)) => {
                    provided.insert(api);
                }
                Form::Api(Err(error)) => return failed(idx, kind, error),
                Form::Other { text, misfit, .. } => {
                    n_packages += usize::from(kind == "olm.package");
                    list.push((kind.to_owned(), text.clone(), misfit.as_deref()));
                }
                Form::Package(_) | Form::Dropped => {}
            }
        }
        for (idx, (id, kind, _)) in rows.dependencies.values(bundle).enumerate() {
            match &self.dependencies[id as usize] {
                Form::Api(Ok(api)) => {
                    required.insert(api);
                }
                Form::Package(Ok((name, range))) => {
                    let value = Tree::of_texts([("packageName", name), ("versionRange", range)]).compact();
                    list.push(("olm.package.required".to_owned(), value, None));
                }
                Form::Api(Err(error)) | Form::Package(Err(error)) => return failed(idx, kind, error),
                Form::Other { .. } | Form::Dropped => {}
            }
        }
        if n_packages == 0 {
            n_packages = 1;
            let value = Tree::of_texts([("packageName", package), ("version", version)]).compact();
            list.push(("olm.package".to_owned(), value, None));
        }
        for (kind, apis) in [("olm.gvk", provided), ("olm.gvk.required", required)] {
            let value = |api: &Api| {
                Tree::of_texts([("group", &api.group), ("kind", &api.kind), ("version", &api.version)]).compact()
            };
            list.extend(apis.into_iter().map(|api| (kind.to_owned(), value(api), None)));
        }
        list.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        let complaints = complaint(&list, n_packages, n_objects).into_iter().collect();
        let mut properties: Vec<(String, String)> = list.into_iter().map(|(kind, text, _)| (kind, text)).collect();
        properties.dedup();
        Ok((properties, complaints))
    }
}

/// The objection of the real tool's validation to a bundle's properties. The first invalid property hides whether there
/// are too many packages.
fn complaint(list: &[(String, String, Option<&str>)], n_packages: usize, n_objects: usize) -> Option<(u8, String)> {
    let first = list.iter().enumerate().find_map(|(idx, (kind, _, misfit))| Some((idx, kind, (*misfit)?)));
    if let Some((idx, kind, misfit)) = first {
        let idx = if kind.as_str() > BUNDLE_OBJECT { idx + n_objects } else { idx };
        return Some((31, format!("parse property[{idx}] of type {}: {misfit}", Quoted(kind))));
    }
    (n_packages != 1).then(|| (33, "must be exactly one property with type \"olm.package\"".to_owned()))
}

fn other(kind: &str, text: &str, reader: &mut Reader) -> Form {
    match reader.read(text) {
        Ok(value) => {
            let misfit = if kind == BUNDLE_OBJECT { None } else { property_misfit(kind, value) };
            Form::Other { text: csv_metadata::squeeze(text), misfit, is_json: true }
        }
        Err(error) => Form::Other { text: text.to_owned(), misfit: Some(go_words(&error)), is_json: false },
    }
}

fn api(text: &str, reader: &mut Reader) -> Result<Api, String> {
    let [group, kind, version] =
        fields(text, ["group", "kind", "version"], "api.GroupVersionKind", "GroupVersionKind", reader)?;
    Ok(Api { group, version, kind })
}

fn package(text: &str, reader: &mut Reader) -> Result<(String, String), String> {
    let [name, version, _] =
        fields(text, ["packageName", "version", "release"], "property.Package", "Package", reader)?;
    Ok((name, version))
}

/// Fields of an object that are texts, as Go decodes them.
fn fields<const N: usize>(
    text: &str,
    keys: [&'static str; N],
    go_type: &'static str,
    root: &str,
    reader: &mut Reader,
) -> Result<[String; N], String> {
    let value: Value<'_> = reader.read(text).map_err(|error| go_words(&error))?;
    let mut found = [const { String::new() }; N];
    match value.kind() {
        Kind::Null => return Ok(found),
        Kind::Object => {}
        kind => return Err(go_type_error(kind, Expected::Object(go_type), root, &[])),
    }
    for (text, key) in found.iter_mut().zip(keys) {
        let Some(member) = value.get_field(key).filter(|it| !it.is_null()) else { continue };
        match member.as_str() {
            Some(it) => *text = it.into_owned(),
            None => return Err(go_type_error(member.kind(), Expected::String, root, &[key.into()])),
        }
    }
    Ok(found)
}
