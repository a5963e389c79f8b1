//! A bundle's blob as the rows of a legacy catalog (`docs/behaviour/legacy-index.md` 4.10).

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::once::Once;
use super::outline::HeadIcon;
use crate::schema_upgrade::{gvk, package_property};
use olmdex_fbc::service_version::{CsvView, ListedApi};
use olmdex_fbc::{Api, BUNDLE_OBJECT, Bundle, for_each_object};
use olmdex_text::json::{self, Kind, Reader, Tree, Value};

/// The rows of a bundle.
#[derive(Debug, Default)]
pub(super) struct BundleRows {
    pub(super) package: String,
    pub(super) name: String,
    pub(super) image: String,
    pub(super) version: String,
    pub(super) csv: Option<Vec<u8>>,
    pub(super) manifests: Option<Vec<u8>>,
    /// Type and value, in the order of the blob, each once.
    pub(super) properties: Once<(String, String)>,
    pub(super) dependencies: Vec<(String, String)>,
    pub(super) provided: BTreeSet<Api>,
    pub(super) required: BTreeSet<Api>,
    /// Plural names of APIs, if the manifests state them.
    pub(super) plurals: BTreeMap<Api, String>,
    pub(super) images: BTreeSet<String>,
    pub(super) is_deprecated: bool,
    /// The facts that have no place, in words.
    pub(super) losses: Vec<String>,
    /// Whether the ClusterServiceVersion was made of the blob's data.
    pub(super) is_synthetic: bool,
}

/// The role of a bundle in its channels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing<'a> {
    /// Whether it is the head of a channel.
    pub(super) is_head: bool,
    /// For the head of the default channel: the icon of its package.
    pub(super) icon: Option<&'a HeadIcon>,
}

/// Makes rows of a blob.
///
/// # Errors
/// In words, if its manifests cannot be read.
pub(super) fn rows_of_bundle(bundle: &Bundle<'_>, standing: Standing<'_>) -> Result<BundleRows, String> {
    let mut rows = BundleRows {
        package: bundle.package.to_string(),
        name: bundle.name.to_string(),
        image: bundle.image.to_string(),
        ..BundleRows::default()
    };
    rows.manifests(bundle)?;
    let mut metadata = None;
    for property in &bundle.properties {
        let Some(value) = property.value else { continue };
        rows.property(&property.kind, value);
        if property.kind == "olm.csv.metadata" {
            metadata = Some(value);
        }
    }
    rows.related_images(bundle);
    if rows.csv.is_none() && standing.is_head {
        rows.csv = Some(synthetic(&rows, metadata));
        rows.is_synthetic = true;
    }
    if let (Some(icon), Some(csv)) = (standing.icon, &rows.csv) {
        rows.csv = Some(with_icon(csv, icon));
    }
    Ok(rows)
}

impl BundleRows {
    fn manifests(&mut self, bundle: &Bundle<'_>) -> Result<(), String> {
        let mut manifests = Vec::new();
        let mut csv: Option<Vec<u8>> = None;
        let mut plurals = BTreeMap::new();
        let mut reader = Reader::new();
        let mut is_readable = true;
        for_each_object(bundle, |object| {
            let text = json::decode_utf8(object);
            let Ok(value) = reader.read(&text) else {
                is_readable = false;
                return;
            };
            let kind = value.text_of("kind");
            if kind == "ClusterServiceVersion" && csv.is_none() {
                csv = Some(object.trim_ascii().to_vec());
                owned_plurals(value, &mut plurals);
            } else if kind == "CustomResourceDefinition" {
                crd_plurals(value, &mut plurals);
            }
            manifests.extend_from_slice(object.trim_ascii_end());
            manifests.push(b'\n');
        })
        .map_err(|defect| defect.kind.to_string())?;
        self.plurals = plurals;
        if !is_readable {
            self.losses.push("its manifests are lost: one is not JSON".to_owned());
            return Ok(());
        }
        match csv {
            Some(mut csv) => {
                csv.push(b'\n');
                self.csv = Some(csv);
                self.manifests = Some(manifests);
            }
            None if !manifests.is_empty() => {
                self.losses.push("its manifests are lost: none is a ClusterServiceVersion".to_owned());
            }
            None => {}
        }
        Ok(())
    }

    fn property(&mut self, kind: &str, value: Value<'_>) {
        match kind {
            BUNDLE_OBJECT => {}
            "olm.gvk.required" => {
                let api = Api::of_fields(value);
                self.dependencies.push(("olm.gvk".to_owned(), gvk(&api)));
                self.required.insert(api);
            }
            "olm.package.required" => {
                let text = package_property(&value.text_of_field("packageName"), &value.text_of_field("versionRange"));
                self.dependencies.push(("olm.package".to_owned(), text));
            }
            "olm.gvk" => {
                let api = Api::of_fields(value);
                self.push_property(kind, gvk(&api));
                self.provided.insert(api);
            }
            kind => {
                if kind == "olm.package" && self.version.is_empty() {
                    self.version = value.text_of_field("version");
                }
                self.is_deprecated |= kind == crate::properties::DEPRECATED;
                self.push_property(kind, value.compact());
            }
        }
    }

    fn push_property(&mut self, kind: &str, text: String) {
        self.properties.push((kind.to_owned(), text));
    }

    fn related_images(&mut self, bundle: &Bundle<'_>) {
        let mut named = 0;
        let listed: BTreeSet<(String, String)> = match &self.csv {
            Some(csv) => {
                let text = json::decode_utf8(csv);
                let mut reader = Reader::new();
                let csv = reader.read(&text).ok().map(CsvView::of_object);
                csv.into_iter().flat_map(|it| it.related_images()).collect()
            }
            None => BTreeSet::new(),
        };
        for image in &bundle.related_images {
            let key = (image.name.to_string(), image.image.to_string());
            named += usize::from(!image.name.is_empty() && !listed.contains(&key));
            self.images.insert(key.1);
        }
        if named > 0 {
            self.losses.push(format!("the names of its related images ({named}) are lost"));
        }
    }
}

/// Plural names from a CustomResourceDefinition.
fn crd_plurals(crd: Value<'_>, plurals: &mut BTreeMap<Api, String>) {
    let Some(spec) = crd.get_field("spec") else { return };
    let Some(names) = spec.get_field("names") else { return };
    let (group, kind, plural) =
        (spec.text_of_field("group"), names.text_of_field("kind"), names.text_of_field("plural"));
    let versions = spec.get_field("versions").into_iter().flat_map(|it| it.items()).map(|it| it.text_of_field("name"));
    for version in versions.chain([spec.text_of_field("version")]).filter(|it| !it.is_empty()) {
        plurals.entry(Api { group: group.clone(), version, kind: kind.clone() }).or_insert_with(|| plural.clone());
    }
}

/// Plural names from the definitions that a ClusterServiceVersion owns and requires.
fn owned_plurals(csv: Value<'_>, plurals: &mut BTreeMap<Api, String>) {
    let csv = CsvView::of_object(csv);
    let lists = ["owned", "required"];
    for ListedApi { name, api } in lists.into_iter().flat_map(|it| csv.definitions(it)) {
        if let Some((plural, _)) = name.split_once('.') {
            plurals.entry(api).or_insert_with(|| plural.to_owned());
        }
    }
    for ListedApi { name, api } in lists.into_iter().flat_map(|it| csv.services(it)) {
        plurals.entry(api).or_insert(name);
    }
}

/// A ClusterServiceVersion made of the blob's data: for servers that show packages, which read that of every head.
fn synthetic(rows: &BundleRows, metadata: Option<Value<'_>>) -> Vec<u8> {
    let mut meta: BTreeMap<&str, Tree> = BTreeMap::from([("name", Tree::html(&rows.name))]);
    let mut spec: BTreeMap<&str, Tree> = BTreeMap::from([("version", Tree::html(&rows.version))]);
    // The fields of the property, and their names in the object.
    let places = [
        ("apiServiceDefinitions", "apiservicedefinitions"),
        ("crdDescriptions", "customresourcedefinitions"),
        ("description", "description"),
        ("displayName", "displayName"),
        ("installModes", "installModes"),
        ("keywords", "keywords"),
        ("links", "links"),
        ("maintainers", "maintainers"),
        ("maturity", "maturity"),
        ("minKubeVersion", "minKubeVersion"),
        ("nativeAPIs", "nativeAPIs"),
        ("provider", "provider"),
    ];
    if let Some(metadata) = metadata.filter(|it| it.kind() == Kind::Object) {
        for key in ["annotations", "labels"] {
            if let Some(value) = metadata.get_field(key) {
                meta.insert(key, Tree::Raw(value.compact()));
            }
        }
        for (from, to) in places {
            if let Some(value) = metadata.get_field(from) {
                spec.insert(to, Tree::Raw(value.compact()));
            }
        }
    }
    let object =
        |of: BTreeMap<&str, Tree>| Tree::Object(of.into_iter().map(|(key, value)| (key.to_owned(), value)).collect());
    let head = [("apiVersion", "operators.coreos.com/v1alpha1"), ("kind", "ClusterServiceVersion")];
    let manifest = Tree::of_texts(head).with("metadata", object(meta)).with("spec", object(spec));
    (manifest.compact() + "\n").into_bytes()
}

/// The ClusterServiceVersion with the icon of the package, which readers take from there.
fn with_icon(csv: &[u8], icon: &HeadIcon) -> Vec<u8> {
    let text = json::decode_utf8(csv);
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&text) else { return csv.to_vec() };
    let spec = value.get_field("spec");
    let shown = CsvView::of_object(value).icon();
    let wanted = icon.as_ref().map(|(data, mediatype)| (STANDARD.encode(data), mediatype.clone()));
    if shown == wanted {
        return csv.to_vec();
    }
    // Blanks or breaks in the text of an icon do not make it another one.
    if let (Some(shown), Some(wanted)) = (&shown, &wanted)
        && shown.0.replace([' ', '\n', '\r'], "") == wanted.0
        && shown.1 == wanted.1
    {
        return csv.to_vec();
    }
    let members = |value: Value<'_>, without: &str| {
        let raw = |member: Value<'_>| Tree::Raw(text[member.offset()..member.end()].to_owned());
        let all = value.members().map(|(key, member)| (key.as_str().unwrap_or_default().into_owned(), raw(member)));
        Tree::Object(all.filter(|(key, _)| !key.eq_ignore_ascii_case(without)).collect())
    };
    let icon = wanted.as_ref().map(|(data, mediatype)| {
        Tree::list([Tree::object().with("base64data", data).with("mediatype", Tree::html(mediatype))])
    });
    let spec = spec.map_or_else(Tree::object, |it| members(it, "icon")).with_some("icon", icon);
    (members(value, "spec").with("spec", spec).compact() + "\n").into_bytes()
}
